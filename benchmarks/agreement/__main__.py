"""Draws networks and checks that compiled, by single operations, and in float64 they compute the same.

    python -m benchmarks.agreement [--minutes 10] [--networks N] [--seed 0]

Ends with 1 at the first network where they do not, after printing the smallest program found that shows it.
"""

import argparse
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import replace

import jax

from .case import Case
from .comparing import Disagreement, Way, disagreement, ways
from .drawing import draw
from .program import loaded, program
from .shrinking import shrunk

ANOTHER = 1_000_003
"""Added to a case's seed, it gives other numbers: what is wrong for both is no kink that an input happened to meet."""

SECONDS = 120
"""How long a case is made smaller at most."""


def checked(case: Case, against: Sequence[Way] | None = None) -> Disagreement:
    """How far a case's ways are apart; an error has its program as a note."""
    text = program(case)
    try:
        return disagreement(loaded(text), case.dtype, against or ways(case.dtype, case.draws))
    except Exception as error:
        error.add_note(text)
        raise


def disagreeing(case: Case) -> list[Way]:
    """The ways that are not the compiled program's for the case's numbers, nor for others."""
    both = [case, replace(case, seed=case.seed + ANOTHER)]
    return [way for way in ways(case.dtype, case.draws) if all(checked(each, [way]).excess > 1 for each in both)]


def check(seed: int, minutes: float, networks: int | None) -> bool:
    """Whether all cases agree that there is time for; the first that does not is printed as small as possible."""
    start, number, furthest = time.monotonic(), 0, 0.0
    while number != networks and time.monotonic() - start < 60 * minutes:
        case, number = draw(seed, number), number + 1
        excess = checked(case).excess
        if excess <= 1:
            furthest = max(furthest, excess)
        elif against := disagreeing(case):
            print(f"network {number} of seed {seed} disagrees, after {time.monotonic() - start:.0f} s:\n{case}")
            smallest = shrunk(case, lambda smaller: checked(smaller, against).excess > 1, SECONDS)
            print(f"\nThe smallest found, after {time.monotonic() - start:.0f} s:\n{checked(smallest)}\n")
            print(program(smallest))
            return False
    print(f"{number} networks agree, seed {seed}, {time.monotonic() - start:.0f} s; furthest: {furthest:.2g} of 1")
    return True


def main() -> None:
    """Checks; warns where XLA is told to compile otherwise than it does for users."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.agreement", description=check.__doc__)
    parser.add_argument("--minutes", type=float, default=10, help="for so long, without making smaller (10)")
    parser.add_argument("--networks", type=int, help="at most so many networks")
    parser.add_argument("--seed", type=int, default=0, help="other networks (0)")
    options = parser.parse_args()
    if os.environ.get("XLA_FLAGS"):
        print(f"not the default flags: XLA_FLAGS is {os.environ['XLA_FLAGS']}", file=sys.stderr)
    print(f"jax {jax.__version__} on {jax.devices()[0]}")
    sys.exit(not check(options.seed, options.minutes, options.networks))


if __name__ == "__main__":
    main()
