"""How each layer is written with ONNX's operators. Inputs have a batch dimension first."""

import math
from collections.abc import Callable

import numpy as np

from ... import layers
from ...checks.errors import example_axis
from ...core.module import Module
from ...layers.transfer import class_axis
from ...layers.windows import Windows
from ...recurrent import SeqLSTM
from ...recurrent.cudnn import LAYERS
from . import recurrent
from .program import Call, Program, Value

Rule = Callable[[Program, Call, Value], Value]


def _operator(name: str, **attributes: Value) -> Rule:
    """One operator, with fixed attributes or the module's fields: alpha="negval"."""

    def rule(program: Program, call: Call, value: Value) -> Value:
        own = {
            key: float(getattr(call.module, field)) if isinstance(field, str) else field
            for key, field in attributes.items()
        }
        return program.add(name, value, **own)

    return rule


def _with_number(name: str, number: str) -> Rule:
    """An operator of x and a number from a field."""

    def rule(program: Program, call: Call, value: Value) -> Value:
        return program.add(name, value, program.constant(_like(call, getattr(call.module, number))))

    return rule


def _like(call: Call, number: object) -> Value:
    return np.asarray(number, call.given.dtype)


def _clipped(low: str | float, high: str | float) -> Rule:
    def rule(program: Program, call: Call, value: Value) -> Value:
        ends = (getattr(call.module, end) if isinstance(end, str) else end for end in (low, high))
        return program.add("Clip", value, *(program.constant(_like(call, end)) for end in ends))

    return rule


def _over_classes(name: str) -> Rule:
    def rule(program: Program, call: Call, value: Value) -> Value:
        return program.add(name, value, axis=class_axis(call.module, call.given))

    return rule


def _same(program: Program, call: Call, value: Value) -> Value:
    return value


def _dropout(program: Program, call: Call, value: Value) -> Value:
    return program.add("Mul", value, program.constant(_like(call, 1 - call.module.p))) if call.module.v1 else value


def _reshaped(program: Program, call: Call, value: Value) -> Value:
    return program.add("Reshape", value, program.integers(-1, *call.gives.shape[1:]))


def _linear(program: Program, call: Call, value: Value) -> Value:
    weight = program.constant(call.arrays["weight"], "weight")
    bias = [program.constant(call.arrays["bias"], "bias")] if "bias" in call.arrays else []
    if call.given.ndim == 2:
        return program.add("Gemm", value, weight, *bias, transB=1)
    product = program.add("MatMul", value, program.add("Transpose", weight, perm=[1, 0]))
    return program.add("Add", product, *bias) if bias else product


def _windows(module: Value, **others: str) -> dict[str, Value]:
    """The attributes of an operator with windows: sizes, steps, padding at both ends, and others by their letters."""
    sizes = {name: module.window(letter) for name, letter in {"kernel_shape": "k", "strides": "d", **others}.items()}
    return sizes | {"pads": 2 * module.window("pad")}


def _convolution(program: Program, call: Call, value: Value) -> Value:
    module = call.module
    weight = program.constant(module.kernels(call.arrays), "weight")
    bias = [program.constant(call.arrays["bias"], "bias")] if module.bias else []
    windows = _windows(module, dilations="dilation")
    return program.add("Conv", value, weight, *bias, **windows, group=module.groups)


def _transposed(program: Program, call: Call, value: Value) -> Value:
    arrays = [program.constant(call.arrays[name], name) for name in ("weight", "bias") if name in call.arrays]
    return program.add("ConvTranspose", value, *arrays, **_windows(call.module, output_padding="adj"))


def _max_pooling(program: Program, call: Call, value: Value) -> Value:
    windows = _windows(call.module, dilations="dilation")
    return program.add("MaxPool", value, **windows, ceil_mode=int(call.module.ceil_mode))


def _average_pooling(program: Program, call: Call, value: Value) -> Value:
    module = call.module
    counted = {name: int(getattr(module, name)) for name in ("ceil_mode", "count_include_pad")}
    mean = program.add("AveragePool", value, **_windows(module), **counted)
    area = math.prod(module.window("k"))
    return mean if module.divide else program.add("Mul", mean, program.constant(_like(call, area)))


def _normalized(program: Program, call: Call, value: Value) -> Value:
    ones, zeros = (np.full(call.module.n_output, number, call.given.dtype) for number in (1, 0))
    given = {"weight": ones, "bias": zeros, **call.arrays}
    arrays = [program.constant(given[name], name) for name in ("weight", "bias", "running_mean", "running_var")]
    return program.add("BatchNormalization", value, *arrays, epsilon=call.module.eps)


def _local_response(program: Program, call: Call, value: Value) -> Value:
    module = call.module
    numbers = {"alpha": module.alpha, "beta": module.beta, "bias": module.k}
    return program.add("LRN", value, size=module.size, **{name: float(number) for name, number in numbers.items()})


