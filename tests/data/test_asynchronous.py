"""AsyncIterator: the same batches, made by workers, in bounded numbers; errors and shutdown."""

import gc
import os
import threading
import time

import numpy as np
import pytest

from functorch7.data import AsyncIterator, DataLoader, MultiSequence, TensorLoader

DATA = TensorLoader(np.arange(1.0, 12), np.arange(1, 12))


def listed(batches):
    return [(k, inputs.tolist(), targets.tolist()) for k, inputs, targets in batches]


class Slow(TensorLoader):
    """Takes longer for the first samples, and counts what is asked for."""

    def __init__(self):
        super().__init__(np.arange(1.0, 41), np.arange(1, 41))
        self.asked, self.threads = 0, set()

    def index(self, indices):
        self.asked += 1
        self.threads.add(threading.current_thread().name)
        time.sleep(0.03 if indices[0] == 1 else 0.001)
        return super().index(indices)


def wait_until(condition):
    for _ in range(500):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("waited in vain")


@pytest.mark.parametrize("n_workers", [1, 3])
def test_batches_and_their_order_are_those_of_the_loader(n_workers):
    with AsyncIterator(DATA, n_workers) as loader:
        assert listed(loader.subiter(4, 25)) == listed(DATA.clone().subiter(4, 25))
        assert listed(loader.sampleiter(4, 25, seed=1)) == listed(DATA.sampleiter(4, 25, seed=1))


def test_no_sample_is_dropped_at_the_wrap():
    with AsyncIterator(DATA) as loader:  # 11 samples: the source would skip the last one, alone in its batch
        assert [inputs.tolist() for _, inputs, _ in loader.subiter(10, 12)] == [list(range(1, 11)), [11], [1]]


def test_the_order_is_kept_when_the_first_batch_is_the_slowest():
    slow = Slow()
    with AsyncIterator(slow, 3) as loader:
        assert [k for k, *_ in loader.subiter(4)] == list(range(4, 41, 4))
        firsts = [inputs[0] for _, inputs, _ in loader.subiter(4)]
    assert firsts == list(range(1, 41, 4)) and len(slow.threads | loader._copy.threads) > 1


def test_at_most_as_many_batches_as_workers_wait():
    with AsyncIterator(Slow(), 2) as loader:
        batches = loader.subiter(2)
        for taken in range(4):
            wait_until(lambda expected=2 + taken: loader._copy.asked >= expected)
            time.sleep(0.02)
            assert loader._copy.asked == 2 + taken
            next(batches)


def test_an_iterator_starts_at_once_and_ends_the_one_before():
    with AsyncIterator(DATA) as loader:
        older = loader.subiter(4)
        next(older)
        newer = loader.sampleiter(4, seed=0)
        with pytest.raises(RuntimeError, match="Can only support one iterator per synchronize"):
            next(older)
        assert len(list(newer)) == 3


def test_iteration_goes_on_after_what_was_taken():
    with AsyncIterator(DATA, 3) as loader:
        next(loader.subiter(4))
        assert next(loader.subiter(4))[1].tolist() == [5, 6, 7, 8]
        loader.reset()
        assert next(loader.subiter(4))[1].tolist() == [1, 2, 3, 4]


class Broken(DataLoader):
    def size(self):
        return 9

    def index(self, indices):
        if 5 in indices:
            raise ValueError("cannot read /images/5.jpg")
        return indices, indices


def test_errors_reach_the_caller_where_their_batch_would_have_come():
    with AsyncIterator(Broken()) as loader:
        batches = loader.subiter(3)
        assert next(batches)[0] == 3
        with pytest.raises(ValueError, match=r"cannot read /images/5.jpg"):
            next(batches)
        loader.reset()
        assert next(loader.subiter(3))[0] == 3


