# Made by `python -m website.stubs` from the descriptions of modules and criterions; a test compares it with them.
# fmt: off
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Self

from ..core.types import Value
from ..layers.pooling import Record
from ..optim.regularizers import L1L2Regularizer
from . import nngraph as _nngraph
from . import nngraph as nngraph
from .bigdl import BigDL as _BigDL
from .bigdl.graphs import Graph as Graph
from .bigdl.graphs import Input as Input
from .bigdl.graphs import Model as Model
from .bigdl.saving import load as load
from .bigdl.saving import loadModule as loadModule
from .bigdl.saving import loadTorch as loadTorch
from .modules import aliases as aliases
from .modules import bidirectional as _bidirectional
from .modules import bidirectional as bidirectional
from .modules import container as _container
from .modules import criterion as _criterion
from .modules import criterion_modules as _criterion_modules
from .modules import criterion_modules as criterion_modules
from .modules import criterions as _criterions
from .modules import criterions as criterions
from .modules import cudnn_layers as cudnn_layers
from .modules import data_parallel as _data_parallel
from .modules import data_parallel as data_parallel
from .modules import decorators as _decorators
from .modules import decorators as decorators
from .modules import hessian as hessian
from .modules import linear as _linear
from .modules import module as _module
from .modules import nce as _nce
from .modules import nce as nce
from .modules import normalization as _normalization
from .modules import normalization as normalization
from .modules import passing as _passing
from .modules import passing as passing
from .modules import recurrent as _recurrent
from .modules import recurrent as recurrent
from .modules import special as _special
from .modules import special as special
from .modules import vision as _vision
from .modules import vision as vision
from .modules.jacobian import Jacobian as Jacobian
from .modules.jacobian import SparseJacobian as SparseJacobian
from .modules.measures import get_bleu as get_bleu
from .modules.measures import get_rougeN as get_rougeN
from .modules.measures import get_rougeS as get_rougeS
from .modules.vision import tables as tables
from .objects import nested as _nested
from .objects.trainer import StochasticGradient as StochasticGradient
from .pytorch import PyTorch as _PyTorch
from .pytorch import module_lists as _module_lists
from .pytorch.call import functional_call as functional_call
from .pytorch.containers import Appending as _Appending
from .pytorch.hooks import RemovableHandle as RemovableHandle
from .pytorch.hooks import register_module_forward_hook as register_module_forward_hook
from .pytorch.hooks import register_module_forward_pre_hook as register_module_forward_pre_hook
from .pytorch.hooks import register_module_full_backward_hook as register_module_full_backward_hook
from .pytorch.hooks import register_module_full_backward_pre_hook as register_module_full_backward_pre_hook
from .tensors import activations as _activations
from .tensors.kinds import Numbers
from .tensors.parameter import Parameter as Parameter
from .tensors.values import Output

functional = _activations
rnn = _nested
utils = _nested

class AbstractRecurrent(_recurrent.AbstractRecurrent, Container):
    """nn.AbstractRecurrent: forward is one time step; backward, in reverse order, one step of back-propagation."""

class AbstractSequencer(_recurrent.AbstractSequencer, Container):
    """nn.AbstractSequencer: modules that take whole sequences."""

class AbstractSequencerCriterion(_criterions.AbstractSequencerCriterion, Criterion):
    """nn.SequencerCriterion and nn.RepeaterCriterion; `criterion` is that of every step."""

class Criterion(_criterion.Criterion, Module):
    """A loss with Torch's interface: `forward(input, target)` is a number, `backward` its gradient."""
    def updateOutput(self, *given: Any, **named: Any) -> Output: ...
    def updateGradInput(self, *given: Any, **named: Any) -> Output: ...

class DataParallelTable(_data_parallel.DataParallelTable, Container):
    """y = module(x): the module inside, each device computing its part of the batch: XLA divides the slices of a
    dimension among them.
    """

class GPU(_decorators.GPU, Decorator):
    """y = module(x): the module inside, computed on a device of JAX's (counted from 1): a GPU, or any of
    `jax.devices()`.
    """

class Module(_module.Module, _BigDL, _PyTorch):
    """A layer or network with Torch's interface."""
    def updateOutput(self, *given: Any, **named: Any) -> Output: ...
    def updateGradInput(self, *given: Any, **named: Any) -> Output: ...
    def accGradParameters(self, *given: Any, **named: Any) -> Output: ...
    def forward(self, *given: Any, **named: Any) -> Output: ...
    def __call__(self, *given: Any, **named: Any) -> Value: ...

class ModuleCriterion(_criterions.ModuleCriterion, Criterion):
    """l = criterion(inputModule(x), targetModule(y)): both modules are optional. The target gets no gradient.

    Shape: the modules' inputs -> scalar.
    """

class ModuleDict(_module_lists.ModuleDict, Module):
    """Modules by name, in the order of insertion."""

class ModuleList(_module_lists.ModuleList, Module):
    """A list of modules, named "0", "1", ...; positions count from 0, and slices are lists of the same modules."""

class ParameterDict(_module_lists.ParameterDict, Module):
    """Parameters by name, in the order of insertion; tensors put in become parameters."""

class ParameterList(_module_lists.ParameterList, Module):
    """A list of parameters, named "0", "1", ...; tensors put in become parameters."""

class Reinforce(_special.Reinforce, Module):
    """Stochastic modules; `reward` is the last reward from `reinforce`."""

class Sequential(_special.Sequential, Container):
    """y = m_n(... m_2(m_1(x))): the modules one after another.

    Shape: the first module's input -> the last one's output; without modules the input itself.
    """

class gModule(_nngraph.gModule, Container):
    """y_v = m_v(y_u, ..., y_w): the modules m of a graph without cycles, each with the outputs of others as its input.

    Shape: the input, or a table of several inputs -> the output, or a table of several.
    """

class Abs(Module):
    """y = |x|; the derivative at 0 is 1.

    Shape: any, kept.
    """
    def __init__(self) -> None: ...

class Add(Module):
    """y = x + b.

    Shape: (inputSize), or (B, ...) with inputSize elements per example; kept.
    """
    def __init__(self, inputSize: int, scalar: bool = False, fill: float | None = None) -> None: ...

class AddConstant(Module):
    """y = x + k; k is a number, or a tensor as long as the last of at most 2 dimensions.

    Shape: any, kept.  `inplace` is accepted and changes no value.
    """
    def __init__(self, constant_scalar: float | Numbers, inplace: bool = False) -> None: ...

class AffineGridGeneratorBHWD(Module):
    """y[i, j] = x [2 i / (height - 1) - 1, 2 j / (width - 1) - 1, 1]: the places to which an affine map sends a grid.

    Shape: (B, 2, 3) -> (B, height, width, 2), or without the batch.
    """
    def __init__(self, height: int, width: int) -> None: ...

class AffineTransformMatrixGenerator(Module):
    """y = [s R | s R t], R = [[cos(a), -sin(a)], [sin(a), cos(a)]]: the matrices of affine maps out of an angle a, a
    scale s and a shift t, which are 0, 1 and 0 unless they are used; y = x as rows of 3, if none is.

    Shape: (B, n) -> (B, 2, 3), or without the batch; n is 1 to 4, or 6.
    """
    def __init__(self, useRotation: bool = False, useScale: bool = False, useTranslation: bool = False) -> None: ...

class ArgMax(Module):
    """y = argmax_i x_i: the place, from 1, of the maximum along a dimension; the first of several. No gradient.

    Shape: (n, p, q) -> (n, q) for dim 2; a vector gives one element. An input of more than nInputDim dimensions is a
    batch, and dim is counted after it. Integers, or numbers of the input's type if not asLong.
    """
    def __init__(self, dim: int = 1, nInputDim: int = 9999, asLong: bool = True) -> None: ...

class BatchNormalization(_normalization.BatchNormalization, Module):
    """y = (x - mean) / sqrt(var + eps) * weight + bias, per feature (dimension 2).

    Shape: (B, nOutput), kept; in evaluation also (nOutput,), which gives (1, nOutput).
    """
    def __init__(self, nOutput: int, eps: float = 1e-05, momentum: float = 0.1, affine: bool = True) -> None: ...

class Bigrams(Module):
    """P(y | x) = p_xy / (sum_w p_xw): words that follow each word x of the input, drawn from its distribution, by the
    alias method.

    Shape: words (B) -> (B, nsample), integers; no gradient. `bigrams` is a table from words (numbers from 1) to tables
    of `index`, the words that may follow, and `prob`, their probabilities; these need not sum to 1.
    """
    def __init__(self, bigrams: Numbers, nsample: int) -> None: ...
    def statistics(self) -> float: ...

class Bilinear(Module):
    """y_k = x1^T A_k x2 + b_k.

    Shape: [(B, inputSize1), (B, inputSize2)] -> (B, outputSize).
    """
    def __init__(self, inputSize1: int, inputSize2: int, outputSize: int, bias: bool = True) -> None: ...

class BilinearSamplerBHWD(Module):
    """y[i, j, d] = sum_{p, q} max(0, 1 - |r - p|) max(0, 1 - |c - q|) x[p, q, d]; r = (g[i, j, 1] + 1) (H - 1) / 2;
    c = (g[i, j, 2] + 1) (W - 1) / 2: images x between their pixels, at the places of grids g; 0 outside.

    Shape: [(B, H, W, D), (B, h, w, 2)] -> (B, h, w, D), or without the batch in both.
    """
    def __init__(self) -> None: ...

class CAdd(Module):
    """y = x + b with a learned array.

    Shape: as many elements as b, as many dimensions (b repeats where its size is 1), or a batch of these; kept.
    """
    def __init__(self, *sizes: int | Iterable[int], fill: float | None = None) -> None: ...

class CAddTable(Module):
    """y = sum_i x_i: the sum of the table's tensors.

    Shape: [s, s, ...] -> s; those behind the first may have other sizes, with as many elements. `inplace` is accepted
    and changes no value.
    """
    def __init__(self, inplace: bool = False) -> None: ...

class CAddTensorTable(Module):
    """[v, [a, b, ...]] -> [v + a, v + b, ...].

    Shape: a tensor and a table of tensors with as many elements -> a table of tensors of its shape.
    """
    def __init__(self) -> None: ...

class CDivTable(Module):
    """y = x1 / x2, element by element.

    Shape: [s, s] -> s; those behind the first may have other sizes, with as many elements.
    """
    def __init__(self) -> None: ...

class CMaxTable(Module):
    """y = max(x_1, ..., x_n): the maximum of the table's tensors, element by element; the gradient goes to the first
    that has it.

    Shape: [s, s, ...] -> s; those behind the first may have other sizes, with as many elements.
    """
    def __init__(self) -> None: ...

class CMinTable(Module):
    """y = min(x_1, ..., x_n): the minimum of the table's tensors, element by element; the gradient goes to the first
    that has it.

    Shape: [s, s, ...] -> s; those behind the first may have other sizes, with as many elements.
    """
    def __init__(self) -> None: ...

class CMul(Module):
    """y = w * x, element by element, with a learned array.

    Shape: as many elements as w, as many dimensions (w repeats where its size is 1), or a batch of these; kept.
    """
    def __init__(self, *sizes: int | Iterable[int], fill: float | None = None) -> None: ...

class CMulTable(_special.CMulTable, Module):
    """y = x_1 x_2 ... x_n: the product of the table's tensors, element by element.

    Shape: [s, s, ...] -> s; those behind the first may have other sizes, with as many elements.
    """
    def __init__(self) -> None: ...

class CReLU(Module):
    """y = [max(0, x), max(0, -x)], joined along the first dimension of an example.

    Shape: nInputDims dimensions (d, ...) -> (2 d, ...), or one more for a batch.  `inplace` changes no value.
    """
    def __init__(self, nInputDims: int, inplace: bool = False) -> None: ...

class CSubTable(Module):
    """y = x1 - x2.

    Shape: [s, s] -> s; those behind the first may have other sizes, with as many elements.
    """
    def __init__(self) -> None: ...

class CategoricalEntropy(Module):
    """y = x, with the penalty -scale * H / B as a side output: H = -sum_i q_i ln(q_i + 1e-6) is the entropy of the
    batch's distribution q_i = sum_b x_bi / sum(x), and is maximized.

    Shape: probabilities (B, n), kept.  With minEntropy, nothing is added where H is not below it; without
    sizeAverage the penalty is not divided by B. The sum of all probabilities counts as a constant.
    """
    def __init__(self, scale: float = 1, minEntropy: float | None = None, sizeAverage: bool = True) -> None: ...

class Clip(Module):
    """y = max(minval, min(x, maxval)): x kept between two limits; the gradient passes everywhere, as if nothing were
    cut.

    Shape: any, kept.
    """
    def __init__(self, minval: float, maxval: float) -> None: ...

class Collapse(Module):
    """y_b = vec(x_b): all dimensions of an example merged into one.

    Shape: nInputDim dimensions -> (count), more -> (B, count).
    """
    def __init__(self, nInputDim: int) -> None: ...

class Constant(Module):
    """y = value: a given value, whatever the input; no gradient.

    Shape: any -> the value's (a number: (1)); with nInputDim, an input of more dimensions is a batch, and the value
    is repeated for each example. Its dtype is the input's, float32 for an input of whole numbers.
    """
    def __init__(self, value: Numbers, nInputDim: int | None = None) -> None: ...

class Container(_container.Container, _Appending, Module):
    """A module made of the modules in `modules`; its params and buffers are lists in the same order."""
    def __init__(self, *modules: Module | Callable | Sequence[Module | Callable]) -> None: ...

class Contiguous(Module):
    """y = x: JAX's arrays are always contiguous.

    Shape: any, kept.
    """
    def __init__(self) -> None: ...

class Convert(_special.Convert, Module):
    """y[b, h, w, c] = x[b, c, h, w]: from "bchw" to "bhwc", the input with the axes in outputShape: one letter
    each (batch, channels, height, width).

    Shape: one dimension for each letter, or one fewer for a single example, which gives a single example.
    """
    def __init__(
        self, inputShape: str | None = None, outputShape: str | None = None, dtype: str | None = None,
    ) -> None: ...

class Copy(_passing.Copy, Module):
    """y = x, cast to outputType; the gradient is cast back. Types have Torch's names ("torch.FloatTensor").

    Shape: any, kept.  `dontCast` is accepted: it concerns objects that change their type.
    """
    def __init__(
        self, inputType: str | None = None, outputType: str | None = None, forceCopy: bool = False, dontCast: bool =
        False,
    ) -> None: ...

class CopyGrad(Module):
    """y = x.

    Shape: any, kept.
    """
    def __init__(self) -> None: ...

