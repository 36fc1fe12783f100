"""Elements that Lua reads and writes by itself are those that everybody else sees.

The programs ask for more elements than are asked for one by one, whose memory is therefore lent.
"""

import numpy as np
import pytest

import functorch7 as f7
from functorch7.legacy import nn, torch
from functorch7.legacy.engine.forms import frozen
from functorch7.legacy.tensors.storage import Storage
from functorch7.lua.lent import MOMENT, Lent

LOOPS = """
function fill(x, f) for i = 1, x:size(1) do x[i] = f(i) end end
function rows(x, f) for i = 1, x:size(1) do for j = 1, x:size(2) do x[i][j] = f(i, j) end end end
function places(x, f) for i = 1, x:size(1) do for j = 1, x:size(2) do x[{i, j}] = f(i, j) end end end
function total(x) local sum = 0 for i = 1, x:size(1) do sum = sum + x[i] end return sum end
function back(x, f) for i = 1, x:size(1) do x[-i] = f(i) end end
function stored(s, f) for i = 1, #s do s[i] = f(i) + s[i] - s[i] end end
function failures(x, i)
  local count = 0
  for turn = 1, 9 do
    count = count + (pcall(function() return x[i] end) and 0 or 1) + (pcall(function() x[i] = 1 end) and 0 or 1)
  end
  return count
end
function in_turns(x, y) for i = 1, x:size(1) do y[i] = x[i] + i end end
"""

NAMES = ("fill", "rows", "places", "total", "back", "stored", "failures", "in_turns")

TYPES = ["Byte", "Char", "Short", "Int", "Long", "Float", "Double"]


@pytest.fixture(scope="module")
def loops(lua):
    """Functions of Lua's that Python calls, by name."""
    lua.execute(LOOPS)
    return {name: lua.execute(f"return {name}") for name in NAMES}


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
    loops["back"](x, lambda i: i)
    assert is_lent(x) and x.numpy().tolist() == [*range(9, 0, -1)]
    loops["stored"](x.storage(), lambda i: 2 * i)
    assert is_lent(x) and x.storage().totable() == [2 * i for i in range(1, 10)]


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


def test_places_that_are_not_there_are_errors_in_lent_memory(loops):
    """Those behind the end of a storage that has become smaller, too; storages do not count back from their end."""
    x = torch.zeros(1000)
    loops["total"](x)
    for owner, place in ((x, 1001), (x, -1001), (x, 0), (x.storage(), 1001), (x.storage(), 0), (x.storage(), -1)):
        loops["total"](x)
        assert loops["failures"](owner, place) == 18
    x.storage().resize(2)
    assert loops["failures"](x, 1000) == 18
    row = torch.zeros(4, 100)[4]
    loops["total"](row)
    row.storage().resize(300)
    assert loops["failures"](row, 1) == 18


def test_several_views_have_memory_together(loops, program):
    """Those of one storage, of one program or two: lending to one takes it back from no other."""
    x, before = torch.zeros(2, 50), MOMENT.count[0]
    loops["in_turns"](x[1], x[2])
    assert is_lent(x) and MOMENT.count[0] - before < 6
    other = f7.lua.load(program("function in_turns(x, y) for i = 1, x:size(1) do y[i] = y[i] + x[i] end end"))
    first, second = x[1], x[2]
    for turn in (1, 2, 3):
        loops["in_turns"](second, first)
        before = MOMENT.count[0]
        other.in_turns(first, second)
        assert is_lent(x) and MOMENT.count[0] - before < 6, turn
    expected = np.zeros((2, 50))
    expected[1] = np.arange(1, 51)
    for _ in range(3):
        expected[0] = expected[1] + np.arange(1, 51)
        expected[1] += expected[0]
    np.testing.assert_array_equal(x, expected)


def test_parts_may_become_other_views(lua):
    """A part that was made of lent memory is looked at as it is after `set` and `resize`, not as it was."""
    text = """
    local m, sum = torch.range(1, 24):resize(4, 6), 0
    for turn = 1, 3 do for i = 1, 4 do for j = 1, 6 do sum = sum + m[i][j] end end end
    local whole, short, none = m[1], m[2], m[3]
    whole:set(m) short:resize(2, 2) none:set()
    return sum, whole[4][6], whole[-1][-1], short[2][1], #short[2]:size(), pcall(function() return none[1] end)
    """
    assert lua.execute(text)[:6] == (900, 24, 24, 9, 1, False)


@pytest.mark.parametrize("made", ["torch.Tensor(6)", "torch.LongStorage(6)", "torch.Tensor(6, 2)"])
def test_what_lua_drops_is_dropped(lua, made):
    """Of programs that only make objects and set their elements one by one, too."""
    registry = lua.border.registry
    lua.border.sweep()
    most, before = registry.limit + 1000, len(registry.objects)
    set = "x[j][1] = j" if "," in made else "x[j] = j"
    lua.execute(f"for i = 1, 4000 do local x = {made} for j = 1, 6 do {set} end end")
    assert len(registry.objects) <= most
    for _ in range(3):
        lua.border.sweep()
    assert len(registry.objects) <= before + 10


def test_a_lent_storage_is_the_same_constant_of_a_program(loops):
    sizes = torch.LongStorage([3, 4, 5, 6, 7])
    before = frozen(sizes)
    loops["stored"](sizes, lambda i: i + 2)
    assert isinstance(sizes, Lent) and frozen(sizes) == before
    loops["stored"](sizes, lambda i: i)
    assert isinstance(sizes, Lent) and frozen(sizes) != before


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
