# %% [markdown]
# # Language models
#
# What comes next in a text: with LSTM and GRU layers over all words of a vocabulary, and, where the vocabulary is too
# large for that, by noise-contrastive estimation. The text is that of Python's own reference, which every Python has.

# %%
import os
import time

import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np
import optax

import functorch7 as f7
from functorch7.recipes.perplexity import Perplexity
from functorch7.recipes.texts import python_text
from functorch7.training import evaluate, init_state, make_sgd_step, make_train_step

QUICK = "FUNCTORCH7_QUICK" in os.environ  # the tests' sizes
SIZE, COLUMNS, LENGTH, EPOCHS = (16, 40, 20, 1) if QUICK else (128, 40, 20, 5)

# %% [markdown]
# ## The text
#
# ```lua
# train, valid, test = dl.loadPTB({40, 40, 40})
# for i, inputs, targets in train:subiter(20) do ... end   -- 20 x 40 words, and the words after them
# ```
#
# The text is cut into 40 columns that are read side by side; a batch is the next 20 words of each. Words count from 1.

# %%
train, valid, test = python_text().split(COLUMNS, min_frequency=50 if QUICK else 3)
words = len(train.ivocab)
inputs, targets = next(train.batches(LENGTH))
print(f"{words} words; batches of {inputs.shape}")
print(" ".join(train.ivocab[int(word)] for word in inputs[:, 0]))

counts = np.bincount(train.data.ravel(), minlength=words + 1)[1:] + 1.0
unigram = float(np.exp(-np.log(counts[test.data[1:].ravel() - 1] / counts.sum()).mean()))
print(f"perplexity if only the words' frequencies are known: {unigram:.1f}")

# %% [markdown]
# ## LSTM and GRU
#
# ```lua
# lm = nn.Sequential()
#    :add(nn.LookupTable(words, size))
#    :add(nn.Sequencer(nn.Sequential()
#       :add(nn.FastLSTM(size, size)):add(nn.Linear(size, words)):add(nn.LogSoftMax())))
# lm:remember('both')
# criterion = nn.SequencerCriterion(nn.ClassNLLCriterion())
# ```
#
# `remember("both")` keeps the state at the end of a batch for the next one, in the buffers that the step carries on.


# %%
def model(cell):
    """Words (T, B) -> log-probabilities of the next words (T, B, words)."""
    step = f7.Sequential(cell, f7.Linear(SIZE, words), f7.LogSoftMax())
    return f7.Sequential(f7.LookupTable(words, SIZE), f7.Sequencer(step).remember("both"))


def perplexity(module, params, buffers, loader):
    """exp of the mean loss of a word, reading the text from its start."""
    fresh = f7.forget(module, buffers)
    ((result, _),) = evaluate(module, params, fresh, loader.batches(LENGTH), [Perplexity()])
    return result.result()[0]


def learned(module):
    """The state after some epochs, and the perplexity after each."""
    criterion = f7.SequencerCriterion(f7.ClassNLLCriterion(), True)
    optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adam(0.01 if QUICK else 0.004))
    step, state = make_train_step(module, criterion, optimizer), init_state(module, optimizer, jax.random.key(0))
    found = []
    for _ in range(EPOCHS):
        state = state._replace(buffers=f7.forget(module, state.buffers))
        for batch in train.batches(LENGTH):
            state, _ = step(state, batch, None)
        found.append(perplexity(module, state.params, state.buffers, valid))
    return state, found


cells = {"LSTM": f7.FastLSTM(SIZE, SIZE), "GRU": f7.GRU(SIZE, SIZE)}
models = {name: model(cell) for name, cell in cells.items()}
states, curves = {}, {}
for name, module in models.items():
    states[name], curves[name] = learned(module)
    found = perplexity(module, states[name].params, states[name].buffers, test)
    print(f"{name}: {found:.1f} on the test text")
    assert found < unigram / (1.5 if QUICK else 3)

# %%
figure, axes = plt.subplots(figsize=(5, 2.6))
for name, curve in curves.items():
    axes.plot(np.arange(1, EPOCHS + 1), curve, "o-", label=name)
axes.set(xlabel="epoch", ylabel="perplexity", yscale="log", xticks=np.arange(1, EPOCHS + 1))
_ = axes.legend()

# %% [markdown]
# ## A few words of its own
#
# ```lua
# lm:evaluate(); lm:forget()
# next = torch.multinomial(torch.exp(lm:forward(word)), 1)
# ```
#
# The same network reads one word at a time; its buffers carry the state from call to call.

# %%
module, state = models["LSTM"], states["LSTM"]


@jax.jit
def read(buffers, word):
    """The scores of what follows, and the state after this word."""
    return module.apply(state.params, buffers, jnp.full((1, 1), word))