class Cosine(Module):
    """y_j = x . w_j / ((||w_j|| + 1e-12) (||x|| + 1e-12)).

    Shape: (inputSize) or (B, inputSize) -> (outputSize) or (B, outputSize).
    """
    def __init__(self, inputSize: int, outputSize: int) -> None: ...

class CosineDistance(Module):
    """y = x1 . x2 / sqrt((||x1||^2 + 1e-12) (||x2||^2 + 1e-12)), example by example: a similarity, despite its name.

    Shape: [(n), (n)] -> (1), or [(B, n), (B, n)] -> (B); the second may have other sizes, with as many elements.
    """
    def __init__(self) -> None: ...

class DotProduct(Module):
    """y = x1 . x2, example by example.

    Shape: [(n), (n)] -> (1), or [(B, n), (B, n)] -> (B); the second may have other sizes, with as many elements.
    """
    def __init__(self) -> None: ...

class Dropout(Module):
    """y = x * noise; each noise element is 1/(1-p) with probability 1-p, else 0 (training only).

    Shape: any, kept.  With `v1`, noise is 0 or 1 in training and evaluation multiplies by 1-p. With
    `stochastic_inference` evaluation drops too. `inplace` is accepted and changes no value. With `mono` one row of
    noise serves the whole batch.
    """
    def __init__(
        self, p: float = 0.5, v1: bool = False, inplace: bool = False, stochastic_inference: bool = False, *, lazy:
        bool = False, mono: bool = False,
    ) -> None: ...
    def setp(self, p: float) -> Self: ...
    v2: Any

class ELU(Module):
    """y = x where x > 0, else alpha * (exp(x) - 1).

    Shape: any, kept.  `inplace` is accepted and changes no value.
    """
    def __init__(self, alpha: float = 1, inplace: bool = False) -> None: ...

class Euclidean(Module):
    """y_j = ||w_j - x||; the gradient at distance 0 is 0.

    Shape: (inputSize) or (B, inputSize) -> (outputSize) or (B, outputSize).
    """
    def __init__(self, inputSize: int, outputSize: int) -> None: ...

class Exp(Module):
    """y = exp(x).

    Shape: any, kept.
    """
    def __init__(self) -> None: ...

class ExpandAs(Module):
    """[a, b] -> [a, b], where dimensions of size 1 of b repeat to the sizes of a.

    Shape: [s, s with ones] -> [s, s].
    """
    def __init__(self) -> None: ...

class FeatureLPPooling(Module):
    """y_j = (sum_i x_i^power)^(1/power) over windows of `width` features, every `stride`.

    Shape: (F), (F, d1) or (F, d1, d2), or with `batch_mode` one of these after a batch dimension ->
    floor((F - width) / stride) + 1 features. The gradient is 0 where y is 0, and with a power below 1 where x is 0.
    """
    def __init__(self, width: int, stride: int, power: float, batch_mode: bool = False) -> None: ...

class Flatten(Module):
    """y_b = vec(x_b): every example as a vector, row by row.

    Shape: (B, ...) -> (B, n).
    """
    def __init__(self) -> None: ...

class GELU(Module):
    """y = x * Phi(x), where Phi is the normal distribution's function; `approximate`: by a tanh, as in BERT and GPT-2.

    Shape: any, kept.
    """
    def __init__(self, approximate: bool = False) -> None: ...

class GatedLinearUnit(Module):
    """y = x1 * sigmoid(x2), where x1 and x2 are the halves of dimension `dim` (the last by default).

    Shape: (..., 2 n, ...) -> (..., n, ...).
    """
    def __init__(self, dim: int | None = None) -> None: ...

class GradientReversal(Module):
    """y = x, but the gradient is multiplied by -lambda (by definition, not by calculus).

    Shape: any, tables too; kept.
    """
    def __init__(self, lambda_: float = 1) -> None: ...
    def setLambda(self, lambda_: float) -> Self: ...

class GroupNorm(Module):
    """y = (x - mean) / sqrt(var + eps) * weight + bias, with the statistics of an example's group of planes.

    Shape: (B, nOutput, ...), kept; the planes, in dimension 2, are in `groups` of neighbours (1: all together,
    nOutput: each by itself, which is called instance normalisation).
    """
    def __init__(self, groups: int, nOutput: int, eps: float = 1e-05, affine: bool = True) -> None: ...

class HardShrink(Module):
    """y = x where |x| > lambda, else 0.

    Shape: any, kept.
    """
    def __init__(self, lambda_: float = 0.5) -> None: ...

class HardTanh(Module):
    """y = min_val where x < min_val, max_val where x > max_val, else x; the gradient passes strictly between.

    Shape: any, kept.  `inplace` is accepted and changes no value.
    """
    def __init__(self, min_val: float = -1, max_val: float = 1, inplace: bool = False) -> None: ...

class Index(Module):
    """y_i = x_{index_i}: the slices of a dimension at a 1-D tensor of indices, counted from 1; gradients of
    repeated ones are added.

    Shape: [(..., n, ...), (k)] -> (..., k, ...).
    """
    def __init__(self, dimension: int) -> None: ...

class IndexLinear(_special.IndexLinear, Module):
    """y = sum_k v_k W[key_k] + b: a linear layer for a sparse example, given by its keys and their values.

    Shape: [keys (n), values (n)] -> (outputSize); for a batch [table of keys, table of values], or flat
    [keys (N), values (N), sizes (B)] -> (B, outputSize). Keys count from 1 - keysOffset.
    """
    def __init__(
        self, inputSize: int, outputSize: int, doGradInput: bool = False, keysOffset: int = 0, weight: Numbers | None
        = None, bias: Numbers | None = None, normalize: bool = False,
    ) -> None: ...

class JoinTable(Module):
    """y = join(x_1, ..., x_n): the table's tensors joined along `dimension`.

    Shape: tensors that agree in every other dimension, except dimensions of size 1, which those after the first may
    lack; `nInputDims` is the number of dimensions of one example: tensors with one more have a batch in front, and
    `dimension` is counted after it; 0 is the batch's.
    """
    def __init__(self, dimension: int, nInputDims: int | None = None) -> None: ...

class Kmeans(_special.Kmeans, Module):
    """y = argmin_k ||x - c_k||: the number (from 1) of the centre nearest to each example; the first of
    several.

    Shape: (B, dim) -> (B), floating-point.
    """
    def __init__(self, k: int, dim: int, scale: float | None = None) -> None: ...

class L1Penalty(Module):
    """y = x, with the penalty l1weight * sum |x| (divided by the element count if sizeAverage) as a side output.

    Shape: any, kept.  With provideOutput False, only the penalty's gradient reaches the input.
    """
    def __init__(self, l1weight: float, sizeAverage: bool = False, provideOutput: bool = True) -> None: ...

class Lambda(Module):
    """y = function(x): a function of an array, or of a table, as a module.

    Shape: what the function takes -> what it gives. Functions are compared by identity, so that one that is made anew
    (`lambda x: x + 1` in a loop) compiles anew; networks that are pickled need functions with a name of their own.
    """
    def __init__(self, function: Callable) -> None: ...

class LayerNorm(Module):
    """y = (x - mean(x)) / sqrt(var(x) + eps) * weight + bias, over the last dimensions: those of `size`.

    Shape: (..., *size), kept; `size` is a number or several.
    """
    def __init__(self, size: int | Sequence[int], eps: float = 1e-05, affine: bool = True) -> None: ...

class LeakyReLU(Module):
    """y = x where x > 0, else negval * x.

    Shape: any, kept.  `inplace` is accepted and changes no value; as first argument it leaves negval at 0.01.
    """
    def __init__(self, negval: float = 0.01, inplace: bool = False) -> None: ...

class Linear(_linear.Linear, Module):
    """y = x A^T + b.

    Shape: (..., inputSize) -> (..., outputSize); Torch accepts one example (1-D) or a batch (2-D).
    """
    def __init__(
        self, inputSize: int, outputSize: int, bias: bool = True, *, wRegularizer: L1L2Regularizer | None = None,
        bRegularizer: L1L2Regularizer | None = None, initWeight: Numbers | None = None, initBias: Numbers | None =
        None, initGradWeight: Numbers | None = None, initGradBias: Numbers | None = None,
    ) -> None: ...
    def noBias(self) -> Self: ...

class LinearWeightNorm(_decorators.LinearWeightNorm, Module):
    """y = x A^T + b, with rows A_j = g_j v_j / max(||v_j||, eps).

    Shape: (..., inputSize) -> (..., outputSize).
    """
    def __init__(self, inputSize: int, outputSize: int, bias: bool = True, eps: float = 1e-16) -> None: ...

class Log(Module):
    """y = ln(x): -inf at 0, NaN below.

    Shape: any, kept.
    """
    def __init__(self) -> None: ...

class LogSigmoid(Module):
    """y = log(1 / (1 + exp(-x))).

    Shape: any, kept.
    """
    def __init__(self) -> None: ...

class LogSoftMax(Module):
    """y_i = x_i - log sum_j exp(x_j).

    Shape: (n), (B, n), (C, H, W) over C, or (B, C, H, W) over C; kept.
    """
    def __init__(self) -> None: ...

class LookupTable(_vision.LookupTable, Module):
    """y_j = weight[x_j]: row i of a learned matrix, for every index i of the input; `Embedding` is the same for inputs
    of any rank.

    Shape: indices (n) or (B, n), from 1 to nIndex -> (n, nOutput) or (B, n, nOutput).
    """
    def __init__(
        self, nIndex: int, nOutput: int, paddingValue: int = 0, maxNorm: float | None = None, normType: float | None =
        None, scaleByFrequency: bool = False,
    ) -> None: ...
    def scaleGradByFreq(self) -> Self: ...
    def setMaxNorm(self, max_norm: float | None) -> Self: ...
    def setNormType(self, norm_type: float) -> Self: ...
    def setPadding(self, padding_value: int) -> Self: ...

class MM(Module):
    """y = A B: each is transposed first if `transA`, `transB`.

    Shape: [(m, n), (n, p)] -> (m, p), or with a batch in front of both.
    """
    def __init__(self, transA: bool = False, transB: bool = False) -> None: ...

class MV(Module):
    """y = M v: M is transposed first if `trans`.

    Shape: [(m, n), (n)] -> (m), or with a batch in front of both.
    """
    def __init__(self, trans: bool = False) -> None: ...

class MaskedSelect(Module):
    """y = x[mask != 0]: the elements of x where mask is not 0, row by row.

    Shape: [x, mask], with as many elements -> (count,). The output's size depends on the mask's values: without
    `size` it works only outside of jit; with `size` it has that many elements, cut or filled with zeros.
    """
    def __init__(self, size: int | None = None) -> None: ...

class Max(Module):
    """y = max_i x_i: the maximum over a dimension; the gradient goes to the first maximum.

    Shape: (n, p, q) -> (n, q) for dimension 2; a vector gives one element. An input of nInputDims + 1 dimensions
    is a batch, and a positive dimension is counted after it.
    """
    def __init__(self, dimension: int = 1, nInputDims: int | None = None) -> None: ...

class Min(Module):
    """y = min_i x_i: the minimum over a dimension; the gradient goes to the first minimum.

    Shape: as Max.
    """
    def __init__(self, dimension: int = 1, nInputDims: int | None = None) -> None: ...

class Minus(Module):
    """y = -x.

    Shape: any, kept.
    """
    def __init__(self) -> None: ...

class Mish(Module):
    """y = x * tanh(ln(1 + exp(x))).

    Shape: any, kept.
    """
    def __init__(self) -> None: ...

class MixtureTable(Module):
    """sum_i g_i e_i, example by example: experts mixed by a gater's weights.

    Shape: [gater (n) or (B, n), experts]: a table of n tensors, or one tensor with n slices in dimension `dim` (1 for
    a 1-D gater, 2 for a 2-D one) -> the shape of an expert; in a batch, dimension 1 of the experts is the batch.
    """
    def __init__(self, dim: int | None = None) -> None: ...

class Mul(Module):
    """y = w * x with one learned number.

    Shape: any, kept.
    """
    def __init__(self) -> None: ...

class MulConstant(Module):
    """y = k * x.

    Shape: any, kept.  `inplace` is accepted and changes no value.
    """
    def __init__(self, constant_scalar: float, inplace: bool = False) -> None: ...

class MultiHeadAttention(Module):
    """head = SoftMax((Q K^T) / sqrt(size / heads)) V, with Q, K and V linear in the inputs; the heads are joined by a
    Linear.

    Shape: a sequence (T, size) or (B, T, size), kept: it attends to itself. Or a table [queries, keys, values], the
    last two of one length S, optionally followed by a mask: booleans (T, S) or (B, T, S), True where a query may
    look. With `causal`, no place looks at later ones. `p` is the share of the attention that is dropped in training.
    """
    def __init__(
        self, size: int, heads: int = 1, p: float = 0.0, causal: bool = False, bias: bool = True,
    ) -> None: ...

class NCEModule(_nce.NCEModule, Module):
    """P(w | x) = exp(W_w . x + b_w) / Z of each example's class and of k noise classes, for NCECriterion.

    Shape: [input (B, inputSize), target (B)], classes from 1 -> [P of the target (B), P of the noise (B, k), noise's
    own probability of the target (B), of the noise (B, k)]. Noise classes are drawn with probabilities in proportion
    to `unigrams` (outputSize), in whole multiples of 2^-32; with `batchnoise` all examples have the same k, otherwise
    each has its own.
    In evaluation with `normalized`: SoftMax(W x + b), or its logarithm with `logsoftmax`, (B, outputSize).
    """
    def __init__(
        self, inputSize: int, outputSize: int, k: int, unigrams: Numbers, Z: float = -1, batchnoise: bool = True,
        normalized: bool = False, logsoftmax: bool = False,
    ) -> None: ...

class Normalize(Module):
    """y = x / (sum_j |x_j|^p + eps)^(1/p) over the last dimension; x / (max_j |x_j| + eps) for p = inf.

    Shape: (n) or (B, n), kept.
    """
    def __init__(self, p: float, eps: float = 1e-10) -> None: ...

class OneHot(_special.OneHot, Module):
    """y_i = 1 where i = x, else 0: a 1 at the place given by an index (from 1), zeros elsewhere.

    Shape: indices of any shape s -> (*s, outputSize); no gradient.
    """
    def __init__(self, outputSize: int) -> None: ...

class PCAColorTransform(Module):
    """y = x + E (a * v) in training, image by image: eigenvectors in E's columns, eigenvalues v, normal numbers a.

    Shape: (C, H, W) or (B, C, H, W), kept; E is (C, C), v (C); a has mean 0 and std.
    """
    def __init__(
        self, inputChannels: int, eigenVectors: Numbers | None = None, eigenValues: Numbers | None = None, std: float
        = 0.1,
    ) -> None: ...

