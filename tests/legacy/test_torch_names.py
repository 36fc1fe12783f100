"""A description's fields under Torch's names, in objects, constructors and `dir`."""

import pytest

from functorch7.legacy import nn

NAMES = {
    "inputSize": lambda: nn.LSTM(3, 4),
    "inputsize": lambda: nn.SeqLSTM(3, 4),
    "nInputPlane": lambda: nn.SpatialConvolution(2, 3, 3, 3),
    "kW": lambda: nn.SpatialConvolution(2, 3, 3, 3),
    "padH": lambda: nn.SpatialMaxPooling(2, 2, 2, 2),
    "ceil_mode": lambda: nn.SpatialMaxPooling(2, 2, 2, 2),
    "constant_scalar": lambda: nn.AddConstant(2),
    "val": lambda: nn.Threshold(0, 1),
    "sizeAverage": lambda: nn.MSECriterion(),
    "noBias": lambda: nn.Linear(3, 2),
}
"""A name as Torch7's own sources write it, and an object that has it."""


@pytest.mark.parametrize("name", NAMES)
def test_torchs_spelling_is_the_name(name):
    made = NAMES[name]()
    assert name in dir(made)
    assert hasattr(made, name)
    for other in (name.swapcase(), "_".join(name)):
        assert not hasattr(made, other)
        assert other not in dir(made)


def test_the_descriptions_own_name_is_one_too():
    conv = nn.SpatialConvolution(2, 3, 3, 3, padW=1)
    assert conv.n_input_plane == conv.nInputPlane == 2
    conv.padW = 2
    assert conv.padw == conv.padW == 2


def test_an_argument_in_no_spelling_is_refused():
    with pytest.raises(TypeError, match="PADW"):
        nn.SpatialConvolution(2, 3, 3, 3, PADW=1)
