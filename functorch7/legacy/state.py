"""PyTorch's state dictionaries, and changes of all tensors of a network at once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..core.naming import IncompatibleKeys, fitting
from .described import Described
from .storage import dtype_of, type_name_of
from .tensor import Tensor


class Handle:
    """What registering a function gives: `remove()` takes it back."""

    def __init__(self, functions: list[Callable], function: Callable):
        self._functions, self._function = functions, function

    def remove(self) -> None:
        """Takes the function back; again does nothing."""
        if self._function in self._functions:
            self._functions.remove(self._function)


class State(Described):
    """The part of Module that saves and loads tensors by name, and that casts and moves them.

    Source: PyTorch, the Modules note.
    """

    def state_dict(self, prefix: str = "") -> OrderedDict[str, Tensor]:
        """Parameters and saved buffers by dotted name: own ones, then those of the modules inside.

        The tensors are the module's own, so that later training changes them; clone those that shall stay.
        """
        names = [*self.own_parameters(), *(name for name, saved in self.own_buffers().items() if saved)]
        found = OrderedDict((f"{prefix}{name}", self.__dict__[name]) for name in names)
        for name, module in zip(self.child_names(), self.children(), strict=True):
            found.update(module.state_dict(f"{prefix}{name}."))
        for hook in self._state_hooks("save"):
            changed = hook(self, found, prefix, {})
            found = found if changed is None else changed
        return found

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True) -> IncompatibleKeys:
        """Copies arrays into the tensors of these names; gives (missing_keys, unexpected_keys).

        With strict=False these may differ. Raises TypeError unless it is a mapping, and ValueError that lists every
        missing and unexpected name (if strict) and every shape that differs; then nothing has changed.
        """
        given = dict(state_dict) if isinstance(state_dict, Mapping) else state_dict
        for prefix, module in self.named_modules():
            for hook in module._state_hooks("before"):
                hook(module, given, f"{prefix}." if prefix else "", {}, strict, [], [], [])
        own = self.state_dict()
        keys = fitting(self.title(), own, given, strict)
        for name, tensor in own.items():
            if name in given:
                tensor.copy(np.asarray(given[name]))
        for module in self.listModules():
            for hook in module._state_hooks("after"):
                hook(module, keys)
        return keys

    def _state_hooks(self, when: str) -> list[Callable]:
        return self.__dict__.get("_on_state", {}).get(when, [])

    def _on_state_at(self, when: str, hook: Callable) -> Handle:
        hooks = self.__dict__.setdefault("_on_state", {}).setdefault(when, [])
        hooks.append(hook)
        return Handle(hooks, hook)

    def register_state_dict_post_hook(self, hook: Callable) -> Handle:
        """hook(module, state_dict, prefix, {}) after `state_dict`, which it may change or replace."""
        return self._on_state_at("save", hook)

    def register_load_state_dict_pre_hook(self, hook: Callable) -> Handle:
        """hook(module, state_dict, prefix, {}, strict, [], [], []) before loading; it may change the (copied) dict."""
        return self._on_state_at("before", hook)

    def register_load_state_dict_post_hook(self, hook: Callable) -> Handle:
        """hook(module, incompatible_keys) after loading."""
        return self._on_state_at("after", hook)

    def to(self, device: Any = None, dtype: Any = None) -> Any:
        """Moves to "cpu" or "cuda", and casts floating tensors, gradients and buffers too; also to(dtype), to(tensor).

        Raises TypeError for a dtype of integers, and for any other device; RuntimeError without a GPU.
        """
        if isinstance(device, Tensor):
            device, dtype = None, device.dtype
        elif device is not None and not isinstance(device, str):
            device, dtype = None, device
        if device not in (None, "cpu") and not str(device).startswith("cuda"):
            raise TypeError(f"{self.title()}: to() expected the device 'cpu' or 'cuda', got {device!r}")
        on_gpu = self._type.startswith("torch.Cuda") if device is None else device != "cpu"
        wanted = _dtype(self._type if dtype is None else dtype)
        if wanted.kind in "iub":
            raise TypeError(f"{self.title()}: to() expected a floating-point dtype, got {wanted}")
        name = type_name_of(wanted)
        if on_gpu:
            name = "torch.CudaTensor" if name == "torch.FloatTensor" else name.replace("torch.", "torch.Cuda")
        return self.type(name)

    def eval(self) -> Any:
        """PyTorch's name of `evaluate()`; the flag is `train`."""
        return self.evaluate()

    def zero_grad(self) -> None:
        """PyTorch's name of `zeroGradParameters()`."""
        self.zeroGradParameters()


def _dtype(dtype: Any) -> np.dtype:
    return dtype_of(dtype) if isinstance(dtype, str) and dtype.startswith("torch.") else np.dtype(dtype)
