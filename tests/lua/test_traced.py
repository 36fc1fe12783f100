"""Layers written in Lua that are compiled with the network around them, against the same ones called one by one."""

import re
from pathlib import Path

import numpy as np
import pytest

from functorch7.legacy import explain, torch
from functorch7.lua import LuaError, Runtime
from functorch7.lua.traced import outside

LAYERS = {
    name: (said, source)
    for name, said, source in re.findall(
        r"^--- (\w+): (.+)\n((?:(?!--- ).*\n)+)", (Path(__file__).parent / "traced.lua").read_text(), re.MULTILINE
    )
}
COMPILED = [name for name, (said, _) in LAYERS.items() if said == "compiled with the rest"]
NETWORK = """
require 'nn'
torch.setdefaulttensortype('torch.DoubleTensor')
torch.manualSeed(3)
network = nn.Sequential():add(Layer()):add(nn.Linear(3, 2))
if not first then network:insert(nn.Linear(3, 3), 1) end
layer = network:get(first and 1 or 2)
function step(turn)
  local x = torch.linspace(-1, 2 + turn, 12):view(4, 3):sin():add(1)
  local y = network:forward(x)
  network:zeroGradParameters()
  local gradient = network:backward(x, y * 0.5 + 1)
  local _, gradients = network:parameters()
  local all = {}
  for i, each in ipairs(gradients) do all[i] = each:clone() end
  network:updateParameters(0.001)
  local found = {y = y, gradient = gradient, all = all, output = layer.output, gradInput = layer.gradInput}
  for name, value in pairs(layer) do
    if type(value) ~= 'userdata' or torch.isTensor(value) then found['field ' .. name] = value end
  end
  return found
end
"""


def plain(found):
    """What a program gives, without what is named for the object or its type alone."""
    if isinstance(found, dict):
        return {name: plain(value) for name, value in sorted(found.items()) if not str(name).startswith("field _type")}
    if isinstance(found, list):
        return [plain(each) for each in found]
    return np.asarray(found) if hasattr(found, "storage") else found


def agree(one, other):
    """Whether results are the same, to rounding."""
    assert type(one) is type(other)
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for name in one:
            agree(one[name], other[name])
    elif isinstance(one, list):
        assert len(one) == len(other)
        for mine, theirs in zip(one, other, strict=True):
            agree(mine, theirs)
    elif isinstance(one, (np.ndarray, float)):
        assert np.isfinite(one).all(), "of what is no number any more nothing could be said"
        np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-9)
    else:
        assert one == other or not isinstance(one, (str, int, bool))


@pytest.fixture(autouse=True)
def default_type():
    """The default type of tensors is Python's again afterwards."""
    before = torch.getdefaulttensortype()
    yield
    torch.setdefaulttensortype(before)


@pytest.fixture
def both(monkeypatch):
    """What a program gives where layers may be traced, and where all are called; with what `explain` says."""
    begun = []

    def run(source, *programs):
        results = []
        for traced in (True, False):
            with monkeypatch.context() as patch:
                if not traced:
                    patch.setattr(outside, "CHANGES", -1)
                lua = Runtime()
                begun.append(lua)
                lua.execute("require 'nn' torch.setdefaulttensortype('torch.DoubleTensor')\n" + source)
                lua.execute(NETWORK)
                found = [plain(lua.execute(program)) for program in programs]
                results.append((found, explain(lua.execute("return network"))))
        (found, said), (expected, said_of_called) = results
        agree(found, expected)
        assert "called between" in said_of_called
        return said

    yield run
    for lua in begun:
        lua.close()


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", LAYERS)
def test_layers_do_the_same_whether_they_are_compiled_or_called(both, name):
    said, source = LAYERS[name]
    steps = [f"return step({turn})" for turn in (0, 1, 2, *(range(3, 13) if name == "Counting" else ()))]
    more = [
        "network:evaluate() local y = network:forward(torch.ones(4, 3)) network:training() return y, layer.output",
        "copy = network:clone() return copy:forward(torch.ones(4, 3):mul(2)), network:forward(torch.ones(4, 3))",
    ]
    assert said in both(source, *steps, *more)


