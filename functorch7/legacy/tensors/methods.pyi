# Made by `python -m website.methods`; a test compares it with the tables.
# fmt: off
from typing import Any, Self, overload

from .generator import Generator
from .kinds import Elements, Made, Maker, Numbers, Result, Sizes

IN_PLACE: tuple[str, ...]
OPERATORS: dict[str, bool]
BY_TABLES: dict[str, Any]

def operated(name: str, left: object, right: object, like: Maker[Made]) -> Result[Made]: ...
def as_result(found: Elements, like: Maker[Made]) -> Result[Made]: ...

class Casts:
    """The methods that cast, whose names are those of Python's types."""

    def byte(self) -> Self:
        """This tensor as a torch.ByteTensor: itself if it is one, else a copy."""
    def char(self) -> Self:
        """This tensor as a torch.CharTensor: itself if it is one, else a copy."""
    def short(self) -> Self:
        """This tensor as a torch.ShortTensor: itself if it is one, else a copy."""
    def int(self) -> Self:
        """This tensor as a torch.IntTensor: itself if it is one, else a copy."""
    def long(self) -> Self:
        """This tensor as a torch.LongTensor: itself if it is one, else a copy."""
    def float(self) -> Self:
        """This tensor as a torch.FloatTensor: itself if it is one, else a copy."""
    def double(self) -> Self:
        """This tensor as a torch.DoubleTensor: itself if it is one, else a copy."""
    def half(self) -> Self:
        """This tensor as a torch.HalfTensor: itself if it is one, else a copy."""
    def cuda(self) -> Self:
        """This tensor as a torch.CudaTensor: itself if it is one, else a copy."""
    def cudaByte(self) -> Self:
        """This tensor as a torch.CudaByteTensor: itself if it is one, else a copy."""
    def cudaChar(self) -> Self:
        """This tensor as a torch.CudaCharTensor: itself if it is one, else a copy."""
    def cudaShort(self) -> Self:
        """This tensor as a torch.CudaShortTensor: itself if it is one, else a copy."""
    def cudaInt(self) -> Self:
        """This tensor as a torch.CudaIntTensor: itself if it is one, else a copy."""
    def cudaLong(self) -> Self:
        """This tensor as a torch.CudaLongTensor: itself if it is one, else a copy."""
    def cudaHalf(self) -> Self:
        """This tensor as a torch.CudaHalfTensor: itself if it is one, else a copy."""
    def cudaDouble(self) -> Self:
        """This tensor as a torch.CudaDoubleTensor: itself if it is one, else a copy."""

