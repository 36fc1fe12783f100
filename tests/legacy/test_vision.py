"""Convolutions, poolings and dpnn's layers for images, as the documentation shows them."""

import numpy as np
import pytest

import functorch7 as f7
from functorch7.legacy import nn, torch

from .helpers import same, values

# The worked examples -------------------------------------------------------------------------------------------------


def test_temporal_convolution():
    mlp, x = nn.TemporalConvolution(5, 1, 1, 1), torch.rand(7, 5)
    y = mlp.forward(x)
    assert y.size() == [7, 1]
    same(y, np.asarray(x) @ np.asarray(mlp.weight).T + np.asarray(mlp.bias), rtol=1e-5)


def test_temporal_row_convolution():
    x = values(8, 5)
    m = nn.TemporalRowConvolution(5, 3).double()
    weight, bias = np.asarray(m.weight)[:, 0], np.asarray(m.bias)
    expected = [(x[t : t + 3] * weight.T).sum(0) + bias for t in range(6)]
    same(m.forward(x), np.stack(expected))
    last = nn.TemporalRowConvolution(5, 3, 1, True).double()
    last.weight.copy(m.weight)
    last.bias.copy(m.bias)
    same(last.forward(x.T), np.stack(expected).T)


def test_lookup_table():
    module = nn.LookupTable(10, 3)
    weight = np.asarray(module.weight)
    same(module.forward([1, 2, 1, 10]), weight[[0, 1, 0, 9]])
    assert module.forward([[1, 2, 4, 5], [4, 3, 2, 10]]).size() == [2, 4, 3]


def test_lookup_table_with_max_norm():
    module = nn.LookupTable(10, 3, 0, 1, 2)
    module.weight.copy(np.asarray(module.weight) * 3)
    before = np.array(module.weight)
    y = module.forward([1, 2, 1, 10])
    assert (np.linalg.norm(y, axis=1) <= 1 + 1e-5).all()
    used, after = [0, 1, 9], np.asarray(module.weight)
    norms = np.linalg.norm(before[used], axis=1, keepdims=True)
    same(after[used], before[used] * np.minimum(1, 1 / norms), rtol=1e-5)
    same(np.delete(after, used, 0), np.delete(before, used, 0))
    module.weight.copy(before)
    module.renorm(torch.LongTensor([3]))
    assert np.linalg.norm(np.asarray(module.weight)[2]) <= 1 + 1e-5
    same(np.asarray(module.weight)[0], before[0])


def test_spatial_average_pooling():
    x = [[[1, 2], [3, 4]]]
    m = nn.SpatialAveragePooling(2, 2, 1, 1, 1, 1)
    same(m.forward(x), [[[0.25, 0.75, 0.5], [1, 2.5, 1.5], [0.75, 1.75, 1]]])
    same(m.setCountExcludePad().forward(x), [[[1, 1.5, 2], [2, 2.5, 3], [3, 3.5, 4]]])
    same(m.setCountIncludePad().forward(x)[1][1], [0.25, 0.75, 0.5])


def test_spatial_max_unpooling():
    pool, x = nn.SpatialMaxPooling(2, 2, 2, 2), [[[1, 5], [3, 2]]]
    unpool = nn.SpatialMaxUnpooling(pool)
    y = pool.forward(x)
    same(y, [[[5]]])
    same(unpool.forward(y), [[[0, 5], [0, 0]]])
    same(unpool.backward(y, [[[1, 2], [3, 4]]]), [[[2]]])
    assert str(unpool) == "nn.SpatialMaxUnpooling associated to nn.SpatialMaxPooling(2x2, 2,2)"


def test_spatial_cross_map_lrn():
    y = nn.SpatialCrossMapLRN(3, 1, 0.75, 1).forward(np.array([1.0, 2, 3]).reshape(3, 1, 1))
    same(np.asarray(y).reshape(-1), [0.4792073282, 0.5445455905, 0.8548151464], rtol=1e-5)


# Unpooling in networks -----------------------------------------------------------------------------------------------


