"""Pictures of transfer functions."""

import json
import runpy
import struct
import sys
from pathlib import Path

import numpy as np
import pytest

import functorch7 as f7
from functorch7 import core, viz
from functorch7.layers.transfer import Transfer
from functorch7.legacy import nn
from functorch7.training.records import recorded
from functorch7.viz.profiling import seconds
from functorch7.viz.table import metric

pytest.importorskip("matplotlib")
PNG = b"\x89PNG\r\n\x1a\n"


def test_a_picture_has_the_curve_and_its_derivative(tmp_path):
    figure = viz.plot_transfer(f7.ELU(0.5), path=tmp_path / "elu.png")
    assert (tmp_path / "elu.png").read_bytes().startswith(PNG)
    function, slope = figure.axes[0].lines
    x = function.get_xdata()
    np.testing.assert_allclose(function.get_ydata(), np.where(x > 0, x, 0.5 * np.expm1(x)), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(slope.get_ydata(), np.where(x > 0, 1, 0.5 * np.exp(x)), rtol=1e-5, atol=1e-6)


def test_a_stateful_module_is_drawn_with_its_parameters():
    module = nn.PReLU()
    module.weight.fill(0.75)
    x, y, slope = viz.curve(module)
    np.testing.assert_allclose(y, np.where(x > 0, x, 0.75 * x), rtol=1e-6)
    np.testing.assert_allclose(slope, np.where(x > 0, 1, 0.75), rtol=1e-6)


def test_several_functions_share_a_picture():
    figure = viz.plot_transfer(f7.ELU(0.1), f7.ELU(1.0), low=-1, high=2)
    assert len(figure.axes[0].lines) == 4
    assert figure.axes[0].lines[0].get_xdata()[[0, -1]].tolist() == [-1, 2]


def test_a_function_that_changes_the_size_cannot_be_drawn():
    with pytest.raises(ValueError, match=r"CReLU\(\): expected a function that keeps the shape"):
        viz.plot_transfer(f7.CReLU(1))


def test_the_command_line_draws_a_picture(tmp_path, capsys):
    viz.main(["ELU(0.1)", "nn.Tanh", "--output", str(tmp_path / "curves.png")])
    assert (tmp_path / "curves.png").read_bytes().startswith(PNG)
    assert "wrote" in capsys.readouterr().out


def test_the_package_is_the_command(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.argv", ["viz", "Tanh", "--output", str(tmp_path / "tanh.png")])
    monkeypatch.delitem(sys.modules, "functorch7.viz.__main__", raising=False)  # tests of all modules import it
    runpy.run_module("functorch7.viz", run_name="__main__")
    assert (tmp_path / "tanh.png").read_bytes().startswith(PNG)


@pytest.mark.parametrize("wrong", [["NoSuchLayer"], ["ELU(x)"], ["ELU("], ["ELU(beta=1)"], []])
def test_the_command_line_explains_itself(wrong, capsys):
    with pytest.raises(SystemExit):
        viz.main(wrong)
    assert "error" in capsys.readouterr().err


def test_the_command_line_takes_arguments_by_name_and_says_what_fails(tmp_path, monkeypatch, capsys):
    drawn = []
    monkeypatch.setattr("functorch7.viz.command.plot_transfer", lambda *modules, **options: drawn.extend(modules))
    viz.main(["ELU(alpha=0.5)", "nn.HardTanh(-2, 2)"])
    assert drawn == [f7.ELU(0.5), f7.HardTanh(-2, 2)]
    monkeypatch.undo()
    with pytest.raises(SystemExit, match="1"):
        viz.main(["Tanh", "--output", str(tmp_path / "missing" / "x.png")])
    assert "No such file or directory" in capsys.readouterr().err


COUNTS = {0: "0", 999: "999", 999.6: "1k", 999_499: "999k", 999_999: "1M", 3360: "3.36k", 10**18: "1000P"}
TIMES = {0: "0", 2e-9: "2ns", 0.99996e-6: "1us", 0.25: "250ms", 0.99996: "1s", 1.5: "1.5s", 1234.5: "1234s"}


def test_numbers_have_three_digits_and_a_unit():
    assert {count: metric(count) for count in COUNTS} == COUNTS
    assert {time: seconds(time) for time in TIMES} == TIMES


def test_the_gallery_shows_every_transfer_function(tmp_path):
    drawn = {type(module) for modules in viz.GALLERY.values() for module in modules}
    ours = {c for c in core.registry.values() if issubclass(c, Transfer) and c.__module__.startswith("functorch7.")}
    assert ours - drawn == {f7.CReLU, f7.GatedLinearUnit}  # these change the size
    page = viz.write_gallery(tmp_path).read_text()
    for kind in drawn:
        assert (tmp_path / "gallery" / f"{kind.__name__}.png").read_bytes().startswith(PNG)
        assert f"**{kind.__name__}**: {kind.__doc__.splitlines()[0]}" in page
    ours = Path(__file__).parents[1] / "docs" / "gallery.md"
    assert ours.read_text() == page, "run make gallery"


class Handle:
    """What IPython gives for a picture that is shown: `update` shows another in its place."""

    def __init__(self, shown):
        self.update = shown.append


def test_learning_curves_show_what_was_recorded(tmp_path, monkeypatch):
    pytest.importorskip("IPython.display")
    records = [
        {"kind": "train", "step": 2, "loss": 3.0},
        {"kind": "epoch", "step": 3, "loss": 2.5, "Top1Accuracy": None},  # was not finite
        {"kind": "train", "step": 4, "loss": 2.0},
        {"kind": "epoch", "step": 6, "loss": 1.5, "Top1Accuracy": 0.75},
    ]
    (tmp_path / "metrics.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    figure = viz.plot_learning(tmp_path, tmp_path / "curves.png")
    assert (tmp_path / "curves.png").read_bytes().startswith(PNG)
    assert [axes.get_title("left") for axes in figure.axes] == ["loss", "Top1Accuracy"]
    losses, accuracies = (axes.lines for axes in figure.axes)
    assert losses[0].get_xydata().tolist() == [[2, 3], [4, 2]] and losses[1].get_xydata().tolist() == [
        [3, 2.5],
        [6, 1.5],
    ]
    assert [line.get_xydata().tolist() for line in accuracies] == [[[6, 0.75]]]
    live = viz.LiveCurves("dark")
    shown = []
    monkeypatch.setattr("IPython.display.display", lambda picture, display_id: shown.append(picture) or Handle(shown))
    live.on_start(3, recorded(tmp_path / "metrics.jsonl")[:2])
    for record in records[2:]:
        live.on_record(record)
    width, height = struct.unpack(">II", shown[-1].data[16:24])  # of a PNG
    assert len(shown) == 2 and (shown[-1].width, shown[-1].height) == (width // 2, height // 2)
    with open(tmp_path / "metrics.jsonl", "a") as file:
        file.write('{"kind": "train", "st')  # a run that was killed
    assert viz.plot_learning(tmp_path).axes[0].lines[0].get_xydata().tolist() == [[2, 3], [4, 2]]
    for line in ("[]", '{"kind": "train", "step": 1}'):
        (tmp_path / "metrics.jsonl").write_text(line + "\n")
        with pytest.raises(ValueError, match="metrics.jsonl: line 1 is no record"):
            viz.plot_learning(tmp_path)
    (tmp_path / "metrics.jsonl").write_text("")
    with pytest.raises(ValueError, match="no records in"):
        viz.plot_learning(tmp_path)
