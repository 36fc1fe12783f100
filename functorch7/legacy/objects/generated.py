"""A stateful class for every description class: written by hand if it does more, otherwise generated."""

from functools import cache
from typing import Any, NamedTuple

from ... import core
from ...core.types import Value
from .signatures import Documentation

GENERATED = {"nn": "functorch7.legacy.nn", "cudnn": "functorch7.legacy.cudnn"}
"""The modules of generated classes, by Torch's package; nn's also has those of other packages."""

classes: dict[type[core.Module], type] = {}
"""The classes written by hand, by what they describe."""


class More(NamedTuple):
    """What a generated class has in addition: its own names, another base, a text."""

    members: dict[str, Any]
    base: type | None = None
    says: str | None = None


more: dict[type[core.Module], More] = {}
"""These additions, by the described class."""


@cache
def class_of(spec_class: type[core.Module]) -> type:
    """The stateful class of a description class; their bases correspond."""
    if spec_class in classes:
        return classes[spec_class]
    members, base, says = more.get(spec_class, More({}))
    base = base or class_of(next(each for each in spec_class.__mro__[1:] if each in classes or is_named(each)))
    module = GENERATED.get(spec_class.package, GENERATED["nn"])
    fields = {"spec_class": spec_class, "__doc__": Documentation(spec_class, says), "__module__": module}
    return type(spec_class.torch_name().rpartition(".")[2], (base,), fields | members)


def is_named(spec_class: type) -> bool:
    """Whether it is the class registered under its Torch name."""
    return issubclass(spec_class, core.Module) and core.registry.get(spec_class.torch_name()) is spec_class


def is_generated(kind: type) -> bool:
    """Whether a class was generated, not written by hand."""
    return kind.__module__ in GENERATED.values()


def object_of(spec: core.Module, given: list | None = None) -> Value:
    """A stateful object for a description, with fresh arrays; objects inside are taken from those given."""
    kind = class_of(type(spec))
    made: Any = kind.__new__(kind)  # type: ignore[call-overload]
    made._take(spec, [] if given is None else given)
    return made