def test_an_autoencoder_unpools_with_the_indices_of_its_own_poolings():
    outer, inner = nn.SpatialMaxPooling(2, 2), nn.SpatialMaxPooling(2, 2)
    encoder = nn.Sequential().add(outer).add(inner)
    decoder = nn.Sequential().add(nn.SpatialMaxUnpooling(inner)).add(nn.SpatialMaxUnpooling(outer))
    x = values(2, 3, 9, 8)
    kept = nn.Sequential().add(encoder).add(decoder).double()
    y = np.asarray(kept.forward(x))
    assert y.shape == x.shape
    blocks = x[:, :, :8].reshape(2, 3, 2, 4, 2, 4).transpose(0, 1, 2, 4, 3, 5).reshape(2, 3, 4, 16)
    same(np.sort(y[y != 0]), np.sort(blocks.max(-1).reshape(-1)))
    same(y[y != 0], x[y != 0])
    g = values(*x.shape, seed=1)
    same(kept.backward(x, g), np.where(y != 0, g, 0))
    apart = decoder.forward(encoder.forward(x))
    same(apart, y)


def test_unpooling_takes_its_own_kind_of_pooling():
    with pytest.raises(TypeError, match="argument must be a nn.SpatialMaxPooling module"):
        nn.SpatialMaxUnpooling(nn.VolumetricMaxPooling(2, 2, 2))
    with pytest.raises(ValueError, match="must be equal to its stride"):
        nn.SpatialMaxUnpooling(nn.SpatialMaxPooling(2, 2, 1, 1))
    with pytest.raises(ValueError, match="a pooling that has run"):
        nn.SpatialMaxUnpooling(nn.SpatialMaxPooling(2, 2)).forward(values(1, 2, 2))


# Connection tables ---------------------------------------------------------------------------------------------------


def test_connection_tables():
    same(nn.tables.full(2, 3), [[1, 1], [2, 1], [1, 2], [2, 2], [1, 3], [2, 3]])
    same(nn.tables.oneToOne(3), [[1, 1], [2, 2], [3, 3]])
    table = np.asarray(nn.tables.random(6, 8, 2)).astype(int)
    assert table.shape == (16, 2) and (np.bincount(table[:, 1])[1:] == 2).all()
    assert set(table[:6, 0]) == set(range(1, 7))  # all inputs are used before one is used again


def test_a_full_connection_table_is_a_convolution():
    full = nn.SpatialConvolutionMap(nn.tables.full(2, 3), 3, 2).double()
    plain = nn.SpatialConvolution(2, 3, 3, 2).double()
    plain.weight.copy(np.asarray(full.weight).reshape(3, 2, 2, 3))
    plain.bias.copy(full.bias)
    x = values(4, 2, 5, 6)
    same(full.forward(x), plain.forward(x))
    weight = np.array(full.weight)
    full.decayParameters(0.1)
    same(full.weight, 0.9 * weight)


# Randomness ----------------------------------------------------------------------------------------------------------


def test_fractional_pooling_takes_maxima_of_windows_that_cover_the_image():
    m, x = nn.SpatialFractionalMaxPooling(2, 2, 4, 3).double(), values(2, 3, 7, 6)
    y = np.asarray(m.forward(x))
    assert y.shape == (2, 3, 3, 4)
    flat, at = x.reshape(2, 3, -1), np.asarray(m.indices).astype(int) - 1
    same(np.take_along_axis(flat, at.reshape(2, 3, -1), 2), y.reshape(2, 3, -1))
    same(y[:, :, -1, -1], x[:, :, 5:, 4:].max((2, 3)))  # the last window is at the end
    same(y[:, :, 0, 0], x[:, :, :2, :2].max((2, 3)))
    drawn = {np.asarray(m.forward(x)).tobytes() for _ in range(6)}
    assert len(drawn) > 1
    m.fixPoolingRegions()
    assert len({np.asarray(m.forward(x)).tobytes() for _ in range(6)}) == 1


def test_region_dropout_drops_one_side():
    m, x = nn.SpatialRegionDropout(0.4), np.ones((2, 3, 5, 5))
    seen = set()
    for _ in range(40):
        y = np.asarray(m.forward(x))
        assert (y == y[:1, :1]).all()
        zero = y[0, 0] == 0
        same(y[0, 0][~zero], np.full(15, 1 / 0.6), rtol=1e-5)
        sides = {"top": zero[:2].all(), "bottom": zero[3:].all(), "left": zero[:, :2].all(), "right": zero[:, 3:].all()}
        (side,) = [name for name, dropped in sides.items() if dropped]
        seen.add(side)
    assert seen == {"top", "bottom", "left", "right"}
    m.evaluate()
    same(m.forward(x), x)


