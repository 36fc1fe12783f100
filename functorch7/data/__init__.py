"""Loaders of data sets, and their iterators: Torch's package dataload, with NumPy's arrays."""

from .asynchronous import AsyncIterator as AsyncIterator
from .image_class import ImageClass as ImageClass
from .image_sequences import MultiImageSequence as MultiImageSequence
from .loader import DataLoader as DataLoader
from .nested import recursive_batch_size as recursive_batch_size
from .nested import recursive_index as recursive_index
from .nested import recursive_map as recursive_map
from .nested import recursive_size as recursive_size
from .nested import recursive_sub as recursive_sub
from .preprocess import ImageNormalize as ImageNormalize
from .preprocess import binarize as binarize
from .preprocess import fit_image_normalize as fit_image_normalize
from .preprocess import rescale as rescale
from .sequences import MultiSequence as MultiSequence
from .sequences import Ragged as Ragged
from .sequences import SequenceLoader as SequenceLoader
from .sources import Source as Source
from .tensors import TensorLoader as TensorLoader
