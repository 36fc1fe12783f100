"""The picture of dpnn's image layers."""

import numpy as np
import pytest

pytest.importorskip("sklearn")
pytest.importorskip("matplotlib")
from examples import vision

pytestmark = pytest.mark.slow


def test_rows_show_what_their_layers_do():
    image = vision.photograph(32)
    assert image.shape == (3, 32, 48) and 0 <= image.min() < image.max() <= 1
    rows = vision.rows(image)
    assert {len(images) for images in rows.values()} == {vision.COLUMNS}
    shapes = {name.split(",")[0]: np.shape(images[-1]) for name, images in rows.items()}
    assert shapes["SpatialGlimpse"] == (3, 4, 4)
    assert shapes["SpatialUniformCrop"] == (3, 16, 24)
    dropped = [int((np.asarray(y) == 0).all(0).sum()) for y in rows["SpatialRegionDropout"]]
    assert set(dropped) <= {9 * 48, 14 * 32}
    for name in ("SimpleColorTransform", "PCAColorTransform"):
        for changed in rows[name]:
            shift = np.asarray(changed - image)
            assert np.ptp(shift, axis=(1, 2)).max() < 1e-5 and np.abs(shift).max() > 1e-3


def test_the_picture_is_written(tmp_path, capsys):
    vision.main(["--output", str(tmp_path / "vision.png")])
    assert (tmp_path / "vision.png").read_bytes().startswith(b"\x89PNG")
    assert "wrote" in capsys.readouterr().out
