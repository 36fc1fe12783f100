# Made by `python -m website.torch_functions`; a test compares it with the tables.
# fmt: off
# ruff: noqa: I001
import os
from typing import Any, overload

import numpy as np
from jax.typing import DTypeLike

from .tensors.generator import Generator as Generator
from .tensors.kinds import Numbers, Operand, Result, Sizes
from .tensors.storage import Storage as _Storage
from .tensors.tensor import TensorData
from .tensors.types import Constructor
from .tensors.default_type import getdefaulttensortype as getdefaulttensortype
from .tensors.default_type import setdefaulttensortype as setdefaulttensortype
from .tensors.random import initialSeed as initialSeed
from .tensors.random import manualSeed as manualSeed
from .tensors.random import seed as seed
from .tensors.tensor import Tensor as Tensor
from .tensors.types import Storage as Storage
from .objects.files import from_file as from_file
from .objects.files import load_t7 as load_t7
from .objects.files import save_t7 as save_t7
from .objects.files import to_file as to_file
from .program.cmdline import CmdLine as CmdLine
from .program.files import DiskFile as DiskFile
from .program.file import File as File
from .program.files import MemoryFile as MemoryFile
from .program.files import PipeFile as PipeFile
from .program.tester import TestSuite as TestSuite
from .program.tester import Tester as Tester
from .program.timer import Timer as Timer
from .program.extensions import checkpoint as checkpoint
from .program.classes import class_ as class_
from .program.extensions import concat as concat
from .program.files import deserializeFromStorage as deserializeFromStorage
from .program.classes import factory as factory
from .program.groups import find as find
from .program.classes import getconstructortable as getconstructortable
from .program.classes import getenv as getenv
from .program.classes import getmetatable as getmetatable
from .program.objects import getnumthreads as getnumthreads
from .program.groups import group as group
from .program.classes import id as id
from .program.extensions import include as include
from .program.objects import isStorage as isStorage
from .program.objects import isTypeOf as isTypeOf
from .program.classes import isclass as isclass
from .program.classes import isequal as isequal
from .program.classes import newmetatable as newmetatable
from .program.objects import pointer as pointer
from .program.extensions import protoClone as protoClone
from .program.groups import remap as remap
from .program.files import serializeToStorage as serializeToStorage
from .program.extensions import setFloatStorage as setFloatStorage
from .program.extensions import setIntStorage as setIntStorage
from .program.classes import setenv as setenv
from .program.classes import setmetatable as setmetatable
from .program.objects import setnumthreads as setnumthreads
from .program.timer import tic as tic
from .program.timer import toc as toc
from .program.objects import totable as totable
from .program.groups import treemax as treemax
from .program.objects import type as type
from .program.classes import typename2id as typename2id
from .program.classes import version as version
from .torchx import AliasMultinomial as AliasMultinomial
from .torchx import MultiCudaTensor as MultiCudaTensor

float16: np.dtype
float32: np.dtype
float64: np.dtype
bfloat16: np.dtype
_LAZY: dict[str, str]
METHODS: tuple[str, ...]
FUNCTIONS: dict[str, Any]

class _OfTensors(Constructor):
    def __call__(self, *given: Operand) -> Tensor: ...
    new = __call__

class _OfStorages(Constructor):
    def __call__(self, *given: Operand) -> _Storage: ...
    new = __call__
FloatTensor: _OfTensors
FloatStorage: _OfStorages
DoubleTensor: _OfTensors
DoubleStorage: _OfStorages
HalfTensor: _OfTensors
HalfStorage: _OfStorages
BFloat16Tensor: _OfTensors
BFloat16Storage: _OfStorages
ByteTensor: _OfTensors
ByteStorage: _OfStorages
CharTensor: _OfTensors
CharStorage: _OfStorages
ShortTensor: _OfTensors
ShortStorage: _OfStorages
IntTensor: _OfTensors
IntStorage: _OfStorages
LongTensor: _OfTensors
LongStorage: _OfStorages
CudaTensor: _OfTensors
CudaStorage: _OfStorages
CudaDoubleTensor: _OfTensors
CudaDoubleStorage: _OfStorages
CudaHalfTensor: _OfTensors
CudaHalfStorage: _OfStorages
CudaBFloat16Tensor: _OfTensors
CudaBFloat16Storage: _OfStorages
CudaByteTensor: _OfTensors
CudaByteStorage: _OfStorages
CudaCharTensor: _OfTensors
CudaCharStorage: _OfStorages
CudaShortTensor: _OfTensors
CudaShortStorage: _OfStorages
CudaIntTensor: _OfTensors
CudaIntStorage: _OfStorages
CudaLongTensor: _OfTensors
CudaLongStorage: _OfStorages
def multinomial(*args: Operand) -> Tensor:
    """multinomial([result], [generator], weights, n, replacement=False): classes, a LongTensor (of the weights'
    GPU); see Tensor's."""
def getRNGState(generator: Generator | None=None) -> Tensor:
    """getRNGState([generator]): all that later random numbers depend on, as a ByteTensor."""
@overload
def setRNGState(state: Tensor, /) -> Tensor:
    """setRNGState([generator], state): makes the same numbers follow as after `getRNGState`; returns the
    state."""
@overload
def setRNGState(generator: Generator, state: Tensor, /) -> Tensor:
    """setRNGState([generator], state): makes the same numbers follow as after `getRNGState`; returns the
    state."""
def where(condition: Numbers, x: Numbers, y: Numbers) -> Tensor:
    """x where the condition is true (or not 0), y elsewhere: an `if` for each element."""
def cat(*args: Operand) -> Tensor:
    """cat([result,] tensors, [dim]), cat([result,] tensor, tensor, [dim]): the tensors joined along a dimension.
    By default it is the last."""
def all(tensor: Numbers) -> bool:
    """Whether no element is 0 or false."""
def any(tensor: Numbers) -> bool:
    """Whether any element is not 0."""
def typename(value: object) -> str | None:
    """Torch's name for a value's class; None if Torch has none."""
def isTensor(value: object) -> bool:
    """Whether a value is a tensor."""
def save(filename: str | os.PathLike, object: object, mode: str='binary', referenced: bool=True) -> None:
    """Writes tensors, tables and modules to a `.t7` file; each object only once, whatever `referenced`."""
def load(filename: str | os.PathLike, mode: str | None=None, referenced: bool=True) -> Any:
    """The object in a `.t7` file, binary or ASCII."""
def serialize(object: object, mode: str='binary') -> bytes:
    """The bytes that `save` writes."""
def deserialize(data: bytes, mode: str | None=None) -> Any:
    """The object in bytes from `serialize`."""
@overload
def abs(number: float, /) -> float:
    """|x|; a new tensor, or in a first argument, which gets the result's sizes. Raises TypeError for arguments of
    other kinds, ValueError for sizes that do not fit."""
@overload
def abs(x: Numbers, /) -> Tensor: ...
@overload
def abs(tensor: Numbers, x: Numbers, /) -> Tensor: ...
@overload
def sqrt(number: float, /) -> float:
    """the square root of x; a new tensor, or in a first argument, which gets the result's sizes. Raises TypeError
    for arguments of other kinds, ValueError for sizes that do not fit."""
@overload
def sqrt(x: Numbers, /) -> Tensor: ...
@overload
def sqrt(tensor: Numbers, x: Numbers, /) -> Tensor: ...
@overload
def exp(number: float, /) -> float:
    """exp(x); a new tensor, or in a first argument, which gets the result's sizes. Raises TypeError for arguments
    of other kinds, ValueError for sizes that do not fit."""
@overload
def exp(x: Numbers, /) -> Tensor: ...
@overload
def exp(tensor: Numbers, x: Numbers, /) -> Tensor: ...
@overload
def log(number: float, /) -> float:
    """log(x); a new tensor, or in a first argument, which gets the result's sizes. Raises TypeError for arguments
    of other kinds, ValueError for sizes that do not fit."""
@overload
def log(x: Numbers, /) -> Tensor: ...
@overload
def log(tensor: Numbers, x: Numbers, /) -> Tensor: ...
@overload
def log1p(number: float, /) -> float:
    """log(1 + x); a new tensor, or in a first argument, which gets the result's sizes. Raises TypeError for
    arguments of other kinds, ValueError for sizes that do not fit."""
@overload
def log1p(x: Numbers, /) -> Tensor: ...
@overload
def log1p(tensor: Numbers, x: Numbers, /) -> Tensor: ...
@overload
def tanh(number: float, /) -> float:
    """tanh(x); a new tensor, or in a first argument, which gets the result's sizes. Raises TypeError for
    arguments of other kinds, ValueError for sizes that do not fit."""
@overload
def tanh(x: Numbers, /) -> Tensor: ...
@overload
def tanh(tensor: Numbers, x: Numbers, /) -> Tensor: ...
@overload
def sin(number: float, /) -> float:
    """sin(x); a new tensor, or in a first argument, which gets the result's sizes. Raises TypeError for arguments
    of other kinds, ValueError for sizes that do not fit."""