class PReLU(Module):
    """y = x where x > 0, else a * x with a learned a.

    Shape: any, kept; with nOutputPlane, a 1-D tensor of that size, or planes in dimension 2.
    """
    def __init__(self, nOutputPlane: int | None = None) -> None: ...
    def reset(self, stdv: float | None = None) -> Self: ...

class Padding(Module):
    """y_i = x_{i + pad} where i > -pad, else value: `value`, |pad| times along a dimension, before it for pad < 0,
    after it for pad > 0.

    Shape: the dimension's size grows by |pad|. With nInputDim, an input of another number of dimensions is a batch,
    and a positive dim is counted after it; 0 is the batch's.
    """
    def __init__(
        self, dim: int, pad: int, nInputDim: int | None = None, value: float = 0, index: int = 1,
    ) -> None: ...

class PairwiseDistance(Module):
    """||x1 - x2||_p, example by example; the gradient at distance 0 is 0.

    Shape: [(n), (n)] -> (1), or [(B, n), (B, n)] -> (B); the second may have other sizes, with as many elements.
    """
    def __init__(self, norm: float = 2) -> None: ...

class PartialLinear(Module):
    """y = x A_p^T + b_p, for the outputs that the partition p names (all of them at first).

    Shape: (B, inputSize) -> (B, outputs in the partition), in its order.
    """
    def __init__(
        self, inputSize: int, outputSize: int, bias: bool = True, partition: Numbers | None = None,
    ) -> None: ...
    def resetPartition(self) -> Self: ...
    def setPartition(self, indices: Numbers) -> Self: ...

class PixelShuffle(Module):
    """out[c][h r + i][w r + j] = in[c r^2 + i r + j][h][w]: channels become resolution.

    Shape: (C r^2, H, W) -> (C, H r, W r), or with a batch in front.
    """
    def __init__(self, upscaleFactor: int) -> None: ...

class Power(Module):
    """y = x^pow, NaN for x < 0 and a fractional power.

    Shape: any, kept.
    """
    def __init__(self, pow: float) -> None: ...

class PrintSize(Module):
    """y = x; prints the sizes of the input and, on the way back, of gradOutput, at every call, as Torch does.

    Shape: any, tables too.
    """
    def __init__(self, prefix: str = 'PrintSize') -> None: ...

class RReLU(Module):
    """y = x where x > 0, else a * x; a is drawn from [l, u) for each element in training, (l + u) / 2 in evaluation.

    Shape: any, kept.  `inplace` is accepted and changes no value.
    """
    def __init__(self, lower: float = 0.125, upper: float = 0.3333333333333333, inplace: bool = False) -> None: ...

class ReLU6(Module):
    """y = min(max(0, x), 6); the gradient passes where 0 < x < 6.

    Shape: any, kept.  `inplace` is accepted and changes no value.
    """
    def __init__(self, inplace: bool = False) -> None: ...

class Replicate(Module):
    """y[i, k, j] = x[i, j], for k from 1 to nFeatures along a new dimension `dim`; i are the indices before it, j
    those after it.

    Shape: (...) -> (..., nFeatures, ...). With ndim, an input of more dimensions is a batch, and dim counts after it.
    """
    def __init__(self, nFeatures: int, dim: int = 1, ndim: int | None = None) -> None: ...

class ReverseSequence(Module):
    """y_t = x_{T + 1 - t}: the sequence reversed.

    Shape: a table, or a tensor with time first, kept.
    """
    def __init__(self) -> None: ...

class SAdd(Module):
    """y = x + addend, or -(x + addend) with negate.

    Shape: any, kept.
    """
    def __init__(self, addend: float, negate: bool = False) -> None: ...

class SeqReverseSequence(Module):
    """y_t = x_{T + 1 - t}: the input reversed along `dim`, 1 to 3.

    Shape: any of at least dim dimensions, kept.
    """
    def __init__(self, dim: int) -> None: ...

class Shared(Module):
    """y = module(x), with tied parameters: each tie (owner, alias) makes the alias read the owner's array.

    Shape: as `module`.
    """
    def __init__(
        self, module: Module, ties: Sequence[Sequence[str | tuple[int | str, ...]]], tiedBuffers:
        Sequence[Sequence[str | tuple[int | str, ...]]] = (),
    ) -> None: ...

class SiLU(Module):
    """y = x / (1 + exp(-x)), which is also called Swish.

    Shape: any, kept.
    """
    def __init__(self) -> None: ...

class Sigmoid(Module):
    """y = 1 / (1 + exp(-x)).

    Shape: any, kept.
    """
    def __init__(self) -> None: ...

class SimpleColorTransform(Module):
    """y = x + u in training, with u uniform on +-range for each channel of each image.

    Shape: (C, H, W) or (B, C, H, W), kept; the range has a number for each channel.
    """
    def __init__(self, inputChannels: int, range: Numbers | None = None) -> None: ...

class SoftMax(Module):
    """y_i = exp(x_i - max x) / sum_j exp(x_j - max x).

    Shape: (n), (B, n), (C, H, W) over C, or (B, C, H, W) over C; kept.
    """
    def __init__(self) -> None: ...

class SoftMaxTree(_special.SoftMaxTree, Module):
    """y = log p(target | x): the sum, along the path from the root, of log softmax(W x + b) over each node's siblings.

    Shape: [x (B, inputSize), target (B)] -> (B). `hierarchy` is a table from parents to 1-D tensors of their
    children, a tree whose nodes are numbered from 1; targets are leaves (or nodes inside). Only nodes on the targets'
    paths are computed: O(B x depth x largest family). The mean of the negative output is the loss.
    """
    def __init__(
        self, inputSize: int, hierarchy: Numbers, rootId: int = -1, accUpdate: bool = False, static: bool = True,
        verbose: bool = False,
    ) -> None: ...

class SoftMin(Module):
    """y = SoftMax(-x).

    Shape: (n), (B, n), (C, H, W) over C, or (B, C, H, W) over C; kept.
    """
    def __init__(self) -> None: ...

class SoftPlus(Module):
    """y = log(1 + exp(beta x)) / beta; x itself where beta x > threshold.

    Shape: any, kept.
    """
    def __init__(self, beta: float = 1, threshold: float = 20) -> None: ...

class SoftShrink(Module):
    """y = x - lambda where x > lambda, x + lambda where x < -lambda, else 0.

    Shape: any, kept.
    """
    def __init__(self, lambda_: float = 0.5) -> None: ...

class SoftSign(Module):
    """y = x / (1 + |x|).

    Shape: any, kept.
    """
    def __init__(self) -> None: ...

class SparseLinear(_special.SparseLinear, Module):
    """y = A x + b for a sparse x, given as pairs (index from 1, value); repeated indices add up.

    Shape: (nnz, 2) -> (outputSize); a table of such tensors, or (B, nnz, 2) -> (B, outputSize).
    """
    def __init__(
        self, inputSize: int, outputSize: int, doGradInput: bool = False, weightDecay: float = 0,
    ) -> None: ...

class SpatialAveragePooling(Module):
    """y[i, j] = sum_{m < kH, n < kW} x[i dH + m - padH, j dW + n - padW] / (kH kW): Mean over kW x kH windows of each
    plane, every dW, dH pixels (1 by default); the padding is zeros.

    Shape: (C, H, W) or (B, C, H, W) -> op((size + 2 pad - k) / d) + 1 pixels, op being floor, or ceil after
    `ceil()`; with padding, none whose window begins beyond the image (without, it has NaN, as in Torch7). The padding
    counts as part of a window, unless `set_count_exclude_pad()` is called. With `divide` False, the mean is multiplied
    by kW * kH.
    """
    def __init__(
        self, kW: int, kH: int, dW: int = 1, dH: int = 1, padW: int = 0, padH: int = 0, ceil_mode: bool = False,
        count_include_pad: bool = True, divide: bool = True,
    ) -> None: ...
    def ceil(self) -> Self: ...
    def floor(self) -> Self: ...
    def setCountExcludePad(self) -> Self: ...
    def setCountIncludePad(self) -> Self: ...

class SpatialConvolutionLocal(_vision.SpatialConvolutionLocal, Module):
    """y[o, i, j] = b[o, i, j] + sum_{c, m, n} w[i, j, o, c, m, n] x[c, i dH + m - padH, j dW + n - padW]:
    SpatialConvolution with separate kernels and biases for every place in the output.

    Shape: (C, iH, iW) or (B, C, iH, iW) -> nOutputPlane planes of oh x ow, with o = floor((i + 2 pad - k) / d) + 1.
    """
    def __init__(
        self, nInputPlane: int, nOutputPlane: int, iW: int, iH: int, kW: int, kH: int, dW: int = 1, dH: int = 1, padW:
        int = 0, padH: int | None = None,
    ) -> None: ...

class SpatialConvolutionMap(_vision.SpatialConvolutionMap, Module):
    """y[o, i, j] = b_o + sum_{k, m, n} w[k, m, n] x[c_k, i dH + m, j dW + n], over the rows k of a connection table
    that name o: SpatialConvolution of those pairs (c_k, o) of planes only.

    Shape: (C, H, W) or (B, C, H, W) -> as many planes as the table's largest output, of floor((size - k) / d) + 1.
    The table has rows (input plane, output plane), counted from 1; `full`, `one_to_one` and `random` make some.
    """
    def __init__(self, connTable: Numbers, kW: int, kH: int, dW: int = 1, dH: int = 1) -> None: ...

class SpatialCrossMapLRN(Module):
    """y_f = x_f / (k + alpha / size * sum_l x_l^2)^beta, over the `size` planes l around f.

    Shape: (C, H, W) or (B, C, H, W), kept. Planes before the first and after the last count as zeros. With an even
    size, one more plane after f is used than before it, as in cuDNN and ONNX.
    """
    def __init__(self, size: int, alpha: float = 0.0001, beta: float = 0.75, k: float = 1) -> None: ...

class SpatialDepthWiseConvolution(_vision.SpatialDepthWiseConvolution, Module):
    """y[c, o, i, j] = b[o, c] + sum_{m, n} w[o, c, m, n] x[c, i dH + m - padH, j dW + n - padW]: nOutputPlane
    separate kernels for every input plane; planes are not mixed.

    Shape: (C, H, W) or (B, C, H, W) -> nInputPlane * nOutputPlane planes (those of the first input plane first) of
    floor((size + 2 pad - k) / d) + 1.
    """
    def __init__(
        self, nInputPlane: int, nOutputPlane: int, kW: int, kH: int, dW: int = 1, dH: int = 1, padW: int = 0, padH:
        int | None = None, *, bias: bool = True,
    ) -> None: ...

class SpatialDivisiveNormalization(Module):
    """y = x / s, with s^2 the kernel-weighted mean of the squares around it, over the kernel's mass squared.

    Shape: (C, H, W) or (B, C, H, W), kept. Kernels: as SpatialSubtractiveNormalization.
    """
    def __init__(
        self, nInputPlane: int = 1, kernel: Numbers | None = None, threshold: float | None = None, thresval: float |
        None = None,
    ) -> None: ...

class SpatialDropout(Module):
    """y = x * noise, one 0 or 1 for each feature map in training; y = (1 - p) x in evaluation.

    Shape: (C, H, W) or (B, C, H, W), kept; in evaluation any.  With `stochastic_inference` evaluation drops too.
    """
    def __init__(self, p: float = 0.5, stochastic_inference: bool = False) -> None: ...
    def setp(self, p: float) -> Self: ...

class SpatialFeatNormalization(Module):
    """y = (x - mean) / std, with a given mean and standard deviation (1 by default) for each channel.

    Shape: (C, H, W) or (B, C, H, W), kept; mean and std have C numbers.
    """
    def __init__(self, mean: Numbers, std: Numbers | None = None) -> None: ...

class SpatialNormalization(Module):
    """y = c / s: c is x less the mean around it, s the root of the weighted sum of c^2 over the kernel's mass.

    Shape: (C, H, W) or (B, C, H, W), kept. Kernels: as SpatialSubtractiveNormalization, or a row and a column, which
    stand for their product.
    """
    def __init__(
        self, nInputPlane: int = 1, kernel: Numbers | None = None, threshold: float | None = None,
    ) -> None: ...

class SpatialReSamplingEx(Module):
    """y[i, j] = x[floor(i / ceil(H' / H)), floor(j / ceil(W' / W))]: images brought to H' x W' pixels, larger by
    repeated pixels; smaller by every floor(H / H')-th row and floor(W / W')-th column ("simple"), or by means over as
    many ("average"); or both by interpolation as SpatialReSampling's ("bilinear").

    Shape: any, in which dimensions yDim and xDim, the next one, become oheight and owidth; where a size is not given,
    the ratio rheight or rwidth times the input's, rounded. The first argument may be a table with these names.
    """
    def __init__(
        self, rwidth: float | dict[str, float | str] | None = None, rheight: float | None = None, owidth: int | None =
        None, oheight: int | None = None, mode: str = 'simple', yDim: int = 2, xDim: int = 3,
    ) -> None: ...

class SpatialReflectionPadding(Module):
    """y[i, j] = x[r_H(i - pad_t), r_W(j - pad_l)]; r_n(i) = min(|i|, 2 (n - 1) - |i|): the planes mirrored at their
    borders, which are not repeated; negative widths cut off.

    Shape: (C, H, W) or (B, C, H, W) -> height + pad_t + pad_b, width + pad_l + pad_r.
    """
    def __init__(
        self, pad_l: int, pad_r: int | None = None, pad_t: int | None = None, pad_b: int | None = None,
    ) -> None: ...

class SpatialRegionDropout(Module):
    """y = x * noise, in training: 0 on a share p of the image at its top, bottom, left or right, 1 / (1 - p) on the
    rest.

    Shape: (C, H, W) or (B, C, H, W), kept.
    """
    def __init__(self, p: float = 0.2) -> None: ...
    def setp(self, p: float) -> Self: ...

class SpatialReplicationPadding(Module):
    """y[i, j] = x[min(max(i - pad_t, 0), H - 1), min(max(j - pad_l, 0), W - 1)]: the planes' border values, repeated
    outwards; negative widths cut off.

    Shape: (C, H, W) or (B, C, H, W) -> height + pad_t + pad_b, width + pad_l + pad_r.
    """
    def __init__(
        self, pad_l: int, pad_r: int | None = None, pad_t: int | None = None, pad_b: int | None = None,
    ) -> None: ...

