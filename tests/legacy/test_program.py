"""torch's CmdLine, Timer and Tester: beside the printed output in torch7/doc/cmdline.md, timer.md and tester.md."""

import builtins
import re
import sys

import numpy as np
import pytest

from functorch7.legacy import nn, torch

# CmdLine --------------------------------------------------------------------------------------------------------------


def documented():
    """The command line of torch7/doc/cmdline.md."""
    cmd = torch.CmdLine()
    cmd.text()
    cmd.text("Training a simple network")
    cmd.text()
    cmd.text("Options")
    cmd.option("-seed", 123, "initial random seed")
    cmd.option("-booloption", False, "boolean option")
    cmd.option("-stroption", "mystring", "string option")
    cmd.text()
    return cmd


def test_options_have_their_defaults_and_what_the_command_line_says():
    cmd = documented()
    assert cmd.parse([]) == {"seed": 123, "booloption": False, "stroption": "mystring"}
    params = cmd.parse(["-seed", "456", "-stroption", "mycustomstring", "-booloption"])
    assert (params.seed, params["stroption"], params.booloption) == (456, "mycustomstring", True)
    params.rundir = "there"
    assert params["rundir"] == "there"
    with pytest.raises(AttributeError, match="no field 'rate'"):
        _ = params.rate


@pytest.mark.parametrize(("word", "number"), [("3", 3), ("-2.5", -2.5), ("1e-3", 0.001), ("0x10", 16)])
def test_numbers_are_read_as_lua_reads_them(word, number):
    params = documented().parse(["-seed", word])
    assert params.seed == number and type(params.seed) is type(number)


def test_the_program_s_own_words_are_taken_where_none_are_given(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["train.py", "-seed", "9"])
    assert documented().parse().seed == 9


def test_the_name_of_a_run_has_what_differs_from_the_defaults(capsys):
    cmd = documented()
    params = cmd.parse(["-seed", "456", "-stroption", "mycustomstring"])
    assert cmd.string("experiment", params, {"dir": True}) == "experiment,seed=456,stroption=mycustomstring"
    assert cmd.string("experiment", cmd.parse([]), {"dir": True}) == "experiment"
    assert cmd.string("run", params, {"seed": True}) == "run,stroption=mycustomstring"
    assert cmd.string("run", cmd.parse(["-booloption"]), {"seed": False}) == "run,booloption=t,seed=123"
    assert cmd.string("run", params | {"rundir": 1}, {}) == "run,seed=456,stroption=mycustomstring"
    printed = capsys.readouterr().out
    assert "seed\t456\t123\n" in printed and "-- ignore option seed\n" in printed
    assert "WARNING: unknown option/argument: rundir IGNORING for DIRECTORY NAME\n" in printed
    separated = torch.CmdLine(";", ":")
    separated.argument("net")
    separated.option("-rate", 0.1)
    assert separated.string("run", separated.parse(["a.t7", "-rate", "1e-3"])) == "run;net:a.t7;rate:0.001"


