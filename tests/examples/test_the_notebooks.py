"""The notebooks run, and what their cells assert is true: at the reduced sizes of FUNCTORCH7_QUICK.

Code cells are executed in this process, one after the other, which is much cheaper than a kernel for each notebook.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import jax
import pytest

pytestmark = pytest.mark.slow
jupytext = pytest.importorskip("jupytext")
matplotlib = pytest.importorskip("matplotlib")

FOLDER = Path(__file__).parents[2] / "notebooks"
SOURCES = sorted((FOLDER / "source").glob("*.py"))
OWN_PROCESS = {"7_accelerators"}  # its first cell asks for eight devices, which counts before JAX starts


def cells(source, kind):
    return [cell.source for cell in jupytext.read(source, fmt="py:percent").cells if cell.cell_type == kind]


def named(source):
    return source.stem


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setenv("FUNCTORCH7_QUICK", "1")
    monkeypatch.chdir(FOLDER)
    with jax.numpy_dtype_promotion("standard"), jax.numpy_rank_promotion("allow"):  # as in a notebook
        yield


def test_there_are_eight():
    assert [named(source)[0] for source in SOURCES] == list("12345678")


@pytest.mark.parametrize("source", [s for s in SOURCES if s.stem not in OWN_PROCESS], ids=named)
def test_every_cell_runs(source, quick):
    from matplotlib import pyplot

    matplotlib.use("Agg")
    namespace = {"__name__": "__main__"}
    drawn = 0
    for number, cell in enumerate(cells(source, "code")):
        exec(compile(cell, f"{source.name}, code cell {number}", "exec"), namespace)
        drawn += len(pyplot.get_fignums())
        pyplot.close("all")
    assert drawn > 0


@pytest.mark.parametrize("source", [s for s in SOURCES if s.stem in OWN_PROCESS], ids=named)
def test_every_cell_runs_in_a_process_of_its_own(source, quick):
    environment = os.environ | {"PYTHONPATH": str(FOLDER.parent), "JAX_PLATFORMS": "cpu", "MPLBACKEND": "Agg"}
    done = subprocess.run([sys.executable, "-W", "error", source], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("source", SOURCES, ids=named)
def test_the_notebook_is_that_of_the_script(source):
    """And it has been executed: every code cell in order, without errors, with pictures, and it is small."""
    path = FOLDER / f"{source.stem}.ipynb"
    notebook = json.loads(path.read_text(encoding="utf-8"))
    for kind in ("markdown", "code"):
        written = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == kind]
        assert written == cells(source, kind), f"{path.name} is old: make notebooks"
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    outputs = [output for cell in code for output in cell["outputs"]]
    assert not [output for output in outputs if output["output_type"] == "error" or output.get("name") == "stderr"]
    assert any("image/png" in output.get("data", {}) for output in outputs)
    assert path.stat().st_size < 600_000


@pytest.mark.parametrize("source", SOURCES, ids=named)
def test_the_notebook_says_what_a_torch7_user_would_have_written(source):
    assert any("```lua" in cell for cell in cells(source, "markdown"))
