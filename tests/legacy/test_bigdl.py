"""BigDL's AbstractModule: one test for each promise of its list of members. Values from formulas and NumPy."""

import pickle
import re

import jax
import numpy as np
import pytest

import functorch7 as f7
from functorch7.legacy import nn, torch, wrap

from .helpers import named_layers as net
from .helpers import same, values

X, G = values(5, 3, seed=1), values(5, 2, seed=2)


# Names -----------------------------------------------------------------------------------------------------------


def test_a_module_has_the_name_that_it_was_given():
    layer = nn.Linear(3, 4)
    assert layer.setName("conv1") is layer and layer.getName() == "conv1"
    assert str(layer) == "nn.Linear(3 -> 4)" and layer.clone().getName() == "conv1"
    description, _ = nn.Sequential(layer).functional()
    assert f7.find(description, "conv1") == (0,)
    with pytest.raises(TypeError, match="expected a name"):
        layer.setName(3)


def test_equal_modules_have_the_same_class_name_settings_and_values():
    model = net()
    copy = model.clone()
    assert model.equals(model) and model.equals(copy) and copy.equals(model) and model != copy
    assert not model.equals(model.get(1)) and not model.equals(None) and not nn.Tanh().equals(nn.Sigmoid())
    assert nn.Dropout(0.5).equals(nn.Dropout(0.5)) and not nn.Dropout(0.5).equals(nn.Dropout(0.25))
    changes = [lambda m: m.setName("other"), lambda m: m.get(1).weight.add(1), lambda m: m.get(1).gradBias.add(1),
               lambda m: m.add(nn.Tanh()), lambda m: m.forward(X)]  # fmt: skip
    for change in changes:
        changed = model.clone()
        change(changed)
        assert not model.equals(changed), change


def test_lines_are_joined_by_what_was_set():
    model = nn.Sequential(nn.Tanh(), nn.Sequential(nn.Tanh()))
    plain = repr(model)
    assert repr(model.setLine(" | ")).split(" | ") == plain.split("\n") and "\n" in repr(model.get(2))
    with pytest.raises(TypeError, match="expected text between lines"):
        model.setLine(3)


def test_the_default_name_is_the_class_and_a_number_that_no_other_module_has():
    layers = [nn.Linear(3, 4) for _ in range(50)]
    names = {layer.getName() for layer in layers}
    assert len(names) == 50 and all(re.fullmatch("Linear@[0-9a-f]{8}", name) for name in names)
    first = layers[0]
    assert first.getName() == first.getName()
    assert first.clone().getName() != first.getName() != pickle.loads(pickle.dumps(first)).getName()


def test_a_module_is_found_by_name():
    model = nn.Sequential(net(), nn.Tanh())
    assert model.find("last") is model.get(1, 3) is model["last"]
    assert model.find("nothing") is None and model.setName("all").find("all") is model
    assert model.find(model.get(2).getName()) is model.get(2)
    with pytest.raises(KeyError, match="nn.Sequential: no module inside is named 'nothing'; there are "):
        model["nothing"]
    with pytest.raises(TypeError, match="expected a name in brackets"):
        model.get(2)[1]
    model.add(nn.Linear(2, 2).setName("last"))
    with pytest.raises(ValueError, match="find multiple modules with same name 'last'"):
        model.find("last")
    shared = nn.Linear(2, 2).setName("one")
    assert nn.Sequential(shared, shared).find("one") is shared  # one module at two places


def test_users_modules_have_names_too():
    class Square(nn.Module):
        def updateOutput(self, input):
            return input * input

    model = nn.Sequential(Square().setName("square"))
    assert model["square"].getName() == "square" and re.fullmatch("Square@[0-9a-f]{8}", Square().getName())


