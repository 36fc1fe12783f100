"""Torch's random generator: MT19937, whose numbers are Torch7's bit for bit."""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable
from math import cos, log, sin, sqrt
from typing import Any, NamedTuple

import numpy as np

from .named import Named

_RANGE = 1 << 32
"""The number of values of a 32-bit draw."""

_SIGN = 1 << 63

_STEP, _TURN = 1 / _RANGE, 2 * math.pi

FEW = 32
"""For up to so many numbers, a loop is faster than arrays."""

_LAYOUT = np.dtype(
    [
        ("seed", "<u8"), ("left", "<i4"), ("seeded", "<i4"), ("next", "<u8"), ("state", "<u8", 624),
        ("x", "<f8"), ("y", "<f8"), ("rho", "<f8"), ("has_second", "<i4"), ("keys", "<u4"),
    ]
)  # fmt: skip
"""The layout of `state`: Torch7's generator in memory; `keys` is in bytes that Torch7 does not use."""


class _Pair(NamedTuple):
    """The two uniform numbers and the radius of a pair of normal numbers, of which the first was returned."""

    x: float
    y: float
    rho: float


class Generator(Named):
    """A source of random numbers with a state of its own; the first argument of any function that draws.

    A uniform number is one draw of 32 bits over 2^32. Two such, x and y, give two normal numbers, by Box and Muller:
    rho cos(2 pi x), then rho sin(2 pi x), where rho = sqrt(-2 log(1 - y)). Seeded by the operating system.
    Source: torch7/doc/random.md.
    """

    def __init__(self, numpy: np.random.Generator | None = None):
        """`numpy`: a generator of NumPy's over MT19937, whose bits are to be drawn."""
        self._pair: _Pair | None = None
        self._keys = 0
        if numpy is None:
            self.seed()
        else:
            self._seed, self.numpy = 0, numpy

    # Seeds and states -------------------------------------------------------------------------------------------------

    def seed(self) -> int:
        """Seeds with a number from the operating system, and returns it."""
        self.manual_seed(secrets.randbits(53))  # which a number of Lua's holds
        return self._seed

    def manual_seed(self, seed: int) -> None:
        """Seeds with the last 32 bits of a number."""
        self._seed, self._pair, self._keys = int(seed) % (1 << 64), None, 0
        bits = np.random.MT19937(self._seed)  # from this seed follow the generators that NumPy's spawns
        started: Any = np.random.RandomState(self._seed % _RANGE).get_state(legacy=False)
        bits.state = started
        self.numpy = _Draws(bits)
        """The same bits with NumPy's distributions."""

    def initial_seed(self) -> int:
        """The last seed, as a signed 64-bit number."""
        return (self._seed ^ _SIGN) - _SIGN

    @property
    def state(self) -> np.ndarray:
        """The state on which later numbers depend: Torch7's 5,048 bytes on a 64-bit machine."""
        kept = np.zeros((), _LAYOUT)
        bits: Any = self.numpy.bit_generator.state["state"]
        kept["seed"], kept["seeded"], kept["keys"] = self._seed, 1, self._keys
        kept["state"], kept["next"], kept["left"] = bits["key"], bits["pos"], 625 - bits["pos"]
        if bits["pos"] == 624 and bits["key"][0] == self._seed % _RANGE:
            kept["next"] = 0  # nothing has been drawn yet
        if self._pair is not None:
            kept["x"], kept["y"], kept["rho"] = self._pair
            kept["has_second"] = 1
        return np.frombuffer(kept.tobytes(), np.uint8).copy()

    @state.setter
    def state(self, given: np.ndarray) -> None:
        kept = np.frombuffer(np.ascontiguousarray(given, np.uint8).tobytes(), np.uint8)
        if kept.size != _LAYOUT.itemsize:
            raise ValueError(f"torch.setRNGState: expected a state of {_LAYOUT.itemsize} bytes, got {kept.size}")
        kept = kept.view(_LAYOUT)[0]
        if kept["seeded"] != 1 or not 0 < kept["left"] <= 624 or kept["next"] > 624:
            raise ValueError("torch.setRNGState: expected what getRNGState gave, got other numbers")
        self.manual_seed(int(kept["seed"]))
        position = 624 if kept["left"] == 1 else int(kept["next"])
        bits: Any = {"key": kept["state"].astype(np.uint32), "pos": position}
        self.numpy.bit_generator.state = {"bit_generator": "MT19937", "state": bits}
        self._keys = int(kept["keys"])
        self._pair = _Pair(*(float(kept[name]) for name in _Pair._fields)) if kept["has_second"] else None

    def draw(self) -> tuple[np.uint32, np.uint32]:
        """The seed of a JAX key, and a number to fold into it, a new one each time. No bits are drawn."""
        self._keys += 1
        return np.uint32(self._seed % _RANGE), np.uint32(self._keys)

    # Numbers ----------------------------------------------------------------------------------------------------------

    def bits(self, count: int) -> np.ndarray:
        """Whole numbers of 32 bits, as int64."""
        return self.numpy.bit_generator.random_raw(count).view(np.int64)

    def uniform(self, count: int) -> np.ndarray:
        """Numbers in [0, 1)."""
        return self.numpy.bit_generator.random_raw(count) * _STEP

    def normal(self, count: int) -> np.ndarray:
        """Numbers of mean 0 and standard deviation 1."""
        if count <= FEW:
            return self._few_normal(count)
        found = np.empty(count)
        begun = self._second_of_pair(count)
        found[: len(begun)] = begun
        rest = count - len(begun)
        x, y = self.uniform(2 * ((rest + 1) // 2)).reshape(-1, 2).T
        rho, angle = np.sqrt(-2 * exactly(math.log, 1 - y)), 2 * math.pi * x
        found[len(begun) :: 2] = rho * np.cos(angle)
        found[len(begun) + 1 :: 2] = (rho * np.sin(angle))[: rest // 2]
        if rest % 2:
            self._pair = _Pair(float(x[-1]), float(y[-1]), float(rho[-1]))
        return found

    def _second_of_pair(self, count: int) -> list[float]:
        """The number that the last call has left, if there is one and some are asked for."""
        pair = self._pair
        if pair is None or not count:
            return []
        self._pair = None
        return [pair.rho * math.sin(2 * math.pi * pair.x)]

    def _few_normal(self, count: int) -> np.ndarray:
        """The same for few numbers, for which arrays cost more than a loop."""
        found = self._second_of_pair(count)
        rest = count - len(found)
        drawn = iter(self.numpy.bit_generator.random_raw(rest + rest % 2).tolist())
        for first, second in zip(drawn, drawn, strict=True):
            rho, angle = sqrt(-2 * log(1 - second * _STEP)), _TURN * (first * _STEP)
            found.append(rho * cos(angle))
            found.append(rho * sin(angle))
        if rest % 2:
            self._pair = _Pair(first * _STEP, second * _STEP, rho)
            found.pop()
        return np.array(found)

    def permutation(self, count: int) -> np.ndarray:
        """The numbers 0 to count - 1 in random order: each place is exchanged with itself or a later one."""
        return _permutation(self.bits(max(count - 1, 0)), count)


def _permutation(bits: np.ndarray, count: int) -> np.ndarray:
    order = list(range(count))
    steps = bits % np.arange(count, 1, -1)
    for place, step in enumerate(steps.tolist()):
        order[place], order[place + step] = order[place + step], order[place]
    return np.array(order, np.int64)


class _Draws(np.random.Generator):
    """NumPy's generator over Torch's bits: its whole numbers and permutations, which choose samples, are Torch's."""

    def _bits(self, shape: tuple[int, ...]) -> np.ndarray:
        return self.bit_generator.random_raw(math.prod(shape)).view(np.int64).reshape(shape)

    def integers(  # type: ignore[override]
        self, low: Any, high: Any = None, size: Any = None, dtype: Any = np.int64, endpoint: bool = False
    ) -> Any:
        """Whole numbers from low on below high, or from 0 on below low; one draw of 32 bits each."""
        low, high = (0, low) if high is None else (low, high)
        shape = np.broadcast(low, high).shape if size is None else size if isinstance(size, tuple) else (size,)
        return (low + self._bits(shape) % (np.asarray(high) - low + endpoint)).astype(dtype)

    def permutation(self, x: Any, axis: int = 0) -> np.ndarray:
        """The numbers 0 to x - 1, or an array's slices along an axis, in random order."""
        count = np.shape(x)[axis] if np.ndim(x) else int(x)
        order = _permutation(self._bits((max(count - 1, 0),)), count)
        return np.take(x, order, axis) if np.ndim(x) else order

    def __reduce__(self) -> tuple:  # NumPy's makes one of NumPy's
        return _Draws, (self.bit_generator,)


def exactly(function: Callable[[float], float], values: np.ndarray) -> np.ndarray:
    """Applies a function of module `math`: NumPy's functions differ from C's in the last bit of one in a thousand."""
    return np.fromiter(map(function, values.tolist()), float, len(values))
