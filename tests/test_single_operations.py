"""What NumPy computes for the suite in XLA's place is the same to the bit."""

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import single_operations
from jax import lax
from jax.interpreters import ad

SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e30, -3.5, 1e-30, 0.1, 7.0, 7.0, 3.0]
DTYPES = ("float32", "float64", "bfloat16", "float16", "int32", "uint8", "bool")


def numbers(dtype, seed=0):
    """3 x 12: what is special, in another order for another seed, and what is drawn."""
    random = np.random.default_rng(seed)
    if dtype == "bool":
        return random.random((3, 12)) < 0.5
    if dtype in ("int32", "uint8"):
        return random.integers(0, np.iinfo(dtype).max, (3, 12)).astype(dtype)
    with np.errstate(over="ignore"):
        return np.stack([random.permutation(SPECIAL), *random.normal(size=(2, 12)) * 1e3]).astype(jnp.dtype(dtype))


TABLE = {
    "add": lambda x, y, _: lax.add(x, y),
    "sub": lambda x, y, _: lax.sub(x, y),
    "mul": lambda x, y, _: lax.mul(x, y),
    "add_any": lambda x, y, _: ad.add_jaxvals_p.bind(x, y),
    "rem": lambda x, y, _: lax.rem(x, y),
    "neg": lambda x, *_: lax.neg(x),
    "abs": lambda x, *_: lax.abs(x),
    "sqrt": lambda x, *_: lax.sqrt(x),
    "square": lambda x, *_: lax.square(x),
    "floor": lambda x, *_: lax.floor(x),
    "ceil": lambda x, *_: lax.ceil(x),
    "is_finite": lambda x, *_: lax.is_finite(x),
    "max": lambda x, y, _: lax.max(x, y),
    "min": lambda x, y, _: lax.min(x, y),
    "integer_pow": lambda x, *_: lax.integer_pow(x, 2),
    "pad": lambda x, y, _: lax.pad(x, y[2, 2], [(1, 0, 0), (0, 3, 0)]),
    "iota": lambda x, *_: lax.broadcasted_iota(x.dtype, (2, 3, 12), 1),
    "split": lambda x, *_: lax.split(x, (3, 4, 5), 1),
    "select_n": lambda x, y, which: lax.select_n(which, x, y),
    "copy": lambda x, *_: jnp.copy(x),
    "broadcast_in_dim": lambda x, *_: lax.broadcast_in_dim(x, (3, 2, 12), (0, 2)),
    "dynamic_slice": lambda x, *_: lax.dynamic_slice(x, (2, -1), (2, 5)),
    "gather": lambda x, *_: x[jnp.array([[2, 0, 1], [1, 1, 2]])],
    "gather columns": lambda x, *_: x[:, [3, 0, 11]],
    "gather elements": lambda x, *_: x[[1, 2], [4, 0]],
    "dynamic_update_slice": lambda x, y, _: lax.dynamic_update_slice(x, y[:2, :5], (2, -1)),
    "stack": lambda x, y, _: jnp.stack([x, y, x], 1),
    "unstack": lambda x, *_: jnp.unstack(x, axis=1),
    "stop_gradient": lambda x, *_: lax.stop_gradient(x),
    "reduce_sum": lambda x, *_: lax.reduce_sum_p.bind(x, axes=(1,), out_sharding=None),
    "slice": lambda x, *_: lax.slice(x, (0, 1), (3, 9), (2, 3)),
    "reshape": lambda x, *_: lax.reshape(x, (4, 9)),
    "reshape, transposed": lambda x, *_: lax.reshape(x, (4, 9), (1, 0)),
    "squeeze": lambda x, *_: lax.squeeze(x[:1], (0,)),
    "transpose": lambda x, *_: lax.transpose(x, (1, 0)),
    "rev": lambda x, *_: lax.rev(x, (1,)),
    "concatenate": lambda x, y, _: lax.concatenate([x, y], 1),
    "reduce_max": lambda x, *_: jnp.max(x, 1),
    "reduce_min": lambda x, *_: jnp.min(x, 0),
    "reduce_and": lambda *args: jnp.all(args[2], 1),
    "reduce_or": lambda *args: jnp.any(args[2], 0),
    "argmax": lambda x, *_: lax.argmax(x, 1, jnp.int32),
    "argmin": lambda x, *_: lax.argmin(x, 0, jnp.int32),
    "and": lambda *args: lax.bitwise_and(args[2], ~args[2]),
    "or": lambda *args: lax.bitwise_or(args[2], ~args[2]),
    "xor": lambda x, *_: x ^ 5 if x.dtype == jnp.int32 else x,
    "not": lambda *args: ~args[2],
    **{name: lambda x, y, _, n=name: getattr(lax, n)(x, y) for name in ("eq", "ne", "lt", "le", "gt", "ge")},
}
for _dtype in DTYPES:
    TABLE[f"convert_element_type to {_dtype}"] = lambda x, *_, to=_dtype: lax.convert_element_type(x, to)


def by_numpy(function, args):
    """The results, or None where they are left to XLA, or JAX has no such operation of this type."""
    try:
        jaxpr = jax.make_jaxpr(function)(*args)
    except TypeError:
        return None
    assert single_operations.operations_of(jaxpr.jaxpr) <= single_operations.MOST_OPERATIONS
    try:
        with np.errstate(all="ignore"):
            return single_operations.run(jaxpr.jaxpr, jaxpr.consts, args)
    except single_operations.CannotCompute:
        return None


