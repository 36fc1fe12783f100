"""Sequence to sequence: what an encoder remembers of a sentence is what its decoder starts from.

The rnn package's examples/encoder-decoder-coupling.lua, with its two sentences of unequal length. Zeros are padding: on
the left for the encoder, which starts anew after them, and on the right for the decoder, where no loss is counted. Run
`python notebooks/encoder_decoder_coupling.py`.
"""

from collections.abc import Iterator
from typing import Any

import jax
import numpy as np
import optax

import functorch7 as f7
from side_by_side import run, start_from

HIDDEN_SIZE = 6
VOCAB_SIZE = 7
LEARNING_RATE = 0.1

# time x batch; word 6 starts a sentence (GO), and word 7 ends it (EOS)
ENC_IN = np.array([[0, 0, 0, 0, 1, 2, 3], [0, 0, 0, 4, 3, 2, 1]]).T
DEC_IN = np.array([[6, 1, 2, 3, 4, 0, 0, 0], [6, 5, 4, 3, 2, 1, 0, 0]]).T
DEC_OUT = np.array([[1, 2, 3, 4, 7, 0, 0, 0], [5, 4, 3, 2, 1, 7, 0, 0]]).T

# The functional interface -----------------------------------------------------------------------------------------

encoder = f7.Sequential(
    f7.LookupTableMaskZero(VOCAB_SIZE, HIDDEN_SIZE),
    f7.Sequencer(f7.LSTM(HIDDEN_SIZE, HIDDEN_SIZE).mask_zero(1)).remember(),
)
decoder = f7.Sequential(
    f7.LookupTableMaskZero(VOCAB_SIZE, HIDDEN_SIZE),
    f7.Sequencer(f7.LSTM(HIDDEN_SIZE, HIDDEN_SIZE).mask_zero(1)).remember(),
    f7.Sequencer(f7.MaskZero(f7.Linear(HIDDEN_SIZE, VOCAB_SIZE), 1)),
    f7.Sequencer(f7.MaskZero(f7.LogSoftMax(), 1)),
)
LSTM = 1  # its place in both


def start(seed: int) -> tuple[f7.Variables, f7.Variables]:
    """The starting values of encoder and decoder."""
    keys = jax.random.split(jax.random.key(seed))
    return encoder.init(keys[0]), decoder.init(keys[1])


def functional(seed: int) -> Iterator[Any]:
    """The state is a value: handing it on couples the networks forward, and its gradient couples them backward."""
    (enc_params, enc_buffers), (dec_params, dec_buffers) = start(seed)
    params = (enc_params, dec_params)
    criterion = f7.SequencerCriterion(f7.MaskZeroCriterion(f7.ClassNLLCriterion(), 1))
    optimizer = optax.sgd(LEARNING_RATE)
    optimizer_state = optimizer.init(params)

    def loss(params: Any) -> Any:
        enc_params, dec_params = params
        _, after = encoder.apply(enc_params, enc_buffers, ENC_IN, train=True)
        carry = f7.carry_of(decoder, dec_buffers)
        carry[LSTM] = f7.carry_of(encoder, after)[LSTM]
        coupled = f7.with_carry(decoder, dec_buffers, carry)
        output, _ = decoder.apply(dec_params, coupled, DEC_IN, train=True)
        return criterion(output, DEC_OUT)

    @jax.jit
    def step(params: Any, optimizer_state: Any) -> tuple[Any, Any, Any]:
        error, gradients = jax.value_and_grad(loss)(params)
        updates, optimizer_state = optimizer.update(gradients, optimizer_state, params)
        return optax.apply_updates(params, updates), optimizer_state, error

    while True:
        params, optimizer_state, error = step(params, optimizer_state)
        yield error


# Torch7's interface -----------------------------------------------------------------------------------------------


def legacy(seed: int) -> Iterator[Any]:
    """The Lua program, line by line."""
    from functorch7.legacy import nn, torch

    enc = nn.Sequential()
    enc.add(nn.LookupTableMaskZero(VOCAB_SIZE, HIDDEN_SIZE))
    encLSTM = nn.LSTM(HIDDEN_SIZE, HIDDEN_SIZE).maskZero(1)
    enc.add(nn.Sequencer(encLSTM))
    enc.add(nn.Select(1, -1))

    dec = nn.Sequential()
    dec.add(nn.LookupTableMaskZero(VOCAB_SIZE, HIDDEN_SIZE))
    decLSTM = nn.LSTM(HIDDEN_SIZE, HIDDEN_SIZE).maskZero(1)
    dec.add(nn.Sequencer(decLSTM))
    dec.add(nn.Sequencer(nn.MaskZero(nn.Linear(HIDDEN_SIZE, VOCAB_SIZE), 1)))
    dec.add(nn.Sequencer(nn.MaskZero(nn.LogSoftMax(), 1)))

    for module, network, variables in zip((enc, dec), (encoder, decoder), start(seed), strict=True):
        start_from(module, network, variables)

    criterion = nn.SequencerCriterion(nn.MaskZeroCriterion(nn.ClassNLLCriterion(), 1))

    while True:
        enc.zeroGradParameters()
        dec.zeroGradParameters()

        # forward pass
        encOut = enc.forward(ENC_IN)
        decLSTM.setHiddenState(0, encLSTM.getHiddenState(len(ENC_IN)))  # forward coupling
        decOut = dec.forward(DEC_IN)
        yield criterion.forward(decOut, DEC_OUT)

        # backward pass
        gradOutput = criterion.backward(decOut, DEC_OUT)
        dec.backward(DEC_IN, gradOutput)
        encLSTM.setGradHiddenState(len(ENC_IN), decLSTM.getGradHiddenState(0))  # backward coupling
        zeroTensor = torch.zeros(encOut.size())
        enc.backward(ENC_IN, zeroTensor)

        dec.updateParameters(LEARNING_RATE)
        enc.updateParameters(LEARNING_RATE)


def main(arguments: list[str] | None = None) -> np.ndarray:
    """Trains in one of the two ways; the loss of each iteration."""
    return run(__doc__, functional, legacy, 1000, arguments)


if __name__ == "__main__":
    main()
