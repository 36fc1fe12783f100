"""optim.Logger: what is in its files."""

import os
import pickle
import re
import subprocess
import sys
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest

from functorch7.interop import t7
from functorch7.legacy import optim, torch


@pytest.fixture
def logger(tmp_path):
    made = optim.Logger(tmp_path / "new" / "folder" / "accuracy.log")
    made.display(False)
    return made


def text(logger):
    return logger.path.read_text()


def test_the_example_of_the_documentation(logger):
    assert logger.setNames(["Training acc.", "Test acc."]) is logger
    logger.add([70, 59])
    logger.add([5, 98.25])
    assert text(logger) == "Training acc.\tTest acc.\t\n 7.0000e+01\t 5.9000e+01\t\n 5.0000e+00\t 9.8250e+01\t\n"


def test_values_by_name_keep_their_columns(logger):
    logger.add({"train": 1, "test": -0.5})
    logger.add({"test": 1e-12, "train": float("inf")})
    assert text(logger) == "train\ttest\t\n 1.0000e+00\t-5.0000e-01\t\n        inf\t 1.0000e-12\t\n"
    assert logger.symbols == {"train": [1, float("inf")], "test": [-0.5, 1e-12]}


def test_columns_without_names_are_numbered(logger):
    logger.add([1, "two"])
    assert text(logger) == "1\t2\t\n 1.0000e+00\ttwo\t\n"


@pytest.mark.parametrize(
    "value", [2, 2.0, np.float32(2), np.array(2), jnp.float32(2), jnp.bfloat16(2), torch.Tensor([2])]
)
def test_numbers_of_all_kinds(logger, value):
    logger.add([value])
    assert text(logger).splitlines()[1] == " 2.0000e+00\t"


@pytest.mark.parametrize("value", [True, None, [1.0, 2.0], {"a": 1}, np.array(["a"])])
def test_other_values_are_refused_and_leave_no_trace(logger, value):
    with pytest.raises(TypeError, match=r"optim.Logger.add: can only log numbers and strings"):
        logger.add([1.0, value])
    assert text(logger) == "" and not logger.symbols


@pytest.mark.parametrize("row", [[1], [1, 2, 3], {"a": 1}, {"a": 1, "c": 2}])
def test_rows_that_do_not_fit(logger, row):
    logger.setNames(["a", "b"])
    with pytest.raises(ValueError, match=r"optim.Logger.add: expected a value for each of \['a', 'b'\]"):
        logger.add(row)
    assert text(logger) == "a\tb\t\n"


def test_names_differ(logger):
    with pytest.raises(ValueError, match=r"optim.Logger.setNames: expected different names"):
        logger.setNames(["a", "a"])


@pytest.mark.parametrize(("method", "what"), [("setNames", "names"), ("add", "values"), ("style", "styles")])
def test_a_single_value_is_no_table(logger, method, what):
    for value in ("ab", 3):
        with pytest.raises(TypeError, match=rf"optim.Logger.{method}: expected a table of {what}, got {value!r}$"):
            getattr(logger, method)(value)
    assert text(logger) == ""


def test_a_timestamp_makes_the_name_unique(tmp_path):
    logger = optim.Logger(str(tmp_path / "a.log"), True)
    assert re.fullmatch(r"a\.log-\d{4}_\d\d_\d\d_.+", logger.path.name) and text(logger) == ""
    assert logger.epsfile == str(tmp_path / "a.log.eps")


def test_without_a_file_rows_go_to_standard_output(capsys):
    logger = optim.Logger()
    logger.add({"loss": 0.5})
    assert capsys.readouterr().out == (
        "<Logger> warning: no path provided, logging to std out\nloss\t\n 5.0000e-01\t\n"
    )


