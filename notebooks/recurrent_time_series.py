"""A recurrent network that predicts the next vector of a multivariate time series.

The rnn package's examples/recurrent-time-series.lua: six numbers that rise and fall together every 11 steps, more or
less steeply, each around a level of its own. Run `python notebooks/recurrent_time_series.py`.
"""

from collections.abc import Iterator
from typing import Any

import jax
import numpy as np
import optax

import functorch7 as f7
from functorch7.training import init_state, make_train_step
from side_by_side import run, start_from

RHO = 5  # sequence length
MULTI_SIZE = 6  # random variables
HIDDEN_SIZE = 10
DATA_SIZE = 100  # time steps of the data
BATCH_SIZE = 8
LEARNING_RATE = 0.001


def series(seed: int) -> np.ndarray:
    """DATA_SIZE x MULTI_SIZE: the densities of normal distributions around 5 at 0, 1, ..., 10, 0, 1, ..., and levels.

    The standard deviations are 1, 2, ...; the levels are standard normal.
    """
    sigma = np.linspace(1, MULTI_SIZE, MULTI_SIZE)
    deviation = (np.arange(DATA_SIZE)[:, None] % 11 - 5) / sigma
    levels = np.random.default_rng(seed).normal(size=MULTI_SIZE)
    return (np.exp(-(deviation**2) / 2) / (sigma * np.sqrt(2 * np.pi)) + levels).astype(np.float32)


def batches(seed: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Inputs and targets, RHO x BATCH_SIZE x MULTI_SIZE, where the target is the next vector."""
    sequence = series(seed)
    offsets = np.random.default_rng(seed).integers(DATA_SIZE, size=BATCH_SIZE)
    while True:
        places = (offsets + np.arange(RHO + 1)[:, None]) % DATA_SIZE
        yield sequence[places[:-1]], sequence[places[1:]]
        offsets = places[-1]


# The functional interface -----------------------------------------------------------------------------------------

network = f7.Sequencer(
    f7.Sequential(
        f7.Recurrent(
            HIDDEN_SIZE, f7.Linear(MULTI_SIZE, HIDDEN_SIZE), f7.Linear(HIDDEN_SIZE, HIDDEN_SIZE), f7.Sigmoid(), RHO
        ),
        f7.Linear(HIDDEN_SIZE, MULTI_SIZE),
    )
)


def functional(seed: int) -> Iterator[Any]:
    """One compiled step, as for a network without memory: nothing is remembered from sequence to sequence."""
    optimizer = optax.sgd(LEARNING_RATE)
    state = init_state(network, optimizer, jax.random.key(seed))
    step = make_train_step(network, f7.SequencerCriterion(f7.MSECriterion()), optimizer)
    for batch in batches(seed):
        state, metrics = step(state, batch, None)
        yield metrics["loss"]


# Torch7's interface -----------------------------------------------------------------------------------------------


def legacy(seed: int) -> Iterator[Any]:
    """The Lua program, line by line."""
    from functorch7.legacy import nn

    r = nn.Recurrent(
        HIDDEN_SIZE,  # size of output
        nn.Linear(MULTI_SIZE, HIDDEN_SIZE),  # input layer
        nn.Linear(HIDDEN_SIZE, HIDDEN_SIZE),  # recurrent layer
        nn.Sigmoid(),  # transfer function
        RHO,
    )
    rnn = nn.Sequential().add(r).add(nn.Linear(HIDDEN_SIZE, MULTI_SIZE))

    # use Sequencer for better data handling
    rnn = nn.Sequencer(rnn)
    criterion = nn.SequencerCriterion(nn.MSECriterion())
    start_from(rnn, network, network.init(jax.random.key(seed)))

    for batch in batches(seed):
        inputs, targets = map(list, batch)  # tables with an entry for each time step

        # forward sequence through rnn
        outputs = rnn.forward(inputs)
        yield criterion.forward(outputs, targets)

        # backward sequence through rnn (i.e. backprop through time)
        rnn.zeroGradParameters()
        gradOutputs = criterion.backward(outputs, targets)
        rnn.backward(inputs, gradOutputs)

        # update
        rnn.updateParameters(LEARNING_RATE)


def main(arguments: list[str] | None = None) -> np.ndarray:
    """Trains in one of the two ways, and prints the least loss; the loss of each iteration."""
    losses = run(__doc__, functional, legacy, 1000, arguments)
    print(f"least loss {losses.min():.4f}, at iteration {losses.argmin() + 1}")
    return losses


if __name__ == "__main__":
    main()
