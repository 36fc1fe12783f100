"""gnuplot's plots: what matplotlib's axes hold, and files of the right kinds."""

import numpy as np
import pytest

from functorch7.legacy import gnuplot, torch
from functorch7.legacy.gnuplot.figures import current

X, Y = torch.linspace(0, 1, 5), torch.Tensor([1, 3, 2, 5, 4])


@pytest.fixture(autouse=True)
def file(tmp_path):
    """A figure that goes to a file."""
    matplotlib = pytest.importorskip("matplotlib", reason="plots need matplotlib: pip install functorch7[viz]")
    matplotlib.use("agg")
    path = tmp_path / "plot.png"
    gnuplot.pngfigure(str(path))
    yield path
    gnuplot.closeall()


def lines():
    return [(line.get_label(), line.get_xydata()) for line in current().axes.get_lines()]


@pytest.mark.parametrize(("call", "expected"), [
    (lambda: gnuplot.plot(Y), [("", range(1, 6), Y)]), (lambda: gnuplot.plot(X, Y), [("", X, Y)]),
    (lambda: gnuplot.plot("name", X, Y, "-"), [("name", X, Y)]), (lambda: gnuplot.plot(X, Y, "+-"), [("", X, Y)]),
    (lambda: gnuplot.plot(["a", X, Y], ["b", Y, "."]), [("a", X, Y), ("b", range(1, 6), Y)]),
    (lambda: gnuplot.plot([["a", X, Y], ["b", X, Y]]), [("a", X, Y), ("b", X, Y)]),
    (lambda: gnuplot.plot(torch.Tensor([[0, 5], [1, 6]])), [("", [0, 1], [5, 6])]),
    (lambda: gnuplot.plot(torch.Tensor([[0, 5, 7], [1, 6, 8]])), [("", [0, 1], [5, 6]), ("", [0, 1], [7, 8])]),
    (lambda: gnuplot.plot(X, Y, 'with lines lw 3 lc rgb "red"'), [("", X, Y)]),
])  # fmt: skip
def test_lines_are_drawn_as_given_in_every_form(call, expected):
    call()
    found = lines()
    assert len(found) == len(expected)
    for (name, points), (label, x, y) in zip(found, expected, strict=True):
        assert name == label or (not label and name.startswith("_"))
        np.testing.assert_allclose(points, np.stack([np.asarray(x), np.asarray(y)], 1))


def test_smooth_lines_boxes_arrows_and_areas():
    gnuplot.plot(X, Y, "~")
    ((_, points),) = lines()
    at_given = [np.interp(x, points[:, 0], points[:, 1]) for x in X]
    np.testing.assert_allclose(at_given, Y.totable(), atol=0.05)
    assert len(points) == 50
    gnuplot.plot(torch.range(5, 7), "|")
    boxes = [(box.get_x() + box.get_width() / 2, box.get_height()) for box in current().axes.patches]
    assert boxes == [(1, 5), (2, 6), (3, 7)]  # at places that are counted
    gnuplot.bar(X, Y)
    boxes = [(box.get_x() + box.get_width() / 2, box.get_height()) for box in current().axes.patches]
    np.testing.assert_allclose(boxes, np.stack([X.numpy(), Y.numpy()], 1))
    gnuplot.plot(torch.Tensor([[0, 1, 2, 3], [4, 5, 6, 7]]), "v")
    arrows = current().axes.collections[0]
    np.testing.assert_allclose(
        [arrows.XY.tolist(), [list(arrows.U), list(arrows.V)]], [[[0, 1], [4, 5]], [[2, 6], [3, 7]]]
    )
    gnuplot.plot(torch.Tensor([[0, 1, 2], [1, 2, 4]]), "with filledcurves")
    assert len(current().axes.collections) == 1 and not lines()


def test_what_is_set_of_the_axes_stays_with_the_next_plot():
    gnuplot.plot("name", X, Y)
    gnuplot.xlabel("right")
    gnuplot.ylabel("up")
    gnuplot.title("Title")
    gnuplot.logscale(True)
    gnuplot.grid(True)
    gnuplot.axis([0, 2, "", 9])
    for _ in range(2):
        axes = current().axes
        assert (axes.get_xlabel(), axes.get_ylabel(), axes.get_title(), axes.get_yscale()) == (
            "right",
            "up",
            "Title",
            "log",
        )
        assert axes.get_xlim() == (0, 2) and axes.get_ylim()[1] == 9 and axes.get_xgridlines()[0].get_visible()
        gnuplot.plot("name", X, Y)
    gnuplot.logscale(False)
    gnuplot.axis("image")
    gnuplot.movelegend("left", "bottom")
    axes = current().axes
    assert axes.get_yscale() == "linear" and axes.get_aspect() == 1 and axes.get_legend()._loc == 3  # lower left
    gnuplot.axis("auto")
    gnuplot.grid(False)
    assert axes.get_aspect() == "auto" and not axes.get_xgridlines()[0].get_visible()


def test_surfaces_points_and_matrices():
    z = torch.rand(4, 3)
    gnuplot.splot(z)
    gnuplot.zlabel("height")
    assert current().axes.name == "3d" and current().axes.get_zlabel() == "height"
    assert len(current().axes.collections) == 1
    gnuplot.splot(["one", z], ["two", z, z, z])
    assert [each.get_label() for each in current().axes.collections] == ["one", "two"]
    gnuplot.scatter3(["points", X, Y, X])
    drawn = current().axes.collections[0]._offsets3d
    np.testing.assert_allclose([np.asarray(each) for each in drawn], [X.numpy(), Y.numpy(), X.numpy()])
    gnuplot.imagesc(z, "color")
    shown = current().axes.get_images()[0]
    np.testing.assert_allclose(shown.get_array(), z.numpy())
    assert shown.get_cmap().name == "jet"
    with pytest.warns(UserWarning, match="no palette 'sigmoid'"):
        gnuplot.imagesc(z, "sigmoid")


