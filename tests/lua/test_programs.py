"""Lua's files: run as programs, loaded for what they define, and for the classes of .t7 files."""

import copy
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import functorch7 as f7
from functorch7.legacy import cutorch, nn, torch
from functorch7.lua import LuaError
from functorch7.lua.packages import mnist
from functorch7_cli import main

SCALE = Path(__file__).parent / "scale.lua"


@pytest.fixture(scope="module")
def scale():
    return f7.lua.load(SCALE)


def close(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-6)


def test_a_file_gives_its_classes_functions_and_values(scale):
    assert (scale.version, scale.names, scale.returned["version"]) == (3, ["a", "b"], 3)
    assert scale.average(torch.Tensor([1, 2, 6])) == (3, 3)
    counter = scale.LuaCounter(4)
    assert (counter.next(), counter.next(), counter.count) == (5, 6, 6)
    with pytest.raises(AttributeError, match="no field 'nothing'"):
        _ = counter.nothing


def test_layers_of_lua_learn_inside_networks_of_python(scale):
    layer = scale.LuaScale(3)
    network = nn.Sequential().add(layer).add(scale.LuaBoth()).add(nn.CAddTable())
    input = torch.Tensor([1, 2])
    close(network.forward(input), [9, 18])  # 3x + 2 * 3x
    close(network.backward(input, torch.Tensor([1, 1])), [9, 9])
    close(layer.gradWeight, [27])  # d/dw of 9w * (1 + 2)
    network.updateParameters(0.1)
    close(layer.weight, [1 - 2.7])
    assert str(layer) == "nn.LuaScale(3)" and "(1): nn.LuaScale(3)" in str(network)
    assert [torch.type(each) for each in network.listModules()][1:] == ["nn.LuaScale", "nn.LuaBoth", "nn.CAddTable"]


def test_copies_have_tables_of_their_own(scale):
    layer = scale.LuaScale(2)
    layer.forward(torch.Tensor([1, 2]))
    sizes = f7.lua.load(SCALE).returned  # Lua runs in between
    copied = nn.Sequential().add(layer).clone().get(1)
    copied.forward(torch.Tensor([1, 2, 3]))
    assert sizes and (layer.saved_fields()["seen"], copied.saved_fields()["seen"]) == (
        {"sizes": [2]},
        {"sizes": [2, 3]},
    )
    assert copy.deepcopy(copied).factor == 2


def test_layers_above_layers_of_python_call_what_they_override(scale):
    layer = scale.LuaWide(2)
    close(layer.weight.copy(torch.Tensor([[1, 0], [0, 2]])), [[1, 0], [0, 2]])
    layer.bias.zero()
    close(nn.Sequential().add(layer).forward(torch.Tensor([3, 4])), [3, 8])
    assert layer.calls == 1


def test_criterions_of_lua_are_criterions(scale):
    criterion, input, target = scale.LuaSquares(), torch.Tensor([1, 2]), torch.Tensor([0, 4])
    assert criterion.forward(input, target) == 1 + 4
    close(criterion.backward(input, target), [2, -4])
    both = nn.MultiCriterion().add(criterion, 0.5).add(nn.MSECriterion())
    assert both.forward(input, target) == 2.5 + 2.5


def test_files_hold_layers_of_lua_by_their_names(scale, tmp_path):
    network = nn.Sequential().add(scale.LuaScale(3)).add(nn.Tanh())
    network.forward(torch.Tensor([1, 2]))
    f7.save_t7(tmp_path / "model.t7", network)
    loaded = f7.load_t7(tmp_path / "model.t7", lua=[SCALE])
    close(loaded.forward(torch.Tensor([0.1, 0.2])), np.tanh([0.3, 0.6]))
    assert loaded.get(1).saved_fields()["seen"] == {"sizes": [2, 2]}
    result = CliRunner().invoke(
        main, ["run", str(tmp_path / "model.t7"), "--input", str(_array(tmp_path)), "--classes", str(SCALE), "--json"]
    )
    assert result.exit_code == 0 and f"running {SCALE}" in result.stderr and "0.2913" in result.stdout


