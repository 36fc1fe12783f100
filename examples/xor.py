"""XOR, the training example of Torch7's documentation (nn/doc/training.md), in both interfaces.

Both start from the same weights and see the same 2,500 random points, one at a time. Run `python examples/xor.py`.
"""

import argparse
from typing import Any

import jax
import numpy as np
import optax

import functorch7 as f7
from functorch7.training import init_state, make_train_step

LEARNING_RATE = 0.01
CORNERS = np.array([[0.5, 0.5], [0.5, -0.5], [-0.5, 0.5], [-0.5, -0.5]], np.float32)

network = f7.Sequential(f7.Linear(2, 20), f7.Tanh(), f7.Linear(20, 1))


def points(count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Random points of the plane, and their labels: -1 where both coordinates have one sign, else 1."""
    inputs = np.random.default_rng(seed).normal(size=(count, 2)).astype(np.float32)
    return inputs, np.where(inputs[:, :1] * inputs[:, 1:] > 0, -1, 1).astype(np.float32)


def train_functional(variables: f7.Variables, inputs: np.ndarray, targets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The loss of every step, and the outputs at the corners after the last."""
    optimizer = optax.sgd(LEARNING_RATE)
    step = make_train_step(network, f7.MSECriterion(), optimizer)
    state = init_state(network, optimizer, variables)
    losses = []
    for input, target in zip(inputs, targets, strict=True):
        state, metrics = step(state, (input, target), None)
        losses.append(metrics["loss"])
    outputs, _ = network.apply(state.params, state.buffers, CORNERS)
    return np.array(losses), np.asarray(outputs)


def train_legacy(variables: f7.Variables, inputs: np.ndarray, targets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same with Torch7's loop, line by line that of the documentation."""
    from functorch7.legacy import nn

    mlp: Any = nn.Sequential()
    mlp.add(nn.Linear(2, 20))
    mlp.add(nn.Tanh())
    mlp.add(nn.Linear(20, 1))
    weights, _ = mlp.parameters()
    for weight, array in zip(weights, f7.state_dict(network, variables).values(), strict=True):
        weight.copy(array)

    criterion: Any = nn.MSECriterion()
    losses = []
    for input, target in zip(inputs, targets, strict=True):
        losses.append(criterion.forward(mlp.forward(input), target))
        mlp.zeroGradParameters()
        mlp.backward(input, criterion.backward(mlp.output, target))
        mlp.updateParameters(LEARNING_RATE)
    return np.array([float(loss) for loss in losses]), np.asarray(mlp.forward(CORNERS))


def main() -> None:
    """Trains in both ways and prints what each says at four points."""
    variables = network.init(jax.random.key(0))
    inputs, targets = points(2500)
    functional, outputs = train_functional(variables, inputs, targets)
    legacy, legacy_outputs = train_legacy(variables, inputs, targets)
    for corner, output, legacy_output in zip(CORNERS, outputs[:, 0], legacy_outputs[:, 0], strict=True):
        print(f"x = ({corner[0]:4}, {corner[1]:4})   functional {output:7.4f}   legacy {legacy_output:7.4f}")
    print(f"largest difference of a loss: {np.abs(functional - legacy).max():.1e}")


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    main()
