"""What no module can take: every class, called with every kind of wrong argument, gives a result or says what is wrong.

Nothing is compiled: calls are traced at most.
"""

from functools import cache, partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from cases import MODULES
from criterion_cases import CRITERIONS
from jax.experimental.sparse import BCOO
from scipy.sparse import coo_array

import functorch7 as f7
from functorch7.core import title
from functorch7.legacy import nn

KEY = jax.random.key(7)


class Thing:
    """Nothing that anybody knows."""


def like(value):
    """Arrays of one value in the place of an input's."""
    return lambda good: jax.tree.map(lambda leaf: np.full(np.shape(leaf), value), good)


def first(value):
    """One value in the place of an input's first array."""
    return lambda good: jax.tree.unflatten(jax.tree.structure(good), [value, *jax.tree.leaves(good)[1:]])


def without(dimension):
    """The input's arrays with size 0 in one dimension, counted from 1."""

    def emptied(leaf):
        leaf = np.asarray(leaf)
        return leaf if leaf.ndim < dimension else np.take(leaf, [], dimension - 1)

    return lambda good: jax.tree.map(emptied, good)


INPUTS = {
    "None": lambda good: None,
    "a text": lambda good: "hello",
    "an object": lambda good: Thing(),
    "a class": lambda good: np.float32,
    "a number": lambda good: 1.5,
    "0-D": lambda good: np.float32(1),
    "7-D": lambda good: np.ones((1,) * 7, np.float32),
    "a shape": lambda good: jax.ShapeDtypeStruct((2, 3), jnp.float32),
    "a random key": lambda good: KEY,
    "an empty table": lambda good: [],
    "an empty dict": lambda good: {},
    "a dict": lambda good: {"a": good},
    "a table of it": lambda good: [good],
    "a table of two of it": lambda good: [good, good],
    "one tensor": lambda good: jax.tree.leaves(good)[0],
    "None among tensors": first(None),
    "a text among tensors": first("hello"),
    "a number among tensors": first(1.5),
    "complex numbers": like(1j),
    "objects": like(None),
    "texts": like("a"),
    "dates": like(np.datetime64("2020-01-01")),
    "durations": like(np.timedelta64(1, "s")),
    "numbers of 128 bits": like(np.longdouble(1)),
    "whole numbers of 33 bits": like(2**32),
    "masked numbers": lambda good: jax.tree.map(lambda leaf: np.ma.masked_array(leaf, True), good),
    "a sparse array": lambda good: coo_array(np.eye(2, dtype=np.float32)),
    "a matrix of NumPy's": lambda good: np.ones((2, 2), np.float32).view(np.matrix),
    "whole numbers": like(1),
    "truth values": like(True),
    "no elements": lambda good: np.ones(0, np.float32),
    **{f"size 0 in dimension {n}": without(n) for n in range(1, 6)},
}
NO_NUMBERS = {
    "a text", "an object", "a class", "a shape", "a random key", "a text among tensors", "objects", "texts", "dates",
    "durations", "numbers of 128 bits", "whole numbers of 33 bits", "masked numbers", "a sparse array",
    "a matrix of NumPy's",
}  # fmt: skip


def shaped(*shape):
    """Arrays of one more shape in the place of a tree's."""
    return lambda tree: jax.tree.map(lambda leaf: np.ones((*shape, *leaf.shape) if shape else (), np.float32), tree)


ARRAYS = {
    "a list": lambda tree: [1],
    "None": lambda tree: None,
    "nothing": lambda tree: {},
    "a text": lambda tree: "hello",
    "texts": lambda tree: jax.tree.map(lambda leaf: "a", tree),
    "None in their places": lambda tree: jax.tree.map(lambda leaf: None, tree),
    "numbers": shaped(),
    "one more dimension": shaped(7),
    "whole numbers": lambda tree: jax.tree.map(lambda leaf: np.ones(leaf.shape, int), tree),
    "masked numbers": lambda tree: jax.tree.map(lambda leaf: np.ma.masked_array(np.ones(leaf.shape), True), tree),
}

ROWS = {type(module): (module, case) for case in reversed(MODULES) for module in [case.module]}
"""A module of each class, with the first row that there is for it."""


def inside(module):
    yield module
    for child in (*module.child_modules(), *(v for v in vars(module).values() if isinstance(v, f7.Module))):
        yield from inside(child)


@cache
def names_of(module):
    """The names by which errors may call a module, or those inside of it."""
    named = [*inside(module), *([module.nll] if isinstance(module, f7.CrossEntropyCriterion) else [])]
    return tuple({name for each in named for name in (title(each), each.torch_name())})


@pytest.fixture(autouse=True)
def plain_tracebacks():
    """JAX takes longer to shorten a traceback than a call here takes."""
    before = jax.config.jax_traceback_filtering  # type: ignore[attr-defined]
    jax.config.update("jax_traceback_filtering", "off")
    yield
    jax.config.update("jax_traceback_filtering", before)


