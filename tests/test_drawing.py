"""Pictures of networks: everything is there, nothing lies on anything else, and what goes where."""

from itertools import combinations
from xml.etree import ElementTree

import jax
import pytest

import functorch7 as f7
from functorch7 import legacy, zoo
from functorch7.core.tree import named_children
from functorch7.viz.blocks import box, layered
from functorch7.viz.drawing import DARK, LIGHT

NETWORKS = {
    "chain": f7.Sequential(f7.Linear(3, 4), f7.Tanh()),
    "one": f7.Tanh(),
    "branches": f7.Sequential(f7.ConcatTable(f7.Linear(3, 4), f7.Identity(), f7.Sequential(f7.Tanh(), f7.Abs())),
                              f7.ParallelTable(f7.Abs(), f7.Exp(), f7.Log()), f7.JoinTable(1, 1)),
    "residual": zoo.resnet(20),
    "inception": zoo.googlenet(),
    "graph": zoo.char_rnn(9),
    "frames": f7.Sequential(f7.Sequencer(f7.Sequential(f7.FastLSTM(3, 4), f7.Linear(4, 2))), f7.FireModule(2, 1, 2, 2)),
}  # fmt: skip


def leaves(module):
    inner = [child for _, child in named_children(module)]
    if isinstance(module, f7.FastLSTM) or not inner:
        return 1
    return isinstance(module, (f7.Concat, f7.Parallel)) + sum(map(leaves, inner))


def overlap(one, other):
    return all(
        getattr(a, low) < getattr(b, low) + getattr(b, size)
        for a, b in ((one, other), (other, one))
        for low, size in (("x", "width"), ("y", "height"))
    )


@pytest.mark.parametrize("name", NETWORKS)
def test_every_layer_has_a_box_and_no_two_overlap(name):
    module = NETWORKS[name]
    drawing = f7.draw(module)
    boxes = drawing.block.boxes
    assert len(boxes) == leaves(module)
    assert not [pair for pair in combinations(boxes, 2) if overlap(*pair)]
    assert all(0 <= b.x and b.x + b.width <= drawing.block.width + 1e-6 and b.y >= 0 for b in boxes)
    assert all(arrow.start[1] <= arrow.end[1] for arrow in drawing.block.arrows)
    assert len(ElementTree.fromstring(drawing.svg()).findall(".//{*}g")) == len(boxes)


def of_layers(drawing):
    """From which box to which there are arrows, by what is written in them; lines that go on are followed."""

    def near(one, other):
        return max(abs(a - b) for a, b in zip(one, other, strict=True)) < 1e-6

    boxes, found = drawing.block.boxes, set()
    for arrow in (each for each in drawing.block.arrows if each.tip):
        before = [line.start for line in drawing.block.arrows if not line.tip and near(line.end, arrow.start)]
        start = [*before, arrow.start][0]
        starts = [b.lines[0] for b in boxes if near((b.x + b.width / 2, b.y + b.height), start)]
        ends = [b.lines[0] for b in boxes if near((b.x + b.width / 2, b.y), arrow.end)]
        found |= {(one, other) for one in starts for other in ends}
    return found


def test_arrows_go_as_tensors_do():
    drawing = f7.draw(NETWORKS["branches"])
    assert of_layers(drawing) == {
        ("Linear(3 -> 4)", "Abs"), ("Identity", "Exp"), ("Tanh", "Abs"), ("Abs", "Log"),
        ("Abs", "JoinTable"), ("Exp", "JoinTable"), ("Log", "JoinTable"),
    }  # fmt: skip


def test_a_way_past_a_layer_goes_beside_its_box():
    """0 -> 1 -> 2 and 0 -> 2: what goes past part 1 is a line of the row in which it is."""
    block = layered([box(["first"]), box(["second"]), box(["third"])], [[-1], [0], [1, 0]], [2])
    second = block.boxes[1]
    (line,) = (arrow for arrow in block.arrows if arrow.start[0] == arrow.end[0] and not arrow.tip)
    assert line.start[1] <= second.y and line.end[1] >= second.y + second.height
    assert not second.x <= line.start[0] <= second.x + second.width
    assert sum(arrow.tip for arrow in block.arrows) == 3


def test_sizes_parameters_and_themes(tmp_path):
    network = f7.Sequential(f7.SpatialConvolution(1, 2, 3, 3), f7.ReLU())
    drawing = f7.draw(network, (5, 1, 8, 8), theme="dark")
    assert [b.lines[1:] for b in drawing.block.boxes[1:]] == [("5x2x6x6",)] * 2
    assert [b.learned for b in drawing.block.boxes] == [False, True, False]
    assert "0: nn.SpatialConvolution(1 -&gt; 2, 3x3), 20 parameters" in drawing.svg()
    text = drawing.write(tmp_path / "network.svg").read_text()
    with pytest.raises(ValueError, match="pictures are SVG, expected a file that ends in .svg, got network.png"):
        drawing.write("network.png")
    width, height = map(round, drawing.size)
    assert f'width="{width}" height="{height}"' in text
    assert repr(drawing) == f"<Drawing of {width} x {height} pixels; write(path) makes an SVG file of it>"
    assert DARK["learned"] in text and LIGHT["learned"] not in text and "prefers-color-scheme" not in text
    both = f7.draw(network, jax.ShapeDtypeStruct((5, 1, 8, 8), "float32"))._repr_html_()
    assert DARK["learned"] in both and LIGHT["learned"] in both and "prefers-color-scheme: dark" in both
    with pytest.raises(ValueError, match="draw: expected the theme 'auto', 'light' or 'dark', got 'blue'"):
        f7.draw(network, theme="blue")
    with pytest.raises(TypeError, match=r"draw: expected the description .* take its functional\(\)"):
        f7.draw(legacy.nn.Linear(3, 2))
