"""char-rnn's network."""

from ..checks.numbers import check_whole
from ..core import Module
from ..layers import (
    CAddTable,
    CMulTable,
    Dropout,
    Graph,
    Identity,
    Linear,
    LogSoftMax,
    Node,
    OneHot,
    Reshape,
    Sigmoid,
    SplitTable,
    Tanh,
)


def char_rnn(vocabulary: int, hidden: int = 128, layers: int = 2, dropout: float = 0) -> Graph:
    """One time step of char-rnn's LSTM: 240,321 parameters for the 65 characters of tiny Shakespeare.

    Every layer has the two biases of the script, of what comes in and of the state.
    Shape: [(B,) characters from 1, then c and h of each layer, (B, hidden)] -> [c and h of each layer, then
    (B, vocabulary), log-probabilities of the next character].
    Raises: TypeError and ValueError for sizes that are no whole numbers above 0.
    Source: karpathy/char-rnn, model/LSTM.lua; Zaremba et al., 2014.

    >>> import functorch7 as f7, jax, jax.numpy as jnp
    >>> network, state = f7.zoo.char_rnn(65, hidden=8), [jnp.zeros((2, 8))] * 4
    >>> params, buffers = network.init(jax.random.key(0))
    >>> (*state, scores), buffers = network.apply(params, buffers, [jnp.array([1, 65]), *state])
    >>> scores.shape
    (2, 65)
    """
    check_whole("zoo.char_rnn", 1, vocabulary=vocabulary, hidden=hidden, layers=layers)

    def apply(module: Module, *inputs: Node) -> Node:
        return Node(module, *inputs)

    def drop(x: Node) -> Node:
        return apply(Dropout(dropout), x) if dropout else x

    characters, *before = (Node(Identity()) for _ in range(1 + 2 * layers))
    x, size = apply(OneHot(vocabulary), characters), vocabulary
    after = []
    for c, h in zip(before[::2], before[1::2], strict=True):
        sums = apply(CAddTable(), apply(Linear(size, 4 * hidden), x), apply(Linear(hidden, 4 * hidden), h))
        gates = apply(SplitTable(2), apply(Reshape(4, hidden), sums)).split(4)
        entry, keep, exit = (apply(Sigmoid(), gate) for gate in gates[:3])
        written = apply(CMulTable(), entry, apply(Tanh(), gates[3]))
        c = apply(CAddTable(), apply(CMulTable(), keep, c), written)
        h = apply(CMulTable(), exit, apply(Tanh(), c))
        after += [c, h]
        x, size = drop(h), hidden
    return Graph([characters, *before], [*after, apply(LogSoftMax(), apply(Linear(hidden, vocabulary), x))])
