"""One training step of each library: started without waiting for it, in float32 or bfloat16."""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax

import functorch7 as f7
from functorch7.training import init_state, make_train_step

from .measure import Way, mebibytes

RATE, MOMENTUM = 0.01, 0.9


class Started(NamedTuple):
    """A way, and the MiB that its step needs, to be asked for when it has run; None where nobody knows."""

    way: Way
    mebibytes: Callable[[], float | None]


def by_functorch7(module: f7.Module, criterion: Any, batch: tuple, dtype: str) -> Started:
    """The compiled functional step, with SGD and momentum; mixed precision in bfloat16."""
    optimizer = optax.sgd(RATE, momentum=MOMENTUM)
    step: Any = make_train_step(
        module, criterion, optimizer, compute_dtype=None if dtype == "float32" else jnp.bfloat16
    )
    state = init_state(module, optimizer, jax.random.key(0))
    batch = jax.tree.map(jnp.asarray, batch)
    compiled = step.lower(state, batch, None).compile()
    held = [(state, None)]

    def start() -> None:
        held[0] = compiled(held[0][0], batch, None)

    return Started(Way(start, lambda: jax.block_until_ready(held)), lambda: mebibytes(compiled))


def by_flax(network: Any, batch: tuple, dtype: str) -> Started:
    """A linen network, images with their planes last; `network(dtype)` computes in that."""
    x, y = map(jnp.asarray, batch)
    x, model = jnp.moveaxis(x, 1, -1), network(jnp.dtype(dtype))
    optimizer = optax.sgd(RATE, momentum=MOMENTUM)

    def loss(params: Any, x: Any, y: Any) -> Any:
        scores = model.apply(params, x).astype(jnp.float32)
        return optax.softmax_cross_entropy_with_integer_labels(scores, y - 1).mean()

    def step(params: Any, state: Any, x: Any, y: Any) -> tuple[Any, Any]:
        updates, state = optimizer.update(jax.grad(loss)(params, x, y), state, params)
        return optax.apply_updates(params, updates), state

    params = model.init(jax.random.key(0), x)
    held = [(params, optimizer.init(params))]
    compiled = jax.jit(step, donate_argnums=(0, 1)).lower(*held[0], x, y).compile()

    def start() -> None:
        held[0] = compiled(*held[0], x, y)

    return Started(Way(start, lambda: jax.block_until_ready(held)), lambda: mebibytes(compiled))


def by_pytorch(make: Callable[[], Any], batch: tuple, dtype: str, compiled: bool = False) -> Started:
    """A network of PyTorch's that gives scores: images channels-last, autocast in bfloat16, in float32 TF32."""
    import torch

    device = _prepared(torch)
    model = make().to(device)
    x, y = (torch.from_numpy(np.asarray(each)).to(device) for each in batch)
    y = y.long().flatten() - 1
    x = x if x.is_floating_point() else x.long() - 1
    if x.ndim == 4:
        model, x = model.to(memory_format=torch.channels_last), x.contiguous(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), lr=RATE, momentum=MOMENTUM)
    run = torch.compile(model) if compiled else model

    def start() -> None:
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast(device, torch.bfloat16, enabled=dtype == "bfloat16"):
            scores = run(x)
        torch.nn.functional.cross_entropy(scores.flatten(0, -2).float(), y).backward()
        optimizer.step()

    return Started(Way(start, _waits(torch, device)), lambda: _peak(torch, device, start))


def layer_by_functorch7(layer: f7.Module, x: np.ndarray, dtype: str) -> Started:
    """Forward and backward of a recurrent layer, by its parameters and input."""
    params, buffers = jax.tree.map(lambda leaf: leaf.astype(dtype), layer.init(jax.random.key(0)))
    given = jnp.asarray(x, dtype)

    def gradients(params: Any, x: Any, gradient: Any) -> Any:
        return jax.vjp(lambda params, x: layer.apply(params, buffers, x)[0], params, x)[1](gradient)

    compiled, held = jax.jit(gradients).lower(params, given, given).compile(), [None]

    def start() -> None:
        held[0] = compiled(params, given, given)

    return Started(Way(start, lambda: jax.block_until_ready(held)), lambda: mebibytes(compiled))


def layer_by_pytorch(kind: str, x: np.ndarray, dtype: str) -> Started:
    """The same of PyTorch's layer of that class."""
    import torch

    device = _prepared(torch)
    layer = getattr(torch.nn, kind)(x.shape[2], x.shape[2]).to(device, getattr(torch, dtype))
    given = torch.from_numpy(x).to(device, getattr(torch, dtype)).requires_grad_()
    gradient = given.detach()

    def start() -> None:
        layer.zero_grad(set_to_none=True)
        given.grad = None
        layer(given)[0].backward(gradient)

    return Started(Way(start, _waits(torch, device)), lambda: _peak(torch, device, start))


def _prepared(torch: Any) -> str:
    """The device, with the settings under which it is quickest."""
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = torch.backends.cudnn.benchmark = True
    return "cuda" if torch.cuda.is_available() else "cpu"


def _waits(torch: Any, device: str) -> Callable[[], None]:
    return torch.cuda.synchronize if device == "cuda" else lambda: None


def _peak(torch: Any, device: str, start: Callable[[], None]) -> float | None:
    """The most memory that one step holds at once. PyTorch does not count it on a CPU."""
    if device != "cuda":
        return None
    torch.cuda.reset_peak_memory_stats()
    start()
    torch.cuda.synchronize()
    return torch.cuda.max_memory_allocated() / 2**20
