"""What modules hand on: Torch's aliasing, where a module is called itself."""

import numpy as np
import pytest

from functorch7.legacy import nn, nngraph, torch


def tensor(*values):
    return torch.Tensor(values)


A, B, C = (tensor(i, i + 1) for i in range(3))

ROUTES = {
    "Identity": (nn.Identity(), A, A),
    "a table": (nn.Identity(), [A, [B]], [A, [B]]),
    "SelectTable": (nn.SelectTable(-1), [A, B], B),
    "an inner table": (nn.SelectTable(2), [A, [B, C]], [B, C]),
    "NarrowTable": (nn.NarrowTable(2, 2), [A, B, C], [B, C]),
    "FlattenTable": (nn.FlattenTable(), [A, [B, [C]]], [A, B, C]),
    "ZipTable": (nn.ZipTable(), [[A, B], [B, C]], [[A, B], [B, C]]),
    "ReverseTable": (nn.ReverseTable(), [A, B], [B, A]),
    "JustTable": (nngraph.JustTable(), A, [A]),
    "JustElement": (nngraph.JustElement(), [A], A),
}


def leaves(table):
    return [leaf for each in table for leaf in leaves(each)] if isinstance(table, list) else [table]


@pytest.mark.parametrize("name", ROUTES)
def test_outputs_are_the_tensors_of_the_input(name):
    module, input, expected = ROUTES[name]
    module.float()
    for given, wanted in ((input, expected), (_double(input), _double(expected))):
        output = module.forward(given)
        assert all(mine.type() == theirs.type() for mine, theirs in zip(leaves(output), leaves(wanted), strict=True))
    output = module.forward(input)
    assert module.output is output
    assert [id(leaf) for leaf in leaves(output)] == [id(leaf) for leaf in leaves(expected)]


def test_numbers_and_texts_are_handed_on_as_dpnn_documents_it():
    assert nn.ZipTable().forward([["a1", "a2"], ["b1", "b2"]]) == [["a1", "b1"], ["a2", "b2"]]
    assert nn.ZipTableOneToMany().forward(["el", ["a", "b"]]) == [["el", "a"], ["el", "b"]]
    assert nn.ReverseTable().forward([1, 2.5, 3]) == [3, 2.5, 1]
    assert nn.Identity().forward(3) == 3 and nn.SelectTable(2).forward(["a", ["b", 4]]) == ["b", 4]


def _double(table):
    return [_double(each) for each in table] if isinstance(table, list) else table.clone().double()


@pytest.mark.parametrize("name", ROUTES)
def test_gradients_are_those_of_the_compiled_network(name):
    module, input, expected = ROUTES[name]
    network = nn.Sequential().add(module.clone())
    network.forward(input)
    gradOutput = [[tensor(7, 8), [tensor(9, 1)]], tensor(3, 4)][not isinstance(expected, list)]
    flat = iter([tensor(7, 8), tensor(9, 1), tensor(3, 4), tensor(5, 6)])
    gradOutput = _filled(expected, flat)
    wanted = network.backward(input, gradOutput)
    found = module.backward(input, gradOutput)
    assert module.gradInput is found
    for mine, theirs in zip(leaves(found), leaves(wanted), strict=True):
        np.testing.assert_array_equal(mine, theirs)


def _filled(table, flat):
    return [_filled(each, flat) for each in table] if isinstance(table, list) else next(flat)


def test_gradients_are_handed_on_too():
    gradient = tensor(1, 2)
    assert nn.Identity().backward(A, gradient) is gradient
    assert nn.FlattenTable().backward([[A], B], [gradient, B])[0][0] is gradient
    selected = nn.SelectTable(1).backward([A, B], gradient)[0]  # a copy, in Torch
    assert selected is not gradient and selected.totable() == [1, 2]
    both = nn.ZipTableOneToMany().backward([A, [B, C]], [[gradient, B], [gradient, C]])
    assert both[0].totable() == [2, 4] and gradient.totable() == [1, 2]


def test_a_wrong_gradient_is_refused_as_everywhere():
    with pytest.raises(ValueError, match="expected a gradOutput of shape"):
        nn.Identity().backward(A, tensor(1, 2, 3))


def test_hooks_see_what_is_handed_on():
    module, seen = nn.Identity(), []
    module.register_forward_hook(lambda module, input, output: seen.append(output.totable()))
    assert module.forward(A) is not A and seen == [[0, 1]]


