"""What `th` is beside the programs that it runs: a prompt, options, and functions of its own."""

import inspect
import json
import re

import nbformat
import pytest
from click.testing import CliRunner

import functorch7 as f7
from functorch7.legacy import nn, torch
from functorch7.lua import LuaError
from functorch7_cli import main


def test_the_prompt_answers_as_th_does(lua):
    assert lua.answers("x = 3") == []
    assert lua.answers("x + 1, 'text'") == ["4", "text"]
    assert lua.answers("{1, a = 2}") == ["{\n  1 : 1\n  a : 2\n}"]
    assert lua.is_unfinished("for i = 1, 2 do") and not lua.is_unfinished("for i = = 1") and not lua.is_unfinished("x")
    assert {"Linear", "Sequential"} < set(lua.names_in("nn")) and "forward" in lua.names_in("nn.Linear")
    with pytest.raises(LuaError, match="stdin:1: "):
        lua.answers("nn.Linear('a', 'b', 'c', 'd').x.y")
    assert lua.answers("_LAST[1], #_RESULTS") == ["1", "2"]
    assert lua.answers("nothing") == ["nil"] and lua.answers("nn.Linear(2, 2):zeroGradParameters()") == []


@pytest.mark.parametrize(
    "place, told",
    [
        ("nn.Linear", ["nn.Linear(inputSize, outputSize, [bias]", nn.Linear.__doc__]),
        ("torch.randn", [torch.randn.__doc__.strip()]),
        ("layer:forward", ["layer:forward(input)\n\nThe output for an input"]),
        ("layer", ["layer: Linear", nn.Linear.__doc__]),
        ("mine", "mine is not functorch7's"),
        ("string.format", "string.format is not functorch7's"),
        ("nn.Lineer", "there is no nn.Lineer"),
    ],
)
def test_the_prompt_tells_what_is_described(lua, place, told):
    lua.execute("layer = nn.Linear(3, 2) function mine() end")
    if isinstance(told, str):
        with pytest.raises(LookupError, match=told):
            lua.help_on(place)
    else:
        assert all(inspect.cleandoc(each) in lua.help_on(place) for each in told)


@pytest.mark.parametrize(
    "options, typed, code, printed",
    [
        (["-lnn", "-e", "x = 7 print(nn.Linear(3, 2))"], None, 0, "nn.Linear(3 -> 2)\n"),
        (["-e", "x = 7", "SCRIPT", "-e", "8"], None, 0, "7\t-e\t8\t\n"),
        (["-e", "os.exit(4)", "SCRIPT"], None, 4, ""),
        (["-e", "error 'no'", "SCRIPT"], None, 1, ""),
        (["-i", "-e", "error 'no'"], "x = 6 x = x + 1\nx\nexit\n5", 0, "th> th> 7\nth> "),
        (["-i", "SCRIPT", "a"], "?nn\n", 0, "nil\ta\tnil\t\nth> No help: there is no nn.\nth> \n"),
        ([], "for i = 1, 2 do\nprint(i)\nend\nos.exit(3)\n", 3, "th> ..> ..> 1\t\n2\t\nth> "),
        (["--cuda-on-cpu"], "require 'cutorch';\ncutorch.getDeviceCount()\n", 0, "th> th> 1\nth> \n"),
    ],
)
def test_the_command_has_the_options_of_th(program, options, typed, code, printed):
    path = str(program("print(x, arg[1], arg[2])"))
    result = CliRunner().invoke(main, ["lua", *(path if each == "SCRIPT" else each for each in options)], typed)
    assert (result.exit_code, result.stdout) == (code, printed)


