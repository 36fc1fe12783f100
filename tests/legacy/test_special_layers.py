"""Layers whose objects do more than forward and backward."""

import jax
import numpy as np
import pytest

import functorch7 as f7
from functorch7.legacy import nn, torch

from .helpers import same, values

# Sparse inputs -------------------------------------------------------------------------------------------------------


def dense(keys, examples, size, offset=0):
    rows = np.zeros((len(examples), size))
    for row, key, value in zip(rows, keys, examples, strict=True):
        np.add.at(row, np.asarray(key) + offset - 1, value)
    return rows


KEYS, VALUES = [[1, 4, 4], [2]], [[0.5, -1.0, 2.0], [3.0]]


@pytest.mark.parametrize("offset", [0, 2])
def test_index_linear_equals_linear_of_the_dense_vector(offset):
    m = nn.IndexLinear(6, 3, False, offset).double()
    m.reset(0.5)
    x, g = dense(KEYS, VALUES, 6), values(2, 3)
    keys = [torch.LongTensor(key) + -offset for key in KEYS]
    expected = x @ np.asarray(m.weight) + np.asarray(m.bias)
    flat = [torch.LongTensor([1, 4, 4, 2]) + -offset, [0.5, -1, 2, 3], torch.LongTensor([3, 1])]
    same(m.forward(flat), expected)
    same(m.forward([keys, VALUES]), expected)
    m.zeroGradParameters()
    m.backward([keys, VALUES], g)
    same(m.gradWeight, x.T @ g)
    same(m.gradBias, g.sum(0))
    same(m.forward([keys[0], VALUES[0]]), expected[0])


def test_index_linear_gives_the_gradient_at_every_column():
    m = nn.IndexLinear(6, 3, True).double()
    m.reset(0.5)
    keys, g = [torch.LongTensor(key) for key in KEYS], values(2, 3)
    expected = g @ np.asarray(m.weight).T  # what nn.Linear gives for the dense vectors
    flat = [torch.LongTensor([1, 4, 4, 2]), torch.DoubleTensor([0.5, -1, 2, 3]), torch.LongTensor([3, 1])]
    for input, gradOutput, wanted in (
        ([keys, VALUES], g, [[range(1, 7)] * 2, expected]),
        (flat, g, [[range(1, 7)] * 2, expected]),
        ([keys[0], VALUES[0]], g[0], [range(1, 7), expected[0]]),
    ):
        m.forward(input)
        for found, column in zip(m.backward(input, gradOutput), wanted, strict=True):
            assert isinstance(found, list) == (input[0] is keys)
            same(np.stack(found) if isinstance(found, list) else found, np.stack(column))
        assert m.updateGradInput(input, gradOutput) is m.gradInput
    m.doGradInput = False  # then at the values that were given
    (_, at_values) = m.backward([keys[0], VALUES[0]], g[0])
    same(at_values, expected[0][[0, 3, 3]])


def test_index_linear_starts_at_zero_or_at_what_is_given():
    m = nn.IndexLinear(3, 2)
    same(m.forward([torch.LongTensor([1]), [5]]), [0, 0])
    m.reset()
    assert 0 < np.abs(m.weight).max() <= 2**-0.5 and np.abs(m.bias).max() < 1e-6
    given = nn.IndexLinear(3, 2, False, 0, torch.ones(3, 2), torch.Tensor([1, 2]))
    same(given.forward([torch.LongTensor([1, 3]), [5, 1]]), [7, 8])


