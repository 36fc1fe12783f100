"""What a compiled program says about the communication in it."""

import re
from collections import Counter
from math import prod

KINDS = ("all-reduce", "all-gather", "reduce-scatter", "all-to-all", "collective-permute")
OPERATION = re.compile(rf"= (.*?) ({'|'.join(KINDS)})(?:-start)?\(")


def collectives(program: str) -> Counter:
    """How often each kind occurs, in the whole program, inside loops too."""
    return Counter(kind for _, kind in OPERATION.findall(program))


def collectives_in_loops(program: str) -> Counter:
    """Those that do not occur once per step: in computations other than the main one."""
    return collectives(program[: program.index("\nENTRY ")])


def reduced_numbers(program: str) -> int:
    """How many numbers all the all-reduces have together."""
    shapes = [shape for result, kind in OPERATION.findall(program) if kind == "all-reduce" for shape in _shapes(result)]
    return sum(prod(shape) for shape in shapes)


def _shapes(result: str) -> list[list[int]]:
    return [[int(n) for n in sizes.split(",") if n] for sizes in re.findall(r"[a-z]+\d+\[([\d,]*)\]", result)]
