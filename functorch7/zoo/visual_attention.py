"""The recurrent model of visual attention."""

from ..core import Const, Module
from ..layers import (
    Add,
    Collapse,
    ConcatTable,
    Constant,
    HardTanh,
    Identity,
    JoinTable,
    Linear,
    LogSoftMax,
    MulConstant,
    ReLU,
    SelectTable,
    Sequential,
    SpatialGlimpse,
)
from ..recurrent import Recurrent, RecurrentAttention
from ..reinforce import ReinforceNormal


def recurrent_attention(
    classes: int = 10, planes: int = 1, size: int = 28, *, steps: int = 7, patch: int = 8, depth: int = 1,
    hidden: int = 256, sensor: int = 128, locator: Module | None = None,
) -> Sequential:  # fmt: skip
    """The recurrent attention model: glimpses at an image, whose places are drawn; 209,421 parameters for MNIST.

    `patch` is the side of a glimpse's sharpest part, `depth` how many parts it has, each twice as wide as the one
    before, and `sensor` how many units see it, and where it is. `locator` gives a place from the hidden state; that of
    the script reaches 13 pixels from the middle of an image of `size` pixels.
    Shape: (B, planes, size, size) -> [log-probabilities (B, classes), [the same, the expected reward (B, 1)]], for
    ClassNLLCriterion and VRClassReward.
    Source: Mnih et al., 2014; rnn, examples/recurrent-visual-attention.lua.

    >>> import functorch7 as f7, jax
    >>> network = f7.zoo.recurrent_attention(steps=2, hidden=8, sensor=4)
    >>> (params, buffers), key = network.init(jax.random.key(0)), jax.random.key(1)
    >>> (scores, rated), _ = network.apply(params, buffers, jax.numpy.ones((3, 1, 28, 28)), key=key, train=True)
    >>> scores.shape, rated[1].shape
    ((3, 10), (3, 1))
    """
    where = Sequential(SelectTable(2), Linear(2, sensor), ReLU())
    seen = [SpatialGlimpse(patch, depth, 2), Collapse(3), Linear(planes * patch**2 * depth, sensor), ReLU()]
    glimpse = Sequential(
        ConcatTable(where, Sequential(*seen)), JoinTable(1, 1), Linear(2 * sensor, hidden), ReLU(),
        Linear(hidden, hidden),
    )  # fmt: skip
    reader = Recurrent(hidden, glimpse, Linear(hidden, hidden), ReLU())
    baseline = Sequential(Constant(Const([1.0]), 1), Add(1))
    return Sequential(
        RecurrentAttention(reader, locator or _script_locator(hidden, size), steps, hidden),
        SelectTable(-1), Linear(hidden, classes), LogSoftMax(),
        ConcatTable(Identity(), ConcatTable(Identity(), baseline)),
    )  # fmt: skip


def _script_locator(hidden: int, size: int) -> Module:
    """A place from the state: drawn around a mean, both bounded."""
    reach = 2 * 13 / size
    return Sequential(Linear(hidden, 2), HardTanh(), ReinforceNormal(0.22), HardTanh(), MulConstant(reach))
