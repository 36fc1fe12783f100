"""Public data sets as loaders, downloaded, checked and cached."""

from .cifar10 import load_cifar10 as load_cifar10
from .classified import ClassifiedTensors as ClassifiedTensors
from .download_imagenet import downloadimagenet as downloadimagenet
from .gbw import load_gbw as load_gbw
from .gbw import multi_sequence_gbw as multi_sequence_gbw
from .gbw_text import prepare_gbw as prepare_gbw
from .harmonize_imagenet import harmonizeimagenet as harmonizeimagenet
from .idx import read_idx as read_idx
from .imagenet import ImageNet as ImageNet
from .imagenet import average_views as average_views
from .imagenet import load_imagenet as load_imagenet
from .mnist import load_mnist as load_mnist
from .ptb import load_ptb as load_ptb
from .sentiment140 import Tweets as Tweets
from .sentiment140 import load_sentiment140 as load_sentiment140
from .sentiment140 import sentiment140_loader as sentiment140_loader
from .torch_files import load as load
from .words import Sentences as Sentences
from .words import WordSequence as WordSequence
