"""The benchmarks run, and all their ways compute the same."""

import json
import subprocess
import sys

import jax
import pytest

from benchmarks import inception, lenet, mlp, nce, rows, stateful, transfer
from benchmarks.measure import check_agreement


@pytest.mark.parametrize(
    "benchmark", [stateful, mlp, lenet, inception, transfer, rows, nce], ids=lambda module: module.__name__
)
def test_all_ways_agree(benchmark):
    with jax.numpy_rank_promotion("allow"):  # the programs written by hand are as one writes them
        ways = benchmark.ways()
        assert "functorch7 functional" in ways and any(way.startswith("JAX by hand") for way in ways)
        check_agreement(ways)


def test_the_command_line_prints_a_table_and_writes_timings(tmp_path):
    file = tmp_path / "timings.json"
    command = [sys.executable, "-m", "benchmarks", "stateful", "--rounds", "1", "--json", str(file)]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "functorch7 legacy" in printed and "of the fastest" in printed
    assert json.loads(file.read_text())["stateful"]["functorch7 legacy"]["best"] > 0


def test_an_unknown_benchmark_is_named():
    result = subprocess.run([sys.executable, "-m", "benchmarks", "speed"], capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert "no benchmark speed; there are stateful, mlp, lenet, inception, transfer, rows, nce" in result.stderr
