# %% [markdown]
# # Recurrent networks
#
# Element-Research's package rnn, from a network that counts to one that writes what another has read. The scripts of
# this folder are the same programs in both interfaces; from them come the data and most of the networks here.

# %%
import os
from itertools import islice

import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np
import optax

import encoder_decoder_coupling as translating
import functorch7 as f7
import recurrent_time_series as forecasting
import sequence_to_one as classifying
import simple_recurrent_network as counting
import simple_sequencer_network as whole
from functorch7.training import init_state, make_train_step

QUICK = "FUNCTORCH7_QUICK" in os.environ  # the tests' sizes

# %% [markdown]
# ## A simple recurrent network
#
# It sees a number from 1 to 10 and says which comes next; after 10 comes 1. In Torch7 a recurrent module takes one
# time step at each call, and keeps what it needs to go back through them:
#
# ```lua
# rnn = nn.Recursor(nn.Sequential()
#   :add(nn.Recurrent(7, nn.LookupTable(10, 7), nn.Linear(7, 7), nn.Sigmoid(), 5))
#   :add(nn.Linear(7, 10)):add(nn.LogSoftMax()), 5)
# rnn:zeroGradParameters()
# rnn:forget()
# for t = 1, 5 do
#   outputs[t] = rnn:forward(inputs[t])
#   loss = loss + criterion:forward(outputs[t], targets[t])
# end
# for t = 5, 1, -1 do
#   rnn:backward(inputs[t], criterion:backward(outputs[t], targets[t]))
# end
# rnn:updateParameters(0.1)
# ```
#
# Here the state is in the buffers. It goes in with a step and comes out anew, and the first buffers are still there:
# starting from them is what `forget` does. `carry_of` shows the state alone.

# %%
print(counting.network)
inputs, targets = map(jnp.asarray, next(counting.batches(seed=0)))
print("inputs, time x batch:", inputs, sep="\n")
params, forgotten = counting.network.init(jax.random.key(0))
advance = jax.jit(counting.network.apply)  # one step: the output, and the buffers for the next one

steps, buffers = [], forgotten
for input in inputs:
    output, buffers = advance(params, buffers, input)
    steps.append(output)
print("states after 5 steps:", [jnp.shape(leaf) for leaf in jax.tree.leaves(f7.carry_of(counting.network, buffers))])

# %% [markdown]
# ## Sequencer
#
# A Sequencer runs the same module over the whole sequence. In Torch7 it takes a table with an entry for every step,
# and one call goes forward through all of them, and one backward:
#
# ```lua
# rnn = nn.Sequencer(rnn)
# criterion = nn.SequencerCriterion(nn.ClassNLLCriterion())
# loss = criterion:forward(rnn:forward(inputs), targets)
# rnn:backward(inputs, criterion:backward(rnn.output, targets))
# ```
#
# Here the sequence may be one array, time first. What needs no earlier step (the table, the linear layer) is computed
# for all steps at once; only the recurrence is a scan. The outputs are those of the steps one by one:

# %%
outputs, _ = jax.jit(whole.network.apply)([params], [forgotten], inputs)  # a container's are a list
np.testing.assert_allclose(outputs, steps, atol=1e-5)

# %% [markdown]
# So it is trained by a compiled step as any network is. Nothing is remembered from one sequence to the next. With what
# was learned from 5 steps, the network of single steps then counts as long as one likes, each from its own last word.


# %%
def train(network, criterion, optimizer, batches, count):
    """The parameters after so many steps, and the loss of each."""
    state = init_state(network, optimizer, jax.random.key(0))
    step = make_train_step(network, criterion, optimizer)
    losses = []
    for batch in islice(batches, count):
        state, metrics = step(state, batch, None)
        losses.append(metrics["loss"])
    losses = np.array([float(loss) for loss in losses])
    print(f"loss {losses[0]:.3f} -> {losses[-20:].mean():.3f}")
    return state.params, losses


