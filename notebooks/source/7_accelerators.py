# %% [markdown]
# # Accelerators
#
# What changes on a GPU, a TPU, or many of them: nothing in the network. Compilation, precision and the layout of arrays
# are said around it. This notebook runs on any machine: it asks for eight virtual devices before JAX starts.

# %%
import os

os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count=8"

import time

import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np
import optax
from sklearn.datasets import load_digits

import functorch7 as f7
from functorch7.training import data_parallel, fully_sharded, init_state, make_train_step

QUICK = "FUNCTORCH7_QUICK" in os.environ  # the tests' sizes
STEPS = 20 if QUICK else 80
print(len(jax.devices()), "devices")

# %% [markdown]
# In Torch7 a model moved to a card by casting it, and to several by a table of replicas whose gradients were added up:
#
# ```lua
# require 'cunn'
# model:cuda(); criterion:cuda()
# parallel = nn.DataParallelTable(1):add(model, {1, 2, 3, 4})
# ```
#
# Here JAX computes where its arrays are, and one program is made for all devices.

# %%
network = f7.Sequential(
    f7.SpatialConvolution(1, 16, 3, 3),
    f7.SpatialBatchNormalization(16),
    f7.ReLU(),
    f7.SpatialMaxPooling(2, 2),
    f7.View(16 * 3 * 3),
    f7.Linear(144, 128),
    f7.ReLU(),
    f7.Linear(128, 10),
    f7.LogSoftMax(),
)
criterion, optimizer = f7.ClassNLLCriterion(), optax.sgd(0.2, momentum=0.9)
digits = load_digits()
images = (digits.images[:, None] / 16).astype(np.float32)
classes = (digits.target + 1).astype(np.int32)
rows = np.random.default_rng(0).integers(0, 1400, (STEPS, 64))


def losses_of(step, state, place=lambda batch: batch):
    """The losses of all steps, and the last state."""
    losses = []
    for chosen in rows:
        state, metrics = step(state, place((images[chosen], classes[chosen])), None)
        losses.append(metrics["loss"])
    return np.array([float(loss) for loss in losses]), state


def right(state):
    """The share of the test images whose digit is found."""
    scores, _ = network.apply(state.params, state.buffers, jnp.asarray(images[1400:]))
    return float((scores.argmax(1) + 1 == classes[1400:]).mean())


# %% [markdown]
# ## jit
#
# `make_train_step` gives a compiled function: the first call compiles, for the shapes that it is given, and the others
# run. Calling the network without `jit` runs its operations one by one.

# %%
params, buffers = network.init(jax.random.key(0))
batch = jnp.asarray(images[:64])


@jax.jit
def compiled(params, batch):
    """The network in evaluation mode."""
    return network.apply(params, buffers, batch)[0]


def milliseconds(call, times):
    """Of one call; the first is not counted."""
    jax.block_until_ready(call())
    began = time.perf_counter()
    for _ in range(times):
        jax.block_until_ready(call())
    return 1e3 * (time.perf_counter() - began) / times


times = 3 if QUICK else 30
one_by_one = milliseconds(lambda: network.apply(params, buffers, batch)[0], times)
at_once = milliseconds(lambda: compiled(params, batch), times)
print(f"one by one {one_by_one:.2f} ms, compiled {at_once:.2f} ms")

# %% [markdown]
# ## bfloat16
#
# `compute_dtype=jnp.bfloat16` is mixed precision: the network computes on a cast copy of the parameters, which
# themselves, the buffers, the loss and the update stay float32.

# %%
single = make_train_step(network, criterion, optimizer)
mixed = make_train_step(network, criterion, optimizer, compute_dtype=jnp.bfloat16)
in_float32, state = losses_of(single, init_state(network, optimizer, jax.random.key(0)))
in_bfloat16, mixed_state = losses_of(mixed, init_state(network, optimizer, jax.random.key(0)))
assert {array.dtype for array in jax.tree.leaves(mixed_state.params)} == {jnp.dtype("float32")}
assert abs(in_float32 - in_bfloat16).mean() < 0.2 and in_bfloat16[-3:].mean() < in_bfloat16[0] / (1 if QUICK else 5)
print(f"right: {right(state):.1%} in float32, {right(mixed_state):.1%} in bfloat16")

