"""What is saved of a module: dpnn's serial modes."""

import pickle

import numpy as np
import pytest

from functorch7.legacy import nn

from .helpers import same, two_layers, values

X, G = values(5, 3), values(5, 2, seed=1)


def used():
    """A network that has run forward and backward."""
    net = two_layers()
    net.forward(X)
    net.backward(X, G)
    return net


def saved(net):
    return pickle.loads(pickle.dumps(net))


@pytest.mark.parametrize("mode, gradients", [("heavySerial", True), ("mediumSerial", True), ("lightSerial", False)])
def test_modes(mode, gradients):
    net = used()
    kept = np.array(net.get(1).gradWeight)
    assert getattr(net, mode)() is net
    loaded = saved(net)
    same(loaded.forward(X), net.forward(X))
    same(loaded.get(1).gradWeight, kept if gradients else np.zeros_like(kept))
    same(net.get(1).gradWeight, kept)


def test_a_loaded_network_can_be_trained():
    loaded = saved(used().lightSerial())
    before = np.array(loaded.get(1).weight)
    loaded.zeroGradParameters()
    loaded.forward(X)
    loaded.backward(X, G)
    loaded.updateParameters(0.1)
    same(loaded.get(1).weight, before - 0.1 * np.asarray(loaded.get(1).gradWeight))


def test_outputs_are_never_saved():
    small, large = two_layers(), two_layers()
    for net, count in ((small, 2), (large, 2000)):
        x = values(count, 3)
        net.forward(x)
        net.backward(x, values(count, 2))
    assert len(pickle.dumps(large)) == len(pickle.dumps(small))


def test_serialMode_empties_the_named_fields():
    net = used().serialMode(["gradBias"])
    loaded = saved(net)
    same(loaded.get(1).gradBias, np.zeros(4))
    same(loaded.get(1).gradWeight, net.get(1).gradWeight)
    with pytest.raises(TypeError, match="expecting a table of names"):
        net.serialMode("gradBias")


def test_getSerialState_has_the_fields_and_the_class():
    state = used().lightSerial().getSerialState()
    assert state["dpnn_typename"] == "nn.Sequential"
    linear = state["modules"][0]
    assert linear["dpnn_typename"] == "nn.Linear"
    same(linear["gradWeight"], np.zeros((4, 3)))


def test_Serial_decorates_a_network():
    inner = used()
    serial = nn.Serial(inner)
    same(serial.forward(X), inner.forward(X))
    serial.lightSerial()
    loaded = saved(serial)
    same(loaded.forward(X), inner.forward(X))
    same(loaded.get(1).get(1).gradWeight, np.zeros((4, 3)))


def test_write_and_read_go_through_a_file_object():
    class File:
        def writeObject(self, value):
            self.value = pickle.dumps(value)

        def readObject(self):
            return pickle.loads(self.value)

    file, net = File(), used()
    net.write(file)
    other = two_layers()
    other.read(file)
    same(other.forward(X), net.forward(X))


def test_a_clone_of_Serial_has_the_type_that_a_saved_one_has():
    net = nn.Serial(nn.Linear(2, 2), "torch.FloatTensor").double()
    clone = nn.Sequential().add(net).clone().get(1)
    assert (clone.type(), clone.get(1).weight.type()) == ("torch.FloatTensor", "torch.FloatTensor")
    assert net.get(1).weight.type() == "torch.DoubleTensor"
    same(clone.get(1).weight, net.get(1).weight, rtol=1e-6)
