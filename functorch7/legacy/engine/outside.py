"""What a user's `forward` reads beside its arguments and its object's attributes.

These are variables of its module and of functions around it, constants of its class, and the fields of objects that
hold settings. A program that is traced has their values as constants; so they are looked at before each call, as
attributes are. Which ones they are is read off the code of `forward`, and of the users' functions and methods that it
names.
"""

from __future__ import annotations

import dis
import pickle
import random
import sysconfig
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import BuiltinMethodType, CellType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple, NoReturn
from weakref import WeakKeyDictionary

import jax
import numpy as np

from ...core.contexts import during
from ...core.types import Value
from ...interop.torch7.schema import grad_name
from ..tensors.random import drawing_is_refused
from ..tensors.tensor import Tensor
from .code_names import ASKING, cells_of, codes_of, functions_of, names_of
from .forms import Static, frozen, holds_traced, not_learned
from .objects import Attributed, Object, has_attributes, is_object
from .registered import Titled
from .user_code import OURS, users

LIBRARIES = tuple(sysconfig.get_paths()[name] for name in ("stdlib", "purelib", "platlib"))
"""Where code lies that is no user's, beside this package's."""

LASTING = (bool, int, float, str, bytes, type(None), jax.Array)
GENERATORS = (random.Random, np.random.Generator, np.random.RandomState)


class Run:
    """A run of a user's `forward`, whose code sees tensors without values, and stand-ins for its modules."""

    who: str

    def call_made(self, module: Object, args: tuple, kwargs: dict[str, Value]) -> Value:
        """The output of a module that is none of these, but made of some, or without arrays."""
        raise NotImplementedError

    def refuse(self, module: Titled) -> NoReturn:
        """Raises TypeError: what is in a module that is not registered would be a constant."""
        raise TypeError(
            f"{self.who} calls {module.title()}, which is none of its modules: what is in it would be a constant; "
            "assign it to an attribute, as in self.layer = layer"
        )


_running: ContextVar[Run | None] = ContextVar("running", default=None)


def running(run: Run | None) -> AbstractContextManager[object]:
    """Around a run of a user's `forward`; None around what it calls."""
    return during(_running, run)


def current_run() -> Run | None:
    """The run of a user's `forward` whose code it is that calls."""
    return _running.get()


class Variable(NamedTuple):
    """A place outside of the code: a name in a mapping, or a cell."""

    space: Mapping | CellType
    name: str

    def value(self) -> Value:
        """What is there now; None where nothing is."""
        if isinstance(self.space, CellType):
            try:
                return self.space.cell_contents
            except ValueError:
                return None
        return self.space.get(self.name)


def _settings(value: Any, names: frozenset[str]) -> Static:
    """What counts of a variable; of a module or criterion how it is set, and those of its tensors that are named."""
    if not is_object(value):
        return frozen(value, names)
    members = value._members()
    tensors = [(n, _constant(each, n, t)) for each in members for n, t in each._tensors().items() if n in names]
    how = [(each.own_attributes() if has_attributes(each) else each._spec, each.in_training) for each in members]
    return Static(type(value), (value, *how, *tensors))


def _constant(module: Object, name: str, tensor: Tensor) -> Static:
    """A tensor of a module outside. Raises TypeError for a parameter that is learned."""
    learned = name in module.own_parameters() and module.__dict__.get(grad_name(name)) is not None
    if learned and getattr(tensor, "requires_grad", True):
        raise not_learned(f"the {name} of {module.title()}", tensor)
    return frozen(tensor)


Noted = tuple[tuple[str, Static], ...]
"""Variables by name, as parts of a program's key."""


def _is_same(then: object, now: object) -> bool:
    """Whether a variable holds the very thing that it held, which cannot have changed."""
    return now is then and isinstance(now, LASTING)


class Attributes:
    """What the attributes of a module are, for a program's key."""

    def __init__(self, module: Attributed):
        self._module, self._values, self._frozen = module, module.attribute_values(), module.own_attributes()

    def stand(self) -> bool:
        """Whether they are so still: the very things that they were, where these cannot have changed."""
        values = self._module.attribute_values()
        if len(values) == len(self._values) and all(map(_is_same, self._values, values)):
            return True
        if self._module.own_attributes() != self._frozen:
            return False
        self._values = values
        return True


@dataclass
class Code:
    """What the code of a class reads outside."""

    variables: tuple[Variable, ...]
    names: frozenset[str]  # of attributes, of whatever object
    functions: tuple[tuple[Variable, Any], ...]  # what was read
    generators: tuple[Any, ...]  # Python's and NumPy's, of random numbers
    written: dict[int, Static] = field(default_factory=dict)  # of variables that `forward` changes itself
    last: tuple[list, Noted] | None = None  # the values of the variables, and what they were noted as

    def stands(self) -> bool:
        """Whether the functions are those that were read."""
        return all(variable.value() is then for variable, then in self.functions)

    def noted(self) -> Noted:
        """The variables as they are, for a program's key; where code writes, what was there when it was read."""
        values = [variable.value() for variable in self.variables]
        last, noted = self.last or ([], ())
        if self.last is None or not all(map(_is_same, last, values)):
            noted = tuple(self._noted(i, *pair) for i, pair in enumerate(zip(self.variables, values, strict=True)))
            self.last = values, noted = values, (*noted, *((v.name, frozen(each)) for v, each in self.functions))
        return noted

    def _noted(self, number: int, variable: Variable, value: Value) -> tuple[str, Static]:
        try:
            return variable.name, self.written.get(number) or _settings(value, self.names)
        except TypeError as error:
            error.add_note(f"It is in {variable.name!r}, which a forward or a hook reads.")
            raise

    @contextmanager
    def watched(self, who: str, attributes: tuple[tuple[str, Static], ...], is_hook: bool = False) -> Iterator[None]:
        """Around a run of `who` has the code, with these attributes: in a program it runs once, and not at every call.

        Raises TypeError where numbers were drawn, or tensors put into variables, but by hooks, which have seen values,
        too. Other variables that it writes to, such as logs, do not count from then on.
        """
        generators = [*self.generators, *(value for _, (_, value) in attributes if isinstance(value, GENERATORS))]
        before, states = self.noted(), [pickle.dumps(generator) for generator in generators]
        yield
        if any(pickle.dumps(generator) != state for generator, state in zip(generators, states, strict=True)):
            raise drawing_is_refused(who)
        for i, (variable, then, now) in enumerate(zip(self.variables, before, self.noted(), strict=False)):
            if then == now:
                continue
            if holds_traced(variable.value()) and not is_hook:
                raise TypeError(
                    f"{who} puts a tensor into {then[0]!r}, which would happen only when it is traced, and without "
                    "values; return it, or look at it by a hook"
                )
            self.written[i], self.last = then[1], None


