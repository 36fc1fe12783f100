"""The package `torch`: tensors, their functions, random numbers, types' names and files, and all of `program`.

Where Torch7 and PyTorch differ, it follows Torch7: dimensions count from 1.
"""

import functools
import importlib
import os
import sys
from typing import Any, overload

import jax.numpy as jnp
import numpy as np

from ..interop import t7
from ..interop.pytorch_elsewhere import instead
from ..layers.tensor_types import TYPES
from .objects.files import from_file, load_t7, save_t7, to_file
from .objects.opening import opening
from .tensors.convolutions import CONVOLUTIONS
from .tensors.default_type import default_dtype, placed
from .tensors.default_type import getdefaulttensortype as getdefaulttensortype
from .tensors.default_type import setdefaulttensortype as setdefaulttensortype
from .tensors.devices import precision
from .tensors.distributions import DISTRIBUTIONS, Distribution
from .tensors.distributions import multinomial as drawn_classes
from .tensors.generator import Generator as Generator
from .tensors.kinds import Numbers, Operand
from .tensors.linear_algebra import LINEAR
from .tensors.makers import DRAWN, MAKERS, Making, joined
from .tensors.named import under_name
from .tensors.named_errors import naming, words_of
from .tensors.operations import OPERATIONS, Operation
from .tensors.random import default_generator, given_generator, split_off_generator
from .tensors.random import initialSeed as initialSeed
from .tensors.random import manualSeed as manualSeed
from .tensors.random import seed as seed
from .tensors.results import ROWS
from .tensors.rows import Row
from .tensors.tensor import Tensor as Tensor
from .tensors.types import Storage as Storage
from .tensors.types import constructor_of

float16, float32, float64 = np.dtype(np.float16), np.dtype(np.float32), np.dtype(np.float64)
bfloat16 = jnp.dtype(jnp.bfloat16)

_gen = default_generator  # Torch's name, by which layers hand it to C
_UNDERSCORED = ("_gen",)

_LAZY = {
    "CmdLine": "cmdline", "DiskFile": "files", "File": "file", "MemoryFile": "files", "PipeFile": "files",
    "TestSuite": "tester", "Tester": "tester", "Timer": "timer", "deserializeFromStorage": "files",
    "class_": "classes", "factory": "classes", "getconstructortable": "classes", "getenv": "classes",
    "getmetatable": "classes", "id": "classes", "isclass": "classes", "isequal": "classes", "newmetatable": "classes",
    "setenv": "classes", "setmetatable": "classes", "typename2id": "classes", "version": "classes",
    "checkpoint": "extensions", "concat": "extensions", "include": "extensions", "protoClone": "extensions",
    "find": "groups", "group": "groups", "remap": "groups", "treemax": "groups",
    "getnumthreads": "objects", "isStorage": "objects", "isTypeOf": "objects", "pointer": "objects",
    "serializeToStorage": "files", "setFloatStorage": "extensions", "setIntStorage": "extensions",
    "setnumthreads": "objects", "tic": "timer", "toc": "timer", "totable": "objects",
    "type": "objects",
}  # fmt: skip
"""The files of the package `program` by the names that they define, which are imported when they are asked for."""


def multinomial(*args: Operand) -> Tensor:
    """multinomial([result], [generator], weights, n, replacement=False): classes, a LongTensor (of the weights' GPU);
    see Tensor's.
    """
    has_result = len([each for each in args if isinstance(each, Tensor)]) > 1
    if has_result and isinstance(args[0], Tensor):
        return args[0].multinomial(*args[1:])
    generator, given = given_generator(args)
    found = Tensor.of(drawn_classes(generator, np.asarray(given[0]), *given[1:]))
    device = given[0].storage_.device if isinstance(given[0], Tensor) else None
    return found if device is None else Tensor.viewing(found.storage_.cast(found.dtype, device), 0, found.shape)


def getRNGState(generator: Generator | None = None) -> Tensor:
    """getRNGState([generator]): all that later random numbers depend on, as a ByteTensor."""
    return Tensor.of((generator or default_generator).state)


@overload
def setRNGState(state: Tensor, /) -> Tensor: ...


