"""`functional()`: the same network as a pure function, with the same numbers."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import functorch7 as f7
from functorch7.legacy import nn, wrap

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
        found = [leaf for _, leaf in f7.network.named_parameters(module, grads)]
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


WRAPPED = {
    "network": f7.Sequential(f7.Linear(3, 4), f7.BatchNormalization(4), f7.Tanh()),
    "tied": f7.Shared(f7.Sequential(f7.Linear(3, 3), f7.Tanh(), f7.Linear(3, 3)), (((0, "weight"), (2, "weight")),)),
    "tied statistics": f7.Shared(
        f7.Sequential(f7.BatchNormalization(3), f7.Tanh(), f7.BatchNormalization(3)),
        (),
        (((0, "running_mean"), (2, "running_mean")),),
    ),
    "recurrent": f7.Sequential(f7.FastLSTM(3, 4), f7.L1Penalty(0.1)),
    "masked": f7.Sequential(f7.MaskZero(f7.Linear(3, 3), 1), f7.FastLSTM(3, 4).mask_zero()),
    "table": f7.Sequential(f7.ConcatTable(f7.Linear(3, 2), f7.Identity()), f7.JoinTable(1, 1)),
}


@pytest.mark.parametrize("name", WRAPPED)
def test_wrap_is_the_way_back(name, key):
    module = WRAPPED[name]
    params, buffers = module.init(key)
    net = wrap(module, params, buffers)
    again, variables = net.functional()
    assert again == module
    jax.tree.map(np.testing.assert_array_equal, variables, f7.Variables(params, buffers))
    x = values(5, 3).astype(np.float32)
    same(net.evaluate().forward(x), module.apply(params, buffers, jnp.asarray(x))[0])


def test_ties_are_shared_tensors_and_the_arrays_stay_as_they_are(key):
    module = WRAPPED["tied"]
    params, buffers = module.init(key)
    before = np.array(params[0][0]["weight"])
    net, x, g = wrap(module, params, buffers), values(4, 3).astype(np.float32), values(4, 3, seed=2).astype(np.float32)
    net.forward(x)
    net.backward(x, g)
    grads = jax.grad(lambda p: jnp.vdot(module.apply(p, buffers, jnp.asarray(x))[0], jnp.asarray(g)))(params)
    same(net.get(1).gradWeight, grads[0][0]["weight"], rtol=1e-5)
    same(net.get(3).gradWeight, net.get(1).gradWeight)
    net.get(3).weight.fill(2)
    same(net.get(1).weight, np.full((3, 3), 2))
    same(params[0][0]["weight"], before)


def test_a_wrapped_network_has_the_type_of_its_arrays(key):
    with jax.enable_x64(True):
        params, buffers = jax.tree.map(lambda a: a.astype(np.float64), f7.BatchNormalization(3).init(key))
    net = wrap(f7.BatchNormalization(3), params, buffers)
    assert net.type() == "torch.DoubleTensor"
    assert net.forward(values(4, 3)).dtype == net.gradWeight.dtype == np.float64


def test_arrays_that_do_not_fit_are_named(key):
    module = WRAPPED["network"]
    params, buffers = module.init(key)
    params = [{"weight": jnp.zeros((2, 3))}, *params[1:]]
    with pytest.raises(ValueError, match=r"missing 0\.bias; 0\.weight: expected shape \(4, 3\), got \(2, 3\)"):
        wrap(module, params, buffers)
