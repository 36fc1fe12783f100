"""A run that is killed at ten random moments ends as one that was left alone, to the last bit."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytestmark = pytest.mark.slow
KILLED = Path(__file__).with_name("killed.py")


def losses(folder):
    """All records, but for what the clock says."""
    lines = (folder / "metrics.jsonl").read_text().splitlines()
    return [{k: v for k, v in json.loads(line).items() if k != "examples_per_second"} for line in lines]


def test_losses_equal_those_of_an_undisturbed_run_bit_for_bit(tmp_path):
    flags = {"PYTHONPATH": os.pathsep.join([str(KILLED.parents[2])]), "JAX_PLATFORMS": "cpu"}
    done = subprocess.run(
        [sys.executable, KILLED, tmp_path], env=os.environ | flags, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    begins = [int(line) for line in done.stdout.splitlines() if line.isdigit()]
    assert "while writing" in done.stdout
    assert len(begins) == 12 and begins[:2] == [0, 0] and 0 < begins[-1] < 96, begins
    expected, found = losses(tmp_path / "undisturbed"), losses(tmp_path / "killed")
    assert [record["step"] for record in expected if record["kind"] == "train"] == list(range(1, 97))
    assert found == expected
    assert np.ptp([record["loss"] for record in expected]) > 0.1
    tables = [(tmp_path / name / "epochs.csv").read_text() for name in ("undisturbed", "killed")]
    assert tables[0] == tables[1] and tables[0].startswith("step,epoch,loss,weight\n")
