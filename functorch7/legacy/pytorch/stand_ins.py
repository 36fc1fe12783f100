"""Stand-ins for the modules of a user's `forward`: objects of their classes, over traced arrays."""

from __future__ import annotations

import inspect
from functools import cache
from typing import Any, NoReturn

from ... import core
from ...core import tree
from ...core.emitted import both, is_emitted
from ...core.types import Value
from ...layers import Node
from ...layers.graph_nodes import nodes_among
from ..engine.user_classes import stand_in_class
from ..tensors.tensor import Tensor


class Inside:
    """Turns a module's class into a stand-in's: a call runs the described module, in the trace."""

    __dict__: dict[str, Any]
    is_stand_in = True
    outer_class: type

    def description(self) -> core.Module:
        """The description of the module that it stands for."""
        return self.__dict__["_described"]

    def listed(self) -> NoReturn:
        """Refused: a plan asks, but only the forward's trace has arrays."""
        raise outlived(self)

    def forward(self, *args: Any, **kwargs: Any) -> Value:
        """Runs the module; a module that calls itself runs the user's code."""
        return self.__dict__["_run_inside"].call(self, args, kwargs)

    def __call__(self, *args: Any, **kwargs: Any) -> Value:
        """As forward; with nodes, a node of a graph."""
        nodes = given_nodes(self.outer_class, args, kwargs)
        return self.forward(*args, **kwargs) if nodes is None else Node(self, *nodes)

    def updateOutput(self, input: Value) -> Value:
        """As forward."""
        return self.forward(input)

    def backward(self, *_: Value, **__: Value) -> Value:
        """Refused: the gradient is found by differentiation."""
        raise TypeError(f"{type(self).__name__}: backward cannot be called in forward; it is found by differentiation")

    updateGradInput = accGradParameters = backward


class InsideUsers(Inside):
    """The same for modules in Torch's style, whose fields are the objects'."""

    def __getattr__(self, name: str) -> Any:
        spec: Any = self.description()
        return spec.field(name, self.__dict__["_run_inside"].spec.kind)


def given_nodes(kind: type, args: tuple, kwargs: dict[str, Value]) -> list[Node] | None:
    """The nodes that a module of a class is called with; None for a call, which may also have no arguments."""
    if kwargs or not (args or _needs_input(kind)):
        return None
    return nodes_among(args)


@cache
def _needs_input(kind: Any) -> bool:
    try:
        inspect.signature(kind.forward).bind(None)
    except TypeError:
        return True
    return False


def outlived(module: Inside) -> TypeError:
    """The error for a stand-in that is used after its forward."""
    return TypeError(
        f"{module.outer_class.__name__}: a forward's modules, and what it makes of them, can be called in that forward "
        "alone; make it in __init__ and assign it to an attribute"
    )


def inside(kind: type, base: type[Inside] = Inside) -> type:
    """The class of the stand-ins for objects of a class."""
    return stand_in_class(kind, base, __module__=kind.__module__, outer_class=kind)


def collected(made: Value) -> Value:
    """The buffers of a stand-in and of all inside it, as they are now."""
    fields, spec = made.__dict__, made.__dict__["_described"]
    own = {name: _current(made, name) for name in spec.init_buffers()}
    return tree.join(spec, own, [collected(each) for each in fields["_inner"]])


def _current(made: Any, name: str) -> Any:
    if name in made.__dict__["_state"]:
        return made.__dict__["_state"][name]
    value = made.__dict__[name]
    if value is None:
        raise TypeError(f"{type(made).__name__}: forward sets the buffer {name!r} to None")
    return value.array


def put(made: Value, buffers: Value) -> None:
    """Gives a stand-in, and all inside it, the buffers from a call."""
    fields, spec = made.__dict__, made.__dict__["_described"]
    own, below = tree.split(spec, buffers)
    for name, value in own.items():
        if name not in fields["_state"]:
            fields[name] = Tensor.of(value)
        elif is_emitted(value):
            fields["_state"][name] = both(fields["_state"][name], value)
        else:
            fields["_state"][name] = value
    for each, branch in zip(fields["_inner"], below, strict=True):
        put(each, branch)
