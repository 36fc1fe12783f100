# %% [markdown]
# # Training from zero
#
# A network, a loss, its gradient, an update: first with nothing but JAX's functions, on the four corners of XOR; then
# with the compiled step of `functorch7.training`, on scikit-learn's handwritten digits.

# %%
import os

import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np
import optax
from sklearn.datasets import load_digits

import functorch7 as f7
from functorch7.training import init_state, make_train_step

QUICK = "FUNCTORCH7_QUICK" in os.environ  # the tests' sizes

# %% [markdown]
# ## XOR
#
# In Torch7 the network holds its weights and the gradients of these, and four calls change them in turn:
#
# ```lua
# mlp = nn.Sequential():add(nn.Linear(2, 20)):add(nn.Tanh()):add(nn.Linear(20, 1))
# criterion = nn.MSECriterion()
# for i = 1, 500 do
#   criterion:forward(mlp:forward(inputs), targets)
#   mlp:zeroGradParameters()
#   mlp:backward(inputs, criterion:backward(mlp.output, targets))
#   mlp:updateParameters(0.2)
# end
# ```
#
# Here a network is a *description*: it prints like Torch's and holds no arrays.

# %%
network = f7.Sequential(f7.Linear(2, 20), f7.Tanh(), f7.Linear(20, 1))
criterion = f7.MSECriterion()
print(network)

# %% [markdown]
# `init` makes the arrays, from a random key: `params` are learned; `buffers` are all else that changes (running
# means, the state of recurrent networks), which this network has none of.

# %%
params, buffers = network.init(jax.random.key(0))
print(jax.tree.map(jnp.shape, params))

# %% [markdown]
# `apply` is a function of parameters, buffers and input, and of nothing else. So the loss is a function of the
# parameters, and `jax.grad` gives its gradient: there are no `gradWeight` to set to zero, and no `backward` to call.

# %%
inputs = jax.random.normal(jax.random.key(1), (256, 2))
targets = jnp.where(inputs[:, :1] * inputs[:, 1:] > 0, -1.0, 1.0)


def loss(params):
    """How far the network is from the labels: -1 where both coordinates have one sign, else 1."""
    output, _ = network.apply(params, buffers, inputs)
    return criterion(output, targets)


@jax.jit
def descend(params):
    """What zeroGradParameters, forward, backward and updateParameters(0.2) do together."""
    error, gradient = jax.value_and_grad(loss)(params)
    return jax.tree.map(lambda array, slope: array - 0.2 * slope, params, gradient), error


errors = []
for _ in range(500):
    params, error = descend(params)
    errors.append(float(error))
print(f"loss {errors[0]:.3f} -> {errors[-1]:.3f}")
assert errors[-1] < 0.25 < errors[0]

# %% [markdown]
# The new parameters are new arrays; the old ones are still what they were. What was learned, over the plane:

# %%
axis = jnp.linspace(-3, 3, 61)
plane = jnp.stack(jnp.meshgrid(axis, axis), -1).reshape(-1, 2)
surface, _ = network.apply(params, buffers, plane)

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6))
left.plot(errors)
left.set(xlabel="step", ylabel="loss", yscale="log")
shown = right.contourf(axis, axis, surface.reshape(61, 61), np.linspace(-1.5, 1.5, 13), cmap="RdBu", extend="both")
right.scatter(*inputs[:100].T, c=targets[:100, 0], cmap="RdBu", edgecolors="black", s=18)
right.set(title="output, and some of the points", xlim=(-3, 3), ylim=(-3, 3))
figure.colorbar(shown)

corners = jnp.array([[1.0, 1], [1, -1], [-1, 1], [-1, -1]])
output, _ = network.apply(params, buffers, corners)
assert jnp.sign(output[:, 0]).tolist() == [-1, 1, 1, -1]

# %% [markdown]
# ## Digits
#
# 1797 images of 8 x 8 pixels. As in Torch, images are examples x planes x height x width, and classes count from 1:
# digit d is class d + 1.

# %%
digits = load_digits()
images = jnp.asarray(digits.images[:, None] / 16, jnp.float32)
classes = jnp.asarray(digits.target + 1, jnp.int32)
order = jax.random.permutation(jax.random.key(0), len(images))
training, test = order[:1440], order[1440:]

