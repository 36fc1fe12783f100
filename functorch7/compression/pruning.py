"""Pruning: masks that keep parameters at zero, a dict of them by the names of `state_dict`.

Every method takes the existing masks and returns the new ones, so that pruning again prunes more; amounts refer to the
elements that are left. `prune` sets the zeros, `keep_pruned` keeps them in training.

>>> import functorch7 as f7, jax
>>> module = f7.Sequential(f7.Linear(4, 3), f7.Tanh())
>>> params, buffers = module.init(jax.random.key(0))
>>> masks = f7.pruning.l1_unstructured(params, "0.weight", 0.5)
>>> int((f7.pruning.prune(params, masks)[0]["weight"] == 0).sum())
6

Source: torch.nn.utils.prune, whose rules these are; Han et al., Learning both Weights and Connections, 2015.
"""

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

from ..core import axis as axis_of
from ..core import describe, draws
from ..core.types import Array, ArrayLike, Params, Tree
from ..network import leaves_by_name, misfits

if TYPE_CHECKING:
    import optax

Masks = Mapping[str, Any]
NO_MASKS: Masks = MappingProxyType({})
ORIGINAL, MASK = "_orig", "_mask"


def l1_unstructured(params: Params, name: str, amount: float, masks: Masks = NO_MASKS) -> dict[str, jax.Array]:
    """The masks, in which the `amount` smallest of the remaining |weight| of a parameter are pruned, too.

    amount is a count, or, from 0.0 to 1.0, a share of the remaining elements.
    Raises: ValueError for a name that is not a parameter's, and for an amount below 0, or above 1 or the count of
    remaining elements; TypeError for an amount that is not a number.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.pruning.l1_unstructured({"weight": jnp.array([1.0, -3.0, 2.0])}, "weight", 1)["weight"].tolist()
    [False, True, True]
    """
    weight, mask = _found("l1_unstructured", params, name, masks)
    return {**masks, name: jnp.asarray(_without_least("l1_unstructured", np.abs(weight), mask, amount))}


def random_unstructured(
    params: Params, name: str, amount: float, key: jax.Array, masks: Masks = NO_MASKS
) -> dict[str, jax.Array]:  # fmt: skip
    """The masks, with a random `amount` of the remaining elements pruned, too. Amounts, errors: `l1_unstructured`."""
    weight, mask = _found("random_unstructured", params, name, masks)
    return {**masks, name: jnp.asarray(_without_least("random_unstructured", _drawn(key, weight.shape), mask, amount))}


def ln_structured(
    params: Params, name: str, amount: float, n: float, dim: int, masks: Masks = NO_MASKS
) -> dict[str, jax.Array]:  # fmt: skip
    """The masks, in which the `amount` slices along `dim` with the smallest Ln norm of those left are pruned, too.

    dim counts from 1 (in Linear and convolutions 1 is the outputs), or from the end, -1; n may be math.inf.
    amount counts slices. Raises: as `l1_unstructured`, and ValueError for vectors and missing dimensions.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> params = {"weight": jnp.array([[1.0, 1.0], [3.0, 0.0]])}
    >>> f7.pruning.ln_structured(params, "weight", 1, n=2, dim=1)["weight"].tolist()
    [[False, False], [True, True]]
    """
    weight, mask = _found("ln_structured", params, name, masks)
    axis = _axis("ln_structured", weight, name, dim)
    slices = np.moveaxis(weight, axis, 0).reshape(weight.shape[axis], -1)
    return {**masks, name: _without_slices("ln_structured", np.linalg.norm(slices, n, 1), mask, axis, amount)}


def random_structured(
    params: Params, name: str, amount: float, dim: int, key: jax.Array, masks: Masks = NO_MASKS
) -> dict[str, jax.Array]:  # fmt: skip
    """The masks, with a random `amount` of the remaining slices along `dim` pruned, too. Otherwise: `ln_structured`."""
    weight, mask = _found("random_structured", params, name, masks)
    axis = _axis("random_structured", weight, name, dim)
    return {**masks, name: _without_slices("random_structured", _drawn(key, weight.shape[axis]), mask, axis, amount)}


