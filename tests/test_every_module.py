"""What holds for every module: each row of `cases.py` goes through these checks."""

import copy
import pickle
from functools import cache, lru_cache, partial

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from cases import MODULES
from criterion_cases import CRITERIONS
from gradients import check_gradient

import functorch7 as f7
from functorch7.checks.errors import looking
from functorch7.core import registry, without_emitted

KEY = jax.random.key(7)


def each(cases):
    """Runs a test for each case; all tests of a case one after the other, as they share compiled operations."""
    return pytest.mark.parametrize("case", cases, ids=lambda case: case.id, scope="module")


every, compiled = each(MODULES), each([c for c in MODULES if c.traceable])


def arrays(tree, dtype=None):
    """The tree as JAX's arrays, floating-point ones in a dtype."""

    def array(leaf):
        if dtype is not None and jnp.issubdtype(leaf.dtype, jnp.inexact):
            leaf = np.asarray(leaf).astype(dtype)
        return jax.device_put(leaf)  # which compiles nothing, unlike jnp.asarray

    return jax.tree.map(array, tree)


def applied(case, params, buffers, input):
    return case.module.apply(params, buffers, input, key=KEY, train=case.train)


@lru_cache(maxsize=1)
def initial(module):
    """What `init` makes, for all tests of a case: they run one after the other."""
    return module.init(KEY)


def initial_shapes(module):
    """The shapes of what `init` makes, for all tests of all files: to trace it takes as long as to trace a call."""
    return _initial_shapes(module, jax.config.jax_enable_x64)


@cache
def _initial_shapes(module, x64):
    return jax.eval_shape(module.init, KEY)


def halved(array):
    return array * array.dtype.type(0.5) if np.issubdtype(array.dtype, np.inexact) else array


def shapes_of(case, dtype=None):
    """What (output, buffers) a case gives, without computing them where that is possible."""
    params, buffers = initial_shapes(case.module)
    params, buffers = jax.tree.map(lambda a: jax.ShapeDtypeStruct(a.shape, cast(a.dtype, dtype)), (params, buffers))
    if case.traceable:
        return jax.eval_shape(lambda p, b: applied(case, p, b, arrays(case.input, dtype)), params, buffers)
    return applied(case, *arrays(case.module.init(KEY), dtype), arrays(case.input, dtype))


def cast(own, dtype):
    return dtype if dtype is not None and jnp.issubdtype(own, jnp.inexact) else own


def floating(tree):
    return [leaf for leaf in jax.tree.leaves(tree) if jnp.issubdtype(leaf.dtype, jnp.inexact)]


def assert_close(got, expected, rtol=1e-7, atol=0.0, err_msg=""):
    chex.assert_trees_all_close(got, expected, rtol=rtol, atol=atol, custom_message=err_msg)


def test_every_module_has_a_row():
    covered = {type(case.module) for case in MODULES}
    covered |= {type(criterion) for criterion, _, _ in CRITERIONS}
    ours = {c for c in registry.values() if c.__module__.startswith("functorch7.")} - {f7.Container, f7.Dictionary}
    ours = {c for c in ours if not c.__module__.startswith("functorch7.recipes.")}  # parts of one network each
    assert not ours - covered, "add a row to tests/cases.py"


@pytest.mark.one_in(5)
@compiled
def test_one_program_gives_what_single_operations_give(case):
    """Of JAX's arrays and of NumPy's, and for a batch by vmap; equal modules have one program."""
    params, buffers = initial(case.module)
    inputs = [arrays(case.input), arrays(jax.tree.map(halved, case.input))]
    stacked = jax.tree.map(lambda *a: np.stack(a), *inputs)
    by_numpy = applied(case, *jax.tree.map(np.asarray, (params, buffers)), case.input)
    second, _ = applied(case, params, buffers, inputs[1])
    traces = []

    @partial(jax.jit, static_argnums=0)
    def program(module, params, buffers, input, stacked):
        traces.append(module)
        run = partial(module.apply, params, buffers, key=KEY, train=case.train)
        with looking():
            one = run(input)
        return one, jax.vmap(run)(stacked)[0]

    given = params, buffers, inputs[0], stacked
    traced, again = (program.trace(case.module, *given) for _ in range(2))
    assert len(traces) == 1 and again.jaxpr is traced.jaxpr, "what is traced once is compiled once"
    one, several = traced.lower().compile()(*given)
    assert_close(one, by_numpy, rtol=1e-5, atol=1e-6)
    expected = jax.tree.map(lambda *a: np.stack(a), by_numpy[0], second)
    assert_close(several, expected, rtol=1e-5, atol=1e-6, err_msg="by vmap")
    looks = any(type(effect).__name__ == "ErrorEffect" for effect in traced.jaxpr.effects)
    assert looks == case.module.traits.checks_values, "a module that checks values says so by checks_values"


