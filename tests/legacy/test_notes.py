"""Tensors of an accelerator: what is computed of them is noted, and gives what the same calls give on the host."""

import copy
import pickle
import threading
import weakref
from typing import Any

import jax
import numpy as np
import pytest

from functorch7 import legacy
from functorch7.core import is_concrete
from functorch7.legacy import nn, torch
from functorch7.legacy.tensors.notes import notes_of

from .helpers import same


def drawn(random, tensors):
    """A call that a program might make, as a function of the tensors: in place, into views, with numbers, by copies."""
    at, other = random.integers(len(tensors), size=2)
    row, number = int(random.integers(1, 4)), float(np.round(random.normal(), 2))

    def apart(t):  # where views overlap, operations go element by element on the host alone
        return t[other].clone() if t[other].storage_ is t[at].storage_ else t[other]

    return [
        lambda t: t[at].add(number),
        lambda t: t[at].mul(number),
        lambda t: t[at].add(number, apart(t)),
        lambda t: t[at].cmul(apart(t)).tanh(),
        lambda t: t[at].select(2, row).copy(apart(t).select(1, row)),
        lambda t: t[at].narrow(1, 1, row).fill(number),
        lambda t: t[at].t().add(apart(t)),
        lambda t: t[at].copy(torch.mm(t[at], t[other]).div(10)),
        lambda t: t[at].zero(),
        lambda t: t[at].__setitem__((row, 2), number),
        lambda t: t[at].__setitem__(row, apart(t)[1]),
        lambda t: t[at].maskedFill(t[other].gt(0), number),
        lambda t: t[at].indexCopy(1, torch.LongTensor([row]), t[other].narrow(1, 1, 1).clone()),
        lambda t: t[at].indexAdd(2, torch.LongTensor([row, row]), t[other].narrow(2, 1, 2)),
        lambda t: t[at].copy(t[other].sum(2).expandAs(t[at])),
        lambda t: t[at].copy(torch.cat(t[other].narrow(2, 2, 2), t[at].select(2, 1).clone().view(3, 1))),
        lambda t: t[at].sum(),
        lambda t: t[at][row][1],
        lambda t: t[at].max(1)[1].totable(),
        lambda t: t[at].set(t[other]),
        lambda t: t[at].set(t[other].clone()),
        lambda t: t[at].apply(lambda x: x / 2),
    ][random.integers(22)]


