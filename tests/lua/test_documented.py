"""What torch7's documentation prints, at the prompt: documented/*.lua, one file for each of its chapters.

A line of code is followed by `-->` and what the chapter says that it prints, white space aside. Numbers that the
chapter drew at random are written out as it shows them; "of dimension" is written "of size", as torch7 prints it, and
tables within tables as the present trepl prints them. CmdLine's lines are sorted, as Lua's tables have no order, and
tests are in that of the program. What the chapters say of values in comments is printed.

Left out are numbers drawn without a seed (bins of 10000 draws, draws by the alias method, the zeros of x * inverse(x)
with the signs of their rounding), addresses (the methods of CharStorage's metatable), seconds, and known errors of the
chapters: bhistc(y, 5) (see test_torch_documentation.py), "2x4" of a tensor of 2x2 and `sumall`, which torch7 has not
(both are written right), potrf's factors, which are of another matrix (their product is the one there to 1e-4, and that
has others), and potrs's solutions, which are none: their product with the matrix misses B by up to 160.
"""

import contextlib
import io
import re
from pathlib import Path

import pytest

from functorch7.lua import Runtime, torch_default

CHAPTERS = Path(__file__).parent / "documented"
ROUNDING = 1e-11
OF_A_RUN = re.compile(r"(?<=\[program started on )[^]]*|stack traceback:.*?(?=---)", re.DOTALL)
"""What is printed otherwise each time, or elsewhere: dates, lines of a traceback."""


def steps(text):
    """(code, what it prints or None) of a chapter."""
    code, printed = [], []
    for line in [*text.splitlines(), "--"]:
        before, arrow, after = line.partition("--> ")
        if code and printed and before:
            yield "\n".join(code), " ".join(printed)
            code, printed = [], []
        if not line.startswith("--"):
            code.append(before.rstrip())
        if arrow:
            printed.append(after)
    assert not code or not printed


def alike(found, expected):
    """Whether two words are the same: numbers may differ by one in the last place, residuals by rounding."""
    if found == expected:
        return True
    try:
        a, b = float(found), float(expected)
    except ValueError:
        return False
    if max(abs(a), abs(b)) < ROUNDING:
        return True
    places = [len(word.partition(".")[2]) for word in (found, expected)]
    return places[0] == places[1] and "e" not in found + expected and abs(a - b) < 1.5 * 10 ** -places[0]


def ran(runtime, code):
    """What the prompt prints for some lines, of which the last may be an expression."""
    written = io.StringIO()
    with contextlib.redirect_stdout(written):
        answers, pending = [], []
        for line in code.splitlines():
            pending.append(line)
            if not runtime.is_unfinished("\n".join(pending)):
                answers, pending = runtime.answers("\n".join(pending)), []
    assert not pending
    return OF_A_RUN.sub("", written.getvalue() + "\n".join(answers)).split()


@pytest.mark.parametrize("chapter", sorted(path.stem for path in CHAPTERS.glob("*.lua")))
def test_documented_results(chapter, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("builtins.print", print)  # in whose place CmdLine puts its own
    differences = []
    with torch_default():
        runtime = Runtime()
        for code, expected in steps((CHAPTERS / f"{chapter}.lua").read_text()):
            found = ran(runtime, code)
            words = OF_A_RUN.sub("", expected).split()
            if len(found) != len(words) or not all(map(alike, found, words)):
                differences.append((code, " ".join(found), expected))
        runtime.close()
    assert not differences
