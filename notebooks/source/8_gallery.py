# %% [markdown]
# # A gallery
#
# Every transfer function, and every criterion, with its derivative. What there is comes from the package's own
# registry, and a cell of each part asserts that nothing was forgotten.

# %%
import os
from typing import NamedTuple

import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np

import functorch7 as f7
from functorch7 import viz
from functorch7.core import registry
from functorch7.layers.transfer import Transfer

QUICK = "FUNCTORCH7_QUICK" in os.environ  # the tests' sizes
plt.switch_backend(plt.get_backend())  # loads it: now figures made without pyplot are shown, too
plt.rcParams["figure.dpi"] = 80
POINTS = 41 if QUICK else 201
OURS = [kind for kind in registry.values() if kind.__module__.startswith("functorch7.")]


def about(kinds):
    """The first line of what each says about itself."""
    for kind in kinds:
        print(f"{kind.__name__}: {kind.__doc__.splitlines()[0]}")


# %% [markdown]
# ## Transfer functions
#
# In Torch7 one draws a function by a call forward, one back with ones for the gradient of the output, and gnuplot:
#
# ```lua
# x = torch.linspace(-3, 3, 201)
# module = nn.ELU(0.5)
# y = module:forward(x)
# slope = module:backward(x, torch.ones(201))
# gnuplot.plot({'y', x, y, '-'}, {'dy/dx', x, slope, '-'})
# ```
#
# `functorch7.viz.plot_transfer` does this for one function or several, here and on the command line
# (`python -m functorch7.viz "ELU(0.5)" Tanh`). The derivatives are dashed.

# %%
figure = viz.plot_transfer(f7.ELU(0.5), f7.ELU(1.5))
figure.set_dpi(70)
figure

# %% [markdown]
# All that work element by element. `viz.curve` gives the numbers of such a picture: x, y and dy/dx, which JAX derives
# from the function. So they can be compared with differences of the neighbours' y (which are off at a bend or a jump).

# %%
gallery = [module for modules in viz.GALLERY.values() for module in modules]
of_vectors = [module for module in gallery if isinstance(module, (f7.SoftMax, f7.SoftMin, f7.LogSoftMax))]
elementwise = [module for module in gallery if module not in of_vectors]

figure, places = plt.subplots(7, 4, figsize=(9, 10.5))
for place, module in zip(places.flat, elementwise, strict=True):
    name = type(module).__name__
    x, y, slope = viz.curve(module, *viz.RANGES.get(name, (-3, 3)), POINTS)
    off = abs(np.gradient(y, x) - slope)
    assert np.median(off) < 0.02, name
    place.plot(x, y)
    place.plot(x, slope, "--", linewidth=1)
    place.set_title(name, fontsize=8)
    place.tick_params(labelsize=6)
    place.grid(alpha=0.3)

# %%
about(map(type, elementwise))

# %% [markdown]
# The others make several numbers of several. What becomes of [x, 0, 1], each output a line of its own; CReLU gives
# twice as many outputs as it has inputs, GatedLinearUnit half as many: of [values, gates] the values times the
# sigmoids of the gates.


# %%
def outputs(module, given):
    """What the module makes of each of some rows."""
    params, buffers = module.init(jax.random.key(0))
    return module.apply(params, buffers, given)[0]


x = jnp.linspace(-3, 3, POINTS)
rows = jnp.stack([x, 0 * x, 0 * x + 1], 1)
shown = {f7.SoftMax(): rows, f7.SoftMin(): rows, f7.LogSoftMax(): rows, f7.CReLU(1): rows[:, :1]}
shown[f7.GatedLinearUnit()] = jnp.concatenate([rows[:, [0, 2, 0]], rows[:, [1, 0, 0]]], 1)
figure, places = plt.subplots(1, 5, figsize=(9, 1.8))
for place, (module, given) in zip(places, shown.items(), strict=True):
    place.plot(x, outputs(module, given))
    place.set_title(type(module).__name__, fontsize=8)
    place.tick_params(labelsize=6)
    place.grid(alpha=0.3)

np.testing.assert_allclose(outputs(f7.SoftMax(), rows).sum(1), 1, rtol=1e-5)
np.testing.assert_allclose(outputs(f7.SoftMin(), rows), outputs(f7.SoftMax(), -rows), rtol=1e-5)
pixels = rows.T[None, :, None]  # a row is a pixel: 1 x 3 planes x 1 x POINTS
for spatial, plain in ((f7.SpatialSoftMax(), f7.SoftMax()), (f7.SpatialLogSoftMax(), f7.LogSoftMax())):
    np.testing.assert_allclose(outputs(spatial, pixels)[0, :, 0].T, outputs(plain, rows), rtol=1e-5)
