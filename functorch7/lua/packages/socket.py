"""luasocket: only the time, for which most programs load it, without connections."""

from __future__ import annotations

import time


def gettime() -> float:
    """The seconds since 1970, with their fractions.

    >>> gettime() > 1.7e9
    True
    """
    return time.time()


def sleep(seconds: float) -> None:
    """Waits so many seconds; not at all for fewer than 0.

    >>> sleep(0)
    """
    time.sleep(max(seconds, 0))


__all__ = ["gettime", "sleep"]
