"""Containers that add something to one module inside."""

import math
import re
from collections.abc import Sequence
from typing import ClassVar

import jax
import jax.numpy as jnp
from jax import lax

from ..core import Container, Module, axis, builder, check_positive, expected
from ..core.emitted import both, is_emitted
from ..core.types import Array, Key, Output, State, Table, Tree, Value
from ..network import forget, map_state
from .containers import Concat
from .initializers import filled, normal
from .merging import merged
from .table import check_table, check_tensors


class Decorator(Container):
    """y = module(x): the module inside, unchanged; subclasses add something.

    Shape, parameters and buffers: those of the module, one level down.
    Raises: TypeError unless it is given a module.
    Source: dpnn/README.md#nn.Decorator.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.Decorator(f7.Linear(3, 4)), (8, 3))
    (8, 4)
    """

    def __init__(self, module: Module):
        self._set(modules=(module,))
        self.__post_init__()

    @property
    def takes_table(self) -> bool:
        return self.modules[0].traits.takes_table

    def forward(self, params: Tree, buffers: Tree, input: Tree, *, key: Key, train: bool) -> tuple[Output, Tree]:
        output, buffer = self.call(0, params, buffers, input, key=key, train=train)
        return output, [buffer, *buffers[1:]]

    def printed(self) -> str:
        return f"{self.type_name()} @ {self.modules[0]}"


class Serial(Decorator):
    """y = module(x): the module inside; in `legacy` it says how that is saved (heavySerial, mediumSerial, lightSerial,
    tensortype).

    Shape, parameters and buffers: those of the module, one level down.
    Raises: ValueError for a tensortype other than "torch.*Tensor".
    Source: dpnn/README.md#nn.Serial.

    >>> import functorch7 as f7
    >>> f7.Serial(f7.Linear(3, 4), "torch.FloatTensor")
    nn.Serial @ nn.Linear(3 -> 4)
    """

    tensortype: str | None

    def __init__(self, module: Module, tensortype: str | None = None):
        self._set(modules=(module,), tensortype=tensortype)
        self.__post_init__()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.tensortype is not None and not re.fullmatch(r"torch\.\w*Tensor", self.tensortype):
            raise ValueError(
                f"nn.Serial: expecting tensortype (e.g. torch.LongTensor) at arg 2, got {self.tensortype!r}"
            )


class Bottle(Decorator):
    """y = split(module(merge(x))): a module for n_input_dim dimensions accepts more; the leading ones are merged into
    the first of these.

    Shape: (p, q, r, ...) -> (p, q, r', ...), where the module maps (p q r, ...) to (p q r', ...), of n_output_dim
    dimensions.
    Raises: ValueError if the module's output has other dimensions than n_output_dim, or rows that p q does not divide.
    Source: nn/doc/containers.md#nn.Bottle.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.Bottle(f7.Linear(3, 4)), (8, 7, 6, 3))
    (8, 7, 6, 4)
    """

    n_input_dim: int = 2
    n_output_dim: int | None = None

    def __init__(self, module: Module, n_input_dim: int = 2, n_output_dim: int | None = None):
        outer = n_input_dim if n_output_dim is None else n_output_dim
        self._set(modules=(module,), n_input_dim=n_input_dim, n_output_dim=outer)
        self.__post_init__()

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive(self, n_input_dim=self.n_input_dim, n_output_dim=self.n_output_dim)

    def forward(self, params: Tree, buffers: Tree, input: Array, *, key: Key, train: bool) -> tuple[Array, Tree]:
        if input.ndim <= self.n_input_dim:
            return super().forward(params, buffers, input, key=key, train=train)
        leading = input.shape[: input.ndim - self.n_input_dim]
        rows = merged(input, self.n_input_dim - 1)
        output, buffer = super().forward(params, buffers, rows, key=key, train=train)
        if not hasattr(output, "shape") or output.ndim != self.n_output_dim:
            raise expected(self, f"a module whose output has {self.n_output_dim} dimensions", output)
        count = math.prod(leading)
        if count and output.shape[0] % count:
            raise expected(self, f"a module whose output has a multiple of {count} rows", output)
        first = output.shape[0] // count if count else input.shape[len(leading)]
        return output.reshape(*leading, first, *output.shape[1:]), buffer


