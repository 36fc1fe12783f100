"""What is known of a network between changes of its structure: its program, and where its arrays are."""

from __future__ import annotations

import math
import operator
import weakref
from functools import cached_property
from typing import Any

import jax
import numpy as np

from ... import core
from ...core.hooks import Hook
from ...core.tree import Path
from ...core.types import Array, Scalar, Value
from ...interop.torch7.schema import grad_name
from ...layers import Graph, Sequential
from ...losses.base import Criterion
from ...network.zero_mask import is_zero_mask, with_zero_masks
from ...reinforce import Reinforce
from ..tensors.changes import watch
from ..tensors.devices import has_others
from ..tensors.noted import ready
from ..tensors.tensor import Tensor
from ..tensors.type_names import dtype_of
from ..tensors.values import as_input, as_noted, as_ready
from . import watched
from .ahead import Ahead
from .at_input import AtInput
from .compiled import Program
from .fields import Fields
from .foreign import are, can_be_cut, given_by, has_plain_parameters
from .forms import Form
from .layout import Layout
from .lengths import Lengths
from .noting import MOST_ELEMENTS, Noting
from .objects import Object, has_attributes
from .outside import Attributes
from .packed import Packing
from .registered import everywhere
from .running import Running
from .slots import Slot, state_slots
from .terms import Term, Terms
from .turns import Placed, placed_at
from .user_code import users_code
from .views import View
from .walk import Walk

_mode = operator.attrgetter("in_training")


def with_modules(spec: core.Module, modules: list[core.Module]) -> core.Module:
    """The description with these modules inside, if they are its field `modules`."""
    if not hasattr(spec, "modules"):
        return spec
    # Compared by identity: their numbers may be traced.
    return spec if are(spec.child_modules(), modules) else spec.replace(modules=tuple(modules))


def _begins_with_a_graph(spec: core.Module) -> bool:
    """Whether it is a graph, or a chain that begins with one."""
    while isinstance(spec, Sequential) and spec.modules:
        spec = spec.modules[0]
    return isinstance(spec, Graph)


def _ends_in_a_sample(spec: core.Module) -> bool:
    """Whether the output is a sample, which passes no gradient on."""
    if isinstance(spec, Sequential) and spec.modules:
        return _ends_in_a_sample(spec.modules[-1])
    return isinstance(spec, Reinforce)


def with_zeros(gradients: list, state: list) -> list:
    """Gradients with zeros, shaped as the state, in place of None."""
    pairs = zip(gradients, state, strict=True)
    return [jax.tree.map(_zeros, value) if gradient is None else gradient for gradient, value in pairs]


def _zeros(value: Array) -> np.ndarray:
    return np.zeros(value.shape, value.dtype)


def _term_of(module: Object, name: str) -> Term:
    """What a parameter's gradient gets: nothing where the user has frozen the parameter."""
    is_frozen = module.__dict__.get(grad_name(name)) is None or module.adds_nothing()
    return Term(scale=0) if is_frozen else module.term_of(name)


class Root(Object):
    """An object with plans, for each mode and each form of call."""

    def _plan_of(self, as_foreign: bool, form: Form | None = None) -> Plan:
        raise NotImplementedError