each_step = f7.SequencerCriterion(f7.ClassNLLCriterion())
[params], losses = train(whole.network, each_step, f7.optim.adam(0.02), counting.batches(0), 200 if QUICK else 500)
assert losses[-20:].mean() < 0.5 < 10 < losses[0]

number, buffers, said = jnp.array([3]), forgotten, []
for _ in range(20):
    output, buffers = advance(params, buffers, number)
    number = output.argmax(-1) + 1
    said.append(int(number[0]))
print("3, then", said)
assert said == [(3 + step) % 10 + 1 for step in range(20)]

# %% [markdown]
# ## SeqLSTM
#
# A whole layer of an LSTM as one module, for arrays of time x batch x features:
#
# ```lua
# lstm = nn.SeqLSTM(3, 4)
# lstm:remember('both')
# outputs = lstm:forward(sequence)
# ```
#
# It computes what a Sequencer of FastLSTM does, and its parameters can be converted. With `remember` the state at the
# end of one call starts the next, so that a long sequence can come in pieces. Gradients do not cross calls, which is
# truncated back-propagation through time.

# %%
sequence = jax.random.normal(jax.random.key(1), (12, 2, 3))
layer = f7.SeqLSTM(3, 4)
layer_params, layer_buffers = layer.init(jax.random.key(0))
at_once, _ = jax.jit(layer.apply)(layer_params, layer_buffers, sequence)

cell, cell_params = layer.to_fast_lstm(layer_params)
stepwise = f7.Sequencer(cell)
_, stepwise_buffers = stepwise.init(jax.random.key(0))
one_by_one, _ = jax.jit(stepwise.apply)([cell_params], stepwise_buffers, sequence)
np.testing.assert_allclose(at_once, one_by_one, atol=1e-5)

remembering = f7.SeqLSTM(3, 4).remember("both")
_, state = remembering.init(jax.random.key(0))
pieces = []
for piece in jnp.split(sequence, [5, 8]):
    output, state = remembering.apply(layer_params, state, piece)
    pieces.append(output)
np.testing.assert_allclose(at_once, jnp.concatenate(pieces), atol=1e-5)

# %% [markdown]
# ## Both directions
#
# What a step is asked for may lie ahead of it. Here it is the sum of its two neighbours, `x[t - 1] + x[t + 1]`, with
# zeros beyond the ends. The next number is random, so who reads forwards cannot know it: 7 of 8 steps are left with
# its variance of 1, and the mean squared error of such a network is 7/8 at best (grey), but for chance. SeqBRNN adds
# the outputs of two SeqLSTMs, of which one reads backwards:
#
# ```lua
# network = nn.Sequential():add(nn.SeqBRNN(1, 16)):add(nn.Sequencer(nn.Linear(16, 1)))
# ```

# %%
STEPS = 8


def neighbours(seed, batch_size=64):
    """Random sequences, time x batch x 1, with the sums of the neighbours of each number."""
    rng = np.random.default_rng(seed)
    while True:
        numbers = rng.normal(size=(STEPS, batch_size, 1)).astype(np.float32)
        wider = np.pad(numbers, ((1, 1), (0, 0), (0, 0)))
        yield numbers, wider[:-2] + wider[2:]


networks = {"forwards": f7.SeqLSTM(1, 16), "both ways": f7.SeqBRNN(1, 16)}
(numbers, sums), final = next(neighbours(seed=1)), {}
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.2))
right.plot(np.arange(1, STEPS + 1), sums[:, 0, 0], "k.-", label="true")
for name, layer in networks.items():
    print(name)
    network = f7.Sequential(layer, f7.Sequencer(f7.Linear(16, 1)))
    learned, losses = train(network, f7.MSECriterion(), f7.optim.adam(0.02), neighbours(0), 150 if QUICK else 500)
    final[name] = losses[-20:].mean()
    _, fresh = network.init(jax.random.key(0))
    guesses, _ = jax.jit(network.apply)(learned, fresh, numbers)
    left.plot(losses, label=name)
    right.plot(np.arange(1, STEPS + 1), guesses[:, 0, 0], "o--", fillstyle="none", label=name)
