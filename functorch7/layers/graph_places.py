"""A graph as nngraph keeps it: its input, its output, splits and their entries are nodes, too."""

from typing import NamedTuple

from .graph import Graph, Source


class Place(NamedTuple):
    """One node: those that it gets its input from, and the position of its module, if it has one.

    `splits` is into how many entries a node's table is taken apart, `entry` which of them (from 1) a node is.
    """

    inputs: tuple[int, ...]
    module: int | None = None
    splits: int | None = None
    entry: int | None = None


def places_of(graph: Graph) -> list[Place]:
    """The nodes in the order in which they run; the first is the input, the last the output."""
    places = [Place(())]

    def add(place: Place) -> int:
        places.append(place)
        return len(places) - 1

    given, modules = [0], []
    if graph.n_inputs > 1:
        table = add(Place((0,), splits=graph.n_inputs))
        given = [add(Place((table,), entry=i + 1)) for i in range(graph.n_inputs)]
    parts: dict[tuple, list[int]] = {}

    def of(source: Source) -> int:
        at = given[-1 - source.origin] if source.origin < 0 else modules[source.origin]
        for depth, (index, count) in enumerate(source.path):
            whole = source.origin, source.path[:depth]
            if whole not in parts:
                table = add(Place((at,), splits=count))
                parts[whole] = [add(Place((table,), entry=i + 1)) for i in range(count)]
            at = parts[whole][index]
        return at

    for position, sources in enumerate(graph.sources):
        modules.append(add(Place(tuple(map(of, sources)), module=position)))
    add(Place(tuple(map(of, graph.outputs))))
    return places