class Plan(Running):
    """What a network (a root object and all inside it) looks like as long as nobody changes its structure."""

    def __init__(self, root: Root, as_foreign: bool = False, form: Form | None = None):
        self.is_stale = False  # as soon as the structure of anything that it holds has changed
        self.is_in_mode = True  # until anything that it holds has been switched
        self.root, self.as_foreign, self.form = root, as_foreign, form
        self.last_call: weakref.ref | None = None
        self.filmed: tuple[tuple, Any] | None = None  # the shapes of an input, and those of a film of its call
        self.rate: Scalar = math.nan  # that updateParameters was given last
        self.is_steady = False  # whether it was given the same number before
        self.packing: Packing | None = None  # of the last step, if its results came as one array
        self._in_one_call: dict[str, bool] = {}
        self.foreign: list[Object] = []  # until it is known: users' methods are asked meanwhile, who ask for results
        walk = Walk(root, self, as_foreign)
        self.members, self.sequencers, self._numbers = walk.members, walk.sequencers, walk.numbers
        self.beginning = walk.beginning
        self.paths = {id(module): path for module, path in zip(walk.members, walk.places, strict=True)}
        self.foreign, self.traced, self.obstacles, self._users = walk.foreign, walk.traced, walk.obstacles, walk.users
        self.called = list({id(user): user for user in self.foreign}.values())  # which may be at several places
        self.spec = walk.spec if form is None else walk.spec.replace(form=form)
        self.placed = self._hook_up(walk.places)
        self._lay_out(walk)
        buffers = self._note_state(walk.slots)
        self._choose_types()
        self.terms = self.terms_now()
        self.program = self._program(walk.params, buffers)
        self.keeps_residuals = self.program.train or bool(self.foreign)  # whether forward keeps what backward needs
        self.runs_once = self.spec.traits.traceable and not self.placed  # hooks may have a call done again
        self.at_input = AtInput() if self.runs_once and not self.state_slots else None
        # Whether updateGradInput leaves the parameters' gradients for later; not where accGradParameters follows it.
        self.finds_gradients_apart = self.runs_once
        self._note_what_may_change()
        self.noting = self._noting() if has_others() else None
        self.read = as_input if not has_others() else as_ready if self.noting is None else as_noted
        self.lengths = self._lengths()
        self.ahead = self._ahead()
        watch(self, everywhere, *self.all_parameters.held, *self.all_gradients.held)

    def _lay_out(self, walk: Walk) -> None:
        """Finds out where parameters and gradients lie, those included that users' own gradients are of."""
        self._holders = walk.holders
        self.parameters, self.gradients = map(Layout, walk.tensors)
        self.all_parameters, self.all_gradients = self.parameters, self.gradients
        if walk.called_tensors[0]:
            pairs = zip(walk.tensors, walk.called_tensors, strict=True)
            self.all_parameters, self.all_gradients = (Layout([*mine, *theirs]) for mine, theirs in pairs)

    def _note_state(self, slots: Any) -> Any:
        """Notes where calls read and leave buffers and state, and what kind of calls they are; gives the treedef."""
        self.slots, buffers = jax.tree.flatten(slots, is_leaf=lambda node: isinstance(node, (Slot, Fields)))
        self.is_step = self.spec.traits.is_step
        self.masked = any(is_zero_mask(slot.holder._state.get(slot.name)) for slot in self.slots)
        self.takes_table = self.spec.traits.takes_table or isinstance(self.spec, Criterion)  # of input and target
        self.state_slots = state_slots(self.spec, slots)
        self.drawn_slots = [slot for slot in self.state_slots if slot.is_drawn]
        self.ignores_gradient = _ends_in_a_sample(self.spec)
        self.rewarded: list[Any] = [slot.holder for slot in self.slots if slot.emitted_kind == "log_prob"]
        recurrent = [m for m in self.members if hasattr(m._spec, "rho")]
        self.rho = min((m._spec.rho for m in recurrent), default=99999)
        self.longest = max(self.rho, min((m.__dict__.get("_longest", m._spec.rho) for m in recurrent), default=99999))
        self.is_graph = _begins_with_a_graph(self.spec)
        self.draws = self.spec.traits.draws(bool(self.root.in_training))
        self.is_stateless = not (self.slots or self.state_slots or self._numbers or self.sequencers or self.draws)
        return buffers

    def _choose_types(self) -> None:
        """Chooses in which type and precision calls compute."""
        floating = [t.dtype for t in self.parameters.tensors if np.issubdtype(t.dtype, np.inexact)]
        # A container computes nothing: where there are no parameters the type is that of the modules inside.
        inside = {member._type for member in self.members if not member.children()}
        own = dtype_of(inside.pop() if len(inside) == 1 and not floating else self.root._type)
        casts = any(getattr(m._spec, "castout", False) for m in self.members)  # parameters of another type are meant
        self.dtype = own if own in floating or not floating or casts else floating[0]
        copied = [dtype_of(m._spec.output_type) for m in self.members if getattr(m._spec, "output_type", None)]
        self.keeps_types = bool(copied)
        self.wide = any(dtype.itemsize == 8 for dtype in (self.dtype, *floating, *copied))
        self.precision = next((dtype for dtype in (*copied, self.dtype) if dtype.itemsize == 8), None)

    def _program(self, params: Any, buffers: Any) -> Program:
        order, treedef = jax.tree.flatten(params)
        return Program(
            self.spec,
            (treedef, tuple(order)),
            self.parameters.views_of_arrays,
            buffers,
            bool(self.root.in_training),
            self.dtype.name,
            self.keeps_types,
            frozenset(i for i, t in enumerate(self.parameters.tensors) if not getattr(t, "requires_grad", True)),
            bool(self.foreign) and not self.placed and can_be_cut(self.spec),
            self._tied_buffers(),
        )

    def _tied_buffers(self) -> tuple[tuple[int, ...], ...]:
        """The numbers of the buffers that share the elements of a tensor, such as the statistics of clones."""
        numbers: dict[View, list[int]] = {}
        kept = [(number, tensor) for number, slot in enumerate(self.slots) if (tensor := slot.tensor) is not None]
        layout = Layout([tensor for _, tensor in kept])
        watch(self, *layout.held)
        for (number, _), view in zip(kept, layout.views, strict=True):
            numbers.setdefault(view, []).append(number)
        return tuple(tuple(each) for each in numbers.values() if len(each) > 1)

    def _note_what_may_change(self) -> None:
        """Notes what changes without notice: users' attributes, criterions' tensors, what users' code reads."""
        self._modes = list(map(_mode, self.members))
        hooks = [each.hook.function for each in self.placed if each.hook and each.replaces]
        attributes = [Attributes(m) for m in self.members if has_attributes(m)]
        styled = [m for m in self.members if hasattr(type(m), "described_by")]
        codes = users_code([*styled, *(fields.holder for fields in self.traced)], hooks)
        self._watched = [(each, each.noted()) for each in (*codes, *attributes, *self.traced)]
        self.is_of_torch = not (self.as_foreign or self.form or codes or self._users)
        self.is_plain = self.is_of_torch and not attributes

    def _noting(self) -> Noting | None:
        """How calls are noted; None where they leave more than arrays in tensors."""
        elements = sum(map(len, self.all_parameters.storages))
        remembers = self.state_slots or self.sequencers or self.is_step
        if remembers or self.program.keeps_types or elements > MOST_ELEMENTS:
            return None
        if not (self.is_of_torch and self.runs_once) or any(slot.name in slot.holder._state for slot in self.slots):
            return None
        return Noting(self.wide)

    def _lengths(self) -> Lengths | None:
        """The lengths of sequences; None where a call leaves more than an output and the state."""
        is_plain = self.is_of_torch and self.runs_once and not self.program.keeps_types
        return Lengths() if self.spec.traits.causal and self._leaves_only_state and is_plain else None

    @property
    def _leaves_only_state(self) -> bool:
        """Whether calls leave nothing but an output and recurrent state."""
        return len(self.slots) == len(self.state_slots) and not self.masked

    def _ahead(self) -> Ahead | None:
        """How the steps went in which forward may wait; None where a call leaves more than an output and the state."""
        elements = sum(map(len, self.all_parameters.storages))
        ahead = Ahead(elements)
        if has_others() and (self.noting is None or not ahead.is_small or self.spec.traits.checks_values):
            return None
        is_special = self.terms is not None or self.program.keeps_types or self.is_step
        is_plain = self.is_of_torch and self.runs_once and not is_special and self._leaves_only_state
        may_wait = is_plain and elements and self.program.train and self.gradients.covers
        return ahead if may_wait else None

    @property
    def stands(self) -> bool:
        """Whether the network looks like this, in the modes that its modules are in."""
        if self.is_stale or not (self.is_in_mode or self._is_back_in_mode()):
            return False
        if self._watched and not all(each.noted() == then for each, then in self._watched):
            return False
        return not self._users or all(are(given_by(m), tensors) for m, tensors in self._users)

    def _is_back_in_mode(self) -> bool:
        self.is_in_mode = list(map(_mode, self.members)) == self._modes
        return self.is_in_mode

    def _hook_up(self, places: list[Path]) -> list[Placed]:
        """The hooks of all members, which the description has from then on."""
        pairs = zip(self.members, places, strict=True)
        placed = [each for module, path in pairs for each in placed_at(module, path)]
        if placed:
            self.spec = watched.with_hooks(self.spec, placed)
        return placed

    def traced_hooks(self, below: Path) -> list[Hook]:
        """The hooks that are part of the function that the network is, for its description at a path."""
        if not self.placed:
            return []
        traced = [hook for hook in self.spec._hooks if isinstance(hook.function, watched.Traced)]
        return [hook._replace(path=(*below, *hook.path)) for hook in traced]

    def renewed(self) -> Plan:
        """The plan as it is after a change that left the arrays where they were."""
        plan = self.root._plan_of(self.as_foreign, self.form)
        plan.last_call = self.last_call
        return plan

    @property
    def history(self) -> Value:
        """The steps that the object of this plan has taken since it forgot."""
        return self.members[0]._steps()

    def begin(self) -> None:
        """Starts a sequence in every sequencer, a new one where it does not remember the last."""
        for sequencer, users in self.beginning:
            for user in users:
                user.begin_sequence(sequencer.hasMemory())
        self.forget()

    def forget(self) -> None:
        """Forgets the state of every sequencer that does not remember it."""
        for sequencer, slots in self.sequencers:
            if not sequencer.hasMemory():
                for slot in slots:
                    slot.write(None)

    def buffers(self) -> list:
        """What goes into a call, and then its numbers; of a given mask, a recurrence gets the row of its step."""
        values = [slot.read() for slot in self.slots]
        if self.noting is None:
            values = list(map(ready, values))
        given = self._numbers_now() if self._numbers else []
        if not self.masked or not self.is_step:
            return values + given
        step = self.history.count

        def row(mask: Any) -> Any:
            if np.ndim(mask) < 2:
                return mask
            if step >= len(mask):
                raise ValueError(f"{self.members[0].title()}: zeroMask has {len(mask)} steps, this is step {step + 1}")
            return mask[step]

        return [
            with_zero_masks(value, [row(value.value)]) if is_zero_mask(value) else value for value in values
        ] + given

    def begins_anew(self) -> bool:
        """Whether a call starts from no state: nothing remembers one, and the user gives none."""
        is_remembered = any(sequencer.hasMemory() for sequencer, _ in self.sequencers)
        return not is_remembered and all(state is None for state in self.initial_state())

    def initial_state(self) -> list:
        """The state that a call starts from: what is there, or what the user gave, or None."""
        return [slot.first_state() for slot in self.state_slots]

    def last_gradients(self, state: list) -> list | None:
        """The gradients that the user lets flow into the state after the last step; None if there are none."""
        given = [slot.given("gradient") for slot in self.state_slots]
        return None if all(each is None for each in given) else with_zeros(given, state)

    def spend(self, what: str) -> None:
        """Drops what the user gave for one call: a state before it, a gradient after it."""
        for slot in self.state_slots:
            slot.spend(what)

    def layout_now(self, layout: Layout) -> Layout:
        """The layout of what the objects now have in place of these tensors, their parameters or gradients."""
        named = grad_name if layout is self.gradients else str
        pairs = zip(self._holders, layout.tensors, strict=True)
        now = [(None if holder is None else holder[0].__dict__.get(named(holder[1])), then) for holder, then in pairs]
        return Layout([then if tensor is None else tensor for tensor, then in now])

    @cached_property
    def fitting_gradients(self) -> Layout:
        """Where gradients are added. Raises ValueError for a tensor that does not fit its parameter."""
        for number, pair in enumerate(zip(self.gradients.tensors, self.parameters.tensors, strict=True)):
            self.check_gradient(number, pair[0], pair[1].shape)
        return self.gradients

    def check_gradient(self, number: int, tensor: Tensor, shape: tuple[int, ...]) -> None:
        """Raises ValueError for a tensor that cannot hold a parameter's gradient, of this shape."""
        if tensor.nElement() != math.prod(shape):
            holder = self._holders[number]
            name = self.members[0].title() if holder is None else f"{holder[0].title()}: {holder[1]}"
            raise ValueError(
                f"{name}: expected a tensor of shape {shape} for its gradient, got one of shape {tensor.shape}"
            )

    def terms_now(self) -> Terms | None:
        """What each parameter's gradient gets; None where all get the plain gradient."""
        return Terms.of(tuple(Term() if holder is None else _term_of(*holder) for holder in self._holders))

    def updated(self, parameters: list, gradients: list, rate: Scalar) -> list:
        """The storages of all parameters after a step along their gradients."""
        found = self.foreseen(parameters, gradients, rate)
        return self.call(self.update, (parameters, gradients, rate), rate) if found is None else found

    def foreseen(self, parameters: list, gradients: list, rate: Scalar) -> list | None:
        """The same, if the last call has foreseen this step; the next call foresees one by the same rate."""
        found = None if self.packing is None else self.packing.updated(parameters, gradients, rate)
        self.is_steady, self.rate = type(rate) in (float, int) and bool(rate == self.rate), rate
        return found

    def in_one_call(self, method: str) -> bool:
        """Whether a method can be done for all objects at once: none has a user's version of it or of `parameters`."""
        if method not in self._in_one_call:
            # What cannot be compiled as a whole may have its parameters on several devices.
            whole = self.program.is_compiled and all(map(has_plain_parameters, self.foreign))
            inside = [*self.members[1:], *(each for user in self.foreign for each in user._members())]
            narrow = self.wide or not any(tensor.dtype.itemsize == 8 for tensor in self.all_parameters.tensors)
            described = [each for each in self.members if not each.is_foreign()]
            own = any(each.overrides(method) for each in inside) or any(e.overrides("parameters") for e in described)
            self._in_one_call[method] = whole and narrow and not own
        return self._in_one_call[method]
