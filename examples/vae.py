"""A variational autoencoder of handwritten digits.

    python -m examples.vae [--steps 3000] [--output vae.png]

Two networks, and a loss that is written down: -log p(x | z) + KL(q(z | x) || N(0, 1)), for a z drawn from q.
Source: Kingma & Welling, Auto-Encoding Variational Bayes, 2014.
"""

import jax
import jax.numpy as jnp
import numpy as np
import optax

import functorch7 as f7
from examples import pictures

CODES = 8
BATCH = 128

encoder = f7.Sequential(
    f7.Linear(64, 128), f7.ReLU(), f7.ConcatTable(f7.Linear(128, CODES), f7.Linear(128, CODES))
)  # mean and log variance of q(z | x)
decoder = f7.Sequential(f7.Linear(CODES, 128), f7.ReLU(), f7.Linear(128, 64), f7.Sigmoid())
reconstruction = f7.BCECriterion(size_average=False)
optimizer = optax.adam(2e-3)


def encoded(params, images):
    """The mean and the log variance of q(z | x)."""
    return encoder.apply(params, BUFFERS[0], images)[0]


def decoded(params, codes):
    """The brightness of each pixel."""
    return decoder.apply(params, BUFFERS[1], codes)[0]


def loss(params, images, key):
    """The negative bound on log p(x), for each image."""
    mean, log_variance = encoded(params[0], images)
    codes = mean + jnp.exp(log_variance / 2) * jax.random.normal(key, mean.shape)
    divergence = (jnp.exp(log_variance) + mean**2 - 1 - log_variance).sum() / 2
    return (reconstruction(decoded(params[1], codes), images) + divergence) / len(images)


def init(key):
    """The parameters of both networks."""
    return [network.init(each).params for network, each in zip((encoder, decoder), jax.random.split(key), strict=True)]


BUFFERS = [network.init(jax.random.key(0)).buffers for network in (encoder, decoder)]
"""Neither network has state: these stay as they are."""


@jax.jit
def update(params, state, images, key):
    """One step: new parameters, the optimizer's new state, and the loss before."""
    draw, choice = jax.random.split(key)
    batch = jax.random.choice(choice, images, (BATCH,))
    value, gradient = jax.value_and_grad(loss)(params, batch, draw)
    updates, state = optimizer.update(gradient, state)
    return optax.apply_updates(params, updates), state, value


def train(images, steps):
    """The parameters after so many steps, and the loss of each."""
    params = init(jax.random.key(1))
    state, losses = optimizer.init(params), []
    for key in jax.random.split(jax.random.key(2), steps):
        params, state, value = update(params, state, images, key)
        losses.append(value)
    return params, np.array(losses)


def rows(params, images, count=12):
    """What the picture shows: digits, what is left of them after 8 numbers, and digits that nobody wrote."""
    return {
        "digits": images[:count],
        "from 8 numbers": np.asarray(decoded(params[1], encoded(params[0], images[:count])[0])),
        "drawn": np.asarray(decoded(params[1], jax.random.normal(jax.random.key(3), (count, CODES)))),
    }


def main(arguments: list[str] | None = None) -> None:
    """Trains, says how far it came, and draws."""
    given = pictures.options(__doc__, 3000).parse_args(arguments)
    images, _ = pictures.digits()
    params, losses = train(images, given.steps)
    print(f"loss {losses[:10].mean():.2f} at first, {losses[-10:].mean():.2f} after {given.steps} steps")
    if given.output:
        pictures.save_rows(given.output, rows(params, images))


if __name__ == "__main__":
    main()
