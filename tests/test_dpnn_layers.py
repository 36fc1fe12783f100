"""dpnn's smaller layers, against their formulas, SciPy's tests of distributions, and scikit-learn's k-means."""

import pickle
from itertools import pairwise

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from scipy.stats import chisquare
from sklearn.cluster import KMeans

import functorch7 as f7
from functorch7.legacy import nn, torch
from functorch7.training import init_state
from functorch7.training.sgd import make_sgd_step

RANDOM = np.random.default_rng(0)
KEY = jax.random.key(0)

# A tree whose leaves are at depths 1 to 3 and whose families have 2 to 4 members.
TREE = {1: [2, 3, 4], 3: [5, 6], 6: [7, 8], 4: [9, 10, 11, 12]}
TREE_ARRAYS = {parent: np.array(children) for parent, children in TREE.items()}
LEAVES = np.array([2, 5, 7, 8, 9, 10, 11, 12])
PATHS = {2: [1], 5: [1, 3], 7: [1, 3, 6], 8: [1, 3, 6], **{leaf: [1, 4] for leaf in (9, 10, 11, 12)}}


def tree_and_rows(**options):
    """A tree in float64, and the rows of each family in its weight: families in the order of their parents."""
    tree = nn.SoftMaxTree(3, TREE_ARRAYS, **options).double()
    rows, first = {}, 0
    for parent in sorted(TREE):
        rows[parent] = list(range(first, first + len(TREE[parent])))
        first += len(TREE[parent])
    return tree, rows


def log_probability(weight, bias, rows, x, leaf):
    """The documentation's definition: a product of softmaxes along the path from the root."""
    total, path = 0.0, [*PATHS[leaf], leaf]
    for parent, child in pairwise(path):
        scores = weight[rows[parent]] @ x + bias[rows[parent]]
        total += scores[TREE[parent].index(child)] - np.log(np.exp(scores).sum())
    return total


# SoftMaxTree ---------------------------------------------------------------------------------------------------------


def test_tree_multiplies_the_softmaxes_of_a_path():
    tree, rows = tree_and_rows()
    x = RANDOM.normal(size=(len(LEAVES), 3))
    weight, bias = np.asarray(tree.weight), np.asarray(tree.bias)
    expected = [log_probability(weight, bias, rows, each, leaf) for each, leaf in zip(x, LEAVES.tolist(), strict=True)]
    np.testing.assert_allclose(tree.forward([x, LEAVES]), expected, rtol=1e-12)


def test_trees_leaves_have_probabilities_that_sum_to_one():
    tree, _ = tree_and_rows()
    x = np.repeat(RANDOM.normal(size=(1, 3)), len(LEAVES), 0)
    np.testing.assert_allclose(np.exp(tree.forward([x, LEAVES])).sum(), 1, rtol=1e-12)


def test_tree_of_one_level_is_linear_and_log_softmax():
    tree, linear = f7.SoftMaxTree(3, {5: np.array([1, 2, 3, 4])}), f7.Sequential(f7.Linear(3, 4), f7.LogSoftMax())
    params, buffers = tree.init(KEY)
    x, target = jnp.asarray(RANDOM.normal(size=(6, 3)), jnp.float32), np.array([1, 2, 3, 4, 4, 1])
    scores, _ = linear.apply([params, {}], [{}, {}], x)
    np.testing.assert_allclose(tree.apply(params, buffers, [x, target])[0], scores[np.arange(6), target - 1], rtol=1e-5)


def test_tree_computes_the_path_only():
    tree, rows = tree_and_rows()
    for parent in (4, 6):  # what is NaN would show
        for tensor in tree.getNodeParameters(parent)[0]:
            tensor.fill(np.nan)
    x, g = RANDOM.normal(size=(2, 3)), np.ones(2)
    tree.zeroGradParameters()
    assert np.isfinite(tree.forward([x, np.array([2, 5])])).all()
    gradient, of_target = tree.backward([x, np.array([2, 5])], g)
    assert np.isfinite(gradient).all() and not np.asarray(of_target).any()
    untouched = [*rows[4], *rows[6]]
    assert not np.asarray(tree.gradWeight)[untouched].any() and not np.asarray(tree.gradBias)[untouched].any()
    assert np.asarray(tree.gradBias)[[*rows[1], *rows[3]]].all()


