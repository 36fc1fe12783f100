"""Programs of torch7's documentation, and what it says that they print."""

import builtins
import contextlib
import io
import re

import pytest

from functorch7.lua import LuaError, Runtime, torch_default

OPTIONS = """
cmd = torch.CmdLine()
cmd:text()
cmd:text('Training a simple network')
cmd:text()
cmd:text('Options')
cmd:option('-seed', 123, 'initial random seed')
cmd:option('-booloption', false, 'boolean option')
cmd:option('-stroption', 'mystring', 'string option')
params = cmd:parse(arg)
params.rundir = cmd:string('experiment', params, {dir = true})
paths.mkdir(params.rundir)
cmd:log(params.rundir .. '/log', params)
cmd:addTime('your project name', '%F %T')
print('Your log message')
"""

TESTS = """
local mytest = torch.TestSuite()
local tester = torch.Tester()

function mytest.testA()
   local a = torch.Tensor {1, 2, 3}
   local b = torch.Tensor {1, 2, 4}
   tester:eq(a, b, "a and b should be equal")
end

function mytest.testB()
   local a = {2, torch.Tensor {1, 2, 2}}
   local b = {2, torch.Tensor {1, 2, 2.001}}
   tester:eq(a, b, 0.01, "a and b should be approximately equal")
end

function mytest.testC()
   local function myfunc()
      return "hello " .. world
   end
   tester:assertNoError(myfunc, "myfunc shouldn't give an error")
end

tester:add(mytest)
tester:run()
"""

FAILED = """
Completed 3 asserts in 3 tests with 2 failures and 0 errors
--------------------------------------------------------------------------------
testA
a and b should be equal
TensorEQ(==) violation: max diff=1, tolerance=0
stack traceback:
    test.lua:8:
--------------------------------------------------------------------------------
testC
myfunc shouldn't give an error
ERROR violation: err=test.lua:19: attempt to concatenate global 'world' (a nil value)
stack traceback:
    test.lua:21:
--------------------------------------------------------------------------------
"""

DISABLED = """
local tester = torch.Tester()
local tests = torch.TestSuite()
function tests.brokenTest() end
tester:add(tests):disable('brokenTest'):run()
"""

SKIPPED = """
Running 1 test
1/1 brokenTest .......................................................... [SKIP]
Completed 0 asserts in 1 test with 0 failures and 0 errors and 1 disabled
"""

# The chapter shows an older way of printing tables, by kinds and sizes.
SERIALIZED = """
local object = {mat = torch.randn(10, 10), name = '10', test = {entry = 1}}
torch.save('test.dat', object)
for _, read in ipairs {torch.load('test.dat'), torch.deserialize(torch.serialize(object))} do
  assert((read.mat - object.mat):abs():max() == 0)
  read.mat = torch.type(read.mat) .. ' ' .. table.concat(read.mat:size():totable(), 'x')
  print(read)
end
"""


@pytest.fixture(scope="module")
def lua():
    with torch_default():
        runtime = Runtime()
        yield runtime
        runtime.close()


@pytest.fixture
def prints(lua, tmp_path, monkeypatch):
    """The words of each line that a program prints, and the LuaError in which it ends, or None."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(builtins, "print", print)  # programs that log change it

    def run(program, *args):
        (tmp_path / "test.lua").write_text(program)
        written, problem = io.StringIO(), None
        with contextlib.redirect_stdout(written):
            try:
                lua.run("test.lua", args)
            except LuaError as error:
                problem = error
        return [*filter(None, map(str.split, written.getvalue().splitlines()))], problem

    return run


def lines(text):
    return [line.split() for line in text.strip().splitlines()]


@pytest.mark.parametrize(
    ("args", "seed", "string", "folder"),
    [
        ((), "123", "mystring", "experiment"),
        (
            ("-seed", "456", "-stroption", "mycustomstring"), "456", "mycustomstring",
            "experiment,seed=456,stroption=mycustomstring",
        ),
    ],
)  # fmt: skip
def test_options_are_logged(prints, tmp_path, args, seed, string, folder):
    printed, _ = prints(OPTIONS, *args)
    log = (tmp_path / folder / "log").read_text()
    expected = sorted([["booloption", "false"], ["seed", seed], ["rundir", folder], ["stroption", string]])
    for found in (printed[-8:], lines(log)):
        assert found[0][:3] == ["[program", "started", "on"] and found[1] == ["[command", "line", "arguments]"]
        assert sorted(found[2:6]) == expected and found[6] == ["[----------------------]"]
    assert printed[-1] == ["Your", "log", "message"]
    assert re.search(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\[your project name\]: +Your log message", log, re.MULTILINE)


def test_failed_tests_are_reported(prints):
    printed, problem = prints(TESTS)
    marks = {line[1]: line[-1] for line in printed[1:4]}
    assert printed[0] == ["Running", "3", "tests"]
    assert marks == {"testA": "[FAIL]", "testB": "[PASS]", "testC": "[FAIL]"}
    assert printed[4:] == lines(FAILED)
    assert "An error was found while running tests!" in str(problem)


def test_disabled_tests_are_skipped(prints):
    assert prints(DISABLED) == (lines(SKIPPED), None)


def test_a_test_is_defined_once(prints):
    twice = "test = torch.TestSuite()\nfunction test.myTest() end\nfunction test.myTest() end"
    assert "Test myTest is already defined." in str(prints(twice)[1])


def test_objects_are_saved_and_loaded(prints):
    printed, problem = prints(SERIALIZED)
    table = '{ mat : "torch.DoubleTensor 10x10" name : "10" test : { entry : 1 } }'.split()
    assert problem is None and [word for line in printed for word in line] == table + table
