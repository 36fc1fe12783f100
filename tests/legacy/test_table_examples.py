"""The worked examples of the documentation about tables, as written there."""

import numpy as np
import pytest

from functorch7.legacy import nn, torch

from .helpers import gradUpdate, same, values


def test_tables_go_through_Sequential():
    t = [torch.randn(3), torch.randn(3), torch.randn(3)]
    pred = nn.Sequential().add(nn.Identity()).add(nn.CAddTable()).forward(t)
    same(pred, sum(np.asarray(v) for v in t), rtol=1e-5)


def test_concat_table():
    mlp = nn.ConcatTable()
    mlp.add(nn.Linear(5, 2))
    mlp.add(nn.Linear(5, 3))
    assert [y.size() for y in mlp.forward(torch.randn(5))] == [[2], [3]]


def test_concat_table_of_a_nested_table():
    mlp = nn.ConcatTable()
    mlp.add(nn.Identity())
    mlp.add(nn.Identity())
    a, b = torch.randn(2), torch.randn(3)
    same(mlp.forward([a, [b]]), [[a, [b]], [a, [b]]])


def test_parallel_table():
    mlp = nn.ParallelTable()
    mlp.add(nn.Linear(10, 2))
    mlp.add(nn.Linear(5, 3))
    assert [y.size() for y in mlp.forward([torch.randn(10), torch.rand(5)])] == [[2], [3]]


def test_join_table():
    x, y, z = values(5, 1, seed=1), values(5, 1, seed=2), values(2, 1, seed=3)
    same(nn.JoinTable(1).forward([x, y]), np.concatenate([x, y]))
    same(nn.JoinTable(2).forward([x, y]), np.concatenate([x, y], 1))
    same(nn.JoinTable(1).forward([x, z]), np.concatenate([x, z]))
    module = nn.JoinTable(2, 2)
    assert module.forward([torch.randn(3, 1), torch.randn(3, 1)]).size() == [3, 2]
    assert module.forward([torch.randn(2, 3, 1), torch.randn(2, 3, 1)]).size() == [2, 3, 2]
    assert module.forward([torch.randn(2, 3, 1, 4), torch.randn(2, 2, 1, 4)]).size() == [2, 5, 1, 4]  # is no batch


def test_what_is_joined_is_copied_to_its_place():
    """As nn/JoinTable.lua copies, which asks for as many elements alone: dimensions of size 1 may be lacking."""
    maps, text = values(2, 3, 1, 1, seed=1), values(2, 4, seed=2)
    gradient = values(2, 7, 1, 1, seed=3)
    module = nn.JoinTable(2)
    same(module.forward([maps, text]), np.concatenate([maps, text[..., None, None]], 1))
    for found, expected in zip(
        module.backward([maps, text], gradient), (gradient[:, :3], gradient[:, 3:, 0, 0]), strict=True
    ):
        same(found, expected)
    with pytest.raises(ValueError, match="sizes that match in every dimension but 2"):
        module.forward([maps, values(4, 2)])


def test_training_through_join_table():
    mlp = nn.Sequential()
    c = nn.ConcatTable()
    c.add(nn.Linear(10, 3))
    c.add(nn.Linear(10, 7))
    mlp.add(c)
    p = nn.ParallelTable()
    p.add(nn.Linear(3, 2))
    p.add(nn.Linear(7, 1))
    mlp.add(p)
    mlp.add(nn.JoinTable(1))
    assert mlp.forward(torch.randn(10)).size() == [3]
    errors = [gradUpdate(mlp, torch.ones(10), torch.ones(3), nn.MSECriterion(), 0.05) for _ in range(100)]
    assert errors[-1] < 1e-3 * errors[0]


def test_c_add_table():
    ones = torch.ones(5)
    same(nn.CAddTable().forward([ones, ones * 2, ones * 3]), [6] * 5)


def sizes(table):
    return [t.size() for t in table]


