"""Reading the profiler's files: the few fields of an XSpace, in protobuf's wire format, that times are made of.

JAX's own reader ended the process on a trace that it did not expect; here such a file is an error like any other.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

# The numbers of the fields, as in tsl/profiler/protobuf/xplane.proto.
PLANES, LINES, EVENTS = 1, 3, 4
EVENT_NAMES, STAT_NAMES = 4, 5  # of a plane: maps from numbers to what has a name
KEY, VALUE, NAME = 1, 2, 2
METADATA, DURATION_PS, STATS, METADATA_STATS = 1, 3, 4, 5
SIZES = {1: 8, 5: 4}  # in bytes, by form
TEXT, REFERENCE = 5, 7  # of a stat: its value, or the number of a name that is its value


class Event(NamedTuple):
    """Something that took time: picoseconds, and what is said about it in words, by name."""

    duration_ps: int
    about: dict[str, str]


def events(data: bytes) -> Iterator[Event]:
    """All events in a trace's file. Raises: ValueError for what is no such file."""
    for plane in _all(memoryview(data), PLANES):
        names = {_number(each, KEY): _text(_one(each, VALUE), NAME) for each in _all(plane, STAT_NAMES)}
        kinds = {
            _number(each, KEY): _about(_one(each, VALUE), METADATA_STATS, names) for each in _all(plane, EVENT_NAMES)
        }
        for line in _all(plane, LINES):
            for event in _all(line, EVENTS):
                about = kinds.get(_number(event, METADATA), {}) | _about(event, STATS, names)
                yield Event(_number(event, DURATION_PS), about)


def _about(message: memoryview, stats: int, names: dict[int, str]) -> dict[str, str]:
    """What the stats of a message say in words."""
    found = {}
    for stat in _all(message, stats):
        name, reference = names.get(_number(stat, METADATA), ""), _number(stat, REFERENCE)
        found[name] = names.get(reference, "") if reference else _text(stat, TEXT)
    return found


def _all(message: memoryview, field: int) -> list[memoryview]:
    return [value for number, value in _fields(message) if number == field and isinstance(value, memoryview)]


def _one(message: memoryview, field: int) -> memoryview:
    return next(iter(_all(message, field)), memoryview(b""))


def _number(message: memoryview, field: int) -> int:
    return next((value for number, value in _fields(message) if number == field and isinstance(value, int)), 0)


def _text(message: memoryview, field: int) -> str:
    return bytes(_one(message, field)).decode(errors="replace")


def _fields(message: memoryview) -> Iterator[tuple[int, Any]]:
    """Each field's number and value: whole numbers, or bytes for all that is longer."""
    at = 0
    while at < len(message):
        tag, at = _varint(message, at)
        form = tag & 7
        if form == 0:
            value, at = _varint(message, at)
        else:
            size, at = _varint(message, at) if form == 2 else (SIZES.get(form, len(message)), at)
            value, at = message[at : at + size], at + size
            if len(value) < size:
                raise ValueError("no trace of the profiler: its bytes end within a field")
        yield tag >> 3, value


def _varint(message: memoryview, at: int) -> tuple[int, int]:
    """A number of seven bits in each byte, and where it ends."""
    number, shift = 0, 0
    while at < len(message) and shift < 64:
        byte = message[at]
        number, shift, at = number | (byte & 127) << shift, shift + 7, at + 1
        if byte < 128:
            return number, at
    raise ValueError("no trace of the profiler: a number has no end")
