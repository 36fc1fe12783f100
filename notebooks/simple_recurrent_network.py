"""A simple recurrent network that learns to count from 1 to 10, step by step.

The rnn package's examples/simple-recurrent-network.lua: Recurrent inside a Recursor, which is called once for every
time step, and whose backward is called in the reverse order. Run `python notebooks/simple_recurrent_network.py`.
"""

from collections.abc import Iterator
from typing import Any

import jax
import numpy as np
import optax

import functorch7 as f7
from side_by_side import run, start_from

BATCH_SIZE = 8
RHO = 5  # sequence length
HIDDEN_SIZE = 7
N_INDEX = 10
LEARNING_RATE = 0.1


def batches(seed: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Inputs and targets, RHO x BATCH_SIZE: rows of 1, 2, ..., 10, 1, 2, ...; the target is the next number."""
    sequence = np.tile(np.arange(1, N_INDEX + 1), 100)
    offsets = np.random.default_rng(seed).integers(len(sequence), size=BATCH_SIZE)
    while True:
        places = (offsets + np.arange(RHO + 1)[:, None]) % len(sequence)
        yield sequence[places[:-1]], sequence[places[1:]]
        offsets = places[-1]


# The functional interface -----------------------------------------------------------------------------------------

network = f7.Recursor(
    f7.Sequential(
        f7.Recurrent(
            HIDDEN_SIZE, f7.LookupTable(N_INDEX, HIDDEN_SIZE), f7.Linear(HIDDEN_SIZE, HIDDEN_SIZE), f7.Sigmoid(), RHO
        ),
        f7.Linear(HIDDEN_SIZE, N_INDEX),
        f7.LogSoftMax(),
    ),
    RHO,
)


def functional(seed: int) -> Iterator[Any]:
    """The state goes in with every step and comes out anew; the gradient of the summed loss is taken at once."""
    params, forgotten = network.init(jax.random.key(seed))
    criterion = f7.ClassNLLCriterion()
    optimizer = optax.sgd(LEARNING_RATE)
    optimizer_state = optimizer.init(params)

    def loss(params: Any, inputs: jax.Array, targets: jax.Array) -> Any:
        error, buffers = 0.0, forgotten
        for input, target in zip(inputs, targets, strict=True):
            output, buffers = network.apply(params, buffers, input, train=True)
            error += criterion(output, target)
        return error

    @jax.jit
    def step(params: Any, optimizer_state: Any, inputs: jax.Array, targets: jax.Array) -> tuple[Any, Any, Any]:
        error, gradients = jax.value_and_grad(loss)(params, inputs, targets)
        updates, optimizer_state = optimizer.update(gradients, optimizer_state, params)
        return optax.apply_updates(params, updates), optimizer_state, error

    for inputs, targets in batches(seed):
        params, optimizer_state, error = step(params, optimizer_state, inputs, targets)
        yield error


# Torch7's interface -----------------------------------------------------------------------------------------------


def legacy(seed: int) -> Iterator[float]:
    """The Lua program, line by line."""
    from functorch7.legacy import nn

    # build simple recurrent neural network
    r = nn.Recurrent(
        HIDDEN_SIZE, nn.LookupTable(N_INDEX, HIDDEN_SIZE), nn.Linear(HIDDEN_SIZE, HIDDEN_SIZE), nn.Sigmoid(), RHO
    )
    rnn = nn.Sequential().add(r).add(nn.Linear(HIDDEN_SIZE, N_INDEX)).add(nn.LogSoftMax())

    # wrap the non-recurrent module (Sequential) in Recursor, which makes it a recurrent module
    rnn = nn.Recursor(rnn, RHO)
    start_from(rnn, network, network.init(jax.random.key(seed)))

    criterion = nn.ClassNLLCriterion()

    for inputs, targets in batches(seed):
        # forward sequence through rnn
        rnn.zeroGradParameters()
        rnn.forget()  # all past time steps

        outputs, error = [], 0.0
        for input, target in zip(inputs, targets, strict=True):
            outputs.append(rnn.forward(input))
            error += criterion.forward(outputs[-1], target)
        yield error

        # backward sequence through rnn (i.e. backprop through time), in reverse order of forward calls
        for step in reversed(range(RHO)):
            gradOutput = criterion.backward(outputs[step], targets[step])
            rnn.backward(inputs[step], gradOutput)

        # update
        rnn.updateParameters(LEARNING_RATE)


def main(arguments: list[str] | None = None) -> np.ndarray:
    """Trains in one of the two ways; the loss of each iteration."""
    return run(__doc__, functional, legacy, 1000, arguments)


if __name__ == "__main__":
    main()