@pytest.mark.parametrize("name", COMPILED)
def test_files_hold_layers_as_compiled_calls_have_left_them(both, name, tmp_path):
    save = f"step(0) torch.save('{tmp_path}/n.t7', network) read = torch.load('{tmp_path}/n.t7') return step(1)"
    later = "network = read layer = network:get(2) return step(1)"
    assert "compiled with the rest" in both(LAYERS[name][1], save, later)


def test_what_is_set_outside_is_heard_of(both):
    source = """
    local Layer = torch.class('Layer', 'nn.Module')
    local factor = 2
    shift = 1
    settings = {more = {by = 1}}
    function set(value) factor = value end
    local function shifted(x) return x + shift end
    function Layer:inner(x) return x * settings.more.by end
    function Layer:updateOutput(input)
      self.output = self:inner(shifted(input * factor))
      return self.output
    end
    function Layer:updateGradInput(_, gradOutput) return gradOutput * factor end
    """
    changes = ("set(3)", "shift = 5", "settings.more.by = 2", "settings = {more = {by = 7}}",
               "function Layer:inner(x) return x - 1 end", "step(0)")  # fmt: skip
    assert "compiled with the rest" in both(source, "return step(0)", *(f"{each} return step(0)" for each in changes))


def test_a_layer_that_checks_values_may_hear_of_what_is_set_outside(both):
    source = """
    local Layer = torch.class('Layer', 'nn.Module')
    scale = 1
    function Layer:__init() nn.Module.__init(self) self.rows = torch.eye(3) end
    function Layer:updateOutput(input)
      self.output = self.rows:index(1, input:select(2, 1):gt(0):long():add(1)) * scale
      return self.output
    end
    """
    steps = [f"{change} return network:forward(torch.ones(4, 3))" for change in ("", "scale = 2", "scale = 3")]
    assert "compiled with the rest" in both(source, *steps)


def test_what_is_put_into_tables_outside_is_heard_of(both):
    source = """
    local Layer = torch.class('Layer', 'nn.Module')
    factors, shifts, several = {0.2, 0.3}, {first = 1}, {1, 2}
    function Layer:updateOutput(input)
      local sum = input:clone():mul(#factors)
      for _, factor in ipairs(factors) do sum:mul(factor) end
      for _, shift in pairs(shifts) do sum:add(shift) end
      self.output = sum + select('#', unpack(several))
      return self.output
    end
    function Layer:updateGradInput(_, gradOutput) return gradOutput * (next(shifts) == nil and 1 or 2) end
    """
    changes = ("factors[3] = 0.5", "factors[1] = nil", "shifts.second = 2", "shifts.first = 0.7", "shifts.first = nil",
               "shifts.second = nil", "several[3] = 0")  # fmt: skip
    assert "compiled with the rest" in both(source, "return step(0)", *(f"{each} return step(0)" for each in changes))


def test_what_changes_ever_again_is_called(both):
    source = """
    local Layer = torch.class('Layer', 'nn.Module')
    turns = 0
    function Layer:updateOutput(input) return input * turns end
    function Layer:updateGradInput(_, gradOutput) return gradOutput * turns end
    """
    said = both(source, *(f"turns = {turn} return step(0)" for turn in range(12)))
    assert "too often" in said


def test_errors_are_lua_s_own_whether_layers_are_compiled_or_called(monkeypatch):
    program = """
    require 'nn'
    local Layer = torch.class('Layer', 'nn.Module')
    function Layer:updateOutput(input)
      assert(input:size(2) == 3, 'three columns')
      return torch.cmul(input, input)
    end
    network = nn.Sequential():add(nn.Identity()):add(Layer())
    network:forward(torch.ones(2, 3))
    """
    said = []
    for most in (8, -1):
        monkeypatch.setattr(outside, "CHANGES", most)
        lua = Runtime()
        lua.execute(program)
        with pytest.raises(LuaError, match="Lua:5: .*three columns|three columns") as error:
            lua.execute("network:forward(torch.ones(2, 4))")
        said.append((str(error.value), *error.value.__notes__))
        assert ("compiled with the rest" in explain(lua.execute("return network"))) == (most == 8)
        lua.close()
    assert said[0] == said[1]