about([*map(type, shown), f7.SpatialSoftMax, f7.SpatialLogSoftMax])

# %% [markdown]
# The two spatial ones are SoftMax and LogSoftMax for every pixel, as was just asserted. Are these all? Every
# description of the package that derives from `Transfer` has to be among them, and the two rectifiers that do not: one
# has a parameter, the other is random in training.

# %%
drawn = {type(module) for module in [*gallery, *shown]}
assert drawn == {kind for kind in OURS if issubclass(kind, Transfer)} | {f7.PReLU, f7.RReLU}
print(len(drawn), "transfer functions")

# %% [markdown]
# ## Criterions
#
# In Torch7 the loss and its gradient are two calls for each point:
#
# ```lua
# criterion = nn.SmoothL1Criterion()
# for i = 1, 201 do
#   losses[i] = criterion:forward(x:narrow(1, i, 1), target)
#   slopes[i] = criterion:backward(x:narrow(1, i, 1), target)[1]
# end
# ```
#
# Here a criterion is a function of input and target. `jax.value_and_grad` gives loss and gradient at one point, and
# `jax.vmap` makes of this a function of all points at once. Where an input is more than one number, the picture says
# how it is made of x.


# %%
class Picture(NamedTuple):
    """Losses over x: of `given(x)`, which `label` writes down, with some targets."""

    criterion: f7.Criterion
    label: str
    given: object
    targets: dict
    low: float = -3
    high: float = 3


def losses(picture, x):
    """For each target, the losses at x and their derivatives by x."""

    def loss(x, target):
        return picture.criterion(picture.given(x), target)

    at_one = jax.vmap(jax.value_and_grad(loss), (0, None))
    return [at_one(x, target) for target in picture.targets.values()]