def global_unstructured(
    params: Params, names: Iterable[str], amount: float, key: jax.Array | None = None, masks: Masks = NO_MASKS
) -> dict[str, jax.Array]:  # fmt: skip
    """`l1_unstructured` over several parameters at once: the smallest of all, or with a key random ones of all.

    Raises: ValueError without names, and as `l1_unstructured`.
    """
    names = list(names)
    found = [_found("global_unstructured", params, name, masks) for name in names]
    if not found:
        raise ValueError("global_unstructured: expected names of parameters, got none")
    scores = np.concatenate([np.abs(weight).ravel() for weight, _ in found])
    scores = scores if key is None else _drawn(key, scores.shape)
    left = _without_least("global_unstructured", scores, np.concatenate([m.ravel() for _, m in found]), amount)
    parts = np.split(left, np.cumsum([mask.size for _, mask in found])[:-1])
    shaped = [jnp.asarray(part.reshape(mask.shape)) for part, (_, mask) in zip(parts, found, strict=True)]
    return {**masks, **dict(zip(names, shaped, strict=True))}


def custom_from_mask(params: Params, name: str, mask: ArrayLike, masks: Masks = NO_MASKS) -> dict[str, jax.Array]:
    """The masks, with a parameter also pruned where `mask` is 0. Raises: ValueError for other names and shapes."""
    weight, before = _found("custom_from_mask", params, name, masks)
    if np.shape(mask) != weight.shape:
        raise ValueError(f"custom_from_mask: expected a mask of shape {weight.shape} for {name}, got {np.shape(mask)}")
    return {**masks, name: jnp.asarray(before & (np.asarray(mask) != 0))}


def is_pruned(masks: Masks, name: str = "") -> bool:
    """Whether there is a mask for this parameter, or for any in the module of this name; without a name, any mask."""
    return any(not name or each == name or each.startswith(f"{name}.") for each in masks)


def prune(params: Params, masks: Masks) -> Tree:
    """The params with zeros where the masks say so. Pure, also for use under `jit` and `grad`.

    Raises: ValueError for masks without a parameter, and for other shapes.

    >>> import functorch7 as f7, jax.numpy as jnp
    >>> f7.pruning.prune({"weight": jnp.array([1.0, 2.0])}, {"weight": jnp.array([False, True])})["weight"].tolist()
    [0.0, 2.0]
    """
    _check_masks("prune", params, masks)
    return _masked(lambda mask, value: jnp.where(mask, value, 0), masks, params)


def remove(params: Params, masks: Masks, name: str) -> tuple[Tree, dict[str, Array]]:
    """(params with the parameter's zeros, masks without its mask): pruning is made permanent, and no longer maintained.

    Raises: ValueError if there is no such mask.
    """
    if name not in masks:
        raise ValueError(f"remove: {name} has no mask; there are masks for {', '.join(masks) or 'nothing'}")
    return prune(params, {name: masks[name]}), {each: mask for each, mask in masks.items() if each != name}


def keep_pruned(masks: Masks) -> "optax.GradientTransformation":
    """An optax transformation after which pruned parameters are zero: the last of a chain.

        optimizer = optax.chain(optax.adam(1e-3), keep_pruned(masks))

    Raises: ValueError for masks without a parameter, or of other shapes, and if `update` does not get the params.
    """
    import optax  # its import takes a while, and only this function needs it

    def init(params: Tree) -> optax.EmptyState:
        _check_masks("keep_pruned", params, masks)
        return optax.EmptyState()

    def update(updates: Any, state: optax.EmptyState, params: Tree | None = None) -> tuple[Any, optax.EmptyState]:
        if params is None:
            raise ValueError("keep_pruned: update needs the params")
        return _masked(lambda mask, change, value: jnp.where(mask, change, -value), masks, updates, params), state

    return optax.GradientTransformation(init, update)  # type: ignore[arg-type]


def pruned_state_dict(state: Mapping[str, Array], masks: Masks) -> dict[str, Array]:
    """A `state_dict` in PyTorch's form: name_orig and name_mask instead of every name that has a mask.

    Raises: ValueError for masks without a parameter.
    """
    _check_names("pruned_state_dict", dict(state), masks)
    kept = {name + ORIGINAL if name in masks else name: value for name, value in state.items()}
    return kept | {name + MASK: jnp.asarray(mask, state[name].dtype) for name, mask in masks.items()}