class SpatialSubSampling(Module):
    """y = w s + b, with s the sum over each kW x kH window, plane by plane.

    Shape: (nInputPlane, H, W) or with a batch in front -> floor((size - k) / d) + 1 pixels.
    """
    def __init__(self, nInputPlane: int, kW: int, kH: int, dW: int = 1, dH: int = 1) -> None: ...

class SpatialSubtractiveNormalization(Module):
    """y = x - mean(x): the kernel-weighted mean of its surroundings in all planes; near the border, of the part inside.

    Shape: (C, H, W) or (B, C, H, W), kept. The kernel (9 x 9 ones by default) has odd sizes; a 1-D one is used in both
    directions.
    """
    def __init__(self, nInputPlane: int = 1, kernel: Numbers | None = None) -> None: ...

class SpatialUniformCrop(Module):
    """y[i, j] = x[r + i, c + j]: a random crop of each image in training, all places (r, c) equally likely; the central
    one in evaluation.

    Shape: (C, H, W) or (B, C, H, W) -> (..., oheight, owidth); owidth is oheight by default.
    """
    def __init__(self, oheight: int, owidth: int | None = None, scale: tuple[float, float] | None = None) -> None: ...

class SpatialUpSampling(Module):
    """y[i, j] = x[floor(i / dH), floor(j / dW)]: every pixel repeated in a block of dH x dW.

    Shape: any, in which dimension yDim becomes dH times, and xDim, the next one, dW times as large. The first
    argument may be a table with these names.
    """
    def __init__(
        self, dW: int | dict[str, int] | None = None, dH: int | None = None, yDim: int = 2, xDim: int = 3,
    ) -> None: ...

class SpatialUpSamplingBilinear(Module):
    """y[i, j] = sum_{p, q} max(0, 1 - |r_i - p|) max(0, 1 - |c_j - q|) x[p, q]; r_i = i (H - 1) / (H' - 1);
    c_j = j (W - 1) / (W' - 1): bilinear interpolation of H x W pixels to H' x W', corners aligned.

    Shape: (C, H, W) or (B, C, H, W) -> (..., H scale, W scale), or the sizes in {"oheight": ..., "owidth": ...}.
    """
    def __init__(self, scale: int | tuple[int, ...] | list[int]) -> None: ...

class SpatialUpSamplingNearest(Module):
    """y[i, j] = x[floor(i / scale), floor(j / scale)]: every pixel repeated in a block of scale_factor x scale_factor.

    Shape: (C, H, W) or (B, C, H, W) -> (..., H scale_factor, W scale_factor).
    """
    def __init__(self, scale_factor: int) -> None: ...

class SpatialZeroPadding(Module):
    """y[i, j] = x[i - pad_t, j - pad_l] where 0 <= i - pad_t < H and 0 <= j - pad_l < W, else 0: zeros around each
    plane; negative widths cut off.

    Shape: (C, H, W) or (B, C, H, W) -> height + pad_t + pad_b, width + pad_l + pad_r.
    """
    def __init__(
        self, pad_l: int, pad_r: int | None = None, pad_t: int | None = None, pad_b: int | None = None,
    ) -> None: ...

class Sqrt(Module):
    """y = sqrt(x), NaN below 0; the derivative at 0 is 0.

    Shape: any, kept.  `eps` is accepted and unused, as in Torch7.
    """
    def __init__(self, eps: float = 0) -> None: ...

class Square(Module):
    """y = x^2.

    Shape: any, kept.
    """
    def __init__(self) -> None: ...

class StepGRU(Module):
    """[x, h] -> h': one step of SeqGRU.

    Shape: x (B, inputsize), h (B, outputsize) -> h' (B, outputsize). After `mask_zero()` rows of x that are zero
    give zeros.
    """
    def __init__(self, inputsize: int, outputsize: int, *, maskzero: bool | str = False) -> None: ...
    def maskZero(self, looks: bool = True) -> Self: ...

class StepLSTM(Module):
    """[x, h, c] -> [h', c']: one step of SeqLSTM, or, with an outputsize, of SeqLSTMP.

    Shape: x (B, inputsize), h (B, outputsize), c (B, hiddensize) -> h' and c' of the same sizes; without
    outputsize h has hiddensize. After `mask_zero()` rows of x that are zero give zeros.
    """
    def __init__(
        self, inputsize: int, hiddensize: int, outputsize: int | None = None, *, maskzero: bool | str = False,
    ) -> None: ...
    def maskZero(self, looks: bool = True) -> Self: ...

class Sum(Module):
    """y = sum_i x_i: the sum over a dimension, divided by its size if sizeAverage.

    Shape: as Max; without `squeeze` the dimension stays, with size 1.
    """
    def __init__(
        self, dimension: int = 1, nInputDims: int | None = None, sizeAverage: bool = False, squeeze: bool = True,
    ) -> None: ...

class Tanh(Module):
    """y = tanh(x).

    Shape: any, kept.
    """
    def __init__(self) -> None: ...

class TanhShrink(Module):
    """y = x - tanh(x).

    Shape: any, kept.
    """
    def __init__(self) -> None: ...

class TemporalDynamicKMaxPooling(Module):
    """k = max(minK, ceil(factor T)): the k largest values of each feature over time, in their order.

    Shape: (T, F) -> (k, F), or (B, T, F) -> (B, k, F).
    """
    def __init__(self, minK: int, factor: float = 0) -> None: ...

class TemporalRowConvolution(Module):
    """y_t[i] = sum_k w_ik x_(d (t - 1) + k)[i] + b_i: each feature convolved with its own kernel over time.

    Shape: (T, F) or (B, T, F) -> floor((T - kW) / dW) + 1 frames; with featFirst, (F, T) or (B, F, T).
    """
    def __init__(
        self, inputFrameSize: int, kW: int, dW: int = 1, featFirst: bool = False, bias: bool = True,
    ) -> None: ...
    def noBias(self) -> Self: ...

class TemporalSubSampling(Module):
    """y_t[i] = w_i sum_k x_(d (t - 1) + k)[i] + b_i.

    Shape: (T, inputFrameSize) -> floor((T - kW) / dW) + 1 frames.
    """
    def __init__(self, inputFrameSize: int, kW: int, dW: int = 1) -> None: ...

class Threshold(Module):
    """y = x where x > threshold, else value; the gradient passes where x > threshold.

    Shape: any, kept.  `inplace` is accepted and changes no value.
    """
    def __init__(self, threshold: float = 1e-06, val: float = 0, inplace: bool = False) -> None: ...
    def validateParameters(self) -> None: ...

class TotalDropout(Module):
    """y = x * noise, one 0 (with probability p) or 1 for the whole input, in training; y = x in evaluation.

    Shape: any, kept.
    """
    def __init__(self, p: float = 0.5) -> None: ...
    def setp(self, p: float) -> Self: ...

class UpSampling(Module):
    """y[i, j] = x[floor(i / scale), floor(j / scale)]: images or volumes made larger, every element repeated
    ("nearest"), or interpolated as by SpatialUpSamplingBilinear ("linear").

    Shape: (B, C, H, W) or (B, C, T, H, W) -> sizes times the scale, or those in {"oheight": ..., "owidth": ...}, with
    "odepth" for volumes; corners are aligned. "bilinear" and "trilinear" mean "linear".
    """
    def __init__(self, scale: int | tuple[int, ...] | list[int], mode: str = 'nearest') -> None: ...

class VolumetricReplicationPadding(Module):
    """y[t, i, j] = x[r_T(t - pfront), r_H(i - ptop), r_W(j - pleft)]; r_n(i) = min(max(i, 0), n - 1): the volumes'
    border values, repeated outwards; negative widths cut off.

    Shape: (C, T, H, W) or (B, C, T, H, W) -> T + pfront + pback, H + ptop + pbottom, W + pleft + pright.
    """
    def __init__(
        self, pleft: int, pright: int | None = None, ptop: int | None = None, pbottom: int | None = None, pfront: int
        | None = None, pback: int | None = None,
    ) -> None: ...

class WhiteNoise(Module):
    """y = x + noise from Normal(mean, std) in training, x + mean in evaluation.

    Shape: any, kept.
    """
    def __init__(self, mean: float = 0, std: float = 0.1) -> None: ...

class ZeroGrad(Module):
    """y = x, but no gradient passes.

    Shape: any, tables too.
    """
    def __init__(self) -> None: ...

class BiSequencerLM(_bidirectional.BiSequencerLM, Container):
    """y_t = merge([fwd_{t - 1}, bwd_{t + 1}]): merge([fwd up to the step before, bwd from the step after]), for each
    step: what surrounds it.

    Shape: a table of T >= 2 inputs, or (T, B, ...) -> the same kind. fwd sees all but the last input, bwd all but the
    first; the missing steps at either end are zeros. `merge` as in BiSequencer.
    """
    def __init__(self, fwd: Module, bwd: Module | None = None, merge: Module | int | None = None) -> None: ...

class Clamp(HardTanh):
    """y = max(min_val, min(x, max_val)): x kept between two limits; the gradient passes strictly between.

    Shape: any, kept.
    """
    def __init__(self, min_val: float = -1, max_val: float = 1, inplace: bool = False) -> None: ...

class Concat(Container):
    """y = join(m_1(x), ..., m_n(x)): every module gets the same input; their outputs are joined along `dimension`.

    Shape: any -> the outputs, which agree in all dimensions but `dimension` (the batch's counts, too).
    """
    def __init__(self, dimension: int, *modules: Module) -> None: ...

class ConcatTable(Container):
    """y = [m_1(x), ..., m_n(x)]: every module gets the same input (a tensor or a table); the output is the table of
    their outputs.

    Shape: any -> [output of module 1, ...].
    """
    def __init__(self, *modules: Module | Callable | Sequence[Module | Callable]) -> None: ...

class CriterionTable(_criterion_modules._Computing, Module):
    """l = criterion(x, y): the input is the table [x, y]; the gradient goes to x.

    Shape: [input, target] -> scalar.
    """
    def __init__(self, criterion: Criterion) -> None: ...

class Decorator(_decorators.Decorator, Container):
    """y = module(x): the module inside, unchanged; subclasses add something."""
    def __init__(self, module: Module) -> None: ...

class Dictionary(LookupTable):
    """Deprecated: it cannot be made; LookupTable does the same.

    Shape: none.
    """
    def __init__(self, dictSize: int, embeddingSize: int, accUpdate: bool = False) -> None: ...

class Embedding(LookupTable):
    """y_j = weight[x_j]: row i of a learned matrix, for every index i of an input of any shape: LookupTable under its
    current name.

    Shape: indices (...), from 1 to nIndex -> (..., nOutput).
    """
    def __init__(
        self, nIndex: int, nOutput: int, paddingValue: int = 0, maxNorm: float | None = None, normType: float | None =
        None, scaleByFrequency: bool = False,
    ) -> None: ...

class FlattenTable(_passing.FlattenTable, Module):
    """[x1, [x2, [x3]], ...] -> [x1, x2, x3, ...]: the tensors of a nested table, depth first, as one flat table.

    Shape: [x1, [x2, [x3]], ...] -> [x1, x2, x3, ...].
    """
    def __init__(self) -> None: ...

class Identity(_passing.Passing, Module):
    """y = x.

    Shape: any, tables too.
    """
    def __init__(self) -> None: ...

class JustElement(_passing.Passing, Module):
    """[x] -> x.

    Shape: a table of one -> its entry.
    """
    def __init__(self) -> None: ...

class JustTable(_passing.Passing, Module):
    """x -> [x].

    Shape: any -> a table of one.
    """
    def __init__(self) -> None: ...

class LinearNoBias(Linear):
    """y = x A^T.

    Shape: (..., inputSize) -> (..., outputSize).
    """
    def __init__(
        self, inputSize: int, outputSize: int, bias: bool = False, *, wRegularizer: L1L2Regularizer | None = None,
        bRegularizer: L1L2Regularizer | None = None, initWeight: Numbers | None = None, initBias: Numbers | None =
        None, initGradWeight: Numbers | None = None, initGradBias: Numbers | None = None,
    ) -> None: ...

class LookupTableMaskZero(LookupTable):
    """y_j = weight[x_j + 1] where x_j > 0, else 0: LookupTable that also takes the index 0, which gives zeros.

    Shape: indices (n) or (B, n), from 0 to nIndex -> (n, nOutput) or (B, n, nOutput).
    """
    def __init__(self, nIndex: int, nOutput: int) -> None: ...

class MapTable(_special.MapTable, Container):
    """y = [m(x_1), ..., m(x_n)]: the same module for every entry of a table.

    Shape: [x1, x2, ...] -> [f(x1), f(x2), ...].
    """
    def __init__(
        self, module: Module | None = None, shared: bool | list[str] | tuple[str, ...] | None = True,
    ) -> None: ...

class Mean(Sum):
    """y = sum_i x_i / n: the mean over a dimension.

    Shape: as Max.
    """
    def __init__(self, dimension: int = 1, nInputDims: int | None = None) -> None: ...

class ModuleFromCriterion(_criterion_modules._Computing, Module):
    """[prediction, target] -> (criterion(prediction, target)); the gradient goes to the prediction.

    Shape: the criterion's arguments, as a table -> (1).
    """
    def __init__(self, criterion: Criterion) -> None: ...

class Narrow(_passing.Rearranging, Module):
    """y_i = x_{offset + i - 1}: `length` slices of a dimension, from slice `offset`.

    Shape: the dimension's size becomes length. A negative length counts from the end (-1: up to the last); with a
    negative offset the slice starts at 1 and has size - length elements.
    """
    def __init__(self, dimension: int, offset: int, length: int = 1) -> None: ...

class NarrowTable(_passing.Passing, Module):
    """[x_1, ..., x_n] -> [x_offset, ..., x_{offset + length - 1}]: `length` entries of a table, from entry `offset`;
    none if the length is negative, and fewer if the table ends before.

    Shape: [x1, ..., xn] -> [x_offset, ...]. A tensor of two dimensions or more is the table of its rows, as in Torch.
    """
    def __init__(self, offset: int, length: int = 1) -> None: ...

class Parallel(Container):
    """y = join(m_1(x_1), ..., m_n(x_n)): module i gets slice i of the input along `inputDimension`; the outputs are
    joined along `outputDimension`.

    Shape: at most as many slices as modules -> the joined outputs; modules without a slice are not run.
    """
    def __init__(
        self, inputDimension: int | None = None, outputDimension: int | None = None, *modules: Module,
    ) -> None: ...

class ParallelTable(Container):
    """y = [m_1(x_1), ..., m_n(x_n)]: module i gets entry i of the input table; the output is the table of their
    outputs.

    Shape: a table with at least one entry per module -> [output of module 1, ...]; further entries are ignored. A
    tensor with one row per module is the table of its rows, as in Torch.
    """
    def __init__(self, *modules: Module | Callable | Sequence[Module | Callable]) -> None: ...

