"""Torch7's files of Lua's programs: what of Lua is in them."""

import numpy as np
import pytest

import functorch7 as f7
from functorch7.interop import t7
from functorch7.lua import LuaError


def test_functions_of_files_are_called_where_the_program_may(program, tmp_path):
    """As torch.load gives them: with the values of their variables, of which two that share one share it again."""
    f7.lua.run(
        program(f"""
    local count, step = 0, 2
    local function add() count = count + step return count end
    local function get() return count end
    local module = require('nn').Identity()
    module.scaled = function(x) return x * step end
    local kept = {{add = add, get = get, module = module, plain = function(x) return math.max(x, 1) end}}
    torch.save('{tmp_path}/functions.t7', kept)
    """)
    )
    main = program(f"""
    require 'nn'
    local read = torch.load('{tmp_path}/functions.t7')
    return read.add(), read.add(), read.get(), read.module.scaled(5), read.plain(-1)
    """)
    assert f7.lua.run(main, functions_of_files=True) == (2, 4, 4, 10, 1)
    with pytest.raises(LuaError, match="nothing in a file is executed, unless .* --functions-of-files"):
        f7.lua.run(main)
    assert not callable(f7.load_t7(tmp_path / "functions.t7")["add"])


def test_methods_of_one_object_are_in_files(program, tmp_path):
    """Of modules here and of classes of Lua's, and in files of what files gave, as in Torch; none runs in Python."""
    path = f"{tmp_path}/methods.t7"
    f7.lua.run(
        program(f"""
    require 'nn'
    local Own, parent = torch.class('nn.OwnMethodInFile', 'nn.Module')
    function Own:updateOutput(input) return input * 2 end
    local own, linear, frozen, factor = nn.OwnMethodInFile(), nn.Identity(), nn.Linear(1, 1), 3
    function own:updateOutput(input) return input * factor end
    function linear:updateOutput(input) return input * 5 end
    function frozen:accGradParameters() end
    torch.save('{path}', {{own, nn.Sequential():add(linear), frozen}})
    torch.save('{path}', torch.load('{path}'))
    """)
    )
    main = program(f"""
    require 'nn'
    if not nn.OwnMethodInFile then torch.class('nn.OwnMethodInFile', 'nn.Module') end
    local own, chain, frozen = unpack(torch.load('{path}'))
    local x = torch.ones(1)
    frozen:zeroGradParameters()
    frozen:forward(x)
    frozen:backward(x, x)
    local copy = chain:clone()
    return own:forward(x)[1], own:updateOutput(x)[1], chain:forward(x)[1], copy:forward(x)[1], frozen.gradWeight:sum()
    """)
    assert f7.lua.run(main, functions_of_files=True) == (3, 3, 5, 5, 0)
    with pytest.raises(LuaError, match="Linear.*: its own accGradParameters is a function from a file"):
        f7.lua.run(main)
    with pytest.raises(TypeError, match="Identity: its own updateOutput is a function from a file"):
        f7.load_t7(path, allow_unknown=True)[1].forward([1.0])
    with pytest.warns(UserWarning, match="nn.Identity at .*: updateOutput"):
        f7.load_model(path, allow_unknown=True, entry="2")


def test_nodes_that_a_program_keeps_are_in_files(program, tmp_path):
    """With the modules of the graph, what splits give, and what the program has put into them; chains of any length."""
    main = program(f"""
    require 'nngraph'
    local x = nn.Identity()()
    local first, second = nn.SplitTable(1)(x):split(2)
    local hidden = nn.Linear(2, 2)(first):annotate{{name = 'hidden'}}
    hidden.data.kept = 7
    local network = nn.gModule({{x}}, {{nn.CAddTable()({{hidden, second}})}})
    network.nodes = {{hidden = hidden, second = second}}
    local chain = {{x}}
    for i = 2, 400 do chain[i] = nn.Identity()(chain[i - 1]) end
    torch.save('{tmp_path}/nodes.t7', {{network, chain}})
    local read, long = unpack(torch.load('{tmp_path}/nodes.t7'))
    local nodes, copy = read.nodes, read:clone()
    nodes.hidden.data.module.weight:fill(0)
    nodes.hidden.data.module.bias:fill(1)
    copy.nodes.hidden.data.module.weight:fill(0)
    copy.nodes.hidden.data.module.bias:fill(2)
    return torch.type(nodes.hidden), nodes.hidden.data.annotations.name, nodes.hidden.data.kept,
      nodes.second.data.selectindex, nodes.hidden.children[1].data.selectindex,
      read:forward(torch.ones(2, 2)):sum(), copy:forward(torch.ones(2, 2)):sum(),
      #long, long[400].children[1] == long[399], #long[1].children
    """)
    assert f7.lua.run(main) == ("nngraph.Node", "hidden", 7, 2, 1, 4, 6, 400, True, 0)


