"""What backward is given counts: its input, the tensors for gradients, the fields that a user has set."""

import numpy as np
import pytest

from functorch7.legacy import nn, torch

from .helpers import arrays, same, two_layers, values

X, OTHER, LARGER = values(5, 3, seed=1), values(5, 3, seed=2), values(8, 3, seed=3)
G, G_LARGER = values(5, 2, seed=4), values(8, 2, seed=5)


def gradients(net, x, g):
    """gradInput and the parameters' gradients of a fresh copy of the network, after a forward at x."""
    copy = net.clone()
    copy.zeroGradParameters()
    copy.forward(x)
    return [np.array(copy.backward(x, g)), *arrays(copy.parameters()[1])]


def taken(net, x, g, how):
    """The same of the network itself, by backward or its parts, without another forward."""
    net.zeroGradParameters()
    if how == "backward":
        grad_input = net.backward(x, g)
    else:
        grad_input = net.updateGradInput(x, g)
        net.accGradParameters(x, g)
    return [np.array(grad_input), *arrays(net.parameters()[1])]


NETWORKS = {
    "Linear": lambda: nn.Linear(3, 2).double(),
    "Sequential": two_layers,
    "flat": lambda: flat(two_layers()),
    "evaluating": lambda: two_layers().evaluate(),
    "normalised": lambda: nn.Sequential().add(nn.BatchNormalization(3)).add(nn.Linear(3, 2)).double(),
    "with a hook": lambda: hooked(two_layers()),
}


def flat(net):
    net.getParameters()
    return net


def hooked(net):
    net.get(2).register_forward_hook(lambda *_: None)
    return net


HOW = ["backward", "in two parts"]


def test_one_element_of_a_large_input_counts():
    net, x, g = nn.Linear(30, 2).double(), values(200, 30, seed=1), values(200, 2, seed=2)
    net.forward(x)
    x[-1, -1] += 1
    for mine, expected in zip(taken(net, x, g, "backward"), gradients(net, x, g), strict=True):
        same(mine, expected)


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("network", NETWORKS)
def test_backward_is_taken_at_the_input_that_it_is_given(network, how):
    net = NETWORKS[network]()
    at_x, at_other, at_larger = (gradients(net, *each) for each in ((X, G), (OTHER, G), (LARGER, G_LARGER)))
    output = np.array(net.forward(X))
    same(taken(net, OTHER, G, how), at_other)
    same(taken(net, X, G, how), at_x)
    same(taken(net, LARGER, G_LARGER, how), at_larger)
    same(net.output, output)


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("network", NETWORKS)
def test_backward_without_a_forward_is_taken_at_its_input(network, how):
    net = NETWORKS[network]()
    same(taken(net.clone(), X, G, how), gradients(net, X, G))


CHANGED_IN_PLACE = {
    "a tensor": lambda: (x := torch.DoubleTensor(X), lambda: x.copy(OTHER)),
    "a view": lambda: (
        (whole := torch.DoubleTensor(np.stack([X, X]))).select(1, 2),
        lambda: whole.select(1, 2).copy(OTHER),
    ),
    "a NumPy array": lambda: (x := X.copy(), lambda: np.copyto(x, OTHER)),
}


@pytest.mark.parametrize("kind", CHANGED_IN_PLACE)
def test_backward_is_taken_at_its_input_as_that_is_by_then(kind):
    net = two_layers()
    expected = gradients(net, OTHER, G)
    x, change = CHANGED_IN_PLACE[kind]()
    net.forward(x)
    change()
    same(taken(net, x, G, "backward"), expected)


def assigned(net):
    net.get(1).weight = torch.DoubleTensor(values(4, 3, seed=9))


def shared(net):
    net.get(3).bias.set(net.get(1).bias.narrow(1, 1, 2))
    net.get(3).gradBias.set(net.get(1).gradBias.narrow(1, 1, 2))


MOVED = {
    "flat": lambda net: net.getParameters()[0].mul(0.5),
    "assigned": assigned,
    "shared": shared,
    "cast": lambda net: net.float().double().get(1).weight.fill(0.3),
}


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("moved", MOVED)
def test_backward_at_another_input_is_taken_with_the_parameters_as_they_are_by_then(moved, how):
    net = two_layers()
    net.forward(X)
    MOVED[moved](net)
    same(taken(net, OTHER, G, how), gradients(net, OTHER, G))


