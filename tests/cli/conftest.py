"""Commands that run in the tests' own process keep no programs."""

import pytest

from functorch7_cli import tuning


@pytest.fixture(autouse=True)
def keeps_no_programs(monkeypatch):
    monkeypatch.setattr(tuning, "keep_programs", lambda: None)
