"""PyTorch's methods that register by name, as assigning an attribute does."""

from __future__ import annotations

from typing import Any

from ..engine.forms import is_array
from ..modules.module import Module
from ..tensors.kinds import Numbers
from ..tensors.parameter import Parameter
from ..tensors.tensor import Tensor

KINDS = {"_parameters": "parameter", "_buffers": "buffer", "_children": "module"}
"""What is in a module's registries."""


class Registration(Module):
    """A user's module's methods that register parameters, buffers and modules. All raise KeyError for a bad name."""

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Adds a parameter, or a place for one (None). Raises TypeError for anything else."""
        self._check_name("_parameters", name)
        if param is not None and not isinstance(param, Parameter):
            raise self._unfit(param, "parameter", name, "nn.Parameter")
        self._register("_parameters", name, param)

    def register_buffer(self, name: str, tensor: Numbers | None, persistent: bool = True) -> None:
        """Adds a tensor that changes but is not a parameter; with persistent=False it is not in `state_dict`.

        Raises TypeError unless it is a tensor or None.
        """
        self._check_name("_buffers", name)
        self._register("_buffers", name, self._as_buffer(name, tensor))
        self.__dict__["_buffers"][name] = persistent

    def _as_buffer(self, name: str, given: Any) -> Tensor | None:
        if given is not None and not is_array(given):
            raise self._unfit(given, "buffer", name, "tensor")
        return given if given is None or isinstance(given, Tensor) else Tensor.of(given)

    def add_module(self, name: str, module: Module | None) -> None:
        """Adds a module inside, or a place for one (None). Raises TypeError for anything else."""
        self._check_name("_children", name)
        if module is not None and not isinstance(module, Module):
            hint = "; call it" if isinstance(module, type) and issubclass(module, Module) else ""
            raise TypeError(f"{self.typename()}: expected a module {name!r}, got {module!r}{hint}")
        self._register("_children", name, module)

    def _check_name(self, registry: str, name: Any) -> None:
        what = KINDS[registry]
        self._check_begun(registry)
        if not isinstance(name, str):
            raise TypeError(f"{self.typename()}: the name of a {what} should be a string, got {name!r}")
        if not name or "." in name:
            raise KeyError(f"{self.typename()}: the name of a {what} cannot be empty or have a '.', got {name!r}")
        if hasattr(self, name) and name not in self.__dict__[registry]:
            raise KeyError(f"{self.typename()}: attribute {name!r} already exists")

    def _check_begun(self, registry: str) -> None:
        if registry not in self.__dict__:
            raise AttributeError(f"cannot assign a {KINDS[registry]} before {self.typename()}'s super().__init__()")

    def _register(self, registry: str, name: str, value: Any) -> None:
        raise NotImplementedError

    def _unfit(self, value: Any, what: str, name: str, wanted: str) -> TypeError:
        return TypeError(
            f"{self.typename()}: cannot assign {type(value).__name__} as {what} {name!r} ({wanted} or None expected)"
        )
