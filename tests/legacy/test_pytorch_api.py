"""Modules in PyTorch's style: registration, tables of modules, names, state, copies."""

import pickle

import jax
import numpy as np
import pytest

import functorch7 as f7
from functorch7.legacy import nn, torch, wrap

from .helpers import same, values
from .pytorch_modules import Mixed, Scale, X, Y, custom, described

pytestmark = pytest.mark.usefixtures("broadcasting")


@pytest.fixture
def evaluated():
    return Mixed().eval()


# Registration --------------------------------------------------------------------------------------------------------


def test_nothing_is_registered_before_the_constructor_of_the_base():
    class Early(nn.Module):
        def __init__(self, value):
            self.thing = value
            super().__init__()

        def forward(self, x):
            return x

    for kind, value in (("parameter", nn.Parameter(torch.ones(1))), ("module", nn.Linear(1, 1))):
        with pytest.raises(AttributeError, match=f"a {kind} before nn.Early's super"):
            Early(value)
    assert Early(3).thing == 3


def test_what_is_no_parameter_module_or_output_is_refused():
    for value in (None, 3, "weight"):
        with pytest.raises(TypeError, match="nn.Parameter: expected a tensor, an array or a list of numbers"):
            nn.Parameter(value)
    table, named = nn.ModuleList([nn.Tanh()]), nn.ModuleDict({"a": nn.Tanh()})
    for fill in (lambda: table.append(None), lambda: table.insert(0, None), lambda: named.update({"b": None})):
        with pytest.raises(TypeError, match="expected a module, got None"):
            fill()
    assert [len(table), len(named)] == [1, 1]  # what was there stays
    with pytest.raises(TypeError, match="expected a whole number as index, got '0'"):
        table["0"]
    with pytest.raises(TypeError, match="requires_grad_ expected True or False, got 'no'"):
        named.requires_grad_("no")

    class Worded(nn.Module):
        def forward(self, x):
            return "words"

    with pytest.raises(TypeError, match="nn.Worded: forward returned 'words', which is no tensor"):
        Worded()(X)


def test_what_is_registered_is_replaced_by_its_kind_only():
    net = Mixed()
    net.register_buffer("mean", torch.zeros(2))
    net.register_parameter("factor", nn.Parameter(torch.ones(1)))
    for name, wanted in (("factor", "nn.Parameter"), ("linear", "nn.Module"), ("mean", "tensor")):
        with pytest.raises(TypeError, match=rf"cannot assign int as .*{name}' \({wanted} or None expected\)"):
            setattr(net, name, 3)
        setattr(net, name, None)
        assert getattr(net, name) is None
    assert list(net.state_dict()) == ["norm.weight", "norm.bias", "norm.running_mean", "norm.running_var"]
    net.mean = torch.ones(2)
    assert "mean" in net.state_dict()
    del net.norm
    assert list(net.state_dict()) == ["mean"]


@pytest.mark.parametrize("register", ["register_parameter", "register_buffer", "register_module", "add_module"])
def test_names_and_values_are_checked(register):
    net = Mixed()
    value = {"register_parameter": nn.Parameter(torch.ones(1)), "register_buffer": torch.ones(1)}.get(register, Scale())
    for name in ("a.b", "", "shift", "forward"):
        with pytest.raises(KeyError, match=r"already exists|cannot be empty or have"):
            getattr(net, register)(name, value)
    with pytest.raises(TypeError, match="should be a string, got 3"):
        getattr(net, register)(3, value)
    with pytest.raises(TypeError, match=r"cannot assign str as|expected a module"):
        getattr(net, register)("good", "x")
    getattr(net, register)("good", value)
    assert net.good is value


def test_a_parameter_is_floating_point_and_its_results_are_tensors():
    with pytest.raises(TypeError, match="expected a floating-point tensor, got int32"):
        nn.Parameter(np.ones(2, np.int32))
    weight = nn.Parameter(torch.ones(2))
    assert type(weight * 2) is type(weight.data) is torch.Tensor
    assert pickle.loads(pickle.dumps(weight)).requires_grad