def test_flattening_the_same_tensors_again_gives_the_same_table():
    module = nn.FlattenTable()
    input = [A, [B, [C]]]
    output, places = module.forward(input), module.input_map
    assert places == [1, [2, [3]]]
    assert module.forward(input) is output and module.input_map is places
    input[1].append(A)
    assert module.forward(input) is not output and module.input_map == [1, [2, [3], 4]]


def test_copies_have_their_types_both_ways():
    copy = nn.Copy("torch.DoubleTensor", "torch.FloatTensor")
    input = tensor(1.5, 2.5).double()
    output = copy.forward(input)
    gradient = copy.backward(input, output)
    assert (output.type(), gradient.type()) == ("torch.FloatTensor", "torch.DoubleTensor")
    assert output.totable() == gradient.totable() == [1.5, 2.5]
    copy.dontCast = True
    assert copy.double().forward(input).type() == "torch.FloatTensor"
    same = nn.Copy("torch.FloatTensor", "torch.FloatTensor")
    assert same.forward(A) is A and same.backward(A, B) is B
    assert nn.Copy("torch.FloatTensor", "torch.FloatTensor", True).forward(A) is not A


def test_a_copy_inside_a_network_changes_the_type_of_what_follows():
    first, second = nn.Linear(3, 2), nn.Linear(2, 2).double()
    net = nn.Sequential(first, nn.Copy("torch.FloatTensor", "torch.DoubleTensor"), second)
    x, g = torch.rand(4, 3), torch.rand(4, 2).double()
    hidden, weight = first.forward(x).numpy(), second.weight.numpy()
    output = net.forward(x)
    assert output.type() == "torch.DoubleTensor"
    np.testing.assert_allclose(output.numpy(), hidden @ weight.T + second.bias.numpy(), rtol=1e-12)
    assert net.backward(x, g).type() == first.gradWeight.type() == "torch.FloatTensor"
    np.testing.assert_allclose(second.gradWeight.numpy(), g.numpy().T @ hidden, rtol=1e-12)
    np.testing.assert_allclose(first.gradWeight.numpy(), (g.numpy() @ weight).T @ x.numpy(), rtol=1e-5)


X = np.arange(6.0).reshape(2, 3) / 3  # no number but 0 and 1 is the same in single precision

REARRANGING = {
    "View": (nn.View(3, 2), X.reshape(3, 2)),
    "Reshape": (nn.Reshape(6), X.reshape(6)),
    "Select": (nn.Select(1, 2), X[1]),
    "Narrow": (nn.Narrow(2, 2, 2), X[:, 1:]),
    "Unsqueeze": (nn.Unsqueeze(1), X[None]),
    "Transpose": (nn.Transpose([1, 2]), X.T),
    "SplitTable": (nn.SplitTable(1), list(X)),
}


@pytest.mark.parametrize("name", REARRANGING)
def test_modules_that_rearrange_keep_the_inputs_type_and_its_digits(name):
    module, expected = REARRANGING[name]
    expected = expected if isinstance(expected, list) else [expected]
    output = module.float().forward(torch.DoubleTensor(X))
    for mine, theirs in zip(leaves([output]), expected, strict=True):
        assert mine.type() == "torch.DoubleTensor"
        np.testing.assert_array_equal(mine, theirs)
    gradInput = module.backward(torch.DoubleTensor(X), output)
    assert gradInput.type() == "torch.FloatTensor"  # the module's, as in Torch
    assert all(mine.type() == "torch.DoubleTensor" for mine in leaves([module.output]))
    assert all(mine.type() == "torch.FloatTensor" for mine in leaves([module.forward(torch.FloatTensor(X))]))


TAKING_CLASSES = {
    "LookupTable": lambda x, t: nn.LookupTable(5, 2).forward(t),
    "inside a network": lambda x, t: nn.Sequential().add(nn.Identity()).add(nn.LookupTable(5, 2)).forward(t),
    "masked": lambda x, t: nn.LookupTableMaskZero(5, 2).forward(t),
    "noise contrastive": lambda x, t: nn.NCEModule(3, 5, 2, torch.ones(5)).forward([x, t]),
    "one of a sequence": lambda x, t: nn.Sequencer(nn.NCEModule(3, 5, 2, torch.ones(5))).forward([[x, t]])[0],
    "ClassNLLCriterion": lambda x, t: nn.ClassNLLCriterion().forward(x, t),
    "its gradient": lambda x, t: nn.ClassNLLCriterion().backward(x, t),
    "MultiMarginCriterion": lambda x, t: nn.MultiMarginCriterion().forward(x, t),
    "in a sequence": lambda x, t: nn.SequencerCriterion(nn.CrossEntropyCriterion()).forward([x], [t]),
}


