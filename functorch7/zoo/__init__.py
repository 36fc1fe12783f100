"""Ready architectures with Torch7's numbers, as descriptions: `f7.zoo.resnet(20)`.

Classifiers give scores, for `CrossEntropyCriterion`; `load` takes the arrays of a network in a Torch7 file.
"""

from .char_rnn import char_rnn as char_rnn
from .classics import alexnet as alexnet
from .classics import alexnet_two_towers as alexnet_two_towers
from .classics import lenet as lenet
from .classics import vgg as vgg
from .dcgan import dcgan_discriminator as dcgan_discriminator
from .dcgan import dcgan_generator as dcgan_generator
from .files import load as load
from .inception import googlenet as googlenet
from .inception import inception_v3 as inception_v3
from .inception import squeezenet as squeezenet
from .residual import resnet as resnet
from .start import start_dcgan as start_dcgan
from .start import start_residual as start_residual
from .visual_attention import recurrent_attention as recurrent_attention
