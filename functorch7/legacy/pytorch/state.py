"""PyTorch's state dictionaries, and changes to all tensors of a network at once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, Self

import jax.numpy as jnp
import numpy as np
from jax.typing import DTypeLike

from ...core.types import Value
from ...interop.torch7.schema import grad_name
from ...network.naming import IncompatibleKeys, fitting
from ..tensors.kinds import Numbers
from ..tensors.storage import Storage
from ..tensors.tensor import Tensor
from ..tensors.type_names import dtype_of, is_of_gpu, type_name_of
from .hooks import RemovableHandle
from .names import Names

EXTRA = "_extra_state"


class State(Names):
    """Module's methods that save and load tensors by name, cast and move them.

    Source: PyTorch, the Modules note.
    """

    _on_state: dict[str, list[Callable]]

    def state_dict(self, prefix: str = "") -> OrderedDict[str, Tensor]:
        """Parameters and saved buffers by dotted name: own ones, then those of the modules inside.

        The tensors are the module's own, so later training changes them; clone what is to stay. The result of a user's
        `get_extra_state` is there as "_extra_state".
        """
        found: OrderedDict[str, Any] = OrderedDict((f"{prefix}{name}", self.__dict__[name]) for name in self._saved())
        if self.overrides("get_extra_state"):  # type: ignore[attr-defined]
            found[f"{prefix}{EXTRA}"] = self.get_extra_state()
        for name, module in zip(self.child_names(), self.children(), strict=True):
            found.update(module.state_dict(f"{prefix}{name}."))
        for hook in self._state_hooks("save"):
            changed = hook(self, found, prefix, {})
            found = found if changed is None else changed
        return found

    def load_state_dict(
        self, state_dict: Mapping[str, Numbers], strict: bool = True, assign: bool = False
    ) -> IncompatibleKeys:
        """Copies arrays into the tensors with these names; returns (missing_keys, unexpected_keys).

        With strict=False these may differ. With assign=True nothing is copied: the module's tensors become the
        given ones, with their storages and types, and the gradients become zeros. Raises TypeError
        unless it is a mapping, and ValueError that lists every missing and unexpected name (if strict) and every shape
        that differs; then nothing has changed.
        """
        given: Any = dict(state_dict) if isinstance(state_dict, Mapping) else state_dict
        for prefix, module in self.named_modules():
            for hook in module._state_hooks("before"):
                hook(module, given, f"{prefix}." if prefix else "", {}, strict, [], [], [])
        names, extras = self._names_of_state()
        keys = fitting(self.title(), {name: module.__dict__[own] for name, (module, own) in names.items()}, given,
                       strict, others=list(extras))  # fmt: skip
        for name, (module, own) in names.items():
            if name in given:
                (_assign if assign else _copy)(module, own, given[name])
        for name, module in extras.items():
            if name in given:
                module.set_extra_state(given[name])
        for module in self._members():
            for hook in module._state_hooks("after"):
                hook(module, keys)
        return keys

    def _saved(self) -> list[str]:
        """The names of this object's own tensors in `state_dict`."""
        return [*self.own_parameters(), *(name for name, saved in self.own_buffers().items() if saved)]

    def _names_of_state(self) -> tuple[dict[str, tuple[Any, str]], dict[str, Any]]:
        """By dotted name, (module, own name) for every tensor and every module with an extra state."""
        names, extras = {}, {}
        for path, module in self.named_modules(remove_duplicate=False):
            prefix = f"{path}." if path else ""
            names |= {f"{prefix}{name}": (module, name) for name in module._saved()}
            if module.overrides("set_extra_state"):
                extras[f"{prefix}{EXTRA}"] = module
        return names, extras

    def get_extra_state(self) -> Any:
        """The state to save besides the tensors, plain values or tensors; users define it."""
        raise NotImplementedError(f"{self.typename()}: define get_extra_state(), which returns what is to be saved")

    def set_extra_state(self, state: Any) -> None:
        """Takes the result of `get_extra_state`; users define it."""
        raise NotImplementedError(f"{self.typename()}: define set_extra_state(state), which takes what was saved")

    def _state_hooks(self, when: str) -> list[Callable]:
        return self.__dict__.get("_on_state", {}).get(when, [])

    def _on_state_at(self, when: str, hook: Callable) -> RemovableHandle:
        hooks = self.__dict__.setdefault("_on_state", {}).setdefault(when, [])
        hooks.append(hook)
        return RemovableHandle(self, hooks, hook)

    def register_state_dict_post_hook(self, hook: Callable) -> RemovableHandle:
        """hook(module, state_dict, prefix, {}) after `state_dict`, which it may change or replace."""
        return self._on_state_at("save", hook)

    def register_load_state_dict_pre_hook(self, hook: Callable) -> RemovableHandle:
        """hook(module, state_dict, prefix, {}, strict, [], [], []) before loading; it may change the (copied) dict."""
        return self._on_state_at("before", hook)

    def register_load_state_dict_post_hook(self, hook: Callable) -> RemovableHandle:
        """hook(module, incompatible_keys) after loading."""
        return self._on_state_at("after", hook)

    def to(self, device: Value = None, dtype: DTypeLike | None = None) -> Self:
        """Moves to "cpu" or "cuda", and casts floating tensors, gradients and buffers too; also to(dtype), to(tensor).

        Raises TypeError for anything but a dtype of real numbers, and for other devices; RuntimeError without a GPU.
        """
        if isinstance(device, Tensor):
            device, dtype = None, device.dtype
        elif device is not None and not isinstance(device, str):
            device, dtype = None, device
        if device not in (None, "cpu") and not str(device).startswith("cuda"):
            raise TypeError(f"{self.title()}: to() expected the device 'cpu' or 'cuda', got {device!r}")
        on_gpu = is_of_gpu(self._type) if device is None else device != "cpu"
        return self.type(type_name_of(self._wanted(self._type if dtype is None else dtype), on_gpu))

    def _wanted(self, dtype: Any) -> np.dtype:
        try:
            found = dtype_of(dtype) if str(dtype).startswith("torch.") else np.dtype(dtype)
        except (TypeError, ValueError):
            found = None
        if found is None or not jnp.issubdtype(found, jnp.floating):
            given = repr(dtype) if found is None else found
            raise TypeError(f"{self.title()}: to() expected a floating-point dtype, got {given}")
        return found

    def eval(self) -> Self:
        """PyTorch's name for `evaluate()`; the flag is `train`."""
        return self.evaluate()

    def cpu(self) -> Self:
        """Moves to the host: `to("cpu")`."""
        return self.to("cpu")

    def half(self) -> Self:
        """Casts to float16."""
        return self.to(dtype=np.float16)

    def bfloat16(self) -> Self:
        """Casts to bfloat16."""
        return self.to(dtype="bfloat16")

    def zero_grad(self) -> None:
        """PyTorch's name for `zeroGradParameters()`."""
        self.zeroGradParameters()


def _copy(module: Any, name: str, given: Any) -> None:
    module.__dict__[name].copy(np.asarray(given))


def _assign(module: Any, name: str, given: Any) -> None:
    tensor, given = module.__dict__[name], given if isinstance(given, Tensor) else Tensor.of(np.asarray(given))
    tensor.rebind(given.storage_, given.offset, given.shape, given.strides_)
    if name in module.own_parameters():
        module.__dict__[grad_name(name)].rebind(Storage.zeros(tensor.shape, tensor.dtype))
