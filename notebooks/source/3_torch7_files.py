# %% [markdown]
# # Your .t7 model in JAX
#
# A network that Torch7 saved is loaded, checked against what Torch7 computed with it, trained further, and exported: to
# Torch7 again, to safetensors, and to a program that runs without this package. Nothing of Lua is needed.

# %%
import gzip
import json
import os
import tempfile
from pathlib import Path

import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np
import optax
from sklearn.datasets import load_digits

import functorch7 as f7
from functorch7.interop import safetensors, stablehlo
from functorch7.training import TrainState, freeze, make_train_step

QUICK = "FUNCTORCH7_QUICK" in os.environ  # the tests' sizes
RECORDED = Path("../tests/golden/t7")  # files that the real Torch7 wrote, and what it computed
folder = Path(tempfile.mkdtemp())

# %% [markdown]
# ## Loading
#
# In Torch7:
#
# ```lua
# model = torch.load('convnet.t7')
# model:evaluate()
# print(model)
# ```
#
# `load_t7` gives that object, with Torch's methods. It prints as Torch prints it.

# %%
model = f7.load_t7(RECORDED / "convnet.t7")
model.evaluate()
print(model)

# %% [markdown]
# `load_model` gives the same network as a pure function: a description, and its arrays in plain lists and dicts. They
# are float64, as in the file, and stay so where JAX keeps such numbers.

# %%
jax.config.update("jax_enable_x64", True)
module, params, buffers = f7.load_model(RECORDED / "convnet.t7")
for name, array in f7.state_dict(module, f7.Variables(params, buffers)).items():
    print(f"{name:16} {array.shape!s:14} {array.dtype}")

# %% [markdown]
# ## Is it the same network?
#
# Beside the file lie an input and what Torch7 gave for it. Both interfaces give it too.

# %%
with gzip.open(RECORDED / "cases.jsonl.gz", "rt") as lines:
    case = next(case for case in map(json.loads, lines) if case["file"] == "t7/convnet.t7")
inputs, expected = (np.array(case[name]["d"]).reshape(case[name]["t"]) for name in ("input", "evaluate"))

stateful = np.asarray(model.forward(inputs))
pure, _ = module.apply(params, buffers, jnp.asarray(inputs))
print("furthest from Torch7:", abs(stateful - expected).max(), abs(np.asarray(pure) - expected).max())
assert np.allclose(stateful, expected, atol=1e-12) and np.allclose(pure, expected, atol=1e-12)

# %% [markdown]
# If your numbers differ, `compare` says where it begins. It takes recorded outputs by place (a file that was saved
# after a forward has them itself) and names the first layer that deviates. Here one bias is wrong:

# %%
outputs = {str(i): np.asarray(layer.output) for i, layer in enumerate(model.modules)}
assert f7.compare((module, params, buffers), inputs, outputs) is None

spoiled = jax.tree.map(jnp.copy, params)
spoiled[4]["bias"] = spoiled[4]["bias"] + 0.1
deviation = f7.compare((module, spoiled, buffers), inputs, outputs)
print(deviation)
assert deviation.name == "4"

# %%
layers = jax.tree.map(jnp.copy, inputs), jax.tree.map(jnp.copy, inputs)
apart = []
for i, layer in enumerate(module.modules):
    layers = tuple(
        layer.apply(arrays[i], buffers[i], value)[0] for arrays, value in zip((params, spoiled), layers, strict=True)
    )
    apart.append(max(float(abs(layers[0] - layers[1]).max()), 1e-17))
figure, axes = plt.subplots(figsize=(6, 2.6))
axes.bar([type(layer).__name__ for layer in module.modules], apart)
axes.set(yscale="log", ylabel="difference", title="the wrong bias, layer by layer")
axes.tick_params(axis="x", rotation=60, labelsize=8)

# %% [markdown]
# ## Fine-tuning
#
# The network takes two planes of 8 x 8 and knows five classes: let it learn the digits 0 to 4, drawn in black and in
# white. In Torch7 one keeps a layer as it is by giving it no `accGradParameters`, or by updating the others alone:
#
# ```lua
# classifier = model:get(8)
# classifier:zeroGradParameters()
# model:backward(images, criterion:backward(model.output, classes))
# classifier:updateParameters(0.1)
# ```
#
# Here `freeze` marks the parameters by place (or name, or class), and optax does the rest.

