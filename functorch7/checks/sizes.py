"""Arrays that no memory has room for."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TypeVar

import jax

from .errors import Described, title

ADDRESSES = 2**47
"""How many bytes a process can address on today's processors."""

LARGE = 2**20
"""Up to this size in each direction, XLA can count the elements of a volume in 64 bits."""

Made = TypeVar("Made")


class UnfitSizes(ValueError):
    """Sizes of an array that no memory has room for; `sized` adds the name of the module to the message."""


def check_sizes(shape: Sequence[int]) -> None:
    """Refuses an array of float32 that no processor could address: XLA ends the process for some of these.

    Raises: UnfitSizes.
    """
    if math.prod(shape) * 4 > ADDRESSES:
        sizes = " x ".join(map(str, shape))
        raise UnfitSizes(f"expected sizes for which a memory has room, got an array of {sizes} numbers")


def large_numbers(value: object) -> Iterator[int]:
    """The whole numbers in a field that are too large for the sizes of some array."""
    if isinstance(value, (tuple, list)):
        for each in value:
            yield from large_numbers(each)
    elif type(value) is int and abs(value) > LARGE:
        yield value


_MOST_SIZES = 256
"""How many sizes of inputs a description remembers as fitting."""


def check_room(
    module: Described, numbers: Iterable[int], forward: Callable[..., object], given: tuple, key: object, train: bool
) -> None:  # fmt: skip
    """Refuses forward(*given, key=key, train=train) if an array inside it is too large for any processor to address.

    `numbers` are the large ones among the module's fields. Finding the arrays takes a trace of the call, so each
    description is traced only once for the same sizes of what it is given.
    Raises: ValueError naming the module.
    """
    leaves, structure = jax.tree.flatten(given)
    sizes = train, structure, *(getattr(leaf, "shape", ()) for leaf in leaves)
    fitting = vars(module).setdefault("_fitting", set())
    if sizes not in fitting:
        sized(module, _check_arrays, module, numbers, partial(forward, *given, key=key, train=train))
        if len(fitting) == _MOST_SIZES:
            fitting.clear()
        fitting.add(sizes)


def _check_arrays(module: Described, numbers: Iterable[int], run: Callable[[], object]) -> None:
    try:
        program = jax.make_jaxpr(run)()
    except Exception as error:
        if not str(error).startswith(f"{module.package}."):
            check_sizes([max(map(abs, numbers))])  # JAX has no integers for sizes above 64 bits
        return  # the call itself says what else is wrong
    for equation in program.eqns:
        for result in equation.outvars:
            shape = getattr(result.aval, "shape", ())
            if all(isinstance(size, int) for size in shape):  # in exported programs they may have names instead
                check_sizes(shape)


def sized(module: Described, make: Callable[..., Made], *given: object) -> Made:
    """make(*given), arrays of a module; if they are too large for any memory, the error names the module."""
    try:
        return make(*given)
    except UnfitSizes as error:
        raise ValueError(f"{title(module)}: {error}") from None
