"""Inputs of networks from files, and outputs to files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import jax
import jax.numpy as jnp
import numpy as np

from functorch7.data import images
from functorch7.interop import t7
from functorch7.interop.numpy_files import read_array, read_arrays
from functorch7.interop.writing import refuse_special, replacing

from .command import refuse


def input_from(path: str, dtype: Any, size: Any = None, mean: Any = None, std: Any = None) -> Any:
    """The tensor or table in a file, its real numbers as `dtype`. Only images take size, mean and std."""
    refuse_special(path)
    ending = Path(path).suffix.lower()
    if ending in images.EXTENSIONS:
        value: Any = _image(path, size, mean, std)
    else:
        refuse(f"{path} is no image", size=size, mean=mean, std=std)
        value = {".npy": read_array, ".npz": _npz, ".t7": _t7}.get(ending, _unknown)(path)
    return jax.tree.map(lambda array: _numbers(path, array, dtype), value)


def _numbers(path: str, array: np.ndarray, dtype: Any) -> jax.Array:
    if not np.issubdtype(array.dtype, np.number) and array.dtype != bool:
        raise ValueError(f"{path}: expected numbers, got {array.dtype}")
    if np.issubdtype(array.dtype, np.floating):
        return jnp.asarray(array.astype(dtype))
    found = jnp.asarray(array)
    if found.dtype != array.dtype and (np.asarray(found) != array).any():
        wrong = array[np.asarray(found) != array][0]
        raise ValueError(f"{path}: expected whole numbers of 32 bits, got {wrong}; --dtype float64 computes with 64")
    return found


TABLES, TENSORS = (".npz", ".t7"), (".npy", ".npz", ".t7")
"""Endings of the files that outputs are written to."""


def check_output(path: str, table: bool = False) -> None:
    """Raises click.UsageError for a file that cannot hold an output."""
    if Path(path).suffix.lower() not in (TABLES if table else TENSORS):
        what = "a table as .npz or .t7" if table else "a tensor as .npy, .npz or .t7"
        raise click.UsageError(f"{path}: can write {what}")


def write_output(path: str, value: Any) -> None:
    """Writes an output: a tensor as .npy, tables also as .npz (by position), or either as .t7."""
    check_output(path, table=isinstance(value, (list, tuple, dict)))
    value = jax.tree.map(np.asarray, value)
    ending = Path(path).suffix.lower()
    if ending == ".t7":
        t7.write(path, value)
        return
    with replacing(path) as draft, open(draft, "wb") as file:
        if ending == ".npz":
            np.savez(file, *jax.tree.leaves(value))
        else:
            np.save(file, value)


def described(tensor: Any) -> dict[str, Any]:
    """A tensor's shape and type."""
    return {"shape": list(tensor.shape), "dtype": str(tensor.dtype)}


def _image(path: str, size: Any, mean: Any, std: Any) -> np.ndarray:
    """1 x channels x height x width, of 1 channel for grey images and 3 for all others."""
    image = images.open_image(path)
    pixels = images.resample(image, (0, *size)) if size else images.as_array(image)
    for name, given in (("--mean", mean), ("--std", std)):
        if given is not None and len(given) not in (1, len(pixels)):
            raise click.UsageError(f"{path} has {len(pixels)} channels, {name} has {len(given)} numbers")
    if mean is not None:
        pixels = pixels - np.float32(mean).reshape(-1, 1, 1)
    if std is not None:
        pixels = pixels / np.float32(std).reshape(-1, 1, 1)
    return pixels[None]


def _npz(path: str) -> list[np.ndarray]:
    return list(read_arrays(path).values())


def _t7(path: str) -> Any:
    value = t7.read(path)
    leaves = jax.tree.leaves(value)
    if not leaves or not all(isinstance(leaf, np.ndarray) for leaf in leaves):
        raise ValueError(f"{path}: expected a tensor, or a table of tensors")
    return value


def _unknown(path: str) -> Any:
    endings = ", ".join(sorted(images.EXTENSIONS))
    raise ValueError(f"{path}: expected .npy, .npz, .t7, or an image ({endings})")
