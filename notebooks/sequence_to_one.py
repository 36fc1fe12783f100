"""A recurrent network that reads ten words and says which of seven classes they belong to.

The rnn package's examples/sequence-to-one.lua: a Sequencer reads the words, SelectTable takes its last output, and a
classifier sees that. Run `python notebooks/sequence_to_one.py`.
"""

from collections.abc import Iterator
from typing import Any

import jax
import numpy as np
import optax

import functorch7 as f7
from functorch7.training import init_state, make_train_step
from side_by_side import run, start_from

BATCH_SIZE = 8
RHO = 10  # sequence length
HIDDEN_SIZE = 100
N_INDEX = 100  # input words
N_CLASS = 7  # output classes
LEARNING_RATE = 0.1
EXAMPLES = 1000


def batches(seed: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Random examples, BATCH_SIZE x RHO words, with their classes.

    Each class has 3 RHO words of its own, with repetitions; an example is RHO of them, sorted.
    """
    rng = np.random.default_rng(seed)
    target = rng.integers(1, N_CLASS + 1, EXAMPLES)
    correlate = rng.integers(1, N_CLASS + 1, (N_CLASS, 3 * RHO))
    chosen = rng.integers(3 * RHO, size=(EXAMPLES, RHO))
    words = np.sort(correlate[target[:, None] - 1, chosen])
    while True:
        indices = rng.integers(EXAMPLES, size=BATCH_SIZE)
        yield words[indices], target[indices]


# The functional interface -----------------------------------------------------------------------------------------

network = f7.Sequential(
    f7.LookupTable(N_INDEX, HIDDEN_SIZE),
    f7.SplitTable(1, 2),
    f7.Sequencer(
        f7.Recurrent(HIDDEN_SIZE, f7.Identity(), f7.Linear(HIDDEN_SIZE, HIDDEN_SIZE), f7.Sigmoid(), RHO),
    ),
    f7.SelectTable(-1),
    f7.Linear(HIDDEN_SIZE, N_CLASS),
    f7.LogSoftMax(),
)


def functional(seed: int) -> Iterator[Any]:
    """One compiled step, as for a network without memory."""
    optimizer = optax.sgd(LEARNING_RATE)
    state = init_state(network, optimizer, jax.random.key(seed))
    step = make_train_step(network, f7.ClassNLLCriterion(), optimizer)
    for batch in batches(seed):
        state, metrics = step(state, batch, None)
        yield metrics["loss"]


# Torch7's interface -----------------------------------------------------------------------------------------------


def legacy(seed: int) -> Iterator[Any]:
    """The Lua program, line by line."""
    from functorch7.legacy import nn

    # build simple recurrent neural network
    r = nn.Recurrent(HIDDEN_SIZE, nn.Identity(), nn.Linear(HIDDEN_SIZE, HIDDEN_SIZE), nn.Sigmoid(), RHO)
    rnn = nn.Sequential()
    rnn.add(nn.LookupTable(N_INDEX, HIDDEN_SIZE))
    rnn.add(nn.SplitTable(1, 2))
    rnn.add(nn.Sequencer(r))
    rnn.add(nn.SelectTable(-1))  # this selects the last time step of the rnn output sequence
    rnn.add(nn.Linear(HIDDEN_SIZE, N_CLASS))
    rnn.add(nn.LogSoftMax())
    start_from(rnn, network, network.init(jax.random.key(seed)))

    criterion = nn.ClassNLLCriterion()

    for inputs, targets in batches(seed):
        # forward sequence through rnn
        rnn.zeroGradParameters()
        outputs = rnn.forward(inputs)
        yield criterion.forward(outputs, targets)

        # backward sequence through rnn (i.e. backprop through time)
        gradOutputs = criterion.backward(outputs, targets)
        rnn.backward(inputs, gradOutputs)

        # update
        rnn.updateParameters(LEARNING_RATE)


def main(arguments: list[str] | None = None) -> np.ndarray:
    """Trains in one of the two ways; the loss of each iteration."""
    return run(__doc__, functional, legacy, 1000, arguments)


if __name__ == "__main__":
    main()
