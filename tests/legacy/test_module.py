"""forward, backward and their relatives, and what they leave in every module."""

import jax.numpy as jnp
import numpy as np
import pytest

from functorch7.legacy import nn, torch

from .helpers import arrays, same, slopes, two_layers, values

X, G = values(5, 3, seed=1), values(5, 2, seed=2)


def expected_of(net, x, g):
    """Output, gradInput and parameter gradients of Linear, Tanh, Linear, written out."""
    w1, b1, w2, b2 = arrays(net.parameters()[0])
    h = np.tanh(x @ w1.T + b1)
    d = (g @ w2) * (1 - h * h)
    return h @ w2.T + b2, d @ w1, [d.T @ x, d.sum(0), g.T @ h, g.sum(0)]


def test_forward_and_backward_compute_the_formula():
    net = two_layers()
    output, grad_input, grads = expected_of(net, X, G)
    same(net.forward(X), output)
    same(net.backward(X, G), grad_input)
    same(net.parameters()[1], grads)
    same(net.output, output)
    same(net.gradInput, grad_input)


def test_backward_agrees_with_numerical_differentiation():
    net, x = two_layers(), X.copy()
    net.forward(x)
    grad_input = net.backward(x, G)
    same(grad_input, slopes(lambda at: float((np.asarray(net.forward(at)) * G).sum()), x), 1e-6, 1e-8)


def test_gradients_accumulate_with_scale_until_zeroed():
    net = two_layers()
    _, _, grads = expected_of(net, X, G)
    net.forward(X)
    net.backward(X, G)
    net.backward(X, G, 0.5)
    same(net.parameters()[1], [1.5 * g for g in grads])
    net.zeroGradParameters()
    same(net.parameters()[1], [0 * g for g in grads])
    net.backward(X, G, 0)
    same(net.parameters()[1], [0 * g for g in grads])


def test_updateParameters_descends_along_the_gradient():
    net = two_layers()
    before, (_, _, grads) = arrays(net.parameters()[0]), expected_of(net, X, G)
    net.forward(X)
    net.backward(X, G)
    net.updateParameters(0.1)
    same(net.parameters()[0], [p - 0.1 * g for p, g in zip(before, grads, strict=True)])
    same(net.parameters()[1], grads)


def test_backward_is_updateGradInput_and_accGradParameters():
    net = two_layers()
    output, grad_input, grads = expected_of(net, X, G)
    same(net.updateOutput(X), output)
    same(net.updateGradInput(X, G), grad_input)
    same(net.parameters()[1], [0 * g for g in grads])
    net.accGradParameters(X, G, 2)
    same(net.parameters()[1], [2 * g for g in grads])
    net.accGradParameters(X, G)
    same(net.parameters()[1], [3 * g for g in grads])


def test_accGradParameters_with_another_gradOutput_uses_that():
    net = two_layers()
    net.forward(X)
    net.updateGradInput(X, G)
    net.accGradParameters(X, 3 * G)
    same(net.parameters()[1], expected_of(net, X, 3 * G)[2])


@pytest.mark.parametrize("method", ["accUpdateGradParameters", "defaultAccUpdateGradParameters"])
def test_accUpdateGradParameters_updates_and_leaves_the_gradients_alone(method):
    net = two_layers()
    before, (_, _, grads) = arrays(net.parameters()[0]), expected_of(net, X, G)
    for gradient in net.parameters()[1]:
        gradient.fill(7)
    net.updateOutput(X)
    net.updateGradInput(X, G)
    getattr(net, method)(X, G, 0.2)
    same(net.parameters()[0], [p - 0.2 * g for p, g in zip(before, grads, strict=True)])
    same(net.parameters()[1], [np.full_like(g, 7) for g in grads])


def test_sharedAccUpdateGradParameters_goes_by_way_of_the_gradients():
    net = two_layers()
    before, (_, _, grads) = arrays(net.parameters()[0]), expected_of(net, X, G)
    for gradient in net.parameters()[1]:
        gradient.fill(7)
    net.updateOutput(X)
    net.updateGradInput(X, G)
    net.sharedAccUpdateGradParameters(X, G, 0.2)
    same(net.parameters()[0], [p - 0.2 * g for p, g in zip(before, grads, strict=True)])
    same(net.parameters()[1], grads)


