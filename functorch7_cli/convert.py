"""Files from one form to another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from functorch7.interop import onnx, orbax, pytorch, safetensors, stablehlo, t7, torch7

from .command import refuse
from .files import ENDINGS, form_of, network_in, read_t7
from .progress import progress

TORCH = {".t7", ".t7b", ".th", ".net"}
"""Endings that Torch's files have."""

WRITTEN = ENDINGS | dict.fromkeys(TORCH, "t7") | {".onnx": "onnx", ".pt": "pytorch", ".pth": "pytorch"}
"""The forms that are written, by ending."""

OF_A_SHAPE = {"stablehlo": stablehlo.save_exported, "onnx": onnx.save}
"""What is written for one shape of input."""


def convert(
    file: str, out: str, to: str | None, input_shape: Any, like: str | None, dtype: str | None, by_kind: bool,
    entry: str | None = None,
) -> str:  # fmt: skip
    """Writes what `file` holds to `out`, which is returned."""
    form = to or form_to_write(out)
    if form in OF_A_SHAPE and input_shape is None:
        raise click.UsageError(f"{form} is made for one shape of input: name it, as in --input-shape 1x3x224x224")
    if form not in OF_A_SHAPE:
        refuse(f"{form} is written for any shape", input_shape=input_shape)
    if form != "pytorch":
        refuse("it is about PyTorch's names, --to pytorch", by_kind=by_kind or None)
    format = "ascii" if form == "t7-ascii" else "binary"
    if form_of(file) == "t7" and form.startswith("t7") and like is None and dtype is None and entry is None:
        found = read_t7(file)
        if found.rest:
            raise ValueError(f"{file}: {found.rest} bytes follow the first object, and would be left out")
        value = found.value
        with progress(f"writing {Path(out).name}") as done:
            t7.write(out, value, format, done)
        return out
    with network_in(file, like, dtype, entry) as network:
        if form.startswith("t7"):
            torch7.save_model(out, *network[:3], format)
        elif form == "safetensors":
            safetensors.save(out, *network[:3])
        elif form == "orbax":
            orbax.save(out, *network[:3])
        elif form == "pytorch":
            pytorch.save(out, *network[:3], pytorch.names_by_kind(network.module) if by_kind else None)
        else:
            OF_A_SHAPE[form](out, *network[:3], input_shape, network.dtype)
    return out


def form_to_write(out: str) -> str:
    """What a file is to be, by its ending."""
    form = WRITTEN.get(Path(out).suffix.lower())
    if form is None:
        raise click.UsageError(f"{out}: the ending does not say in which form to write; name it: --to t7")
    return form
