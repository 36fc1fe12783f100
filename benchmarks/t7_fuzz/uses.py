"""What is done with a hostile file, and how that may end."""

from __future__ import annotations

import signal
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from functorch7.interop.t7 import T7FormatError
from functorch7.interop.t7.values import allowed_memory
from functorch7.interop.torch7 import load_model
from functorch7.legacy.objects.files import load_t7
from functorch7_cli.contents import contents_of
from functorch7_cli.show import shown

LONGEST = 2.0
"""Seconds of processor time that a use may take: what else the machine does is not the file's fault."""


class Outcome(NamedTuple):
    """How a use of a file ended: "read", "refused", or what must not happen, with what is known about it."""

    kind: str
    about: str = ""


def _printed(path: Path) -> None:
    str(load_t7(path, allow_unknown=True))


def _modelled(path: Path) -> None:
    try:
        str(load_model(path, allow_unknown=True)[0])
    except TypeError as error:
        if "expected a network" not in str(error):
            raise
        raise T7FormatError(str(error), 0) from error


def _inspected(path: Path) -> None:
    try:
        shown(contents_of(str(path)))
    except ValueError as error:
        if isinstance(error.__cause__, T7FormatError):
            raise error.__cause__ from None
        raise


USES: dict[str, Callable[[Path], None]] = {"load_t7, str": _printed, "load_model": _modelled, "inspect": _inspected}


def outcomes(path: Path, watch_memory: bool = False) -> dict[str, Outcome]:
    """How each use of a file ends."""
    return {name: _outcome(use, path, watch_memory) for name, use in USES.items()}


def _outcome(use: Callable[[Path], None], path: Path, watch_memory: bool) -> Outcome:
    before, started = _memory(watch_memory), time.process_time()
    signal.signal(signal.SIGPROF, _hangs)
    signal.setitimer(signal.ITIMER_PROF, 5 * LONGEST)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            use(path)
        found = Outcome("read")
    except T7FormatError as error:
        size = path.stat().st_size
        found = Outcome("refused") if 0 <= error.offset <= size else Outcome("undocumented", f"offset {error.offset}")
    except _Hangs:
        found = Outcome("hangs")
    except Exception as error:
        place: Any = error.__traceback__
        while place.tb_next is not None:
            place = place.tb_next
        at = f"{Path(place.tb_frame.f_code.co_filename).name}:{place.tb_lineno}"
        found = Outcome("undocumented", f"{type(error).__name__} at {at}: {str(error)[:100]}")
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    seconds, taken = time.process_time() - started, _memory(watch_memory, peak=True) - before
    if seconds > LONGEST:
        return Outcome("hangs", f"{seconds:.1f} s")
    if taken > allowed_memory(path.stat().st_size):
        return Outcome("too large", f"{taken >> 20} MiB")
    return found


class _Hangs(BaseException):
    """Raised in a use that takes many times as long as it may."""


def _hangs(number: int, frame: Any) -> None:
    raise _Hangs


def _memory(watched: bool, peak: bool = False) -> int:
    """The memory of this process in bytes, or the most since this was asked for last; 0 if it is not watched."""
    if not watched:
        return 0
    lines = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    if not peak:
        Path("/proc/self/clear_refs").write_text("5")  # the peak is counted anew
    return int(lines["VmHWM" if peak else "VmRSS"].split()[0]) << 10
