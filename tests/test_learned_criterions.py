"""Criterions with parameters: inside every criterion that holds others, in both interfaces, copied and saved."""

import pickle
from itertools import product

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from gradients import check_gradient

import functorch7 as f7
from functorch7.core import recording
from functorch7.legacy import nn, torch
from functorch7.legacy.objects.functional import wrap
from tests.legacy.helpers import same

numbers = np.random.default_rng(0)
X, Y = (numbers.normal(size=(4, 3)) for _ in range(2))
KEY = jax.random.key(1)


class Weighed(f7.LearnedCriterion, abstract=True):
    """sum(scale^2 * (net(x) - y)^2), with an array of its own and a module."""

    net: f7.Module

    def init_params(self, key, stdv=None):
        return {"scale": jax.random.uniform(key, (3,))}

    def loss(self, run, input, target):
        error = run.net(input) - target
        return jnp.square(like(run.params["scale"], error) * error).sum()


def like(row, rows):
    return jnp.broadcast_to(row, rows.shape)


def linear(params, x):
    product = x @ params["weight"].T
    return product + like(params["bias"], product)


MEMBERS = {  # each with its loss, written out
    "an author's": (
        Weighed(f7.Linear(3, 3)),
        lambda p, x, y: jnp.square(like(p["scale"], x) * (linear(p["net"], x) - y)).sum(),
    ),
    "ModuleCriterion": (
        f7.ModuleCriterion(f7.MSECriterion(False), f7.Linear(3, 3), f7.Tanh()),
        lambda p, x, y: jnp.square(linear(p["input_module"], x) - jnp.tanh(y)).sum(),
    ),
}


def on(name):
    """The parameters of the criterion in a field."""
    return lambda p: p[name]


AROUND = {  # how each is made, where its parameters are, its loss as a function of the member's, its target
    "nothing": (lambda c: c, lambda p: p, lambda f, x, y: f(x, y), Y),
    "MultiCriterion": (
        lambda c: f7.MultiCriterion().add(f7.AbsCriterion()).add(c),
        lambda p: p[1],
        lambda f, x, y: abs(x - y).mean() + f(x, y),
        Y,
    ),
    "ParallelCriterion": (
        lambda c: f7.ModuleCriterion(
            f7.ParallelCriterion(True).add(c).add(f7.MSECriterion()), f7.ConcatTable(f7.Square(), f7.Identity())
        ),
        lambda p: p["criterion"][0],
        lambda f, x, y: f(x**2, y) + jnp.square(x - y).mean(),
        Y,
    ),
    "MaskZeroCriterion": (
        lambda c: f7.MaskZeroCriterion(c, 1),
        on("criterion"),
        lambda f, x, y: f(x, y),
        Y,
    ),
    "SequencerCriterion": (
        f7.SequencerCriterion,
        on("criterion"),
        lambda f, x, y: sum(f(*step) for step in zip(x, y, strict=True)),
        Y,
    ),
    "RepeaterCriterion": (
        f7.RepeaterCriterion,
        on("criterion"),
        lambda f, x, y: sum(f(step, y) for step in x),
        Y[0],
    ),
    "ModuleCriterion": (
        lambda c: f7.ModuleCriterion(c, f7.Square()),
        on("criterion"),
        lambda f, x, y: f(x**2, y),
        Y,
    ),
    "CriterionTable": (f7.CriterionTable, on("criterion"), lambda f, x, y: f(x, y), Y),
    "ModuleFromCriterion": (
        f7.ModuleFromCriterion,
        on("criterion"),
        lambda f, x, y: f(x, y),
        Y,
    ),
}
PAIRS = [
    (member, around)
    for member, around in product(MEMBERS, AROUND)
    if not (member == "ModuleCriterion" and around in ("SequencerCriterion", "RepeaterCriterion"))  # refused, as in rnn
]
every = pytest.mark.parametrize("member, around", PAIRS)


def made(member, around):
    """(the criterion, its variables in float64, the loss of parameters, input and target, the target)."""
    criterion, loss = MEMBERS[member]
    wrapped, place, total, target = AROUND[around]
    criterion = wrapped(criterion)
    params, buffers = criterion.init(KEY)
    expected = lambda p, x, y: total(lambda *given: loss(place(p), *given), x, y)  # noqa: E731
    return criterion, jax.tree.map(lambda leaf: np.asarray(leaf, np.float64), params), buffers, expected, target


def run(criterion, buffers, target):
    return lambda params, input: criterion.apply(params, buffers, (input, target))[0].reshape(())


@every
def test_losses_and_gradients_are_those_of_the_formula(member, around):
    with jax.enable_x64(True):
        criterion, params, buffers, expected, target = made(member, around)
        loss = run(criterion, buffers, target)
        check_gradient(loss, params, X, rtol=1e-6)

        @jax.jit
        def both(params, x, y):
            return [jax.value_and_grad(f, (0, 1))(params, x) for f in (loss, lambda *given: expected(*given, y))]

        got, wanted = both(params, X, target)
        jax.tree.map(lambda g, w: np.testing.assert_allclose(g, w, rtol=1e-10, atol=1e-12), got, wanted)
        np.testing.assert_allclose(loss(params, X), wanted[0], rtol=1e-10)
        with recording():
            np.testing.assert_allclose(loss(params, X), wanted[0], rtol=1e-10)