@pytest.mark.parametrize("sizes", [(5, 2), (10,)], ids=["shaped", "flat"])
def test_a_gradient_of_whole_numbers_is_one_of_real_numbers(sizes):
    tables = nn.ConcatTable().add(nn.Linear(3, 2)).add(nn.Linear(3, 2)).double()
    first, second = (arrays(each.parameters()[0])[0] for each in tables.modules)
    tables.forward(X)
    wholes = torch.ByteTensor(*sizes).fill(3), np.ones(sizes, bool)
    same(tables.backward(X, list(wholes)), np.tile((3 * first + second).sum(0), (5, 1)))


def test_an_equal_input_draws_and_counts_nothing_again():
    net = nn.Sequential().add(nn.Dropout(0.5)).add(nn.BatchNormalization(3)).double()
    x = values(50, 3, seed=6)
    net.forward(x)
    mean = np.array(net.get(2).running_mean)
    expected = np.array(net.backward(x, x))
    same(net.backward(x.copy(), x), expected)
    same(net.get(2).running_mean, mean)


def test_another_input_meets_the_same_dropout():
    dropout = nn.Dropout(0.5).double()
    kept = np.array(dropout.forward(np.ones((5, 3)))) != 0
    same(dropout.backward(OTHER, OTHER), np.where(kept, 2 * OTHER, 0))


def test_other_inputs_leave_buffers_alone():
    norm = nn.BatchNormalization(3).double()
    norm.forward(X)
    mean = np.array(norm.running_mean)
    norm.backward(OTHER, OTHER)
    norm.clone().backward(OTHER, OTHER)
    same(norm.running_mean, mean)


def test_inner_modules_keep_their_outputs_and_get_the_new_gradients():
    net = two_layers()
    net.forward(X)
    output = np.array(net.get(1).output)
    net.backward(OTHER, G)
    same(net.get(1).output, output)
    hidden = np.tanh(OTHER @ np.asarray(net.get(1).weight).T + np.asarray(net.get(1).bias))
    before_tanh = G @ np.asarray(net.get(3).weight) * (1 - hidden**2)
    same(net.get(2).gradInput, before_tanh)
    same(net.get(1).gradWeight, before_tanh.T @ OTHER)


def test_steps_of_a_recurrence_are_taken_at_their_inputs():
    lstm = nn.FastLSTM(3, 2).double()
    steps, others = [values(5, 3, seed=s) for s in (7, 8)], [values(5, 3, seed=7), OTHER]
    expected = lstm.clone()
    for x in others:
        expected.forward(x)
    for x in steps:
        lstm.forward(x)
    # The last step's backward is at another input, from the state that forward left.
    same(lstm.backward(others[1], G), expected.backward(others[1], G))


def test_modules_without_parameters_need_no_forward():
    a, b = torch.DoubleTensor(X), torch.DoubleTensor(OTHER)
    same(nn.SelectTable(1).double().backward([a, b], OTHER), [OTHER, np.zeros((5, 3))])
    same(nn.HardTanh().double().backward(X, OTHER), np.where(np.abs(X) <= 1, OTHER, 0))


# Tensors for gradients ------------------------------------------------------------------------------------------------


PLACES = {
    "a tensor": lambda: (z := torch.DoubleTensor(2, 3), z),
    "a view": lambda: ((whole := torch.DoubleTensor(4, 3)).narrow(1, 2, 2), whole.narrow(1, 2, 2)),
    "transposed": lambda: ((z := torch.DoubleTensor(3, 2)).t(), z.t()),
    "of another type": lambda: (z := torch.FloatTensor(2, 3), z),
}


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("place", PLACES)
def test_gradient_tensors_that_are_assigned_after_forward_are_used(place, how):
    linear = nn.Linear(3, 2).double()
    net = nn.Sequential().add(nn.Identity()).add(linear)
    net.forward(X)
    old = linear.gradWeight
    linear.gradWeight, shown = PLACES[place]()
    if how == "backward":
        net.backward(X, G)
    else:
        net.updateGradInput(X, G)
        net.accGradParameters(X, G)
    same(shown, G.T @ X, 1e-5)
    same(linear.gradBias, G.sum(0))
    same(old, np.zeros((2, 3)))


