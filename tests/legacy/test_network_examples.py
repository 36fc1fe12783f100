"""The worked examples of the documentation about networks and training, as written there."""

import numpy as np

from functorch7.legacy import nn, torch

from .helpers import gradUpdate, same

# Overview and containers ---------------------------------------------------------------------------------------------


def test_plug_and_play():
    mlp2 = nn.Sequential()
    mlp2.add(nn.Linear(10, 25))
    mlp2.add(nn.Tanh())
    mlp2.add(nn.Linear(25, 1))
    assert nn.Linear(10, 1).forward(torch.randn(10)).size() == [1]
    assert mlp2.forward(torch.randn(10)).size() == [1]


def test_shared_layers_stay_equal_through_training():
    linear = nn.Linear(2, 2)
    clone = linear.clone("weight", "bias")
    mlp = nn.Sequential().add(linear).add(clone)
    before = linear.weight.clone()
    for _ in range(3):
        gradUpdate(mlp, torch.randn(2), torch.randn(2), nn.MSECriterion(), 0.1)
    assert not np.array_equal(linear.weight, before)
    same(linear.weight, clone.weight)
    assert not np.allclose(linear.gradWeight, clone.gradWeight)


def test_shared_layers_with_flat_parameters():
    linear = nn.Linear(2, 2)
    clone = linear.clone("weight", "bias", "gradWeight", "gradBias")
    mlp = nn.Sequential().add(linear).add(clone)
    params, gradParams = mlp.getParameters()
    assert params.size() == [6]
    criterion, x, y = nn.MSECriterion(), torch.randn(2), torch.randn(2)
    errors = []
    for _ in range(20):
        errors.append(criterion.forward(mlp.forward(x), y))
        mlp.zeroGradParameters()
        mlp.backward(x, criterion.backward(mlp.output, y))
        params.add(-0.1, gradParams)
    assert errors[-1] < errors[0]
    same(linear.weight, clone.weight)
    same(params, np.concatenate([np.ravel(linear.weight), np.ravel(linear.bias)]))


def test_a_printed_network():
    mlp = nn.Sequential()
    mlp.add(nn.Linear(10, 25))
    mlp.add(nn.Tanh())
    mlp.add(nn.Linear(25, 1))
    assert str(mlp) == (
        "nn.Sequential {\n"
        "  [input -> (1) -> (2) -> (3) -> output]\n"
        "  (1): nn.Linear(10 -> 25)\n"
        "  (2): nn.Tanh\n"
        "  (3): nn.Linear(25 -> 1)\n"
        "}"
    )
    assert mlp.forward(torch.randn(10)).size() == [1]


def test_remove():
    model = nn.Sequential()
    model.add(nn.Linear(10, 20))
    model.add(nn.Linear(20, 20))
    model.add(nn.Linear(20, 30))
    model.remove(2)
    assert str(model) == (
        "nn.Sequential {\n  [input -> (1) -> (2) -> output]\n  (1): nn.Linear(10 -> 20)\n  (2): nn.Linear(20 -> 30)\n}"
    )


def test_insert():
    model = nn.Sequential()
    model.add(nn.Linear(10, 20))
    model.add(nn.Linear(20, 30))
    model.insert(nn.Linear(20, 20), 2)
    assert str(model) == (
        "nn.Sequential {\n"
        "  [input -> (1) -> (2) -> (3) -> output]\n"
        "  (1): nn.Linear(10 -> 20)\n"
        "  (2): nn.Linear(20 -> 20)\n"
        "  (3): nn.Linear(20 -> 30)\n"
        "}"
    )
    model.insert(nn.Linear(30, 5))
    assert str(model.get(4)) == "nn.Linear(30 -> 5)"


def test_parallel():
    mlp = nn.Parallel(2, 1)
    mlp.add(nn.Linear(10, 3))
    mlp.add(nn.Linear(10, 2))
    x = torch.randn(10, 2)
    y = mlp.forward(x)
    same(y.narrow(1, 1, 3), mlp.get(1).forward(x.select(2, 1)))
    same(y.narrow(1, 4, 2), mlp.get(2).forward(x.select(2, 2)))


def test_training_parallel():
    mlp, c = nn.Sequential(), nn.Parallel(1, 2)
    for _ in range(10):
        t = nn.Sequential()
        t.add(nn.Linear(3, 2))
        t.add(nn.Reshape(2, 1))
        c.add(t)
    mlp.add(c)
    assert mlp.forward(torch.randn(10, 3)).size() == [2, 10]
    errors = [gradUpdate(mlp, torch.randn(10, 3), torch.ones(2, 10), nn.MSECriterion(), 0.5) for _ in range(300)]
    assert np.mean(errors[-20:]) < 0.05 * np.mean(errors[:20])


def test_concat():
    mlp = nn.Concat(1)
    mlp.add(nn.Linear(5, 3))
    mlp.add(nn.Linear(5, 7))
    x = torch.randn(5)
    y = mlp.forward(x)
    assert y.size() == [10]
    same(y.narrow(1, 1, 3), mlp.get(1).forward(x))
    same(y.narrow(1, 4, 7), mlp.get(2).forward(x))


# Module --------------------------------------------------------------------------------------------------------------