@overload
def sin(x: Numbers, /) -> Tensor: ...
@overload
def sin(tensor: Numbers, x: Numbers, /) -> Tensor: ...
@overload
def cos(number: float, /) -> float:
    """cos(x); a new tensor, or in a first argument, which gets the result's sizes. Raises TypeError for arguments
    of other kinds, ValueError for sizes that do not fit."""
@overload
def cos(x: Numbers, /) -> Tensor: ...
@overload
def cos(tensor: Numbers, x: Numbers, /) -> Tensor: ...
@overload
def floor(number: float, /) -> float:
    """x rounded down; a new tensor, or in a first argument, which gets the result's sizes. Raises TypeError for
    arguments of other kinds, ValueError for sizes that do not fit."""
@overload
def floor(x: Numbers, /) -> Tensor: ...
@overload
def floor(tensor: Numbers, x: Numbers, /) -> Tensor: ...
@overload
def ceil(number: float, /) -> float:
    """x rounded up; a new tensor, or in a first argument, which gets the result's sizes. Raises TypeError for
    arguments of other kinds, ValueError for sizes that do not fit."""
@overload
def ceil(x: Numbers, /) -> Tensor: ...
@overload
def ceil(tensor: Numbers, x: Numbers, /) -> Tensor: ...
@overload
def trunc(number: float, /) -> float:
    """x without its fraction; a new tensor, or in a first argument, which gets the result's sizes. Raises
    TypeError for arguments of other kinds, ValueError for sizes that do not fit."""
@overload
def trunc(x: Numbers, /) -> Tensor: ...
@overload
def trunc(tensor: Numbers, x: Numbers, /) -> Tensor: ...
@overload
def tan(number: float, /) -> float:
    """tan(x); a new tensor, or in a first argument, which gets the result's sizes. Raises TypeError for arguments
    of other kinds, ValueError for sizes that do not fit."""
@overload
def tan(x: Numbers, /) -> Tensor: ...
@overload
def tan(tensor: Numbers, x: Numbers, /) -> Tensor: ...
@overload
def cosh(number: float, /) -> float:
    """cosh(x); a new tensor, or in a first argument, which gets the result's sizes. Raises TypeError for
    arguments of other kinds, ValueError for sizes that do not fit."""
@overload
def cosh(x: Numbers, /) -> Tensor: ...
@overload
def cosh(tensor: Numbers, x: Numbers, /) -> Tensor: ...
@overload
def sinh(number: float, /) -> float:
    """sinh(x); a new tensor, or in a first argument, which gets the result's sizes. Raises TypeError for
    arguments of other kinds, ValueError for sizes that do not fit."""
@overload
def sinh(x: Numbers, /) -> Tensor: ...
@overload
def sinh(tensor: Numbers, x: Numbers, /) -> Tensor: ...
@overload
def sigmoid(number: float, /) -> float:
    """1 / (1 + exp(-x)); a new tensor, or in a first argument, which gets the result's sizes. Raises TypeError
    for arguments of other kinds, ValueError for sizes that do not fit."""
@overload
def sigmoid(x: Numbers, /) -> Tensor: ...
@overload
def sigmoid(tensor: Numbers, x: Numbers, /) -> Tensor: ...
@overload
def acos(number: float, /) -> float:
    """the angle in [0, pi] whose cosine is x; a new tensor, or in a first argument, which gets the result's
    sizes. Raises TypeError for arguments of other kinds, ValueError for sizes that do not fit."""
@overload
def acos(x: Numbers, /) -> Tensor: ...
@overload
def acos(tensor: Numbers, x: Numbers, /) -> Tensor: ...
@overload
def asin(number: float, /) -> float:
    """the angle in [-pi/2, pi/2] whose sine is x; a new tensor, or in a first argument, which gets the result's
    sizes. Raises TypeError for arguments of other kinds, ValueError for sizes that do not fit."""
@overload
def asin(x: Numbers, /) -> Tensor: ...
@overload
def asin(tensor: Numbers, x: Numbers, /) -> Tensor: ...
@overload
def atan(number: float, /) -> float:
    """the angle in (-pi/2, pi/2) whose tangent is x; a new tensor, or in a first argument, which gets the
    result's sizes. Raises TypeError for arguments of other kinds, ValueError for sizes that do not fit."""
@overload
def atan(x: Numbers, /) -> Tensor: ...
@overload
def atan(tensor: Numbers, x: Numbers, /) -> Tensor: ...
@overload
def atan2(x: Numbers, tensor: Numbers, /) -> Tensor:
    """the angle of the point (tensor, x); a new tensor, or in a first argument, which gets the result's sizes.
    Raises TypeError for arguments of other kinds, ValueError for sizes that do not fit."""
@overload
def atan2(tensor1: Numbers, x: Numbers, tensor2: Numbers, /) -> Tensor: ...
@overload
def sign(x: Numbers, /) -> Tensor:
    """-1, 0 or 1; a new tensor, or in a first argument, which gets the result's sizes. Raises TypeError for
    arguments of other kinds, ValueError for sizes that do not fit."""
@overload
def sign(tensor: Numbers, x: Numbers, /) -> Tensor: ...
@overload
def rsqrt(number: float, /) -> float:
    """1 / sqrt(x); a new tensor, or in a first argument, which gets the result's sizes. Raises TypeError for
    arguments of other kinds, ValueError for sizes that do not fit."""
@overload
def rsqrt(x: Numbers, /) -> Tensor: ...
@overload
def rsqrt(tensor: Numbers, x: Numbers, /) -> Tensor: ...
@overload
def round(number: float, /) -> float:
    """x rounded, halves away from 0; a new tensor, or in a first argument, which gets the result's sizes. Raises
    TypeError for arguments of other kinds, ValueError for sizes that do not fit."""
@overload
def round(x: Numbers, /) -> Tensor: ...
@overload
def round(tensor: Numbers, x: Numbers, /) -> Tensor: ...
@overload
def frac(number: float, /) -> float:
    """the fraction of x, of x's sign; a new tensor, or in a first argument, which gets the result's sizes. Raises
    TypeError for arguments of other kinds, ValueError for sizes that do not fit."""
@overload
def frac(x: Numbers, /) -> Tensor: ...
@overload
def frac(tensor: Numbers, x: Numbers, /) -> Tensor: ...
@overload
def neg(x: Numbers, /) -> Tensor:
    """-x; a new tensor, or in a first argument, which gets the result's sizes. Raises TypeError for arguments of
    other kinds, ValueError for sizes that do not fit."""
@overload
def neg(tensor: Numbers, x: Numbers, /) -> Tensor: ...
@overload
def cinv(x: Numbers, /) -> Tensor:
    """1 / x; a new tensor, or in a first argument, which gets the result's sizes. Raises TypeError for arguments
    of other kinds, ValueError for sizes that do not fit."""
@overload
def cinv(tensor: Numbers, x: Numbers, /) -> Tensor: ...
@overload
def add(x: Numbers, number: float, /) -> Tensor:
    """x + number, or x + number * tensor; a new tensor, or in a first argument, which gets the result's sizes.
    Raises TypeError for arguments of other kinds, ValueError for sizes that do not fit."""
@overload
def add(tensor: Numbers, x: Numbers, number: float, /) -> Tensor: ...
@overload
def add(x: Numbers, tensor: Numbers, /) -> Tensor: ...
@overload
def add(tensor1: Numbers, x: Numbers, tensor2: Numbers, /) -> Tensor: ...
@overload
def add(x: Numbers, number: float, tensor: Numbers, /) -> Tensor: ...
@overload
def add(tensor1: Numbers, x: Numbers, number: float, tensor2: Numbers, /) -> Tensor: ...
@overload
def csub(x: Numbers, number: float, /) -> Tensor:
    """x - number, or x - number * tensor; a new tensor, or in a first argument, which gets the result's sizes.
    Raises TypeError for arguments of other kinds, ValueError for sizes that do not fit."""
@overload
def csub(tensor: Numbers, x: Numbers, number: float, /) -> Tensor: ...
@overload
def csub(x: Numbers, tensor: Numbers, /) -> Tensor: ...
@overload
def csub(tensor1: Numbers, x: Numbers, tensor2: Numbers, /) -> Tensor: ...
@overload
def csub(x: Numbers, number: float, tensor: Numbers, /) -> Tensor: ...
@overload
def csub(tensor1: Numbers, x: Numbers, number: float, tensor2: Numbers, /) -> Tensor: ...
@overload
def mul(x: Numbers, number: float, /) -> Tensor:
    """x * number; a new tensor, or in a first argument, which gets the result's sizes. Raises TypeError for
    arguments of other kinds, ValueError for sizes that do not fit."""
@overload
def mul(tensor: Numbers, x: Numbers, number: float, /) -> Tensor: ...
@overload
def div(x: Numbers, number: float, /) -> Tensor:
    """x / number, of whole numbers without its fraction; a new tensor, or in a first argument, which gets the
    result's sizes. Raises TypeError for arguments of other kinds, ValueError for sizes that do not fit."""
@overload
def div(tensor: Numbers, x: Numbers, number: float, /) -> Tensor: ...
@overload
def fmod(x: Numbers, number: float, /) -> Tensor:
    """the remainder of x / number, of x's sign; a new tensor, or in a first argument, which gets the result's
    sizes. Raises TypeError for arguments of other kinds, ValueError for sizes that do not fit."""