def test_a_gradient_tensor_of_another_size_is_refused_by_name():
    linear = nn.Linear(3, 2)
    linear.forward(X)
    linear.gradWeight = torch.Tensor(2, 4)
    with pytest.raises(ValueError, match=r"nn.Linear\(3 -> 2\): weight: expected a tensor of shape \(2, 3\)"):
        linear.backward(X, G)


def test_parameters_flattened_after_forward_get_their_gradients():
    net = two_layers()
    expected = gradients(net, X, G)
    net.zeroGradParameters()
    net.forward(X)
    flat(net)
    net.backward(X, G)
    same(net.parameters()[1], expected[1:])


# Fields of objects ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("batchnoise", [True, False])
def test_noiseSample_of_a_users_own_gives_the_noise(batchnoise):
    classes = 3
    nce = nn.NCEModule(3, 6, 2, torch.Tensor([1, 2, 3, 4, 5, 6])).double()
    nce.batchnoise = batchnoise
    asked = []

    def noise(sampleidx, batchsize, k):
        asked.append((batchsize, k))
        return sampleidx.resize(batchsize, k).fill(classes)

    nce.noiseSample = noise
    target = np.float64([1, 2, 4, 5, 6])
    scores = nce.forward([X, target])
    z = np.asarray(nce.Z).item()
    expected = np.exp(X @ np.asarray(nce.weight)[classes - 1] + np.asarray(nce.bias)[classes - 1]) / z
    same(scores[1], np.repeat(expected[:, None], 2, 1))
    same(scores[3], np.full((5, 2), classes / 21), 1e-6)
    nce.backward([X, target], [np.ones(np.shape(each)) for each in scores])
    assert (np.asarray(nce.sampleidx).reshape(-1) == classes).sum() == (2 if batchnoise else 10)
    assert asked == [(1, 2) if batchnoise else (5, 2)]


def test_noiseSample_of_wrong_sizes_or_classes_is_refused():
    nce = nn.NCEModule(3, 6, 2, torch.ones(6))
    too_many = lambda s, b, k: s.resize(b, k + 1).fill(1)  # noqa: E731
    no_class = lambda s, b, k: s.resize(b, k).fill(7)  # noqa: E731
    for wrong, message in ((too_many, "from noiseSample, got shape"), (no_class, "7")):
        nce.noiseSample = wrong
        with pytest.raises(ValueError, match=rf"nn.NCEModule\(3 -> 6\).*{message}"):
            nce.forward([X, np.ones(5)])


def test_the_noise_of_TotalDropout_is_a_number():
    dropout = nn.TotalDropout(0.5)
    seen = set()
    for _ in range(20):
        output = np.asarray(dropout.forward(np.ones((2, 2))))
        assert isinstance(dropout.noise, float) and (output == dropout.noise).all()
        seen.add(dropout.noise)
    assert seen == {0.0, 1.0}


SAMPLERS = {
    "ReinforceBernoulli": lambda: nn.ReinforceBernoulli(),
    "ReinforceNormal": lambda: nn.ReinforceNormal(0.3),
    "ReinforceCategorical": lambda: nn.ReinforceCategorical(),
}


@pytest.mark.parametrize("inside", [False, True], ids=["alone", "in a Sequential"])
@pytest.mark.parametrize("name", SAMPLERS)
def test_samplers_ignore_an_empty_gradOutput(name, inside):
    module = SAMPLERS[name]().double()
    net = nn.Sequential().add(nn.Identity()).add(nn.Sequential().add(module)) if inside else module
    probabilities = np.full((4, 5), 0.2)
    net.forward(probabilities)
    net.reinforce(values(4, seed=9))
    expected = np.array(net.backward(probabilities, values(4, 5, seed=10)))
    same(net.backward(probabilities, torch.DoubleTensor()), expected)
    assert np.abs(expected).max() > 0


