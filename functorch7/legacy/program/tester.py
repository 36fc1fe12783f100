"""Torch's Tester: runs named tests, counts their assertions, and reports as Torch does."""

from __future__ import annotations

import re
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from typing import Any

from ...checks.tables import entries_from_1
from ...core.user_line import user_line
from ..tensors.lua_values import kind, text
from ..tensors.named import Named
from ..tensors.tensor import Tensor
from .equality import Found, equal, tensors
from .report import Report


class _Tests(MutableMapping):
    """Functions by their names, which are also attributes."""

    def __init__(self, tests: dict[str, Callable]):
        vars(self)["_tests"] = tests

    def __getitem__(self, name: str) -> Callable:
        return vars(self)["_tests"][name]

    def __setitem__(self, name: str, value: Callable) -> None:
        vars(self)["_tests"][name] = value

    def __delitem__(self, name: str) -> None:
        del vars(self)["_tests"][name]

    def __iter__(self) -> Iterator[str]:
        return iter(vars(self)["_tests"])

    def __len__(self) -> int:
        return len(vars(self)["_tests"])

    def __getattr__(self, name: str) -> Callable:
        if name not in vars(self).get("_tests", ()):
            raise AttributeError(f"no test {name!r}")
        return self[name]

    def __setattr__(self, name: str, value: Callable) -> None:
        self[name] = value


class TestSuite(_Tests):
    """Tests by their names: `suite.name = function`, or `@suite` before a function.

    Torch's field `__tests` is the table behind it, in which programs put others in the tests' places.
    Raises ValueError for a taken name, TypeError for anything but a function.
    Source: torch7/doc/tester.md; torch7/TestSuite.lua.
    """

    __test__ = False  # not a test for pytest

    def __init__(self) -> None:
        super().__init__({})
        vars(self)["__tests"] = _Tests(vars(self)["_tests"])

    def __setitem__(self, name: str, value: Callable) -> None:
        if name in self:
            raise ValueError(f"Test {name} is already defined.")
        if isinstance(value, dict):
            raise TypeError("Nested tables of tests are not supported")
        if not callable(value):
            raise TypeError("Only functions are supported as members of a TestSuite")
        super().__setitem__(name, value)

    def __call__(self, function: Callable) -> Callable:
        """Adds a function under its own name."""
        self[function.__name__] = function
        return function


