"""What waits on an accelerator is run in parts that come again, whatever a loop consists of and wherever it is cut."""

import itertools

import numpy as np
import pytest

from functorch7.legacy.tensors.portions import portion

LOOPS = {
    "one call": ["a"],
    "a short round": list("fcbu"),
    "clones over time": [*"xy", *("rfc" * 20), *("db" * 20), "n"],
    "clones of varying use": [*("rf" * 17), "l", *("b" * 17), *"mau"],
    "no call twice": [str(number) for number in range(30)],
    "one long run of equal calls": [*("a" * 40), "b"],
}


def parts(loop, most, rounds):
    """The parts in which a loop's calls run if so many wait at most, each with its place in the round."""
    waiting, found = [], []
    for call in itertools.chain.from_iterable(itertools.repeat(loop, rounds)):
        waiting.append(call)
        if len(waiting) > most:
            count = portion(waiting)
            assert 1 <= count <= len(waiting)
            found.append(tuple(waiting[:count]))
            del waiting[:count]
    assert list(itertools.chain(*found, waiting)) == loop * rounds
    return found


@pytest.mark.parametrize("most", [8, 17, 64])
@pytest.mark.parametrize("name", LOOPS)
def test_a_loop_that_nobody_looks_at_consists_of_few_parts(name, most):
    found = parts(LOOPS[name], most, 60)
    late = set(found[len(found) // 3 :])
    assert late <= set(found[: len(found) // 3])  # what comes later has come before
    assert len(late) <= 12 or len(set(LOOPS[name])) > most


@pytest.mark.parametrize("seed", range(5))
def test_loops_of_any_calls_are_cut_alike_in_the_end(seed):
    random = np.random.default_rng(seed)
    blocks = [[str(each) for each in random.integers(9, size=random.integers(1, 5))] * random.integers(1, 12)
              for _ in range(4)]  # fmt: skip
    loop = list(itertools.chain(*blocks))
    found = parts(loop, 24, 200)
    assert set(found[-len(found) // 4 :]) <= set(found[: len(found) // 2])
