"""Strictness for all tests: no silent change of dtype, no silent broadcast between ranks."""

import jax
import pytest

jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_numpy_dtype_promotion", "strict")
jax.config.update("jax_numpy_rank_promotion", "raise")


@pytest.fixture
def key():
    return jax.random.key(0)
