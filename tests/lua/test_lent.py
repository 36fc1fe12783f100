"""Elements that Lua reads and writes by itself are those that everybody else sees.

The programs ask for more elements than are asked for one by one, whose memory is therefore lent.
"""

import numpy as np
import pytest

import functorch7 as f7
from functorch7.legacy import nn, torch
from functorch7.legacy.tensors.storage import Storage
from functorch7.lua.lent import MOMENT, Lent

LOOPS = """
function fill(x, f) for i = 1, x:size(1) do x[i] = f(i) end end
function rows(x, f) for i = 1, x:size(1) do for j = 1, x:size(2) do x[i][j] = f(i, j) end end end
function places(x, f) for i = 1, x:size(1) do for j = 1, x:size(2) do x[{i, j}] = f(i, j) end end end
function total(x) local sum = 0 for i = 1, x:size(1) do sum = sum + x[i] end return sum end
"""

TYPES = ["Byte", "Char", "Short", "Int", "Long", "Float", "Double"]


@pytest.fixture(scope="module")
def loops(lua):
    """Functions of Lua's that Python calls, by name."""
    lua.execute(LOOPS)
    return {name: lua.execute(f"return {name}") for name in ("fill", "rows", "places", "total")}


def is_lent(tensor):
    return isinstance(tensor.storage_, Lent)


@pytest.mark.parametrize("type", TYPES)
def test_what_a_loop_writes_is_there(loops, type):
    x, y = torch.zeros(9).type(f"torch.{type}Tensor"), torch.zeros(4, 3).type(f"torch.{type}Tensor")
    loops["fill"](x, lambda i: i * i)
    assert is_lent(x) and x.numpy().tolist() == [i * i for i in range(1, 10)] and not is_lent(x)
    assert loops["total"](x) == 285
    for name in ("rows", "places"):
        loops[name](y.zero(), lambda i, j: 10 * i + j)
        assert y.numpy().tolist() == [[10 * i + j for j in (1, 2, 3)] for i in (1, 2, 3, 4)]


@pytest.mark.parametrize(
    "look", ["array", "version", "is_zero", "_array", "writable", "memory", "__deepcopy__", "zero"]
)
def test_whoever_asks_a_storage_for_its_elements_takes_them_back(loops, look):
    x = torch.ones(8)
    loops["total"](x)
    loops["total"](x)
    assert is_lent(x)
    getattr(x.storage_, look)
    assert type(x.storage_) is Storage


def test_both_sides_in_turns(loops):
    """Numbers that Python sets between Lua's loops, through other views as well, and arrays that JAX was given."""
    x = torch.zeros(3, 8)
    column, given = x.select(2, 5), []
    for turn in range(1, 6):
        loops["rows"](x, lambda i, j, turn=turn: turn * (i + j))
        given.append(nn.Identity().forward(x).clone())
        column.fill(-turn)
        assert loops["total"](column) == -3 * turn
    expected = np.add.outer(np.arange(1, 4), np.arange(1, 9))
    for turn, seen in enumerate(given, 1):
        np.testing.assert_array_equal(seen, turn * expected)


def test_weights_that_a_loop_changes_are_those_of_the_next_call(loops):
    layer, input = nn.Linear(4, 3), torch.ones(4)
    for scale in (1, 2, 3):
        loops["rows"](layer.weight, lambda i, j, scale=scale: scale * (i - j))
        loops["fill"](layer.bias, lambda i, scale=scale: scale)
        expected = [scale * (4 * i - 10 + 1) for i in (1, 2, 3)]
        np.testing.assert_array_equal(layer.forward(input), expected)
        assert loops["total"](layer.output) == sum(expected)


def test_memory_that_is_taken_back_at_once_is_lent_seldom(loops):
    x, before = torch.zeros(9), MOMENT.count[0]
    for _ in range(100):
        loops["fill"](x.narrow(1, 1, 4), lambda i: i)
        x.add(1)
    assert MOMENT.count[0] - before < 120


@pytest.mark.parametrize("gpu", [False, True])
def test_a_lent_storage_crosses_as_what_it_is(program, gpu):
    """Before anybody has asked for it, and where the host stands in for a GPU."""
    text = """
    require 'nn'
    local x = torch.zeros(2, 9)
    x = ... and x:cuda() or x
    for i = 1, 2 do for j = 1, 9 do x[i][j] = i * j end end
    local storage = x:storage()
    for i = 1, 2 do for j = 1, 9 do x[i][j] = x[i][j] + 1 end end
    return storage[18], torch.type(storage), #storage, x:sum()
    """
    found = f7.lua.run(program(text), ["gpu"] if gpu else [], cuda_on_cpu=True)
    assert found == (19, "torch.FloatStorage" if gpu else "torch.DoubleStorage", 18, 153)
