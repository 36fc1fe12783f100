"""Torch's Module: an object with state, forward and backward, over an immutable description."""

from __future__ import annotations

import builtins
from collections.abc import Iterable
from typing import Any, Self, overload

import jax
import numpy as np

from ... import core
from ...core.tree import by_position, child_names
from ...core.types import Value
from ...interop.torch7.schema import grad_name
from ...layers import Node
from ...layers.graph_nodes import nodes_among
from ...layers.initializers import shapes_of
from ...network import ZeroMask
from ..engine.calls import Call
from ..engine.fitting import Misfit
from ..engine.foreign import Foreign, gradient_by
from ..engine.forms import Form
from ..engine.outside import current_run
from ..engine.plan import Plan, with_modules
from ..engine.plans import Plans
from ..engine.waiting import forward_call
from ..objects import composed, layered
from ..objects.described import Described, as_own_type, overridden_in, torch_spelling
from ..objects.dpnn import TrainingHelpers
from ..objects.functional import functional
from ..objects.given import Given, describe, objects_inside
from ..objects.hidden import HiddenStates
from ..objects.misfit import unchecked
from ..objects.own_elements import take_writes
from ..objects.parameters import Parameters
from ..objects.printed import Printed
from ..objects.resized import take_sizes
from ..objects.serial import Serialization
from ..objects.tree import ModuleList, Tree
from ..tensors.changes import changed
from ..tensors.tensor import Tensor
from ..tensors.type_names import dtype_of, precision_of
from ..tensors.values import Input, Output, unwrapped, wrapped
from .results import Results


