"""What every description can: it is compared by value, copied with changes, and named."""

from dataclasses import fields
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Self

from ..checks.declared import as_declared, number_type
from ..checks.fields import check_fields
from .display import tree_of
from .elsewhere import found_elsewhere
from .tree import Children, named_children
from .types import Value

DERIVED = ("_hash", "_initial_shapes", "_traits", "_bare", "_fitting")
"""What a description keeps that follows from its fields: no part of its value."""


class Description:
    """A frozen object with dataclass fields, hashable and equal by value."""

    package: ClassVar[str]
    own_name: ClassVar[str | None] = None
    """The name that `named` gave to this one module."""
    own_type: ClassVar[str | None] = None
    """The name of the class that a program of `legacy` has derived from this one's, if its object is of such."""
    own_dtype: ClassVar[str | None] = None
    """The type in which it gives whole numbers: that of its object in `legacy`, if that copies them as Torch does."""
    own_text: ClassVar[str | None] = None
    """What is printed for it in place of `printed()`."""
    made_first: ClassVar[tuple[Any, ...]] = ()
    """Modules inside, at any depth, in the order in which Torch makes them, where that is not their order here; or
    those with which it computes what is one formula here, whose initial values it draws, too.
    """
    made_by_copying: ClassVar[tuple[tuple[Any, Any], ...]] = ()
    """Modules inside, at any depth, each before another that Torch makes as its copy, which it resets."""
    _hooks: ClassVar[tuple[Any, ...]] = ()
    """What is attached to it (`hooks.py`)."""

    def children(self) -> Children:
        """The modules inside."""
        raise NotImplementedError

    def printed(self) -> str:
        """The text that `print` shows: Torch's."""
        return self.type_name()

    def type_name(self) -> str:
        """The name of the object's class, as `torch.type` gives it and Torch prints it."""
        return self.own_type or self.torch_name()

    @classmethod
    def torch_name(cls) -> str:
        """The name under which Torch knows the class, such as "nn.Linear"."""
        return f"{cls.package}.{cls.__name__}"

    def child_modules(self) -> tuple[Any, ...]:
        """The modules inside, in order."""
        return tuple(child for _, child in named_children(self))

    def replace(self, **changes: Any) -> Self:
        """A copy with some fields changed, checked as at construction."""
        unknown = set(changes) - {field.name for field in fields(self)}  # type: ignore[arg-type]
        if unknown:
            raise TypeError(f"{self.torch_name()}: no such field: {', '.join(sorted(unknown))}")
        copy = self._unchecked(changes)
        copy._check_fields()
        return copy

    def _unchecked(self, entries: dict[str, Value]) -> Self:
        """A copy with other entries, which nobody has checked."""
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__getstate__() | entries)
        return copy

    def named(self, name: str | None) -> Self:
        """A copy with a name (None: without), by which `find`, `labels` and `freeze` know it; it prints as before.

        Raises: TypeError for an empty text and anything but a text.

        >>> import functorch7 as f7
        >>> network = f7.Sequential(f7.Linear(3, 2).named("first"), f7.Tanh())
        >>> f7.find(network, "first"), f7.find(network, "second")
        ((0,), None)
        """
        if name is not None and (not isinstance(name, str) or not name):
            raise TypeError(f"{self.torch_name()}: expected a name, got {name!r}")
        copy = self.replace()
        copy._set(own_name=name)
        return copy

    def __post_init__(self) -> None:
        """Checks the fields; subclasses extend it."""
        self._set_declared()

    def _check_fields(self) -> None:
        """Checks the fields of one that was made without its constructor."""
        self.__post_init__()
        check_fields(self)

    def _set(self, **values: Any) -> None:
        """Sets fields during construction (the dataclass is frozen after it)."""
        declared = _number_types(type(self))
        for name, value in values.items():
            object.__setattr__(self, name, as_declared(value, declared.get(name)))

    def _set_declared(self) -> None:
        """Makes the numbers among the fields what their class says that they are."""
        declared = _number_types(type(self))
        for name, value in [*vars(self).items()]:
            if (number := as_declared(value, declared.get(name))) is not value:
                object.__setattr__(self, name, number)

    def _values(self) -> tuple:
        own = (value for _, value in self._named_values())
        return (self.own_name, self.own_type, self.own_dtype, self.own_text, self._hooks, *own)

    def _named_values(self) -> list[tuple[str, Any]]:
        return [(field.name, getattr(self, field.name)) for field in fields(self)]  # type: ignore[arg-type]

    def _hashed(self) -> int:
        """Raises TypeError, which names the field, for one that is not compared by value."""
        try:
            return hash((type(self), self._values()))
        except TypeError:
            name, value = next((each for each in self._named_values() if not _is_hashable(each[1])), ("", None))
            if not name:
                raise
            raise TypeError(
                f"{self.torch_name()}: its field {name!r} is a {type(value).__name__}, which is not compared by value; "
                "use a tuple for a list, and Const(array), whose `value` is the array, for an array"
            ) from None

    def __hash__(self) -> int:
        try:
            return self.__dict__["_hash"]
        except KeyError:
            self._set(_hash=self._hashed())
            return self.__dict__["_hash"]

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Description) or type(self) is not type(other):
            return False
        return hash(self) == hash(other) and self._values() == other._values()

    if not TYPE_CHECKING:  # for which whatever is not declared is an error

        def __getattr__(self, name: str) -> Any:
            return found_elsewhere(self, name)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in DERIVED}

    def __deepcopy__(self, memo: dict) -> Self:
        """Itself: nothing of it ever changes, and what has been derived from it stays known."""
        return self

    def __repr__(self) -> str:
        return self.own_text or self.printed()

    def _repr_html_(self) -> str:
        return tree_of(self)


@cache
def _number_types(kind: type) -> dict[str, type]:
    """Those of a class's fields that are numbers."""
    return {each.name: number for each in fields(kind) if (number := number_type(each.type))}


def _is_hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True