def test_accUpdateGradParameters_of_shared_weights_sums_both_uses():
    first = nn.Linear(2, 2).double()
    second = first.clone("weight", "bias", "gradWeight", "gradBias")
    net = nn.Sequential().add(first).add(second)
    x, g = values(4, 2, seed=3), values(4, 2, seed=4)
    w, b = arrays(first.parameters()[0])
    h = x @ w.T + b
    net.forward(x)
    net.updateGradInput(x, g)
    net.accUpdateGradParameters(x, g, 0.1)
    same(first.weight, w - 0.1 * (g.T @ h + (g @ w).T @ x))
    same(second.bias, b - 0.1 * (g.sum(0) + (g @ w).sum(0)))


def test_backwardUpdate_gives_gradInput_and_updates():
    net = two_layers()
    before, (_, grad_input, grads) = arrays(net.parameters()[0]), expected_of(net, X, G)
    net.forward(X)
    same(net.backwardUpdate(X, G, 0.3), grad_input)
    same(net.parameters()[0], [p - 0.3 * g for p, g in zip(before, grads, strict=True)])


def test_calling_a_module_runs_forward_and_with_a_gradOutput_backward():
    net = two_layers()
    output, grad_input, grads = expected_of(net, X, G)
    same(net(X), output)
    got = net(X, G)
    assert len(got) == 2
    same(got[0], output)
    same(got[1], grad_input)
    same(net.parameters()[1], grads)


def test_inner_modules_have_their_outputs_and_gradInputs():
    net = two_layers()
    net.forward(X)
    net.backward(X, G)
    w1, b1, w2, _ = arrays(net.parameters()[0])
    h = np.tanh(X @ w1.T + b1)
    same(net.get(1).output, X @ w1.T + b1)
    same(net.get(2).output, h)
    same(net.get(3).output, net.output)
    same(net.get(3).gradInput, G @ w2)
    same(net.get(2).gradInput, (G @ w2) * (1 - h * h))
    same(net.get(1).gradInput, net.gradInput)


def test_an_inner_output_equals_that_of_the_prefix_alone():
    net = two_layers()
    prefix = nn.Sequential().add(net.get(1)).add(net.get(2))
    net.forward(X)
    inner = np.array(net.get(2).output)
    same(prefix.forward(X), inner)


def test_inner_outputs_in_containers_of_tables():
    left, right = nn.Linear(3, 2).double(), nn.Linear(3, 4).double()
    net = nn.Sequential().add(nn.ConcatTable().add(left).add(right)).add(nn.JoinTable(2)).double()
    output, g = net.forward(X), values(5, 6, seed=9)
    same(left.output, np.asarray(output)[:, :2])
    same(net.get(1).output, [np.asarray(output)[:, :2], np.asarray(output)[:, 2:]])
    net.backward(X, g)
    same(net.get(2).gradInput, [g[:, :2], g[:, 2:]])
    same(right.gradInput, g[:, 2:] @ np.asarray(right.weight))


def test_an_inner_modules_fields_are_those_of_its_own_newest_call():
    net, other = two_layers(), values(2, 3, seed=5)
    net.forward(X)
    net.get(1).forward(other)
    assert net.get(1).output.size() == [2, 4]
    assert net.output.size() == [5, 2]
    net.forward(X)
    assert net.get(1).output.size() == [5, 4]


def test_output_can_be_set_and_is_empty_before_forward():
    module = nn.Linear(3, 2)
    assert module.output.nElement() == 0 and module.gradInput.nElement() == 0
    module.output = torch.ones(4)
    same(module.output, np.ones(4))
    module.forward(X)
    assert module.output.size() == [5, 2]


def test_clearState_empties_outputs_and_keeps_parameters():
    net = two_layers()
    net.forward(X)
    net.backward(X, G)
    before, grads = arrays(net.parameters()[0]), arrays(net.parameters()[1])
    assert net.clearState() is net
    for module in net.listModules():
        assert module.output.nElement() == 0 and module.gradInput.nElement() == 0
    same(net.parameters()[0], before)
    same(net.parameters()[1], grads)
    output, grad_input, _ = expected_of(net, X, G)
    same(net.backward(X, G), grad_input)
    same(net.forward(X), output)


PAIR = [values(2, 3), values(2, 3, seed=1)]