def test_trees_row_step_is_gradient_descent():
    tree = f7.Sequential(f7.SoftMaxTree(3, TREE_ARRAYS))

    def loss(output, target):
        return -output.mean()

    state = init_state(tree, optax.identity(), KEY)
    x = [jnp.asarray(RANDOM.normal(size=(4, 3)), jnp.float32), jnp.array([2, 5, 7, 7])]
    gradient = jax.grad(lambda p: loss(tree.apply(p, state.buffers, x)[0], None))(state.params)
    expected = jax.tree.map(lambda p, g: np.asarray(p - 0.5 * g), state.params, gradient)
    after, _ = make_sgd_step(tree, loss, 0.5)(state, (x, x[1]), None)
    jax.tree.map(lambda a, e: np.testing.assert_allclose(a, e, rtol=1e-5, atol=1e-6), after.params, expected)


def test_trees_helpers_leave_other_families_alone():
    """dpnn's momentum, decay and norms are those of the families that the batches went through."""
    tree, rows = tree_and_rows()
    before, touched = np.array(tree.weight), [*rows[1], *rows[3]]
    inputs, g = [RANDOM.normal(size=(2, 3)), np.array([2, 5])], np.full(2, -0.5)
    tree.zeroGradParameters()
    assert [p.size() for p in tree.sparseParameters()[0]] == [[11, 3], [11]]
    tree.forward(inputs)
    tree.backward(inputs, g)
    gradient = np.array(tree.gradWeight)
    assert [p.size() for p in tree.sparseParameters()[0]] == [[3, 3], [3], [2, 3], [2]]
    tree.updateGradParameters(0.9, 0.5)  # the averages start from zeros
    np.testing.assert_allclose(tree.gradWeight, 0.5 * gradient, rtol=1e-12)
    tree.weightDecay(0.1)
    decayed = np.isin(np.arange(11), touched)[:, None] * before
    np.testing.assert_allclose(tree.gradWeight, 0.5 * gradient + 0.1 * decayed, rtol=1e-12)
    tree.maxParamNorm(1e-3)
    norms = np.linalg.norm(tree.weight, axis=1)
    np.testing.assert_allclose(norms[touched], 1e-3, rtol=1e-3)
    np.testing.assert_array_equal(np.delete(tree.weight, touched, 0), np.delete(before, touched, 0))
    assert tree.getParameters()[0].size() == [44]


def test_any_trees_leaves_have_probabilities_that_sum_to_one():
    """A tree made at random: every node but the first hangs on an earlier one."""
    parents = {node: int(RANDOM.integers(1, node)) for node in range(2, 13)}
    hierarchy = {p: np.array([c for c in parents if parents[c] == p]) for p in set(parents.values())}
    leaves = np.array(sorted(set(parents) - set(hierarchy)))
    tree = nn.SoftMaxTree(2, hierarchy).double().reset(2)
    np.testing.assert_allclose(np.exp(tree.forward([np.ones((len(leaves), 2)), leaves])).sum(), 1, rtol=1e-12)


def test_tree_learns_a_distribution():
    tree, x = nn.SoftMaxTree(1, TREE_ARRAYS), np.ones((8, 1))
    targets = np.array([2, 2, 5, 7, 8, 9, 9, 12])
    criterion = nn.TreeNLLCriterion()
    for _ in range(300):
        loss = criterion.forward(tree.forward([x, targets]), targets)
        tree.zeroGradParameters()
        tree.backward([x, targets], criterion.backward(tree.output, targets))
        tree.updateParameters(1)
    got = np.exp(tree.forward([np.ones((4, 1)), np.array([2, 5, 9, 12])]))
    np.testing.assert_allclose(got, [2 / 8, 1 / 8, 2 / 8, 1 / 8], atol=0.01)
    assert abs(loss - (4 / 8 * np.log(4) + 4 / 8 * np.log(8))) < 0.01  # the entropy of the targets


