"""Which cases run of the tests that have many."""

import math
from collections import defaultdict


def chosen(items, most=None, fewer=False):
    """The items that run.

    With `most`, of each test so many of its cases, spread evenly, but all of one that only looks at the source. With
    `fewer`, every n-th case of a test that is marked `one_in(n)`. Otherwise all.
    """
    cases = defaultdict(list)
    for item in items:
        cases[item.nodeid.split("[")[0]].append(item)
    kept = {item.nodeid for each in cases.values() for item in each[:: _step(each, most, fewer)]}
    return [item for item in items if item.nodeid in kept]


def _step(cases, most, fewer):
    if most is not None:
        return 1 if cases[0].get_closest_marker("structure") else math.ceil(len(cases) / most)
    marked = cases[0].get_closest_marker("one_in") if fewer else None
    return marked.args[0] if marked else 1
