"""Records of Lua's objects and functions for Torch's files."""

from __future__ import annotations

import io
from collections.abc import Callable

from ..checks.tables import as_dict
from ..interop import t7
from ..legacy.objects.located import located
from ..legacy.program.file import File
from .kinds import Bridge, Crossing

Made = Callable[[object, str], Crossing]
"""Makes the record of a value at a place."""


def function_record(border: Bridge, reference: int, made: Made, place: str) -> t7.LuaFunction:
    """The record of a function: its code and its outer variables. Raises TypeError for a function that is not Lua's."""
    found = border.answered(border.ask.dumped(reference))
    if found is None:
        raise TypeError(f"torch.save: a function that is not written in Lua cannot be saved{located(place)}")
    code, upvalues = found
    return t7.LuaFunction(code.encode("utf-8", "surrogateescape"), made(upvalues, place))


def object_record(border: Bridge, reference: int, made: Made, place: str) -> Crossing:
    """The record of an object of a Lua class; or a value that is stored as it is: a key, a class's table.

    Raises: TypeError for other values (a coroutine).
    """
    found = border.answered(border.ask.taken_apart(reference))
    if found is None:
        return _itself(border, reference, made, place)
    name, fields, writes_itself = found
    content = _written(fields, made, place) if writes_itself else made(as_dict(fields), place)
    return t7.T7Object(name, 1, content)


def _itself(border: Bridge, reference: int, made: Made, place: str) -> Crossing:
    found = border.answered(border.ask.itself(reference))
    if getattr(found, "reference", None) == reference:
        told = border.ask.describe(reference)
        raise TypeError(f"torch.save: expected tables and objects of Torch's classes, got {told}{located(place)}")
    return made(found, place)


def _written(calls: list, made: Made, place: str) -> t7.Written:
    """What an object has written into a file by calls of the file's methods, [name, argument] each."""
    return t7.Written(
        made(given[0] if given else None, place) if name == "writeObject" else plain(name, given)
        for name, *given in calls
    )


def plain(name: str, given: list) -> t7.Plain:
    """What a method of files writes (not an object). Raises AttributeError for methods that files do not have."""
    found = []
    for format in ("binary", "ascii"):
        stream = io.BytesIO()
        file = getattr(File(stream, "w"), format)()
        getattr(file, name)(*given)
        found.append(stream.getvalue())
    return t7.Plain(*found)
