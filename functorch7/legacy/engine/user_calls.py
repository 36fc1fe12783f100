"""A call of a user's module as an operation of traced programs, with its derivative; `cut.py` runs such programs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import jax
import numpy as np
from jax._src.core import Primitive  # as jax.extend.core has it, which imports Pallas, too
from jax.core import ShapedArray
from jax.extend.core import JaxprEqn
from jax.interpreters import ad

from ...core.types import Structure, Value

Shapes = tuple[tuple[tuple[int, ...], np.dtype], ...]


class Signature(NamedTuple):
    """What a call gives: how its arrays are nested, and their shapes and dtypes."""

    tree: Structure
    shapes: Shapes


def shapes_of(arrays: Iterable[Value]) -> Shapes:
    """The shapes and dtypes of arrays, traced ones too."""
    return tuple((tuple(array.shape), np.dtype(array.dtype)) for array in arrays)


def inexact(shapes: Shapes) -> list[int]:
    """Which of them have gradients."""
    return [i for i, (_, dtype) in enumerate(shapes) if jax.numpy.issubdtype(dtype, np.inexact)]


class Left:
    """What a call leaves for the way back; in traced programs it stands for a number, with which nothing is computed.

    `pull` takes the gradient of the output, and gives those of the parameters and of the input.
    """

    shape, dtype = (), np.dtype(np.int32)

    def __init__(self, output: Value, pull: Callable[[Value], tuple], given: Shapes):
        self.outputs, tree = jax.tree.flatten(output)
        self.signature = Signature(tree, shapes_of(self.outputs))
        self._pull, self._given, self._pulled = pull, inexact(given), []

    def pulled(self, gradients: list, again: bool) -> list:
        """The gradients of parameters and input; `again`: those that it gave last, without a call."""
        if not again or not self._pulled:
            rest = iter(gradients)
            outputs = inexact(self.signature.shapes)
            cotangents = [
                next(rest) if i in outputs else np.zeros(shape, jax.dtypes.float0)
                for i, (shape, _) in enumerate(self.signature.shapes)
            ]
            leaves = jax.tree.leaves(self._pull(self.signature.tree.unflatten(cotangents)))
            self._pulled = [leaves[i] for i in self._given]
        return self._pulled


NUMBER = ShapedArray(Left.shape, Left.dtype)

# (what a call has left, if it is answered so; parameters and input) -> (output, what it leaves).
forward_p = Primitive("user_forward")
# (what a call has left; tangents of parameters and input) -> tangents of the output.
linear_p = Primitive("user_tangents")
# (what a call has left; gradients of the output) -> gradients of the parameters and of the input.
backward_p = Primitive("user_backward")

for _primitive in (forward_p, linear_p, backward_p):
    _primitive.multiple_results = True


def is_user_call(equation: JaxprEqn) -> bool:
    """Whether an equation of a traced program is a call of a user's methods."""
    return equation.primitive in (forward_p, backward_p)


@forward_p.def_abstract_eval
def _forward_shapes(*_: Any, out: Signature, **__: Any) -> list:
    return [*(ShapedArray(*shape) for shape in out.shapes), NUMBER]


@linear_p.def_abstract_eval
@backward_p.def_abstract_eval
def _given_shapes(*_: Any, shapes: Shapes, **__: Any) -> list:
    return [ShapedArray(*shape) for shape in shapes]


def _differentiated(primals: Any, tangents: Any, **params: Any) -> tuple[list, list]:
    results = forward_p.bind(*primals, **params)
    moved: list = [ad.Zero(jax.typeof(result).to_tangent_aval()) for result in results]
    inputs = inexact(shapes_of(primals))
    if any(not isinstance(tangents[i], ad.Zero) for i in inputs):
        outputs = inexact(params["out"].shapes)
        given = [ad.instantiate_zeros(tangents[i]) for i in inputs]
        shapes = tuple(params["out"].shapes[i] for i in outputs)
        found = linear_p.bind(results[-1], *given, shapes=shapes, again=params["again"])
        for i, tangent in zip(outputs, found, strict=True):
            moved[i] = tangent
    return results, moved


def _transposed(gradients: Any, left: Any, *tangents: Any, shapes: Shapes, again: bool) -> list:
    given = [ad.instantiate_zeros(gradient) for gradient in gradients]
    wanted = shapes_of([tangent.aval for tangent in tangents])
    return [None, *backward_p.bind(left, *given, shapes=wanted, again=again)]


ad.primitive_jvps[forward_p] = _differentiated
ad.primitive_transposes[linear_p] = _transposed
