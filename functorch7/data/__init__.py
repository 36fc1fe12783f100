"""Loaders of data sets, and their iterators: Torch's package dataload, with NumPy's arrays."""

from .asynchronous import AsyncIterator as AsyncIterator
from .image_class import ImageClass as ImageClass
from .loader import DataLoader as DataLoader
from .sequences import MultiSequence as MultiSequence
from .sequences import Ragged as Ragged
from .sequences import SequenceLoader as SequenceLoader
from .tensors import TensorLoader as TensorLoader
