"""What recipes do to images: distortion, clutter, and several draws of what a network looks at."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import functorch7 as f7
from functorch7 import recipes
from functorch7.data import TensorLoader
from functorch7.recipes.attention import ClassAndReward, FirstIsRight
from functorch7.recipes.canvas import OnCanvas
from functorch7.recipes.distortion import Distorted
from functorch7.recipes.glimpses import corners
from functorch7.recipes.images import digits


def images(count=4, side=9):
    drawn = np.random.default_rng(0).uniform(0.5, 1, (count, 1, side, side)).astype(np.float32)
    return TensorLoader(drawn, np.arange(count) + 1)


def test_places_never_lose_their_gradient_at_the_bound():
    locator = recipes.load("attention-plain").locator()
    params, buffers = locator.init(jax.random.key(0), stdv=0.1)
    states = 10 * jax.random.normal(jax.random.key(1), (64, 256))

    def loss(params, reward):
        _, new = locator.apply(params, buffers, states, key=jax.random.key(2), train=True)
        return f7.reinforce_loss(new, reward)

    of_each = jax.jit(jax.vmap(jax.grad(loss), (None, 0)))(params, jnp.eye(64))
    assert (np.abs(f7.state_dict(locator, f7.Variables(of_each, buffers))["3.bias"]) > 0).all()


def test_digits_are_those_that_scikit_learn_gives():
    bunch = pytest.importorskip("sklearn.datasets").load_digits()
    parts = digits()
    assert [part.size() for part in parts] == [1297, 250, 250]
    np.testing.assert_array_equal(np.concatenate([part.inputs[:, 0] for part in parts]), bunch.images / 16)
    np.testing.assert_array_equal(np.concatenate([part.targets for part in parts]), bunch.target + 1)


def test_what_is_not_distorted_stays():
    found, classes = Distorted(images(), 0, 0, 0).index([3, 1], seed=1)
    np.testing.assert_allclose(found, images().inputs[[2, 0]], atol=1e-6)
    assert classes.tolist() == [3, 1]


@pytest.mark.parametrize(
    ("ways", "moved"),
    [
        ((90, 0, 0), lambda x, y, turn, _: (np.cos(turn) * x - np.sin(turn) * y, np.sin(turn) * x + np.cos(turn) * y)),
        ((0, 0, 3), lambda x, y, _, shift: (x + shift[0], y + shift[1])),
    ],
)
def test_images_are_turned_and_moved(ways, moved):
    """A smooth image at the places that a turn about the centre, or a shift, takes them from: some such fits."""
    rows, columns = np.mgrid[-15:16, -15:16].astype(float)

    def blob(row, column):
        return np.exp(-((row - 3) ** 2) / 20 - (column + 4) ** 2 / 40)

    found, _ = Distorted(TensorLoader(blob(rows, columns)[None, None], np.ones(1)), *ways).index([1], seed=5)
    turns = np.radians(np.linspace(-90, 90, 721)) if ways[0] else [0]
    shifts = np.mgrid[-3:3:61j, -3:3:61j].reshape(2, -1).T if ways[2] else [np.zeros(2)]
    errors = [
        np.abs(blob(*moved(rows, columns, turn, shift)) - found[0, 0])[5:-5, 5:-5].max()
        for turn in turns
        for shift in shifts
    ]
    assert min(errors) < 0.03 < np.abs(blob(rows, columns) - found[0, 0]).max()


def test_clutter_is_pieces_of_images():
    """Of images that are all of one brightness: the image is whole, and pieces of 3 x 3 add to what is bright."""
    bright = TensorLoader(np.ones((50, 1, 5, 5), np.float32), np.ones(50))
    plain, _ = OnCanvas(bright, 30).index(np.arange(50) + 1, seed=2)
    found, _ = OnCanvas(bright, 30, 2, 3).index(np.arange(50) + 1, seed=2)
    assert (plain.sum((1, 2, 3)) == 25).all()
    sums = found.sum((1, 2, 3))
    assert ((sums >= 25) & (sums <= 43)).all() and (sums == 43).sum() > 25
    with pytest.raises(ValueError, match="piece: expected at most 5, the images' size, got 8"):
        OnCanvas(bright, 30, 1)


def test_images_that_are_drawn_need_a_seed():
    for loader in (OnCanvas(images(), 40), Distorted(images(), 10, 0, 0)):
        with pytest.raises(ValueError, match="draws random numbers; pass seed="):
            next(loader.batches(2))


def test_each_draw_is_compared_with_the_others_of_its_image():
    """Two images, three draws: right are both draws but one, and one of three."""
    right, wrong = [0.0, -5.0], [-5.0, 0.0]
    scores = jnp.array([right, wrong, right, right, wrong, wrong])  # draws of images 1 and 2 in turns
    output = [scores, [scores, jnp.full((6, 1), 0.7)]]
    found = ClassAndReward().advantage(output, jnp.array([1, 1])).reshape(3, 2)
    np.testing.assert_allclose(found[:, 0], np.array([1 - 0.5, 1 - 0.5, 0 - 1]) / 6, atol=1e-6)
    np.testing.assert_allclose(found[:, 1], np.array([0 - 0.5, 1 - 0, 0 - 0.5]) / 6, atol=1e-6)


def test_probabilities_of_draws_are_averaged():
    chances = np.full((4, 10), 0.02)
    chances[[0, 2, 1, 3], [0, 0, 4, 4]] = 0.1, 0.7, 0.6, 0.3  # image 1: class 1; image 2: class 5 ...
    chances[[0, 3], [6, 7]] = 0.72, 0.52  # ... but one draw of each has another
    output = [jnp.log(chances), None]
    assert FirstIsRight().measure(output, jnp.array([1, 5]))[0] == 2


def test_glimpses_are_framed_where_they_are_cut():
    """A pixel of the image is the first of the glimpse there, which SpatialGlimpse cuts at the same place."""
    image = np.arange(1.0, 101, dtype=np.float32).reshape(1, 1, 10, 10)
    for place in np.random.default_rng(0).uniform(-0.4, 0.4, (20, 1, 2)).astype(np.float32):
        patch, _ = f7.SpatialGlimpse(4, 1, 2).apply({}, {}, [jnp.asarray(image), jnp.asarray(place)])
        y, x = corners(place, 10, 4)[0].astype(int)
        assert patch.reshape(-1)[0] == image[0, 0, y, x]


def test_an_epoch_with_several_draws(tmp_path):
    """The recipe, small: drawn places in training and evaluation; better than any one class."""
    small = {
        "dataset": "digits", "canvas": 8, "patch": 4, "steps": 2, "hidden_size": 32, "sensor_size": 16, "epochs": 2,
        "locator_size": 8, "test_draws": 2, "schedule": {1: 3e-3}, "learning_rate": 5e-3, "batch_size": 32,
    }  # fmt: skip
    recipe = recipes.load("attention-plain", small)
    valid = recipe.task().validation
    assert all((one == other).all() for (one, _), (other, _) in zip(valid.batches(64), valid.batches(64), strict=True))
    outcome = recipes.run(recipe, verbose=False)
    assert outcome.test["FirstIsRight"] > 0.15
    output, _ = outcome.task.module.apply(*outcome.result.state[:2], jnp.zeros((3, 1, 8, 8)), key=jax.random.key(0))
    assert output[0].shape == (6, 10)
    pytest.importorskip("matplotlib")
    recipe.draw(outcome.task, *outcome.result.state[:2], tmp_path)
    assert (tmp_path / "glimpses.png").read_bytes().startswith(b"\x89PNG")