def test_graphs_of_objects_that_are_no_modules_are_in_files(program, tmp_path):
    """Of Lua's classes, and tables of functions; for the program that reads the file, they are these objects again."""
    (scaling := tmp_path / "scaling.lua").write_text("""
    require 'nngraph'
    local Scaling = torch.class('ScalingInGraph')
    function Scaling:__init(by) self.by = by end
    function Scaling:updateOutput(input) return input * self.by end
    function Scaling:updateGradInput(input, gradOutput) return gradOutput * self.by end
    function Scaling:accGradParameters() end
    function Scaling:parameters() end
    """)
    main = program(f"""
    dofile('{scaling}')
    local x = nn.Identity()()
    local scaled, doubled = nngraph.Node{{module = ScalingInGraph(3)}}, nngraph.Node{{module = {{
      updateOutput = function(_, input) return input * 2 end,
    }}}}
    scaled:add(x, true)
    torch.save('{tmp_path}/graph.t7', nn.gModule({{x}}, {{scaled}}))
    doubled:add(scaled, true)
    torch.save('{tmp_path}/table.t7', nn.gModule({{x}}, {{doubled}}))
    local read, ones = torch.load('{tmp_path}/graph.t7'), torch.ones(2)
    local copy = nn.Sequential():add(read:clone()):add(nn.MulConstant(5))
    read.modules[2].by = 4
    return torch.type(read.modules[2]), read:forward(ones)[1], copy:forward(ones)[1], copy:backward(ones, ones)[2],
      torch.load('{tmp_path}/table.t7'):forward(ones)[1]
    """)
    assert f7.lua.run(main, functions_of_files=True) == ("ScalingInGraph", 4, 15, 15, 6)
    assert f7.load_t7(tmp_path / "graph.t7", lua=[scaling]).forward([1.0]).totable() == [3]
    with pytest.raises(TypeError, match="its own updateOutput is a function from a file"):
        f7.load_t7(tmp_path / "table.t7", lua=[scaling]).forward([1.0])


def test_what_is_noted_of_the_nodes_of_a_graph_is_in_files(program, tmp_path):
    """By which programs find a layer again; in Torch's files the nodes stand in the order of Torch's own."""
    main = program(f"""
    require 'nngraph'
    local x, y = nn.Identity()(), nn.Identity()()
    local hidden = nn.Linear(2, 2)(x):annotate{{name = 'hidden', graphAttributes = {{color = 'red'}}}}
    torch.save('{tmp_path}/graph.t7', nn.gModule({{x, y}}, {{nn.CAddTable()({{hidden, y}})}}))
    local node = torch.load('{tmp_path}/graph.t7').forwardnodes[5]
    return node.data.annotations.name, node.data.annotations.graphAttributes.color, torch.type(node.data.module)
    """)
    assert f7.lua.run(main) == ("hidden", "red", "nn.Linear")
    nodes = t7.read(tmp_path / "graph.t7").fields["forwardnodes"]
    assert [node.fields["data"]["annotations"].get("name") for node in nodes] == [*4 * [None], "hidden", *4 * [None]]


def test_python_saves_what_lua_alone_understands(program, tmp_path):
    """Tables with `true` beside 1, objects of Lua's classes and functions, held by a layer of Lua's or in tables."""
    path = program("""
    require 'nn'
    local Scale = torch.class('ScaleSavedByPython')
    function Scale:__init(by) self.by = by end
    local Layer, parent = torch.class('nn.SavedByPython', 'nn.Module')
    function Layer:__init()
      parent.__init(self)
      self.mixed, self.scale = {7, [true] = 8}, ScaleSavedByPython(2)
    end
    function Layer:updateOutput(x)
      self.output = x * self.mixed[1] * self.scale.by + self.mixed[true]
      return self.output
    end
    function given() return {1, [true] = ScaleSavedByPython(5), f = function() return 3 end} end
    function read(path) return torch.load(path)[true].by end
    """)
    loaded = f7.lua.load(path)
    layer = loaded.SavedByPython()
    f7.save_t7(tmp_path / "layer.t7", layer)
    again = f7.load_t7(tmp_path / "layer.t7", lua=[path])
    assert again.forward([1, 2]).totable() == layer.forward([1, 2]).totable() == [22, 36]
    f7.save_t7(tmp_path / "table.t7", loaded.given())
    found = f7.load_t7(tmp_path / "table.t7", lua=[path])
    (key,) = [key for key in found if isinstance(key, t7.Key)]
    assert found[1] == 1 and key.value is True and found[key].by == 5
    assert isinstance(found["f"], t7.LuaFunction) and loaded.read(str(tmp_path / "table.t7")) == 5


def test_methods_in_files_are_refused_to_python_with_lua_or_without(program, tmp_path):
    path, classes = f"{tmp_path}/method.t7", program("require 'nn'")
    f7.lua.run(
        program(f"""
    require 'nn'
    local own = nn.Identity()
    function own:updateOutput(input) return input * 5 end
    torch.save('{path}', nn.Sequential():add(own))
    """)
    )
    for lua in ((), (classes,)):
        with pytest.raises(Exception, match="nothing in a file is executed"):
            f7.load_t7(path, lua=lua).forward([1, 2])


def test_a_class_that_builds_other_parts_of_a_step_is_read_before_one_of_its_objects_is_made(program, tmp_path):
    """Without weights its gates are 1/2; what it builds gives 4 for tanh(0), so that the output is tanh(4 / 2) / 2."""
    definition = f"""
    require 'rnn'
    local Own, parent = torch.class('nn.BuildsHiddenInFile', 'nn.LSTM')
    function Own:buildHidden() return nn.Sequential():add(parent.buildHidden(self)):add(nn.AddConstant(4)) end
    local path = '{tmp_path}/cell.t7'
    """
    f7.lua.run(program(definition + "torch.save(path, nn.BuildsHiddenInFile(1, 1))"))
    read = """
    local cell = torch.load(path)
    for _, each in ipairs(cell:parameters()) do each:zero() end
    return cell:forward(torch.zeros(1, 1))[1][1], cell.keeps_steps
    """
    output, keeps_steps = f7.lua.run(program(definition + read))
    assert not keeps_steps
    assert output == pytest.approx(np.tanh(2) / 2)
