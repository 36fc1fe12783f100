"""Every shipped recipe is a task that a training step can be made of; its settings are checked."""

import jax
import jax.numpy as jnp
import msgspec
import numpy as np
import pytest

from functorch7 import recipes
from functorch7.data import MultiSequence, SequenceLoader
from functorch7.interop import t7
from functorch7.recipes.billion_words import WithTargets
from functorch7.recipes.perplexity import Perplexity
from functorch7.recipes.rates import by_epoch, falling
from functorch7.recipes.texts import Text
from functorch7.training import TrainState, average_of, evaluate, make_train_step
from functorch7.training.validation import by_name
from tests.data.datasets import test_image_sets, test_sentiment140, test_word_sets

SMALL = {
    "images": {"width": 4, "batch_size": 4},
    "language": {"hidden_sizes": [6], "columns": 2, "sequence_length": 3},
    "language-nce": {"hidden_sizes": [6], "columns": 2, "sequence_length": 3, "noise": 2},
    "billion-words": {"hidden_sizes": [6], "columns": 2, "sequence_length": 3, "noise": 2},
    "attention": {"hidden_size": 8, "sensor_size": 4, "batch_size": 2, "patch": 4, "depth": 2},
    "sequences": {"hidden_size": 4, "input_size": 3, "batch_size": 2, "tests": 10},
    "cart-pole": {"hidden_size": 3, "length": 5, "batch_size": 2},
    "sentiment": {"hidden_sizes": [6], "input_size": 5, "sequence_length": 4, "min_frequency": 1, "batch_size": 2},
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A folder with a few lines of each data set, as it is published."""
    folder = tmp_path_factory.mktemp("data")
    test_image_sets.write(folder, test_image_sets.IDX)
    test_image_sets.write(folder / "cifar-10-batches-bin", test_image_sets.VERSIONS["cifar-10-batches-bin"])
    test_sentiment140.write(folder)
    test_word_sets.write_ptb(folder)
    for name in ("train_data", "valid_data", "test_data"):
        t7.write(folder / f"{name}.th7", np.array([[1, 1], [1, 2], [1, 5], [4, 2], [4, 5]], np.int32))
    t7.write(folder / "word_map.th7", ["a", "b", "<UNK>", "<S>", "</S>"])
    t7.write(folder / "word_freq.th7", np.array([2, 2, 1, 3, 3], np.int64))
    return folder


def kind_of(name):
    return msgspec.to_builtins(recipes.load(name))["recipe"]


LARGER = {
    "attention-mnist": "attention", "attention-cluttered": "attention", "ptb-lstm-large": "ptb-lstm", "mnist": "digits",
    "addition": "reverse", "char-rnn-large": "char-rnn", "words": "python-lstm",
}  # fmt: skip
"""Recipes that are other ones with other sizes."""


@pytest.mark.parametrize("name", sorted(set(recipes.shipped()) - set(LARGER)))
def test_a_shipped_recipe_is_a_task(name, files):
    """Its network fits its data, its criterion and its measures: a whole training step can be traced."""
    elsewhere = {"datapath": str(files)} if hasattr(recipes.load(name), "datapath") else {}
    task = recipes.load(name, SMALL[kind_of(name)] | elsewhere).task()
    inputs, targets = next(task.train.batches(task.batch_size, seed=0))

    def started(key):
        params, buffers = task.init(key)
        return TrainState(params, buffers, task.optimizer.init(params), jnp.zeros((), jnp.int32))

    state = jax.eval_shape(started, jax.random.key(0))
    step = make_train_step(task.module, task.criterion, task.optimizer)
    new, metrics = jax.eval_shape(step, state, (inputs, targets), jax.random.key(0))
    assert metrics["loss"].shape == ()
    assert jax.tree.map(jnp.shape, new.params) == jax.tree.map(jnp.shape, state.params)

    def measured(params, buffers, inputs, targets):
        output, _ = task.module.apply(params, buffers, inputs, key=jax.random.key(0))
        return [method.measure(output, targets)[0] for method in task.methods]

    assert all(each.shape == () for each in jax.eval_shape(measured, *state[:2], inputs, targets))
    assert task.validation.size() and task.test.size()


def test_billion_words_learn_by_rows(files):
    """The optimizer keeps a velocity for weights of recurrent layers, and none for words."""
    settings = {**SMALL["billion-words"], "sequence_length": 4, "datapath": str(files), "epochs": 1}
    outcome = recipes.run(recipes.load("gbw-nce", settings), verbose=False)
    state = outcome.result.state
    kept = {jnp.shape(leaf) for leaf in jax.tree.leaves(state.optimizer_state)} - {()}
    words = {(6, 6), (5, 6), (5,)}  # those of the input, with 0, and of noise-contrastive estimation
    assert {leaf.shape for leaf in jax.tree.leaves(state.params)} == kept | words and not kept & words
    assert np.isfinite(outcome.test["Loss"])
    with pytest.raises(ValueError, match="expected sharding=None with by_rows=True"):
        recipes.run(recipes.load("gbw-nce", settings), devices="copies")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("epoch=3", r"^language has no setting epoch; it has cell, .*, uniform, unit$"),
        ("epochs=many", "^epochs = 'many': Expected `int`, got `str`"),
        ("dropout=1.5", "dropout = 1.5: Expected `float` < 1.0"),
        ("cell=elman", "cell: expected 'rnn' or 'gru' or 'lstm' or 'seqlstm', got 'elman'"),
        ("hidden_sizes=[200, 0]", r"hidden_sizes = \[200, 0\]: Expected `int` >= 1 - at `\$\[1\]`"),
        ("hidden_sizes=[]", r"hidden_sizes = \[\]: Expected `array` of length >= 1"),
        ("learning_rate=-1", "learning_rate = -1: Expected `float` >= 0.0"),
        ("learning_rate=nan", "learning_rate = nan: Expected `float` >= 0.0"),
        ("schedule={0=1.0}", "schedule = .*Expected `int` >= 1 - at `key`"),
        ("seed=-1", "seed = -1: Expected `int` >= 0"),
        ("schedule={1: 0.5}", r"schedule: expected TOML, such as \[1, 2\] or \{1 = 0.5\}, got \{1: 0.5\}"),
        ("recipe=words", "expected recipe = 'images' or 'language' or .*, got 'words'"),
    ],
)
def test_wrong_settings_are_named(change, message):
    with pytest.raises(ValueError, match=message):
        recipes.load("ptb-lstm", dict([recipes.change(change)]))


def test_files_of_ones_own(tmp_path):
    (tmp_path / "mine.yaml").write_text("recipe: images\ndataset: mnist\nschedule: {3: 0.5}\n")
    (tmp_path / "mine.toml").write_text('recipe = "images"\ndataset = "mnist"\nschedule = {3 = 0.5}\n')
    assert recipes.load(str(tmp_path / "mine.yaml")) == recipes.load(str(tmp_path / "mine.toml"))
    (tmp_path / "bad.toml").write_text("recipe = \n")
    with pytest.raises(ValueError, match=r"bad\.toml: "):
        recipes.load(str(tmp_path / "bad.toml"))
    (tmp_path / "latin.toml").write_bytes(b'recipe = "\xe9"')
    with pytest.raises(ValueError, match=r"latin\.toml: 'utf-8'"):
        recipes.load(str(tmp_path / "latin.toml"))
    (tmp_path / "list.yaml").write_text("- images\n")
    with pytest.raises(ValueError, match="expected settings by name, got list"):
        recipes.load(str(tmp_path / "list.yaml"))
    with pytest.raises(FileNotFoundError, match="shipped recipe; these are .*ptb-lstm"):
        recipes.load("nothing")
    with pytest.raises(ValueError, match="name=value"):
        recipes.change("epochs")
    with pytest.raises(ValueError, match="epochs: expected one value on one line, got"):
        recipes.change("epochs=1\nseed=2")


def test_data_that_do_not_fit_the_settings_are_said(tmp_path):
    (tmp_path / "text.txt").write_text("a b c\n")
    with pytest.raises(
        ValueError, match=r"a text of 4 words leaves 0 for .*, too few for 20 columns, which take 800 words"
    ):
        recipes.load("python-lstm", {"text": str(tmp_path / "text.txt")}).task()
    with pytest.raises(ValueError, match="canvas: expected at least 8, the images' size, got 7"):
        recipes.load("attention", {"canvas": 7}).task()
    with pytest.raises(ValueError, match='digits: expected at most 18 with kind = "add", got 20'):
        recipes.load("reverse", {"kind": "add", "digits": 20}).task()


def test_no_limit_of_the_gradients_norm_is_none():
    assert recipes.load("reverse", {"cutoff": 0, "tests": 1}).task().clip is None


@pytest.mark.parametrize("loader", [SequenceLoader(range(40), 2), MultiSequence([range(9), range(20, 24)], 2)])
def test_iterators_of_words_with_targets_go_apart(loader):
    """One that begins while another is under way takes nothing from it, as with the loader inside."""
    wanted = [targets for _, targets in loader.batches(3)]
    shared = WithTargets(loader)
    first = shared.batches(3, prefetch=0)
    next(first), next(shared.batches(3))
    (_, inside), targets = next(first)
    np.testing.assert_array_equal(targets, wanted[1])
    np.testing.assert_array_equal(inside, targets)


def test_rates_change_after_their_epochs():
    rate = by_epoch(1.0, {2: 0.5, 4: 0.25}, steps_per_epoch=10)
    assert [float(rate(step)) for step in (0, 19, 20, 39, 40, 1000)] == [1, 1, 0.5, 0.5, 0.25, 0.25]
    slope = falling(1.0, 0.2, epochs=4, steps_per_epoch=10)
    np.testing.assert_allclose([float(slope(s)) for s in (0, 9, 10, 25, 40, 99)], [1, 1, 0.8, 0.6, 0.2, 0.2], rtol=1e-6)


def test_perplexity_is_the_geometric_mean_of_inverse_probabilities():
    probabilities = np.array([[[0.5, 0.25, 0.25]], [[0.1, 0.8, 0.1]], [[0.2, 0.2, 0.6]]])
    output, words = jnp.log(jnp.asarray(probabilities, jnp.float32)), jnp.array([[1], [3], [0]])  # the last is padding
    result = Perplexity()(output, words)
    np.testing.assert_allclose(result.result()[0], (1 / 0.5 * 1 / 0.1) ** 0.5, rtol=1e-5)
    assert result.count == 2 and str(result + result) == "Perplexity: 4.47 (4 words)"


def test_texts_are_split_into_words_marks_and_lines():
    text = Text.of("It's  A_b, 12.\n\nEnd")
    assert text.tokens == ["it", "'", "s", "a", "_", "b", ",", "12", ".", "<eos>", "end", "<eos>"]
    text = Text.of("a b\n" * 29 + "rare b\n" + "a\n" * 3 + "new\n" + "a\n")
    train, valid, test = text.split(columns=1, min_frequency=2)
    assert train.ivocab == {1: "<eos>", 2: "a", 3: "b", 4: "<OOV>"}
    # A hundred tokens: the last five are for validation, the five before for the test.
    assert valid.data[:, 0].tolist() == [1, 4, 1, 2, 1] and test.data[:, 0].tolist() == [2, 1, 2, 1, 2]


def test_the_test_measures_what_validation_did():
    """The average of the parameters, where the trainer is told to look at that."""
    recipe = recipes.load("digits", {"width": 2, "batch_size": 250, "epochs": 1})
    task, result, test = recipes.run(recipe, average=0.9, validate_average=True, verbose=False)

    def loss(params):
        found = evaluate(task.module, params, result.state.buffers, task.test.batches(250), task.methods)
        return by_name(found)["Loss"]

    averages = average_of(result.state.optimizer_state, 0.9)
    assert test["Loss"] == loss(averages) != loss(result.state.params)
