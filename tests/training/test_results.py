"""What is measured: numbers of any type, results that are not finite, names, averages; what is asked of them later."""

import json

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import functorch7 as f7
from functorch7.training import (
    AUC,
    MAE,
    AccuracyResult,
    EarlyStop,
    Top1Accuracy,
    Trainer,
    ValidationMethod,
    average_of,
    averaged,
    evaluate,
    init_state,
    make_sgd_step,
    predict,
)

X = np.random.default_rng(0).normal(size=(8, 3)).astype(np.float32)
BATCHES = [(X[:4], X[:4, :1]), (X[4:], X[4:, :1])]
NET = f7.Sequential(f7.Linear(3, 1))


def trainer(folder=None, **options):
    return Trainer(NET, f7.MSECriterion(), optax.sgd(0.1), folder, verbose=False, log_every=1, **options)


def test_a_run_that_goes_on_shows_what_was_not_finite_as_one_that_was_not_stopped(tmp_path):
    def validation(params, buffers):
        return {"AUC": float("nan")}

    whole = trainer(tmp_path / "whole").fit(BATCHES, 2, validation=validation)
    for epochs in (1, 2):
        found = trainer(tmp_path / "stopped").fit(BATCHES, epochs, validation=validation)
    assert repr(found) == repr(whole) and "AUC nan" in repr(found)
    tables = [(tmp_path / name / "epochs.csv").read_text() for name in ("whole", "stopped")]
    assert tables[0] == tables[1]


def loss(output, target):
    return jnp.square(output - target).mean()


@pytest.mark.parametrize("name", ["loss", "epoch", "step", "kind"])
def test_results_do_not_take_the_place_of_a_runs_own_numbers(name):
    with pytest.raises(ValueError, match=f"Trainer.fit: expected another name of a measure than '{name}'"):
        trainer().fit(BATCHES, 1, validation=lambda params, buffers: {name: 7.0})
    if name == "loss":
        with pytest.raises(ValueError, match="Trainer: expected another name of a measure than 'loss'"):
            trainer(methods=[loss], larger_is_better=False)


class Rounded(ValidationMethod):
    """Gives NumPy's numbers, as a user's method may."""

    class kind(AccuracyResult):
        def result(self):
            return np.float32(0.75), self.count

    def measure(self, output, target):
        return output.sum(), len(target)


def test_numbers_of_numpy_and_jax_are_written_as_numbers(tmp_path):
    found = trainer(tmp_path, methods=[Rounded()], count=lambda input, target: jnp.sum(target > -9)).fit(
        BATCHES, 1, validation=BATCHES
    )
    assert found.epochs[0]["Rounded"] == 0.75
    lines = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    assert lines[-1]["Rounded"] == 0.75 and lines[0]["examples_per_second"] > 0
    assert trainer(tmp_path, methods=[Rounded()]).checkpoints().by_score() == [2]


def test_the_average_of_16_bits_is_that_of_many_steps():
    """The average of numbers that grow by equal steps, by its formula; in 16 bits it would stand still."""
    optimizer = averaged(optax.sgd(1.0), 0.99)
    params = jnp.zeros(1, jnp.bfloat16)
    state, expected = optimizer.init(params), 0.0
    for step in range(1, 101):
        updates, state = optimizer.update(-jnp.ones(1, jnp.bfloat16), state, params)
        params = optax.apply_updates(params, updates)
        expected = 0.99 * expected + 0.01 * step
    np.testing.assert_allclose(average_of(state, 0.99), [expected / (1 - 0.99**100)], rtol=1e-4)


@pytest.mark.parametrize("decay", [0, 0.9, 0.9999, 0.999999])
def test_the_average_of_what_stays_is_that(decay):
    """In float32, where 1 - 0.999999 has two digits; its average was a hundredth off."""
    optimizer, params = averaged(optax.identity(), decay), jnp.float32([0.7, -3])
    update, state = jax.jit(optimizer.update), optimizer.init(params)
    for _ in range(12):
        _, state = update(jnp.zeros(2), state, params)
    np.testing.assert_allclose(average_of(state, decay), params, rtol=1e-6)


def measured(method, batches):
    ((result, _),) = evaluate(f7.Identity(), {}, {}, batches, [method])
    return result


def test_long_sums_of_16_bits_are_sums():
    assert measured(Rounded(), [(jnp.ones(1, jnp.bfloat16), np.ones(1))] * 600).correct == 600  # 256 + 1 is 256 there


