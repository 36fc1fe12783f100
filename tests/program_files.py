"""Compiled programs in files, for the suite's other processes and its next runs: reading takes a tenth of compiling.

A file's name says all that its program depends on: what is compiled and by which options, XLA's version and flags, and
the processor that it is for.
"""

import contextlib
import hashlib
import os
import platform
import threading
import zlib
from functools import cache
from pathlib import Path

import jax
import jaxlib

FOLDER = "FUNCTORCH7_TEST_PROGRAMS"
"""The environment variable that names the folder, for this process and those that it starts."""
MOST_BYTES = 400_000_000
"""In the folder; a whole run makes about a third of it."""


@cache
def made_by() -> str:
    """What compiles, and for what."""
    processor = platform.processor()
    with contextlib.suppress(OSError, StopIteration), open("/proc/cpuinfo") as lines:
        processor = next(line for line in lines if line.startswith(("flags", "Features")))
    return f"{jax.__version__} {jaxlib.__version__} {os.environ.get('XLA_FLAGS')} {platform.machine()} {processor}"


def file_of(attributes: str, text: bytes, options: bytes) -> Path | None:
    """Of a program of one device."""
    folder = os.environ.get(FOLDER)
    if folder is None:
        return None
    name = hashlib.sha256(repr((made_by(), attributes, text, options)).encode()).hexdigest()
    return Path(folder, name)


def read(path: Path, backend, devices, options):
    """The program of a file, or None: there is no such file, or what is in it is not whole."""
    try:
        written = zlib.decompress(path.read_bytes())
        os.utime(path)  # so that what is used stays
    except (OSError, zlib.error):
        return None
    return backend.deserialize_executable(written, devices, options)


def write(path: Path, executable) -> None:
    """Writes a program that can be written, at once as a whole: another process may read it at any time."""
    try:
        written = executable.serialize()
    except jax.errors.JaxRuntimeError:  # XLA says that it cannot write one of the program's operations
        return
    partial = path.with_suffix(f".{os.getpid()}.{threading.get_ident()}")
    try:
        partial.write_bytes(zlib.compress(written, 1))
    except OSError:  # on a full disk, such as tests make, it is compiled anew another time
        partial.unlink(missing_ok=True)
    else:
        partial.replace(path)


def make_room(folder: Path, most: int = MOST_BYTES) -> None:
    """Removes the files that were used longest ago where they are too many."""
    total = 0
    with contextlib.suppress(FileNotFoundError):  # another run may do the same
        found = [(each.stat(), each) for each in folder.iterdir()]
        for file, path in sorted(found, key=lambda each: -each[0].st_mtime):
            total += file.st_size
            if total > most:
                path.unlink()
