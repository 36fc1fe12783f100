"""Checks of what a call is given: arrays of numbers or tables of them, and trees of arrays as `init` makes them.

Kinds of values, and the sizes of parameters, are checked before a module runs, when its program is traced. Everything
else is looked for after the module has failed, so that it costs nothing if all is well.
"""

from __future__ import annotations

import re
import reprlib
from collections.abc import Container, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import lru_cache
from typing import Any, Protocol

import jax
import jax.numpy as jnp
import numpy as np

from .declared import NUMBERS, is_array
from .entries import hint_of_pair
from .errors import MISUSE, Described, describe, is_concrete, title
from .fields import unfit_field
from .tables import entries

OTHER_WORDS = {list: ("sequence",), tuple: ("sequence",), type(None): ("None",)}
"""What errors say for a type beside its name."""
USUAL = frozenset(
    map(jnp.dtype, (np.float32, jnp.bfloat16, np.float16, np.float64, np.int32, np.int64, np.uint8, bool))
)
"""Types of numbers that every module takes. Arrays of these types are not examined further, to keep tracing fast."""


@lru_cache(64)
def _is_kind(dtype: Any, *kinds: Any) -> bool:
    return any(jnp.issubdtype(dtype, kind) for kind in kinds)


class Facts(Protocol):
    """What is asked about what a module takes."""

    @property
    def takes_complex(self) -> bool: ...


class Taking(Described, Protocol):
    """A module, as far as errors say what it takes."""

    @property
    def wanted(self) -> str: ...

    @property
    def traits(self) -> Facts: ...


def check_kinds(module: Taking, given: object) -> None:
    """Refuses what holds anything but numbers, and complex ones unless the module says that it takes them.

    None is no number, but there are modules that look at no input. Of NumPy's numbers in another machine's order of
    bytes a compiled function of JAX may read the bytes as they are, which gives other numbers.
    Raises: TypeError naming the module and what was given.
    """
    if getattr(given, "dtype", None) in USUAL and hasattr(given, "ndim"):  # Torch's storages have no dimensions
        return
    leaf: Any
    for leaf in (given,) if is_array(given) else jax.tree.leaves(given):
        kind = leaf.dtype if is_array(leaf) else type(leaf)
        if not (is_array(leaf) or kind in NUMBERS) or not _is_kind(kind, np.number, np.bool_):
            raise TypeError(f"{title(module)}: expected {module.wanted}, got {foreign(leaf)}")
        if _is_kind(kind, np.complexfloating) and not module.traits.takes_complex:
            raise TypeError(f"{title(module)}: expected real numbers, got {np.dtype(kind)}")
        if not getattr(kind, "isnative", True):
            native = f'array.astype("{np.dtype(kind).newbyteorder("=").name}") has it'
            raise TypeError(f"{title(module)}: expected numbers in this machine's order of bytes, got {kind}; {native}")


def foreign(value: object) -> str:
    """What holds no numbers, in a few words; of other libraries' tensors the class, and what makes them arrays."""
    known = isinstance(value, (jax.Array, np.ndarray, np.generic))
    if not known and isinstance(getattr(value, "shape", None), tuple) and hasattr(value, "__array__"):
        kind = type(value)
        return f"a {kind.__module__.partition('.')[0]}.{kind.__name__}; numpy.asarray makes an array of it"
    return reprlib.repr(value)


def check_own(module: Described, params: object, buffers: object) -> None:
    """Refuses parameters of other sizes than `init_params` makes, many of which would give the output of another layer.

    Also refuses `params` in place of `buffers`, which many modules do not need and would not miss.
    Raises: ValueError naming the module, the parameter and the sizes.
    """
    if _are_known.get() or not isinstance(params, Mapping):
        return
    for name, like in _own_shapes(module).items():
        if name not in params:
            continue
        if np.shape(params[name]) != like.shape:
            given = describe(params[name])
            raise ValueError(f"{title(module)}: expected params[{name!r}] of shape {like.shape}, got {given}")
        if isinstance(buffers, Mapping) and name in buffers:
            raise ValueError(
                f"{title(module)}: expected buffers, as init makes them, got params, twice: {name!r} is in both"
            )


