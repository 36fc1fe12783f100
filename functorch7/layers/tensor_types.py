"""Torch's types of tensors."""

import jax.numpy as jnp
import numpy as np

TYPES = {
    "torch.FloatTensor": np.dtype(np.float32),
    "torch.DoubleTensor": np.dtype(np.float64),
    "torch.HalfTensor": np.dtype(np.float16),
    "torch.BFloat16Tensor": jnp.dtype(jnp.bfloat16),
    "torch.ByteTensor": np.dtype(np.uint8),
    "torch.CharTensor": np.dtype(np.int8),
    "torch.ShortTensor": np.dtype(np.int16),
    "torch.IntTensor": np.dtype(np.int32),
    "torch.LongTensor": np.dtype(np.int64),
    "torch.CudaTensor": np.dtype(np.float32),
    "torch.CudaDoubleTensor": np.dtype(np.float64),
    "torch.CudaHalfTensor": np.dtype(np.float16),
    "torch.CudaBFloat16Tensor": jnp.dtype(jnp.bfloat16),
    "torch.CudaByteTensor": np.dtype(np.uint8),
    "torch.CudaCharTensor": np.dtype(np.int8),
    "torch.CudaShortTensor": np.dtype(np.int16),
    "torch.CudaIntTensor": np.dtype(np.int32),
    "torch.CudaLongTensor": np.dtype(np.int64),
}
"""The dtypes behind Torch's names of tensor types."""
