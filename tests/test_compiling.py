"""What makes the suite quick computes what is asked for."""

import os

import compiling
import jax
import jax.numpy as jnp
import numpy as np
import program_files
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


# Programs in files ----------------------------------------------------------------------------------------------------


@pytest.fixture
def compiled_anew(monkeypatch, tmp_path):
    """What is compiled and not read, by a process whose folder of programs is empty."""
    compiled, compile = [], compiling.compile_anew
    monkeypatch.setattr(compiling, "compile_anew", lambda *args: compiled.append(args) or compile(*args))
    monkeypatch.setattr(compiling, "_compiled", {})
    monkeypatch.setenv(program_files.FOLDER, str(tmp_path))
    return compiled


def in_another_process(function, *args):
    """As a process computes it that has compiled nothing yet."""
    compiling._compiled.clear()
    return jax.jit(lambda *args: function(*args))(*args)


def solved(x):
    """What calls LAPACK, sorts, loops and draws."""
    matrix = x[:9].reshape(3, 3) + jnp.eye(3)
    drawn = jax.random.normal(jax.random.key(3), (3,))
    return jnp.linalg.solve(matrix, jax.lax.fori_loop(0, 5, lambda _, y: jnp.sort(y * 2), drawn))


def test_what_one_process_has_compiled_others_read(compiled_anew):
    first, again = (in_another_process(solved, ONES) for _ in range(2))
    assert len(compiled_anew) == 1
    np.testing.assert_array_equal(first, again)
    drawn = np.sort(jax.random.normal(jax.random.key(3), (3,))) * 2**5
    np.testing.assert_allclose(again, np.linalg.solve(np.ones((3, 3)) + np.eye(3), drawn), rtol=1e-4)


@pytest.mark.parametrize("changed", ["--xla_other_flag=1", None])
def test_other_flags_and_other_versions_have_files_of_their_own(compiled_anew, changed, monkeypatch):
    in_another_process(solved, ONES)
    with monkeypatch.context() as patch:
        patch.setattr(jax, "__version__", "0.0") if changed is None else patch.setitem(os.environ, "XLA_FLAGS", changed)
        program_files.made_by.cache_clear()
        in_another_process(solved, ONES)
    program_files.made_by.cache_clear()
    assert len(compiled_anew) == 2


def test_what_is_not_whole_is_compiled_anew(compiled_anew, tmp_path):
    first = in_another_process(solved, ONES)
    (path,) = tmp_path.iterdir()
    path.write_bytes(path.read_bytes()[:-9])
    np.testing.assert_array_equal(in_another_process(solved, ONES), first)
    assert len(compiled_anew) == 2


def test_functions_of_python_are_not_read(compiled_anew, tmp_path):
    for factor in (2, 3):
        found = in_another_process(lambda x, n=factor: jax.pure_callback(lambda x: n * np.asarray(x), x, x), ONES)
        np.testing.assert_array_equal(found, factor * ONES)
    assert len(compiled_anew) == 2 and not [*tmp_path.iterdir()]


def test_files_go_that_were_used_longest_ago(tmp_path):
    for age, name in enumerate("abcd"):
        (tmp_path / name).write_bytes(bytes(10))
        os.utime(tmp_path / name, (0, 100 - age))
    program_files.make_room(tmp_path, most=25)
    assert {path.name for path in tmp_path.iterdir()} == {"a", "b"}
