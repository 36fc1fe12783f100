"""Modules with weights of 8 bits, and the steps before: observed ranges, and training with rounded numbers."""

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
from jax import lax
from jax.typing import DTypeLike

from ..core import Module, Proxy, Variables, is_concrete, places
from ..core.module import Children
from ..core.tree import Name, Path, child_names, dotted, found_at, rebuilt, with_at
from ..core.types import Array, Key, Output, State, Tree, Value
from ..network import Shared
from .initializers import filled
from .linear import Linear
from .whole_numbers import fake_rounded, in_8_bits, input_scale_of, integer_product, multiplied, scale_for

SCALABLE = "weights that have scaled_axes, such as nn.Linear or nn.SeqLSTM"


def scaled(module: Module) -> Iterator[tuple[Path, dict[str, int]]]:
    """Where weights can have 8 bits: the paths of the modules with such weights, and by name the `scaled_axes`.

    Raises: TypeError for ties: the weights of `Shared` are not where they are used.
    """
    for path, each in places(module):
        if isinstance(each, Shared):
            raise TypeError(f"{module}: expected no ties inside what is quantised as a whole, got {each}")
        if each.traits.scaled_axes:
            yield path, each.traits.scaled_axes


def computing(module: Module) -> Module:
    """The module that computes: the one inside for a `Quantized` or `FakeQuantized`."""
    return module.module if isinstance(module, Rounding) else module


class Around(Proxy, abstract=True):
    """A module that runs in another way, whose inner modules are never called themselves."""

    scaled_axes: ClassVar[dict[str, int] | None] = None

    @property
    def uncalled(self) -> tuple[Name, ...]:  # type: ignore[override]
        return child_names(self)

    def printed(self) -> str:
        return f"{self.type_name()} @ {self.module}"

    # What only some modules have; an AttributeError says that the one inside has not -----------------------------

    @property
    def hidden(self) -> tuple[str, ...]:
        """As the module's: the transient buffers that change at every step."""
        return self.module.hidden  # type: ignore[attr-defined]

    @property
    def rho(self) -> int:
        """As the module's: how many steps the legacy interface keeps."""
        return self.module.rho  # type: ignore[attr-defined]

    @property
    def has_memory(self) -> Callable[[bool], bool]:
        """As the sequencer's: whether this mode starts from the state that the last call left."""
        return self.module.has_memory  # type: ignore[attr-defined]

    @property
    def remember(self) -> Callable[..., Module]:
        """As the sequencer's `remember(mode)`."""
        change = self.module.remember  # type: ignore[attr-defined]
        return lambda mode=None: self.replace(module=change(mode))


class Rounding(Around, abstract=True):
    """A module that computes with rounded weights: write `computed`."""

    ACTIVATIONS: ClassVar[tuple[str, ...]] = ("float", "dynamic", "static")

    activations: str = "float"

    def __post_init__(self) -> None:
        if not isinstance(self.module, Module) or not any(scaled(self.module)):
            if getattr(type(self.module), "scaled_axes", None) is not None:
                raise ValueError(f"{self.torch_name()}: {self.module} with these settings keeps its floats")
            raise TypeError(f"{self.torch_name()}: expected a module with {SCALABLE}, got {self.module!r}")
        kinds = self.ACTIVATIONS if isinstance(self.module, Linear) else self.ACTIVATIONS[:1]
        if self.activations not in kinds:
            raise ValueError(f"{self}: expected activations {' or '.join(kinds)}, got {self.activations!r}")

    def computed(
        self, way: Callable, params: Tree, buffers: Tree, input: Value, **options: Value
    ) -> tuple[Output, Array]:
        """The output and the new buffers; `way(module, params, buffers, input, ...)` runs the module inside."""
        raise NotImplementedError

    def forward(self, params: Tree, buffers: Tree, input: Array, *, key: Key, train: bool) -> tuple[Array, Tree]:
        return self.computed(type(self.module).forward, params, buffers, input, key=key, train=train)


def _scale_name(name: str) -> str:
    return f"{name}_scale"


