"""Torch's classes are Torch's alone until a name of PyTorch's or BigDL's is asked for."""

import abc
import copy
import json
import pickle
import subprocess
import sys
import typing

import numpy as np
import pytest

from functorch7.legacy import beside, bigdl, nn, optim, pytorch, torch
from functorch7.legacy.objects import generated

LAYERS = {bigdl.BigDL: {*beside.BIGDL, *beside.FIELDS}, pytorch.PyTorch: {*beside.PYTORCH}}
START = """
import json, os, sys, traceback, warnings
from functorch7.legacy import nn, torch

def shown():
    return [name for name in ("bigdl", "pytorch") if f"functorch7.legacy.{name}" in sys.modules]

warnings.filterwarnings("ignore", "os.fork", RuntimeWarning)  # JAX's: nothing of it runs before
for line in sys.stdin:
    child = os.fork()
    if not child:
        try:
            exec(json.loads(line))
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        print(flush=True)
        os._exit(0)
    print(f"ended with {os.wait()[1]}", flush=True)
"""


@pytest.fixture(scope="module")
def in_a_new_process():
    """What a program prints that has imported nn and torch alone: each runs in a fork of a process that has done so."""
    command = [sys.executable, "-c", START]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as process:

        def printed(code):
            process.stdin.write(json.dumps(code) + "\n")
            lines = [process.stdout.readline()]
            while lines[-1] and not lines[-1].startswith("ended with"):
                lines.append(process.stdout.readline())
            assert lines.pop() == "ended with 0\n"
            return "".join(lines).split("\n")[:-2]

        yield printed


@pytest.mark.structure
def test_in_a_new_process_the_bases_and_names_of_modules_are_torchs_alone(in_a_new_process):
    bases, names, homes = in_a_new_process(
        "print(*(base.__name__ for base in nn.Module.__mro__))\n"
        "print(*{*dir(nn.Module), *dir(nn.Container), *dir(nn.Criterion), *dir(nn.Linear(2, 3))})\n"
        "print(*sys.modules)"
    )
    assert bases.split() == [
        "Module", "Tree", "Parameters", "HiddenStates", "Steps", "Serialization", "TrainingHelpers", "Batches",
        "Results", "OwnBackward", "Printed", "Described", "Numbered", "NamedCalls", "object",
    ]  # fmt: skip
    assert not {*names.split()} & set().union(*LAYERS.values())
    packages = "functorch7.legacy.bigdl", "functorch7.legacy.pytorch"
    assert not [name for name in homes.split() if name.startswith(packages)]


@pytest.mark.slow
def test_a_program_of_torchs_brings_nothing_else(in_a_new_process):
    program = """
import copy
class Twice(nn.Module):
    def __init__(self):
        super().__init__()
        self.inputs = 2
    def updateOutput(self, input):
        self.output = input * self.inputs
        return self.output
net = nn.Sequential().add(nn.Linear(3, 4)).add(nn.Tanh()).add(Twice())
criterion = nn.MSECriterion()
x, y = torch.randn(2, 3), torch.randn(2, 4)
criterion.forward(net.forward(x), y)
net.zeroGradParameters()
net.backward(x, criterion.backward(net.output, y))
net.updateParameters(0.1)
net.evaluate()
net.training()
made = copy.deepcopy(net.clone("weight")).float()
print(made, made.get(3).inputs, hasattr(net, "nothing"), hasattr(nn.Module, "nothing"), shown())
"""
    assert in_a_new_process(program)[-1].endswith("2 False False []")


@pytest.mark.slow
def test_a_users_method_that_asks_for_one_is_called_as_if_it_had_been_there(in_a_new_process):
    program = """
from functorch7.legacy import explain
class Named(nn.Module):
    def updateOutput(self, input):
        self.tag = self.getName()
        self.output = input * 2
        return self.output
net = nn.Sequential(nn.Linear(2, 3), Named())
net.forward(torch.ones(1, 2))
print(explain(net), shown())
"""
    assert in_a_new_process(program) == [
        "[2] nn.Named: called between compiled parts (it uses getName of nn.Module); updateOutput is differentiated "
        "['bigdl']"
    ]


@pytest.mark.slow
def test_a_class_that_is_given_a_forward_is_of_pytorchs_style_as_if_that_had_been_there(in_a_new_process):
    program = """
class Given(nn.Module):
    pass
Given.forward = lambda self, x: x * x
print(nn.Sequential(nn.Identity(), Given()).forward(torch.ones(2).mul(3)).totable(), shown())
"""
    assert in_a_new_process(program) == ["[9.0, 9.0] ['pytorch']"]
    assert in_a_new_process("nn.Module.forward = nn.Module.forward\nprint(shown())") == ["[]"]


@pytest.mark.slow
def test_threads_that_ask_at_once_all_get_it(in_a_new_process):
    program = """
import threading
sys.setswitchinterval(1e-6)
nets, wrong, start = [nn.Linear(2, 3) for _ in range(16)], [], threading.Barrier(16)
def ask(net):
    start.wait()
    try:
        net.getName, net.state_dict, nn.Linear.predict
    except AttributeError as error:
        wrong.append(error)
threads = [threading.Thread(target=ask, args=(net,)) for net in nets]
for each in threads:
    each.start()
for each in threads:
    each.join()
print(wrong)
"""
    assert in_a_new_process(program) == ["[]"]


