"""Torch's Criterion: a loss with state, over an immutable description."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Self

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from ... import core, losses
from ...checks.given import unfit
from ...core.types import Value
from ...layers import Node
from ...layers.graph_nodes import nodes_among
from ...network import numbers
from ...recurrent import AbstractSequencerCriterion
from ..engine.calls import Call, count
from ..engine.fitting import read
from ..engine.forms import Form
from ..engine.noting import all_looked_at
from ..engine.plan import Plan
from ..engine.waiting import waiting_for
from ..objects.described import arguments_of, overridden_in
from ..objects.generated import class_of
from ..objects.given import describe
from ..tensors.changes import changed
from ..tensors.devices import has_others, precision
from ..tensors.noted import Noted
from ..tensors.number import as_number
from ..tensors.tensor import Tensor
from ..tensors.type_names import dtype_of, precision_of
from ..tensors.values import Input, Output, as_input, noted, unwrapped, wrapped
from .criterion_copies import CriterionCopies, of_input
from .evaluations import Evaluation, Loss
from .members import OfObject


class Criterion(CriterionCopies, describes=losses.base.Criterion):
    """A loss with Torch's interface: `forward(input, target)` is a number, `backward` its gradient.

    A user's subclass defines `updateOutput(input, target)` and, unless that can be differentiated,
    `updateGradInput(input, target)`. Fields: output (0 at first) and gradInput, of the last call of this criterion, or
    of a criterion or network around it; and the arguments under Torch's names.
    It is a module: where it has parameters, its own or those of modules inside, backward adds to their gradients, and
    `parameters()`, `zeroGradParameters()`, `updateParameters(rate)`, `evaluate()` and the like are those of modules.
    Source: nn/doc/criterion.md#nn.Criterion.
    """

    takes_an_input = False
    _kept: Evaluation | None = None
    _inherits_gradient = False
    """Whether a class that defines only its loss has the gradient of the class above."""
    _own_effects = False
    """Whether a class of this package does more than its description says."""
    _zero_mask: Any = None

    def __init__(self, *args: Any, **kwargs: Any):
        """Takes Torch's arguments; None takes a default, as nil does."""
        if self.spec_class is not None:
            self._take(*describe(self.spec_class, args, kwargs))
            names = (parameter.name for parameter in arguments_of(self.spec_class))
            self._hold(dict(zip(names, args, strict=False)) | kwargs)

    def _respecify(self, spec: core.Module) -> bool:
        self._take(numbers.tuned(spec, self._spec), [])
        changed(self)
        return True

    def _cast(self, type_name: str, cache: dict) -> None:
        """Casts the tensors; those that are unchanged are cast from the given values, with all their digits."""
        given = {name: np.asarray(getattr(self._spec, name)) for name in self._arrays}
        same = [
            n for n, array in given.items() if np.array_equal(array.astype(self.__dict__[n].dtype), self.__dict__[n])
        ]
        super()._cast(type_name, cache)
        for name in same:
            self.__dict__[name].copy(given[name])

    def _is_users(self) -> bool:
        """Whether a user has defined its loss or its gradient, for the class or the object."""
        return self.overrides("updateOutput") or self.overrides("updateGradInput")

    def is_foreign(self) -> bool:
        """Whether the object has to be run, because it, or one inside, does more than its description says."""
        return self._own_effects or self._is_users() or bool(self._holding and self._by_members())

    def _by_members(self) -> bool:
        """Whether the criterions inside have to be run themselves.

        So do those with parameters, whose gradients are not multiplied by the weights of a MultiCriterion.
        """
        return not self._by_plan and any(member._by_plan or member.is_foreign() for member in self.members())

    def as_foreign(self) -> core.Module:
        """The place of this object in the description of what is around it."""
        return OfObject(self)

    def _planned(self, form: Form | None = None) -> Plan:
        return self._planned_outside() if self.is_foreign() else super()._planned(form)

    # What forward and backward leave -------------------------------------------------------------------------------

    def _left_by_call(self, field: str, find: Callable[[Call], Any]) -> Any:
        self._catch_up()
        self.__dict__.setdefault("_own_output", (0, 0))
        if self._by_plan:
            return super()._left_by_call(field, find)
        return self.__dict__.setdefault(field, (0, self._as_made(field)))[1]

    def _catch_up(self, after: int | None = None, with_networks: bool = True) -> None:
        """Computes what this criterion shows if it was part of a criterion or network that ran `after` a moment.

        The moment is by default that of its last loss.
        """
        after = self._number() if after is None else after
        around = self.__dict__.get("_around", lambda: None)()
        if around is not None:
            around._catch_up(after, with_networks)
            around._run_members(after)
        if with_networks and not (self._by_plan or self.is_foreign()):
            self._follow(self._newest_call())

    def _number(self) -> int:
        """When its loss was computed, as a count of calls."""
        return self.__dict__.get("_own_output", (0, 0))[0]

    def _follow(self, call: Call | None) -> None:
        """Computes the loss, and the gradient, of its input in a network's call, unless this was done."""
        if call is None:
            return
        pulled, number = call.cotangents is not None, self._number()
        last_call, last_pulled, last_number = self.__dict__.get("_followed", (0, False, 0))
        again = last_call == call.number and pulled > last_pulled and last_number == number
        given = call.input_of(self) if again or call.number > number else None
        if given is not None:
            self.updateOutput(*given)
            if pulled:
                self.updateGradInput(*given)
            self.__dict__["_followed"] = (call.number, pulled, self._number())

    def _run_members(self, after: int) -> None:
        """Runs the criterions inside, if this one has been computed as a whole after a moment."""
        whole, pulled = self.__dict__.get("_whole", (0, False))
        if whole > after and (kept := self._kept) is not None:
            evaluation = self._evaluated_by_members(kept.input, kept.target, kept.spec)
            if pulled:
                evaluation.gradient()

    def _all_members(self) -> Iterator[Criterion]:
        for member in self.members():
            yield member
            yield from member._all_members()

    def surround(self) -> None:
        """Tells the criterions inside that this one was computed as a whole, so that they look here."""
        for member in self.members():
            member.__dict__["_around"] = weakref.ref(self)
            member.surround()

    def _computed_as_a_whole(self, pulled: bool) -> None:
        self.__dict__["_whole"] = (next(count), pulled)
        self.surround()

    # Forward and backward -------------------------------------------------------------------------------------------

    def forward(self, input: Input, target: Input | None = None) -> float:
        """The loss, a number. Raises ValueError for targets that make no sense, such as a class 0."""
        if not self._has_own_loss():
            return self.updateOutput(input, target)
        return self._by_user("output", self.updateOutput, input, target)

    def backward(self, input: Input, target: Input | None = None) -> Output:
        """The gradient of the loss with respect to the input, shaped as it."""
        if not self._has_own_loss():
            return self.updateGradInput(input, target)
        return self._by_user("gradInput", self.updateGradInput, input, target)

    _part_loss, _part_gradient = forward, backward
    """What criterions around this one ask for, whatever `forward` and `backward` a program has given it."""

    def _by_user(self, field: str, method: Callable, input: Input, target: Input | None) -> Any:
        """What a user's method gives; a field is then that, or what the method has put there."""
        kept = "_own_output" if field == "output" else "_grad_input"
        before = self.__dict__.get(kept, (0, None))[0]
        with precision_of(self._type):
            found = method(input, target)
        if self.__dict__.get(kept, (0, None))[0] == before:
            setattr(self, field, found)
        return found

    def updateOutput(self, input: Value, target: Value = None) -> Value:
        """Computes the loss; the gradient comes with it in the same call, unless there are arrays."""
        if self._by_plan:
            return super().updateOutput(self._pair(input, target))
        output = self._evaluated(input, target).loss
        if type(output) is not float and core.is_concrete(output):  # in a user's traced method it has no value yet
            output = as_number(output)
        self.__dict__["_own_output"] = (next(count), output)  # quicker than by the property
        return output

    def updateGradInput(self, input: Value, target: Value = None) -> Value:
        """Computes the gradient, unless forward has done so for the same values; adds the gradients of parameters."""
        if self._has_own_loss() and not self._is_asked_from_below():
            return self._gradient_of_own_loss(input, target)
        if self._by_plan:
            return of_input(super().backward(self._pair(input, target)))
        kept = self._kept
        if kept is None or not kept.stands(input, target, self.own_description()):
            kept = self._evaluated(input, target)
        gradient = wrapped(kept.gradient())
        self.__dict__["_grad_input"] = (next(count), gradient)
        if self._holding and self.members() and not self._by_members():
            self._computed_as_a_whole(pulled=True)
        return gradient

    def _pair(self, input: Input, target: Input | None) -> list:
        """Input and target as one table."""
        return [as_input(input, self._spec.traits.takes_table), target]

    def _is_asked_from_below(self) -> bool:
        """Whether a class below that writes loss and gradient, and asks this one, wants the gradient of its loss."""
        return self._spec is not None and (self._inherits_gradient or overridden_in(self.__class__, "updateGradInput"))

    def _has_own_loss(self) -> bool:
        return overridden_in(self.__class__, "updateOutput")

    def _gradient_of_own_loss(self, input: Input, target: Input | None) -> Any:
        def loss(value: Any) -> jax.Array:
            return jnp.asarray(unwrapped(self.updateOutput(wrapped(value), target)))

        return wrapped(jax.grad(loss)(jax.tree.map(jnp.asarray, unwrapped(input))))

    def _evaluated(self, input: Input, target: Input | None) -> Evaluation:
        if self._spec is None:
            raise NotImplementedError(f"{self.typename()} must define updateOutput(input, target)")
        spec = self.own_description()
        if self._holding and self._by_members():
            kept = self._evaluated_by_members(input, target, spec)
        else:
            both = self._computed_with_network(spec, input, target)
            loss, gradient = both or self._computed(spec, *self._arguments(input, target))
            kept = Evaluation(loss, lambda: gradient, input, target, spec)
            if self._holding and self.members():
                self._computed_as_a_whole(pulled=False)
        self.__dict__["_kept"] = kept
        return kept

    def _computed(self, spec: Any, given: Any, others: tuple, dtype: np.dtype) -> tuple[Any, Any]:
        """The loss and its gradient."""
        try:
            loss = self._loss(spec, dtype)
            loss.check(given, others)
            return loss(given, others)
        except Exception as error:
            known = unfit(spec, *losses.base.without_arrays(spec), (given, *others), error)
            if known is not None:
                raise known from error
            raise

    def _loss(self, spec: Any, dtype: np.dtype) -> Loss:
        last = self.__dict__.get("_compiled")
        if last is None or last.spec is not spec or last.dtype != dtype:
            last = self.__dict__["_compiled"] = Loss(spec, dtype)
        return last

    def _computed_with_network(self, spec: Any, input: Input, target: Input | None) -> tuple[Any, Any] | None:
        """The loss and its gradient in one program with the call that waits for it and whose output is the input.

        None if there is no such call, or if something is wrong, which `_computed` will report.
        """
        call = waiting_for(input)
        if call is None:
            return None
        others, loss = self._others(target), self._loss(spec, call.result.dtype)
        try:
            both = loss.with_call(call, others)
            loss.check(call.output if loss.checks_input else call.result, others)
        except Exception:
            return None
        return both

    def _evaluated_by_members(self, input: Input, target: Input | None, spec: Any) -> Evaluation:
        """The same, with every criterion inside run by its own methods."""
        given, others, dtype = self._arguments(input, target)
        given, others = all_looked_at((given, others))
        described = self._described(partial(OfObject, by_forward=isinstance(spec, AbstractSequencerCriterion)))
        with precision(dtype):
            arrays = jax.tree.map(lambda leaf: jnp.asarray(leaf, dtype), given)
            loss, pull = jax.vjp(lambda input: described(input, *others), arrays)

        def gradient() -> Any:
            with precision(dtype):
                return pull(jnp.ones_like(loss))[0]

        return Evaluation(loss, gradient, input, target, spec)

    def _arguments(self, input: Input, target: Input | None) -> tuple[Any, tuple, np.dtype]:
        """(input, (target[, mask]), dtype of the loss), as arrays."""
        if isinstance(input, (list, tuple)) and self._spec.traits.takes_table:  # also one of plain numbers
            given = [read(self._spec, each, _read) for each in input]
        else:
            given = read(self._spec, input, _read)
        others = self._others(target)
        first = next(iter(jax.tree.leaves(given)), None) if isinstance(given, (list, dict)) else given
        # Results of JAX keep their precision; NumPy's float64 is only how NumPy writes numbers.
        dtype = first.dtype if isinstance(first, (jax.Array, Noted)) else dtype_of(self._type)
        return given, others, dtype

    def _others(self, target: Input | None) -> tuple:
        """(target[, mask]), as arrays."""
        given = read(self._spec, target, _read)
        masked = self._zero_mask is not None and self.own_description().takes_mask
        return (given, self._zero_mask) if masked else (given,)

    def __call__(self, input: Value, target: Input | None = None) -> Value:
        """(forward, backward) of an input and a target; criterion([prediction, target]) of nodes is a graph's node."""
        nodes = nodes_among((input,))
        if nodes is not None:
            return Node(class_of(losses.ModuleFromCriterion)(self), *nodes)
        return self.forward(input, target), self.backward(input, target)

    def setZeroMask(self, zeroMask: npt.ArrayLike | Tensor | None) -> None:
        """Sets which examples are padding (1): batchsize, or seqlen x batchsize around sequences; False: none.

        It applies to this criterion and those inside; criterions that do not mask ignore it.
        """
        if zeroMask is not False and zeroMask is not None:
            mask = np.asarray(unwrapped(zeroMask))
            if mask.dtype.kind not in "biu":
                raise TypeError(f"{self.typename()}: expecting zeroMask tensor of bytes or false, got {mask.dtype}")
            zeroMask = mask != 0
        for criterion in (self, *self._all_members()):
            criterion.__dict__.update(_zero_mask=zeroMask, _kept=None)

    def type(self, type: str | None = None, tensorCache: dict | None = None) -> Self:
        """Casts every tensor; returns the criterion. Raises ValueError without a type."""
        if type is None:
            raise ValueError("Criterion: must provide a type to convert to")
        return self._typed(type, tensorCache)


def _read(value: Input | None) -> Any:
    """Users' values as arrays, or, on an accelerator, what is noted for them."""
    return noted(value) if has_others() else unwrapped(value)
