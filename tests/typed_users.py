# pyright: standard
"""What users write, as a type checker with its own defaults sees it: `make lint` checks this file, a test runs it."""

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import optax

import functorch7 as f7
from functorch7.data import DataLoader, Source
from functorch7.legacy import nn, optim, torch
from functorch7.losses.base import Criterion
from functorch7.training import Top1Accuracy, TrainState, data_parallel, evaluate, make_train_step

KEY = jax.random.key(0)


class TypedTwice(f7.Map):
    def f(self, x):
        return 2 * x


class TypedScaled(f7.Layer):
    size: int
    takes_table = True

    def init_params(self, key, stdv=None):
        return {"weight": jnp.ones(self.size)}

    def f(self, arrays, table):
        x, y = table
        return arrays["weight"] * x + y


class TypedStep(f7.Module):
    starts_at_zero = True
    causal = True

    def forward(self, arrays, state, x, *, key, train):
        return x, state


class TypedNoisy(f7.Composite):
    body: f7.Module

    def draws(self, train):
        return train

    def f(self, run, x):
        return run.body(x + jax.random.normal(run.key, x.shape) if run.train else x)


class TypedMean(f7.Container, init=False):
    def forward(self, params, buffers, x, *, key, train):
        outputs = [self.call(i, params, buffers, x, key=key, train=train)[0] for i, _ in enumerate(self.modules)]
        return sum(outputs) / len(outputs), buffers


class TypedSquared(Criterion):
    def loss(self, x, y):
        return jnp.mean((x - y) ** 2)


class TypedLaplace(f7.Reinforce):
    def sample(self, key, mean):
        return mean + jax.random.laplace(key, mean.shape)

    def log_prob(self, drawn, mean):
        return -jnp.abs(drawn - mean)


class TypedSquares(DataLoader):
    def size(self):
        return 8

    def index(self, indices):
        return np.asarray(indices), np.asarray(indices) ** 2


class TypedTorchs(nn.Module):
    def updateOutput(self, given):
        return torch.mul(given, 2)

    def updateGradInput(self, given, gradOutput):
        return torch.mul(gradOutput, 2)


class TypedPyTorchs(nn.Module):
    def forward(self, x, factor=1):
        return x * factor


class TypedOfTwo(nn.Criterion):
    def updateOutput(self, mean, variance):
        return float((mean.numpy() + variance.numpy()).sum())

    def updateGradInput(self, mean, variance):
        return torch.ones(mean.size())


def in_functions() -> None:
    parts = TypedTwice(), TypedNoisy(f7.Linear(4, 3)), TypedMean(f7.Identity(), TypedStep())
    network = f7.Sequential(f7.Linear(4, 4), *parts, f7.LogSoftMax())
    params, buffers = network.init(KEY)
    x, classes = jnp.ones((8, 4)), jnp.arange(8) % 3 + 1
    optimizer = optax.sgd(0.1)
    state = optimizer.init(params)
    gradients = jax.grad(lambda p: network.apply(p, buffers, x)[0].sum())(params)
    updates, state = optimizer.update(gradients, state, params)
    params = optax.apply_updates(params, updates)
    output, buffers = network.apply(params, buffers, x)
    assert output.shape == (8, 3) and f7.penalty(buffers).shape == ()
    ((result, _),) = evaluate(network, params, buffers, (x, classes), [Top1Accuracy()], batch_size=4)
    print(result)
    tied = f7.Shared(f7.Sequential(f7.Linear(3, 3), f7.Linear(3, 3)), (("0.weight", "1.weight"),))
    print(f7.output_shape(tied, (2, 3)), TypedScaled(2).init(KEY), TypedSquares().index([1]), Source(TypedSquares())[0])
    _, drawn = TypedLaplace().apply({}, {}, jnp.zeros(3), key=KEY, train=True)
    assert f7.reinforce_loss(drawn, jnp.ones(1)).shape == () and TypedSquared()(x, x) == 0
    sharding = data_parallel()
    step = make_train_step(network, f7.ClassNLLCriterion(), optimizer, sharding=sharding)
    placed = sharding.place(network, TrainState(params, buffers, state, jnp.zeros((), jnp.int32)))
    step(placed, sharding.place_batch((x, classes)), KEY)


def in_objects(folder: Path) -> None:
    x = torch.ones(2, 3)
    assert TypedTorchs().forward(x).sum() == 12 and TypedPyTorchs()(x, factor=3).sum() == 18
    TypedOfTwo().forward(x, x)
    torch.save(folder / "x.t7", x)
    assert torch.load(folder / "x.t7").size() == [2, 3]
    logger = optim.Logger(folder / "losses.log")
    logger.setNames(["loss"]).style(["-"])