def test_outputs_stay_where_a_module_inside_pulls_back_alone():
    """As in Torch, where updateGradInput leaves `output`: those of the network around it are found still."""
    net, x = nn.Sequential().add(nn.Linear(3, 4)).add(nn.Tanh()).add(nn.Linear(4, 2)), torch.rand(5, 3)
    net.forward(x)
    outputs = [np.array(module.output) for module in net.modules]
    gradient = torch.rand(5, 2)
    pulled = gradient
    for module, given in zip(net.modules[::-1], [*outputs[-2::-1], x], strict=True):
        pulled = module.updateGradInput(given, pulled)
    for module, output in zip(net.modules, outputs, strict=True):
        np.testing.assert_allclose(module.output, output, rtol=1e-6)
    np.testing.assert_allclose(pulled, net.backward(x, gradient), rtol=1e-5)


def test_accGradParameters_takes_the_gradient_that_it_is_given():
    """Of the values that updateGradInput was given in another table, and of others in the same tensor."""
    net, x = nn.Sequential().add(nn.ParallelTable().add(nn.Linear(3, 2)).add(nn.Identity())), [X, G]
    gradients = [torch.Tensor(G), torch.Tensor(G)]
    net.forward(x)
    found = []
    for factor in (1, 2):
        net.zeroGradParameters()
        net.updateGradInput(x, list(gradients))
        gradients[0].mul(factor)
        net.accGradParameters(x, list(gradients))
        found.append(np.array(net.get(1).get(1).gradWeight))
    same(found[0], G.T @ X, rtol=1e-5)
    same(found[1], 2 * found[0], rtol=1e-5)


class GivesRows(nn.Module):
    """A layer whose gradient of a matrix is a table of its rows, as programs write it."""

    def updateOutput(self, input):
        return input.clone()

    def updateGradInput(self, input, gradOutput):
        return [gradOutput[row] for row in range(1, len(input) + 1)]


def test_rows_are_the_tensor():
    """Of a table's gradient that is given as a tensor, and of a tensor's that a layer gives as a table."""
    net = nn.Sequential().add(GivesRows()).add(nn.ConcatTable().add(nn.Identity()).add(nn.MulConstant(2)))
    net.forward(X)
    gradients = values(2, 5, 3, seed=6)
    same(net.backward(X, torch.Tensor(gradients)), gradients[0] + 2 * gradients[1], rtol=1e-5)


def test_backward_of_a_graph_that_ran_since_inside_another_is_that_of_the_later_run():
    node = nn.Identity()()
    inside = nn.gModule([node], [nn.Tanh()(nn.Linear(2, 2)(node))])
    around = nn.Sequential().add(inside).add(nn.Linear(2, 1))
    few, many = torch.Tensor(np.eye(2)), torch.Tensor([[1, 2], [3, 4], [5, -6]])
    inside.forward(few)
    around.forward(many)
    alone = inside.clone()
    alone.forward(many)
    expected = alone.backward(many, torch.ones(3, 2))
    np.testing.assert_allclose(inside.backward(many.clone(), torch.ones(3, 2)).numpy(), expected.numpy(), 1e-5)


NUMBERS = {
    "GradientReversal": (lambda: nn.GradientReversal(2), lambda m, n: m.setLambda(n), lambda n, _: -n),
    "MulConstant": (lambda: nn.MulConstant(2), lambda m, n: setattr(m, "constant_scalar", n), lambda n, _: n),
    "LeakyReLU": (lambda: nn.LeakyReLU(2), lambda m, n: setattr(m, "negval", n), lambda n, x: np.where(x > 0, 1, n)),
}


@pytest.mark.parametrize("inside", [False, True], ids=["alone", "in a network"])
@pytest.mark.parametrize("name", NUMBERS)
def test_backward_is_taken_with_the_numbers_of_modules_as_they_are_by_then(name, inside):
    make, change, slope = NUMBERS[name]
    module = make()
    net = nn.Sequential().add(module).add(nn.Identity()) if inside else module
    net.double()
    output = net.forward(X)
    for number in (2, 5, 0.5, 2):
        change(module, number)
        same(net.backward(X, OTHER), slope(number, X) * OTHER)
        same(net.updateGradInput(X, OTHER), slope(number, X) * OTHER)
    assert net.output is output
