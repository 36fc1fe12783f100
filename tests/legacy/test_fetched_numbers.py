"""A number that an accelerator computes (a loss, a norm) may be given wherever a float may be."""

import functools
import statistics
import threading

import jax.numpy as jnp
import numpy as np
import pytest

from functorch7.legacy import nn, optim, torch
from functorch7.legacy.tensors.number import Number

from .helpers import same

TYPES = ["Float", "Byte", "Int", "CudaDouble", "CudaByte", "Cuda"]
ON_TENSORS = {
    "in place": lambda x, n: x.add(n).mul(n).cmax(n).fmod(n),
    "with a tensor": lambda x, n: x.add(n, x).addcmul(n, x, x),
    "fill": lambda x, n: x.fill(n),
    "compared": lambda x, n: x.lt(n),
    "on the right": lambda x, n: x + n * x,
    "on the left": lambda x, n: n * x - n,
    "quotient": lambda x, n: x / n,
    "at places": lambda x, n: x.maskedFill(x.gt(2), n).indexFill(1, torch.LongTensor([1]), n),
    "an element": lambda x, n: (x.__setitem__((1, 2), n), x)[1],
    "of a storage": lambda x, n: (x.storage().__setitem__(2, n), x)[1],
    "a whole storage": lambda x, n: (x.storage().fill(n), x)[1],
    "in a table": lambda x, n: x.copy([[n, 1], [2, n]]),
    "a norm's power": lambda x, n: torch.Tensor([x.float().cuda().norm(n)]),
    "clamp": lambda x, n: x.clamp(1, n),
    "drawn": lambda x, n: (torch.manualSeed(n), x.random(1, n))[1],
}


@pytest.mark.parametrize("use", ON_TENSORS)
def test_tensors_take_it(use, accelerator):
    for name in TYPES:
        found, expected = (
            ON_TENSORS[use](getattr(torch, f"{name}Tensor")([[1, 2], [3, 4]]), number)
            for number in (torch.CudaTensor([1, 1.5]).sum(), 2.5)
        )
        assert found.type() == expected.type()
        same(found, expected, 1e-6)


def stepped(use):
    """A number's use by a layer, as the parameters after it."""

    def parameters(n):
        torch.manualSeed(1)
        layer, x, gradient = nn.Linear(3, 2).cuda(), torch.ones(2, 3).cuda(), torch.ones(2, 2).cuda()
        layer.zeroGradParameters()
        layer.forward(x)
        layer.backward(x, gradient)
        use(layer, n, x, gradient)
        return [np.asarray(each) for each in (*layer.parameters()[0], *layer.parameters()[1])]

    return parameters


def optimised(n):
    x = torch.CudaTensor([1, 2])
    optim.sgd(lambda _: (x.dot(x), x * 2), x, {"learningRate": n / 10, "momentum": n / 10})
    return x


def drawn(draw):
    torch.manualSeed(2)
    return np.asarray(draw())


USES = {
    "sizes": lambda n: [torch.zeros(n, 2).shape, torch.Tensor(n).shape, torch.CudaTensor(3, n).resize(n).shape],
    "a storage": lambda n: torch.FloatStorage(n).totable(),
    "places": lambda n: [torch.range(1, 4).narrow(1, n, 1)[1], torch.eye(3).sub(1, n).shape, torch.eye(3)[n]],
    "dimensions": lambda n: torch.eye(2).sum(n),
    "draws": lambda n: drawn(lambda: [torch.uniform(0, n), torch.random(n), torch.normal(0, n)]),
    "chances": lambda n: drawn(lambda: torch.CudaTensor(5).bernoulli(n / 4)),
    "functions": lambda n: [torch.sqrt(n), torch.pow(n, 2)],
    "a layer": lambda n: nn.MulConstant(n).cuda().forward(torch.ones(2).cuda()),
    "a field": lambda n: (layer := nn.MulConstant(1), setattr(layer, "constant_scalar", n), layer.forward([1.0, 2]))[2],
    "a weight": lambda n: nn.MultiCriterion().add(nn.MSECriterion(), n).forward(torch.ones(2), torch.zeros(2)),
    "an input": lambda n: nn.AbsCriterion().forward(n, 1.0),
    "a target": lambda n: nn.ClassNLLCriterion().cuda().forward(torch.CudaTensor([-1, -2]), n),
    "updateParameters": stepped(lambda layer, n, *_: layer.updateParameters(n)),
    "scale": stepped(lambda layer, n, x, gradient: layer.backward(x, gradient, n)),
    "accGradParameters": stepped(lambda layer, n, x, gradient: layer.accGradParameters(x, gradient, n)),
    "gradients' norm": stepped(lambda layer, n, *_: layer.gradParamClip(n)),
    "an optimiser": optimised,
    "files": lambda n: torch.deserialize(torch.serialize([n, 1])),
    "JAX": lambda n: jnp.ones(2) * n + jnp.asarray(n),
    "statistics": lambda n: [statistics.mean([n, n]), statistics.fmean([n, 1])],
}  # fmt: skip


@pytest.mark.parametrize("use", USES)
def test_it_may_be_given_instead_of_a_float(use, accelerator):
    found, expected = (USES[use](number) for number in (torch.CudaTensor([1, 1]).sum(), 2.0))
    same(found, expected, 1e-6)


def test_what_torch_calls_it(accelerator):
    number = torch.CudaTensor([1, 1]).sum()
    assert torch.type(number) == "number" and not hasattr(number, "shape")
    with pytest.raises(OverflowError):
        number * 10**400


def test_a_sum_goes_on_waiting_after_it_was_looked_at(accelerator):
    x = torch.CudaTensor([1, 2])
    total = x.sum() + x.sum()
    assert total == 6
    later = total + x.sum()
    x.fill(0)
    assert type(later) is Number and later == 9


def test_threads_may_use_one_number(accelerator):
    total = functools.reduce(lambda total, _: total * 1.01 + 1, range(60), torch.CudaTensor([1, 2]).sum())
    seen = []
    threads = [threading.Thread(target=lambda: seen.append(float(total))) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    expected = functools.reduce(lambda total, _: total * 1.01 + 1, range(60), 3.0)
    assert seen == [expected] * 8
