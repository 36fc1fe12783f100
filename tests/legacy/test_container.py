"""Modules that hold others: edited, searched, printed."""

import numpy as np
import pytest

from functorch7.legacy import nn, torch

from .helpers import same, two_layers, values

X = values(5, 3, seed=1)


def test_add_get_and_size():
    net, linear, tanh = nn.Sequential(), nn.Linear(3, 2), nn.Tanh()
    assert net.add(linear).add(tanh) is net
    assert net.size() == len(net.modules) == 2
    assert net.get(1) is linear and net.get(2) is tanh and net.modules[0] is linear


def test_get_counts_backwards_and_looks_inside():
    inner = nn.Sequential().add(nn.Tanh()).add(nn.Sigmoid())
    net = nn.Sequential().add(nn.Linear(3, 2)).add(inner)
    assert net.get(-1) is inner and net.get(-2) is net.get(1)
    assert net.get(2, 1) is inner.get(1) and net.get(-1, -1) is inner.get(2)
    assert net.get(3) is None and net.get(0) is None and net.get(-3) is None


def test_insert_and_remove():
    a, b, c = nn.Tanh(), nn.Sigmoid(), nn.ReLU()
    net = nn.Sequential().add(a)
    net.insert(b, 1)
    assert net.modules == [b, a]
    net.insert(c)
    assert net.modules == [b, a, c]
    net.remove(2)
    assert net.modules == [b, c]
    net.remove()
    assert net.modules == [b]
    for index in (0, 3):
        with pytest.raises(IndexError, match="index should be contiguous to existing modules"):
            net.insert(nn.Tanh(), index)
        with pytest.raises(IndexError, match="out of range"):
            net.remove(index)


@pytest.mark.parametrize("wrong", [1.5, "a", True])
@pytest.mark.parametrize(
    "ask", ["get", "remove", "__getitem__", "__delitem__", lambda net, index: net.insert(nn.Tanh(), index)]
)
def test_indices_are_whole_numbers(ask, wrong):
    """As Lua's, which are written 1.0 at times; a text as an index from 0 is a name."""
    net = nn.Sequential().add(nn.Tanh()).add(nn.Sigmoid())
    assert net.get(2.0) is net.get(np.int64(2)) is net[1.0] is net.modules[1]
    call = ask if callable(ask) else lambda net, index: getattr(net, ask)(index)
    error, said = (KeyError, "a") if (ask, wrong) == ("__getitem__", "a") else (TypeError, "expected a whole number")
    with pytest.raises(error, match=said):
        call(net, wrong)
    with pytest.raises(IndexError, match="^nn.Sequential: index 2 is out of range of 2 modules, counted from 0"):
        net[2] = nn.Tanh()
    assert net.size() == 2


def test_extend_adds_several():
    net = nn.Sequential()
    assert net.extend(nn.Tanh(), nn.Sigmoid()) is net
    assert [m.typename() for m in net.modules] == ["nn.Tanh", "nn.Sigmoid"]


@pytest.mark.parametrize(
    "edit",
    [
        lambda net: net.remove(2),
        lambda net: net.modules.pop(1),
        lambda net: net.modules.__delitem__(1),
        lambda net: net.modules.__setitem__(1, nn.Identity()),
        lambda net: setattr(net, "modules", [net.get(1), net.get(3)]),
        lambda net: net.modules.remove(net.get(2)),
    ],
    ids=["remove", "pop", "del", "assign", "replace-list", "list-remove"],
)
def test_the_next_forward_uses_the_edited_list(edit):
    net = two_layers()
    net.forward(X)
    edit(net)
    w1, b1, w2, b2 = (np.asarray(p) for p in net.parameters()[0])
    same(net.forward(X), (X @ w1.T + b1) @ w2.T + b2)