def test_requests_come_back_in_order_with_their_sizes():
    with AsyncIterator(DATA) as loader:
        loader.async_put("sub", (1, 2), 2)
        loader.async_put("index", ([3],), 1)
        assert loader.async_get()[0] == 2
        size, (inputs, _) = loader.async_get()
        assert (size, inputs.tolist()) == (1, [3])
        with pytest.raises(RuntimeError, match="nothing was asked for"):
            loader.async_get()


def test_streams_have_one_worker_and_come_in_order():
    sequences = [np.arange(2, 9), np.arange(10, 13), np.arange(20, 31)]
    with AsyncIterator(MultiSequence(sequences, 2), 4) as loader:
        assert loader.n_workers == 1
        assert listed(loader.subiter(3)) == listed(MultiSequence(sequences, 2).subiter(3))
        with pytest.raises(NotImplementedError, match="Use subiter instead"):
            loader.sampleiter(3, seed=0)


def workers():
    return [thread for thread in threading.enumerate() if thread.name.startswith(("AsyncIterator", "batches"))]


def test_workers_end_with_close_or_with_the_object():
    loader = AsyncIterator(Slow(), 3)
    next(loader.subiter(2))
    assert workers()
    loader.close()
    wait_until(lambda: not workers())
    loader = AsyncIterator(Slow(), 2)
    next(loader.subiter(2))
    batches = Slow().batches(2, workers=1)
    next(batches)
    del loader, batches
    gc.collect()
    wait_until(lambda: not workers())


class Forked(TensorLoader):
    """Holds Python's lock, and so asks for processes."""

    in_processes = True

    def index(self, indices):
        inputs, _ = super().index(indices)
        return inputs, np.full(len(indices), os.getpid())


def test_a_loader_may_ask_for_processes():
    with AsyncIterator(Forked(DATA.inputs, DATA.targets), 1) as loader:
        found = list(loader.subiter(8))
        assert [(k, inputs.tolist()) for k, inputs, _ in found] == [(8, list(range(1, 9))), (11, [9, 10, 11])]
        processes = {int(pid) for _, _, targets in found for pid in targets}
        processes |= {int(pid) for _, targets in loader.batches(8) for pid in np.asarray(targets)}
        assert len(processes) == 1 and os.getpid() not in processes


class Unsendable(TensorLoader):
    in_processes = True

    def __init__(self):
        super().__init__(np.arange(8), np.arange(8))
        self.function = lambda: None


@pytest.mark.parametrize("iterate", [
    lambda: Unsendable().batches(2, workers=1, timeout=20), lambda: AsyncIterator(Unsendable(), 1, 20).subiter(2),
], ids=["batches", "subiter"])  # fmt: skip
def test_a_loader_that_no_process_can_have_is_told_at_each_batch(iterate):
    """The second batch waited for a process that was never started."""
    batches = iterate()
    with pytest.raises(TypeError, match="Unsendable: in_processes needs a loader that can be pickled: Can't "):
        next(batches)
    with pytest.raises((TypeError, StopIteration)) as caught:
        next(batches)
    assert caught.type is StopIteration or "Unsendable: in_processes" in str(caught.value)


def test_a_clone_has_workers_and_data_of_its_own():
    with AsyncIterator(DATA) as loader:
        clone = loader.clone()
        batches = loader.subiter(6)
        assert listed(clone.subiter(6)) == listed(batches)  # neither ends the other
        assert clone.loader.inputs is not DATA.inputs


def test_what_makes_no_sense_is_refused():
    with pytest.raises(ValueError, match="n_workers of at least 1, got 0"):
        AsyncIterator(DATA, 0)
    with pytest.raises(TypeError, match="AsyncIterator: expected a number as timeout, got '3'"):
        AsyncIterator(DATA, timeout="3")
    with pytest.raises(ValueError, match="AsyncIterator: expected a timeout above 0 s, got -1"):
        AsyncIterator(DATA, timeout=-1)
    with pytest.raises(TypeError, match="AsyncIterator: expected a loader, such as .* got a table of 2"):
        AsyncIterator((DATA.inputs, DATA.targets))