def test_map_table():
    map = nn.MapTable()
    map.add(nn.Linear(10, 3))
    x, g = [torch.rand(10), torch.rand(10)], [torch.ones(3), torch.ones(3)]
    weight, bias = map.get(1).weight, map.get(1).bias
    same(map.forward(x), [np.asarray(weight) @ np.asarray(each) + np.asarray(bias) for each in x], rtol=1e-5)
    map.zeroGradParameters()
    map.backward(x, g)
    same(map.get(1).gradWeight, np.repeat([np.asarray(x[0]) + np.asarray(x[1])], 3, 0), rtol=1e-5)


def test_split_table():
    x = values(4, 3)
    same(nn.SplitTable(2).forward(x), list(x.T))
    same(nn.SplitTable(1).forward(x), list(x))
    mlp = nn.SplitTable(1, 2)
    assert sizes(mlp.forward(torch.randn(2, 4, 3))) == [[2, 3]] * 4
    assert sizes(mlp.forward(torch.randn(4, 3))) == [[3]] * 4
    m = nn.SplitTable(-2)
    assert sizes(m.forward(torch.randn(3, 2))) == [[2]] * 3
    assert sizes(m.forward(torch.randn(1, 3, 2))) == [[1, 2]] * 3


def test_training_through_split_table():
    mlp = nn.Sequential().add(nn.SplitTable(2))
    mlp.add(nn.ParallelTable().add(nn.Linear(10, 3)).add(nn.Linear(10, 7)))
    mlp.add(nn.ParallelTable().add(nn.Linear(3, 2)).add(nn.Linear(7, 1))).add(nn.JoinTable(1))
    x = torch.ones(10, 2)
    assert mlp.forward(x).size() == [3]
    errors = [gradUpdate(mlp, x, torch.ones(3), nn.MSECriterion(), 0.05) for _ in range(100)]
    assert errors[-1] < 1e-3 * errors[0]


def expert(*more):
    made = nn.Sequential().add(nn.Linear(3, 4)).add(nn.Tanh())
    for module in more:
        made.add(module)
    return made


def mixture(experts, mixer, n=5):
    gater = nn.Sequential().add(nn.Linear(3, 7)).add(nn.Tanh()).add(nn.Linear(7, n)).add(nn.SoftMax())
    return nn.Sequential().add(nn.ConcatTable().add(gater).add(experts)).add(mixer)


def test_mixture_of_a_table_of_experts():
    experts = nn.ConcatTable()
    for _ in range(5):
        experts.add(expert(nn.Linear(4, 5), nn.Tanh()))
    moe = mixture(experts, nn.MixtureTable())
    y = moe.forward(torch.randn(2, 3))
    gates, outputs = np.asarray(moe.get(1).get(1).output), [np.asarray(t) for t in experts.output]
    assert y.size() == [2, 5]
    same(y, sum(gates[:, i, None] * output for i, output in enumerate(outputs)), rtol=1e-5)


def test_mixture_of_a_tensor_of_experts():
    experts = nn.Concat(5)
    for _ in range(5):
        experts.add(expert(nn.Linear(4, 40), nn.Tanh(), nn.Reshape(4, 2, 5, 1)))
    assert mixture(experts, nn.MixtureTable(5)).forward(torch.randn(2, 3)).size() == [2, 4, 2, 5]


def test_mixture_by_its_formula():
    m, given = nn.MixtureTable(), [[0.2, 0.8], [[1, 2], [3, 4]]]
    same(m.forward(given), [2.6, 3.6])
    gate, experts = m.backward(given, [1, 1])
    same(gate, [3, 7])
    same(experts, [[0.2, 0.2], [0.8, 0.8]])
    same(nn.MixtureTable(1).forward([[0.2, 0.8], np.array([[1, 2.0], [3, 4]])]), [2.6, 3.6])


def test_select_table():
    input, g = [values(2, 3), values(2, 1, seed=1)], values(2, 3, seed=2)
    same(nn.SelectTable(1).forward(input), input[0])
    same(nn.SelectTable(-1).forward(input), input[1])
    m = nn.SelectTable(1)
    m.forward(input)
    same(m.backward(input, g), [g, np.zeros((2, 1))])