@pytest.mark.parametrize("runs_at_once", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_any_program_gives_what_it_gives_on_the_host(accelerator, seed, runs_at_once):
    random = np.random.default_rng(seed)
    start = random.normal(size=(3, 3, 3))
    hosts = [torch.FloatTensor(each) for each in start]
    others = [each.cuda() for each in hosts]
    legacy.eager(runs_at_once)
    try:
        for _ in range(60):
            call = drawn(random, hosts)
            expected, found = call(hosts), call(others)
            if not isinstance(expected, torch.Tensor) and expected is not None:
                np.testing.assert_allclose(found, expected, 1e-4, 1e-5)
    finally:
        legacy.eager(False)
    for host, other in zip(hosts, others, strict=True):
        assert other.storage().place and host.storage().place is None
        np.testing.assert_allclose(np.asarray(other), np.asarray(host), 1e-4, 1e-5)


def test_a_loop_compiles_its_calls_once(accelerator):
    x, velocity = torch.CudaTensor([[1, 2], [3, 4]]), torch.CudaTensor(2, 2)

    def iterate(rate):
        velocity.mul(0.9).add(-rate, x)
        x.add(velocity)
        return float(x.norm())

    norms = [iterate(0.1 / (1 + each)) for each in range(3)]
    before = legacy.cache_info().programs
    norms += [iterate(0.1 / (1 + each)) for each in range(3, 20)]
    assert legacy.cache_info().programs == before
    position, moved, expected = np.array([[1.0, 2], [3, 4]]), np.zeros((2, 2)), []
    for each in range(20):
        moved = 0.9 * moved - 0.1 / (1 + each) * position
        position = position + moved
        expected.append(np.linalg.norm(position))
    np.testing.assert_allclose(norms, expected, 1e-5)


def test_what_is_still_held_in_some_rounds_compiles_nothing_new(accelerator):
    """As a garbage collector has it that lets go of a round's results at any time."""
    x, held, seen = torch.CudaTensor([[1, 2], [3, 4]]), [], []
    random = np.random.default_rng(0)
    for each in range(1, 41):
        results = [x + 1, x * x, torch.tanh(x), x.sum(2)]
        x.add(0.1, results[2])
        held += [results[at] for at in random.permutation(4)[: random.integers(4)]]
        del results
        held = held[random.integers(len(held) + 1) :] if each % 3 == 0 else held
        seen.append((float(x.norm()), legacy.cache_info().programs))
    assert seen[-1][1] - seen[0][1] <= 3
    expected, at = np.array([[1.0, 2], [3, 4]]), []
    for _ in range(40):
        expected = expected + 0.1 * np.tanh(expected)
        at.append(np.linalg.norm(expected))
    np.testing.assert_allclose([norm for norm, _ in seen], at, 1e-5)


def test_what_nobody_looks_at_runs_every_now_and_then_in_whole_rounds(accelerator):
    x = torch.CudaTensor(2)
    programs = []
    for each in range(1, 1501):
        x.add(1).mul(1)
        x.csub(0.5)
        if each % 500 == 0:
            programs.append(legacy.cache_info().programs)
    same(x, [750] * 2)
    assert programs[1] == programs[2]


TYPES = ["torch.CudaTensor", "torch.CudaDoubleTensor", "torch.CudaHalfTensor", "torch.CudaLongTensor"]


@pytest.mark.parametrize("name", TYPES)
def test_elements_stay_on_the_accelerator_in_their_type(accelerator, name):
    x = getattr(torch, name[6:])([[1, 2, 3], [4, 5, 6]])
    dtype = x.dtype
    writes = [
        (lambda: x.fill(2), [[2, 2, 2], [2, 2, 2]]),
        (lambda: x.copy(torch.range(1, 6)), [[1, 2, 3], [4, 5, 6]]),
        (lambda: x[1].copy(x[2]), [[4, 5, 6], [4, 5, 6]]),
        (lambda: x.__setitem__((1, 3), 7), [[4, 5, 7], [4, 5, 6]]),
        (lambda: x.storage().__setitem__(1, 9), [[9, 5, 7], [4, 5, 6]]),
        (lambda: x.zero(), [[0, 0, 0], [0, 0, 0]]),
        (lambda: x.add(1), [[1, 1, 1], [1, 1, 1]]),
        (lambda: x.t().cumsum(x.t().clone(), 2), [[1, 1, 1], [2, 2, 2]]),
        (lambda: x.resize(3, 3), [[1, 1, 1], [2, 2, 2], [0, 0, 0]]),
        (lambda: x.copy(copy.deepcopy(x).add(1)), [[2, 2, 2], [3, 3, 3], [1, 1, 1]]),
    ]
    for write, expected in writes:
        write()
        assert x.storage().place and x.dtype == dtype == x.array.dtype
        same(x, expected)
    same(pickle.loads(pickle.dumps(x)), expected)
    host = torch.Tensor(3, 3).type(name.replace("Cuda", "") if name != "torch.CudaTensor" else "torch.FloatTensor")
    assert host.copy(x).storage().place is None and x.type(host.type()).storage().place is None
    same(host, expected)


@pytest.mark.parametrize("name", TYPES)
def test_types_of_the_accelerator_have_names_of_their_own(accelerator, name):
    make = getattr(torch, name[6:])
    x, host = make(2, 3).fill(2), torch.DoubleTensor(2, 3)
    made = [
        x,
        x.clone(),
        x[1],
        x + x,
        x.t(),
        x.new(4),
        x.new([1, 2]),
        x.new(x.storage()),
        host.type(name),
        host.typeAs(x),
    ]
    for each in made:
        assert each.type() == torch.type(each) == torch.typename(each) == name and torch.isTypeOf(each, name)
        assert isinstance(each, make) and each.storage().place is not None and each.type(name) is each
        assert each.storage().type() == name.replace("Tensor", "Storage")
        assert not isinstance(each, (torch.FloatTensor, torch.DoubleTensor, torch.HalfTensor, torch.LongTensor))
    assert x.double().type() == "torch.DoubleTensor" and x.double().storage().place is None
    assert x.new(x.storage()).storage() is x.storage()
    assert name in str(x) and name in repr(x[1])


def test_errors_of_sizes_come_at_the_call_and_say_its_name(accelerator):
    x, y = torch.CudaTensor(2, 3), torch.CudaTensor(4)
    with pytest.raises(ValueError, match="torch.add: expected tensors of as many elements, got sizes 2x3 and 4"):
        x.add(y)
    with pytest.raises(ValueError, match="torch.mm: expected tensors of sizes ixj and jxk"):
        torch.mm(x, x)
    with pytest.raises(IndexError, match="torch.sum: dimension 3 out of range"):
        x.sum(3)
    same(x.add(1), np.ones((2, 3)))


def test_what_is_given_may_change_before_somebody_looks(accelerator):
    x, given, host = torch.CudaTensor(2), np.ones(2, np.float32), torch.FloatTensor([1, 2])
    x.add(torch.FloatTensor(given)).copy(x + host)
    host.fill(9)
    y = x.clone()
    x.cmul(given)
    given[:] = 5
    y.add(1)
    same(x, [2, 3])
    same(y, [3, 4])


def test_networks_take_what_is_noted(accelerator):
    def trained(move):
        torch.manualSeed(3)
        net, criterion = (
            move(nn.Sequential().add(nn.Linear(3, 4)).add(nn.Tanh()).add(nn.Linear(4, 2))),
            nn.MSECriterion(),
        )
        parameters, gradients = net.getParameters()
        x, y = move(torch.FloatTensor(5, 3).uniform()), move(torch.FloatTensor(5, 2).uniform())
        losses = []
        for _ in range(4):
            gradients.zero()
            output = net.forward(x.clone().mul(0.5).add(1))
            losses.append(criterion.forward(output, y))
            net.backward(x, criterion.backward(output, y).mul(2))
            gradients.mul(min(1, 0.5 / gradients.norm())).add(1e-3, parameters)
            parameters.add(-0.5, gradients)
        return losses, np.asarray(parameters)

    (losses, parameters), (expected, right) = trained(lambda each: each.cuda()), trained(lambda each: each)
    np.testing.assert_allclose(losses, expected, 1e-5)
    np.testing.assert_allclose(parameters, right, 1e-4, 1e-5)


def test_traced_code_takes_what_is_noted_as_a_constant(accelerator):
    x = torch.CudaTensor([1, 2]).add(1)
    same(jax.jit(lambda y: y + x.array)(np.ones(2, np.float32)), [3, 4])
    same(x.add(1), [3, 4])


def test_threads_may_look_at_what_others_noted(accelerator):
    x = torch.CudaTensor([1, 2])
    found = []
    for _ in range(20):
        x.add(1)
        threads = [threading.Thread(target=lambda: found.append(x.sum())) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(found) == [3 + 2 * (each // 4 + 1) for each in range(80)]


def test_a_call_that_fails_on_the_device_spoils_what_follows_from_it_alone(accelerator):
    def without_room(array):
        if is_concrete(array):
            raise MemoryError("no room")
        return array + 1

    x, y = torch.CudaTensor([1, 2]), torch.CudaTensor([3, 4])
    place: Any = x.storage().place
    y.array = notes_of(place).note(without_room, y.noted)
    x.add(1)
    z, total = y.clone().mul(2), x.sum()
    for lost in (x, y, z, y):  # whoever looks first hears of it
        with pytest.raises(MemoryError, match="no room"):
            float(lost[1])
    assert total == 5
    same(x.add(1), [3, 4])
    same(y.fill(1).add(1), [2, 2])


def test_tensors_of_two_accelerators_are_not_combined(accelerator):
    x, elsewhere = torch.CudaTensor([1, 2]), notes_of(frozenset({"another"})).known(np.ones(2, np.float32))
    with pytest.raises(ValueError, match="expected tensors that lie together, got some on another and cpu:0; copy"):
        x.add(torch.Tensor.of(elsewhere))
    same(x.add(1), [2, 3])


def test_what_was_written_over_is_let_go(accelerator):
    x = torch.CudaTensor([1, 2, 3])
    x.narrow(1, 2, 2).sum()
    for write in (lambda: x.add(1), x.zero, lambda: x.storage().__setitem__(1, 5)):
        float(x.sum())
        x.narrow(1, 2, 2).sum()
        before = weakref.ref(x.storage().array)
        write()
        float(x.sum())
        assert before() is None


@pytest.mark.parametrize("name", ["sum", "mean", "std", "var", "norm", "dot", "dist"])
def test_numbers_of_many_elements_of_16_bits_have_room(accelerator, name):
    host = torch.HalfTensor(np.resize([0.25, 1.5, 2, 3.5], (400, 250)))
    x, others = host.type("torch.CudaHalfTensor"), {"dot": lambda t: [t], "dist": lambda t: [t.clone().zero()]}
    found, expected = (getattr(t, name)(*others.get(name, lambda t: [])(t)) for t in (x, host))
    np.testing.assert_allclose(found, expected, 1e-5)
    if name in ("sum", "mean", "std", "var"):
        along = getattr(x, name)(2)
        assert along.type() == x.type()
        same(along, np.asarray(getattr(host, name)(2)), 1e-3)


def test_classes_are_drawn_to_where_their_weights_lie(accelerator):
    drawn = torch.multinomial(torch.CudaTensor([[0, 0, 3], [2, 0, 0]]), 2, True)
    assert drawn.type() == "torch.CudaLongTensor" and drawn.totable() == [[3, 3], [1, 1]]


def test_constructors_of_the_accelerators_types_take_strides(accelerator):
    sizes, strides = torch.LongStorage([2, 3]), torch.LongStorage([1, 0])
    for x in (torch.CudaTensor(sizes, strides), torch.CudaTensor(torch.CudaStorage([5, 6]), 1, sizes, strides)):
        assert x.stride().totable() == [1, 0] and len(x.storage()) == 2 and x.type() == "torch.CudaTensor"
        assert x.getDevice() == x.storage().getDevice() == 1
    same(x, [[5, 5, 5], [6, 6, 6]])
