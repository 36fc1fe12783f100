"""Common parts of all recurrent steps."""

from dataclasses import field
from typing import Any, ClassVar, Self

import jax
from jax.typing import DTypeLike

from ..checks.errors import is_looking
from ..core import Module, builder, check_floating, expected
from ..core.filming import filmed, filmed_state
from ..core.probe import is_probed
from ..core.types import Array, Key, Output, State, Tree, Value
from ..network import ZeroMask, map_state
from .masking import cleared, given_mask, masking, padding, padding_of_sequence
from .trimming import trimmed
from .unfolding import Sums, summing, unfolded


class AbstractRecurrent(Module, abstract=True):
    """A module whose call is one time step: write `step`; its state is in the buffers, None when forgotten.

    Fields: rho, the number of steps that the legacy interface keeps for backward. After `mask_zero(n)` examples whose
    input (of n dimensions) is all zeros give zeros, and their state is reset; `trim_zero(n)` gives the same with less
    work. After `mask_zero(False)` a mask says which examples these are (`set_zero_mask`); a given mask always decides.
    Buffers: the state, and, after `mask_zero`, zeroMask.
    Source: rnn/README.md#rnn.AbstractRecurrent; rnn (2017), AbstractRecurrent.lua.
    """

    transient: ClassVar[tuple[str, ...]] = ("output",)
    hidden: ClassVar[tuple[str, ...]] = ("output",)
    """The state as users handle it: the transient buffers that change at every step."""

    masked: int | str | None = field(default=None, kw_only=True)
    trims: bool = field(default=False, kw_only=True)

    @property
    def is_step(self) -> bool:
        return True

    def step(self, params: Tree, buffers: State, input: Value, *, key: Key, train: bool) -> tuple[Output, State]:
        """One step, without masks: the output and the new buffers."""
        raise NotImplementedError(f"{self.torch_name()} must define step(params, buffers, input, *, key, train)")

    def init_buffers(self) -> State:
        return dict.fromkeys(self.transient) | ({} if self.masked is None else {"zeroMask": ZeroMask()})

    def forward(self, params: Tree, buffers: State, input: Tree, *, key: Key, train: bool) -> tuple[Array, Tree]:
        output, new = self._masked_step(params, buffers, filmed("input", input), key=key, train=train)
        return filmed("output", output), filmed_state(new, self.hidden)

    def _masked_step(self, params: Tree, buffers: State, input: Value, *, key: Key, train: bool) -> tuple[Array, Any]:
        if self.masked is None:
            return self.step(params, buffers, input, key=key, train=train)
        zero = padding(self, buffers, input, self.masked)
        # Trimming only saves work, and gives the results of masking. One of the programs for parts of the batch runs,
        # each with its own sizes: nothing inside them can be inspected, and their draws would depend on how many
        # examples are left. JAX 0.10.2's checkify does not understand their derivative inside a scan.
        looked_at = self._hooks or is_probed() or is_looking()
        if self.trims and zero.ndim and not looked_at and not self.draws(train):
            return self._trimmed(zero, params, buffers, input, key=key, train=train)
        output, new = self.step(params, buffers, input, key=key, train=train)
        return cleared(zero, output), new | {name: cleared(zero, new[name]) for name in self.hidden}

    def _trimmed(
        self, zero: Array, params: Tree, buffers: State, input: Array, *, key: Key, train: bool
    ) -> tuple[Array, Any]:
        """The step without the examples that are zeros; of the buffers, only recurrent state changes."""
        state: list = []
        map_state(self, buffers, state.append)

        def step(own: tuple, rows: tuple) -> tuple[Any, list]:
            (params, others), (state, input) = own, rows
            left, after = iter(state), []
            output, new = self.step(params, map_state(self, others, lambda _: next(left)), input, key=key, train=train)
            map_state(self, new, after.append)
            return output, after

        others = map_state(self, buffers, lambda _: None)
        output, after = trimmed(step, zero, (params, others), (state, input))
        left = iter(after)
        return output, map_state(self, buffers, lambda _: next(left))

    @builder
    def mask_zero(self, n_input_dim: int | bool = 1) -> Self:
        """The same module, which skips examples that are zeros, and forgets their state.

        n_input_dim: the dimensions of an example; or True: as many as the first has; or False: masks must be given.
        """
        return self.replace(masked=masking(self, n_input_dim), trims=False)

    @builder
    def trim_zero(self, n_input_dim: int | bool = 1) -> Self:
        """As `mask_zero`; the examples that are zeros are left out of the computation."""
        return self.replace(masked=masking(self, n_input_dim), trims=True)


