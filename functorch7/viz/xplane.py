"""Reads the few fields of the profiler's files (XSpace, in protobuf's wire format) that contain times.

JAX's own reader ended the process on an unexpected trace; here such a file is an ordinary error.
"""

from collections.abc import Iterator
from typing import NamedTuple

from ..interop.protobuf import Message

# The numbers of the fields, as in tsl/profiler/protobuf/xplane.proto.
PLANES, LINES, EVENTS = 1, 3, 4
EVENT_NAMES, STAT_NAMES = 4, 5  # of a plane: maps from numbers to named things
KEY, VALUE, NAME = 1, 2, 2
METADATA, DURATION_PS, STATS, METADATA_STATS = 1, 3, 4, 5
TEXT, REFERENCE = 5, 7  # of a stat: its value, or the number of a name that is its value


class Event(NamedTuple):
    """An event: its duration in picoseconds, and its texts by name."""

    duration_ps: int
    about: dict[str, str]


def events(data: bytes) -> Iterator[Event]:
    """All events in a trace's file. Raises: ValueError for other files."""
    try:
        for plane in Message(memoryview(data)).messages(PLANES):
            yield from _events_of(plane)
    except ValueError as error:
        raise ValueError(f"no trace of the profiler: {error}") from error


def _events_of(plane: Message) -> Iterator[Event]:
    names = {each.whole(KEY): each.message(VALUE).text(NAME) for each in plane.messages(STAT_NAMES)}
    kinds = {
        each.whole(KEY): _about(each.message(VALUE), METADATA_STATS, names) for each in plane.messages(EVENT_NAMES)
    }
    for line in plane.messages(LINES):
        for event in line.messages(EVENTS):
            about = kinds.get(event.whole(METADATA), {}) | _about(event, STATS, names)
            yield Event(event.whole(DURATION_PS), about)


def _about(message: Message, stats: int, names: dict[int, str]) -> dict[str, str]:
    """The texts among a message's stats, by name."""
    found = {}
    for stat in message.messages(stats):
        name, reference = names.get(stat.whole(METADATA), ""), stat.whole(REFERENCE)
        found[name] = names.get(reference, "") if reference else stat.text(TEXT)
    return found
