"""What the layers' constructors and calls refuse, and how they say it; `cases.py` has wrong inputs, one per module."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from cases import MODULES

import functorch7 as f7
from functorch7.layers.windows import Windows

NOT_CONSTRUCTED = {
    # sizes
    "Linear": (lambda: f7.Linear(0, 2), ValueError, "nn.Linear: expected input_size >= 1, got 0"),
    "LinearWeightNorm": (lambda: f7.LinearWeightNorm(2, -1), ValueError, "expected output_size >= 1, got -1"),
    "Bilinear": (lambda: f7.Bilinear(2, 2.5, 2), ValueError, "nn.Bilinear: expected input_size2 >= 1, got 2.5"),
    "Bilinear, too few": (lambda: f7.Bilinear(2, 2), TypeError, "output_size"),
    "PartialLinear": (lambda: f7.PartialLinear(2, 0), ValueError, "expected output_size >= 1"),
    "SparseLinear": (lambda: f7.SparseLinear(0, 2), ValueError, "nn.SparseLinear: expected input_size >= 1"),
    "IndexLinear": (lambda: f7.IndexLinear(0, 2), ValueError, "nn.IndexLinear: expected input_size >= 1"),
    "IndexLinear, weight": (lambda: f7.IndexLinear(3, 2, weight=np.ones(2)), ValueError, r"weight of shape \(3, 2\)"),
    "LookupTable": (lambda: f7.LookupTable(0, 2), ValueError, "nn.LookupTable: expected n_index >= 1"),
    "LookupTable, norm": (lambda: f7.LookupTable(2, 2, 0, 1, -1), ValueError, "non-positive-norm not supported"),
    "Euclidean": (lambda: f7.Euclidean(0, 2), ValueError, "nn.Euclidean: expected input_size >= 1"),
    "WeightedEuclidean": (lambda: f7.WeightedEuclidean(2, 0), ValueError, "nn.WeightedEuclidean: expected output_size"),
    "Cosine": (lambda: f7.Cosine(0, 2), ValueError, "nn.Cosine: expected input_size >= 1"),
    "Kmeans, clusters": (lambda: f7.Kmeans(0, 2), ValueError, "nn.Kmeans: expected k >= 1, got 0"),
    "Kmeans, dimensions": (lambda: f7.Kmeans(2, -1), ValueError, "nn.Kmeans: expected dim >= 1, got -1"),
    "Add": (lambda: f7.Add(0), ValueError, "nn.Add: expected input_size >= 1"),
    "CAdd": (lambda: f7.CAdd(), ValueError, "nn.CAdd: expected sizes"),
    "CMul": (lambda: f7.CMul(2, 0), ValueError, "nn.CMul: expected size 2 >= 1, got 0"),
    "Reshape, 0": (lambda: f7.Reshape(0, 2), ValueError, "nn.Reshape: expected sizes that are positive or -1"),
    "Reshape, two -1": (lambda: f7.Reshape(-1, -1), ValueError, "nn.Reshape: expected at most one size of -1"),
    "View, 0": (lambda: f7.View(0, 2), ValueError, "nn.View: expected sizes that are positive or -1"),
    "View, two -1": (lambda: f7.View(-1, -1), ValueError, "nn.View: expected at most one size of -1"),
    "BatchNormalization": (lambda: f7.BatchNormalization(0), ValueError, "expected n_output >= 1, got 0"),
    "BatchNormalization, no sizes": (lambda: f7.BatchNormalization(), TypeError, "n_output"),
    "BatchNormalization, affine": (lambda: f7.BatchNormalization(2, 1e-5, 0.1, 2), TypeError, "or False as affine"),
    "Bottle": (lambda: f7.Bottle(f7.Tanh(), 0), ValueError, "nn.Bottle: expected n_input_dim >= 1"),
    "Profile": (lambda: f7.Profile(f7.Tanh(), 0), ValueError, "nn.Profile: expected print_interval >= 1"),
    # numbers
    "LeakyReLU": (lambda: f7.LeakyReLU("a"), TypeError, "nn.LeakyReLU: expected a number negval, got 'a'"),
    # dimensions
    "Concat": (lambda: f7.Concat(0), ValueError, "nn.Concat: expected a dimension counted from 1"),
    "Parallel": (lambda: f7.Parallel(1, 0), ValueError, "nn.Parallel: expected a dimension counted from 1"),
    "Narrow": (lambda: f7.Narrow(0, 1), ValueError, "nn.Narrow: expected a dimension counted from 1"),
    "Narrow, too few": (lambda: f7.Narrow(1), TypeError, "offset"),
    "Select": (lambda: f7.Select(0, 1), ValueError, "nn.Select: expected a dimension counted from 1"),
    "Index": (lambda: f7.Index(0), ValueError, "nn.Index: expected a dimension counted from 1"),
    "Max": (lambda: f7.Max(0), ValueError, "nn.Max: expected a dimension counted from 1"),
    "Sum, squeeze": (lambda: f7.Sum(1, None, False, 2), TypeError, "nn.Sum: expected True or False as squeeze, got 2"),
    "JoinTable": (lambda: f7.JoinTable(0), ValueError, "nn.JoinTable: expected a dimension counted from 1"),
    "SplitTable": (lambda: f7.SplitTable(0), ValueError, "nn.SplitTable: expected a dimension counted from 1"),
    "Padding": (lambda: f7.Padding(0, 1), ValueError, "nn.Padding: expected a dimension counted from 1"),
    "Replicate": (lambda: f7.Replicate(2, 0), ValueError, "can only replicate across positive dimensions, got 0"),
    "Unsqueeze": (lambda: f7.Unsqueeze(), TypeError, "pos"),
    "Transpose": (lambda: f7.Transpose((1, 2, 3)), TypeError, "nn.Transpose: expected pairs of dimensions"),
    "NarrowTable": (lambda: f7.NarrowTable(0), ValueError, r"nn.NarrowTable\(offset, length\): expected offset >= 1"),
    "NarrowTable, too few": (lambda: f7.NarrowTable(), TypeError, "offset"),
    # numbers and flags
    "Threshold": (lambda: f7.Threshold("0"), TypeError, "nn.Threshold: expected a number threshold, got '0'"),
    "Threshold, in place": (lambda: f7.Threshold(0, 1, True), ValueError, r"value \(1\) not exceed threshold \(0\)"),
    "HardTanh": (lambda: f7.HardTanh(1, -1), ValueError, "nn.HardTanh: max_value must be larger than min_value"),
    "Clamp": (lambda: f7.Clamp(1, 1), ValueError, "nn.Clamp: max_value must be larger than min_value"),
    "ELU": (lambda: f7.ELU("1"), TypeError, "nn.ELU: expected a number alpha, got '1'"),
    "Power": (lambda: f7.Power(None), TypeError, "nn.Power: expected a number power, got None"),
    "MulConstant": (lambda: f7.MulConstant([1]), TypeError, r"nn.MulConstant: expected a number constant, got \[1\]"),
    "Constant": (lambda: f7.Constant("1"), TypeError, "nn.Constant: expecting number or tensor at arg 1, got '1'"),
    "RReLU": (lambda: f7.RReLU(0.5, 0.1), ValueError, "nn.RReLU: expected 0 <= l <= u, got 0.5 and 0.1"),
    "SpatialDropout": (lambda: f7.SpatialDropout(3), ValueError, "nn.SpatialDropout: expected 0 <= p <= 1, got 3"),
    "WhiteNoise": (lambda: f7.WhiteNoise(0, -1), ValueError, "nn.WhiteNoise: expected std >= 0, got -1"),
    "Dropout": (lambda: f7.Dropout(1), ValueError, "nn.Dropout: expected 0 <= p < 1, got 1"),
    "Normalize": (lambda: f7.Normalize(0), ValueError, "nn.Normalize: 0-norm not supported, expected p > 0"),
    "Normalize, no p": (lambda: f7.Normalize(), TypeError, "p"),
    "MV": (lambda: f7.MV("t"), TypeError, "nn.MV: expected True or False as trans"),
    "Copy": (lambda: f7.Copy("torch.Tensor", None), ValueError, "nn.Copy: unknown type 'torch.Tensor'"),
    **{
        f"{make.__name__}, in place": (lambda make=make, given=given: make(*given, "yes"), TypeError, "True or False")
        for make, *given in [(f7.HardTanh, -1, 1), (f7.ReLU,), (f7.ReLU6,), (f7.ELU, 1), (f7.LeakyReLU, 0.1),
                             (f7.Threshold, 1, 0), (f7.AddConstant, 1), (f7.MulConstant, 1)]
    },
    "OneHot": (lambda: f7.OneHot(0), ValueError, "nn.OneHot: expected output_size >= 1, got 0"),
    "PixelShuffle": (lambda: f7.PixelShuffle(0), ValueError, "nn.PixelShuffle: expected upscale_factor >= 1, got 0"),
    "Replicate, features": (lambda: f7.Replicate(-1), ValueError, "nn.Replicate: expected n_features >= 1, got -1"),
    "SoftPlus": (lambda: f7.SoftPlus(0), ValueError, "nn.SoftPlus: expected a beta that is not 0, got 0"),
    "PairwiseDistance": (lambda: f7.PairwiseDistance(0), ValueError, "expected a finite p above 0, got 0"),
    "SpatialLPPooling": (lambda: f7.SpatialLPPooling(1, 0, 2, 2), ValueError, "expected a power that is not 0, got 0"),
    "FeatureLPPooling": (lambda: f7.FeatureLPPooling(2, 2, 0), ValueError, "expected a power that is not 0, got 0"),
    "MaskedSelect": (lambda: f7.MaskedSelect(-1), ValueError, "expected a size that is a whole number, got -1"),
    "LayerNorm": (lambda: f7.LayerNorm(()), ValueError, r"nn.LayerNorm: expected sizes, got \(\)"),
    "k-max, none": (lambda: f7.TemporalDynamicKMaxPooling(0), ValueError, "expected min_k >= 1, got 0"),
    "k-max, factor": (lambda: f7.TemporalDynamicKMaxPooling(1, 1.5), ValueError, "expected a factor from 0 to 1"),
    "padding": (lambda: f7.SpatialConvolution(1, 1, 1, 1, padw=0.5), ValueError, "expected whole numbers of elements"),
    "sizes": (lambda: f7.SpatialUpSamplingBilinear({"oheight": 0, "owidth": 2}), ValueError, "expected oheight >= 1"),
    "sizes of a volume": (lambda: f7.SpatialUpSamplingBilinear((2, 3, 4)), ValueError, "output height and width"),
    "crop by name": (lambda: f7.SpatialUniformCrop(3, 3, {"max": 1, "min": 2}), ValueError, "expected a scale"),
    "crop": (lambda: f7.SpatialUniformCrop(3, 3, (2, 1)), ValueError, r"expected a scale \(least, most\) above 0"),
    "columns": (lambda: f7.Inception({"inputSize": 2, "outputSize": [2, 1, 3], "reduceSize": [2, 1, 2]}),
                ValueError, "nn.Inception: expected kernels and reductions for 3 columns"),
    "Bigrams": (lambda: f7.Bigrams({1: {"index": [1], "prob": [0.0]}}, 2), ValueError, "a positive sum, for word 1"),
    "Bigrams, no prob": (lambda: f7.Bigrams({1: {"index": [1]}}, 2), TypeError, "expected index and prob for word 1"),
    "connections": (lambda: f7.layers.connections.random(2, 3, 5, np.random), ValueError, "from 1 to 2 input planes"),
    "MultiCriterion": (lambda: f7.MultiCriterion((f7.L1Cost(),), (1, 2)), ValueError, "expected a weight for each"),
    # modules
    "Decorator": (lambda: f7.Decorator(2), TypeError, "nn.Decorator: expected a module as module 1, got 2"),
    "Sequential": (lambda: f7.Sequential(f7.Tanh), TypeError, "as module 1, got the class Tanh; call it"),
    "MapTable": (lambda: f7.MapTable().replace(modules=(f7.Tanh(), f7.Tanh())), TypeError, "single module required"),
    "DontCast": (lambda: f7.DontCast(f7.Tanh(), True, True, "float"), ValueError, "nn.DontCast: expected a type of"),
}  # fmt: skip


@pytest.mark.parametrize("make, error, message", NOT_CONSTRUCTED.values(), ids=NOT_CONSTRUCTED)
def test_constructor(make, error, message):
    with pytest.raises(error, match=message):
        make()


def x(*shape):
    return jnp.ones(shape)


NOT_APPLIED = {
    "Bottle": (f7.Bottle(f7.Linear(3, 2), 2, 3), x(4, 5, 3), "a module whose output has 3 dimensions, got shape"),
    "DepthConcat": (f7.DepthConcat(1, f7.Identity(), f7.View(-1)), x(2, 3), "outputs of one number of dimensions"),
    "MapTable without a module": (f7.MapTable(), [x(2)], "a module to be added first"),
    "Narrow": (f7.Narrow(1, 2, 4), x(4), "slices 2 to 5 in dimension 1, got shape"),
    "Select": (f7.Select(1, 5), x(4), "at least 5 slices"),
    "Select 0": (f7.Select(1, 0), x(4), "at least 0 slices"),
    "Replicate": (f7.Replicate(2, 4), x(2, 3), "enough dimensions to replicate along dimension 4"),
    "Reshape": (f7.Reshape(2, 2), x(3, 3), "4 elements per example, got shape"),
    "Reshape, -1": (f7.Reshape(2, -1), x(3, 3), "a multiple of 2 elements per example, got shape"),
    "View": (f7.View(3), x(4, 4), "a multiple of 3 elements to view as 3, got shape"),
    "Unsqueeze, position": (f7.Unsqueeze(5), x(2, 3), "at least 4 dimensions in an example"),
    "CAddTable of a table": (f7.CAddTable(), [x(2), [x(2), x(2)]], "a table of tensors, and of no tables"),
    "DotProduct of a table": (f7.DotProduct(), [[x(2)], x(2)], "a table of tensors, and of no tables"),
    "SparseLinear of triples": (f7.SparseLinear(5, 2), [x(2, 2), x(2, 3)], r"pairs \(index, value\)"),
    "VolumetricMaxUnpooling of vectors": (
        f7.VolumetricMaxUnpooling(f7.VolumetricMaxPooling(2, 2, 2)), [x(2), x(2)], "values of at least 3 dimensions",
    ),
    "Mean of a number": (f7.Mean(1), x(), "an input with a dimension 1, got a single number"),
    "Unsqueeze, batch": (f7.Unsqueeze(-1, 2), x(4, 2, 3), "at least 2 dimensions before the example's 2"),
    "Unsqueeze, dimensions": (f7.Unsqueeze(1, 3), x(2, 3), "at least 3 dimensions"),
    "MM, matrices": (f7.MM(), [x(2), x(2)], "two matrices, or two batches of as many matrices"),
    "MM, batches": (f7.MM(), [x(2, 3, 4), x(3, 4, 5)], "two matrices, or two batches of as many matrices"),
    "MM, sizes": (f7.MM(), [x(2, 3), x(2, 3)], "matrices whose sizes match"),
    "MV, sizes": (f7.MV(), [x(2, 3), x(2)], "a vector as long as the matrix has columns"),
    "MV, batch": (f7.MV(), [x(2, 3, 4), x(4)], "a matrix and a vector, or batches of as many"),
    "Bilinear": (f7.Bilinear(2, 3, 2), [x(4, 2), x(5, 3)], "two matrices, B x 2 and B x 3"),
    "SoftMax": (f7.SoftMax(), x(1, 1, 1, 1, 2), "a 1D, 2D, 3D or 4D tensor"),
    "GatedLinearUnit": (f7.GatedLinearUnit(1), x(3, 2), "an even size to halve in dimension 1"),
    "AddConstant": (f7.AddConstant(np.ones(3)), x(2, 2, 3), "at most 2 dimensions"),
    "PReLU": (f7.PReLU(3), x(2, 4), "3 planes in dimension 2"),
    "Normalize": (f7.Normalize(2), x(2, 2, 2), "a 1D or 2D tensor"),
    "TemporalDynamicKMaxPooling": (f7.TemporalDynamicKMaxPooling(4), x(3, 2), "a sequence of at least 4 steps"),
    "SpatialDropout": (f7.SpatialDropout(), x(2, 3), "a 3D tensor, or a 4D tensor for a batch"),
    "VolumetricDropout": (f7.VolumetricDropout(), x(2, 3, 4), "a 4D tensor, or a 5D tensor for a batch"),
    "MixtureTable": (f7.MixtureTable(), [x(2), [x(3)]], r"one gater output per expert \(2\)"),
    "SelectTable": (f7.SelectTable(3), [x(2)], "a table of at least 3"),
    "SelectTable by name": (f7.SelectTable("a"), [x(2)], "a table with the key 'a'"),
    "FlattenTable": (f7.FlattenTable(), x(2), "a table, got"),
    "CAddTable": (f7.CAddTable(), x(2), "a table of at least 1"),
    "JoinTable of nothing": (f7.JoinTable(1), [], "a table of at least 1"),
    "ParallelTable": (f7.ParallelTable(f7.Tanh(), f7.Tanh()), [x(2)], "a table of at least 2"),
    "ZipTableOneToMany": (f7.ZipTableOneToMany(), [x(2), x(2)], "a table of an element and a table"),
    "CriterionTable": (f7.CriterionTable(f7.MSECriterion()), [x(2)], "a table of input and target"),
    "IndexLinear": (f7.IndexLinear(3, 2), [jnp.array([1, 2]), x(3)], "keys and values of the same size"),
    "IndexLinear, sizes": (f7.IndexLinear(3, 2), [jnp.array([1, 2]), x(2), jnp.array([1, 2])], "sizes of 2 keys in"),
    "GatedLinearUnit 0": (f7.GatedLinearUnit(0), x(2, 2), "a dimension counted from 1"),
    "Concat of a table": (f7.Concat(1, f7.Identity(), f7.ConcatTable(f7.Identity())), x(2), "tensors to join, got"),
    "Bottle of a table": (f7.Bottle(f7.ConcatTable(f7.Tanh())), x(2, 2, 2), "a module whose output has 2 dimensions"),
    "Recurrence": (f7.Recurrence(f7.SelectTable(1), 5, 1), x(2, 3), r"a module whose output has the sizes \(5,\), got"),
    "RecurrentAttention": (f7.RecurrentAttention(f7.SelectTable(1), f7.Tanh(), 2, 5), x(2, 3), "an rnn whose output"),
    "MaskZeroCriterion": (f7.MaskZeroCriterion(f7.MSECriterion(), 1), [x(3, 2), x(4, 2)], "a target for each of 3"),
    "MixtureTable, batches": (f7.MixtureTable(), [x(4, 2), [x(3, 3)] * 2], "experts' outputs for each of 4 examples"),
    "attention, mask": (f7.MultiHeadAttention(4), [x(2, 3, 4)] * 3 + [x(3, 2)], r"a mask of shape \(3, 3\) or"),
    "attention, batches": (f7.MultiHeadAttention(4), [x(2, 3, 4), *[x(1, 3, 4)] * 2], "keys and values for each of 2"),
    "SpatialGlimpse, a pixel": (f7.SpatialGlimpse(2, 1), [x(1, 1, 5), x(2)], "images larger than 1 pixel"),
    "SpatialGlimpse, blocks": (f7.SpatialGlimpse(3, 2, 1.5, False), [x(1, 9, 9), x(2)], "patches of whole blocks"),
    "Padding": (f7.Padding(1, 1, 1, 0, 9), x(3), "at least 8 elements in dimension 1"),
    "LookupTable": (f7.LookupTable(3, 2), jnp.array([[[1]]]), "a vector or matrix of indices"),
    "LookupTable, index": (f7.LookupTable(3, 2), jnp.array([1, 4]), "indices from 1 to 3, got 4"),
    "SparseLinear, index": (f7.SparseLinear(3, 2), jnp.array([[4.0, 1]]), "indices from 1 to 3, got 4"),
}  # fmt: skip


@pytest.mark.parametrize("module, input, message", NOT_APPLIED.values(), ids=NOT_APPLIED)
def test_input(module, input, message):
    params, buffers = module.init(jax.random.key(0))
    with pytest.raises(ValueError, match=rf"^nn\.{type(module).__name__}.*: expected {message}"):
        module.apply(params, buffers, input, key=jax.random.key(0), train=True)


@pytest.mark.parametrize("case", [c for c in MODULES if isinstance(c.module, Windows)], ids=lambda case: case.id)
def test_images_without_pixels_are_refused(case):
    """Of which a pooling with padding would give the least number there is, or NaN."""
    module, key = case.module, jax.random.key(0)
    images = case.input[0] if isinstance(case.input, list) else case.input
    axes = (1,) if images.ndim == 3 and len(module.axes) == 1 else range(-len(module.axes), 0)
    for axis in axes:
        empty = np.take(images, [], axis)
        given = [empty, *case.input[1:]] if isinstance(case.input, list) else empty
        with pytest.raises(ValueError, match=r"nn\.\w+.*: expected "):
            jax.eval_shape(lambda *args, given=given: module.apply(*args, given, key=key), *module.init(key))


def test_noise_needs_a_key():
    for module in (f7.Dropout(), f7.SpatialDropout(), f7.RReLU(), f7.WhiteNoise()):
        with pytest.raises(ValueError, match="needs a random key; pass key="):
            module.apply({}, {}, x(2, 3, 4), train=True)
    net = f7.Sequential(f7.Identity(), f7.Sequential(f7.Tanh(), f7.Dropout(0.5)))
    variables = net.init(jax.random.key(0))
    with pytest.raises(ValueError, match=r"^nn.Sequential: needs a random key, from which nn.Dropout\(0.5.*\) draws"):
        net.apply(*variables, x(3), train=True)
    net.apply(*variables, x(3))  # evaluation draws nothing


def test_an_index_that_jit_cannot_look_at_gives_nan_and_not_another_row():
    layer = f7.LookupTable(3, 2)
    params, buffers = layer.init(jax.random.key(0))
    rows = jax.jit(lambda i: layer.apply(params, buffers, i)[0])(jnp.array([0, 1, 4]))
    assert np.isnan(rows[0]).all() and np.isnan(rows[2]).all() and np.isfinite(rows[1]).all()


def test_a_kept_mask_of_dropout_is_for_inputs_of_its_shape_alone():
    dropout = f7.Dropout(0.5, lazy=True)
    mask = {"mask": jnp.ones((1, 3))}
    with pytest.raises(
        ValueError, match=r"an input for the mask of shape \(1, 3\), which is kept .*, got shape \(2, 3\)"
    ):
        dropout.apply({}, mask, x(2, 3), key=jax.random.key(0), train=True)