def test_histograms_count_as_numpy_does():
    normal = np.random.default_rng(2).normal(size=200)
    for values, given, bounds in (
        (np.full(7, 3.0), (10,), None), (normal, (10, 1, 1), (1, 1)), (normal, (10,), None),
        (normal, (10, -1, 2), (-1, 2)),
    ):  # fmt: skip
        tensor = torch.Tensor.of(values)
        counts, edges = np.histogram(values, 10, bounds)
        found = gnuplot.hist(tensor, *given)
        assert found.raw.totable() == counts.tolist() and found.bins == len(found) == 10
        assert found.binwidth == pytest.approx(edges[1] - edges[0])
        np.testing.assert_allclose([each.val for each in found], (edges[1:] + edges[:-1]) / 2)
        assert (found[3].nb, found.max, found.min) == (counts[2], counts.argmax() + 1, counts.argmin() + 1)
        assert [box.get_height() for box in current().axes.patches] == counts.tolist()
    assert gnuplot.histc(tensor, 10, raw=True).totable() == np.histogram(values, 10)[0].tolist()
    with pytest.raises(IndexError, match="bin 0 of 10; they count from 1"):
        found[0]


@pytest.mark.parametrize(
    ("kind", "begins"), [("png", b"\x89PNG"), ("pdf", b"%PDF"), ("eps", b"%!PS"), ("svg", b"<?xml")]
)
def test_files_are_of_their_kinds(tmp_path, kind, begins):
    path = tmp_path / f"file.{kind}"
    number = getattr(gnuplot, f"{kind}figure")(str(path))
    gnuplot.plot(X, Y)
    assert not path.exists()
    gnuplot.plotflush(number)
    assert path.read_bytes().startswith(begins)
    gnuplot.figprint(str(tmp_path / f"printed.{kind}"))
    assert (tmp_path / f"printed.{kind}").read_bytes().startswith(begins)
    with pytest.raises(FileNotFoundError, match="directory does not exist"):
        getattr(gnuplot, f"{kind}figure")(str(tmp_path / "no" / "file"))


def test_figures_by_number(file, capsys):
    gnuplot.plot(X)
    gnuplot.close()
    assert file.exists()
    gnuplot.plotflush()
    assert "no figure None" in capsys.readouterr().out
    assert gnuplot.figure() == 1 and gnuplot.figure() == 2 and gnuplot.figure(1) == 1
    gnuplot.plot(X, Y)
    gnuplot.figure(2)
    assert not lines()
    gnuplot.figure(1)
    assert len(lines()) == 1
    gnuplot.plotflush(1)
    gnuplot.close(2)
    gnuplot.close(2)


def test_raw_commands_do_what_gnuplot_s_do():
    gnuplot.plot("a", X, Y)
    for command in (
        'set xlabel "right"', "set title 'Title'", "set xrange [0:2]", "set yrange [:8]", "set grid", "unset grid",
        "set logscale y", "unset logscale", 'set xtics ("Jan" 1, "Feb" 2)', "set key left top", "set key bottom right",
    ):  # fmt: skip
        gnuplot.raw(command)
    axes = current().axes
    assert (axes.get_xlabel(), axes.get_title(), axes.get_ylim()[1], axes.get_yscale()) == (
        "right",
        "Title",
        8,
        "linear",
    )
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["Jan", "Feb"] and axes.get_legend()._loc == 4
    with pytest.warns(UserWarning, match="'set hidden3d' is ignored"):
        gnuplot.raw("set hidden3d")


@pytest.mark.parametrize(("call", "error", "says"), [
    (lambda: gnuplot.plot(), TypeError, "gnuplot.plot: no inputs"),
    (lambda: gnuplot.plot("a"), TypeError, "gnuplot.plot: expecting [string,] tensor [,tensor] [,string]"),
    (lambda: gnuplot.plot(X, torch.Tensor(3)), ValueError, "x and y dims are wrong: x 5, y 3"),
    (lambda: gnuplot.plot(X, Y, "with hair"), ValueError, "unknown format 'with hair'"),
    (lambda: gnuplot.splot(X), ValueError, "gnuplot.splot: expected a matrix z"),
    (lambda: gnuplot.scatter3(X, Y), ValueError, "expected x, y and z of one size"),
    (lambda: gnuplot.imagesc(X), ValueError, "gnuplot.imagesc: expected a matrix, got 5"),
    (lambda: gnuplot.movelegend("up", "top"), ValueError, "gnuplot.movelegend: expected left, right or center"),
    (lambda: gnuplot.axis("round"), ValueError, "gnuplot.axis: expected auto, image, equal, fill"),
    (lambda: gnuplot.axis([1, 2]), ValueError, "expected {xmin, xmax, ymin, ymax}"),
    (lambda: gnuplot.figprint("a.gif"), ValueError, "expected a file of eps, png, pdf or svg, got a.gif"),
])  # fmt: skip
def test_bad_input_is_refused_by_name(call, error, says):
    with pytest.raises(error) as raised:
        call()
    assert says in str(raised.value)


def test_terminals_change_nothing_and_have_names():
    gnuplot.plot(X, Y)
    before = lines()
    gnuplot.setterm("dumb")
    assert len(lines()) == len(before) == 1
    with pytest.raises(TypeError, match="gnuplot.setterm: expected the name of a terminal, got 3"):
        gnuplot.setterm(3)
