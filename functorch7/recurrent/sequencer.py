"""Whole sequences at once: the same module at every time step."""

from typing import Any

import jax
import jax.numpy as jnp

from ..core import Container, Module, builder, expected, forget
from ..core.emitted import is_emitted, stacked_over_time, without_emitted
from ..core.recording import scan

MODES = ("neither", "train", "eval", "both")


class Sequencer(Container):
    """Applies a module to every element of a sequence, left to right; recurrent state flows from step to step.

    Shape: (T, B, ...) -> (T, B, ...), or a table of T inputs -> a table of T outputs.
    `remember(mode)` says when the state at the end of one call starts the next: "neither" (the default), "train",
    "eval" or "both". Remembered state is in the buffers (`forget(module, buffers)` drops it); state that is not
    remembered is not returned, so that the buffers keep their structure.
    Parameters and buffers: a list with the module's. Losses emitted inside are summed over time,
    log-probabilities stacked.
    Raises: TypeError if given no module; ValueError for an empty sequence or a table of unequal shapes.
    Source: rnn/README.md#rnn.Sequencer.
    """

    mode: str

    def __init__(self, module: Module):
        self._set(mode="neither", modules=(module,))
        self.__post_init__()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.mode not in MODES:
            raise ValueError(f"{self.torch_name()}: unrecognized value for remember: {self.mode!r}, expected {MODES}")

    @property
    def is_step(self) -> bool:
        return False

    def has_memory(self, train: bool) -> bool:
        """Whether this mode starts from the state that the last call left."""
        return self.mode in ("both", "train" if train else "eval")

    @builder
    def remember(self, mode: str | None = None) -> "Sequencer":
        """The same sequencer that keeps its state across calls in this mode ("both" by default)."""
        return self.replace(mode="both" if mode is None else mode)

    def forward(self, params: Any, buffers: Any, input: Any, *, key: Any, train: bool) -> tuple[Any, Any]:
        table = isinstance(input, (list, tuple))
        length = len(input) if table else jnp.shape(input)[0] if jnp.ndim(input) else 0
        if not length:
            raise expected(self, "a sequence: a table, or a tensor of time x batch x features", input)
        if not self.has_memory(train):
            buffers = forget(self, buffers)

        def step(buffers: Any, time: Any, x: Any) -> tuple[Any, Any]:
            step_key = None if key is None else jax.random.fold_in(key, time)
            output, buffer = self.call(0, params, buffers, x, key=step_key, train=train)
            return [buffer], output

        if not self.traceable:
            outputs, emitted, buffers = self._unrolled(step, buffers, list(input))
            return (outputs if table else jnp.stack(outputs)), self._left(buffers, emitted, train)
        xs = self._stacked(input) if table else input
        buffers, outputs, emitted = self._scanned(step, buffers, xs, length)
        if table:
            outputs = [jax.tree.map(lambda y, t=t: y[t], outputs) for t in range(length)]
        return outputs, self._left(buffers, emitted, train)

    def _left(self, buffers: Any, emitted: list, train: bool) -> Any:
        """The buffers after the last step: remembered state only, and the side outputs of all steps."""
        return _with_emitted(buffers if self.has_memory(train) else forget(self, buffers), emitted)

    def _stacked(self, table: Any) -> Any:
        if len({str(jax.tree.map(jnp.shape, entry)) for entry in table}) > 1:
            raise expected(self, "a table of inputs of one shape", table)
        return jax.tree.map(lambda *entries: jnp.stack(entries), *table)

    def _scanned(self, step: Any, buffers: Any, xs: Any, length: int) -> tuple[Any, Any, list]:
        """`lax.scan` over the steps. Side outputs do not flow from step to step: they are collected."""

        def body(buffers: Any, each: Any) -> tuple[Any, Any]:
            buffers, output = step(buffers, *each)
            return without_emitted(buffers), (output, _emitted_nodes(buffers))

        at = lambda t: jax.tree.map(lambda x: x[t], xs)  # noqa: E731
        times = jnp.arange(length)
        if self.starts_at_zero:
            after = jax.eval_shape(lambda b, x: step(b, 0, x)[0], buffers, at(0))
            buffers = _zeros_for_none(buffers, without_emitted(after))
            buffers, (outputs, emitted) = scan(body, buffers, (times, xs))
            return buffers, outputs, [stacked_over_time(node) for node in emitted]
        # The first step makes state that is not zero: it runs before the scan.
        buffers, first = body(buffers, (0, at(0)))
        buffers, rest = scan(body, buffers, (times[1:], jax.tree.map(lambda x: x[1:], xs)), first=1)
        joined = jax.tree.map(lambda one, many: jnp.concatenate([one[None], many]), first, rest)
        return buffers, joined[0], [stacked_over_time(node) for node in joined[1]]

    def _unrolled(self, step: Any, buffers: Any, inputs: list) -> tuple[list, list, Any]:
        """The same, step by step in Python, for modules that cannot be compiled."""
        outputs, emitted = [], []
        for time, x in enumerate(inputs):
            buffers, output = step(buffers, time, x)
            outputs.append(output)
            emitted.append(_emitted_nodes(buffers))
        stacked = jax.tree.map(lambda *nodes: jnp.stack(nodes), *emitted)
        return outputs, [stacked_over_time(node) for node in stacked], buffers

    def printed(self) -> str:
        return f"{self.torch_name()} @ {self.modules[0]}"


def _emitted_nodes(buffers: Any) -> list:
    return [node for node in jax.tree.leaves(buffers, is_leaf=is_emitted) if is_emitted(node)]


def _with_emitted(buffers: Any, nodes: list) -> Any:
    """`buffers` with its side outputs replaced by those collected over time."""
    rest = iter(nodes)
    return jax.tree.map(lambda b: next(rest) if is_emitted(b) else b, buffers, is_leaf=is_emitted)


def _zeros_for_none(buffers: Any, after: Any) -> Any:
    """The buffers of a first step: zeros, shaped as after it, wherever there is no state yet."""
    if buffers is None:
        return jax.tree.map(lambda a: jnp.zeros(a.shape, a.dtype), after)
    if isinstance(buffers, dict):
        return {name: _zeros_for_none(branch, after[name]) for name, branch in buffers.items()}
    if isinstance(buffers, list):
        return [_zeros_for_none(branch, a) for branch, a in zip(buffers, after, strict=True)]
    return buffers
