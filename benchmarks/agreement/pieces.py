"""The pieces that networks are drawn from: each as the text that makes it, for what comes in and a width."""

from collections.abc import Callable
from typing import NamedTuple


class Shape(NamedTuple):
    """What goes between two pieces, without the size of the batch: its kind, features or channels, and length.

    The kinds: "vector" (features), "pair" (two of them), "steps" (time x batch x features), "rows" (batch x time x
    features), "image" (channels x length x length), "words" and "word steps" (indices up to `features`).
    """

    kind: str
    features: int
    length: int = 1


class Misfit(ValueError):
    """A piece that cannot stand where it is."""


Piece = Callable[[Shape, int], tuple[str, Shape]]


def plain(text: str) -> Piece:
    """A piece that keeps the shape; {} is the number of features."""
    return lambda shape, _: (text.format(shape.features), shape)


def wide(text: str, factor: int = 1, kind: str | None = None) -> Piece:
    """A piece from n features to w, as {n} and {w}, of which there are `factor` times as many in the end."""

    def piece(shape: Shape, width: int) -> tuple[str, Shape]:
        made = shape._replace(features=factor * width, kind=kind or shape.kind)
        return text.format(n=shape.features, w=width), made

    return piece


def pool(text: str) -> Piece:
    """A piece that halves both sides of an image."""

    def piece(shape: Shape, _: int) -> tuple[str, Shape]:
        if shape.length < 2:
            raise Misfit(text)
        return text, shape._replace(length=shape.length // 2)

    return piece


def convolution(shape: Shape, width: int) -> tuple[str, Shape]:
    """Over time."""
    if shape.length < 3:
        raise Misfit("TemporalConvolution")
    made = Shape("rows", width, shape.length - 2)
    return f"nn.TemporalConvolution({shape.features}, {width}, 3)", made


def view(shape: Shape, _: int) -> tuple[str, Shape]:
    """An image as a vector."""
    size = shape.features * shape.length**2
    return f"nn.View(-1, {size})", Shape("vector", size)


def into(text: str) -> Piece:
    """What leaves a vector of all steps or rows."""
    return lambda shape, _: (text, Shape("vector", shape.features))


def together(table: str, first: str, second: str) -> str:
    """Two branches of one input, and what puts them together."""
    return f"nn.Sequential().add(nn.ConcatTable().add({first}).add({second})).add(nn.{table}())"


def of_each(table: str, first: str, second: str) -> str:
    """The same for a table of two inputs."""
    return f"nn.Sequential().add(nn.ParallelTable().add({first}).add({second})).add(nn.{table}())"


def after(first: str, second: str) -> str:
    """One after the other."""
    return f"nn.Sequential().add({first}).add({second})"


LINEAR, CONVOLUTION = "nn.Linear({n}, {w})", "nn.SpatialConvolution({n}, {w}, 3, 3, 1, 1, 1, 1)"
SIGMOID, TANH = after(LINEAR, "nn.Sigmoid()"), after(LINEAR, "nn.Tanh()")
TRANSFER = {name: plain(f"nn.{name}()") for name in ("Tanh", "Sigmoid", "ReLU", "ELU", "SoftPlus", "PReLU")}

PIECES: dict[str, dict[str, Piece]] = {
    "vector": TRANSFER | {
        "Linear": wide(LINEAR),
        "sum": wide(together("CAddTable", LINEAR, LINEAR)),
        "gate": wide(together("CMulTable", SIGMOID, TANH)),
        "residual": plain(together("CAddTable", "nn.Identity()", TANH.format(n="{0}", w="{0}"))),
        "concat": wide(f"nn.Concat(2).add({LINEAR}).add({TANH})", 2),
        "BatchNormalization": plain("nn.BatchNormalization({})"),
        "Dropout": plain("nn.Dropout(0.3)"),
        "CMul": plain("nn.CMul({})"),
    },
    "pair": {
        "sum": wide(of_each("CAddTable", LINEAR, LINEAR), kind="vector"),
        "gate": wide(of_each("CMulTable", SIGMOID, TANH), kind="vector"),
        "join": lambda shape, _: ("nn.JoinTable(2)", Shape("vector", 2 * shape.features)),
    },
    "words": {"LookupTable": wide("nn.LookupTable({n}, {w})", kind="rows")},
    "word steps": {"LookupTable": wide("nn.LookupTable({n}, {w})", kind="steps")},
    "rows": {
        "convolution": convolution, "Tanh": plain("nn.Tanh()"), "Mean": into("nn.Mean(2)"), "Max": into("nn.Max(2)"),
    },
    "steps": {
        "SeqLSTM": wide("nn.SeqLSTM({n}, {w})"),
        "SeqGRU": wide("nn.SeqGRU({n}, {w})"),
        "FastLSTM": wide("nn.Sequencer(nn.FastLSTM({n}, {w}))"),
        "GRU": wide("nn.Sequencer(nn.GRU({n}, {w}))"),
        "Linear": wide("nn.Sequencer(nn.Linear({n}, {w}))"),
        "recurrence": wide(
            f"nn.Sequencer(nn.Recurrence({of_each('CAddTable', LINEAR, LINEAR.format(n='{w}', w='{w}'))}, {{w}}, 1))"
        ),
        "Tanh": plain("nn.Tanh()"),
        "Dropout": plain("nn.Dropout(0.3)"),
        "last": into("nn.Select(1, -1)"),
    },
    "image": TRANSFER | {
        "convolution": wide(CONVOLUTION),
        "inception": wide(f"nn.Concat(2).add({CONVOLUTION}).add(nn.SpatialConvolution({{n}}, {{w}}, 1, 1))", 2),
        "residual": plain(together("CAddTable", "nn.Identity()", CONVOLUTION.format(n="{0}", w="{0}"))),
        "max": pool("nn.SpatialMaxPooling(2, 2, 2, 2)"),
        "average": pool("nn.SpatialAveragePooling(2, 2, 2, 2)"),
        "BatchNormalization": plain("nn.SpatialBatchNormalization({})"),
        "view": view,
    },
}  # fmt: skip

DRAWING = {"Dropout"}
"""Pieces whose random numbers differ between the precisions."""

ENDS = {"vector", "steps"}
"""The kinds that can be the output."""


def step(shape: Shape, name: str, width: int) -> tuple[str, Shape]:
    """A piece by its name. Raises Misfit where it cannot stand."""
    if name not in PIECES[shape.kind]:
        raise Misfit(f"{name} after {shape.kind}")
    return PIECES[shape.kind][name](shape, width)