def test_parameters_of_lists_are_float32_and_need_a_forward():
    assert nn.Parameter([1.0, 2.0]).dtype == np.float32

    class NoForward(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter([1.0])

    with pytest.raises(TypeError, match="nn.NoForward: define forward"):
        NoForward()


def test_frozen_parameters_get_no_gradient():
    net = nn.Sequential(nn.Linear(3, 2), nn.Linear(2, 1))
    net[0].requires_grad_(False)
    net.forward(X)
    net.backward(X, np.ones((4, 1), "f"))
    same(net[0].gradWeight, np.zeros((2, 3)))
    same(net[1].gradBias, [4])
    assert not net[0].weight.requires_grad
    net.requires_grad_()
    net.forward(X)
    net.backward(X, np.ones((4, 1), "f"))
    same(net[0].gradBias, 4 * np.asarray(net[1].weight)[0], 1e-5)


# Tables of modules -------------------------------------------------------------------------------------------------


def test_a_weight_of_two_layers_is_one_parameter():
    one, other = nn.Linear(3, 3), nn.Linear(3, 3)
    other.weight = one.weight
    names = [name for name, _ in nn.Sequential().add(one).add(other).named_parameters()]
    assert names == ["0.weight", "0.bias", "1.bias"] and other.weight is one.weight


def test_a_tensor_says_where_parameters_are():
    for ask in (lambda t: t.requires_grad, lambda t: setattr(t, "requires_grad", False)):
        with pytest.raises(AttributeError, match=r"torch.FloatTensor: only parameters .* named_parameters\(\)"):
            ask(nn.Linear(2, 2).weight)


def test_a_ModuleList_is_a_list():
    a, b, c, d = (Scale(i) for i in range(4))
    table = nn.ModuleList([a, b])
    table.append(c).extend([d])
    assert list(table) == [a, b, c, d] and len(table) == 4 and table[-1] is d
    assert [name for name, _ in table.named_children()] == ["0", "1", "2", "3"]
    assert type(table[1:3]) is nn.ModuleList and list(table[1:3]) == [b, c]
    table.insert(1, d)
    assert table.pop(0) is a and list(table) == [d, b, c, d]
    del table[0]
    assert list(table + nn.ModuleList([a])) == [b, c, d, a]
    table[0] = a
    assert list(table) == [a, c, d] and [n for n, _ in table.named_parameters()] == ["0.factor", "1.factor", "2.factor"]
    for wrong in (3, -4):
        with pytest.raises(IndexError, match=f"index {wrong} is out of range of 3 modules"):
            table[wrong]
    with pytest.raises(TypeError, match="extend expected modules in a list, got int"):
        table.extend(3)
    with pytest.raises(TypeError, match="expected a module '3', got 5"):
        table.append(5)


def test_equal_neighbours_in_a_ModuleList_are_printed_once():
    theirs = pytest.importorskip("torch")

    def printed(nn):
        class Outer(nn.Module):
            def __init__(self):
                super().__init__()
                a, b, c = ([nn.ModuleDict() for _ in range(n)] for n in (3, 1, 2))
                inner = [nn.ModuleList(each) for each in (a, b, c, b)]
                self.layers = nn.ModuleList([*inner, nn.ModuleList()])

            def forward(self, x):
                return x

        return repr(Outer())

    assert printed(nn) == printed(theirs.nn)
    assert "(0-2): 3 x ModuleDict()" in printed(nn)


def test_a_ModuleDict_is_a_dict():
    a, b, c = (Scale(i) for i in range(3))
    table = nn.ModuleDict({"b": b, "a": a})
    table.update([("c", c)])
    assert list(table) == table.keys() == ["b", "a", "c"] and table.values() == [b, a, c]
    assert table.items()[0] == ("b", b) and "a" in table and "d" not in table and len(table) == 3
    table["b"] = c
    assert table["b"] is c and table.pop("a") is a and table.keys() == ["b", "c"]
    for name in ("x.y", "keys"):
        with pytest.raises(KeyError):
            table[name] = a
    with pytest.raises(KeyError, match="expected one of"):
        table["a"]
    with pytest.raises(TypeError, match="update expected a dict or pairs, got int"):
        table.update(3)
    table.clear()
    assert len(table) == 0


# Names and state -----------------------------------------------------------------------------------------------------


def test_names_of_described_networks_are_those_of_PyTorch():
    theirs = pytest.importorskip("torch.nn")
    inner = theirs.Sequential(theirs.ReLU(), theirs.Linear(4, 2, bias=False))
    reference = theirs.Sequential(theirs.Linear(3, 4), theirs.BatchNorm1d(4), inner)
    net = described()
    del net[2][2]
    wanted = [name for name in reference.state_dict() if "num_batches" not in name]
    assert list(net.state_dict()) == wanted
    assert [name for name, _ in net.named_modules()] == [name for name, _ in reference.named_modules()]
    assert [name for name, _ in net.named_parameters()] == [name for name, _ in reference.named_parameters()]
    assert list(net.named_parameters("net", recurse=False)) == []
    state = {name: reference.state_dict()[name].numpy().copy() for name in wanted}
    assert net.load_state_dict(state) == ([], [])
    x = values(5, 3).astype("f")
    expected = reference.eval()(__import__("torch").tensor(x)).detach().numpy()
    same(net.eval().forward(x), expected, 1e-4, 1e-5)


def test_things_are_found_by_name():
    net = described()
    assert net.get_submodule("2.1") is net[2][1] and net.get_submodule("") is net
    assert net.get_parameter("2.2.factor") is net[2][2].factor
    assert net.get_buffer("1.running_var") is net[1].running_var
    for get, name in ((net.get_submodule, "2.7"), (net.get_parameter, "0.other"), (net.get_buffer, "0.weight")):
        with pytest.raises(AttributeError, match=r"expected one of its modules|has no"):
            get(name)


def test_a_sequential_of_a_dict_has_named_modules():
    fc, squash = nn.Linear(2, 3), nn.Tanh()
    net = nn.Sequential({"fc": fc, "squash": squash})
    assert net["fc"] is fc is net[0] and net["squash"] is squash
    x = torch.ones(4, 2)
    np.testing.assert_array_equal(net(x), squash(fc(x)))
    with pytest.raises(TypeError, match="expected a module as module 2, got 3"):
        nn.Sequential({"fc": fc, "three": 3})


def test_modules_are_added_by_name_where_there_is_a_place_for_them():
    net, fc = nn.Sequential(nn.Linear(3, 2)), nn.Linear(2, 2)
    net.add_module("1", nn.Tanh())
    net.register_module("fc", fc)
    assert net["fc"] is fc is net[2] and len(net) == 3 and net[1].getName().startswith("Tanh@")
    same(net(X), fc.forward(np.tanh(net[0].forward(X))), 1e-6)
    outer = custom(lambda self, x: self.inner(x))
    outer.register_module("inner", net)
    same(outer(X), net.forward(X))
    for wrong, error in ((("fc", fc), KeyError), (("7", fc), KeyError), (("a.b", fc), KeyError), (("a", 5), TypeError),
                         ((5, fc), TypeError)):  # fmt: skip
        with pytest.raises(error, match="nn.Sequential: "):
            net.add_module(*wrong)
    with pytest.raises(TypeError, match="nn.Linear: add_module needs a container"):
        fc.add_module("a", net)


def test_shared_modules_are_named_once():
    net = custom(lambda self, x: self.b(self.a(x)), a=Scale)
    net.b = net.a
    assert [name for name, _ in net.named_parameters()] == ["a.factor"]
    assert [name for name, _ in net.named_parameters(remove_duplicate=False)] == ["a.factor", "b.factor"]
    same(net(X), 4 * X, 1e-6)
    net.backward(X, np.ones_like(X))
    same(net.a.gradFactor, [4 * X.sum()], 1e-4)


def test_to_takes_devices_dtypes_and_tensors():
    net = described()
    assert net.to("cpu", torch.float64)[0].gradWeight.dtype == np.float64
    assert net.to(torch.ones(1))[1].running_mean.dtype == np.float32
    assert net.half()[0].weight.dtype == np.float16 and net.bfloat16()[0].bias.dtype.name == "bfloat16"
    assert net.cpu() is net
    for wrong in (np.int32, "tpu", 3, np.complex64):
        with pytest.raises(TypeError, match="to\\(\\) expected"):
            net.to(wrong)
    if jax.default_backend() == "cpu":
        with pytest.raises(RuntimeError, match="needs a GPU"):
            net.bfloat16().to("cuda")


def test_buffers_of_64_bits_give_no_warning():
    class Counting(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("number", torch.Tensor.of(np.zeros(1, np.int64)))

        def forward(self, x):
            self.number = self.number + 1
            return x

    net = Counting()
    assert net(X).shape == X.shape and net.number.item() == 1
    net.register_buffer("mean", torch.zeros(3))
    assert net.to(dtype=torch.float64)(torch.ones(3)).dtype == net.mean.dtype == np.float64


def test_what_visits_all_modules_returns_the_module():
    net, seen = described(), []
    assert net.apply(lambda module: seen.append(module)) is net and seen == net.listModules()
    for module in (net, Scale()):
        with pytest.raises(ValueError, match="training mode is expected to be boolean, got 'yes'"):
            module.training("yes")
    assert len(nn.Sequential().extend([nn.Tanh(), nn.Abs()]).extend(nn.Tanh(), nn.Abs())) == 4


def test_functional_call_leaves_the_module_as_it_is():
    net = Scale(2.0)
    same(nn.functional_call(net, {"factor": [5.0]}, X), 5 * X, 1e-6)
    same(nn.functional_call(net, {}, (X,)), 2 * X, 1e-6)
    with pytest.raises(ValueError, match="unexpected other"):
        nn.functional_call(net, {"other": [1.0]}, X)
    same(net.factor, [2])


# Copies, and the functional form -------------------------------------------------------------------------------------


def test_copies_are_separate_and_whole():
    net = described()
    for copy in (net.clone(), pickle.loads(pickle.dumps(net))):
        same(copy.eval().forward(X), net.eval().forward(X))
        assert type(copy[2][2]) is Scale and copy[2][2].factor.grad is copy[2][2].gradFactor
        copy[2][2].factor.fill(0)
        same(net[2][2].factor, [2])
        assert str(copy) == str(net)


def test_buffers_that_are_not_saved_are_arrays_of_the_functional_form():
    net = custom(lambda self, x: x * self.kept, inner=Scale)
    net.register_buffer("kept", torch.ones(3).mul(2), persistent=False)
    module, variables = net.functional()
    assert list(f7.state_dict(module, variables)) == ["inner.factor"]
    assert [name for name, _ in f7.named_buffers(module, variables.buffers)] == ["kept"]
    same(module.apply(*variables, X)[0], 2 * X, 1e-6)


def test_a_custom_module_is_a_pure_function(evaluated):
    net = evaluated
    module, variables = net.functional()
    assert module == Mixed().functional()[0] == pickle.loads(pickle.dumps(module))
    assert list(f7.state_dict(module, variables)) == [
        "linear.weight", "linear.bias", "norm.weight", "norm.bias", "norm.running_mean", "norm.running_var"
    ]  # fmt: skip
    output, _ = jax.jit(module.apply)(*variables, X)
    same(output, net(X), 1e-5)
    called, input = module.on(X, Y, name="times")
    same(called.apply(*variables, input)[0], net(X, Y, name="times"), 1e-5)
    back = wrap(module, *variables)
    assert type(back) is Mixed and back.shift == 1.0
    same(back.eval()(X), net(X), 1e-6)


def test_reset_draws_by_the_users_own_rule():
    with pytest.raises(NotImplementedError, match=r"define reset_parameters\(\)"):
        Scale().reset()
    net = Scale()
    net.__class__.reset_parameters = lambda self: self.factor.fill(9)
    try:
        same(net.reset().factor, [9])
    finally:
        del Scale.reset_parameters


# Tables of modules and their costs -------------------------------------------------------------------------------


def test_summary_and_profile_have_rows_for_what_is_called_in_tables_of_modules():
    class Nested(nn.Module):
        def __init__(self):
            super().__init__()
            self.parts = nn.ModuleDict({"all": nn.ModuleList([nn.Linear(3, 3), nn.Linear(3, 5)])})
            self.idle = nn.Linear(3, 3)

        def forward(self, x):
            return self.parts["all"][1](self.parts["all"][0](x))

    net = Nested()
    module, (params, buffers) = net.functional()
    table = f7.summary(module, (2, 3))
    assert [(row.path, row.output.shape, row.parameters) for row in table.rows] == [
        ((), (2, 5), 12), (("parts", "all", "0"), (2, 3), 12), (("parts", "all", "1"), (2, 5), 20)
    ]  # fmt: skip
    assert table.parameters == 12 + 12 + 20 and "  parts.all.1 nn.Linear(3 -> 5)" in str(table)
    found = f7.profile(module, params, buffers, np.ones((200, 3), np.float32), repeats=1)
    assert all(row.own > 0 for row in found.rows[1:]) and found.rows[0].own < found.total
    net(np.ones((2, 3)))
    assert net.parts["all"][0].output.shape == (2, 3) and net.parts.output.nElement() == 0
