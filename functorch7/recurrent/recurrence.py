"""Makes any module a recurrent step."""

import math
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, Self

import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import DTypeLike

from ..checks.errors import with_hint
from ..core import Module, builder, check_positive, expected
from ..core.module import Children
from ..core.types import Array, Key, Output, State, Table, Tree, Value
from ..layers import Add, CAddTable, Sigmoid
from ..layers.shape import sizes_of
from .abstract import AbstractRecurrent


def check_argument(module: Module, given: object, position: int) -> None:
    """Refuses an argument that is not a module."""
    if not isinstance(given, Module):
        got = with_hint(given)
        raise TypeError(f"{module.torch_name()}: expecting nn.Module instance at arg {position}, got {got}")


class Recurrent(AbstractRecurrent):
    """h' = transfer(merge([input(x), feedback(h)])): a simple recurrent layer; at first transfer(start(input(x))).

    Shape: the input of `input` -> the output of `transfer`; one time step a call. `start` is a module, or sizes: then
    it is nn.Add, a learned vector.
    Parameters and buffers: those of start_module, input_module, feedback_module, transfer_module, merge_module.
    Buffers: output (h), None when forgotten.
    Raises: TypeError for arguments that are not modules; ValueError for `mask_zero`, since the first step differs.
    Source: rnn/README.md#rnn.Recurrent.

    >>> import functorch7 as f7
    >>> layer = f7.Recurrent(4, f7.Linear(3, 4), f7.Linear(4, 4))
    >>> f7.output_shape(f7.Sequencer(layer), (7, 8, 3))
    (7, 8, 4)
    """

    starts_at_zero: ClassVar[bool] = False
    names: ClassVar[tuple[str, ...]] = (
        "start_module", "input_module", "feedback_module", "transfer_module", "merge_module",
    )  # fmt: skip

    modules: tuple[Module, ...]
    rho: int

    def __init__(
        self, start: Module | int | Iterable[int], input: Module, feedback: Module, transfer: Module | None = None,
        rho: int = 99999, merge: Module | None = None,
    ):  # fmt: skip
        if isinstance(start, (int, list, tuple, np.ndarray, jax.Array)):
            start = Add(math.prod(sizes_of(self, (start,))))
        modules = (start, input, feedback, transfer or Sigmoid(), merge or CAddTable())
        for i, module in enumerate(modules[:3], 1):
            check_argument(self, module, i)
        check_positive(self, rho=rho)
        self._set(modules=modules, rho=rho)
        self.__post_init__()

    def children(self) -> Children:
        return dict(zip(self.names, self.modules, strict=True))

    def step(self, params: Tree, buffers: State, input: Tree, *, key: Key, train: bool) -> tuple[Array, Tree]:
        new = dict(buffers)

        def through(name: str, value: Any) -> Array:
            value, new[name] = self.call(name, params, buffers, value, key=key, train=train)
            return value

        of_input = through("input_module", input)
        if buffers["output"] is None:
            merged = through("start_module", of_input)
        else:
            merged = through("merge_module", [of_input, through("feedback_module", buffers["output"])])
        new["output"] = through("transfer_module", merged)
        return new["output"], new

    @builder
    def mask_zero(self, n_input_dim: int = 1) -> Self:
        raise ValueError(
            "nn.Recurrent doesn't support maskZero as it uses a different module for the first time-step. "
            "Use nn.Recurrence instead."
        )

    trim_zero = mask_zero

    def printed(self) -> str:
        start, input, feedback, transfer, merge = (str(module) for module in self.modules)
        inner, outer = "\n    |    ", "\n  "
        return (
            f"{self.type_name()} {{\n  [{{input(t), output(t-1)}} -> (1) -> (2) -> (3) -> output(t)]\n"
            f"  (1):  {{\n    input(t)\n      |`-> (t==0): {start.replace(chr(10), inner)}\n"
            f"      |`-> (t~=0): {input.replace(chr(10), inner)}\n"
            f"    output(t-1)\n      |`-> {feedback.replace(chr(10), inner)}\n  }}\n"
            f"  (2): {merge.replace(chr(10), outer)}\n  (3): {transfer.replace(chr(10), outer)}\n}}"
        )


def _sizes(module: Module, size: Any) -> Table:
    """Output sizes as nested tuples: 5, [5] and an array of sizes are one tensor's, [[5], [3]] a table's."""
    if isinstance(size, (np.ndarray, jax.Array)):
        return sizes_of(module, (size,))
    if isinstance(size, int) and not isinstance(size, bool):
        return (size,)
    if isinstance(size, (list, tuple)) and size:
        return tuple(size) if isinstance(size[0], int) else tuple(_sizes(module, each) for each in size)
    raise TypeError(
        f"{module.torch_name()}: unsupported size type, expected a number or a table of sizes, got {size!r}"
    )


def zeros_of(sizes: Table, batch: tuple[int, ...], dtype: DTypeLike) -> Output:
    """A tensor of zeros, or a nested table of them, for sizes in the form of `_sizes`."""
    if isinstance(sizes[0], int):
        return jnp.zeros((*batch, *sizes), dtype)
    return [zeros_of(each, batch, dtype) for each in sizes]


