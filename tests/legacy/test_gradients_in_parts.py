"""Large flat gradients, which stay in parts until somebody looks: all is as with gradients that lie apart."""

import copy

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from functorch7.legacy import manualSeed, nn, torch
from functorch7.legacy.engine import layout
from functorch7.legacy.engine.views import View, add
from functorch7.legacy.tensors.strides import contiguous_stride

from .helpers import same, values

WIDTH = 256


def network():
    manualSeed(3)
    net = nn.Sequential().add(nn.LookupTable(40, WIDTH)).add(nn.Linear(WIDTH, WIDTH)).add(nn.Tanh())
    return net.add(nn.Linear(WIDTH, 2, False))


class Flat:
    """A network with flat parameters, beside one whose gradients lie apart."""

    def __init__(self):
        self.net, self.apart = network(), network()
        self.params, self.grads = self.net.getParameters()

    def accumulate(self, words, scale=1, net=None):
        for each in (self.net, self.apart) if net is None else (net,):
            words = torch.LongTensor(list(words))
            output = each.forward(words)
            each.backward(words, output.clone().fill(0.5), scale)

    def expected(self):
        return np.concatenate([np.asarray(each).ravel() for each in self.apart.parameters()[1]])

    def check(self):
        np.testing.assert_allclose(np.asarray(self.grads), self.expected(), rtol=1e-5, atol=1e-6)


@pytest.fixture(autouse=True)
def gradients_of_this_size_are_large(monkeypatch):
    monkeypatch.setattr(layout, "LARGE", 2**16)


@pytest.fixture
def flat():
    made = Flat()
    assert made.net._planned().gradients.in_parts
    return made


def test_sums_of_several_calls_with_and_without_looks_between(flat):
    for words in ([1, 2], [2, 40], [3, 3]):
        flat.accumulate(words)
    flat.check()
    flat.accumulate([5, 1], scale=0.25)
    flat.check()
    flat.grads.zero()
    flat.apart.zeroGradParameters()
    flat.accumulate([7, 8])
    flat.check()


def test_what_was_kept_of_the_gradients_stays_as_it_was(flat):
    flat.accumulate([1, 2])
    copied, cloned, deep = (
        torch.Tensor().resizeAs(flat.grads).copy(flat.grads),
        flat.net.clone(),
        copy.deepcopy(flat.net),
    )
    then = flat.expected()
    flat.accumulate([3, 4])
    flat.check()
    np.testing.assert_allclose(np.asarray(copied), then, rtol=1e-5, atol=1e-6)
    for other in (cloned, deep):
        found = np.concatenate([np.asarray(each).ravel() for each in other.parameters()[1]])
        np.testing.assert_allclose(found, then, rtol=1e-5, atol=1e-6)


def test_copies_that_nobody_looked_at_before_the_next_call(flat):
    flat.accumulate([1, 2])
    deep = copy.deepcopy(flat.net)
    then = flat.expected()
    flat.accumulate([3, 4])
    flat.check()
    found = np.concatenate([np.asarray(each).ravel() for each in deep.parameters()[1]])
    np.testing.assert_allclose(found, then, rtol=1e-5, atol=1e-6)


def test_clones_that_share_add_to_the_same_gradients(flat):
    clones = [flat.net.clone("weight", "bias", "gradWeight", "gradBias") for _ in range(3)]
    for clone, words in zip(clones, ([1, 2], [2, 3], [1, 1]), strict=True):
        flat.accumulate(words, net=clone)
        flat.accumulate(words, net=flat.apart)
    flat.check()


def test_writes_to_parts_and_to_the_whole_come_between_calls(flat):
    flat.accumulate([1, 2])
    flat.net.get(2).gradBias.fill(3)
    flat.apart.get(2).gradBias.fill(3)
    flat.accumulate([2, 3])
    flat.check()
    flat.grads.mul(0.5)
    for each in flat.apart.parameters()[1]:
        each.mul(0.5)
    flat.accumulate([9, 3])
    flat.check()


def test_updates_casts_and_files_see_the_sums(flat, tmp_path):
    flat.accumulate([1, 2])
    torch.save(str(tmp_path / "net.t7"), flat.net)
    loaded = torch.load(str(tmp_path / "net.t7"))
    found = np.concatenate([np.asarray(each).ravel() for each in loaded.parameters()[1]])
    np.testing.assert_allclose(found, flat.expected(), rtol=1e-5, atol=1e-6)
    flat.net.updateParameters(0.1)
    flat.apart.updateParameters(0.1)
    expected = np.concatenate([np.asarray(each).ravel() for each in flat.apart.parameters()[0]])
    np.testing.assert_allclose(np.asarray(flat.params), expected, rtol=1e-5, atol=1e-6)
    flat.net.double()
    flat.apart.double()
    flat.params, flat.grads = flat.net.getParameters()
    flat.accumulate([2, 2])
    flat.check()
    assert flat.grads.type() == "torch.DoubleTensor"


def test_a_failed_call_leaves_the_sums(flat):
    flat.accumulate([1, 2])
    with pytest.raises(ValueError, match="expected a gradOutput of shape"):
        flat.net.backward(torch.LongTensor([1, 2]), torch.zeros(3, 2))
    flat.accumulate([1, 3])
    flat.check()


@pytest.mark.parametrize("lies", ["on the host", "on an accelerator"])
def test_jax_differentiates_with_respect_to_flat_parameters(request, lies):
    if lies == "on an accelerator":
        request.getfixturevalue("accelerator")
    net = nn.Linear(2, 1)
    x = torch.Tensor([[1, 2], [3, 5]])
    flat, _ = net.cuda().getParameters() if lies == "on an accelerator" else net.getParameters()
    start = np.array(flat)

    def loss(parameters):
        flat.array = parameters
        return jnp.sum(jnp.asarray(net.forward(x).array))

    for _ in range(2):
        same(jax.grad(loss)(jnp.asarray(start)), [4, 7, 2])  # sum_i (w . x_i + b)


def test_what_is_added_to_a_window_is_there_and_nowhere_else():
    """Windows of one row, of several, of one element and of none; in one program, as programs add gradients."""
    shapes = [(), (1,), (4,), (2, 3), (1, 5), (0,), (3, 2, 2), (12,)]
    base, *given = [np.float32(values(*shape, seed=i)) for i, shape in enumerate([(12,), *shapes])]

    def added(array, changes):
        found = []
        for shape, change in zip(shapes, changes, strict=True):
            storages = [array]
            add(storages, View(0, min(2, 12 - change.size), shape, contiguous_stride(shape)), change)
            found += storages
        return found

    for change, found in zip(given, jax.jit(added)(base, given), strict=True):
        expected, first = base.copy(), min(2, 12 - change.size)
        expected[first : first + change.size] += change.reshape(-1)
        np.testing.assert_array_equal(found, expected)
