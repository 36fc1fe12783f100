"""Ctrl-C, where a program runs in which Python hears of no signal: a loop of Lua's that calls nothing of Python's."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from types import FrameType

PATIENCE = 1.0
"""Seconds after which Ctrl-C ends the process, if Python has not heard of it by then."""


@contextlib.contextmanager
def stoppable() -> Iterator[None]:
    """A block that Ctrl-C ends: as always, by KeyboardInterrupt, or after a while, when Python has not heard of it.

    The operating system's signal writes to a socket at once, which a thread reads. Only the main thread hears signals.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    mine, theirs = socket.socketpair()
    theirs.setblocking(False)
    heard, before = threading.Event(), signal.getsignal(signal.SIGINT)

    def handler(number: int, frame: FrameType | None) -> None:
        heard.set()
        if callable(before):
            before(number, frame)

    def watch() -> None:
        while number := mine.recv(1):
            if number[0] == signal.SIGINT and not heard.wait(PATIENCE):
                sys.stdout.flush()
                os.write(2, b"interrupted\n")
                os._exit(128 + signal.SIGINT)
            heard.clear()

    signal.signal(signal.SIGINT, handler)
    signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
    watching = threading.Thread(target=watch, daemon=True)
    watching.start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGINT, before)
        theirs.close()
        watching.join()
        mine.close()
