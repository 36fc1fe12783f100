"""Layers that drop or add noise."""

from contextvars import ContextVar
from dataclasses import field
from typing import TYPE_CHECKING, ClassVar, Self

import jax.numpy as jnp

from ..core import Module, builder, check_floating, draws, expected, expose
from ..core.types import Array, State, Tree
from ..network import number

SAYS_LAZY: ContextVar[bool] = ContextVar("SAYS_LAZY", default=True)
"""Whether Dropout is printed with its mode, as by rnn, which replaces nn's class with its own."""


class Dropping(Module, abstract=True):
    """Modules that drop with probability p.

    Raises: ValueError unless 0 <= p < 1, or p <= 1 where everything may be dropped.
    """

    may_drop_all: ClassVar[bool] = False

    if TYPE_CHECKING:  # a field of subclasses, in Torch's order
        p: float

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (0 <= self.p < 1 or (self.may_drop_all and self.p == 1)):
            sign = "<=" if self.may_drop_all else "<"
            raise ValueError(f"{self.torch_name()}: expected 0 <= p {sign} 1, got {self.p}")

    @number
    def kept(self) -> float:
        """The share that is kept, as a float also for whole p."""
        return 1.0 - self.p

    @number
    def gain(self) -> float:
        """The factor by which what is kept makes up for what is dropped."""
        return 1 / (1 - self.p)


class DropoutLayer(Dropping, abstract=True):
    """Layers that drop in training, and whose probability programs change."""

    def draws(self, train: bool) -> bool:
        return train

    @builder
    def setp(self, p: float) -> Self:
        """The same layer with another drop probability."""
        return self.replace(p=p)

    def printed(self) -> str:
        return f"{self.type_name()}({self.p:f})"


class Dropout(DropoutLayer):
    """y = x * noise; each noise element is 1/(1-p) with probability 1-p, else 0 (training only).

    Shape: any, kept.  With `v1`, noise is 0 or 1 in training and evaluation multiplies by 1-p. With
    `stochastic_inference` evaluation drops too. `inplace` is accepted and changes no value. With `mono` one row of
    noise serves the whole batch.
    Buffers: with `lazy`, mask: the noise, drawn once and kept until forgotten, so that a whole sequence uses one; the
    next has its own, also where a sequencer remembers, and in `legacy` what follows a backward. In the package rnn,
    lazy and mono are the fourth and fifth arguments; here they are keywords.
    Exposes: noise, the mask of the last call.
    Raises: ValueError unless 0 <= p < 1, if the key is missing, and for inputs that a kept mask does not fit.
    Differs from Torch7: backward in stochastic evaluation applies the mask (Torch7 forgets it). After the first
    backward, the steps of a sequence still have one lazy mask (in Torch7 each has another).
    Source: nn/doc/simple.md#nn.Dropout; Hinton et al., 2012.

    >>> import functorch7 as f7, jax, jax.numpy as jnp
    >>> dropout = f7.Dropout(0.5)
    >>> dropout.apply({}, {}, jnp.ones(3))[0].tolist()  # evaluation
    [1.0, 1.0, 1.0]
    >>> noisy, _ = dropout.apply({}, {}, jnp.ones(1000), key=jax.random.key(0), train=True)
    >>> sorted(set(noisy.tolist()))
    [0.0, 2.0]
    """

    exposes: ClassVar[tuple[str, ...]] = ("noise",)

    p: float = 0.5
    v1: bool = False
    inplace: bool = False
    stochastic_inference: bool = False
    lazy: bool = field(default=False, kw_only=True)
    mono: bool = field(default=False, kw_only=True)

    transient: ClassVar[tuple[str, ...]] = ("mask",)
    hidden: ClassVar[tuple[str, ...]] = ()  # the mask is none of the state that users handle
    drawn: ClassVar[tuple[str, ...]] = ("mask",)
    is_step: ClassVar[bool] = False

    def init_buffers(self) -> State:
        return {"mask": None} if self.lazy else {}

    def draws(self, train: bool) -> bool:
        return self.p > 0 and (train or self.stochastic_inference)

    @property
    def starts_at_zero(self) -> bool:
        return not (self.lazy and self.p)

    def forward(self, params: Tree, buffers: State, input: Array, *, key: Array, train: bool) -> tuple[Array, Tree]:
        check_floating(self, input)
        if not self.traits.draws(train):
            return (input * self.kept if self.v1 and not train else input), buffers
        noise, shape = buffers.get("mask"), (1, *input.shape[1:]) if self.mono else input.shape
        if noise is not None and noise.shape != shape:
            raise expected(self, f"an input for the mask of shape {noise.shape}, which is kept until forget()", input)
        if noise is None:
            kept = draws.happens(key, self.kept, shape)
            noise = jnp.where(kept, jnp.asarray(1 if self.v1 else self.gain, input.dtype), 0)
        expose(noise=noise)
        return input * noise, {"mask": noise} if self.lazy else buffers

    @property
    def tunable(self) -> tuple[str, ...]:  # type: ignore[override]
        return ("p",) if self.p > 0 else ()

    def printed(self) -> str:
        if not SAYS_LAZY.get():
            return super().printed()
        return f"{self.type_name()}({self.p:.1f}, {'lazy' if self.lazy else 'busy'})"