@overload
def fmod(tensor: Numbers, x: Numbers, number: float, /) -> Tensor: ...
@overload
def mod(x: Numbers, number: float, /) -> Tensor:
    """the remainder of x / number, of x's sign; a new tensor, or in a first argument, which gets the result's
    sizes. Raises TypeError for arguments of other kinds, ValueError for sizes that do not fit."""
@overload
def mod(tensor: Numbers, x: Numbers, number: float, /) -> Tensor: ...
@overload
def remainder(x: Numbers, number: float, /) -> Tensor:
    """the remainder of x / number, of the number's sign; a new tensor, or in a first argument, which gets the
    result's sizes. Raises TypeError for arguments of other kinds, ValueError for sizes that do not fit."""
@overload
def remainder(tensor: Numbers, x: Numbers, number: float, /) -> Tensor: ...
@overload
def cfmod(x: Numbers, tensor: Numbers, /) -> Tensor:
    """the remainder of x / tensor, of x's sign; a new tensor, or in a first argument, which gets the result's
    sizes. Raises TypeError for arguments of other kinds, ValueError for sizes that do not fit."""
@overload
def cfmod(tensor1: Numbers, x: Numbers, tensor2: Numbers, /) -> Tensor: ...
@overload
def cmod(x: Numbers, tensor: Numbers, /) -> Tensor:
    """the remainder of x / tensor, of x's sign; a new tensor, or in a first argument, which gets the result's
    sizes. Raises TypeError for arguments of other kinds, ValueError for sizes that do not fit."""
@overload
def cmod(tensor1: Numbers, x: Numbers, tensor2: Numbers, /) -> Tensor: ...
@overload
def cremainder(x: Numbers, tensor: Numbers, /) -> Tensor:
    """the remainder of x / tensor, of the tensor's sign; a new tensor, or in a first argument, which gets the
    result's sizes. Raises TypeError for arguments of other kinds, ValueError for sizes that do not fit."""
@overload
def cremainder(tensor1: Numbers, x: Numbers, tensor2: Numbers, /) -> Tensor: ...
@overload
def lerp(x: Numbers, tensor: Numbers, number: float, /) -> Tensor:
    """x + number * (tensor - x); a new tensor, or in a first argument, which gets the result's sizes. Raises
    TypeError for arguments of other kinds, ValueError for sizes that do not fit."""
@overload
def lerp(tensor1: Numbers, x: Numbers, tensor2: Numbers, number: float, /) -> Tensor: ...
@overload
def pow(x: Numbers, number: float, /) -> Tensor:
    """x ** number, or number ** x; a new tensor, or in a first argument, which gets the result's sizes. Raises
    TypeError for arguments of other kinds, ValueError for sizes that do not fit."""
@overload
def pow(tensor: Numbers, x: Numbers, number: float, /) -> Tensor: ...
@overload
def pow(number: float, tensor: Numbers, /) -> Tensor: ...
@overload
def pow(tensor1: Numbers, number: float, tensor2: Numbers, /) -> Tensor: ...
@overload
def clamp(x: Numbers, number1: float, number2: float, /) -> Tensor:
    """x, no less than the first number and no more than the second; a new tensor, or in a first argument, which
    gets the result's sizes. Raises TypeError for arguments of other kinds, ValueError for sizes that do not
    fit."""
@overload
def clamp(tensor: Numbers, x: Numbers, number1: float, number2: float, /) -> Tensor: ...
@overload
def cmul(x: Numbers, tensor: Numbers, /) -> Tensor:
    """x * tensor, element by element; a new tensor, or in a first argument, which gets the result's sizes. Raises
    TypeError for arguments of other kinds, ValueError for sizes that do not fit."""
@overload
def cmul(tensor1: Numbers, x: Numbers, tensor2: Numbers, /) -> Tensor: ...
@overload
def cdiv(x: Numbers, tensor: Numbers, /) -> Tensor:
    """x / tensor, element by element; a new tensor, or in a first argument, which gets the result's sizes. Raises
    TypeError for arguments of other kinds, ValueError for sizes that do not fit."""
@overload
def cdiv(tensor1: Numbers, x: Numbers, tensor2: Numbers, /) -> Tensor: ...
@overload
def cpow(x: Numbers, tensor: Numbers, /) -> Tensor:
    """x ** tensor, element by element; a new tensor, or in a first argument, which gets the result's sizes.
    Raises TypeError for arguments of other kinds, ValueError for sizes that do not fit."""
@overload
def cpow(tensor1: Numbers, x: Numbers, tensor2: Numbers, /) -> Tensor: ...
@overload
def cmax(x: Numbers, number: float, /) -> Tensor:
    """the larger of x and a number or tensor, the latter where x is NaN; a new tensor, or in a first argument,
    which gets the result's sizes. Raises TypeError for arguments of other kinds, ValueError for sizes that do not
    fit."""
@overload
def cmax(tensor: Numbers, x: Numbers, number: float, /) -> Tensor: ...
@overload
def cmax(x: Numbers, tensor: Numbers, /) -> Tensor: ...
@overload
def cmax(tensor1: Numbers, x: Numbers, tensor2: Numbers, /) -> Tensor: ...
@overload
def cmin(x: Numbers, number: float, /) -> Tensor:
    """the smaller of x and a number or tensor, the latter where x is NaN; a new tensor, or in a first argument,
    which gets the result's sizes. Raises TypeError for arguments of other kinds, ValueError for sizes that do not
    fit."""
@overload
def cmin(tensor: Numbers, x: Numbers, number: float, /) -> Tensor: ...
@overload
def cmin(x: Numbers, tensor: Numbers, /) -> Tensor: ...
@overload
def cmin(tensor1: Numbers, x: Numbers, tensor2: Numbers, /) -> Tensor: ...
@overload
def bitand(x: Numbers, number: float, /) -> Tensor:
    """the bits of x and those of a number; a new tensor, or in a first argument, which gets the result's sizes.
    Raises TypeError for arguments of other kinds, ValueError for sizes that do not fit."""
@overload
def bitand(tensor: Numbers, x: Numbers, number: float, /) -> Tensor: ...
@overload
def cbitand(x: Numbers, tensor: Numbers, /) -> Tensor:
    """the bits of x and those of a tensor; a new tensor, or in a first argument, which gets the result's sizes.
    Raises TypeError for arguments of other kinds, ValueError for sizes that do not fit."""
@overload
def cbitand(tensor1: Numbers, x: Numbers, tensor2: Numbers, /) -> Tensor: ...
@overload
def bitor(x: Numbers, number: float, /) -> Tensor:
    """the bits of x or those of a number; a new tensor, or in a first argument, which gets the result's sizes.
    Raises TypeError for arguments of other kinds, ValueError for sizes that do not fit."""
@overload
def bitor(tensor: Numbers, x: Numbers, number: float, /) -> Tensor: ...
@overload
def cbitor(x: Numbers, tensor: Numbers, /) -> Tensor:
    """the bits of x or those of a tensor; a new tensor, or in a first argument, which gets the result's sizes.
    Raises TypeError for arguments of other kinds, ValueError for sizes that do not fit."""
@overload
def cbitor(tensor1: Numbers, x: Numbers, tensor2: Numbers, /) -> Tensor: ...
@overload
def bitxor(x: Numbers, number: float, /) -> Tensor:
    """the bits of x but for those of a number; a new tensor, or in a first argument, which gets the result's
    sizes. Raises TypeError for arguments of other kinds, ValueError for sizes that do not fit."""
@overload
def bitxor(tensor: Numbers, x: Numbers, number: float, /) -> Tensor: ...
@overload
def cbitxor(x: Numbers, tensor: Numbers, /) -> Tensor:
    """the bits of x but for those of a tensor; a new tensor, or in a first argument, which gets the result's
    sizes. Raises TypeError for arguments of other kinds, ValueError for sizes that do not fit."""
@overload
def cbitxor(tensor1: Numbers, x: Numbers, tensor2: Numbers, /) -> Tensor: ...
@overload
def lshift(x: Numbers, number: float, /) -> Tensor:
    """x * 2 ** number; a new tensor, or in a first argument, which gets the result's sizes. Raises TypeError for
    arguments of other kinds, ValueError for sizes that do not fit."""
@overload
def lshift(tensor: Numbers, x: Numbers, number: float, /) -> Tensor: ...
@overload
def clshift(x: Numbers, tensor: Numbers, /) -> Tensor:
    """x * 2 ** tensor; a new tensor, or in a first argument, which gets the result's sizes. Raises TypeError for
    arguments of other kinds, ValueError for sizes that do not fit."""
@overload
def clshift(tensor1: Numbers, x: Numbers, tensor2: Numbers, /) -> Tensor: ...
@overload
def rshift(x: Numbers, number: float, /) -> Tensor:
    """x / 2 ** number; a new tensor, or in a first argument, which gets the result's sizes. Raises TypeError for
    arguments of other kinds, ValueError for sizes that do not fit."""
@overload
def rshift(tensor: Numbers, x: Numbers, number: float, /) -> Tensor: ...
@overload
def crshift(x: Numbers, tensor: Numbers, /) -> Tensor:
    """x / 2 ** tensor; a new tensor, or in a first argument, which gets the result's sizes. Raises TypeError for
    arguments of other kinds, ValueError for sizes that do not fit."""
