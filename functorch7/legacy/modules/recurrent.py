"""Recurrent modules whose objects do more than their descriptions say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np

from ... import core, recurrent
from ...core.types import Value
from ...interop.torch7.schema import grad_name
from ...layers import Identity
from ...layers.quantized import Around as AroundSpec
from ...layers.quantized import computing
from ..objects import composed, nested
from ..objects.described import Described
from ..objects.generated import object_of
from ..objects.given import Given, describe, put_among, taken_from
from ..tensors.devices import precision
from ..tensors.elsewhere import in_snakes
from ..tensors.named import under_name
from ..tensors.values import Output, unwrapped, wrapped
from .by_step import StepFields
from .container import Container
from .module import Module
from .step_graphs import graph_of


def coupling(store: str, name: str, what: str) -> property:
    """A Torch field that receives another network's state, or its gradient."""

    def kept(self: Any) -> dict:
        once = isinstance(computing(self._spec), recurrent.SequenceLayer)
        return self.__dict__.setdefault(f"{'_next' if once else '_user'}_{store}", {})

    def get(self: Any) -> Any:
        return wrapped(kept(self).get(name))

    def put(self: Any, value: Any) -> None:
        given = kept(self)
        given.pop(name, None)
        if value is not None:
            given[name] = np.asarray(unwrapped(value))

    return property(get, put, doc=what)


def initial_gradient(name: str) -> property:
    """A Torch field with the gradient at an initial state that was given."""

    def get(self: Any) -> Any:
        plan, call = self._called()
        if plan.is_step:
            values = plan.history.grad_states.get(0)
        else:
            values = None if call is None else call.state_gradient
        return None if not values else wrapped(self._values(plan, values).get((id(self), name)))

    return property(get, doc=f"The gradient at an initial {name} that was given, after a whole backward; else None.")


class Coupled(Module):
    """Torch's fields for coupling networks, such as an encoder and a decoder.

    userPrevOutput, userPrevCell: the initial state instead of zeros; after backward, userGradPrevOutput and
    userGradPrevCell are the gradients with respect to them. gradPrevOutput (or userNextGradOutput) and
    userNextGradCell: gradients that flow into the last state. In layers of whole sequences (SeqLSTM) they apply to one
    call.
    """

    userPrevOutput = coupling("state", "output", "The initial output.")
    userPrevCell = coupling("state", "cell", "The initial cell.")
    gradPrevOutput = coupling("gradient", "output", "The gradient that flows into the last output.")
    userNextGradOutput = gradPrevOutput
    userNextGradCell = coupling("gradient", "cell", "The gradient that flows into the last cell.")
    userGradPrevOutput = initial_gradient("output")
    userGradPrevCell = initial_gradient("cell")


class Around(Coupled, describes=AroundSpec):
    """nn.Quantized and the like; around a recurrent module they have its coupling fields and its `rho`."""

    @property
    def rho(self) -> int:
        """How many steps are kept for backward."""
        return self._spec.rho

    @rho.setter
    def rho(self, rho: int) -> None:
        self._respecify(self._spec.replace(module=self._spec.module.replace(rho=rho)))


def _steps_back(rho: int | None = None) -> int:
    """The argument of the abstract class."""
    return 99999 if rho is None else rho


class AbstractRecurrent(StepFields, Coupled, Container, describes=recurrent.AbstractRecurrent):
    """nn.AbstractRecurrent: forward is one time step; backward, in reverse order, one step of back-propagation.

    There are no clones: one module runs at every step, and `getStepModule` shows it with a step's results. The abstract
    class itself takes `rho`, how many steps backward goes back (99999).
    """

    def __init__(self, *args: Any, **kwargs: Any):
        if self.spec_class is not None:
            return super().__init__(*args, **kwargs)
        super().__init__()
        self.rho = _steps_back(*args, **kwargs)

    recursiveResizeAs, recursiveSet = staticmethod(nested.recursiveResizeAs), staticmethod(nested.recursiveSet)
    recursiveCopy, recursiveAdd = staticmethod(nested.recursiveCopy), staticmethod(nested.recursiveAdd)
    recursiveTensorEq, recursiveNormal = staticmethod(nested.recursiveTensorEq), staticmethod(nested.recursiveNormal)
    dpnn_stepclone = True

    def setOutputStep(self, step: int) -> None:
        """Makes `output` and `gradInput` those of a step. Raises ValueError if it is not kept."""
        call = self._steps().calls.get(step)
        if call is None:
            raise ValueError(f"{self.title()}: no output for step {step}")
        self.output = call.result
        if call.cotangents is not None:
            self.gradInput = call.grad_input_of(self)

    @property
    def updateGradInputStep(self) -> int:
        """The step after the one whose updateGradInput is next."""
        return self._steps().pulled

    @property
    def accGradParametersStep(self) -> int:
        """The step after the one whose accGradParameters is next."""
        return self._steps().accumulated

    def recycle(self, offset: int = 0) -> Self:
        """Does nothing: every forward drops steps older than rho."""
        return self

    def includingSharedClones(self, f: Callable[[], Value]) -> Output:
        """f(): there are no clones beside the module."""
        return f()

    def _deprecated(self, *args: Any, **kwargs: Any) -> None:
        """Raises NotImplementedError, as in Torch: backward does it."""
        raise NotImplementedError("DEPRECATED Jan 8, 2016")

    backwardThroughTime = updateGradInputThroughTime = accGradParametersThroughTime = _deprecated
    accUpdateGradParametersThroughTime = backwardUpdateThroughTime = _deprecated


