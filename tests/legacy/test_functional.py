"""`functional()`: the same network as a pure function, with the same numbers."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import functorch7 as f7
from functorch7.legacy import nn

from .helpers import same, two_layers, values

MAKERS = {
    "linear": (lambda: nn.Linear(3, 4), values(5, 3)),
    "convolution": (lambda: nn.SpatialConvolution(2, 3, 3, 3, 1, 1, 1, 1), values(2, 2, 5, 5)),
    "network": (two_layers, values(5, 3)),
    "normalisation": (lambda: nn.Sequential().add(nn.BatchNormalization(3)).add(nn.Linear(3, 2)), values(6, 3)),
    "tables": (lambda: nn.Sequential().add(nn.ConcatTable().add(nn.Linear(3, 4)).add(nn.Linear(3, 4)))
               .add(nn.CAddTable()), values(5, 3)),
    "sequence": (lambda: nn.Sequencer(nn.FastLSTM(3, 4)), values(4, 2, 3)),
}  # fmt: skip


@pytest.mark.parametrize("name", MAKERS)
def test_forward_and_gradients_are_the_same(name):
    make, x = MAKERS[name]
    stateful = make().double()
    module, (params, buffers) = stateful.functional()
    assert module == stateful.description()
    y = np.array(stateful.forward(x))
    g = values(*y.shape, seed=9)
    stateful.zeroGradParameters()
    grad_input = np.array(stateful.backward(x, g))
    with jax.enable_x64(True):
        run = lambda p, v: module.apply(p, buffers, v, train=True)[0]  # noqa: E731
        output, pull = jax.vjp(run, params, jnp.asarray(x))
        grads, expected = pull(jnp.asarray(g))
        found = [leaf for _, leaf in f7.core.named_parameters(module, grads)]
    same(y, output)
    same(grad_input, expected)
    same(stateful.parameters()[1], found)


def test_running_statistics_go_along():
    stateful = nn.BatchNormalization(3).double()
    stateful.forward(values(6, 3))
    module, variables = stateful.functional()
    stateful.evaluate()
    x = values(2, 3, seed=4)
    with jax.enable_x64(True):
        output, _ = module.apply(*variables, jnp.asarray(x))
    same(stateful.forward(x), output)


def test_the_arrays_are_copies():
    stateful = two_layers()
    _, variables = stateful.functional()
    before = np.array(variables.params[0]["weight"])
    stateful.get(1).weight.zero()
    same(variables.params[0]["weight"], before)


def test_shared_parameters_become_ties():
    first = nn.Linear(3, 3)
    net = (
        nn.Sequential().add(first).add(nn.Tanh()).add(first.clone("weight", "bias", "gradWeight", "gradBias")).double()
    )
    module, (params, buffers) = net.functional()
    assert isinstance(module, f7.Shared)
    assert set(module.ties) == {((0, "weight"), (2, "weight")), ((0, "bias"), (2, "bias"))}
    assert len(jax.tree.leaves(params)) == 2
    x, g = values(4, 3), values(4, 3, seed=2)
    y = np.array(net.forward(x))
    net.zeroGradParameters()
    net.backward(x, g)
    with jax.enable_x64(True):
        output, pull = jax.vjp(lambda p: module.apply(p, buffers, jnp.asarray(x))[0], params)
        ((owner, _, _),) = pull(jnp.asarray(g))[0]
    same(y, output)
    same(first.gradWeight, owner["weight"])


def test_flat_parameters_are_not_shared():
    net = two_layers()
    net.getParameters()
    module, variables = net.functional()
    assert not isinstance(module, f7.Shared)
    assert [leaf.shape for leaf in jax.tree.leaves(variables.params)] == [(4,), (4, 3), (2,), (2, 4)]


def test_a_users_module_has_no_functional_form():
    class Double(nn.Module):
        def updateOutput(self, input):
            return input * 2

    with pytest.raises(TypeError, match=r"Double.*no functional form"):
        nn.Sequential().add(Double()).functional()


def test_fields_set_later_are_in_the_description():
    dropout = nn.Dropout(0.5)
    dropout.p = 0.25
    assert dropout.description() == f7.Dropout(0.25)
    pool = nn.SpatialMaxPooling(2, 2).ceil()
    assert pool.description() == f7.SpatialMaxPooling(2, 2).ceil()
    assert nn.Linear(2, 3).noBias().description() == f7.Linear(2, 3, bias=False)