def _without(arrays: dict, names: Any) -> dict:
    return {name: value for name, value in arrays.items() if name not in names}


def _dtype_of(params: Tree) -> DTypeLike | None:
    """The type of the arrays that were left as they are, such as biases; None if there are none."""
    return next((leaf.dtype for leaf in jax.tree.leaves(params)), None)


class Quantized(Rounding):
    """q = round(weight / scale): a layer whose weights are these int8 numbers, with a scale for each output.

    These are the weights, of the layer and of the modules inside it, that their classes name in `scaled_axes`; biases,
    peepholes and all other arrays are unchanged. activations "float": the layer computes with int8 * scale,
    multiplied once a call, or once for a whole sequence; inputs, and the state of recurrent layers, are not rounded.
    Only for Linear, "dynamic" also rounds the input, by the largest value of each example, and "static" by an observed
    range: products of int8, summed in int32. It computes in the type of its parameters, or in that of the scales if it
    has none.
    Shape: that of the layer.
    Parameters: the layer's without these weights. Buffers: the layer's; under the name of each of these weights its
    int8 numbers, shaped as it; weight_scale (for weightO weightO_scale), for each output largest |weight| / 127; with
    "static" input_scale ().
    Raises: TypeError for a layer without such weights; ValueError for a LookupTable with max_norm and for other
    activations; the layer's errors.
    Source: BigDL, AbstractModule.quantize; Jacob et al., Quantization and Training of Neural Networks, 2018.

    >>> import functorch7 as f7, jax
    >>> layer = f7.Quantized(f7.SeqGRU(3, 4))
    >>> params, buffers = layer.init(jax.random.key(0))
    >>> list(params), buffers["weight"].dtype, buffers["weight_scale"].shape
    (['bias'], dtype('int8'), (1, 12))
    """

    @property
    def parameter_order(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(name for name in self.module.parameter_order if name not in self._own_axes)

    @property
    def _own_axes(self) -> dict[str, int]:
        return self.module.traits.scaled_axes or {}

    def children(self) -> Children:
        def of(child: Module) -> Module:
            return Quantized(child) if any(scaled(child)) else child

        return rebuilt(self.module, of)

    def init(self, key: Array, stdv: float | None = None) -> Variables:
        params, buffers = self.module.init(key, stdv)
        if self.activations == "static":
            buffers = {**buffers, "input_scale": filled((), 1)}
        return self.rounding(params, buffers)

    def init_params(self, key: Array, stdv: float | None = None) -> dict[str, Array]:
        return _without(super().init_params(key, stdv), self._own_axes)

    def init_buffers(self) -> State:
        shapes, made = jax.eval_shape(self.module.init_params, jax.random.key(0)), self.module.init_buffers()
        for name, axis in self._own_axes.items():
            shape = shapes[name].shape
            sizes = tuple(size if each == axis else 1 for each, size in enumerate(shape))
            made = {**made, name: jnp.zeros(shape, jnp.int8), _scale_name(name): filled(sizes, 1)}
        return {**made, "input_scale": filled((), 1)} if self.activations == "static" else made

    def rounding(self, params: Tree, buffers: Tree) -> Variables:
        """The variables for the module's own variables; with "static", the buffers have input_scale already.

        Raises: ValueError for weights that are not finite.
        """
        for path, axes in scaled(self.module):
            own, made = found_at(params, path), found_at(buffers, path)
            for name, axis in axes.items():
                whole, scale = in_8_bits(own[name], axis)
                if is_concrete(scale) and not jnp.isfinite(scale).all():
                    raise ValueError(f"{self}: expected a finite {dotted((*path, name))}, got nan or infinity in it")
                made = {**made, name: whole, _scale_name(name): scale}
            params, buffers = with_at(params, path, _without(own, axes)), with_at(buffers, path, made)
        return Variables(params, buffers)

    def multiplied_out(self, params: Tree, buffers: Tree) -> Variables:
        """The opposite: params and buffers of the module itself, with the weights that the int8 numbers represent."""
        own = _dtype_of(params)
        for path, axes in scaled(self.module):
            held = found_at(buffers, path)
            weights = {name: multiplied(held[name], held[_scale_name(name)], own) for name in axes}
            params = with_at(params, path, {**found_at(params, path), **weights})
            buffers = with_at(buffers, path, _without(held, [*axes, *map(_scale_name, axes)]))
        return Variables(params, buffers)

    def computed(
        self, way: Callable, params: Tree, buffers: Tree, input: Array, **options: Value
    ) -> tuple[Array, Tree]:
        if isinstance(self.module, Linear) and self.activations != "float":
            weight, scale = buffers["weight"], buffers["weight_scale"]
            input = self.module.checked_input(input, scale)
            by = input_scale_of(input) if self.activations == "dynamic" else buffers["input_scale"]
            product = integer_product(input, by, weight, scale)
            return self.module.with_bias(params, product.astype(_dtype_of(params) or product.dtype)), buffers
        output, new = way(self.module, *self.multiplied_out(params, buffers), input, **options)
        for path, _ in scaled(self.module):
            new = with_at(new, path, {**found_at(buffers, path), **found_at(new, path)})
        return output, new


class FakeQuantized(Rounding):
    """w' = scale round(w / scale): a layer that computes with rounded numbers, and learns as if they were exact:
    quantisation-aware training.

    The weights are rounded as in Quantized, and with activations "dynamic" (for Linear) the input, too; the gradient
    goes straight through the rounding to the weights, which stay float.
    Shape: that of the layer.
    Parameters and buffers: the layer's.
    Raises: as Quantized.
    Source: Jacob et al., Quantization and Training of Neural Networks, 2018.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> layer = f7.FakeQuantized(f7.Linear(2, 1, bias=False))
    >>> params = {"weight": jnp.array([[127.0, 1.4]])}  # in steps of 127 / 127
    >>> layer.apply(params, layer.init_buffers(), jnp.array([0.0, 1.0]))[0].tolist()
    [1.0]
    """

    row_parameters: ClassVar[tuple[str, ...]] = ()  # weights are rounded as wholes

    def quantized(self) -> Quantized:
        """The layer that this one is trained to become."""
        return Quantized(self.module, self.activations)

    def computed(
        self, way: Callable, params: Tree, buffers: Tree, input: Array, **options: Value
    ) -> tuple[Array, Array]:
        if isinstance(self.module, Linear) and self.activations != "float":
            input = self.module.checked_input(input, params["weight"])
            input = fake_rounded(input, input_scale_of(input))
        for path, axes in scaled(self.module):
            own = found_at(params, path)
            scales = {name: lax.stop_gradient(scale_for(jnp.asarray(own[name]), axes[name])) for name in axes}
            weights = {name: fake_rounded(jnp.asarray(own[name]), scale) for name, scale in scales.items()}
            params = with_at(params, path, {**own, **weights})
        return way(self.module, params, buffers, input, **options)


class Observed(Around):
    """input_range' = max(input_range, max |x|): a Linear that notes the largest |input| so far, for static
    quantisation.

    Shape: that of the layer.
    Parameters: the layer's. Buffers: input_range (), at first -1.
    Raises: TypeError for other layers than Linear; the layer's errors.
    Source: torch.ao.quantization, MinMaxObserver.

    >>> import functorch7 as f7
    >>> f7.Observed(f7.Linear(2, 1)).init_buffers()["input_range"].item()
    -1.0
    """

    def __post_init__(self) -> None:
        if not isinstance(self.module, Linear):
            raise TypeError(f"{self.torch_name()}: expected nn.Linear, got {self.module!r}")

    def init_buffers(self) -> State:
        return {"input_range": filled((), -1)}

    def forward(self, params: Tree, buffers: Tree, input: Array, *, key: Key, train: bool) -> tuple[Array, Tree]:
        output, _ = self.module.forward(params, {}, input, key=key, train=train)
        before = jnp.asarray(buffers["input_range"])
        largest = lax.stop_gradient(jnp.abs(input).max(initial=0).astype(before.dtype))
        return output, {"input_range": jnp.maximum(before, largest)}
