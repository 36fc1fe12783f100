"""What is known of users' classes: which fields their methods read, and whether they can be traced."""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

from .user_code import read


@dataclass
class Known:
    """What is known of a user's class."""

    names: tuple[str, ...] = ()  # the fields that its methods read
    looks: bool = False  # whether they check values
    obstacle: str | None = None


_known: WeakKeyDictionary[type, Known] = WeakKeyDictionary()


def known(kind: type) -> Known:
    """What is known of a class so far: at first, what its code tells."""
    if kind not in _known:
        _known[kind] = Known(obstacle=read(kind).obstacle)
    return _known[kind]


class OtherwiseThanPlanned(Exception):
    """A user's class turns out to be other than the network was planned with; it is known now, and to be planned anew."""

    def __init__(self, kind: type, refused: bool = False):
        super().__init__(kind)
        self.kind, self.refused = kind, refused

    def take_back(self) -> None:
        """The class was refused because of an error that is the user's own."""
        if self.refused:
            known(self.kind).obstacle = None
