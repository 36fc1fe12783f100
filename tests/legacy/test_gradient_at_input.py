"""gradInput of large inputs: left out where nobody has looked for long, and there as soon as somebody does."""

import copy

import numpy as np
import pytest

from functorch7.data.nested import leaves
from functorch7.legacy import manualSeed, nn, torch
from functorch7.legacy.engine import compiled, looks

ROWS, COLUMNS = 64, 65  # more elements than `at_input.LARGE`


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    monkeypatch.setattr(looks, "OFTEN", 3)


@pytest.fixture
def counted(monkeypatch):
    """The calls of the program that computes gradInput alone."""
    calls, made = [], compiled.pull_back_to_input

    def counting(program):
        calls.append(program)
        return made(program)

    monkeypatch.setattr(compiled, "pull_back_to_input", counting)
    return calls


def network():
    manualSeed(2)
    return nn.Sequential().add(nn.Dropout(0.5)).add(nn.Linear(COLUMNS, 2)).add(nn.Tanh())


def steps(net, count, look=()):
    """Some steps, and what was looked at in those that `look` names: with a gradient that changes with each."""
    random, seen = np.random.default_rng(0), {}
    for number in range(count):
        input = torch.Tensor(random.normal(size=(ROWS, COLUMNS)).astype(np.float32))
        gradient = torch.Tensor(random.normal(size=(ROWS, 2)).astype(np.float32))
        net.forward(input)
        net.zeroGradParameters()
        found = net.backward(input, gradient)
        net.updateParameters(0.1)
        if number in look:
            seen[number] = np.array(found)
    return seen


def test_it_is_the_same_whether_it_was_left_out_or_not():
    every, late = steps(network(), 8, range(8)), steps(network(), 8, [6, 7])
    for number in (6, 7):
        np.testing.assert_array_equal(late[number], every[number])
    assert all(gradient.any() for gradient in every.values())


def test_it_is_computed_only_when_somebody_looks(counted):
    net = network()
    steps(net, 6)
    assert not counted
    assert net.gradInput.size().totable() == [ROWS, COLUMNS] and net.gradInput.type() == "torch.FloatTensor"
    assert not counted
    assert net.gradInput.norm() > 0
    assert len(counted) == 1
    steps(net, 6, range(6))
    assert len(counted) == 1, "once somebody has looked, it is part of every call"


def test_what_was_left_out_is_that_of_its_call_for_ever():
    expected = steps(network(), 5, [4])[4]
    steps(net := network(), 5)
    kept, copied = net.gradInput, copy.deepcopy(net.gradInput)
    net.get(2).weight.fill(7)
    net.updateParameters(1)
    steps(net, 1)
    np.testing.assert_array_equal(np.array(kept), expected)
    np.testing.assert_array_equal(np.array(copied), expected)


def test_tables_with_whole_numbers_and_gradients_of_inner_modules():
    manualSeed(2)
    lookup = nn.ParallelTable().add(nn.LookupTable(9, COLUMNS)).add(nn.Identity())
    net = nn.Sequential().add(lookup).add(nn.CAddTable())
    words = torch.LongTensor(np.arange(ROWS) % 9 + 1)
    input = [words, torch.ones(ROWS, COLUMNS)]
    gradient = torch.Tensor(ROWS, COLUMNS).fill(3)
    for _ in range(6):
        net.forward(input)
        net.backward(input, gradient)
    at_words, at_rows = net.gradInput
    assert not np.array(at_words).any() and np.array(at_rows).tolist() == np.array(gradient).tolist()
    assert np.array(net.get(2).gradInput[1]).tolist() == np.array(gradient).tolist()


def test_a_double_network_gives_doubles():
    net = network().double()
    for _ in range(5):
        input = torch.DoubleTensor(ROWS, COLUMNS).fill(0.1)
        net.forward(input)
        net.backward(input, torch.DoubleTensor(ROWS, 2).fill(1))
    assert np.array(net.gradInput).dtype == np.float64 and net.gradInput.norm() > 0


@pytest.mark.parametrize("size", [2, ROWS * COLUMNS])
def test_numbers_in_a_table_have_a_gradient(size):
    branches = nn.ParallelTable().add(nn.MulConstant(3)).add(nn.MulConstant(2))
    for _ in range(5):
        input = [torch.ones(size), 3.0]
        branches.forward(input)
        of_tensor, of_number = branches.backward(input, [torch.ones(size), torch.Tensor([5.0])])
    assert float(of_tensor.sum()) == 3 * size and float(of_number.sum()) == 10


def test_an_index_linear_is_told_how_many_values_an_example_has():
    layer = nn.IndexLinear(5, 2)
    layer.weight.fill(0.5)
    keys, values = torch.LongTensor([1, 3, 2]), torch.Tensor([1.0, 2, 3])
    for count in (3, 3.0):
        output = layer.forward([keys, values, count])
        np.testing.assert_allclose(np.ravel(output), layer.bias.numpy() + 0.5 * (1 + 2 + 3), rtol=1e-6)
        layer.zeroGradParameters()
        layer.backward([keys, values, count], torch.Tensor([1.0, 2]))
        np.testing.assert_array_equal(layer.gradBias, [1, 2])


@pytest.mark.parametrize("kind", ["BFloat16", "Half", "Float", "Double"])
def test_the_gradient_at_many_elements_is_of_the_inputs_type(kind):
    network = nn.Sequential().add(nn.Linear(64, 2)).type(f"torch.{kind}Tensor")
    x = torch.randn(128, 64).type(f"torch.{kind}Tensor")
    assert network.backward(x, network.forward(x)).type() == x.type()


def looked_up(input):
    return nn.Sequential().add(nn.LookupTable(3, 2)).add(nn.Linear(2, 2)), input


INDICES = {  # networks and inputs: what is whole is of its type in gradInput, as LookupTable.lua has it
    "a chain": lambda kind: looked_up(kind([1, 2])),
    "a table": lambda kind: (
        nn.Sequential().add(nn.ParallelTable().add(nn.Linear(2, 2)).add(nn.LookupTable(3, 2))).add(nn.CAddTable()),
        [torch.rand(2, 2), kind([1, 2])],
    ),
    "names": lambda kind: (nn.Sequential().add(nn.SelectTable("i")).add(nn.LookupTable(3, 2)), {"i": kind([1, 2])}),
    "many": lambda kind: looked_up(kind(5000).fill(1)),
}


@pytest.mark.parametrize("kind", ["LongTensor", "IntTensor", "CudaLongTensor"])
@pytest.mark.parametrize("name", INDICES)
def test_indices_have_zeros_of_their_type(name, kind, request):
    if kind.startswith("Cuda"):
        request.getfixturevalue("accelerator")
        torch.setdefaulttensortype("torch.CudaTensor")
    network, input = INDICES[name](getattr(torch, kind))
    output = network.forward(input)
    for _ in range(5):  # after which it is left out of large calls
        gradient = network.backward(input, output.clone())
    for found, at in zip(*map(leaves, (gradient, input)), strict=True):
        assert found.type() == at.type() and found.shape == at.shape
        assert at.type() != f"torch.{kind}" or not found.any()


def test_indices_inside_have_zeros_too():
    lookup = nn.LookupTable(3, 2)
    network = nn.Sequential().add(nn.Identity()).add(lookup)
    network.backward(torch.LongTensor([1, 2]), network.forward(torch.LongTensor([1, 2])))
    assert lookup.gradInput.type() == "torch.LongTensor" and lookup.gradInput.totable() == [0, 0]