def test_the_help_has_all_lines_in_their_order(capsys):
    cmd = documented()
    cmd.argument("data", "the data set")
    with pytest.raises(SystemExit) as ended:
        cmd.parse(["-h"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == (
        "Usage: [options] <data>\n\nTraining a simple network\n\nOptions\n"
        "  -seed       initial random seed [123]\n"
        "  -booloption boolean option [false]\n"
        "  -stroption  string option [mystring]\n\n"
        "  <data>      the data set\n"
    )


@pytest.mark.parametrize(("words", "says"), [
    (["-rate", "1"], "invalid argument: -rate"), (["-seed"], "missing argument for option -seed"),
    (["-seed", "many"], "invalid type for option -seed (should be number)"),
    (["-seed", "1_0"], "invalid type for option -seed (should be number)"), (["extra"], "invalid argument: extra"),
])  # fmt: skip
def test_words_that_do_not_fit_end_the_program_with_the_help(capsys, words, says):
    with pytest.raises(SystemExit) as ended:
        documented().parse(words)
    printed = capsys.readouterr()
    assert ended.value.code == 1 and printed.err == says and "initial random seed [123]" in printed.out


def test_options_without_a_fitting_default_and_arguments_that_are_not_there_are_refused(capsys):
    cmd = torch.CmdLine()
    with pytest.raises(ValueError, match="option -a has no default value"):
        cmd.option("-a")
    with pytest.raises(ValueError, match="option -a has wrong default type value"):
        cmd.option("-a", 3, "help", "string")
    cmd.argument("-data")
    assert cmd.parse(["-there"]) == {"data": "-there"}
    with pytest.raises(SystemExit):
        cmd.parse([])
    assert capsys.readouterr().err == "not enough arguments"


def test_a_log_has_what_is_printed(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(builtins, "print", builtins.print)
    cmd, path = documented(), str(tmp_path / "log")
    cmd.addTime("a name", "[%Y]")
    cmd.log(path, {"seed": 123, "booloption": False})
    print("loss", 0.5)
    print("elsewhere", file=sys.stderr)
    cmd.silent()
    print("only there")
    lines = (tmp_path / "log").read_text().splitlines()
    assert [re.sub(r"^\[\d{4}\]\[a name\]:  ", "", line).rstrip() for line in lines][1:] == [
        "[command line arguments]", "seed 123", "booloption false", "[----------------------]", "loss 0.5",
        "only there",
    ]  # fmt: skip
    assert "[program started on " in lines[0]
    shown = capsys.readouterr().out
    assert "seed\t123\n" in shown and "loss 0.5\n" in shown and "only there" not in shown
    with open(tmp_path / "second", "w") as second:  # takes the first one's place
        documented().log(second)
        print("again")
    assert "again" in (tmp_path / "second").read_text() and "again" not in (tmp_path / "log").read_text()


# Timer ----------------------------------------------------------------------------------------------------------------


@pytest.fixture
def clock(monkeypatch):
    """A clock that a test sets: [real, user, sys]."""
    from functorch7.legacy.program import timer
    from functorch7.legacy.program.lua import Table

    now = [0.0, 0.0, 0.0]
    monkeypatch.setattr(timer, "_now", lambda: Table(real=now[0], user=now[1], sys=now[2]))
    return now


def test_a_timer_counts_while_it_is_not_stopped(clock):
    timer = torch.Timer()
    clock[:] = [3, 2, 1]
    assert timer.time() == {"real": 3, "user": 2, "sys": 1} and timer.time().real == 3
    assert timer.stop() is timer
    clock[:] = [10, 9, 8]
    assert timer.time().real == 3
    assert timer.resume().time().real == 3
    clock[:] = [14, 9, 8]
    assert timer.time() == {"real": 7, "user": 2, "sys": 1}
    assert timer.reset().time().real == 0
    clock[0] = 15
    assert timer.time().real == 1
    timer.stop().reset()
    clock[0] = 20
    assert timer.time().real == 0


def test_real_clocks_do_not_go_back():
    timer = torch.Timer()
    first, second = timer.time(), timer.time()
    assert 0 <= first.real <= second.real and 0 <= first.user <= second.user and torch.toc(torch.tic()) >= 0


# Tester ---------------------------------------------------------------------------------------------------------------

A, B = torch.Tensor([1, 2, 3]), torch.Tensor([1, 2, 4])


def fail():
    raise ValueError("no such thing")


ASSERTIONS = [
    # (name, arguments, whether it holds, what it says if not)
    ("eq", (3, 3), True, None), ("eq", (3, 3.5), False, "EQ failed: 3 ~= 3.5"), ("eq", (3, 3.5, 0.5), True, None),
    ("eq", (3, 4, 0.5), False, "EQ failed: 3 ~= 4 with tolerance=0.5"),
    ("eq", (1, "1"), False, "EQ failed: values have different types (first: number, second: string)"),
    ("eq", ("a", "b"), False, "EQ failed: a (string) ~= b (string)"), ("eq", (True, True), True, None),
    ("eq", (None, None), True, None), ("eq", (A, A.clone()), True, None),
    ("eq", (A, B, "a and b"), False, "a and b\nTensorEQ(==) violation: max diff=1, tolerance=0"),
    ("eq", (A, B, 1), True, None), ("eq", (A, B, "message", 1), True, None),
    ("eq", (A, torch.Tensor(2)), False, "The tensors have different sizes"),
    ("eq", (A, torch.Tensor(3, 1)), False, "The tensors have different dimensions"),
    ("eq", (A, torch.DoubleTensor([1, 2, 3])), False, "The tensors have different types"),
    ("eq", (torch.Tensor(), torch.Tensor()), True, None),
    ("eq", (torch.Tensor([float("nan")]),) * 2, False, "TensorEQ(==) violation: max diff=nan, tolerance=0"),
    ("eq", (A.storage(), B.storage()), False, "StorageEQ(==) violation: max diff=1, tolerance=0"),
    ("eq", (torch.LongStorage([1]), torch.LongStorage([1, 2])), False, "The storages have different sizes"),
    ("eq", ([2, torch.Tensor([1, 2, 2])], [2, torch.Tensor([1, 2, 2.001])], 0.01), True, None),
    ("eq", ({"a": [1, 2]}, {"a": [1, 3]}), False, "At table location a.2: EQ failed: 2 ~= 3"),
    ("eq", ({"a": 1}, {"a": 1, "b": 2}), False, "Entry b missing in first table (is 2 in second)"),
    ("eq", ([1, 2, 3], [1, 2]), False, "Entry 3 missing in second table (is 3 in first)"),
    ("ne", (3, 4), True, None), ("ne", (3, 3), False, "NE failed: 3 == 3"), ("ne", (A, B), True, None),
    ("ne", (A, A.clone()), False, "TensorNE(==) violation: max diff=0, tolerance=0"),
    ("ne", ([1], [1]), False, "The tables are equal"), ("ne", (1, "1"), True, None),
    ("assertGeneralEq", ([A], [A.clone()]), True, None), ("assertGeneralNe", ([A], [B]), True, None),
    ("assert_", (True,), True, None), ("assert_", (False, "here"), False, "here\nBOOL violation condition=false"),
    ("assert", (False,), False, "BOOL violation condition=false"),
    ("assertlt", (1, 2), True, None), ("assertlt", (2, 2), False, "LT failed: 2 >= 2"),
    ("assertgt", (2, 1), True, None), ("assertgt", (1, 2, "m"), False, "m\nGT failed: 1 <= 2"),
    ("assertle", (2, 2), True, None), ("assertle", (3, 2), False, "LE failed: 3 > 2"),
    ("assertge", (2, 2), True, None), ("assertge", (1, 2), False, "GE failed: 1 < 2"),
    ("asserteq", (1, 1), True, None), ("asserteq", (1, 2), False, "EQ failed: 1 ~= 2"),
    ("asserteq", (A, A), True, None),
    ("assertne", (1, 2), True, None), ("assertne", (1, 1), False, "NE failed: 1 == 1"),
    ("assertalmosteq", (1, 1.05, 0.1), True, None),
    ("assertalmosteq", (1, 2, 0.5), False, "ALMOST_EQ failed: 1 ~= 2 with tolerance=0.5"),
    ("assertTensorEq", (A, A.clone()), True, None), ("assertTensorEq", (A, B, 1, "m"), True, None),
    ("assertTensorEq", (A, B), False, "TensorEQ(==) violation: max diff=1, tolerance=0"),
    ("assertTensorNe", (A, B), True, None),
    ("assertTensorNe", (A, B, 1), False, "TensorNE(==) violation: max diff=1, tolerance=1"),
    ("assertTableEq", ([1], [1]), True, None),
    ("assertTableEq", ([1], [2]), False, "At table location 1: EQ failed: 1 ~= 2"),
    ("assertTableNe", ([1], [2]), True, None), ("assertTableNe", ({}, {}), False, "The tables are equal"),
    ("assertError", (fail,), True, None), ("assertError", (list,), False, "ERROR violation: err=nil"),
    ("assertNoError", (list,), True, None), ("assertNoError", (fail,), False, "ERROR violation: err=no such thing"),
    ("assertErrorMsg", (fail, "no such thing"), True, None),
    ("assertErrorMsg", (fail, "such"), False, "ERROR violation: err=no such thing"),
    ("assertErrorPattern", (fail, "no .* thing$"), True, None),
    ("assertErrorPattern", (fail, "other"), False, "ERROR violation: err=no such thing"),
    ("assertErrorObj", (fail, lambda error: isinstance(error, ValueError)), True, None),
    ("assertErrorObj", (fail, lambda error: isinstance(error, KeyError)), False, "ERROR violation: err=no such thing"),
]  # fmt: skip


def outcome(tester, name, *args):
    """What an assertion gives in a test of a run, and whether the run passes."""
    found = []
    tester.add(lambda: found.append(getattr(tester, name)(*args)), "it")
    try:
        tester.run()
    except AssertionError:
        return found[0], False
    return found[0], True


@pytest.mark.parametrize(("name", "args", "holds", "says"), ASSERTIONS)
def test_assertions_hold_or_say_why_not(capsys, name, args, holds, says):
    tester = torch.Tester()
    assert outcome(tester, name, *args) == (holds, holds)
    assert tester.countasserts == 1 and len(tester.errors) == (not holds)
    if says is not None:
        assert tester.errors[0].startswith(f"it\n{says}\n") and __file__ in tester.errors[0]
    assert (
        f"Completed 1 assert in 1 test with {'0 failures' if holds else '1 failure'} and 0 errors"
        in capsys.readouterr().out
    )


@pytest.mark.parametrize(("name", "args", "error"), [
    ("eq", (1, 1, "a", "b"), TypeError), ("eq", (1, 1, -1), ValueError), ("eq", (1, 1, []), TypeError),
    ("assertTensorEq", ([1], A), TypeError), ("assertTableEq", (A, [1]), TypeError),
])  # fmt: skip
def test_assertions_refuse_what_they_cannot_compare(name, args, error):
    with pytest.raises(error):
        getattr(torch.Tester(), name)(*args)


@pytest.mark.parametrize(("name", "args", "says"), [
    ("assertTensorEq", (A, A.view(3, 1)), "Tensors have the same content but different dimensions"),
    ("assert_", (1,), ":assert should only be used for boolean conditions"),
    ("assertne", (A, B), ":assertne should only be used to compare"),
])  # fmt: skip
def test_what_holds_doubtfully_is_a_warning(capsys, name, args, says):
    tester = torch.Tester()
    assert outcome(tester, name, *args) == (True, True)
    printed = capsys.readouterr().out
    assert says in printed and "[+warning]" in printed and "and 0 errors and 1 warning\n" in printed


def documented_tests(tester):
    """Those of torch7/doc/tester.md."""
    suite = torch.TestSuite()
    suite.testA = lambda: tester.eq(A, B, "a and b should be equal")
    suite.testB = lambda: tester.eq([2, A], [2, A + 0.001], 0.01, "a and b should be approximately equal")
    suite.testC = lambda: tester.assertNoError(fail, "myfunc shouldn't give an error")
    return suite


def test_the_report_is_the_documentation_s(capsys):
    tester = torch.Tester()
    assert tester.add(documented_tests(tester)) is tester
    with pytest.raises(AssertionError, match="An error was found while running tests!"):
        tester.run()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Running 3 tests"
    dots = "." * 63
    assert lines[1:4] == [f"1/3 testA {dots} [FAIL]", f"2/3 testB {dots} [PASS]", f"3/3 testC {dots} [FAIL]"]
    assert {len(line) for line in lines[1:4]} == {80}
    assert lines[4:8] == [
        "Completed 3 asserts in 3 tests with 2 failures and 0 errors", "-" * 80, "testA", "a and b should be equal",
    ]  # fmt: skip
    assert lines[8] == "TensorEQ(==) violation: max diff=1, tolerance=0"
    assert lines.count("-" * 80) == 3


def test_runs_of_some_tests_disabled_ones_and_what_is_around_them(capsys):
    tester, ran = torch.Tester(), []
    suite = torch.TestSuite()
    for name in ("one", "two", "three"):
        suite[name] = lambda name=name: ran.append(name)
    suite._setUp = lambda name: ran.append(f"before {name}")
    suite._tearDown = lambda name: ran.append(f"after {name}")
    assert tester.add(suite).disable("two").run(["one", "t"]) == 0
    assert ran == [f"{when}{name}" for name in ("one", "three") for when in ("before ", "", "after ")]
    printed = capsys.readouterr().out
    assert "[SKIP]" in printed and "in 3 tests with 0 failures and 0 errors and 1 disabled" in printed
    for call in (lambda: tester.run("four"), lambda: tester.disable("four")):
        with pytest.raises(ValueError, match="four"):
            call()


def test_errors_end_a_test_and_with_early_abort_the_run(capsys):
    tester = torch.Tester()
    tester.add({"first": fail, "second": lambda: None})
    tester.setEarlyAbort(True)
    tester.setSummaryOnly(True)
    with pytest.raises(AssertionError):
        tester.run()
    printed = capsys.readouterr().out
    assert "[ERROR]" in printed and "Aborting on first error" in printed and "[PASS]" not in printed
    assert "1 error" in printed and "Traceback" not in printed and "Traceback" in "".join(tester.errors)
    tester.setRethrowErrors(True)
    with pytest.raises(ValueError, match="no such thing"):
        tester.run()


@pytest.mark.parametrize(("make", "error", "says"), [
    (lambda suite: suite.__setitem__("a", 3), TypeError, "Only functions are supported as members of a TestSuite"),
    (lambda suite: suite.__setitem__("a", {}), TypeError, "Nested tables of tests are not supported"),
    (lambda suite: (setattr(suite, "a", fail), setattr(suite, "a", fail)), ValueError, "Test a is already defined."),
    (lambda suite: torch.Tester().add(fail).add(fail), ValueError, "Test with name unknown already exists!"),
    (lambda suite: torch.Tester().add(suite, "name"), ValueError, "Name parameter is forbidden"),
    (lambda suite: torch.Tester().add(3), TypeError, "Only tables of functions and functions supported"),
    (lambda suite: torch.Tester().add({"a": {}}), TypeError, "Nested sets of tests are not supported"),
])  # fmt: skip
def test_what_is_no_test_is_refused(make, error, says):
    with pytest.raises(error) as raised:
        make(torch.TestSuite())
    assert says in str(raised.value)


def test_a_suite_takes_functions_by_their_names():
    suite = torch.TestSuite()

    @suite
    def it():
        return 3

    assert suite.it() == suite["it"]() == it() == 3 and not hasattr(suite, "other")
    assert np.all([name == "it" for name in suite])


# What values are ------------------------------------------------------------------------------------------------------

LINEAR, TENSOR = nn.Linear(2, 3), torch.DoubleTensor(2)


@pytest.mark.parametrize(("value", "name"), [
    (LINEAR, "nn.Linear"), (nn.MSECriterion(), "nn.MSECriterion"), (TENSOR, "torch.DoubleTensor"),
    (TENSOR.size(), "torch.LongStorage"), (None, "nil"), (True, "boolean"), (3, "number"), (0.5, "number"),
    ("a", "string"), ([1], "table"), ({}, "table"), (len, "function"),
])  # fmt: skip
def test_types_have_torchs_names_or_luas(value, name):
    assert torch.type(value) == name


@pytest.mark.parametrize(("value", "spec", "expected"), [
    (LINEAR, "nn.Linear", True), (LINEAR, "nn.Module", True), (LINEAR, nn.Linear, True), (LINEAR, nn.Module, True),
    (LINEAR, "nn.Line", False), (LINEAR, "^nn", True), (LINEAR, ".*Linear$", True), (LINEAR, "nn.Container", False),
    (nn.Sequential(), "nn.Container", True), (nn.MSECriterion(), "nn.Criterion", True), (LINEAR, nn.Criterion, False),
    (TENSOR, "torch.DoubleTensor", True), (TENSOR, "torch.*Tensor", True), (TENSOR, "nn.Module", False),
    (3, "number", False),
])  # fmt: skip
def test_values_are_of_classes_by_name_pattern_or_class(value, spec, expected):
    assert torch.isTypeOf(value, spec) is expected


def test_the_rest_of_what_torch_says_of_values():
    x = torch.Tensor([[1, 2], [3, 4]])
    assert torch.totable(x) == [[1, 2], [3, 4]] and torch.totable(x.storage()) == [1, 2, 3, 4]
    with pytest.raises(TypeError, match="torch.totable: expected a Storage or a Tensor, got a number"):
        torch.totable(3)
    assert torch.isStorage(x.storage()) and not torch.isStorage(x)
    assert torch.pointer(x.storage()) == torch.pointer(x[1].storage()) != torch.pointer(x.clone().storage())
    torch.setnumthreads(2)
    assert torch.getnumthreads() >= 1