@overload
def crshift(tensor1: Numbers, x: Numbers, tensor2: Numbers, /) -> Tensor: ...
@overload
def renorm(x: Numbers, number1: float, number2: float, number3: float, /) -> Tensor:
    """x, its slices of a p-norm above a number scaled to it; p, dimension, number; a new tensor, or in a first
    argument, which gets the result's sizes. Raises TypeError for arguments of other kinds, ValueError for sizes
    that do not fit."""
@overload
def renorm(tensor: Numbers, x: Numbers, number1: float, number2: float, number3: float, /) -> Tensor: ...
@overload
def addcmul(x: Numbers, number: float, tensor1: Numbers, tensor2: Numbers, /) -> Tensor:
    """x + number * tensor * tensor; a new tensor, or in a first argument, which gets the result's sizes. Raises
    TypeError for arguments of other kinds, ValueError for sizes that do not fit."""
@overload
def addcmul(x: Numbers, tensor1: Numbers, tensor2: Numbers, /) -> Tensor: ...
@overload
def addcmul(tensor1: Numbers, x: Numbers, number: float, tensor2: Numbers, tensor3: Numbers, /) -> Tensor: ...
@overload
def addcmul(tensor1: Numbers, x: Numbers, tensor2: Numbers, tensor3: Numbers, /) -> Tensor: ...
@overload
def addcdiv(x: Numbers, number: float, tensor1: Numbers, tensor2: Numbers, /) -> Tensor:
    """x + number * tensor / tensor; a new tensor, or in a first argument, which gets the result's sizes. Raises
    TypeError for arguments of other kinds, ValueError for sizes that do not fit."""
@overload
def addcdiv(x: Numbers, tensor1: Numbers, tensor2: Numbers, /) -> Tensor: ...
@overload
def addcdiv(tensor1: Numbers, x: Numbers, number: float, tensor2: Numbers, tensor3: Numbers, /) -> Tensor: ...
@overload
def addcdiv(tensor1: Numbers, x: Numbers, tensor2: Numbers, tensor3: Numbers, /) -> Tensor: ...
@overload
def mm(tensor1: Numbers, tensor2: Numbers, /) -> Tensor:
    """the product ij,jk->ik of two tensors; a new tensor, or in a first argument, which gets the result's sizes.
    Raises TypeError for arguments of other kinds, ValueError for sizes that do not fit."""
@overload
def mm(tensor1: Numbers, tensor2: Numbers, tensor3: Numbers, /) -> Tensor: ...
@overload
def mv(tensor1: Numbers, tensor2: Numbers, /) -> Tensor:
    """the product ij,j->i of two tensors; a new tensor, or in a first argument, which gets the result's sizes.
    Raises TypeError for arguments of other kinds, ValueError for sizes that do not fit."""
@overload
def mv(tensor1: Numbers, tensor2: Numbers, tensor3: Numbers, /) -> Tensor: ...
@overload
def ger(tensor1: Numbers, tensor2: Numbers, /) -> Tensor:
    """the product i,j->ij of two tensors; a new tensor, or in a first argument, which gets the result's sizes.
    Raises TypeError for arguments of other kinds, ValueError for sizes that do not fit."""
@overload
def ger(tensor1: Numbers, tensor2: Numbers, tensor3: Numbers, /) -> Tensor: ...
@overload
def bmm(tensor1: Numbers, tensor2: Numbers, /) -> Tensor:
    """the product bij,bjk->bik of two tensors; a new tensor, or in a first argument, which gets the result's
    sizes. Raises TypeError for arguments of other kinds, ValueError for sizes that do not fit."""
@overload
def bmm(tensor1: Numbers, tensor2: Numbers, tensor3: Numbers, /) -> Tensor: ...
@overload
def addmm(x: Numbers, number: float, tensor1: Numbers, tensor2: Numbers, /) -> Tensor:
    """number * x + number * the product ij,jk->ik; a new tensor, or in a first argument, which gets the result's
    sizes. Raises TypeError for arguments of other kinds, ValueError for sizes that do not fit."""
@overload
def addmm(x: Numbers, tensor1: Numbers, tensor2: Numbers, /) -> Tensor: ...
@overload
def addmm(tensor1: Numbers, x: Numbers, number: float, tensor2: Numbers, tensor3: Numbers, /) -> Tensor: ...
@overload
def addmm(tensor1: Numbers, x: Numbers, tensor2: Numbers, tensor3: Numbers, /) -> Tensor: ...
@overload
def addmm(number1: float, x: Numbers, number2: float, tensor1: Numbers, tensor2: Numbers, /) -> Tensor: ...
@overload
def addmm(number: float, x: Numbers, tensor1: Numbers, tensor2: Numbers, /) -> Tensor: ...
@overload
def addmm(
    tensor1: Numbers, number1: float, x: Numbers, number2: float, tensor2: Numbers, tensor3: Numbers, /
) -> Tensor: ...
@overload
def addmm(tensor1: Numbers, number: float, x: Numbers, tensor2: Numbers, tensor3: Numbers, /) -> Tensor: ...
@overload
def addmv(x: Numbers, number: float, tensor1: Numbers, tensor2: Numbers, /) -> Tensor:
    """number * x + number * the product ij,j->i; a new tensor, or in a first argument, which gets the result's
    sizes. Raises TypeError for arguments of other kinds, ValueError for sizes that do not fit."""
@overload
def addmv(x: Numbers, tensor1: Numbers, tensor2: Numbers, /) -> Tensor: ...
@overload
def addmv(tensor1: Numbers, x: Numbers, number: float, tensor2: Numbers, tensor3: Numbers, /) -> Tensor: ...
@overload
def addmv(tensor1: Numbers, x: Numbers, tensor2: Numbers, tensor3: Numbers, /) -> Tensor: ...
@overload
def addmv(number1: float, x: Numbers, number2: float, tensor1: Numbers, tensor2: Numbers, /) -> Tensor: ...
@overload
def addmv(number: float, x: Numbers, tensor1: Numbers, tensor2: Numbers, /) -> Tensor: ...
@overload
def addmv(
    tensor1: Numbers, number1: float, x: Numbers, number2: float, tensor2: Numbers, tensor3: Numbers, /
) -> Tensor: ...
@overload
def addmv(tensor1: Numbers, number: float, x: Numbers, tensor2: Numbers, tensor3: Numbers, /) -> Tensor: ...
@overload
def addr(x: Numbers, number: float, tensor1: Numbers, tensor2: Numbers, /) -> Tensor:
    """number * x + number * the product i,j->ij; a new tensor, or in a first argument, which gets the result's
    sizes. Raises TypeError for arguments of other kinds, ValueError for sizes that do not fit."""
@overload
def addr(x: Numbers, tensor1: Numbers, tensor2: Numbers, /) -> Tensor: ...
@overload
def addr(tensor1: Numbers, x: Numbers, number: float, tensor2: Numbers, tensor3: Numbers, /) -> Tensor: ...
@overload
def addr(tensor1: Numbers, x: Numbers, tensor2: Numbers, tensor3: Numbers, /) -> Tensor: ...
@overload
def addr(number1: float, x: Numbers, number2: float, tensor1: Numbers, tensor2: Numbers, /) -> Tensor: ...
@overload
def addr(number: float, x: Numbers, tensor1: Numbers, tensor2: Numbers, /) -> Tensor: ...
@overload
def addr(
    tensor1: Numbers, number1: float, x: Numbers, number2: float, tensor2: Numbers, tensor3: Numbers, /
) -> Tensor: ...
@overload
def addr(tensor1: Numbers, number: float, x: Numbers, tensor2: Numbers, tensor3: Numbers, /) -> Tensor: ...
@overload
def baddbmm(x: Numbers, number: float, tensor1: Numbers, tensor2: Numbers, /) -> Tensor:
    """number * x + number * the product bij,bjk->bik; a new tensor, or in a first argument, which gets the
    result's sizes. Raises TypeError for arguments of other kinds, ValueError for sizes that do not fit."""
@overload
def baddbmm(x: Numbers, tensor1: Numbers, tensor2: Numbers, /) -> Tensor: ...
@overload
def baddbmm(tensor1: Numbers, x: Numbers, number: float, tensor2: Numbers, tensor3: Numbers, /) -> Tensor: ...
@overload
def baddbmm(tensor1: Numbers, x: Numbers, tensor2: Numbers, tensor3: Numbers, /) -> Tensor: ...
@overload
def baddbmm(number1: float, x: Numbers, number2: float, tensor1: Numbers, tensor2: Numbers, /) -> Tensor: ...
@overload
def baddbmm(number: float, x: Numbers, tensor1: Numbers, tensor2: Numbers, /) -> Tensor: ...
@overload
def baddbmm(
    tensor1: Numbers, number1: float, x: Numbers, number2: float, tensor2: Numbers, tensor3: Numbers, /
) -> Tensor: ...
@overload
def baddbmm(tensor1: Numbers, number: float, x: Numbers, tensor2: Numbers, tensor3: Numbers, /) -> Tensor: ...
@overload
def addbmm(x: Numbers, number: float, tensor1: Numbers, tensor2: Numbers, /) -> Tensor:
    """number * x + number * the product bij,bjk->ik; a new tensor, or in a first argument, which gets the
    result's sizes. Raises TypeError for arguments of other kinds, ValueError for sizes that do not fit."""
