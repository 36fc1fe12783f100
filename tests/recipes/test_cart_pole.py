"""The cart and its pole: mechanics, what REINFORCE rewards, and policies that learn in both interfaces."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from examples import cart_pole as example
from functorch7 import recipes
from functorch7.legacy import torch
from functorch7.recipes.cart_pole import CartPole, LongerIsBetter


def energy(world, state):
    """Of a cart with a rod of length 2 l on it: what moves, turns about its end, and stands high."""
    _, speed, angle, turning = state
    moment = world.pole_mass * world.half_length
    moving = (world.cart_mass + world.pole_mass) * speed**2 / 2 + moment * speed * turning * jnp.cos(angle)
    turned = moment * world.half_length * 4 / 3 * turning**2 / 2
    return moving + turned + moment * world.gravity * jnp.cos(angle)


def test_the_force_gives_the_energy_that_friction_does_not_take():
    """dE/dt = f x' - k |x'| - p a'^2, whatever the state."""
    world = CartPole(cart_friction=0.3, pole_friction=0.2)
    states = jax.random.normal(jax.random.key(0), (50, 4))
    forces = 10 * jax.random.normal(jax.random.key(1), (50,))
    power = jax.vmap(jax.grad(lambda state: energy(world, state)))(states)
    _, speed, _, turning = states.T
    wanted = forces * speed - 0.3 * jnp.abs(speed) - 0.2 * turning**2
    np.testing.assert_allclose((power * world.slopes(states, forces)).sum(1), wanted, rtol=1e-3, atol=1e-3)


def test_the_pole_stands_within_twelve_degrees_and_the_track():
    world = CartPole()
    states = np.array([[2.39, 9, 0.2094, 9], [2.41, 0, 0, 0], [0, 0, -0.2095, 0], [-2.41, 0, 0, 0]])
    assert world.standing(states).tolist() == [True, False, False, False]
    np.testing.assert_allclose(world.moved(np.array([0.0, 1, 0, 0]), 0)[0], 0.02)


def test_actions_are_rewarded_for_what_comes_after_them():
    """Two episodes, of three actions and of one; an action counts half as much as the one before."""
    stood = jnp.array([[1.0, 1], [1, 0], [1, 0]])
    left = np.array([[1.75 - 1, 1 - 1.75], [1.5, 0], [1, 0]])
    wanted = left / np.sqrt((left**2).sum() / 4) / 2
    np.testing.assert_allclose(LongerIsBetter(0.5).advantage(stood, None), wanted, rtol=1e-5)
    assert LongerIsBetter(0.5)(stood, None) == -2


def test_a_policy_learns_to_balance():
    """One epoch of the recipe, smaller; untrained, the highest of two outputs lets the pole fall within 30 actions."""
    small = {"epochs": 1, "episodes": 160, "length": 100, "tests": 20}
    recipe = recipes.load("cart-pole", small)
    outcome = recipes.run(recipe, verbose=False)
    assert outcome.test["Actions"] > 60
    with pytest.raises(ValueError, match=r"expected states \(B, 4\)"):
        outcome.task.module.apply(*outcome.result.state[:2], jnp.ones((2, 3)))


def test_the_example_has_the_gradient_of_the_formula():
    """-sum of reward * log p(action; state), by the weights: over steps and episodes."""
    torch.manualSeed(1)
    agent = example.policy(hidden=3)
    states, actions, stood = example.episodes(agent, np.array([[0, 0, 0.1, 0], [0, 0, 0, 0.5]], np.float32), 4)
    example.learn(agent, states, stood)
    weights, gradients = agent.parameters()
    reward = example.rewards.advantage(jnp.asarray(stood), None)

    def loss(arrays):
        weight, bias, last, added = arrays

        def scores(state):
            return last @ jnp.tanh(weight @ state + bias) + added

        chances = jax.nn.log_softmax(jax.vmap(jax.vmap(scores))(jnp.asarray(states)))
        return -(reward * (chances * np.stack(actions)).sum(-1)).sum()

    wanted = jax.grad(loss)([jnp.asarray(np.asarray(each)) for each in weights])
    for found, gradient in zip(gradients, wanted, strict=True):
        np.testing.assert_allclose(found, gradient, rtol=1e-3, atol=1e-4)