class RMSNorm(LayerNorm):
    """y = x / sqrt(mean(x^2) + eps) * weight, over the last dimensions: those of `size`.

    Shape: (..., *size), kept; `size` is a number or several.
    """
    def __init__(self, size: int | Sequence[int], eps: float = 1e-06, affine: bool = True) -> None: ...

class ReLU(Threshold):
    """y = max(0, x); the gradient at 0 is 0.

    Shape: any, kept.  `inplace` is accepted and changes no value.
    """
    def __init__(self, inplace: bool = False) -> None: ...

class ReinforceBernoulli(Reinforce):
    """P(y = 1) = p: the input has these probabilities; evaluation gives p.

    Shape: probabilities of any shape, kept; gradient -reward * (x - p) / (p (1 - p)).
    """
    def __init__(self, stochastic: bool = False) -> None: ...

class ReinforceCategorical(Reinforce):
    """P(i) = p_i: a one-hot row with its 1 at i with probability p_i (the input); evaluation gives p.

    Shape: probabilities (n) or (B, n), kept; gradient -reward * x / (p + 1e-8). Rows need not sum to 1 to be drawn
    from, but the gradient is that of rows that do, as in Torch.
    """
    def __init__(self, stochastic: bool = False) -> None: ...

class ReinforceGamma(Reinforce):
    """P(x) = x^(k - 1) e^(-x / scale) / (Gamma(k) scale^k): the Gamma distribution with shape k (the input) and scale;
    evaluation gives the mean, k * scale.

    Shape: k of any shape, kept; or the table [k, scale] (needed without the argument). scale is a number, or shaped
    as k, or as one example of it. Gradients: -reward * (log x - digamma(k) - log scale) of k and
    -reward * (x / scale^2 - k / scale) of the scale.
    """
    def __init__(self, scale: float | Numbers | None = None, stochastic: bool = False) -> None: ...

class ReinforceNormal(Reinforce):
    """x = mean + stdev * z, with z normally distributed; evaluation gives the mean.

    Shape: a mean of any shape, kept; or the table [mean, stdev] (needed without the argument). stdev is a number, or
    shaped as the mean, or as one example of it. Gradients: -reward * (x - mean) / s^2 of the mean and
    -reward * ((x - mean)^2 - s^2) / (s^3 + 1e-8) of the stdev.
    """
    def __init__(self, stdev: float | Numbers | None = None, stochastic: bool = False) -> None: ...

class Reshape(_passing.Rearranging, Module):
    """vec(y) = vec(x): the input's elements, row by row, as `sizes`, of which one may be -1: the remaining size.

    Shape: with batch_mode True, (B, ...) -> (B, *sizes); with False, any -> sizes; with None (the default)
    sizes if the element counts agree and the first dimension is not 1, else as True. With a size of -1 the counts
    never agree, so that the first dimension is a batch unless batch_mode is False.
    """
    def __init__(self, *sizes: int | Iterable[int], batch_mode: bool | None = None) -> None: ...

class ReverseTable(_passing.Passing, Module):
    """[x1, ..., xn] -> [xn, ..., x1].

    Shape: a table, kept.
    """
    def __init__(self) -> None: ...

class Select(_passing.Rearranging, Module):
    """y = x_{index}: one slice of a dimension, which disappears; both may count backwards from -1.

    Shape: (..., n, ...) -> (..., ...).
    """
    def __init__(self, dimension: int, index: int) -> None: ...

class SelectTable(_passing.Passing, Module):
    """y = x_{index}: one entry of a table: a tensor or a table. Numbers count from 1, or from -1 backwards; a dict has
    keys.

    Shape: [..., x, ...] -> x. A tensor of two dimensions or more is the table of its rows, as in Torch.
    """
    def __init__(self, index: int | str) -> None: ...
    copies_gradient: Any

class SeqBRNN(Container):
    """merge([lstm(x), reverse(lstm'(reverse(x)))]) of two SeqLSTMs; by default their sum.

    Shape: x (T, B, input_size) -> (T, B, output_size), or (B, T, ...) with batch_first; `merge` may change the last.
    """
    def __init__(
        self, inputSize: int, outputSize: int, batchFirst: bool = False, merge: Module | None = None,
    ) -> None: ...
    forwardModule: Any
    backwardModule: Any
    merge: Any

class SpatialAdaptiveAveragePooling(_vision.Emptied, Module):
    """y[i, j] = mean_{p, q} x[p, q] where floor(i H / h) <= p < ceil((i + 1) H / h)
    and floor(j W / w) <= q < ceil((j + 1) W / w): the mean over each of h x w regions, which cover the image.

    Shape: (C, H, W) or (B, C, H, W) -> (C, h, w) or (B, C, h, w). The width comes first.
    """
    def __init__(self, W: int, H: int) -> None: ...

class SpatialAdaptiveMaxPooling(_vision.Emptied, Module):
    """y[i, j] = max_{p, q} x[p, q] where floor(i H / h) <= p < ceil((i + 1) H / h)
    and floor(j W / w) <= q < ceil((j + 1) W / w): the maximum over each of h x w regions, which cover the image.

    Shape: (C, H, W) or (B, C, H, W) -> (C, h, w) or (B, C, h, w). The width comes first. The gradient goes to each
    region's first maximum.
    """
    def __init__(self, W: int, H: int) -> None: ...

class SpatialBatchNormalization(BatchNormalization):
    """y = (x - mean) / sqrt(var + eps) * weight + bias: BatchNormalization of each feature map, over batch and pixels.

    Shape: (B, nOutput, H, W), kept; in evaluation also (nOutput, H, W), which gives a batch of one.
    """
    def __init__(self, nOutput: int, eps: float = 1e-05, momentum: float = 0.1, affine: bool = True) -> None: ...

class SpatialContrastiveNormalization(SpatialDivisiveNormalization):
    """y = divisive(subtractive(x)): SpatialSubtractiveNormalization, then SpatialDivisiveNormalization, with the same
    kernel.

    Shape: (C, H, W) or (B, C, H, W), kept.
    """
    def __init__(
        self, nInputPlane: int = 1, kernel: Numbers | None = None, threshold: float | None = None, thresval: float |
        None = None,
    ) -> None: ...

class SpatialConvolution(_vision.Convolution, Module):
    """y[o, i, j] = b_o + sum_{c, m, n} w[o, c, m, n] x[c, i dH + m - padH, j dW + n - padW]: cross-correlation of
    images with learned kernels, plus a bias per output plane.

    Shape: (C, H, W) or (B, C, H, W) -> nOutputPlane planes of floor((size + 2 pad - k) / d) + 1.
    Arguments come width first (kW, kH, dW, dH, padW, padH), padH is padW unless given; sizes in pixels. With `groups`,
    output planes see only their own group of input planes (nInputPlane groups: one plane each, "depthwise").
    """
    def __init__(
        self, nInputPlane: int, nOutputPlane: int, kW: int, kH: int, dW: int = 1, dH: int = 1, padW: int = 0, padH:
        int | None = None, *, bias: bool = True, groups: int = 1,
    ) -> None: ...
    def noBias(self) -> Self: ...

class SpatialFractionalMaxPooling(_vision.Emptied, Module):
    """y[i, j] = max_{m < kH, n < kW} x[r_i + m, c_j + n]: maximum over overlapping kW x kH windows; their places r_i,
    c_j, about evenly spread, are drawn for each plane.

    Shape: (C, H, W) or (B, C, H, W) -> (..., outH, outW), or floor(size * ratio) for numbers below 1. With u uniform
    and a = (size - k) / (out - 1), window i begins at int((i + u) a) - int(u a), and the last one at size - k.
    """
    def __init__(self, kW: int, kH: int, outW: float, outH: float, fixed: bool = False) -> None: ...
    def fixPoolingRegions(self, val: bool = True) -> Self: ...

class SpatialFullConvolutionMap(SpatialConvolutionMap):
    """y[o, p, q] = b_o + sum_{k, i, j} w[k, p - i dH, q - j dW] x[c_k, i, j], over the rows k of a connection table
    that name o: SpatialFullConvolution of those pairs (c_k, o) of planes only.

    Shape: (C, H, W), or (B, C, H, W) -> as many planes as the table's largest output, of (size - 1) d + k.
    """
    def __init__(self, connTable: Numbers, kW: int, kH: int, dW: int = 1, dH: int = 1) -> None: ...

class SpatialGlimpse(_vision.Glimpse, Module):
    """y_d = reduce(patch(x, place, size scale^d)): patches around a place in the image, each `scale` times larger than
    the one before, all reduced to one size.

    Shape: [(C, H, W), (2)] or [(B, C, H, W), (B, 2)] -> depth * C planes of `size`, a number or (height, width). Places
    are (y, x) from (-1, -1), top left, to (1, 1), bottom right; they get no gradient.
    """
    def __init__(
        self, size: int | tuple[int, int], depth: int = 3, scale: float = 2, resampled: bool | None = None,
    ) -> None: ...

class SpatialLogSoftMax(LogSoftMax):
    """y[c, i, j] = x[c, i, j] - log sum_k exp(x[k, i, j]): LogSoftMax over the features at each location.

    Shape: (n), (B, n), (C, H, W) over C, or (B, C, H, W) over C; kept.
    """
    def __init__(self) -> None: ...

class SpatialMaxPooling(_vision.Emptied, Module):
    """y[i, j] = max_{m < kH, n < kW} x[i dH + m - padH, j dW + n - padW]: maximum over kW x kH windows of each plane,
    every dW, dH pixels; padding counts as -inf.

    Shape: (C, H, W) or (B, C, H, W) -> op((size + 2 pad - k) / d) + 1 pixels, op being floor, or ceil after
    `ceil()`; with padding, none whose window begins beyond the image (without, it has the type's least number, as in
    Torch7). The gradient goes to each window's first maximum.
    """
    def __init__(
        self, kW: int, kH: int, dW: int | None = None, dH: int | None = None, padW: int = 0, padH: int = 0, *, record:
        Record | None = None, ceil_mode: bool = False,
    ) -> None: ...
    def ceil(self) -> Self: ...
    def floor(self) -> Self: ...

class SpatialReSampling(_vision.ReSampling, Module):
    """y[i, j] = sum_{p, q} max(0, 1 - |r_i - p|) max(0, 1 - |c_j - q|) x[p, q]; r_i = i (H - 1) / (H' - 1);
    c_j = j (W - 1) / (W' - 1): bilinear interpolation of H x W pixels to H' x W', corners aligned, by sizes or ratios.

    Shape: (C, H, W) or (B, C, H, W) -> (..., oheight, owidth); where a size is not given, floor(rheight H) or
    floor(rwidth W). The first argument may be a table with these names.
    """
    def __init__(
        self, rwidth: float | dict[str, float] | None = None, rheight: float | None = None, owidth: int | None = None,
        oheight: int | None = None,
    ) -> None: ...

class SpatialSoftMax(SoftMax):
    """y[c, i, j] = exp(x[c, i, j]) / sum_k exp(x[k, i, j]): SoftMax over the features at each location.

    Shape: (n), (B, n), (C, H, W) over C, or (B, C, H, W) over C; kept.
    """
    def __init__(self) -> None: ...

class SplitTable(_passing.Rearranging, Module):
    """x -> [x_1, ..., x_n]: the table of a tensor's slices along a dimension, which disappears.

    Shape: (..., n, ...) -> n tensors (..., ...). An input of nInputDims + 1 dimensions is a batch, and a positive
    dimension is counted after it; 0 is the batch's.
    """
    def __init__(self, dimension: int, nInputDims: int | None = None) -> None: ...

class Squeeze(_passing.Rearranging, Module):
    """y[i, j] = x[i, 1, j]: the input without dimension `dim` if its size is 1, or without all dimensions of size 1.

    Shape: any. With numInputDims, an input of one more dimension is a batch, whose dimension stays, and after which a
    positive dim counts.
    """
    def __init__(self, dim: int | None = None, numInputDims: int | None = None) -> None: ...
    def setNumInputDims(self, num_input_dims: int) -> Self: ...

class TemporalConvolution(_vision.Convolution, Module):
    """y_t = sum_k W_k x_(d (t - 1) + k) + b: a convolution over time.

    Shape: (T, inputFrameSize) or (B, T, inputFrameSize) -> floor((T - kW) / dW) + 1 frames of outputFrameSize.
    """
    def __init__(self, inputFrameSize: int, outputFrameSize: int, kW: int, dW: int = 1) -> None: ...

class TemporalMaxPooling(_vision.Emptied, Module):
    """y_t = max_{k < kW} x_{t dW + k}: maximum of each feature over windows of kW frames, every dW (kW by default).

    Shape: (T, F) or (B, T, F) -> floor((T - kW) / dW) + 1 frames. The gradient goes to each window's first maximum.
    """
    def __init__(self, kW: int, dW: int | None = None) -> None: ...

class Transpose(_passing.Rearranging, Module):
    """y[..., j, ..., i, ...] = x[..., i, ..., j, ...]: the input with pairs of dimensions exchanged, one pair after the
    other.

    Shape: any of enough dimensions. After `set_num_input_dims(n)` the pairs count within the last n dimensions.
    """
    def __init__(self, *permutations: Sequence[int]) -> None: ...
    def setNumInputDims(self, num_input_dims: int) -> Self: ...

class Unsqueeze(_passing.Rearranging, Module):
    """y[i, 1, j] = x[i, j]: the input with a new dimension of size 1 at `pos`.

    Shape: (...) -> (..., 1, ...). With numInputDims, dimensions before the last numInputDims are batches, and pos
    counts after them (0 is before the last of these); without it, all of the input's dimensions are one example.
    """
    def __init__(self, pos: int, numInputDims: int | None = None) -> None: ...
    def setNumInputDims(self, num_input_dims: int) -> Self: ...

class View(_passing.Rearranging, Module):
    """vec(y) = vec(x): the input's elements, row by row, as `sizes`, of which one may be -1; the remaining factor
    becomes a leading batch.

    Shape: any -> sizes, or (batch, *sizes). `set_num_input_dims(n)` says that only the last n dimensions are one
    example, so that all before them are the batch.
    """
    def __init__(self, *sizes: int | Iterable[int]) -> None: ...
    def resetSize(self, *sizes: int | Iterable[int]) -> Self: ...
    def setNumInputDims(self, num_input_dims: int) -> Self: ...