@overload
def setRNGState(generator: Generator, state: Tensor, /) -> Tensor: ...


@functools.partial(naming, "torch.setRNGState")
def setRNGState(*args: Any) -> Tensor:
    """setRNGState([generator], state): makes the same numbers follow as after `getRNGState`; returns the state."""
    chosen, (state,) = split_off_generator(args)
    (chosen or default_generator).state = np.asarray(state)
    return state


def _array(value: Any) -> Any:
    return jnp.asarray(value.array) if isinstance(value, Tensor) else value


def where(condition: Numbers, x: Numbers, y: Numbers) -> Tensor:
    """x where the condition is true (or not 0), y elsewhere: an `if` for each element."""
    with precision(next((each.dtype for each in (x, y) if isinstance(each, Tensor)), float32)):
        return Tensor.of(jnp.where(_array(condition) != 0, _array(x), _array(y)))


def cat(*args: Operand) -> Tensor:
    """cat([result,] tensors, [dim]), cat([result,] tensor, tensor, [dim]): the tensors joined along a dimension.

    By default it is the last.
    """
    return joined(args, Tensor)


def all(tensor: Numbers) -> bool:
    """Whether no element is 0 or false."""
    return bool(np.all(np.asarray(tensor)))


def any(tensor: Numbers) -> bool:
    """Whether any element is not 0."""
    return bool(np.any(np.asarray(tensor)))


def typename(value: object) -> str | None:
    """Torch's name for a value's class; None if Torch has none."""
    if isinstance(value, Tensor):
        return value.type()
    named: Any = value
    return named.typename() if hasattr(named, "typename") and not isinstance(value, type) else None


def isTensor(value: object) -> bool:
    """Whether a value is a tensor."""
    return isinstance(value, Tensor)


def save(filename: str | os.PathLike, object: object, mode: str = "binary", referenced: bool = True) -> None:
    """Writes tensors, tables and modules to a `.t7` file; each object only once, whatever `referenced`."""
    with opening("torch.save", filename, "w"):
        save_t7(filename, object, mode)


def load(filename: str | os.PathLike, mode: str | None = None, referenced: bool = True) -> Any:
    """The object in a `.t7` file, binary or ASCII."""
    with opening("torch.load", filename, "r"):
        return load_t7(filename)


def serialize(object: object, mode: str = "binary") -> bytes:
    """The bytes that `save` writes."""
    return t7.serialize(to_file(object), mode)


def deserialize(data: bytes, mode: str | None = None) -> Any:
    """The object in bytes from `serialize`."""
    return from_file(t7.deserialize(data))


def __getattr__(name: str) -> Any:
    """FloatTensor, LongTensor, ..., LongStorage, ...: the types' constructors; and the names that `program` defines."""
    if name in _LAZY:
        return getattr(importlib.import_module(f".program.{_LAZY[name]}", __package__), name)
    if name == "class":
        return importlib.import_module(".program.classes", __package__).class_
    if name in ("AliasMultinomial", "MultiCudaTensor"):
        return getattr(importlib.import_module(".torchx", __package__), name)
    found = constructor_of(f"torch.{name}")
    if found is None:
        said = f"torch has no {name!r} here{instead(f'torch.{name}')}"
        raise AttributeError(said, name=name, obj=sys.modules[__name__])
    return found


def __dir__() -> list[str]:
    tensors = [each.removeprefix("torch.") for each in TYPES if not each.startswith("torch.Cuda")]
    return sorted({*globals(), *_LAZY, *tensors, *(each.replace("Tensor", "Storage") for each in tensors)})


def _function_of(operation: Operation) -> Any:
    """`torch.f` of an operation: f(x, ...) returns a new tensor, f(result, x, ...) resizes and fills `result`."""

    def function(*args: Any, **named: Any) -> Any:
        result = operation.result(args, None, named)
        if result is not None:
            return Tensor.of(result)
        if not args or not isinstance(args[0], Tensor):
            number = operation.of_numbers(args)
            if number is None:
                raise operation.wrong(args)
            return float(number)
        return getattr(args[0], operation.name)(*args[1:])

    says = (
        f"{operation.words}; a new tensor, or in a first argument, which gets the result's sizes. Raises TypeError "
        "for arguments of other kinds, ValueError for sizes that do not fit."
    )
    return under_name(operation.name, function, says)


