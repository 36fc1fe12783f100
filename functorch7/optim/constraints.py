"""dpnn's helpers of training loops, to be chained with any rule."""

from collections import defaultdict
from typing import Any

import jax
import jax.numpy as jnp
import optax

from ..core.types import Array, Scalar
from .arguments import check_numbers, is_fixed, need_params
from .rule import rule_of


def _off(value: Scalar) -> bool:
    return is_fixed(value) and bool(value <= 0)


def weight_decay(factor: Scalar, min_dim: int = 2) -> optax.GradientTransformation:
    """g + factor * x, for parameters of at least min_dim dimensions; chained before a rule.

    A factor of 0 or less does nothing.
    Raises: TypeError for values other than numbers.
    Source: dpnn/README.md, Module.weightDecay.

    >>> import functorch7 as f7, jax, jax.numpy as jnp
    >>> rule, x = f7.optim.weight_decay(0.5, min_dim=1), jnp.array([3.0, 4.0])
    >>> jax.jit(rule.update)(jnp.array([1.0, -2.0]), rule.init(x), x)[0].tolist()
    [2.5, 0.0]
    """
    check_numbers("weight_decay", factor=factor, min_dim=min_dim)
    if _off(factor):
        return optax.identity()
    factor = factor if is_fixed(factor) else jnp.maximum(factor, 0)
    large = optax.add_decayed_weights(factor, lambda params: jax.tree.map(lambda p: jnp.ndim(p) >= min_dim, params))
    return rule_of("weight_decay", large)


def grad_param_clip(cutoff_norm: Scalar, per_module: bool = False) -> optax.GradientTransformation:
    """g * min(1, cutoff_norm / |g|), with |g| the norm of all gradients together; chained before a rule.

    With per_module, each module that has parameters of its own (an array's siblings in the tree) has its own norm.
    A cutoff of 0 or less does nothing.
    Raises: TypeError for values other than numbers.
    Source: dpnn/README.md, Module.gradParamClip.

    >>> import functorch7 as f7, jax, jax.numpy as jnp
    >>> rule, x = f7.optim.grad_param_clip(1.0), jnp.array([3.0, 4.0])
    >>> [f"{change:.3f}" for change in jax.jit(rule.update)(jnp.array([1.0, -2.0]), rule.init(x), x)[0]]  # of norm 1
    ['0.447', '-0.894']
    """
    check_numbers("grad_param_clip", cutoff_norm=cutoff_norm)
    if _off(cutoff_norm):
        return optax.identity()
    clip = _clipped_by_module if per_module else _clipped
    return rule_of("grad_param_clip", optax.stateless(lambda updates, _: clip(cutoff_norm, updates)))


def _clipped(cutoff_norm: Scalar, updates: Any) -> Any:
    """As optax's `clip_by_global_norm`, but for trees with several dtypes."""
    squares = [jnp.sum(jnp.square(g)) for g in jax.tree.leaves(updates)]
    if not squares:
        return updates
    widest = max((each.dtype for each in squares), key=lambda dtype: jnp.finfo(dtype).bits)
    norm = jnp.sqrt(sum((each.astype(widest) for each in squares[1:]), squares[0].astype(widest)))

    def clipped(g: Array) -> Array:
        return jnp.where((norm < cutoff_norm) | (cutoff_norm <= 0), g, (g / norm.astype(g.dtype)) * cutoff_norm)

    return jax.tree.map(clipped, updates)


def _clipped_by_module(cutoff_norm: Scalar, updates: Any) -> Any:
    paths, structure = jax.tree.flatten_with_path(updates)
    leaves, modules = [leaf for _, leaf in paths], defaultdict(list)
    for i, (path, _) in enumerate(paths):
        modules[path[:-1]].append(i)
    for places in modules.values():
        for i, clipped in _clipped(cutoff_norm, {i: leaves[i] for i in places}).items():
            leaves[i] = clipped
    return structure.unflatten(leaves)


def max_param_norm(
    max_out_norm: Scalar | None = None, max_in_norm: Scalar | None = None
) -> optax.GradientTransformation:
    """After the update, rows longer than max_out_norm are scaled down to it, and then slices of the last dimension.

    A row (slice of the first dimension) holds the weights into one output. Parameters with one dimension are left
    alone. None, or a norm of 0 or less, is no limit. Chained last.
    Raises: TypeError for values other than numbers.
    Source: dpnn/README.md, Module.maxParamNorm.

    >>> import functorch7 as f7, jax, jax.numpy as jnp
    >>> rule, x = f7.optim.max_param_norm(1.0), jnp.array([[3.0, 4.0]])
    >>> change, _ = jax.jit(rule.update)(jnp.zeros((1, 2)), rule.init(x), x)
    >>> [f"{weight:.3f}" for weight in (x + change)[0]]  # a row of norm 1
    ['0.600', '0.800']
    """
    limits = {name: n for name, n in (("max_out_norm", max_out_norm), ("max_in_norm", max_in_norm)) if n is not None}
    check_numbers("max_param_norm", **limits)
    axes = {"max_out_norm": 0, "max_in_norm": -1}

    def projected(param: Any, update: Any) -> Any:
        if jnp.ndim(param) < 2:
            return update
        moved = param + update
        for name, limit in limits.items():
            moved = moved if _off(limit) else _limited(moved, axes[name], limit)
        return moved - param

    def update(updates: Any, params: Any) -> Any:
        need_params("max_param_norm", params)
        return jax.tree.map(projected, params, updates)

    return rule_of("max_param_norm", optax.stateless(update))


def _limited(array: Array, axis: int, limit: Scalar) -> Array:
    """The slices along an axis, scaled down to a norm of `limit` if it is larger, as torch.renorm does."""
    others = tuple(a for a in range(array.ndim) if a != axis % array.ndim)
    norms = jnp.sqrt(jnp.sum(array * array, others, keepdims=True))
    return array * jnp.where((norms > limit) & (limit > 0), limit / (norms + 1e-7), 1)