def copies(found, member, folder):
    yield found
    yield found.clone()
    yield pickle.loads(pickle.dumps(found))
    if member == "ModuleCriterion":  # Torch has no file of an author's
        torch.save(f"{folder}/criterion.t7", found)
        yield torch.load(f"{folder}/criterion.t7")


@every
@pytest.mark.filterwarnings("ignore:nn.ModuleCriterion doesn't support")
def test_objects_compute_and_keep_what_descriptions_do(member, around, tmp_path):
    with jax.enable_x64(True):
        criterion, params, buffers, expected, target = made(member, around)
        loss, (of_params, of_input) = jax.jit(jax.value_and_grad(expected, (0, 1)))(params, X, target)
        gradients = wrap(criterion, of_params, buffers).double().parameters()[0]
    for found in copies(wrap(criterion, params, buffers).double(), member, tmp_path):
        description, variables = found.functional()
        same(_calls(wrap(description, *variables))[0](X, target), loss, 1e-9)
        forward, backward = _calls(found)
        same(forward(X, target), loss, 1e-9)
        found.zeroGradParameters()
        same(backward(X, target), of_input, 1e-7, 1e-9)
        same(found.parameters()[1], gradients, 1e-7, 1e-9)


def _calls(found):
    """The functions that give the loss and its gradient."""
    if isinstance(found, nn.Criterion):
        return found.forward, found.backward
    return (
        lambda x, y: float(np.asarray(found.forward([x, y])).reshape(())),
        lambda x, y: found.backward([x, y], 1.0 if isinstance(found, nn.CriterionTable) else [1.0])[0],
    )


@every
def test_updates_and_state_dicts_reach_the_parameters(member, around):
    criterion, params, buffers, _, target = made(member, around)
    found = wrap(criterion, params, buffers).double()
    forward, backward = _calls(found)
    before, names = forward(X, target), list(found.state_dict())
    assert len(names) == len(found.parameters()[0]) == len(f7.state_dict(criterion, f7.Variables(params, buffers)))
    found.zeroGradParameters()
    backward(X, target)
    found.updateParameters(1e-4)
    assert forward(X, target) < before
    fresh = wrap(criterion, params, buffers).double()
    fresh.load_state_dict(found.state_dict())
    same(_calls(fresh)[0](X, target), forward(X, target), 1e-9)


@pytest.mark.parametrize("around", [a for a in AROUND if a not in ("CriterionTable", "ModuleFromCriterion")])
def test_criterions_with_arrays_refuse_to_be_called_without_them(around):
    criterion = AROUND[around][0](MEMBERS["an author's"][0])
    with pytest.raises(TypeError, match=r"has arrays.*criterion.init\(key\).*criterion.apply\(params, buffers"):
        criterion(X, Y)


# Draws and running statistics -----------------------------------------------------------------------------------------


def test_modules_inside_get_keys_and_the_mode():
    criterion = f7.MultiCriterion().add(f7.MSECriterion()).add(f7.ModuleCriterion(f7.L1Cost(), f7.Dropout(0.5)))
    ones = np.ones((2, 50), np.float32)
    plain = criterion(ones, ones)
    assert plain == 100
    drawn = criterion(ones, ones, key=KEY, train=True)
    assert drawn != plain and drawn % 2 == 0 and drawn == criterion(ones, ones, key=KEY, train=True)
    with pytest.raises(ValueError, match="needs a random key"):
        criterion(ones, ones, train=True)
    legacy = nn.MultiCriterion().add(nn.ModuleCriterion(nn.L1Cost(), nn.Dropout(0.5)))
    loss, gradient = legacy.forward(ones, ones), legacy.backward(ones, ones)
    assert loss == np.asarray(gradient).sum() and np.count_nonzero(gradient) < 100
    legacy.evaluate()
    assert legacy.forward(ones, ones) == 100


def test_each_step_of_a_sequence_draws_its_own():
    class Dropped(f7.LearnedCriterion, abstract=True):
        net: f7.Module

        def loss(self, run, input, target):
            return run.net(input).sum()

    criterion, ones = f7.SequencerCriterion(Dropped(f7.Dropout(0.5))), np.ones((3, 50), np.float32)
    gradient = jax.grad(lambda x: criterion(x, x, key=KEY, train=True))(ones)
    assert len({row.tobytes() for row in np.asarray(gradient)}) == 3
    held = wrap(criterion, *criterion.init(KEY))
    loss, gradient = held.forward(ones, ones), np.asarray(held.backward(ones, ones))
    assert loss == gradient.sum() and len({row.tobytes() for row in gradient}) == 3


