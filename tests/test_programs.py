"""Compiled programs are kept only up to a limit, and those that are let go are really gone."""

import ast
import gc
import subprocess
import sys
import weakref
from pathlib import Path

import compiling
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax._src import compiler
from jax._src import core as jax_core

import functorch7
from functorch7 import programs
from functorch7.legacy import cache_info, cache_limit, clear_cache, nn
from functorch7.programs import cache
from functorch7.programs.ended import closing


def alive():
    gc.collect()
    return len(jax.devices()[0].client.live_executables())


@pytest.fixture
def small(monkeypatch):
    """An empty cache of at most 24 programs, in a process as it is without what makes the suite quick."""
    monkeypatch.setattr(compiler, "backend_compile_and_load", compiling.compile_anew)
    monkeypatch.setattr(cache, "LOOK_EVERY", compiling.LOOK_EVERY_BY_DEFAULT)
    before = cache_info()
    clear_cache()
    compiling.let_programs_go()  # whose maps count, too
    gc.collect()
    gc.freeze()  # what other tests have left to the end: each collection would look at all of it
    cache_limit(programs=24)
    yield
    cache_limit(programs=before.max_programs, maps=before.max_maps, memory=before.max_memory)
    clear_cache()


def compiled(factor):
    return programs.Compiled(jax.jit(lambda x: factor * jnp.tanh(x)))


def test_programs_are_counted_by_the_shapes_that_a_function_was_called_with(small):
    function = compiled(2)
    for length in (3, 4, 3, 5, 4):
        np.testing.assert_allclose(function(np.zeros(length, np.float32)), np.zeros(length))
    assert function.programs == cache_info().programs == 3 and cache_info().functions == 1


class Owner:
    """Something whose compiled function refers to it."""

    def __init__(self):
        self.run = programs.Compiled(jax.jit(lambda x: x * self.factor))
        self.factor = 2


def test_a_function_goes_with_what_it_refers_to_and_what_refers_to_it(little_to_collect):
    owner = Owner()
    assert owner.run(np.float32(3)) == 6
    kept = weakref.ref(owner)
    del owner
    gc.collect()
    assert kept() is None


def test_a_program_that_is_let_go_frees_its_executable(small):
    function, before = compiled(3), alive()
    for length in range(1, 16):
        function(np.zeros(length, np.float32))
    assert alive() == before + 15
    function.forget()
    assert alive() == before and cache_info().programs == 0


def test_programs_of_single_operations_go_where_they_are_too_many(small, monkeypatch):
    """JAX keeps one for each shape: 40 steps make 120 of them."""
    monkeypatch.setattr(cache, "LOOK_EVERY", 8)
    function, before = compiled(4), alive()
    for length in range(1, 41):
        function(-(np.float32(2) * jnp.zeros(length, np.float32)))
    assert alive() < before + 60


def test_functions_that_were_called_longest_ago_let_theirs_go_first(small):
    old, new, third = compiled(1), compiled(2), compiled(3)
    for function in (old, new):
        for length in range(1, 11):
            function(np.zeros(length, np.float32))
    old(np.zeros(1, np.float32))
    for length in range(1, 6):
        third(np.zeros(length, np.float32))
    assert (old.programs, new.programs, third.programs) == (10, 0, 5)
    np.testing.assert_allclose(new(np.ones(3, np.float32)), np.full(3, 2 * np.tanh(1)), rtol=1e-6)


@pytest.mark.parametrize("let_go", [clear_cache, lambda: cache_limit(programs=1)], ids=["all", "some"])
def test_what_was_traced_goes_with_programs(small, let_go):
    """JAX keeps it for ever, of functions inside others, too: each shape would cost a megabyte."""
    traced = []
    inside = jax.jit(lambda x: (traced.append(x.shape), x + 1)[1])
    first, second, third = (programs.Compiled(jax.jit(lambda x, n=n: n * inside(x))) for n in (2, 3, 5))
    first(np.zeros(3, np.float32))
    second(np.zeros(3, np.float32))
    assert traced == [(3,)]
    let_go()
    third(np.zeros(3, np.float32))
    assert traced == [(3,), (3,)]


def test_looking_at_memory_compiles_nothing_again(small, monkeypatch):
    """The same numbers, in NumPy's array and then in JAX's: for JAX two calls, of one program."""
    monkeypatch.setattr(cache, "LOOK_EVERY", 1)
    function, other, numbers = compiled(2), compiled(3), np.ones(3, np.float32)
    before = alive()
    for array in (numbers, jax.device_put(numbers)):
        function(array)
        other(array)
    assert alive() == before + 2


def test_a_function_that_nobody_holds_takes_its_programs_with_it(small):
    function, before = compiled(4), alive()
    function(np.zeros(7, np.float32))
    del function
    assert alive() == before and cache_info().programs == 0