def test_index_linear_normalizes_by_the_largest_value_seen():
    m = nn.IndexLinear(3, 2, False, 0, None, None, True)
    m.reset(0.5)
    assert m.weight.size() == [3, 6]
    weight, keys = np.array(m.weight)[:, 4:], torch.LongTensor([1, 2])
    same(m.forward([keys, [4, -2]]), [1, -1] @ weight[:2] + np.asarray(m.bias), rtol=1e-5)
    same(m.forward([keys, [1, -8]]), [0.25, -1] @ weight[:2] + np.asarray(m.bias), rtol=1e-5)
    same(np.asarray(m.weight)[:, 0], [4, 8, 0])
    m.evaluate()
    # Larger values than those of training count as the largest; the maxima stay.
    same(m.forward([keys, [100, 4]]), [1, 0.5] @ weight[:2] + np.asarray(m.bias), rtol=1e-5)
    same(np.asarray(m.weight)[:, 0], [4, 8, 0])


def test_sparse_linear_adds_up_repeated_indices():
    m = nn.SparseLinear(6, 3).double()
    pairs = [np.stack([key, value], 1) for key, value in zip(KEYS, VALUES, strict=True)]
    x, g = dense(KEYS, VALUES, 6), values(2, 3)
    same(m.forward(pairs), x @ np.asarray(m.weight).T + np.asarray(m.bias))
    m.zeroGradParameters()
    m.backward(pairs, g)
    same(m.gradWeight, g.T @ x)


def test_a_program_of_sparse_linear_is_as_long_for_many_examples_as_for_few():
    def length(count):
        pairs = [np.array([[1.0, 2.0]] * (1 + i % 3), "f") for i in range(count)]
        network = f7.SparseLinear(6, 3)
        params, buffers = network.init(jax.random.key(0))
        traced = jax.make_jaxpr(lambda given: network.apply(params, buffers, given)[0])(pairs)
        return sum(1 for _ in traced.eqns)

    assert length(4) == length(40)


def test_sparse_linear_gives_a_dense_gradient_when_asked():
    m = nn.SparseLinear(4, 3, True).double()
    x, g = [[[1, 0.5], [3, 2]]], values(1, 3)
    m.forward(np.array(x))
    (gradient,) = m.backward(np.array(x), g)
    same(np.asarray(gradient)[:, 0], [1, 2, 3, 4])
    same(np.asarray(gradient)[:, 1], (g @ np.asarray(m.weight))[0])


# LookupTable ---------------------------------------------------------------------------------------------------------


def test_lookup_table_scales_down_the_rows_that_are_used():
    m = nn.LookupTable(3, 2, 0, 1.0)
    m.weight.copy([[3, 4], [0.3, 0.4], [6, 8]])
    same(m.forward([1, 2]), [[0.6, 0.8], [0.3, 0.4]], rtol=1e-5)
    same(m.weight, [[0.6, 0.8], [0.3, 0.4], [6, 8]], rtol=1e-5)
    m.setMaxNorm(None)
    same(m.forward([3]), [[6, 8]])


def test_lookup_table_takes_the_norm_that_is_named():
    m = nn.LookupTable(2, 2, 0, 1.0).setNormType(1)
    m.weight.copy([[3, 1], [1, 1]])
    same(m.forward([1]), [[0.75, 0.25]], rtol=1e-5)


def test_lookup_table_gives_padding_no_gradient():
    m = nn.LookupTable(3, 2)
    m.setPadding(2)
    m.zeroGradParameters()
    m.forward([1, 2, 1])
    m.backward([1, 2, 1], np.ones((3, 2)))
    same(m.gradWeight, [[2, 2], [0, 0], [0, 0]])


def test_lookup_table_divides_by_frequency():
    m = nn.LookupTable(3, 2)
    m.scaleGradByFreq()
    m.zeroGradParameters()
    m.forward([1, 3, 1, 1])
    m.backward([1, 3, 1, 1], np.ones((4, 2)))
    same(m.gradWeight, [[1, 1], [0, 0], [1, 1]])


# Kmeans --------------------------------------------------------------------------------------------------------------


def clouds():
    centres = np.array([[0, 0], [10, 0], [0, 10]])
    points = np.concatenate([c + 0.1 * values(20, 2, seed=i) for i, c in enumerate(centres)])
    return points, np.stack([points[i * 20 : (i + 1) * 20].mean(0) for i in range(3)])


