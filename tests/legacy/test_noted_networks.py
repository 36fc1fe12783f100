"""Networks on an accelerator: their calls are noted, and give what the same calls give on the host."""

import math
import operator
import pickle
import weakref
from functools import partial

import jax
import numpy as np
import pytest

from functorch7 import legacy, programs
from functorch7.legacy import nn, optim, torch
from functorch7.legacy.tensors.number import Number
from functorch7.legacy.tensors.values import as_input, as_noted, noted, unwrapped
from functorch7.lua import Runtime

from .any_calls import NETWORKS, WAITING, Program
from .helpers import same


@pytest.mark.one_in(5)
@pytest.mark.parametrize("waits", [False, True])
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("is_flat", [False, True])
@pytest.mark.parametrize("name", NETWORKS)
def test_any_calls_give_what_they_give_on_the_host(request, name, is_flat, seed, waits):
    calls = np.random.default_rng(seed).choice(Program.CALLS, 60)
    if waits:  # forward for the criterion; which it does where both come after each other
        calls = [each for call in calls[:30] for each in (*Program.STEP, call)]

    def run(move):
        program = Program(name, is_flat, move)
        torch.manualSeed(5)
        for call in calls:
            getattr(program, call)()
        return program

    host = run(lambda each: each)
    request.getfixturevalue("accelerator")
    together = request.getfixturevalue("together") if waits else []
    other = run(lambda each: each.cuda())
    assert bool(together) == (waits and name in WAITING)
    np.testing.assert_allclose(np.array(other.seen, float), np.array(host.seen, float), 1e-3, 1e-4)
    for mine, theirs in zip(other.net.parameters()[0], host.net.parameters()[0], strict=True):
        assert mine.storage().place
        np.testing.assert_allclose(np.asarray(mine), np.asarray(theirs), 1e-3, 1e-4)


def rounds(move, count, step, look_every=1):
    """Losses of a training, as they come, and the flat parameters."""
    torch.manualSeed(3)
    net, criterion = move(NETWORKS["tanh"]()), move(nn.MSECriterion())
    parameters, gradients = net.getParameters()
    x, y = move(torch.FloatTensor(5, 3).uniform()), move(torch.FloatTensor(5, 3).uniform())
    losses = []

    def closure(_):
        gradients.zero()
        loss = criterion.forward(net.forward(x), y)
        net.backward(x, criterion.backward(net.output, y))
        return loss, gradients

    for each in range(count):
        loss = step(net, closure, parameters, gradients)
        if each % look_every == 0:
            losses.append(float(loss))
    return losses, parameters


def by_update(net, closure, parameters, _):
    loss, _ = closure(parameters)
    net.updateParameters(0.1)
    return loss


def by_optimiser(name, config):
    state, config = {}, dict(config)
    return lambda net, closure, parameters, _: getattr(optim, name)(closure, parameters, config, state)[1][0]


STEPS = {
    "updateParameters": lambda: by_update,
    "sgd": lambda: by_optimiser("sgd", {"learningRate": 0.1, "momentum": 0.9, "weightDecay": 1e-3}),
    "adam": lambda: by_optimiser("adam", {"learningRate": 0.01}),
    "rmsprop": lambda: by_optimiser("rmsprop", {"learningRate": 0.01}),
    "nag": lambda: by_optimiser("nag", {"learningRate": 0.01}),
}


@pytest.mark.parametrize("look_every", [1, 7])
@pytest.mark.parametrize("step", STEPS)
def test_a_training_is_the_hosts_and_compiles_a_few_programs(request, step, look_every):
    expected, right = rounds(lambda each: each, 40, STEPS[step](), look_every)
    request.getfixturevalue("accelerator")
    for _ in range(2):  # what is noted for the second time is compiled
        rounds(lambda each: each.cuda(), 40, STEPS[step](), look_every)
    before = legacy.cache_info().programs
    losses, parameters = rounds(lambda each: each.cuda(), 40, STEPS[step](), look_every)
    assert legacy.cache_info().programs <= before + 2  # parts of a storage are cut out by one program, at last
    assert parameters.storage().place
    np.testing.assert_allclose(losses, expected, 1e-3, 1e-5)
    np.testing.assert_allclose(np.asarray(parameters), np.asarray(right), 1e-3, 1e-4)


def test_lua_gets_a_number(accelerator):
    runtime = Runtime()
    program = """
        require 'nn'
        local criterion, x = nn.MSECriterion():cuda(), torch.CudaTensor({1, 2})
        local loss = criterion:forward(x, torch.CudaTensor({3, 5}))
        return type(loss), loss, type(criterion.output), string.format('%.2f', loss)
    """
    assert runtime.execute(program) == ("number", 6.5, "number", "6.50")
    runtime.close()


def test_gradients_go_to_the_tensors_that_are_there_at_backward(accelerator):
    net = nn.Linear(3, 2).cuda()
    x, gradient = torch.CudaTensor([[1, 2, 3]]), torch.CudaTensor([[1, -1]])
    net.forward(x)
    before, net.gradWeight = net.gradWeight, torch.CudaTensor(2, 3).fill(1)
    net.backward(x, gradient)
    same(net.gradWeight, [[2, 3, 4], [0, -1, -2]])
    same(before, np.zeros((2, 3)))


