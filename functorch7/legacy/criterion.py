"""Torch's Criterion: a loss with state, over an immutable description."""

from __future__ import annotations

import copy
import weakref
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from .. import core, losses
from ..core import numbers
from ..layers import Node
from ..layers.graph import nodes_among
from .changes import changed
from .described import Described, Given, describe, overridden_in, taken_from
from .dpnn import Batches
from .generated import class_of, object_of
from .members import FIELDS, OfObject
from .storage import dtype_of, precision
from .tensor import Tensor
from .values import unwrapped, wrapped


@core.kept
def _value_and_gradient(spec: Any, dtype: Any) -> Any:
    """(numbers, input, target[, mask]) -> the loss and its gradient with respect to the input, in one compiled call."""

    def cast(leaf: Any) -> Any:
        return jnp.asarray(leaf).astype(dtype)

    def run(taken: list, input: Any, *others: Any) -> Any:
        return jax.value_and_grad(numbers.put_in(spec, taken).loss)(jax.tree.map(cast, input), *others)

    return core.Compiled(jax.jit(run))


def _stamp(value: Any) -> Any:
    """What changes when a value is written to; None for tables, which are not looked through."""
    if isinstance(value, Tensor):
        return value.array
    if isinstance(value, np.ndarray):
        return value.tobytes()
    return value if isinstance(value, jax.Array) else None


def _unchanged(value: Any, stamp: Any) -> bool:
    now = _stamp(value)
    return now is stamp is not None or (type(now) is bytes and now == stamp)


class _Evaluation:
    """A loss with the way to its gradient, and what it is the loss of."""

    __slots__ = ("gradient", "input", "input_stamp", "loss", "spec", "target", "target_stamp")

    def __init__(self, loss: Any, gradient: Callable[[], Any], input: Any, target: Any, spec: Any):
        self.loss, self.gradient, self.input, self.target, self.spec = loss, gradient, input, target, spec
        self.input_stamp, self.target_stamp = _stamp(input), _stamp(target)

    def stands(self, input: Any, target: Any, spec: Any) -> bool:
        """Whether it is that of these values, which have not changed since."""
        return (
            input is self.input
            and target is self.target
            and (spec is self.spec or spec == self.spec)
            and _unchanged(input, self.input_stamp)
            and _unchanged(target, self.target_stamp)
        )