class Module(
    Tree, Parameters, HiddenStates, Serialization, TrainingHelpers, Results, Printed, Described,
    describes=core.Module, metaclass=layered.Layered,
):  # fmt: skip
    """A layer or network with Torch's interface.

    Every layer is a subclass with a description class in `spec_class`. A user's subclass defines
    `updateOutput(input)`; its gradient is then found by differentiation, unless it defines
    `updateGradInput(input, gradOutput)` and, if it has parameters, `accGradParameters(input, gradOutput, scale)`.
    Fields: output and gradInput of the last forward and backward; train; weight, bias, gradWeight, gradBias and
    other parameters under Torch's names; modules, if it has any.
    Additional names of PyTorch and BigDL, such as `state_dict` and `predict`, are available, too.
    Source: nn/doc/module.md; dpnn/README.md, Module.
    """

    _calls_by_hand = 0
    _by_plan = True
    _plans: Plans | None = None
    _state: dict[str, Any] = {}

    def __init__(self, *args: Any, **kwargs: Any):
        """Takes Torch's arguments; None takes a default, as nil does."""
        if self.spec_class is None:
            if args or kwargs:
                raise TypeError(f"{self.typename()}: expected no arguments, got {(*args, *kwargs.values())}")
            return
        spec, given = describe(self.spec_class, args, kwargs)
        self._forget_arrays()  # of a constructor that ran before
        with self._drawing(spec):
            self._take(spec, given)

    def _take(self, spec: core.Module, given: Given) -> None:
        """Becomes the object of a description, with fresh arrays; objects that were given are those inside."""
        self._take_children(spec, given)
        before, self.__dict__["_spec"] = self.__dict__.get("_spec"), as_own_type(self, spec)
        self.__dict__["_state"] = {}
        self._make_buffers()
        self._make_parameters(before)
        changed(self)

    def _take_children(self, spec: core.Module, given: Given) -> None:
        """Makes the objects inside that were not given."""
        modules = objects_inside(spec, given)
        if by_position(spec) or spec.children():
            self.__dict__["modules"] = ModuleList(spec.torch_name(), modules)

    def _respecify(self, spec: core.Module) -> bool:
        before, counts = self._spec, super()._respecify(spec)
        if counts:
            self._make_buffers()
            self._make_parameters(before)
        return counts

    def _make_buffers(self) -> None:
        """Makes missing buffers: saved arrays as tensors, all others in `_state`."""
        dtype = dtype_of(self._type)
        for name, value in self._initial_buffers().items():
            if name in self._state or isinstance(self.__dict__.get(name), Tensor):
                continue
            is_array = isinstance(value, (jax.Array, np.ndarray))
            has_fractions = is_array and jax.numpy.issubdtype(value.dtype, np.floating)
            if is_array and name not in self._spec.traits.transient:
                self.__dict__[name] = self._made(value) if has_fractions else Tensor.of(value)
            else:
                self._state[name] = np.asarray(value).astype(dtype, copy=False) if has_fractions else value

    # Structure ---------------------------------------------------------------------------------------------------

    def child_names(self) -> list:
        """The modules' positions (from 0) or names in the description."""
        spec = self._spec
        return list(range(len(self.children()))) if spec is None or by_position(spec) else list(child_names(spec))

    def own_description(self) -> core.Module:
        """The object's own description; modules inside may have changed. Raises NotImplementedError if it has none."""
        if self._spec is None:
            raise NotImplementedError(f"{self.typename()} must define updateOutput(input)")
        take_writes(self)
        take_sizes(self)
        spec = self._spec
        gone = {n: False for n in shapes_of(spec) if self.__dict__.get(n) is None and hasattr(spec, n)}
        return spec.replace(**gone) if gone else spec  # `linear.bias = None` is noBias()

    def description(self) -> core.Module:
        """The immutable description of this object and all inside it."""
        if not self.is_described:
            return Foreign(self)
        return self.described_with([module.description() for module in self.children()])

    def described_with(self, inside: list) -> core.Module:
        """The description with these in place of the modules inside."""
        return with_modules(self.own_description(), inside)

    def as_foreign(self) -> core.Module:
        """Stands for this object in the description of a network that has to call the user's methods."""
        return Foreign(self)

    def functional(self) -> tuple[core.Module, core.Variables]:
        """(module, variables): this network as a pure function and its arrays; aliased parameters become `Shared`."""
        return functional(self)

    def overrides(self, name: str) -> bool:
        """Whether a user has defined this method, for the class or the object."""
        return name in self.__dict__ or overridden_in(self.__class__, name)

    def is_foreign(self) -> bool:
        """Whether the user's methods have to be called, as it cannot be described."""
        return not self.is_described or self.has_own_gradient() or self.overrides("updateOutput")

    def _planned(self, form: Form | None = None) -> Plan:
        return self._plan_of(False, form)

    def _planned_outside(self) -> Plan:
        """The plan that calls this object, whose updateOutput is the user's."""
        return self._plan_of(True)

    def _plan_of(self, as_foreign: bool, form: Form | None = None) -> Plan:
        plans = self._plans or self.__dict__.setdefault("_plans", Plans(self))
        return plans.standing(as_foreign, form)

    # Forward and backward --------------------------------------------------------------------------------------------

    def forward(self, input: Input) -> Output:
        """The output for an input: a tensor, an array, or a table of them."""
        if not self.overrides("updateOutput"):
            return self.updateOutput(input)
        if (run := current_run()) is not None:
            return run.call_made(self, (input,), {})
        if not self.has_own_gradient():
            return self._run(self._planned_outside(), input).result
        self._calls_by_hand += 1
        with precision_of(self._type):
            self.output = self._output_by_hand(input)
        return self.output

    def updateOutput(self, input: Value) -> Value:
        """Computes the output, in one compiled call, and keeps what backward needs."""
        return self._called_with(input)

    def _called_with(self, input: Input) -> Output:
        if (run := current_run()) is not None:
            return run.call_made(self, (input,), {})
        result = self._run(self._planned(), input).result
        self.__dict__.pop("_own_output", None)  # what a user's own method has left there
        return result

    def _run(self, plan: Plan, input: Input) -> Call:
        if not plan.is_step:  # a step that fails leaves those before it to backward
            self.__dict__["_call"] = None  # frees what the last call kept
        self.__dict__["_call"] = call = forward_call(plan, input, plan.keeps_residuals)
        if plan.is_step:
            self._step_taken(call)
        for sequencer, _ in plan.sequencers:
            sequencer.sequence_over(call)
        return call

    def backward(self, input: Input, gradOutput: Input | None = None, scale: float = 1) -> Output:
        """gradInput, and scale * the parameters' gradients are added to theirs, in one compiled call.

        If the input is not forward's, or has changed since, or there was no forward, the network is run on it first;
        outputs and buffers stay as they are.
        gradOutput may be left out if the output is a number (that of a CriterionTable): then it is 1.
        Raises ValueError if gradOutput has not the output's shape; RuntimeError before any forward of a network that
        draws or has recurrent state.
        """
        if self.goes_back_by_parts():
            with precision_of(self._type):
                self.gradInput = self._gradient_by_hand(input, gradOutput, scale)
            return self.gradInput
        call, state, step = self._to_pull_back(input)
        try:
            call.backward(self, gradOutput, scale, state, step)
        except Misfit:
            if not self._ends_in_users_gradient():
                raise
            return self._one_by_one(input, lambda module, *given: module.backward(*given, scale), gradOutput)
        return self._pulled_back(call, accumulated=True)

    def updateGradInput(self, input: Value, gradOutput: Value = None) -> Value:
        """The gradient with respect to the input."""
        if (found := self.without_call(input, gradOutput)) is not None:
            return found
        call, state, step = self._to_pull_back(input)
        try:
            call.pull_back(self, gradOutput, state, step)
        except Misfit:
            if not self._ends_in_users_gradient():
                raise
            return self._one_by_one(input, lambda module, *given: module.updateGradInput(*given), gradOutput)
        return self._pulled_back(call, accumulated=False)

    def _pulled_back(self, call: Call, accumulated: bool) -> Output:
        """Makes the call's gradInput the present one."""
        if not (withheld := self.withholds_gradient()):
            self.__dict__.pop("_grad_input", None)
        for slot in call.plan.drawn_slots:  # as in Torch, masks are drawn anew after backward
            slot.write(None)
        if call.plan.is_step:
            self._step_pulled(call, accumulated)
        return None if withheld else call.grad_input_of(self)

    def accGradParameters(self, input: Value, gradOutput: Value, scale: float = 1) -> None:
        """Adds scale * the parameters' gradients to theirs."""
        if self._differentiated() and self._learns():
            with self._keeping_grad_input():
                self._pulled(input, gradOutput).accumulate(scale)

    def accUpdateGradParameters(self, input: Input, gradOutput: Input, lr: float) -> None:
        """Subtracts lr * gradient from the parameters at once; shared ones change by the sum of their gradients."""
        self.defaultAccUpdateGradParameters(input, gradOutput, lr)

    def defaultAccUpdateGradParameters(self, input: Input, gradOutput: Input, lr: float) -> None:
        """The same; the gradients' tensors are unchanged."""
        if not self.overrides("accGradParameters") or (self.is_described and self.children()):  # who update themselves
            if self._differentiated():
                self._pulled(input, gradOutput).descend(lr)
            return
        fields, names = self.__dict__, self._learned()
        kept = {grad_name(name): fields[grad_name(name)] for name in names if grad_name(name) in fields}
        try:  # Torch's trick: the user's method adds to what it takes for gradients
            fields.update({grad_name(name): fields[name] for name in names})
            changed(self)
            self.accGradParameters(input, gradOutput, -lr)
        finally:
            fields.update(kept)
            changed(self)

    def sharedAccUpdateGradParameters(self, input: Input, gradOutput: Input, lr: float) -> None:
        """The same through the gradients' tensors, which other modules may share."""
        if self.parameters()[0]:
            self.zeroGradParameters()
            self.accGradParameters(input, gradOutput, 1)
            self.updateParameters(lr)

    def backwardUpdate(self, input: Input, gradOutput: Input, lr: float) -> Output:
        """updateGradInput, then accUpdateGradParameters; returns gradInput."""
        gradient_by(self, input, gradOutput)
        self.accUpdateGradParameters(input, gradOutput, lr)
        return self.gradInput

    def _learns(self) -> bool:
        """Whether there are parameters; a valid plan knows."""
        plan = self._plans and self._plans.newest
        if plan and plan.is_plain and not plan.is_stale:
            return bool(plan.all_parameters.tensors)
        return bool(self.parameters()[0])

    def _pulled(self, input: Input, grad_output: Input) -> Call:
        """The call whose parameters' gradients are needed, pulled back."""
        call, state, step = self._to_accumulate(input)
        if not call.is_pulled_back or not call.was_given(grad_output):
            call.pull_back(self, grad_output, state, step)
        return call

    def __call__(self, *given: Value) -> Value:
        """module(node), module([nodes]), module(): a node of a graph.

        Otherwise module(input) is forward, and module(input, gradOutput) also backward: (output, gradInput).
        """
        nodes = nodes_among(given)
        if nodes is not None:
            return Node(self, *nodes)
        pair: tuple[Value, ...] = (*given, None)
        input, gradOutput = pair[:2]
        output = self.forward(input)
        return output if gradOutput is None else (output, self.backward(input, gradOutput))

    def __neg__(self) -> Node:
        """`-module`: a node without inputs."""
        return Node(self)

    def __rsub__(self, nodes: Iterable[Node]) -> Node:
        """`[nodes] - module`: the module's node, whose inputs they are."""
        return Node(self, *nodes)

    # Fields ----------------------------------------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        if layered.brought(builtins.type(self), name):
            return builtins.type(self).__getattribute__(self, name)
        if not name.startswith("_") and (spec := unchecked(self)) is not None:
            if name in self._state:
                value = self._state[name]
                value = value.value if isinstance(value, (core.Emitted, ZeroMask)) else value
                return float(value) if np.ndim(value) == 0 and value is not None else wrapped(value)
            if name in spec.traits.exposes:
                call = self._newest_call()
                if call is not None:
                    return call.exposed_by(self, name)
            if not by_position(spec):
                for child, each in zip(child_names(spec), self.children(), strict=True):
                    if name in (child, torch_spelling(type(spec), str(child))):
                        return each
        try:
            return super().__getattr__(name)
        except AttributeError:
            if name.startswith("__") or not composed.has(self, name):
                raise
            return composed.field(self, name)

    def __setattr__(self, name: str, value: Value) -> None:
        if name in layered.fields:
            layered.bring(name)
        if name == "zeroMask" and name in self._state:
            self.setZeroMask(value)
            return
        if name in self._state and name != "output":
            self._state[name] = unwrapped(value)
            return
        if name == "modules" and not isinstance(value, Described):
            self.__dict__["modules"] = ModuleList(self.typename(), value)
            changed(self)
        else:
            super().__setattr__(name, value)
            if callable(value) and hasattr(builtins.type(self), name):
                changed(self)

    def clearState(self) -> Self:
        """Drops output, gradInput, recurrent state and everything that backward needs; parameters stay."""
        for module in self.children():
            module.clearState()
        call, self.__dict__["_call"] = self._call, None
        left = self._kept("_own_output") if call is None else call.result
        pulled = self._kept("_grad_input") if call is None or call.grad_input is None else call.arguments[2]
        self.output, self.gradInput = self._emptied(left), self._emptied(pulled)
        self.forget() if self.overrides("forget") else self._forget_own()  # those inside have done so
        return self

    def __getitem__(self, name: str) -> Module:
        """`model["conv1"]`: the module of this name."""
        return self._called_so(name)

    def __setstate__(self, state: dict[str, object]) -> None:
        for name in layered.fields.keys() & state.keys():
            layered.bring(name)
        self.__dict__.update(state)
        changed(self)

    def _cast(self, type_name: str, cache: dict) -> None:
        super()._cast(type_name, cache)
        for name, value in self._state.items():
            if isinstance(value, (jax.Array, np.ndarray)):
                self._state[name] = np.asarray(value).astype(dtype_of(type_name))

    @overload
    def type(self, type: None = None, tensorCache: dict | None = None) -> str: ...

    @overload
    def type(self, type: str, tensorCache: dict | None = None) -> Self: ...

    def type(self, type: str | None = None, tensorCache: dict | None = None) -> str | Self:
        """Torch's name of the type; with a name, casts all tensors and returns the module."""
        return self._type if type is None else self._typed(type, tensorCache)
