"""PyTorch's hooks: functions that see, and may replace, the values that pass through modules, forward and backward."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from ..engine.forms import only_input
from ..engine.registered import Registered, everywhere
from ..engine.turns import standing
from ..objects.described import Described
from ..tensors.changes import changed
from ..tensors.values import as_tensors


class RemovableHandle:
    """Returned for a registered hook: `remove()` removes the hook, and so does the end of a `with` block.

    Source: PyTorch's Modules note, "Module Hooks".
    """

    def __init__(self, owner: object, hooks: list, hook: object):
        self._owner, self._hooks, self._hook = owner, hooks, hook

    def remove(self) -> None:
        """Removes the hook; a second call does nothing."""
        if self._hook in self._hooks:
            self._hooks.remove(self._hook)
            changed(self._owner)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *error: object) -> None:
        self.remove()


def _registered(owner: Any, hooks: list[Registered], hook: Registered, prepend: bool = False) -> RemovableHandle:
    hooks.insert(0 if prepend else len(hooks), hook)
    changed(owner)
    return RemovableHandle(owner, hooks, hook)


class Hooks(Described):
    """Module's methods for hooks.

    A hook that returns None only looks: it is called once for each call of forward (or backward), with tensors, after
    the compiled call of the whole network and before anything has changed, in the order in which the modules ran.
    Hooks that it registers or removes count from there on, as in PyTorch: for modules that have not begun yet, and at
    the end of those that have.
    A hook that returns something replaces the value. From then on it is compiled with the network, so it has to be a
    pure function of its arguments. Several hooks run in the order in which they were registered, those of all modules
    first, and each sees the results of those before it.

    In a sequencer, hooks see the last step's values on the way forward, and the first step's gradients on the way back.
    Hooks are copied by `clone`, and never saved.
    Source: PyTorch's Modules note, "Module Hooks".
    """

    def _hook_up(self, hook: Registered, prepend: bool) -> RemovableHandle:
        return _registered(self, self.__dict__.setdefault("_hooks", []), hook, prepend)

    def register_forward_pre_hook(
        self, hook: Callable, *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """hook(module, input) -> None or another input, before forward; `prepend`: before the present hooks.

        `with_kwargs`: hook(module, args, kwargs) -> None or (args, kwargs), a tuple and a dict of all arguments.
        """
        return self._hook_up(Registered("forward_pre", hook, with_kwargs), prepend)

    def register_forward_hook(
        self, hook: Callable, *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> RemovableHandle:
        """hook(module, input, output) -> None or another output, after forward.

        `with_kwargs`: hook(module, args, kwargs, output). `always_call`: also when the module's forward raises, with
        None as output (and as input, inside a network).
        """
        return self._hook_up(Registered("forward", hook, with_kwargs, always_call), prepend)

    def register_full_backward_pre_hook(self, hook: Callable, prepend: bool = False) -> RemovableHandle:
        """hook(module, gradOutput) -> None or another gradOutput, before backward."""
        return self._hook_up(Registered("backward_pre", hook), prepend)

    def register_full_backward_hook(self, hook: Callable, prepend: bool = False) -> RemovableHandle:
        """hook(module, gradInput, gradOutput) -> None or another gradInput, after backward.

        Gradients with respect to integers are None.
        """
        return self._hook_up(Registered("backward", hook), prepend)

    def __deepcopy__(self, memo: dict) -> Self:
        made = super().__deepcopy__(memo)  # type: ignore[misc]
        if self._hooks:
            made.__dict__["_hooks"] = [hook.copied() for hook in self._hooks]
        return made

    # Modules whose forward and backward a user wrote: nothing is compiled ---------------------------------------------

    def _through(self, kind: str, value: Any, before: tuple = (), after: tuple = ()) -> Any:
        """A value after the hooks of a kind: hook(module, *before, value, *after)."""
        for hook in standing(self):
            if hook.kind == kind:
                new = hook(self, *before, value, *after)
                if new is not None:
                    value = as_tensors(only_input(self.title(), *new) if hook.gives_arguments else new)
        return value

    def _output_by_hand(self, input: Any) -> Any:
        input = self._through("forward_pre", as_tensors(input))
        try:
            output = super()._output_by_hand(input)  # type: ignore[misc]
        except Exception:
            for hook in standing(self):
                if hook.always_call:
                    hook(self, input, None)
            raise
        return self._through("forward", output, (input,))

    def _gradient_by_hand(self, input: Any, grad_output: Any, scale: float) -> Any:
        grad_output = self._through("backward_pre", None if grad_output is None else as_tensors(grad_output))
        grad_input = super()._gradient_by_hand(input, grad_output, scale)  # type: ignore[misc]
        return self._through("backward", grad_input, after=(grad_output,))


def register_module_forward_pre_hook(hook: Callable) -> RemovableHandle:
    """As `Module.register_forward_pre_hook`, for all modules."""
    return _registered(everywhere, everywhere, Registered("forward_pre", hook))


def register_module_forward_hook(
    hook: Callable, *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """As `Module.register_forward_hook`, for all modules."""
    return _registered(everywhere, everywhere, Registered("forward", hook, with_kwargs, always_call))


def register_module_full_backward_pre_hook(hook: Callable) -> RemovableHandle:
    """As `Module.register_full_backward_pre_hook`, for all modules."""
    return _registered(everywhere, everywhere, Registered("backward_pre", hook))


def register_module_full_backward_hook(hook: Callable) -> RemovableHandle:
    """As `Module.register_full_backward_hook`, for all modules."""
    return _registered(everywhere, everywhere, Registered("backward", hook))
