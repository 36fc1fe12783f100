"""Folders that say of themselves that they are whole: the last file written lists all others, with their checksums."""

import json
import os
import zlib
from pathlib import Path

from .records import Record

LIST = "WHOLE"
"""The file with the list: on its first line the checksum of the rest, which is JSON."""
PIECE = 1 << 20


def seal(folder: Path, facts: Record) -> None:
    """Writes the list of a folder's files, and some facts with it. Raises: OSError."""
    files = {path.relative_to(folder).as_posix(): _summary(path) for path in _files(folder)}
    text = json.dumps({"facts": facts, "files": files}).encode()
    with open(folder / LIST, "wb") as file:
        file.write(b"%08x\n%s" % (zlib.crc32(text), text))
        file.flush()
        os.fsync(file.fileno())


def facts(folder: Path) -> Record:
    """The facts in the list. Raises: ValueError that says what is wrong with the list; OSError."""
    return _read(folder)["facts"]


def problem(folder: Path) -> str | None:
    """What is wrong with a folder: a file that is missing, of another size, or changed. None if it is whole."""
    try:
        listed = _read(folder)["files"]
        for name, (size, checksum) in listed.items():
            path = folder / name
            found = path.stat().st_size
            if found != size:
                return f"{name} has {found} bytes, and had {size}"
            if _checksum(path) != checksum:
                return f"{name} has changed"
    except FileNotFoundError as error:
        return f"{Path(error.filename).relative_to(folder)} is missing"
    except (OSError, ValueError) as error:
        return str(error)
    return None


def _read(folder: Path) -> Record:
    checksum, _, text = (folder / LIST).read_bytes().partition(b"\n")
    if checksum != b"%08x" % zlib.crc32(text):
        raise ValueError(f"{LIST} has changed")
    return json.loads(text)


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.name != LIST)


def _summary(path: Path) -> tuple[int, int]:
    return path.stat().st_size, _checksum(path)


def _checksum(path: Path) -> int:
    found = 0
    with open(path, "rb") as file:
        while piece := file.read(PIECE):
            found = zlib.crc32(piece, found)
    return found
