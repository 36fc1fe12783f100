"""Whether what is done ahead is worth it, by how often it was in vain so far."""

MOST = 6
"""A step that goes otherwise than expected costs 2, any other brings 1."""


class Credit:
    """Full at first; what is done ahead is left out once there is none."""

    __slots__ = ("_left",)

    def __init__(self) -> None:
        self._left = MOST

    @property
    def is_left(self) -> bool:
        """Whether there is some."""
        return self._left > 0

    def earn(self) -> None:
        """Notes a step that went as expected."""
        if self._left < MOST:
            self._left += 1

    def pay(self, price: int = 2) -> None:
        """Notes one that did not."""
        self._left -= price