def _array(folder):
    np.save(folder / "x.npy", np.array([0.1, 0.2], np.float32))
    return folder / "x.npy"


def test_objects_of_lua_go_through_files_of_torch(lua, tmp_path):
    found = lua.execute(f"""
        local Pair = torch.class('SavedPair')
        function Pair:__init(a, b) self.a, self.b = a, b end
        function Pair:swap() return self.b, self.a end
        local x = torch.ones(2)
        local p = SavedPair(x, {{1, 2}})
        torch.save('{tmp_path}/pair.t7', {{p, p, x = x, n = 5}})
        local t = torch.load('{tmp_path}/pair.t7')
        local b, a = t[1]:swap()
        a[1] = 7
        return torch.type(t[1]), t[1] == t[2], t.x[1], b[2], t.n
    """)
    assert found == ("SavedPair", True, 7, 2, 5)


def test_programs_have_arguments_files_and_output(program, capsys):
    program("return {twice = function(x) return 2 * x end}", "helper.lua")
    path = program("""
        package.path = paths.dirname(paths.thisfile()) .. '/?.lua;' .. package.path
        local cmd = torch.CmdLine()
        cmd:option('-rate', 0.1, 'learning rate')
        cmd:option('-gpuid', 0, 'which')
        local opt = cmd:parse(arg)
        print(arg[0]:match('[^/]+$'), opt.rate, opt.gpuid, require 'helper'.twice(4), ...)
        io.write('a', 1, '\\n')
        print({1, 'two', t = {x = torch.type(torch.ones(1))}})
        return opt
    """)
    options = f7.lua.run(path, ["-rate", "0.5", "-gpuid", "-1"])
    assert options == {"rate": 0.5, "gpuid": -1}
    assert torch.type(torch.Tensor(1)) == "torch.FloatTensor"
    shown = capsys.readouterr().out
    assert shown.startswith("program.lua\t0.5\t-1\t8\t-rate\t0.5\t-gpuid\t-1\t\na1\n")
    assert shown.endswith('  1 : 1\n  2 : "two"\n  t : \n    {\n      x : "torch.DoubleTensor"\n    }\n}\n')


ERRORS = {
    "local x = nil\nx.y = 1": r"program.lua:2: attempt to index local 'x' \(a nil value\)",
    "require 'nn'\nnn.Linear(2, 3):forward(torch.ones(7))": r"program.lua:2: nn.Linear\(2 -> 3\): expected input",
    "torch.ones(2):apply(function(x)\nerror('inside') end)": "program.lua:2: inside",
    "error({code = 5})": "an error that is no text",
    "x = = 1": "program.lua:1: unexpected symbol",
    "require 'nosuch'": "program.lua:1: no package 'nosuch', .* there are: .*nngraph.*torch",
    "torch.totable()": r"program.lua:1: totable: expected \(object\), got \(\)",
    "require 'nn'\nnn.Linear(3)": r"program.lua:2: nn.Linear: expected \(inputSize, outputSize, \[bias\]\), got \(3\)",
    "require 'optim'\noptim.sgd()": r"program.lua:2: optim.sgd: expected \(opfunc, x, \[config\], \[state\]\), got",
    "require 'nn'\nnn.Tanh():forward()": r"program.lua:2: nn.Tanh.forward: expected \(input\), got \(\)",
    "torch.ones(2).totable()": r"program.lua:1: attempt to index a nil value \(field 'numpy'\)",
    "require 'nn'\ntorch.class('nn.Bad', 'nn.Nothing')": "program.lua:2: .*invalid parent class name nn.Nothing",
}


@pytest.mark.parametrize("text", ERRORS)
def test_errors_say_first_where_lua_is(program, text):
    with pytest.raises(LuaError, match=ERRORS[text]):
        f7.lua.run(program(text))


