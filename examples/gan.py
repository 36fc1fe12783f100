"""Two networks against each other: one draws digits, the other tells them from real ones.

    python -m examples.gan [--steps 3000] [--output gan.png]

Source: Goodfellow et al., Generative Adversarial Nets, 2014.
"""

import jax
import jax.numpy as jnp
import numpy as np
import optax

import functorch7 as f7
from examples import pictures

NOISE = 16
BATCH = 64

generator = f7.Sequential(
    f7.Linear(NOISE, 128), f7.ReLU(), f7.Linear(128, 128), f7.ReLU(), f7.Linear(128, 64), f7.Sigmoid()
)
critic = f7.Sequential(
    f7.Linear(64, 128), f7.LeakyReLU(0.2), f7.Linear(128, 64), f7.LeakyReLU(0.2), f7.Linear(64, 1)
)  # above 0: real
criterion = f7.SoftMarginCriterion()  # log(1 + exp(-y x)), with y 1 for real and -1 for drawn
optimizer = optax.adam(1e-3, b1=0.5)


def drawn(params, noise):
    """The generator's images."""
    return generator.apply(params, generator_buffers, noise)[0]


def critic_loss(params, generator_params, real, noise):
    """What the critic wants small: real images are real, drawn ones are not."""
    images = jnp.concatenate([real, drawn(generator_params, noise)])
    answers = critic.apply(params, critic_buffers, images)[0]
    return criterion(answers, jnp.concatenate([jnp.full((BATCH, 1), 0.9), jnp.full((BATCH, 1), -1.0)]))


def generator_loss(params, critic_params, noise):
    """What the generator wants small: that the critic takes its images for real ones."""
    answers = critic.apply(critic_params, critic_buffers, drawn(params, noise))[0]
    return criterion(answers, jnp.ones((BATCH, 1)))


@jax.jit
def update(networks, states, images, key):
    """One step of each: new parameters, new states of their optimizers, and both losses."""
    choice, first, second = jax.random.split(key, 3)
    (drawing, judging), (drawing_state, judging_state) = networks, states
    real = jax.random.choice(choice, images, (BATCH,))
    noise = jax.random.normal(first, (BATCH, NOISE))
    lost, gradient = jax.value_and_grad(critic_loss)(judging, drawing, real, noise)
    updates, judging_state = optimizer.update(gradient, judging_state)
    judging = optax.apply_updates(judging, updates)
    missed, gradient = jax.value_and_grad(generator_loss)(drawing, judging, jax.random.normal(second, (BATCH, NOISE)))
    updates, drawing_state = optimizer.update(gradient, drawing_state)
    drawing = optax.apply_updates(drawing, updates)
    return (drawing, judging), (drawing_state, judging_state), (lost, missed)


(first_generator, generator_buffers), (first_critic, critic_buffers) = (
    generator.init(jax.random.key(0)),
    critic.init(jax.random.key(1)),
)


def train(images, steps):
    """Both networks' parameters after so many steps, and the losses of each step."""
    networks = first_generator, first_critic
    states, losses = tuple(map(optimizer.init, networks)), []
    for key in jax.random.split(jax.random.key(2), steps):
        networks, states, both = update(networks, states, images, key)
        losses.append(both)
    return networks, np.array(losses)


def main(arguments: list[str] | None = None) -> None:
    """Trains, says who is ahead, and draws."""
    given = pictures.options(__doc__, 3000).parse_args(arguments)
    images, _ = pictures.digits()
    (drawing, _), losses = train(images, given.steps)
    print("losses at the end: critic {:.2f}, generator {:.2f}".format(*losses[-100:].mean(0)))
    if given.output:
        noise = jax.random.normal(jax.random.key(3), (24, NOISE))
        made = np.asarray(drawn(drawing, noise))
        pictures.save_rows(given.output, {"real": images[:12], "drawn": made[:12], "": made[12:]})


if __name__ == "__main__":
    main()
