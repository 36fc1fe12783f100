"""The recurrent model for visual attention."""

import gzip
import importlib

import numpy as np
import pytest

pytestmark = pytest.mark.slow
script = importlib.import_module("visual_attention")


def test_digits_are_recognised_through_glimpses(tmp_path, capsys):
    """In 600 of the 4,000 iterations: far above the tenth that guessing gives."""
    pytest.importorskip("matplotlib")
    picture = tmp_path / "glimpses.png"
    assert script.main(["--iterations", "600", "--plot", str(picture)]) > 0.3
    assert picture.read_bytes().startswith(b"\x89PNG")
    printed = capsys.readouterr().out
    assert printed.count("right") == 10 and f"wrote {picture}" in printed


def test_images_are_placed_whole_and_anywhere():
    images = np.random.default_rng(0).uniform(0.1, 1, (500, 3, 2)).astype(np.float32)
    wide = script.placed(images, 6, np.random.default_rng(1))
    assert wide.shape == (500, 1, 6, 6) and wide.dtype == np.float32
    corners = set()
    for canvas, image in zip(wide[:, 0], images, strict=True):
        ys, xs = np.nonzero(canvas)
        corners.add((ys.min(), xs.min()))
        np.testing.assert_array_equal(canvas[ys.min() : ys.max() + 1, xs.min() : xs.max() + 1], image)
    assert corners == {(y, x) for y in range(4) for x in range(5)}


def test_idx_files_are_read_plain_and_gzipped(tmp_path):
    """The format by Yann LeCun's description: 0, 0, 8 for bytes, the rank, big-endian sizes, the elements."""
    images = np.arange(2 * 3 * 4, dtype=np.uint8).reshape(2, 3, 4)
    labels = np.array([7, 0], np.uint8)
    for part in ("train", "t10k"):
        header = bytes([0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4])
        (tmp_path / f"{part}-images-idx3-ubyte").write_bytes(header + images.tobytes())
        packed = gzip.compress(bytes([0, 0, 8, 1, 0, 0, 0, 2]) + labels.tobytes())
        (tmp_path / f"{part}-labels-idx1-ubyte.gz").write_bytes(packed)
    data = script.mnist(tmp_path)
    for found, digits in (data.training, data.test):
        np.testing.assert_allclose(found, images / 255, rtol=1e-6)
        np.testing.assert_array_equal(digits, labels)
    (tmp_path / "t10k-images-idx3-ubyte").write_bytes(header + images.tobytes()[:-1])
    with pytest.raises(ValueError, match=r"t10k-images-idx3-ubyte: expected 24 elements \(\[2 3 4\]\), got 23"):
        script.mnist(tmp_path)
    (tmp_path / "t10k-images-idx3-ubyte").write_bytes(b"<html>")
    with pytest.raises(ValueError, match="expected an IDX file of bytes, got one that starts with b'<htm'"):
        script.mnist(tmp_path)


def test_less_than_one_iteration_is_an_error(capsys):
    with pytest.raises(SystemExit):
        script.main(["--iterations", "0"])
    assert "--iterations: expected at least 1, got 0" in capsys.readouterr().err