def outcomes(calls, *arguments):
    """(modules that gave a result, errors that are none of ours), of (module, call) with its arguments, each traced."""
    results, raw = [], []

    def run(arguments):
        for (module, call), given in zip(calls, arguments, strict=True):
            try:
                call(*given)
                results.append(module)
            except Exception as error:
                if not isinstance(error, (TypeError, ValueError)) or not str(error).startswith(names_of(module)):
                    raw.append(f"{title(module)}: {type(error).__name__}: {error}")

    jax.eval_shape(run, list(zip(*arguments, strict=True)) if arguments else [()] * len(calls))
    return results, raw


@pytest.fixture(scope="module")
def made():
    """What `init` makes for each class, as shapes."""
    return {cls: jax.eval_shape(module.init, KEY) for cls, (module, _) in ROWS.items()}


def applied(module, case, given):
    return lambda params, buffers: module.apply(params, buffers, given, key=KEY, train=case.train)


@pytest.mark.parametrize("kind", INPUTS)
def test_what_modules_are_given(kind, made):
    calls = [(module, applied(module, case, INPUTS[kind](case.input))) for module, case in ROWS.values()]
    results, raw = outcomes(calls, *zip(*made.values(), strict=True))
    assert raw == []
    if kind in NO_NUMBERS:
        assert results == []
    if kind == "complex numbers":
        assert all(module.traits.takes_complex for module in results)


@pytest.mark.parametrize("kind", INPUTS)
@pytest.mark.parametrize("which", ["input", "target"])
def test_what_criterions_are_given(which, kind):
    calls = []
    for criterion, input, target in CRITERIONS:
        if which == "input":
            pair = INPUTS[kind](input), target
        else:
            pair = input, INPUTS[kind](np.ones(3, np.float32) if target is None else target)
        calls.append((criterion, partial(criterion, *pair)))
    results, raw = outcomes(calls)
    assert raw == []
    if kind in NO_NUMBERS | {"complex numbers"}:
        assert results == []


@pytest.mark.parametrize("kind", ARRAYS)
def test_the_arrays_that_modules_are_given(kind, made):
    rows = [row for cls, row in ROWS.items() if jax.tree.leaves(made[cls].params)]

    def called(module, case):
        given = ARRAYS[kind](made[type(module)].params)
        return lambda buffers: module.apply(given, buffers, case.input, key=KEY, train=case.train)

    calls = [(module, called(module, case)) for module, case in rows]
    results, raw = outcomes(calls, [made[type(module)].buffers for module, _ in rows])
    assert raw == []
    assert results == []


LINEAR, SCORES = f7.Linear(3, 4), np.zeros((2, 3), np.float32)
SAID = {
    "no tensor": (LINEAR, None, "nn.Linear(3 -> 4): expected a tensor, got None"),
    "a text": (f7.Tanh(), "hello", "nn.Tanh: expected a tensor, got 'hello'"),
    "a table": (LINEAR, [SCORES], "nn.Linear(3 -> 4): expected a tensor, got a table of 1: shape (2, 3)"),
    "no entry": (f7.CosineDistance(), [SCORES, None],
                 "nn.CosineDistance: expected a table of tensors, got a table of 2: shape (2, 3), None"),
    "masked": (LINEAR, np.ma.masked_array(SCORES),
               "nn.Linear(3 -> 4): expected a tensor, got a numpy.MaskedArray; its filled(number) is a tensor"),
    "sparse": (f7.ReLU(), BCOO.fromdense(jnp.eye(3)),
               "nn.ReLU: expected a tensor, got a jax.BCOO; its todense() is a tensor"),
    "objects": (f7.Tanh(), np.array([[1], [2, 3]], object), "nn.Tanh: expected a tensor, got object of shape (2,)"),
    "too large": (f7.LookupTable(3, 2), np.array([2**32 + 1]),
                  "nn.LookupTable: 4294967297 is beyond int32, which JAX makes of int64 unless its mode "
                  '"jax_enable_x64" is on'),
    "complex": (f7.ReLU(), 1j * SCORES, "nn.ReLU: expected real numbers, got complex64"),
    "whole numbers": (f7.SpatialMaxPooling(2, 2), np.ones((1, 2, 2), int),
                      "nn.SpatialMaxPooling(2x2, 2,2): expected a floating-point tensor, got int64"),
    "nothing to choose from": (f7.Max(2), SCORES[:, :0],
                               "nn.Max: expected a tensor with no size of 0, got shape (2, 0)"),
    "no target": (f7.MSECriterion(), (SCORES, None),
                  "nn.MSECriterion: expected tensors (or tables of them) as input and target, got a table of 2: "
                  "shape (2, 3), None"),
}  # fmt: skip


@pytest.mark.parametrize("wrong", SAID)
def test_what_errors_say_of_inputs(wrong):
    module, input, message = SAID[wrong]
    with pytest.raises((TypeError, ValueError)) as caught:
        module.apply(*module.init(KEY), input)
    assert str(caught.value) == message


