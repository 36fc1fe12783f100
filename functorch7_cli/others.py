"""What is in files that hold a network's arrays only, or its compiled program."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp

from functorch7.interop import safetensors, stablehlo
from functorch7.interop.packages import package

Described = dict[str, Any]

DTYPES = {
    "BOOL": "bool", "U8": "uint8", "U16": "uint16", "U32": "uint32", "U64": "uint64", "I8": "int8", "I16": "int16",
    "I32": "int32", "I64": "int64", "F8_E4M3": "float8_e4m3fn", "F8_E5M2": "float8_e5m2", "F16": "float16",
    "BF16": "bfloat16", "F32": "float32", "F64": "float64",
}  # fmt: skip
"""NumPy's names for the types of safetensors."""


def safetensors_in(path: str) -> Described:
    """The arrays of a safetensors file, of which only the header is read, and the texts beside them."""

    def described(file: Any, _: Path) -> Described:
        slices = {name: file.get_slice(name) for name in file.keys()}
        arrays = [
            {"name": name, "shape": list(each.get_shape()), "dtype": DTYPES.get(each.get_dtype(), each.get_dtype())}
            for name, each in slices.items()
        ]
        return _arrays(arrays, file.metadata() or {})

    return safetensors.read(path, described)


def checkpoint_in(path: str) -> Described:
    """The arrays of an orbax checkpoint, or of all in a composite one, of which only the metadata are read."""
    handler = package("orbax.checkpoint").StandardCheckpointHandler()
    as_path = package("etils.epath").Path  # orbax's paths
    top = Path(path).absolute()
    folders = [each.parent for each in sorted(top.glob("_METADATA")) + sorted(top.glob("*/_METADATA"))]
    if not folders or not any((top / name).exists() for name in ("_METADATA", "_CHECKPOINT_METADATA")):
        inside = sorted(each.parent.relative_to(top) for each in top.glob("**/_CHECKPOINT_METADATA"))
        known = f"; there are checkpoints in it: {', '.join(map(str, inside[:5]))}" if inside else ""
        raise ValueError(f"{path}: expected the folder of an orbax checkpoint{known}")
    arrays = []
    for folder in folders:
        tree = handler.metadata(as_path(folder)).tree
        for place, leaf in jax.tree.leaves_with_path(tree, is_leaf=lambda each: hasattr(each, "shape")):
            name = jax.tree_util.keystr(place, simple=True, separator=".")
            whose = "" if folder.name in ("variables", Path(path).name) else f"{folder.name}: "
            arrays.append({"name": whose + name, **_described(leaf)})
    return _arrays(arrays, {})


def program_in(path: str) -> Described:
    """The inputs and outputs of a compiled program, and where it can run."""
    exported = stablehlo.load_exported(path).exported
    return {
        "kind": "program",
        "inputs": [_described(each) for each in exported.in_avals],
        "outputs": [_described(each) for each in exported.out_avals],
        "platforms": list(exported.platforms),
    }


def _arrays(arrays: list[Described], metadata: dict[str, str]) -> Described:
    return {
        "kind": "arrays",
        "arrays": arrays,
        "count": numbers_in(arrays),
        "array_bytes": bytes_in(arrays),
        "dtypes": sorted({each["dtype"] for each in arrays}),
        "metadata": metadata,
    }


def numbers_in(arrays: list[Described]) -> int:
    """How many numbers there are in arrays."""
    return sum(math.prod(each["shape"]) for each in arrays)


def bytes_in(arrays: list[Described]) -> int:
    """How many bytes the arrays take in memory."""
    return sum(math.prod(each["shape"]) * jnp.dtype(each["dtype"]).itemsize for each in arrays)


def _described(leaf: Any) -> Described:
    return {"shape": [size if isinstance(size, int) else str(size) for size in leaf.shape], "dtype": str(leaf.dtype)}


OTHERS = {"safetensors": safetensors_in, "orbax": checkpoint_in, "stablehlo": program_in}
"""What describes a file's contents, by the file's form."""