WAYS = {
    "nn.Linear(2, 3).setName('first')": ["bigdl"],
    "nn.Sequential(nn.Linear(2, 3))['Linear']  # a KeyError": ["bigdl"],
    "nn.Linear(2, 3).scaleW = 0.5": ["bigdl"],
    "nn.Module.load": ["bigdl"],
    "nn.Linear(2, 3).clone(False)": ["bigdl"],
    "nn.Linear(2, 3).evaluate([], [])  # a ValueError": ["bigdl"],
    "nn.Input()": ["bigdl"],
    "nn.Linear(2, 3).state_dict()": ["pytorch"],
    "nn.Sequential().append(nn.Tanh())": ["pytorch"],
    "nn.ModuleList()": ["pytorch"],
    "class Net(nn.Module):\n    def forward(self, x): return x": ["pytorch"],
    "class Mine(nn.Linear):\n    def state_dict(self): return super().state_dict()": ["pytorch"],
    "class Around(nn.Linear):\n    def __getattr__(self, name): return 1": ["bigdl", "pytorch"],
    "from functorch7.legacy import pytorch": ["pytorch"],
}


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_what_is_asked_for_comes_and_nothing_else(way, in_a_new_process):
    program = f"try:\n    exec({way!r}, globals())\nexcept (KeyError, ValueError):\n    pass\nprint(shown())"
    assert in_a_new_process(program) == [str(WAYS[way])]


@pytest.mark.slow
def test_scales_of_a_pickled_network_count_in_a_new_process(tmp_path, in_a_new_process):
    (tmp_path / "net.pkl").write_bytes(pickle.dumps(nn.Linear(2, 3).setScaleB(0)))
    program = f"""
import pickle
net = pickle.load(open({str(tmp_path / "net.pkl")!r}, "rb"))
net.forward(torch.ones(1, 2))
net.backward(torch.ones(1, 2), torch.ones(1, 3))
print(net.gradBias.sum(), net.gradWeight.sum(), shown())
"""
    assert in_a_new_process(program) == ["0.0 6.0 ['bigdl']"]


@pytest.mark.structure
@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.__name__)
def test_the_table_has_every_name_of_a_layer_and_no_other(layer):
    package = layer.__module__
    parts = [*layer.__mro__, *(base for base in nn.Container.__mro__ if base.__module__.startswith(package))]
    theirs = {name for part in parts if part.__module__.startswith(package) for name in vars(part)}
    torchs = {name for base in nn.Module.__mro__ if base not in parts for name in vars(base)}
    public = {name for name in theirs - torchs if not name.startswith("_")}
    table = LAYERS[layer]
    assert public == {name for name in table if not name.startswith("_")}
    assert {name for name in table if name.startswith("_")} <= theirs
    settable = {name for name in public if isinstance(getattr(nn.Module, name, None), property)}
    assert settable == {name for name in table & {*beside.FIELDS} if not name.startswith("_")}


@pytest.mark.structure
def test_no_class_has_a_name_that_a_layer_needs_for_itself():
    ours = [kind for kind in generated.classes.values() if not issubclass(kind, pytorch.Custom)]
    for layer in LAYERS:
        parts = [part for part in layer.__mro__ if part.__module__.startswith(layer.__module__)]
        private = {name for part in parts for name in vars(part) if name.startswith("_") and not name.startswith("__")}
        own = {"_output_by_hand", "_gradient_by_hand", "_made_as"}  # which layers take further, and every class has
        for kind in ours:
            others = {name for base in kind.__mro__ if base not in parts for name in vars(base)}
            assert not (private - own) & others, kind


def test_torchs_names_of_fields_are_read_and_set():
    narrow, lookup = nn.Narrow(1, 2, 3), nn.LookupTable(3, 2)
    narrow.index, lookup.shouldScaleGradByFreq = 1, True
    assert (narrow.offset, narrow.index) == (1, 1) and narrow.forward(torch.Tensor([1, 2, 3, 4])).size() == [3]
    assert lookup._spec.scale_by_frequency and "index" in dir(narrow)


def test_what_is_of_a_file_is_in_nn():
    assert all(getattr(nn, name).__module__.endswith(file) for name, file in beside.FILES.items())
    assert {*beside.FILES} <= {*dir(nn)}


def test_users_derive_from_modules_and_from_abstract_generic_and_protocol_classes():
    class Told(typing.Protocol):
        def said(self): ...

    class Abstract(nn.Module, abc.ABC):
        @abc.abstractmethod
        def updateOutput(self, input): ...

    class Net(nn.Linear, Told, typing.Generic[typing.TypeVar("T")]):
        def said(self):
            return self.getName()

    with pytest.raises(TypeError, match="abstract"):
        Abstract()  # type: ignore[abstract]
    assert Net[int](2, 3).setName("net").said() == "net"
    assert isinstance(Net(2, 3), nn.Module) and not isinstance(3, nn.Module) and not issubclass(nn.Tanh, Net)


def test_a_name_that_nobody_has_is_refused_as_before():
    with pytest.raises(AttributeError, match=r"^nn.Linear has no attribute 'append'$"):
        nn.Linear(2, 3).append  # noqa: B018
    with pytest.raises(AttributeError, match="'Linear' has no attribute 'append'"):
        nn.Linear.append  # noqa: B018


def test_methods_of_torchs_take_what_bigdls_take():
    net = nn.Sequential(nn.Linear(2, 3), nn.LogSoftMax())
    made, shared = net.clone(True), net.clone(False)
    net.get(1).weight.fill(1)
    np.testing.assert_array_equal(shared.get(1).weight, np.ones((3, 2)))
    assert not np.array_equal(made.get(1).weight, np.ones((3, 2)))
    assert not net.training(False).isTraining() and copy.deepcopy(net).training().isTraining()
    data = [(torch.ones(1, 2), torch.ones(1))]
    ((result, method),) = net.evaluate(data, methods=[optim.Top1Accuracy()])
    assert result.result()[1] == 1 and isinstance(method, optim.Top1Accuracy)