def test_the_order_of_modules_can_be_changed():
    net = nn.Sequential().add(nn.Tanh()).add(nn.Threshold(0.5, 9)).double()
    same(net.forward(X), np.where(np.tanh(X) > 0.5, np.tanh(X), 9))
    net.modules.reverse()
    same(net.forward(X), np.tanh(np.where(X > 0.5, X, 9)))


def test_adding_to_a_used_network():
    net = two_layers()
    output = np.array(net.forward(X))
    net.add(nn.Tanh())
    same(net.forward(X), np.tanh(output))
    net.insert(nn.Identity(), 1)
    same(net.forward(X), np.tanh(output))


def test_a_list_of_modules_is_extended_by_itself():
    net = nn.Sequential().add(nn.Tanh())
    net.modules.extend(net.modules)
    net.modules += net.modules
    same(net.forward(X), np.tanh(np.tanh(np.tanh(np.tanh(X)))))


@pytest.mark.parametrize("wrong", [3, None, "nn.Tanh", np.tanh], ids=str)
def test_only_modules_can_be_added(wrong):
    net = nn.Sequential()
    for put in (net.add, net.insert, net.modules.append, lambda m: net.modules.extend([m])):
        with pytest.raises(TypeError, match=r"nn.Sequential: expected a module, got"):
            put(wrong)
    assert net.size() == 0


def test_adding_a_class_says_to_call_it():
    with pytest.raises(TypeError, match=r"nn.Concat: expected a module, got .*Tanh.*; call it"):
        nn.Concat(1).add(nn.Tanh)


def test_a_criterion_is_no_module():
    with pytest.raises(TypeError, match=r"nn.Sequential: expected a module, got nn.MSECriterion"):
        nn.Sequential().add(nn.MSECriterion())


def test_applyToModules_calls_on_direct_modules_only():
    inner = nn.Sequential().add(nn.Tanh())
    net, seen = nn.Sequential().add(inner).add(nn.ReLU()), []
    net.applyToModules(seen.append)
    assert seen == [inner, net.get(2)]


def test_apply_visits_outer_modules_first():
    inner = nn.Sequential().add(nn.Tanh())
    net, seen = nn.Sequential().add(inner).add(nn.ReLU()), []
    net.apply(seen.append)
    assert seen == [net, inner, inner.get(1), net.get(2)] == net.listModules()


def test_rethrowErrors_calls_a_method_and_says_where_it_failed():
    net = nn.Sequential().add(nn.Tanh()).add(nn.Linear(3, 2)).double()
    same(net.rethrowErrors(net.get(1), 1, "updateOutput", X), np.tanh(X))
    with pytest.raises(ValueError) as caught:
        net.rethrowErrors(net.get(2), 2, "updateOutput", values(5, 4))
    assert "In 2 module of nn.Sequential:" in caught.value.__notes__
    with pytest.raises(ValueError, match="mismatch between moduleIndex"):
        net.rethrowErrors(net.get(1), 2, "updateOutput", X)


def test_findModules_gives_the_modules_and_their_containers():
    inner = nn.Concat(2).add(nn.Linear(3, 2)).add(nn.Linear(3, 4))
    net = nn.Sequential().add(nn.Linear(3, 3)).add(inner)
    nodes, containers = net.findModules("nn.Linear")
    assert nodes == [net.get(1), inner.get(1), inner.get(2)]
    assert containers == [net, inner, inner]
    assert net.findModules("nn.Tanh") == ([], [])
    assert net.findModules("nn.Concat") == ([inner], [net])
    assert net.get(1).findModules("nn.Linear") == ([net.get(1)], [net.get(1)])


def test_replace_exchanges_modules_anywhere():
    inner = nn.Sequential().add(nn.Dropout(0.5)).add(nn.Linear(3, 3))
    net = nn.Sequential().add(nn.Dropout(0.9)).add(inner).double()
    net.forward(X)
    made = net.replace(lambda m: nn.Identity() if m.typename() == "nn.Dropout" else m)
    assert made is net and net.get(2) is inner
    assert not net.findModules("nn.Dropout")[0]
    linear = inner.get(2)
    same(net.forward(X), X @ np.asarray(linear.weight).T + np.asarray(linear.bias))