class Tester(Named):
    """Runs tests, which call its assertions; each returns whether it holds, and the test goes on if it does not.

    Where both a message and a tolerance (0 by default) are taken, either may come first. `assert` is a word of
    Python's, hence `assert_`. Patterns are Python's regular expressions, errors are exceptions.
    Source: torch7/doc/tester.md; torch7/Tester.lua.
    """

    _boolean = "x is not None"
    """A condition that is a boolean, in the program's language."""

    def __init__(self) -> None:
        self.tests: dict[str, Callable] = {}
        self.disabledTests: set[str] = set()
        self.errors: list[str] = []
        self.warnings: list[str] = []
        self._assertTensorEqIgnoresDims = True  # programs' own testers change it
        self.earlyAbort = self.rethrow = self.summaryOnly = False
        self.assertionPass: Counter = Counter()
        self.assertionFail: Counter = Counter()
        self.testError: Counter = Counter()
        self.warningCount: Counter = Counter()
        self._around: dict[str, Callable] = {}
        self._current = ""

    def setEarlyAbort(self, earlyAbort: bool) -> None:
        """Whether a run ends at the first test that fails."""
        self.earlyAbort = earlyAbort

    def setRethrowErrors(self, rethrow: bool) -> None:
        """Whether the first failure or error ends the run as an exception, for a debugger."""
        self.rethrow = rethrow

    def setSummaryOnly(self, summaryOnly: bool) -> None:
        """Whether the report leaves out the failures."""
        self.summaryOnly = summaryOnly

    # Tests ----------------------------------------------------------------------------------------------------------

    def add(self, f: Callable | dict[str, Callable], name: str | None = None) -> Tester:
        """Adds a function, or all of a TestSuite or dict of functions, by their names.

        `_setUp` and `_tearDown` are called with a test's name before and after it.
        Raises: ValueError for a taken name, TypeError for anything but a function.
        """
        if isinstance(f, (dict, TestSuite)):
            if name is not None:
                raise ValueError("Name parameter is forbidden for a table of tests, since its use is ambiguous")
            if not isinstance(f, TestSuite):
                self._warning("Should use TestSuite rather than plain table")
            for key, function in f.items():
                if isinstance(function, dict):
                    raise TypeError("Nested sets of tests are not supported")
                self.add(function, key)
            return self
        if not callable(f):
            raise TypeError("Only tables of functions and functions supported")
        name = "unknown" if name is None else name
        tests = self._around if name in ("_setUp", "_tearDown") else self.tests
        if name in tests:
            raise ValueError(f"Test with name {name} already exists!")
        tests[name] = f
        return self

    def disable(self, testNames: str | Sequence[str]) -> Tester:
        """Leaves tests out of runs; the report says so. Raises ValueError for an unknown name."""
        for name in [testNames] if isinstance(testNames, str) else testNames:
            if name not in self.tests:
                raise ValueError(f"Unrecognized test '{name}'")
            self.disabledTests.add(name)
        return self

    def run(self, testNames: str | Sequence[str] | Mapping[int, str] | None = None) -> int:
        """Runs all tests, or those whose names match a pattern or one of several; 0 if all pass.

        A table is read from 1 on, like Lua's `arg`, which has the program at 0; names alone in it select nothing.

        Raises: AssertionError after the report if any fails; ValueError for a pattern without a match.
        """
        self._run(self._getTests(testNames))
        if any(self.assertionFail.values()) or any(self.testError.values()):
            raise AssertionError("An error was found while running tests!")
        return 0

    # Under Torch's names, as programs' own testers replace them.

    def _run(self, tests: Mapping[str, Callable]) -> None:
        names = list(tests)
        for counter in (self.assertionPass, self.assertionFail, self.testError):
            counter.clear()
        self.warningCount = Counter({"": self.warningCount[""]})
        report = Report(names)
        for number, name in enumerate(names, 1):
            report.begin(number, name)
            report.end(outcome := self._outcome(name), self.warningCount[name])
            if self.earlyAbort and outcome in ("ERROR", "FAIL") and number < len(names):
                print("Aborting on first error, not all tests have been executed")
                break
        self._current = ""
        self._summarize(report, names)

    def _getTests(self, patterns: str | Sequence[str] | Mapping[int, str] | None) -> dict[str, Callable]:
        if patterns is None:
            return dict(self.tests)
        if isinstance(patterns, Mapping):
            patterns = entries_from_1(patterns)
        found: dict[str, Callable] = {}
        for pattern in [patterns] if isinstance(patterns, str) else patterns:
            matching = {name: test for name, test in self.tests.items() if self._is_found(pattern, name)}
            if not matching:
                raise ValueError(f"Couldn't find test '{pattern}'")
            found |= matching
        return found

    def _outcome(self, name: str) -> str:
        if name in self.disabledTests:
            return "SKIP"
        self._current, errors = name, len(self.errors)
        self._call("_setUp", name)
        try:
            self.tests[name]()
        except Exception as error:
            if self.rethrow:
                raise
            self.testError[name] += 1
            self.errors.append(f"{name}\n Function call failed\n{self._traced(error)}")
        self._call("_tearDown", name)
        return "ERROR" if self.testError[name] else "PASS" if len(self.errors) == errors else "FAIL"

    def _call(self, which: str, name: str) -> None:
        if which in self._around:
            self._around[which](name)

    def _summarize(self, report: Report, names: list[str]) -> None:
        self.countasserts = sum(self.assertionPass.values()) + sum(self.assertionFail.values())
        report.summary(
            asserts=self.countasserts,
            failures=sum(map(bool, self.assertionFail.values())),
            errors=sum(map(bool, self.testError.values())),
            warnings=sum(self.warningCount[name] > 0 for name in names) + self.warningCount[""],
            disabled=sum(name in self.disabledTests for name in names),
        )
        if not self.summaryOnly:
            report.sections([*self.errors, *self.warnings])

    # The assertions' parts, under Torch's names, too: assertions return what a program's replacements return.

    def _assert_sub(self, holds: bool, message: str) -> Any:
        return self._success() if holds else self._failure(message)

    def _success(self) -> Any:
        self.assertionPass[self._current] += 1
        return True

    def _failure(self, message: str) -> Any:
        if self.rethrow:
            raise AssertionError(message)
        self.assertionFail[self._current] += 1
        self.errors.append(self._addDebugInfo(message))
        return False

    def _warning(self, message: str) -> None:
        self.warningCount[self._current] += 1
        self.warnings.append(self._addDebugInfo(message))

    def _addDebugInfo(self, message: str) -> str:
        """A message with its test and line."""
        path, number = user_line()
        return "\n".join([*filter(None, [self._current]), message, "stack traceback:", f"\t{path}:{number}:"])

    def _traced(self, error: Exception) -> str:
        """An error with its traceback."""
        return "".join(traceback.format_exception(error))

    def _is_found(self, pattern: str, text: str) -> bool:
        """Whether a text contains a pattern."""
        return re.search(pattern, text) is not None

    def _tensors_compared(self, one: Any, other: Any, tolerance_and_message: tuple) -> tuple[Found, str]:
        tolerance, message = _taken(tolerance_and_message)
        return tensors(*_both("Tensor", one, other), tolerance, self._assertTensorEqIgnoresDims), message

    def _compared(self, found: Found, negate: bool, message: str) -> bool:
        same, said = found
        return self._assert_sub(same != negate, message + said)

    # Assertions -----------------------------------------------------------------------------------------------------

    def assert_(self, condition: object, message: str = "") -> bool:
        """The condition holds."""
        if not isinstance(condition, bool):
            said = f":assert should only be used for boolean conditions: say what is meant, as in `{self._boolean}`"
            self._warning(f" {said}")
        holds = condition is not None and condition is not False  # values other than booleans are true in Lua
        return self._assert_sub(holds, f"{_line(message)}BOOL violation condition={text(condition)}")

    def eq(self, got: object, expected: object, *tolerance_and_message: float | str | None) -> bool:
        """Values are of one type and equal: tables entry by entry, numbers, tensors and storages within the tolerance.

        Raises: TypeError for anything but a tolerance and a message, as all assertions that take these do.
        """
        tolerance, message = _taken(tolerance_and_message)
        return self._compared(equal(got, expected, tolerance), False, message)

    def ne(self, got: object, unexpected: object, *tolerance_and_message: float | str | None) -> bool:
        """Values are not equal, as `eq` compares them."""
        tolerance, message = _taken(tolerance_and_message)
        return self._compared(equal(got, unexpected, tolerance), True, message)

    assertGeneralEq, assertGeneralNe = eq, ne

    def assertTensorEq(self, ta: Tensor, tb: Tensor, *tolerance_and_message: float | str | None) -> bool:
        """Tensors of one type have equal elements; other sizes only warn. Raises TypeError for other values."""
        found, message = self._tensors_compared(ta, tb, tolerance_and_message)
        if found[0] and ta.shape != tb.shape:
            self._warning("Tensors have the same content but different dimensions; `eq` would not call them equal.")
        return self._compared(found, False, message)

    def assertTensorNe(self, ta: Tensor, tb: Tensor, *tolerance_and_message: float | str | None) -> bool:
        """Tensors differ, as assertTensorEq compares them. Raises TypeError for other values."""
        found, message = self._tensors_compared(ta, tb, tolerance_and_message)
        return self._compared(found, True, message)

    def assertTableEq(self, ta: object, tb: object, *tolerance_and_message: float | str | None) -> bool:
        """Tables are equal, as `eq` compares them. Raises TypeError for other values."""
        return self.eq(*_both("Table", ta, tb), *tolerance_and_message)

    def assertTableNe(self, ta: object, tb: object, *tolerance_and_message: float | str | None) -> bool:
        """Tables differ, as `eq` compares them. Raises TypeError for other values."""
        return self.ne(*_both("Table", ta, tb), *tolerance_and_message)

    def assertlt(self, a: float, b: float, message: str = "") -> bool:
        """a < b."""
        return self._assert_sub(a < b, f"{_line(message)}LT failed: {text(a)} >= {text(b)}")

    def assertgt(self, a: float, b: float, message: str = "") -> bool:
        """a > b."""
        return self._assert_sub(a > b, f"{_line(message)}GT failed: {text(a)} <= {text(b)}")

    def assertle(self, a: float, b: float, message: str = "") -> bool:
        """a <= b."""
        return self._assert_sub(a <= b, f"{_line(message)}LE failed: {text(a)} > {text(b)}")

    def assertge(self, a: float, b: float, message: str = "") -> bool:
        """a >= b."""
        return self._assert_sub(a >= b, f"{_line(message)}GE failed: {text(a)} < {text(b)}")

    def _same(self, a: Any, b: Any) -> bool:
        """a == b, as Lua compares."""
        return a is b or (kind(a) not in ("table", "userdata") and kind(a) == kind(b) and bool(a == b))

    def asserteq(self, a: object, b: object, message: str = "") -> bool:
        """a == b, as Lua compares: tables and tensors are equal only to themselves."""
        return self._assert_sub(self._same(a, b), f"{_line(message)}EQ failed: {text(a)} ~= {text(b)}")

    def assertne(self, a: object, b: object, message: str = "") -> bool:
        """Not a == b, as Lua compares, with a warning for tables and tensors."""
        if kind(a) == kind(b) and kind(a) in ("table", "userdata"):
            self._warning(" :assertne should only be used to compare numbers, strings and booleans; `ne` looks inside.")
        return self._assert_sub(not self._same(a, b), f"{_line(message)}NE failed: {text(a)} == {text(b)}")

    def assertalmosteq(self, a: float, b: float, *tolerance_and_message: float | str | None) -> bool:
        """|a - b| is at most the tolerance, by default 1e-16."""
        tolerance, message = _taken(tolerance_and_message, 1e-16)
        said = f"{message}ALMOST_EQ failed: {text(a)} ~= {text(b)} with tolerance={text(tolerance)}"
        return self._assert_sub(abs(a - b) <= tolerance, said)

    def assertError(self, f: Callable[[], object], message: str = "") -> bool:
        """Calling f raises an exception."""
        return self.assertErrorObj(f, lambda error: True, message)

    def assertNoError(self, f: Callable[[], object], message: str = "") -> bool:
        """Calling f raises no exception."""
        error = _raised(f)
        return self._assert_sub(error is None, f"{_line(message)}ERROR violation: err={error}")

    def assertErrorMsg(self, f: Callable[[], object], errmsg: str, message: str = "") -> bool:
        """Calling f raises an exception with this message."""
        return self.assertErrorObj(f, lambda error: str(error) == errmsg, message)

    def assertErrorPattern(self, f: Callable[[], object], errPattern: str, message: str = "") -> bool:
        """Calling f raises an exception; its message contains a regular expression."""
        return self.assertErrorObj(f, lambda error: self._is_found(errPattern, str(error)), message)

    def assertErrorObj(self, f: Callable[[], object], errcomp: Callable[[Exception], bool], message: str = "") -> bool:
        """Calling f raises an exception for which `errcomp` is true."""
        error = _raised(f)
        holds = error is not None and bool(errcomp(error))
        return self._assert_sub(holds, f"{_line(message)}ERROR violation: err={text(error)}")


setattr(Tester, "assert", Tester.assert_)  # for tables of names: getattr(tester, "assert")


def _line(message: str) -> str:
    return f"{message}\n" if message else ""


def _taken(given: tuple, tolerance: float = 0) -> tuple[float, str]:
    """(tolerance, message), given in either order."""
    names = sorted(map(kind, given))
    if names not in ([], ["number"], ["string"], ["number", "string"]):
        raise TypeError(f"expected a tolerance and a message, got {given}")
    values = {kind(value): value for value in given}
    if values.get("number", 0) < 0:
        raise ValueError("tolerance cannot be negative")
    return values.get("number", tolerance), _line(values.get("string", ""))


def _both(what: str, first: Any, second: Any) -> tuple[Any, Any]:
    for value, which in ((first, "First"), (second, "Second")):
        if not (isinstance(value, Tensor) if what == "Tensor" else kind(value) == "table"):
            raise TypeError(f"{which} argument should be a {what}, got {kind(value)}")
    return first, second


def _raised(function: Callable[[], Any]) -> Exception | None:
    try:
        function()
    except Exception as error:
        return error
    return None
