"""Every optimizer of optax trains, by `make_train_step` and by a Trainer."""

import inspect
from functools import partial

import chex
import jax
import numpy as np
import optax
import pytest
from optax import contrib
from optax._src import alias

import functorch7 as f7
from functorch7.interop import orbax
from functorch7.training import Trainer, init_state, make_train_step

RATE = 0.01
SMALL = ("acprop", "ademamix", "adopt", "galore", "madgrad", "muon", "simplified_ademamix", "sophia")
FREE = (
    "cocob", "dadapt_adamw", "dog", "dowg", "momo", "momo_adam", "prodigy", "schedule_free_adamw", "schedule_free_sgd",
)  # fmt: skip
AROUND = {
    "mechanize": lambda: contrib.mechanize(optax.sgd(RATE)),
    "normalize": lambda: optax.chain(contrib.normalize(), optax.sgd(RATE)),
    "reduce_on_plateau": lambda: optax.chain(optax.adam(RATE), contrib.reduce_on_plateau(patience=1)),
    "sam": lambda: contrib.sam(optax.sgd(RATE), optax.chain(contrib.normalize(), optax.sgd(RATE)), opaque_mode=True),
    "sam, step by step": lambda: contrib.sam(optax.sgd(RATE), optax.chain(contrib.normalize(), optax.sgd(RATE))),
    "schedule_free": lambda: contrib.schedule_free(optax.sgd(RATE), RATE),
}


def aliases():
    """Optax's own list of optimizers, with a learning rate where that is needed."""
    for name, made in vars(alias).items():
        if inspect.isfunction(made) and made.__module__ == alias.__name__ and not name.startswith("_"):
            needed = [each for each in inspect.signature(made).parameters.values() if each.default is each.empty]
            yield name, partial(made, *[RATE] * len(needed))


OPTIMIZERS = dict(aliases()) | AROUND
OPTIMIZERS |= {name: partial(getattr(contrib, name), RATE) for name in SMALL}
OPTIMIZERS |= {name: getattr(contrib, name) for name in FREE}
RUN = ("polyak_sgd", "prodigy")
"""Those that are compiled, beside lbfgs: one that asks for the loss, one that keeps the parameters it was given."""

NETWORK = f7.Linear(2, 1)
X = np.float32([[1, 0], [0, 1], [1, 1], [-1, 1]])
BATCH = X, X @ np.float32([[2], [-1]]) + 1


@pytest.fixture(autouse=True)
def as_a_user():
    """Optax does not keep to this suite's strictness."""
    with jax.numpy_rank_promotion("allow"), jax.numpy_dtype_promotion("standard"):
        yield


@pytest.mark.filterwarnings("ignore:Specifying a key:UserWarning", "ignore:`optimistic_adam`:DeprecationWarning")
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_step_by_any_optimizer_keeps_the_form_of_its_state(name):
    optimizer = OPTIMIZERS[name]()
    trainer = Trainer(NETWORK, f7.MSECriterion(), optimizer, clip=1.0, average=0.9)
    step = make_train_step(NETWORK, f7.MSECriterion(), optimizer)
    key = jax.random.key(0)
    for way, transformation, more in ((step, optimizer, ()), (trainer.step, trainer.transformation, (0,))):
        state = jax.eval_shape(lambda key, own=transformation: init_state(NETWORK, own, key), key)
        new, metrics = jax.eval_shape(way, state, BATCH, key, *more)
        chex.assert_trees_all_equal_shapes_and_dtypes(new, state)
        assert metrics["loss"].shape == ()


@pytest.mark.parametrize("name", RUN)
def test_the_loss_falls(name):
    optimizer = OPTIMIZERS[name]()
    step, state = (
        make_train_step(NETWORK, f7.MSECriterion(), optimizer),
        init_state(NETWORK, optimizer, jax.random.key(0)),
    )
    losses = []
    for _ in range(4):
        state, metrics = step(state, BATCH, None)
        losses.append(float(metrics["loss"]))
    epochs = Trainer(NETWORK, f7.MSECriterion(), optimizer, verbose=False).fit([BATCH], 4).epochs
    assert losses[-1] < losses[0] and epochs[-1]["loss"] < epochs[0]["loss"]


def test_lbfgs_finds_the_least_squares_by_its_line_search():
    """A linear network's loss is a quadratic of three numbers, whose minimum is 0 here."""
    found = Trainer(NETWORK, f7.MSECriterion(), optax.lbfgs(), verbose=False).fit([BATCH], 8)
    assert found.epochs[-1]["loss"] < 1e-6 < found.epochs[0]["loss"]
    np.testing.assert_allclose(found.state.params["weight"], [[2, -1]], atol=1e-2)


@pytest.mark.filterwarnings("ignore:Specifying a key:UserWarning", "ignore:`optimistic_adam`:DeprecationWarning")
def test_the_states_of_all_optimizers_come_back_from_a_checkpoint(tmp_path):
    """Random keys among them, of which a file has the numbers; in one file, which is quicker than one each."""
    params, buffers = NETWORK.init(jax.random.key(0))
    together = optax.GradientTransformation(lambda params: {n: OPTIMIZERS[n]().init(params) for n in OPTIMIZERS}, None)
    states = together.init(params)
    orbax.save(tmp_path / "states", NETWORK, params, buffers, states)
    chex.assert_trees_all_equal(orbax.load(tmp_path / "states", NETWORK, together).optimizer_state, states)
