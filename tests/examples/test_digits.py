"""The demo learns, writes what it promises, and its two ways agree."""

import re

import jax
import numpy as np
import pytest
from sklearn.datasets import load_digits

from examples import digits

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def data():
    return digits.load()


def test_every_image_is_used_once_with_its_own_class(data):
    (images, classes), (test_images, test_classes) = data
    assert len(images) == 1440 and len(test_images) == 357
    pixels = np.concatenate([images, test_images]).reshape(-1, 64) * 16
    labelled = np.column_stack([pixels, np.concatenate([classes, test_classes]) - 1])
    original = np.column_stack(load_digits(return_X_y=True))
    np.testing.assert_array_equal(sorted(map(tuple, labelled)), sorted(map(tuple, original)))


def test_demo_learns_and_writes_pictures_and_checkpoint(tmp_path, capsys, data):
    digits.main(["--out", str(tmp_path)])

    for picture in ("learning-curve.png", "predictions.png"):
        assert (tmp_path / picture).read_bytes().startswith(b"\x89PNG")
    images, classes = data[1]
    params, buffers = digits.restore(tmp_path / "checkpoint")
    output, _ = digits.network.apply(params, buffers, images)
    right = float(np.mean(np.argmax(output, 1) + 1 == classes))
    assert right >= 0.97
    printed = capsys.readouterr().out
    assert len(re.findall(r"^epoch +\d+  training loss \d", printed, re.MULTILINE)) == 15
    assert f"test accuracy {right:.2%}" in printed


def test_legacy_way_has_the_same_loss_at_every_step(data):
    variables = digits.network.init(jax.random.key(7))
    legacy, functional = digits.Legacy(variables), digits.Functional(variables)
    losses = digits.train(legacy, *data, epochs=2).losses
    np.testing.assert_allclose(losses, digits.train(functional, *data, epochs=2).losses, rtol=1e-5)
    assert losses[-1] < losses[0]
    assert legacy.model.functional()[0] == digits.network


def test_demo_fails_if_the_two_ways_differ(tmp_path, capsys, monkeypatch, data):
    (images, classes), test = data
    monkeypatch.setattr(digits, "load", lambda: ((images[:320], classes[:320]), test))

    class Wrong(digits.Legacy):
        def step(self, images, classes):
            loss = super().step(images, classes)
            self.model.updateParameters(1e-3)
            return loss

    arguments = ["--legacy", "--epochs", "1", "--out", str(tmp_path)]
    digits.main(arguments)
    assert "largest relative difference" in capsys.readouterr().out
    monkeypatch.setattr(digits, "Legacy", Wrong)
    with pytest.raises(SystemExit, match="differ by more than 1e-05"):
        digits.main(arguments)