class SpatialDropout(DropoutLayer):
    """y = x * noise, one 0 or 1 for each feature map in training; y = (1 - p) x in evaluation.

    Shape: (C, H, W) or (B, C, H, W), kept; in evaluation any.  With `stochastic_inference` evaluation drops too.
    Exposes: noise, (C, 1, 1) or (B, C, 1, 1).
    Raises: ValueError for p outside 0 to 1, for other ranks, and if the key is missing.
    Differs from Torch7: backward in evaluation passes the gradient (Torch7 raises an error).
    Source: nn/doc/simple.md#nn.SpatialDropout; Tompson et al., 2015.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.SpatialDropout(0.25), (8, 16, 12, 12), train=True)
    (8, 16, 12, 12)
    """

    exposes: ClassVar[tuple[str, ...]] = ("noise",)
    map_dims: ClassVar[int] = 2
    may_drop_all: ClassVar[bool] = True
    tunable: ClassVar[tuple[str, ...]] = ("p",)

    p: float = 0.5
    stochastic_inference: bool = False

    def draws(self, train: bool) -> bool:
        return train or self.stochastic_inference

    def forward(self, params: Tree, buffers: Tree, input: Array, *, key: Array, train: bool) -> tuple[Array, Tree]:
        if not self.draws(train):
            return input * self.kept, buffers
        dims = self.map_dims + 1
        if input.ndim not in (dims, dims + 1):
            raise expected(self, f"a {dims}D tensor, or a {dims + 1}D tensor for a batch", input)
        maps = input.shape[: -self.map_dims] + (1,) * self.map_dims
        noise = draws.happens(key, self.kept, maps).astype(input.dtype)
        expose(noise=noise)
        return input * noise, buffers


class VolumetricDropout(SpatialDropout):
    """y = x * noise, one 0 or 1 for each feature map in training; y = (1 - p) x in evaluation.

    Shape: (C, T, H, W) or (B, C, T, H, W), kept.  Else as SpatialDropout.
    Raises: ValueError for other ranks, and if the key is missing.
    Source: nn/doc/simple.md#nn.VolumetricDropout.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.VolumetricDropout(0.25), (8, 16, 5, 12, 12), train=True)
    (8, 16, 5, 12, 12)
    """

    map_dims: ClassVar[int] = 3


class TotalDropout(DropoutLayer):
    """y = x * noise, one 0 (with probability p) or 1 for the whole input, in training; y = x in evaluation.

    Shape: any, kept.
    Exposes: noise, of the last training call.
    Raises: ValueError unless 0 <= p < 1, and if the key is missing.
    Differs from Torch7: backward in evaluation passes the gradient (Torch7 raises an error).
    Source: dpnn, TotalDropout.lua.

    >>> import functorch7 as f7, jax, jax.numpy as jnp
    >>> y, _ = f7.TotalDropout(0.5).apply({}, {}, jnp.ones(3), key=jax.random.key(0), train=True)
    >>> len(set(y.tolist()))  # all or nothing
    1
    """

    exposes: ClassVar[tuple[str, ...]] = ("noise",)

    tunable: ClassVar[tuple[str, ...]] = ("p",)

    p: float = 0.5

    def forward(self, params: Tree, buffers: Tree, input: Array, *, key: Array, train: bool) -> tuple[Array, Tree]:
        check_floating(self, input)
        if not train:
            return input, buffers
        noise = draws.happens(key, self.kept).astype(input.dtype)
        expose(noise=noise)
        return input * noise, buffers


class WhiteNoise(Module):
    """y = x + noise from Normal(mean, std) in training, x + mean in evaluation.

    Shape: any, kept.
    Exposes: noise, of the last training call.
    Raises: ValueError for a negative std, and if the key is missing.
    Source: dpnn/README.md#nn.WhiteNoise.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.WhiteNoise(mean=0.5).apply({}, {}, jnp.array([1.0, 2.0]))[0].tolist()  # evaluation
    [1.5, 2.5]
    """

    exposes: ClassVar[tuple[str, ...]] = ("noise",)

    tunable: ClassVar[tuple[str, ...]] = ("mean", "std")

    mean: float = 0
    std: float = 0.1

    def __post_init__(self) -> None:
        if not self.std >= 0:
            raise ValueError(f"nn.WhiteNoise: expected std >= 0, got {self.std}")

    def draws(self, train: bool) -> bool:
        return train

    def forward(self, params: Tree, buffers: Tree, input: Array, *, key: Array, train: bool) -> tuple[Array, Tree]:
        if not train:
            return input + self.mean, buffers
        noise = self.mean + self.std * draws.normal(key, input.shape, input.dtype)
        expose(noise=noise)
        return input + noise, buffers

    def printed(self) -> str:
        return f"{self.type_name()} mean: {self.mean:f}, std: {self.std:f}"
