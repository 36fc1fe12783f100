"""torchx's helpers for nested tensors, its queue and its alias sampler."""

import numpy as np
import pytest

from functorch7.legacy import manualSeed, torch, torchx


@pytest.fixture
def table():
    return [torch.range(1, 12).view(4, 3), {"a": torch.range(1, 4)}]


def test_nested_tensors_are_indexed_cut_and_measured(table):
    found, source = torchx.recursiveIndex(None, table, 1, torch.LongTensor([4, 1]))
    assert source is table and list(found[0][1]) == [10, 11, 12] and list(found[1]["a"]) == [4, 1]
    buffer = [torch.Tensor(), {"a": torch.Tensor()}]
    assert torchx.recursiveIndex(buffer, table, 1, [2])[0] is buffer and list(buffer[1]["a"]) == [2]
    columns, _ = torchx.recursiveIndex(None, table[0], 2, [3, 3])
    assert columns.size() == [4, 2] and columns[2, 1] == 6
    part = torchx.recursiveSub(table, 2, 3)
    part[1]["a"].fill(0)
    assert list(table[1]["a"]) == [1, 0, 0, 4] and part[0].size() == [2, 3]
    assert torchx.recursiveSize(table) == [[4, 3], {"a": [4]}]
    assert torchx.recursiveSize(table, 1) == [[3], {"a": []}] and torchx.recursiveBatchSize(table) == 4
    with pytest.raises(TypeError, match="expecting nested tensors or tables. Got int instead"):
        torchx.recursiveSize([1])


def test_a_queue_gives_back_in_order():
    queue = torchx.Queue()
    queue.put("a")
    queue.put("b")
    assert (queue.get(), queue.get(), queue.empty()) == ("a", "b", True)
    with pytest.raises(IndexError, match="Queue is empty"):
        queue.get()


def test_the_alias_sampler_draws_by_the_weights():
    manualSeed(0)
    weights = np.array([1, 0, 3, 6])
    sampler = torchx.AliasMultinomial(torch.Tensor(weights))
    output = torch.LongTensor(100, 100)
    assert sampler.batchdraw(output) is output
    counts = np.bincount(np.asarray(output).reshape(-1), minlength=5)[1:]
    assert counts[1] == 0 and (abs(counts - weights * 1000) < 300).all() and sampler.draw() in (1, 3, 4)
    with pytest.raises(ValueError, match="AliasMultinomial: expected a vector of weights, got a tensor of size 2x2"):
        torchx.AliasMultinomial(torch.Tensor(2, 2))


def test_a_tensor_views_what_another_thread_hands_over():
    source, tensor = torch.range(1, 6).view(2, 3), torch.zeros(2, 2)
    torch.setFloatStorage(tensor, torch.pointer(source.storage()))
    assert torch.isTensor(tensor) and tensor.storage() is source.storage() and tensor.totable() == [[1, 2], [3, 4]]
    tensor.fill(9)
    assert source.totable() == [[9, 9, 9], [9, 5, 6]]
    whole = torch.IntTensor(3)
    torch.setIntStorage(whole, torch.IntStorage([4, 5, 6]), True)
    assert whole.totable() == [4, 5, 6]
    for call, error, message in (
        (lambda: torch.setFloatStorage(tensor, 1), ValueError, "expected torch.pointer's number"),
        (
            lambda: torch.setIntStorage(tensor, torch.IntStorage(9)),
            TypeError,
            "setIntStorage: .* a torch.FloatTensor and",
        ),
        (
            lambda: torch.setFloatStorage(tensor, torch.FloatStorage(3)),
            ValueError,
            "expected 4 elements or more, got 3",
        ),
    ):
        with pytest.raises(error, match=message):
            call()


def test_parts_that_are_on_one_device_are_no_parts():
    with pytest.raises(ValueError, match="torch.MultiCudaTensor: expected .* sizes 2x3, 2x3 on 0 devices"):
        torch.MultiCudaTensor(2, [torch.ones(2, 3), torch.ones(2, 3)])
