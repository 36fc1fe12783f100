"""A user's own `backward`, which networks call in place of updateGradInput and accGradParameters, as Torch's do."""

from __future__ import annotations

from ..engine.foreign import gradient_by
from ..objects.described import Described
from ..objects.own_fields import holder_of
from ..tensors.tensor import Tensor
from ..tensors.values import Input, Output

PACKAGE = __name__.partition(".")[0]


def is_written(method: object) -> bool:
    """Whether a method is a user's, in Python or in Lua."""
    return hasattr(method, "lua") or not str(getattr(method, "__module__", "")).startswith(f"{PACKAGE}.")


class OwnBackward(Described):
    """The part of Module that knows whether a user defines the gradient, and goes back by the user's `backward`."""

    def has_own_gradient(self) -> bool:
        """Whether the user defines the gradient."""
        return self._has_parts_of_backward() or self.goes_back_itself()

    def _has_parts_of_backward(self) -> bool:
        """Whether the user defines methods that Torch's `backward` calls."""
        return self.overrides("updateGradInput") or self.overrides("accGradParameters")

    def goes_back_itself(self) -> bool:
        """Whether there is a user's `backward` nearer to the object than other methods of its gradient."""
        place = self._written_at("backward")
        return place is not None and all(
            other is None or place < other for other in map(self._written_at, ("updateGradInput", "accGradParameters"))
        )

    def _written_at(self, name: str) -> int | None:
        """Where a user has written a method: 0 in the object, then in its class, and in those above; None: nowhere."""
        kind = type(self)
        if name in vars(self):
            return 0
        return kind.__mro__.index(holder_of(kind, name)) + 1 if is_written(getattr(kind, name)) else None

    def gone_back(self, input: Input, gradOutput: Input) -> tuple[Output, list[tuple[Tensor, Tensor]] | None]:
        """gradInput by the user's method, and what it adds to each of the parameters' gradients, which is taken back.

        None in place of the latter where accGradParameters will add.
        """
        if not self.goes_back_itself():
            return gradient_by(self, input, gradOutput), None
        gradients = {(id(each.storage_), each.offset): each for each in self.parameters()[1]}.values()
        before = [each.clone() for each in gradients]
        for each in gradients:
            each.zero()
        found = gradient_by(self, input, gradOutput, lambda *given: self.backward(*given, 1))
        added = [(each, each.clone()) for each in gradients]
        for each, value in zip(gradients, before, strict=True):
            each.copy(value)
        return found, added
