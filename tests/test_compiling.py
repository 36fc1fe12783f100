"""What makes the suite quick computes what is asked for."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax._src import compiler

ONES = np.ones(1234, np.float32)  # so many as in no other test


@pytest.fixture
def given(monkeypatch):
    """The executables that JAX is given, one for each time that it asks for one."""
    executables, compile = [], compiler.backend_compile_and_load

    def noted(*args):
        executables.append(compile(*args))
        return executables[-1]

    monkeypatch.setattr(compiler, "backend_compile_and_load", noted)
    return executables


def test_equal_programs_are_compiled_once(given):
    for factor in (2, 2, 3):
        found = jax.jit(lambda x, n=factor: jnp.tanh(n * x))(ONES)
        np.testing.assert_allclose(found, np.tanh(factor * ONES), rtol=1e-6)
    first, second, other = given
    assert first is second is not other


def test_other_options_compile_another(given):
    """By them the agreement check compiles its single operations."""
    before = jax.config.read("jax_disable_most_optimizations")
    for least in (False, True):
        jax.config.update("jax_disable_most_optimizations", least)
        try:
            jax.jit(lambda x: x * 11)(ONES)
        finally:
            jax.config.update("jax_disable_most_optimizations", before)
    first, second = given
    assert first is not second


def test_programs_that_differ_in_one_number_of_many_are_two():
    for place in (0, len(ONES) // 2, len(ONES) - 1):
        numbers = ONES.copy()
        numbers[place] = 2
        np.testing.assert_array_equal(jax.jit(lambda x, numbers=numbers: x + numbers)(ONES), ONES + numbers)


def test_programs_that_call_python_call_their_own():
    for factor in (2, 3):
        call = jax.jit(lambda x, n=factor: jax.pure_callback(lambda x: n * np.asarray(x), x, x))
        np.testing.assert_array_equal(call(ONES), factor * ONES)


@pytest.mark.parametrize("donated", [(), (0,)])
def test_arrays_are_given_up_only_where_they_are_donated(donated):
    x = jax.device_put(ONES)
    jax.block_until_ready(jax.jit(lambda x: x * 7, donate_argnums=donated)(x))
    assert x.is_deleted() == bool(donated)
