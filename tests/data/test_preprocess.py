"""What is done to data before training: images normalised by channel, scaling, thresholds."""

import numpy as np
import pytest

from functorch7.data import ImageNormalize, TensorLoader, binarize, fit_image_normalize, rescale


def test_images_are_normalised_by_channel_for_any_number_of_samples(tmp_path):
    random = np.random.default_rng(0)
    images = (random.normal(size=(50, 3, 6, 6)) * [[[1]], [[2]], [[3]]] + 5).astype(np.float32)
    loader = TensorLoader(images, np.ones(50))
    normalize = fit_image_normalize(loader, 50, tmp_path / "normal.npz", iterator="subiter")
    parts = images[:32], images[32:]
    std = sum(part.std((0, 2, 3), ddof=1, dtype=float) * len(part) for part in parts) / 50
    np.testing.assert_allclose(normalize.mean, images.mean((0, 2, 3), dtype=float), rtol=1e-6)
    np.testing.assert_allclose(normalize.std, std, rtol=1e-6)
    given = images.copy()
    normal = normalize(given)
    assert normal.dtype == np.float32 and (given == images).all()
    np.testing.assert_allclose(normal, (images - images.mean((0, 2, 3))[:, None, None]) / std[:, None, None], atol=1e-4)
    again = fit_image_normalize(TensorLoader(images * 0, np.ones(50)), 50, tmp_path / "normal.npz", seed=0)
    np.testing.assert_array_equal(again.mean, normalize.mean)
    assert isinstance(again, ImageNormalize)


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float16", "float64"])
def test_normalised_images_of_any_type_are_those_of_the_formula(dtype):
    pixels = np.arange(90, 190, 10).reshape(1, 1, 2, 5)
    found = ImageNormalize(np.array([130.5]), np.array([2.5]))(pixels.astype(dtype))
    np.testing.assert_allclose(found, (pixels - 130.5) / 2.5, rtol=1e-3)


def test_a_last_batch_of_one_vector_has_no_deviation_of_its_own():
    vectors = np.random.default_rng(0).normal(size=(33, 4))
    found = fit_image_normalize(TensorLoader(vectors, np.ones(33)), 33, iterator="subiter")
    np.testing.assert_allclose(found.mean, vectors.mean(0))
    np.testing.assert_allclose(found.std, vectors[:32].std(0, ddof=1))
    with pytest.raises(ValueError, match="several numbers of each channel in a batch, got one"):
        fit_image_normalize(TensorLoader(vectors, np.ones(33)), 1, seed=0)


def test_normalising_needs_one_array_and_a_seed():
    with pytest.raises(TypeError, match="inputs that are one array, got a table"):
        fit_image_normalize(TensorLoader([np.ones((2, 3))], np.ones(2)), 2, seed=0)
    vectors = TensorLoader(np.ones((2, 3)), np.ones(2))
    with pytest.raises(ValueError, match="draws random numbers"):
        fit_image_normalize(vectors, 2)
    with pytest.raises(ValueError, match='expected iterator "sampleiter" or "subiter", got \'sub\''):
        fit_image_normalize(vectors, 2, iterator="sub")
    with pytest.raises(ValueError, match="fit_image_normalize: expected n_samples of at least 1, got 0"):
        fit_image_normalize(vectors, 0, seed=0)
    with pytest.raises(ValueError, match="expected dim from 1 to 2, got 3"):
        fit_image_normalize(vectors, 2, dim=3, seed=0)


def test_rescale_and_binarize():
    data = np.array([[0, 5], [10, 20]])
    np.testing.assert_allclose(rescale(data, -1, 1), [[-1, -0.5], [0, 1]])
    np.testing.assert_allclose(rescale(data.astype(float), 0, 1, 0, 40), data / 40)
    np.testing.assert_allclose(rescale([0, 5], 0, 1), [0, 1])
    np.testing.assert_array_equal(binarize([-1.0, 0, 0.5, 1], 0), [0, 1, 1, 1])
    with pytest.raises(ValueError, match="more than one value, got only 3"):
        rescale(np.full(4, 3), 0, 1)
    with pytest.raises(ValueError, match="expected data, got an empty array"):
        rescale([], 0, 1)
