"""`functorch7 doctor`: what it finds, what it advises, and its exit codes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import jax
import numpy as np
import pytest
from click.testing import CliRunner

from functorch7_cli import doctor, faults, gradients, main
from functorch7_cli.faults import FAULTS

ROOT = Path(__file__).parents[2]


def diagnosed(*arguments, code=0):
    result = CliRunner().invoke(main, ["doctor", *arguments])
    assert result.exit_code == code, result.output
    return result.stdout


@pytest.fixture
def starting(monkeypatch):
    """Without the process that asks whether JAX starts."""
    monkeypatch.setattr(doctor, "refusal", lambda: None)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_without_compiling_the_program_of_each_fault_is_right(fault):
    with jax.disable_jit():
        assert fault.present == fault.in_tracing


def test_what_is_right_is_told_from_what_is_wrong():
    right = FAULTS[0]._replace(program=FAULTS[0].right)
    assert not right.present and right._replace(program=lambda: np.zeros(3 * (faults.GAP + 64))).present


def test_a_healthy_installation(starting):
    found = json.loads(diagnosed("--json"))
    assert found["problems"] == [] and len(found["gradients"]) == 2 * len(jax.devices())
    assert found["versions"]["jax"] == jax.__version__ and found["versions"]["python"] == sys.version.split()[0]
    assert [fault["name"] for fault in found["faults"]] == [fault.name for fault in FAULTS]
    notes = " ".join(note["what"] for note in found["notes"])
    assert all(fault["present"] == (fault["name"] in notes) for fault in found["faults"])


def test_a_known_fault_is_a_note_with_advice(starting, monkeypatch):
    wrong = FAULTS[0]._replace(program=lambda: np.zeros(3 * (faults.GAP + 64)))
    monkeypatch.setattr(faults, "FAULTS", (wrong,))
    monkeypatch.setattr(gradients, "checks", lambda device: [])
    printed = diagnosed()
    assert f"note: {wrong.name}" in printed and wrong.advice in printed and "functorch7 is well here" in printed


def test_wrong_gradients_are_a_problem_with_advice(starting, monkeypatch):
    monkeypatch.setattr(faults, "FAULTS", ())
    monkeypatch.setattr(gradients, "by_torch", lambda: [np.full(3, float(jax.config.jax_disable_jit) + 1)])
    monkeypatch.setattr(gradients, "by_functions", lambda: [np.ones(3)])
    printed = diagnosed(code=1)
    assert "by getParameters: wrong, off by 0.5" in printed and "by jit and grad: right" in printed
    assert gradients.ADVICE in printed and printed.endswith("functorch7 is not well here\n")


def test_gradients_that_are_no_numbers_are_wrong(monkeypatch):
    monkeypatch.setattr(gradients, "by_torch", lambda: [np.ones(2), np.array([1.0, np.nan])])
    monkeypatch.setattr(gradients, "by_functions", lambda: [np.array([1.0, np.nan]), np.ones(2)])
    assert [each["right"] for each in gradients.checks(jax.devices("cpu")[0])] == [False, False]


def test_the_checked_gradients_are_those_of_the_formula():
    """Of |W3 t + b3|^2 / 2 with t = tanh(W1 x1 + b1 + W2 x2 + b2), by NumPy, through both interfaces."""
    network, (first, second) = gradients.network_and_input()
    w1, b1, w2, b2, w3, b3 = (np.asarray(each, np.float64) for each in network.parameters()[0])
    t = np.tanh(first @ w1.T + b1 + second @ w2.T + b2)
    y = t @ w3.T + b3
    back = (y @ w3) * (1 - t * t)
    expected = [back.T @ first, back.sum(0), back.T @ second, back.sum(0), y.T @ t, y.sum(0)]
    for found in (gradients.by_torch(), gradients.by_functions()):  # biases stand before or after weights
        for one, other in zip(sorted(found, key=np.ndim), sorted(expected, key=np.ndim), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-2)


def test_flags_that_xla_does_not_know_are_named():
    environment = os.environ | {"XLA_FLAGS": "--xla_no_such_flag=1", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "functorch7", "doctor"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=ROOT)
    assert done.returncode == 1 and "--xla_no_such_flag" in done.stdout and "Unset XLA_FLAGS" in done.stdout


def test_without_a_kernel_that_has_huge_pages_this_is_said(monkeypatch, tmp_path):
    monkeypatch.setattr(doctor, "HUGE_PAGES", tmp_path / "none")
    monkeypatch.setenv("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1")
    assert doctor.memory() == {"allowed": "unknown", "asked": True, "missing": False}