def test_what_errors_say_of_arrays():
    network = f7.Sequential(LINEAR, f7.Tanh())
    (params, _), buffers = network.init(KEY)
    for wrong, message in (
        ([params], "nn.Sequential: expected 2 entries in params, as init makes them, got a table of 1"),
        ([[1], {}], "nn.Linear(3 -> 4): expected params with bias, weight, as init makes them, got a table of 1: 1"),
        (
            [{"weight": params["weight"]}, {}],
            "nn.Linear(3 -> 4): expected params with bias, weight, as init makes them",
        ),
        (
            [params | {"weight": np.float32(1)}, {}],
            "nn.Linear(3 -> 4): expected params['weight'] of shape (4, 3), got sh",
        ),
    ):
        with pytest.raises(ValueError) as caught:
            network.apply(wrong, buffers, SCORES)
        assert str(caught.value).startswith(message)


@pytest.mark.parametrize(("name", "sizes"), [
    ("Linear", (1e30, 2)), ("SpatialConvolution", (10**9, 10**9, 3, 3)), ("CMul", (10**30,)),
    ("LookupTable", (2**62, 2)), ("BatchNormalization", (10**20, 1e-5, 0.1, False)), ("FastLSTM", (10**10, 10**10)),
])  # fmt: skip
def test_arrays_for_which_no_memory_has_room(name, sizes):
    """For some of which XLA ends the process."""
    message = r"^nn.\w+.*: expected sizes for which a memory has room, got an array of [0-9x ]+ numbers$"
    module = getattr(f7, name)(*sizes)
    for make in (module.init, partial(jax.eval_shape, module.init)):
        with pytest.raises(ValueError, match=message):
            make(KEY)
    with pytest.raises(ValueError, match=message):
        getattr(nn, name)(*sizes)


@pytest.mark.parametrize("module", [
    f7.Replicate(10**30), f7.Padding(1, 2**62), f7.OneHot(10**20), f7.SpatialZeroPadding(10**12), f7.UpSampling(10**30),
    f7.SpatialConvolution(2, 2, 1, 1, 1, 1, 10**12, 10**12),
], ids=lambda module: type(module).__name__)  # fmt: skip
def test_outputs_for_which_no_memory_has_room(module):
    message = r"^nn.\w+.*: expected sizes for which a memory has room, got an array of [0-9x ]+ numbers$"
    input = np.ones((1, 2, 2, 2), np.float32)
    for apply in (module.apply, jax.jit(module.apply)):
        with pytest.raises(ValueError, match=message):
            apply(*module.init(KEY), input)


def test_large_numbers_that_are_no_sizes_are_allowed():
    module = f7.Profile(f7.Tanh(), 2**62, "tanh", 1)
    np.testing.assert_array_equal(module.apply(*module.init(KEY), np.zeros(2, np.float32))[0], [0, 0])


def test_what_authors_say_by_errors_stays():
    class Picky(f7.Map):
        package = "test_bad_calls"

        def f(self, input):
            raise ValueError("a list of odd length")

    for module in (Picky(), f7.Sequential(Picky())):
        with pytest.raises(ValueError, match="^a list of odd length"):
            module.apply(*module.init(KEY), [SCORES])


def test_authors_may_take_complex_numbers():
    class Modulus(f7.Map):
        package, takes_complex = "test_bad_calls", True  # type: ignore[assignment]

        def f(self, input):
            return jnp.abs(input)

    for module in (Modulus(), f7.Sequential(Modulus(), f7.Tanh())):
        assert jax.eval_shape(lambda m=module: m.apply(*m.init(KEY), 1j * SCORES)[0]).dtype == np.float32
    with pytest.raises(TypeError, match=r"^nn.Tanh: expected real numbers, got complex64") as caught:
        jax.eval_shape(lambda: f7.Sequential(f7.Tanh(), Modulus()).apply([{}, {}], [{}, {}], 1j * SCORES))
    assert "In 1 module of nn.Sequential:" in caught.value.__notes__


def test_an_empty_batch_gives_an_empty_batch(made):
    """What gives twice as many outputs for twice as many examples, gives none for none, of the same sizes."""
    scaled, wrong = [], []
    for cls, (module, case) in ROWS.items():
        ranks = [np.ndim(leaf) for leaf in jax.tree.leaves(case.input)]
        of_sequences = cls is f7.TemporalDynamicKMaxPooling or cls.__module__.startswith("functorch7.recurrent.")
        if not module.traits.traceable or min(ranks) < 2 or of_sequences:
            continue

        def sizes(change, module=module, case=case, arrays=made[cls]):
            call = applied(module, case, jax.tree.map(change, case.input))
            return [leaf.shape for leaf in jax.tree.leaves(jax.eval_shape(call, *arrays)[0])]

        try:
            once, twice = sizes(lambda leaf: leaf), sizes(lambda leaf: np.concatenate([leaf, leaf]))
        except ValueError:
            continue  # the first dimension is no batch's
        if all(once) and twice == [(2 * first, *rest) for first, *rest in once]:
            scaled.append(cls)
            try:
                wrong += [title(module)] if sizes(lambda leaf: leaf[:0]) != [(0, *rest) for _, *rest in once] else []
            except Exception as error:
                wrong.append(str(error))
    assert wrong == []
    assert {f7.SpatialConvolution, f7.CAdd, f7.Collapse, f7.SpatialMaxUnpooling} <= {*scaled}
