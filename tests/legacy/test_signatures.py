"""What classes of `nn` take and say, for `help`, editors and type checkers."""

import ast
import inspect
import re

import pytest

from functorch7.legacy import nn, torch
from functorch7.legacy.objects.generated import class_of
from website import methods, public, stubs, torch_functions

from .torch_names import NAMES

OURS = {name: (class_of(kind), kind) for name, kind in public.modules().items()}
pytestmark = pytest.mark.structure


@pytest.mark.parametrize(
    ("name", "arguments"),
    {
        "SpatialConvolution": "nInputPlane, nOutputPlane, kW, kH, dW, dH, padW, padH",
        "Linear": "inputSize, outputSize, bias",
        "Dropout": "p, v1, inplace",
        "LookupTable": "nIndex, nOutput, paddingValue, maxNorm, normType",
        "SpatialFullConvolution": "nInputPlane, nOutputPlane, kW, kH, dW, dH, padW, padH, adjW, adjH",
        "FastLSTM": "inputSize, outputSize, rho, eps, momentum, affine, p, mono",
        "ClassNLLCriterion": "weights, sizeAverage, ignoreIndex",
    }.items(),
)
def test_arguments_are_those_of_torchs_documentation(name, arguments):
    assert ", ".join(inspect.signature(getattr(nn, name)).parameters).startswith(arguments)


def test_every_class_names_its_arguments_with_the_descriptions_defaults():
    for name, (made, kind) in OURS.items():
        taken = inspect.signature(made).parameters
        described = inspect.signature(kind).parameters
        assert "args" not in taken and "kwargs" not in taken, name
        if "__init__" not in vars(made):
            assert [each.default for each in taken.values()][: len(described)] == [
                each.default for each in described.values()
            ], name


def test_what_the_signature_names_can_be_given_by_name():
    convolution = nn.SpatialConvolution(nInputPlane=3, nOutputPlane=4, kW=2, kH=1, padH=1)
    assert convolution.weight.size() == [4, 3, 1, 2] and convolution.padH == 1
    assert nn.Linear(inputSize=2, outputSize=3, bias=False).bias is None


def test_a_users_class_and_objects_keep_their_own_signature():
    class Own(nn.Linear):
        def __init__(self, size):
            super().__init__(size, size)

    assert str(inspect.signature(Own)) == "(size)"
    assert not hasattr(Own(3), "__signature__")


def test_classes_say_what_they_compute_under_torchs_names():
    for name, (made, kind) in OURS.items():
        said = inspect.getdoc(made)
        formula = inspect.cleandoc(kind.__doc__).split("\n")[0]
        assert re.sub(r"\W|_", "", said.lower()).startswith(re.sub(r"\W|_", "", formula.lower())), name
        assert ">>>" not in said
    assert "nOutputPlane planes of floor((size + 2 pad - k) / d) + 1" in nn.SpatialConvolution.__doc__


def test_the_stub_of_tensors_methods_is_the_one_that_the_tables_give():
    """If not: python -m website.methods."""
    assert methods.STUB.read_text() == methods.stub()


def test_the_stub_of_torch_is_the_one_that_the_tables_give_and_names_all_of_it():
    """If not: python -m website.torch_functions."""
    text = torch_functions.STUB.read_text()
    assert text == torch_functions.stub()
    tree = ast.parse(text)
    names = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    names |= {node.target.id for node in tree.body if isinstance(node, ast.AnnAssign)}
    names |= {each.asname for node in tree.body if isinstance(node, ast.ImportFrom) for each in node.names}
    assert {*torch.FUNCTIONS, *NAMES["torch function"].split()} - {"class"} <= names


def test_the_stub_is_the_one_that_the_descriptions_give_and_names_all_of_nn():
    """If not: python -m website.stubs."""
    text = stubs.STUB.read_text()
    assert text == stubs.stub()
    names = {node.name for node in ast.parse(text).body if isinstance(node, ast.ClassDef)}
    for node in ast.parse(text).body:
        if isinstance(node, ast.ImportFrom):
            names |= {alias.asname for alias in node.names}
        elif isinstance(node, ast.Assign):
            names.add(ast.unparse(node.targets[0]))
    assert {name for name in dir(nn) if f"nn.{name}" in OURS or name in nn.__all__} <= names


