# %% [markdown]
# # Porting Lua, line by line
#
# One program in three forms: the Lua of a Torch7 user; the same lines for `functorch7.legacy`, with mutable modules and
# tensors; and the functional interface, for `jax.jit`, `jax.grad` and optax. All of them compute the same numbers.

# %%
import os

import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np
import optax
from sklearn.datasets import load_digits

import functorch7 as f7
from functorch7 import legacy
from functorch7.core import recording
from functorch7.legacy import nn, optim, torch
from functorch7.training import TrainState, make_train_step

QUICK = "FUNCTORCH7_QUICK" in os.environ  # the tests' sizes
STEPS = 40 if QUICK else 300
torch.manualSeed(1)

# %% [markdown]
# ## The data
#
# ```lua
# require 'nn'; require 'optim'
# torch.manualSeed(1)
# images, classes = digits.images:div(16):view(-1, 64), digits.classes:add(1)
# ```
#
# Tensors of `legacy.torch` count from 1, share memory as Torch's do, and are changed in place. Lists stand for tables.

# %%
digits = load_digits()
images = torch.Tensor(digits.data.astype(np.float32)).div(16)
classes = torch.Tensor(digits.target.astype(np.float32)).add(1)
first = images[1]  # a view: the first image
print(images.size().totable(), classes[1], first.max())
assert images.narrow(1, 2, 3).select(2, 1).size() == [3]

# %% [markdown]
# ## The network
#
# ```lua
# mlp = nn.Sequential()
# mlp:add(nn.Linear(64, 32))
# mlp:add(nn.Tanh())
# mlp:add(nn.Linear(32, 10))
# mlp:add(nn.LogSoftMax())
# criterion = nn.ClassNLLCriterion()
# print(mlp)
# ```

# %%
mlp = nn.Sequential()
mlp.add(nn.Linear(64, 32))
mlp.add(nn.Tanh())
mlp.add(nn.Linear(32, 10))
mlp.add(nn.LogSoftMax())
criterion = nn.ClassNLLCriterion()
print(mlp)

# %% [markdown]
# The functional form of this very network, for later: a description, and its arrays.

# %%
module, variables = mlp.functional()
variables = jax.tree.map(jnp.copy, variables)  # the stateful one will change
assert module == f7.Sequential(f7.Linear(64, 32), f7.Tanh(), f7.Linear(32, 10), f7.LogSoftMax())

# %% [markdown]
# ## Four calls
#
# ```lua
# for step = 1, steps do
#   local from = ((step - 1) * 32) % 1760 + 1
#   local input, target = images:narrow(1, from, 32), classes:narrow(1, from, 32)
#   local loss = criterion:forward(mlp:forward(input), target)
#   mlp:zeroGradParameters()
#   mlp:backward(input, criterion:backward(mlp.output, target))
#   mlp:updateParameters(0.3)
# end
# ```


# %%
def window(step):
    """Where the batch of a step begins, from 0."""
    return step * 32 % 1760


losses = []
for step in range(STEPS):
    input, target = images.narrow(1, window(step) + 1, 32), classes.narrow(1, window(step) + 1, 32)
    losses.append(criterion.forward(mlp.forward(input), target))
    mlp.zeroGradParameters()
    mlp.backward(input, criterion.backward(mlp.output, target))
    mlp.updateParameters(0.3)

# %% [markdown]
# Each of the four calls is one compiled program for the whole network, however many modules it has.
#
# ## One function
#
# The functional interface has no calls to keep in order. The step is a function of the state, the batch and a key;
# what Torch7 kept in the objects goes in and comes out. The losses are those of above.

# %%
optimizer = optax.sgd(0.3)
step_of = make_train_step(module, f7.ClassNLLCriterion(), optimizer)
state = TrainState(*variables, optimizer.init(variables.params), jnp.zeros((), jnp.int32))
x, y = jnp.asarray(images.numpy()), jnp.asarray(digits.target + 1, jnp.int32)

functional = []
for step in range(STEPS):
    rows = slice(window(step), window(step) + 32)
    state, metrics = step_of(state, (x[rows], y[rows]), None)
    functional.append(float(metrics["loss"]))
apart = max(abs(np.array(losses) - np.array(functional)))
print(f"furthest apart: {apart:.1e}")
assert apart < 1e-4 and losses[-1] < losses[0] / 2

# %%
figure, axes = plt.subplots(figsize=(6, 2.8))
axes.plot(losses, label="forward, backward, updateParameters", linewidth=4, alpha=0.4)
axes.plot(functional, label="one function", linewidth=1)
axes.set(xlabel="step", ylabel="loss")
_ = axes.legend()