left.axhline(7 / 8, color="gray", linewidth=0.8)
left.set(xlabel="step", ylabel="loss", yscale="log")
right.set(xlabel="time", title="a new sequence: sums of neighbours")
right.legend()
assert final["both ways"] < 0.2 < 0.8 < final["forwards"]

# %% [markdown]
# `nn.BiSequencer(nn.GRU(3, 4), nn.GRU(3, 4))` does so with any recurrent modules, and joins the two outputs unless it
# is told otherwise: the first half is the forward module's, the second that of the one that reads backwards.

# %%
pair = f7.BiSequencer(f7.GRU(3, 4), f7.GRU(3, 4))
pair_params, pair_buffers = pair.init(jax.random.key(2))
joined, _ = jax.jit(pair.apply)(pair_params, pair_buffers, sequence)

alone = f7.Sequencer(f7.GRU(3, 4))
[[[[first], [_, [second], _]], *_]] = pair_params  # the other one is between two reversals
(_, fresh), read = alone.init(jax.random.key(0)), jax.jit(alone.apply)
forwards, backwards = read([first], fresh, sequence)[0], read([second], fresh, sequence[::-1])[0]
np.testing.assert_allclose(joined, jnp.concatenate([forwards, backwards[::-1]], -1), atol=1e-5)

# %% [markdown]
# ## Sequences of unequal length
#
# They come in one batch, padded with rows of zeros. In Torch7 these are masked: where the input is zero the output is
# zero, and the state starts anew. The criterion leaves such rows out, of its averages, too.
#
# ```lua
# lstm = nn.Sequencer(nn.FastLSTM(3, 4):maskZero(1))
# classifier = nn.Sequencer(nn.MaskZero(nn.Linear(4, 2), 1))
# criterion = nn.SequencerCriterion(nn.MaskZeroCriterion(nn.MSECriterion(), 1))
# ```

# %%
LENGTHS = [6, 4, 1]
rng = np.random.default_rng(0)
ragged = [rng.normal(size=(length, 3)).astype(np.float32) for length in LENGTHS]
right_padded = np.stack([np.pad(sequence, ((0, 6 - len(sequence)), (0, 0))) for sequence in ragged], 1)
left_padded = np.stack([np.pad(sequence, ((6 - len(sequence), 0), (0, 0))) for sequence in ragged], 1)

masked = f7.Sequencer(f7.FastLSTM(3, 4).mask_zero(1))
masked_params, masked_buffers = masked.init(jax.random.key(4))
read = jax.jit(lambda sequence: masked.apply(masked_params, masked_buffers, sequence)[0])

each_alone = [np.asarray(read(sequence[:, None])[:, 0]) for sequence in ragged]
right_read, left_read = np.asarray(read(right_padded)), np.asarray(read(left_padded))
for column, (length, expected) in enumerate(zip(LENGTHS, each_alone, strict=True)):
    np.testing.assert_allclose(right_read[:length, column], expected, atol=1e-6)
    np.testing.assert_allclose(left_read[6 - length :, column], expected, atol=1e-6)
    assert not right_read[length:, column].any() and not left_read[: 6 - length, column].any()

figure, places = plt.subplots(1, 2, figsize=(9, 2.4))
for place, (title, read_so) in zip(places, {"right": right_read, "left": left_read}.items(), strict=True):
    rows = read_so.transpose(1, 2, 0).reshape(-1, 6)  # the four outputs of each sequence, over time
    place.imshow(rows, cmap="RdBu", vmin=-0.5, vmax=0.5, extent=(0.5, 6.5, 3.5, 0.5), aspect="auto")
    place.hlines([1.5, 2.5], 0.5, 6.5, color="black", linewidth=0.8)
    place.set(title=f"outputs, padded on the {title}", xlabel="time", ylabel="sequence", yticks=[1, 2, 3])