class Criterion(Batches, Described, describes=losses.base.Criterion):
    """A loss with Torch's interface: `forward(input, target)` is a number, `backward` its gradient.

    A user's subclass defines `updateOutput(input, target)` and, unless that can be differentiated,
    `updateGradInput(input, target)`. Fields: output, gradInput, and the arguments under Torch's names.
    Source: nn/doc/criterion.md#nn.Criterion.
    """

    _kept: _Evaluation | None = None
    calls = 0
    _own_effects = False
    """Whether a class of this package does more than its description says."""
    _zero_mask: Any = None
    _arrays: list[str] = []
    _holding: tuple[str, ...] = ()
    """The fields that hold criterions."""

    def __init__(self, *args: Any, **kwargs: Any):
        """Takes Torch's arguments; None takes a default, as nil does."""
        self.__dict__["gradInput"] = Tensor()
        if self.spec_class is not None:
            self._take(*describe(self.spec_class, args, kwargs))

    def _take(self, spec: core.Module, given: Given) -> None:
        """Becomes the object of a description; arrays among its arguments become tensors."""
        self.__dict__["_spec"] = spec
        self.__dict__.setdefault("gradInput", Tensor())
        self.__dict__["_arrays"] = self._array_fields()
        for name in self._arrays:
            self.__dict__[name] = Tensor.of(np.array(getattr(spec, name), dtype_of(self._type)))
        self.__dict__["_holding"] = tuple(name for name in FIELDS if hasattr(spec, name))
        for name in self._holding:
            if name not in self.__dict__:
                inside = getattr(spec, name)
                if isinstance(inside, tuple):
                    self.__dict__[name] = [taken_from(given, each) or object_of(each, given) for each in inside]
                else:
                    self.__dict__[name] = taken_from(given, inside) or object_of(inside, given)

    def _array_fields(self) -> list[str]:
        return [name for name, value in vars(self._spec).items() if isinstance(value, core.Const)]

    def _respecify(self, spec: core.Module) -> bool:
        self._take(numbers.tuned(spec, self._spec), [])
        changed(self)
        return True

    def _cast(self, type_name: str, cache: dict) -> None:
        """Casts the tensors; those that are as they were given are taken from there, with all their digits."""
        given = {name: np.asarray(getattr(self._spec, name)) for name in self._arrays}
        same = [
            n for n, array in given.items() if np.array_equal(array.astype(self.__dict__[n].dtype), self.__dict__[n])
        ]
        super()._cast(type_name, cache)
        for name in same:
            self.__dict__[name].copy(given[name])

    def description(self) -> Any:
        """The immutable description as it stands, with the tensors' present values and the criterions inside."""
        if self._spec is None or self._is_users():
            return OfObject(self)
        return self._whole()

    def _whole(self) -> Any:
        """The description, whatever methods a user has written."""
        return self._described(lambda criterion: criterion.description())

    def _described(self, of: Callable[[Criterion], Any]) -> Any:
        """The description, of which `of` describes the criterions inside."""
        if not self._arrays and not self._holding:
            return self._spec
        changes: dict[str, Any] = {name: core.Const(self.__dict__[name]) for name in self._arrays}
        for name in self._holding:
            inside = self.__dict__[name]
            changes[name] = tuple(map(of, inside)) if isinstance(inside, list) else of(inside)
        return self._spec.replace(**changes)

    def members(self) -> list[Criterion]:
        """The criterions inside."""
        found: list[Criterion] = []
        for name in self._holding:
            inside = self.__dict__[name]
            found += inside if isinstance(inside, list) else [inside]
        return found

    def _is_users(self) -> bool:
        """Whether a user has written its loss or its gradient."""
        return self._has_own_loss() or overridden_in(self.__class__, "updateGradInput")

    def is_foreign(self) -> bool:
        """Whether the object has to be run, because it does, or one inside, what its description does not say."""
        return self._own_effects or self._is_users() or any(member.is_foreign() for member in self.members())

    # What forward and backward leave -------------------------------------------------------------------------------

    @property
    def output(self) -> Any:
        """The loss of the last forward, of a criterion around this one, too; 0 at first."""
        self._catch_up()
        return self.__dict__.get("output", 0)

    @output.setter
    def output(self, value: Any) -> None:
        self.__dict__["output"] = value

    @property
    def gradInput(self) -> Any:
        """The gradient of the last backward, of a criterion around this one, too; empty at first."""
        self._catch_up()
        return self.__dict__["gradInput"]

    @gradInput.setter
    def gradInput(self, value: Any) -> None:
        self.__dict__["gradInput"] = value

    def _catch_up(self) -> None:
        """Lets the criterion around this one, which was computed as a whole, run those inside for what they show."""
        while (around := self.__dict__.pop("_around", None)) is not None:
            if around() is not None:  # which may leave this to one between them
                around()._run_members()

    def _run_members(self) -> None:
        kept, pulled = self._kept, self.__dict__.get("_pulled", False)
        for member in self._all_members():
            member.__dict__.pop("_around", None)
        if kept is not None:
            evaluation = self._evaluated_by_members(kept.input, kept.target, kept.spec)
            if pulled:
                evaluation.gradient()

    def _all_members(self) -> Iterator[Criterion]:
        for member in self.members():
            yield member
            yield from member._all_members()

    def _computed_as_a_whole(self, pulled: bool) -> None:
        self.__dict__["_pulled"] = pulled
        for member in self._all_members():
            member.__dict__["_around"] = weakref.ref(self)

    # Forward and backward -------------------------------------------------------------------------------------------

    def forward(self, input: Any, target: Any = None) -> Any:
        """The loss, a number. Raises ValueError for targets that make no sense, such as a class 0."""
        if not self._has_own_loss():
            return self.updateOutput(input, target)
        with precision(dtype_of(self._type)):
            output = self.__dict__["output"] = self.updateOutput(input, target)
        return output

    def backward(self, input: Any, target: Any = None) -> Any:
        """The gradient of the loss with respect to the input, shaped as it."""
        if not self._has_own_loss():
            return self.updateGradInput(input, target)
        with precision(dtype_of(self._type)):
            gradient = self.__dict__["gradInput"] = self.updateGradInput(input, target)
        return gradient

    def updateOutput(self, input: Any, target: Any = None) -> Any:
        """Computes the loss; the gradient comes with it in the same call."""
        # np.asarray first: quicker than float() of a JAX array.
        output = self.__dict__["output"] = float(np.asarray(self._evaluated(input, target).loss))
        return output

    def updateGradInput(self, input: Any, target: Any = None) -> Any:
        """Computes the gradient, unless forward of the same input and target has done so."""
        if self._has_own_loss():
            return self._gradient_of_own_loss(input, target)
        kept = self._kept
        if kept is None or not kept.stands(input, target, self._whole()):
            kept = self._evaluated(input, target)
        gradient = self.__dict__["gradInput"] = wrapped(kept.gradient())
        if self.members() and not self._by_members():
            self._computed_as_a_whole(pulled=True)
        return gradient

    def _by_members(self) -> bool:
        """Whether the criterions inside have to be run themselves."""
        return any(member.is_foreign() for member in self.members())

    def _has_own_loss(self) -> bool:
        return overridden_in(self.__class__, "updateOutput")

    def _gradient_of_own_loss(self, input: Any, target: Any) -> Any:
        def loss(value: Any) -> jax.Array:
            return jnp.asarray(unwrapped(self.updateOutput(wrapped(value), target)))

        return wrapped(jax.grad(loss)(jax.tree.map(jnp.asarray, unwrapped(input))))

    def _evaluated(self, input: Any, target: Any) -> _Evaluation:
        if self._spec is None:
            raise NotImplementedError(f"{self.typename()} must define updateOutput(input, target)")
        spec = self._whole()
        if self._by_members():
            kept = self._evaluated_by_members(input, target, spec)
        else:
            given, others, dtype = self._arguments(input, target)
            spec.check(given, *others)
            bare, taken = numbers.taken_out(spec)
            run = partial(_value_and_gradient(bare, dtype), taken)
            if dtype.itemsize == 8:
                with precision(dtype):
                    loss, gradient = run(given, *others)
            else:
                loss, gradient = run(given, *others)
            kept = _Evaluation(loss, lambda: gradient, input, target, spec)
            if self.members():
                self._computed_as_a_whole(pulled=False)
        self.__dict__["_kept"] = kept
        return kept

    def _evaluated_by_members(self, input: Any, target: Any, spec: Any) -> _Evaluation:
        """The same, where every criterion inside is run by its own methods."""
        given, others, dtype = self._arguments(input, target)
        with precision(dtype):
            arrays = jax.tree.map(lambda leaf: jnp.asarray(leaf, dtype), given)
            loss, pull = jax.vjp(lambda input: self._described(OfObject).loss(input, *others), arrays)

        def gradient() -> Any:
            with precision(dtype):
                return pull(jnp.ones_like(loss))[0]

        return _Evaluation(loss, gradient, input, target, spec)

    def _arguments(self, input: Any, target: Any) -> tuple[Any, tuple, np.dtype]:
        """(input, (target[, mask]), dtype of the loss), as arrays."""
        if self._spec.traits.takes_table:  # also one of plain numbers
            given = [unwrapped(each) for each in input] if isinstance(input, (list, tuple)) else unwrapped(input)
        else:
            given = unwrapped(input)
        first = given if isinstance(given, jax.Array) else next(iter(jax.tree.leaves(given)), None)
        # Results of JAX keep their precision; NumPy's float64 is only how NumPy writes numbers.
        dtype = first.dtype if isinstance(first, jax.Array) else dtype_of(self._type)
        masked = self._zero_mask is not None and self._whole().takes_mask
        return given, (unwrapped(target), self._zero_mask) if masked else (unwrapped(target),), dtype

    def __call__(self, input: Any, target: Any = None) -> Any:
        """(forward, backward) of an input and a target; criterion([prediction, target]) of nodes is a graph's node."""
        nodes = nodes_among((input,))
        if nodes is not None:
            return Node(class_of(losses.ModuleFromCriterion)(self), *nodes)
        return self.forward(input, target), self.backward(input, target)

    def setZeroMask(self, zeroMask: Any) -> None:
        """Says which examples are padding (1): batchsize, or seqlen x batchsize around sequences; False: none is.

        It counts for this criterion and those inside; criterions that do not mask take no notice.
        """
        if zeroMask is not False and zeroMask is not None:
            mask = np.asarray(unwrapped(zeroMask))
            if mask.dtype.kind not in "biu":
                raise TypeError(f"{self.typename()}: expecting zeroMask tensor of bytes or false, got {mask.dtype}")
            zeroMask = mask != 0
        for criterion in (self, *self._all_members()):
            criterion.__dict__.update(_zero_mask=zeroMask, _kept=None)

    def clone(self) -> Criterion:
        """A deep copy."""
        return copy.deepcopy(self)

    def type(self, type: str | None = None, tensorCache: dict | None = None) -> Criterion:
        """Casts every tensor; returns the criterion. Raises ValueError without a type."""
        if type is None:
            raise ValueError("Criterion: must provide a type to convert to")
        return self._typed(type, tensorCache)

    def cudaHalf(self, tensorCache: dict | None = None) -> Criterion:
        """Moves to the GPU, as float16."""
        return self.type("torch.CudaHalfTensor", tensorCache)

    def cudaDouble(self, tensorCache: dict | None = None) -> Criterion:
        """Moves to the GPU, as float64."""
        return self.type("torch.CudaDoubleTensor", tensorCache)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_kept", "_around", "_pulled")}

    def __repr__(self) -> str:
        return self.typename()