@overload
def addbmm(x: Numbers, tensor1: Numbers, tensor2: Numbers, /) -> Tensor: ...
@overload
def addbmm(tensor1: Numbers, x: Numbers, number: float, tensor2: Numbers, tensor3: Numbers, /) -> Tensor: ...
@overload
def addbmm(tensor1: Numbers, x: Numbers, tensor2: Numbers, tensor3: Numbers, /) -> Tensor: ...
@overload
def addbmm(number1: float, x: Numbers, number2: float, tensor1: Numbers, tensor2: Numbers, /) -> Tensor: ...
@overload
def addbmm(number: float, x: Numbers, tensor1: Numbers, tensor2: Numbers, /) -> Tensor: ...
@overload
def addbmm(
    tensor1: Numbers, number1: float, x: Numbers, number2: float, tensor2: Numbers, tensor3: Numbers, /
) -> Tensor: ...
@overload
def addbmm(tensor1: Numbers, number: float, x: Numbers, tensor2: Numbers, tensor3: Numbers, /) -> Tensor: ...
@overload
def uniform(a: float = ..., b: float = ..., /) -> float:
    """A random number, after a generator if any, or a tensor filled with such: uniform on [a, b), [0, 1) by
    default. Raises TypeError for arguments of other kinds, and for such by name."""
@overload
def uniform(generator: Generator, a: float = ..., b: float = ..., /) -> float: ...
@overload
def uniform(tensor: Tensor, a: float = ..., b: float = ..., /) -> Tensor: ...
@overload
def uniform(tensor: Tensor, generator: Generator, a: float = ..., b: float = ..., /) -> Tensor: ...
@overload
def normal(mean: float = ..., stdv: float = ..., /) -> float:
    """A random number, after a generator if any, or a tensor filled with such: normal, of mean 0 and standard
    deviation 1 by default. Raises TypeError for arguments of other kinds, and for such by name."""
@overload
def normal(generator: Generator, mean: float = ..., stdv: float = ..., /) -> float: ...
@overload
def normal(tensor: Tensor, mean: float = ..., stdv: float = ..., /) -> Tensor: ...
@overload
def normal(tensor: Tensor, generator: Generator, mean: float = ..., stdv: float = ..., /) -> Tensor: ...
@overload
def logNormal(mean: float = ..., stdv: float = ..., /) -> float:
    """A random number, after a generator if any, or a tensor filled with such: exp of a normal number, of mean 1
    and deviation 2 by default. Raises TypeError for arguments of other kinds, and for such by name."""
@overload
def logNormal(generator: Generator, mean: float = ..., stdv: float = ..., /) -> float: ...
@overload
def logNormal(tensor: Tensor, mean: float = ..., stdv: float = ..., /) -> Tensor: ...
@overload
def logNormal(tensor: Tensor, generator: Generator, mean: float = ..., stdv: float = ..., /) -> Tensor: ...
@overload
def exponential(rate: float, /) -> float:
    """A random number, after a generator if any, or a tensor filled with such: of density rate * exp(-rate * x).
    Raises TypeError for arguments of other kinds, and for such by name."""
@overload
def exponential(generator: Generator, rate: float, /) -> float: ...
@overload
def exponential(tensor: Tensor, rate: float, /) -> Tensor: ...
@overload
def exponential(tensor: Tensor, generator: Generator, rate: float, /) -> Tensor: ...
@overload
def cauchy(median: float = ..., sigma: float = ..., /) -> float:
    """A random number, after a generator if any, or a tensor filled with such: of density sigma / (pi (sigma^2 +
    (x - median)^2)), 0 and 1 by default. Raises TypeError for arguments of other kinds, and for such by name."""
@overload
def cauchy(generator: Generator, median: float = ..., sigma: float = ..., /) -> float: ...
@overload
def cauchy(tensor: Tensor, median: float = ..., sigma: float = ..., /) -> Tensor: ...
@overload
def cauchy(tensor: Tensor, generator: Generator, median: float = ..., sigma: float = ..., /) -> Tensor: ...
@overload
def geometric(p: float, /) -> float:
    """A random number, after a generator if any, or a tensor filled with such: whole, n with probability (1 - p)
    p^(n - 1). Raises TypeError for arguments of other kinds, and for such by name."""
@overload
def geometric(generator: Generator, p: float, /) -> float: ...
@overload
def geometric(tensor: Tensor, p: float, /) -> Tensor: ...
@overload
def geometric(tensor: Tensor, generator: Generator, p: float, /) -> Tensor: ...
@overload
def bernoulli(p: float | Numbers = ..., /) -> float:
    """A random number, after a generator if any, or a tensor filled with such: 1 with probability p, 0.5 by
    default, else 0. Raises TypeError for arguments of other kinds, and for such by name."""
@overload
def bernoulli(generator: Generator, p: float | Numbers = ..., /) -> float: ...
@overload
def bernoulli(tensor: Tensor, p: float | Numbers = ..., /) -> Tensor: ...
@overload
def bernoulli(tensor: Tensor, generator: Generator, p: float | Numbers = ..., /) -> Tensor: ...
@overload
def random(first: float = ..., last: float = ..., /) -> float:
    """A random number, after a generator if any, or a tensor filled with such: whole, from first to last, or from
    1 to a single bound. Raises TypeError for arguments of other kinds, and for such by name."""
@overload
def random(generator: Generator, first: float = ..., last: float = ..., /) -> float: ...
@overload
def random(tensor: Tensor, first: float = ..., last: float = ..., /) -> Tensor: ...
@overload
def random(tensor: Tensor, generator: Generator, first: float = ..., last: float = ..., /) -> Tensor: ...
def zeros(*sizes: Sizes | Tensor | str, dtype: DTypeLike | None = None) -> Tensor:
    """zeros([result], sizes...): a tensor of the default type, or of the type that a last argument names, or the
    result, becomes zeros of these sizes, numbers or a LongStorage."""
def ones(*sizes: Sizes | Tensor | str, dtype: DTypeLike | None = None) -> Tensor:
    """ones([result], sizes...): a tensor of the default type, or of the type that a last argument names, or the
    result, becomes ones of these sizes, numbers or a LongStorage."""
@overload
def eye(n: float, m: float = ..., *, dtype: DTypeLike | None = None) -> Tensor:
    """eye([result], n, [m]): a tensor of the default type, or of the type that a last argument names, or the
    result, becomes n x n, or n x m, with ones on the diagonal and zeros elsewhere."""
@overload
def eye(*given: Operand) -> Tensor: ...
@overload
def range(first: float, last: float, step: float = ..., *, dtype: DTypeLike | None = None) -> Tensor:
    """range([result], first, last, [step]): a tensor of the default type, or of the type that a last argument
    names, or the result, becomes first, first + step, ... up to last, which is included; the step is 1 by
    default."""
@overload
def range(*given: Operand) -> Tensor: ...
@overload
def linspace(first: float, last: float, n: float = ..., *, dtype: DTypeLike | None = None) -> Tensor:
    """linspace([result], first, last, [n]): a tensor of the default type, or of the type that a last argument
    names, or the result, becomes n numbers, 100 by default, at equal distances."""
@overload
def linspace(*given: Operand) -> Tensor: ...
@overload
def logspace(first: float, last: float, n: float = ..., *, dtype: DTypeLike | None = None) -> Tensor:
    """logspace([result], first, last, [n]): a tensor of the default type, or of the type that a last argument
    names, or the result, becomes 10 to the power of n numbers at equal distances."""
@overload
def logspace(*given: Operand) -> Tensor: ...
def rand(*sizes: Operand, dtype: DTypeLike | None = None) -> Tensor:
    """rand([result], [generator], sizes...): a tensor of the default type, or of the type that a last argument
    names, or the result, becomes uniform numbers from [0, 1), of these sizes, numbers or a LongStorage."""
def randn(*sizes: Operand, dtype: DTypeLike | None = None) -> Tensor:
    """randn([result], [generator], sizes...): a tensor of the default type, or of the type that a last argument
    names, or the result, becomes normal numbers of mean 0 and standard deviation 1, of these sizes, numbers or a
    LongStorage."""
@overload
def randperm(n: float, *, dtype: DTypeLike | None = None) -> Tensor:
    """randperm([result], [generator], n): a tensor of the default type, or of the type that a last argument
    names, or the result, becomes the numbers 1 to n in random order."""
@overload
def randperm(generator: Generator, n: float, *, dtype: DTypeLike | None = None) -> Tensor: ...
@overload
def randperm(*given: Operand) -> Tensor: ...
@overload
def eq(x: Numbers, number: float, /) -> Tensor:
    """1 where elements are equal, else 0; new, or in first arguments, which get the results' sizes. Raises
    TypeError for arguments of other kinds, and for such by name."""