def draw(*pictures):
    """One place for each; full lines are losses, dashed ones derivatives, and colours are targets."""
    axes = [jnp.linspace(picture.low, picture.high, POINTS) for picture in pictures]
    found = jax.jit(lambda axes: list(map(losses, pictures, axes)))(axes)  # one program for all of them
    columns = 5
    count = -(-len(pictures) // columns)
    _, places = plt.subplots(count, columns, figsize=(9, 1.9 * count), sharey=True)
    for place in places.flat[len(pictures) :]:
        place.set_axis_off()
    for place, picture, x, rows in zip(places.flat, pictures, axes, found, strict=False):
        for number, (label, (loss, slope)) in enumerate(zip(picture.targets, rows, strict=True)):
            place.plot(x, loss, color=f"C{number}", label=label)
            place.plot(x, slope, "--", color=f"C{number}", linewidth=1)
            off = np.median(abs(np.gradient(loss, x) - slope))
            assert off < 0.02 or isinstance(picture.criterion, REWARDS), picture
        place.set_title(type(picture.criterion).__name__.replace("LogisticRegression", "Logistic-\nRegression"))
        place.title.set_fontsize(6.5)
        place.set_xlabel(picture.label, fontsize=7)
        place.set_ylim(-3, 5)
        place.tick_params(labelsize=6)
        place.grid(alpha=0.3)
        if list(picture.targets) != [NONE]:
            place.legend(fontsize=6, handlelength=1)
    everything.extend(pictures)
    about(type(picture.criterion) for picture in pictures)


everything, REWARDS, NONE = [], (f7.VRClassReward, f7.BinaryClassReward), "no target"

# %% [markdown]
# **Numbers.** WeightedMSECriterion multiplies the target (here by 2), SpatialAutoCropMSECriterion looks at the centre
# of a target larger than the input, L1Cost has no target, and DistKLDivCriterion compares log-probabilities with
# probabilities.


# %%
def number(x):
    """A vector of one."""
    return x[None]


def two_classes(x):
    """The logarithms of a distribution."""
    return jnp.log(jnp.stack([x, 1 - x]))


values = {f"y = {y}": jnp.array([y], jnp.float32) for y in (-1, 1)}
images = {label: jnp.full((1, 3, 3), 9.0).at[0, 1, 1].set(y[0]) for label, y in values.items()}
draw(
    Picture(f7.MSECriterion(), "x", number, values),
    Picture(f7.AbsCriterion(), "x", number, values),
    Picture(f7.SmoothL1Criterion(), "x", number, values),
    Picture(f7.WeightedMSECriterion(jnp.array([2.0])), "x", number, values),
    Picture(f7.SpatialAutoCropMSECriterion(), "a pixel x", lambda x: x.reshape(1, 1, 1), images),
    Picture(f7.L1Cost(), "x", number, {NONE: None}),
    Picture(
        f7.DistKLDivCriterion(),
        "log [x, 1 - x]",
        two_classes,
        {f"[{y}, {1 - y:g}]": jnp.array([y, 1 - y]) for y in (0.2, 0.5)},
        0.02,
        0.98,
    ),
)

# %% [markdown]
# **Yes or no.** Most take answers of 1 and -1; BCECriterion (of probabilities) and MultiLabelSoftMarginCriterion (of
# scores) take 1 and 0, or what lies between.

# %%
signs = {"no, -1": jnp.array([-1.0]), "yes, 1": jnp.array([1.0])}
answers = {"no, 0": jnp.array([0.0]), "yes, 1": jnp.array([1.0])}
draw(
    Picture(f7.BCECriterion(), "x", number, answers | {"0.5": jnp.array([0.5])}, 0.02, 0.98),
    Picture(f7.MarginCriterion(), "x", number, signs),
    Picture(f7.SoftMarginCriterion(), "x", number, signs),
    Picture(f7.MultiLabelSoftMarginCriterion(), "x", number, answers),
    Picture(f7.BinaryLogisticRegression(), "x", number, signs),
    Picture(
        f7.SpatialBinaryLogisticRegression(),
        "a pixel x",
        lambda x: x.reshape(1, 1, 1),
        {label: y.reshape(1, 1, 1) for label, y in signs.items()},
    ),
)

# %% [markdown]
# **Classes**, which count from 1. ClassNLLCriterion wants log-probabilities; CrossEntropyCriterion makes them of
# scores. TreeNLLCriterion and NCECriterion stand behind layers for large vocabularies: SoftMaxTree has picked the
# target's log-probability already; NCEModule gives probabilities of targets and of noise by the model and by the
# noise's own distribution. CTCCriterion adds up all ways to say some labels in the steps that there are, with blanks
# between.


# %%
def three_scores(x):
    """Those of three classes."""
    return jnp.stack([x, 0 * x, 0 * x + 1])


classes = {f"class {c}": jnp.array([c]) for c in (1, 2, 3)}
two = {label: classes[label] for label in ("class 1", "class 2")}
noise = jnp.array([[0.2, 0.3]])
draw(
    Picture(f7.ClassNLLCriterion(), "log [x, 1 - x]", two_classes, two, 0.02, 0.98),
    Picture(
        f7.SpatialClassNLLCriterion(),
        "a pixel log [x, 1 - x]",
        lambda x: two_classes(x).reshape(1, 2, 1, 1),
        {label: c.reshape(1, 1, 1) for label, c in two.items()},
        0.02,
        0.98,
    ),
    Picture(f7.CrossEntropyCriterion(), "scores [x, 0, 1]", three_scores, classes),
    Picture(f7.MultiMarginCriterion(), "scores [x, 0, 1]", three_scores, classes),
    Picture(
        f7.MultiLabelMarginCriterion(),
        "scores [x, 0, 1]",
        three_scores,
        {"classes 1, 3": jnp.array([1, 3, 0]), "class 2": jnp.array([2, 0, 0])},
    ),
    Picture(f7.ClassSimplexCriterion(3), "[x, 0.5, 0]", lambda x: jnp.stack([x, 0 * x + 0.5, 0 * x]), classes),
    Picture(f7.TreeNLLCriterion(), "x", number, {NONE: None}, -3, 0),
    Picture(
        f7.NCECriterion(),
        "the target's probability",
        lambda x: [x[None], noise, jnp.array([0.2]), noise],
        {NONE: None},
        0.02,
        1,
    ),
    Picture(
        f7.CTCCriterion(),
        "3 steps, scores [0, x]",
        lambda x: jnp.broadcast_to(jnp.stack([0 * x, x]), (3, 1, 2)),
        {f"labels {y}": [jnp.array([y]), jnp.array([3])] for y in ([1], [1, 1])},
    ),
)

# %% [markdown]
# **Pairs**: alike (1) or different (-1), or which is to come first.

# %%
draw(
    Picture(f7.HingeEmbeddingCriterion(), "distance x", number, signs, 0, 3),
    Picture(f7.L1HingeEmbeddingCriterion(), "[x, 0]", lambda x: [x[None], jnp.zeros(1)], signs),
    Picture(
        f7.CosineEmbeddingCriterion(),
        "vectors at the angle x",
        lambda x: [jnp.stack([jnp.cos(x), jnp.sin(x)]), jnp.array([1.0, 0])],
        signs,
        -3.14,
        3.14,
    ),
    Picture(f7.DistanceRatioCriterion(), "distances [x, 1]", lambda x: [x[None], jnp.ones(1)], {NONE: None}, 0, 3),
    Picture(f7.MarginRankingCriterion(), "[x, 0]", lambda x: [x[None], jnp.zeros(1)], signs),
)

# %% [markdown]
# **Made of others.** Sums of criterions of one input (Multi) or of several (Parallel); a criterion behind a module
# (here Tanh); the steps of a sequence, each with its target (Sequencer) or all with one (Repeater); batches with
# padding, whose rows of zeros count nothing (MaskZero).

# %%
mse, absolute = f7.MSECriterion(), f7.AbsCriterion()
padded = {label: jnp.full((2, 2), y[0]) for label, y in values.items()}
draw(
    Picture(f7.MultiCriterion().add(mse, 0.5).add(absolute), "x", number, values),
    Picture(
        f7.ParallelCriterion().add(mse, 0.5).add(absolute),
        "[x, x]",
        lambda x: [x[None], x[None]],
        {"[-1, 1]": [values["y = -1"], values["y = 1"]], "[1, 1]": [values["y = 1"]] * 2},
    ),
    Picture(f7.ModuleCriterion(mse, f7.Tanh()), "x", number, values),
    Picture(
        f7.SequencerCriterion(absolute),
        "steps x, x, x",
        lambda x: [x[None]] * 3,
        {"-1, 0, 1": [jnp.array([y]) for y in (-1.0, 0.0, 1.0)]},
    ),
    Picture(f7.RepeaterCriterion(absolute), "steps x, x / 2", lambda x: [x[None], x[None] / 2], values),
    Picture(
        f7.MaskZeroCriterion(mse, 1),
        "rows [x, 1], [0, 0]",
        lambda x: jnp.array([[0.0, 1], [0, 0]]).at[0, 0].set(x),
        padded,
    ),
)

# %% [markdown]
# **Rewards** of REINFORCE. The loss is minus the reward, whatever the baseline x is; the gradient is that of the
# baseline's own squared error, and is not the slope of the loss. This is on purpose, and as in Torch7:
# [notebook 6](6_visual_attention.ipynb) trains with it.

# %%
draw(
    Picture(
        f7.VRClassReward(),
        "baseline x, class 2 was said",
        lambda x: [jnp.array([[0.0, 1.0, 0.0]]), x[None]],
        {"is right": jnp.array([2]), "is wrong": jnp.array([1])},
    ),
    Picture(
        f7.BinaryClassReward(),
        "baseline x, yes was said",
        lambda x: [jnp.array([0.8]), x[None]],
        {"is right": jnp.array([1]), "is wrong": jnp.array([0])},
    ),
)
x = jnp.linspace(-3, 3, 5)
for picture in everything[-2:]:
    for reward, (loss, slope) in zip((1, 0), losses(picture, x), strict=True):
        np.testing.assert_array_equal(loss, -reward)
        np.testing.assert_allclose(slope, 2 * (x - reward), atol=1e-5)

# %% [markdown]
# Are these all? Every `Criterion` of the package has to be among them. Two modules make a layer of any criterion,
# CriterionTable and nngraph's ModuleFromCriterion, and give its loss: they need no picture.

# %%
assert {type(picture.criterion) for picture in everything} == {kind for kind in OURS if issubclass(kind, f7.Criterion)}
pair = [jnp.array([0.5]), jnp.array([1.0])]
for layer in (f7.CriterionTable(mse), f7.losses.ModuleFromCriterion(mse)):
    np.testing.assert_array_equal(outputs(layer, pair).reshape(()), mse(*pair))
print(len(everything), "criterions")

# %% [markdown]
# The same pictures of the transfer functions, larger, are in [docs/gallery.md](../docs/gallery.md); the docstring of
# each (`help(f7.ELU)`) says shapes, what is an error, and where it differs from Torch7.