def test_uniform_crop_takes_every_place():
    m = nn.SpatialUniformCrop(2, 3)
    x = np.broadcast_to(np.arange(20.0).reshape(1, 1, 4, 5), (200, 1, 4, 5))
    corners = set(np.asarray(m.forward(x))[:, 0, 0, 0].astype(int))
    assert corners == {5 * row + column for row in range(3) for column in range(3)}
    m.evaluate()
    same(np.asarray(m.forward(x))[0, 0], x[0, 0, 1:3, 1:4])
    whole = nn.SpatialUniformCrop(4, 5)
    same(whole.forward(x[:1]), x[:1])


def test_colour_transforms_shift_each_channel_of_each_image():
    x = values(50, 3, 2, 2)
    for module, scale in [
        (nn.SimpleColorTransform(3, torch.Tensor([0.5, 0, 2])), [0.5, 0, 2]),
        (
            nn.PCAColorTransform(3, torch.Tensor([[1, 0, 0], [0, 1, 0], [0, 0, 1]]), torch.Tensor([0.5, 0, 2]), 0.1),
            None,
        ),
    ]:
        shift = np.asarray(module.double().forward(x)) - x
        assert np.ptp(shift, axis=(2, 3)).max() < 1e-9
        shift = shift[:, :, 0, 0]
        assert np.abs(shift[:, 1]).max() < 1e-9 and shift[:, 0].std() > 0.01
        assert scale is None or (np.abs(shift) <= np.asarray(scale) + 1e-9).all()
        assert shift[:, 2].std() == pytest.approx((2 / 3**0.5 if scale else 0.2), rel=0.3)
        module.evaluate()
        same(module.forward(x), x)


# Blocks --------------------------------------------------------------------------------------------------------------


def test_inception_takes_every_key_of_its_table():
    config = {
        "inputSize": 3, "outputSize": [4, 5], "reduceSize": [2, 2, 3, 6], "reduceStride": [1, 1, 1, 2],
        "batchNorm": True, "transfer": nn.Tanh(), "kernelSize": [3, 5], "kernelStride": [2, 2], "padding": False,
        "poolSize": 2, "poolStride": 2, "pool": nn.SpatialAveragePooling(2, 2, 2, 2),
    }  # fmt: skip
    m = nn.Inception(config)
    assert m.forward(values(2, 3, 9, 9)).size() == [2, 4 + 5 + 3 + 6, 5, 5]
    names = [type(module).__name__ for module in m.listModules()]
    counts = {name: names.count(name) for name in set(names)}
    assert counts["SpatialConvolution"] == counts["SpatialBatchNormalization"] == counts["Tanh"] == 6
    assert counts["SpatialAveragePooling"] == 1 and "SpatialMaxPooling" not in counts
    column = m.get(1).get(1)
    assert str(column.get(4)) == "nn.SpatialConvolution(2 -> 4, 3x3, 2,2)"
    with pytest.warns(UserWarning, match=r"strides are \[1, 1, 2\]"):
        nn.Inception({"inputSize": 1, "outputSize": [1, 1], "reduceSize": [1, 1], "poolStride": 2})
    with pytest.raises(TypeError, match="poolsizes"):
        nn.Inception({**config, "poolSizes": 3})
    of_class = {**config, "transfer": nn.Tanh}  # as dpnn documents it: "transfer function like nn.Tanh"
    assert str(nn.Inception(of_class)) == str(m)


def test_fire_module_prints_its_planes():
    m = nn.FireModule(3, 2, 4, 5)
    assert m.forward(values(2, 3, 6, 7)).size() == [2, 9, 6, 7]
    assert "3 -> Squeeze Planes: 2 -> Expand: 4(1x1) + 5(3x3)" in str(m)
    with pytest.raises(ValueError, match=r"no module is called nn\.Relu"):
        nn.FireModule(3, 2, 4, 5, "Relu")
    with pytest.warns(UserWarning, match="limits nothing"):
        nn.FireModule(3, 10, 4, 5)


def test_binary_convolution_learns_real_weights():
    m, x, g = nn.SpatialBinaryConvolution(2, 3, 2, 2).double(), values(4, 2, 5, 5), values(4, 3, 4, 4, seed=1)
    weight = np.array(m.weight)
    plain = nn.SpatialConvolution(2, 3, 2, 2).noBias().double()
    plain.weight.copy(np.where(weight >= 0, 1, -1))
    alpha = np.abs(weight).mean((1, 2, 3)).reshape(1, 3, 1, 1)
    same(m.forward(x), np.asarray(plain.forward(x)) * alpha)
    for each in (m, plain):
        each.zeroGradParameters()
    same(m.backward(x, g), np.asarray(plain.backward(x, g)) * np.abs(weight).mean((0, 2, 3)).reshape(1, 2, 1, 1))
    same(m.gradWeight, plain.gradWeight)
    m.updateParameters(0.1)
    same(m.weight, weight - 0.1 * np.asarray(plain.gradWeight))