@pytest.mark.parametrize("make, input", [
    (lambda: nn.ConcatTable().add(nn.Tanh()).add(nn.Tanh()), X), (nn.FlattenTable, PAIR), (nn.CAddTable, PAIR),
    (lambda: nn.JoinTable(1), PAIR), (lambda: nn.SelectTable(1), PAIR), (lambda: nn.SplitTable(1), X),
    (lambda: nn.NarrowTable(1), PAIR), (lambda: nn.ParallelTable().add(nn.Tanh()).add(nn.Tanh()), PAIR),
    (lambda: nn.Sequencer(nn.Tanh()), PAIR), (lambda: nn.Sequencer(nn.Tanh()), values(2, 3, 4)),
])  # fmt: skip
def test_clearState_leaves_empty_tables_where_there_were_tables(make, input):
    module = make()
    module.backward(input, module.forward(input))
    were_tables = [isinstance(each, list) for each in (module.output, module.gradInput)]
    module.clearState()
    for was_table, left in zip(were_tables, (module.output, module.gradInput), strict=True):
        assert left == [] if was_table else left.nElement() == 0


@pytest.mark.parametrize("make, sizes", [
    (lambda: nn.Sequential().add(nn.Recursor(nn.LSTM(3, 2))), (5, 3)),
    (lambda: nn.Sequencer(nn.GRU(3, 2)).remember(), (2, 5, 3)), (lambda: nn.SeqLSTM(3, 2).remember(), (2, 5, 3)),
])  # fmt: skip
def test_clearState_starts_sequences_anew(make, sizes):
    net, x = make(), torch.Tensor(values(*sizes))
    first = net.forward(x).clone()
    assert not np.allclose(net.forward(x).numpy(), first.numpy())
    same(net.clearState().forward(x), first.numpy())


def test_backward_works_in_evaluation_mode():
    net = two_layers().evaluate()
    assert net.train is False and net.get(1).train is False
    output, grad_input, grads = expected_of(net, X, G)
    same(net.forward(X), output)
    same(net.backward(X, G), grad_input)
    same(net.parameters()[1], grads)
    assert net.training() is net and net.get(3).train is True


def test_dropout_in_evaluation_passes_values_and_gradients():
    net = nn.Sequential().add(nn.Dropout(0.5)).evaluate()
    same(net.forward(X), X)
    same(net.backward(X, X + 1), X + 1)


def test_a_frozen_normalisation_keeps_its_own_mode():
    frozen = nn.BatchNormalization(3).double()
    net = nn.Sequential().add(frozen).double()
    net.training()
    frozen.evaluate()
    same(net.forward(X), X / np.sqrt(1 + 1e-5) * np.asarray(frozen.weight), 1e-6)
    same(frozen.running_mean, np.zeros(3))
    frozen.training()
    net.forward(X)
    same(frozen.running_mean, 0.1 * X.mean(0))


def test_one_module_twice_in_a_network_gets_both_gradients():
    shared = nn.Linear(3, 3).double()
    net = nn.Sequential().add(shared).add(nn.Tanh()).add(shared).double()
    w, b, g = np.array(shared.weight), np.array(shared.bias), values(5, 3, seed=6)
    h = np.tanh(X @ w.T + b)
    d = (g @ w) * (1 - h * h)
    same(net.forward(X), h @ w.T + b)
    same(net.backward(X, g), d @ w)
    same(shared.gradWeight, g.T @ h + d.T @ X)
    same(shared.gradBias, g.sum(0) + d.sum(0))


def test_a_shared_module_in_the_two_branches_of_a_siamese_network():
    shared = nn.Linear(3, 2).double()
    net = nn.ParallelTable().add(shared).add(shared).double()
    other, h = values(5, 3, seed=7), values(5, 2, seed=8)
    w, b = arrays(shared.parameters()[0])
    same(net.forward([X, other]), [X @ w.T + b, other @ w.T + b])
    net.backward([X, other], [G, h])
    same(shared.gradWeight, G.T @ X + h.T @ other)


STATISTICS = ("running_mean", "running_var")


