"""The applications of docs/applications/ learn, and draw their pictures."""

import datetime

import alternating
import jax
import numpy as np
import pytest

import functorch7 as f7
from examples import cart_pole, pictures, resnet, style, translate, writer

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


def test_dates_are_written_as_people_do():
    date = datetime.date(2014, 3, 22)
    assert [translate.spoken(date, form) for form in translate.FORMS] == [
        "22 March 2014", "March 22, 2014", "the 22nd of March, 2014", "March 22nd 2014"
    ]  # fmt: skip
    (source, before), target = translate.batch(np.random.default_rng(0), 50)
    assert source.shape == (50, translate.LENGTH) and source.min() >= 1 and source.max() <= len(translate.LETTERS)
    np.testing.assert_array_equal(before[:, 1:], target[:, :-1])


def test_the_translator_learns_the_form_and_looks_at_all_of_a_date_once(tmp_path):
    state, losses = translate.train(25, count=16)
    assert losses[-5:].mean() < 0.8 * losses[:5].mean()
    written, attention = translate.translate(state, ["March 9, 2014"])
    assert len(written[0]) == 10 and attention.shape == (1, 10, translate.LENGTH)
    np.testing.assert_allclose(attention.sum(2), 1, rtol=1e-5)
    translate.picture(tmp_path / "translate.png", "March 9, 2014", written[0], attention[0])
    assert (tmp_path / "translate.png").read_bytes().startswith(PNG)


def test_the_residual_network_learns_digits(tmp_path, monkeypatch):
    monkeypatch.setattr(resnet, "BATCH", 32)
    digits, classes = pictures.digits()
    images = resnet.as_images(digits[:256])
    _, losses = resnet.train(f7.zoo.resnet(8), images, classes[:256], 12)
    assert losses[-3:].mean() < 0.9 * losses[:3].mean()
    found = np.random.default_rng(0).dirichlet(np.ones(10), 256)
    pictures.save_rows(tmp_path / "resnet.png", resnet.rows(images, classes[:256], found, 2))
    assert (tmp_path / "resnet.png").read_bytes().startswith(PNG)


def test_a_digit_is_moved_by_a_pixel_at_most():
    image = np.zeros((1, 3, 8, 8), np.float32)
    image[:, :, 4, 4] = 1
    places = [np.argwhere(resnet.moved(image, np.random.default_rng(i))[0, 0])[0] for i in range(40)]
    assert {tuple(place) for place in places} == {(y, x) for y in (3, 4, 5) for x in (3, 4, 5)}


def test_the_policy_gradients_picture_is_drawn(tmp_path):
    cart_pole.picture(tmp_path / "cart_pole.png", [20.0, 100.0, 200.0])
    assert (tmp_path / "cart_pole.png").read_bytes().startswith(PNG)


def test_a_text_is_drawn_with_what_the_network_expected(tmp_path, capsys):
    run = alternating.trained(tmp_path)
    places = writer.read(writer.of_run(run), "ab c", 9, temperature=0)
    assert "".join(place.written for place in places) == "ab cd\nef gh\na"
    assert not places[0].guesses
    assert all(place.guesses[0][0] == place.written for place in places[4:])  # at temperature 0 the likeliest is taken
    for place in places[1:]:
        chances = [chance for _, chance in place.guesses]
        assert chances == sorted(chances, reverse=True) and 0 < sum(chances) <= 1 + 1e-5
    arguments = ["--prime", "ab", "--length", "70", "--temperature", "0", "--output", str(tmp_path / "writer.png")]
    writer.main([str(run), *arguments])
    assert capsys.readouterr().out == ("ab cd\nef gh\n" * 6)[:72] + "\n"
    assert (tmp_path / "writer.png").read_bytes().startswith(PNG)
