"""Texts by characters, RMSprop as a recipe's rule, and noise-contrastive estimation of a language model."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import functorch7 as f7
from functorch7 import recipes
from functorch7.recipes.perplexity import Perplexity
from functorch7.recipes.texts import Text, text_file


def test_characters_are_what_a_text_consists_of():
    assert Text.of("To be,\n\nor", "characters").tokens == ["T", "o", " ", "b", "e", ",", "\n", "\n", "o", "r"]


def test_a_mark_at_the_beginning_of_a_file_is_no_part_of_its_text(tmp_path):
    for unit in ("words", "characters"):
        found = []
        for encoding in ("utf-8", "utf-8-sig"):  # as Windows' editor writes it
            (tmp_path / "text.txt").write_text("été\n", encoding=encoding)
            found.append(text_file(tmp_path / "text.txt", unit))
        assert found[0] == found[1] and "é" in found[0].tokens[0]


def test_characters_are_numbered_as_they_occur_in_the_whole_text():
    """As by char-rnn, so that those of the parts held out are known."""
    train, valid, test = Text.of("ab" * 45 + "abcd" + "e" * 6, "characters").split(columns=1, min_frequency=1)
    assert train.ivocab == valid.ivocab == dict(enumerate("abcde", 1))
    assert valid.data[:, 0].tolist() == [5] * 5 and test.data[:, 0].tolist() == [1, 2, 3, 4, 5]


def test_words_that_nothing_stands_for_are_named():
    text = Text.of("to be or\n" * 30 + "not\n" * 2)
    with pytest.raises(ValueError, match="'not' is in the part held out alone, and no word before it is rarer than 1"):
        text.split(columns=1, min_frequency=1)


def test_rmsprop_divides_by_the_root_of_averaged_squares():
    """Two steps: x - rate g / sqrt(m), m = a m + (1 - a) g^2."""
    rule = recipes.load("char-rnn", {"squares": 0.9, "learning_rate": 0.5, "schedule": {1: 0.1}}).rule(1)
    state, mean = rule.init(jnp.zeros(2)), np.zeros(2)
    for gradient, rate in ((np.array([1.0, -2]), 0.5), (np.array([3.0, 0.5]), 0.1)):
        moved, state = rule.update(jnp.asarray(gradient, jnp.float32), state, jnp.zeros(2))
        mean = 0.9 * mean + 0.1 * gradient**2
        np.testing.assert_allclose(moved, -rate * gradient / np.sqrt(mean), rtol=1e-4)


def test_what_learned_from_noise_is_measured_by_its_softmax():
    """The perplexity of words by exp(W h + b) over its sum, with h of the network's own reader."""
    recipe = recipes.load("words-nce", {"hidden_sizes": [4], "noise": 2})
    module, words = recipe.estimating(6, np.ones(6)), np.array([[1, 2], [3, 4], [5, 6]])
    following = np.array([[3, 4], [5, 6], [1, 1]])
    params, buffers = recipe.initial(module, jax.random.key(0))
    output, _ = module.apply(params, buffers, [words, following])
    reader = recipes.load("words", {"hidden_sizes": [4]}).reader(6)
    hidden, arrays = jnp.asarray(words), f7.state_dict(module, f7.Variables(params, buffers))
    for layer, (own, state) in zip(reader, zip(params[0][0], buffers[0][0], strict=False), strict=False):
        hidden, _ = layer.apply(own, state, hidden)
    weight, bias = (
        next(each for name, each in arrays.items() if name.startswith("2") and name.endswith(which))
        for which in ("weight", "bias")
    )
    scores = hidden @ weight.T + bias[None, None]
    chances = np.take_along_axis(np.asarray(jax.nn.softmax(scores)), following[..., None] - 1, -1)
    np.testing.assert_allclose(Perplexity()(output, following).result()[0], np.exp(-np.log(chances).mean()), rtol=1e-4)
    assert Perplexity()(1000 * jnp.asarray(output) - 1000, following).result()[0] == np.inf  # exp of more than 709