@pytest.mark.parametrize(
    ("second", "inside"),
    [
        (lambda first: first, lambda module: module),
        (lambda first: first.clone(*STATISTICS), lambda module: module),
        (lambda first: nn.BatchNormalization(3).double().share(first, *STATISTICS), nn.Decorator),
        (lambda first: first.clone(*STATISTICS), lambda module: nn.Sequential().add(nn.Sequencer(module))),
    ],
    ids=["the same module", "clone", "share", "in a loop"],
)
def test_shared_running_statistics_get_the_batches_of_all_their_places_in_turn(second, inside):
    first = nn.BatchNormalization(3).double()
    other = second(first)
    batches = [X, values(5, 3, seed=7)]
    net = nn.ParallelTable().add(inside(first)).add(inside(other)).double()
    loop = type(net.get(1)) is nn.Sequential
    net.forward([[batch] for batch in batches] if loop else batches)
    same(other.running_mean, 0.9 * 0.1 * batches[0].mean(0) + 0.1 * batches[1].mean(0))
    variance = [0.9 * 0.9, 0.9 * 0.1, 0.1] @ np.stack([np.ones(3), *(batch.var(0, ddof=1) for batch in batches)])
    same(other.running_var, variance)
    other.running_mean = torch.DoubleTensor([1, 2, 3])
    if other is not first:  # no longer shared
        net.forward([[batch] for batch in batches] if loop else batches)
        same(other.running_mean, 0.9 * np.array([1, 2, 3]) + 0.1 * batches[1].mean(0))


@pytest.mark.parametrize(
    "convert",
    [
        lambda x: x,
        lambda x: x.astype(np.float32),
        lambda x: x.tolist(),
        lambda x: torch.Tensor(x),
        lambda x: torch.DoubleTensor(x),
        lambda x: jnp.asarray(x, jnp.float32),
    ],
    ids=["numpy64", "numpy32", "list", "FloatTensor", "DoubleTensor", "jax"],
)
def test_inputs_may_be_tensors_arrays_and_lists(convert):
    net = nn.Sequential().add(nn.Linear(3, 4)).add(nn.Tanh()).add(nn.Linear(4, 2))
    output, grad_input, _ = expected_of(net, X, G)
    given, grad_output = convert(X), convert(G)
    got = net.forward(given)
    assert torch.isTensor(got) and got.type() == "torch.FloatTensor"
    same(got, output, 1e-5, 1e-6)
    same(net.backward(given, grad_output), grad_input, 1e-5, 1e-6)


def test_tables_go_in_and_out():
    net = nn.ParallelTable().add(nn.Identity()).add(nn.ParallelTable().add(nn.Linear(3, 2)).add(nn.Identity())).double()
    linear = net.get(2, 1)
    given, grads = [X, [X, G]], [X + 1, [G, G + 1]]
    same(net.forward(given), [X, [X @ np.asarray(linear.weight).T + np.asarray(linear.bias), G]])
    same(net.backward(given, grads), [X + 1, [G @ np.asarray(linear.weight), G + 1]])


def test_a_single_example_and_a_batch():
    linear = nn.Linear(3, 2).double()
    w, b = np.array(linear.weight), np.array(linear.bias)
    same(linear.forward(X[0]), w @ X[0] + b)
    same(linear.backward(X[0], G[0]), G[0] @ w)
    same(linear.gradWeight, np.outer(G[0], X[0]))


def test_a_gradOutput_of_as_many_elements_takes_the_outputs_shape():
    linear = nn.Linear(3, 1).double()
    linear.forward(X)
    same(linear.backward(X, G[:, 0]), G[:, :1] @ np.asarray(linear.weight))


def test_a_gradient_of_the_programs_own_takes_the_place_of_a_layers():
    """In networks, of layers that hand on what they are given, and of others; that of layers above is what it was."""
    x = torch.randn(2, 3)
    for make in (nn.Tanh, nn.Identity, lambda: nn.Copy("torch.FloatTensor", "torch.FloatTensor")):
        layer = make()
        layer.updateGradInput = lambda input, gradOutput: gradOutput * 2
        network = nn.Sequential(layer, nn.Linear(3, 2))
        output = network.forward(x)
        network.zeroGradParameters()
        same(network.backward(x, output), 2 * network.get(2).gradInput.numpy())
        learned = network.get(2).gradWeight.clone().numpy()
        layer.updateGradInput = lambda input, gradOutput: None
        network.zeroGradParameters()
        network.backward(x, network.forward(x))
        same(network.get(2).gradWeight, learned)