Shapes = dict[str, jax.ShapeDtypeStruct]
"""The shapes of a module's own parameters, by name."""


def shapes_made(made: Mapping[str, jax.Array]) -> Shapes:
    """Those of what `init_params` has made."""
    return {name: jax.ShapeDtypeStruct(each.shape, each.dtype) for name, each in made.items() if hasattr(each, "shape")}


def _own_shapes(module: Any) -> Shapes:
    """As `init`, or an object of Torch's, has found them; else from a trace."""
    known = vars(module).get("_initial_shapes")
    return _traced_shapes(module) if known is None else known


@lru_cache(256)
def _traced_shapes(module: Any) -> Shapes:
    """None are known where to find them takes more than a trace."""
    with suppress(Exception):
        # The key is made within the trace, so that it is no part of a program around.
        return shapes_made(jax.eval_shape(lambda: module.init_params(jax.random.key(0))))
    return {}


_are_known: ContextVar[bool] = ContextVar("are_known", default=False)


@contextmanager
def known_sizes() -> Iterator[None]:
    """A block in which no sizes of parameters are checked: Torch's programs may give a layer others."""
    token = _are_known.set(True)
    try:
        yield
    finally:
        _are_known.reset(token)


def check_apart(module: Described, *trees: object) -> None:
    """Raises TypeError for what has params and buffers, such as Variables, in the place of one of them."""
    if hint := next(filter(None, map(hint_of_pair, trees)), None):
        raise TypeError(f"{title(module)}: expected params and buffers one by one{hint}")


def check_stdv(who: str, stdv: object) -> None:
    """Raises TypeError for anything but a number, such as the example input that `init` of other libraries takes."""
    if stdv is not None and not isinstance(stdv, (int, float)) and getattr(stdv, "shape", None) != ():
        raise TypeError(f"{who}: expected a number as init's stdv, got {describe(stdv)}; init takes a key and no input")


def check_train(module: Described, train: object) -> None:
    """Raises TypeError for a `train` that is traced, and for anything but True or False: a text would be true."""
    if not is_concrete(train):
        raise TypeError(
            f"{module.torch_name()}: expected train to be True or False, got a traced value; it is static to jit: "
            'jax.jit(module.apply, static_argnames="train")'
        )
    if not isinstance(train, (bool, int, np.bool_, jax.Array)) or np.ndim(train):
        raise TypeError(f"{module.torch_name()}: expected train to be True or False, got {train!r}")


def check_made(module: Described, method: str, made: object, taken: Container[object] = ()) -> None:
    """Refuses what an author's `init_params` or `init_buffers` gives: no arrays by name, or names that are `taken`.

    Raises: TypeError, ValueError naming the module.
    """
    if not isinstance(made, dict):
        raise TypeError(f"{module.torch_name()}: expected arrays by name, a dict, from {method}, got {describe(made)}")
    if (name := next((name for name in made if name in taken), None)) is not None:
        raise ValueError(
            f"{module.torch_name()}: expected another name than {name!r} from {method}: a module inside or another "
            "array has this name already"
        )


def check_result(module: Described, result: object) -> None:
    """Raises TypeError for what a module's `forward` cannot give: an array could be unpacked as if it were a pair."""
    if not isinstance(result, tuple) or len(result) != 2 or hasattr(result[1], "shape"):
        raise TypeError(f"{title(module)}: expected (output, buffers) from forward, got {describe(result)}")
    if result[0] is None:
        raise TypeError(f"{title(module)}: expected an output, got None; is a `return` missing?")


