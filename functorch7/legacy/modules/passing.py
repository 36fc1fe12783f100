"""Modules that compute nothing: when called themselves, they pass their input on, as in Torch."""

from __future__ import annotations

import operator
from typing import Any

import jax

from ... import layers
from ...checks.tables import leaves
from ...core.types import Value
from ...losses.tables import map_leaves
from ..engine.turns import standing
from ..objects.generated import More, more
from ..tensors.devices import precision
from ..tensors.tensor import Tensor
from ..tensors.type_names import dtype_of
from ..tensors.values import Input, Output, shapes, wrapped
from ..tensors.zeros import of_zeros
from .module import Module


def _as_lists(value: Any) -> Any:
    """Tables as lists and dicts."""
    return map_leaves(lambda each: each, value)


class Passing(Module):
    """A module whose output consists of its input's own entries, of any type, and whose gradient does likewise.

    Its description's `f` only moves entries of tables, so it works on tensors, numbers and texts as on arrays. New
    tensors are made in a compiled network, for arrays, and if there are hooks.
    """

    copies_gradient = False
    """Whether gradInput contains copies of gradOutput's tensors."""

    def _hands_on(self, *values: Any, kinds: tuple[type, ...] = (Tensor,)) -> bool:
        own = all(isinstance(leaf, kinds) for value in values for leaf in leaves(value))
        return own and not standing(self)

    def updateOutput(self, input: Value) -> Output:
        """The input's entries."""
        if not self._hands_on(input, kinds=(Tensor, str, int, float)):
            return super().updateOutput(input)
        self.output = self._spec.f(_as_lists(input) if isinstance(input, tuple) else input)
        return self.output

    def updateGradInput(self, input: Value, gradOutput: Input | None = None) -> Output:
        """gradOutput's tensors at the input's places; sums for those used several times; zeros for unused ones."""
        tensors, structure = jax.tree.flatten(_as_lists(input))
        given = structure.unflatten(tensors)
        output = self._spec.f(given) if self._hands_on(input, gradOutput) else None
        are_rows = isinstance(input, Tensor) and output is not input  # of a tensor that stands for a table
        if output is None or are_rows or shapes(_as_lists(output)) != shapes(_as_lists(gradOutput)):
            return super().updateGradInput(input, gradOutput)
        if output is given:
            self.gradInput = gradOutput
            return gradOutput
        gradients: list = [None] * len(tensors)
        places = jax.tree.leaves(self._spec.f(structure.unflatten(range(len(tensors)))))
        for place, gradient in zip(places, jax.tree.leaves(_as_lists(gradOutput)), strict=True):
            if gradients[place] is None:
                gradients[place] = gradient.clone() if self.copies_gradient else gradient
            else:
                gradients[place] = gradients[place].clone().add(gradient)
        filled = [of_zeros(t.shape, t.dtype) if g is None else g for g, t in zip(gradients, tensors, strict=True)]
        self.gradInput = structure.unflatten(filled)
        return self.gradInput

    def backward(self, input: Value, gradOutput: Input | None = None, scale: float = 1) -> Output:
        """As updateGradInput: there are no parameters."""
        if self._hands_on(input, gradOutput):
            return self.updateGradInput(input, gradOutput)
        return super().backward(input, gradOutput, scale)


for _spec in (
    layers.Identity, layers.NarrowTable, layers.ZipTable, layers.ZipTableOneToMany, layers.ReverseTable,
    layers.JustTable, layers.JustElement,
):  # fmt: skip
    more[_spec] = More({}, base=Passing)
more[layers.SelectTable] = More({"copies_gradient": True}, Passing, "gradInput has a copy of gradOutput.")


class FlattenTable(Passing, describes=layers.FlattenTable):
    """nn.FlattenTable; `output` is the same table as long as the input's tensors are the same.

    Field: input_map, the input's tables with the positions in `output`, from 1, in place of tensors.
    """

    input_map: Value = None

    def updateOutput(self, input: Value) -> Output:
        """The input's tensors, in one table."""
        before = self.output if self.input_map is not None else None
        made = super().updateOutput(_as_lists(input))
        structure = jax.tree.structure(_as_lists(input))
        if before is not None and len(before) == len(made) and all(map(operator.is_, before, made)):
            self.output = made = before
        else:
            self.__dict__["input_map"] = structure.unflatten(range(1, structure.num_leaves + 1))
        return made


class Rearranging(Module):
    """A module that rearranges its input's elements, in the input's type, whatever its own."""

    def updateOutput(self, input: Value) -> Output:
        """The input's elements; gradInput is of the module's type, as in Torch."""
        if not isinstance(input, Tensor) or input.dtype == dtype_of(self._type) or standing(self):
            return super().updateOutput(input)
        with precision(input.dtype):
            self.output = wrapped(self._spec.f(input.array))
        return self.output


for _spec in (
    layers.View, layers.Reshape, layers.Select, layers.Narrow, layers.Squeeze, layers.Unsqueeze, layers.Transpose,
    layers.SplitTable,
):  # fmt: skip
    more[_spec] = More({}, base=Rearranging)


for _spec in (
    layers.JoinTable, layers.Concat, layers.Parallel, layers.Padding, layers.SpatialZeroPadding,
):  # fmt: skip
    more[_spec] = More({"_copies_whole_numbers": True})


class Copy(Module, describes=layers.Copy):
    """nn.Copy: output has one type and gradInput another, whatever the module's; if they are equal, nothing is copied.

    Casting the module or a network around it changes both types to the new one, as in Torch, unless `dontCast` is set.
    """

    def _cast(self, type_name: str, cache: dict) -> None:
        if not self.dontCast:
            super()._cast(type_name, cache)
            self.forceCopy = self.forceCopy or self.inputType != self.outputType
            self.inputType = self.outputType = None

    def _cast_to(self, tensor: Any, name: str | None, other: str | None) -> Any:
        if name == other and not self.forceCopy:
            return tensor
        return tensor.clone().type(self._type if name is None else name)

    def updateOutput(self, input: Value) -> Output:
        """The input, or a copy of it, of the output's type."""
        if not isinstance(input, Tensor) or standing(self):
            return super().updateOutput(input)
        self.output = self._cast_to(input, self.outputType, self.inputType)
        return self.output

    def updateGradInput(self, input: Value, gradOutput: Input | None = None) -> Output:
        """gradOutput, or a copy of it, of the input's type."""
        if not isinstance(gradOutput, Tensor) or standing(self):
            return super().updateGradInput(input, gradOutput)
        self.gradInput = self._cast_to(gradOutput, self.inputType, self.outputType)
        return self.gradInput

    def backward(self, input: Value, gradOutput: Input | None = None, scale: float = 1) -> Output:
        """As updateGradInput: there are no parameters."""
        return self.updateGradInput(input, gradOutput)
