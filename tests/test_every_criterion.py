"""What holds for every criterion: each row of `cases.py` goes through these checks."""

import copy
import pickle

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from criterion_cases import CRITERIONS
from gradients import check_gradient
from test_every_module import arrays, halved

import functorch7 as f7

every = pytest.mark.parametrize(
    ("criterion", "input", "target"),
    CRITERIONS,
    ids=[f"{i}-{type(c).__name__}" for i, (c, *_) in enumerate(CRITERIONS)],
)


@pytest.mark.one_in(3)
@every
def test_one_program_gives_what_single_operations_give(criterion, input, target):
    """The loss, and by vmap one for each example."""
    inputs, target = [arrays(input), arrays(jax.tree.map(halved, input))], arrays(target)
    stacked = jax.tree.map(lambda *a: np.stack(a), *inputs)

    @jax.jit
    def program(input, stacked, target):
        return criterion(input, target), jax.vmap(criterion, (0, None))(stacked, target)

    one, several = program(inputs[0], stacked, target)
    with jax.debug_nans(True):  # under which no operation may give NaN, not even one that nobody reads
        expected = [criterion(each, target) for each in inputs]
    np.testing.assert_allclose(one, expected[0], rtol=1e-6)
    np.testing.assert_allclose(several, expected, rtol=1e-5)


@every
def test_gradient_is_the_derivative(criterion, input, target):
    loss = criterion
    if isinstance(criterion, f7.VarianceReducedReward):  # the reward's value, the gradient of the baseline's loss
        rewards = np.asarray(criterion.reward(arrays(input), target), np.float64)
        loss = lambda i, target: criterion.criterion(i[1], rewards)  # noqa: E731
    with jax.enable_x64(True):
        input = arrays(input, jnp.float64)
        if isinstance(criterion, f7.NCECriterion):  # the probabilities by the noise get no gradient
            by_noise = input[2:]
            loss = lambda i, target: criterion([*i[:2], *by_noise], target)  # noqa: E731
        check_gradient(lambda i: loss(i, target), input, rtol=1e-6)
        if loss is criterion:
            return
        got, expected = jax.jit(lambda *args: [jax.grad(f)(*args) for f in (criterion, loss)])(input, target)
        jax.tree.map(lambda g, e: np.testing.assert_allclose(g, e, rtol=1e-12), got, expected)


@every
def test_dtype_is_kept(criterion, input, target):
    for dtype in ("bfloat16", "float64"):
        with jax.enable_x64(dtype == "float64"):
            loss = jax.eval_shape(criterion, arrays(input, dtype), arrays(target))
            assert loss.dtype == dtype and loss.shape == ()


@every
def test_descriptions_are_values(criterion, input, target):
    for copied in (pickle.loads(pickle.dumps(criterion)), copy.deepcopy(criterion)):
        assert copied == criterion and hash(copied) == hash(criterion)


@every
def test_a_check_of_sizes_reads_no_values(criterion, input, target):
    """Numbers that no criterion takes are as good, but for one that `checks_input`."""
    for value in (np.nan, 5, -5):
        given = jax.tree.map(lambda leaf, value=value: np.full_like(leaf, value), arrays(input))
        try:
            criterion.check(given, target)
        except ValueError:
            assert criterion.checks_input


SUMS = [row for row in CRITERIONS if hasattr(row[0], "size_average") and not hasattr(row[0], "criterion")]


@pytest.mark.parametrize(
    ("criterion", "input", "target"), SUMS, ids=[f"{i}-{type(c).__name__}" for i, (c, *_) in enumerate(SUMS)]
)
def test_the_sum_over_no_examples_is_0(criterion, input, target):
    none = jax.tree.map(lambda leaf: leaf[:0], (input, target))
    assert criterion.replace(size_average=False)(*none) == 0


def test_connectionist_temporal_classification_is_that_of_optax():
    random = np.random.default_rng(0)
    scores = random.normal(size=(6, 4, 3)).astype(np.float32)  # steps, sequences, classes
    labels, sizes = np.array([[1, 1, 2], [2, 1, 0], [2, 0, 0], [1, 2, 1]]), np.array([6, 5, 3, 4])
    steps = (np.arange(6) >= sizes[:, None]).astype(np.float32)

    def expected(scores):
        return optax.ctc_loss(scores.swapaxes(0, 1), steps, labels, (labels == 0).astype(np.float32)).sum()

    losses = [
        loss(scores) for loss in map(jax.value_and_grad, (lambda x: f7.CTCCriterion()(x, (labels, sizes)), expected))
    ]
    jax.tree.map(lambda one, other: np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5), *losses)


@pytest.mark.parametrize(("labels", "sizes", "said"), [
    ([[3, 0]], [2], "label 3 at position 1, of 1 to 2"), ([[1, 2]], [4], "size 4 at position 1, of 1 to 3"),
    ([[1, 2]], [0], "size 0 at position 1, of 1 to 3"), ([[0, 2]], [3], "label 2 behind a 0, which is the end"),
])  # fmt: skip
def test_impossible_labels_are_refused_and_give_nan_where_nobody_can_look(labels, sizes, said):
    scores, target = jnp.zeros((3, 1, 3)), (jnp.array(labels), jnp.array(sizes))
    with pytest.raises(ValueError, match=f"^nn.CTCCriterion: {said}$"):
        f7.CTCCriterion()(scores, target)
    assert np.isnan(jax.jit(f7.CTCCriterion())(scores, target))
