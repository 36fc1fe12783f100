"""ONNX: what its own reference implementation computes from our models is what the networks compute."""

import jax
import numpy as np
import pytest

import functorch7 as f7
from functorch7 import zoo
from functorch7.interop import onnx as ours
from functorch7.network import structure_of

onnx = pytest.importorskip("onnx")
reference = pytest.importorskip("onnx.reference")
recurrent = pytest.importorskip("onnx.reference.ops.op_rnn")
RANDOM = np.random.default_rng(0)


def x(*shape):
    return RANDOM.normal(size=shape).astype(np.float32)


def drawn(module):
    """Arrays of all kinds; those that are variances are not negative."""
    return jax.tree.map(lambda a: abs(RANDOM.normal(size=a.shape)).astype(a.dtype), structure_of(module))


def chain(*modules):
    return f7.Sequential(*modules)


IMAGES = x(2, 4, 7, 9)
CASES = {
    "linear": (chain(f7.Linear(3, 4), f7.Tanh(), f7.Linear(4, 2, bias=False), f7.LogSoftMax()), x(2, 3)),
    "linear over rows": (f7.Linear(3, 4), x(2, 5, 3)),
    "convolutions": (chain(f7.SpatialConvolution(4, 6, 3, 2, 2, 1, 1, 0, groups=2), f7.SpatialConvolutionMM(6, 3, 2, 3),
                           f7.SpatialDilatedConvolution(3, 2, 2, 1, dilationw=2)), IMAGES),
    "volumes": (chain(f7.VolumetricConvolution(2, 3, 2, 1, 3), f7.VolumetricMaxPooling(2, 2, 1)), x(2, 2, 4, 5, 6)),
    "transposed": (f7.SpatialFullConvolution(4, 3, 3, 2, 2, 2, 1, 0, 1, 0), IMAGES),
    "normalised": (chain(f7.SpatialBatchNormalization(4, 1e-3), f7.SpatialBatchNormalization(4, affine=False),
                         f7.SpatialCrossMapLRN(3, 0.5, 0.75, 2), f7.SpatialCrossMapLRN(2, 0.5, 0.5)),
                   x(4, 4, 3, 2)),  # the reference normalises as many planes as there are images
    "largest": (chain(f7.SpatialMaxPooling(3, 2, 2, 2, 1, 1).ceil(), f7.SpatialMaxPooling(2, 2)), IMAGES),
    "means": (chain(f7.SpatialAveragePooling(3, 2, 2, 1, 1, 1), f7.SpatialAveragePooling(2, 2, divide=False)), IMAGES),
    "means inside": (f7.SpatialAveragePooling(3, 3, 1, 1, 1, 1).set_count_exclude_pad(), IMAGES),
    "ends": (chain(f7.SpatialAdaptiveAveragePooling(1, 1), f7.View(-1).set_num_input_dims(3), f7.Dropout(0.5, True),
                   f7.Reshape(2, 2), f7.Flatten()), IMAGES),
    "borders": (f7.Concat(2, f7.SpatialZeroPadding(1, 2, 0, 1), f7.SpatialReflectionPadding(1, 2, 0, 1),
                          f7.SpatialReplicationPadding(1, 2, 0, 1)), IMAGES),
    "dropped": (chain(f7.SpatialDropout(0.3), f7.WhiteNoise(mean=0.5), f7.Dropout(0.2)), IMAGES),
    "volumes dropped": (f7.VolumetricDropout(0.3), x(2, 2, 3, 2, 2)),
    "one image": (chain(f7.SoftMax(), f7.SpatialLogSoftMax()), x(3, 2, 4)),
    "one vector": (f7.LogSoftMax(), x(4)),
    "larger": (f7.SpatialUpSamplingNearest(2), IMAGES),
    "transfer": (f7.ConcatTable(
        f7.ReLU(), f7.ReLU6(), f7.LeakyReLU(0.2), f7.PReLU(), f7.ELU(0.5), f7.GELU(), f7.SiLU(), f7.Mish(),
        f7.Sigmoid(), f7.SoftPlus(), f7.SoftSign(), f7.HardTanh(-0.5, 0.7), f7.Clamp(-1, 0), f7.Square(),
        f7.MulConstant(3), chain(f7.Abs(), f7.Power(1.5), f7.Log(), f7.Exp()), f7.SoftMax(), f7.Identity()), x(2, 3)),
    "planes": (chain(f7.PReLU(4), f7.SoftMax()), IMAGES),
    "words": (chain(f7.LookupTable(5, 3), f7.SplitTable(2), f7.JoinTable(2)), np.array([[1, 5, 2]] * 2, np.int32)),
    "tables": (chain(f7.ParallelTable(f7.Linear(3, 4), f7.Identity()),
                     f7.ConcatTable(f7.CAddTable(), f7.CMulTable(), f7.CSubTable(), f7.CDivTable(), f7.CMaxTable(),
                                    f7.CMinTable(), f7.SelectTable(-1)), f7.JoinTable(1, 1)), [x(2, 3), x(2, 4)]),
    "lstm": (chain(f7.SeqLSTM(3, 4), f7.SeqLSTM(4, 2)), x(5, 2, 3)),
    "lstms": (f7.CudnnLSTM(3, 4, 2), x(5, 2, 3)),
    "grus both ways": (chain(f7.CudnnBGRU(3, 2, 2, True), f7.CudnnGRU(4, 2, 1, True)), x(2, 5, 3)),
    "relus": (chain(f7.CudnnRNNTanh(3, 4, 1), f7.CudnnRNN(4, 2, 2)), x(5, 2, 3)),
    "lenet": (zoo.lenet(), x(2, 1, 32, 32)),
    "resnet": (zoo.resnet(8), x(2, 3, 12, 12)),
    "char_rnn": (zoo.char_rnn(5, hidden=4), [np.array([1, 5], np.int32), *(x(2, 4) for _ in range(4))]),
    "fire": (f7.FireModule(4, 2, 3, 3), IMAGES),
    "shared": (f7.Shared(chain(f7.Linear(3, 3), f7.BatchNormalization(3), f7.Linear(3, 3), f7.BatchNormalization(3)),
                         (((0, "weight"), (2, "weight")),), (((1, "running_mean"), (3, "running_mean")),)), x(2, 3)),
}  # fmt: skip


