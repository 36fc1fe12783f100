"""What Lua's programs see of functorch7's values, and Python of Lua's."""

import math
import re
from pathlib import Path

import numpy as np
import pytest

from functorch7.legacy import nn, optim, torch
from functorch7.lua import LuaError, Runtime, registry

PROGRAMS = dict(re.findall(r"^--- (.+)\n((?:.+\n)+)", (Path(__file__).parent / "values.lua").read_text(), re.MULTILINE))


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_return_what_torch_returns(lua, name):
    program, _, expected = PROGRAMS[name].partition("-->")
    found, wanted = lua.execute(program), lua.execute(f"return {expected}")
    if name == "a table that is shared":  # in float32
        found, wanted = np.float32(found).tolist(), np.float32(wanted).tolist()
    assert found == wanted


def test_what_is_written_into_an_objects_tables_stays_whenever_unused_objects_are_dropped():
    own = Runtime()
    program, _, expected = PROGRAMS["options that a class below CmdLine changes"].partition("-->")
    for more in range(12):
        own.border.registry.limit = len(own.border.registry.objects) + more  # which each object brings nearer
        assert own.execute(program) == own.execute(f"return {expected}")


def test_what_lua_puts_into_classes_goes_with_it(lua):
    own = Runtime()
    own.execute("require 'nn' function nn.Tanh:reset() return 'mine' end function nn.Tanh:more() end")
    assert nn.Tanh().reset() == "mine" and hasattr(nn.Tanh, "more")
    own.close()
    assert nn.Tanh().reset() != "mine" and not hasattr(nn.Tanh, "more")


def test_what_a_program_puts_back_into_a_class_is_as_it_was(lua):
    own, methods = Runtime(), ("updateOutput", "updateGradInput")
    own.execute(
        "require 'nn' before = nn.Sqrt.updateOutput function nn.Sqrt:updateOutput(x) return before(self, x) end"
    )
    assert nn.Sqrt().has_own_gradient() and nn.Sqrt().overrides("updateOutput")
    own.execute("nn.Sqrt.updateOutput = before")
    assert not any(map(nn.Sqrt().overrides, methods))
    own.close()


def test_python_is_closed_unless_it_is_opened(lua):
    assert lua.execute("return python, package.loaded.python, torch.__loader__, nn.Tanh().__class__") == (None,) * 4
    own = Runtime(python=True)
    assert own.execute("local math = python.import 'math' return math.gcd(12, 18), math.pi") == (6, math.pi)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("5", "attempt to index a number value (field 'append')"),
        ("nil", "attempt to index a nil value (field 'append')"),
        ("queue", "takes exactly one argument (0 given)"),
        ("queue, 7", "true"),
    ],
)
def test_methods_of_pythons_own_are_called_on_what_stands_first(given, says):
    own = Runtime(python=True)
    program = "local queue = python.import('collections').deque() local append = queue.append"
    ok, error, count = own.execute(f"{program} local ok, said = pcall(append, {given}) return ok, said, queue:count(7)")
    assert (error or "true").endswith(says) and ok is (count == 1) is (says == "true")


def test_minus_zero_keeps_its_sign_out_of_lua(lua):
    found = lua.execute("return 0, -0.0, 3, 0 * -1")
    assert [math.copysign(1, each) for each in found] == [1, -1, 1, -1] and found == (0, 0, 3, 0)


@pytest.fixture
def searched_often(lua, monkeypatch):
    """A Lua whose unused objects are searched after every few new ones."""
    monkeypatch.setattr(registry, "MANY", 40)
    monkeypatch.setattr(lua.border.registry, "limit", 40)


@pytest.mark.usefixtures("searched_often")
def test_objects_survive_the_collector_as_themselves(lua):
    """Objects that only Lua holds, dropped and made anew while both collectors run, keep what is in them."""
    program = """
    torch.manualSeed(3)
    collectgarbage('setpause', 50)
    local kept, wrong = {}, 0
    for i = 1, 4000 do
      local place = torch.random(1, 100)
      local made = torch.Tensor(2):fill(place)
      kept[place] = i % 4 ~= 0 and (i % 2 == 0 and {made, {nested = made:view(1, 2)}} or made) or nil
      if i % 500 == 0 then collectgarbage() end
      local chosen = kept[torch.random(1, 100)]
    end
    for place, each in pairs(kept) do
      local found = type(each) == 'table' and each[1] or each
      if found[1] ~= place or found[2] ~= place then wrong = wrong + 1 end
      if type(each) == 'table' and each[2].nested:storage() ~= found:storage() then wrong = wrong + 1 end
    end
    kept = nil
    collectgarbage() collectgarbage()
    return wrong
    """
    before = len(lua.border.registry.objects)
    assert lua.execute(program) == 0
    lua.border.sweep()
    assert len(lua.border.registry.objects) < before + 50


@pytest.mark.usefixtures("searched_often")
def test_what_crosses_with_new_tensors_is_not_forgotten_on_its_way(lua):
    """A tensor whose stand-in Lua has collected comes again, together with one that makes the border look for such."""
    first = lua.execute("return function(old, new) return old:size(1) + new:size(1) end")
    held = [torch.Tensor(3) for _ in range(3)]
    for _ in range(150):
        for each in held:
            assert first(each, torch.Tensor(2)) == 5


