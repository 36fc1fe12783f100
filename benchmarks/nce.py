"""A step of gradient descent of an output layer of 50,000 classes on 256 units: noise-contrastive estimation, k = 25.

All ways of estimation use the same noise classes, which are drawn anew at every step; the full SoftMax is beside them.
Run as a program, it prints how the time grows with the number of classes.
"""

import argparse
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax

import functorch7 as f7
from functorch7.layers.alias import alias_table
from functorch7.training import init_state, make_sgd_step, make_train_step

from .measure import Way, measure

RATE, BATCH, UNITS, NOISE, Z = 0.01, 256, 256, 25, 1.0
KEY = jax.random.key(0)


def unigrams(classes: int) -> np.ndarray:
    """Frequencies as of words: Zipf's."""
    return 1 / np.arange(1.0, classes + 1)


def batch(classes: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    p = unigrams(classes)
    return random.normal(size=(BATCH, UNITS)).astype(np.float32), random.choice(classes, BATCH, p=p / p.sum()) + 1


def functional(step: Any, state: Any, given: tuple, keys: Any) -> Way:
    def run() -> float:
        nonlocal state
        state, metrics = step(state, given, next(keys))
        return float(metrics["loss"])

    return Way(run, lambda: jax.block_until_ready(state))


def keys() -> Any:
    """The same sequence of keys for every way."""
    seeds = iter(range(2**31))
    return (np.uint32(next(seeds)) for _ in iter(int, 1))


def estimated(classes: int) -> Way:
    """NCEModule and NCECriterion by make_sgd_step."""
    module, (hidden, target) = f7.NCEModule(UNITS, classes, NOISE, unigrams(classes), Z), batch(classes)
    step = make_sgd_step(module, f7.NCECriterion(), RATE)
    given = ([jnp.asarray(hidden), jnp.asarray(target, jnp.int32)], None)
    state = init_state(module, optax.identity(), KEY)
    folded = jax.jit(lambda state, given, number: step(state, given, jax.random.fold_in(KEY, number)), donate_argnums=0)
    return functional(folded, state, given, keys())


def full(classes: int) -> Way:
    """Linear, LogSoftMax and ClassNLLCriterion over all classes."""
    module, (hidden, target) = f7.Linear(UNITS, classes), batch(classes)
    optimizer = optax.sgd(RATE)
    step = make_train_step(module, f7.CrossEntropyCriterion(), optimizer)
    given = (jnp.asarray(hidden), jnp.asarray(target, jnp.int32))
    return functional(step, init_state(module, optimizer, KEY), given, iter(lambda: None, 0))


def by_hand(classes: int) -> Way:
    params, _ = f7.NCEModule(UNITS, classes, NOISE, unigrams(classes), Z).init(KEY)
    params = jax.tree.map(jnp.copy, params)
    table = alias_table(f7.Const(unigrams(classes)))
    noise_of = jnp.asarray(unigrams(classes) / unigrams(classes).sum(), jnp.float32)

    @partial(jax.jit, donate_argnums=0)
    def step(params: Any, hidden: Any, target: Any, number: Any) -> tuple:
        used = jnp.concatenate([table.draw(jax.random.fold_in(KEY, number), (NOISE,)), target])

        def loss(rows: Any, bias: Any) -> Any:
            of_target = jnp.exp((hidden * rows[NOISE:]).sum(1) + bias[NOISE:]) / Z
            of_noise = jnp.exp(hidden @ rows[:NOISE].T + bias[:NOISE]) / Z
            by_target, by_noise = NOISE * noise_of[target], NOISE * noise_of[used[:NOISE]]
            data = jnp.log(of_target / (of_target + by_target + 1e-7)).sum()
            return -(data + jnp.log(by_noise / (of_noise + by_noise + 1e-7)).sum()) / BATCH

        value, (rows, bias) = jax.value_and_grad(loss, (0, 1))(params["weight"][used], params["bias"][used])
        gradient = {"weight": rows, "bias": bias}
        return {name: table.at[used].add(-RATE * gradient[name]) for name, table in params.items()}, value

    hidden, target = batch(classes)
    hidden, target, numbers = jnp.asarray(hidden), jnp.asarray(target - 1, jnp.int32), keys()

    def run() -> float:
        nonlocal params
        params, value = step(params, hidden, target, next(numbers))
        return float(value)

    return Way(run, lambda: jax.block_until_ready(params))


def by_pytorch(classes: int) -> Way:
    """Sparse gradients of two embeddings. The noise is drawn by JAX, so that it is the same as the other ways'."""
    import torch

    params, _ = f7.NCEModule(UNITS, classes, NOISE, unigrams(classes), Z).init(KEY)
    weight = torch.nn.Embedding(classes, UNITS, sparse=True, _weight=torch.tensor(np.array(params["weight"])))
    bias = torch.nn.Embedding(classes, 1, sparse=True, _weight=torch.tensor(np.array(params["bias"])[:, None]))
    optimizer = torch.optim.SGD([weight.weight, bias.weight], RATE)
    noise_of = torch.tensor(unigrams(classes) / unigrams(classes).sum(), dtype=torch.float32)
    hidden, target = (torch.tensor(each) for each in batch(classes))
    draw = jax.jit(lambda n: alias_table(f7.Const(unigrams(classes))).draw(jax.random.fold_in(KEY, n), (NOISE,)))
    numbers = keys()

    def run() -> float:
        used = torch.cat([torch.tensor(np.asarray(draw(next(numbers))), dtype=torch.int64), target - 1])
        optimizer.zero_grad()
        rows, offset = weight(used), bias(used)[:, 0]
        of_target = torch.exp((hidden * rows[NOISE:]).sum(1) + offset[NOISE:]) / Z
        of_noise = torch.exp(hidden @ rows[:NOISE].T + offset[:NOISE]) / Z
        by_target, by_noise = NOISE * noise_of[target - 1], NOISE * noise_of[used[:NOISE]]
        data = torch.log(of_target / (of_target + by_target + 1e-7)).sum()
        value = -(data + torch.log(by_noise / (of_noise + by_noise + 1e-7)).sum()) / BATCH
        value.backward()
        optimizer.step()
        return value.item()

    return Way(run)


def ways(classes: int = 50_000) -> dict[str, Way]:
    found = {"functorch7 functional": estimated(classes), "JAX by hand": by_hand(classes)}
    try:
        return {**found, "PyTorch eager": by_pytorch(classes)}
    except ImportError:
        return found


def other_ways(classes: int = 50_000) -> dict[str, Way]:
    """Those that compute something else."""
    return {"functorch7, full SoftMax": full(classes)}


TARGETS = [
    ("functorch7 functional", "functorch7, full SoftMax", 0.05),
    ("functorch7 functional", "JAX by hand", 1.05),
    ("functorch7 functional", "PyTorch eager", 1.0),
]


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    sizes = (10_000, 50_000, 200_000, 800_000)
    timings = measure({f"{size:,} classes": estimated(size) for size in sizes}, 15)
    for name, timing in timings.items():
        print(f"{name:16}{timing.best * 1e3:9.3f} ms, median {timing.median * 1e3:.3f}")


if __name__ == "__main__":
    main()