class VolumetricAveragePooling(_vision.Emptied, Module):
    """y[t, i, j] = sum_{l < kT, m < kH, n < kW} x[t dT + l, i dH + m, j dW + n] / (kT kH kW): mean over kT x kH x kW
    windows of each plane. Arguments come in the order t, w, h.

    Shape: (C, T, H, W) or (B, C, T, H, W) -> floor((size - k) / d) + 1 elements.
    """
    def __init__(
        self, kT: int, kW: int, kH: int, dT: int | None = None, dW: int | None = None, dH: int | None = None,
    ) -> None: ...

class VolumetricBatchNormalization(BatchNormalization):
    """y = (x - mean) / sqrt(var + eps) * weight + bias: BatchNormalization of each feature map, over batch, time and
    pixels.

    Shape: (B, nOutput, T, H, W), kept; in evaluation also (nOutput, T, H, W), which gives a batch of one.
    """
    def __init__(self, nOutput: int, eps: float = 1e-05, momentum: float = 0.1, affine: bool = True) -> None: ...

class VolumetricConvolution(_vision.Convolution, Module):
    """y[o, t, i, j] = b_o + sum_{c, l, m, n} w[o, c, l, m, n] x[c, t dT + l - padT, i dH + m - padH, j dW + n - padW]:
    cross-correlation of volumes (or videos) with learned kernels, plus a bias per output plane.

    Shape: (C, T, H, W) or (B, C, T, H, W) -> nOutputPlane planes of floor((size + 2 pad - k) / d) + 1. Arguments come
    in the order t, w, h; padW is padT and padH is padW unless given. `groups`: as SpatialConvolution's.
    """
    def __init__(
        self, nInputPlane: int, nOutputPlane: int, kT: int, kW: int, kH: int, dT: int = 1, dW: int = 1, dH: int = 1,
        padT: int = 0, padW: int | None = None, padH: int | None = None, *, bias: bool = True, groups: int = 1,
    ) -> None: ...
    def noBias(self) -> Self: ...

class VolumetricDropout(SpatialDropout):
    """y = x * noise, one 0 or 1 for each feature map in training; y = (1 - p) x in evaluation.

    Shape: (C, T, H, W) or (B, C, T, H, W), kept.  Else as SpatialDropout.
    """
    def __init__(self, p: float = 0.5, stochastic_inference: bool = False) -> None: ...

class VolumetricFractionalMaxPooling(_vision.Emptied, Module):
    """y[i, j, t] = max_{m < kH, n < kW, l < kT} x[r_i + m, c_j + n, s_t + l]: SpatialFractionalMaxPooling of volumes,
    whose time axis comes *last*. Arguments come in the order t, w, h.

    Shape: (C, H, W, T) or (B, C, H, W, T) -> (..., outH, outW, outT).
    """
    def __init__(
        self, kT: int, kW: int, kH: int, outT: float, outW: float, outH: float, fixed: bool = False,
    ) -> None: ...
    def fixPoolingRegions(self, val: bool = True) -> Self: ...

class VolumetricMaxPooling(_vision.Emptied, Module):
    """y[t, i, j] = max_{l < kT, m < kH, n < kW} x[t dT + l - padT, i dH + m - padH, j dW + n - padW]: maximum over kT x
    kH x kW windows of each plane; padding counts as -inf. Arguments come in the order t, w, h.

    Shape: (C, T, H, W) or (B, C, T, H, W) -> op((size + 2 pad - k) / d) + 1 elements, as SpatialMaxPooling.
    """
    def __init__(
        self, kT: int, kW: int, kH: int, dT: int | None = None, dW: int | None = None, dH: int | None = None, padT:
        int = 0, padW: int = 0, padH: int = 0, *, record: Record | None = None, ceil_mode: bool = False,
    ) -> None: ...
    def ceil(self) -> Self: ...
    def floor(self) -> Self: ...

class WeightedEuclidean(Euclidean):
    """y_j = ||c_j (w_j - x)||, element by element; the gradient at distance 0 is 0.

    Shape: (inputSize) or (B, inputSize) -> (outputSize) or (B, outputSize).
    """
    def __init__(self, inputSize: int, outputSize: int) -> None: ...

class ZipTable(_passing.Passing, Module):
    """[[a1, a2], [b1, b2], ...] -> [[a1, b1, ...], [a2, b2, ...]].

    Shape: tables -> as many tables as the longest has entries. Missing entries of shorter tables are left out at the
    end, and None before entries of longer ones.
    """
    def __init__(self) -> None: ...

class ZipTableOneToMany(_passing.Passing, Module):
    """[v, [a, b, ...]] -> [[v, a], [v, b], ...].

    Shape: an entry and a table -> a table of pairs.
    """
    def __init__(self) -> None: ...

class BiSequencer(_bidirectional.BiSequencer, Decorator):
    """merge([fwd(x), reverse(bwd(reverse(x)))]), step by step.

    Shape: a table of T inputs, or (T, B, ...) -> the same kind; by default the outputs are joined in their last
    dimension. `merge` is a module for pairs, or n, for JoinTable(1, n). Without bwd there is a second module like fwd.
    """
    def __init__(self, fwd: Module, bwd: Module | None = None, merge: Module | int | None = None) -> None: ...

class Bottle(Decorator):
    """y = split(module(merge(x))): a module for nInputDim dimensions accepts more; the leading ones are merged into
    the first of these.

    Shape: (p, q, r, ...) -> (p, q, r', ...), where the module maps (p q r, ...) to (p q r', ...), of nOutputDim
    dimensions.
    """
    def __init__(self, module: Module, nInputDim: int = 2, nOutputDim: int | None = None) -> None: ...

class DepthConcat(Concat):
    """y = join(pad(m_1(x)), ..., pad(m_n(x))): Concat that centres smaller outputs in zeros; every other dimension
    takes the largest size.

    Shape: any -> the outputs joined along `dimension`; with an odd difference, the smaller half of the zeros is before.
    """
    def __init__(self, dimension: int, *modules: Module) -> None: ...

class DontCast(_decorators.DontCast, Decorator):
    """y = module(x): the module inside, in a type of its own, which `type()` of the `legacy` interface leaves alone."""
    def __init__(
        self, module: Module, castin: bool = False, castout: bool | None = None, moduleType: str | None = None,
    ) -> None: ...

class FakeQuantized(_recurrent.Around, Module):
    """w' = scale round(w / scale): a layer that computes with rounded numbers, and learns as if they were exact:
    quantisation-aware training.

    Shape: that of the layer.
    """
    def __init__(self, module: Module, activations: str = 'float') -> None: ...

class FireModule(Decorator):
    """z = f(s(x)); y = f(join(e_1(z), e_3(z))): a 1x1 convolution s, then 1x1 and 3x3 convolutions side by side, f
    being a transfer function (SqueezeNet's block).

    Shape: (B, nInputPlane, H, W) -> (B, e1x1 + e3x3, H, W). `activation` is the name of a transfer function.
    """
    def __init__(self, nInputPlane: int, s1x1: int, e1x1: int, e3x3: int, activation: str = 'ReLU') -> None: ...
    squeeze: Any
    expand: Any

class Inception(Decorator):
    """y = join(m_1(x), ..., m_n(x)): columns of 1x1 convolutions before larger ones, a pooling, and a 1x1 convolution,
    joined by DepthConcat(2).

    Shape: (C, H, W) or (B, C, H, W) -> the planes of all columns, smaller ones centred in zeros.
    """
    def __init__(self, config: Mapping[str, Any]) -> None: ...

class LayerNormalization(Sequential):
    """y = gain * (x - mean(x)) / sqrt(mean((x - mean(x))^2) + eps / n_output) + bias, example by example.

    Shape: (n_output) or (B, n_output), kept.
    """
    def __init__(self, nOutput: int, bias: float = 0, eps: float = 1e-10, affine: bool = True) -> None: ...

class MaskZero(Decorator):
    """y_b = module(x)_b where x_b != 0, else 0: the module inside; examples whose first input tensor is all zeros give
    zeros, and get no gradient.

    Shape: as the module; the first tensor of the input has nInputDim dimensions, or one more for a batch. With
    nInputDim True (`v1`) it is a batch; with False (the default) `set_zero_mask` says which examples are masked.
    `maskinput` also sets them to zeros in the input; without `maskoutput` the output is left unchanged. After a number,
    the third argument is `silent`, which changes nothing.
    """
    def __init__(
        self, module: Module, nInputDim: int | bool = False, maskinput: bool = False, maskoutput: bool = True,
    ) -> None: ...

class Maxout(Sequential):
    """y = max_k (W_k x + b_k): the largest of maxout_number linear functions, output by output: Linear, View,
    [preprocess], Max.

    Shape: (input_size) or (B, input_size) -> (output_size) or (B, output_size).
    """
    def __init__(
        self, inputSize: int, outputSize: int, maxoutNumber: int, preprocess: Module | bool | None = None,
    ) -> None: ...

class NaN(_decorators.NaN, Decorator):
    """y = module(x): the module inside; raises an error as soon as its output or one of its gradients has a NaN in its
    sum.
    """
    def __init__(self, module: Module, id: int | None = None) -> None: ...

class Observed(_recurrent.Around, Module):
    """input_range' = max(input_range, max |x|): a Linear that notes the largest |input| so far, for static
    quantisation.

    Shape: that of the layer.
    """
    def __init__(self, module: Module) -> None: ...

class Profile(Decorator):
    """y = module(x): the module inside; prints the time that its forward and backward passes take, every print_interval
    passes.
    """
    def __init__(
        self, module: Module, print_interval: int = 100, name: str | None = None, number: int | None = None,
    ) -> None: ...
    numFwds: Any
    numBwds: Any
    summedFwdTime: Any
    summedBwdTime: Any

class Quantized(_recurrent.Around, Module):
    """q = round(weight / scale): a layer whose weights are these int8 numbers, with a scale for each output.

    Shape: that of the layer.
    """
    def __init__(self, module: Module, activations: str = 'float') -> None: ...

class RecurrentAttention(AbstractSequencer):
    """a_t = action(h_{t - 1}); h_t = rnn([x, a_t]), from h_0 of zeros, nStep times.

    Shape: an input (B, ...) -> a table of nStep tensors h_t (B, hiddenSize); with forwardActions, of pairs
    [h_t, action_t].
    """
    def __init__(self, rnn: Module, action: Module, nStep: int, hiddenSize: int | Iterable[int]) -> None: ...

class Remat(Decorator):
    """y = f(x): the module inside; only x is kept for backward, which computes the rest again."""
    def __init__(self, module: Module) -> None: ...

class Repeater(AbstractSequencer):
    """y_t = m(x), for t from 1 to n_step: a recurrent module applied to the same input; its state flows from step to
    step.

    Shape: an input of the module -> a table of n_step outputs.
    """
    def __init__(self, module: Module, nStep: int) -> None: ...

class ReverseUnreverse(Decorator):
    """y = reverse(sequencer(reverse(x))): a sequencer that goes from the end to the start."""
    def __init__(self, sequencer: Module) -> None: ...
    def getModule(self) -> Module: ...

class Sequencer(AbstractSequencer):
    """y_t = m(x_t): applies a module to every element of a sequence, left to right; recurrent state flows from step to
    step.

    Shape: (T, B, ...) -> (T, B, ...), or a table of T inputs -> a table of T outputs. The inputs of a table may differ
    in shape if the module's state permits it; then it runs step by step.
    """
    def __init__(self, module: Module) -> None: ...

class Serial(_decorators.Serial, Decorator):
    """y = module(x): the module inside; in `legacy` it says how that is saved (heavySerial, mediumSerial, lightSerial,
    tensortype).
    """
    def __init__(self, module: Module, tensortype: str | None = None) -> None: ...

class SoftMaxForest(Decorator):
    """sum_t g_t(x) SoftMaxTree_t(x, target): trees mixed by the softmax of a network that sees only x.

    Shape: [x (B, input_size), target (B)] -> (B). The gater is Linear and `gater_act` (Tanh) for every size in
    `gater_size`, then Linear and SoftMax over the trees.
    """
    def __init__(
        self, inputSize: int, trees: list | tuple, rootIds: list | tuple, gaterSize: list | tuple = (), gaterAct:
        Module | None = None, accUpdate: bool = False,
    ) -> None: ...

class SpatialBinaryConvolution(_vision.SpatialBinaryConvolution, SpatialConvolution):
    """y[o, i, j] = a_o sum_{c, m, n} sign(w[o, c, m, n]) x[c, i dH + m - padH, j dW + n - padW], with a_o the mean of
    |w| in output plane o: SpatialConvolution with the signs of its weights (1 at 0), times their mean size.

    Shape: (C, H, W) or (B, C, H, W), as SpatialConvolution.
    """
    def __init__(
        self, nInputPlane: int, nOutputPlane: int, kW: int, kH: int, dW: int = 1, dH: int = 1, padW: int = 0, padH:
        int | None = None, bias: bool = False,
    ) -> None: ...

class SpatialConvolutionMM(SpatialConvolution):
    """y[o, i, j] = b_o + sum_{c, m, n} w[o, (c kH + m) kW + n] x[c, i dH + m - padH, j dW + n - padW]:
    SpatialConvolution, with its weight stored as a matrix.

    Shape: (C, H, W) or (B, C, H, W), as SpatialConvolution.
    """
    def __init__(
        self, nInputPlane: int, nOutputPlane: int, kW: int, kH: int, dW: int = 1, dH: int = 1, padW: int = 0, padH:
        int | None = None, *, bias: bool = True, groups: int = 1,
    ) -> None: ...

class SpatialDilatedConvolution(SpatialConvolution):
    """y[o, i, j] = b_o + sum_{c, m, n} w[o, c, m, n] x[c, i dH + m dilationH - padH, j dW + n dilationW - padW]:
    SpatialConvolution with dilation - 1 pixels left out between the elements of a kernel.

    Shape: (C, H, W) or (B, C, H, W) -> nOutputPlane planes of floor((size + 2 pad - dilation (k - 1) - 1) / d) + 1.
    """
    def __init__(
        self, nInputPlane: int, nOutputPlane: int, kW: int, kH: int, dW: int = 1, dH: int = 1, padW: int = 0, padH:
        int | None = None, dilationW: int = 1, dilationH: int = 1, *, bias: bool = True, groups: int = 1,
    ) -> None: ...

class SpatialDilatedMaxPooling(SpatialMaxPooling):
    """y[i, j] = max_{m < kH, n < kW} x[i dH + m dilationH - padH, j dW + n dilationW - padW]: SpatialMaxPooling with
    dilation - 1 pixels left out between those of a window.

    Shape: (C, H, W) or (B, C, H, W) -> op((size + 2 pad - dilation (k - 1) - 1) / d) + 1 pixels.
    """
    def __init__(
        self, kW: int, kH: int, dW: int | None = None, dH: int | None = None, padW: int = 0, padH: int = 0, dilationW:
        int = 1, dilationH: int = 1, *, record: Record | None = None, ceil_mode: bool = False,
    ) -> None: ...