def test_replace_refuses_what_a_cell_computes_at_once():
    for cell, kind in ((nn.GRU(2, 2), "nn.Sigmoid"), (nn.FastLSTM(2, 2), "nn.Tanh")):
        net = nn.Sequencer(cell)
        with pytest.raises(TypeError, match=rf"{cell.typename()}.*: expected {kind} to stay, .*, got nn.ReLU in its"):
            net.replace(lambda module, kind=kind: nn.ReLU() if module.typename() == kind else module)
        assert net.replace(lambda module: module) is net


def test_replace_can_replace_the_root():
    identity = nn.Identity()
    assert nn.Tanh().replace(lambda m: identity) is identity


def test_replace_sees_the_modules_inside_a_replacement():
    """As Torch: a replacement's own modules go through the callback, outer ones first."""
    net = nn.Sequential().add(nn.Tanh())

    def callback(module):
        return nn.ReLU() if module.typename() == "nn.Tanh" else module

    net.replace(callback)
    assert net.get(1).typename() == "nn.ReLU"


def test_containers_pass_modes_on():
    net = nn.Sequential().add(nn.ConcatTable().add(nn.Dropout()).add(nn.Identity()))
    net.evaluate()
    assert [m.train for m in net.listModules()] == [False] * 4
    net.apply(lambda m: setattr(m, "train", True))
    assert [m.train for m in net.listModules()] == [True] * 4
    assert net.forward(torch.ones(400))[0].min() == 0


def test_concat_joins_along_its_dimension():
    net = nn.Concat(2).add(nn.Linear(3, 2)).add(nn.Identity()).double()
    w, b = (np.asarray(p) for p in net.parameters()[0])
    same(net.forward(X), np.concatenate([X @ w.T + b, X], 1))
    g = values(5, 5, seed=3)
    same(net.backward(X, g), g[:, :2] @ w + g[:, 2:])


def test_an_empty_sequential_is_the_identity():
    same(nn.Sequential().double().forward(X), X)


def test_nested_containers_print_as_trees():
    """The form of Torch's sources: arrows, indents, and a blank before the last branch."""
    branch = nn.Sequential().add(nn.Linear(3, 2)).add(nn.Tanh())
    net = nn.Sequential().add(nn.ConcatTable().add(branch).add(nn.Identity())).add(nn.CAddTable())
    assert str(net) == (
        "nn.Sequential {\n"
        "  [input -> (1) -> (2) -> output]\n"
        "  (1): nn.ConcatTable {\n"
        "    input\n"
        "      |`-> (1): nn.Sequential {\n"
        "      |      [input -> (1) -> (2) -> output]\n"
        "      |      (1): nn.Linear(3 -> 2)\n"
        "      |      (2): nn.Tanh\n"
        "      |    }\n"
        "       `-> (2): nn.Identity\n"
        "       ... -> output\n"
        "  }\n"
        "  (2): nn.CAddTable\n"
        "}"
    )


def test_an_unknown_module_is_an_attribute_error():
    with pytest.raises(AttributeError, match="nn has no module 'Lineer'"):
        nn.Lineer(3, 2)
    assert "Linear" in dir(nn) and "MSECriterion" in dir(nn)


def test_clones_have_the_same_description_and_take_their_own_places():
    one = nn.Linear(3, 3)
    other = one.clone()
    assert other.description() is one.description()
    made = nn.Recurrent(3, feedback=other, input=one)
    own = [[each for each in made.listModules() if each is linear] for linear in (one, other)]
    assert list(map(len, own)) == [1, 1]
    one.weight.zero(), one.bias.zero()
    alone = np.array(made.forward(torch.ones(2, 3)))
    same(made.forward(torch.ones(2, 3)), 1 / (1 + np.exp(-np.asarray(other.forward(torch.Tensor(alone))))))
