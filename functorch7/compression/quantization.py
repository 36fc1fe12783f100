"""Networks with weights of 8 bits: converted after training, after observing inputs, or trained with rounding."""

from collections.abc import Callable, Collection
from dataclasses import fields
from typing import Any

import jax.numpy as jnp

from ..core import Module, Variables, is_concrete
from ..core.hooks import attached
from ..core.tree import dotted, join, split, with_at
from ..core.types import Params, Tree
from ..layers import FakeQuantized, Linear, Observed, Quantized
from ..layers.quantized import SCALABLE, scaled
from ..layers.whole_numbers import scale_to
from ..network import Shared, check_called, check_variables, leaves_by_name, structure_of

Change = Callable[[Module], Module | None]


def quantize(
    module: Module,
    params: Params,
    buffers: Tree,
    *,
    dynamic: bool = False,
    layers: Collection[type[Module]] | None = None,
) -> tuple[Module, Variables]:
    """(module, (params, buffers)) with int8 weights, a quarter of the bytes: `Quantized` in place of layers.

    These are the modules that declare which axis of a weight counts outputs (`Module.scaled_axes`): Linear, LookupTable
    without max_norm, the temporal, spatial and volumetric convolutions, the LSTMs, GRUs and other cells and layers of
    sequences, and a user's own; or only those of the classes in `layers`, and of classes derived from them. The int8
    arrays and their scales are buffers, so that the remaining params can be trained further. With `dynamic`, Linear
    also rounds its inputs, and multiplies whole numbers; recurrent layers never do. Layers that were `observed` or
    `fake_quantized` are converted accordingly. The ties of `Shared` are kept if neither side is converted.
    Raises: TypeError for `layers` without `scaled_axes`; ValueError for observed layers that have seen no input, or one
    that is not finite, for weights that are not finite, for arrays that do not fit the module, and for hooks at modules
    inside of those that are converted as a whole, which would never run.

    >>> import functorch7 as f7, jax
    >>> module = f7.Sequential(f7.Linear(4, 3), f7.Tanh())
    >>> small, (params, buffers) = f7.quantize(module, *module.init(jax.random.key(0)))
    >>> small.modules[0], buffers[0]["weight"].dtype
    (nn.Quantized @ nn.Linear(4 -> 3), dtype('int8'))
    """
    rounds = _rounding(Quantized, "quantize", dynamic, layers)
    check_variables("quantize", module, params, buffers)

    def change(layer: Module) -> Module | None:
        if isinstance(layer, FakeQuantized):
            return layer.quantized()
        return Quantized(layer.module, "static") if isinstance(layer, Observed) else rounds(layer)

    made = _converted(module, change)
    return made, Variables(*_rounded(module, made, params, buffers))


def fake_quantized(
    module: Module, *, dynamic: bool = False, layers: Collection[type[Module]] | None = None
) -> Module:  # fmt: skip
    """The network that computes as after `quantize`, and learns by straight-through gradients; its arrays are the same.

    Train it, then convert it by `quantize`. Raises: TypeError as `quantize`.

    >>> import functorch7 as f7
    >>> f7.fake_quantized(f7.Sequential(f7.Linear(4, 3), f7.Tanh()))[0]
    nn.FakeQuantized @ nn.Linear(4 -> 3)
    """
    return _converted(module, _rounding(FakeQuantized, "fake_quantized", dynamic, layers))


def observed(module: Module, buffers: Tree) -> tuple[Module, Tree]:
    """(module, buffers) in which Linear layers note the range of their inputs, for static quantisation.

    Run it on typical batches, passing the buffers on, then convert it by `quantize`.

    >>> import functorch7 as f7
    >>> module, buffers = f7.observed(f7.Linear(4, 3), {})
    >>> module, sorted(buffers)
    (nn.Observed @ nn.Linear(4 -> 3), ['input_range'])
    """

    def change(layer: Module) -> Module | None:
        if isinstance(layer, Linear):
            return Observed(layer)
        return None if layer.traits.scaled_axes is None else layer  # a cell, which is converted as a whole

    made = _converted(module, change)
    return made, _noting(module, made, buffers)


