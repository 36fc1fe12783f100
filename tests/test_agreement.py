"""What is compiled computes what its operations compute one by one, under the flags of users."""

import json
import os
import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import default_flags
import jax
import numpy as np
import pytest

from benchmarks.agreement import __main__ as agreement
from benchmarks.agreement.cells import CELLS, STATES, cells
from benchmarks.agreement.comparing import TOLERANCES, TYPES, arrays, disagreement, furthest, single_operations, ways
from benchmarks.agreement.drawing import draw
from benchmarks.agreement.pieces import PIECES
from benchmarks.agreement.program import loaded, program
from benchmarks.agreement.shrinking import shrunk, smaller_ones

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def under_default_flags(tmp_path_factory):
    """(what was found of drawn networks, what recorded ones gave) in a process with JAX's default flags."""
    environment = {name: value for name, value in os.environ.items() if name != "XLA_FLAGS"}
    environment |= {"PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}", "JAX_PLATFORMS": "cpu"}
    results = tmp_path_factory.mktemp("default_flags") / "recorded"
    command = [sys.executable, "tests/default_flags.py", str(results)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()], pickle.loads(results.read_bytes())


@pytest.mark.slow
def test_drawn_networks_agree_under_the_default_flags(under_default_flags):
    found, _ = under_default_flags
    assert len(found) == default_flags.NETWORKS
    assert not [each for each in found if each["excess"] > 1]


@pytest.mark.slow
def test_recorded_networks_at_real_sizes_compute_the_same_under_the_default_flags(under_default_flags):
    """The tests' own flags leave out the passes in which XLA's faults were."""
    _, optimised = under_default_flags
    found = [furthest(name, optimised[name], mine, TOLERANCES["float32"]) for name, mine in default_flags.recorded()]
    assert len(found) == len(optimised) == 14
    assert not [str(each) for each in found if each.excess > 1]


def test_every_kind_of_piece_is_drawn():
    drawn = [draw(0, number) for number in range(2000)]
    assert {name for case in drawn for name, _ in case.layers} == {n for kind in PIECES.values() for n in kind} | {
        *CELLS
    }
    assert {case.kind for case in drawn} == {*PIECES, "memory"} and all(case.fits for case in drawn)
    assert {case.interface for case in drawn} == {"legacy", "functional"}
    assert {case.dtype for case in drawn} == {"float32", "float64", "bfloat16"}
    assert drawn[:3] == [draw(0, number) for number in range(3)]


SMALL = {"features": 3, "length": 2, "batch": 2, "outputs": 2, "dtype": "float32"}


def small(interface, flat):
    """A case that takes little to compile."""
    return replace(draw(0, 0), **SMALL, kind="pair", layers=(("sum", 2),), interface=interface, flat=flat)


@pytest.mark.parametrize("interface, flat", [("legacy", True), ("legacy", False), ("functional", True)])
def test_a_program_says_whether_it_agrees(interface, flat, capsys):
    text = program(small(interface, flat))
    with pytest.raises(SystemExit) as ended:
        exec(compile(text, "program", "exec"), {"__name__": "__main__"})
    assert not ended.value.code and "times the tolerance" in capsys.readouterr().out


def test_all_interfaces_compute_the_same():
    found = [arrays(loaded(program(small(*way)))("float64")) for way in (("legacy", True), ("functional", False))]
    for name in ("['output']", "['loss']"):
        np.testing.assert_allclose(found[0][name], found[1][name], rtol=1e-9)
    gradients = [[a for name, a in each.items() if name.startswith("['gradient']")] for each in found]
    for one, other in zip(*(sorted(each, key=lambda a: abs(a).sum()) for each in gradients), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9)


def wrong_when(fault):
    """A program that gives other numbers when `fault(dtype)`."""
    return lambda dtype: {"a": np.ones(3), "b": np.full(2, 2.0 if fault(dtype) else 1.0)}