class SpatialFullConvolution(_vision.FullConvolution, Module):
    """y[o, p, q] = b_o + sum_{c, i, j} w[c, o, p + padH - i dH, q + padW - j dW] x[c, i, j]: transposed convolution of
    images, plus a bias per output plane.

    Shape: (C, H, W) or (B, C, H, W) -> nOutputPlane planes of (size - 1) d - 2 pad + k + adj. A table [input, other]
    takes adj such that the output is as large as `other`, whose gradient is zero.
    """
    def __init__(
        self, nInputPlane: int, nOutputPlane: int, kW: int, kH: int, dW: int = 1, dH: int = 1, padW: int = 0, padH:
        int = 0, adjW: int = 0, adjH: int = 0, bias: bool = True,
    ) -> None: ...
    def noBias(self) -> Self: ...

class SpatialLPPooling(Sequential):
    """y = (sum x^p)^(1 / p), over kw x kh windows of each plane, every dw, dh pixels; no absolute values.

    Shape: (C, H, W) or (B, C, H, W) -> floor((size - k) / d) + 1 pixels; without a stride, windows are adjacent.
    Where a sum is 0 the gradient is 0, and with p < 1 where x is 0.
    """
    def __init__(
        self, nInputPlane: int, pnorm: float, kW: int, kH: int, dW: int | None = None, dH: int | None = None,
    ) -> None: ...

class SpatialMaxUnpooling(_vision.Unpooling, Module):
    """y[indices_k] = x_k: puts each value at the place that its pooling recorded, zeros elsewhere.

    Shape: [values, indices] (..., h, w), as `pooling` gives and exposes them -> (..., H, W); a third entry with the
    pooled sizes determines these, if they are not a multiple of the kernel. In `legacy` the values alone are enough.
    """
    def __init__(self, pooling: Module) -> None: ...

class VariableLength(Decorator):
    """y_i = m(x_i): a module of whole sequences, for a table of sequences x_i of different lengths.

    Shape: a table of (T_i, ...) -> a table of (T_i, ...); with lastOnly the last steps, (number of sequences, ...).
    The lengths are part of the shapes, so that it works under jit; each set of lengths is compiled anew.
    """
    def __init__(self, module: Module, lastOnly: bool = False) -> None: ...

class VolumetricDilatedConvolution(VolumetricConvolution):
    """y[o, t, i, j] = b_o + sum_{c, l, m, n} w[o, c, l, m, n] x[c, t dT + l dilationT - padT,
    i dH + m dilationH - padH, j dW + n dilationW - padW]: VolumetricConvolution with dilation - 1 elements left out
    between those of a kernel.

    Shape: (C, T, H, W) or (B, C, T, H, W) -> planes of floor((size + 2 pad - dilation (k - 1) - 1) / d) + 1.
    """
    def __init__(
        self, nInputPlane: int, nOutputPlane: int, kT: int, kW: int, kH: int, dT: int = 1, dW: int = 1, dH: int = 1,
        padT: int = 0, padW: int | None = None, padH: int | None = None, dilationT: int = 1, dilationW: int = 1,
        dilationH: int = 1, *, bias: bool = True, groups: int = 1,
    ) -> None: ...

class VolumetricDilatedMaxPooling(VolumetricMaxPooling):
    """y[t, i, j] = max_{l < kT, m < kH, n < kW} x[t dT + l dilationT - padT, i dH + m dilationH - padH,
    j dW + n dilationW - padW]: VolumetricMaxPooling with dilation - 1 elements left out between those of a window.

    Shape: (C, T, H, W) or (B, C, T, H, W) -> op((size + 2 pad - dilation (k - 1) - 1) / d) + 1 elements.
    """
    def __init__(
        self, kT: int, kW: int, kH: int, dT: int | None = None, dW: int | None = None, dH: int | None = None, padT:
        int = 0, padW: int = 0, padH: int = 0, dilationT: int = 1, dilationW: int = 1, dilationH: int = 1, *, record:
        Record | None = None, ceil_mode: bool = False,
    ) -> None: ...

class VolumetricFullConvolution(_vision.FullConvolution, Module):
    """y[o, u, p, q] = b_o + sum_{c, t, i, j} w[c, o, u + padT - t dT, p + padH - i dH, q + padW - j dW] x[c, t, i, j]:
    transposed convolution of volumes, plus a bias per output plane.

    Shape: (C, T, H, W) or (B, C, T, H, W) -> planes of (size - 1) d - 2 pad + k + adj; tables as for
    SpatialFullConvolution.
    """
    def __init__(
        self, nInputPlane: int, nOutputPlane: int, kT: int, kW: int, kH: int, dT: int = 1, dW: int = 1, dH: int = 1,
        padT: int = 0, padW: int = 0, padH: int = 0, adjT: int = 0, adjW: int = 0, adjH: int = 0, bias: bool = True,
    ) -> None: ...
    def noBias(self) -> Self: ...

class VolumetricMaxUnpooling(_vision.Unpooling, Module):
    """y[indices_k] = x_k: puts each value at the place that its pooling recorded, zeros elsewhere.

    Shape: [values, indices] (..., t, h, w), as `pooling` gives and exposes them -> (..., T, H, W), as
    SpatialMaxUnpooling.
    """
    def __init__(self, pooling: Module) -> None: ...

class WeightNorm(_decorators.WeightNorm, Decorator):
    """weight = g v / sqrt(||v||^2 + 1e-4): the weight of the module inside, output by output.

    Shape: that of the module.
    """
    def __init__(self, module: Module, outputDim: int = 1) -> None: ...

class AbsCriterion(Criterion):
    """sum_i |x_i - y_i|, divided by the number of elements if sizeAverage; the derivative at 0 is 1.

    Shape: input and target of one element count, in any shape -> scalar.
    """
    def __init__(self, sizeAverage: bool = True) -> None: ...

class BCECriterion(Criterion):
    """-sum_i w_i (y_i log x_i + (1 - y_i) log(1 - x_i)), divided by the count if sizeAverage.

    Shape: probabilities and targets (0, 1, or between) of one element count -> scalar; weights (n,) count for each
    element, if there are n, or for each column of a batch. Logarithms are taken of at least 1e-12.
    """
    def __init__(self, weights: Numbers | None = None, sizeAverage: bool = True) -> None: ...

class BinaryLogisticRegression(Criterion):
    """sum_i log(1 + exp(-y_i x_i)), divided by the count if sizeAverage; y is 1 or -1.

    Shape: (B) or (B, 1), and a target of as many elements -> scalar. Stable for all x.
    """
    def __init__(self, sizeAverage: bool = True) -> None: ...

class CTCCriterion(_criterions.CTCCriterion, Criterion):
    """l = -sum_b log p(y_b | x_b): p is the sum over all ways to say the labels y by one class a step, softmax of x.

    Shape: scores (T, B, C), or (B, T, C) with `batchFirst`, or (T B, C) -> scalar.
    """
    def __init__(self, batchFirst: bool = False) -> None: ...

class ClassSimplexCriterion(_criterions.ClassSimplexCriterion, Criterion):
    """sum_i (x_i - v_ti)^2, divided by the number of elements if sizeAverage: MSECriterion between the input and the
    vertex v_t of its class in a regular simplex.

    Shape: (nClasses) with one class, or (B, nClasses) with classes (B) -> scalar; the mean over all elements if
    sizeAverage. The vertices are unit vectors in nClasses - 1 dimensions, with a last element 0.
    """
    def __init__(self, nClasses: int, sizeAverage: bool = True) -> None: ...

class CosineEmbeddingCriterion(Criterion):
    """l = 1 - cos(x1, x2) where y = 1, else max(0, cos(x1, x2) - margin): y is 1 or -1; the mean of a batch if
    sizeAverage.

    Shape: [x1, x2], (n) each with a number, or (B, n) each with (B) -> scalar. Where a loss is 0, so is its gradient.
    """
    def __init__(self, margin: float = 0, sizeAverage: bool = True) -> None: ...

class CrossEntropyCriterion(_criterions.CrossEntropyCriterion, Criterion):
    """l = w[t] (log sum_j exp x_j - x_t): LogSoftMax, then ClassNLLCriterion; a batch is averaged by the sum of w[t].

    Shape: scores (n) with one class, or (B, n) with classes (B,) -> scalar; dimensions of size 1 are squeezed
    from both first. Classes count from 1.
    """
    def __init__(self, weights: Numbers | None = None, sizeAverage: bool = True, ignoreIndex: int = -100) -> None: ...

class DistKLDivCriterion(Criterion):
    """sum_i y_i (log y_i - x_i) over the y_i > 0, divided by the number of all elements if sizeAverage.

    Shape: log-probabilities and probabilities of one shape -> scalar.
    """
    def __init__(self, sizeAverage: bool = True) -> None: ...

class DistanceRatioCriterion(Criterion):
    """sum_i -log(e^-s_i / (e^-s_i + e^-d_i)), the distances s of pairs that are alike, d of others; by the batch size.

    Shape: [s, d], (B) each; there is no target -> scalar. Stable for all distances.
    """
    def __init__(self, sizeAverage: bool = True) -> None: ...

class HingeEmbeddingCriterion(Criterion):
    """sum_i of x_i where y_i = 1, max(0, margin - x_i) where y_i = -1; divided by the count if sizeAverage.

    Shape: any, with a target of that many elements, or one number -> scalar. At the margin the gradient passes.
    """
    def __init__(self, margin: float = 1, sizeAverage: bool = True) -> None: ...

class L1Cost(Criterion):
    """sum_i |x_i|; there is no target, and no mean. The derivative at 0 is 0.

    Shape: any -> scalar.
    """
    def __init__(self) -> None: ...

class L1HingeEmbeddingCriterion(Criterion):
    """||x1 - x2||_1 if y = 1, max(0, margin - ||x1 - x2||_1) if y = -1. Where x1 = x2 the gradient is 0.

    Shape: [x1, x2] of one shape, a pair as a whole, and one number -> scalar.
    """
    def __init__(self, margin: float = 1) -> None: ...

class MSECriterion(Criterion):
    """sum_i (x_i - y_i)^2, divided by the number of elements if sizeAverage.

    Shape: input and target of one element count, in any shape -> scalar.
    """
    def __init__(self, sizeAverage: bool = True) -> None: ...

class MarginCriterion(Criterion):
    """sum_i max(0, margin - y_i x_i), divided by the count if sizeAverage; y is 1 or -1.

    Shape: input and target of one element count, in any shape -> scalar. At the margin the gradient is 0.
    """
    def __init__(self, margin: float = 1, sizeAverage: bool = True) -> None: ...

class MarginRankingCriterion(Criterion):
    """sum_i max(0, margin - y_i (x1_i - x2_i)), divided by the targets' first size if sizeAverage.

    Shape: [x1, x2], (1) each with a number, or (B) or (B, n) each with a target of that shape -> scalar. At the kink
    the gradient passes.
    """
    def __init__(self, margin: float = 1, sizeAverage: bool = True) -> None: ...

class MaskZeroCriterion(Criterion):
    """l = criterion(x, y), over the examples whose first input tensor is not all zeros; 0 if there are none.

    Shape: inputs whose first tensor is a batch of tensors of nInputDim dimensions, and targets -> scalar. With
    nInputDim True (`v1`) examples have any dimensions; with False (the default) `criterion(x, y, zero_mask)` gets the
    masked ones: (B), true or 1; False masks none. A given mask always decides.
    Averages are over the remaining examples; the criterion has to be a sum, a mean, or a mean weighted by class, of
    the examples' losses. The modules of a ModuleCriterion run on all examples.
    """
    def __init__(self, criterion: Criterion, nInputDim: int | bool | str = False) -> None: ...

class MultiCriterion(_criterions.MultiCriterion, Criterion):
    """sum_k weight_k * criterion_k(x, y): all get the same input and target.

    Shape: the criterions' arguments -> scalar; 0 without criterions.
    """
    def __init__(self, criterions: tuple[Criterion, ...] = (), weights: tuple[float, ...] = ()) -> None: ...

class MultiLabelMarginCriterion(Criterion):
    """l = sum_{j, i} max(0, 1 - x[j] + x[i]) / n, over targets j and other classes i: the mean of this over a batch if
    sizeAverage.

    Shape: scores (n) or (B, n), and as many class numbers, of which those before the first 0 are the targets -> scalar.
    """
    def __init__(self, sizeAverage: bool = True) -> None: ...

class MultiLabelSoftMarginCriterion(Criterion):
    """-sum_i w_i (y_i log s(x_i) + (1 - y_i) log(1 - s(x_i))) with the sigmoid s; by the count if sizeAverage.

    Shape: scores and targets (0, 1, or between) of one element count -> scalar; weights (n,) as BCECriterion's. Stable
    for all x.
    """
    def __init__(self, weights: Numbers | None = None, sizeAverage: bool = True) -> None: ...

class MultiMarginCriterion(Criterion):
    """l = sum_{i != t} w[t] max(0, margin - x[t] + x[i])^p / n: the mean of this over a batch if sizeAverage.

    Shape: scores (n) with one class (the first of those given), or (B, n) with classes (B) -> scalar. p is 1 or 2;
    weights (n,).
    """
    def __init__(
        self, p: int = 1, weights: Numbers | None = None, margin: float = 1, sizeAverage: bool = True,
    ) -> None: ...

class NCECriterion(Criterion):
    """-sum(log(Pmt / (Pmt + k Pnt + e))) - sum(log(k Pns / (Pms + k Pns + e))), e = 1e-7, over B if sizeAverage.

    Shape: NCEModule's output [Pmt (B), Pms (B, k), Pnt (B), Pns (B, k)]: probabilities by the model and by the noise,
    of targets and of noise samples -> scalar. The criterion's target is not used; it may be None.
    The noise's probabilities get no gradient. As in Torch7, e is also added to Pmt and Pms in the gradient.
    """
    def __init__(self, sizeAverage: bool = True) -> None: ...

class SeqBGRU(_bidirectional.BothWays, Decorator):
    """merge([gru(x), reverse(gru'(reverse(x)))]) of two SeqGRUs; by default their sum.

    Shape: x (T, B, input_size) -> (T, B, output_size); `merge` may change the last.
    """
    def __init__(self, inputSize: int, outputSize: int, merge: Module | None = None) -> None: ...