class AbstractSequencer(Container, describes=recurrent.AbstractSequencer):
    """nn.AbstractSequencer: modules that take whole sequences."""

    def getStepModule(self, step: int) -> Output:
        """Raises: there are no modules for steps."""
        raise NotImplementedError("DEPRECATED 27 Oct 2015. Wrap your internal modules into a Recursor instead")

    def maxBPTTstep(self, rho: int) -> None:
        """Does nothing: the length of the sequence decides."""


class ForgetsWhenCast(AbstractRecurrent):
    """A recurrence that begins anew after a cast, as rnn's LSTMs do; its other ones go on."""

    def _cast(self, type_name: str, cache: dict) -> None:
        super()._cast(type_name, cache)
        self._forget_own()


class LSTM(ForgetsWhenCast, describes=recurrent.LSTM):
    """nn.LSTM. A user's subclass may define its own buildGate, buildInputGate, buildForgetGate, buildOutputGate,
    buildHidden, buildCell or buildModel, each of which returns a module.

    Fields: inputGate, forgetGate, hiddenLayer, cellLayer, outputGate, unless buildModel is the user's.
    """

    factories = (
        "buildGate", "buildInputGate", "buildForgetGate", "buildOutputGate", "buildHidden", "buildCell", "buildModel",
    )  # fmt: skip

    def _take(self, spec: core.Module, given: Given) -> None:
        builds = not given and any(self.overrides(name) for name in self.factories)
        if builds:  # until it has built its own, and without numbers being drawn for another
            given.append((spec.child_modules()[0], object_of(Identity())))
        super()._take(spec, given)
        if builds:
            self.modules[0] = self.buildModel()


class _Parts:
    """An LSTM's description for its factory methods, with parts that an object's own methods build."""

    def __init__(self, spec: recurrent.LSTM, around: Any):
        self.spec, self.around = spec, around
        self.given: Given = []

    def __getattr__(self, name: str) -> Any:
        if name not in _FACTORIES:
            return getattr(self.spec, name)
        return lambda: put_among(self.given, getattr(self.around, _FACTORIES[name])())

    def _set(self, **_: Any) -> None:
        """Ignores the order in which parts are made, as they are objects already."""

    def _linear_parts(self) -> list[core.Module]:
        return self.spec._linear_parts()


def built_part(spec: recurrent.LSTM, around: Value, name: str) -> Value:
    """What a factory method of Torch's LSTM builds from the results of an object's other ones."""
    parts = _Parts(spec, around)
    made = getattr(recurrent.LSTM, in_snakes(name))(parts)
    return taken_from(parts.given, made)


_FACTORIES = {in_snakes(name): name for name in LSTM.factories}


def _factory(name: str) -> Callable:
    def build(self: Any) -> Any:
        return built_part(self._spec, self, name).type(self.type())

    return under_name(name, build, "What Torch builds here; a subclass may build something else.", of="LSTM.")


for _name in LSTM.factories:
    setattr(LSTM, _name, _factory(_name))


class FastLSTM(ForgetsWhenCast, describes=recurrent.FastLSTM):
    """nn.FastLSTM. After `nn.FastLSTM.bn = True`, new instances have batch normalisation. With it, or after
    `nn.FastLSTM.usenngraph = True`, their `recurrentModule` is a graph (without dropout). All compute the same way.
    """

    bn = False
    usenngraph = False

    def __init__(self, *args: Any, **kwargs: Any):
        """FastLSTM(inputSize, outputSize, rho, eps, momentum, affine, p, mono)."""
        spec, given = describe(recurrent.FastLSTM, args, kwargs)
        self._take(spec.replace(bn=type(self).bn), given)
        self.__dict__["usenngraph"] = type(self).usenngraph

    @property
    def recurrentModule(self) -> Described:
        """The module of one step: [x, h, c] -> [h, c]."""
        is_graph = (self.usenngraph or self._spec.bn) and not self._spec.p
        return composed.kept(self, "nngraph", lambda: graph_of(self)) if is_graph else super().recurrentModule