DOCUMENTED = {
    "Concat": ({"dim": 2}, (2,)),
    "PrintSize": ({"name": "here"}, ("here",)),
    "WhiteNoise": ({"mean": 1, "stdev": 0.5}, (1, 0.5)),
    "SeqGRU": ({"inputsize": 3, "outputsize": 2}, (3, 2)),
    "Linear": ({"inputDimension": 3, "outputDimension": 2, "bias": False}, (3, 2, False)),
    "Bilinear": ({"inputDimension1": 3, "inputDimension2": 4, "outputDimension": 2}, (3, 4, 2)),
    "CMul": ({"size": [1, 3]}, (1, 3)),
    "View": ({"sizes": torch.LongStorage([2, -1])}, (2, -1)),
    "Sum": ({"dimension": 1, "nInputDim": 2, "sizeAverage": True}, (1, 2, True)),
    "Reshape": ({"sizes": (2, 3), "batchMode": True}, (2, 3, True)),
    "Replicate": ({"nFeature": 3, "dim": 2, "ndim": 1}, (3, 2, 1)),
    "Power": ({"p": 3}, (3,)),
    "PairwiseDistance": ({"p": 1}, (1,)),
    "BatchNormalization": ({"N": 3, "eps": 0.1}, (3, 0.1)),
    "PixelShuffle": ({"r": 2}, (2,)),
    "L1Penalty": ({"L1weight": 0.1, "sizeAverage": True}, (0.1, True)),
    "MapTable": ({"m": nn.Linear(3, 2), "share": ["weight"]}, (nn.Linear(3, 2), ["weight"])),
    "HardTanh": ({"min_value": -2, "max_value": 3}, (-2, 3)),
    "RReLU": ({"l": 0.1, "u": 0.2}, (0.1, 0.2)),
    "MulConstant": ({"k": 2}, (2,)),
    "Sequencer": ({"module": nn.Linear(3, 2)}, (nn.Linear(3, 2),)),
    "Bottle": ({"module": nn.Linear(3, 2), "nInputDim": 2}, (nn.Linear(3, 2), 2)),
}


@pytest.mark.parametrize("name", DOCUMENTED)
def test_arguments_may_have_the_names_of_torchs_documentation(name):
    named, positional = DOCUMENTED[name]
    assert getattr(nn, name)(**named).description() == getattr(nn, name)(*positional).description()


def test_methods_take_the_arguments_of_torchs_documentation_by_name():
    assert nn.View(-1).setNumInputDims(numInputDims=1).forward(torch.ones(2, 3)).size() == [2, 3]
    assert nn.GradientReversal().setLambda(lambda_=3).lambda_ == 3
    cell = nn.LSTM(3, 2).maskZero(nInputDim=1)
    assert (cell.forward(torch.zeros(4, 3)).numpy() == 0).all() and cell.forget(offset=0) is cell.forget(0)
    nn.Kmeans(2, 3).initRandom(samples=torch.ones(4, 3))


def test_parameters_that_are_switched_off_are_None_and_have_no_gradient():
    normalization = nn.BatchNormalization(3, None, None, False)
    assert normalization.weight is normalization.bias is normalization.gradWeight is None
    assert nn.Linear(3, 2, False).gradBias is None
    with pytest.raises(AttributeError, match="nn.Tanh has no attribute 'weight'"):
        _ = nn.Tanh().weight


def test_None_takes_the_default_by_name_too():
    assert nn.LSTM(3, 2, rho=None).rho == 9999 and nn.Dropout(p=None, inplace=None).p == 0.5
    assert nn.MultiMarginCriterion(p=None, weights=None, margin=0.5).margin == 0.5