def _rounding(
    wrapper: type[Quantized] | type[FakeQuantized], who: str, dynamic: bool, layers: Collection[type[Module]] | None
) -> Change:  # fmt: skip
    """The change that wraps the modules to be converted, and keeps others that could be converted unchanged."""
    if not isinstance(layers, Collection | None):
        raise TypeError(f"{who}: expected a list of classes, such as [nn.Linear], got {layers!r}")
    unknown = [each for each in layers or () if not _says_axes(each)]
    if unknown:
        raise TypeError(f"{who}: expected classes with {SCALABLE}, got {', '.join(map(repr, unknown))}")
    classes = (Module,) if layers is None else tuple(layers)

    def change(layer: Module) -> Module | None:
        if layer.traits.scaled_axes is None:
            return None
        if not isinstance(layer, classes) or not any(scaled(layer)):
            return layer
        return wrapper(layer, "dynamic" if dynamic and isinstance(layer, Linear) else "float")

    return change


def _says_axes(given: object) -> bool:
    return isinstance(given, type) and getattr(given, "scaled_axes", None) is not None


def _converted(module: Module, change: Change) -> Module:
    """The description with other layers in place of those for which `change` returns a module."""
    made = change(module)
    if made is not None:
        return check_called(attached(made.named(module.own_name), module._hooks))
    others = {child: _converted(child, change) for child in module.child_modules()}
    if all(child == other for child, other in others.items()):
        return module

    def replaced(value: Any) -> Any:
        if type(value) is tuple:
            return tuple(map(replaced, value))
        return others.get(value, value) if isinstance(value, Module) else value

    made = module.replace(**{f.name: replaced(getattr(module, f.name)) for f in fields(module)})  # type: ignore[arg-type]
    if made.child_modules() != tuple(others[child] for child in module.child_modules()):
        return module  # it makes them itself
    return check_called(made.replace(ties=_ties_left(made)) if isinstance(made, Shared) else made)


def _ties_left(shared: Shared) -> tuple:
    """The ties of which both ends are still parameters."""
    there = leaves_by_name(structure_of(shared.module).params)
    return tuple(tie for tie in shared.ties if all(dotted(end) in there for end in tie))


def _rounded(old: Module, new: Module, params: Tree, buffers: Tree) -> tuple[Any, Any]:
    """The variables of the converted network."""
    if new == old:
        return params, buffers
    if isinstance(new, Quantized):
        return new.rounding(params, _with_scale(old, buffers))
    if isinstance(old, Shared) and isinstance(new, Shared):
        inner, given = old.filled(params, buffers)
        (inner,), after = _below(old, new, [inner], [given])
        for _, alias in new.ties:
            inner = with_at(inner, alias, None)
        return [inner], after
    return _below(old, new, params, buffers)


def _below(old: Module, new: Module, params: Tree, buffers: Tree) -> tuple[Any, Any]:
    (own, below), (own_buffers, buffers_below) = split(old, params), split(old, buffers)
    inner = zip(old.child_modules(), new.child_modules(), below, buffers_below, strict=True)
    made = [_rounded(*each) for each in inner]
    return join(new, own, [p for p, _ in made]), join(new, own_buffers, [b for _, b in made])


def _with_scale(old: Module, buffers: Tree) -> Any:
    """The buffers with the scale of what was observed."""
    if not isinstance(old, Observed):
        return buffers
    largest = jnp.asarray(buffers["input_range"])
    if is_concrete(largest) and largest < 0:
        raise ValueError(f"quantize: {old}: has seen no input; run the network on some batches first")
    if is_concrete(largest) and not jnp.isfinite(largest):
        raise ValueError(f"quantize: {old}: has seen an input with nan or infinity in it")
    return {"input_scale": scale_to(largest)}


def _noting(old: Module, new: Module, buffers: Tree) -> Any:
    """The buffers with a range for each layer that is observed now."""
    if new == old:
        return buffers
    if isinstance(new, Observed):
        return new.init_buffers()
    own, below = split(old, buffers)
    inner = zip(old.child_modules(), new.child_modules(), below, strict=True)
    return join(new, own, [_noting(*each) for each in inner])
