"""Strictness for all tests: no silent change of dtype, no silent broadcast between ranks."""

import itertools

import jax
import pytest

jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_numpy_dtype_promotion", "strict")
jax.config.update("jax_numpy_rank_promotion", "raise")

_finished = itertools.count(1)


def pytest_runtest_teardown():
    """Lets compiled programs go now and then: each holds memory maps, of which a process may have only so many."""
    if next(_finished) % 250 == 0:
        jax.clear_caches()


@pytest.fixture
def key():
    return jax.random.key(0)