def test_running_statistics_are_the_criterions_buffers():
    criterion = f7.MultiCriterion().add(f7.ModuleCriterion(f7.MSECriterion(), f7.BatchNormalization(3)))
    params, buffers = criterion.init(KEY)
    x = X.astype(np.float32)
    _, buffers = criterion.apply(params, buffers, (x, x), train=True)
    np.testing.assert_allclose(buffers[0]["input_module"]["running_mean"], 0.1 * x.mean(0), rtol=1e-5)
    norm = nn.BatchNormalization(3)
    with pytest.warns(UserWarning, match="parameter updates"):
        legacy = nn.MultiCriterion().add(nn.ModuleCriterion(nn.MSECriterion(), norm))
    legacy.forward(x, x)
    same(norm.running_mean, 0.1 * x.mean(0), 1e-5)


# Inside networks ------------------------------------------------------------------------------------------------------


def test_errors_name_the_member():
    criterion = f7.MultiCriterion().add(f7.MSECriterion()).add(f7.ClassNLLCriterion())
    with pytest.raises(ValueError) as caught:
        criterion(X[:1, :1], np.zeros(1))
    assert "In 2 module of nn.MultiCriterion:" in caught.value.__notes__


@pytest.mark.parametrize("first", ["inner", "outer"])
def test_members_in_a_network_show_what_they_gave(first):
    inner, module = nn.MSECriterion().double(), nn.Tanh()
    table = nn.CriterionTable(nn.MultiCriterion().add(nn.AbsCriterion()).add(inner, 2)).double()
    network = nn.Sequential().add(nn.ParallelTable().add(module).add(nn.Identity())).add(table).double()
    for sign in (1, -1):
        x = sign * X
        network.forward([x, Y])
        error = np.tanh(x) - Y
        shown = [inner, table.criterion]
        losses = [np.square(error).mean(), np.abs(error).mean() + 2 * np.square(error).mean()]
        slopes = [2 * error / error.size, np.sign(error) / error.size + 4 * error / error.size]
        order = (0, 1) if first == "inner" else (1, 0)
        for i in order:
            same(shown[i].output, losses[i])
        network.backward([x, Y])
        for i in order:
            same(shown[i].gradInput, slopes[i])


def test_a_criterion_is_learned_with_the_network():
    import optax

    from functorch7.training import init_state, make_train_step

    network, criterion = f7.Linear(3, 3), Weighed(f7.Linear(3, 3))
    whole = f7.Sequential(f7.ParallelTable(network, f7.Identity()), f7.CriterionTable(criterion))
    optimizer = optax.sgd(0.01)
    state = init_state(whole, optimizer, KEY)
    step = make_train_step(whole, lambda loss, target: loss, optimizer)
    x, y = X.astype(np.float32), Y.astype(np.float32)
    (of_table, of_loss) = jax.tree.map(np.array, state.params)

    def loss(p):
        (net, _), own = p
        own = own["criterion"]
        return MEMBERS["an author's"][1](own, linear(net, x), y)

    expected = jax.tree.map(lambda p, g: p - 0.01 * g, [of_table, of_loss], jax.grad(loss)([of_table, of_loss]))
    state, metrics = step(state, ([x, y], None), None)
    np.testing.assert_allclose(metrics["loss"], loss([of_table, of_loss]), rtol=1e-5)
    jax.tree.map(lambda got, wanted: np.testing.assert_allclose(got, wanted, 1e-4, 1e-6), state.params, expected)


def test_training_gives_a_criterions_modules_keys():
    import optax

    from functorch7.training import init_state, make_train_step

    criterion = f7.ModuleCriterion(f7.L1Cost(), f7.Dropout(0.5))
    state = init_state(f7.Identity(), optax.sgd(0.1), KEY)
    step = make_train_step(f7.Identity(), criterion, optax.sgd(0.1))
    _, metrics = step(state, (np.ones((2, 50), np.float32), None), KEY)
    assert metrics["loss"] % 2 == 0 and metrics["loss"] != 100


def test_looking_into_a_network_leaves_the_gradients_of_its_criterion():
    with pytest.warns(UserWarning, match="parameter updates"):
        member = nn.ModuleCriterion(nn.MSECriterion(), nn.Linear(3, 3))
    table = nn.CriterionTable(nn.MultiCriterion().add(member, 2)).double()
    network = nn.Sequential().add(nn.ParallelTable().add(nn.Tanh()).add(nn.Identity())).add(table).double()
    network.forward([X, Y])
    network.zeroGradParameters()
    network.backward([X, Y])
    before = [np.array(gradient) for gradient in network.parameters()[1]]
    inner = network.get(1).get(1)
    same(inner.output, np.tanh(X))
    same(inner.gradInput, np.asarray(table.gradInput[0]) * (1 - np.tanh(X) ** 2))
    same(network.parameters()[1], before)
    assert max(np.abs(gradient).max() for gradient in before) > 0
