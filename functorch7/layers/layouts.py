"""Conversion between the layouts of an example's axes."""

import jax.numpy as jnp

from ..core import Map, Module, expected
from ..core.types import Array, Value
from .containers import Sequential
from .shape import Identity, Reshape
from .slicing import Collapse, Select, Transpose


class Convert(Map):
    """y[b, h, w, c] = x[b, c, h, w]: from "bchw" to "bhwc", the input with the axes in output_shape: one letter
    each (batch, channels, height, width).

    Two layouts of the same letters are a transposition; to "bf" (batch, features) flattens the examples, to "b" selects
    the only feature, to "bt" adds a dimension of one target. A missing "b" is added in front. Without arguments:
    y = x. The output has the given `dtype`, such as "float32" (in `legacy` always that of the module's type).
    Shape: one dimension for each letter, or one fewer for a single example, which gives a single example.
    Raises: ValueError for an output_shape alone, for conversions other than these, and for inputs of other ranks.
    Source: dpnn/README.md#nn.Convert.

    >>> import functorch7 as f7
    >>> f7.output_shape(f7.Convert("bchw", "bhwc"), (2, 3, 5, 7))
    (2, 5, 7, 3)
    """

    input_shape: str | None = None
    output_shape: str | None = None
    dtype: str | None = None

    def __post_init__(self) -> None:
        if self.output_shape is not None and self.input_shape is None:
            raise ValueError("nn.Convert: expecting non-nil arg 1 when arg 2 is provided")
        before = self.input_shape or "b*"
        shapes = [shape if "b" in shape else "b" + shape for shape in (before, self.output_shape or before)]
        if ("b*" in shapes) != (shapes[0] == shapes[1] == "b*"):
            raise ValueError(f"nn.Convert: both or neither shapes must be b*, got {shapes[0]} and {shapes[1]}")
        self._set(input_shape=shapes[0], output_shape=shapes[1])
        if not self.transposes and self.output_shape not in ("bf", "b", "bt"):
            raise ValueError(f"nn.Convert: unrecognized conversion of shape {self.input_shape} to {self.output_shape}")

    @property
    def transposes(self) -> bool:
        """Whether the two layouts have the same letters."""
        return sorted(self.input_shape or "") == sorted(self.output_shape or "")

    def find_axis(self, axis: str, shape: str | None = None) -> int:
        """The position of a letter in a layout (by default that of the input), from 1; ValueError if there is none."""
        shape = shape or self.input_shape or ""
        if axis not in shape:
            raise ValueError(f"nn.Convert: provided shape '{shape}' has no axis '{axis}'")
        return shape.index(axis) + 1

    def transpose(self, new_shape: str) -> Module:
        """The module that permutes the input's axes to another layout."""
        letters, pairs = list(self.input_shape or ""), []
        for i, letter in enumerate(new_shape):
            j = letters.index(letter)
            if i != j:
                letters[i], letters[j] = letters[j], letters[i]
                pairs.append((j + 1, i + 1))
        return Transpose(*pairs) if pairs else Identity()

    def bf(self) -> Module:
        """The module that flattens the examples of a batch."""
        if self.input_shape == "bt":
            raise ValueError("nn.Convert: conversion of shape bt to bf not supported")
        first, dims = self.find_axis("b"), len(self.input_shape or "")
        moved = [Transpose((1, first))] if first > 1 else []
        flat = [] if dims == 2 else [Reshape(1, batch_mode=True) if dims == 1 else Collapse(dims - 1)]
        return Sequential(*moved, *flat)

    def b(self, input: Value) -> Module:
        """The module that selects the only feature, or the first target, of each example."""
        letters = sorted(self.input_shape or "")
        if letters == ["b", "t"]:
            return Select(self.find_axis("t"), 1)
        if letters != ["b", "f"]:
            raise ValueError(f"nn.Convert: cannot convert shape {self.input_shape} to shape b")
        feature = self.find_axis("f")
        if input.shape[feature - 1] > 1:
            raise expected(self, f"one feature, to convert shape {self.input_shape} to b", input)
        return Select(feature, 1)

    def bt(self) -> Module:
        """The module that makes each example's number a vector of one."""
        if self.input_shape != "b":
            raise ValueError(f"nn.Convert: cannot convert shape '{self.input_shape}' to bt")
        return Reshape(1, batch_mode=True)

    def converter(self, input: Array) -> Module:
        """The module that does this for a batch of this rank."""
        if self.transposes:
            return self.transpose(self.output_shape or "")
        return {"bf": self.bf, "b": lambda: self.b(input), "bt": self.bt}[self.output_shape or ""]()

    def f(self, input: Array) -> Array:
        if self.dtype is not None:
            input = input.astype(self.dtype)
        if self.input_shape == "b*":
            return input
        dims = len(self.input_shape or "")
        if input.ndim not in (dims - 1, dims):
            raise expected(self, f"{dims} dimensions ({self.input_shape}), or one fewer for one example", input)
        single = input.ndim == dims - 1
        batch = jnp.expand_dims(input, self.find_axis("b") - 1) if single else input
        nothing = [{}, {}]  # a converter has at most two modules, without arrays
        output, _ = self.converter(batch).apply(nothing, nothing, batch)
        return output.squeeze(self.find_axis("b", self.output_shape) - 1) if single else output
