"""Modules in PyTorch's style: attributes are registered, and `forward` is the user's, traced as a whole."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Self

from ...checks.tables import leaves
from ...checks.tracebacks import shorten
from ...core.types import Value
from ...interop.torch7.schema import grad_name
from ..engine.forms import NO_NAMES, frozen, is_simple, one_by_one, split, thawed
from ..engine.known_users import known
from ..engine.outside import current_run
from ..engine.user_code import code_of, names_in
from ..modules.module import Module
from ..objects import layered
from ..objects.described import Described, noting_classes, overridden_in
from ..objects.given import taken_from
from ..objects.mode import Mode, ModeField
from ..tensors.changes import changed
from ..tensors.named_errors import misuse
from ..tensors.parameter import Parameter
from ..tensors.tensor import Tensor
from ..tensors.values import Output
from ..tensors.zeros import of_zeros
from .registration import KINDS, Registration
from .stand_ins import Inside, given_nodes
from .traced import Traced, describing, tree_text


class Custom(Registration):
    """The base that a user's class with its own `forward` gets.

    Parameters, modules and buffers that are assigned to attributes are registered in this order; other attributes are
    constants of the program, which is compiled again when they change. Buffers that `forward` assigns are kept.
    `forward` takes any arguments: tensors are traced, everything else is static. `backward` takes the only tensor among
    them, or a table of them.
    Raises: AttributeError for attributes before `super().__init__()`; TypeError if `forward` needs values or sets
    attributes, or if modules are in plain lists; NotImplementedError without a forward.
    Source: PyTorch, the Modules note.
    """

    described_by: type[Traced]
    _children: dict[str, Value]
    _parameters: dict[str, Value]
    _buffers: dict[str, Value]
    _plain: dict[str, None]
    _own_name: str | None

    def __init__(self) -> None:
        super().__init__()
        self.__dict__.update(_children={}, _parameters={}, _buffers={}, _state={}, _own_name=None)
        self.__dict__.setdefault("_plain", {})

    train = ModeField(is_called=True)

    @property
    def training(self) -> Value:  # type: ignore[override]
        """PyTorch's flag and Torch's method: true in training mode; `training()` switches to it."""
        return Mode.of(self)

    def switched_to(self, mode: bool) -> Value:
        """A call of the flag."""
        return super().training(mode)

    # Attributes ------------------------------------------------------------------------------------------------------

    def __setattr__(self, name: str, value: object) -> None:
        if name in layered.fields:
            layered.bring(name)
        fields, registry = self.__dict__, self._registry_for(value)
        if registry is not None:
            self._check_begun(registry)
            self._register(registry, name, value)
        elif name in fields.get("_buffers", ()):
            self._set_buffer(name, value)
        elif name in fields.get("_parameters", ()) or name in fields.get("_children", ()):
            self._empty(name, value)
        elif name == "forward":
            raise TypeError(
                f"{self.typename()}: forward cannot be set on an object, since networks run its class's; derive a "
                "class that has it"
            )
        elif hasattr(Custom, name):
            object.__setattr__(self, name, value)
            if callable(value):
                changed(self)
        else:
            fields.setdefault("_plain", {})[name] = None
            object.__setattr__(self, name, value)

    def _registry_for(self, value: Any) -> str | None:
        if isinstance(value, Parameter):
            return "_parameters"
        return "_children" if isinstance(value, Module) else None

    def _register(self, registry: str, name: str, value: Any) -> None:
        """Registers a parameter, child or buffer under a name, in place of the one before."""
        fields = self.__dict__
        if isinstance(self, Inside):
            raise TypeError(f"{self.typename()}: forward cannot assign self.{name}; make modules in __init__")
        if hasattr(Custom, name):
            raise KeyError(f"{self.typename()}: attribute {name!r} already exists: it is one of every module's")
        for other in ("_plain", *KINDS):
            if other != registry:
                fields[other].pop(name, None)
        fields[registry].setdefault(name, None)
        fields[name] = value
        if isinstance(value, Parameter):
            fields[grad_name(name)] = value.grad
        elif isinstance(value, Module) and not isinstance(value, Inside):
            value._as_parameters()
        changed(self)

    def _empty(self, name: str, value: Any) -> None:
        """Sets a parameter or a child to None; refuses anything else."""
        is_parameter = name in self.__dict__["_parameters"]
        if value is not None:
            what, wanted = ("parameter", "nn.Parameter") if is_parameter else ("child module", "nn.Module")
            raise self._unfit(value, what, name, wanted)
        self.__dict__[name] = None
        changed(self)

    def _set_buffer(self, name: str, value: Any) -> None:
        old, self.__dict__[name] = self.__dict__[name], self._as_buffer(name, value)
        if (old is None) != (value is None):
            changed(self)

    def __getattr__(self, name: str) -> Any:
        if layered.brought(type(self), name):
            return type(self).__getattribute__(self, name)
        raise AttributeError(f"{self.typename()} has no attribute {name!r}")

    def __delattr__(self, name: str) -> None:
        for registry in ("_plain", *KINDS):
            self.__dict__[registry].pop(name, None)
        self.__dict__.pop(grad_name(name), None)
        object.__delattr__(self, name)
        changed(self)

    # Structure -------------------------------------------------------------------------------------------------------

    def children(self) -> list[Described]:
        """The modules inside, in the order of registration."""
        return [self.__dict__[name] for name in self.child_names()]

    def child_names(self) -> list[str]:
        """The names of the modules inside."""
        return [name for name in self.__dict__.get("_children", ()) if self.__dict__[name] is not None]

    @property
    def modules(self) -> list[Described]:
        """Torch's field: the modules inside."""
        return self.children()

    def _put_child(self, index: int, module: Any) -> None:
        setattr(self, self.child_names()[index], module)

    def own_parameters(self) -> list[str]:
        """The names of this object's own parameters, in the order of registration."""
        return [name for name in self.__dict__.get("_parameters", ()) if self.__dict__[name] is not None]

    def _put_parameter(self, name: str, tensor: Tensor) -> None:
        setattr(self, name, Parameter(tensor))

    def parameters(self) -> tuple[list[Tensor], list[Tensor]]:
        """Torch's two lists; a parameter shared by several modules has one gradient in them."""
        self._as_parameters()
        return super().parameters()

    def updateParameters(self, learningRate: float) -> None:
        """parameter = parameter - learningRate * gradient, once for each that is here."""
        plan = self._plans and self._plans.newest
        if plan is None or plan.is_stale or not plan.is_tied:
            self._as_parameters()
            if plan is not None:
                plan.is_tied = not plan.is_stale  # it is one where several were merged
        super().updateParameters(learningRate)

    def own_buffers(self) -> dict[str, bool]:
        """The names of this object's own buffers, and whether each is saved."""
        kinds = self.__dict__.get("_buffers", {})
        return {name: persistent for name, persistent in kinds.items() if self.__dict__[name] is not None}

    def _tensors(self) -> dict[str, Tensor]:
        names = self.own_parameters()
        return {name: self.__dict__[name] for name in (*names, *map(grad_name, names), *self.own_buffers())}

    def attribute_values(self) -> list[Value]:
        """The names and values of attributes, and the names of parameters, buffers and modules that are None."""
        fields = self.__dict__
        plain = fields["_plain"]
        return [*plain, *map(fields.__getitem__, plain), *self._empty_names()]

    def _empty_names(self) -> list[str]:
        fields = self.__dict__
        return [name for kind in KINDS for name in fields[kind] if fields[name] is None]

    def own_attributes(self) -> tuple:
        """The attributes that are the program's constants. Raises TypeError for modules and parameters in lists."""
        fields, plain, empty = self.__dict__, [*self.__dict__["_plain"]], self._empty_names()
        for name in plain:
            self._check_attribute(name, fields[name])
        counting = NO_NAMES if all(is_simple(fields[name]) for name in plain) else self._names_of_settings()
        try:
            return tuple((name, frozen(fields[name], counting)) for name in sorted((*plain, *empty)))
        except TypeError as error:
            error.add_note(f"It is in an attribute of {self.typename()}.")
            raise

    def _names_of_settings(self) -> frozenset[str]:
        """The names of attributes of other objects that code here, or inside, reads."""
        return names_in(type(module) for module in self._members() if isinstance(module, Custom))

    def _check_attribute(self, name: str, value: Any) -> None:
        held = next((each for each in leaves(value) if isinstance(each, (Module, Parameter))), None)
        if held is not None:
            kind = "Module" if isinstance(held, Module) else "Parameter"
            raise TypeError(
                f"{self.typename()}: {name!r} is a plain table with a {type(held).__name__} in it, which would not be "
                f"learned; use nn.{kind}List, nn.{kind}Dict, or an attribute for each"
            )

    @property
    def is_described(self) -> bool:
        """Always: its class describes it."""
        return True

    @property
    def _spec(self) -> Traced:  # type: ignore[override]
        """The description as it stands."""
        return self.own_description()

    def own_description(self) -> Traced:
        """The description of the object as it stands."""
        fields, buffers = self.__dict__, self.own_buffers()

        def shapes(names: Any) -> tuple:
            return tuple((name, fields[name].shape, fields[name].dtype.name) for name in names)

        described_by: Any = type(self).described_by  # its field `kind` is the class
        described = described_by(
            self.own_attributes(),
            tuple(self.child_names()),
            tuple(child.description() for child in self.children()),
            shapes(self.own_parameters()),
            shapes(buffers),
            tuple(name for name, persistent in buffers.items() if not persistent),
            outside=code_of(type(self)).noted(),
            looks=known(type(self)).looks,
        )
        return described.named(fields["_own_name"])

    def _respecify(self, spec: Any) -> bool:
        """Takes another name; the rest of the description follows from the object."""
        self.__dict__["_own_name"] = spec.own_name
        changed(self)
        return True

    def _take(self, spec: Any, given: Any) -> None:
        """Becomes the object of a description, with zeros for arrays."""
        Custom.__init__(self)
        self.__dict__["_own_name"] = spec.own_name
        for name, value in spec.attributes:
            setattr(self, name, thawed(value))
        for name, shape, dtype in spec.parameters:
            setattr(self, name, Parameter(of_zeros(shape, dtype)))
        for name, shape, dtype in spec.buffers:
            self.register_buffer(name, of_zeros(shape, dtype), name not in spec.traits.unsaved)
        for name, child in spec.children().items():
            setattr(self, name, taken_from(given, child))

    def reset(self, stdv: float | None = None) -> Self:
        """Draws new values, by the inner modules' `reset` and the user's `reset_parameters()`."""
        if self.own_parameters() and not hasattr(self, "reset_parameters"):
            raise NotImplementedError(f"{self.typename()}: define reset_parameters(), which draws its parameters")
        for module in self.children():
            module.reset(stdv)
        if self.own_parameters():
            self.reset_parameters()
        return self

    # Calls -----------------------------------------------------------------------------------------------------------

    def is_foreign(self) -> bool:
        """False, unless the user writes Torch's methods, too."""
        return self.has_own_gradient() or self.overrides("updateOutput")

    def forward(self, *args: Any, **kwargs: Any) -> Output:
        """Users define it."""
        raise NotImplementedError(f"{self.typename()}: missing the required forward function")

    def updateOutput(self, input: Value) -> Output:
        """The output for one input."""
        return self.call_with((input,), {})

    def call_with(self, args: tuple, kwargs: dict[str, Any]) -> Output:
        """The user's `forward` with these arguments, in one compiled call of this module and all inside."""
        if (run := current_run()) is not None:
            return run.call_made(self, args, kwargs)
        form, given = split(args, kwargs, self._names_of_settings)
        return self._run(self._planned(form), given).result

    def __call__(self, *args: Any, **kwargs: Any) -> Output:
        """`forward` with these arguments; with nodes, or with nothing if it needs arguments, a node of a graph."""
        nodes = given_nodes(type(self), args, kwargs)
        if nodes is not None:
            return super().__call__(*args)
        return self.forward(*args, **kwargs)

    def extra_repr(self) -> str:
        """The text printed between the brackets; users define it."""
        return ""

    def __repr__(self) -> str:
        children = dict(zip(self.child_names(), self.children(), strict=True))
        return tree_text(type(self).__name__, self.extra_repr(), children)