@compiled
def test_a_program_may_have_numpys_arrays_as_constants(case):
    """Parameters that a compiled function has not been given, but found around it."""
    params, buffers = jax.tree.map(lambda like: np.ones(like.shape, like.dtype), initial_shapes(case.module))
    jax.eval_shape(lambda input: applied(case, params, buffers, input), arrays(case.input))


@each([c for c in MODULES if not c.traceable])
def test_takes_numpy_arrays(case):
    params, buffers = initial(case.module)
    numpy = applied(case, *jax.tree.map(np.asarray, (params, buffers)), case.input)[0]
    assert_close(numpy, applied(case, params, buffers, arrays(case.input))[0], rtol=1e-6, atol=1e-6)


@pytest.mark.one_in(3)
@each([c for c in MODULES if c.gradient])
def test_gradient_is_the_derivative(case):
    made = initial(case.module)
    with jax.enable_x64(True):
        params, buffers = arrays(made, np.float64)
        input = arrays(case.input, np.float64)
        leaves, structure = jax.tree.flatten(input)
        real = [i for i, leaf in enumerate(leaves) if jnp.issubdtype(leaf.dtype, jnp.inexact)]

        def run(params, chosen):
            filled = [chosen[real.index(i)] if i in real else leaf for i, leaf in enumerate(leaves)]
            return applied(case, params, buffers, structure.unflatten(filled))[0]

        args = (params, [leaves[i] for i in real])
        check_gradient(run, *args, compiled=case.traceable, rtol=1e-5, atol=1e-6)


@pytest.mark.one_in(3)
@every
def test_dtype_and_names_of_buffers_are_kept(case):
    def names(tree):
        paths = jax.tree_util.tree_flatten_with_path(without_emitted(tree), is_leaf=lambda leaf: leaf is None)[0]
        return [path for path, _ in paths]

    assert names(shapes_of(case)[1]) == names(initial_shapes(case.module).buffers)
    for dtype in ("bfloat16", "float16", "float64"):
        with jax.enable_x64(dtype == "float64"):
            assert {leaf.dtype.name for leaf in floating(shapes_of(case, dtype))} <= {dtype}
    with jax.enable_x64(True):  # which is no reason to compute in float64
        made = initial_shapes(case.module), shapes_of(case)
        assert {leaf.dtype.name for leaf in floating(made)} <= {"float32"}


@every
def test_descriptions_are_values(case):
    module, again = case.module, case.module
    assert module == again and hash(module) == hash(again) and not module != again
    for copied in (pickle.loads(pickle.dumps(module)), copy.deepcopy(module), module.replace()):
        assert copied == module and hash(copied) == hash(module) and str(copied) == str(module)
    assert module != f7.Sequential(module, module)


@every
def test_init_is_repeatable(case):
    first, second, other = (case.module.init(jax.random.key(seed)) for seed in (1, 1, 2))
    assert_close(first, second, rtol=0)
    if not isinstance(case.module, f7.Quantized):  # whose weights are buffers
        first, other = first.params, other.params
    leaves = zip(*map(jax.tree.leaves, (first, other)), strict=True)
    changed = [not np.array_equal(a, b) for a, b in leaves if np.ptp(a) > 0]  # constants are those for every key
    assert not changed or any(changed)
