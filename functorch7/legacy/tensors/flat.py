"""Many tensors as parts of one flat tensor."""

from weakref import WeakKeyDictionary, ref

import numpy as np

from .storage import Storage
from .strides import strided
from .tensor import Tensor

_flattened: WeakKeyDictionary[Tensor, tuple[ref[Storage], list[ref[Tensor]]]] = WeakKeyDictionary()
"""By the first tensor of each list, the flat storage that was made of the list, and all its tensors."""


def _compacted(tensors: list[Tensor]) -> tuple[list[tuple[Storage, np.ndarray]], list[int]]:
    """The storages with the positions that tensors use, in order, and each tensor's place in the flat tensor."""
    used: dict[int, tuple[Storage, np.ndarray]] = {}
    for tensor in tensors:
        _, mask = used.setdefault(id(tensor.storage_), (tensor.storage_, np.zeros(len(tensor.storage_), bool)))
        strided(mask[tensor.offset :], tensor.shape, tensor.strides_)[...] = True
    for tensor in tensors:  # where elements between those of a tensor are left out, its strides do not fit any more
        if not _is_compact(tensor) and not used[id(tensor.storage_)][1].all():
            raise ValueError("Cannot gather tensors that are not compact")
    first = np.cumsum([0, *(mask.sum() for _, mask in used.values())])
    starts = dict(zip(used, first[:-1], strict=True))
    places = [int(starts[id(t.storage_)] + np.count_nonzero(used[id(t.storage_)][1][: t.offset])) for t in tensors]
    return list(used.values()), places


def _is_compact(tensor: Tensor) -> bool:
    """Whether no other elements lie between its own, for any order of dimensions, expanded ones included."""
    steps = sorted((stride, size) for stride, size in zip(tensor.strides_, tensor.shape, strict=True) if stride)
    expected = 1
    for stride, size in steps:
        if size != 1 and stride != expected:
            return False
        expected *= size
    return True


def flatten(tensors: list[Tensor]) -> Tensor:
    """One flat tensor that holds every element once; the given tensors become views of it.

    Tensors for which this has been done before stay where they are; others that lie there, those of a clone that shares
    them, get a storage of their own. Source: nn/doc/module.md, getParameters.
    """
    if not tensors:
        return Tensor()
    storages, places = _compacted(tensors)
    (storage, mask), *others = storages
    if not others and mask.all() and _is_made_of(storage, tensors):
        return Tensor.viewing(storage, 0, storage.shape)
    flat = storage.beside(np.concatenate([np.asarray(s.array).reshape(-1)[mask] for s, mask in storages]))
    for tensor, place in zip(tensors, places, strict=True):
        tensor.rebind(flat, place, tensor.shape, tensor.strides_)
    _flattened[tensors[0]] = ref(flat), [ref(tensor) for tensor in tensors]
    return Tensor.viewing(flat, 0, flat.shape)


def _is_made_of(storage: Storage, tensors: list[Tensor]) -> bool:
    """Whether a storage is what was made of these very tensors."""
    made, parts = _flattened.get(tensors[0], (None, []))
    same = len(parts) == len(tensors) and all(part() is tensor for part, tensor in zip(parts, tensors, strict=True))
    return same and made is not None and made() is storage


def flattened(parameters: list[Tensor], gradients: list[Tensor]) -> tuple[Tensor, Tensor]:
    """Both lists flattened; their tensors must have the same places."""
    (storages, places), (grad_storages, grad_places) = map(_compacted, (parameters, gradients))
    sizes = [sum(mask.sum() for _, mask in each) for each in (storages, grad_storages)]
    if len(places) != len(grad_places) or sizes[0] != sizes[1]:
        raise ValueError("getParameters: check that you are sharing parameters and gradParameters")
    for i, (place, grad_place) in enumerate(zip(places, grad_places, strict=True), 1):
        if place != grad_place:
            raise ValueError(
                f"getParameters: misaligned parameter at {i}: check that you are sharing parameters and gradParameters"
            )
    return flatten(parameters), flatten(gradients)
