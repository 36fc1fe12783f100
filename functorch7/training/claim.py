"""One run at a time in a folder: who trains there holds a lock, which ends with the process, however it ends."""

import contextlib
import json
import os
import socket
import time
import warnings
from collections.abc import Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import TypeAlias

from ..interop import locks
from . import distributed

LOCK = "running.lock"
"""The file that is locked while a run is in the folder. It says whose run it is, and is deleted at the end."""

Holder: TypeAlias = dict[str, object]
"""A process: its host, its number, when it began (if the system tells), and when its run did."""

_claimed: ContextVar[tuple[Path, ...]] = ContextVar("claimed", default=())


@contextlib.contextmanager
def claimed(title: str, folder: str | os.PathLike) -> Iterator[None]:
    """Within the block no other run can be in the folder; a block inside it, of the same thread, is the same run.

    The first of several processes has the lock; they call this together. A lock of a process that is no more is taken
    over. On file systems without locks the file says whether there is one: a process of this host is looked for, one of
    another host counts as alive until somebody deletes the file.
    Raises: BlockingIOError that names the other process; OSError where the folder cannot be made or written to.
    """
    place = Path(folder).resolve()
    if place in _claimed.get():
        yield
        return
    before = _claimed.set((*_claimed.get(), place))
    held, made = None, [each for each in (place, *place.parents) if not each.exists()]
    try:
        refusal: Exception | None = None
        if distributed.is_first():
            try:
                held = _acquired(title, Path(folder))
            except OSError as error:
                refusal = error
        distributed.raise_together(refusal)
        yield
    finally:
        _claimed.reset(before)
        if held is not None:
            _give_up(place / LOCK, held)
            with contextlib.suppress(OSError):
                for each in made:  # for a run that has come to nothing, not even to a file
                    each.rmdir()


def _give_up(path: Path, file: int) -> None:
    """Deletes the file while it is still locked, so that nobody else's is; without locks open files may stay."""
    if locks.fcntl is None:
        os.close(file)
    with contextlib.suppress(OSError):
        os.unlink(path)
    if locks.fcntl is not None:
        os.close(file)


def _acquired(title: str, folder: Path) -> int:
    """The open and locked file, which says that it is this process's."""
    try:
        folder.resolve().mkdir(parents=True, exist_ok=True)  # where a symbolic link leads to, if nothing is there yet
    except FileExistsError as error:
        raise FileExistsError(f"{title}: {folder} is no folder, but a file") from error
    except OSError as error:
        raise type(error)(f"{title}: cannot make the folder {folder}: {error.strerror}") from error
    while True:
        try:
            file = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise type(error)(f"{title}: cannot write to the folder {folder}: {error.strerror}") from error
        try:
            before = _locked(title, folder, file)
            if not _is_at(folder / LOCK, file):  # the one before has deleted it since
                os.close(file)
                continue
            if before and before.get("host") != socket.gethostname():
                warnings.warn(
                    f"{title}: {_named(before)} left its lock in {folder}; the lock is taken over", stacklevel=2
                )
            os.ftruncate(file, 0)
            os.lseek(file, 0, os.SEEK_SET)
            os.write(file, json.dumps(_myself()).encode())
            return file
        except BaseException:
            os.close(file)
            raise


def _locked(title: str, folder: Path, file: int) -> Holder | None:
    """Locks the file; who had it before and did not delete it, if anybody. Raises BlockingIOError if one has it now."""
    try:
        locks.lock(file)
    except BlockingIOError:
        raise BlockingIOError(f"{title}: {_refusal(_holder(file), folder)}") from None
    except OSError as error:
        if error.errno not in locks.WITHOUT_LOCKS:
            raise
        holder = _holder(file)
        if holder and _may_live(holder):
            said = f"{_refusal(holder, folder)}; if that process is no more, delete {folder / LOCK}"
            raise BlockingIOError(f"{title}: {said}") from None
    return _holder(file)


def _refusal(holder: Holder | None, folder: Path) -> str:
    since = f", since {holder['since']}" if holder else ""
    return f"{_named(holder)} is training in {folder}{since}; wait until it is over, end it, or take another folder"


def _named(holder: Holder | None) -> str:
    if holder is None:
        return "another process"
    if holder["process"] == os.getpid() and holder["host"] == socket.gethostname():
        return "this process"
    return f"process {holder['process']} on {holder['host']}"


def _holder(file: int) -> Holder | None:
    """What the file says; None while nothing is written yet."""
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        os.lseek(file, 0, os.SEEK_SET)
        found = json.loads(os.read(file, 4096))
        return {name: found[name] for name in ("host", "process", "began", "since")}
    return None


def _is_at(path: Path, file: int) -> bool:
    """Whether an open file is still the one at a path."""
    with contextlib.suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(file), os.stat(path))
    return False


def _myself() -> Holder:
    number = os.getpid()
    since = time.strftime("%Y-%m-%d %H:%M:%S")
    return {"host": socket.gethostname(), "process": number, "began": _began(number), "since": since}


def _may_live(holder: Holder) -> bool:
    """Whether a process may be there still: its number can be another's by now, which began at another time."""
    if holder["host"] != socket.gethostname() or os.name != "posix":
        return True
    number = int(str(holder["process"]))
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    except OSError:  # somebody else's
        pass
    return _began(number) == holder["began"]


def _began(number: int) -> str | None:
    """When a process began, in ticks since the machine did; None where there is no /proc."""
    with contextlib.suppress(OSError, IndexError):
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[19]
    return None