def test_programs_have_the_functions_of_th(program, capsys):
    """As trepl prints: variables by their names, tables inside others up to a level, and with 0 as Lua does."""
    text = """
    word, x = 'a', torch.Tensor(2, 3)
    who()
    setprintlevel(1) print {1, {2}}
    setprintlevel(0) print(1, nil)
    local before = Tanh
    Tanh = 5
    import 'nn'
    local kept, linear = Tanh, torch.type(Linear(2, 2))
    import('nn', true)
    return before, kept, linear, torch.type(Tanh())
    """
    assert f7.lua.run(program(text)) == (None, 5, "nn.Linear", "nn.Tanh")
    variables = '[word] = string : "a"\t\n[x] = DoubleTensor - size: 2x3\t\n'
    tables = "{\n  1 : 1\n  2 : {...}\n}\n"
    assert re.sub(" +=", " =", capsys.readouterr().out) == f"== User Variables ==\t\n{variables}==\t\n{tables}1\tnil\n"


def notebook(path, *cells, language="lua"):
    made = nbformat.v4.new_notebook(metadata={"language_info": {"name": language}})
    made.cells = [nbformat.v4.new_markdown_cell("text"), *map(nbformat.v4.new_code_cell, cells)]
    nbformat.write(made, path)
    return str(path)


def test_a_notebook_of_itorch_runs_cell_by_cell(tmp_path, monkeypatch):
    """Expressions are answered, locals are a cell's, `itorch` is there, and errors name the cell and the line.

    An error ends it, unless it is in a cell that failed when the notebook was saved.
    """
    monkeypatch.chdir(tmp_path)
    cells = [
        "require 'nn';\nlocal hidden = 1\nnet = nn.Sequential()\nnet:add(nn.Tanh()) -- a layer\nprint('is ' .. #net)",
        "-- a comment\nnet:get(1) -- and another",
        "",
        "$ echo command",
        "hidden, type(itorch.image)",
        "x = 1\nerror('no')",
        "print 'never'",
    ]
    result = CliRunner().invoke(main, ["lua", notebook(tmp_path / "own.ipynb", *cells)])
    assert result.exit_code == 1 and result.stdout == "is 1\t\nnn.Tanh\nnil\nfunction\n"
    assert "cell 6:2: no" in result.stderr and "in function 'found'" not in result.stderr
    old = tmp_path / "old.ipynb"
    inputs = ["y = 2\n", "z = y * 21"], "'text', z"
    failed = {"output_type": "pyerr", "ename": "no", "evalue": "", "traceback": []}
    cells = [{"cell_type": "code", "input": "error('meant')", "outputs": [failed]}]
    cells += [{"cell_type": "code", "input": each, "outputs": []} for each in inputs]
    old.write_text(json.dumps({"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": [{"cells": cells}]}))
    result = CliRunner().invoke(main, ["lua", str(old)])
    assert result.exit_code == 0 and result.stdout == "cell 1:1: meant\ntext\n42\n"


@pytest.mark.parametrize("says", ["is not a notebook", "in Python: expected one of iTorch, in Lua"])
def test_what_is_no_notebook_of_itorch(tmp_path, says):
    path = notebook(tmp_path / "other.ipynb", "x = 1", language="python")
    if "not a" in says:
        (tmp_path / "other.ipynb").write_text("{}")
    with pytest.raises(ValueError, match=says):
        f7.lua.run(path)
    result = CliRunner().invoke(main, ["lua", path])
    assert result.exit_code == 1 and says in result.stderr and "Traceback" not in result.stderr


def test_every_object_and_class_gives_its_text(lua):
    """As the metatables of Torch: `object:__tostring()`, which is that of `print`."""
    made = [
        "nn.Linear(2, 3)",
        "nn.Sequential():add(nn.Tanh())",
        "nn.MSECriterion()",
        "torch.Tensor{1, 2}",
        "torch.CmdLine()",
    ]
    for each in made:
        assert lua.execute(f"local x = {each} return x:__tostring() == tostring(x) and getmetatable(x).__tostring(x)")
    assert lua.execute("return nn.Module.__tostring(nn.Linear(2, 3))") == "nn.Linear(2 -> 3)"