@overload
def eq(tensor: Numbers, x: Numbers, number: float, /) -> Tensor: ...
@overload
def eq(x: Numbers, tensor: Numbers, /) -> Tensor: ...
@overload
def eq(tensor1: Numbers, x: Numbers, tensor2: Numbers, /) -> Tensor: ...
@overload
def ne(x: Numbers, number: float, /) -> Tensor:
    """1 where elements differ, else 0; new, or in first arguments, which get the results' sizes. Raises TypeError
    for arguments of other kinds, and for such by name."""
@overload
def ne(tensor: Numbers, x: Numbers, number: float, /) -> Tensor: ...
@overload
def ne(x: Numbers, tensor: Numbers, /) -> Tensor: ...
@overload
def ne(tensor1: Numbers, x: Numbers, tensor2: Numbers, /) -> Tensor: ...
@overload
def lt(x: Numbers, number: float, /) -> Tensor:
    """1 where x is less, else 0; new, or in first arguments, which get the results' sizes. Raises TypeError for
    arguments of other kinds, and for such by name."""
@overload
def lt(tensor: Numbers, x: Numbers, number: float, /) -> Tensor: ...
@overload
def lt(x: Numbers, tensor: Numbers, /) -> Tensor: ...
@overload
def lt(tensor1: Numbers, x: Numbers, tensor2: Numbers, /) -> Tensor: ...
@overload
def le(x: Numbers, number: float, /) -> Tensor:
    """1 where x is not greater, else 0; new, or in first arguments, which get the results' sizes. Raises
    TypeError for arguments of other kinds, and for such by name."""
@overload
def le(tensor: Numbers, x: Numbers, number: float, /) -> Tensor: ...
@overload
def le(x: Numbers, tensor: Numbers, /) -> Tensor: ...
@overload
def le(tensor1: Numbers, x: Numbers, tensor2: Numbers, /) -> Tensor: ...
@overload
def gt(x: Numbers, number: float, /) -> Tensor:
    """1 where x is greater, else 0; new, or in first arguments, which get the results' sizes. Raises TypeError
    for arguments of other kinds, and for such by name."""
@overload
def gt(tensor: Numbers, x: Numbers, number: float, /) -> Tensor: ...
@overload
def gt(x: Numbers, tensor: Numbers, /) -> Tensor: ...
@overload
def gt(tensor1: Numbers, x: Numbers, tensor2: Numbers, /) -> Tensor: ...
@overload
def ge(x: Numbers, number: float, /) -> Tensor:
    """1 where x is not less, else 0; new, or in first arguments, which get the results' sizes. Raises TypeError
    for arguments of other kinds, and for such by name."""
@overload
def ge(tensor: Numbers, x: Numbers, number: float, /) -> Tensor: ...
@overload
def ge(x: Numbers, tensor: Numbers, /) -> Tensor: ...
@overload
def ge(tensor1: Numbers, x: Numbers, tensor2: Numbers, /) -> Tensor: ...
@overload
def sum(x: Numbers, /) -> float:
    """the sum; new, or in first arguments, which get the results' sizes. Raises TypeError for arguments of other
    kinds, and for such by name."""
@overload
def sum(x: Numbers, dimension: int, /) -> Tensor: ...
@overload
def sum(tensor: Numbers, x: Numbers, dimension: int, /) -> Tensor: ...
@overload
def prod(x: Numbers, /) -> float:
    """the product; new, or in first arguments, which get the results' sizes. Raises TypeError for arguments of
    other kinds, and for such by name."""
@overload
def prod(x: Numbers, dimension: int, /) -> Tensor: ...
@overload
def prod(tensor: Numbers, x: Numbers, dimension: int, /) -> Tensor: ...
@overload
def mean(x: Numbers, /) -> float:
    """the mean; new, or in first arguments, which get the results' sizes. Raises TypeError for arguments of other
    kinds, and for such by name."""
@overload
def mean(x: Numbers, dimension: int, /) -> Tensor: ...
@overload
def mean(tensor: Numbers, x: Numbers, dimension: int, /) -> Tensor: ...
@overload
def std(x: Numbers, flag: bool = ..., /) -> float:
    """the standard deviation, over n - 1, or n if biased; new, or in first arguments, which get the results'
    sizes. Raises TypeError for arguments of other kinds, and for such by name."""
@overload
def std(x: Numbers, dimension: int, flag: bool = ..., /) -> Tensor: ...
@overload
def std(tensor: Numbers, x: Numbers, dimension: int, flag: bool = ..., /) -> Tensor: ...
@overload
def var(x: Numbers, flag: bool = ..., /) -> float:
    """the variance, over n - 1, or n if biased; new, or in first arguments, which get the results' sizes. Raises
    TypeError for arguments of other kinds, and for such by name."""
@overload
def var(x: Numbers, dimension: int, flag: bool = ..., /) -> Tensor: ...
@overload
def var(tensor: Numbers, x: Numbers, dimension: int, flag: bool = ..., /) -> Tensor: ...
@overload
def norm(x: Numbers, number: float = ..., /) -> float:
    """the p-norm, p = 2 unless it is given; new, or in first arguments, which get the results' sizes. Raises
    TypeError for arguments of other kinds, and for such by name."""
@overload
def norm(x: Numbers, number: float, dimension: int, /) -> Tensor: ...
@overload
def norm(tensor: Numbers, x: Numbers, number: float, dimension: int, /) -> Tensor: ...
def dist(x: Numbers, tensor: Numbers, number: float = ..., /) -> float:
    """the p-norm of the difference; new, or in first arguments, which get the results' sizes. Raises TypeError
    for arguments of other kinds, and for such by name."""
def dot(x: Numbers, tensor: Numbers, /) -> float:
    """the sum of the products of elements; new, or in first arguments, which get the results' sizes. Raises
    TypeError for arguments of other kinds, and for such by name."""
def trace(x: Numbers, /) -> float:
    """the sum of a matrix's diagonal; new, or in first arguments, which get the results' sizes. Raises TypeError
    for arguments of other kinds, and for such by name."""
@overload
def min(x: Numbers, /) -> float:
    """the least, and along a dimension where it is; new, or in first arguments, which get the results' sizes.
    Raises TypeError for arguments of other kinds, and for such by name."""
@overload
def min(x: Numbers, dimension: int, /) -> tuple[Tensor, Tensor]: ...
@overload
def min(tensor1: Numbers, tensor2: Numbers, x: Numbers, dimension: int, /) -> tuple[Tensor, Tensor]: ...
@overload
def max(x: Numbers, /) -> float:
    """the greatest, and along a dimension where it is; new, or in first arguments, which get the results' sizes.
    Raises TypeError for arguments of other kinds, and for such by name."""
@overload
def max(x: Numbers, dimension: int, /) -> tuple[Tensor, Tensor]: ...
@overload
def max(tensor1: Numbers, tensor2: Numbers, x: Numbers, dimension: int, /) -> tuple[Tensor, Tensor]: ...
@overload
def cumsum(x: Numbers, dimension: int = ..., /) -> Tensor:
    """the sums so far; new, or in first arguments, which get the results' sizes. Raises TypeError for arguments
    of other kinds, and for such by name."""
@overload
def cumsum(tensor: Numbers, x: Numbers, dimension: int = ..., /) -> Tensor: ...
@overload
def cumprod(x: Numbers, dimension: int = ..., /) -> Tensor:
    """the products so far; new, or in first arguments, which get the results' sizes. Raises TypeError for
    arguments of other kinds, and for such by name."""
@overload
def cumprod(tensor: Numbers, x: Numbers, dimension: int = ..., /) -> Tensor: ...
@overload
def sort(x: Numbers, dimension: int = ..., flag: bool = ..., /) -> tuple[Tensor, Tensor]:
    """the elements in order, descending if true, and where they were; new, or in first arguments, which get the
    results' sizes. Raises TypeError for arguments of other kinds, and for such by name."""
@overload
def sort(
    tensor1: Numbers, tensor2: Numbers, x: Numbers, dimension: int = ..., flag: bool = ..., /
) -> tuple[Tensor, Tensor]: ...
@overload
def topk(
    x: Numbers, count: int = ..., dimension: int = ..., flag1: bool = ..., flag2: bool = ..., /
) -> tuple[Tensor, Tensor]:
    """the k smallest, or largest if true, in order, and where they are; new, or in first arguments, which get the
    results' sizes. Raises TypeError for arguments of other kinds, and for such by name."""
@overload
def topk(
    tensor1: Numbers, tensor2: Numbers, x: Numbers, count: int = ..., dimension: int = ..., flag1: bool = ...,
    flag2: bool = ..., /
) -> tuple[Tensor, Tensor]: ...
@overload
def kthvalue(x: Numbers, count: int, dimension: int = ..., /) -> tuple[Tensor, Tensor]:
    """the k-th smallest, and where it is; new, or in first arguments, which get the results' sizes. Raises
    TypeError for arguments of other kinds, and for such by name."""
@overload
def kthvalue(
    tensor1: Numbers, tensor2: Numbers, x: Numbers, count: int, dimension: int = ..., /
) -> tuple[Tensor, Tensor]: ...
@overload
def median(x: Numbers, dimension: int = ..., /) -> tuple[Tensor, Tensor]:
    """the middle one (the lower of two), and where it is; new, or in first arguments, which get the results'
    sizes. Raises TypeError for arguments of other kinds, and for such by name."""