def test_tree_has_the_initial_values_of_torch():
    tree, _ = tree_and_rows()
    assert tree.weight.size() == [11, 3] and np.abs(tree.weight).max() <= (11 * 3) ** -0.5
    tree.reset(0.5)
    assert (11 * 3) ** -0.5 < np.abs(tree.weight).max() <= 0.5 * 3**0.5


def test_tree_finds_its_root_or_takes_a_part():
    assert f7.SoftMaxTree(3, TREE_ARRAYS).root_id == 1
    part = f7.SoftMaxTree(3, TREE_ARRAYS, 3)
    params, buffers = part.init(KEY)
    x = jnp.ones((3, 3))
    output, _ = part.apply(params, buffers, [x, np.array([5, 7, 8])])
    np.testing.assert_allclose(jnp.exp(output).sum(), 1, rtol=1e-5)
    with pytest.raises(ValueError, match=r"nn.SoftMaxTree: expected nodes below the root, got 9"):
        part.apply(params, buffers, [x, np.array([5, 9, 8])])
    assert np.isnan(jax.jit(part.apply)(params, buffers, [x, np.array([5, 9, 8])])[0]).tolist() == [False, True, False]


@pytest.mark.parametrize(
    "make, error, message",
    [
        (lambda: f7.SoftMaxTree(3, 5), TypeError, "expected a table from parents to their children at arg 2"),
        (lambda: f7.SoftMaxTree(3, {1: np.ones((2, 2), int)}), ValueError, "a table of 1D tensors"),
        (lambda: f7.SoftMaxTree(3, {1: np.array([2, -3])}), ValueError, "node ids must be positive, got -3"),
        (lambda: f7.SoftMaxTree(3, {1: np.array([2, 3]), 2: np.array([3])}), ValueError, "a node with two parents"),
        (lambda: f7.SoftMaxTree(3, {1: np.array([2]), 3: np.array([4])}), ValueError, "one root, got 2; give root_id"),
        (lambda: f7.SoftMaxTree(3, {1: np.array([2])}, 2), ValueError, "expected a root that has children, got 2"),
        (lambda: f7.SoftMaxTree(3, {1: np.array([2]), 3: np.array([4]), 4: np.array([3])}), ValueError, "above itself"),
        (lambda: f7.SoftMaxTree(0, TREE_ARRAYS), ValueError, "expected input_size >= 1"),
        (lambda: f7.SoftMaxForest(3, [TREE_ARRAYS], [1, 1]), ValueError, "expected one root per tree, got 1 and 2"),
        (lambda: f7.Bigrams(3, 5), TypeError, "expected a table from words to tables of index and prob"),
        (lambda: f7.Bigrams({1: {"index": [1, 2], "prob": [1.0]}}, 5), ValueError, "as many index as prob for word 1"),
        (lambda: f7.TotalDropout(1), ValueError, "nn.TotalDropout: expected 0 <= p < 1"),
        (lambda: f7.Dictionary(5, 3), RuntimeError, "DEPRECATED Jan 14, 2016"),
        (lambda: nn.Dictionary(5, 3), RuntimeError, "DEPRECATED Jan 14, 2016"),
        (lambda: tree_and_rows()[0].getNodeParameters(2), ValueError, "a node that has children, got 2"),
        (lambda: tree_and_rows(accUpdate=True)[0].updateGradParameters(0.9), RuntimeError, "momentum with accUpdate"),
    ],
)
def test_what_makes_no_sense_is_refused(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_forest_mixes_its_trees():
    other = {20: np.array([2, 5, 7, 8, 9, 10, 11, 12])}
    forest = nn.SoftMaxForest(3, [TREE_ARRAYS, other], [1, 20], [4, 5]).double()
    x = RANDOM.normal(size=(8, 3))
    output = np.asarray(forest.forward([x, LEAVES]))
    first, first_bias, second, second_bias, last, last_bias, *experts = map(np.asarray, forest.parameters()[0])
    hidden = np.tanh(np.tanh(x @ first.T + first_bias) @ second.T + second_bias)
    gate = np.exp(hidden @ last.T + last_bias)
    gate /= gate.sum(1, keepdims=True)
    trees = []
    for tree, weight, bias in zip((TREE_ARRAYS, other), experts[::2], experts[1::2], strict=True):
        expert = nn.SoftMaxTree(3, tree).double()
        expert.weight.copy(weight)
        expert.bias.copy(bias)
        trees.append(np.array(expert.forward([x, LEAVES])))
    np.testing.assert_allclose(output, (gate * np.stack(trees, 1)).sum(1), rtol=1e-10)
    assert str(forest) == "nn.SoftMaxForest"
    assert [g.shape for g in forest.backward([x, LEAVES], np.ones(8))] == [(8, 3), (8,)]


# Bigrams -------------------------------------------------------------------------------------------------------------

FOLLOWING = {
    1: {"index": np.array([4, 2, 7]), "prob": np.array([0.1, 0.6, 0.3])},
    2: {"index": np.array([1]), "prob": np.array([1.0])},
    5: {"index": np.arange(1, 9), "prob": np.array([8.0, 1, 1, 4, 2, 0, 3, 1])},
}


@pytest.mark.parametrize("word", FOLLOWING)
def test_bigrams_have_the_given_distribution(word):
    bigrams = f7.Bigrams(FOLLOWING, 4000)
    drawn, _ = bigrams.apply(*bigrams.init(KEY), np.array([word, word]), key=KEY)
    assert drawn.shape == (2, 4000) and jnp.issubdtype(drawn.dtype, jnp.integer)
    index, prob = FOLLOWING[word]["index"], FOLLOWING[word]["prob"]
    counts = (np.asarray(drawn).reshape(-1, 1) == index).sum(0)
    assert counts.sum() == drawn.size and not counts[prob == 0].any()
    if len(index) > 1:
        expected = (prob / prob.sum() * drawn.size)[prob > 0]
        assert chisquare(counts[prob > 0], expected).pvalue > 0.01


@pytest.mark.parametrize("word", FOLLOWING)
def test_bigrams_alias_tables_are_exact(word):
    """All that a draw can give, summed up: each column with the same probability, kept or left for its other word."""
    tables = {name: np.asarray(table) for name, table in f7.Bigrams(FOLLOWING, 1).init_buffers().items()}
    first, size = tables["starts"][word], tables["sizes"][word]
    of, stay, other = (tables[name][first : first + size] for name in ("following", "stay", "other"))
    found = np.bincount(of, stay, 9) + np.bincount(of[other], 1 - stay, 9)
    wanted = np.bincount(FOLLOWING[word]["index"], FOLLOWING[word]["prob"], 9)
    np.testing.assert_allclose(found / size, wanted / wanted.sum(), atol=1e-6)


def test_bigrams_as_an_object():
    m = nn.Bigrams(FOLLOWING, 3)
    assert m.statistics() == (3 + 1 + 8) / 3
    np.testing.assert_array_equal(m.forward(np.array([2, 2])), np.ones((2, 3)))
    assert not np.asarray(m.backward(np.array([2, 2]), np.ones((2, 3)))).any()
    with pytest.raises(ValueError, match=r"nn.Bigrams: expected words up to 5 with bigrams, got 3"):
        f7.Bigrams(FOLLOWING, 3).apply(*f7.Bigrams(FOLLOWING, 3).init(KEY), np.array([1, 3]), key=KEY)


# The others ----------------------------------------------------------------------------------------------------------


def test_argmax_counts_dimensions_after_the_batch():
    x = RANDOM.normal(size=(3, 4, 2))
    np.testing.assert_array_equal(nn.ArgMax(2).forward(x), x.argmax(1) + 1)
    np.testing.assert_array_equal(nn.ArgMax(1, 2).forward(x), x.argmax(1) + 1)
    np.testing.assert_array_equal(nn.ArgMax(1, 2).forward(x[0]), x[0].argmax(0) + 1)
    np.testing.assert_array_equal(nn.ArgMax().forward(x[0, 0]), [x[0, 0].argmax() + 1])
    m = nn.ArgMax(3, None, False).double()
    assert (m.forward(x).type(), nn.ArgMax().forward(x).type()) == ("torch.DoubleTensor", "torch.LongTensor")
    np.testing.assert_array_equal(m.backward(x, np.ones((3, 4))), np.zeros_like(x))


def test_total_dropout_keeps_all_or_nothing():
    m, x = nn.TotalDropout(0.3), RANDOM.normal(size=(2, 3)).astype(np.float32)
    kept = 0
    for _ in range(300):
        output = np.asarray(m.forward(x))
        assert np.array_equal(output, x) or not output.any()
        np.testing.assert_array_equal(m.backward(x, x), output)
        kept += output.any()
    assert abs(kept / 300 - 0.7) < 4 * (0.3 * 0.7 / 300) ** 0.5
    m.evaluate()
    np.testing.assert_array_equal(m.forward(x), x)


@pytest.mark.parametrize(
    "scale, least, averages", [(1, None, True), (2, 1.2, True), (0.5, 0.1, True), (1, None, False)]
)
def test_categorical_entropy_adds_the_entropys_gradient(scale, least, averages):
    x, g = RANDOM.dirichlet(np.ones(4), 3), RANDOM.normal(size=(3, 4))
    m = nn.CategoricalEntropy(scale, least)
    m.sizeAverage = averages
    m.double()
    np.testing.assert_array_equal(m.forward(x), x)
    q = x.sum(0) / x.sum()
    entropy = -(q * np.log(q + 1e-6)).sum()
    np.testing.assert_allclose(m.entropy, entropy)
    slope = -(np.log(q + 1e-6) + q / (q + 1e-6)) / x.sum()  # the total is held constant
    pushed = scale * slope / (3 if averages else 1) * (least is None or entropy < least)
    np.testing.assert_allclose(m.backward(x, g), g - pushed, rtol=1e-10)


def test_clip_is_exact_far_from_its_limits():
    x = np.float32([-1e30, -3e7, -0.5, 0.25, 1e8, np.inf])
    m = nn.Clip(-0.1, 1.1)
    np.testing.assert_array_equal(m.forward(x), np.clip(x, np.float32(-0.1), np.float32(1.1)))
    np.testing.assert_array_equal(m.backward(x, x), x)


def test_kmeans_reaches_the_loss_of_scikit_learn():
    random = np.random.default_rng(1)
    centres = random.normal(size=(4, 3))
    x = (centres[:, None] + random.normal(size=(4, 50, 3))).reshape(-1, 3)
    start = x[random.choice(len(x), 4, replace=False)]
    reference = KMeans(4, init=start, n_init=1, max_iter=100, tol=0, algorithm="lloyd").fit(x)
    m = nn.Kmeans(4, 3).double()
    m.weight.copy(start)
    for _ in range(101):  # the last forward measures
        labels = m.forward(x)
        m.zeroGradParameters()
        m.backward(x)  # gradOutput is ignored
        m.updateParameters(1)
    np.testing.assert_allclose(m.loss, reference.inertia_, rtol=1e-5)
    np.testing.assert_array_equal(labels, reference.labels_ + 1)
    np.testing.assert_allclose(m.weight, reference.cluster_centers_, rtol=1e-5)


def test_kmeans_counts_and_scales():
    m, x = nn.Kmeans(3, 1, 0.5).double(), np.array([[0.0], [1.0], [10.0]])
    m.weight.copy([[0], [9], [50]])
    m.zeroGradParameters()
    np.testing.assert_array_equal(m.forward(x), [1, 1, 2])
    np.testing.assert_array_equal(m.clusterSampleCount, [2, 1, 0])
    assert m.loss == 2
    m.backward(x, None, 7)  # the module's own scale counts instead
    np.testing.assert_allclose(m.gradWeight, [[-0.25], [-0.5], [0]], rtol=1e-6)
    with pytest.raises(ValueError, match="scale has to be positive, got -1"):
        nn.Kmeans(3, 1, -1)


@pytest.mark.parametrize("inside_type, outside_type", [("float", "double"), ("double", "float")])
def test_dont_cast_computes_in_its_own_type_wherever_it_stands(inside_type, outside_type):
    outside = {"float": "torch.FloatTensor", "double": "torch.DoubleTensor"}[outside_type]
    x = RANDOM.normal(size=(2, 3))
    linear = getattr(nn.Linear(3, 4), inside_type)()
    alone = getattr(nn.DontCast(linear, True), outside_type)()
    inside = getattr(nn.Sequential().add(nn.DontCast(linear, True)).add(nn.Tanh()), outside_type)()
    hidden = x @ np.asarray(linear.weight, float).T + np.asarray(linear.bias, float)
    for module, expected in ((alone, hidden), (inside, np.tanh(hidden))):
        output = module.forward(x)
        np.testing.assert_allclose(output, expected, rtol=1e-4, atol=1e-6)
        assert (output.type(), module.backward(x, np.ones((2, 4))).type()) == (outside, outside)
    assert linear.weight.type() == f"torch.{inside_type.title()}Tensor" == linear.gradWeight.type()


def test_every_module_can_be_decorated_by_serial():
    saved = pickle.loads(pickle.dumps(nn.Linear(2, 2).double().Serial("torch.FloatTensor").lightSerial()))
    assert str(saved) == "nn.Serial @ nn.Linear(2 -> 2)"
    assert (saved.get(1).weight.type(), saved.forward([1, 2]).size()) == ("torch.FloatTensor", [2])


def test_reverse_table_asks_for_a_table():
    with pytest.raises(ValueError, match=r"nn.ReverseTable: expected a table, got shape \(2,\)"):
        nn.ReverseTable().forward(np.ones(2))


@pytest.mark.parametrize(
    "shapes, input, expected",
    [
        (("fb", "b"), np.arange(3.0)[None], np.arange(3.0)),
        (("tb", "b"), np.arange(6.0).reshape(2, 3), np.arange(3.0)),
        (("bf", "fb"), np.arange(6.0).reshape(2, 3), np.arange(6.0).reshape(2, 3).T),
        (
            ("hwb", "bf"),
            np.arange(12.0).reshape(2, 2, 3),
            np.arange(12.0).reshape(2, 2, 3).swapaxes(0, 2).reshape(3, 4),
        ),
    ],
)
def test_convert_puts_the_batch_first(shapes, input, expected):
    """Before flattening, the batch's axis changes places with the first, as in Torch."""
    m = nn.Convert(*shapes).double()
    np.testing.assert_array_equal(m.forward(input), expected)
    assert m.backward(input, expected).size() == list(input.shape)


def test_a_column_is_a_tree_s_output_as_well():
    criterion, column = nn.TreeNLLCriterion(), np.log(np.float32([[0.5], [0.25]]))
    assert criterion.forward(column, None) == pytest.approx(-column.mean())
    np.testing.assert_allclose(criterion.backward(column, None), [[-0.5], [-0.5]])


def test_a_row_and_a_column_are_a_separable_kernel():
    row, column = np.float32([[1, 2, 1]]), np.float32([[1], [3], [4], [3], [1]])
    wanted = f7.SpatialNormalization(2, column @ row, 0.1)
    for pair in ([row, column], (column, row)):
        assert f7.SpatialNormalization(2, pair, 0.1) == wanted
    x = torch.rand(2, 6, 7)
    found = nn.SpatialNormalization(2, [torch.Tensor(row), torch.Tensor(column)], 0.1).forward(x)
    np.testing.assert_allclose(found, nn.SpatialNormalization(2, column @ row, 0.1).forward(x), rtol=1e-6)
    with pytest.raises(ValueError, match="nn.SpatialNormalization: expected two kernels, a row and a column"):
        f7.SpatialNormalization(2, [np.ones((3, 3)), column])