def note_class(kind: type) -> None:
    """Looks at a user's new class: it is a Custom if it defines `forward` but no Torch methods, and is not a layer."""
    is_ours = kind.__module__.startswith("functorch7.legacy.")  # whose `forward` a Lua program has replaced
    if is_ours or not issubclass(kind, Module) or issubclass(kind, Inside) or kind.spec_class is not None:
        return
    written: Callable | None = vars(kind).get("forward")
    if written is not None and not overridden_in(kind, "updateOutput"):
        type.__setattr__(kind, "forward", _compiled(written))
        if not issubclass(kind, Custom):
            kind.__bases__ = (*(base for base in kind.__bases__ if base is not Module), Custom)
    if issubclass(kind, Custom) and "described_by" not in vars(kind):
        kind.described_by = describing(kind)


noting_classes.append(note_class)
layered.given_forward.append(note_class)


def _compiled(written: Callable) -> Callable:
    """A user's `forward` as a method: stand-ins run the code itself, objects a compiled call."""

    @wraps(written)
    def forward(self: Any, *args: Any, **kwargs: Any) -> Any:
        args = args if kwargs else one_by_one(written, args)
        try:
            return written(self, *args, **kwargs) if isinstance(self, Inside) else self.call_with(args, kwargs)
        except Exception as error:
            shorten(error)
            wrong = misuse(f"{type(self).__name__}.forward", written, (self, *args), kwargs, first=1)
            if wrong is None:
                raise
            raise wrong from None

    return forward
