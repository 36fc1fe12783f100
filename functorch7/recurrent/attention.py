"""The same input in every step: repeated steps, and attention that decides where to look."""

from collections.abc import Iterable
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ..core import Container, Module, check_positive, expected, expose
from ..core.keys import folded
from ..core.types import Array, Key, Table, Tree
from .over_time import repeated
from .recurrence import as_recurrent, check_argument, shapes_in
from .sequencer import StartsAnew, as_table


class Repeater(StartsAnew, Container):
    """y_t = m(x), for t from 1 to n_step: a recurrent module applied to the same input; its state flows from step to
    step.

    Shape: an input of the module -> a table of n_step outputs.
    Parameters and buffers: a list with the module's (a module that is not recurrent is put into a Recursor).
    Raises: TypeError unless it is given a module; ValueError for n_step below 1.
    Source: rnn/README.md#rnn.Repeater.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.Repeater(f7.LinearRNN(3, 4), 2), (8, 3))
    [(8, 4), (8, 4)]
    """

    rho: int

    def __init__(self, module: Module, n_step: int):
        check_argument(self, module, 1)
        check_positive(self, n_step=n_step)
        self._set(mode="neither", modules=(as_recurrent(module),), rho=n_step)
        self.__post_init__()

    @property
    def takes_table(self) -> bool:
        return self.modules[0].traits.takes_table

    def forward(self, params: Tree, buffers: Tree, input: Array, *, key: Key, train: bool) -> tuple[list, Tree]:
        def step(buffers: Tree, time: Array, _: Any) -> tuple[Array, Tree]:
            step_key = folded(key, time)
            output, buffer = self.call(0, params, buffers, input, key=step_key, train=train)
            return output, [buffer, *buffers[1:]]

        start = self.start(buffers, train)
        outputs, new = repeated(step, start, self.traits, self.rho)
        return as_table(outputs, self.rho), self.end(new, train)

    def printed(self) -> str:
        inner = str(self.modules[0]).replace("\n", "\n  ")
        arrows = "       V         V             V     "
        return (
            f"{self.type_name()} {{\n  [  input,    input,  ...,  input  ]\n{arrows}\n  {inner}\n{arrows}\n"
            f"  [output(1),output(2),...,output({self.rho})]\n}}"
        )


class RecurrentAttention(StartsAnew, Container):
    """a_t = action(h_{t - 1}); h_t = rnn([x, a_t]), from h_0 of zeros, n_step times.

    The action is where to look: no gradient flows through it into `action`, which learns by its side output (a
    log-probability, see ReinforceNormal).
    Shape: an input (B, ...) -> a table of n_step tensors h_t (B, hidden_size); with forward_actions, of pairs
    [h_t, action_t].
    Parameters and buffers: a list with those of rnn and of action.
    Exposes: actions, the table of a_t.
    Raises: TypeError for arguments that are not modules; ValueError for n_step below 1, tables as hidden_size, and an
    rnn whose output has another size.
    Source: rnn/README.md#rnn.RecurrentAttention; Mnih et al., 2014.

    >>> import functorch7 as f7
    >>> look = f7.Linear(4, 2)  # where to, from what has been seen
    >>> step = f7.Sequential(f7.JoinTable(1, 1), f7.LinearRNN(5, 4))  # [image, place]
    >>> f7.output_shape(f7.RecurrentAttention(step, look, 2, 4), (8, 3))
    [(8, 4), (8, 4)]
    """

    exposes: ClassVar[tuple[str, ...]] = ("actions",)

    n_step: int
    hidden_size: tuple[int, ...]
    forward_actions: bool

    def __init__(self, rnn: Module, action: Module, n_step: int, hidden_size: int | Iterable[int]):
        check_argument(self, rnn, 1)
        check_argument(self, action, 2)
        check_positive(self, n_step=n_step)
        size = (hidden_size,) if isinstance(hidden_size, (int, np.integer)) else tuple(hidden_size)
        if not all(isinstance(each, (int, np.integer)) for each in size):
            raise ValueError(f"{self.torch_name()}: does not support table hidden layers, got {hidden_size}")
        modules = (as_recurrent(rnn), as_recurrent(action))
        self._set(mode="neither", modules=modules, n_step=n_step, hidden_size=size, forward_actions=False)
        self.__post_init__()

    def forward(self, params: Tree, buffers: Tree, input: Array, *, key: Key, train: bool) -> tuple[list, Tree]:
        leaves = jax.tree.leaves(input)
        if not leaves or leaves[0].ndim == 0:
            raise expected(self, "a batch of inputs", input)
        dtype = next((leaf.dtype for leaf in jax.tree.leaves(params)), leaves[0].dtype)

        def step(state: Table, time: Any, _: Any) -> tuple[Table, Tree]:
            step_key = folded(key, time)
            (rnn, action), hidden = state
            where, action = self.call(1, params, [rnn, action], hidden, key=step_key, train=train)
            seen = [input, lax.stop_gradient(where)]
            last = hidden
            hidden, rnn = self.call(0, params, [rnn, action], seen, key=step_key, train=train)
            if shapes_in(hidden) != shapes_in(last):
                raise expected(self, f"an rnn whose output has the sizes {self.hidden_size} (hidden_size)", hidden)
            return (hidden, where), [[rnn, action], hidden]

        zeros = jnp.zeros((leaves[0].shape[0], *self.hidden_size), dtype)
        start = [self.start(buffers, train), zeros]
        (hidden, actions), (new, _) = repeated(step, start, self.traits, self.n_step)
        expose(actions=as_table(actions, self.n_step))
        outputs = [hidden, actions] if self.forward_actions else hidden
        return as_table(outputs, self.n_step), self.end(new, train)

    def printed(self) -> str:
        rnn, action = (str(module).replace("\n", "\n    |    ") for module in self.modules)
        return f"{self.type_name()} {{\n  action : {action}\n  rnn     : {rnn}\n}}"
