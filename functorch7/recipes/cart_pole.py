"""A pole on a cart, which a policy that learns by REINFORCE keeps from falling."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from .. import optim
from ..core import Module, expected
from ..core.keys import folded
from ..core.module import Children
from ..core.types import Array, Indices, Key, Output, Tree, Value
from ..data import DataLoader, TensorLoader
from ..data.seeds import Seed, generator
from ..layers import Linear, Sequential, SoftMax, Tanh
from ..recurrent.over_time import repeated
from ..reinforce import ReinforceCategorical
from ..training.measures import AccuracyResult, ValidationMethod
from .recipe import NotNegative, Positive, Probability, Recipe, Task


class CartPole(NamedTuple):
    """The cart's place x, in metres, and the pole's angle a, in radians, with their speeds: states [x, x', a, a'].

    a'' = (g sin a + cos a (r - f - m l a'^2 sin a) / (M + m) - p a' / (m l)) / (l (4/3 - m cos^2 a / (M + m)))
    x'' = (f + m l (a'^2 sin a - a'' cos a) - r) / (M + m), with r = k sgn(x')
    for a force f on the cart. Methods take states (..., 4) and forces (...).
    Source: Barto, Sutton & Anderson, 1983, appendix.
    """

    gravity: float = 9.8
    cart_mass: float = 1.0
    """M"""
    pole_mass: float = 0.1
    """m"""
    half_length: float = 0.5
    """l"""
    cart_friction: float = 0.0005
    """k"""
    pole_friction: float = 0.000002
    """p"""
    seconds: float = 0.02
    """Between two actions."""

    def slopes(self, state: Array | np.ndarray, force: Array | np.ndarray) -> jax.Array:
        """The state's derivative by time."""
        _, speed, angle, turning = jnp.moveaxis(state, -1, 0)
        whole, moment = self.cart_mass + self.pole_mass, self.pole_mass * self.half_length
        sine, cosine = jnp.sin(angle), jnp.cos(angle)
        pull = force + moment * turning**2 * sine - self.cart_friction * jnp.sign(speed)
        torque = self.gravity * sine - cosine * pull / whole - self.pole_friction * turning / moment
        angular = torque / (self.half_length * (4 / 3 - self.pole_mass * cosine**2 / whole))
        return jnp.stack([speed, (pull - moment * angular * cosine) / whole, turning, angular], -1)

    def moved(self, state: Array | np.ndarray, force: Array | np.ndarray) -> jax.Array | np.ndarray:
        """The state at the next action, by Euler's method, as in the paper."""
        return state + self.seconds * self.slopes(state, force)

    def standing(self, state: Array | np.ndarray) -> jax.Array:
        """Whether the pole is within 12 degrees, and the cart within 2.4 metres of the middle."""
        return (jnp.abs(state[..., 2]) <= np.radians(12)) & (jnp.abs(state[..., 0]) <= 2.4)


class Episodes(Module):
    """Episodes of a policy, of at most `length` actions each: push the cart by 10 N to the left (1) or the right (2).

    The higher of the policy's two outputs is what is done: of the probabilities in evaluation, of a draw in training.
    Shape: states at the start (B, 4) -> 1 for each action while the pole stood, then 0 (length, B).
    Raises: ValueError for other states.
    """

    policy: Module
    length: int = 200

    def children(self) -> Children:
        return {"policy": self.policy}

    def forward(self, params: Tree, buffers: Tree, input: Value, *, key: Key, train: bool) -> tuple[Output, Tree]:
        if input.ndim != 2 or input.shape[1] != 4:
            raise expected(self, "states (B, 4)", input)
        world = CartPole()

        def step(state: Any, time: Any, _: Any) -> tuple[Any, Any]:
            inner, cart, standing = state
            seen = jax.lax.stop_gradient(cart)
            action, inner = self.call("policy", params, inner, seen, key=folded(key, time), train=train)
            cart = world.moved(cart, jnp.where(action[:, 1] > action[:, 0], 10.0, -10.0))
            return standing.astype(cart.dtype), [{"policy": inner}, cart, standing & world.standing(cart)]

        start = [buffers, input, jnp.ones(len(input), bool)]
        stood, (buffers, *_) = repeated(step, start, self.traits, self.length)
        return stood, buffers


class LongerIsBetter(NamedTuple):
    """What REINFORCE rewards an action with: how long the pole stood from then on, later steps counting less.

    The baseline is the average at the same time of the batch's other episodes that still go on; what is left is
    divided by its standard deviation. The loss is minus the average number of actions of an episode, without gradient.
    """

    discount: float

    def __call__(self, output: Value, target: Value) -> Array:
        return -jax.lax.stop_gradient(output.sum(0).mean())

    def advantage(self, output: Value, target: Value) -> Array:
        def later(sum: Any, stood: Any) -> tuple[Any, Any]:
            sum = stood * (1 + self.discount * sum)
            return sum, sum

        _, returns = jax.lax.scan(later, jnp.zeros_like(output[0]), output, reverse=True)
        others = jnp.maximum(output.sum(1, keepdims=True) - 1, 1)
        left = output * (returns - (returns.sum(1, keepdims=True) - returns) / others)
        deviation = jnp.sqrt((left**2).sum() / output.sum())
        return left / (deviation + 1e-6) / output.shape[1]


class ActionsResult(AccuracyResult):
    """The average length of episodes."""


class Actions(ValidationMethod):
    """How many actions an episode has, on average."""

    kind = ActionsResult

    def measure(self, output: Value, target: Value) -> tuple[Output, Array | int]:
        return output.sum(), output.shape[1]


class Starts(DataLoader):
    """New states near the middle, each number uniformly distributed on +-0.05, whenever they are read."""

    draws = True

    def __init__(self, count: int):
        self.count = count

    def size(self) -> int:
        return self.count

    def index(self, indices: Indices, *, seed: Seed = None) -> tuple[np.ndarray, np.ndarray]:
        random = generator(seed, "Starts.index")
        return random.uniform(-0.05, 0.05, (len(indices), 4)).astype(np.float32), np.zeros(len(indices), np.float32)


class Balancing(Recipe, frozen=True, tag="cart-pole"):
    """A policy of one hidden layer that keeps the pole on the cart.

    Source: Barto, Sutton & Anderson, 1983; Williams, 1992.
    """

    length: Positive = 200
    """The largest number of actions of an episode."""
    hidden_size: Positive = 16
    episodes: Positive = 320
    """Of an epoch."""
    tests: Positive = 100
    """Episodes of validation, and of the test."""
    batch_size: Positive = 16
    discount: Probability = 0.98
    learning_rate: NotNegative = 0.02

    def task(self) -> Task:
        module = self.network()
        valid, test = (TensorLoader(*self.starts(number)) for number in (1, 2))
        return Task(
            module, module.init, LongerIsBetter(self.discount), optim.adam(self.learning_rate),
            Starts(self.episodes), valid, test, self.batch_size, [Actions()],
        )  # fmt: skip

    def starts(self, number: int) -> tuple[np.ndarray, np.ndarray]:
        """Where episodes of validation (1) or of the test (2) begin."""
        return Starts(self.tests).index(np.arange(self.tests), seed=(self.seed, number))

    def network(self) -> Module:
        """The policy, with the cart that it pushes for an episode."""
        return Episodes(policy(self.hidden_size), self.length)


def policy(hidden: int) -> Module:
    """States (B, 4) -> the action, drawn from two (B, 2)."""
    return Sequential(Linear(4, hidden), Tanh(), Linear(hidden, 2), SoftMax(), ReinforceCategorical())