def test_failed_assertions_say_where_in_lua_they_are(program, capsys):
    """As torch7/doc/tester.md shows it."""
    tests = program("""local tests, tester = torch.TestSuite(), torch.Tester()
function tests.testA()
   tester:eq(torch.Tensor {1, 2, 3}, torch.Tensor {1, 2, 4}, "a and b should be equal")
end
tester:add(tests)
tester:run()""")
    with pytest.raises(LuaError, match="An error was found while running tests!"):
        f7.lua.run(tests)
    _, told = capsys.readouterr().out.split("testA\na and b should be equal\n")
    assert told.startswith("TensorEQ(==) violation: max diff=1, tolerance=0\nstack traceback:\n")
    assert told.splitlines()[2].endswith("program.lua:3:")


def test_the_command_runs_programs_and_says_where_they_fail(program):
    path = str(program("local function inner() error('no') end\nprint(#arg)\ninner()"))
    result = CliRunner().invoke(main, ["lua", path, "-x", "--y"])
    assert result.exit_code == 1 and result.stdout == "2\t\n"
    assert "program.lua:1: no" in result.stderr and "in function 'inner'" in result.stderr
    assert CliRunner().invoke(main, ["lua", str(program("os.exit(3)"))]).exit_code == 3


def test_a_file_that_is_loaded_again_defines_its_functions_again(tmp_path):
    path = tmp_path / "twice.lua"
    path.write_text("function twice(x) return 2 * x end")
    assert f7.lua.load(path).twice(3) == f7.lua.load(path).twice(3) == 6


def test_a_program_that_tries_for_a_gpus_package_learns_whether_there_is_a_gpu():
    program = """
    local tried = pcall(require, 'cunn')
    local again = pcall(function() require 'cutorch' end)
    require 'cunn'
    return tried, again, cutorch.getDeviceCount()
    """
    assert f7.lua.Runtime().execute(program) == (False, False, 0)


def test_files_are_found_beside_the_one_that_requires_them(program, tmp_path):
    (tmp_path / "part").mkdir()
    program("return {name = 'part', again = require '../beside', place = paths.thisfile()}", "part/init.lua")
    program("included = debug.getinfo(1, 'S').source return 'beside'", "beside.lua")
    main = program(
        "include 'beside.lua' local part = require './part' return part.name, part.again, included, part.place"
    )
    name, again, included, place = f7.lua.run(main)
    assert (name, again, place) == ("part", "beside", str(tmp_path / "part" / "init.lua"))
    assert included == f"@{tmp_path}/beside.lua"


def test_a_program_learns_its_folder_and_its_name(program, tmp_path):
    main = program("require 'sys' local folder, name = sys.fpath() return folder, name")
    assert f7.lua.run(main) == (str(tmp_path), "program.lua")


def test_packages_that_luajit_does_not_find_are_paths_from_where_the_program_runs(program, tmp_path, monkeypatch):
    """As trepl's `require` has it, which is that of programs that `th` runs: `require 'util.lua'` is a file."""
    (tmp_path / "model").mkdir()
    program("return {name = 'net'}", "model/net.lua")
    main = program("return require 'model/net.lua'.name, require 'model/net.lua' == require './model/net'")
    monkeypatch.chdir(tmp_path)
    assert f7.lua.run(main) == ("net", True)


def test_the_cpu_does_the_work_of_a_gpu_where_that_is_wanted(program):
    path = program("""
    local found = pcall(require, 'cunn')
    require 'cunn'
    cutorch.setDevice(1)
    local net = nn.Linear(2, 1):cuda()
    return found, cutorch.getDeviceCount(), net:forward(torch.CudaTensor(2):zero())[1] == net.bias[1]
    """)
    if cutorch.getDeviceCount() == 0:
        assert f7.lua.run(path, cuda_on_cpu=True) == (True, 1, True)
        with pytest.raises(LuaError, match="JAX sees"):
            f7.lua.run(path)


