"""State dictionaries in PyTorch's style: what fits, what is assigned, what users' functions add."""

import re

import numpy as np
import pytest

from functorch7.interop.pytorch_elsewhere import INSTEAD
from functorch7.legacy import nn, optim, torch

from .helpers import same
from .pytorch_modules import Scale, X, described

pytestmark = pytest.mark.usefixtures("broadcasting")


def test_a_state_that_does_not_fit_is_described_at_once_and_changes_nothing():
    net = described()
    state = {name: np.asarray(value) + 1 for name, value in net.state_dict().items()}
    before = np.array(net[1].weight)
    wrong = {**state, "0.weight": np.ones((1, 1)), "extra": np.ones(1)}
    del wrong["0.bias"], wrong["2.2.factor"]
    with pytest.raises(ValueError, match="the state does not fit") as raised:
        net.load_state_dict(wrong)
    for part in ("missing 0.bias; missing 2.2.factor; unexpected extra", "0.weight: expected shape (4, 3), got (1, 1)"):
        assert part in str(raised.value)
    same(net[1].weight, before)
    with pytest.raises(ValueError, match=r"0\.weight: expected shape"):
        net.load_state_dict(wrong, strict=False)
    del wrong["0.weight"]
    keys = net.load_state_dict(wrong, strict=False)
    assert keys == (["0.weight", "0.bias", "2.2.factor"], ["extra"]) and keys.unexpected_keys == ["extra"]
    same(net[1].weight, before + 1)
    with pytest.raises(TypeError, match="expected a state_dict, got list"):
        net.load_state_dict([1])
    with pytest.raises(ValueError, match="2.2.factor: expected numbers, got a table of 1: 'a'"):
        net.load_state_dict({name: value + 5 for name, value in state.items()} | {"2.2.factor": ["a"]})
    same(net[1].weight, before + 1)


def test_functions_around_saving_and_loading():
    net, seen = Scale(), []
    handle = net.register_state_dict_post_hook(lambda module, state, prefix, _: state.update({f"{prefix}more": 1}))
    outer = nn.Sequential(net)
    assert list(outer.state_dict()) == ["0.factor", "0.more"]
    handle.remove()
    handle.remove()
    net.register_load_state_dict_pre_hook(lambda module, state, prefix, *_: state.pop(f"{prefix}old"))
    net.register_load_state_dict_post_hook(lambda module, keys: seen.append(keys))
    outer.load_state_dict({"0.factor": [7.0], "0.old": [1.0]})
    same(net.factor, [7])
    assert seen == [([], [])]


def test_assigned_tensors_are_the_modules_own_from_then_on():
    net, factor = nn.Sequential(Scale(), nn.BatchNormalization(3)), torch.Tensor.of(np.full(1, 5.0))
    state = {name: np.asarray(value) + 1 for name, value in net.state_dict().items()} | {"0.factor": factor}
    assert not any(net.load_state_dict(state, assign=True))
    assert net[0].factor.dtype == np.float64 and isinstance(net[0].factor, nn.Parameter)
    same(net[1].running_mean, np.ones(3))
    factor.mul(2)
    same(net.eval()(X), (10 * X - 1) / np.sqrt(2 + 1e-5) * net[1].weight.numpy() + 1, 1e-5)
    with pytest.raises(ValueError, match=r"0\.factor: expected shape \(1,\), got \(2,\)"):
        net.load_state_dict(state | {"0.factor": torch.ones(2)}, assign=True)


