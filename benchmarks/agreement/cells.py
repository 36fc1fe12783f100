"""Steps of recurrent networks as programs of Torch7 write them with nngraph (char-rnn, zaremba's lstm)."""

from collections.abc import Sequence
from typing import Any

from functorch7.legacy import nn

STATES = {"lstm": 2, "narrow_lstm": 2, "gru": 1, "rnn": 1}
"""How many tensors a cell remembers."""


def cells(features: int, layers: Sequence[tuple[str, int]]) -> nn.gModule:
    """Cells above each other: {x, the first one's tensors, the second one's, ...} to the last one's output."""
    node = nn.Identity()()
    inputs = [node]
    for name, width in layers:
        remembered = [nn.Identity()() for _ in range(STATES[name])]
        inputs += remembered
        node = CELLS[name](node, remembered, features, width)
        features = width
    return nn.gModule(inputs, [node])


def summed(x: Any, h: Any, features: int, width: int, outputs: int) -> Any:
    """i2h(x) + h2h(h): both biases have the same gradient."""
    return nn.CAddTable()([nn.Linear(features, outputs)(x), nn.Linear(width, outputs)(h)])


def remembering(c: Any, gates: Sequence[Any]) -> Any:
    """The output of an LSTM, of the gates in, forget and out and of what is new, all before their functions."""
    enter, forget, leave = (nn.Sigmoid()(gate) for gate in gates[:3])
    kept, new = nn.CMulTable()([forget, c]), nn.CMulTable()([enter, nn.Tanh()(gates[3])])
    return nn.CMulTable()([leave, nn.Tanh()(nn.CAddTable()([kept, new]))])


def lstm(x: Any, remembered: Sequence[Any], features: int, width: int) -> Any:
    """The gates as slices of a reshaped tensor."""
    c, h = remembered
    reshaped = nn.Reshape(4, width)(summed(x, h, features, width, 4 * width))
    return remembering(c, nn.SplitTable(2)(reshaped).split(4))


def narrow_lstm(x: Any, remembered: Sequence[Any], features: int, width: int) -> Any:
    """The gates by Narrow."""
    c, h = remembered
    gates = summed(x, h, features, width, 4 * width)
    return remembering(c, [nn.Narrow(2, 1 + i * width, width)(gates) for i in range(4)])


def gru(x: Any, remembered: Sequence[Any], features: int, width: int) -> Any:
    """With a product of its own for each gate."""
    (h,) = remembered
    update, reset = (nn.Sigmoid()(summed(x, h, features, width, width)) for _ in range(2))
    new = nn.Tanh()(summed(x, nn.CMulTable()([reset, h]), features, width, width))
    kept = nn.CMulTable()([nn.AddConstant(1)(nn.MulConstant(-1)(update)), h])
    return nn.CAddTable()([nn.CMulTable()([update, new]), kept])


def rnn(x: Any, remembered: Sequence[Any], features: int, width: int) -> Any:
    """Elman's."""
    return nn.Tanh()(summed(x, remembered[0], features, width, width))


CELLS = {"lstm": lstm, "narrow_lstm": narrow_lstm, "gru": gru, "rnn": rnn}
