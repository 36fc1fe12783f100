"""Older versions of nn's classes, and those of other packages, are read as what they compute today."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import functorch7 as f7
from functorch7.interop import t7
from functorch7.interop.torch7 import Reader
from functorch7.interop.torch7.node import functional


def read(class_name, version=1, **fields):
    """The node of an object with these fields, by way of a file's bytes."""
    return Reader().read(t7.deserialize(t7.serialize(t7.T7Object(class_name, version, fields))))


def statistics(**more):
    return {"running_mean": np.array([1.0, 2.0]), "eps": 1e-3, "momentum": 0.1, **more}


@pytest.mark.parametrize("name", ["nn.BatchNormalization", "cudnn.SpatialBatchNormalization"])
def test_batch_normalisation_kept_the_inverse_deviation(name):
    variance = np.array([4.0, 0.25])
    node = read(name, **statistics(running_std=1 / np.sqrt(variance + 1e-3)))
    np.testing.assert_allclose(node.buffers["running_var"], variance)
    assert node.spec == getattr(f7, name.split(".")[1])(2, 1e-3, affine=False)


def test_batch_normalisation_without_later_fields():
    node = read("nn.BatchNormalization", 0, running_mean=np.zeros(2), running_var=np.ones(2), weight=np.ones(2),
                bias=np.zeros(2))  # fmt: skip
    assert node.spec == f7.BatchNormalization(2)


def convolution(**more):
    sizes = {"nInputPlane": 2, "nOutputPlane": 3, "kW": 3, "kH": 1, "dW": 1, "dH": 1}
    return {**sizes, "weight": np.ones((3, 2, 1, 3)), "bias": np.ones(3), **more}


def test_convolutions_had_one_padding_or_none():
    assert read("nn.SpatialConvolution", **convolution(padding=2)).spec == f7.SpatialConvolution(2, 3, 3, 1, 1, 1, 2, 2)
    assert read("nn.SpatialConvolution", **convolution()).spec == f7.SpatialConvolution(2, 3, 3, 1)
    assert read("cudnn.SpatialConvolution", **convolution(padW=1)).spec.padh == 0


def test_weights_of_convolutions_were_matrices():
    node = read("nn.SpatialConvolution", **convolution(weight=np.arange(18.0).reshape(3, 6)))
    np.testing.assert_array_equal(node.parameters["weight"], np.arange(18.0).reshape(3, 2, 1, 3))


def test_volumetric_convolutions_had_no_padding():
    fields = {"nInputPlane": 1, "nOutputPlane": 1, **dict.fromkeys(("kT", "kW", "kH", "dT", "dW", "dH"), 1)}
    node = read("nn.VolumetricConvolution", **fields, weight=np.ones((1, 1, 1, 1, 1)), bias=np.ones(1))
    assert node.spec == f7.VolumetricConvolution(1, 1, 1, 1, 1)


