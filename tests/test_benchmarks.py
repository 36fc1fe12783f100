"""The benchmarks run, and all their ways compute the same."""

import json
import subprocess
import sys

import jax
import numpy as np
import pytest

import functorch7 as f7
from benchmarks import (
    accelerator,
    changing,
    gpu,
    inception,
    lenet,
    loading,
    mlp,
    nce,
    rows,
    soak,
    stateful,
    tensors,
    transfer,
)
from benchmarks.__main__ import main
from benchmarks.language import Model
from benchmarks.lua_loops import Adversaries, Loop, char_rnn, resnet
from benchmarks.measure import check_agreement
from benchmarks.padding import Padding, padded
from benchmarks.recurrent import Layer
from benchmarks.steps import stepwise
from benchmarks.user_modules import CharRNNs, Styles
from functorch7.legacy import nn

pytestmark = pytest.mark.slow
BENCHMARKS = {module.__name__: module for module in (stateful, mlp, lenet, inception, transfer, rows, nce)} | {
    "language": Model(4, 3, 5, 20), "lstm": Layer("LSTM", (5, 3, 4)), "gru": Layer("GRU", (5, 3, 4)),
    "padding": Padding(f7.FastLSTM(4, 6), padded(6, 5, 4)),
}  # fmt: skip


SMALLER = {inception: 2}  # images: without optimisation, a batch of the benchmark's takes seconds


@pytest.mark.one_in(2)
@pytest.mark.parametrize("benchmark", BENCHMARKS.values(), ids=BENCHMARKS)
def test_all_ways_agree(benchmark):
    with jax.numpy_rank_promotion("allow"):  # the programs written by hand are as one writes them
        ways = benchmark.ways(SMALLER[benchmark]) if benchmark in SMALLER else benchmark.ways()
        assert "functorch7 functional" in ways and len(ways) > 1
        check_agreement(ways)


def test_loaders_give_as_many_samples_as_what_they_are_compared_with():
    memory, images = loading.Memory(64, 8), loading.Images(4, 16, 12, 2)
    check_agreement(memory.ways())
    check_agreement(loading.Fed(memory).ways())
    # PyTorch's would start processes
    check_agreement({name: way for name, way in images.ways().items() if "PyTorch" not in name})


def test_calls_of_tensors_give_what_numpys_do():
    check_agreement(tensors.Calls(5).ways())


def test_changes_that_concern_nobody_change_no_loss():
    check_agreement(changing.ways())


def test_the_soak_runs():
    subjects = [make(2) for make in (soak.rows, soak.images, soak.sequences) for _ in range(4)]
    found = soak.run(subjects, 12, float("inf"), 1)
    assert len(found) == 12 and all(memory > 0 and maps > 0 for memory, maps in found)


@pytest.mark.parametrize("program", [CharRNNs((7, 4, 2, 3, 4)), Styles((2, 3), 8)], ids=["char-rnn", "neural-style"])
def test_programs_with_users_modules_agree(program):
    check_agreement(program.ways())


@pytest.mark.parametrize(
    "loop",
    [Loop("char_rnn", char_rnn, 7, 4, 2, 3, 4), Loop("resnet", resnet, 8, 2), Loop("dcgan", Adversaries, 5, 2, 2)],
    ids=lambda loop: loop.name,
)
def test_loops_in_lua_do_what_their_ports_do(loop):
    ways = loop.ways()
    assert list(ways) == ["Lua", "Python"]
    check_agreement(ways, tolerance=0)


def test_the_step_wise_interface_runs():
    stepwise(2).step()


def test_the_command_line_prints_a_table_and_writes_timings(tmp_path):
    file = tmp_path / "timings.json"
    command = [sys.executable, "-m", "benchmarks", "stateful", "--rounds", "1", "--json", str(file)]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "functorch7 legacy" in printed and "of the fastest" in printed
    assert json.loads(file.read_text())["stateful"]["functorch7 legacy"]["best"] > 0


def test_an_unknown_benchmark_is_named(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["benchmarks", "speed"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    expected = "no benchmark speed; there are stateful, changing, mlp, lenet, inception, transfer, rows, nce"
    assert expected in capsys.readouterr().err


def test_the_accelerators_report_counts_and_divides(monkeypatch):
    """A step of Linear: the product, and that of its weight's gradient (nobody asks for the input's)."""
    batch = (np.ones((16, 300), np.float32), np.ones((16, 200), np.float32))
    linear = accelerator.Workload(lambda: [nn.Linear(300, 200)], f7.MSECriterion(), batch, "numbers")
    monkeypatch.setitem(accelerator.PEAKS, jax.devices()[0].device_kind, (2.0, 4.0))
    found = accelerator.run(linear, "float32", rounds=1, size=64)
    products = 2 * 2 * 16 * 300 * 200
    assert products < found.flops < products + 5 * (300 * 200 + 16 * 200)
    printed = accelerator.report({"linear": linear}, rounds=1, size=64)
    _, *rows = [line.split(" | ") for line in printed.splitlines() if line.startswith("| linear")]
    speed, of_peak = float(rows[0][7]) * 1e12, float(rows[0][8].rstrip(" %"))
    assert abs(of_peak - 100 * speed / 4e12) < 0.06


@pytest.mark.parametrize("name", ["mlp-128", "lstm-50x32x250"])
def test_the_table_for_a_gpu_has_a_time_and_the_memory_of_each_way(name):
    row = gpu.run(name, "bfloat16", rounds=1, seconds=0.01, examples=2, compiled=False)
    assert row.milliseconds["functorch7"] > 0 and row.mebibytes["functorch7"] > 0
    other = gpu.Row(
        "made up", "float32", {"functorch7": 3.0, "a": 2.0, "b": 4.0}, {"functorch7": 1000.0, "a": None, "b": None}
    )
    *_, last = gpu.table([row, other]).splitlines()
    assert last.startswith("| made up | float32 | 3 (1,000) |") and last.endswith("| 2 | 4 | 1.50 |")


def test_peaks_go_by_the_longest_name():
    assert accelerator.known_peak("TPU v5 lite", "bfloat16") == 197e12
    assert accelerator.known_peak("TPU v5p", "bfloat16") == 459e12
    assert accelerator.known_peak("cpu", "float32") is None
    assert accelerator.share(1, None) == "unknown"
