"""Containers: chains and branches of modules."""

from typing import ClassVar

import jax

from ..core import Container, Module, axis, check_dimension, expected
from ..core.printing import branches, chain
from ..core.types import Array, Key, Output, Table, Tree, Value
from .along import AlongDimension
from .table import check_entries, joined


class Sequential(Container, init=False):
    """y = m_n(... m_2(m_1(x))): the modules one after another.

    Shape: the first module's input -> the last one's output; without modules the input itself.
    Parameters and buffers: a list, one entry per module.
    Raises: TypeError if anything but a module is added.
    Source: nn/doc/containers.md#nn.Sequential.

    >>> import functorch7 as f7
    >>> net = f7.Sequential(f7.Linear(3, 4), f7.Tanh(), f7.Linear(4, 2))
    >>> f7.output_shape(net, (8, 3))
    (8, 2)
    >>> net[2]
    nn.Linear(4 -> 2)
    """

    @property
    def causal(self) -> bool:
        """The places of all modules inside."""
        return bool(self.modules) and all(module.traits.causal for module in self.modules)

    def forward(
        self, params: Tree, buffers: Tree, input: Tree, *, key: Key, train: bool, **way: Value
    ) -> tuple[Output, Tree]:
        new = list(buffers)
        for i in range(len(self.modules)):
            input, new[i] = self.call(i, params, buffers, input, key=key, train=train, **way)
        return input, new

    @property
    def takes_table(self) -> bool:
        return bool(self.modules) and self.modules[0].traits.takes_table

    def printed(self) -> str:
        # Torch writes nn.Sequential for subclasses too.
        return chain("nn.Sequential", self.modules)


class Branches(Container, abstract=True, init=False):
    """Containers that run their modules side by side: write `split` and `join`."""

    def split(self, input: Tree) -> list:
        """Each module's input."""
        return [input] * len(self.modules)

    def join(self, outputs: list) -> Output:
        """The output, from the modules' outputs."""
        return outputs

    @property
    def takes_table(self) -> bool:
        return any(module.traits.takes_table for module in self.modules)

    def forward(
        self, params: Tree, buffers: Tree, input: Tree, *, key: Key, train: bool, **way: Value
    ) -> tuple[Output, Tree]:
        outputs, new = [], list(buffers)
        for i, part in enumerate(self.split(input)):
            output, new[i] = self.call(i, params, buffers, part, key=key, train=train, **way)
            outputs.append(output)
        return self.join(outputs), new

    def printed(self) -> str:
        return branches(self.type_name(), self.modules)


class Concat(AlongDimension, Branches):
    """y = join(m_1(x), ..., m_n(x)): every module gets the same input; their outputs are joined along `dimension`.

    Shape: any -> the outputs, which agree in all dimensions but `dimension` (the batch's counts, too).
    Parameters and buffers: a list, one entry per module.
    Raises: ValueError for dimension 0 and for sizes that do not match.
    Source: nn/doc/containers.md#nn.Concat.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.Concat(2, f7.Linear(3, 4), f7.Linear(3, 5)), (8, 3))
    (8, 9)
    """

    def __init__(self, dimension: int, *modules: Module):
        self._set(dimension=dimension, modules=modules)
        self.__post_init__()

    def join(self, outputs: list) -> Array:
        return joined(self, outputs, self.dimension)


class Parallel(Branches):
    """y = join(m_1(x_1), ..., m_n(x_n)): module i gets slice i of the input along `input_dimension`; the outputs are
    joined along `output_dimension`.

    Shape: at most as many slices as modules -> the joined outputs; modules without a slice are not run.
    Parameters and buffers: a list, one entry per module.
    Raises: ValueError for dimension 0, if there are more slices than modules, or if it is applied without dimensions.
    Source: nn/doc/containers.md#nn.Parallel.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.Parallel(2, 2, f7.Linear(3, 4), f7.Linear(3, 5)), (8, 2, 3))  # slices of dimension 2
    (8, 9)
    """

    input_dimension: int | None = None
    output_dimension: int | None = None

    def __init__(self, input_dimension: int | None = None, output_dimension: int | None = None, *modules: Module):
        self._set(input_dimension=input_dimension, output_dimension=output_dimension, modules=modules)
        self.__post_init__()

    def __post_init__(self) -> None:
        super().__post_init__()
        for dimension in (self.input_dimension, self.output_dimension):
            if dimension is not None:
                check_dimension(self, dimension)

    def split(self, input: Array) -> list:
        along = axis(self, self.input_dimension, input.ndim)
        if not 1 <= input.shape[along] <= len(self.modules):
            modules = len(self.modules)
            raise expected(self, f"1 to {modules} slices (one for each module) in dimension {along + 1}", input)
        return [jax.lax.index_in_dim(input, i, along, keepdims=False) for i in range(input.shape[along])]

    def join(self, outputs: list) -> Array:
        return joined(self, outputs, self.output_dimension)


class ConcatTable(Branches, init=False):
    """y = [m_1(x), ..., m_n(x)]: every module gets the same input (a tensor or a table); the output is the table of
    their outputs.

    Shape: any -> [output of module 1, ...].
    Parameters and buffers: a list, one entry per module.
    Raises: TypeError if anything but a module is added; the errors of the modules.
    Source: nn/doc/table.md#nn.ConcatTable.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.ConcatTable(f7.Linear(3, 4), f7.Identity()), (8, 3))
    [(8, 4), (8, 3)]
    """


class ParallelTable(Branches, init=False):
    """y = [m_1(x_1), ..., m_n(x_n)]: module i gets entry i of the input table; the output is the table of their
    outputs.

    Shape: a table with at least one entry per module -> [output of module 1, ...]; further entries are ignored. A
    tensor with one row per module is the table of its rows, as in Torch.
    Parameters and buffers: a list, one entry per module.
    Raises: ValueError if the input is not a table or has too few entries.
    Source: nn/doc/table.md#nn.ParallelTable.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.ParallelTable(f7.Linear(3, 4), f7.Tanh()), [(8, 3), (8, 5)])
    [(8, 4), (8, 5)]
    """

    takes_table: ClassVar[bool] = True

    def split(self, input: Table) -> list:
        return check_entries(self, input, len(self.modules))[: len(self.modules)]
