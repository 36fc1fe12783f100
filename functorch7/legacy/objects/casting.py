"""Casts the tensors that objects hold."""

from ...checks.tables import leaves
from ..engine.fields import KeptElsewhere
from ..tensors.devices import gpu
from ..tensors.parameter import Parameter
from ..tensors.tensor import Tensor
from ..tensors.type_names import dtype_of, is_of_gpu


def cast_tensor(tensor: Tensor, type_name: str, cache: dict) -> Tensor:
    """A tensor of another type with the same elements; the given tensor is unchanged, for others who hold it.

    With the same cache, a tensor is cast once, and tensors that share a storage still do. PyTorch's parameters, which
    optimisers hold, are cast in place.
    """
    held, cast = cache.get(id(tensor), (None, None))
    if held is tensor:
        return cast
    key = id(tensor.storage_)
    if key not in cache:
        device = gpu(type_name) if is_of_gpu(type_name) else None
        cache[key] = (tensor.storage_, tensor.storage_.cast(dtype_of(type_name), device))
        cache[id(cache[key][1])] = (cache[key][1], cache[key][1])  # a tensor that was moved already stays
    place = (cache[key][1], tensor.offset, tensor.shape, tensor.strides_)
    if isinstance(tensor, Parameter):
        tensor.rebind(*place)
        tensor.add_up_in(cast_tensor(tensor.grad, type_name, cache))
        return tensor
    made = Tensor.viewing(*place)
    cache[id(tensor)], cache[id(made)] = (tensor, made), (made, made)
    return made


def cast_kept(object: object, type_name: str, cache: dict) -> None:
    """Casts what a program has put into an object: tensors of any type, and modules, in tables at any depth.

    The tensors are cast in place, as a Lua table holds them, which may also contain the object.
    """
    if cache.get(id(object), (None, None))[0] is object:
        return
    cache[id(object)] = (object, object)
    for kept in [each for each in vars(object).values() if isinstance(each, KeptElsewhere)]:
        for each in leaves(kept.contents()):
            if isinstance(each, Tensor):
                made = cast_tensor(each, type_name, cache)
                each.rebind(made.storage_, made.offset, made.shape, made.strides_)
            elif hasattr(each, "_cast_inside"):
                each._cast_inside(type_name, cache)
