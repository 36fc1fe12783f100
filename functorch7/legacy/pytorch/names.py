"""PyTorch's names for what is inside a module: parameters, buffers and modules, joined by dots, positions from 0."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Self

import numpy as np

from ...interop.torch7.schema import grad_name
from ..engine.views import place_of
from ..objects.described import Described
from ..tensors.changes import changed
from ..tensors.parameter import Parameter
from ..tensors.tensor import Tensor


class Names(Described):
    """Module's methods that find things by name. `listModules()` and `children()` are Torch's, without names.

    Source: PyTorch, the Modules note.
    """

    def named_children(self) -> Iterator[tuple[str, Described]]:
        """(name, module) of the modules directly inside, each once."""
        seen: set[int] = set()
        for name, module in zip(self.child_names(), self.children(), strict=True):
            if id(module) not in seen:
                seen.add(id(module))
                yield str(name), module

    def named_modules(self, prefix: str = "", remove_duplicate: bool = True) -> Iterator[tuple[str, Described]]:
        """(dotted name, module) of this module (named `prefix`) and of all inside, outer ones first."""
        seen: set[int] = set()
        waiting = [(prefix, self)]
        while waiting:
            name, module = waiting.pop()
            if remove_duplicate and id(module) in seen:
                continue
            seen.add(id(module))
            yield name, module
            inner = zip(module.child_names(), module.children(), strict=True)
            waiting.extend(reversed([(_joined(name, each), child) for each, child in inner]))

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """(dotted name, parameter), own ones first; `parameters()` gives Torch's two lists.

        They have their gradient, `grad`, and `requires_grad`, which says whether they get one and can be set.
        """
        self._as_parameters(recurse)
        found: Any = self._named(lambda module: module.own_parameters(), prefix, recurse, remove_duplicate)
        return found

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """(dotted name, buffer), own ones first; saved or not, without recurrent state."""
        return self._named(lambda module: module.own_buffers(), prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """The buffers, own ones first."""
        return (buffer for _, buffer in self.named_buffers(recurse=recurse))

    def own_buffers(self) -> dict[str, bool]:
        """The names of this object's own buffers, and whether each is saved."""
        return dict.fromkeys(self._kept_buffers(), True)

    def _named(
        self, names_of: Callable[[Any], Any], prefix: str, recurse: bool, remove_duplicate: bool
    ) -> Iterator[tuple[str, Tensor]]:
        modules = self.named_modules(prefix, remove_duplicate) if recurse else [(prefix, self)]
        seen: set[int] = set()
        for path, module in modules:
            for name in names_of(module):
                tensor = module.__dict__[name]
                if not (remove_duplicate and id(tensor) in seen):
                    seen.add(id(tensor))
                    yield _joined(path, name), tensor

    def add_module(self, name: str, module: Described) -> None:
        """Adds a module inside containers and modules with a user's `forward`; others raise TypeError."""
        raise TypeError(
            f"{self.typename()}: add_module needs a container, or a class with a forward; this module's arguments "
            "say what is inside it"
        )

    def register_module(self, name: str, module: Described) -> None:
        """As `add_module`."""
        self.add_module(name, module)

    def get_submodule(self, target: str) -> Described:
        """The module of a dotted name; "" is this one. Raises AttributeError, naming the module that lacks it."""
        module: Any = self
        for name in target.split(".") if target else ():
            names = [str(each) for each in module.child_names()]
            if name not in names:
                raise AttributeError(f"{module.title()}: expected one of its modules {names}, got {name!r}")
            module = module.children()[names.index(name)]
        return module

    def get_parameter(self, target: str) -> Parameter:
        """The parameter of a dotted name. Raises AttributeError if there is none."""
        self._as_parameters(True)
        found: Any = self._get(target, "parameter", lambda module: module.own_parameters())
        return found

    def get_buffer(self, target: str) -> Tensor:
        """The buffer of a dotted name. Raises AttributeError if there is none."""
        return self._get(target, "buffer", lambda module: module.own_buffers())

    def _get(self, target: str, what: str, names_of: Callable[[Any], Any]) -> Tensor:
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if name not in names_of(module):
            raise AttributeError(f"{module.title()} has no {what} {name!r}")
        return module.__dict__[name]

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Sets whether the parameters, here and in all modules inside, get gradients.

        Raises TypeError for anything but true and false.
        """
        if not isinstance(requires_grad, (bool, np.bool_)):
            raise TypeError(f"{self.title()}: requires_grad_ expected True or False, got {requires_grad!r}")
        for _, parameter in self.named_parameters():
            parameter.requires_grad = bool(requires_grad)
        return self

    def _as_parameters(self, recurse: bool = True) -> None:
        """Turns the parameters into objects that know whether they get a gradient, over the same elements.

        Parameters of layers over the same elements become one, with the sum of their gradients.
        """
        modules = self._members() if recurse else [self]
        held = [(module.__dict__, name) for module in modules for name in module.own_parameters()]
        known: dict[tuple, Parameter] = {}
        for fields, name in sorted(held, key=lambda pair: not _is_users(*pair)):
            if isinstance(fields[name], Parameter):
                known.setdefault(place_of(fields[name]), fields[name])
        seen: set[int] = set()
        is_other = False
        for fields, name in held:
            tensor, gradient = fields[name], fields.get(grad_name(name))
            parameter = tensor if _is_users(fields, name) else known.get(place_of(tensor))
            if parameter is None:
                known[place_of(tensor)] = parameter = Parameter(tensor, gradient is not None)
            if gradient is not None and id(parameter) not in seen:
                seen.add(id(parameter))
                parameter.add_up_in(gradient)
            elif gradient is not None and gradient is not parameter.grad:
                if place_of(gradient) != place_of(parameter.grad):
                    parameter.grad.add(gradient)
                fields[grad_name(name)] = parameter.grad
            fields[name] = parameter
            is_other |= tensor is not parameter or gradient is not fields.get(grad_name(name))
        if is_other:
            changed(*modules)


def _is_users(fields: dict[str, Any], name: str) -> bool:
    """Whether a parameter is an object that a user has registered."""
    return name in fields.get("_parameters", ())


def _joined(path: str, name: Any) -> str:
    return f"{path}.{name}" if path else str(name)
