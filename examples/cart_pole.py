"""A pole on a cart is kept from falling by REINFORCE, in Torch7's interface; `functorch7 train cart-pole` is the other.

The equations are those of Barto, Sutton & Anderson (1983). An episode ends when the pole falls, or after 200
actions; the task is solved when a hundred episodes have 195 actions on average.

    python -m examples.cart_pole [--steps 40] [--output cart_pole.png]
"""

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from examples import pictures
from functorch7.legacy import nn, optim, torch
from functorch7.recipes.cart_pole import CartPole, LongerIsBetter, Starts
from functorch7.viz.style import styled

LENGTH, BATCH, SOLVED = 200, 16, 195
world, rewards = CartPole(), LongerIsBetter(discount=0.98)


def policy(hidden: int = 16) -> Any:
    """States (B, 4) -> a draw of two actions (B, 2). The Recursor remembers each step until its backward call."""
    mlp: Any = nn.Sequential()
    mlp.add(nn.Linear(4, hidden))
    mlp.add(nn.Tanh())
    mlp.add(nn.Linear(hidden, 2))
    mlp.add(nn.SoftMax())
    mlp.add(nn.ReinforceCategorical())
    return nn.Recursor(mlp)


def episodes(agent: Any, state: np.ndarray, length: int) -> tuple[list[np.ndarray], list[Any], np.ndarray]:
    """The states and actions of each step, and 1 for each action while the pole stood, then 0 (steps, B)."""
    states, actions, stood = [], [], []
    standing = np.ones(len(state), bool)
    agent.forget()
    while standing.any() and len(states) < length:
        states.append(state)
        actions.append(np.asarray(agent.forward(torch.FloatTensor(state))))
        stood.append(standing.astype(np.float32))
        state = np.asarray(world.moved(state, np.where(actions[-1][:, 1] > actions[-1][:, 0], 10.0, -10.0)), np.float32)
        standing = standing & np.asarray(world.standing(state))
    return states, actions, np.stack(stood)


def learn(agent: Any, states: list[np.ndarray], stood: np.ndarray) -> None:
    """Leaves the gradient of REINFORCE: every step is rewarded for what came after it, and gone back through."""
    agent.zeroGradParameters()
    agent.reinforce([torch.FloatTensor(np.array(reward)) for reward in rewards.advantage(stood, None)])
    nothing = torch.zeros(len(states[0]), 2)
    for state in reversed(states):
        agent.backward(torch.FloatTensor(state), nothing)


def train(batches: int, seed: int = 0) -> list[float]:
    """How many actions the episodes of each batch had on average."""
    torch.manualSeed(seed)
    agent = policy()
    parameters, gradients = agent.getParameters()
    config = {"learningRate": 0.02}
    averages = []
    for number in range(batches):
        states, _, stood = episodes(agent, Starts(BATCH).index(range(BATCH), seed=(seed, number))[0], LENGTH)
        learn(agent, states, stood)
        optim.adam(lambda _: (0, gradients), parameters, config)
        averages.append(float(stood.sum(0).mean()))
        print(f"batch {number + 1}: {averages[-1]:.0f} actions")
    agent.evaluate()
    _, _, stood = episodes(agent, Starts(100).index(range(100), seed=(seed, batches))[0], LENGTH)
    print(f"a hundred episodes of the learned policy: {stood.sum(0).mean():.1f} actions ({SOLVED}: solved)")
    return [*averages, float(stood.sum(0).mean())]


def picture(path: Path, averages: list[float]) -> None:
    """How long the pole stood in each batch of episodes."""
    with styled():
        figure = Figure(figsize=(6, 2.6), dpi=110)
        axes = figure.add_subplot()
        axes.plot(range(1, len(averages) + 1), averages)
        axes.axhline(SOLVED, linestyle=":", color="gray")
        axes.set(xlabel=f"batches of {BATCH} episodes", ylabel="actions", ylim=(0, LENGTH * 1.05))
        figure.savefig(path, bbox_inches="tight")


def main(arguments: list[str] | None = None) -> None:
    """Trains, and draws how long the pole stood."""
    given = pictures.options(__doc__, 40).parse_args(arguments)
    averages = train(given.steps)
    if given.output:
        picture(given.output, averages[:-1])


if __name__ == "__main__":
    main()
