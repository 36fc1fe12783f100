"""How many of too many calls that wait are run together: parts that come again, so that few programs are compiled."""

from __future__ import annotations

from collections.abc import Hashable, Sequence


def portion(steps: Sequence[Hashable]) -> int:
    """How many of the first steps to run.

    Of a loop's rounds all that are whole, so that what is left begins as these did. If the rounds begin later, what
    comes before them: however many steps of the loop before were left, its rounds are then cut as they always are.
    """
    numbers: dict[Hashable, int] = {}
    backwards = [numbers.setdefault(step, len(numbers)) for step in reversed(steps)]
    count, periods = len(steps), _periods(backwards)
    if periods[-1] < count:
        return count // periods[-1] * periods[-1]
    for length in range(count - 1, 1, -1):
        if 2 * periods[length - 1] <= length:
            return count - length
    return count


def _periods(numbers: list[int]) -> list[int]:
    """After how many numbers each beginning (of one, two, ... of them) repeats itself; its length if it does not.

    Source: Knuth, Morris & Pratt, 1977.
    """
    known = [0]  # for each beginning, how many of its last numbers are its first ones, too
    for number in numbers[1:]:
        same = known[-1]
        while same and number != numbers[same]:
            same = known[same - 1]
        known.append(same + (number == numbers[same]))
    return [length - same for length, same in enumerate(known, 1)]
