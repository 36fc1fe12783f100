"""What programs print, and how they end, as with real Torch7, LuaJIT and trepl."""

import builtins
import contextlib
import io
import re
from pathlib import Path

import pytest

from functorch7 import lua as lua_package
from functorch7.lua import LuaError, Runtime, torch_default

PROGRAMS = re.findall(
    r"^--- ([^\n]+)\n(.*?)^-->\n(.*?)(?=^--- |\Z)",
    (Path(__file__).parent / "printed.lua").read_text(),
    re.MULTILINE | re.DOTALL,
)


@pytest.fixture(scope="module")
def doubles():
    with torch_default():
        runtime = Runtime()
        runtime.execute("require 'nn' require 'optim'")
        yield runtime
        runtime.close()


@pytest.mark.parametrize("name, program, expected", PROGRAMS, ids=[name for name, *_ in PROGRAMS])
def test_programs_print_what_torch_prints(doubles, name, program, expected):
    written = io.StringIO()
    with contextlib.redirect_stdout(written):
        doubles.execute(program)
    assert written.getvalue().replace("\t\n", "\n").strip() == expected.strip()  # tabs: see the next test


def test_bytes_that_are_no_text_are_printed_as_they_are_and_logged(doubles, tmp_path):
    log = tmp_path / "log.txt"
    with io.TextIOWrapper(io.BytesIO(), encoding="utf-8") as stream, contextlib.redirect_stdout(stream):
        doubles.execute("print() print('a\\200', torch.ones(1), 2) io.write('b\\255\\n')")
        before = builtins.print
        try:
            doubles.execute(f"torch.CmdLine():log('{log}', {{}}) print('c\\200', 3)")
        finally:
            builtins.print = before
        stream.flush()
        shown = stream.buffer.getvalue()
    assert shown.startswith(b"a\xc8\t 1\n[torch.DoubleTensor of size 1]\n\n2\t\nb\xff\n")
    assert shown.endswith(b"\nc\xc8\t3\t\n") and log.read_bytes().endswith(b"c\xc8 3 \n")


@pytest.mark.parametrize(
    "program",
    [
        "pcall(os.exit, 3)",
        "xpcall(function() os.exit(3) end, function() handled = true end)",
        "coroutine.resume(coroutine.create(function() os.exit(3) end))",
        "pcall(coroutine.wrap(function() os.exit(3) end))",
        "pcall(function() torch.ones(2):apply(function() pcall(os.exit, 3) end) end)",
    ],
)
def test_nothing_that_catches_errors_keeps_a_program_from_ending(doubles, program):
    with pytest.raises(SystemExit) as ended:
        doubles.execute(f"handled, gone_on = nil, nil {program} gone_on = true")
    assert ended.value.code == 3
    assert doubles.execute("return handled, gone_on, pcall(error, 'x')") == (None, None, False, "x")


@pytest.mark.parametrize(
    "call, said",
    [
        ("torch.save()", "save: expected (filename, [object], [mode], [referenced]), got ()"),
        ("torch.MemoryFile():seek('a')", "torch.MemoryFile.seek: expected (position), got ('a')"),
        ("torch.CmdLine():parse(5)", "torch.CmdLine.parse: expected ([arg]), got (5)"),
        ("torch.ones(1)(2)", "attempt to call a torch.DoubleTensor"),
        ("return torch.LongStorage {1} + nil", "attempt to calculate with torch.LongStorage and nil"),
        ("torch.ones(1).name = 5", "a torch.DoubleTensor holds only numbers, at indices; it has no field name"),
        ("torch.class(5)", "torch.class: expected a name, the class above and a package, got a number"),
    ],
)
def test_errors_name_the_call_and_what_it_was_given(doubles, call, said):
    with pytest.raises(LuaError, match=re.escape(said)):
        doubles.execute(call)


def test_option_parsers_read_the_program_s_own_words(tmp_path, capsys):
    """They have no other table of words, as xlua's reads the global `arg`."""
    path = tmp_path / "options.lua"
    path.write_text(
        "require 'xlua' local parser = xlua.OptionParser('%prog [options]')\n"
        "parser:option {'-s', '--size', dest = 'size', default = 3, help = 'size'}\n"
        "local options, rest = parser:parse() parser:help() return options.size, rest[1], #rest"
    )
    assert lua_package.run(path, ["-s", "5", "file"]) == ("5", "file", 1)
    assert capsys.readouterr().out.startswith(f"Usage: {path} [options]")