def test_select_table_by_name():
    input, g, m = {"A": values(2, 3), "B": values(2, 1, seed=1)}, values(2, 3, seed=2), nn.SelectTable("A")
    same(m.forward(input), input["A"])
    gradient = m.backward(input, g)
    same(gradient["A"], g)
    same(gradient["B"], np.zeros((2, 1)))


def test_select_table_of_a_nested_table():
    input = [values(2, 3), [values(2, 1), [values(2, 2)]]]
    g1, g2, g = values(2, 1, seed=1), values(2, 2, seed=2), values(2, 3, seed=3)
    second, first = nn.SelectTable(2), nn.SelectTable(1)
    same(second.forward(input), input[1])
    same(second.backward(input, [g1, [g2]]), [np.zeros((2, 3)), [g1, [g2]]])
    first.forward(input)
    same(first.backward(input, g), [g, [np.zeros((2, 1)), [np.zeros((2, 2))]]])


def test_narrow_table():
    input = [values(2, 3), values(2, 1), values(1, 2)]
    same(nn.NarrowTable(2, 2).forward(input), input[1:])
    same(nn.NarrowTable(1).forward(input), input[:1])
    m, (a, b, c) = nn.NarrowTable(2, 5), input  # as nn's: what there is
    same(m.forward(input), [b, c])
    same(m.backward(input, [b, c]), [np.zeros_like(a), b, c])
    m, g1, g2 = nn.NarrowTable(1, 2), values(2, 3, seed=1), values(2, 1, seed=2)
    m.forward(input)
    same(m.backward(input, [g1, g2]), [g1, g2, np.zeros((1, 2))])


def test_flatten_table():
    x = [torch.rand(1), [torch.rand(2), [torch.rand(3)]], torch.rand(4)]
    assert sizes(nn.FlattenTable().forward(x)) == [[1], [2], [3], [4]]


def test_pairwise_distance():
    x, y = [1, 2, 3], [4, 5, 6]
    same(nn.PairwiseDistance(1).forward([x, y]), [9])
    same(nn.PairwiseDistance(2).forward([x, y]), [27**0.5])
    same(nn.PairwiseDistance(2).forward([[[0, 0], [1, 1]], [[3, 4], [1, 2]]]), [5, 1])


def siamese(distance, first):
    """Two networks of the same parameters, compared."""
    twins = nn.ParallelTable().add(first).add(first.clone("weight", "bias"))
    return nn.Sequential().add(twins).add(distance)


def step(mlp, given, gradient, rate):
    mlp.zeroGradParameters()
    mlp.backward(given, gradient)
    mlp.updateParameters(rate)


def test_siamese_networks_pull_together_and_push_apart():
    mlp = siamese(nn.PairwiseDistance(1), nn.Sequential().add(nn.Linear(20, 10)))
    given, margin = [torch.randn(20), torch.randn(20)], 30

    def trained(target):
        distances = [mlp.forward(given)[1]]
        for _ in range(20):  # the hinge embedding loss: d, or max(0, margin - d)
            if target == 1 or distances[-1] < margin:
                step(mlp, given, [target], 0.002)
            distances.append(mlp.forward(given)[1])
        return distances

    falling, growing = trained(1), trained(-1)
    assert falling[-1] < 0.5 * falling[0]
    assert growing[-1] > 2 * growing[0]
    first, second = mlp.get(1).get(1).get(1), mlp.get(1).get(2).get(1)
    same(first.weight, second.weight)


def test_siamese_networks_learn_to_rank():
    first = siamese(nn.DotProduct(), nn.Linear(5, 10))
    second = first.clone("weight", "bias")
    mlp = nn.ParallelTable().add(first).add(second)
    x, y, z = torch.randn(5), torch.randn(5), torch.randn(5)
    given = [[x, y], [x, z]]
    for target in (1, -1):
        for _ in range(200):
            a, b = (p[1] for p in mlp.forward(given))
            if -target * (a - b) + 1 > 0:  # the margin ranking loss
                step(mlp, given, [[-target], [target]], 0.01)
        a, b = (p[1] for p in mlp.forward(given))
        assert target * (a - b) > 0.9


