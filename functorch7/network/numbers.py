"""Numbers of descriptions that change between calls: they are taken out, and programs get them as arguments.

A class lists in `tunable` those of its fields that `forward` uses only as numbers: no shape and no branch depends on
them. A value computed from them before any array (1 - p, in Python's precision) is a `number` of the class. It becomes
a separate argument, so that results agree with those of a constant to the last digit.

Numbers that are not fields of modules, such as the settings of an optimisation rule, are separated from their tree by
`apart`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any

import jax

from ..core.module import Module
from ..core.types import Scalar, Value


class number:
    """A property that is a number, which follows from tunable fields."""

    def __init__(self, function: Callable[[Value], Scalar]):
        self._function, self.__doc__ = function, function.__doc__

    def __get__(self, module: object, owner: type | None = None) -> Value:
        # An entry of this name in the module's own dict is found first; this is how arguments replace it.
        return self if module is None else self._function(module)


@dataclass(frozen=True)
class Hole:
    """The place of a number in a description: its position among the numbers that were taken out."""

    position: int


def tuned(module: Module, before: Module) -> Module:
    """The description, which now knows which of its numbers differ, or differed, from those of an earlier one."""
    if type(module) is not type(before):
        return module
    changed = {name for name in module.tunable if _differ(getattr(module, name), getattr(before, name))}
    names = module.tuned | before.tuned | changed
    if names != module.tuned:
        module = module.replace()
        module._set(tuned=names)
    return module


def compared(module: Module) -> Module:
    """The description, which now knows which of its numbers differ among those that came before and are else like it.

    So networks that differ in such numbers, as in a search for the best ones, are one program from the second on.
    """
    names = module.tunable
    if not names or not all(_are_numbers(getattr(module, name)) for name in names) or _holds_modules(module):
        return module
    last = _last_alike(_changed(module, dict.fromkeys(names, Hole(0))))
    if last and last[0] == module and last[0].tuned >= module.tuned:
        return last[0]
    module = tuned(module, last[0]) if last else module
    last[:] = [module]
    return module


def _differ(one: Value, other: Value) -> bool:
    """Whether two values of a field differ; one that is traced differs from all others."""
    are_numbers = _are_numbers(one) and _are_numbers(other)
    return one is not other and not (are_numbers and one == other)


def _holds_modules(module: Any) -> bool:
    """Whether modules are in its fields, which may be users' own."""
    values = [getattr(module, field.name) for field in fields(module)]
    return any(hasattr(each, "tuned") for value in values for each in (value if isinstance(value, tuple) else (value,)))


@lru_cache(4096)
def _last_alike(_: Module) -> list[Module]:
    """A place for the last description that is this one but for its numbers."""
    return []


def numbers_of(module: Module) -> tuple[str, ...]:
    """The names of a module's numbers that are arguments: those that were changed, and those that follow from them."""
    known = {name for name in module.tuned if _are_numbers(getattr(module, name))}  # those traced now are not asked for
    own = tuple(name for name in module.tunable if name in known) if known else ()
    return own + _following(type(module)) if own else ()


def _are_numbers(value: Value) -> bool:
    """Whether a value is a number, or several."""
    return type(value) in (int, float) or (type(value) is tuple and bool(value) and all(map(_are_numbers, value)))


@lru_cache(4096)
def _following(kind: type) -> tuple[str, ...]:
    return tuple(sorted({n for base in kind.__mro__ for n, value in vars(base).items() if isinstance(value, number)}))


def bare(module: Module, first: int = 0) -> Module:
    """A description without its numbers, the first of which has this position; modules inside keep theirs."""
    holes = {name: Hole(first + i) for i, name in enumerate(numbers_of(module)) if name in module.tuned}
    if not holes:
        return module
    return _changed(module, {**holes, "printed": module.printed, "_traits": module.traits})


def differ_in_numbers_alone(one: Value, other: Value) -> bool:
    """Whether two descriptions make one program, with different arguments."""
    names = numbers_of(one)
    if not names or type(one) is not type(other) or numbers_of(other) != names:
        return False
    rest = [field.name for field in fields(one) if field.name not in names]
    return all(getattr(one, name) == getattr(other, name) for name in ("own_name", "_hooks", *rest))


def taken_out(module: Module) -> tuple[Module, list]:
    """A description without its numbers and those of all modules inside, and these numbers."""
    if "_bare" not in module.__dict__:
        numbers: list = []
        module._set(_bare=(_without(module, numbers), numbers))
    return module.__dict__["_bare"]


def but_for_numbers(module: Module) -> Module:
    """What descriptions that differ in numbers alone have in common, whether these are arguments or not."""
    made = _with_inside(module, but_for_numbers)
    return _changed(made, dict.fromkeys(module.tunable, Hole(0))) if module.tunable else made


def _without(module: Module, numbers: list) -> Value:
    made = bare(module, len(numbers))
    numbers.extend(getattr(module, name) for name in numbers_of(module))
    return _with_inside(made, lambda each: _without(each, numbers))


def put_in(module: Module, numbers: Sequence[Scalar]) -> Module:
    """The description with numbers, which may be traced, in place of those that were taken out."""
    made = _with_inside(module, lambda each: put_in(each, numbers))
    holes = [name for name, value in vars(made).items() if isinstance(value, Hole)]
    if not holes:
        return made
    first = min(vars(made)[name].position for name in holes)
    changes = {name: numbers[vars(made)[name].position] for name in holes}
    changes |= {name: numbers[first + len(holes) + i] for i, name in enumerate(_following(type(made)))}
    return _changed(made, {**changes, "_traits": made.traits})


def _with_inside(module: Any, change: Value) -> Value:
    """The description with the modules in its fields changed; the same object if none is."""
    changes: dict[str, Any] = {}
    for field in fields(module):
        value = getattr(module, field.name)
        if isinstance(value, tuple):
            new = tuple(change(each) if hasattr(each, "tuned") else each for each in value)
            if any(a is not b for a, b in zip(new, value, strict=True)):
                changes[field.name] = new
        elif hasattr(value, "tuned") and (changed := change(value)) is not value:
            changes[field.name] = changed
    return _changed(module, changes) if changes else module


def _changed(module: Module, changes: Value) -> Value:
    """A copy with other numbers, unchecked. The shapes of its parameters, which none changes, stay known."""
    shapes = vars(module).get("_initial_shapes")  # by traced numbers they could not be looked up
    return module._unchecked(changes if shapes is None else {**changes, "_initial_shapes": shapes})


def apart(tree: Value, known: tuple[int, ...] = (0,)) -> tuple[Value, list]:
    """(the part for which a program is compiled, hashable; its arguments) of a tree: numbers and arrays are arguments.

    Numbers in `known` are not arguments: products with 0 need not be computed.
    """
    leaves, structure = jax.tree.flatten(tree)
    given: list = []
    for i, leaf in enumerate(leaves):
        if hasattr(leaf, "dtype") or (type(leaf) in (int, float) and leaf not in known):
            leaves[i] = Hole(len(given))
            given.append(leaf)
    return (structure, tuple(leaves)), given


def together(known: Value, given: Value) -> Value:
    """The tree again, with values that may be traced in place of those taken out."""
    structure, leaves = known
    return structure.unflatten([given[leaf.position] if isinstance(leaf, Hole) else leaf for leaf in leaves])
