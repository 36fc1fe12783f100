"""A photograph in the manner of another: scikit-learn's palace with the texture of its flower.

    python -m examples.style [--steps 100] [--size 64] [--output style.png]

The pixels learn. What is kept of the palace are its coarse shapes; what is taken from the flower its colours, and the
Gram matrices of filters: how often which of them answer together. No trained network is shipped, so the filters are
drawn at random, which textures hardly mind.
Source: Gatys et al., Image Style Transfer, 2016; Ustyuzhaninov et al., Texture Synthesis Using Shallow Networks, 2016.
"""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
from matplotlib.figure import Figure
from sklearn.datasets import load_sample_image

import functorch7 as f7
from examples import pictures

WINDOWS = 3, 7, 11
FILTERS = 32
STYLE = 1e-3

columns = [
    f7.Sequential(f7.SpatialConvolution(3, FILTERS, k, k, 1, 1, k // 2, k // 2, bias=False), f7.ReLU()) for k in WINDOWS
]
network = f7.ConcatTable(*columns)  # filters of several sizes side by side
coarse = f7.SpatialAveragePooling(4, 4, 4, 4)
optimizer = optax.adam(0.02)


def photograph(name: str, size: int) -> jax.Array:
    """One of scikit-learn's two photographs, 3 x size x size, numbers from 0 to 1."""
    pixels = jnp.asarray(load_sample_image(name), jnp.float32).transpose(2, 0, 1)[:, :, 100:527] / 255
    return f7.SpatialAdaptiveAveragePooling(size, size).apply({}, {}, pixels)[0]


def recoloured(content: jax.Array, style: jax.Array) -> jax.Array:
    """The content with the mean and the spread of the style's colours."""
    (mean, spread), (wanted, wide) = (
        (x.mean((1, 2), keepdims=True), x.std((1, 2), keepdims=True)) for x in (content, style)
    )
    return jnp.clip((content - mean) / spread * wide + wanted, 0, 1)


def grams(variables: f7.Variables, image: jax.Array) -> list[jax.Array]:
    """Of the filters of each size, how strongly any two answer at the same places."""
    answers, _ = network.apply(*variables, image - 0.5)
    rows = [answer.reshape(FILTERS, -1) for answer in answers]
    return [row @ row.T / row.shape[1] for row in rows]


def loss(image, content, wanted, variables):
    """How far an image is from the one's coarse pixels and from the other's Gram matrices."""
    shapes = jnp.mean((coarse.apply({}, {}, image)[0] - coarse.apply({}, {}, content)[0]) ** 2)
    textures = [jnp.mean((g - w) ** 2) / jnp.mean(w**2) for g, w in zip(grams(variables, image), wanted, strict=True)]
    return shapes + STYLE * sum(textures)


@partial(jax.jit, static_argnames="steps")
def painted(content, style, variables, steps):
    """The image after so many steps, and the loss before each."""
    wanted, content = grams(variables, style), recoloured(content, style)

    def step(carried, _):
        image, state = carried
        value, gradient = jax.value_and_grad(loss)(image, content, wanted, variables)
        updates, state = optimizer.update(gradient, state)
        return (jnp.clip(image + updates, 0, 1), state), value

    noise = jax.random.uniform(jax.random.key(1), content.shape, content.dtype, -0.1, 0.1)
    start = jnp.clip(content + noise, 0, 1)
    (image, _), losses = jax.lax.scan(step, (start, optimizer.init(start)), length=steps)
    return image, losses


def main(arguments: list[str] | None = None) -> None:
    """Paints, says how far it came, and writes the three images."""
    parser = pictures.options(__doc__, 100)
    parser.add_argument("--size", type=int, default=64, help="pixels in a row (64)")
    given = parser.parse_args(arguments)
    content, style = photograph("china.jpg", given.size), photograph("flower.jpg", given.size)
    image, losses = painted(content, style, network.init(jax.random.key(0)), given.steps)
    print(f"loss {losses[0]:.2e} at first, {losses[-1]:.2e} after {given.steps} steps")
    if given.output:
        figure = Figure(figsize=(5.6, 2.1), dpi=144)
        for i, (title, shown) in enumerate({"palace": content, "flower": style, "painted": image}.items()):
            axes = figure.add_subplot(1, 3, i + 1, title=title)
            axes.imshow(np.asarray(shown).transpose(1, 2, 0))
            axes.set_axis_off()
        figure.savefig(given.output, bbox_inches="tight")


if __name__ == "__main__":
    main()
