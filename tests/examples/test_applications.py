"""The applications of docs/applications.md learn, and draw their pictures."""

import jax
import numpy as np
import pytest

from examples import pictures, style

pytestmark = pytest.mark.slow
PNG = b"\x89PNG"


@pytest.fixture(autouse=True)
def as_a_user():
    """JAX's default settings, as programs have them."""
    with jax.numpy_rank_promotion("allow"), jax.numpy_dtype_promotion("standard"):
        yield


def test_the_autoencoder_learns_and_draws(tmp_path):
    from examples import vae

    images, classes = pictures.digits()
    assert images.shape == (1797, 64) and images.max() == 1 and set(classes) == set(range(1, 11))
    params, losses = vae.train(images, 60)
    assert losses[-10:].mean() < 0.8 * losses[:10].mean()
    pictures.save_rows(tmp_path / "vae.png", vae.rows(params, images, 3))
    assert (tmp_path / "vae.png").read_bytes().startswith(PNG)


def test_the_critic_learns_from_what_the_generator_draws(tmp_path, capsys):
    from examples import gan  # it makes its networks when it is imported

    gan.main(["--steps", "40", "--output", str(tmp_path / "gan.png")])
    critic = float(capsys.readouterr().out.split("critic ")[1].split(",")[0])
    assert critic < np.log(2)  # what knowing nothing costs
    assert (tmp_path / "gan.png").read_bytes().startswith(PNG)


def test_pixels_come_nearer_to_both_photographs(tmp_path, capsys):
    style.main(["--steps", "12", "--size", "16", "--output", str(tmp_path / "style.png")])
    words = capsys.readouterr().out.split()
    assert float(words[words.index("first,") + 1]) < 0.9 * float(words[1])
    assert (tmp_path / "style.png").read_bytes().startswith(PNG)
