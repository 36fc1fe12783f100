"""Too many calls wait: how many to run together, so that the same parts come again and few programs are compiled."""

from __future__ import annotations

from collections.abc import Hashable, Sequence


def portion(steps: Sequence[Hashable]) -> int:
    """How many of the first steps to run.

    All whole rounds of a loop, so that the rest begins as they did. If the rounds begin later, only the steps before
    them: the rounds are then always cut at the same place, however many steps came before.
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
    known = [0]  # for each beginning, how many of its last numbers equal its first
    for number in numbers[1:]:
        same = known[-1]
        while same and number != numbers[same]:
            same = known[same - 1]
        known.append(same + (number == numbers[same]))
    return [length - same for length, same in enumerate(known, 1)]
