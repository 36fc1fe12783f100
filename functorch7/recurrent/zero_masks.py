"""Masks of padding that are given with the input, as in the newer rnn package."""

from typing import Any

import jax.numpy as jnp

from ..core import Module, expected
from ..core.tree import join, split
from ..core.types import ArrayLike, Tree
from ..layers import ReverseTable, Sequential
from ..network import ZeroMask
from ..network.zero_mask import is_zero_mask, zero_masks
from .reversal import ReverseSequence
from .simple import SeqReverseSequence


def set_zero_mask(module: Module, buffers: Tree, zero_mask: ArrayLike | Tree | None) -> Tree:
    """`buffers` in which every masking module inside has the mask of padding: true, or 1, for padded examples.

    Masked examples give zeros, and their recurrent state is reset. Modules after a reversal in a chain get the mask
    reversed. False: nothing is padding; None: the mask is removed.
    Shape: zero_mask (T, B) for sequences, time first, or (B) for one step.
    Raises: TypeError for masks that are not bool or integers; ValueError for other ranks, and for a mask where no
    module takes one. A mask of another size than the input is an error of the call.
    Source: rnn (2017), Module.lua, MaskZero.lua.
    Differs from Torch7, where a mask that no module takes does nothing; so it is in `legacy`.

    >>> import functorch7 as f7, jax, jax.numpy as jnp
    >>> layer = f7.SeqGRU(3, 2).mask_zero(False)
    >>> params, buffers = layer.init(jax.random.key(0))
    >>> buffers = f7.set_zero_mask(layer, buffers, jnp.array([[0, 0], [0, 1]]))
    >>> layer.apply(params, buffers, jnp.ones((2, 2, 3)))[0][1, 1]
    Array([0., 0.], dtype=float32)
    """
    placed = with_zero_mask(module, buffers, zero_mask)
    if not (zero_mask is None or zero_mask is False or zero_masks(placed)):
        raise ValueError(
            f"{module.torch_name()}: expected a module inside that takes a mask, such as MaskZero, or a recurrence "
            "after mask_zero(False); there is none, and padding would count"
        )
    return placed


def with_zero_mask(module: Module, buffers: Tree, zero_mask: ArrayLike | Tree | None) -> Tree:
    """As `set_zero_mask`, also where no module takes a mask. Raises: TypeError, ValueError for what is none."""
    return _placed(module, buffers, _mask(module, zero_mask))


def _mask(module: Module, zero_mask: Any) -> Any:
    if zero_mask is None or zero_mask is False:
        return None if zero_mask is None else jnp.zeros((), bool)
    mask = jnp.asarray(zero_mask)
    if mask.dtype != bool and not jnp.issubdtype(mask.dtype, jnp.integer):
        raise TypeError(f"{module.torch_name()}: expecting zeroMask tensor of bytes or false, got {mask.dtype}")
    if mask.ndim not in (1, 2):
        raise expected(module, "zeroMask of size seqlen x batchsize", mask)
    return mask.astype(bool)


def _placed(module: Module, buffers: Tree, mask: Any) -> Tree:
    own, branches = split(module, buffers)
    own, new = _noted(own, mask), []
    for child, branch in zip(module.child_modules(), branches, strict=True):
        new.append(_placed(child, branch, mask))
        if type(module) is Sequential and _reverses(child) and mask is not None and mask.ndim:
            mask = mask[::-1]
    return join(module, own, new)


def _noted(own: dict, mask: Any) -> dict:
    return {name: ZeroMask(mask) if is_zero_mask(value) else value for name, value in own.items()}


def _reverses(module: Module) -> bool:
    """Whether the module reverses a sequence."""
    along_time = isinstance(module, SeqReverseSequence) and module.dim == 1
    return along_time or isinstance(module, (ReverseSequence, ReverseTable))
