"""Checks of what a call is given: trees of arrays as `init` makes them, stdv, train, and what authors return.

Kinds of values (`kinds.py`), and the sizes of parameters, are checked before a module runs, when its program is traced.
Everything else is looked for after the module has failed, so that it costs nothing if all is well.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import lru_cache
from typing import Any

import jax
import numpy as np

from .declared import NUMBERS, is_array
from .entries import hint_of_pair
from .errors import MISUSE, Described, describe, is_concrete, title
from .fields import unfit_field
from .foreign import OF_OTHER_RULES, is_foreign
from .kinds import Taking, check_kinds, fault_of, is_kind, is_real_number
from .tables import entries, leaves

OTHER_WORDS = {list: ("sequence",), tuple: ("sequence",), type(None): ("None",)}
"""What errors say for a type beside its name."""
DELETED = "Array has been deleted"
"""How JAX's error begins over an array that was donated to a compiled function. Its type is everything's."""


def check_own(module: Described, params: object, buffers: object) -> None:
    """Refuses parameters of other sizes than `init_params` makes, many of which would give the output of another layer.

    Also refuses whole or complex numbers, of which the input would take the type, and `params` in place of `buffers`,
    which many modules do not need and would not miss.
    Raises: ValueError, TypeError naming the module, the parameter and what it is.
    """
    if _are_known.get() or not isinstance(params, Mapping):
        return
    for name, like in _own_shapes(module).items():
        if name not in params:
            continue
        if (wrong := _wrong_parameter(name, like, params[name])) is not None:
            raise type(wrong)(f"{title(module)}: {wrong}")
        if isinstance(buffers, Mapping) and name in buffers:
            raise ValueError(
                f"{title(module)}: expected buffers, as init makes them, got params, twice: {name!r} is in both"
            )


def _wrong_parameter(name: str, like: jax.ShapeDtypeStruct, given: Any) -> Exception | None:
    """Why an array is not as `init_params` makes it, if it is not; what stands for one is looked at by its shape."""
    wanted = f"params[{name!r}] of shape {like.shape}"
    kind, is_known = getattr(given, "dtype", type(given)), isinstance(given, (jax.Array, np.ndarray, *NUMBERS))
    if is_known and (kind != like.dtype or isinstance(given, OF_OTHER_RULES)):
        if (fault := fault_of(given, wanted)) is not None:
            return fault
        if is_kind(like.dtype, np.floating) and not is_kind(kind, np.floating):
            return TypeError(f"expected floating-point numbers in params[{name!r}], got {np.dtype(kind)}")
    shape = () if isinstance(given, NUMBERS) else getattr(given, "shape", None)
    return None if shape == like.shape else ValueError(f"expected {wanted}, got {describe(given)}")


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
    if stdv is not None and not is_real_number(stdv):
        raise TypeError(f"{who}: expected a number as init's stdv, got {describe(stdv)}; init takes a key and no input")


def check_train(module: Described, train: object) -> None:
    """Raises TypeError for a `train` that is traced, and for anything but True or False: a text would be true."""
    if not is_concrete(train):
        raise TypeError(
            f"{module.torch_name()}: expected train to be True or False, got a traced value; it is static to jit: "
            'jax.jit(module.apply, static_argnames="train")'
        )
    if isinstance(train, float) or not is_real_number(train):
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
    if vars(error).setdefault("came_from", module) is not module:
        return None
    name_lost(module, error)
    text = str(error)
    if not isinstance(error, (*MISUSE, NotImplementedError)):  # of which the last is what sparse arrays give
        return None
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


def name_lost(module: Described, error: Exception) -> None:
    """Puts the module's name before JAX's words over an array that is deleted, or has left the trace that it is of."""
    if isinstance(error, jax.errors.UnexpectedTracerError) or str(error).startswith(DELETED):
        error.args = (f"{title(module)}: expected arrays that exist, got: {error}",)


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
        if getattr(given, "shape", None) != form.shape or is_foreign(given):
            yield f"{name} of shape {form.shape}", describe(given)
        for kind, what in ((np.floating, "floating-point"), (np.integer, "whole")):
            if is_kind(form.dtype, kind) and not is_kind(given.dtype, kind):
                yield f"{what} numbers in {name}", str(given.dtype)


def _refused(module: Any, input: Any, text: str) -> tuple[str, str] | None:
    """(what is expected, what was given), if an error's text names the kind of something in the input, or by sizes."""
    if any(is_foreign(leaf) for leaf in leaves(input) if hasattr(leaf, "shape")):
        return module.wanted, describe(input)
    arrays = [leaf for leaf in jax.tree.leaves(input) if is_array(leaf)]
    for array in arrays:
        if not is_kind(array.dtype, np.floating) and re.search(rf"\b{array.dtype}|dtype promotion", text):
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
