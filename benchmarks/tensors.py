"""Thirty typical calls of tensors, one after the other: small ones beside PyTorch, large ones beside NumPy."""

import operator
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

from functorch7.legacy import torch

from .measure import Way

OURS, NUMPY, PYTORCH = "functorch7 legacy", "NumPy", "PyTorch"


class Calls:
    """The calls on n x n tensors of floats; a step makes all, and returns the sum of their results' first numbers."""

    def __init__(self, size: int):
        self.size = size
        self.TARGETS = [(OURS, PYTORCH, 3)] if size < 100 else [(OURS, NUMPY, 1.2)]

    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Two matrices and a vector, from 0.5 to 1.5."""
        random = np.random.default_rng(0)
        x, y = (random.uniform(0.5, 1.5, (self.size, self.size)).astype(np.float32) for _ in range(2))
        return x, y, x[0].copy()

    def ways(self) -> dict[str, Way]:
        made = {OURS: ours(*map(torch.Tensor, self.arrays())), NUMPY: by_numpy(*self.arrays())}
        if find_spec("torch") is not None:
            made[PYTORCH] = by_pytorch(*self.arrays())
        return {name: Way(_step(calls, name)) for name, calls in made.items()}


def _step(calls: list[Callable[[], Any]], name: str) -> Callable[[], float]:
    first = operator.itemgetter(1) if name == OURS else operator.itemgetter(0)

    def number(result: Any) -> float:
        """A result's first number, however deep it is in it."""
        while getattr(result, "shape", ()) or isinstance(result, tuple):
            result = result[0] if isinstance(result, tuple) else first(result)
        return float(result)

    def step() -> float:
        if not seen:
            seen.append(sum(number(call()) for call in calls))
        else:
            for call in calls:
                call()
        return seen[0]

    seen: list[float] = []
    return step


def ours(x: Any, y: Any, v: Any) -> list[Callable[[], Any]]:
    z: Any = torch.Tensor(*x.size())
    return [
        lambda: torch.zeros(*x.shape), lambda: torch.ones(*x.shape), lambda: x.clone(), lambda: x + y, lambda: x * 2,
        lambda: x - 1, lambda: x / y, lambda: z.add(x, y), lambda: z.cmul(x, y), lambda: z.cdiv(x, y),
        lambda: z.copy(x).mul(0.5), lambda: torch.exp(x), lambda: torch.log(x), lambda: torch.sqrt(x),
        lambda: torch.tanh(x), lambda: torch.abs(x), lambda: x.sum(), lambda: x.sum(1), lambda: x.mean(),
        lambda: x.max(), lambda: x.max(2), lambda: torch.mv(x, v), lambda: v.dot(v), lambda: x.t(),
        lambda: x.narrow(1, 1, 2), lambda: x.select(1, 2), lambda: x.gt(y), lambda: z.clamp(x, 0.75, 1.25),
        lambda: x.view(-1), lambda: z.fill(1),
    ]  # fmt: skip


def by_numpy(x: np.ndarray, y: np.ndarray, v: np.ndarray) -> list[Callable[[], Any]]:
    z = np.empty_like(x)

    def filled(function: Callable, *args: Any) -> np.ndarray:
        return function(*args, out=z)

    def copied() -> np.ndarray:
        np.copyto(z, x)
        return np.multiply(z, np.float32(0.5), out=z)

    def of_ones() -> np.ndarray:
        z.fill(1)
        return z

    return [
        lambda: np.zeros(x.shape, x.dtype), lambda: np.ones(x.shape, x.dtype), lambda: x.copy(), lambda: x + y,
        lambda: x * 2, lambda: x - 1, lambda: x / y, lambda: filled(np.add, x, y), lambda: filled(np.multiply, x, y),
        lambda: filled(np.divide, x, y), copied, lambda: np.exp(x), lambda: np.log(x), lambda: np.sqrt(x),
        lambda: np.tanh(x), lambda: np.abs(x), lambda: x.sum(), lambda: x.sum(0, keepdims=True), lambda: x.mean(),
        lambda: x.max(), lambda: (x.max(1, keepdims=True), x.argmax(1, keepdims=True)), lambda: x @ v, lambda: v @ v,
        lambda: x.T, lambda: x[:2], lambda: x[1], lambda: x > y, lambda: filled(np.clip, x, 0.75, 1.25),
        lambda: x.reshape(-1), of_ones,
    ]  # fmt: skip


def by_pytorch(*arrays: np.ndarray) -> list[Callable[[], Any]]:
    import torch as pytorch  # pyright: ignore[reportMissingImports]

    pytorch.set_num_threads(1)  # as NumPy
    x, y, v = map(pytorch.from_numpy, arrays)
    z = pytorch.empty_like(x)
    return [
        lambda: pytorch.zeros(*x.shape), lambda: pytorch.ones(*x.shape), lambda: x.clone(), lambda: x + y,
        lambda: x * 2, lambda: x - 1, lambda: x / y, lambda: pytorch.add(x, y, out=z),
        lambda: pytorch.mul(x, y, out=z), lambda: pytorch.div(x, y, out=z), lambda: z.copy_(x).mul_(0.5),
        lambda: pytorch.exp(x), lambda: pytorch.log(x), lambda: pytorch.sqrt(x), lambda: pytorch.tanh(x),
        lambda: pytorch.abs(x), lambda: x.sum().item(), lambda: x.sum(0, keepdim=True), lambda: x.mean().item(),
        lambda: x.max().item(), lambda: tuple(x.max(1, keepdim=True)), lambda: pytorch.mv(x, v),
        lambda: v.dot(v).item(), lambda: x.t(), lambda: x.narrow(0, 0, 2), lambda: x.select(0, 1), lambda: x.gt(y),
        lambda: pytorch.clamp(x, 0.75, 1.25, out=z), lambda: x.view(-1), lambda: z.fill_(1),
    ]  # fmt: skip


BENCHMARKS = {"tensors, small": Calls(3), "tensors, large": Calls(1000)}
