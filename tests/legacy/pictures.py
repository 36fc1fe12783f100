"""Images for tests: random ones, as tensors that lie in memory in one way or the other."""

import numpy as np

from functorch7.legacy import torch

PICTURES = np.random.default_rng(3)


def picture(dtype, *shape):
    """An image of random numbers from 0 to 1, or bytes."""
    values = PICTURES.uniform(size=shape)
    return (values * 255).astype(dtype) if dtype == np.uint8 else values.astype(dtype)


def tensor_of(array, contiguous=True):
    """A tensor of an array's elements; one that is not contiguous views a larger one."""
    if contiguous:
        return torch.Tensor.of(np.array(array))
    wide = torch.Tensor.of(np.repeat(array, 2, axis=-1))
    return wide.view(*array.shape, 2).select(array.ndim + 1, 1)