def ready(module: AbstractRecurrent, params: Tree, buffers: State, input: Array) -> tuple[Value, dict]:
    """(input, state) of a step of input_size features: input in the parameters' dtype, the existing state or zeros.

    Raises: ValueError for input of another size, and for another batch than the state's; TypeError for integers.
    """
    size = vars(module)["input_size"]
    if input.ndim not in (1, 2) or input.shape[-1] != size:
        raise expected(module, f"input of size {size} in the last of 1 or 2 dimensions", input)
    check_floating(module, input)
    weights = jax.tree.leaves(params)
    input = input.astype(weights[0].dtype) if weights else input
    zeros = module.initial_state(input.shape[:-1], input.dtype)
    state = {name: zeros[name] if buffers[name] is None else buffers[name] for name in module.hidden}
    for name, value in state.items():
        if value.shape != zeros[name].shape:
            raise expected(module, f"a batch shaped as the remembered state {value.shape}; forget() starts anew", input)
    return input, state


class Cell(AbstractRecurrent, abstract=True):
    """A step in which the input's part needs no state, and is computed for all steps at once.

    Write `project`, `recurrent_weights` and `advance`. Subclasses have the fields input_size and output_size. State
    that does not change within a sequence (dropout masks) is drawn by `draw`.
    """

    scaled_axes = {}

    input_size: int
    output_size: int

    def project(self, params: Tree, masks: dict, input: Value) -> State:
        """By name, the input's part of the sums, for any leading dimensions."""
        raise NotImplementedError

    def recurrent_weights(self, params: Tree) -> dict[str, Array]:
        """By the same names, the matrices that multiply the state."""
        raise NotImplementedError

    def advance(self, sums: Sums, masks: dict, state: dict) -> tuple[Array, State]:
        """The output and the new state; sums(name, value) is the input's part plus the weights times a value."""
        raise NotImplementedError

    def draw(self, key: Key, input: Value) -> State:
        """The dropout masks of a sequence that starts with this input; none by default."""
        return {}

    @property
    def starts_at_zero(self) -> bool:
        return not self.draws(True)

    @property
    def at_once(self) -> bool:
        """Whether a sequence may be computed by `sequence`."""
        return not self.trims

    def initial_state(self, batch: tuple[int, ...], dtype: DTypeLike) -> State:
        zeros = {name: jax.numpy.zeros((*batch, self.output_size), dtype) for name in self.hidden}
        return dict.fromkeys(self.transient) | zeros

    def _started(self, params: Tree, buffers: State, input: Array, key: Key, train: bool) -> tuple[Any, dict, dict]:
        """(input, masks, state) of a step: the input in the parameters' dtype, the existing state or zeros."""
        input, state = ready(self, params, buffers, input)
        if not self.draws(train):
            return input, {}, state
        kept = {name: buffers[name] for name in self.transient if name not in self.hidden}
        return input, self.draw(key, input) if None in kept.values() else kept, state

    def step(self, params: Tree, buffers: State, input: Array, *, key: Key, train: bool) -> tuple[Array, Tree]:
        input, masks, state = self._started(params, buffers, input, key, train)
        sums = summing(self.project(params, masks, input), self.recurrent_weights(params), {})
        output, state = self.advance(sums, masks, state)
        return output, {**buffers, **masks, **state}

    def sequence(self, params: Tree, buffers: State, inputs: Array, *, key: Key, train: bool) -> tuple[Array, State]:
        """The same for all steps (time first, one key for each), with one projection before the scan."""
        inputs = filmed("input", inputs, steps=True)
        _, masks, state = self._started(params, buffers, inputs[0], None if key is None else key[0], train)
        projected = self.project(params, masks, inputs.astype(jax.tree.leaves(params)[0].dtype))
        zero = self._padding(buffers, inputs)
        outputs, state = unfolded(self.advance, projected, state, self.recurrent_weights(params), masks, zero)
        return outputs, {**buffers, **masks, **state}

    def _padding(self, buffers: State, inputs: Array) -> Array | None:
        """Which examples are padding at every step, (T, B); None if none are."""
        masked = self.masked
        if masked is None:
            return None
        given = given_mask(buffers)
        if given is not None:
            return padding_of_sequence(self, given, inputs.shape[:2])
        return jax.vmap(lambda input: padding(self, buffers, input, masked))(inputs)
