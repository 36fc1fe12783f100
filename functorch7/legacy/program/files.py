"""Torch's files on disk, in memory, and of commands; and objects as bytes."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
from typing import Any, Self

import numpy as np

from ...interop import t7
from ..objects.files import from_file, to_file
from ..objects.opening import opening
from ..tensors.storage import Storage
from .commands import check_permission
from .file import File

MODES = ("r", "w", "rw")


class DiskFile(File):
    """A file on disk, opened to read ("r"), to write anew ("w"), or for both ("rw"); this makes a missing file.

    With `quiet`, None instead of an OSError if it cannot be opened; later errors only set a flag, as after `quiet()`.
    Source: torch7/doc/diskfile.md.
    """

    _stream: Any
    _before_uses = "mode "  # without Torch's colon

    def __new__(cls, fileName: str, mode: str = "r", quiet: bool = False) -> Any:
        """Opens the file here, so that None can be returned if that fails."""
        if mode not in MODES:
            raise ValueError(f"torch.DiskFile: expected a mode of {', '.join(MODES)}, got {mode!r}")
        made = super().__new__(cls)
        try:
            with opening("torch.DiskFile", fileName, mode):
                if mode == "rw":
                    os.close(os.open(fileName, os.O_RDWR | os.O_CREAT, 0o666))
                made._stream = open(fileName, {"r": "rb", "w": "wb", "rw": "r+b"}[mode])
        except OSError:
            if quiet:
                return None
            raise
        return made

    def __init__(self, fileName: str, mode: str = "r", quiet: bool = False):
        super().__init__(self._stream, mode)
        self._name, self._quiet = fileName, bool(quiet)

    def _shown(self) -> str:
        return f"{self.typename()} on <{self._name}>"

    def __del__(self) -> None:
        with contextlib.suppress(AttributeError):
            self._file.close()


class PipeFile(DiskFile):
    """A command's output ("r"), or its input ("w"), which it gets when the file is closed.

    It runs a command of the operating system: PermissionError unless `functorch7.legacy.sys.allow_commands()` was
    called.
    Source: torch7/doc/pipefile.md.
    """

    _command: str
    _before_uses = File._before_uses

    def __new__(cls, command: str, mode: str = "r", quiet: bool = False) -> Any:
        """Runs the command, to read its output."""
        check_permission("torch.PipeFile", command)
        if mode not in ("r", "w"):
            raise ValueError(f"torch.PipeFile: expected a mode of r, w, got {mode!r}")
        made = object.__new__(cls)
        run = subprocess.run(command, shell=True, stdout=subprocess.PIPE) if mode == "r" else None
        made._stream, made._command = io.BytesIO(b"" if run is None else run.stdout), command
        return made

    def close(self) -> None:
        """Gives the command its input, waits until it ends, and closes the file."""
        if self.isWritable() and self.isOpen():
            data = self._file.getvalue()  # type: ignore[attr-defined]
            subprocess.run(self._command, shell=True, input=data)
        super().close()


class MemoryFile(File):
    """A file in memory, empty or with a CharStorage's bytes; the last is 0 and does not count.

    `MemoryFile([mode])`, `MemoryFile(storage [, mode])`. Raises ValueError for a storage without the 0, TypeError for
    another storage.
    Source: torch7/doc/memoryfile.md.
    """

    def __init__(self, *given: Any):
        storage, (mode, *_) = (given[0], (*given[1:], "rw")) if given and isinstance(given[0], Storage) else (
            None, (*given, "rw")
        )  # fmt: skip
        if mode not in MODES:
            raise ValueError(f"torch.MemoryFile: expected a mode of {', '.join(MODES)}, got {mode!r}")
        data = b""
        if storage is not None:
            if storage.dtype.itemsize != 1:
                raise TypeError(f"torch.MemoryFile: expected a CharStorage, got a {storage.type()}")
            data = np.asarray(storage).tobytes()
            if not data.endswith(b"\0"):
                raise ValueError("torch.MemoryFile: provided CharStorage must be terminated by 0")
        super().__init__(io.BytesIO(b"" if mode == "w" else data[:-1]), mode)

    def seek(self, position: int) -> Self:
        """Goes to a place, at most the one after the last byte."""
        if position > self._open("").getbuffer().nbytes + 1:  # type: ignore[attr-defined]
            self._fail(f"seek: unable to seek to position {position}")
            return self
        return super().seek(position)

    def storage(self) -> Storage:
        """A copy of the file's bytes and a final 0, as a CharStorage."""
        return Storage(np.frombuffer(self._open("").getvalue() + b"\0", np.int8).copy())  # type: ignore[attr-defined]


def serializeToStorage(object: object, mode: str = "binary") -> Storage:
    """The bytes of `torch.serialize` in a CharStorage."""
    return Storage(np.frombuffer(t7.serialize(to_file(object), mode), np.int8).copy())


def deserializeFromStorage(storage: Storage, mode: str = "binary") -> Any:
    """The object in a storage from `serializeToStorage`."""
    return from_file(t7.deserialize(np.asarray(storage).tobytes()))
