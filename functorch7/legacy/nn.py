"""The namespace `nn`: a stateful class for every module and criterion that is described, under Torch's name."""

from __future__ import annotations

from functools import cache
from typing import Any

from .. import core, losses, reinforce
from .container import Container as Container
from .criterion import ClassNLLCriterion, Criterion, CrossEntropyCriterion, VRClassReward
from .module import Module as Module
from .trainer import StochasticGradient as StochasticGradient

_written: dict[type, type] = {
    core.Module: Module,
    core.Container: Container,
    losses.base.Criterion: Criterion,
    losses.ClassNLLCriterion: ClassNLLCriterion,
    losses.CrossEntropyCriterion: CrossEntropyCriterion,
    reinforce.VRClassReward: VRClassReward,
}
"""The classes that do more than forward and backward; all others are generated."""

for _spec_class, _class in _written.items():
    if _spec_class not in (core.Module, losses.base.Criterion):
        _class.spec_class = _spec_class  # type: ignore[attr-defined]
    _class.__module__ = __name__


@cache
def class_of(spec_class: type[core.Module]) -> type:
    """The stateful class of a description class; the bases correspond."""
    if spec_class in _written:
        return _written[spec_class]
    parent = next(base for base in spec_class.__mro__[1:] if base in _written or _named(base))
    fields = {"spec_class": spec_class, "__doc__": spec_class.__doc__, "__module__": __name__}
    return type(spec_class.__name__, (class_of(parent),), fields)


def _named(spec_class: type) -> bool:
    return issubclass(spec_class, core.Module) and core.registry.get(spec_class.torch_name()) is spec_class


def object_of(spec: core.Module) -> Any:
    """A stateful object for a description, with fresh arrays."""
    kind = class_of(type(spec))
    made: Any = object.__new__(kind)
    inner = spec.children()
    made._take(spec, [object_of(child) for child in inner] if isinstance(inner, tuple) else [])
    return made


def __getattr__(name: str) -> Any:
    spec_class = core.registry.get(f"nn.{name}")
    if spec_class is None:
        raise AttributeError(f"nn has no module {name!r}")
    return class_of(spec_class)


def __dir__() -> list[str]:
    names = [name.removeprefix("nn.") for name in core.registry if name.startswith("nn.")]
    return sorted([*names, "Module", "Container", "Criterion", "StochasticGradient", "utils"])
