"""iTorch's plots and players, outside of notebooks; its pictures are in test_image_files.py."""

import math

import pytest

from functorch7.legacy import itorch, torch


def test_plots_show_what_they_were_given():
    """Points, ends of segments, corners of bars, counts, a colour for each label, and names."""
    pytest.importorskip("matplotlib")
    x, y, ones = torch.Tensor([1, 2, 4]), [3, 1, 2], torch.ones(2, 3)
    plot = itorch.Plot().line(x, y, "blue", "loss").circle(x, y, "red", "points").segment([0], [1], [2], [3])
    plot.histogram(torch.Tensor([0, 1, 1, 2]), 2).gscatter(x, y, [7, 8, 7]).text(1, 2, "word").quiver(ones, ones)
    (axes,) = plot.text([1, 2], [3, 4], ["a", "b"], [0, math.pi]).hover_tool([]).title("title").xaxis("x").figure().axes
    line, segment = axes.lines
    assert line.get_xydata().tolist() == [[1, 3], [2, 1], [4, 2]] and line.get_color() == "blue"
    assert segment.get_xydata()[:2].tolist() == [[0, 1], [2, 3]]
    assert [(bar.get_x(), bar.get_width(), bar.get_height()) for bar in axes.patches] == [(0, 1, 1), (1, 1, 3)]
    circles, first, second, arrows = axes.collections
    assert circles.get_offsets().tolist() == line.get_xydata().tolist()
    assert (first.get_offsets().tolist(), second.get_offsets().tolist()) == ([[1, 3], [4, 2]], [[2, 1]])
    assert arrows.get_offsets().tolist() == [[1, 1], [2, 1], [3, 1], [1, 2], [2, 2], [3, 2]]
    assert {"loss", "points", "Class 7", "Class 8"} <= {text.get_text() for text in axes.get_legend().get_texts()}
    assert (axes.get_title(), axes.get_xlabel(), [each.get_text() for each in axes.texts]) == (
        "title",
        "x",
        ["word", "a", "b"],
    )
    assert [each.get_rotation() for each in axes.texts] == [0, 0, 180]
    assert not itorch.Plot().line(x, y).figure().axes[0].get_legend()


def test_plots_are_files(tmp_path, monkeypatch, capsys):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    plot = itorch.Plot().triangle([1, 2], [3, 4])
    assert plot.draw() is plot.redraw() is plot.save("plot.html") is plot
    assert (tmp_path / "itorch.plot.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (tmp_path / "plot.html").read_text()
    assert capsys.readouterr().out == "itorch.plot: written to itorch.plot.png\n" * 2


@pytest.mark.parametrize(
    "call, says",
    [
        (
            lambda plot: plot.circle([1, 2, 3], [1, 2]),
            r"circle: expected vectors of as many numbers, got \(3,\) and \(2,\)",
        ),
        (lambda plot: plot.line(torch.ones(2, 2), torch.ones(2, 2)), "line: expected vectors"),
        (lambda plot: plot.histogram(torch.Tensor([1, math.nan])), "histogram: expected numbers, got nan among them"),
        (lambda plot: plot.quiver(torch.ones(2, 3), torch.ones(3, 2)), "quiver: expected two matrices of one size"),
    ],
)
def test_what_is_no_plot(call, says):
    with pytest.raises(ValueError, match=f"itorch.Plot.{says}"):
        call(itorch.Plot())


@pytest.mark.parametrize("play", [itorch.audio, itorch.video])
def test_files_are_played_in_notebooks(tmp_path, capsys, play):
    (tmp_path / "file.mp4").write_bytes(b"")
    play(str(tmp_path / "file.mp4"))
    assert "is played in notebooks alone" in capsys.readouterr().out
    with pytest.raises(FileNotFoundError):
        play("none.mp4")
