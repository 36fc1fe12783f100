"""Records of Lua's objects and functions for Torch's files."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import BinaryIO

from ..checks.tables import as_dict
from ..interop import t7
from ..legacy.objects.located import located
from ..legacy.program.file import File
from ..legacy.tensors.storage import Storage
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
    name, version, fields, writes_itself = found
    if not writes_itself:
        return t7.T7Object(name, version, made(as_dict(fields), place))
    file = Recorder(name, made)
    border.answered(border.ask.write_itself(reference, *border.encode(file)))
    return t7.T7Object(name, version, file.written)


def _itself(border: Bridge, reference: int, made: Made, place: str) -> Crossing:
    found = border.answered(border.ask.itself(reference))
    if getattr(found, "reference", None) == reference:
        told = border.ask.describe(reference)
        raise TypeError(f"torch.save: expected tables and objects of Torch's classes, got {told}{located(place)}")
    return made(found, place)


class Recorder(File):
    """What stands for a file in an object's own way to write: it may be written to, in no format yet.

    `made` makes the record of an object.
    """

    def __init__(self, name: str, made: Made):
        super().__init__(io.BytesIO(), "w")
        self._name, self._made = name, made
        self.written = t7.Written()

    def writeObject(self, object: Crossing = None) -> Recorder:
        """Notes an object."""
        self.written.append(self._made(object, self._name))
        return self

    def isWritableObject(self, object: Crossing = None) -> bool:
        """Whether files can have an object; what they cannot have is found when it is written."""
        return True

    def _write_numbers(self, kind: str, given: float | Storage) -> int:
        streams = io.BytesIO(), io.BytesIO()
        count = File(streams[0], "w").binary()._write_numbers(kind, given)
        File(streams[1], "w").ascii()._write_numbers(kind, given)
        self.written.append(t7.Plain(*(stream.getvalue() for stream in streams)))
        return count

    def _put(self, data: bytes) -> None:
        self.written.append(t7.Plain(data, data))

    def _open(self, use: str) -> BinaryIO:
        raise TypeError(f"{self._name}: in its own way to be saved a file is written to; it has no place, nor contents")