def split_pruned(state: Mapping[str, Array]) -> tuple[dict[str, Array], dict[str, Array]]:
    """(state, masks): the parts of a `pruned_state_dict`, or of the state of PyTorch's pruned modules, unpruned.

    Raises: ValueError for a name_orig without its name_mask.
    """
    pruned = [name.removesuffix(ORIGINAL) for name in state if name.endswith(ORIGINAL)]
    missing = [name + MASK for name in pruned if name + MASK not in state]
    if missing:
        raise ValueError(f"split_pruned: missing {', '.join(missing)}")
    masks = {name: jnp.asarray(np.asarray(state[name + MASK]) != 0) for name in pruned}
    rest = {name: value for name, value in state.items() if name.removesuffix(MASK) not in masks}
    return {
        name.removesuffix(ORIGINAL) if name.endswith(ORIGINAL) else name: value for name, value in rest.items()
    }, masks


def _check_names(who: str, params: Tree, names: Iterable[str]) -> None:
    there = leaves_by_name(params)
    unknown = [str(name) for name in names if name not in there]
    if unknown:
        raise ValueError(f"{who}: no parameter {', '.join(unknown)}; there are {', '.join(there)}")


def _check_masks(who: str, params: Tree, masks: Masks) -> None:
    if not isinstance(masks, Mapping):
        raise TypeError(f"{who}: expected masks by the names of parameters, got {describe(masks)}")
    _check_names(who, params, masks)
    there = leaves_by_name(params)
    wrong = misfits({name: there[name] for name in masks}, masks)
    if wrong:
        raise ValueError(f"{who}: " + "; ".join(wrong))


def _found(who: str, params: Tree, name: str, masks: Masks) -> tuple[np.ndarray, np.ndarray]:
    """A parameter as pruned so far, and which elements are left."""
    _check_names(who, params, [name])
    weight = np.asarray(leaves_by_name(params)[name], np.float64)
    if name in masks:
        _check_masks(who, params, {name: masks[name]})
    mask = np.asarray(masks[name]) != 0 if name in masks else np.ones(weight.shape, bool)
    return np.where(mask, weight, 0), mask


def _axis(who: str, weight: np.ndarray, name: str, dim: int) -> int:
    if weight.ndim < 2:
        raise ValueError(f"{who}: expected a parameter of 2 or more dimensions, got {name} of shape {weight.shape}")
    return axis_of(who, dim, weight.ndim)


def _drawn(key: jax.Array, shape: Any) -> np.ndarray:
    return np.asarray(draws.uniform(key, shape if isinstance(shape, tuple) else (shape,), jnp.float32))


def _count(who: str, amount: float, left: int) -> int:
    """How many of the remaining elements to prune."""
    if isinstance(amount, bool) or not isinstance(amount, (int, float, np.number)):
        raise TypeError(f"{who}: expected a count, or a part from 0.0 to 1.0, got {amount!r}")
    whole = isinstance(amount, (int, np.integer))
    if whole and not 0 <= amount <= left:
        raise ValueError(f"{who}: expected a count from 0 to the {left} that are left, got {amount}")
    if not whole and not 0 <= amount <= 1:
        raise ValueError(f"{who}: expected a count, or a part from 0.0 to 1.0, got {amount}")
    return int(amount) if whole else round(amount * left)


def _without_least(who: str, scores: np.ndarray, mask: np.ndarray, amount: float) -> np.ndarray:
    """The mask without the `amount` lowest scores of the remaining ones; of equal ones the first."""
    left = np.flatnonzero(mask)
    least = left[np.argsort(scores.ravel()[left], kind="stable")[: _count(who, amount, left.size)]]
    remaining = mask.copy()
    remaining.ravel()[least] = False
    return remaining


def _without_slices(who: str, scores: np.ndarray, mask: np.ndarray, axis: int, amount: float) -> jax.Array:
    others = tuple(each for each in range(mask.ndim) if each != axis)
    remaining = _without_least(who, scores, np.asarray(mask.any(others)), amount)
    return jnp.asarray(mask & np.expand_dims(remaining, others))


def _masked(change: Callable, masks: Masks, tree: Any, *others: Any) -> Any:
    """`tree` with change(mask, leaf, ...) in place of every leaf that has a mask."""

    def changed(path: tuple, leaf: Any, *more: Any) -> Any:
        mask = masks.get(jax.tree_util.keystr(path, simple=True, separator="."))
        return leaf if mask is None else change(mask, leaf, *more)

    return jax.tree_util.tree_map_with_path(changed, tree, *others)