def _function_of_distribution(distribution: Distribution) -> Any:
    """`torch.f` of a distribution: f([generator], ...) is one number, f(tensor, [generator], ...) fills the tensor."""

    def function(*args: Any, **named: Any) -> Any:
        if args and isinstance(args[0], Tensor):
            return getattr(args[0], distribution.name)(*args[1:], **named)
        return distribution.numbers(args, named, 1).item()

    says = (
        f"A random number, after a generator if any, or a tensor filled with such: {distribution.formula}. Raises "
        "TypeError for arguments of other kinds, and for such by name."
    )
    return under_name(distribution.name, function, says)


def _function_of_row(row: Row) -> Any:
    """`torch.f` of a row of results: f(x, ...) returns new ones, f(result, x, ...) fills `result`."""

    def function(*args: Any, **named: Any) -> Any:
        return row.call(args, Tensor, named)

    says = (
        f"{row.words}; new, or in first arguments, which get the results' sizes. Raises TypeError for arguments of "
        "other kinds, and for such by name."
    )
    return under_name(row.name, function, says)


def _function_of_maker(name: str, making: Making) -> Any:
    """`torch.f` of a maker: its first argument may be the result, or its last the name of the result's type."""

    def function(*args: Any, dtype: Any = None) -> Tensor:
        if args and isinstance(args[-1], str) and args[-1] in TYPES:
            return function(*args[:-1], dtype=TYPES[args[-1]]).type(args[-1])
        if args and isinstance(args[0], Tensor):
            return getattr(args[0], name)(*args[1:])
        if dtype is None:
            return placed(Tensor.of(making.compute(default_dtype(), *args)))
        return Tensor.of(making.compute(np.dtype(dtype), *args))

    says = (
        f"{name}([result], {making.usage}): a tensor of the default type, or of the type that a last argument names, "
        f"or the result, becomes {making.words}."
    )
    return under_name(name, function, says)


def _function_of_parts(name: str) -> Any:
    def function(*args: Any) -> list[Tensor]:
        result, (tensor, *sizes) = (args[0], args[1:]) if isinstance(args[0], list) else ([], args)
        result[:] = getattr(tensor, name)(*sizes)
        return result

    says = f"`tensor.{name}(...)`, into a first list if there is one: {getattr(Tensor, name).__doc__}"
    return under_name(name, function, says)


def _function_of_method(name: str) -> Any:
    def function(tensor: Tensor, *args: Any) -> Any:
        return getattr(tensor, name)(*args)

    method = getattr(Tensor, name)
    says = f"{name}({', '.join(['tensor', *words_of(method, first=1)])}): {method.__doc__}"
    return under_name(name, function, says)


METHODS = (
    "squeeze", "reshape", "expand", "expandAs", "permute", "transpose", "t", "repeatTensor", "maskedSelect",
    "multinomialAliasSetup", "multinomialAlias", "data", "cdata", "equal", "numel", "nElement", "clone", "view",
    "viewAs", "narrow", "select", "unfold", "typeAs", "fill", "zero", "scatter",
)  # fmt: skip
"""Methods that are functions of `torch`, too."""

FUNCTIONS: dict[str, Any] = {
    **{name: _function_of(operation) for name, operation in OPERATIONS.items()},
    **{name: naming(f"torch.{name}", _function_of_maker(name, each)) for name, each in (MAKERS | DRAWN).items()},
    **{name: naming(f"torch.{name}", _function_of_method(name)) for name in METHODS},
    **{name: naming(f"torch.{name}", _function_of_parts(name)) for name in ("split", "chunk")},
    **{name: _function_of_row(row) for name, row in (ROWS | LINEAR | CONVOLUTIONS).items()},
    **{name: naming(f"torch.{name}", _function_of_distribution(each)) for name, each in DISTRIBUTIONS.items()},
    **{each.__name__: naming(f"torch.{each.__name__}", each) for each in (multinomial, cat)},
}
"""What is made of the tables of tensors' methods, by name."""
globals().update(FUNCTIONS)