def test_an_older_file_is_replaced_and_directories_may_change(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.log").write_text("old")
    logger = optim.Logger("a.log")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir("elsewhere")
    pickle.loads(pickle.dumps(logger)).add([1])
    assert (tmp_path / "a.log").read_text() == "1\t\n 1.0000e+00\t\n"


def test_rows_outlive_the_process(tmp_path):
    code = "import os, sys; from functorch7.legacy import optim; optim.Logger(sys.argv[1]).add([7]); os._exit(1)"
    path = tmp_path / "a.log"
    assert (
        subprocess.run([sys.executable, "-c", code, str(path)], env={**os.environ, "PYTHONPATH": "."}).returncode == 1
    )
    assert path.read_text() == "1\t\n 7.0000e+00\t\n"


def styled(logger):
    logger.setNames(["dots", "points", "lines", "both", "smooth", "boxes", "own", "two"])
    for i in range(1, 5):
        logger.add([i * k for k in range(1, 9)])
    assert logger.style([".", "+", "-", "+-", "~", "|", "r--", ["-", "+"]]) is logger
    return logger


def test_plots_of_every_style_are_written(logger):
    styled(logger).setlogscale(True)
    logger.plot()
    assert (logger.path.parent / "accuracy.log.eps").read_bytes().startswith(b"%!PS-Adobe")
    assert (logger.path.parent / "accuracy.log.png").read_bytes().startswith(b"\x89PNG")


def test_what_is_drawn(logger, monkeypatch):
    from matplotlib.figure import Figure

    kept = []

    def savefig(figure, file, format):
        kept.append((figure.axes[0], os.path.basename(file.name)))

    monkeypatch.setattr(Figure, "savefig", savefig)
    styled(logger).setlogscale(True)
    logger.plot("both", "smooth", "boxes")
    axes = kept[0][0]
    assert axes.get_title() == f"<Logger::{logger.name}>" and axes.get_yscale() == "log"
    both, smooth = axes.lines
    assert both.get_xydata().tolist() == [[1, 4], [2, 8], [3, 12], [4, 16]]
    assert (both.get_marker(), both.get_linestyle()) == ("+", "-")
    np.testing.assert_allclose(smooth.get_ydata(), 5 * smooth.get_xdata(), rtol=1e-12)  # of a straight line
    assert [box.get_height() for box in axes.patches] == [6, 12, 18, 24]
    assert [each.get_text() for each in axes.get_legend().get_texts()] == ["both", "smooth", "boxes"]
    names = [f"{logger.name}.eps", f"{logger.name}.png"]
    assert [name for _, name in kept] == [Path(name).name for name in names] and all(map(os.path.exists, names))


def test_nothing_is_drawn_of_single_values_and_text(logger):
    logger.add([1.0, "a"])
    logger.plot()
    logger.add([1.0, "b"])
    logger.plot(2)
    assert os.listdir(logger.path.parent) == ["accuracy.log"]


def test_windows_only_where_there_is_a_screen(logger, monkeypatch):
    from matplotlib import pyplot

    pyplot.switch_backend("agg")
    monkeypatch.setattr(pyplot, "show", lambda **_: pytest.fail("opened a window"))
    logger.display(True)
    styled(logger).plot("lines")
    assert not pyplot.get_fignums()
    monkeypatch.setattr("matplotlib.backend_bases.FigureCanvasBase.required_interactive_framework", "fake")
    shown = []
    monkeypatch.setattr(pyplot, "show", lambda **options: shown.append((pyplot.get_fignums(), options)))
    monkeypatch.setattr(pyplot, "pause", lambda _: None)
    logger.plot()
    logger.plot()
    assert shown[0] == shown[1] and len(shown[0][0]) == 1 and shown[0][1] == {"block": False}
    pyplot.close("all")


@pytest.mark.parametrize("style, error, message", [
    ("-", TypeError, "expected a table of styles"),
    ([3], TypeError, "style should be a string or a table of strings, got 3"),
    ({"a": [1]}, TypeError, r"style should be a string or a table of strings, got \[1\]"),
    ({"b": "-"}, ValueError, r"expected one of the columns \['a'\], got 'b'"),
    (["-", "-"], ValueError, r"expected styles of the columns \['a'\]"),
])  # fmt: skip
def test_styles_that_are_none(logger, style, error, message):
    logger.setNames(["a"])
    with pytest.raises(error, match=f"optim.Logger.style: {message}"):
        logger.style(style)


def test_plots_need_columns_and_matplotlib(logger, monkeypatch):
    styled(logger)
    with pytest.raises(ValueError, match=r"optim.Logger.plot: expected one of the columns"):
        logger.plot("loss")
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"optim.Logger.plot needs matplotlib: pip install"):
        logger.plot()


BY_NAME = {"symbols": {"test": [2], "train": [1]}, "names": {"test": "test", "train": "train"}}
FROM_TORCH = {  # the fields that real Torch7 writes, after add{train=1, test=2}, setNames{"x", "y"}, add{1, "a"}, none
    "by name": (["test", "train"], BY_NAME),
    "named": (["x", "y"], {"symbols": [[1], [2]], "names": ["x", "y"], "idx": {"x": 1, "y": 2}, "nsymbols": 2}),
    "numbered": ([1, 2], {"symbols": [[1], ["a"]], "names": [1, 2], "idx": [1, 2], "nsymbols": 2}),
    "empty": ([], {"symbols": [], "names": [], "idx": [], "empty": True}),
}


@pytest.mark.parametrize("name", FROM_TORCH)
def test_a_logger_of_a_file_has_its_values_and_nothing_to_write_to(tmp_path, name):
    columns, fields = FROM_TORCH[name]
    styles = {each: ["-"] for each in columns} if name == "by name" else [["-"] for _ in columns]
    kept = {"name": "a.log", "epsfile": "a.log.eps", "showPlot": True, "defaultStyle": "+", "logscale": False}
    record = t7.T7Object("optim.Logger", 1, {"empty": False, "styles": styles, **kept, **fields})
    t7.write(tmp_path / "torch.t7", record)
    loaded = torch.load(tmp_path / "torch.t7")
    assert loaded.names == columns and [*loaded.symbols] == [*loaded.styles] == columns
    with pytest.raises(ValueError, match="optim.Logger: a.log is of a .t7 file: it has values, but no file"):
        loaded.add(list(columns) or [1])
    torch.save(tmp_path / "again.t7", loaded)
    again = t7.read(tmp_path / "again.t7")
    assert vars(torch.load(tmp_path / "again.t7")) == vars(loaded)
    if name != "by name":  # whose columns have positions from then on
        assert again.fields == {**record.fields, "nsymbols": len(columns)}


def test_saving_leaves_a_logger_open(logger, tmp_path):
    logger.setNames(["train"])
    logger.add([1])
    torch.save(tmp_path / "logger.t7", {"here": logger, "there": logger})
    logger.add([2])
    found = torch.load(tmp_path / "logger.t7")
    assert found["here"] is found["there"] and found["here"].symbols == {"train": [1]}
    assert logger.symbols == {"train": [1, 2]} and text(logger).count("\n") == 3
