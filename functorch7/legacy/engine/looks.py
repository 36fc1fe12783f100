"""Whether anybody looks at what each call of a network gives: what nobody looks at is better left out."""

import math

OFTEN = 100
"""So many calls in a row show that nobody looks: another program, without it, is then worth its compilation."""


class Looks:
    """What is known of those who look at one result of a plan's calls."""

    __slots__ = ("_unseen",)

    def __init__(self) -> None:
        self._unseen: float = 0  # calls in a row; less than any number once somebody has looked

    def is_left_out(self) -> bool:
        """Whether the next call is to leave it out, for who looks to have it computed."""
        return self._unseen >= OFTEN

    def given(self) -> None:
        """Notes a call's result, at which nobody has looked yet."""
        self._unseen += 1

    def looked(self) -> None:
        """Notes that somebody looks."""
        self._unseen = -math.inf