def test_extra_state_is_saved_beside_the_tensors(tmp_path):
    theirs = pytest.importorskip("torch")

    def made(nn, tensor):
        class Counting(nn.Module):
            def __init__(self):
                super().__init__()
                self.weight = nn.Parameter(tensor)
                self.steps, self.names = 0, []

            def forward(self, x):
                return x * self.weight

            def get_extra_state(self):
                return {"steps": self.steps, "names": self.names}

            def set_extra_state(self, state):
                self.steps, self.names = state["steps"], state["names"]

        return nn.Sequential(Counting(), nn.Tanh())

    mine, other = made(nn, torch.ones(1)), made(theirs.nn, theirs.ones(1))
    for net in (mine, other):
        net[0].steps, net[0].names = 3, ["a", "b"]
    assert list(mine.state_dict()) == list(other.state_dict()) == ["0.weight", "0._extra_state"]
    torch.save(tmp_path / "state.t7", mine.state_dict())
    loaded = made(nn, torch.ones(1))
    assert not any(loaded.load_state_dict(torch.load(tmp_path / "state.t7")))
    assert (loaded[0].steps, loaded[0].names) == (3, ["a", "b"])
    with pytest.raises(ValueError, match=r"missing 0\._extra_state; unexpected 1\._extra_state"):
        loaded.load_state_dict({"0.weight": np.ones(1), "1._extra_state": 5})
    keys = mine.load_state_dict({"1._extra_state": 5}, strict=False)
    assert keys == (["0.weight", "0._extra_state"], ["1._extra_state"])
    with pytest.raises(NotImplementedError, match="define get_extra_state"):
        nn.Tanh().get_extra_state()


def test_states_without_arrays_of_real_numbers_are_refused():
    net = nn.Linear(2, 2)
    before = np.asarray(net.weight).copy()
    theirs = type("Tensor", (), {"__module__": "torch", "shape": (2,)})()
    with pytest.raises(ValueError, match=r"weight: expected real numbers, got complex64; bias: .*PyTorch's; inter"):
        net.load_state_dict({"weight": np.ones((2, 2), np.complex64), "bias": theirs})
    same(net.weight, before)


def test_functions_of_PyTorchs_that_are_not_here_say_what_is():
    places = {"torch": torch, "optim": optim, "functional": nn.functional, "utils": nn.utils, "nn": nn}
    places |= {"Tensor": torch.ones(1)}
    net = nn.Linear(2, 2)
    for name, said in INSTEAD.items():
        place, _, own = name.partition(".")
        with pytest.raises(AttributeError) as raised:
            getattr(places[place], own)
        assert str(raised.value).endswith(f"; for PyTorch's {name}: {said}") and repr(own) in str(raised.value)
        written = re.findall(r"\b(torch|nn|nn\.functional|net|x)\.(\w+)(?=\(|$|,| )", said)
        for owner, method in written:  # what is named instead is there
            here = {"net": net, "x": torch.ones(1), "nn.functional": nn.functional} | places
            assert hasattr(here[owner], method), f"{name}: {owner}.{method}"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("fill_", "it is fill, which changes the tensor itself"),
        ("masked_fill", "it is maskedFill"),
        ("masked_fill_", "it is maskedFill, which changes the tensor itself"),
        ("expand_as", "it is expandAs"),
    ],
)
def test_methods_of_PyTorchs_that_have_other_names_here_say_which(name, said):
    x = torch.ones(2)
    assert not hasattr(x, name)
    with pytest.raises(AttributeError) as raised:
        getattr(x, name)
    assert str(raised.value) == f"a tensor has no {name!r} here; {said}"


def test_what_a_call_was_given_by_names_is_in_its_error():
    x = torch.ones(2, 3)
    with pytest.raises(
        TypeError, match=r"torch\.cat: .* got \(\[a tensor of size 2x3, a tensor of size 2x3\], dim=0\)"
    ):
        torch.cat([x, x], dim=0)
    with pytest.raises(TypeError, match=r"^torch\.mean: expected .*, got \(a tensor of size 2x3, dim=1\); arguments"):
        x.mean(dim=1)


@pytest.mark.parametrize("path", [5, None, {"a": 1}, nn.Linear(2, 2)])
def test_what_is_no_path_is_refused_before_anything_is_opened(path):
    """A whole number would be that of an open file."""
    for call in (lambda: torch.load(path), lambda: torch.save(path, "state.t7")):
        with pytest.raises(TypeError, match="expected the path of a file, got "):
            call()