class DepthConcat(Concat, init=False):
    """y = join(pad(m_1(x)), ..., pad(m_n(x))): Concat that centres smaller outputs in zeros; every other dimension
    takes the largest size.

    Shape: any -> the outputs joined along `dimension`; with an odd difference, the smaller half of the zeros is before.
    Raises: ValueError for outputs of different ranks.
    Source: nn/doc/containers.md#nn.DepthConcat; Szegedy et al., 2014.

    >>> import functorch7 as f7
    >>> columns = f7.SpatialConvolution(3, 4, 1, 1), f7.SpatialConvolution(3, 5, 3, 3)
    >>> f7.output_shape(f7.DepthConcat(2, *columns), (8, 3, 12, 12))
    (8, 9, 12, 12)
    """

    def join(self, outputs: list) -> Array:
        tensors = check_tensors(self, outputs)
        if len({t.ndim for t in tensors}) > 1:
            raise expected(self, "outputs of one number of dimensions", tensors)
        along = axis(self, self.dimension, tensors[0].ndim)
        largest = [max(sizes) for sizes in zip(*(t.shape for t in tensors), strict=True)]

        def centred(tensor: Array) -> Array:
            pads = [(0, 0) if a == along else ((n - s) // 2, -(-(n - s) // 2)) for a, (n, s) in
                    enumerate(zip(largest, tensor.shape, strict=True))]  # fmt: skip
            return jnp.pad(tensor, pads)

        return jnp.concatenate([centred(t) for t in tensors], along)


SHARED = ("weight", "bias", "gradWeight", "gradBias")
"""What the modules of a MapTable share, unless it is told otherwise."""


class MapTable(Container):
    """y = [m(x_1), ..., m(x_n)]: the same module for every entry of a table.

    Shape: [x1, x2, ...] -> [f(x1), f(x2), ...].
    Parameters: those of the module, one level down. Buffers: those after the last entry; losses, and
    log-probabilities of samples of one shape, are added, and recurrent state is a list, as each entry has its own.
    With `shared` False, each entry has its own module, with its own arrays: `resize(n)` sets their number. So it is
    with a list of the parameters to share without "weight" or "bias"; in `legacy` the modules then share those named.
    Raises: ValueError without a module, for inputs that are not tables, and for more entries than modules that are not
    shared; TypeError for more than one shared module.
    Differs from Torch7: shared modules have one set of running statistics, which each entry moves in turn (Torch7's
    clones have their own).
    Source: nn/doc/table.md#nn.MapTable.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.MapTable(f7.Linear(3, 4)), [(8, 3), (5, 3)])
    [(8, 4), (5, 4)]
    """

    takes_table: ClassVar[bool] = True

    shared: bool = True
    shared_params: tuple[str, ...] = SHARED

    def __init__(self, module: Module | None = None, shared: bool | list[str] | tuple[str, ...] | None = True):
        if isinstance(shared, (list, tuple)):
            names, together = tuple(shared), {"weight", "bias"} <= {*shared}
        else:
            together = shared is None or shared
            names = SHARED if together else ()
        self._set(modules=() if module is None else (module,), shared=together, shared_params=names)
        self.__post_init__()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.shared and len(self.modules) > 1:
            raise TypeError("nn.MapTable: single module required")

    @builder
    def resize(self, n: int) -> "MapTable":
        """The same map with n modules; if they are shared, itself."""
        return self if self.shared else self.replace(modules=self.modules[:1] * n)

    def forward(self, params: Tree, buffers: Tree, input: Table, *, key: Key, train: bool) -> tuple[list, Tree]:
        if not self.modules:
            raise expected(self, "a module to be added first", input)
        table = check_table(self, input, 0)
        if not self.shared and len(table) > len(self.modules):
            raise expected(self, f"at most {len(self.modules)} entries (say resize({len(table)}) first)", input)
        keys = [None if key is None else jax.random.fold_in(key, i) for i in range(len(table))]
        if self.shared:
            return self._of_one(params, buffers, table, keys, train)
        outputs, new = [], list(buffers)
        for i, each in enumerate(table):
            output, new[i] = self.call(i, params, new, each, key=keys[i], train=train)
            outputs.append(output)
        return outputs, new

    def _of_one(
        self, params: Tree, buffers: Tree, table: Sequence[Tree], keys: Sequence[Key], train: bool
    ) -> tuple[list, Tree]:
        """The one module for each entry, which has recurrent state of its own."""
        (module,), (given,) = self.modules, buffers
        outputs: list = []
        left: list = []
        new = given
        for i, (each, key) in enumerate(zip(table, keys, strict=True)):
            start = map_state(module, new, lambda _, states, i=i: states[i] if i < len(states or ()) else None, given)
            output, after = self.call(0, params, [start], each, key=key, train=train)
            outputs.append(output)
            left.append(after)
            rest = forget(module, after)
            new = jax.tree.map(both, forget(module, new), rest, is_leaf=is_emitted) if i else rest
        return outputs, [map_state(module, new, lambda _, *states: _of_entries(*states), given, *left)]

    def printed(self) -> str:
        if not self.modules:
            return f"{self.type_name()} {{ }}"
        return f"{self.type_name()} {{\n  " + str(self.modules[0]).replace("\n", "\n" + " " * 8) + "\n}"


def _of_entries(before: list | None, *left: Value) -> list | None:
    """The recurrent state after a call: of each of its entries, and of those beyond, which earlier calls had."""
    states = [*left, *(before or ())[len(left) :]]
    return states if any(state is not None for state in states) else None


class WeightNorm(Module):
    """weight = g v / sqrt(||v||^2 + 1e-4): the weight of the module inside, output by output.

    Shape: that of the module. Buffers: those of the module, under the name `module`.
    Parameters: v (outputs, rest), from Normal(0, sqrt(2 / rest)); g (outputs, 1), the norms of v's rows; bias, zeros,
    if the module has one. `output_dim` is the weight's dimension that counts outputs.
    Raises: ValueError if the module has no weight, or the weight has not this dimension.
    Source: nn, WeightNorm.lua; Salimans & Kingma, 2016.

    >>> import functorch7 as f7, jax
    >>> sorted(jax.eval_shape(f7.WeightNorm(f7.Linear(3, 4)).init, jax.random.key(0)).params)
    ['bias', 'g', 'v']
    """

    parameter_order = ("v", "g", "bias")

    module: Module
    output_dim: int = 1

    def _weight_shape(self) -> tuple[int, ...]:
        made = jax.eval_shape(self.module.init, jax.random.key(0)).params
        if not isinstance(made, dict) or "weight" not in made:
            raise ValueError(f"{self.torch_name()}: expected a module with a weight, got {self.module}")
        return made["weight"].shape

    def init_params(self, key: Array, stdv: float | None = None) -> dict[str, Array]:
        outputs, *others = self.moved_shape()
        rest = math.prod(others)
        v = normal(key, (outputs, rest), (2 / rest) ** 0.5)
        params = {"v": v, "g": jnp.sqrt((v * v).sum(1, keepdims=True))}
        made = jax.eval_shape(self.module.init, key).params
        return {**params, "bias": filled(made["bias"].shape, 0)} if "bias" in made else params

    def init_buffers(self) -> State:
        return {"module": self.module.init(jax.random.key(0)).buffers}

    def draws(self, train: bool) -> bool:
        return self.module.traits.draws(train)

    @property
    def takes_table(self) -> bool:
        return self.module.traits.takes_table

    @property
    def checks_values(self) -> bool:
        return self.module.traits.checks_values

    def moved_shape(self) -> tuple[int, ...]:
        """The weight's sizes, its outputs first."""
        shape = self._weight_shape()
        along = axis(self, self.output_dim, len(shape))
        return (shape[along], *shape[:along], *shape[along + 1 :])

    def weight(self, params: Tree) -> Array:
        """The weight that v and g represent."""
        v = params["v"]
        rows = v * (params["g"] * lax.rsqrt((v * v).sum(1, keepdims=True) + 1e-4))
        shape = self.moved_shape()
        return jnp.moveaxis(rows.reshape(shape), 0, axis(self, self.output_dim, len(shape)))

    def forward(self, params: Tree, buffers: Tree, input: Array, *, key: Key, train: bool) -> tuple[Array, Tree]:
        inner = {"weight": self.weight(params)}
        if "bias" in params:
            inner["bias"] = params["bias"]
        output, buffer = self.module.apply(inner, buffers["module"], input, key=key, train=train)
        return output, {"module": buffer}

    def printed(self) -> str:
        return f"{self.type_name()} @ {self.module}"