def test_binary_convolution_can_be_made_binary():
    m = nn.SpatialBinaryConvolution(2, 3, 2, 2).double()
    m.weight[1][1][1][1] = 0
    weight = np.array(m.weight)
    m.binarizeWeight()
    same(m.weight, np.where(weight >= 0, 1, -1))
    same(m.tempWeight, weight)
    same(m.alphas, np.abs(weight).reshape(3, 8).sum(1) / 8)
    same(m.gradInputAlphas, np.abs(weight).transpose(1, 0, 2, 3).reshape(2, 12).sum(1) / 12)


# Sizes ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make, wanted", [
    (lambda: nn.SpatialFullConvolution(2, 3, 3, 3, 2, 2, 1, 1), (3, 6, 7)),
    (lambda: nn.VolumetricFullConvolution(2, 3, 2, 3, 3, 2, 2, 2, 0, 1, 1), (3, 6, 6, 7)),
])  # fmt: skip
def test_full_convolution_takes_the_sizes_of_another_tensor(make, wanted):
    m = make()
    x, like = values(2, *(3,) * (len(wanted) - 2), 4), np.zeros((1, *wanted[1:]))
    assert m.forward([x, like]).size() == list(wanted)
    same(m.backward([x, like], values(*wanted))[1], like)


def test_the_kernel_must_fit():
    for make, shape in [
        (lambda: nn.SpatialConvolution(1, 1, 5, 3), (1, 4, 4)),
        (lambda: nn.SpatialDilatedConvolution(1, 1, 3, 3, 1, 1, 0, 0, 2, 2), (1, 4, 9)),
        (lambda: nn.VolumetricConvolution(1, 1, 5, 1, 1), (1, 4, 4, 4)),
        (lambda: nn.SpatialMaxPooling(5, 5), (1, 4, 4)),
        (lambda: nn.SpatialSubSampling(1, 5, 5), (1, 4, 4)),
        (lambda: nn.TemporalConvolution(2, 2, 4), (3, 2)),
    ]:
        module = make()
        with pytest.raises(ValueError, match=r"expected an input that .* no smaller than the kernel") as caught:
            module.forward(values(*shape))
        assert str(caught.value).startswith(str(module))
    with pytest.raises(ValueError, match="whose output has at least one element"):
        nn.SpatialFullConvolution(1, 1, 1, 1, 1, 1, 2, 2).forward(values(1, 3, 3))


def test_impossible_arguments():
    for make, message in [
        (lambda: nn.SpatialConvolution(0, 1, 3, 3), "n_input_plane >= 1, got 0"),
        (lambda: nn.SpatialConvolution(1, 1, 0, 3), "expected kw >= 1, got 0"),
        (lambda: nn.SpatialDilatedConvolution(1, 1, 3, 3, 1, 1, 0, 0, 0), "expected dilationw >= 1"),
        (lambda: nn.SpatialMaxPooling(2, 2, 2, 2, 2, 0), "pad should be smaller than half of kernel size"),
        (lambda: nn.SpatialFullConvolution(1, 1, 3, 3, 2, 2, 0, 0, 2, 0), "adjustments smaller than the stride"),
        (lambda: nn.SpatialConvolutionLocal(1, 1, 3, 3, 5, 5), "no smaller than the kernel"),
        (lambda: nn.SpatialConvolutionMap([[0, 1]], 3, 3), r"a table of \(input, output\) planes"),
        (lambda: nn.SpatialSubtractiveNormalization(1, np.ones((2, 3))), "ODD dimensions"),
        (lambda: nn.SpatialDivisiveNormalization(1, np.ones((3, 3, 3))), "averaging kernel must be 2D or 1D"),
        (lambda: nn.SpatialUpSamplingNearest(1.5), "a whole scale >= 1, got 1.5"),
        (lambda: nn.UpSampling({"oheight": 2, "owidth": 3}), "nearest neighbour upsampling requires a scale_factor"),
        (lambda: nn.UpSampling({"oheight": 2}, "linear"), "height and width parameters are required"),
        (lambda: nn.SpatialFractionalMaxPooling(2, 2, 0, 2), r"sizes >= 1 or ratios in \(0, 1\), got 0"),
        (lambda: nn.SpatialRegionDropout(1), "expected 0 <= p < 1"),
        (lambda: nn.SpatialFeatNormalization([[1]]), "Mean/Std should be 1D"),
        (lambda: nn.SimpleColorTransform(3, [1, 2]), "don't match"),
        (lambda: nn.PCAColorTransform(3, np.eye(2), [1, 2, 3]), "3 x 3 eigen vectors"),
        (lambda: nn.FeatureLPPooling(1, 1, 2), "a width from 2 to 16"),
    ]:
        with pytest.raises(ValueError, match=message):
            make()
    with pytest.raises(TypeError, match="expected a number minval"):
        nn.Clip("0", 1)