def test_files_have_the_fields_that_lua_sets_on_layers(lua, tmp_path):
    """Tables, functions and objects of Lua's among them, and what parts of a network share with them."""
    lua.execute("torch.class('OfField')")
    found = lua.execute(f"""
        local network = nn.Sequential():add(nn.Linear(2, 3))
        local thing = OfField()
        thing.size = 7
        network.epoch, network.options, network.thing = 3, {{rates = {{0.1, 0.2}}, first = network:get(1)}}, thing
        network:get(1).saved = {{thing, twice = function(x) return 2 * x end}}
        torch.save('{tmp_path}/own.t7', {{network, nn.Linear(1, 1)}})
        local read = torch.load('{tmp_path}/own.t7')[1]
        local clone = network:clone()
        return read.epoch, read.options.rates[2], read.options.first == read:get(1), torch.type(read.thing),
          read.thing.size, read:get(1).saved[1] == read.thing, clone.options.first == clone:get(1)
    """)
    assert found == (3, 0.2, True, "OfField", 7, True, True)


def test_graphs_are_tables_of_nodes_and_edges_in_lua(lua):
    found = lua.execute("""
        require 'graph'
        local a, b, c = graph.Node('a'), graph.Node({'b'}), graph.Node('c')
        local g = graph.Graph()
        g:add({graph.Edge(a, b), graph.Edge(b, c), graph.Edge(a, c)})
        local order, walked = {}, {}
        for i, node in ipairs((g:topsort())) do order[i] = node.id end
        a:dfs(function(node) table.insert(walked, node.id) end)
        return #g.nodes, g.nodes[c], g.edges[1].from == a, b.data[1], #g:roots(), torch.type(g), g:hasCycle(),
          table.concat(order, ' '), table.concat(walked, ' '), a.children[b]
    """)
    assert found == (3, 3, True, "b", 1, "graph.Graph", False, "1 2 3", "3 2 1", 1)


def test_penlight_is_there_from_the_beginning_with_its_operator_as_th_has_it(program, tmp_path, monkeypatch):
    """trepl requires Penlight, where there is one, and calls `text.format_operator()`."""
    (tmp_path / "pl").mkdir()
    program("text = {format_operator = function() getmetatable('').__mod = string.format end}", "pl/init.lua")
    monkeypatch.setenv("LUA_PATH", f"{tmp_path}/?/init.lua;;")
    assert f7.lua.run(program("return '%d of 3' % 2")) == "2 of 3"


@pytest.mark.parametrize(("package", "count"), [("nn", 3), ("dpnn", 9), ("rnn", 9)])
def test_getParameters_gathers_what_is_kept_in_fields_where_dpnn_is_there(program, package, count):
    """nn's takes what `parameters` gives, in which fields' modules are not; dpnn puts another in its place."""
    main = program(f"""
    require '{package}'
    local Kept = torch.class('nn.KeptInField', 'nn.Module')
    function Kept:__init()
      nn.Module.__init(self)
      self.inner, self.weight, self.gradWeight = nn.Linear(2, 2), torch.ones(3), torch.zeros(3)
    end
    local module = nn.KeptInField()
    local flat = nn.Sequential():add(module):getParameters()
    flat:fill(4)
    return flat:nElement(), module.weight:sum()
    """)
    assert f7.lua.run(main) == (count, 12)


def test_dropout_prints_as_nns_until_rnn_puts_its_own_in_its_place(program):
    main = program("""
    require 'nn'
    local network = nn.Sequential():add(nn.Dropout(0.5))
    local before = tostring(network:get(1))
    require 'rnn'
    return before, tostring(network:get(1))
    """)
    assert f7.lua.run(main) == ("nn.Dropout(0.500000)", "nn.Dropout(0.5, busy)")


def test_a_call_that_fails_on_its_way_leaves_tables_to_the_next(monkeypatch):
    """As where Ctrl-C comes at the prompt, while a table is handed to Python."""
    lua = f7.lua.Runtime()
    decoded = lua.border.decoded

    def failing(code, value):
        if value == 7:
            raise RuntimeError("interrupted")
        return decoded(code, value)

    monkeypatch.setattr(lua.border, "decoded", failing)
    program = """
    local cjson, t = require 'cjson', {1, {2}}
    local ok = pcall(cjson.encode, {t, {{7}}})
    t[2][1] = 3
    local changed = cjson.encode(t)
    t[2][1] = 4
    return ok, changed, cjson.encode({t})
    """
    assert lua.execute(program) == (False, "[1,[3]]", "[[1,[4]]]")