def test_modules_with_a_forward_have_names_too():
    class Branches(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = nn.Linear(2, 2).setName("inner")
            self.scale = nn.Parameter(torch.ones(1, 2))

        def forward(self, x):
            return self.inner(x) * self.scale

    model = nn.Sequential(Branches().setName("branches"))
    assert model["branches"] is model.get(1) and model["inner"] is model.get(1).inner
    assert set(model.getParametersTable()) == {"branches", "inner"}
    assert model.clone()["branches"].getName() == "branches"
    model.freeze("branches")
    model.forward(np.ones((1, 2)))
    model.backward(np.ones((1, 2)), np.ones((1, 2)))
    assert all((gradient.numpy() == 0).all() for gradient in model.parameters()[1])
    module, (params, buffers) = model.functional()
    assert f7.find(module, "branches") == (0,) and wrap(module, params, buffers).find("branches") is not None


# Weights ---------------------------------------------------------------------------------------------------------


def test_the_parameters_table_is_by_module_and_parameter():
    model = net()
    table = model.getParametersTable()
    assert set(table) == {"first", "last"} and set(table["first"]) == {"weight", "bias", "gradWeight", "gradBias"}
    assert table["first"]["weight"] is model["first"].weight and table["last"]["gradBias"] is model["last"].gradBias
    assert nn.Tanh().getParametersTable() is None
    model.add(nn.Linear(2, 2).setName("last"))
    with pytest.raises(ValueError, match="same name 'last'"):
        model.getParametersTable()


def test_weights_are_got_and_set():
    model, source = net(), net()
    assert model.getWeightsBias()[0] is model["first"].weight and nn.Tanh().getWeightsBias() is None
    assert model.setWeightsBias(source.getWeightsBias()) is model
    same(model.forward(X), source.forward(X))
    kept = [np.array(t) for t in model.getWeightsBias()]
    with pytest.raises(ValueError, match="number of input weight/bias is not consistant"):
        model.setWeightsBias(kept[:3])
    with pytest.raises(ValueError, match="weight 3: expected shape \\(2, 4\\), got \\(4, 2\\)"):
        model.setWeightsBias([0 * kept[0], kept[1], kept[2].T, kept[3]])
    same(model.getWeightsBias(), kept)  # nothing is changed where something is wrong
    two = nn.Sequential().add(nn.Linear(2, 2, False)).add(nn.Linear(2, 2, False))
    first, second = (np.array(t) for t in two.getWeightsBias())
    same(two.setWeightsBias(two.getWeightsBias()[::-1]).getWeightsBias(), [second, first])
    with pytest.raises(ValueError, match="this layer does not have weight/bias"):
        nn.Tanh().setWeightsBias([])


def test_weights_are_saved_and_loaded_by_name(tmp_path):
    model, path = net("float"), tmp_path / "weights.t7"
    model.saveWeights(path)
    assert set(torch.load(path)) == {"first", "last"} and set(torch.load(path)["last"]) == {"weight", "bias"}
    other = net("float")
    assert other.loadWeights(path) is other
    same(other.forward(X), model.forward(X))
    with pytest.raises(FileExistsError, match="weights.t7 exists; overWrite=True"):
        model.saveWeights(path, False)
    model.saveWeights(path, True)
    larger = nn.Sequential(*net("float").modules, nn.Linear(2, 2).setName("new"))
    kept = np.array(larger["first"].weight)
    with pytest.raises(ValueError, match="module new cannot find corresponding weight bias"):
        larger.loadWeights(path)
    same(larger["first"].weight, kept)
    larger.loadWeights(path, matchAll=False)
    same(larger["first"].weight, model["first"].weight)
    with pytest.raises(ValueError, match="first weight: expected shape \\(7, 3\\), got \\(4, 3\\)"):
        nn.Linear(3, 7).setName("first").loadWeights(path)
    torch.save(path, [1, 2])
    with pytest.raises(ValueError, match="invalid parameter table"):
        larger.loadWeights(path)


def test_weights_are_copied_from_another_model_by_name():
    source = net()
    other = nn.Sequential(nn.Linear(4, 2).setName("last")).double()
    same(other.loadModelWeights(source)["last"].weight, source["last"].weight)
    with pytest.raises(ValueError, match="module first cannot find corresponding weight bias"):
        source.loadModelWeights(other)
    assert source.loadModelWeights(other, matchAll=False) is source


def test_weights_that_do_not_fit_are_listed_at_once_and_change_nothing():
    model = net()
    before = [weight.numpy().copy() for weight in model.getWeightsBias()]
    with pytest.raises(ValueError, match="module first cannot find .* weight bias; module last cannot find .* bias"):
        model.loadModelWeights(nn.Sequential(nn.Linear(4, 2, False).setName("last")))
    with pytest.raises(TypeError, match="expected a module to take weights from, got None"):
        model.loadModelWeights(None)
    with pytest.raises(TypeError, match="expected a list of 4 tensors, got None"):
        model.setWeightsBias(None)
    with pytest.raises(ValueError, match="weight 4: expected numbers, got a table of 2: 'a', 'b'"):
        model.setWeightsBias([weight + 1 for weight in before[:3]] + [["a", "b"]])
    same(np.concatenate([weight.numpy().ravel() for weight in model.getWeightsBias()]),
         np.concatenate([weight.ravel() for weight in before]))  # fmt: skip


def test_running_statistics_are_copied():
    def made():
        return nn.Sequential(nn.Linear(3, 2), nn.BatchNormalization(2)).double()

    source, target = made(), made()
    source.forward(X)
    weight = np.array(target.get(2).weight)
    assert target.copyStatus(source) is target
    same(target.get(2).running_mean, source.get(2).running_mean)
    same(target.get(2).running_var, source.get(2).running_var)
    same(target.get(2).weight, weight)
    same(source.getExtraParameter(), [source.get(2).running_mean, source.get(2).running_var])
    assert target.setExtraParameter([np.zeros(2), np.full(2, 7.0)]) is target
    same([target.get(2).running_mean, target.get(2).running_var], [[0, 0], [7, 7]])
    assert nn.Linear(3, 2).getExtraParameter() is None and nn.Tanh().setExtraParameter(None) is not None
    with pytest.raises(ValueError, match="state's length doesn't match: got 1, expected 2"):
        target.setExtraParameter([np.zeros(2)])
    with pytest.raises(TypeError, match="copyStatus: type mismatch, nn.Linear.* is different from nn.Tanh"):
        nn.Linear(3, 2).copyStatus(nn.Tanh())
    with pytest.raises(ValueError, match="copyStatus: container's length mismatch"):
        source.copyStatus(nn.Sequential(nn.Linear(3, 2)))
    with pytest.raises(ValueError, match="running_mean: expected shape"):
        nn.BatchNormalization(2).copyStatus(nn.BatchNormalization(3))


def test_copies_share_weights_or_not():
    model = net()
    deep, shallow = model.cloneModule(), model.clone(False)
    model["first"].weight.fill(7)
    assert (np.array(shallow["first"].weight) == 7).all() and (np.array(deep["first"].weight) != 7).any()
    assert model.clone(True)["first"].weight is not model["first"].weight


def test_the_contract_of_a_module():
    model = net()
    output = model.forward(X)
    weight, bias, last, last_bias = (np.array(t) for t in model.parameters()[0])
    hidden = np.tanh(X @ weight.T + bias)
    same(output, hidden @ last.T + last_bias)
    assert model.output is output and model.updateOutput(X).size() == [5, 2]
    model.zeroGradParameters()
    grad_input = model.backward(X, G)
    below = (G @ last) * (1 - hidden**2)
    same(grad_input, below @ weight)
    same(model.gradInput, grad_input)
    model.accGradParameters(X, G)
    found = [2 * below.T @ X, 2 * below.sum(0), 2 * G.T @ hidden, 2 * G.sum(0)]  # it accumulates
    same(model.parameters()[1], found)
    model.updateParameters(0.1)
    same(model.parameters()[0], [a - 0.1 * b for a, b in zip((weight, bias, last, last_bias), found, strict=True)])
    flat, flat_gradients = model.getParameters()
    same(flat_gradients, np.concatenate([each.ravel() for each in found]))
    flat.fill(0)  # one storage with the layers
    assert (np.array(model["last"].weight) == 0).all()
    model.zeroGradParameters()
    assert (np.array(flat_gradients) == 0).all()
    assert model.clearState() is model and model.output.nElement() == model.gradInput.nElement() == 0
    model.reset()
    assert (np.array(flat) != 0).any()


# Graphs ----------------------------------------------------------------------------------------------------------


def test_inputs_build_a_graph():
    first, second, add = nn.Linear(3, 2).double(), nn.Linear(3, 2).double(), nn.CAddTable()
    x = nn.Input()
    a, b = first.inputs(x), second.inputs(x)
    model = nn.Model(x, add.inputs(a, b)).double()
    same(model.forward(X), np.array(first.forward(X)) + np.array(second.forward(X)))
    split = nn.Identity().inputs()
    swapped = nn.Graph(
        [split], [nn.CSubTable().inputs([nn.Identity().inputs((split, 2)), nn.Identity().inputs((split, 1))])]
    )
    same(swapped.forward([X, 3 * X]), 2 * X)
    for wrong in (lambda: first.inputs(nn.Tanh()), lambda: first.inputs((x,)), lambda: nn.Model(x, first)):
        with pytest.raises(TypeError, match="expected a node"):
            wrong()
    with pytest.raises(TypeError, match="a graph cannot be changed"):
        model.add(nn.Tanh())


def test_a_container_becomes_a_graph_of_the_same_modules():
    concat = nn.Concat(2, nn.Linear(3, 2), nn.Sequential(nn.Linear(3, 4), nn.Tanh()))
    table = nn.ConcatTable(nn.Identity(), nn.Tanh())
    inner = nn.Sequential(table, nn.ParallelTable(nn.Tanh(), nn.Linear(6, 6)), nn.CAddTable())
    model = nn.Sequential(concat, inner).double()
    graph = model.toGraph()
    same(graph.forward(X), np.array(model.forward(X)))
    assert len(graph.modules) == 1 + 3 + 1 + 2 + 2 + 1  # input; branches; join; table; parallel; sum
    assert graph.findModules("nn.Linear")[0][0] is concat.get(1)
    alone = nn.ConcatTable(nn.Identity()).toGraph()  # a table of one is no node's: it stays a module
    assert len(alone.forward(X)) == 1


def test_a_module_that_occurs_twice_is_found():
    shared = nn.Linear(3, 3).setName("both")
    nn.Sequential(nn.Linear(3, 3), nn.Tanh()).checkDuplicate()
    with pytest.raises(ValueError, match="Some module is duplicate in the current model: both"):
        nn.Sequential(shared, nn.Tanh(), shared).checkDuplicate()


# Questions -------------------------------------------------------------------------------------------------------


def test_numeric_type_and_engine():
    model = net("float")
    assert model.getNumericType() == np.float32 and net().getNumericType() == np.float64
    assert model.devices() == {jax.devices()[0]} and model.engineType == jax.default_backend() == "cpu"
    assert model.checkEngineType() is model and nn.Tanh().devices() == {jax.devices()[0]}


def test_output_sizes_without_running():
    model = nn.Sequential(nn.SpatialConvolution(1, 6, 5, 5), nn.SpatialMaxPooling(2, 2, 2, 2), nn.View(864))
    assert model.computeOutputShape([7, 1, 28, 28]) == (7, 864) and model.output.nElement() == 0
    assert nn.ParallelTable(nn.Linear(3, 2), nn.Tanh()).computeOutputShape([[5, 3], [5, 4]]) == [(5, 2), (5, 4)]
    layer = nn.Linear(3, 2)
    with pytest.raises(RuntimeError, match="nn.Linear.*: getOutputShape needs a forward before it"):
        layer.getOutputShape()
    layer.forward(X)
    assert layer.getOutputShape() == (5, 2)
    with pytest.raises(ValueError, match="expected input of size 3 in the last dimension"):
        layer.computeOutputShape([5, 4])


def test_times_are_of_modules_one_at_a_time():
    model = net("float")
    with pytest.raises(RuntimeError, match="getTimes needs a forward"):
        model.getTimes()
    model.forward(X)
    kept = [np.array(g) for g in model.parameters()[1]]
    times = model.getTimes()
    assert [module for module, _, _ in times] == [model, *model.modules]
    assert all(forward > 0 and backward > 0 for _, forward, backward in times)
    same(model.parameters()[1], kept)  # copies were run
    assert model.getTimes() is times
    model.resetTimes()
    assert model.getTimes() is not times
