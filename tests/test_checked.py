"""Wrong values inside compiled functions: silent under `jit`, errors under `checked`."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import functorch7 as f7
from functorch7.training import init_state, make_train_step

rng = np.random.default_rng(0)
SCORES = jnp.asarray(rng.uniform(0.1, 0.9, (4, 3)), jnp.float32)
IMAGES = jnp.asarray(rng.uniform(0.1, 0.9, (2, 3, 2, 2)), jnp.float32)

WRONG = {
    "class 0": (f7.ClassNLLCriterion(), SCORES, [1, 0, 3, 1]),
    "class too large": (f7.CrossEntropyCriterion(), SCORES, [1, 2, 3, 4]),
    "no whole number": (f7.MultiMarginCriterion(), SCORES, [1, 2, 1.5, 3]),
    "a pixel": (f7.SpatialClassNLLCriterion(), IMAGES, [[[1, 1], [2, 2]], [[1, 9], [2, 2]]]),
    "a vertex": (f7.ClassSimplexCriterion(3), SCORES, [1, 2, 4, 3]),
    "a negative label": (f7.MultiLabelMarginCriterion(), SCORES, [[1, 0, 0], [2, -1, 0], [3, 0, 0], [1, 2, 0]]),
    "no probability": (f7.BCECriterion(), SCORES.at[2, 1].set(1.5), np.ones((4, 3), np.float32)),
    "inside a table": (f7.ParallelCriterion(criterions=(f7.ClassNLLCriterion(),)), [SCORES], [[1, 2, 3, -1]]),
}


@pytest.mark.parametrize("name", WRONG)
def test_checked_criterions_raise_what_eager_ones_raise(name):
    criterion, input, target = WRONG[name]
    target = [jnp.asarray(t) for t in target] if name == "inside a table" else jnp.asarray(target)
    with pytest.raises(ValueError) as eager:
        criterion(input, target)
    with pytest.raises(ValueError) as compiled:
        f7.checked(criterion)(input, target)
    assert str(compiled.value) == str(eager.value)
    assert criterion.torch_name() in str(eager.value) or "ClassNLL" in str(eager.value)
    jax.jit(criterion)(input, target)  # no error without the checks


CLASSES = {
    "VRClassReward": lambda scores, target: f7.VRClassReward()([scores, jnp.zeros(4)], target),
    "MultiMargin": f7.MultiMarginCriterion(2, [1.0, 2.0, 0.5]),
    "ClassSimplex": f7.ClassSimplexCriterion(3),
    "ClassNLL": f7.ClassNLLCriterion(),
    "CrossEntropy": f7.CrossEntropyCriterion(),
}


@pytest.mark.parametrize("name", CLASSES)
def test_a_class_that_jit_cannot_look_at_gives_nan_and_not_the_loss_of_another(name):
    targets = jnp.array([[1, 2, 3, 1], [1, 0, 3, 1], [1, 2, 4, 1], [1, 2, -1, 1]])
    losses = jax.jit(jax.vmap(CLASSES[name], (None, 0)))(SCORES, targets)
    np.testing.assert_array_equal(np.isnan(losses), [False, True, True, True])


def test_labels_that_jit_cannot_look_at_give_nan():
    targets = jnp.array([[[1, 3, 0]] * 4, [[1, -1, 0]] * 4, [[4, 0, 0]] * 4])
    losses = jax.jit(jax.vmap(f7.MultiLabelMarginCriterion(), (None, 0)))(SCORES, targets)
    np.testing.assert_array_equal(np.isnan(losses), [False, True, True])


def unpooled(place):
    """A plane with a value at a place from 1 to 4, and another plane."""
    places = jnp.stack([place, jnp.int32(4)]).reshape(2, 1, 1)
    return f7.SpatialMaxUnpooling(f7.SpatialMaxPooling(2, 2)).apply({}, {}, [jnp.ones((2, 1, 1)), places])[0]


def of_examples(size):
    """Two examples of a sparse layer, of 4 keys in all, of which the second has 1."""
    given = [jnp.array([1, 3, 2, 1]), jnp.ones(4), jnp.stack([size, jnp.int32(1)])]
    return f7.IndexLinear(3, 2).apply({"weight": jnp.ones((3, 2)), "bias": jnp.ones(2)}, {}, given)[0]


NUMBERS = {
    "a place": (unpooled, [1, 4, 0, -1, 5], 2),
    "a size": (of_examples, [3, 2, 4, -3, 5], 1),
    "an answer": (lambda answer: f7.BinaryClassReward()([jnp.ones(1), jnp.zeros(1)], answer[None]), [0, 1, 2, -1], 2),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_that_jit_cannot_look_at_gives_nan(name):
    function, numbers, right = NUMBERS[name]
    given = jnp.array(numbers)
    found = jax.jit(jax.vmap(function))(given)
    first = found.reshape(len(given), -1)[:, 0]
    np.testing.assert_array_equal(np.isnan(first), [False] * right + [True] * (len(given) - right))
    for number in given[right:]:
        with pytest.raises(ValueError, match=f"{number}|sizes of 4 keys"):
            function(number)
    if name == "a place":
        assert np.isfinite(found[:, 1]).all(), "other planes stay as they are"


INDICES = jnp.array([2, 0, 4])
INDEXED = {
    "OneHot": (lambda i: f7.OneHot(3).apply({}, {}, i)[0], 0, "nn.OneHot: expected indices from 1 to 3, got 0"),
    "Index": (lambda i: f7.Index(2).apply({}, {}, [SCORES, i])[0], 1, "nn.Index: expected indices from 1 to 3, got 0"),
}


@pytest.mark.parametrize("name", INDEXED)
def test_an_index_out_of_range(name):
    function, along, message = INDEXED[name]
    for looking in (function, f7.checked(function), jax.jit(lambda: function(np.array([2, 0, 4])))):
        with pytest.raises(ValueError, match=f"{message} at position 2"):
            looking(*[INDICES][: not hasattr(looking, "lower")])
    unseen = np.moveaxis(jax.jit(function)(INDICES), along, 0)
    np.testing.assert_array_equal(np.isnan(unseen).all(axis=1), [False, True, True])
    assert np.isfinite(unseen[0]).all()


@pytest.mark.parametrize("transform", [jax.jit, jax.vmap])
def test_checked_says_that_it_cannot_look_inside_of_another_transformation(transform):
    criterion = f7.checked(f7.ClassNLLCriterion())
    with pytest.raises(TypeError, match="functorch7.checked: values cannot be looked at inside of another jax.jit"):
        transform(criterion)(SCORES, jnp.array([1, 2, 3, 1]))


def test_checked_gives_the_result_of_right_values():
    target = jnp.array([1, 2, 3, 1])
    loss, slope = f7.checked(jax.value_and_grad(f7.ClassNLLCriterion()))(SCORES, target)
    np.testing.assert_allclose(loss, -np.mean(SCORES[np.arange(4), np.array(target) - 1]), rtol=1e-6)
    np.testing.assert_allclose(slope, -np.eye(3)[np.array(target) - 1] / 4)


@pytest.mark.parametrize("transform", [jax.grad, jax.vmap, jax.checkpoint, lambda f: jax.vmap(jax.grad(f))])
def test_checks_work_under_transformations(transform):
    criterion = transform(f7.ClassNLLCriterion())
    mapped = transform is jax.vmap or transform not in (jax.grad, jax.checkpoint)
    with pytest.raises(ValueError, match="target 7"):
        f7.checked(criterion)(SCORES, jnp.array([1, 7, 2, 3])[:, None] if mapped else jnp.array([1, 7, 2, 3]))


def total(weight, rows):
    """A scan whose step reads a table, as a program's own or a recurrence's may."""

    def step(carry, row):
        read, _ = f7.LookupTable(5, 3).apply({"weight": weight}, {}, row)
        return carry * 1.5 + jnp.sum(jnp.sin(read)), None

    return jax.lax.scan(step, 1.0, rows)[0]


SCANS = {
    "gradient": jax.grad(total),
    "gradient, compiled inside": jax.jit(jax.grad(total)),
    "gradients of a batch": lambda weight, rows: jax.vmap(jax.grad(total), (None, 0))(weight, rows[None]),
    "second derivatives": lambda weight, rows: jax.jvp(lambda w: jax.grad(total)(w, rows), (weight,), (weight,))[1],
    "scan of scans": jax.grad(lambda w, rows: jax.lax.scan(lambda c, r: (c + total(w, r), None), 0.0, rows[None])[0]),
    "recomputed": jax.grad(jax.checkpoint(total)),
    "in a branch": jax.grad(lambda w, rows: jax.lax.cond(w.sum() > 0, total, lambda w, rows: 0.0, w, rows)),
}


@pytest.mark.parametrize("name", SCANS)
def test_checks_in_a_scan_count_when_it_is_differentiated(name):
    function, weight, rows = SCANS[name], jnp.ones((5, 3)), jnp.array([[1, 2], [3, 5], [1, 1]])
    checked = f7.checked(function)
    np.testing.assert_allclose(checked(weight, rows), jax.jit(function)(weight, rows), rtol=1e-6)
    with pytest.raises(ValueError, match=r"nn.LookupTable: expected indices from 1 to 5, got 9 at position 2"):
        checked(weight, rows.at[1, 1].set(9))


def test_checks_of_the_modules_in_a_recurrence_count_when_it_is_differentiated():
    network = f7.Sequencer(f7.Recurrent(3, f7.LookupTable(5, 3), f7.Linear(3, 3)))
    params, buffers = network.init(jax.random.key(0))
    gradient = f7.checked(jax.grad(lambda params, words: network.apply(params, buffers, words)[0].sum()))
    gradient(params, jnp.array([[1, 2], [3, 5]]))
    with pytest.raises(ValueError, match=r"nn.LookupTable: expected indices from 1 to 5, got 0 at position 1"):
        gradient(params, jnp.array([[1, 2], [0, 5]]))


def test_a_training_step_is_checked():
    module = f7.Sequential(f7.LookupTable(5, 4), f7.Mean(2), f7.Linear(4, 3), f7.LogSoftMax())
    step = f7.checked(make_train_step(module, f7.ClassNLLCriterion(), optax.sgd(0.1)))
    state = init_state(module, optax.sgd(0.1), jax.random.key(0))
    state, metrics = step(state, (jnp.array([[1, 5], [2, 3]]), jnp.array([3, 1])), None)
    assert np.isfinite(metrics["loss"])
    with pytest.raises(ValueError, match=r"nn.ClassNLLCriterion: target 4 at position 1; classes count from 1 to 3"):
        step(state, (jnp.array([[1, 5], [2, 3]]), jnp.array([4, 1])), None)
    with pytest.raises(ValueError, match=r"nn.LookupTable: expected indices from 1 to 5, got 6"):
        step(state, (jnp.array([[1, 6], [2, 3]]), jnp.array([2, 1])), None)


def test_checks_cost_nothing_without_checked():
    def operations(function):
        return jax.jit(function).lower(SCORES, jnp.array([1, 2, 3, 1])).compile().as_text().count(" = ")

    criterion = f7.MultiMarginCriterion()
    assert operations(criterion) == operations(criterion.loss)