@pytest.mark.parametrize("p", [None, 0.95])
def test_kmeans_finds_the_clusters(p):
    samples, means = clouds()
    best = None
    for _ in range(5):  # the documentation's attempts
        km = nn.Kmeans(3, 2).double()
        km.initKmeansPlus(samples, p)
        for _ in range(10):
            km.zeroGradParameters()
            km.forward(samples)
            km.backward(samples, np.zeros(60))
            km.updateParameters(1)
        best = km.clone() if best is None or km.loss < best.loss else best
    found = np.asarray(best.weight)
    same(found[np.lexsort(found.T)], means[np.lexsort(means.T)], rtol=1e-5)
    labels = np.asarray(best.forward(samples))
    assert all(len(set(labels[i : i + 20])) == 1 for i in (0, 20, 40)) and len(set(labels)) == 3
    assert best.loss == pytest.approx(((samples - found[labels.astype(int) - 1]) ** 2).sum())


def test_kmeans_starts_from_examples():
    samples, _ = clouds()
    km = nn.Kmeans(4, 2).double()
    km.initRandom(samples)
    assert all((centre == samples).all(1).any() for centre in np.asarray(km.weight))
    km.forward(samples)
    same(km.backward(samples, np.ones(60)), np.zeros((60, 2)))


def test_kmeans_needs_as_many_examples_as_centres():
    km = nn.Kmeans(3, 2)
    with pytest.raises(ValueError, match=r"nn.Kmeans: expected at least 3 examples to start from, got shape \(2, 2\)"):
        km.initRandom(values(2, 2))
    with pytest.raises(ValueError, match="p value should be between 0-1, got 2"):
        km.initKmeansPlus(values(5, 2), 2)


# Convert -------------------------------------------------------------------------------------------------------------


def test_convert_transposes_and_flattens():
    x = values(5, 3, 2, 4)
    same(nn.Convert("bchw", "bf").forward(x), x.reshape(5, -1))
    same(nn.Convert("chw", "f").forward(x[0]), x[0].reshape(-1))
    same(nn.Convert("chw", "hwc").forward(x), x.transpose(0, 2, 3, 1))
    same(nn.Convert("chw", "hwc").forward(x[0]), x[0].transpose(1, 2, 0))
    same(nn.Convert("chwb", "bf").forward(x.transpose(1, 2, 3, 0)), x.transpose(0, 2, 3, 1).reshape(5, -1))
    same(nn.Convert("b", "bt").forward(x[:, 0, 0, 0]), x[:, 0, 0, :1])
    same(nn.Convert("bt", "b").forward(x[:, :, 0, 0]), x[:, 0, 0, 0])
    same(nn.Convert("b", "bf").forward(x[:, 0, 0, 0]), x[:, 0, 0, :1])


def test_convert_without_shapes_casts_to_its_type():
    m = nn.Sequential().add(nn.Convert()).add(nn.Linear(2, 2))
    assert nn.Convert().forward(torch.DoubleTensor([1, 2])).type() == "torch.FloatTensor"
    assert m.double().forward(torch.Tensor([1, 2])).type() == "torch.DoubleTensor"
    assert nn.Convert("bf", "fb").forward(torch.IntTensor([[1, 2]])).type() == "torch.FloatTensor"
    assert nn.Convert().double().forward(torch.IntTensor([1, 2])).type() == "torch.DoubleTensor"


def test_convert_offers_its_parts():
    m, x = nn.Convert("bchw", "bf"), values(5, 3, 2, 4)
    assert (m.findAxis("c"), m.findAxis("f", "bf"), m.findAxis("t", None, True)) == (2, 2, None)
    assert str(m.transpose("bchw")) == "nn.Identity"
    same(m.transpose("bhwc").forward(x), x.transpose(0, 2, 3, 1))
    same(m.bf(x).forward(x), x.reshape(5, -1))
    same(m.buildConverter(x).forward(x), x.reshape(5, -1))
    same(nn.Convert("b", "bt").bt().forward([1, 2]), [[1], [2]])
    same(nn.Convert("fb", "b").b(x[0, :1, 0]).forward(x[0, :1, 0]), x[0, 0, 0])