# %% [markdown]
# ## optim's closures
#
# ```lua
# params, gradParams = mlp:getParameters()
# state = {learningRate = 0.05, momentum = 0.9}
# feval = function(x)
#   gradParams:zero()
#   local loss = criterion:forward(mlp:forward(input), target)
#   mlp:backward(input, criterion:backward(mlp.output, target))
#   return loss, gradParams
# end
# optim.sgd(feval, params, state)
# ```

# %%
params, gradParams = mlp.getParameters()
config = {"learningRate": 0.05, "momentum": 0.9}


def feval(_):
    """The loss and the gradient at the parameters as they are."""
    gradParams.zero()
    loss = criterion.forward(mlp.forward(input), target)
    mlp.backward(input, criterion.backward(mlp.output, target))
    return loss, gradParams


before = criterion.forward(mlp.forward(input), target)
for _ in range(10):
    optim.sgd(feval, params, config)
after = criterion.forward(mlp.forward(input), target)
print(f"loss on one batch: {before:.3f} -> {after:.3f}")
assert after < before and params.size() == [64 * 32 + 32 + 32 * 10 + 10]

# %% [markdown]
# `optim.sgd` is there as an optax transformation, too: `f7.optim.sgd(0.05, momentum=0.9)` is what `make_train_step`
# takes, and computes what Torch's does.
#
# ## What was hidden
#
# ```lua
# print(mlp:get(2).output:size())          -- of a layer inside
# print(mlp:get(1).gradWeight:max())
# ```

# %%
print(mlp.get(2).output.size().totable(), round(mlp.get(1).gradWeight.max(), 4))

with recording() as seen:
    module.apply(state.params, state.buffers, x[:32])
print(seen.outputs[1,].shape)
assert mlp.get(2).output.size() == list(seen.outputs[1,].shape)

# %% [markdown]
# ## A layer of one's own
#
# ```lua
# local Scale, parent = torch.class('nn.Scale', 'nn.Module')
# function Scale:__init(by) parent.__init(self); self.by = by end
# function Scale:updateOutput(input) self.output = input * self.by; return self.output end
# function Scale:updateGradInput(input, gradOutput) self.gradInput = gradOutput * self.by; return self.gradInput end
# ```
#
# The Lua class ports as it is; without `updateGradInput`, the gradient is found by differentiation. The functional
# layer is its formula.


# %%
class Scale(nn.Module):
    """As in Torch7."""

    def __init__(self, by):
        super().__init__()
        self.by = by

    def updateOutput(self, input):
        """input * by"""
        self.output = input * self.by
        return self.output

    def updateGradInput(self, input, gradOutput):
        """gradOutput * by"""
        self.gradInput = gradOutput * self.by
        return self.gradInput


class Scaled(f7.Map):
    """As a formula; its gradient, compilation and batching are JAX's."""

    by: float

    def f(self, input):
        """input * by"""
        return input * self.by


ported, pure = nn.Sequential().add(nn.Linear(64, 3)).add(Scale(2.0)), f7.Sequential(f7.Linear(64, 3), Scaled(2.0))
linear = ported.get(1)
arrays = [{"weight": linear.weight.array, "bias": linear.bias.array}, {}]
output, pull = jax.vjp(lambda given: pure.apply(arrays, [{}, {}], given)[0], x[:4])
assert np.allclose(ported.forward(x[:4]), output, atol=1e-6)
assert np.allclose(ported.backward(x[:4], jnp.ones((4, 3))), pull(jnp.ones((4, 3)))[0], atol=1e-6)

# %% [markdown]
# ## Back and forth
#
# `functional()` leads from objects to functions, `legacy.wrap` back, so a program can be ported piece by piece. Here
# the network that was trained by the compiled step is evaluated as Torch7 would:
#
# ```lua
# confusion = optim.ConfusionMatrix(10)
# confusion:batchAdd(mlp:forward(images), classes)
# print(confusion)
# ```

# %%
trained = legacy.wrap(module, state.params, state.buffers).evaluate()
confusion = optim.ConfusionMatrix(10)
confusion.batchAdd(trained.forward(images), classes)
confusion.updateValids()
print(f"{confusion.totalValid:.1%} of the images are right")
assert confusion.totalValid > (0.5 if QUICK else 0.9)

figure, axes = plt.subplots(figsize=(3.2, 3))
axes.imshow(np.asarray(confusion.mat), cmap="Blues")
_ = axes.set(xlabel="answer", ylabel="digit", xticks=range(10), yticks=range(10))

# %% [markdown]
# Where to go next: [docs/porting.md](../docs/porting.md) has tables of what stands for what, and every name of Torch7
# with its place here.
