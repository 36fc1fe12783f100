"""What a traceback shows: the user's frames and the line of this package that raised, as JAX hides its own frames."""

import traceback
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import functorch7 as f7
from functorch7.legacy import nn

PACKAGE = Path(f7.__file__).parent


class Around(f7.Composite, abstract=True):
    """A user's module, whose frame is to be seen."""

    inner: f7.Module

    def f(self, run, input):
        return run.inner(input)


class Unmade(f7.Layer, abstract=True):
    """A layer that cannot be made."""

    def init_params(self, key, stdv=None):
        raise ValueError("not made") from KeyError("cause")


class Broken(f7.Map):
    """A layer with a mistake of its user's."""

    def f(self, input):
        raise RuntimeError("a mistake")


NETWORK = f7.Sequential(f7.Sequential(Around(f7.Sequential(f7.Linear(3, 2)))), f7.Tanh())
VARIABLES = NETWORK.init(jax.random.key(0))
TARGETS = np.array([0, 1])


def applied(input):
    return NETWORK.apply(*VARIABLES, input)[0]


def over_time(network, params, buffers, input):
    return f7.Sequencer(network).apply([{"recurrent_module": params}], [{"recurrent_module": buffers}], input)


def backward():
    network = nn.Sequential(nn.Linear(3, 2))
    network.forward(np.ones((2, 3)))
    network.backward(np.ones((2, 3)), np.ones((2, 7)))


class InPytorchsStyle(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(3, 2)

    def forward(self, input):
        return self.inner(input)


RAISING = {
    "apply": lambda: applied(jnp.ones((2, 5))),
    "apply in a jitted function": lambda: jax.jit(applied)(jnp.ones((2, 5))),
    "apply in a gradient": lambda: jax.grad(lambda x: applied(x).sum())(jnp.ones((2, 5))),
    "apply in a checked function": lambda: f7.checked(applied)(jnp.ones((2, 5))),
    "apply over time": lambda: over_time(NETWORK, *VARIABLES, jnp.ones((4, 2, 5))),
    "init": lambda: f7.Sequential(f7.Sequential(Unmade())).init(jax.random.key(0)),
    "criterion": lambda: f7.ClassNLLCriterion()(jnp.ones((2, 5)), TARGETS),
    "a user's mistake": lambda: f7.Sequential(f7.Sequential(Broken())).apply([[{}]], [[{}]], 1),
    "legacy forward": lambda: nn.Sequential(nn.Sequential(nn.Linear(3, 2))).forward(np.ones((2, 5))),
    "legacy forward with values": lambda: nn.Sequential(nn.LookupTable(3, 2)).forward(np.array([7])),
    "legacy backward": backward,
    "legacy method": lambda: nn.Sequential(nn.Tanh()).share(nn.Tanh(), "weight"),
    "legacy criterion": lambda: nn.ClassNLLCriterion().forward(np.ones((2, 5)), TARGETS),
    "legacy, PyTorch's style": lambda: InPytorchsStyle()(np.ones((2, 5))),
}


def files(error):
    return [frame.filename for frame in traceback.extract_tb(error.__traceback__)]


def raised(call):
    with pytest.raises((ValueError, RuntimeError)) as caught:
        call()
    return caught.value


def ours(error):
    return [file for file in files(error) if Path(file).is_relative_to(PACKAGE)]


@pytest.mark.parametrize("name", RAISING)
def test_of_this_package_only_the_last_frame_is_shown(name):
    error = raised(RAISING[name])
    assert len(ours(error)) == 1
    if name != "a user's mistake" and name != "init":
        assert Path(files(error)[-1]).is_relative_to(PACKAGE)


@pytest.mark.parametrize("name", RAISING)
def test_all_frames_are_shown_on_request(name):
    mode = jax.config.jax_traceback_filtering
    jax.config.update("jax_traceback_filtering", "off")
    try:
        assert len(ours(raised(RAISING[name]))) > 1
    finally:
        jax.config.update("jax_traceback_filtering", mode)


def test_users_frames_stay_in_their_order():
    error = raised(lambda: applied(jnp.ones((2, 5))))
    names = [frame.name for frame in traceback.extract_tb(error.__traceback__)]
    assert names[-3:] == ["applied", "f", "checked_input"]


def test_causes_and_notes_stay():
    error = raised(RAISING["init"])
    assert isinstance(error.__cause__, KeyError)
    assert raised(RAISING["legacy forward"]).__notes__[:2] == ["In 1 module of nn.Sequential:"] * 2