def test_share():
    mlp1, mlp2 = nn.Sequential(), nn.Sequential()
    mlp1.add(nn.Linear(100, 10))
    mlp2.add(nn.Linear(100, 10))
    mlp2.share(mlp1, "bias")
    mlp1.get(1).bias[1] = 99
    assert mlp2.get(1).bias[1] == 99
    assert not np.allclose(mlp1.get(1).weight, mlp2.get(1).weight)


def test_clone():
    mlp1 = nn.Sequential()
    mlp1.add(nn.Linear(100, 10))
    mlp2 = mlp1.clone("weight", "bias")
    mlp1.get(1).bias[1] = 99
    assert mlp2.get(1).bias[1] == 99
    mlp1.get(1).gradBias[1] = 99
    assert mlp2.get(1).gradBias[1] == 0


def two_streams():
    def stream():
        return nn.Sequential().add(nn.SpatialConvolution(3, 16, 5, 5)).add(nn.Threshold())

    return nn.ParallelTable().add(stream()).add(stream())


def test_findModules_gives_nodes_with_their_outputs():
    model = two_streams()
    model.forward([torch.rand(3, 128, 128), torch.rand(3, 64, 64)])
    nodes, _ = model.findModules("nn.SpatialConvolution")
    assert [node.output.size() for node in nodes] == [[16, 124, 124], [16, 60, 60]]


def test_findModules_to_replace_every_threshold():
    model = two_streams()
    nodes, containers = model.findModules("nn.Threshold")
    for node, container in zip(nodes, containers, strict=True):
        for j, module in enumerate(container.modules):
            if module is node:
                container.modules[j] = nn.Tanh()
    assert "Threshold" not in str(model)
    outputs = model.forward([torch.rand(3, 8, 8), torch.rand(3, 6, 6)])
    same(outputs[0], np.tanh(model.get(1).get(1).output), rtol=1e-5)


def test_listModules_prints_each_module():
    mlp = nn.Sequential()
    mlp.add(nn.Linear(10, 20))
    mlp.add(nn.Tanh())
    mlp2 = nn.Parallel()
    mlp2.add(mlp)
    mlp2.add(nn.ReLU())
    assert "\n".join(map(str, mlp2.listModules())) == (
        "nn.Parallel {\n"
        "  input\n"
        "    |`-> (1): nn.Sequential {\n"
        "    |      [input -> (1) -> (2) -> output]\n"
        "    |      (1): nn.Linear(10 -> 20)\n"
        "    |      (2): nn.Tanh\n"
        "    |    }\n"
        "     `-> (2): nn.ReLU\n"
        "     ... -> output\n"
        "}\n"
        "nn.Sequential {\n"
        "  [input -> (1) -> (2) -> output]\n"
        "  (1): nn.Linear(10 -> 20)\n"
        "  (2): nn.Tanh\n"
        "}\n"
        "nn.Linear(10 -> 20)\n"
        "nn.Tanh\n"
        "nn.ReLU"
    )


def test_replace_dropout_by_identity():
    linear = nn.Linear(3, 2)
    model = nn.Sequential().add(nn.Dropout(0.5)).add(nn.Sequential().add(linear).add(nn.Dropout(0.2)))
    model.replace(lambda module: nn.Identity() if torch.typename(module) == "nn.Dropout" else module)
    assert [torch.typename(m) for m in model.listModules()] == [
        "nn.Sequential", "nn.Identity", "nn.Sequential", "nn.Linear", "nn.Identity",
    ]  # fmt: skip
    assert model.get(2).get(1) is linear


# Training ------------------------------------------------------------------------------------------------------------

CORNERS = [([0.5, 0.5], -1), ([0.5, -0.5], 1), ([-0.5, 0.5], 1), ([-0.5, -0.5], -1)]


def xor_network():
    mlp = nn.Sequential()
    mlp.add(nn.Linear(2, 20))
    mlp.add(nn.Tanh())
    mlp.add(nn.Linear(20, 1))
    return mlp


def xor_example():
    input = torch.randn(2)
    return input, torch.Tensor([-1]) if input[1] * input[2] > 0 else torch.Tensor([1])


def test_manual_xor_training():
    mlp, criterion = xor_network(), nn.MSECriterion()
    for _ in range(2500):
        input, output = xor_example()
        criterion.forward(mlp.forward(input), output)
        mlp.zeroGradParameters()
        mlp.backward(input, criterion.backward(mlp.output, output))
        mlp.updateParameters(0.01)
    for corner, sign in CORNERS:
        assert np.sign(mlp.forward(torch.Tensor(corner))[1]) == sign


def test_xor_by_StochasticGradient(capsys):
    class Dataset(dict):
        def size(self):
            return 100

    dataset = Dataset({i: list(xor_example()) for i in range(1, 101)})
    mlp = xor_network()
    trainer = nn.StochasticGradient(mlp, nn.MSECriterion())
    trainer.learningRate = 0.01
    trainer.train(dataset)
    for corner, sign in CORNERS:
        assert np.sign(mlp.forward(torch.Tensor(corner))[1]) == sign
    assert capsys.readouterr().out.count("# current error = ") == 25


def test_ClassNLLCriterion_gradUpdate():
    mlp = nn.Sequential().add(nn.Linear(4, 3)).add(nn.LogSoftMax())
    x = torch.randn(4)
    errors = [gradUpdate(mlp, x, 2, nn.ClassNLLCriterion(), 0.1) for _ in range(10)]
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < errors[0]
