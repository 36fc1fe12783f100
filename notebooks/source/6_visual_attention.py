# %% [markdown]
# # Where to look: recurrent visual attention
#
# A digit lies somewhere on a larger canvas. The network sees it only through glimpses, small and sharp in the middle:
# a locator says where the next one goes, a recurrent network reads what was there, and after the last glimpse a
# classifier names the digit (Mnih et al., 2014). A glimpse has no gradient with respect to its place. The place is
# drawn around the locator's answer, and made more likely if it led to the right class: REINFORCE.

# %%
import os

import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np
import optax
from matplotlib.patches import Rectangle

import functorch7 as f7
from functorch7.optim import adam
from visual_attention import HIDDEN_SIZE, STDV, STEPS, accuracy, agent, attention, batches, placed, small_digits

QUICK = "FUNCTORCH7_QUICK" in os.environ  # the tests' sizes
ITERATIONS = 20 if QUICK else 1500
data = small_digits()

# %% [markdown]
# ## A glimpse
#
# ```lua
# glimpse = nn.SpatialGlimpse(8, 2, 2)          -- 8 x 8 pixels, twice, the second of a part twice as wide
# parts = glimpse:forward{images, places}       -- places from -1 to 1, y before x
# ```
#
# `visual_attention.py`, beside this notebook, has the whole agent; here it is taken apart.

# %%
canvases = placed(data.test[0][:3], data.canvas, np.random.default_rng(0))
glimpse = f7.SpatialGlimpse(data.patch, data.depth, 2)
where = jnp.array([[0.0, 0.0], [-0.5, 0.5], [0.5, -0.5]])
parts, _ = glimpse.apply({}, {}, [jnp.asarray(canvases), where])
print(canvases.shape, "->", parts.shape)

figure, places = plt.subplots(3, 3, figsize=(5, 4.6))
for row, canvas, seen, place in zip(places, canvases[:, 0], parts, where, strict=True):
    for axes, picture, title in zip(row, (canvas, *seen), (f"at {place.tolist()}", "sharp", "wide"), strict=True):
        axes.imshow(picture, cmap="gray")
        axes.set_title(title, fontsize=8)
        axes.set_axis_off()

# %% [markdown]
# ## The agent
#
# ```lua
# locator = nn.Sequential():add(nn.Linear(hidden, 2)):add(nn.HardTanh()):add(nn.ReinforceNormal(0.2)):add(nn.HardTanh())
# attention = nn.RecurrentAttention(rnn, locator, steps, {hidden})
# agent = nn.Sequential():add(attention):add(nn.SelectTable(-1)):add(nn.Linear(hidden, 10)):add(nn.LogSoftMax())
# ```
#
# `ReinforceNormal` draws the place in training and gives its mean in evaluation. To the class scores the agent adds a
# baseline: the reward that is to be expected, one learned number.

# %%
network = agent(data)
params, buffers = network.init(jax.random.key(0), STDV)
print(network)
(scores, (_, baseline)), new = network.apply(params, buffers, jnp.asarray(canvases), key=jax.random.key(1), train=True)
print(scores.shape, baseline.shape)

# %% [markdown]
# The log-probability of what was drawn is a side output in the buffers, where it can be seen: one number for each
# glimpse and each image.

# %%
drawn = f7.emitted(new, "log_prob")
print([node.value.shape for node in drawn])

# %% [markdown]
# ## The loss, written out
#
# In Torch7 the criterion `nn.VRClassReward` called `reinforce(reward)` on all stochastic modules, and their backward
# put in -(reward - baseline) times the derivative of log p. That is the gradient of
#
# > surrogate = - sum over images and glimpses of (reward - baseline) * log p(place),
#
# where reward - baseline is held constant. `f7.reinforce_loss` is this sum; here it is beside the formula.

# %%
nll, reward = f7.ClassNLLCriterion(), f7.VRClassReward()
classes = jnp.asarray(data.test[1][:3] + 1)
advantage = reward.advantage([scores, baseline], classes)
by_hand = -sum((advantage * node.value.reshape(-1, 3)).sum() for node in drawn)
surrogate = f7.reinforce_loss(new, advantage)
print(f"{by_hand:.5f} {surrogate:.5f}")
assert np.isclose(by_hand, surrogate, rtol=1e-4)

# %% [markdown]
# So the whole loss is a function of the parameters, for `jax.grad`: the classes' by back-propagation, the baseline's
# squared error, and the surrogate.

# %%
optimizer = adam(2e-3)


def loss(params, images, classes, key):
    """What is minimised, and the share of images whose class was found."""
    (scores, rated), new = network.apply(params, buffers, images, key=key, train=True)
    total = nll(scores, classes) + reward(rated, classes)
    total += f7.reinforce_loss(new, reward.advantage(rated, classes))
    return total, reward.reward(rated, classes).mean()


@jax.jit
def step(params, state, images, classes, key):
    """An update by Adam."""
    gradient, right = jax.grad(loss, has_aux=True)(params, images, classes, key)
    updates, state = optimizer.update(gradient, state, params)
    return optax.apply_updates(params, updates), state, right


state, rewards = optimizer.init(params), []
for number, batch in zip(range(ITERATIONS), batches(data, seed=0), strict=False):
    params, state, right = step(params, state, *batch, jax.random.key(number))
    rewards.append(right)
rewards = np.array([float(right) for right in rewards])
found = accuracy(network, f7.Variables(params, buffers), data)
print(f"of the test images {found:.1%} are named; by chance 10 %")
assert QUICK or found > 0.5

# %%
window = 5 if QUICK else 50
figure, axes = plt.subplots(figsize=(6, 2.6))
axes.plot(np.convolve(rewards, np.ones(window) / window, "valid"))
axes.axhline(0.1, color="gray", linestyle=":")
_ = axes.set(xlabel="update", ylabel=f"reward, mean of {window}")

# %% [markdown]
# ## Where it looks
#
# In evaluation the places are the locator's answers. Each square is the sharp part of a glimpse; the line goes from the
# first to the last.

# %%
images = placed(data.test[0][:8], data.canvas, np.random.default_rng(0))
looking = attention(data).replace(forward_actions=True)
steps, _ = looking.apply(params[0], buffers[0], jnp.asarray(images))
assert len(steps) == STEPS and steps[0][0].shape == (8, HIDDEN_SIZE)
pad = (data.patch - 1) // 2
corners = np.floor((np.stack([place for _, place in steps], 1) + 1) / 2 * (data.canvas + 2 * pad - data.patch)) - pad

figure, places = plt.subplots(2, 4, figsize=(8, 4.2))
for axes, image, path, digit in zip(places.flat, images[:, 0], corners, data.test[1][:8], strict=True):
    axes.imshow(image, cmap="gray")
    for number, (y, x) in enumerate(path):
        square = Rectangle((x - 0.5, y - 0.5), data.patch, data.patch, fill=False, edgecolor=f"C{number}")
        axes.add_patch(square)
    middle = path + (data.patch - 1) / 2
    axes.plot(middle[:, 1], middle[:, 0], "w.-", linewidth=0.8)
    axes.set(xticks=[], yticks=[], xlim=(-0.5, data.canvas - 0.5), ylim=(data.canvas - 0.5, -0.5))
    axes.set_title(f"a {digit}", fontsize=9)

# %% [markdown]
# Where to go next: [docs/reinforce.md](../docs/reinforce.md) explains stochastic modules and rewards;
# `functorch7 train attention` trains this agent longer, with checkpoints, and `attention-mnist` is the paper's task.
