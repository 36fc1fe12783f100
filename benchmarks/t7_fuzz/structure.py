"""Files that are whole, but hold what no program has saved: other values anywhere, cycles, absurd fields."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from functorch7.core import registry
from functorch7.interop.t7 import LuaFunction, T7Object, T7Storage
from functorch7.interop.torch7.names import KIN, REPLICAS
from functorch7.interop.torch7.reader import readers
from functorch7.interop.torch7.table import schema_of

OTHERS = {
    "optim.ConfusionMatrix": ("mat", "valids", "unionvalids", "nclasses", "classes", "totalValid"),
    "optim.Logger": ("names", "symbols", "styles", "name", "epsfile", "showPlot", "defaultStyle", "logscale", "idx"),
    "dl.TensorLoader": ("inputs", "targets", "_start", "split"),
    "dl.SequenceLoader": ("data", "batchsize", "bidirectional", "_start"),
    "dl.MultiSequence": ("sequences", "batchsize", "trackers", "seqlen"),
    "dl.ImageClass": ("datapath", "loadsize", "samplesize", "samplefunc", "classes", "imagePath", "imageClass"),
    "dl.MultiImageSequence": ("datapath", "batchsize", "loadsize", "samplesize", "samplefunc", "trackers"),
}
"""Classes of objects that are no modules, with their fields."""

CLASSES = tuple(
    sorted({*registry, *KIN, *REPLICAS, *readers, *OTHERS, "my.Unknown", "nn.StochasticGradient", "tds.Hash"})
)
"""The names of classes that mean something to functorch7, and one that means nothing."""

COMMON = (
    "modules", "module", "criterion", "criterions", "weight", "bias", "name", "output", "gradInput", "gradWeight",
    "recurrentModule", "forwardnodes", "innode", "outnode",
)  # fmt: skip
"""Fields that the reader asks many classes for."""

SETTINGS = ("train", "_type", "dpnn_serialEmpty")
"""Fields in which few values are right, so that few objects have them here."""

NUMBERS: tuple[Any, ...] = (-1, 0, 1, 2, 3, 5, 1000, 2**31, 2**53, -0.5, 0.5, 1e300, float("inf"), float("nan"))
SHAPES = ((1,), (2,), (3,), (2, 3), (3, 2), (1, 1, 1), (2, 3, 2, 2), (0,), (2, 0))


def tensor(random: random.Random) -> np.ndarray:
    """A small tensor, or one that seems to be large."""
    shape = random.choice(SHAPES)
    dtype = random.choice(["<f4", "<f8", "<i8", "<i4", "u1"])
    if random.random() < 0.05:
        return np.ndarray((random.choice((10, 10_000)), 1000), dtype, np.ones(1, dtype), 0, (0, 0))
    return np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)


def network(random: random.Random) -> Any:
    """A small whole network."""
    linear = T7Object("nn.Linear", 1, {"weight": np.ones((3, 2), "<f4"), "bias": np.ones(3, "<f4")})
    return random.choice([linear, T7Object("nn.Tanh", 1, {}), T7Object("nn.Sequential", 1, {"modules": [linear]})])


MAKERS: tuple[Callable[[random.Random], Any], ...] = (
    lambda random: random.choice(NUMBERS),
    lambda random: random.choice((1, 2, 3)),
    lambda random: random.choice(("", "x", "torch.FloatTensor", "both", "a\x00\udcff", "9" * 50)),
    lambda random: random.choice((None, True, False)),
    lambda random: random.choice(([], {}, [1, 2], [[1], [2]], {"a": 1, 2.5: 3}, [None], [True])),
    tensor,
    tensor,
    lambda random: T7Storage(np.arange(random.choice((0, 1, 4)), dtype="<i8")),
    lambda random: LuaFunction(b"\x1bLJ", None),
    network,
    network,
    lambda random: [network(random) for _ in range(random.randint(1, 4))],
    lambda random: absurd(random, depth=1),
)


def value(random: random.Random) -> Any:
    """Any value that a file can hold."""
    return random.choice(MAKERS)(random)


def fields_of(name: str) -> tuple[str, ...]:
    """The fields that the reader may ask an object of a class for."""
    if name in OTHERS:
        return OTHERS[name]
    spec_class = registry.get(KIN.get(name, name))
    if spec_class is None:
        return COMMON
    schema = schema_of(spec_class)
    own = [schema.spell(field.name) for field in schema.own_fields()]
    return tuple(dict.fromkeys((*own, *schema.parts, *schema.parameters.values(), *schema.buffers, *COMMON)))


def absurd(random: random.Random, name: str | None = None, depth: int = 0) -> T7Object:
    """An object of a class (any, unless it is named) with values of all kinds as its fields."""
    name = name or random.choice(CLASSES)
    made = T7Object(name, random.choice((None, 0, 1, 2, 4)), {})
    if random.random() < 0.05 and name not in ("tds.Hash", *REPLICAS):  # of these the writer needs tables
        made.fields = value(random) if depth == 0 else None
        return made
    for field in fields_of(name):
        if random.random() < 0.8:
            simple = depth or random.random() < 0.5
            made.fields[field] = random.choice(MAKERS[: -1 if simple else None])(random)
    if random.random() < 0.05:
        made.fields[random.choice(SETTINGS)] = value(random)
    if random.random() < 0.1:
        made.fields[random.choice(COMMON[:4])] = random.choice((made, [made], [made, made]))
    return made


def places(root: Any) -> Iterator[tuple[Any, Any]]:
    """Every list, dict and object's fields in a value, once, with each key."""
    waiting, seen = [root], set()
    while waiting:
        each = waiting.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        if isinstance(each, T7Object):
            waiting.append(each.fields)
        elif isinstance(each, (list, dict)):
            for key in list(each) if isinstance(each, dict) else range(len(each)):
                yield each, key
                waiting.append(each[key])


def mutated(root: Any, random: random.Random) -> Any:
    """Changes a decoded file in one to three places: another value, one from elsewhere in it (shared, or a cycle),
    nothing, another class."""
    found = list(places(root))  # keys in what is replaced stay valid
    for _ in range(random.randint(1, 3)):
        if not found:
            return value(random)
        holder, key = random.choice(found)
        kind, old = random.randrange(5), holder[key]
        if kind == 0:
            holder[key] = value(random)
        elif kind == 1:
            other, place = random.choice(found)
            holder[key] = other[place] if isinstance(other, list) or place in other else other
        elif kind == 2:
            del holder[key]
            found = list(places(root))  # the numbers of others may have changed
        elif kind == 3 and isinstance(old, T7Object) and isinstance(old.fields, dict):
            old.class_name = random.choice(CLASSES)
        else:
            holder[key] = random.choice((root, holder, [old, old], absurd(random)))
    return root