figure, axes = plt.subplots(figsize=(6, 2.6))
axes.plot(in_float32, label="float32")
axes.plot(in_bfloat16, label="bfloat16")
axes.set(xlabel="step", ylabel="loss", yscale="log")
_ = axes.legend()

# %% [markdown]
# ## Eight devices
#
# A `Sharding` says where the arrays of a step lie. With `data_parallel` every device has all parameters and an eighth
# of the batch; with `fully_sharded` also only its part of the large arrays, and of the optimizer's state. The step is
# the same function, batch normalisation is over the whole batch, and so the losses are those of one device.

# %%
layouts = {"data parallel": data_parallel(), "fully sharded": fully_sharded()}
for name, sharding in layouts.items():
    step = make_train_step(network, criterion, optimizer, sharding=sharding)
    placed = sharding.place(network, init_state(network, optimizer, jax.random.key(0)))
    losses, placed = losses_of(step, placed, sharding.place_batch)
    held = sum(array.addressable_shards[0].data.nbytes for array in jax.tree.leaves(placed))
    print(f"{name}: furthest from one device {abs(losses - in_float32).max():.1e}; {held:,} bytes on each device")
    assert np.allclose(losses[:10], in_float32[:10], rtol=1e-3)

# %% [markdown]
# Where the weight of the first linear layer lies in the two layouts: each colour is a device.


# %%
def owners(array):
    """The number of the device that holds each element; -1 where all do."""
    found = np.full(array.shape, -1)
    if not array.sharding.is_fully_replicated:
        for shard in array.addressable_shards:
            found[shard.index] = shard.device.id
    return found


figure, places = plt.subplots(1, 2, figsize=(7, 2.8))
for place, (name, sharding) in zip(places, layouts.items(), strict=True):
    weight = sharding.place(network, init_state(network, optimizer, jax.random.key(0))).params[5]["weight"]
    place.imshow(owners(weight), cmap="tab10", vmin=-1, vmax=8, aspect="auto")
    place.set_title(f"{name}: {weight.addressable_shards[0].data.shape} of {weight.shape}", fontsize=9)

# %% [markdown]
# What travels between the devices is in the compiled program: one sum of all gradients where parameters are copies.

# %%
step = make_train_step(network, criterion, optimizer, sharding=layouts["data parallel"])
placed = layouts["data parallel"].place(network, init_state(network, optimizer, jax.random.key(0)))
given = layouts["data parallel"].place_batch((images[:64], classes[:64]))
program = step.lower(placed, given, None).compile().as_text()
sums, gathers = program.count(" all-reduce("), program.count(" all-gather(")
print(f"{sums} sums over the devices, {gathers} gatherings")
assert gathers == 0 and 0 < sums <= 5

# %% [markdown]
# ## A profile
#
# ```lua
# timer = torch.Timer(); model:forward(input); print(timer:time().real)
# ```
#
# `f7.profile` runs the network under JAX's profiler and says what every module takes, forward and backward, with its
# arithmetic and memory; `trace=folder` keeps the trace for TensorBoard or Perfetto.

# %%
report = f7.profile(network, params, buffers, batch, key=jax.random.key(0))
print(report)

# %%
layers = [row for row in report.rows if len(row.path) == 1]
names = [f"{row.path[0]} {type(row.module).__name__}" for row in layers]
forward, backward = (np.array([1e6 * getattr(row, part) for row in layers]) for part in ("forward", "backward"))
figure, axes = plt.subplots(figsize=(6, 2.8))
axes.barh(names, forward, label="forward")
axes.barh(names, backward, left=forward, label="backward")
axes.set(xlabel="microseconds")
axes.invert_yaxis()
_ = axes.legend()

# %% [markdown]
# Where to go next: [docs/scaling.md](../docs/scaling.md) for several machines and what it costs,
# [docs/performance.md](../docs/performance.md) for measured tables; `make bench-accelerator` reports how well
# training steps use the device at hand.