def test_recurrent_layers_of_cudnn_are_classes_of_their_own(lua):
    program = """
    require 'cudnn'
    local Wide, parent = torch.class('cudnn.Wide', 'cudnn.BLSTM')
    function Wide:__init(size) parent.__init(self, size, 2 * size, 1) end
    local net = nn.Sequential():add(cudnn.Wide(3)):add(nn.Linear(12, 2))
    local layer, x = net:get(1), torch.rand(5, 2, 3)
    for _, parts in ipairs(layer:weights()) do for _, each in ipairs(parts) do each:zero() end end
    for _, parts in ipairs(layer:biases()) do for _, each in ipairs(parts) do each:zero() end end
    layer.hiddenInput, layer.cellInput = torch.ones(2, 2, 6), torch.ones(2, 2, 6)
    net:forward(x)
    net:backward(x, torch.ones(5, 2, 2))
    -- all gates are 1/2 and there is no input: the cell is halved at each step
    local cell = layer.cellOutput[{1, 1, 1}]
    local is = {torch.typename(layer), torch.isTypeOf(layer, 'cudnn.RNN'), torch.isTypeOf(layer, cudnn.LSTM)}
    local RNN = cudnn.RNN(3, 4, 1)
    RNN.mode = 'CUDNN_GRU'
    RNN:reset()
    return cell, layer.output[{5, 1, 1}], layer.gradCellInput[{1, 1, 1}] ~= 0, is[1], is[2], is[3], RNN.weight:size(1)
    """
    cell, output, goes_back, *kinds, size = lua.execute(program)
    assert cell == pytest.approx(2**-5) and output == pytest.approx(math.tanh(2**-5) / 2)
    assert goes_back and kinds == ["cudnn.Wide", True, False] and size == 3 * 4 * (3 + 4 + 2)


@pytest.mark.parametrize("package", ["nn", "rnn", "nngraph", "cudnn"])
def test_numbers_that_were_seeded_before_nn_go_on_as_in_torch(program, package):
    """The file of tests that nn requires draws four numbers; what optim requires draws none."""
    path = program(f"require 'torch' torch.manualSeed(1) require 'optim' require '{package}' return torch.random()")
    assert f7.lua.run(path) == 491263
    torch.manualSeed(1)
    f7.lua.load(path)
    torch.manualSeed(1)
    f7.lua.load(program("a_value = 3"))
    assert torch.random() == 1791095845


def test_mnist_gives_the_digits_of_dataloads_files(program, tmp_path, monkeypatch):
    folder = tmp_path / "mnist"
    folder.mkdir()
    images, labels = np.arange(12 * 784).reshape(12, 28, 28) % 251, np.arange(12) % 10
    for part, chosen in (("train", slice(0, 12)), ("t10k", slice(3, 6))):
        for kind, array in (("images-idx3", images[chosen]), ("labels-idx1", labels[chosen])):
            header = np.array([0x800 + array.ndim, *array.shape], ">i4").tobytes()
            (folder / f"{part}-{kind}-ubyte").write_bytes(header + array.astype(np.uint8).tobytes())
    monkeypatch.setenv("DEEP_DATA_PATH", str(tmp_path))
    monkeypatch.setattr(mnist, "_arrays", mnist._arrays.__wrapped__)
    text = """
    local mnist = require 'mnist'
    local train, test = mnist.traindataset(), mnist.testdataset()
    return train.size, train.data, train.label, test.data, test[2].y, test[2].x:size(), torch.type(train.data)
    """
    size, data, label, others, second, sizes, kind = f7.lua.run(program(text))
    assert (size, second, kind, list(sizes)) == (12, 4, "torch.ByteTensor", [28, 28])
    np.testing.assert_array_equal(data, images)
    np.testing.assert_array_equal(label, labels)
    np.testing.assert_array_equal(others, images[3:6])
