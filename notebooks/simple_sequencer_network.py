"""The network that counts from 1 to 10, over whole sequences.

The rnn package's examples/simple-sequencer-network.lua: as simple_recurrent_network.py, but a Sequencer runs the
network over all time steps, with one call forward and one backward. Run `python notebooks/simple_sequencer_network.py`.
"""

from collections.abc import Iterator
from typing import Any

import jax
import numpy as np
import optax

import functorch7 as f7
from functorch7.training import init_state, make_train_step
from side_by_side import run, start_from
from simple_recurrent_network import HIDDEN_SIZE, LEARNING_RATE, N_INDEX, RHO, batches

# The functional interface -----------------------------------------------------------------------------------------

network = f7.Sequencer(
    f7.Sequential(
        f7.Recurrent(
            HIDDEN_SIZE, f7.LookupTable(N_INDEX, HIDDEN_SIZE), f7.Linear(HIDDEN_SIZE, HIDDEN_SIZE), f7.Sigmoid(), RHO
        ),
        f7.Linear(HIDDEN_SIZE, N_INDEX),
        f7.LogSoftMax(),
    )
)


def functional(seed: int) -> Iterator[Any]:
    """One compiled step, as for a network without memory: nothing is remembered from sequence to sequence."""
    optimizer = optax.sgd(LEARNING_RATE)
    state = init_state(network, optimizer, jax.random.key(seed))
    step = make_train_step(network, f7.SequencerCriterion(f7.ClassNLLCriterion()), optimizer)
    for inputs, targets in batches(seed):
        state, metrics = step(state, (inputs, targets), None)
        yield metrics["loss"]


# Torch7's interface -----------------------------------------------------------------------------------------------


def legacy(seed: int) -> Iterator[Any]:
    """The Lua program, line by line."""
    from functorch7.legacy import nn

    # build simple recurrent neural network
    r = nn.Recurrent(
        HIDDEN_SIZE, nn.LookupTable(N_INDEX, HIDDEN_SIZE), nn.Linear(HIDDEN_SIZE, HIDDEN_SIZE), nn.Sigmoid(), RHO
    )
    rnn = nn.Sequential().add(r).add(nn.Linear(HIDDEN_SIZE, N_INDEX)).add(nn.LogSoftMax())

    # internally, rnn will be wrapped into a Recursor
    rnn = nn.Sequencer(rnn)
    start_from(rnn, network, network.init(jax.random.key(seed)))

    criterion = nn.SequencerCriterion(nn.ClassNLLCriterion())

    for batch in batches(seed):
        inputs, targets = map(list, batch)  # tables with an entry for each time step

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
