"""A graph in nngraph's form: its input, its output, splits and their entries are also nodes."""

from collections.abc import Sequence
from typing import NamedTuple

from .graph import Graph, Source


class Place(NamedTuple):
    """One node: its sources, and the position of its module, if it has one.

    `splits` is the number of entries into which a node's table is split, `entry` the number (from 1) of the entry that
    a node is. `gives` is the value of a node that a program has made; its annotations are found by it.
    """

    inputs: tuple[int, ...]
    module: int | None = None
    splits: int | None = None
    entry: int | None = None
    gives: Source | None = None


def places_of(graph: Graph) -> list[Place]:
    """The nodes in the order in which Torch runs them; the first is the input, the last the output."""
    places = _places_of(graph)
    inputs = [place.inputs for place in places]
    *order, last = _post_order(len(places) - 1, inputs)
    rest = sorted(set(range(last)).difference(order))  # unused nodes
    order = [*order, *rest, last]
    now = {before: position for position, before in enumerate(order)}
    return [places[i]._replace(inputs=tuple(now[each] for each in inputs[i])) for i in order]


def consumers_of(inputs: Sequence[Sequence[int]]) -> list[list[int]]:
    """The users of each node's output, in Torch's order, from the sources of each."""
    met = {len(inputs) - 1: None}
    waiting = [*met]
    for each in waiting:  # breadth first, from the output
        new = [i for i in dict.fromkeys(inputs[each]) if i not in met]
        met |= dict.fromkeys(new)
        waiting += new
    consumers: list[list[int]] = [[] for _ in inputs]
    for each in met | dict.fromkeys(range(len(inputs))):  # unused nodes come last
        for i in dict.fromkeys(inputs[each]):
            consumers[i].append(each)
    return consumers


def backwards(consumers: Sequence[Sequence[int]]) -> list[int]:
    """Nodes in the order of Torch's backward pass, from the users of each node's output."""
    order = _post_order(0, consumers)
    return order + sorted(set(range(len(consumers))).difference(order))


def _post_order(start: int, following: Sequence[Sequence[int]]) -> list[int]:
    """Nodes in the order in which a depth-first search leaves them, starting with one of them."""
    order: list[int] = []
    seen, on_the_way = {start}, [(start, iter(following[start]))]
    while on_the_way:
        node, rest = on_the_way[-1]
        new = next((i for i in rest if i not in seen), None)
        if new is None:
            order.append(node)
            on_the_way.pop()
        else:
            seen.add(new)
            on_the_way.append((new, iter(following[new])))
    return order


def _places_of(graph: Graph) -> list[Place]:
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
                entries = [Source(source.origin, (*source.path[:depth], (i, count))) for i in range(count)]
                parts[whole] = [add(Place((table,), entry=i + 1, gives=gives)) for i, gives in enumerate(entries)]
            at = parts[whole][index]
        return at

    for position, sources in enumerate(graph.sources):
        modules.append(add(Place(tuple(map(of, sources)), module=position, gives=Source(position))))
    add(Place(tuple(map(of, graph.outputs))))
    return places
