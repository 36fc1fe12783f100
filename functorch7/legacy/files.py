"""Torch7's files as Torch's own functions gave them: tables, tensors, modules; and back."""

from __future__ import annotations

import os
from collections.abc import Collection
from typing import Any

import numpy as np

from ..interop import t7
from ..interop.t7.values import HASHES, VECTORS
from ..interop.torch7.reader import Reader
from ..interop.torch7.writer import Writer
from .described import Described, class_named
from .nodes import Arrays, Nodes, Objects
from .storage import Storage
from .tensor import Tensor
from .trainer import StochasticGradient

TRAINER = "nn.StochasticGradient"
TABLES = (*HASHES, *VECTORS)


def load_t7(path: str | os.PathLike, *, allow_unknown: bool | Collection[str] = False) -> Any:
    """What a Torch7 file holds, at a path or a URL for fsspec: tables as lists and dicts, tensors and storages, modules
    and criterions as objects.

    Tensors share storages, and tables and objects are one where they were one. Objects of unknown classes raise
    UnknownClassError, which names them all, their places and fields; with `allow_unknown` (True, or the names of
    classes) they are modules that cannot run, or T7Objects outside of networks. Functions stay bytes. Raises
    T7FormatError for anything else than a Torch7 file. A class with an updateOutput of the user's own has to be defined
    when the file is loaded; the object gets its fields, and `__init__` does not run.
    Source: torch7/doc/serialization.md, torch.load.
    """
    return from_file(t7.read(path), allow_unknown)


def save_t7(path: str | os.PathLike, value: Any, format: str = "binary") -> None:
    """Writes tensors, tables, modules and criterions to a file that Torch7 loads; "binary" or "ascii".

    `path` may be a URL for fsspec; a file that was there is replaced when the new one is whole. Modules are saved as in
    Torch, with their gradients, or less after `mediumSerial()` and `lightSerial()`; those with an updateOutput of the
    user's own as the name of their class and their fields. Raises TypeError for what Torch has not: objects of other
    classes, and users' subclasses of layers.
    Source: torch7/doc/serialization.md, torch.save; dpnn/README.md, Serial.
    """
    t7.write(path, to_file(value), format)


def from_file(value: Any, allow_unknown: bool | Collection[str] = False) -> Any:
    """The value with objects and tensors in place of records and arrays; lists and dicts are changed in place."""
    users: dict[int, Any] = {}
    reader, objects = Reader(allow_unknown, lambda name: class_named(name) is not None), Objects(users)
    nodes: dict[int, Any] = {}
    trainers: dict[int, StochasticGradient] = {}
    root = [value]
    waiting: list[tuple[Any, str]] = [(root, "")]
    seen: set[int] = set()

    def described(each: Any, path: str) -> None:
        if isinstance(each, t7.T7Object) and each.class_name == TRAINER:
            trainers[id(each)] = object.__new__(StochasticGradient)
            trainers[id(each)].__dict__ = each.fields  # which become tensors and modules in place
            described(each.fields, path)
        elif isinstance(each, t7.T7Object) and each.class_name in TABLES:
            described(each.fields, path)
        elif isinstance(each, t7.T7Object):
            nodes[id(each)] = reader.noted(each, path or "the top")
        elif isinstance(each, (list, dict)) and id(each) not in seen:
            waiting.append((each, path))

    tables: list[Any] = []
    while waiting or reader.users:
        if reader.users:
            record, path = reader.users.pop()
            user = users[id(record)] = object.__new__(class_named(record.class_name))
            user.take_fields(record.fields)  # in which tensors and modules take their places
            waiting.append((record.fields, path))
            continue
        table, path = waiting.pop()
        seen.add(id(table))
        tables.append(table)
        pairs = table.items() if isinstance(table, dict) else enumerate(table, 1)
        for key, each in pairs:
            described(key, f"{path} (a key)")
            described(each, "" if table is root else f"{path}[{key!r}]")
    reader.check()

    def made(each: Any) -> Any:
        if isinstance(each, np.ndarray):
            return objects.tensor(each)
        if isinstance(each, t7.T7Storage):
            return objects.storage(each.array)
        if isinstance(each, t7.T7Object) and each.class_name in TABLES:
            return each.fields
        if id(each) in trainers:
            return trainers[id(each)]
        node = nodes.get(id(each)) if isinstance(each, t7.T7Object) else None
        return each if node is None else objects.object(node)

    for table in tables:
        if isinstance(table, list):
            table[:] = [made(each) for each in table]
        else:
            pairs = [(made(key) if isinstance(key, t7.T7Object) else key, made(each)) for key, each in table.items()]
            table.clear()
            table.update(pairs)
    return root[0]


def to_file(value: Any) -> Any:
    """The value with records and arrays in place of objects and tensors."""
    arrays = Arrays()
    nodes, writer = Nodes(lambda user: t7.T7Object(user.typename(), 1, made(user.saved_fields()))), Writer(arrays)
    tables: dict[int, Any] = {}
    kept: list[Any] = []
    waiting: list[Any] = []

    def made(each: Any) -> Any:
        if isinstance(each, Tensor):
            return arrays(each)
        if isinstance(each, Storage):
            return t7.T7Storage(arrays.storage(each))
        if isinstance(each, Described):
            return writer.object(nodes.node(each))
        if isinstance(each, StochasticGradient):
            return t7.T7Object(TRAINER, 1, made(each.__dict__))
        if not isinstance(each, (list, tuple, dict)):
            return each
        if id(each) not in tables:
            tables[id(each)] = {} if isinstance(each, dict) else []
            kept.append(each)
            waiting.append(each)
        return tables[id(each)]

    result = made(value)
    while waiting:
        table = waiting.pop()
        if isinstance(table, dict):
            tables[id(table)].update((made(key), made(each)) for key, each in table.items())
        else:
            tables[id(table)].extend(made(each) for each in table)
    return result
