"""A loss or gradient that is not finite ends the run, and the first module that made it is named."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import functorch7 as f7
from functorch7.training import Trainer

GOOD = (np.full((4, 2), 2, np.float32), np.ones((4, 1), np.float32))
BAD = (np.full((4, 2), -2, np.float32), np.ones((4, 1), np.float32))


class Root(f7.Map):
    """Finite everywhere from 0 on; its slope at 0 is not."""

    def f(self, input):
        return jnp.sqrt(input)


def fit(module, bad, criterion=None, good=GOOD):
    """What is said of the third step of five, and the places in the notes; all parameters are ones."""
    params, buffers = module.init(jax.random.key(0))
    ones = f7.Variables(jax.tree.map(jnp.ones_like, params), buffers)
    trainer = Trainer(module, criterion or f7.MSECriterion(), optax.sgd(0.0), log_every=10, verbose=False)
    with pytest.raises(FloatingPointError) as caught:
        trainer.fit([good, good, bad, good, good], 1, variables=ones)
    notes = getattr(caught.value, "__notes__", [])
    return str(caught.value), notes


def test_the_first_output_that_is_not_finite():
    net = f7.Sequential(f7.Linear(2, 3), f7.Sequential(f7.Identity(), f7.Log()), f7.Linear(3, 1))
    text, notes = fit(net, BAD)
    assert text == "Trainer.fit: the loss is nan in step 3: the first output that is not finite is that of nn.Log"
    assert notes == ["In 2 module of nn.Sequential:", "In 2 module of nn.Sequential:"]


def test_the_first_gradient_that_is_not_finite():
    """The loss is finite, and so are all outputs: sqrt has no slope where its input is zero."""
    net = f7.Sequential(f7.Linear(2, 1), Root(), f7.AddConstant(2.0))
    text, notes = fit(net, (np.full((4, 2), -0.5, np.float32), GOOD[1]))
    assert text.startswith("Trainer.fit: a gradient is not finite in step 3: the first gradient that is not finite")
    assert text.endswith("is that of nn.Root") and notes == ["In 2 module of nn.Sequential:"]


def test_the_place_inside_a_recurrence():
    net = f7.Sequential(f7.Sequencer(f7.Sequential(f7.Linear(2, 3), f7.Log(), f7.GRU(3, 1))), f7.Select(1, -1))
    good = np.full((2, 4, 2), 2, np.float32)
    bad = good * np.float32([1, -1])[:, None, None]
    text, notes = fit(net, (bad, GOOD[1]), good=(good, GOOD[1]))
    assert text == "Trainer.fit: the loss is nan in step 3: the first output that is not finite is that of nn.Log"
    assert notes[0] == "In 2 module of nn.Sequential:" and notes[-1] == "In 1 module of nn.Sequential:"
    assert any("of nn.Sequencer:" in note for note in notes)


def test_values_that_make_no_sense():
    """In the first batch they are told before a step is made, in later ones after it."""
    net, criterion = f7.Sequential(f7.Linear(2, 3), f7.LogSoftMax()), f7.ClassNLLCriterion()
    good, bad = (GOOD[0], np.array([1, 2, 3, 1])), (GOOD[0], np.array([1, 2, 0, 1]))
    message = "nn.ClassNLLCriterion: target 0 at position 3; classes count from 1 to 3"
    assert fit(net, bad, criterion, good) == (f"Trainer.fit: the loss is nan in step 3: {message}", [])
    with pytest.raises(ValueError, match=message):
        Trainer(net, criterion, optax.sgd(0.0), verbose=False).fit([bad], 1)
    net = f7.Sequential(f7.OneHot(3), f7.Linear(3, 3))
    text, notes = fit(net, (np.array([1, 4]), np.ones((2, 3))), good=(np.array([1, 2]), np.ones((2, 3))))
    assert text.endswith("in step 3: nn.OneHot: expected indices from 1 to 3, got 4 at position 2")
    assert notes == ["In 1 module of nn.Sequential:"]


def test_what_is_wrong_before_and_after_the_modules():
    net = f7.Sequential(f7.Linear(2, 1))
    text, _ = fit(net, (GOOD[0] * np.float32(np.nan), GOOD[1]))
    assert text == "Trainer.fit: the loss is nan in step 3: the batch's input is not finite"
    text, _ = fit(net, (GOOD[0], GOOD[1] * np.float32(np.inf)))
    assert text.endswith("all outputs are finite, but the loss is not: nn.MSECriterion, or a penalty")
    text, _ = fit(net, (GOOD[0] * np.float32(1e20), GOOD[1]), f7.AbsCriterion())
    assert text.endswith("but not the gradients' norm: they are too large")