def test_siamese_networks_learn_a_cosine():
    mlp = siamese(nn.CosineDistance(), nn.Sequential().add(nn.Linear(5, 2)))
    given = [torch.randn(5), torch.randn(5)]
    for target in (1, -1):
        for _ in range(300):
            if mlp.forward(given)[1] * target < 1:
                step(mlp, given, [-target], 0.1)
        assert mlp.forward(given)[1] * target > 0.9


def test_dot_product_and_cosine_distance():
    same(nn.DotProduct().forward([[1, 2, 3], [4, 5, 6]]), [32])
    same(nn.CosineDistance().forward([[1, 2, 3], [4, 5, 6]]), [0.9746318])
    pairs = [[[1, 2, 3], [1, 2, -3]], [[4, 5, 6], [-4, 5, 6]]]
    same(nn.CosineDistance().forward(pairs), [0.9746318, -0.3655], rtol=1e-4)


def test_criterion_table():
    mlp, x, y = nn.CriterionTable(nn.MSECriterion()), values(5), values(5, seed=1)
    assert mlp.forward([x, x]) == 0
    assert mlp.forward([x, y]) == pytest.approx(np.mean((x - y) ** 2), rel=1e-6)


@pytest.mark.parametrize("steps, rate", [(20, 0.05), (100, 0.05)])
def test_training_without_a_gradOutput(steps, rate):
    pred_mlp = nn.Sequential().add(nn.Linear(5, 4)).add(nn.Linear(4, 3))
    xy_mlp = nn.ParallelTable().add(pred_mlp).add(nn.Identity())
    mlp = nn.Sequential().add(xy_mlp).add(nn.CriterionTable(nn.MSECriterion()))
    x, errors = torch.ones(5), []
    for _ in range(steps):
        y = x.narrow(1, 1, 3)
        errors.append(float(mlp.forward([x, y])))
        mlp.zeroGradParameters()
        mlp.backward([x, y])
        mlp.updateParameters(rate)
    assert errors[-1] < 0.5 * errors[0]


def test_arithmetic_of_tables():
    ones = torch.ones(5)
    same(nn.CSubTable().forward([ones * 2.2, ones]), [1.2] * 5)
    same(nn.CMulTable().forward([ones * 2, ones * 3, ones * 4]), [24] * 5)
    same(nn.CDivTable().forward([ones * 2.2, ones * 4.4]), [0.5] * 5)


def test_c_mul_table_at_zeros():
    m, given = nn.CMulTable(), [[2, 0], [3, 5], [4, 6]]
    same(m.forward(given), [24, 0])
    same(m.backward(given, [1, 1]), [[12, 30], [8, 0], [6, 0]])


@pytest.mark.parametrize(
    "make, output, gradients",
    [(nn.CMaxTable, [3, 2, 3], [[0, 1, 1], [1, 0, 0]]), (nn.CMinTable, [1, 2, 1], [[1, 1, 0], [0, 0, 1]])],
)
def test_largest_and_smallest_of_tables(make, output, gradients):
    m, given = make(), [[1, 2, 3], [3, 2, 1]]
    same(m.forward(given), output)
    same(m.backward(given, [1, 1, 1]), gradients)


def test_a_map_table_shares_the_parameters_that_it_is_told():
    map, x = nn.MapTable(nn.Linear(3, 2), ["weight", "gradWeight"]).double(), [values(3), values(3, seed=1)]
    map.forward(x)
    one, other = map.get(1), map.get(2)
    before = [np.array(each) for each in (one.weight, one.bias, other.bias)]
    map.zeroGradParameters()
    map.backward(x, [np.array([1.0, 0]), np.array([0, 2.0])])
    slopes = np.outer([1, 0], x[0]) + np.outer([0, 2], x[1])
    same(one.gradWeight, slopes), same(other.gradWeight, slopes)
    same(one.gradBias, [1, 0]), same(other.gradBias, [0, 2])
    one.weight.add(-1, one.gradWeight)
    same(other.weight, before[0] - slopes), same(one.bias, before[1]), same(other.bias, before[2])