def overwritten():
    """Batches in one array after the other, where JAX would let them lie: at a multiple of 64 bytes."""
    raw = np.empty(4 * 12 + 64, np.uint8)
    input = raw[-raw.ctypes.data % 64 :][: 4 * 12].view(np.float32).reshape(4, 3)
    for number in range(1, 5):
        input[:] = number
        yield input, np.ones((4, 1), np.float32)


def test_batches_that_are_overwritten_by_the_next_are_what_they_were():
    apart = [(input.copy(), target) for input, target in overwritten()]
    assert measured(Rounded(), overwritten()).correct == measured(Rounded(), apart).correct == 12 * (1 + 2 + 3 + 4)
    found = predict(f7.Identity(), {}, {}, overwritten())
    np.testing.assert_array_equal(found[::4, 0], [1, 2, 3, 4])
    weights = [trainer().fit(data, 1).state.params[0]["weight"] for data in (apart, lambda epoch: overwritten())]
    np.testing.assert_array_equal(*weights)


def test_classes_that_a_targets_type_has_not_are_others():
    scores, target = np.eye(300, dtype=np.float32)[[256]], np.array([1], np.uint8)  # class 257, which is 1 in 8 bits
    assert measured(Top1Accuracy(), [(scores, target)]).correct == 0
    assert measured(MAE(), [(scores, target)]).loss == 256


def test_scores_of_64_bits_are_ranked_as_they_are():
    with jax.enable_x64(True):
        assert measured(AUC(), [(np.array([1.0, 1.0 + 1e-12]), np.array([1, 2]))]).result() == (1.0, 2)


def test_the_best_checkpoint_is_not_passed_over_without_a_word(tmp_path):
    scores = iter([0.9, 0.5, 0.4])
    run = trainer(tmp_path, keep_last=3)
    run.fit(BATCHES, 3, validation=lambda params, buffers: {"accuracy": next(scores)})
    assert run.load(best=True).step == 2
    (tmp_path / "checkpoints" / "2" / "WHOLE").write_text("")
    with pytest.warns(UserWarning, match="checkpoint of step 2 is damaged .* loading that of step 4"):
        assert run.load(best=True).step == 4


def test_a_run_without_a_whole_epoch_has_no_best_checkpoint(tmp_path):
    def data(epoch):
        yield BATCHES[0]
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        trainer(tmp_path).fit(data, 1)
    with pytest.raises(FileNotFoundError, match="no checkpoint of a whole epoch"):
        trainer(tmp_path).load(best=True)
    assert trainer(tmp_path).load().step == 1
    with pytest.raises(ValueError, match="stopped after 1 batches of epoch 1, which has 0 now"):
        trainer(tmp_path).fit([], 1)


@pytest.mark.parametrize(("options", "message"), [
    ({"methods": [Top1Accuracy]}, "Trainer: expected a list of methods"),
    ({"count": 3}, r"Trainer: expected a function \(input, target\) as count, got 3"),
    ({"larger_is_better": "no"}, "Trainer: expected larger_is_better to be True or False, got 'no'"),
])  # fmt: skip
def test_settings_are_what_they_are_meant_to_be(options, message):
    with pytest.raises(TypeError, match=message):
        trainer(**options)


def test_seeds_that_keys_would_cut_are_refused():
    assert jax.random.key(2**32) == jax.random.key(0)  # of JAX as it is without 64 bits
    with pytest.raises(ValueError, match=r"expected seed below 2\*\*32"):
        trainer().fit(BATCHES, 1, seed=2**32)


def test_a_step_and_a_callback_say_what_they_cannot_use():
    step, state = make_sgd_step(NET, f7.MSECriterion(), 0.1), init_state(NET, optax.identity(), jax.random.key(0))
    with pytest.raises(TypeError, match="make_sgd_step: expected a TrainState, as init_state makes it, got list"):
        step(state.params, BATCHES[0], None)
    with pytest.raises(TypeError, match="make_sgd_step: expected a batch"):
        step(state, X, None)
    with pytest.raises(TypeError, match="make_sgd_step: expected a number as learning_rate, got 'fast'"):
        make_sgd_step(NET, f7.MSECriterion(), "fast")
    with pytest.raises(ValueError, match="EarlyStop: expected patience of at least 1, got 0"):
        EarlyStop(patience=0)