def test_convolutions_in_groups():
    random = np.random.default_rng(0)
    weight = random.normal(size=(6, 2, 1, 3))
    fields = convolution(nInputPlane=4, nOutputPlane=6, groups=2, padW=1, padH=0, weight=weight, bias=np.zeros(6))
    node = read("cudnn.SpatialConvolution", **fields)
    assert node.spec == f7.SpatialConvolution(4, 6, 3, 1, 1, 1, 1, 0, groups=2)
    x = random.normal(size=(2, 4, 3, 5))
    with jax.enable_x64(True):
        module, variables = functional(node)
        output, _ = module.apply(*variables, jnp.asarray(x))
    wanted = np.zeros((2, 6, 3, 5))
    padded = np.pad(x, ((0, 0), (0, 0), (0, 0), (1, 1)))
    for o, i in itertools.product(range(6), range(2)):
        w, plane = fields["weight"][o, i, 0], padded[:, o // 3 * 2 + i]
        wanted[:, o] += sum(w[k] * plane[..., k : k + 5] for k in range(3))
    np.testing.assert_allclose(output, wanted)


POOLING = {"kW": 3, "kH": 2, "dW": 3, "dH": 2}


def test_poolings_without_later_fields():
    assert read("nn.SpatialMaxPooling", **POOLING).spec == f7.SpatialMaxPooling(3, 2, 3, 2)
    summed = read("nn.SpatialAveragePooling", **POOLING).spec
    assert (summed.divide, summed.ceil_mode, summed.padw, summed.count_include_pad) == (False, False, 0, True)


def test_poolings_of_other_packages():
    assert read("cudnn.SpatialAveragePooling", **POOLING).spec == f7.SpatialAveragePooling(3, 2, 3, 2)
    assert read("inn.SpatialMaxPooling", **POOLING).spec == f7.SpatialMaxPooling(3, 2, 3, 2).ceil()
    assert read("inn.SpatialAveragePooling", **POOLING).spec == f7.SpatialAveragePooling(3, 2, 3, 2).ceil()


def test_dropout_without_v2_scales_in_evaluation():
    assert read("nn.Dropout", p=0.25).spec == f7.Dropout(0.25, True)
    assert read("nn.Dropout", p=0.25, v2=True).spec == f7.Dropout(0.25)


def test_rectifiers_of_other_packages_have_no_threshold():
    assert read("cudnn.ReLU", inplace=True).spec == f7.ReLU(True)
    assert read("cudnn.VolumetricLogSoftMax").spec == f7.LogSoftMax()


def test_depth_concat_without_sizes():
    module = t7.T7Object("nn.Tanh", 1, {})
    assert read("nn.DepthConcat", dimension=2, modules=[module]).spec == f7.DepthConcat(2, f7.Tanh())


def test_a_data_parallel_table_is_its_first_replica():
    replicas = [t7.T7Object("nn.Tanh", 1, {}), t7.T7Object("nn.Tanh", 1, {})]
    for version in (1, 3):
        assert read("nn.DataParallelTable", version, modules=replicas, gpuAssignments=[1, 2]).spec == f7.Tanh()


def test_the_first_seq_lstm_had_the_batch_first():
    fields = {"inputsize": 2, "outputsize": 3, "weight": np.ones((5, 12)), "bias": np.zeros(12)}
    assert read("nn.SeqLSTM", **fields, remember_states=True).spec == f7.SeqLSTM(2, 3, batchfirst=True, mode="both")
    assert read("nn.SeqLSTM", **fields, batchfirst=False).spec == f7.SeqLSTM(2, 3)


def test_the_first_sequencer_and_repeater():
    linear = t7.T7Object("nn.Linear", 1, {"weight": np.ones((2, 2)), "bias": np.ones(2)})
    assert read("nn.Sequencer", module=linear, modules=[linear]).spec == f7.Sequencer(f7.Linear(2, 2))
    assert read("nn.Repeater", rnn=linear, nStep=3, modules=[linear]).spec == f7.Repeater(f7.Linear(2, 2), 3)


def test_a_tree_whose_families_are_not_in_order():
    """The tree of parents 2 and 1, written in this order: the rows go with their families."""
    fields = {
        "inputSize": 1, "rootId": 1, "childIds": np.array([4, 5, 2, 3], np.int32), "bias": np.zeros(4),
        "parentIds": np.array([2, 1], np.int32), "parentChildren": np.array([[3, 2], [1, 2]], np.int32),
        "weight": np.array([[4.0], [5.0], [2.0], [3.0]]), "static": True,
    }  # fmt: skip
    node = read("nn.SoftMaxTree", **fields)
    assert node.spec.hierarchy.value.tolist() == [[1, 2], [1, 3], [2, 4], [2, 5]]
    assert node.parameters["weight"].ravel().tolist() == [2, 3, 4, 5]


def test_partial_linear_keeps_its_weight_inside():
    lookup = t7.T7Object("nn.LookupTable", 1, {"weight": np.arange(6.0).reshape(2, 3)})
    both = t7.T7Object("nn.ParallelTable", 1, {"modules": [t7.T7Object("nn.Identity", 1, {}), lookup]})
    network = t7.T7Object("nn.Sequential", 1, {"modules": [both]})
    node = read("nn.PartialLinear", inputsize=3, outputsize=2, network=network, partition=np.array([1.0, 2.0]))
    assert node.spec == f7.PartialLinear(3, 2, False)
    assert node.parameters["weight"].shape == (2, 3)


def test_char_rnns_one_hot_is_dpnns():
    made = read("OneHot", outputSize=5, _eye=np.eye(5))
    assert made.spec == f7.OneHot(5)


def test_a_weight_for_each_place_of_a_window_is_one_per_plane():
    """As SpatialLPPooling once filled them: of all these, the sub-sampling used the first."""
    fields = {"nInputPlane": 3, "kW": 2, "kH": 2, "dW": 2, "dH": 2, "bias": np.zeros(3)}
    made = read("nn.SpatialSubSampling", weight=np.full((3, 2, 2), 0.25), **fields)
    np.testing.assert_array_equal(made.parameters["weight"], [0.25, 0.25, 0.25])
    with pytest.raises(f7.T7FormatError, match="weight of shape"):
        read("nn.SpatialSubSampling", weight=np.arange(12.0).reshape(3, 2, 2), **fields)


def test_a_classifier_at_each_pixel_is_one_of_rows():
    random = np.random.default_rng(0)
    weight, bias, image = random.normal(size=(2, 4)), random.normal(size=2), random.normal(size=(4, 3, 5))
    linear = t7.T7Object("nn.Linear", 1, {"weight": weight, "bias": bias})
    spec, variables = functional(read("nn.SpatialClassifier", classifier=linear, spatialOutput=True))
    output = spec.apply(*variables, np.float32(image))[0]
    expected = np.einsum("nk,khw->nhw", weight, image) + bias[:, None, None]
    np.testing.assert_allclose(output, expected, rtol=1e-5, atol=1e-5)
    with pytest.raises(f7.T7FormatError, match="spatialOutput"):
        read("nn.SpatialClassifier", classifier=linear, spatialOutput=False)


@pytest.mark.parametrize("threshold", [None, 0.2])
@pytest.mark.parametrize("planes, pair", [(2, False), (1, True)])
def test_an_old_normalization_is_what_its_sums_give(planes, pair, threshold):
    """nnx's own arithmetic, written out: sums over windows and planes, where outside the image there is nothing."""
    random = np.random.default_rng(0)
    image = random.normal(size=(planes, 6, 5))
    row, column = random.uniform(1, 2, (1, 3)), random.uniform(1, 2, (3, 1))
    kernel = row * column / (row * column).sum()

    def around(images):
        sums = np.zeros((6, 5))
        padded = np.pad(images.sum(0), 1)
        for i, j in np.ndindex(3, 3):
            sums += kernel[i, j] * padded[i : i + 6, j : j + 5]
        return sums

    mass = around(np.ones_like(image))
    centred = image - around(image) / mass
    deviation = np.sqrt(around(centred**2)) / mass
    expected = centred / np.maximum(deviation, max(deviation.mean(), 1e-3) if threshold is None else threshold)
    fields = {"nfeatures": planes, "kernel": [row, column] if pair else kernel, "fixedThres": threshold}
    spec, variables = functional(read("nn.SpatialNormalization", **fields))
    np.testing.assert_allclose(spec.apply(*variables, np.float32(image))[0], expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("planes, shapes", [(1, [(3, 3), (3, 3)]), (2, [(1, 3), (3, 1)]), (1, [(1, 3)])])
def test_kernels_one_after_the_other_are_not_one_kernel(planes, shapes):
    kernels = [np.ones(shape) for shape in shapes]
    with pytest.raises(f7.T7FormatError, match="expected one kernel, or a row and a column for one plane"):
        read("nn.SpatialNormalization", nfeatures=planes, kernel=kernels)


def test_a_threshold_by_the_image_is_a_constant_of_it():
    """Where all is under the threshold, the gradient is that of the numerator alone."""
    layer, image = f7.SpatialNormalization(1, np.ones((3, 3))), jnp.full((1, 4, 4), 2.0).at[0, 1, 1].add(1e-4)
    centred = f7.SpatialSubtractiveNormalization(1, np.ones((3, 3)))
    gradients = [jax.grad(lambda x, of=of: (of.apply((), (), x)[0] ** 3).sum())(image) for of in (layer, centred)]
    np.testing.assert_allclose(gradients[0], gradients[1] * 1e9, rtol=1e-4)