def _slopes(program: Program, call: Call, value: Value) -> Value:
    weight = call.arrays["weight"]
    return program.add("PRelu", value, program.constant(weight.reshape(-1, *[1] * (call.given.ndim - 2)), "weight"))


def _padded(program: Program, call: Call, value: Value) -> Value:
    before, behind = zip(*call.module.widths(), strict=True)
    mode = "constant" if isinstance(call.module, layers.SpatialZeroPadding) else call.module.mode
    return program.add("Pad", value, program.integers(0, 0, *before, 0, 0, *behind), mode=mode)


def _nearest(program: Program, call: Call, value: Value) -> Value:
    scales = program.constant(np.array([1, 1, *[call.module.scale_factor] * 2], np.float32))
    return program.add(
        "Resize", value, "", scales, mode="nearest", nearest_mode="floor", coordinate_transformation_mode="asymmetric"
    )


def _from_one(program: Program, value: Value, count: int) -> Value:
    """Indices from 0. Indices below 1 become larger than the last: ONNX would count them from the end."""
    whole = program.add("Cast", value, to=program.onnx.TensorProto.INT64)
    one, beyond = (program.constant(np.array(number, np.int64)) for number in (1, count))
    return program.add("Where", program.add("Less", whole, one), beyond, program.add("Sub", whole, one))


def _lookup(program: Program, call: Call, value: Value) -> Value:
    weight = call.arrays["weight"]
    return program.add("Gather", program.constant(weight, "weight"), _from_one(program, value, len(weight)))


def _one_hot(program: Program, call: Call, value: Value) -> Value:
    ends = program.constant(np.array([0, 1], call.gives.dtype))
    depth = program.constant(np.array(call.module.output_size, np.int64))
    return program.add("OneHot", _from_one(program, value, call.module.output_size), depth, ends)


def _folded(operator: str) -> Rule:
    """An operator of two arguments, applied to a whole table."""

    def rule(program: Program, call: Call, value: Value) -> Value:
        first, *others = value
        for other in others:
            first = program.add(operator, first, other)
        return first

    return rule


def _joined(program: Program, call: Call, value: Value) -> Value:
    along = example_axis(call.module, call.module.dimension, call.given[0].ndim, call.module.n_input_dims)
    return program.add("Concat", *value, axis=along)


def _slices(program: Program, call: Call, value: Value) -> Value:
    module = call.module
    along = example_axis(module, module.dimension, call.given.ndim, module.n_input_dims)
    indices = (program.constant(np.array(i, np.int64)) for i in range(len(call.gives)))
    return [program.add("Gather", value, index, axis=along) for index in indices]


def _selected(program: Program, call: Call, value: Value) -> Value:
    index = call.module.index
    return value[index - 1 if index > 0 else index]


RULES: dict[type, Rule] = {
    **dict.fromkeys((layers.Identity, layers.Contiguous, layers.ZeroGrad), _same),
    **dict.fromkeys(
        (layers.View, layers.Reshape, layers.Flatten, layers.Collapse, layers.Squeeze, layers.Unsqueeze), _reshaped
    ),
    **dict.fromkeys(
        (
            layers.SpatialConvolution,
            layers.SpatialConvolutionMM,
            layers.SpatialDilatedConvolution,
            layers.VolumetricConvolution,
            layers.VolumetricDilatedConvolution,
        ),
        _convolution,
    ),
    **dict.fromkeys((layers.SpatialFullConvolution, layers.VolumetricFullConvolution), _transposed),
    **dict.fromkeys(
        (layers.SpatialMaxPooling, layers.SpatialDilatedMaxPooling, layers.VolumetricMaxPooling), _max_pooling
    ),
    **dict.fromkeys(
        (layers.BatchNormalization, layers.SpatialBatchNormalization, layers.VolumetricBatchNormalization), _normalized
    ),
    **dict.fromkeys(
        (layers.SpatialZeroPadding, layers.SpatialReflectionPadding, layers.SpatialReplicationPadding), _padded
    ),
    **dict.fromkeys((layers.SpatialDropout, layers.VolumetricDropout), _with_number("Mul", "kept")),
    **dict.fromkeys((layers.SoftMax, layers.SpatialSoftMax), _over_classes("Softmax")),
    **dict.fromkeys((layers.LogSoftMax, layers.SpatialLogSoftMax), _over_classes("LogSoftmax")),
    **dict.fromkeys((layers.HardTanh, layers.Clamp), _clipped("min_val", "max_val")),
    layers.Dropout: _dropout,
    layers.Linear: _linear,
    layers.SpatialAveragePooling: _average_pooling,
    layers.SpatialAdaptiveAveragePooling: _operator("GlobalAveragePool"),
    layers.SpatialAdaptiveMaxPooling: _operator("GlobalMaxPool"),
    layers.SpatialCrossMapLRN: _local_response,
    layers.SpatialUpSamplingNearest: _nearest,
    layers.ReLU: _operator("Relu"),
    layers.ReLU6: _clipped(0, 6),
    layers.LeakyReLU: _operator("LeakyRelu", alpha="negval"),
    layers.PReLU: _slopes,
    layers.ELU: _operator("Elu", alpha="alpha"),
    layers.GELU: lambda program, call, value: program.add(
        "Gelu", value, approximate="tanh" if call.module.approximate else "none"
    ),
    layers.Mish: _operator("Mish"),
    layers.SiLU: lambda program, call, value: program.add("Mul", value, program.add("Sigmoid", value)),
    layers.Tanh: _operator("Tanh"),
    layers.Sigmoid: _operator("Sigmoid"),
    layers.SoftPlus: _operator("Softplus"),
    layers.SoftSign: _operator("Softsign"),
    layers.Abs: _operator("Abs"),
    layers.Exp: _operator("Exp"),
    layers.Log: _operator("Log"),
    layers.Square: lambda program, call, value: program.add("Mul", value, value),
    layers.WhiteNoise: _with_number("Add", "mean"),
    layers.MulConstant: _with_number("Mul", "constant_scalar"),
    layers.Power: _with_number("Pow", "pow"),
    layers.LookupTable: _lookup,
    layers.OneHot: _one_hot,
    layers.CAddTable: _folded("Add"),
    layers.CMulTable: _folded("Mul"),
    layers.CSubTable: _folded("Sub"),
    layers.CDivTable: _folded("Div"),
    layers.CMaxTable: _folded("Max"),
    layers.CMinTable: _folded("Min"),
    layers.JoinTable: _joined,
    layers.SplitTable: _slices,
    layers.SelectTable: _selected,
    SeqLSTM: recurrent.lstm,
    **dict.fromkeys(LAYERS, recurrent.in_a_row),
}
"""Rules by class; subclasses may compute something else."""