class RNN(recurrent.RNN_14):
    """ONNX's own, with an activation of the standard that it lacks."""

    op_domain = ""

    def choose_act(self, name, alpha, beta):
        return (lambda x: np.maximum(x, 0)) if name == "Relu" else super().choose_act(name, alpha, beta)


def computed(model, input):
    session = reference.ReferenceEvaluator(onnx.load_from_string(model), new_ops=[RNN])
    return session.run(None, dict(zip(session.input_names, jax.tree.leaves(input), strict=True)))


@pytest.mark.parametrize("name", CASES)
def test_the_model_computes_what_the_network_does(name):
    module, input = CASES[name]
    variables = drawn(module)
    shapes = jax.tree.map(lambda a: jax.ShapeDtypeStruct(a.shape, a.dtype), input)
    found = computed(ours.export(module, *variables, shapes), input)
    expected, _ = jax.jit(module.apply)(*variables, input)
    for one, other in zip(found, jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(one, other, rtol=2e-4, atol=2e-4)


def test_indices_that_are_not_there_are_no_others():
    """0 was the last row: an error now, or, where ONNX gives zeros beyond the end, zeros."""
    words = f7.LookupTable(5, 3)
    for wrong in (0, -1, 6):
        with pytest.raises(IndexError):
            computed(ours.export(words, *drawn(words), np.array([1, 2])), np.array([1, wrong]))
        (found,) = computed(ours.export(f7.OneHot(3), {}, {}, np.array([1, 2])), np.array([3, wrong]))
        assert found.tolist() == [[0, 0, 1], [0, 0, 0]]


def test_a_batch_may_be_of_any_size_and_arrays_have_their_names(tmp_path):
    network = chain(
        f7.SpatialConvolution(1, 2, 3, 3), f7.SpatialMaxPooling(2, 2), f7.View(8).set_num_input_dims(3), f7.Linear(8, 3)
    )
    variables = drawn(network)
    ours.save(tmp_path / "network.onnx", network, *variables, ("batch", 1, 6, 6))
    model = onnx.load(tmp_path / "network.onnx")
    names = {array.name: onnx.numpy_helper.to_array(array) for array in model.graph.initializer}
    for name, array in f7.state_dict(network, variables).items():
        np.testing.assert_array_equal(names[name], array)
    assert [d.dim_param or d.dim_value for d in model.graph.output[0].type.tensor_type.shape.dim] == ["batch", 3]
    for batch in (1, 3):
        input = x(batch, 1, 6, 6)
        (found,) = computed(model.SerializeToString(), input)
        np.testing.assert_allclose(found, jax.jit(network.apply)(*variables, input)[0], rtol=1e-4, atol=1e-4)


def test_outputs_say_how_they_follow_the_batch():
    """By its name, by a number where they do not, and not at all where they follow it otherwise; likewise inputs."""
    tables = f7.ParallelTable(f7.Concat(1, f7.Tanh(), f7.Identity()), f7.Tanh(), f7.View(-1, 2))
    graph = onnx.load_from_string(ours.export(tables, *drawn(tables), [("n", 4), (5, 3), ("n", 4)])).graph

    def declared(values):
        shapes = [value.type.tensor_type.shape.dim for value in values]
        return [[size.dim_param or size.dim_value or None for size in shape] for shape in shapes]

    assert declared(graph.input) == [["n", 4], [5, 3], ["n", 4]]
    assert declared(graph.output) == [[None, 4], [5, 3], [None, 2]]  # twice as many rows each


def test_networks_of_16_bits_take_inputs_of_32_and_what_onnx_has_not_is_refused():
    """The checker of ONNX takes what is written: an operator's numbers are of one type, which it has to have."""
    linear, convolution = chain(f7.Linear(3, 2), f7.Tanh()), chain(f7.SpatialConvolution(1, 2, 2, 2), f7.ReLU())
    narrow = jax.tree.map(lambda array: array.astype(np.float16), drawn(linear))
    input = x(2, 3)
    (found,) = computed(ours.export(linear, *narrow, ("batch", 3)), input)
    np.testing.assert_allclose(found, linear.apply(*narrow, input)[0], rtol=1e-2)
    assert found.dtype == np.float16
    for kind, said in (("bfloat16", "tensor.bfloat16"), ("float8_e5m2", "tensor.float8e5m2")):
        other = jax.tree.map(lambda array, kind=kind: array.astype(kind), drawn(convolution))
        with pytest.raises(ValueError, match=f"nn.Sequential has types that ONNX refuses: .*0:Conv.*{said}"):
            ours.export(convolution, *other, ("batch", 1, 3, 3))
    with pytest.raises(ValueError, match="onnx.export: nn.Linear.*expected floating-point numbers in .*, got int8"):
        ours.export(f7.Linear(3, 2), *jax.tree.map(lambda a: a.astype(np.int8), drawn(f7.Linear(3, 2))), (1, 3))


def test_what_would_be_right_for_one_batch_alone_is_refused():
    for network in (chain(f7.SplitTable(1), f7.SelectTable(1)), chain(f7.Tanh(), f7.View(3, -1)), f7.View(6, 1)):
        with pytest.raises(ValueError, match="only the first size follows the batch's|multiple"):
            ours.export(network, *drawn(network), ("batch", 3))
    convolution = f7.SpatialConvolution(1, 2, 1, 1)
    with pytest.raises(ValueError, match=r"expected a batch, 4 dimensions, to write it in ONNX, got shape \(1, 3, 3\)"):
        ours.export(convolution, *drawn(convolution), (1, 3, 3))
    for network in (f7.SelectTable("name"), f7.Dropout(0.5, stochastic_inference=True)):
        with pytest.raises(ValueError, match="selects by a name|draws random numbers in evaluation, too"):
            ours.export(network, {}, {}, (2, 3))


def test_what_cannot_be_written_is_listed():
    network = chain(f7.Linear(3, 3), chain(f7.CMul(3)), f7.GRU(3, 4), f7.SoftPlus(2))
    beyond = f7.SpatialMaxPooling(2, 2, 3, 3).ceil()  # of 6 pixels, the third window would begin behind the last
    with pytest.raises(ValueError, match="may have windows beyond the image"):
        ours.export(beyond, {}, {}, (1, 1, 6, 6))
    with pytest.raises(ValueError) as caught:
        ours.export(network, *drawn(network), ("batch", 3))
    assert str(caught.value) == (
        "onnx: nn.Sequential: nn.CMul (at 1.0) has no form in ONNX here; nn.GRU (at 2) has no form in ONNX here; "
        "nn.SoftPlus (at 3) is written with beta 1 only"
    )
    for names in (("a", "b"), ("", "")):
        with pytest.raises(ValueError, match=f"expected one name of the batch's size, .* got '{names[0]}'"):
            ours.export(f7.CAddTable(), {}, {}, [(name, 3) for name in names])
    with pytest.raises(ValueError, match=r"only the first size, the batch's, may have a name, got \(1, 'n'\)"):
        ours.export(f7.Tanh(), {}, {}, (1, "n"))