def test_functions_are_kept_by_their_arguments(small):
    made = []

    @programs.kept
    def make(name):
        made.append(name)
        return compiled(len(name))

    assert make("a") is make("a") and make("b") is not make("a") and made == ["a", "b"]
    clear_cache()
    make("a")
    assert made == ["a", "b", "a"]


@pytest.mark.parametrize("what", ["maps", "memory"])
def test_too_many_maps_or_too_much_memory_let_half_of_the_programs_go(small, what):
    assert 0 < cache_info().maps < cache_info().max_maps and 0 < cache_info().memory < cache_info().max_memory
    cache_limit(programs=1000, **{what: 1})
    function = compiled(5)
    for length in range(cache.LOOK_EVERY + 7):
        function(np.zeros(length, np.float32))
    assert cache_info().evictions and function.programs < cache.LOOK_EVERY


@pytest.mark.parametrize("wrong", [0, -1, 2.5, True])
def test_limits_are_whole_numbers_above_0(wrong):
    with pytest.raises(ValueError, match="cache_limit: expected programs >= 1"):
        cache_limit(programs=wrong)


def test_a_soak_of_shapes_modes_and_numbers_stays_within_the_limits(small):
    dropout = nn.Dropout(0.3)
    net, criterion = nn.Sequential(nn.Linear(3, 2), dropout), nn.MSECriterion()
    baseline = alive()
    for length in range(1, 37):
        net.training() if length % 4 == 0 else net.evaluate()
        dropout.p = length / 100
        input = np.ones((length, 3), np.float32)
        output = net.forward(input)
        if net.train:
            criterion.forward(output, np.zeros((length, 2), np.float32))
            net.backward(input, criterion.backward(output, np.zeros((length, 2), np.float32)))
            net.updateParameters(0.01 / length)
        assert cache_info().programs <= 24
    assert alive() <= baseline + 24 + 8 and cache_info().evictions


def test_a_limit_that_is_set_first_does_not_start_jax():
    """Its devices, flags and processes are settled when it starts, which is for the program to say."""
    program = (
        "import functorch7.programs as p; from jax._src import xla_bridge as b; p.cache_limit(7); print(b._backends)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
    assert done.stdout == "{}\n", done.stderr


def test_all_that_the_package_compiles_is_counted():
    """Save what is compiled once and not kept: exports, initial values, what only says how long it takes; and single
    operations, which belong to JAX, and are part of other programs."""
    once = {"interop/stablehlo.py", "training/sharding.py", "recipes/run.py", "viz/profiling.py", "distributions.py"}
    once |= {"layers/frugal.py", "training/state.py"}
    for path in Path(functorch7.__file__).parent.rglob("*.py"):
        code = path.read_text()
        nodes = list(ast.walk(ast.parse(code))) if "jax.jit" in code else []
        around = [node for node in nodes if isinstance(node, ast.Call) and ast.unparse(node.func) in COUNTED]
        around += [d for node in nodes for d in getattr(node, "decorator_list", ()) if COUNTED & names(node)]
        counted = {id(inner) for node in around for inner in ast.walk(node)}
        jits = [node for node in nodes if isinstance(node, ast.Attribute) and ast.unparse(node) == "jax.jit"]
        if not any(path.as_posix().endswith(name) for name in once):
            assert all(id(node) in counted for node in jits), path


COUNTED = {"Compiled", "programs.Compiled", "Step"}


def names(function):
    return set(map(ast.unparse, function.decorator_list))


def test_what_a_signal_leaves_open_in_jax_is_closed(monkeypatch):
    """KeyboardInterrupt comes when JAX is about to say that nothing is traced any more; or a cache waits for ever."""
    net, x = nn.Sequential(nn.Linear(3, 2), nn.Tanh()), np.ones((4, 3), np.float32)
    manager = jax_core.set_current_trace
    close = manager.__exit__

    def ended(self, *args):
        monkeypatch.setattr(manager, "__exit__", close)
        raise KeyboardInterrupt

    monkeypatch.setattr(manager, "__exit__", ended)
    with pytest.raises(KeyboardInterrupt):
        net.forward(x)
    assert jax_core.trace_state_clean()
    expected = np.tanh(x @ np.array(net.get(1).weight).T + np.array(net.get(1).bias))
    np.testing.assert_allclose(net.forward(x).numpy(), expected, 1e-5)

    waits = [RecursionError("Recursively calling <weakref>")]

    def function(number):
        for error in (waits.pop() for _ in list(waits)):
            raise error
        return number + 1

    assert closing(function, (2,), {}) == 3
    waits += [RecursionError("maximum recursion depth exceeded")]
    with pytest.raises(RecursionError, match="maximum"):
        closing(function, (2,), {})