# %% [markdown]
# With the padding on the left the last step is every sequence's own last step, which is why Torch7's encoders have it
# there. The loss, too, is what each sequence gives alone, averaged at each step over those that are there.
#
# Zeros inside a sequence would end it. If zeros can be data, `over_padded` is told the lengths (or a mask) instead:
# padding then changes nothing, not even the state, so it also has each sequence's last output. The newer rnn has masks
# beside the input (`nn.utils.setZeroMask`, here `f7.set_zero_mask`; see [docs/recurrent.md](../docs/recurrent.md)).

# %%
each_step = f7.SequencerCriterion(f7.MaskZeroCriterion(f7.MSECriterion(), 1))
loss = jax.jit(lambda output: each_step(output, jnp.ones_like(output)))(right_read)
there = [[((alone[t] - 1) ** 2).mean() for alone in each_alone if t < len(alone)] for t in range(6)]
np.testing.assert_allclose(loss, sum(map(np.mean, there)), rtol=1e-5)

unmasked = f7.Sequencer(f7.FastLSTM(3, 4))
outputs, last, _ = f7.over_padded(unmasked, masked_params, masked_buffers, right_padded, lengths=jnp.array(LENGTHS))
np.testing.assert_allclose(outputs, right_read, atol=1e-6)
np.testing.assert_allclose(last, [alone[-1] for alone in each_alone], atol=1e-6)

# %% [markdown]
# ## Sequence to one
#
# Ten words are read, and only then it is said which of seven classes they belong to. In Torch7 a table of outputs has
# its last entry selected:
#
# ```lua
# rnn = nn.Sequential()
#   :add(nn.LookupTable(100, 100)):add(nn.SplitTable(1, 2))
#   :add(nn.Sequencer(r)):add(nn.SelectTable(-1))
#   :add(nn.Linear(100, 7)):add(nn.LogSoftMax())
# ```

# %%
print(classifying.network)
data, steps = classifying.batches(seed=0), 200 if QUICK else 1000
_, losses = train(classifying.network, f7.ClassNLLCriterion(), f7.optim.adam(0.01), data, steps)
figure, place = plt.subplots(figsize=(6, 2.6))
place.plot(losses, alpha=0.3)
place.plot(np.arange(19, len(losses)), np.convolve(losses, np.ones(20) / 20, "valid"), color="C0")
place.axhline(np.log(classifying.N_CLASS), color="gray", linewidth=0.8)
place.set(xlabel="step", ylabel="loss", title="and its mean over 20 steps; grey: guessing")
assert losses[-20:].mean() < (1.75 if QUICK else 1.5) < np.log(classifying.N_CLASS)

# %% [markdown]
# ## Encoder and decoder
#
# One network reads a sentence, and another begins with the state that the first ended with, and writes. In Torch7 the
# state is copied from one LSTM to the other, and its gradient is copied back, by the methods of the cells:
#
# ```lua
# encOut = enc:forward(encIn)
# decLSTM:setHiddenState(0, encLSTM:getHiddenState(encIn:size(1)))
# decOut = dec:forward(decIn)
# dec:backward(decIn, criterion:backward(decOut, targets))
# encLSTM:setGradHiddenState(encIn:size(1), decLSTM:getGradHiddenState(0))
# enc:backward(encIn, zeros)
# ```
#
# Here the state is a value. `carry_of` takes it from the buffers of the one, `with_carry` puts it into those of the
# other, and `jax.grad` goes back the same way by itself. There are two sentences, of unequal length: zeros are padding.

# %%
encoder, decoder, LSTM = translating.encoder, translating.decoder, translating.LSTM
print("read:", translating.ENC_IN.T, "to be written after 6, which starts a sentence:", translating.DEC_OUT.T, sep="\n")
(encoder_params, encoder_buffers), (decoder_params, decoder_buffers) = translating.start(seed=0)
optimizer = f7.optim.adam(0.03)
per_word = f7.SequencerCriterion(f7.MaskZeroCriterion(f7.ClassNLLCriterion(), 1))


