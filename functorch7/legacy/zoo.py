"""The zoo's networks as Torch's objects, with initial values from Torch's generator: `legacy.zoo.resnet(20)`."""

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec

from .. import zoo
from ..core import Module as Description
from .modules.module import Module
from .objects.generated import object_of

P = ParamSpec("P")


def _as_object(make: Callable[P, Description]) -> Callable[P, Module]:
    @wraps(make)
    def made(*args: P.args, **kwargs: P.kwargs) -> Module:
        found: Any = object_of(make(*args, **kwargs))
        return found

    return made


alexnet = _as_object(zoo.alexnet)
alexnet_two_towers = _as_object(zoo.alexnet_two_towers)
char_rnn = _as_object(zoo.char_rnn)
dcgan_discriminator = _as_object(zoo.dcgan_discriminator)
dcgan_generator = _as_object(zoo.dcgan_generator)
googlenet = _as_object(zoo.googlenet)
inception_v3 = _as_object(zoo.inception_v3)
lenet = _as_object(zoo.lenet)
recurrent_attention = _as_object(zoo.recurrent_attention)
resnet = _as_object(zoo.resnet)
squeezenet = _as_object(zoo.squeezenet)
vgg = _as_object(zoo.vgg)
