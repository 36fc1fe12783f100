"""All randomness comes from manualSeed."""

import jax
import numpy as np
import pytest

from functorch7.legacy import manualSeed, nn, torch
from functorch7.legacy.tensors.keys import key_of

from .helpers import same, values

DRAWS = {
    "initial values": lambda: nn.Linear(5, 4).weight,
    "reset": lambda: nn.Linear(5, 4).reset(0.1).weight,
    "tensors": lambda: torch.randn(8),
    "tensors' methods": lambda: torch.Tensor(8).uniform(-1, 1),
    "permutations": lambda: torch.randperm(30),
    "dropout": lambda: nn.Dropout(0.5).forward(torch.ones(64)),
    "samples": lambda: nn.ReinforceBernoulli().forward(torch.ones(64) * 0.5),
    "dropout within a sequence": lambda: nn.Sequencer(nn.Dropout(0.5)).forward(torch.ones(3, 4, 16)),
}


@pytest.mark.parametrize("name", DRAWS)
def test_equal_seeds_give_equal_numbers_and_others_do_not(name):
    def drawn(seed):
        manualSeed(seed)
        return np.array(DRAWS[name]())

    first = drawn(11)
    same(drawn(11), first)
    assert not np.array_equal(drawn(12), first)


@pytest.mark.parametrize("name", DRAWS)
def test_the_next_numbers_are_others(name):
    assert not np.array_equal(np.array(DRAWS[name]()), np.array(DRAWS[name]()))


def test_torchs_manualSeed_is_the_same():
    manualSeed(3)
    first = np.array(torch.rand(4))
    torch.manualSeed(3)
    same(torch.rand(4), first)


def test_the_order_in_which_values_are_read_does_not_matter():
    """Initial values are drawn when a module is made."""
    manualSeed(5)
    a, b = nn.Linear(3, 3), nn.Linear(3, 3)
    in_order = [np.array(a.weight), np.array(b.weight)]
    manualSeed(5)
    a, b = nn.Linear(3, 3), nn.Linear(3, 3)
    reversed_order = [np.array(b.weight), np.array(a.weight)]
    same(in_order, reversed_order[::-1])


def test_steps_of_a_sequence_and_layers_of_a_network_draw_independently():
    y = np.asarray(nn.Sequencer(nn.Dropout(0.5)).forward(np.ones((6, 40))))
    assert len({row.tobytes() for row in y}) == 6
    net = nn.ConcatTable().add(nn.Dropout(0.5)).add(nn.Dropout(0.5))
    one, other = net.forward(np.ones(64))
    assert not np.array_equal(one, other)


@pytest.mark.parametrize("seed", [0, 1, 123456789, 2**32 - 1])
@pytest.mark.parametrize("number", [0, 1, 77, 2**32 - 1])
def test_keys_made_by_numpy_are_jaxs(seed, number):
    expected = jax.random.fold_in(jax.random.key(np.uint32(seed)), np.uint32(number))
    assert np.array_equal(jax.random.key_data(key_of(seed, number)), jax.random.key_data(expected))


def test_backward_uses_forwards_draw():
    net = nn.Sequential().add(nn.Dropout(0.5)).add(nn.Identity())
    x = values(50)
    y = np.array(net.forward(x))
    g = np.array(net.backward(x, np.ones(50)))
    same(g, 2.0 * (y != 0))
    same(net.get(1).output, y)  # looked at afterwards, the draw is still the same
    same(net.get(1).noise, g)


def test_frequencies():
    y = np.asarray(nn.Dropout(0.3).forward(torch.ones(20000)))
    assert abs((y == 0).mean() - 0.3) < 0.02
    assert y.max() == pytest.approx(1 / 0.7, rel=1e-5)
    samples = np.asarray(nn.ReinforceBernoulli().forward(torch.ones(20000) * 0.25))
    assert abs(samples.mean() - 0.25) < 0.02
