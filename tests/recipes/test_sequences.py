"""Questions and their answers, and an encoder coupled with a decoder."""

import jax
import jax.numpy as jnp
import numpy as np

import functorch7 as f7
from functorch7 import recipes
from functorch7.recipes.sequences import Questions, WholeAnswers, coupled, of_a_word


def said(words):
    """Words 1 to 10 as digits, in their order, up to the end."""
    return "".join("0123456789+"[word - 1] for word in words if 1 <= word <= 11)


def test_sums_are_right_and_digits_are_backwards():
    (asked, before), answers = Questions("add", 3, 200, held=False).index(range(200), seed=0)
    for question, answer in zip(asked, answers, strict=True):
        one, other = (int(part[::-1]) for part in said(question).split("+"))
        assert one + other == int(said(answer)[::-1])
    (asked, before), answers = Questions("reverse", 4, 200, held=False).index(range(200), seed=0)
    assert [said(each)[::-1] for each in asked] == list(map(said, answers))
    assert {len(said(each)) for each in asked} == {1, 2, 3, 4}
    ends = np.argmax(answers == 13, 1)
    assert (answers[np.arange(200), ends] == 13).all() and ends.tolist() == [len(said(each)) for each in answers]
    for words, answer, end in zip(before, answers, ends, strict=True):
        assert words.tolist() == [12, *answer[:end]] + [0] * (len(answer) - end - 1)


def test_questions_that_are_held_out_are_in_no_training():
    train, held = (
        set(map(said, Questions("reverse", 2, 3000, held=which).index(range(3000), seed=3)[0][0]))
        for which in (False, True)
    )
    assert not train & held and len(train | held) == 110 and 4 <= len(held) <= 20


def test_the_decoder_starts_from_the_encoders_last_state():
    """The same by the layers alone, of which the encoder's cell is computed one step at a time."""
    module = coupled(3, 4)
    params, buffers = module.init(jax.random.key(0))
    asked, before = np.array([[0, 1, 2], [3, 4, 5]]), np.array([[12, 2], [12, 5]])
    found, after = module.apply(params, buffers, [asked, before])
    assert jax.tree.structure(after) == jax.tree.structure(buffers)  # nothing is remembered for the next questions

    def words(of, table):
        return jnp.where(table.T[..., None] > 0, params[of][1]["weight"][table.T], 0)

    def over(layer, inputs, state):
        weight, bias = params[layer]["weight"], params[layer]["bias"]
        outputs = []
        for input in inputs:
            present = jnp.any(input != 0, -1, keepdims=True) | (layer == "decoder")
            sums = jnp.concatenate([input, state[0]], 1) @ weight + bias[None]
            i, f, o, g = jnp.split(sums, 4, 1)
            cell = jax.nn.sigmoid(f) * state[1] + jax.nn.sigmoid(i) * jnp.tanh(g)
            state = [jnp.where(present, each, 0) for each in (jax.nn.sigmoid(o) * jnp.tanh(cell), cell)]
            outputs.append(state[0])
        return outputs, state

    _, state = over("encoder", words("read", asked), [jnp.zeros((2, 4))] * 2)
    outputs, _ = over("decoder", words("written", before), state)
    weight, bias = list(f7.state_dict(module, f7.Variables(params, buffers)).values())[-2:]
    wanted = jax.nn.log_softmax(jnp.stack(outputs) @ weight.T + bias[None, None])
    np.testing.assert_allclose(found, wanted, atol=1e-5)


def test_an_answer_is_right_if_all_of_it_is():
    """Of four words: the answers [2, 13] and [1, 13] after which nothing counts, and the second is 3 in one place."""
    answers = jnp.array([[2, 13, 0], [1, 13, 0]])
    output = jnp.log(jnp.full((3, 2, 13), 0.05).at[[0, 0, 1, 1], [0, 1, 0, 1], [1, 2, 12, 12]].set(0.4))
    assert WholeAnswers().measure(output, answers) == (1, 2)
    np.testing.assert_allclose(of_a_word(output, answers), -(3 * np.log(0.4) + np.log(0.05)) / 4, rtol=1e-5)


def test_an_epoch_of_reversing():
    """Of up to two digits; one in ten would be right by guessing a single one."""
    small = {"digits": 2, "epochs": 1, "examples": 6400, "tests": 100, "hidden_size": 64, "learning_rate": 0.01}
    assert recipes.run(recipes.load("reverse", small), verbose=False).test["WholeAnswers"] > 0.3