buffers, text = f7.forget(module, state.buffers), [train.vocab["the"]]
for key in jax.random.split(jax.random.key(3), 10 if QUICK else 30):
    scores, buffers = read(buffers, text[-1])
    text.append(int(jax.random.categorical(key, scores[0, 0])) + 1)
print(" ".join(train.ivocab[word] for word in text).replace("<eos>", "/"))
assert all(1 <= word <= words for word in text)

# %% [markdown]
# ## Noise-contrastive estimation
#
# With a vocabulary of hundreds of thousands of words the last layer is all that takes time. Instead of all scores, only
# those of the right word and of k noise words are computed, and the network learns to tell them apart:
#
# ```lua
# nce = nn.NCEModule(size, words, 25, frequencies)
# criterion = nn.NCECriterion()
# loss = criterion:forward(nce:forward{hidden, target}, target)
# ```
#
# Here it learns the next word from the last two; `make_sgd_step` changes only the rows of the tables that a batch
# reads, so that a step does not become slower as the vocabulary grows.

# %%
reader = f7.Sequential(f7.LookupTable(words, SIZE), f7.Reshape(2 * SIZE), f7.Linear(2 * SIZE, SIZE), f7.Tanh())


def estimating(**options):
    """[two words, the next word] -> what NCECriterion wants; or, in evaluation, log-probabilities of all words."""
    nce = f7.NCEModule(SIZE, words, 25, counts.astype(np.float32), 1.0, **options)
    return f7.Sequential(f7.ParallelTable(reader, f7.Identity()), nce)


flat = np.concatenate([train.data.T.ravel(), np.ones(2, int)])
pairs, following = np.stack([flat[:-2], flat[1:-1]], 1), flat[2:]
contrastive = estimating()
step = make_sgd_step(contrastive, f7.NCECriterion(), 0.5)
state = init_state(contrastive, optax.identity(), jax.random.key(0))
random = np.random.default_rng(0)
for number in range(300 if QUICK else 6000):
    rows = random.integers(0, len(following), 128)
    batch = [jnp.asarray(pairs[rows]), jnp.asarray(following[rows])]
    state, metrics = step(state, (batch, None), jax.random.key(number))

# %% [markdown]
# In evaluation `normalized` gives the probabilities of all words, so that the perplexity can be taken.

# %%
normalized = estimating(normalized=True, logsoftmax=True)
held = np.concatenate([test.data.T.ravel()])
given, truth = jnp.asarray(np.stack([held[:-2], held[1:-1]], 1)), jnp.asarray(held[2:])
scores, _ = normalized.apply(state.params, state.buffers, [given, truth])
by_noise = float(jnp.exp(-jnp.take_along_axis(scores, truth[:, None] - 1, 1).mean()))
print(f"two words and noise-contrastive estimation: {by_noise:.1f}; frequencies alone: {unigram:.1f}")
assert by_noise < unigram

# %% [markdown]
# What a step of the last layer takes, against the full SoftMax, as the vocabulary grows:


# %%
def milliseconds(step, state, batch, key):
    """Of one step, in the mean of ten."""
    state, _ = step(state, batch, key)
    began = time.perf_counter()
    for _ in range(10):
        state, metrics = step(state, batch, key)
    float(metrics["loss"])
    return 100 * (time.perf_counter() - began)


sizes, ratios = ([1_000, 4_000] if QUICK else [1_000, 4_000, 16_000, 64_000]), []
for size in sizes:
    nce, full = f7.NCEModule(64, size, 25, np.ones(size, np.float32), 1.0), f7.Linear(64, size)
    hidden, target = jnp.asarray(random.normal(size=(128, 64)), jnp.float32), jnp.asarray(random.integers(1, size, 128))
    small = milliseconds(
        make_sgd_step(nce, f7.NCECriterion(), 0.1), init_state(nce, optax.identity(), jax.random.key(0)),
        ([hidden, target], None), jax.random.key(1),
    )  # fmt: skip
    plain = optax.sgd(0.1)
    large = milliseconds(
        make_train_step(full, f7.CrossEntropyCriterion(), plain), init_state(full, plain, jax.random.key(0)),
        (hidden, target), None,
    )  # fmt: skip
    ratios.append(large / small)
print({size: f"{ratio:.0f} x" for size, ratio in zip(sizes, ratios, strict=True)})

figure, axes = plt.subplots(figsize=(5, 2.4))
axes.plot(sizes, ratios, "o-")
_ = axes.set(xlabel="words", ylabel="SoftMax / NCE, time", xscale="log", yscale="log")

# %% [markdown]
# Where to go next: `functorch7 train python-lstm` and the `ptb-...` and `gbw-nce` recipes
# ([docs/recipes.md](../docs/recipes.md)) are whole runs with checkpoints; [docs/recurrent.md](../docs/recurrent.md)
# explains state and padding.