def unfit(module: Taking, params: object, buffers: object, input: object, error: Exception) -> Exception | None:
    """The error that says what a module was given that it cannot take, for one that was raised while it ran.

    None if the error says it already, or comes from a module inside, or does not follow from what was given. What the
    authors of other packages say by a ValueError stays as it is.
    """
    if vars(error).setdefault("came_from", module) is not module or not isinstance(error, MISUSE):
        return None
    text = str(error)
    if "PRNG key" in text and "NoneType" in text and not text.startswith(f"{module.package}."):
        return ValueError(
            f"{title(module)}: has no random key, because it does not say that it draws; define draws(self, train)"
        )
    if "accepts a single key" in text:
        return ValueError(f"{title(module)}: expected one random key, got several; jax.vmap runs a module for each")
    ours = type(module).__module__.split(".")[0] == __name__.split(".")[0]
    if text.startswith(f"{module.package}.") or (isinstance(error, ValueError) and not ours):
        return None
    wrong = unfit_field(module, error)
    if wrong is not None:
        return wrong
    try:
        check_kinds(module, input)
    except TypeError as refused:
        return refused
    found = next(misfits_of(module, params, buffers), None) or _refused(module, input, text)
    return None if found is None else ValueError(f"{title(module)}: expected {found[0]}, got {found[1]}")


def misfits_of(module: Taking, params: object, buffers: object) -> Iterator[tuple[str, str]]:
    """(what is expected, what was given), wherever a module's arrays are not as its `init` makes them."""
    for name, form, given in zip(("params", "buffers"), _forms(module), (params, buffers), strict=True):
        yield from _misfits(name, form, given)


def _forms(module: Any) -> tuple[Any, Any]:
    """What `init` makes, as shapes; None, which anything fits, where that cannot be known."""
    with suppress(Exception):
        return jax.eval_shape(module.init, jax.random.key(0))
    return None, None


def _misfits(name: str, form: Any, given: Any) -> Iterator[tuple[str, str]]:
    """(what is expected, what was given), wherever a tree is not as `init` makes it."""
    if isinstance(form, dict):
        if isinstance(given, Mapping) and form.keys() <= given.keys():
            for key, inner in form.items():
                yield from _misfits(f"{name}[{key!r}]", inner, given[key])
        else:
            yield f"{name} with {', '.join(form)}, as init makes them", describe(given)
    elif isinstance(form, (list, tuple)):
        if isinstance(given, (list, tuple)) and len(given) == len(form):
            for i, (inner, each) in enumerate(zip(form, given, strict=True)):
                yield from _misfits(f"{name}[{i}]", inner, each)
        else:
            yield f"{len(form)} entries in {name}, as init makes them", describe(given)
    elif isinstance(form, jax.ShapeDtypeStruct):
        if getattr(given, "shape", None) != form.shape:
            yield f"{name} of shape {form.shape}", describe(given)
        for kind, what in ((np.floating, "floating-point"), (np.integer, "whole")):
            if _is_kind(form.dtype, kind) and not _is_kind(given.dtype, kind):
                yield f"{what} numbers in {name}", str(given.dtype)


def _refused(module: Any, input: Any, text: str) -> tuple[str, str] | None:
    """(what is expected, what was given), if an error's text names the kind of something in the input, or by sizes."""
    leaves = jax.tree.leaves(input)
    arrays = [leaf for leaf in leaves if is_array(leaf)]
    for array in arrays:
        if not _is_kind(array.dtype, np.floating) and re.search(rf"\b{array.dtype}|dtype promotion", text):
            return "floating-point numbers", str(array.dtype)
    is_table = isinstance(input, (list, tuple)) and module.traits.takes_table
    kinds = set().union(*map(_kinds, input)) if is_table else _kinds(input)
    if not arrays or any(re.search(rf"\b{kind}\b", text) for kind in kinds):
        return module.wanted, describe(input)
    if any(array.size == 0 for array in arrays):
        return f"{module.wanted} with no size of 0", describe(input)
    return None


def _kinds(input: Any) -> set[str]:
    """What an input consists of beside arrays, in the words of Python's errors and JAX's."""
    if is_array(input):
        return set() if input.ndim else {"tuple index out of range"}
    words = {type(input).__name__, *OTHER_WORDS.get(type(input), ())}
    return words.union(*map(_kinds, entries(input)), () if jax.tree.leaves(input) else {"list index out of range"})
