"""Messages of Google's protocol buffers, read as numbered fields without their definitions."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

VARINT, EIGHT_BYTES, BYTES, FOUR_BYTES = 0, 1, 2, 5

Field = int | memoryview
"""A whole number, or the bytes of a message, a text, packed numbers or a float."""


class Message:
    """A message's fields by number. Raises ValueError for bytes that are not a message."""

    def __init__(self, data: memoryview):
        self._fields: dict[int, list[Field]] = {}
        for number, value in _fields(data):
            self._fields.setdefault(number, []).append(value)

    def messages(self, number: int) -> Iterator[Message]:
        """The messages in a field, each read when it is reached."""
        return map(Message, self._bytes(number))

    def message(self, number: int) -> Message:
        """The message in a field, an empty one if there is none."""
        found = self._bytes(number)
        return Message(found[-1] if found else memoryview(b""))

    def text(self, number: int) -> str:
        """The text in a field, "" if there is none."""
        return next((bytes(value).decode(errors="replace") for value in self._bytes(number)), "")

    def whole(self, number: int, default: int = 0) -> int:
        """The whole number in a field."""
        found = self._fields.get(number, [])
        return found[-1] if found and isinstance(found[-1], int) else default

    def fraction(self, number: int, default: float) -> float:
        """The fraction (of 4 bytes) in a field."""
        found = self.fractions(number)
        return float(found[-1]) if found.size else default

    def wholes(self, number: int) -> list[int]:
        """The whole numbers in a field, packed or one by one."""
        found: list[int] = []
        for value in self._fields.get(number, []):
            found += [value] if isinstance(value, int) else list(_varints(value))
        return found

    def fractions(self, number: int) -> np.ndarray:
        """The fractions in a field, packed or one by one."""
        return np.frombuffer(b"".join(self._bytes(number)), "<f4").astype(np.float32)

    def _bytes(self, number: int) -> list[memoryview]:
        return [value for value in self._fields.get(number, []) if isinstance(value, memoryview)]


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    """(a whole number, where it ends): 7 bits per byte, lowest first; the eighth bit means that more follow."""
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise ValueError("a number that does not end")
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7


def _varints(data: memoryview) -> Iterator[int]:
    at = 0
    while at < len(data):
        value, at = _varint(data, at)
        yield value


def _fields(data: memoryview) -> Iterator[tuple[int, Field]]:
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        number, kind = tag >> 3, tag & 7
        if kind == VARINT:
            value, at = _varint(data, at)
            yield number, value
            continue
        size = {EIGHT_BYTES: 8, FOUR_BYTES: 4}.get(kind)
        if kind == BYTES:
            size, at = _varint(data, at)
        if size is None or at + size > len(data) or number == 0:
            raise ValueError("a field of no known kind, or one that does not end")
        yield number, data[at : at + size]
        at += size