_codes: WeakKeyDictionary[type | FunctionType, Code] = WeakKeyDictionary()


def code_of(written: type | FunctionType) -> Code:
    """What the `forward` of a user's class reads outside, or a function."""
    code = _codes.get(written)
    if code is None or not code.stands():
        code = _codes[written] = _Reader(written).code()
    return code


def names_in(kinds: Iterable[type]) -> frozenset[str]:
    """The names of attributes of other objects that the code of users' classes reads."""
    return frozenset().union(*(code_of(kind).names for kind in {*kinds}))


def code_of_hook(hook: Callable) -> Code:
    """What a hook reads outside; nothing that is known, where it is no function or method."""
    written = functions_of(hook)
    return code_of(written[0]) if written else Code((), frozenset(), (), ())


def noted_of(members: Iterable[Object], hooks: Iterable[Callable]) -> list[tuple[Code, Noted]]:
    """What code in PyTorch's style, of objects' classes and of hooks, reads outside, as it is."""
    kinds = {type(member) for member in members if hasattr(type(member), "described_by")}
    codes = [*map(code_of, kinds), *map(code_of_hook, hooks)]
    return [(code, code.noted()) for code in codes]


class _Reader:
    def __init__(self, written: type | FunctionType):
        self.bases = list(users(written)) if isinstance(written, type) else []
        self.variables: dict[tuple[int, str], Variable] = {}
        self.functions: list[tuple[Variable, Any]] = []
        self.generators: list[Any] = []
        self.names: set[str] = set()
        self.attributes: set[str] = set()
        self._waiting = [] if isinstance(written, type) else [written]
        self._seen = set(map(id, self._waiting))

    def code(self) -> Code:
        self._attribute("forward")
        while self._waiting:
            self._read(self._waiting.pop())
        return Code(
            tuple(self.variables.values()), frozenset(self.names), tuple(self.functions), tuple(self.generators)
        )

    def _read(self, function: FunctionType) -> None:
        cells = cells_of(function)
        self.names |= names_of(function)
        for code in codes_of(function.__code__):
            instructions = list(dis.get_instructions(code))
            for place, each in enumerate(instructions):
                if each.opname == "LOAD_GLOBAL" and each.argval in function.__globals__:
                    self._variable(Variable(function.__globals__, each.argval), instructions[place + 1 :])
                elif each.opname.endswith("_DEREF") and each.argval in cells and each.argval != "__class__":
                    self._variable(Variable(cells[each.argval], each.argval), instructions[place + 1 :])
                elif each.opname in ASKING:
                    self._attribute(each.argval)

    def _attribute(self, name: str) -> None:
        """What the user's classes have under a name."""
        self.attributes.add(name)
        for base in self.bases:
            if name in vars(base):
                self._found(Variable(vars(base), name))

    def _variable(self, variable: Variable, following: list) -> None:
        """A variable, or what is taken out of the module that it is."""
        value, of_users = variable.value(), True
        for each in following:
            if not isinstance(value, ModuleType) or each.opname not in ("LOAD_ATTR", "LOAD_METHOD"):
                break
            of_users = _is_users(value.__name__, getattr(value, "__file__", None))
            variable = Variable(vars(value), each.argval)
            value = variable.value()
        generator = value.__self__ if isinstance(value, (BuiltinMethodType, MethodType)) else value
        if isinstance(generator, GENERATORS):
            self.generators.append(generator)
        elif of_users:
            self._found(variable)

    def _found(self, variable: Variable) -> None:
        value = variable.value()
        functions = functions_of(value)
        if functions:
            self.functions.append((variable, value))
        elif not isinstance(value, (BuiltinMethodType, ModuleType)):
            self.variables[id(variable.space), variable.name] = variable
            self._module(value if isinstance(value, type) else type(value))
        theirs = [f for f in functions if _is_users(f.__globals__.get("__name__"), f.__code__.co_filename)]
        self._waiting += [each for each in theirs if id(each) not in self._seen]
        self._seen.update(map(id, theirs))

    def _module(self, kind: type) -> None:
        """The class of modules that `forward` may call, or make, whose code is then a part of its own."""
        new = [base for base in users(kind) if base not in self.bases] if hasattr(kind, "described_by") else []
        self.bases += new
        for name in ("__init__", *self.attributes) if new else ():
            self._attribute(name)


def _is_users(module: str | None, file: str | None) -> bool:
    """Whether the code of a module, or in a file, is a user's."""
    top = (module or "").partition(".")[0]
    return top != OURS.partition(".")[0] and not str(file).startswith(LIBRARIES)
