"""nnx's SpatialReSampling beside its C code written out, and in dpnn's glimpses."""

import numpy as np
import pytest

from functorch7.legacy import nn, torch

from .helpers import same


def interpolated(image, height, width):
    """As nnx's C code has it: pixel by pixel, of its four neighbours."""
    h, w = image.shape[-2:]
    result = np.zeros((*image.shape[:-2], height, width))
    for y, x in np.ndindex(height, width):
        iy, ix = y * (h - 1) / (height - 1), x * (w - 1) / (width - 1)
        north, west = int(iy), int(ix)
        south, east = min(north + 1, h - 1), min(west + 1, w - 1)
        dy, dx = iy - north, ix - west
        upper = image[..., north, west] * (1 - dx) + image[..., north, east] * dx
        lower = image[..., south, west] * (1 - dx) + image[..., south, east] * dx
        result[..., y, x] = upper * (1 - dy) + lower * dy
    return result


def test_resampling_by_sizes_and_ratios():
    image = np.random.default_rng(0).normal(size=(2, 5, 7))
    by_size = nn.SpatialReSampling({"owidth": 4, "oheight": 9}).double()
    np.testing.assert_allclose(by_size.forward(torch.DoubleTensor(image)), interpolated(image, 9, 4), atol=1e-6)
    halved = nn.SpatialReSampling(0.5, 0.5).double()
    np.testing.assert_allclose(halved.forward(torch.DoubleTensor(image)), interpolated(image, 2, 3), atol=1e-6)
    with pytest.raises(ValueError, match="expected oheight, or rheight above 0"):
        nn.SpatialReSampling({"owidth": 4})
    with pytest.raises(ValueError, match="no such arguments: size"):
        nn.SpatialReSampling({"size": 4})


def test_the_gradient_of_resampling_goes_by_its_own_size():
    image, gradient = torch.rand(2, 6, 5), torch.rand(2, 3, 4)
    fitting, other = nn.SpatialReSampling(None, None, 4, 3), nn.SpatialReSampling(None, None, 8, 8)
    fitting.forward(image)
    np.testing.assert_array_equal(other.updateGradInput(image, gradient), fitting.backward(image, gradient))


def test_the_module_of_a_glimpse_says_how_patches_are_reduced(tmp_path):
    image, centre = torch.rand(1, 16, 16), torch.zeros(2)
    glimpse = nn.SpatialGlimpse(4, 2)
    averaged = glimpse.forward([image, centre])
    patch = image.narrow(2, 5, 8).narrow(3, 5, 8)
    assert torch.type(glimpse.module) == "nn.SpatialAveragePooling"
    same(averaged[2], nn.SpatialAveragePooling(2, 2, 2, 2).forward(patch)[1])
    glimpse.module = nn.SpatialReSampling({"owidth": 4, "oheight": 4})
    expected = nn.SpatialReSampling({"owidth": 4, "oheight": 4}).forward(patch)[1]
    torch.save(str(tmp_path / "glimpse.t7"), glimpse)
    for each in (glimpse, glimpse.clone(), torch.load(str(tmp_path / "glimpse.t7"))):
        assert torch.type(each.module) == "nn.SpatialReSampling"
        same(each.forward([image, centre])[2], expected)
    with pytest.raises(TypeError, match="expected a SpatialAveragePooling or SpatialReSampling, got nn.Tanh"):
        glimpse.module = nn.Tanh()