def test_volumes_need_a_depth():
    with pytest.raises(ValueError, match="an image, as no output depth was given"):
        nn.UpSampling({"oheight": 2, "owidth": 3}, "linear").forward(values(1, 1, 2, 2, 2))
    sized = nn.UpSampling({"odepth": 3, "oheight": 2, "owidth": 3}, "trilinear")
    assert sized.forward(values(1, 1, 2, 2, 2)).size() == [1, 1, 3, 2, 3]


def test_reflection_needs_room():
    with pytest.raises(ValueError, match="expected images larger than the padding"):
        nn.SpatialReflectionPadding(3).forward(values(1, 3, 3))


def test_a_functional_unpooling_takes_indices():
    pool = f7.SpatialMaxPooling(2, 2)
    unpool = f7.SpatialMaxUnpooling(pool)
    x, index = np.array([[[5.0]]], np.float32), np.array([[[2]]])
    same(unpool.apply({}, {}, [x, index])[0], [[[0, 5], [0, 0]]])
    same(unpool.apply({}, {}, [x, index, np.zeros((1, 3, 3))])[0], [[[0, 5, 0], [0, 0, 0], [0, 0, 0]]])
    with pytest.raises(ValueError, match="indices from 1 to 4, got 5"):
        unpool.apply({}, {}, [x, index + 3])


@pytest.mark.parametrize("volumes", [False, True])
def test_the_gradient_at_an_input_of_which_only_the_size_counts_is_a_single_zero(volumes):
    make, sizes = (nn.VolumetricFullConvolution, (3, 3, 3)) if volumes else (nn.SpatialFullConvolution, (3, 3))
    strides, planes = [2] * len(sizes), (2, *sizes)
    module = make(2, 1, *sizes, *strides)
    adjusted = make(2, 1, *sizes, *strides, *[0] * len(sizes), *[1] * len(sizes))
    adjusted.weight.copy(module.weight)
    x, like = values(*planes), torch.zeros(*[8] * len(sizes))
    output = module.forward([x, like])
    assert output.shape == (1, *like.shape)
    adjusted.forward(x)
    g = values(*output.shape, seed=1)
    first, second = module.backward([x, like], g)
    same(first, adjusted.backward(x, g), rtol=1e-5)
    assert module.gradInput[1] is second and second.shape == like.shape
    assert second.storage().size() == 1 and second.storage()[1] == 0


def test_local_kernels_of_other_sizes_are_read_in_their_order():
    """Planes of input and output exchanged, as programs repeat a convolution's weight for every place."""
    local, conv = nn.SpatialConvolutionLocal(3, 2, 4, 4, 2, 2), nn.SpatialConvolution(3, 2, 2, 2)
    local.bias.repeatTensor(conv.bias.view(2, 1, 1), 1, 3, 3)
    local.weight.repeatTensor(conv.weight.view(1, 1, 3, 2, 2, 2), 3, 3, 1, 1, 1, 1)
    x, g = values(5, 3, 4, 4), values(5, 2, 3, 3, seed=1)
    same(local.forward(x), conv.forward(x), rtol=1e-4, atol=1e-5)
    same(local.backward(x, g), conv.backward(x, g), rtol=1e-4, atol=1e-5)
    summed = np.asarray(local.gradWeight).reshape(9, -1).sum(0)
    same(summed, np.asarray(conv.gradWeight).reshape(-1), rtol=1e-4, atol=1e-5)
    local.weight = local.weight.clone()
    same(local.forward(x), conv.forward(x), rtol=1e-4, atol=1e-5)
    local.weight = torch.randn(5)
    with pytest.raises(ValueError, match=r"expected params\['weight'\] of shape \(3, 3, 2, 3, 2, 2\), got"):
        local.forward(x)