class GRU(AbstractRecurrent, describes=recurrent.GRU):
    """nn.GRU."""

    def migrate(self, params: list) -> None:
        """Takes the parameters of a GRU without dropout. Raises ValueError for others, and without dropout here."""
        own = self.parameters()[0]
        for wrong, message in (
            (not self._spec.p, "only support for BGRUs."),
            (len(params) != 6, "# of source params should be 6."),
        ):
            if wrong:
                raise ValueError(f"{self.title()}: {message}")
        weights, bias, recurrences, *rest = (np.asarray(unwrapped(each)) for each in params)
        size = self.outputSize
        halves = (weights[:size], bias[:size], weights[size:], bias[size:], recurrences[:size], recurrences[size:])
        for mine, theirs in zip(own, (*halves, *rest), strict=True):
            mine.copy(theirs)


class SequenceLayer(Coupled, AbstractSequencer, describes=recurrent.SequenceLayer):
    """Layers of whole sequences."""

    def maskZero(self, v1: bool = True) -> Self:
        """Rows of zeros (with False: rows that setZeroMask names) give zeros, and the state starts again there."""
        self._respecify(self._spec.mask_zero(v1))
        return self

    def resetStates(self) -> None:
        """Drops the remembered state."""
        self.forget()

    def _initial(self, name: str) -> Any:
        """A part of the last call's initial state: remembered, given, or zeros."""
        call = self.remembered_call()
        if call is None:
            return self._made()
        states = call.arguments[3], call.state_after()
        start, end = (self._values(call.plan, values)[id(self), name] for values in states)
        return wrapped(np.zeros(end.shape, end.dtype) if start is None else start)

    grad_h0 = initial_gradient("output")

    @property
    def h0(self) -> Output:
        """The output before the first step of the last call."""
        return self._initial("output")


def _as_steps(module: Any, convert: Any) -> Any:
    """A new object of single steps, with copies of a layer's parameters and gradients."""
    names = module.own_parameters()
    values = {name: module.__dict__[name].numpy() for name in names}
    gradients = {name: module.__dict__[grad_name(name)].numpy() for name in names}
    with precision(module._planned().dtype):
        spec, params = convert(values)
        both = params, convert(gradients)[1]
    made = object_of(spec).type(module.type())
    for tensors, source in zip(made.parameters(), both, strict=True):
        arrays = [
            source[name][field] for name in spec.children() for field in ("weight", "bias") if field in source[name]
        ]
        for tensor, array in zip(tensors, arrays, strict=True):
            tensor.copy(array)
    return made


class SeqLSTM(SequenceLayer, describes=recurrent.SeqLSTM):
    """nn.SeqLSTM."""

    grad_c0 = initial_gradient("cell")

    @property
    def c0(self) -> Output:
        """The cell before the first step of the last call."""
        return self._initial("cell")

    @property
    def cell(self) -> Output:
        """The cells after all steps of the last call, time first; None before it."""
        call = self.remembered_call()
        return None if call is None else wrapped(call.frames_of(self, "state.cell", False))

    def toFastLSTM(self) -> Output:
        """A new nn.FastLSTM with copies of the parameters and gradients. Raises TypeError for SeqLSTMP."""
        return _as_steps(self, self._spec.to_fast_lstm)


class SeqGRU(SequenceLayer, describes=recurrent.SeqGRU):
    """nn.SeqGRU."""

    def toGRU(self) -> Output:
        """A new nn.GRU with copies of the parameters and gradients."""
        return _as_steps(self, self._spec.to_gru)


class NormStabilizer(AbstractRecurrent, describes=recurrent.NormStabilizer):
    """nn.NormStabilizer."""

    loss: float

    def updateLoss(self) -> float:
        """beta times the mean, over the steps so far, of the penalised change; also the field `loss`."""
        call, steps = self._newest_call(), []
        if call is not None:
            changes = [slot.read_out() for slot in call.plan.slots if slot.holder is self and slot.name == "change"]
            steps = [np.asarray(change) for change in changes if change is not None]
        self.__dict__["loss"] = float(self._spec.beta * np.mean(steps)) if steps else 0.0
        return self.__dict__["loss"]