def test_equal_networks_share_their_programs_and_take_classes_of_64_bits(accelerator):
    """What is noted of one network is compiled once for all that are like it."""
    x, y = torch.FloatTensor(5, 3).uniform().cuda(), torch.LongTensor([1, 2, 4, 3, 1])

    def trained():
        net = nn.Sequential().add(nn.Linear(3, 4)).add(nn.LogSoftMax()).cuda()
        criterion, losses = nn.ClassNLLCriterion().cuda(), []
        for _ in range(4):
            losses.append(float(criterion.forward(net.forward(x), y)))
            net.zeroGradParameters()
            net.backward(x, criterion.backward(net.output, y))
            net.updateParameters(0.5)
        return losses

    several = [trained() for _ in range(3)]  # what is noted for the second time is compiled
    before = legacy.cache_info().programs
    several += [trained(), trained()]
    assert legacy.cache_info().programs == before
    assert all(each[-1] < each[0] for each in several)


@pytest.mark.parametrize(
    ("layer", "x"),
    [(lambda: nn.Linear(3, 4), torch.FloatTensor(5, 3).fill(0.5)), (lambda: nn.LookupTable(6, 4), torch.range(1, 5))],
    ids=["numbers", "words, which are checked"],
)
def test_a_round_is_one_program(layer, x, accelerator, monkeypatch):
    started = []
    call = programs.Compiled.__call__
    monkeypatch.setattr(programs.Compiled, "__call__", lambda self, *args: started.append(self) or call(self, *args))
    net = nn.Sequential().add(layer()).add(nn.Tanh()).add(nn.Linear(4, 3)).cuda()
    criterion, x, y = nn.MSECriterion().cuda(), x.cuda(), torch.FloatTensor(5, 3).uniform().cuda()

    def iterate():
        loss = criterion.forward(net.forward(x), y)
        net.zeroGradParameters()
        net.backward(x, criterion.backward(net.output, y))
        net.updateParameters(0.1)
        return float(loss)

    losses = [iterate() for _ in range(4)]
    started.clear()
    losses += [iterate() for _ in range(10)]
    assert len(started) == 10 and losses == sorted(losses, reverse=True)


def test_a_call_that_is_looked_at_by_itself_is_compiled_once(accelerator):
    net, x = NETWORKS["tanh"]().cuda(), torch.FloatTensor(6, 3).uniform().cuda()
    first = net.forward(x).totable()
    before = legacy.cache_info().programs
    assert [net.forward(x).totable() for _ in range(3)] == [first] * 3
    assert legacy.cache_info().programs == before


def test_errors_of_shapes_come_at_the_call(accelerator):
    net = NETWORKS["tanh"]().cuda()
    output = net.forward(torch.CudaTensor(2, 3))
    with pytest.raises(ValueError, match=r"nn.Linear\(3 -> 4\): expected input of size 3"):
        net.forward(torch.CudaTensor(2, 5))
    with pytest.raises(ValueError, match="expected a gradOutput of shape"):
        NETWORKS["tanh"]().cuda().backward(torch.CudaTensor(2, 3), torch.CudaTensor(7))
    with pytest.raises(ValueError, match="nn.MSECriterion"):
        nn.MSECriterion().cuda().forward(output, torch.CudaTensor(5, 7))


def test_views_made_anew_are_what_forward_was_given(accelerator):
    """Nothing is fetched to find out; what has been written since is another input, and what was is let go."""
    x, net = torch.rand(6, 3).cuda(), nn.Linear(3, 2).cuda()
    first = x.narrow(1, 2, 2).noted
    assert x.narrow(1, 2, 2).noted is first and x.narrow(1, 3, 2).noted is not first
    output = net.forward(x.narrow(1, 2, 2))
    net.zeroGradParameters()
    net.backward(x.narrow(1, 2, 2), output)
    expected = output.t() @ x.narrow(1, 2, 2)
    same(net.gradWeight, expected)
    x.mul(2)
    assert x.narrow(1, 2, 2).noted is not first
    net.zeroGradParameters()
    net.backward(x.narrow(1, 2, 2), output)
    same(net.gradWeight, expected * 2)
    kept = weakref.ref(x.storage().noted)
    x.fill(1)
    assert kept() is None


def test_a_loss_is_a_float_wherever_it_is_used(accelerator):
    x, y = torch.CudaTensor([1, 2]), torch.CudaTensor([3, 5])
    loss = nn.MSECriterion().cuda().forward(x, y)
    assert type(loss) is Number and loss == 6.5 and not loss != 6.5 and loss < 7 <= loss + 1 and hash(loss) == hash(6.5)
    used = [float, repr, str, bool, int, abs, round, math.sqrt, math.floor, operator.neg, "{:.3f}".format]
    used.append(lambda number: pickle.loads(pickle.dumps(number)))
    assert [each(loss) for each in used] == [each(6.5) for each in used]
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"):
        function = getattr(operator, name)
        assert function(loss, 2) == function(6.5, 2) and function(2, loss) == function(2, 6.5)
        assert function(loss, loss) == function(6.5, 6.5)
    assert divmod(loss, 2) == divmod(6.5, 2) and f"{loss:5.1f} %.2f" % loss == "  6.5 6.50"
    assert sum([loss, loss]) == 13 and max(loss, 1) == 6.5 and loss.is_integer() is False
    same(np.array([loss, 1.5]).astype(float), [6.5, 1.5])
    same(np.asarray(loss) + np.ones(2), [7.5, 7.5])
    same(torch.CudaTensor(2).fill(loss), [6.5, 6.5])
    same(torch.FloatTensor([1, 2]) * loss, [6.5, 13])


