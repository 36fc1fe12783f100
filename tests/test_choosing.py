"""Which cases run of the tests that have many."""

from types import SimpleNamespace

import pytest
from choosing import chosen


def made(name, cases, **markers):
    """The items of a test."""
    marks = {name: SimpleNamespace(args=args) for name, args in markers.items()}
    return [SimpleNamespace(nodeid=f"{name}[{case}]", get_closest_marker=marks.get) for case in range(cases)]


PLAIN, MANY, SOURCE = made("a.py::plain", 7), made("a.py::many", 9, one_in=(3,)), made("b.py::source", 7, structure=())
CASES = {
    "make test-every": ({}, (7, 9, 7)),
    "make test": ({"fewer": True}, (7, 3, 7)),
    "make check": ({"most": 2}, (2, 2, 7)),
}


@pytest.mark.parametrize("options, expected", CASES.values(), ids=CASES)
def test_so_many_cases_run(options, expected):
    left = chosen([*PLAIN, *MANY, *SOURCE], **options)
    assert tuple(sum(item in left for item in test) for test in (PLAIN, MANY, SOURCE)) == expected
    assert left == [item for item in (*PLAIN, *MANY, *SOURCE) if item in left]  # in their order


def test_cases_are_spread_evenly():
    assert chosen(MANY, fewer=True) == MANY[::3] and chosen(MANY, most=2) == MANY[::5]