def bits(array):
    """The bytes, of all that is no number those of one."""
    array = np.asarray(array)
    return np.where(array == array, array, np.ones((), array.dtype)).tobytes(), np.isfinite(array).tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
def test_numpy_computes_what_xla_computes(dtype):
    """All in one program, in which a barrier keeps each operation as it is."""
    with jax.enable_x64(True):
        args = [numbers(dtype), numbers(dtype, 1), numbers("bool", 2)]
        found = {name: by_numpy(function, args) for name, function in TABLE.items()}
        table = {name: function for name, function in TABLE.items() if found[name] is not None}

        @jax.jit
        def program(*args):
            given = lambda: lax.optimization_barrier(args)  # noqa: E731
            return {name: lax.optimization_barrier(function(*given())) for name, function in table.items()}

        for name, expected in program(*args).items():
            got, expected = found[name], jax.tree.leaves(expected)
            assert [(x.dtype, x.shape) for x in got] == [(x.dtype, x.shape) for x in expected], name
            assert list(map(bits, got)) == list(map(bits, expected)), name
    assert len(table) > 20


def test_every_operation_has_a_row():
    assert set(single_operations.OPERATIONS) == {re.split(r"\W", name)[0] for name in TABLE}


NUMBERS = np.arange(7, dtype=np.float32)  # so many as in no other test


@pytest.mark.parametrize("times", [1, 50])
def test_results_are_arrays_as_jax_makes_them(times):
    """Whether NumPy has computed them, or XLA, which does where they are computed often."""
    for _ in range(times):
        x, weak = jnp.asarray(NUMBERS), jnp.asarray(2) * 3
        found = [x[2:] * 2, jnp.where(x > 2, x, -x), jnp.broadcast_to(x[1], (2,)), weak]
    np.testing.assert_array_equal(found[0], NUMBERS[2:] * 2)
    np.testing.assert_array_equal(found[1], np.where(NUMBERS > 2, NUMBERS, -NUMBERS))
    assert [y.weak_type for y in found] == [False, False, False, True] and not any(y.committed for y in found)
    assert (weak * jnp.float32(0.5)).dtype == np.float32 and found[2].tolist() == [1, 1]
    with pytest.raises(ValueError):
        np.asarray(found[0])[0] = 1


def test_results_are_no_views():
    given = NUMBERS.copy()
    result = jax.jit(lambda x: x.reshape(7, 1))(given)
    given[:] = 0
    np.testing.assert_array_equal(result[:, 0], NUMBERS)


def test_numbers_that_are_nearly_zero_are_xlas():
    tiny = jnp.asarray(np.float32(1e-39) * NUMBERS)
    assert not np.asarray(tiny + tiny).any()  # on CPUs XLA takes them for 0
    assert jnp.asarray([3e38]).astype("int32").tolist() == [2**31 - 1]


def test_doubles_stay_doubles():
    """As the stateful interface takes networks of doubles apart."""
    with jax.enable_x64(True):
        doubles = jnp.asarray(np.float64(NUMBERS) / 3)
    part = jax.lax.slice(doubles, (1,), (3,))
    assert part.dtype == np.float64 and part.tolist() == [1 / 3, 2 / 3]


def test_what_rounds_several_times_is_xlas():
    """Which joins products and sums, and leaves out conversions there and back."""
    for several in (lambda x: x * x + x, lambda x: x.astype(jnp.bfloat16).astype(x.dtype), lambda x: x / 3):
        program = jax.make_jaxpr(several)(NUMBERS)
        assert single_operations.operations_of(program.jaxpr) > single_operations.MOST_OPERATIONS


def test_what_is_placed_stays_where_it_is():
    placed = jax.device_put(NUMBERS, jax.devices()[0])
    assert (placed + placed).committed


@pytest.mark.parametrize("wrap", [jax.checkpoint, jax.nn.relu])
def test_what_is_inside_other_calls_is_computed(wrap):
    call = wrap if wrap is jax.nn.relu else wrap(lambda x: x * 2)
    jaxpr = jax.make_jaxpr(call)(NUMBERS)
    (found,) = single_operations.run(jaxpr.jaxpr, jaxpr.consts, [NUMBERS - 3])
    np.testing.assert_array_equal(found, np.maximum(NUMBERS - 3, 0) if wrap is jax.nn.relu else 2 * NUMBERS - 6)


def test_a_type_of_the_result_that_is_said_counts():
    x = jnp.asarray(NUMBERS, np.float16)
    assert lax.mul_p.bind(x, x, out_dtype=np.dtype(np.float32)).dtype == np.float32


def test_programs_are_counted_as_ever():
    counted = []
    jax.monitoring.register_event_duration_secs_listener(
        listener := lambda name, *_, **__: counted.append(name) if name == single_operations.COMPILED else None
    )
    try:
        for _ in range(3):
            jax.jit(lambda x: x + 3)(NUMBERS)
            assert len(counted) == 1
            counted.clear()
    finally:
        jax.monitoring.unregister_event_duration_listener(listener)