@pytest.mark.parametrize(
    "shapes, message",
    [
        ((None, "bf"), "expecting non-nil arg 1"),
        (("b*", "bf"), "both or neither shapes must be b"),
        (("bchw", "bcf"), "unrecognized conversion of shape bchw to bcf"),
    ],
)
def test_convert_refuses_other_conversions(shapes, message):
    with pytest.raises(ValueError, match=message):
        nn.Convert(*shapes)


@pytest.mark.parametrize(
    "shapes, input, message",
    [
        (("bt", "bf"), values(2, 3), "bt to bf not supported"),
        (("bf", "b"), values(2, 3), "expected one feature"),
        (("bchw", "b"), values(2, 3, 4, 5), "cannot convert shape bchw to shape b"),
        (("bf", "bt"), values(2, 3), "cannot convert shape 'bf' to bt"),
    ],
)
def test_convert_refuses_inputs_that_it_cannot_convert(shapes, input, message):
    with pytest.raises(ValueError, match=message):
        nn.Convert(*shapes).forward(input)
    with pytest.raises(ValueError, match="provided shape 'bchw' has no axis 't'"):
        nn.Convert("bchw", "bf").findAxis("t")


# Others --------------------------------------------------------------------------------------------------------------


def test_narrow_and_dropout_have_torchs_names_for_their_fields():
    m, x = nn.Narrow(1, 2, 2), values(5)
    m.index += 1
    same(m.forward(x), x[2:4])
    d = nn.Dropout(0.5)
    assert d.v2 is True
    d.v2 = False
    assert d.v1 is True
    assert nn.Euclidean(2, 3).fastBackward is True


def test_c_mul_table_has_its_efficient_gradient():
    m, given = nn.CMulTable().double(), [[2, 0], [3, 5]]
    m.forward(given)
    same(m.updateGradInput_efficient(given, [1, 1])[1], [2, 0])
    assert np.isnan(np.asarray(m.gradInput[0])[1])


def test_map_table_counts_its_entries():
    m = nn.MapTable(nn.Linear(3, 2))
    assert (m.size(), str(m)) == (1, "nn.MapTable {\n  nn.Linear(3 -> 2)\n}")
    m.forward([values(3), values(3, seed=1)])
    assert m.size() == 2 and len(m.parameters()[0]) == 4 and m.shared and m.sharedparams[0] == "weight"
    m.resize(3)
    assert m.size() == 3
    m.clearState()
    assert m.size() == 1
    with pytest.raises(TypeError, match="single module required"):
        m.add(nn.Tanh())


@pytest.mark.parametrize("shared", [False, []])
def test_map_table_of_separate_modules(shared):
    map, x = nn.MapTable(nn.Linear(3, 2), shared), [values(3), values(3, seed=1)]
    y = map.forward(x)
    assert map.size() == 2 and len(map.parameters()[0]) == 4
    map.zeroGradParameters()
    map.backward(x, [np.ones(2), np.zeros(2)])
    same(map.get(1).gradBias, [1, 1])
    same(map.get(2).gradBias, [0, 0])
    map.updateParameters(1)
    same(np.asarray(map.forward(x)[1]), y[1])
    assert not np.allclose(map.forward(x)[0], y[0])
    with pytest.raises(ValueError, match=r"expected at most 2 entries \(say resize\(3\) first\)"):
        nn.Sequential().add(map).forward([*x, x[0]])
    map.resize(3)
    assert len(nn.Sequential().add(map).forward([*x, x[0]])) == 3