convnet = f7.Sequential(
    f7.SpatialConvolution(1, 16, 3, 3),
    f7.ReLU(),
    f7.SpatialMaxPooling(2, 2),
    f7.SpatialDropout(0.1),
    f7.View(16 * 3 * 3),
    f7.Linear(16 * 3 * 3, 64),
    f7.ReLU(),
    f7.Linear(64, 10),
    f7.LogSoftMax(),
)
print(f7.summary(convnet, (32, 1, 8, 8)))

# %% [markdown]
# In Torch7 one would write a closure `feval`, flatten the parameters with `getParameters`, call `optim.adam(feval,
# parameters, state)` for every batch, and switch the network with `training()` and `evaluate()`:
#
# ```lua
# parameters, gradParameters = convnet:getParameters()
# state = {learningRate = 3e-3}
# for epoch = 1, 12 do
#   convnet:training()
#   for i, batch in ipairs(batches) do
#     local feval = function()
#       gradParameters:zero()
#       local loss = criterion:forward(convnet:forward(batch.images), batch.classes)
#       convnet:backward(batch.images, criterion:backward(convnet.output, batch.classes))
#       return loss, gradParameters
#     end
#     optim.adam(feval, parameters, state)
#   end
# end
# ```
#
# Here `make_train_step` puts the loss, its gradient and the update into one compiled function. Its state goes in and
# the new state comes out; the rule is any of optax's, or one of Torch's (`f7.optim.adam`). Training or evaluation is
# an argument of `apply`. Dropout draws from the key that is given to each step.

# %%
BATCH, EPOCHS = 32, 4 if QUICK else 12


def accuracy(output, classes):
    """Metrics are computed inside the compiled step, from its output."""
    return {"accuracy": (output.argmax(1) + 1 == classes).mean()}


optimizer = optax.adam(3e-3)
step = make_train_step(convnet, f7.ClassNLLCriterion(), optimizer, metrics=accuracy)
state = init_state(convnet, optimizer, jax.random.key(0))


@jax.jit
def scores(params, buffers, images):
    """The network in evaluation mode, which is the default."""
    return convnet.apply(params, buffers, images)[0]


steps, tested = [], []
for epoch in range(EPOCHS):
    rows = jax.random.permutation(jax.random.key(epoch), training).reshape(-1, BATCH)
    for key, batch in zip(jax.random.split(jax.random.key(100 + epoch), len(rows)), rows, strict=True):
        state, metrics = step(state, (images[batch], classes[batch]), key)
        steps.append(metrics)
    found = scores(state.params, state.buffers, images[test])
    tested.append(float(accuracy(found, classes[test])["accuracy"]))
    of_epoch = np.mean([float(metrics["loss"]) for metrics in steps[-len(rows) :]])
    print(f"epoch {epoch + 1:2}  loss {of_epoch:.3f}  test accuracy {tested[-1]:.1%}")
assert tested[-1] > (0.85 if QUICK else 0.96)

# %% [markdown]
# The losses stayed on the device until they were looked at: reading a number from every step would wait for every
# step.

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3))
left.plot(np.array([float(metrics["loss"]) for metrics in steps]), alpha=0.6)
left.set(xlabel="step", ylabel="training loss", yscale="log")
right.plot(np.arange(1, EPOCHS + 1), 100 * np.array(tested), "o-")
_ = right.set(xlabel="epoch", ylabel="test accuracy, %")

# %%
guesses = np.asarray(found.argmax(1))
truth = np.asarray(classes[test]) - 1
first = np.argsort(guesses == truth, kind="stable")[:16]  # mistakes come first

figure, places = plt.subplots(2, 8, figsize=(9, 2.8))
for place, row in zip(places.flat, first, strict=True):
    place.imshow(images[test][row, 0], cmap="gray_r")
    right_answer = guesses[row] == truth[row]
    place.set_title(guesses[row] if right_answer else f"{guesses[row]}, is {truth[row]}", fontsize=9)
    place.title.set_color("black" if right_answer else "red")
    place.set_axis_off()

# %% [markdown]
# Where to go next: [notebook 2](2_porting_line_by_line.ipynb) has the same loop in both interfaces, line by line;
# [docs/training.md](../docs/training.md) tells how parts of a network are frozen or learn at another rate.