@overload
def median(tensor1: Numbers, tensor2: Numbers, x: Numbers, dimension: int = ..., /) -> tuple[Tensor, Tensor]: ...
@overload
def mode(x: Numbers, dimension: int = ..., /) -> tuple[Tensor, Tensor]:
    """the most frequent one (the smallest of such), and where it is; new, or in first arguments, which get the
    results' sizes. Raises TypeError for arguments of other kinds, and for such by name."""
@overload
def mode(tensor1: Numbers, tensor2: Numbers, x: Numbers, dimension: int = ..., /) -> tuple[Tensor, Tensor]: ...
@overload
def index(x: Numbers, dimension: int, indices: Numbers, /) -> Tensor:
    """the slices of a dimension that a LongTensor names; new, or in first arguments, which get the results'
    sizes. Raises TypeError for arguments of other kinds, and for such by name."""
@overload
def index(tensor: Numbers, x: Numbers, dimension: int, indices: Numbers, /) -> Tensor: ...
@overload
def gather(x: Numbers, dimension: int, indices: Numbers, /) -> Tensor:
    """along a dimension, the elements that a LongTensor names; new, or in first arguments, which get the results'
    sizes. Raises TypeError for arguments of other kinds, and for such by name."""
@overload
def gather(tensor: Numbers, x: Numbers, dimension: int, indices: Numbers, /) -> Tensor: ...
@overload
def nonzero(x: Numbers, /) -> Tensor:
    """where elements are not 0, a row for each; new, or in first arguments, which get the results' sizes. Raises
    TypeError for arguments of other kinds, and for such by name."""
@overload
def nonzero(tensor: Numbers, x: Numbers, /) -> Tensor: ...
@overload
def tril(x: Numbers, count: int = ..., /) -> Tensor:
    """what is on and below the k-th diagonal; new, or in first arguments, which get the results' sizes. Raises
    TypeError for arguments of other kinds, and for such by name."""
@overload
def tril(tensor: Numbers, x: Numbers, count: int = ..., /) -> Tensor: ...
@overload
def triu(x: Numbers, count: int = ..., /) -> Tensor:
    """what is on and above the k-th diagonal; new, or in first arguments, which get the results' sizes. Raises
    TypeError for arguments of other kinds, and for such by name."""
@overload
def triu(tensor: Numbers, x: Numbers, count: int = ..., /) -> Tensor: ...
@overload
def diag(x: Numbers, count: int = ..., /) -> Tensor:
    """the k-th diagonal of a matrix, or a matrix with this one; new, or in first arguments, which get the
    results' sizes. Raises TypeError for arguments of other kinds, and for such by name."""
@overload
def diag(tensor: Numbers, x: Numbers, count: int = ..., /) -> Tensor: ...
@overload
def histc(x: Numbers, count: int = ..., number1: float = ..., number2: float = ..., /) -> Tensor:
    """how many elements are in each of n bins, between bounds if given; new, or in first arguments, which get the
    results' sizes. Raises TypeError for arguments of other kinds, and for such by name."""
@overload
def histc(
    tensor: Numbers, x: Numbers, count: int = ..., number1: float = ..., number2: float = ..., /
) -> Tensor: ...
@overload
def bhistc(x: Numbers, count: int = ..., number1: float = ..., number2: float = ..., /) -> Tensor:
    """how many elements of each row are in each of n bins; new, or in first arguments, which get the results'
    sizes. Raises TypeError for arguments of other kinds, and for such by name."""
@overload
def bhistc(
    tensor: Numbers, x: Numbers, count: int = ..., number1: float = ..., number2: float = ..., /
) -> Tensor: ...
@overload
def cross(x: Numbers, tensor: Numbers, dimension: int = ..., /) -> Tensor:
    """the cross product along a dimension of size 3; new, or in first arguments, which get the results' sizes.
    Raises TypeError for arguments of other kinds, and for such by name."""
@overload
def cross(tensor1: Numbers, x: Numbers, tensor2: Numbers, dimension: int = ..., /) -> Tensor: ...
@overload
def match(x: Numbers, tensor: Numbers, number: float = ..., /) -> Tensor:
    """the squared distances between the rows of two tensors, times a number; new, or in first arguments, which
    get the results' sizes. Raises TypeError for arguments of other kinds, and for such by name."""
@overload
def match(tensor1: Numbers, x: Numbers, tensor2: Numbers, number: float = ..., /) -> Tensor: ...
@overload
def gesv(x: Numbers, tensor: Numbers, /) -> tuple[Tensor, Tensor]:
    """the solution of a X = x for the matrix given next, and its factors; new, or in first arguments, which get
    the results' sizes. Raises TypeError for arguments of other kinds, and for such by name."""
@overload
def gesv(tensor1: Numbers, tensor2: Numbers, x: Numbers, tensor3: Numbers, /) -> tuple[Tensor, Tensor]: ...
@overload
def gels(x: Numbers, tensor: Numbers, /) -> tuple[Tensor, Tensor]:
    """the X of least squares |a X - x|, residuals below it, and a's factors; new, or in first arguments, which
    get the results' sizes. Raises TypeError for arguments of other kinds, and for such by name."""
@overload
def gels(tensor1: Numbers, tensor2: Numbers, x: Numbers, tensor3: Numbers, /) -> tuple[Tensor, Tensor]: ...
@overload
def trtrs(
    x: Numbers, tensor: Numbers, letter1: str = ..., letter2: str = ..., letter3: str = ..., /
) -> tuple[Tensor, Tensor]:
    """the same for a triangular matrix: 'U' or 'L', 'N' or 'T', 'N' or 'U'; new, or in first arguments, which get
    the results' sizes. Raises TypeError for arguments of other kinds, and for such by name."""
@overload
def trtrs(
    tensor1: Numbers, tensor2: Numbers, x: Numbers, tensor3: Numbers, letter1: str = ..., letter2: str = ...,
    letter3: str = ..., /
) -> tuple[Tensor, Tensor]: ...
@overload
def potrf(x: Numbers, letter: str = ..., /) -> Tensor:
    """the Cholesky factor of a positive definite matrix, upper or ('L') lower; new, or in first arguments, which
    get the results' sizes. Raises TypeError for arguments of other kinds, and for such by name."""
@overload
def potrf(tensor: Numbers, x: Numbers, letter: str = ..., /) -> Tensor: ...
@overload
def pstrf(x: Numbers, letter: str = ..., /) -> tuple[Tensor, Tensor]:
    """the same with pivoting, and the rows' order; new, or in first arguments, which get the results' sizes.
    Raises TypeError for arguments of other kinds, and for such by name."""
@overload
def pstrf(tensor1: Numbers, tensor2: Numbers, x: Numbers, letter: str = ..., /) -> tuple[Tensor, Tensor]: ...
@overload
def potrs(x: Numbers, tensor: Numbers, letter: str = ..., /) -> Tensor:
    """the solution of A X = x, given A's Cholesky factor; new, or in first arguments, which get the results'
    sizes. Raises TypeError for arguments of other kinds, and for such by name."""
@overload
def potrs(tensor1: Numbers, x: Numbers, tensor2: Numbers, letter: str = ..., /) -> Tensor: ...
@overload
def potri(x: Numbers, letter: str = ..., /) -> Tensor:
    """the inverse of the matrix of a Cholesky factor; new, or in first arguments, which get the results' sizes.
    Raises TypeError for arguments of other kinds, and for such by name."""
@overload
def potri(tensor: Numbers, x: Numbers, letter: str = ..., /) -> Tensor: ...
@overload
def symeig(x: Numbers, letter1: str = ..., letter2: str = ..., /) -> tuple[Tensor, Tensor]:
    """a symmetric matrix's eigenvalues, and with 'V' its eigenvectors; new, or in first arguments, which get the
    results' sizes. Raises TypeError for arguments of other kinds, and for such by name."""
@overload
def symeig(
    tensor1: Numbers, tensor2: Numbers, x: Numbers, letter1: str = ..., letter2: str = ..., /
) -> tuple[Tensor, Tensor]: ...
@overload
def eig(x: Numbers, letter: str = ..., /) -> tuple[Tensor, Tensor]:
    """eigenvalues, a row of real and imaginary part each; with 'V' eigenvectors; new, or in first arguments,
    which get the results' sizes. Raises TypeError for arguments of other kinds, and for such by name."""
@overload
def eig(tensor1: Numbers, tensor2: Numbers, x: Numbers, letter: str = ..., /) -> tuple[Tensor, Tensor]: ...
@overload
def svd(x: Numbers, letter: str = ..., /) -> tuple[Tensor, Tensor, Tensor]:
    """U, S and V of the singular values, some ('S') or all ('A'); new, or in first arguments, which get the
    results' sizes. Raises TypeError for arguments of other kinds, and for such by name."""
@overload
def svd(
    tensor1: Numbers, tensor2: Numbers, tensor3: Numbers, x: Numbers, letter: str = ..., /
) -> tuple[Tensor, Tensor, Tensor]: ...
@overload
def inverse(x: Numbers, /) -> Tensor:
    """the inverse of a matrix; new, or in first arguments, which get the results' sizes. Raises TypeError for
    arguments of other kinds, and for such by name."""