def test_print_size_prints_forward_and_backward(capsys):
    m = nn.Sequential().add(nn.PrintSize("x")).add(nn.Linear(3, 2))
    for _ in range(2):
        m.forward(values(4, 3))
        m.backward(values(4, 3), values(4, 2))
    jax.effects_barrier()
    sizes = "\t 4\n 3\n[torch.LongStorage of size 2]\n\n"
    assert capsys.readouterr().out == f"x:input\n{sizes}x:gradOutput\n{sizes}" * 2
    nn.PrintSize("x").forward([values(12, 3), [values(4)]])
    table = "\t{\n  1 : FloatTensor - size: 12x3\n  2 : \n    {\n      1 : FloatTensor - size: 4\n    }\n}\n"
    assert capsys.readouterr().out == f"x:input\n{table}"


def test_sparse_linear_decays_its_weight():
    m, plain = nn.SparseLinear(4, 3).double(), nn.SparseLinear(4, 3).double()
    plain.weight.copy(m.weight)
    m.weightDecay = 0.1
    x, g = np.array([[1, 0.5], [3, 2]]), values(3)
    for each in (m, plain):
        each.zeroGradParameters()
        each.forward(x)
        each.backward(x, g)
    same(m.gradWeight, np.asarray(plain.gradWeight) + 0.1 * np.asarray(m.weight))
    same(m.forward([]), m.bias)


def test_prelu_is_not_reset():
    m = nn.Sequential().add(nn.PReLU(2)).add(nn.Linear(2, 2))
    m.get(1).weight.fill(0.5)
    weight = np.array(m.get(2).weight)
    m.reset()
    same(m.get(1).weight, [0.5, 0.5])
    assert not np.allclose(m.get(2).weight, weight)


def test_partial_linear_in_a_pure_function():
    layer = f7.PartialLinear(3, 5)
    assert layer.set_partition([2, 4]).reset_partition() == layer
    with pytest.raises(ValueError, match=r"expected a partition of outputs from 1 to 5, got \[0\]"):
        layer.set_partition([0])


def test_index_linear_takes_the_size_of_one_example_as_a_number():
    module = nn.IndexLinear(5, 2)
    module.weight.copy(values(5, 2))
    keys, numbers = torch.LongTensor([2, 4]), torch.Tensor([0.5, 2])
    single = np.array(module.forward([keys, numbers]))
    same(module.forward([keys, numbers, 2]), single[None])


def test_a_shared_map_table_has_its_module_for_every_entry():
    table = nn.MapTable(nn.Linear(3, 2))
    table.resize(4)
    assert table.size() == 4 and table.get(4) is table.get(1) and table.get(5) is None
    assert table.clearState().size() == 1


def test_a_lookup_table_that_only_updates_has_no_gradient():
    table, indices = nn.LookupTable(5, 2), torch.LongTensor([1, 3])
    assert table.gradWeight.nElement() == 10
    assert table.accUpdateOnly() is table and table.gradWeight is None
    table.double()
    before = np.array(table.weight)
    table.backwardUpdate(indices, table.forward(indices), 0.5)
    before[[0, 2]] *= 0.5
    same(table.weight, before)


def test_words_of_letters_are_looked_up_and_pooled():
    """A layer that checks its input before one whose derivative is its own: nothing right is refused, and wrong is."""
    network = nn.Sequential(nn.LookupTable(6, 2), nn.TemporalMaxPooling(3))
    letters = np.array([[1, 6, 2], [3, 3, 5]])
    same(network.forward(letters), network.get(1).weight.numpy()[letters - 1].max(1, keepdims=True))
    with pytest.raises(ValueError, match="indices from 1 to 6, got 7"):
        network.forward(np.array([[1, 7, 2]]))


def test_one_hot_gives_zeros_of_its_own_type():
    one_hot, indices = nn.OneHot(4).double(), torch.LongTensor([[1, 2], [4, 4]])
    one_hot.forward(indices)
    gradInput = one_hot.backward(indices, values(2, 2, 4))
    assert gradInput is one_hot.gradInput and gradInput.type() == "torch.DoubleTensor"
    same(gradInput, np.zeros((2, 2)))