# %%
jax.config.update("jax_enable_x64", False)
digits = load_digits(n_class=5)
drawn = digits.images.astype(np.float32) / 16
images, classes = jnp.asarray(np.stack([drawn, 1 - drawn], 1)), jnp.asarray(digits.target + 1, jnp.int32)
order = jax.random.permutation(jax.random.key(0), len(images))
training, test = order[:-200], order[-200:]
start = f7.Variables(*jax.tree.map(lambda array: jnp.asarray(array, jnp.float32), (params, buffers)))


def tuned(labels, steps):
    """The network's arrays after some steps of Adam on what is labelled "trained", and the losses."""
    optimizer = optax.multi_transform({"trained": optax.adam(0.02), "frozen": optax.set_to_zero()}, labels)
    step = make_train_step(module, f7.ClassNLLCriterion(), optimizer)
    arrays = jax.tree.map(jnp.copy, start)
    state = TrainState(*arrays, optimizer.init(arrays.params), jnp.zeros((), jnp.int32))
    losses = []
    for number in range(steps):
        rows = jax.random.choice(jax.random.key(number), training, (64,))
        state, metrics = step(state, (images[rows], classes[rows]), None)
        losses.append(metrics["loss"])
    return f7.Variables(state.params, state.buffers), np.array([float(loss) for loss in losses])


def accuracy(variables):
    """The share of test images whose digit is found."""
    scores, _ = module.apply(*variables, images[test])
    return float((scores.argmax(1) + 1 == classes[test]).mean())


STEPS = 60 if QUICK else 400
last, last_losses = tuned(freeze(module, start.params, "0", "1", "4"), STEPS)
whole, whole_losses = tuned(freeze(module, start.params, "1"), STEPS)
for name, variables in (("as loaded", start), ("last layer", last), ("all but the normalisation", whole)):
    print(f"{name:26} {accuracy(variables):.1%}")
assert (last.params[0]["weight"] == start.params[0]["weight"]).all()  # frozen
assert accuracy(start) < 0.5 < accuracy(last) and accuracy(whole) > (0.7 if QUICK else 0.9)

# %%
figure, axes = plt.subplots(figsize=(6, 2.8))
for name, losses in (("last layer", last_losses), ("all but the normalisation", whole_losses)):
    axes.plot(np.convolve(losses, np.ones(10) / 10, "valid"), label=name)
axes.set(xlabel="step", ylabel="loss, mean of 10")
_ = axes.legend()

# %% [markdown]
# ## Back to Torch7, and elsewhere
#
# ```lua
# torch.save('tuned.t7', model)
# ```

# %%
f7.save_model(folder / "tuned.t7", module, *whole)  # Torch7 loads it
again = f7.load_model(folder / "tuned.t7")
assert all(np.array_equal(a, b) for a, b in zip(jax.tree.leaves(again[1]), jax.tree.leaves(whole.params), strict=True))

safetensors.save(folder / "tuned.safetensors", module, *whole)  # the arrays alone, by name
assert safetensors.load(folder / "tuned.safetensors", module).params[7]["weight"].shape == (5, 12)

# %% [markdown]
# As a program with its parameters inside, for any number of images: JAX runs it without functorch7.

# %%
stablehlo.save_exported(folder / "tuned.stablehlo", module, *whole, ("batch", 2, 8, 8))
served = jax.export.deserialize(bytearray((folder / "tuned.stablehlo").read_bytes())).call
scores, _ = module.apply(*whole, images[test])
assert np.allclose(served(images[test]), scores, atol=1e-5)
for file in sorted(folder.iterdir()):
    print(f"{file.name:20} {file.stat().st_size:,} bytes")

# %%
guesses = np.asarray(scores.argmax(1))
figure, places = plt.subplots(2, 8, figsize=(9, 2.8))
for place, row in zip(places.flat, range(16), strict=True):
    place.imshow(images[test][row, 0], cmap="gray_r")
    place.set_title(int(guesses[row]), fontsize=9)
    place.set_axis_off()

# %% [markdown]
# Where to go next: [docs/loading-t7.md](../docs/loading-t7.md) has large files, graphs, recurrent networks and older
# versions; the command line (`functorch7 inspect model.t7`) looks into files without a program.