@overload
def inverse(tensor: Numbers, x: Numbers, /) -> Tensor: ...
@overload
def qr(x: Numbers, /) -> tuple[Tensor, Tensor]:
    """Q and R of a matrix, whose product it is; new, or in first arguments, which get the results' sizes. Raises
    TypeError for arguments of other kinds, and for such by name."""
@overload
def qr(tensor1: Numbers, tensor2: Numbers, x: Numbers, /) -> tuple[Tensor, Tensor]: ...
@overload
def geqrf(x: Numbers, /) -> tuple[Tensor, Tensor]:
    """LAPACK's reflectors of Q and R, and their factors; new, or in first arguments, which get the results'
    sizes. Raises TypeError for arguments of other kinds, and for such by name."""
@overload
def geqrf(tensor1: Numbers, tensor2: Numbers, x: Numbers, /) -> tuple[Tensor, Tensor]: ...
@overload
def orgqr(x: Numbers, tensor: Numbers, /) -> Tensor:
    """Q of these reflectors, given their factors; new, or in first arguments, which get the results' sizes.
    Raises TypeError for arguments of other kinds, and for such by name."""
@overload
def orgqr(tensor1: Numbers, x: Numbers, tensor2: Numbers, /) -> Tensor: ...
@overload
def ormqr(
    x: Numbers, tensor1: Numbers, tensor2: Numbers, letter1: str = ..., letter2: str = ..., /
) -> Tensor:
    """a matrix times this Q, on its left or ('R') right, or times Q' ('T'); new, or in first arguments, which get
    the results' sizes. Raises TypeError for arguments of other kinds, and for such by name."""
@overload
def ormqr(
    tensor1: Numbers, x: Numbers, tensor2: Numbers, tensor3: Numbers, letter1: str = ..., letter2: str = ..., /
) -> Tensor: ...
@overload
def conv2(x: Numbers, tensor: Numbers, letter: str = ..., /) -> Tensor:
    """images convolved with kernels, where they overlap wholly, or ('F') at all; new, or in first arguments,
    which get the results' sizes. Raises TypeError for arguments of other kinds, and for such by name."""
@overload
def conv2(tensor1: Numbers, x: Numbers, tensor2: Numbers, letter: str = ..., /) -> Tensor: ...
@overload
def xcorr2(x: Numbers, tensor: Numbers, letter: str = ..., /) -> Tensor:
    """images correlated with kernels, where they overlap wholly, or ('F') at all; new, or in first arguments,
    which get the results' sizes. Raises TypeError for arguments of other kinds, and for such by name."""
@overload
def xcorr2(tensor1: Numbers, x: Numbers, tensor2: Numbers, letter: str = ..., /) -> Tensor: ...
@overload
def conv3(x: Numbers, tensor: Numbers, letter: str = ..., /) -> Tensor:
    """volumes convolved with kernels, where they overlap wholly, or ('F') at all; new, or in first arguments,
    which get the results' sizes. Raises TypeError for arguments of other kinds, and for such by name."""
@overload
def conv3(tensor1: Numbers, x: Numbers, tensor2: Numbers, letter: str = ..., /) -> Tensor: ...
@overload
def xcorr3(x: Numbers, tensor: Numbers, letter: str = ..., /) -> Tensor:
    """volumes correlated with kernels, where they overlap wholly, or ('F') at all; new, or in first arguments,
    which get the results' sizes. Raises TypeError for arguments of other kinds, and for such by name."""
@overload
def xcorr3(tensor1: Numbers, x: Numbers, tensor2: Numbers, letter: str = ..., /) -> Tensor: ...
def squeeze(tensor: Tensor, /, *given: Operand) -> Result[Tensor]:
    """squeeze(tensor, given...): squeeze([tensor,] [dim]): the view without the dimensions of size 1, or without
    this one if it has size 1.  If one element is left and no dimension is named, it is a number. `r.squeeze(x,
    ...)` becomes the view."""
def reshape(tensor: Tensor, /, *given: Operand) -> Tensor:
    """reshape(tensor, sizes...): A copy of the elements with other sizes; `r.reshape(x, sizes...)` becomes it."""
def expand(tensor: Tensor, /, *given: Operand) -> Tensor:
    """expand(tensor, sizes...): The view in which dimensions of size 1 repeat to these sizes; `r.expand(x,
    sizes...)` becomes it.  Raises ValueError if they do not fit."""
def expandAs(tensor: Tensor, /, *given: Operand) -> Tensor:
    """expandAs(tensor, given...): As `expand`, to another tensor's sizes; `r.expandAs(x, other)` becomes the
    view."""
def permute(tensor: Tensor, /, *given: Operand) -> Tensor:
    """permute(tensor, dims...): The view with the dimensions in this order."""
def transpose(tensor: Tensor, /, *given: Operand) -> Tensor:
    """transpose(tensor, dim1, dim2): The view with two dimensions exchanged."""
def t(tensor: Tensor, /, *given: Operand) -> Tensor:
    """t(tensor): The transposed view of a matrix. Raises ValueError for others."""
def repeatTensor(tensor: Tensor, /, *given: Operand) -> Tensor:
    """repeatTensor(tensor, sizes...): The elements repeated along each dimension, new ones first;
    `r.repeatTensor(x, ...)` becomes it."""
def maskedSelect(tensor: Tensor, /, *given: Operand) -> Tensor:
    """maskedSelect(tensor, args...): maskedSelect([tensor,] mask): the elements where the mask is not 0, in
    order."""
def multinomialAliasSetup(tensor: Tensor, /, *given: Operand) -> list:
    """multinomialAliasSetup(tensor, [state]): The tables of `multinomialAlias` for a vector of weights: two
    tensors in a new table, or in a given one.  Differs from Torch7: classes in it count from 1, and columns may
    be shared by others; the probabilities are the same. Raises ValueError for negative weights, and if all are
    0."""
def multinomialAlias(tensor: Tensor, /, *given: Operand) -> Tensor:
    """multinomialAlias(tensor, args...): multinomialAlias([generator], state): fills a LongTensor with classes,
    by what `multinomialAliasSetup` gave.  Differs from Torch7: its classes are wrong by one where a column does
    not keep its own."""
def data(tensor: Tensor, /, *given: Operand) -> np.ndarray | int:
    """data(tensor, [asnumber]): The memory from the first element on, to read and write, counted from 0; or its
    address.  As in LuaJIT, a tensor that is not contiguous has other elements between its own. From now on the
    elements stay in NumPy's memory, and JAX gets copies."""
def cdata(tensor: Tensor, /, *given: Operand) -> TensorData:
    """cdata(tensor): What C sees, counted from 0."""
def equal(tensor: Tensor, /, *given: Operand) -> bool:
    """equal(tensor, tensors...): equal([tensor1,] tensor2): whether both have the same sizes and elements."""
def numel(tensor: Tensor, /, *given: Operand) -> int:
    """numel(tensor): The number of elements."""
def nElement(tensor: Tensor, /, *given: Operand) -> int:
    """nElement(tensor): The number of elements."""
def clone(tensor: Tensor, /, *given: Operand) -> Tensor:
    """clone(tensor): A contiguous copy with a storage of its own."""
def view(tensor: Tensor, /, *given: Operand) -> Tensor:
    """view(tensor, sizes...): The view of a contiguous tensor with other sizes, at most one -1; `r.view(x,
    sizes...)` becomes it."""
def viewAs(tensor: Tensor, /, *given: Operand) -> Tensor:
    """viewAs(tensor, given...): The view with the sizes of another tensor; `r.viewAs(x, other)` becomes it."""
def narrow(tensor: Tensor, /, *given: Operand) -> Tensor:
    """narrow(tensor, dim, first, size): The view of `size` slices of a dimension, from slice `first`."""
def select(tensor: Tensor, /, *given: Operand) -> Result[Tensor]:
    """select(tensor, dim, index): The view of one slice, without its dimension; of a vector, the number, whatever
    `dim` is."""
def unfold(tensor: Tensor, /, *given: Operand) -> Tensor:
    """unfold(tensor, dim, size, step): The view of a dimension's windows, one every `step`; a new last dimension
    holds each window."""
def typeAs(tensor: Tensor, /, *given: Operand) -> Tensor:
    """typeAs(tensor, other): This tensor in another's type, on the other's device."""
def fill(tensor: Tensor, /, *given: Operand) -> Tensor:
    """fill(tensor, value): Sets every element. Raises TypeError for anything but a number."""
def zero(tensor: Tensor, /, *given: Operand) -> Tensor:
    """zero(tensor): Sets every element to 0."""
def scatter(tensor: Tensor, /, *given: Operand) -> Tensor:
    """scatter(tensor, dim, index, source): Writes a number, or a tensor's elements, to the indices along a
    dimension in a LongTensor."""
def split(*given: Operand) -> list[Tensor]:
    """`tensor.split(...)`, into a first list if there is one: Views of `size` slices of a dimension each; the
    last has the rest."""
def chunk(*given: Operand) -> list[Tensor]:
    """`tensor.chunk(...)`, into a first list if there is one: Up to n views of equal parts of a dimension; the
    last may be smaller."""