def test_what_is_wrong_only_when_compiled_is_found():
    found = disagreement(wrong_when(lambda _: not jax.config.jax_disable_jit), "float32", ways("float32", False))
    assert found.excess > 1 and found.array == "['b']" and found.ways == "compiled and by single operations"


def test_what_is_wrong_only_in_float32_is_found():
    run = wrong_when(lambda dtype: dtype == "float32")
    found = disagreement(run, "float32", ways("float32", False))
    assert found.excess > 1 and found.array == "['b']" and found.ways == "float32 and float64"
    assert disagreement(run, "float32", ways("float32", True)).excess == 0  # drawn numbers differ


def test_differences_are_held_against_the_greatest_number_of_their_array():
    one, other = {"a": np.array([100.0, 1]), "b": np.zeros(2)}, {"a": np.array([100.0, 2]), "b": np.zeros(2)}
    assert furthest("", one, other, 1e-2)[1:] == ("a", 1.0)
    assert furthest("", {"a": np.array([np.nan])}, {"a": np.ones(1)}, 1)[1:] == ("a", np.inf)


def test_single_operations_leave_the_settings_as_they_were():
    with single_operations():
        assert jax.config.jax_disable_jit
    assert not jax.config.jax_disable_jit and not jax.config.read("jax_disable_most_optimizations")


def test_shrinking_ends_where_nothing_smaller_disagrees():
    """A fault of wide sums at large batches is led back to one sum, one feature before it, and the least sizes."""

    def disagrees(case):
        return case.batch >= 10 and any(name == "sum" and width >= 100 for name, width in case.layers)

    case = next(case for case in (draw(1, n) for n in range(500)) if len(case.layers) > 3 and disagrees(case))
    found = shrunk(case, disagrees, 60)
    assert disagrees(found) and not any(disagrees(each) for each in smaller_ones(found) if each.fits)
    assert sum(name == "sum" for name, _ in found.layers) == 1 and found.outputs == found.features == 1


def test_a_disagreement_is_printed_as_the_smallest_program(monkeypatch, capsys):
    wrong = agreement.Disagreement("compiled and by single operations", "a", 2.0)
    right = wrong._replace(excess=0.5)
    monkeypatch.setattr(agreement, "checked", lambda case, against=None: wrong if case.flat else right)
    assert not agreement.check(0, 1, 50)
    printed = capsys.readouterr().out
    first = next(n for n in range(50) if draw(0, n).flat)
    assert f"network {first + 1} of seed 0 disagrees" in printed and 'if __name__ == "__main__":' in printed
    monkeypatch.setattr(agreement, "checked", lambda case, against=None: right)
    assert agreement.check(0, 1, 5) and capsys.readouterr().out.startswith("5 networks agree, seed 0")


@pytest.mark.parametrize("name", CELLS)
def test_cells_take_and_give_what_they_say(name):
    network = cells(3, [(name, 4), (name, 2)]).type(TYPES["float64"])
    states = [np.ones((5, width)) for width in (4, 2) for _ in range(STATES[name])]
    assert network.forward([np.ones((5, 3)), *states]).shape == (5, 2)


def test_an_lstm_cell_computes_its_formula():
    numbers = np.random.default_rng(0)
    x, c, h = (numbers.normal(size=(5, width)) for width in (3, 4, 4))
    for name in ("lstm", "narrow_lstm"):
        network = cells(3, [(name, 4)]).double()
        w, b, u, d = (np.asarray(each) for each in network.parameters()[0])
        i, f, o, g = np.split(x @ w.T + b + h @ u.T + d, 4, 1)
        sigmoid = lambda v: 1 / (1 + np.exp(-v))  # noqa: E731
        expected = sigmoid(o) * np.tanh(sigmoid(f) * c + sigmoid(i) * np.tanh(g))
        np.testing.assert_allclose(np.asarray(network.forward([x, c, h])), expected, rtol=1e-9)
