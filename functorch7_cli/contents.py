"""What a file holds, as plain dicts and lists: what `inspect --json` prints."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from functorch7.core.tree import Path as Place
from functorch7.core.tree import child_names, dotted
from functorch7.interop import t7
from functorch7.interop.t7.values import BYTES
from functorch7.interop.torch7.entries import is_module
from functorch7.interop.torch7.node import Node, place_of
from functorch7.interop.torch7.reader import Reader, Unknown
from functorch7.layers import Graph
from functorch7.network import in_order

from .files import form_of, read_t7
from .others import OTHERS, Described, bytes_in, numbers_in

SHOWN = 20
"""How many entries of a table are described."""
DEEPEST = 6
"""How many tables and objects inside each other are described."""


def contents_of(path: str) -> Described:
    """The file's form, size, and value. Raises ValueError for damaged files."""
    form = form_of(path)
    if form != "t7":
        return {"file": path, "form": form, "bytes": _size(Path(path)), "value": OTHERS[form](path)}
    file = read_t7(path)
    about = {
        "encoding": file.format, "long_size": file.long_size, "bytes": _size(Path(path)), "bytes_after": file.rest,
    }  # fmt: skip
    return {"file": path, "form": form, **about, "value": _Describer().value(file.value)}


def _size(path: Path) -> int:
    files = [each for each in path.rglob("*") if each.is_file()] if path.is_dir() else [path]
    return sum(each.stat().st_size for each in files)


class _Describer:
    """Describes values, each list, dict and object once: files may have cycles."""

    def __init__(self) -> None:
        self.seen: set[int] = set()
        self.depth = 0

    def value(self, value: Any) -> Described:
        if isinstance(value, np.ndarray):
            return {"kind": "tensor", **_array(value)}
        if isinstance(value, t7.T7Storage):
            return {"kind": "storage", **_array(value.array)}
        if isinstance(value, t7.LuaFunction):
            return {"kind": "function", "bytes": len(value.bytecode)}
        if not isinstance(value, (list, dict, t7.T7Object)):
            return {"kind": "value", "value": value}
        if id(value) in self.seen:
            return {"kind": "seen"}
        if self.depth == DEEPEST:
            return {"kind": "deeper"}
        self.seen.add(id(value))
        self.depth += 1
        found = self.object(value) if isinstance(value, t7.T7Object) else {"kind": "table", **self.table(value)}
        self.depth -= 1
        return found

    def table(self, table: Any) -> Described:
        """The first entries, by their keys as text, and how many there are."""
        entries: Described = {}
        for number, (key, each) in enumerate(table.items() if isinstance(table, dict) else enumerate(table, 1), 1):
            if number > SHOWN:
                break
            plain = isinstance(key, (str, int, float))
            name = str(key) if plain else f"<{getattr(key, 'class_name', 'key')} {number}>"
            entries[repr(key) if name in entries else name] = self.value(each)
        return {"length": len(table), "entries": entries}

    def object(self, object: t7.T7Object) -> Described:
        """A network, or the fields of an object that is none that can be made."""
        name = object.class_name
        problem = f"{BYTES[name]} bytes" if name in BYTES else "functorch7 has no such class"
        if is_module(object):
            try:
                return self.network(name, Reader(allow_unknown=True).read(object))
            except t7.T7FormatError as error:
                problem = str(error)
        return {"kind": "object", "class": name, "version": object.version, "problem": problem, **self.fields(object)}

    def fields(self, object: t7.T7Object) -> Described:
        """An object's fields; a class may also have written something else."""
        return {"fields": self.table(object.fields)["entries"] if isinstance(object.fields, dict) else {}}

    def network(self, name: str, root: Node) -> Described:
        """A network: its tree, its arrays, and the objects in it whose classes are unknown."""
        owners: dict[Any, str] = {}
        parameters, buffers, unknown = [], [], []

        def listed(path: Place, name: str, array: np.ndarray) -> Described:
            entry = {"name": dotted((*path, name)), **_array(array)}
            owner = owners.setdefault(place_of(array), entry["name"])
            return entry if owner == entry["name"] else entry | {"tied_to": owner}

        for path, node in nodes_of(root):
            parameters += [listed(path, own, node.parameters[own]) for own in in_order(node.spec, node.parameters)]
            arrays = {own: array for own, array in node.buffers.items() if isinstance(array, np.ndarray)}
            buffers += [listed(path, own, array) for own, array in arrays.items()]
            if isinstance(node.spec, Unknown):
                found = node.spec.object
                unknown.append({"class": found.class_name, "layer": dotted(path), **self.fields(found)})
        return {
            "kind": "network",
            "class": name,
            "tree": str(root.spec),
            "graphs": [
                {"layer": dotted(path), "wiring": node.spec.wiring()}
                for path, node in nodes_of(root)
                if isinstance(node.spec, Graph)
            ],
            **summed(parameters, buffers),
            "unknown": unknown,
        }


def nodes_of(node: Node, path: Place = ()) -> Iterator[tuple[Place, Node]]:
    """A network's nodes with their paths, each before those inside it."""
    yield path, node
    for name, child in zip(child_names(node.spec), node.children, strict=True):
        yield from nodes_of(child, (*path, name))


def summed(parameters: list[Described], buffers: list[Described]) -> Described:
    """Lists of arrays, together with how many numbers and bytes the parameters are; tied ones count once."""
    own, own_buffers = ([each for each in arrays if "tied_to" not in each] for arrays in (parameters, buffers))
    return {
        "parameters": parameters,
        "buffers": buffers,
        "parameter_count": numbers_in(own),
        "parameter_bytes": bytes_in(own),
        "buffer_bytes": bytes_in(own_buffers),
        "dtypes": sorted({each["dtype"] for each in own}),
    }


def _array(array: Any) -> Described:
    return {"shape": list(array.shape), "dtype": str(array.dtype)}
