"""Linear functions with a way back of their own that, unlike `custom_vjp`, can be differentiated forwards, too."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax._src.core import Primitive  # as jax.extend.core has it, which imports Pallas, too
from jax.interpreters import ad, batching, mlir

from .precision import is_inexact
from .types import Value
from .varying import varying_as

WayBack = Callable[[list], list]
"""From the gradients of a function's results, to those of what moves."""


def own_way_back(tree: Value, way_back: WayBack) -> Value:
    """`tree` itself; backwards, `way_back` maps the gradients of its floating-point leaves to those that go on."""
    leaves, structure = jax.tree.flatten(tree)
    moving = [i for i, leaf in enumerate(leaves) if is_inexact(leaf)]
    found = _identity.bind(*(leaves[i] for i in moving), way_back=way_back)
    for i, leaf in zip(moving, found, strict=True):
        leaves[i] = leaf
    return structure.unflatten(leaves)


def linear(function: Callable[[Value, Value], Value], way_back: Callable, fixed: Value, moving: Value) -> Value:
    """function(fixed, moving), which is linear in `moving`, a tree of floating-point arrays.

    Its way back is way_back(fixed, gradients), with the structure of `moving`. Neither function may use traced values
    other than its arguments.
    """
    fixed, moving = varying_as((fixed, moving), (fixed, moving))
    (fixed_leaves, of_fixed), (leaves, of_moving) = jax.tree.flatten(fixed), jax.tree.flatten(moving)
    program, shapes = jax.make_jaxpr(function, return_shape=True)(fixed, moving)
    of_results = jax.tree.structure(shapes)

    def forth(fixed: list, moving: list) -> list:
        return jax.tree.leaves(function(of_fixed.unflatten(fixed), of_moving.unflatten(moving)))

    def back(fixed: list, gradients: list) -> list:
        return jax.tree.leaves(way_back(of_fixed.unflatten(fixed), of_results.unflatten(gradients)))

    count, avals = len(fixed_leaves), tuple(program.out_avals)
    found = _linear.bind(*fixed_leaves, *leaves, function=forth, way_back=back, count=count, avals=avals)
    return of_results.unflatten(found)


def _filled(tangents: Any) -> list:
    return [ad.instantiate_zeros(each) for each in tangents]


# The identity of all operands: what is not batched stays so, and so do gradients ------

_identity = Primitive("own_way_back")
_identity.multiple_results = True
_identity.def_impl(lambda *values, way_back: list(values))
_identity.def_abstract_eval(lambda *avals, way_back: list(avals))
mlir.register_lowering(_identity, mlir.lower_fun(lambda *values, way_back: list(values), multiple_results=True))


def _identity_tangents(primals: Any, tangents: Any, *, way_back: WayBack) -> tuple:
    return _identity.bind(*primals, way_back=way_back), _identity.bind(*_filled(tangents), way_back=way_back)


def _identity_back(gradients: Any, *operands: Any, way_back: WayBack) -> list:
    found = way_back(_filled(gradients))
    return [each if ad.is_undefined_primal(of) else None for each, of in zip(found, operands, strict=True)]


def _identity_batched(values: Any, axes: Any, *, way_back: WayBack) -> tuple:
    return _identity.bind(*values, way_back=jax.vmap(way_back, (list(axes),), list(axes))), axes


ad.primitive_jvps[_identity] = _identity_tangents
ad.primitive_transposes[_identity] = _identity_back
batching.primitive_batchers[_identity] = _identity_batched

# Any function, of fixed and moving operands ------


def _computed(*operands: Any, function: Callable, way_back: Callable, count: int, avals: tuple) -> list:
    return function(list(operands[:count]), list(operands[count:]))


_linear = Primitive("linear_with_own_way_back")
_linear.multiple_results = True
_linear.def_impl(_computed)
_linear.def_abstract_eval(lambda *_, avals, **__: list(avals))
mlir.register_lowering(_linear, mlir.lower_fun(_computed, multiple_results=True))


def _linear_tangents(primals: Any, tangents: Any, *, count: int, **rest: Any) -> tuple:
    results = _linear.bind(*primals, count=count, **rest)
    if all(type(each) is ad.Zero for each in tangents[:count]):
        return results, _linear.bind(*primals[:count], *_filled(tangents[count:]), count=count, **rest)
    moving = [i for i, each in enumerate(primals) if is_inexact(each)]

    def of_moving(given: list) -> list:
        operands = list(primals)
        for i, value in zip(moving, given, strict=True):
            operands[i] = value
        return _computed(*operands, count=count, **rest)

    given, changes = [primals[i] for i in moving], _filled(tangents[i] for i in moving)
    return results, jax.jvp(of_moving, (given,), (changes,))[1]


def _linear_back(gradients: Any, *operands: Any, way_back: Callable, count: int, **_: Any) -> list:
    found = way_back(list(operands[:count]), _filled(gradients))
    return [None] * count + [
        each if ad.is_undefined_primal(of) else None for each, of in zip(found, operands[count:], strict=True)
    ]


def _linear_batched(values: Any, axes: Any, *, function: Callable, way_back: Callable, count: int, avals: tuple) -> Any:
    """What moves and is not batched stays one for all; its gradients are added up."""
    of_fixed, of_moving = list(axes[:count]), list(axes[count:])
    batched = jax.vmap(function, in_axes=(of_fixed, of_moving))

    def back(fixed: list, gradients: list) -> list:
        found = jax.vmap(way_back, in_axes=(of_fixed, 0))(fixed, gradients)
        return [
            each.sum(0) if axis is None else jnp.moveaxis(each, 0, axis)
            for each, axis in zip(found, of_moving, strict=True)
        ]

    avals = tuple(jax.make_jaxpr(batched)(list(values[:count]), list(values[count:])).out_avals)
    results = _linear.bind(*values, function=batched, way_back=back, count=count, avals=avals)
    return results, [0] * len(results)


ad.primitive_jvps[_linear] = _linear_tangents
ad.primitive_transposes[_linear] = _linear_back
batching.primitive_batchers[_linear] = _linear_batched