IMAGES = (
    layers.SpatialConvolution, layers.SpatialConvolutionMM, layers.SpatialDilatedConvolution,
    layers.SpatialFullConvolution, layers.SpatialMaxPooling, layers.SpatialDilatedMaxPooling,
    layers.SpatialAveragePooling, layers.SpatialBatchNormalization, layers.SpatialZeroPadding,
    layers.SpatialReflectionPadding, layers.SpatialReplicationPadding, layers.SpatialAdaptiveAveragePooling,
    layers.SpatialAdaptiveMaxPooling, layers.SpatialCrossMapLRN, layers.SpatialUpSamplingNearest,
)  # fmt: skip
VOLUMES = (
    layers.VolumetricConvolution, layers.VolumetricDilatedConvolution, layers.VolumetricFullConvolution,
    layers.VolumetricMaxPooling, layers.VolumetricBatchNormalization,
)  # fmt: skip
DIMENSIONS = {**dict.fromkeys(IMAGES, 4), **dict.fromkeys(VOLUMES, 5), **dict.fromkeys((SeqLSTM, *LAYERS), 3)}
"""The number of dimensions of the input: ONNX has no images without a batch. All other layers take any number."""


def _may_be_beyond(module: Module) -> bool:
    """Whether a pooling may have windows that begin outside of the image, which ONNX omits."""
    if not isinstance(module, Windows) or not getattr(module, "ceil_mode", False):
        return False
    kernel, stride, padding, dilation = module.geometry()
    extents = (far * (k - 1) + 1 for k, far in zip(kernel, dilation, strict=True))
    return not any(padding) and any(d > extent for d, extent in zip(stride, extents, strict=True))


def refusal(module: Module) -> str | None:
    """Why a layer cannot be written; None if it can."""
    if type(module) not in RULES:
        return "has no form in ONNX here"
    if module.traits.draws(False):
        return "draws random numbers in evaluation, too"
    if isinstance(module, layers.SelectTable) and isinstance(module.index, str):
        return "selects by a name, and tables are lists in ONNX"
    if isinstance(module, layers.LookupTable) and module.max_norm:
        return "changes its weight when it is called"
    if isinstance(module, (layers.SpatialAdaptiveAveragePooling, layers.SpatialAdaptiveMaxPooling)):
        return None if module.w == module.h == 1 else "is written for an output of 1 x 1 only"
    if _may_be_beyond(module):
        return "may have windows beyond the image, by ceil() and a stride larger than the kernel"
    if isinstance(module, layers.SoftPlus) and module.beta != 1:
        return "is written with beta 1 only"
    if isinstance(module, SeqLSTM) and (module.batchfirst or module.maskzero):
        return "is written without batchfirst and maskzero only"
    if isinstance(module, LAYERS) and module.skip_input:
        return "is written without skip_input only"
    return None
