"""The table of PyTorch's names is right: what stands there can be written, and unknown names lead to it."""

import ast

import pytest

import functorch7 as f7
from functorch7.interop.pytorch_names import KNOWN, TABLES
from functorch7.legacy import cudnn, nn

ROWS = [row for rows in TABLES.values() for row in rows]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.theirs)
def test_what_a_row_says_can_be_written_in_both_interfaces(row):
    ast.parse(row.theirs)
    made = eval(row.ours, {"f7": f7})
    assert isinstance(made, f7.Module)
    of_legacy = eval(row.in_legacy, {"nn": nn, "cudnn": cudnn})
    assert str(of_legacy).split("\n")[0] == str(made).split("\n")[0]


def test_layers_that_are_called_alike_are_not_called_otherwise():
    assert {"Conv2d", "BatchNorm2d", "CrossEntropyLoss", "MSELoss", "LSTM"} <= {*KNOWN}
    assert not [name for name in KNOWN if hasattr(f7, name) and name not in ("LSTM", "GRU")]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Liner", r"functorch7 has no 'Liner'; did you mean Linear\?"),
        ("nn", "Torch's is functorch7.legacy.nn"),
        ("MSECritereon", r"did you mean MSECriterion\?"),
        (
            "Conv2d",
            r"PyTorch's nn.Conv2d\(.*\) is f7.SpatialConvolution\(3, 16, 7, 5, 2, 2, 1, 1\) here \(sizes one by",
        ),
        ("CrossEntropyLoss", r"is f7.CrossEntropyCriterion\(\) here \(classes count from 1\)"),
        ("Trainer", r"functorch7 has no 'Trainer'; it is f7.training.Trainer$"),
        ("DataLoader", r"it is f7.data.DataLoader$"),
        ("nothing_of_this_kind", r"functorch7 has no 'nothing_of_this_kind'$"),
    ],
)
def test_unknown_names_say_what_is_meant(name, said):
    with pytest.raises(AttributeError, match=said):
        getattr(f7, name)


@pytest.mark.parametrize(
    ("name", "said"), [("Liner", r"did you mean Linear\?"), ("Conv2d", r"is nn.SpatialConvolution\(")]
)
def test_unknown_names_of_nn_do_too(name, said):
    with pytest.raises(AttributeError, match=rf"nn has no module '{name}'.*{said}"):
        getattr(nn, name)
