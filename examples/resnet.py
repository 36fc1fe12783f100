"""A residual network of the zoo reads handwritten digits.

    python -m examples.resnet [--steps 400] [--depth 8] [--output resnet.png]

Each block adds to what it is given: y = relu(x + f(x)). In training, digits are moved by up to one pixel.
Source: He, Zhang, Ren & Sun, Deep Residual Learning for Image Recognition, 2016.
"""

import jax
import jax.numpy as jnp
import numpy as np
import optax

import functorch7 as f7
from examples import pictures
from functorch7.training import init_state, make_train_step

BATCH = 64
TESTED = 360
"""The last digits of the set, by other writers, are not trained on."""


def as_images(digits):
    """Rows of 64 values as images of three planes, as the zoo's networks take them."""
    return np.repeat(digits.reshape(-1, 1, 8, 8), 3, 1)


def moved(images, random):
    """Each image moved by up to a pixel in both directions."""
    padded = np.pad(images, ((0, 0), (0, 0), (1, 1), (1, 1)))
    across, down = random.integers(3, size=(2, len(images)))
    return np.stack([image[:, y : y + 8, x : x + 8] for image, x, y in zip(padded, across, down, strict=True)])


def train(network, images, classes, steps):
    """The state after so many steps, and the loss of each."""
    optimizer = optax.sgd(optax.cosine_decay_schedule(0.1, steps), momentum=0.9, nesterov=True)
    step = make_train_step(network, f7.CrossEntropyCriterion(), optimizer)
    state, losses, random = init_state(network, optimizer, jax.random.key(0)), [], np.random.default_rng(1)
    for _ in range(steps):
        drawn = random.integers(len(images), size=BATCH)
        state, metrics = step(state, (moved(images[drawn], random), classes[drawn]), None)
        losses.append(metrics["loss"])
    return state, np.array(losses)


def probabilities(network, state, images):
    """The network's probability of each class."""
    scores = jax.jit(network.apply)(state.params, state.buffers, images)[0]
    return np.asarray(jax.nn.softmax(scores))


def rows(images, classes, found, count=12):
    """What the picture shows: the digits of which the network is least sure, and those of which it is surest."""
    order = np.argsort(found[np.arange(len(classes)), classes - 1])
    return {"hardest": images[order[:count], 0], "easiest": images[order[-count:], 0]}


def main(arguments: list[str] | None = None) -> None:
    """Trains, says how many digits it reads rightly, and draws the hardest."""
    parser = pictures.options(__doc__, 400)
    parser.add_argument("--depth", type=int, default=8, help="layers, 6 n + 2 (8)")
    given = parser.parse_args(arguments)
    digits, classes = pictures.digits()
    images, network = as_images(digits), f7.zoo.resnet(given.depth)
    state, losses = train(network, images[:-TESTED], classes[:-TESTED], given.steps)
    found = probabilities(network, state, jnp.asarray(images[-TESTED:]))
    right = np.mean(found.argmax(1) + 1 == classes[-TESTED:])
    print(f"loss {losses[:10].mean():.2f} at first, {losses[-10:].mean():.3f} after {given.steps} steps")
    print(f"{100 * right:.1f} % of {TESTED} other digits right")
    if given.output:
        pictures.save_rows(given.output, rows(images[-TESTED:], classes[-TESTED:], found))


if __name__ == "__main__":
    main()