class Methods(Casts):
    """The methods that compute."""

    @overload
    def abs(self) -> Self:
        """|x|; in place, where x is this tensor unless it is given."""
    @overload
    def abs(self, x: Numbers, /) -> Self: ...
    @overload
    def sqrt(self) -> Self:
        """The square root of x; in place, where x is this tensor unless it is given."""
    @overload
    def sqrt(self, x: Numbers, /) -> Self: ...
    @overload
    def exp(self) -> Self:
        """Exp(x); in place, where x is this tensor unless it is given."""
    @overload
    def exp(self, x: Numbers, /) -> Self: ...
    @overload
    def log(self) -> Self:
        """Log(x); in place, where x is this tensor unless it is given."""
    @overload
    def log(self, x: Numbers, /) -> Self: ...
    @overload
    def log1p(self) -> Self:
        """Log(1 + x); in place, where x is this tensor unless it is given."""
    @overload
    def log1p(self, x: Numbers, /) -> Self: ...
    @overload
    def tanh(self) -> Self:
        """Tanh(x); in place, where x is this tensor unless it is given."""
    @overload
    def tanh(self, x: Numbers, /) -> Self: ...
    @overload
    def sin(self) -> Self:
        """Sin(x); in place, where x is this tensor unless it is given."""
    @overload
    def sin(self, x: Numbers, /) -> Self: ...
    @overload
    def cos(self) -> Self:
        """Cos(x); in place, where x is this tensor unless it is given."""
    @overload
    def cos(self, x: Numbers, /) -> Self: ...
    @overload
    def floor(self) -> Self:
        """X rounded down; in place, where x is this tensor unless it is given."""
    @overload
    def floor(self, x: Numbers, /) -> Self: ...
    @overload
    def ceil(self) -> Self:
        """X rounded up; in place, where x is this tensor unless it is given."""
    @overload
    def ceil(self, x: Numbers, /) -> Self: ...
    @overload
    def trunc(self) -> Self:
        """X without its fraction; in place, where x is this tensor unless it is given."""
    @overload
    def trunc(self, x: Numbers, /) -> Self: ...
    @overload
    def tan(self) -> Self:
        """Tan(x); in place, where x is this tensor unless it is given."""
    @overload
    def tan(self, x: Numbers, /) -> Self: ...
    @overload
    def cosh(self) -> Self:
        """Cosh(x); in place, where x is this tensor unless it is given."""
    @overload
    def cosh(self, x: Numbers, /) -> Self: ...
    @overload
    def sinh(self) -> Self:
        """Sinh(x); in place, where x is this tensor unless it is given."""
    @overload
    def sinh(self, x: Numbers, /) -> Self: ...
    @overload
    def sigmoid(self) -> Self:
        """1 / (1 + exp(-x)); in place, where x is this tensor unless it is given."""
    @overload
    def sigmoid(self, x: Numbers, /) -> Self: ...
    @overload
    def acos(self) -> Self:
        """The angle in [0, pi] whose cosine is x; in place, where x is this tensor unless it is given."""
    @overload
    def acos(self, x: Numbers, /) -> Self: ...
    @overload
    def asin(self) -> Self:
        """The angle in [-pi/2, pi/2] whose sine is x; in place, where x is this tensor unless it is given."""
    @overload
    def asin(self, x: Numbers, /) -> Self: ...
    @overload
    def atan(self) -> Self:
        """The angle in (-pi/2, pi/2) whose tangent is x; in place, where x is this tensor unless it is given."""
    @overload
    def atan(self, x: Numbers, /) -> Self: ...
    @overload
    def atan2(self, tensor: Numbers, /) -> Self:
        """The angle of the point (tensor, x); in place, where x is this tensor unless it is given."""
    @overload
    def atan2(self, x: Numbers, tensor: Numbers, /) -> Self: ...
    @overload
    def sign(self) -> Self:
        """-1, 0 or 1; in place, where x is this tensor unless it is given."""
    @overload
    def sign(self, x: Numbers, /) -> Self: ...
    @overload
    def rsqrt(self) -> Self:
        """1 / sqrt(x); in place, where x is this tensor unless it is given."""
    @overload
    def rsqrt(self, x: Numbers, /) -> Self: ...
    @overload
    def round(self) -> Self:
        """X rounded, halves away from 0; in place, where x is this tensor unless it is given."""
    @overload
    def round(self, x: Numbers, /) -> Self: ...
    @overload
    def frac(self) -> Self:
        """The fraction of x, of x's sign; in place, where x is this tensor unless it is given."""
    @overload
    def frac(self, x: Numbers, /) -> Self: ...
    @overload
    def neg(self) -> Self:
        """-x; in place, where x is this tensor unless it is given."""
    @overload
    def neg(self, x: Numbers, /) -> Self: ...
    @overload
    def cinv(self) -> Self:
        """1 / x; in place, where x is this tensor unless it is given."""
    @overload
    def cinv(self, x: Numbers, /) -> Self: ...
    @overload
    def add(self, number: float, /) -> Self:
        """X + number, or x + number * tensor; in place, where x is this tensor unless it is given."""
    @overload
    def add(self, x: Numbers, number: float, /) -> Self: ...
    @overload
    def add(self, tensor: Numbers, /) -> Self: ...
    @overload
    def add(self, x: Numbers, tensor: Numbers, /) -> Self: ...
    @overload
    def add(self, number: float, tensor: Numbers, /) -> Self: ...
    @overload
    def add(self, x: Numbers, number: float, tensor: Numbers, /) -> Self: ...
    @overload
    def csub(self, number: float, /) -> Self:
        """X - number, or x - number * tensor; in place, where x is this tensor unless it is given."""
    @overload
    def csub(self, x: Numbers, number: float, /) -> Self: ...
    @overload
    def csub(self, tensor: Numbers, /) -> Self: ...
    @overload
    def csub(self, x: Numbers, tensor: Numbers, /) -> Self: ...
    @overload
    def csub(self, number: float, tensor: Numbers, /) -> Self: ...
    @overload
    def csub(self, x: Numbers, number: float, tensor: Numbers, /) -> Self: ...
    @overload
    def mul(self, number: float, /) -> Self:
        """X * number; in place, where x is this tensor unless it is given."""
    @overload
    def mul(self, x: Numbers, number: float, /) -> Self: ...
    @overload
    def div(self, number: float, /) -> Self:
        """X / number, of whole numbers without its fraction; in place, where x is this tensor unless it is given."""
    @overload
    def div(self, x: Numbers, number: float, /) -> Self: ...
    @overload
    def fmod(self, number: float, /) -> Self:
        """The remainder of x / number, of x's sign; in place, where x is this tensor unless it is given."""
    @overload
    def fmod(self, x: Numbers, number: float, /) -> Self: ...
    @overload
    def mod(self, number: float, /) -> Self:
        """The remainder of x / number, of x's sign; in place, where x is this tensor unless it is given."""
    @overload
    def mod(self, x: Numbers, number: float, /) -> Self: ...
    @overload
    def remainder(self, number: float, /) -> Self:
        """The remainder of x / number, of the number's sign; in place, where x is this tensor unless it is given."""
    @overload
    def remainder(self, x: Numbers, number: float, /) -> Self: ...
    @overload
    def cfmod(self, tensor: Numbers, /) -> Self:
        """The remainder of x / tensor, of x's sign; in place, where x is this tensor unless it is given."""
    @overload
    def cfmod(self, x: Numbers, tensor: Numbers, /) -> Self: ...
    @overload
    def cmod(self, tensor: Numbers, /) -> Self:
        """The remainder of x / tensor, of x's sign; in place, where x is this tensor unless it is given."""
    @overload
    def cmod(self, x: Numbers, tensor: Numbers, /) -> Self: ...
    @overload
    def cremainder(self, tensor: Numbers, /) -> Self:
        """The remainder of x / tensor, of the tensor's sign; in place, where x is this tensor unless it is given."""
    @overload
    def cremainder(self, x: Numbers, tensor: Numbers, /) -> Self: ...
    @overload
    def lerp(self, tensor: Numbers, number: float, /) -> Self:
        """X + number * (tensor - x); in place, where x is this tensor unless it is given."""
    @overload
    def lerp(self, x: Numbers, tensor: Numbers, number: float, /) -> Self: ...
    @overload
    def pow(self, number: float, /) -> Self:
        """X ** number, or number ** x; in place, where x is this tensor unless it is given."""
    @overload
    def pow(self, x: Numbers, number: float, /) -> Self: ...
    @overload
    def pow(self, number: float, tensor: Numbers, /) -> Self: ...
    @overload
    def clamp(self, number1: float, number2: float, /) -> Self:
        """X, no less than the first number and no more than the second; in place, where x is this tensor unless it is
        given."""
    @overload
    def clamp(self, x: Numbers, number1: float, number2: float, /) -> Self: ...
    @overload
    def cmul(self, tensor: Numbers, /) -> Self:
        """X * tensor, element by element; in place, where x is this tensor unless it is given."""
    @overload
    def cmul(self, x: Numbers, tensor: Numbers, /) -> Self: ...
    @overload
    def cdiv(self, tensor: Numbers, /) -> Self:
        """X / tensor, element by element; in place, where x is this tensor unless it is given."""
    @overload
    def cdiv(self, x: Numbers, tensor: Numbers, /) -> Self: ...
    @overload
    def cpow(self, tensor: Numbers, /) -> Self:
        """X ** tensor, element by element; in place, where x is this tensor unless it is given."""
    @overload
    def cpow(self, x: Numbers, tensor: Numbers, /) -> Self: ...
    @overload
    def cmax(self, number: float, /) -> Self:
        """The larger of x and a number or tensor, the latter where x is NaN; in place, where x is this tensor unless
        it is given."""
    @overload
    def cmax(self, x: Numbers, number: float, /) -> Self: ...
    @overload
    def cmax(self, tensor: Numbers, /) -> Self: ...
    @overload
    def cmax(self, x: Numbers, tensor: Numbers, /) -> Self: ...
    @overload
    def cmin(self, number: float, /) -> Self:
        """The smaller of x and a number or tensor, the latter where x is NaN; in place, where x is this tensor unless
        it is given."""
    @overload
    def cmin(self, x: Numbers, number: float, /) -> Self: ...
    @overload
    def cmin(self, tensor: Numbers, /) -> Self: ...
    @overload
    def cmin(self, x: Numbers, tensor: Numbers, /) -> Self: ...
    @overload
    def bitand(self, number: float, /) -> Self:
        """The bits of x and those of a number; in place, where x is this tensor unless it is given."""
    @overload
    def bitand(self, x: Numbers, number: float, /) -> Self: ...
    @overload
    def cbitand(self, tensor: Numbers, /) -> Self:
        """The bits of x and those of a tensor; in place, where x is this tensor unless it is given."""
    @overload
    def cbitand(self, x: Numbers, tensor: Numbers, /) -> Self: ...
    @overload
    def bitor(self, number: float, /) -> Self:
        """The bits of x or those of a number; in place, where x is this tensor unless it is given."""
    @overload
    def bitor(self, x: Numbers, number: float, /) -> Self: ...
    @overload
    def cbitor(self, tensor: Numbers, /) -> Self:
        """The bits of x or those of a tensor; in place, where x is this tensor unless it is given."""
    @overload
    def cbitor(self, x: Numbers, tensor: Numbers, /) -> Self: ...
    @overload
    def bitxor(self, number: float, /) -> Self:
        """The bits of x but for those of a number; in place, where x is this tensor unless it is given."""
    @overload
    def bitxor(self, x: Numbers, number: float, /) -> Self: ...
    @overload
    def cbitxor(self, tensor: Numbers, /) -> Self:
        """The bits of x but for those of a tensor; in place, where x is this tensor unless it is given."""
    @overload
    def cbitxor(self, x: Numbers, tensor: Numbers, /) -> Self: ...
    @overload
    def lshift(self, number: float, /) -> Self:
        """X * 2 ** number; in place, where x is this tensor unless it is given."""
    @overload
    def lshift(self, x: Numbers, number: float, /) -> Self: ...
    @overload
    def clshift(self, tensor: Numbers, /) -> Self:
        """X * 2 ** tensor; in place, where x is this tensor unless it is given."""
    @overload
    def clshift(self, x: Numbers, tensor: Numbers, /) -> Self: ...
    @overload
    def rshift(self, number: float, /) -> Self:
        """X / 2 ** number; in place, where x is this tensor unless it is given."""
    @overload
    def rshift(self, x: Numbers, number: float, /) -> Self: ...
    @overload
    def crshift(self, tensor: Numbers, /) -> Self:
        """X / 2 ** tensor; in place, where x is this tensor unless it is given."""
    @overload
    def crshift(self, x: Numbers, tensor: Numbers, /) -> Self: ...
    @overload
    def renorm(self, number1: float, number2: float, number3: float, /) -> Self:
        """X, its slices of a p-norm above a number scaled to it; p, dimension, number; in place, where x is this
        tensor unless it is given."""
    @overload
    def renorm(self, x: Numbers, number1: float, number2: float, number3: float, /) -> Self: ...
    @overload
    def addcmul(self, number: float, tensor1: Numbers, tensor2: Numbers, /) -> Self:
        """X + number * tensor * tensor; in place, where x is this tensor unless it is given."""
    @overload
    def addcmul(self, tensor1: Numbers, tensor2: Numbers, /) -> Self: ...
    @overload
    def addcmul(self, x: Numbers, number: float, tensor1: Numbers, tensor2: Numbers, /) -> Self: ...
    @overload
    def addcmul(self, x: Numbers, tensor1: Numbers, tensor2: Numbers, /) -> Self: ...
    @overload
    def addcdiv(self, number: float, tensor1: Numbers, tensor2: Numbers, /) -> Self:
        """X + number * tensor / tensor; in place, where x is this tensor unless it is given."""
    @overload
    def addcdiv(self, tensor1: Numbers, tensor2: Numbers, /) -> Self: ...
    @overload
    def addcdiv(self, x: Numbers, number: float, tensor1: Numbers, tensor2: Numbers, /) -> Self: ...
    @overload
    def addcdiv(self, x: Numbers, tensor1: Numbers, tensor2: Numbers, /) -> Self: ...
    def mm(self, tensor1: Numbers, tensor2: Numbers, /) -> Self:
        """The product ij,jk->ik of two tensors; in place, where x is this tensor unless it is given."""
    def mv(self, tensor1: Numbers, tensor2: Numbers, /) -> Self:
        """The product ij,j->i of two tensors; in place, where x is this tensor unless it is given."""
    def ger(self, tensor1: Numbers, tensor2: Numbers, /) -> Self:
        """The product i,j->ij of two tensors; in place, where x is this tensor unless it is given."""
    def bmm(self, tensor1: Numbers, tensor2: Numbers, /) -> Self:
        """The product bij,bjk->bik of two tensors; in place, where x is this tensor unless it is given."""
    @overload
    def addmm(self, number: float, tensor1: Numbers, tensor2: Numbers, /) -> Self:
        """Number * x + number * the product ij,jk->ik; in place, where x is this tensor unless it is given."""
    @overload
    def addmm(self, tensor1: Numbers, tensor2: Numbers, /) -> Self: ...
    @overload
    def addmm(self, x: Numbers, number: float, tensor1: Numbers, tensor2: Numbers, /) -> Self: ...
    @overload
    def addmm(self, x: Numbers, tensor1: Numbers, tensor2: Numbers, /) -> Self: ...
    @overload
    def addmm(self, number1: float, number2: float, tensor1: Numbers, tensor2: Numbers, /) -> Self: ...
    @overload
    def addmm(self, number1: float, x: Numbers, number2: float, tensor1: Numbers, tensor2: Numbers, /) -> Self: ...
    @overload
    def addmm(self, number: float, x: Numbers, tensor1: Numbers, tensor2: Numbers, /) -> Self: ...
    @overload
    def addmv(self, number: float, tensor1: Numbers, tensor2: Numbers, /) -> Self:
        """Number * x + number * the product ij,j->i; in place, where x is this tensor unless it is given."""
    @overload
    def addmv(self, tensor1: Numbers, tensor2: Numbers, /) -> Self: ...
    @overload
    def addmv(self, x: Numbers, number: float, tensor1: Numbers, tensor2: Numbers, /) -> Self: ...
    @overload
    def addmv(self, x: Numbers, tensor1: Numbers, tensor2: Numbers, /) -> Self: ...
    @overload
    def addmv(self, number1: float, number2: float, tensor1: Numbers, tensor2: Numbers, /) -> Self: ...
    @overload
    def addmv(self, number1: float, x: Numbers, number2: float, tensor1: Numbers, tensor2: Numbers, /) -> Self: ...
    @overload
    def addmv(self, number: float, x: Numbers, tensor1: Numbers, tensor2: Numbers, /) -> Self: ...
    @overload
    def addr(self, number: float, tensor1: Numbers, tensor2: Numbers, /) -> Self:
        """Number * x + number * the product i,j->ij; in place, where x is this tensor unless it is given."""
    @overload
    def addr(self, tensor1: Numbers, tensor2: Numbers, /) -> Self: ...
    @overload
    def addr(self, x: Numbers, number: float, tensor1: Numbers, tensor2: Numbers, /) -> Self: ...
    @overload
    def addr(self, x: Numbers, tensor1: Numbers, tensor2: Numbers, /) -> Self: ...
    @overload
    def addr(self, number1: float, number2: float, tensor1: Numbers, tensor2: Numbers, /) -> Self: ...
    @overload
    def addr(self, number1: float, x: Numbers, number2: float, tensor1: Numbers, tensor2: Numbers, /) -> Self: ...
    @overload
    def addr(self, number: float, x: Numbers, tensor1: Numbers, tensor2: Numbers, /) -> Self: ...
    @overload
    def baddbmm(self, number: float, tensor1: Numbers, tensor2: Numbers, /) -> Self:
        """Number * x + number * the product bij,bjk->bik; in place, where x is this tensor unless it is given."""
    @overload
    def baddbmm(self, tensor1: Numbers, tensor2: Numbers, /) -> Self: ...
    @overload
    def baddbmm(self, x: Numbers, number: float, tensor1: Numbers, tensor2: Numbers, /) -> Self: ...
    @overload
    def baddbmm(self, x: Numbers, tensor1: Numbers, tensor2: Numbers, /) -> Self: ...
    @overload
    def baddbmm(self, number1: float, number2: float, tensor1: Numbers, tensor2: Numbers, /) -> Self: ...
    @overload
    def baddbmm(self, number1: float, x: Numbers, number2: float, tensor1: Numbers, tensor2: Numbers, /) -> Self: ...
    @overload
    def baddbmm(self, number: float, x: Numbers, tensor1: Numbers, tensor2: Numbers, /) -> Self: ...
    @overload
    def addbmm(self, number: float, tensor1: Numbers, tensor2: Numbers, /) -> Self:
        """Number * x + number * the product bij,bjk->ik; in place, where x is this tensor unless it is given."""
    @overload
    def addbmm(self, tensor1: Numbers, tensor2: Numbers, /) -> Self: ...
    @overload
    def addbmm(self, x: Numbers, number: float, tensor1: Numbers, tensor2: Numbers, /) -> Self: ...
    @overload
    def addbmm(self, x: Numbers, tensor1: Numbers, tensor2: Numbers, /) -> Self: ...
    @overload
    def addbmm(self, number1: float, number2: float, tensor1: Numbers, tensor2: Numbers, /) -> Self: ...
    @overload
    def addbmm(self, number1: float, x: Numbers, number2: float, tensor1: Numbers, tensor2: Numbers, /) -> Self: ...
    @overload
    def addbmm(self, number: float, x: Numbers, tensor1: Numbers, tensor2: Numbers, /) -> Self: ...
    @overload
    def uniform(self, a: float = ..., b: float = ..., /) -> Self:
        """Draws every element, after a generator if any: uniform on [a, b), [0, 1) by default."""
    @overload
    def uniform(self, generator: Generator, a: float = ..., b: float = ..., /) -> Self: ...
    @overload
    def normal(self, mean: float = ..., stdv: float = ..., /) -> Self:
        """Draws every element, after a generator if any: normal, of mean 0 and standard deviation 1 by default."""
    @overload
    def normal(self, generator: Generator, mean: float = ..., stdv: float = ..., /) -> Self: ...
    @overload
    def logNormal(self, mean: float = ..., stdv: float = ..., /) -> Self:
        """Draws every element, after a generator if any: exp of a normal number, of mean 1 and deviation 2 by
        default."""
    @overload
    def logNormal(self, generator: Generator, mean: float = ..., stdv: float = ..., /) -> Self: ...
    @overload
    def exponential(self, rate: float, /) -> Self:
        """Draws every element, after a generator if any: of density rate * exp(-rate * x)."""
    @overload
    def exponential(self, generator: Generator, rate: float, /) -> Self: ...
    @overload
    def cauchy(self, median: float = ..., sigma: float = ..., /) -> Self:
        """Draws every element, after a generator if any: of density sigma / (pi (sigma^2 + (x - median)^2)), 0 and 1
        by default."""
    @overload
    def cauchy(self, generator: Generator, median: float = ..., sigma: float = ..., /) -> Self: ...
    @overload
    def geometric(self, p: float, /) -> Self:
        """Draws every element, after a generator if any: whole, n with probability (1 - p) p^(n - 1)."""
    @overload
    def geometric(self, generator: Generator, p: float, /) -> Self: ...
    @overload
    def bernoulli(self, p: float | Numbers = ..., /) -> Self:
        """Draws every element, after a generator if any: 1 with probability p, 0.5 by default, else 0."""
    @overload
    def bernoulli(self, generator: Generator, p: float | Numbers = ..., /) -> Self: ...
    @overload
    def random(self, first: float = ..., last: float = ..., /) -> Self:
        """Draws every element, after a generator if any: whole, from first to last, or from 1 to a single bound."""
    @overload
    def random(self, generator: Generator, first: float = ..., last: float = ..., /) -> Self: ...
    def zeros(self, *sizes: Sizes) -> Self:
        """zeros(sizes...): becomes zeros of these sizes, numbers or a LongStorage."""
    def ones(self, *sizes: Sizes) -> Self:
        """ones(sizes...): becomes ones of these sizes, numbers or a LongStorage."""
    def eye(self, n: float, m: float = ...) -> Self:
        """eye(n, [m]): becomes n x n, or n x m, with ones on the diagonal and zeros elsewhere."""
    def range(self, first: float, last: float, step: float = ...) -> Self:
        """range(first, last, [step]): becomes first, first + step, ... up to last, which is included; the step is 1
        by default."""
    def linspace(self, first: float, last: float, n: float = ...) -> Self:
        """linspace(first, last, [n]): becomes n numbers, 100 by default, at equal distances."""
    def logspace(self, first: float, last: float, n: float = ...) -> Self:
        """logspace(first, last, [n]): becomes 10 to the power of n numbers at equal distances."""
    @overload
    def rand(self, *sizes: Sizes) -> Self:
        """rand([generator], sizes...): becomes uniform numbers from [0, 1), of these sizes, numbers or a
        LongStorage."""
    @overload
    def rand(self, generator: Generator, *sizes: Sizes) -> Self: ...
    @overload
    def randn(self, *sizes: Sizes) -> Self:
        """randn([generator], sizes...): becomes normal numbers of mean 0 and standard deviation 1, of these sizes,
        numbers or a LongStorage."""
    @overload
    def randn(self, generator: Generator, *sizes: Sizes) -> Self: ...
    @overload
    def randperm(self, n: float) -> Self:
        """randperm([generator], n): becomes the numbers 1 to n in random order."""
    @overload
    def randperm(self, generator: Generator, n: float) -> Self: ...
    @overload
    def eq(self, number: float, /) -> Self:
        """1 where elements are equal, else 0, x being this tensor; or it is a first result, before x."""
    @overload
    def eq(self, x: Numbers, number: float, /) -> Self: ...
    @overload
    def eq(self, tensor: Numbers, /) -> Self: ...
    @overload
    def eq(self, x: Numbers, tensor: Numbers, /) -> Self: ...
    @overload
    def ne(self, number: float, /) -> Self:
        """1 where elements differ, else 0, x being this tensor; or it is a first result, before x."""
    @overload
    def ne(self, x: Numbers, number: float, /) -> Self: ...
    @overload
    def ne(self, tensor: Numbers, /) -> Self: ...
    @overload
    def ne(self, x: Numbers, tensor: Numbers, /) -> Self: ...
    @overload
    def lt(self, number: float, /) -> Self:
        """1 where x is less, else 0, x being this tensor; or it is a first result, before x."""
    @overload
    def lt(self, x: Numbers, number: float, /) -> Self: ...
    @overload
    def lt(self, tensor: Numbers, /) -> Self: ...
    @overload
    def lt(self, x: Numbers, tensor: Numbers, /) -> Self: ...
    @overload
    def le(self, number: float, /) -> Self:
        """1 where x is not greater, else 0, x being this tensor; or it is a first result, before x."""
    @overload
    def le(self, x: Numbers, number: float, /) -> Self: ...
    @overload
    def le(self, tensor: Numbers, /) -> Self: ...
    @overload
    def le(self, x: Numbers, tensor: Numbers, /) -> Self: ...
    @overload
    def gt(self, number: float, /) -> Self:
        """1 where x is greater, else 0, x being this tensor; or it is a first result, before x."""
    @overload
    def gt(self, x: Numbers, number: float, /) -> Self: ...
    @overload
    def gt(self, tensor: Numbers, /) -> Self: ...
    @overload
    def gt(self, x: Numbers, tensor: Numbers, /) -> Self: ...
    @overload
    def ge(self, number: float, /) -> Self:
        """1 where x is not less, else 0, x being this tensor; or it is a first result, before x."""
    @overload
    def ge(self, x: Numbers, number: float, /) -> Self: ...
    @overload
    def ge(self, tensor: Numbers, /) -> Self: ...
    @overload
    def ge(self, x: Numbers, tensor: Numbers, /) -> Self: ...
    @overload
    def sum(self) -> float:
        """The sum, x being this tensor; or it is a first result, before x."""
    @overload
    def sum(self, dimension: int, /) -> Self: ...
    @overload
    def sum(self, x: Numbers, dimension: int, /) -> Self: ...
    @overload
    def prod(self) -> float:
        """The product, x being this tensor; or it is a first result, before x."""
    @overload
    def prod(self, dimension: int, /) -> Self: ...
    @overload
    def prod(self, x: Numbers, dimension: int, /) -> Self: ...
    @overload
    def mean(self) -> float:
        """The mean, x being this tensor; or it is a first result, before x."""
    @overload
    def mean(self, dimension: int, /) -> Self: ...
    @overload
    def mean(self, x: Numbers, dimension: int, /) -> Self: ...
    @overload
    def std(self, flag: bool = ..., /) -> float:
        """The standard deviation, over n - 1, or n if biased, x being this tensor; or it is a first result, before
        x."""
    @overload
    def std(self, dimension: int, flag: bool = ..., /) -> Self: ...
    @overload
    def std(self, x: Numbers, dimension: int, flag: bool = ..., /) -> Self: ...
    @overload
    def var(self, flag: bool = ..., /) -> float:
        """The variance, over n - 1, or n if biased, x being this tensor; or it is a first result, before x."""
    @overload
    def var(self, dimension: int, flag: bool = ..., /) -> Self: ...
    @overload
    def var(self, x: Numbers, dimension: int, flag: bool = ..., /) -> Self: ...
    @overload
    def norm(self, number: float = ..., /) -> float:
        """The p-norm, p = 2 unless it is given, x being this tensor; or it is a first result, before x."""
    @overload
    def norm(self, number: float, dimension: int, /) -> Self: ...
    @overload
    def norm(self, x: Numbers, number: float, dimension: int, /) -> Self: ...
    def dist(self, tensor: Numbers, number: float = ..., /) -> float:
        """The p-norm of the difference, x being this tensor; or it is a first result, before x."""
    def dot(self, tensor: Numbers, /) -> float:
        """The sum of the products of elements, x being this tensor; or it is a first result, before x."""
    def trace(self) -> float:
        """The sum of a matrix's diagonal, x being this tensor; or it is a first result, before x."""
    @overload
    def min(self) -> float:
        """The least, and along a dimension where it is, x being this tensor; or it is a first result, before x."""
    @overload
    def min(self, dimension: int, /) -> tuple[Self, Self]: ...
    @overload
    def min(self, tensor: Numbers, x: Numbers, dimension: int, /) -> tuple[Self, Self]: ...
    @overload
    def max(self) -> float:
        """The greatest, and along a dimension where it is, x being this tensor; or it is a first result, before x."""
    @overload
    def max(self, dimension: int, /) -> tuple[Self, Self]: ...
    @overload
    def max(self, tensor: Numbers, x: Numbers, dimension: int, /) -> tuple[Self, Self]: ...
    @overload
    def cumsum(self, dimension: int = ..., /) -> Self:
        """The sums so far, x being this tensor; or it is a first result, before x."""
    @overload
    def cumsum(self, x: Numbers, dimension: int = ..., /) -> Self: ...
    @overload
    def cumprod(self, dimension: int = ..., /) -> Self:
        """The products so far, x being this tensor; or it is a first result, before x."""
    @overload
    def cumprod(self, x: Numbers, dimension: int = ..., /) -> Self: ...
    @overload
    def sort(self, dimension: int = ..., flag: bool = ..., /) -> tuple[Self, Self]:
        """The elements in order, descending if true, and where they were, x being this tensor; or it is a first
        result, before x."""
    @overload
    def sort(self, tensor: Numbers, x: Numbers, dimension: int = ..., flag: bool = ..., /) -> tuple[Self, Self]: ...
    @overload
    def topk(
        self, count: int = ..., dimension: int = ..., flag1: bool = ..., flag2: bool = ..., /
    ) -> tuple[Self, Self]:
        """The k smallest, or largest if true, in order, and where they are, x being this tensor; or it is a first
        result, before x."""
    @overload
    def topk(
        self, tensor: Numbers, x: Numbers, count: int = ..., dimension: int = ..., flag1: bool = ..., flag2: bool =
        ..., /
    ) -> tuple[Self, Self]: ...
    @overload
    def kthvalue(self, count: int, dimension: int = ..., /) -> tuple[Self, Self]:
        """The k-th smallest, and where it is, x being this tensor; or it is a first result, before x."""
    @overload
    def kthvalue(self, tensor: Numbers, x: Numbers, count: int, dimension: int = ..., /) -> tuple[Self, Self]: ...
    @overload
    def median(self, dimension: int = ..., /) -> tuple[Self, Self]:
        """The middle one (the lower of two), and where it is, x being this tensor; or it is a first result, before
        x."""
    @overload
    def median(self, tensor: Numbers, x: Numbers, dimension: int = ..., /) -> tuple[Self, Self]: ...
    @overload
    def mode(self, dimension: int = ..., /) -> tuple[Self, Self]:
        """The most frequent one (the smallest of such), and where it is, x being this tensor; or it is a first
        result, before x."""
    @overload
    def mode(self, tensor: Numbers, x: Numbers, dimension: int = ..., /) -> tuple[Self, Self]: ...
    @overload
    def index(self, dimension: int, indices: Numbers, /) -> Self:
        """The slices of a dimension that a LongTensor names, x being this tensor; or it is a first result, before
        x."""
    @overload
    def index(self, x: Numbers, dimension: int, indices: Numbers, /) -> Self: ...
    @overload
    def gather(self, dimension: int, indices: Numbers, /) -> Self:
        """Along a dimension, the elements that a LongTensor names, x being this tensor; or it is a first result,
        before x."""
    @overload
    def gather(self, x: Numbers, dimension: int, indices: Numbers, /) -> Self: ...
    @overload
    def nonzero(self) -> Self:
        """Where elements are not 0, a row for each, x being this tensor; or it is a first result, before x."""
    @overload
    def nonzero(self, x: Numbers, /) -> Self: ...
    @overload
    def tril(self, count: int = ..., /) -> Self:
        """What is on and below the k-th diagonal, x being this tensor; or it is a first result, before x."""
    @overload
    def tril(self, x: Numbers, count: int = ..., /) -> Self: ...
    @overload
    def triu(self, count: int = ..., /) -> Self:
        """What is on and above the k-th diagonal, x being this tensor; or it is a first result, before x."""
    @overload
    def triu(self, x: Numbers, count: int = ..., /) -> Self: ...
    @overload
    def diag(self, count: int = ..., /) -> Self:
        """The k-th diagonal of a matrix, or a matrix with this one, x being this tensor; or it is a first result,
        before x."""
    @overload
    def diag(self, x: Numbers, count: int = ..., /) -> Self: ...
    @overload
    def histc(self, count: int = ..., number1: float = ..., number2: float = ..., /) -> Self:
        """How many elements are in each of n bins, between bounds if given, x being this tensor; or it is a first
        result, before x."""
    @overload
    def histc(self, x: Numbers, count: int = ..., number1: float = ..., number2: float = ..., /) -> Self: ...
    @overload
    def bhistc(self, count: int = ..., number1: float = ..., number2: float = ..., /) -> Self:
        """How many elements of each row are in each of n bins, x being this tensor; or it is a first result, before
        x."""
    @overload
    def bhistc(self, x: Numbers, count: int = ..., number1: float = ..., number2: float = ..., /) -> Self: ...
    @overload
    def cross(self, tensor: Numbers, dimension: int = ..., /) -> Self:
        """The cross product along a dimension of size 3, x being this tensor; or it is a first result, before x."""
    @overload
    def cross(self, x: Numbers, tensor: Numbers, dimension: int = ..., /) -> Self: ...
    @overload
    def match(self, tensor: Numbers, number: float = ..., /) -> Self:
        """The squared distances between the rows of two tensors, times a number, x being this tensor; or it is a
        first result, before x."""
    @overload
    def match(self, x: Numbers, tensor: Numbers, number: float = ..., /) -> Self: ...
    @overload
    def gesv(self, tensor: Numbers, /) -> tuple[Self, Self]:
        """The solution of a X = x for the matrix given next, and its factors, x being this tensor; or it is a first
        result, before x."""
    @overload
    def gesv(self, tensor1: Numbers, x: Numbers, tensor2: Numbers, /) -> tuple[Self, Self]: ...
    @overload
    def gels(self, tensor: Numbers, /) -> tuple[Self, Self]:
        """The X of least squares |a X - x|, residuals below it, and a's factors, x being this tensor; or it is a
        first result, before x."""
    @overload
    def gels(self, tensor1: Numbers, x: Numbers, tensor2: Numbers, /) -> tuple[Self, Self]: ...
    @overload
    def trtrs(
        self, tensor: Numbers, letter1: str = ..., letter2: str = ..., letter3: str = ..., /
    ) -> tuple[Self, Self]:
        """The same for a triangular matrix: 'U' or 'L', 'N' or 'T', 'N' or 'U', x being this tensor; or it is a first
        result, before x."""
    @overload
    def trtrs(
        self, tensor1: Numbers, x: Numbers, tensor2: Numbers, letter1: str = ..., letter2: str = ..., letter3: str =
        ..., /
    ) -> tuple[Self, Self]: ...
    @overload
    def potrf(self, letter: str = ..., /) -> Self:
        """The Cholesky factor of a positive definite matrix, upper or ('L') lower, x being this tensor; or it is a
        first result, before x."""
    @overload
    def potrf(self, x: Numbers, letter: str = ..., /) -> Self: ...
    @overload
    def pstrf(self, letter: str = ..., /) -> tuple[Self, Self]:
        """The same with pivoting, and the rows' order, x being this tensor; or it is a first result, before x."""
    @overload
    def pstrf(self, tensor: Numbers, x: Numbers, letter: str = ..., /) -> tuple[Self, Self]: ...
    @overload
    def potrs(self, tensor: Numbers, letter: str = ..., /) -> Self:
        """The solution of A X = x, given A's Cholesky factor, x being this tensor; or it is a first result, before
        x."""
    @overload
    def potrs(self, x: Numbers, tensor: Numbers, letter: str = ..., /) -> Self: ...
    @overload
    def potri(self, letter: str = ..., /) -> Self:
        """The inverse of the matrix of a Cholesky factor, x being this tensor; or it is a first result, before x."""
    @overload
    def potri(self, x: Numbers, letter: str = ..., /) -> Self: ...
    @overload
    def symeig(self, letter1: str = ..., letter2: str = ..., /) -> tuple[Self, Self]:
        """A symmetric matrix's eigenvalues, and with 'V' its eigenvectors, x being this tensor; or it is a first
        result, before x."""
    @overload
    def symeig(
        self, tensor: Numbers, x: Numbers, letter1: str = ..., letter2: str = ..., /
    ) -> tuple[Self, Self]: ...
    @overload
    def eig(self, letter: str = ..., /) -> tuple[Self, Self]:
        """Eigenvalues, a row of real and imaginary part each; with 'V' eigenvectors, x being this tensor; or it is a
        first result, before x."""
    @overload
    def eig(self, tensor: Numbers, x: Numbers, letter: str = ..., /) -> tuple[Self, Self]: ...
    @overload
    def svd(self, letter: str = ..., /) -> tuple[Self, Self, Self]:
        """U, S and V of the singular values, some ('S') or all ('A'), x being this tensor; or it is a first result,
        before x."""
    @overload
    def svd(
        self, tensor1: Numbers, tensor2: Numbers, x: Numbers, letter: str = ..., /
    ) -> tuple[Self, Self, Self]: ...
    @overload
    def inverse(self) -> Self:
        """The inverse of a matrix, x being this tensor; or it is a first result, before x."""
    @overload
    def inverse(self, x: Numbers, /) -> Self: ...
    @overload
    def qr(self) -> tuple[Self, Self]:
        """Q and R of a matrix, whose product it is, x being this tensor; or it is a first result, before x."""
    @overload
    def qr(self, tensor: Numbers, x: Numbers, /) -> tuple[Self, Self]: ...
    @overload
    def geqrf(self) -> tuple[Self, Self]:
        """LAPACK's reflectors of Q and R, and their factors, x being this tensor; or it is a first result, before
        x."""
    @overload
    def geqrf(self, tensor: Numbers, x: Numbers, /) -> tuple[Self, Self]: ...
    @overload
    def orgqr(self, tensor: Numbers, /) -> Self:
        """Q of these reflectors, given their factors, x being this tensor; or it is a first result, before x."""
    @overload
    def orgqr(self, x: Numbers, tensor: Numbers, /) -> Self: ...
    @overload
    def ormqr(self, tensor1: Numbers, tensor2: Numbers, letter1: str = ..., letter2: str = ..., /) -> Self:
        """A matrix times this Q, on its left or ('R') right, or times Q' ('T'), x being this tensor; or it is a first
        result, before x."""
    @overload
    def ormqr(
        self, x: Numbers, tensor1: Numbers, tensor2: Numbers, letter1: str = ..., letter2: str = ..., /
    ) -> Self: ...
    @overload
    def conv2(self, tensor: Numbers, letter: str = ..., /) -> Self:
        """Images convolved with kernels, where they overlap wholly, or ('F') at all, x being this tensor; or it is a
        first result, before x."""
    @overload
    def conv2(self, x: Numbers, tensor: Numbers, letter: str = ..., /) -> Self: ...
    @overload
    def xcorr2(self, tensor: Numbers, letter: str = ..., /) -> Self:
        """Images correlated with kernels, where they overlap wholly, or ('F') at all, x being this tensor; or it is a
        first result, before x."""
    @overload
    def xcorr2(self, x: Numbers, tensor: Numbers, letter: str = ..., /) -> Self: ...
    @overload
    def conv3(self, tensor: Numbers, letter: str = ..., /) -> Self:
        """Volumes convolved with kernels, where they overlap wholly, or ('F') at all, x being this tensor; or it is a
        first result, before x."""
    @overload
    def conv3(self, x: Numbers, tensor: Numbers, letter: str = ..., /) -> Self: ...
    @overload
    def xcorr3(self, tensor: Numbers, letter: str = ..., /) -> Self:
        """Volumes correlated with kernels, where they overlap wholly, or ('F') at all, x being this tensor; or it is
        a first result, before x."""
    @overload
    def xcorr3(self, x: Numbers, tensor: Numbers, letter: str = ..., /) -> Self: ...
    def __add__(self, other: float | Numbers, /) -> Self: ...
    def __radd__(self, other: float | Numbers, /) -> Self: ...
    def __sub__(self, other: float | Numbers, /) -> Self: ...
    def __rsub__(self, other: float | Numbers, /) -> Self: ...
    def __truediv__(self, other: float | Numbers, /) -> Self: ...
    def __rtruediv__(self, other: float | Numbers, /) -> Self: ...
    def __mod__(self, other: float | Numbers, /) -> Self: ...
    def __rmod__(self, other: float | Numbers, /) -> Self: ...
    def __pow__(self, other: float | Numbers, /) -> Self: ...
    def __rpow__(self, other: float | Numbers, /) -> Self: ...
    def __matmul__(self, other: float | Numbers, /) -> Result[Self]: ...
    def __rmatmul__(self, other: float | Numbers, /) -> Result[Self]: ...
    def __lt__(self, other: float | Numbers, /) -> Self: ...
    def __le__(self, other: float | Numbers, /) -> Self: ...
    def __gt__(self, other: float | Numbers, /) -> Self: ...
    def __ge__(self, other: float | Numbers, /) -> Self: ...
    def __iadd__(self, other: float | Numbers, /) -> Self: ...
    def __isub__(self, other: float | Numbers, /) -> Self: ...
    def __imul__(self, other: float | Numbers, /) -> Result[Self]: ...
    def __itruediv__(self, other: float | Numbers, /) -> Self: ...
    def __imod__(self, other: float | Numbers, /) -> Self: ...
    def __ipow__(self, other: float | Numbers, /) -> Self: ...
    @overload
    def __mul__(self, other: float, /) -> Self:
        """None"""
    @overload
    def __mul__(self, other: Numbers, /) -> Result[Self]: ...
    @overload
    def __rmul__(self, other: float, /) -> Self:
        """None"""
    @overload
    def __rmul__(self, other: Numbers, /) -> Result[Self]: ...