def begun(encoder_params):
    """The decoder's buffers, with what the encoder remembers of the sentences."""
    _, after = encoder.apply(encoder_params, encoder_buffers, translating.ENC_IN)
    carry = f7.carry_of(decoder, decoder_buffers)
    carry[LSTM] = f7.carry_of(encoder, after)[LSTM]
    return f7.with_carry(decoder, decoder_buffers, carry)


def loss(params):
    """Of the words written, given the right words before each."""
    output, _ = decoder.apply(params[1], begun(params[0]), translating.DEC_IN)
    return per_word(output, translating.DEC_OUT)


@jax.jit
def update(params, optimizer_state):
    """One step for both networks together."""
    error, gradient = jax.value_and_grad(loss)(params)
    updates, optimizer_state = optimizer.update(gradient, optimizer_state, params)
    return optax.apply_updates(params, updates), optimizer_state, error


params = encoder_params, decoder_params
optimizer_state, losses = optimizer.init(params), []
for _ in range(150):
    params, optimizer_state, error = update(params, optimizer_state)
    losses.append(float(error))
print(f"loss {losses[0]:.2f} -> {losses[-1]:.2f}")
assert losses[-1] < 0.5 < 10 < losses[0]

# %% [markdown]
# Then it writes with nobody's help: a word at a time, each from its own last word, until both sentences have ended
# (with 7). The carry that the decoder remembers goes on from step to step.

# %%
encoder_params, decoder_params = params
write = jax.jit(decoder.apply)
word, buffers, written = jnp.array([[6, 6]]), begun(encoder_params), []
for _ in range(6):
    output, buffers = write(decoder_params, buffers, word)
    word = output.argmax(-1) + 1
    written.append(word[0])
written = np.array(written).T
print("written:", written, sep="\n")
for sentence, right in zip(written, translating.DEC_OUT.T, strict=True):
    ended = list(sentence).index(7) + 1
    assert list(sentence[:ended]) == list(right[right > 0])

# %% [markdown]
# ## Time series
#
# Six numbers rise and fall together; the network sees 5 steps and predicts, at each, the next vector. Then it does so
# over 99 steps, and is better than who repeats the last vector.
#
# ```lua
# rnn = nn.Sequencer(nn.Sequential()
#   :add(nn.Recurrent(10, nn.Linear(6, 10), nn.Linear(10, 10), nn.Sigmoid(), 5))
#   :add(nn.Linear(10, 6)))
# criterion = nn.SequencerCriterion(nn.MSECriterion())
# ```

# %%
each_step = f7.SequencerCriterion(f7.MSECriterion())
data, steps = forecasting.batches(seed=0), 300 if QUICK else 2000
params, losses = train(forecasting.network, each_step, f7.optim.adam(0.01), data, steps)
assert losses[-20:].mean() < (0.1 if QUICK else 0.01)

series = jnp.asarray(forecasting.series(seed=0))
_, forgotten = forecasting.network.init(jax.random.key(0))
predicted = jax.jit(forecasting.network.apply)(params, forgotten, series[:-1, None])[0][:, 0]
error, naive = ((predicted - series[1:]) ** 2).mean(), (jnp.diff(series, axis=0) ** 2).mean()
print(f"mean squared error {error:.5f}; of the last vector {naive:.5f}")

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.2), width_ratios=[1, 2])
left.plot(losses)
left.set(xlabel="step", ylabel="loss", yscale="log")
time = np.arange(1, 60)
for number in range(3):
    right.plot(time, series[1:60, number], "k", linewidth=0.8)
    right.plot(time, predicted[:59, number], ".", color=f"C{number}")
right.set(xlabel="time", title="three of the six: true (lines) and predicted (dots)")
assert error < (naive if QUICK else naive / 5)

# %% [markdown]
# [docs/recurrent.md](../docs/recurrent.md) has the whole interface; [notebook 5](5_language_models.ipynb) goes on.
