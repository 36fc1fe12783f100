"""Noise-contrastive estimation with Torch's interface."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, ClassVar, Self

import jax
import jax.numpy as jnp
import numpy as np

from ... import core, layers
from ...layers.lookup import check_indices
from ..engine.watched import is_repeat
from ..objects.given import Given
from ..tensors.changes import changed
from ..tensors.kinds import Numbers
from ..tensors.random import next_key
from ..tensors.shards import split_over
from ..tensors.tensor import Tensor
from ..tensors.values import unwrapped
from .module import Module


class _Given(layers.NCEModule, abstract=True):
    """An NCEModule whose noise comes from a function of (batchsize, k) that cannot be compiled."""

    traceable: ClassVar[bool] = False

    noise: Any = None

    @classmethod
    def torch_name(cls) -> str:
        return layers.NCEModule.torch_name()

    def noise_sample(self, key: jax.Array, shape: tuple[int, ...]) -> jax.Array:
        drawn = self.noise(shape[0] if len(shape) > 1 else 1, self.k)
        check_indices(self, drawn, self.output_size)
        return jnp.asarray(drawn.reshape(shape), jnp.int32)


class NCEModule(Module, describes=layers.NCEModule):
    """nn.NCEModule; `unigrams` is a tensor, whose type is never the module's, and Z another.

    If `unigrams` is a floating-point tensor, the module keeps this tensor and divides it by its sum; anything else is
    copied. After writing into `unigrams`, call `fastNoise`. `sampleidx` has the classes that the last forward used.
    A user's own `noiseSample(sampleidx, batchsize, k)`, assigned or in a subclass, makes the noise: it resizes the
    tensor to batchsize x k, fills it with classes, and returns it.
    """

    version = 6
    """dpnn's version, by which programs tell what the class can do."""
    unigrams: Tensor
    dpnn_mediumEmpty = (*Module.dpnn_mediumEmpty, "sampleidx")

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        given = kwargs.get("unigrams", (*args[3:], None)[0])
        if isinstance(given, Tensor) and np.issubdtype(given.dtype, np.floating):
            self.__dict__["unigrams"] = given
        self.fastNoise()

    def _take(self, spec: core.Module, given: Given) -> None:
        super()._take(spec, given)
        self.__dict__["unigrams"] = Tensor.of(np.array(spec.unigrams, np.float64))  # type: ignore[attr-defined]

    def _respecify(self, spec: Any) -> bool:
        if spec.unigrams != self._spec.unigrams and not np.array_equal(spec.unigrams, self.unigrams):
            self.__dict__["unigrams"] = Tensor.of(np.array(spec.unigrams, np.float64))
        return super()._respecify(spec)

    def own_description(self) -> core.Module:
        """The description, with the user's noiseSample, if there is one."""
        spec = super().own_description()
        if not self.overrides("noiseSample"):
            return spec
        names = [field.name for field in fields(layers.NCEModule)]  # type: ignore[arg-type]
        made = _Given(**{name: getattr(spec, name) for name in names}, noise=self._users_noise)
        return made.named(spec.own_name)

    def _users_noise(self, batchsize: int, k: int) -> np.ndarray:
        """The result of the user's noiseSample; for a repeated call, the previous one."""
        last = self.__dict__.get("_noise")
        if not (is_repeat() and last is not None and last.shape == (batchsize, k)):
            drawn = np.asarray(self.noiseSample(Tensor.of(np.zeros(0, np.int64)), batchsize, k))
            if drawn.size != batchsize * k:
                raise ValueError(
                    f"{self.title()}: expected {batchsize} x {k} classes from noiseSample, got shape {drawn.shape}"
                )
            last = self.__dict__["_noise"] = drawn.reshape(batchsize, k)
        return last

    def _cast(self, type_name: str, cache: dict) -> None:
        unigrams = self.__dict__.pop("unigrams")
        super()._cast(type_name, cache)
        self.__dict__["unigrams"] = unigrams

    @property
    def dpnn_parameters(self) -> list[str]:
        """The names of what is learned or kept: weight, bias, Z, unigrams."""
        return [*super().dpnn_parameters, "unigrams"]

    @property
    def Z(self) -> Tensor:
        """The normalisation constant, a tensor of one element; if it is not positive, the next forward estimates it."""
        return self.__dict__["Z"]

    @Z.setter
    def Z(self, value: float) -> None:
        self.Z.fill(float(np.asarray(unwrapped(value)).reshape(())))

    def fastNoise(self) -> None:
        """Makes a new sampler from the present `unigrams`, which are divided by their sum.

        Raises ValueError for negative numbers.
        """
        given = self._spec.replace(unigrams=core.Const(self.unigrams.numpy()))  # which looks at them
        self.unigrams.div(self.unigrams.sum())
        self._respecify(given.replace(unigrams=core.Const(self.unigrams.numpy())))

    def multicuda(self, device1: int | None = None, device2: int | None = None) -> Self:
        """Puts the first half of weight's and gradWeight's columns on one device (from 1), the rest on another.

        Raises ValueError without two devices, if they are not there, and for an odd inputsize.
        """
        if device1 is None or device2 is None:
            raise ValueError(f"{self.title()}: specify two devices as arguments")
        devices, columns = jax.devices(), self._spec.input_size
        if not {device1, device2} <= set(range(1, len(devices) + 1)) or device1 == device2:
            raise ValueError(f"{self.title()}: expected two of {len(devices)} devices, got {device1} and {device2}")
        if columns % 2:
            raise ValueError(f"{self.title()}: expected an even inputsize, to split it in halves, got {columns}")
        by_columns = split_over([devices[device1 - 1], devices[device2 - 1]], 1)
        for tensor in (self.weight, self.gradWeight):
            tensor.array = jax.device_put(tensor.array, by_columns)
        changed(self)
        return self

    def noiseSample(self, sampleidx: Tensor, batchsize: int, k: int) -> Tensor:
        """Fills a tensor, resized to batchsize x k, with noise classes."""
        drawn = self._spec.noise_sample(next_key(), (batchsize, k))
        return sampleidx.resize(batchsize, k).copy(np.asarray(drawn))

    def noiseProb(self, sampleprob: Tensor, sampleidx: Numbers) -> Tensor:
        """Fills a tensor, resized as sampleidx, with the noise probabilities of these classes."""
        classes = np.asarray(unwrapped(sampleidx)).astype(np.int32)
        check_indices(self._spec, classes, self._spec.output_size)
        probability = self._spec.noise_probability(classes, np.float32)
        return sampleprob.resize(*classes.shape).copy(np.asarray(probability))