@pytest.mark.parametrize("name", TAKING_CLASSES)
def test_whole_numbers_that_modules_give_are_taken_as_those_that_users_give(name, devices_there):
    """LongTensors that a network has handed on are classes and indices for others, which compute in 32 bits."""
    targets = torch.LongTensor([[1, 3], [3, 2]])
    for target in nn.SplitTable(1).forward(targets):
        seen = []
        for given in (target, torch.LongTensor(target.totable())):
            torch.manualSeed(1)
            found = TAKING_CLASSES[name](torch.rand(2, 3), given)
            seen.append(np.concatenate([np.ravel(each) for each in (found if isinstance(found, list) else [found])]))
        np.testing.assert_array_equal(*seen)


PIXELS = np.random.default_rng(0).normal(size=(1, 2, 4, 4))
WHOLE = {
    "output": lambda cast: nn.ArgMax(1).type(cast).forward(torch.Tensor(PIXELS).type(cast)),
    "inside": lambda cast: (
        (net := nn.Sequential().add(nn.ArgMax(1)).add(nn.Identity()).type(cast))
        and (net.forward(torch.Tensor(PIXELS).type(cast)), net.get(1).output)[1]
    ),
    "in a table": lambda cast: (
        nn.ConcatTable().add(nn.ArgMax(1)).type(cast).forward(torch.Tensor(PIXELS).type(cast))[0]
    ),
    "of a pooling": lambda cast: (
        (pool := nn.SpatialMaxPooling(2, 2).type(cast))
        and (pool.forward(torch.Tensor(PIXELS).type(cast)), pool.indices)[1]
    ),
}


@pytest.mark.parametrize("cast", ["torch.FloatTensor", "torch.DoubleTensor", "torch.CudaTensor"])
@pytest.mark.parametrize("name", WHOLE)
def test_whole_numbers_of_networks_are_long_tensors(name, cast, request):
    if cast == "torch.CudaTensor":
        request.getfixturevalue("accelerator")
    assert WHOLE[name](cast).type() == ("torch.CudaLongTensor" if "Cuda" in cast else "torch.LongTensor")


def test_a_module_that_says_so_gives_other_whole_numbers():
    net = nn.Sequential().add(nn.ArgMax(1)).add(nn.Copy("torch.LongTensor", "torch.IntTensor"))
    assert net.forward(torch.Tensor(PIXELS)).type() == "torch.IntTensor"


ROWS = {
    "alone": lambda table, index: table.half().forward(index),
    "in a chain": lambda table, index: nn.Sequential().add(table).half().forward(index),
    "beside others": lambda table, index: (
        nn.ParallelTable().add(table).add(nn.Linear(1, 1)).half().forward([index, torch.FloatTensor([[1]])])[0]
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_indices_beyond_those_of_16_bits_name_their_rows_in_networks_of_half_precision(name):
    table = nn.LookupTable(5000, 1)
    table.weight.copy(np.arange(5000)[:, None] % 7)
    rows = ROWS[name](table, torch.FloatTensor([3001, 4099]))
    assert rows.type() == "torch.HalfTensor" and rows.totable() == [[3000 % 7], [4098 % 7]]


@pytest.mark.parametrize("name", ["cudaHalf", "cudaDouble"])
def test_modules_and_criterions_move_in_other_precisions(name, accelerator):
    for each in (nn.Linear(2, 3), nn.MSECriterion()):
        assert getattr(each, name)().gradInput.type() == f"torch.C{name[1:]}Tensor"


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", TAKING_CLASSES)
def test_whole_numbers_on_an_accelerator_are_taken_as_those_of_the_host(name, accelerator):
    seen = []
    for kind in ("torch.LongTensor", "torch.CudaLongTensor"):
        torch.manualSeed(1)
        found = TAKING_CLASSES[name](torch.rand(2, 3).cuda(), torch.LongTensor([1, 3]).type(kind))
        seen.append(np.concatenate([np.ravel(each) for each in (found if isinstance(found, list) else [found])]))
    np.testing.assert_array_equal(*seen)


def test_a_mask_of_zeros_in_double_precision():
    criterion = nn.SequencerCriterion(nn.MaskZeroCriterion(nn.MSECriterion(), 1)).double()
    x = [torch.DoubleTensor([[1, 2], [0, 0]])]
    assert criterion.forward(nn.Identity().double().forward(x), [torch.DoubleTensor([[1, 3], [5, 5]])]) == 0.5
