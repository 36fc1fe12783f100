"""nn.utils: the same operation on all tensors of nested tables."""

import numpy as np
import pytest

from functorch7.legacy import nn, torch

from .helpers import same, values


def nested(scale=1.0):
    return [
        torch.Tensor([1, 2]).mul(scale),
        {"a": torch.Tensor([[3], [4]]).mul(scale), "b": [torch.Tensor([5]).mul(scale)]},
    ]


def test_recursiveType_casts_tables_and_keeps_sharing():
    first, second = nn.Sequential().add(nn.Linear(4, 2)), nn.Sequential().add(nn.Linear(4, 2))
    second.share(first, "bias")
    nn.utils.recursiveType([first, second], "torch.DoubleTensor")
    first.get(1).bias[1] = 99
    assert second.get(1).bias[1] == 99
    assert first.get(1).weight.type() == second.get(1).bias.type() == "torch.DoubleTensor"


def test_separate_casts_break_sharing():
    first, second = nn.Linear(4, 2), nn.Linear(4, 2)
    second.share(first, "bias")
    first.double()
    second.double()
    first.bias[1] = 99
    assert second.bias[1] != 99


def test_a_cache_keeps_sharing_across_calls():
    first, second, cache = nn.Linear(4, 2), nn.Linear(4, 2), {}
    second.share(first, "bias")
    first.type("torch.DoubleTensor", cache)
    second.type("torch.DoubleTensor", cache)
    first.bias[1] = 99
    assert second.bias[1] == 99


def test_recursiveType_casts_plain_tensors_and_tables():
    table = nn.utils.recursiveType(nested(), "torch.DoubleTensor")
    assert table[1]["b"][0].type() == "torch.DoubleTensor"
    same(table[1]["a"], [[3], [4]])
    assert nn.utils.recursiveType(torch.Tensor([1]), "torch.LongTensor").type() == "torch.LongTensor"


def test_recursiveFill():
    table = nn.utils.recursiveFill(nested(), 7)
    same(table[0], [7, 7])
    same(table[1]["b"][0], [7])
    with pytest.raises(TypeError, match="expecting tensor or table"):
        nn.utils.recursiveFill("text", 1)


def test_recursiveAdd_with_and_without_a_factor():
    first, second = nested(), nested(10)
    got, other = nn.utils.recursiveAdd(first, second)
    assert got is first and other is second
    same(first[1]["a"], [[33], [44]])
    nn.utils.recursiveAdd(first, -1, second)
    same(first[1]["a"], [[3], [4]])
    same(second[0], [10, 20])
    with pytest.raises(TypeError, match="expecting nested tensors or tables"):
        nn.utils.recursiveAdd(first, torch.Tensor([1]))


def test_recursiveCopy_copies_into_what_there_is_and_makes_what_is_not():
    source = nested()
    target = [torch.Tensor(7), {}]
    first = target[0]
    made, given = nn.utils.recursiveCopy(target, source)
    assert made is target and given is source and made[0] is first
    same(made[0], [1, 2])
    same(made[1]["b"][0], [5])
    source[0].fill(0)
    same(made[0], [1, 2])
    made, _ = nn.utils.recursiveCopy(None, torch.DoubleTensor([1, 2, 3]))
    same(made, [1, 2, 3])
    assert made.type() == "torch.DoubleTensor"


def test_recursiveResizeAs_takes_structure_and_sizes():
    target = [torch.Tensor(1), torch.Tensor(2), torch.Tensor(3)]
    made, _ = nn.utils.recursiveResizeAs(target, [torch.Tensor(2, 2), [torch.Tensor(4)]])
    assert len(made) == 2
    assert made[0].size() == [2, 2] and made[1][0].size() == [4]


def test_addSingletonDimension():
    t = torch.Tensor(values(2, 3))
    assert nn.utils.addSingletonDimension(t).size() == [1, 2, 3]
    assert nn.utils.addSingletonDimension(t, 3).size() == [2, 3, 1]
    view = nn.utils.addSingletonDimension(t, 2)
    assert view.size() == [2, 1, 3]
    view.fill(4)
    same(t, np.full((2, 3), 4))
    into = torch.Tensor()
    assert nn.utils.addSingletonDimension(into, t, 2) is into and into.size() == [2, 1, 3]
    with pytest.raises(ValueError, match=r"invalid dimension: 5. Tensor is of 2 dimensions"):
        nn.utils.addSingletonDimension(t, 5)
    with pytest.raises(TypeError, match="input tensor expected"):
        nn.utils.addSingletonDimension(3)


def test_contiguousView_views_or_copies():
    t = torch.Tensor(values(2, 3))
    view = nn.utils.contiguousView(torch.Tensor(), t, 6)
    view[1] = 50
    assert t[1, 1] == 50
    same(nn.utils.contiguousView(torch.Tensor(), t.t(), 6), np.asarray(t).T.reshape(-1))


def test_clear_empties_fields():
    linear = nn.Linear(3, 2)
    linear.output = torch.ones(2)
    linear.table, linear.text = [1, 2], "text"
    assert nn.utils.clear(linear, "output", "table", "text", "nothing") is linear
    assert linear.output.nElement() == 0 and linear.table == [] and linear.text is None
    linear.table = [3]
    nn.utils.clear(linear, ["table"])
    assert linear.table == []
