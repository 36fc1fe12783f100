"""Workers that hang or die."""

import contextlib
import gc
import os
import signal
import subprocess
import sys
import threading
import weakref
from pathlib import Path

import numpy as np
import pytest

import functorch7 as f7
from functorch7.data import AsyncIterator, TensorLoader
from functorch7.data.workers import Threads
from functorch7.training import MAE, evaluate, predict

from .hanging import Deadly, Hanging, HangingProcess

DATA = np.arange(6.0)


def test_a_batch_that_never_comes_is_an_error_that_names_it():
    with AsyncIterator(Hanging(DATA, DATA), 1, timeout=0.5) as loader:
        batches = loader.subiter(1)
        assert [next(batches)[1] for _ in range(2)] == [0, 1]
        with pytest.raises(TimeoutError, match="AsyncIterator: batch 3 was not made within 0.5 s"):
            next(batches)


def test_requests_of_several_threads_at_once_start_the_workers_once():
    """As those of `batches` to processes."""
    failed = []

    def ask(workers, together):
        together.wait()
        try:
            workers.submit(abs, -1).result(5)
        except Exception as error:
            failed.append(error)

    for _ in range(50):
        workers, together = Threads(2, "test"), threading.Barrier(4)
        asking = [threading.Thread(target=ask, args=(workers, together)) for _ in range(4)]
        for thread in asking:
            thread.start()
        for thread in asking:
            thread.join()
        workers.close()
    assert failed == []


def test_batches_for_jax_have_the_limit_too():
    with Hanging(DATA, DATA).batches(2, workers=1, timeout=0.5) as batches:
        next(batches)
        with pytest.raises(TimeoutError, match="batches: batch 2 of epoch 1 was not made within 0.5 s"):
            next(batches)


@pytest.mark.slow
class Broken(TensorLoader):
    def index(self, indices, **_):
        raise ValueError("no such sample")


READERS = {
    "batches": lambda loader: next(loader.batches(2, workers=2)),
    "AsyncIterator": lambda loader: next(AsyncIterator(loader).subiter(2)),
    "evaluate": lambda loader: evaluate(f7.Identity(), {}, {}, AsyncIterator(loader), [MAE()]),
    "predict": lambda loader: predict(f7.Identity(), {}, {}, AsyncIterator(loader)),
}


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_an_error_that_is_dealt_with_keeps_neither_loader_nor_workers(read):
    """Without garbage collection: until then processes would live on."""
    loader, gone, threads = Broken(DATA, DATA), [], threading.active_count()
    weakref.finalize(loader, gone.append, True)
    gc.disable()
    try:
        with contextlib.suppress(ValueError):
            read(loader)
        del loader
        assert gone and threading.active_count() == threads
    finally:
        gc.enable()


def test_processes_that_hang_end_with_their_batches():
    batches = HangingProcess(DATA, DATA).batches(3, workers=1, timeout=3)
    (processes,) = [each for each in (batches._processes,) if each]
    with contextlib.suppress(TimeoutError):
        next(batches)
    (process,) = processes._processes
    del batches, processes
    gc.collect()
    process.join(5)
    assert not process.is_alive()


def test_a_sample_that_ends_its_process_ends_nothing_else():
    """The threads of `batches` leave it to processes."""
    with Deadly(DATA, DATA).batches(2, workers=1) as batches:
        next(batches)
        with pytest.raises(RuntimeError, match=r"batch 2 of epoch 1: the process .* exit code 7"):
            next(batches)


@pytest.mark.slow
def test_control_c_ends_a_program_that_waits_for_a_worker_that_hangs():
    top = Path(__file__).parents[2]
    environment = os.environ | {"PYTHONPATH": str(top), "JAX_PLATFORMS": "cpu"}
    program = subprocess.Popen(
        [sys.executable, "-m", "tests.data.hanging", "threads"], cwd=top, env=environment, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    errors = program.communicate(timeout=60)[1]
    assert program.returncode in (-signal.SIGINT, 130) and "KeyboardInterrupt" in errors, errors