def shapes_in(tree: Value) -> list[tuple[int, ...]]:
    """The shapes of a tensor, or of a table's tensors, in their order."""
    return [jnp.shape(leaf) for leaf in jax.tree.leaves(tree)]


def _without_ones(tree: Value) -> list[list[int]]:
    """The sizes of a tensor, or of a table's tensors, other than 1."""
    return [[size for size in shape if size != 1] for shape in shapes_in(tree)]


class Recurrence(AbstractRecurrent):
    """output' = recurrent_module([x, output]), from zeros.

    Shape: an input whose first tensor has n_input_dim dimensions, or a batch of these -> tensors of output_size (a
    number, sizes, or nested tables of sizes for tables of tensors); one time step a call.
    Parameters and buffers: those of recurrent_module, which may itself be recurrent inside.
    Buffers: output, None when forgotten.
    Raises: TypeError for anything but sizes and a module; ValueError for inputs of other ranks, and for a
    module whose output has other sizes (those of 1 may be more, as LookupTable gives (1, H) for one index).
    Source: rnn/README.md#rnn.Recurrence.

    >>> import functorch7 as f7
    >>> step = f7.Sequential(f7.JoinTable(1, 1), f7.Linear(3 + 4, 4), f7.Tanh())  # [input, output before]
    >>> f7.output_shape(f7.Sequencer(f7.Recurrence(step, 4, 1)), (7, 8, 3))
    (7, 8, 4)
    """

    modules: tuple[Module, ...]
    output_size: Table
    n_input_dim: int
    rho: int

    def __init__(self, recurrent_module: Module, output_size: int | Iterable[int], n_input_dim: int, rho: int = 9999):
        check_argument(self, recurrent_module, 1)
        if isinstance(n_input_dim, bool) or not isinstance(n_input_dim, int):
            raise TypeError(f"{self.torch_name()}: expecting nInputDim number for arg 3, got {n_input_dim!r}")
        check_positive(self, rho=rho)
        self._set(modules=(recurrent_module,), output_size=_sizes(self, output_size), n_input_dim=n_input_dim, rho=rho)
        self.__post_init__()

    @property
    def starts_at_zero(self) -> bool:
        return self.modules[0].traits.starts_at_zero

    def children(self) -> Children:
        return {"recurrent_module": self.modules[0]}

    def initial_state(self, batch: tuple[int, ...], dtype: DTypeLike) -> State:
        return {"output": zeros_of(self.output_size, batch, dtype)}

    def _batch(self, input: Array) -> tuple[int, ...]:
        first = jax.tree.leaves(input)[0]
        if first.ndim not in (self.n_input_dim, self.n_input_dim + 1):
            raise expected(self, f"a first tensor of {self.n_input_dim} dimensions, or a batch of these", input)
        return first.shape[: first.ndim - self.n_input_dim]

    def step(self, params: Tree, buffers: State, input: Array, *, key: Key, train: bool) -> tuple[Array, Tree]:
        last = buffers["output"]
        if last is None:
            weights = jax.tree.leaves(params)
            dtype = weights[0].dtype if weights else jnp.result_type(float)
            last = self.initial_state(self._batch(input), dtype)["output"]
        output, inner = self.call("recurrent_module", params, buffers, [input, last], key=key, train=train)
        if _without_ones(output) != _without_ones(last):
            raise expected(self, f"a module whose output has the sizes {self.output_size}", output)
        state = jax.tree.map(lambda new, old: new.reshape(old.shape), output, last)
        return output, {**buffers, "recurrent_module": inner, "output": state}

    def printed(self) -> str:
        return f"{self.type_name()} @ {self.modules[0]}"


class Recursor(AbstractRecurrent):
    """y_t = m(x_t): the module inside, as a step of a recurrence; recurrent modules inside it keep their own state.

    Shape, parameters and buffers: those of the module, under the name recurrent_module.
    Raises: TypeError unless it is given a module.
    Source: rnn/README.md#rnn.Recursor.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.Recursor(f7.Sequential(f7.FastLSTM(3, 4), f7.Linear(4, 2))), (8, 3))
    (8, 2)
    """

    transient: ClassVar[tuple[str, ...]] = ()
    hidden: ClassVar[tuple[str, ...]] = ()

    modules: tuple[Module, ...]
    rho: int

    def __init__(self, module: Module, rho: int = 9999999):
        check_argument(self, module, 1)
        check_positive(self, rho=rho)
        self._set(modules=(module,), rho=rho)
        self.__post_init__()

    @property
    def takes_table(self) -> bool:
        return self.modules[0].traits.takes_table

    def children(self) -> Children:
        return {"recurrent_module": self.modules[0]}

    def step(
        self, params: Tree, buffers: State, input: Value, *, key: Key, train: bool, way: Callable | None = None
    ) -> tuple[Array, Tree]:
        output, inner = self.call(
            "recurrent_module", params, buffers, input, key=key, train=train, way=way, through=way is not None
        )
        return output, {**buffers, "recurrent_module": inner}

    def printed(self) -> str:
        return f"{self.type_name()} @ {self.modules[0]}"


def as_recurrent(module: Module) -> Module:
    """The module itself if it is recurrent, or keeps its steps itself; otherwise it is put into a Recursor."""
    is_recurrent = isinstance(module, AbstractRecurrent) or getattr(module, "keeps_steps", False)
    return module if is_recurrent else Recursor(module)