def test_rosenbrock_is_the_same_from_lua_as_from_python(lua):
    """lupa's own objects were lost in this loop, in three of eight runs."""

    def rosenbrock(x):
        a, b = float(x[1]), float(x[2])
        slope = [-400 * a * (b - a**2) - 2 * (1 - a), 200 * (b - a**2)]
        return 100 * (b - a**2) ** 2 + (1 - a) ** 2, torch.DoubleTensor(slope)

    x, config = torch.DoubleTensor(2).fill(0), {"learningRate": 0.002}
    for _ in range(150):
        optim.adamax(rosenbrock, x, config)
    program = """
    local x, config = torch.DoubleTensor(2):fill(0), {learningRate = 0.002}
    local function rosenbrock(x)
      local d, a, b = x:clone(), x[1], x[2]
      d[1], d[2] = -400 * a * (b - a ^ 2) - 2 * (1 - a), 200 * (b - a ^ 2)
      return 100 * (b - a ^ 2) ^ 2 + (1 - a) ^ 2, d
    end
    for i = 1, 150 do
      optim.adamax(rosenbrock, x, config)
      if i % 20 == 0 then collectgarbage() end
    end
    return x
    """
    np.testing.assert_array_equal(np.asarray(lua.execute(program)), np.asarray(x))


@pytest.mark.parametrize("length", [0, 3, 1000])
@pytest.mark.parametrize("make", [list, lambda values: {f"key {value}": value for value in values}])
def test_a_table_that_lua_has_collected_comes_again_whole(lua, make, length):
    """The collector runs by itself, so that Python has not heard of it when the same list crosses again."""
    kept = make([*range(length), [5, [6]]])
    twice = lua.execute("""return function(given)
      local weak = setmetatable({}, {__mode = 'v'})
      local function entries()
        local found, inner = 0, nil
        weak[1] = given()
        for _, each in pairs(weak[1]) do
          found = found + 1
          if type(each) == 'table' then inner = each[1] + each[2][1] end
        end
        return found, inner
      end
      local function gone() return weak[1] == nil end
      entries()
      for i = 1, 1e6 do
        weak[2 + i % 7] = {}
        if i % 1e4 == 0 and gone() then break end
      end
      return gone(), entries()
    end""")
    assert twice(lambda: kept) == (True, length + 1, 11)


def test_the_mode_of_a_module_is_a_boolean(lua):
    lua.execute("""
    local linear = nn.Linear(2, 1)
    local net = nn.Sequential():add(linear):add(nn.Dropout())
    for mode, switch in pairs{[false] = net.evaluate, [true] = net.training} do
      switch(net)
      assert(linear.train == mode and net:get(2).train == mode and type(net.train) == 'boolean')
    end
    linear.train = false
    assert(not linear.train and net.train)
    """)


def test_methods_are_not_taken_for_others_when_lua_collects(lua):
    """Each definition in a class lets Lua forget its methods, and the collector run while others are looked for."""
    lua.execute("""
    for i = 1, 100 do
      local class, parent = torch.class('nn.Collected' .. i, 'nn.Module')
      function class:__init(factor) parent.__init(self) self.factor = factor end
      function class:updateOutput(input) return input * self.factor end
      for j = 1, 2000 do local _ = {} end
      if i % 3 == 0 then collectgarbage('step', 50) end
      local x, layer = torch.Tensor{1, 2, 6}, nn['Collected' .. i](i)
      assert(layer:forward(x):sum() == 9 * i and layer:training().train == true)
      assert(x:mean() == 3 and x:nElement() == 3 and x:max() == 6 and x:min() == 1)
      assert(x:clone():fill(2):prod() == 8 and x:dim() == 1 and x:size(1) == 3)
    end""")


DRAWN = {  # by randomkit, and by NumPy's distributions, from which it was made
    "gauss(torch.DoubleTensor(3))": lambda r: r.standard_normal(3),
    "normal(torch.DoubleTensor{1, 2, 3}, 0.5)": lambda r: r.normal([1, 2, 3], 0.5),
    "gamma(2, torch.DoubleTensor{1, 2})": lambda r: r.gamma(2, [1, 2]),
    "beta(0.5, 0.7)": lambda r: r.beta(0.5, 0.7),
    "binomial(torch.DoubleTensor(4), 10, 0.3)": lambda r: r.binomial(10, 0.3, 4),
    "poisson(torch.DoubleTensor(4), 3)": lambda r: r.poisson(3, 4),
    "uniform(torch.FloatTensor(2, 2), -1, 3)": lambda r: np.float32(r.uniform(-1, 3, (2, 2))),
    "double()": lambda r: r.random_sample(),
    "randint(torch.DoubleTensor(5), -9, 9)": lambda r: r.randint(-9, 10, 5),
    "interval(188)": lambda r: r.randint(0, 189),
    "hypergeometric(5, 6, 7)": lambda r: r.hypergeometric(5, 6, 7),
    "triangular(0, 1, 5)": lambda r: r.triangular(0, 1, 5),
    "bytes(torch.ByteTensor(5))": lambda r: np.frombuffer(r.bytes(5), np.uint8),
    "random()": lambda r: r.randint(0, 2**32, dtype=np.uint32),
}


@pytest.mark.parametrize("call", DRAWN)
def test_randomkit_draws_numpys_numbers(lua, call):
    lua.execute("require 'randomkit' torch.manualSeed(5)")
    found = [np.array(lua.execute(f"return randomkit.{call}")) for _ in range(2)]
    states = np.random.RandomState(5)
    for each in found:
        expected = DRAWN[call](states)
        assert np.array_equal(each, expected) and np.shape(each) == np.shape(expected)


@pytest.mark.parametrize("call", ["beta(0.5)", "bytes(3)", "normal(torch.Tensor(2), torch.Tensor(3), 1)", "gauss('a')"])
def test_randomkit_refuses_what_it_cannot_draw(lua, call):
    with pytest.raises(LuaError, match="randomkit"):
        lua.execute(f"require 'randomkit' return randomkit.{call}")
