"""A stateful network as a pure function and its arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax.numpy as jnp

from .. import core
from .plan import Path, Slot
from .storage import dtype_of, precision
from .tensor import Tensor

if TYPE_CHECKING:
    from .module import Module


def functional(root: Module) -> tuple[core.Module, core.Variables]:
    """(module, variables) of a network; parameters that are views of the same elements become ties of `Shared`.

    Raises TypeError for modules whose updateOutput a user wrote: these have no description.
    """
    owners: dict[tuple, Path] = {}
    ties: list[tuple[Path, Path]] = []

    def parameter(tensor: Tensor, path: Path) -> Any:
        place = (id(tensor.storage_), tensor.offset, tensor.shape, tensor.strides_)
        if place in owners:
            ties.append((owners[place], path))
            return None
        owners[place] = path
        return jnp.array(tensor.array)

    def arrays(module: Module, path: Path) -> tuple[Any, Any]:
        if module.is_foreign():
            raise TypeError(f"{module.title()}: a module with its own updateOutput has no functional form")
        spec, names = module.own_description(), module.child_names()
        inner = [arrays(m, (*path, name)) for m, name in zip(module.children(), names, strict=True)]
        if isinstance(spec.children(), tuple):
            return [params for params, _ in inner], [buffers for _, buffers in inner]
        params = {name: parameter(module.__dict__[name], (*path, name)) for name in module.own_parameters()}
        values = {name: Slot(module, name).read() for name in spec.init_buffers()}
        buffers = {n: v if v is None or isinstance(v, core.Emitted) else jnp.array(v) for n, v in values.items()}
        for name, (p, b) in zip(names, inner, strict=True):
            params[name], buffers[name] = p, b
        return params, buffers

    with precision(dtype_of(root._type)):
        params, buffers = arrays(root, ())
    spec = root.description()
    if ties:
        return core.Shared(spec, tuple(ties)), core.Variables([params], [buffers])
    return spec, core.Variables(params, buffers)
