"""Threads and processes that make batches. One that hangs or dies leads to an error, and never blocks the program."""

from __future__ import annotations

import contextlib
import multiprocessing
import pickle
import signal
import threading
import time
import traceback
import weakref
from collections.abc import Callable
from concurrent.futures import Future
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Any

from ..checks.numbers import check_amount
from ..core.types import Indices, Value
from .samples import Samples

TIME_LIMIT = 600.0
"""The default limit for making a batch, in seconds."""

PATIENCE = 0.5
"""How long stopping waits for batches that are being made, in seconds."""


def check_limit(who: str, seconds: float | None) -> None:
    """Raises TypeError unless a limit is a number or None (no limit), and ValueError unless it is above 0."""
    if seconds is None:
        return
    check_amount(who, "timeout", seconds)
    if not float(seconds) > 0:
        raise ValueError(f"{who}: expected a timeout above 0 s, got {seconds}")


class WorkerDied(RuntimeError):
    """A process ended before it had made its batch."""


class Threads:
    """`count` threads that call functions, started by the first request; they do not keep a program from ending."""

    def __init__(self, count: int, name: str):
        self._requests: SimpleQueue = SimpleQueue()
        self._starting = threading.Lock()
        arguments = self._arguments()
        self._threads = [
            threading.Thread(target=_serving, args=(self._requests, *arguments), name=f"{name}-{i}", daemon=True)
            for i in range(count)
        ]
        self._finish = weakref.finalize(self, _stop, self._requests, self._threads, *arguments)

    def _arguments(self) -> tuple[Callable, Any]:
        """(a context manager that yields what calls requests, its argument); neither may refer to this object."""
        return _direct, None

    def submit(self, *request: object) -> Future:
        """The future result of a request: a function and its arguments. Raises: RuntimeError after `close`."""
        if not self._finish.alive:
            raise RuntimeError("the workers were stopped by close()")
        with self._starting:  # requests may come from several threads at once
            if self._threads[0].ident is None:
                for thread in self._threads:
                    thread.start()
        future: Future = Future()
        self._requests.put((future, request))
        return future

    def close(self) -> None:
        """Stops the threads for good; those that hang are abandoned."""
        self._finish()


class Processes(Threads):
    """`count` processes, each with a copy of an object and started when first needed.

    A request is a call of one of its methods: (name, arguments, options).
    """

    def __init__(self, count: int, served: object):
        self._served, self._processes = served, set[Any]()
        super().__init__(count, "processes")

    def _arguments(self) -> tuple[Callable, Any]:
        return _Remote, (self._served, self._processes)


class InProcesses:
    """A loader whose `index` runs in processes; everything else is the loader's own."""

    def __init__(self, loader: Samples, count: int):
        self.loader, self.processes = loader, Processes(count, loader)

    def index(self, indices: Indices, **options: object) -> tuple:
        """(inputs, targets) from one of the processes."""
        return self.processes.submit("index", (indices,), options).result()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.loader, name)


def awaited(future: Future, what: str, limit: float | None) -> Value:
    """The result of a request. Raises: TimeoutError after `limit` seconds; RuntimeError if its process ended."""
    try:
        return future.result(limit)
    except WorkerDied as error:
        raise RuntimeError(f"{what}: {error}") from error
    except TimeoutError:
        if future.done():  # the loader raised it
            raise
        raise TimeoutError(f"{what} was not made within {limit:g} s; `timeout` says how long it may take") from None
    finally:
        del future  # through which an error would hold itself, and with it the workers, until garbage is collected


def _direct(_: Any) -> Any:
    return contextlib.nullcontext(lambda function, *args: function(*args))


def _serving(requests: SimpleQueue, caller: Callable, needed: Any) -> None:
    with caller(needed) as call:
        while (item := requests.get()) is not None:
            future, request = item
            del item
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(call(*request))
                except BaseException as error:
                    future.set_exception(error)
            del future, request  # so that a batch is not kept until the next one is asked for


def _stop(requests: SimpleQueue, threads: list[threading.Thread], caller: Callable, needed: Any) -> None:
    for _ in threads:
        requests.put(None)
    until = time.monotonic() + PATIENCE
    for thread in threads:
        if thread.is_alive() and thread is not threading.current_thread():
            thread.join(max(until - time.monotonic(), 0))
    if caller is _Remote:
        for process in list(needed[1]):
            process.kill()


class _Remote:
    """Calls methods of a copy in another process, which is started by the first request, and again if it has ended."""

    def __init__(self, needed: tuple[Any, set]):
        self.served, self.processes = needed
        self.process: Any = None
        self.connection: Any = None

    def __enter__(self) -> _Remote:
        return self

    def __exit__(self, *error: object) -> None:
        if self.process is not None:
            self.connection.close()  # which ends it
            self.process.join()
            self.processes.discard(self.process)

    def __call__(self, name: str, args: tuple, options: dict) -> Any:
        if self.process is None:
            self._start()
        try:
            self.connection.send((name, args, options))
            made, result = self.connection.recv()
        except (EOFError, OSError):
            ended: Any = self.process
            self.process = None
            ended.join()
            self.connection.close()
            self.processes.discard(ended)
            raise WorkerDied(f"the process that made it ended with exit code {ended.exitcode}") from None
        if made:
            return result
        try:
            raise result
        finally:
            del result  # as in `awaited`

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")  # new ones, since JAX's threads do not survive a fork
        ours, theirs = context.Pipe()
        process = context.Process(target=_served, args=(theirs, self.served), daemon=True)
        try:
            process.start()
        except (AttributeError, TypeError, pickle.PicklingError) as error:
            ours.close()
            who = type(self.served).__name__
            raise TypeError(f"{who}: in_processes needs a loader that can be pickled: {error}") from error
        finally:
            theirs.close()
        self.connection, self.process = ours, process
        self.processes.add(process)


def _served(connection: Connection, served: Any) -> None:
    """The main function of a process: answers requests until the connection is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C, which all processes get, is for the program to answer
    while True:
        try:
            name, args, options = connection.recv()
        except EOFError:
            return
        try:
            reply: tuple[bool, Any] = True, getattr(served, name)(*args, **options)
        except Exception as error:
            error.add_note(f"in a worker's process:\n{traceback.format_exc()}")
            reply = False, error
        try:
            connection.send(reply)
        except Exception as error:  # what cannot be pickled
            connection.send((False, RuntimeError(f"{name} gave what cannot be sent between processes: {error}")))
