"""The documentation's XOR example, in both interfaces, against the same network written out in NumPy."""

import jax
import numpy as np
import pytest

import functorch7 as f7
from examples import xor

WAYS = [xor.train_functional, xor.train_legacy]


@pytest.fixture(scope="module")
def variables():
    return xor.network.init(jax.random.key(0))


def losses_by_hand(variables, inputs, targets):
    """Stochastic gradient descent of the 2-20-1 network with the derivatives written out, in float64."""
    arrays = f7.state_dict(xor.network, variables).values()
    hidden_weight, hidden_bias, weight, bias = (np.asarray(array, np.float64) for array in arrays)
    losses = []
    for x, y in zip(inputs, targets, strict=True):
        hidden = np.tanh(hidden_weight @ x + hidden_bias)
        error = weight @ hidden + bias - y
        losses.append(float(error @ error))
        d_output = 2 * error
        d_hidden = (weight.T @ d_output) * (1 - hidden**2)
        weight = weight - xor.LEARNING_RATE * np.outer(d_output, hidden)
        bias = bias - xor.LEARNING_RATE * d_output
        hidden_weight = hidden_weight - xor.LEARNING_RATE * np.outer(d_hidden, x)
        hidden_bias = hidden_bias - xor.LEARNING_RATE * d_hidden
    return losses


@pytest.mark.parametrize("train", WAYS, ids=["functional", "legacy"])
def test_every_loss_is_that_of_the_formulas(train, variables):
    inputs, targets = xor.points(300)
    losses, _ = train(variables, inputs, targets)
    np.testing.assert_allclose(losses, losses_by_hand(variables, inputs, targets), rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("train", WAYS, ids=["functional", "legacy"])
def test_it_learns_xor(train, variables):
    _, outputs = train(variables, *xor.points(2500))
    np.testing.assert_array_equal(np.sign(outputs[:, 0]), [-1, 1, 1, -1])


def test_labels_are_those_of_the_documentation():
    inputs, targets = xor.points(50)
    assert [1 if x * y <= 0 else -1 for x, y in inputs] == targets[:, 0].tolist()
