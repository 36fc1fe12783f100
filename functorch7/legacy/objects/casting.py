"""Tensors of another type with the elements of those that objects hold."""

from ..tensors.devices import gpu
from ..tensors.parameter import Parameter
from ..tensors.tensor import Tensor
from ..tensors.type_names import dtype_of, is_of_gpu


def cast_tensor(tensor: Tensor, type_name: str, cache: dict) -> Tensor:
    """A tensor of another type with a tensor's elements, which stays as it is for those who hold it, too.

    Of one tensor it is one, and tensors on one storage stay so, as long as they are given the same cache. PyTorch's
    parameters, which optimisers hold, are cast themselves.
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