class SeqBLSTM(_bidirectional.BothWays, Decorator):
    """merge([lstm(x), reverse(lstm'(reverse(x)))]) of two SeqLSTMs, or SeqLSTMPs with output_size; the sum by default.

    Shape: x (T, B, input_size) -> (T, B, hidden_size), or (T, B, output_size) if there is one; `merge` may change it.
    `SeqBLSTM(input_size, hidden_size, merge)` does without output_size.
    """
    def __init__(
        self, inputSize: int, hiddenSize: int, outputSize: int | Module | None = None, merge: Module | None = None,
    ) -> None: ...

class SmoothL1Criterion(Criterion):
    """sum_i of d^2 / 2 where |d| < 1, else |d| - 1/2, with d = x_i - y_i; divided by the count if sizeAverage.

    Shape: input and target of one element count, in any shape -> scalar.
    """
    def __init__(self, sizeAverage: bool = True) -> None: ...

class SoftMarginCriterion(Criterion):
    """sum_i log(1 + exp(-y_i x_i)), divided by the count if sizeAverage; y is 1 or -1.

    Shape: input and target of one element count, in any shape -> scalar. Stable for all x. An argument is accepted and
    unused, as in Torch7.
    """
    def __init__(self, unused: object | None = None, sizeAverage: bool = True) -> None: ...

class SpatialAutoCropMSECriterion(Criterion):
    """sum_{c, i, j} (x[c, i, j] - y[c, p + i, q + j])^2, divided by the number of x's elements if sizeAverage:
    MSECriterion between images and the centre of larger target images.

    Shape: (C, h, w) or (B, C, h, w), and a target with H >= h and W >= w -> scalar; the crop begins at
    p = floor((H - h) / 2) and q = floor((W - w) / 2), from 0.
    """
    def __init__(self, sizeAverage: bool = True) -> None: ...

class SpatialBinaryLogisticRegression(Criterion):
    """sum_i log(1 + exp(-y_i x_i)) / (2 h w), divided by the batch size, too, if sizeAverage; y is 1 or -1.

    Shape: (B, 1, h, w) or (1, h, w), and a target of that shape -> scalar. Stable for all x.
    """
    def __init__(self, sizeAverage: bool = True) -> None: ...

class TreeNLLCriterion(Criterion):
    """l = -mean(x): the negative log-likelihood of SoftMaxTree's output, log-probabilities of the targets.

    Shape: (B) or (B, 1) -> scalar. The criterion's target is not used; it may be None.
    """
    def __init__(self) -> None: ...

class TrimZero(MaskZero):
    """y_b = module(x)_b where x_b != 0, else 0: MaskZero that leaves the examples of zeros out of the computation;
    cheaper if there are many. If the module draws numbers, they are computed, and then set to zeros.
    """
    def __init__(
        self, module: Module, nInputDim: int | bool = False, maskinput: bool = False, maskoutput: bool = True,
    ) -> None: ...

class WeightedMSECriterion(Criterion):
    """l = sum_i (x_i - w_i y_i)^2 / n: MSECriterion between x and w * y: the weight scales the target.

    Shape: as MSECriterion; w has the target's shape, or that of one example of a batch.
    """
    def __init__(self, weight: Numbers, sizeAverage: bool = True) -> None: ...

class BinaryClassReward(_criterions.VarianceReducedReward, Criterion):
    """l = -sum_i R_i / B; R_i = scale where round(x_i) = t_i, else 0: rewards a right answer, yes or no, by `scale`,
    less a learned baseline: VRClassReward for two classes.

    Shape: the table [probabilities of yes (B), baseline (B) or (B, 1)] and targets (B), 0 or 1 -> scalar: minus the
    mean reward (the sum, unless sizeAverage). The answer is yes above 0.5. Gradient and `advantage` are as
    VRClassReward's.
    """
    def __init__(self, scale: float = 1, criterion: Criterion = ..., sizeAverage: bool = True) -> None: ...

class ClassNLLCriterion(_criterions.ClassNLLCriterion, Criterion):
    """-sum_i w[t_i] * x[i, t_i], divided by sum_i w[t_i] if sizeAverage (w is 1 without weights).

    Shape: log-probabilities (n) with one class (the first of those given), or (B, n) with classes (B,) -> scalar.
    Classes count from 1; targets equal to ignoreIndex add nothing. If all are ignored, the loss is 0.
    """
    def __init__(self, weights: Numbers | None = None, sizeAverage: bool = True, ignoreIndex: int = -100) -> None: ...

class GRU(_recurrent.GRU, AbstractRecurrent):
    """One step of a GRU.

    Shape: (inputSize) or (B, inputSize) -> (outputSize) or (B, outputSize); one time step a call.
    """
    def __init__(
        self, inputSize: int, outputSize: int, rho: int = 9999, p: float = 0, mono: bool = False, *, masked: int | str
        | None = None, trims: bool = False,
    ) -> None: ...
    def maskZero(self, n_input_dim: int | bool = 1) -> Self: ...
    def trimZero(self, n_input_dim: int | bool = 1) -> Self: ...

class MuFuRu(AbstractRecurrent):
    """One step of a multi-function recurrent unit: the new state is a mixture of operations on old state and feature.

    Shape: (inputSize) or (B, inputSize) -> (outputSize) or (B, outputSize); one time step a call.
    """
    def __init__(
        self, inputSize: int, outputSize: int, ops: tuple[str, ...] | None = None, rho: int = 9999, *, masked: int |
        str | None = None, trims: bool = False,
    ) -> None: ...
    def maskZero(self, n_input_dim: int | bool = 1) -> Self: ...
    def trimZero(self, n_input_dim: int | bool = 1) -> Self: ...

class NormStabilizer(_recurrent.NormStabilizer, AbstractRecurrent):
    """y = x, with the penalty beta * mean_b (||x_t|| - ||x_{t-1}||)^2 at every training step but the first.

    Shape: (B, H), kept; one time step a call.
    """
    def __init__(self, beta: float = 1, *, masked: int | str | None = None, trims: bool = False) -> None: ...
    def maskZero(self, n_input_dim: int | bool = 1) -> Self: ...
    def trimZero(self, n_input_dim: int | bool = 1) -> Self: ...

class ParallelCriterion(MultiCriterion):
    """sum_k weight_k * criterion_k(x_k, y_k), or with repeatTarget criterion_k(x_k, y).

    Shape: a table of inputs, and one of targets -> scalar. Entries without a criterion count nothing. A tensor with as
    many rows as there are criterions is the table of its rows, as in Torch; so is a list of classes.
    Without an entry in the table of targets, a criterion gets None, which some do not look at (DistanceRatioCriterion).
    """
    def __init__(
        self, repeatTarget: bool = False, criterions: Iterable[Criterion] = (), weights: Iterable[float] = (),
    ) -> None: ...

class RecGRU(AbstractRecurrent):
    """One step of a GRU, with the weights of SeqGRU.

    Shape: (B, inputsize) -> (B, outputsize); one time step a call.
    """
    def __init__(self, inputsize: int, outputsize: int) -> None: ...
    def maskZero(self, n_input_dim: int | bool = 1) -> Self: ...
    def trimZero(self, n_input_dim: int | bool = 1) -> Self: ...

class RecLSTM(AbstractRecurrent):
    """One step of an LSTM without peepholes, with the weights of SeqLSTM; with an outputsize, of SeqLSTMP.

    Shape: (B, inputsize) -> (B, hiddensize), or (B, outputsize) if there is one; one time step a call.
    """
    def __init__(self, inputsize: int, hiddensize: int, outputsize: int | None = None) -> None: ...
    def maskZero(self, n_input_dim: int | bool = 1) -> Self: ...
    def trimZero(self, n_input_dim: int | bool = 1) -> Self: ...

class Recurrence(AbstractRecurrent):
    """output' = recurrent_module([x, output]), from zeros.

    Shape: an input whose first tensor has nInputDim dimensions, or a batch of these -> tensors of outputSize (a
    number, sizes, or nested tables of sizes for tables of tensors); one time step a call.
    """
    def __init__(
        self, recurrentModule: Module, outputSize: int | Iterable[int], nInputDim: int, rho: int = 9999,
    ) -> None: ...
    def maskZero(self, n_input_dim: int | bool = 1) -> Self: ...
    def trimZero(self, n_input_dim: int | bool = 1) -> Self: ...

class Recurrent(AbstractRecurrent):
    """h' = transfer(merge([input(x), feedback(h)])): a simple recurrent layer; at first transfer(start(input(x))).

    Shape: the input of `input` -> the output of `transfer`; one time step a call. `start` is a module, or sizes: then
    it is nn.Add, a learned vector.
    """
    def __init__(
        self, start: Module | int | Iterable[int], input: Module, feedback: Module, transfer: Module | None = None,
        rho: int = 99999, merge: Module | None = None,
    ) -> None: ...
    def maskZero(self, n_input_dim: int = 1) -> Self: ...
    def trimZero(self, n_input_dim: int = 1) -> Self: ...

class Recursor(AbstractRecurrent):
    """y_t = m(x_t): the module inside, as a step of a recurrence; recurrent modules inside it keep their own state."""
    def __init__(self, module: Module, rho: int = 9999999) -> None: ...
    def maskZero(self, n_input_dim: int | bool = 1) -> Self: ...
    def trimZero(self, n_input_dim: int | bool = 1) -> Self: ...

class RepeaterCriterion(AbstractSequencerCriterion):
    """sum_t criterion(x_t, y): one target for all steps.

    Shape: a table of T inputs, or a tensor with time first, and a target of one step -> scalar.
    """
    def __init__(self, criterion: Criterion, sizeAverage: bool = False) -> None: ...

class SeqGRU(_recurrent.SeqGRU, AbstractSequencer):
    """A whole layer of a GRU over a sequence.

    Shape: x (T, B, inputSize) -> (T, B, outputSize), or (B, T, ...) with batchfirst; also [h0, x] with an initial
    state (B, outputSize). With maskzero, rows of x that are zero give zeros, and their state starts anew.
    """
    def __init__(
        self, inputSize: int, outputSize: int, *, mode: str = 'neither', batchfirst: bool = False, maskzero: bool |
        str = False,
    ) -> None: ...

class SeqLSTM(_recurrent.SeqLSTM, AbstractSequencer):
    """A whole layer of an LSTM without peepholes: FastLSTM over a sequence.

    Shape: x (T, B, inputsize) -> (T, B, outputsize), or (B, T, ...) with batchfirst; also [h0, x] and [c0, h0, x]
    with initial states (B, outputsize). With maskzero, rows of x that are zero give zeros, and their state starts
    anew.
    """
    def __init__(
        self, inputsize: int, outputsize: int, *, mode: str = 'neither', batchfirst: bool = False, maskzero: bool |
        str = False,
    ) -> None: ...

class SequencerCriterion(AbstractSequencerCriterion):
    """sum_t criterion(x_t, y_t), divided by the number of steps if sizeAverage.

    Shape: tables of T inputs and targets, or tensors with time first -> scalar. Steps may differ in shape in a table.
    """
    def __init__(self, criterion: Criterion, sizeAverage: bool = False) -> None: ...

class SpatialClassNLLCriterion(_criterions.SpatialClassNLLCriterion, Criterion):
    """l = -sum w[t] x[t] / sum w[t]: ClassNLLCriterion of every pixel; a sum, undivided, unless sizeAverage.

    Shape: log-probabilities (B, n, H, W) with classes (B, H, W) -> scalar.
    """
    def __init__(self, weights: Numbers | None = None, sizeAverage: bool = True) -> None: ...

class VRClassReward(_criterions.VarianceReducedReward, Criterion):
    """l = -sum_i R_i / B; R_i = scale where argmax_c x_ic = t_i, else 0: rewards a right class by `scale`, less a
    learned baseline (variance reduction).

    Shape: the table [scores (B, C) or (C), baseline (B) or (B, 1)] and classes (B), from 1 -> scalar: minus the
    mean reward (the sum, unless sizeAverage). Its gradient is that of criterion(baseline, reward); the scores get
    none. `advantage` is for `reinforce_loss`: (scale * R - baseline) / B, with R = 1 where the highest score is
    the target's.
    """
    def __init__(self, scale: float = 1, criterion: Criterion = ..., sizeAverage: bool = True) -> None: ...

class FastLSTM(_recurrent.FastLSTM, AbstractRecurrent):
    """One step of an LSTM without peepholes, all gates in one product.

    Shape: (inputSize) or (B, inputSize) -> (outputSize) or (B, outputSize); one time step a call.
    """
    def __init__(
        self, inputSize: int, outputSize: int | None = None, rho: int = 9999, eps: float | None = None, momentum:
        float | None = None, affine: bool = True, p: float = 0, mono: bool = False, *, masked: int | str | None =
        None, trims: bool = False, bn: bool = False,
    ) -> None: ...
    def maskZero(self, n_input_dim: int | bool = 1) -> Self: ...
    def trimZero(self, n_input_dim: int | bool = 1) -> Self: ...

class LSTM(_recurrent.LSTM, AbstractRecurrent):
    """One step of an LSTM with diagonal peepholes.

    Shape: (inputSize) or (B, inputSize) -> (outputSize) or (B, outputSize); one time step a call.
    """
    def __init__(
        self, inputSize: int, outputSize: int | None = None, rho: int = 9999, cell2gate: bool = True, p: float = 0,
        mono: bool = False,
    ) -> None: ...
    def maskZero(self, n_input_dim: int | bool = 1) -> Self: ...
    def trimZero(self, n_input_dim: int | bool = 1) -> Self: ...

class LinearRNN(Recurrence):
    """h' = transfer(W [x, h] + b), from zeros; the transfer is a sigmoid by default.

    Shape: (inputSize) or (B, inputSize) -> (outputSize) or (B, outputSize); one time step a call.
    """
    def __init__(self, inputSize: int, outputSize: int, transfer: Module | None = None) -> None: ...

class LookupRNN(Recurrence):
    """h' = transfer(merge([row x of a learned matrix, W h + b])), from zeros; by default a sigmoid of the sum.

    Shape: indices (B) from 0 to nIndex -> (B, outputSize); one time step a call.
    """
    def __init__(
        self, nIndex: int, outputSize: int, transfer: Module | None = None, merge: Module | None = None,
    ) -> None: ...

class SeqLSTMP(SeqLSTM):
    """r' = (o tanh(c')) weightO: SeqLSTM whose output is projected; gates see r, and c has hiddensize.

    Shape: as SeqLSTM; c0 (B, hiddensize), h0 and outputs of outputsize.
    """
    def __init__(
        self, inputsize: int, hiddensize: int, outputsize: int, *, batchfirst: bool = False, maskzero: bool = False,
        mode: str = 'neither',
    ) -> None: ...