@pytest.mark.parametrize("how", ["total + loss", "loss + total", "total + loss / 3", "2 * total - loss * total"])
def test_sums_of_losses_are_those_of_floats(how, accelerator):
    """However many there are, and whatever they consist of; nothing is fetched before a sum is used."""
    criterion, random = nn.MSECriterion().cuda(), np.random.default_rng(0)
    total = exact = 0.0
    for i in range(250):
        loss = criterion.forward(torch.CudaTensor(random.random(2)), torch.CudaTensor([0, 1]))
        assert i or type(0.0 + loss) is Number
        exact = eval(how, {"total": exact, "loss": float(criterion.output)})
        total = eval(how, {"total": total, "loss": loss})
        if i > 20 and "2 *" in how:
            total = exact = 0.0
    assert total == exact and float(total) == exact


GIVEN = {
    "a number": 2, "a fraction": 0.5, "numbers": [1, 2.5], "rows": [[1, 2], [3, 4]], "rows of rows": [[[1], [2]]],
    "rows of different lengths": [[1, 2], [3]], "a table of rows": [torch.Tensor([1, 2]), [[1, 2], [3, 4]]],
    "tables of tensors": [[torch.Tensor([1])], [torch.LongTensor([2]), 3]], "NumPy's": [np.ones(2), np.arange(3)],
    "by name": {"x": torch.Tensor([[1]]), "y": [[1, 2], [3, 4]]}, "pairs": ((1, 2), torch.Tensor([3])),
    "none": [], "truth": True,
}  # fmt: skip


@pytest.mark.parametrize("name", GIVEN)
def test_calls_that_wait_are_given_what_calls_at_once_are(name):
    value = GIVEN[name]
    for is_table in (False, True):
        ways = [(unwrapped, noted), (partial(as_input, is_table=is_table), partial(as_noted, is_table=is_table))]
        for at_once, waiting in ways:
            (one, of_one), (other, of_other) = (jax.tree.flatten(read(value)) for read in (at_once, waiting))
            assert of_one == of_other
            for mine, theirs in zip(one, other, strict=True):
                np.testing.assert_array_equal(mine, theirs, strict=True)


def test_a_criterion_inside_of_a_graph_is_noted_too(request):
    def losses(move):
        torch.manualSeed(2)
        x, y = nn.Identity()(), nn.Identity()()
        criterion = nn.ClassNLLCriterion(torch.FloatTensor([1, 2, 3]))
        scores = nn.LogSoftMax()(nn.Linear(4, 3)(nn.Tanh()(x)))
        net = move(nn.gModule([x, y], [criterion([scores, y]), scores]))
        given = [move(torch.FloatTensor(5, 4).uniform()), torch.LongTensor([1, 2, 3, 1, 2])]
        found = []
        for step in range(6):
            loss, _ = net.forward(given)
            net.zeroGradParameters()
            net.backward(given, [torch.FloatTensor([1]), move(torch.zeros(5, 3))])
            net.updateParameters(0.5)
            if step == 3:
                criterion.weights.mul(2)  # which nobody is told of
            found.append(float(loss[1]))
        return found

    expected = losses(lambda each: each)
    request.getfixturevalue("accelerator")
    np.testing.assert_allclose(losses(lambda each: each.cuda()), expected, 1e-4)
    assert len(set(expected)) == 6


NO_TENSORS = {"a text": "no", "an object": nn.Identity(), "a set": {1}, "a text in a table": [np.ones((2, 3)), "no"]}


@pytest.mark.parametrize("wrong", NO_TENSORS.values(), ids=NO_TENSORS)
def test_what_is_no_tensor_is_refused_in_the_same_words_once_the_network_has_learned_there(request, wrong):
    x = np.ones((2, 3), np.float32)

    def said(move):
        net = move(NETWORKS["tanh"]())
        net.forward(move(torch.Tensor(x)))
        net.backward(move(torch.Tensor(x)), move(torch.Tensor(x)))
        net.updateParameters(0.1)
        found = []
        for call in (lambda: net.forward(wrong), lambda: net.backward(wrong, x), lambda: net.backward(x, wrong)):
            net.forward(x)
            with pytest.raises((TypeError, ValueError)) as error:
                call()
            found.append((type(error.value), str(error.value)))
        return found

    on_the_host = said(lambda each: each)
    request.getfixturevalue("accelerator")
    assert said(lambda each: each.cuda()) == on_the_host
