"""Sequences of many lengths: few programs are compiled, and nothing else is different."""

import jax
import numpy as np
import pytest

from functorch7.legacy import nn, torch
from functorch7.legacy.engine import lengths

COMPILED = []
jax.monitoring.register_event_duration_secs_listener(
    lambda event, seconds, **_: COMPILED.append(event) if event.endswith("backend_compile_duration") else None
)
LENGTHS = [3, 4, 6, 7, 9, 5, 7]  # of which the first two are run as they are
SIZE = 3


def indices(length):
    return torch.rand(length, 2).mul(5).floor().add(1)


def tensors(length):
    return torch.randn(length, 2, SIZE)


def tables(length):
    return [tensors(1)[1] for _ in range(length)]


NETWORKS = {
    "layers": (lambda: nn.Sequential().add(nn.LookupTable(5, SIZE)).add(nn.SeqLSTM(SIZE, 2)), indices),
    "dropped": (lambda: nn.Sequencer(nn.Sequential().add(nn.GRU(SIZE, 2)).add(nn.Dropout(0.5))), tables),
    "split": (lambda: nn.Sequential().add(nn.SplitTable(1)).add(nn.Sequencer(nn.LSTM(SIZE, 2))), tensors),
}


def flat(value):
    return np.concatenate([np.ravel(each) for each in value]) if isinstance(value, list) else np.ravel(value)


def zeros_like(value):
    return [zeros_like(each) for each in value] if isinstance(value, list) else torch.zeros(*value.shape)


def trained(network, criterion, make, sizes):
    """What a network shows in a loop over sequences of these lengths."""
    found = []
    params, gradients = network.parameters()
    torch.manualSeed(2)
    for length in sizes:
        input = make(length)
        output = network.forward(input)
        found += [flat(output), criterion.forward(output, zeros_like(output))]
        network.zeroGradParameters()
        found.append(flat(network.backward(input, criterion.backward(output, zeros_like(output)))))
        found += map(flat, gradients)
        network.updateParameters(0.1)
    return found + list(map(flat, params))


@pytest.mark.parametrize("name", NETWORKS)
def test_sequences_of_many_lengths_are_computed_as_each_alone(name, monkeypatch):
    make, inputs = NETWORKS[name]
    network = make()
    criterion = nn.SequencerCriterion(nn.MSECriterion(), name == "split")
    alone = network.clone(), criterion.clone()
    found = trained(network, criterion, inputs, LENGTHS)
    monkeypatch.setattr(lengths, "MOST_AS_THEY_ARE", len(LENGTHS))
    for one, other in zip(found, trained(*alone, inputs, LENGTHS), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-6)


def test_lengths_up_to_a_multiple_compile_nothing_more():
    make, inputs = NETWORKS["layers"]
    network, criterion = make(), nn.SequencerCriterion(nn.MSECriterion())
    trained(network, criterion, inputs, [3, 4, 9])
    COMPILED.clear()
    trained(network, criterion, inputs, [10, 11, 9])
    assert not COMPILED


def test_a_length_that_comes_often_has_its_own_program(monkeypatch):
    monkeypatch.setattr(lengths, "OFTEN", 2)
    seen = lengths.Lengths()
    runs = [seen.to_run([0.0] * length) for length in (3, 4, 5, 6, 5, 5, 3)]
    assert runs == [None, None, 8, 8, 8, None, None]
    assert seen.to_run([np.zeros(3), np.zeros((3, 2))] * 5) is None  # no table of steps
    assert [lengths.rounded_up(length) for length in (1, 4, 17, 33, 100, 200)] == [4, 4, 20, 40, 112, 224]


def test_what_is_asked_afterwards_is_of_the_sequence_that_was_given():
    layer, inputs = nn.SeqLSTM(SIZE, 2), [tensors(length) for length in (2, 3, 5)]
    network = nn.Sequential().add(layer).add(nn.Sequencer(nn.Linear(2, 2)))
    other = network.clone()
    for input in inputs:
        network.forward(input)
    other.forward(inputs[-1])
    assert network.get(1).output.shape == (5, 2, 2)
    gradient = torch.randn(5, 2, 2)
    for each in (network, other):
        each.zeroGradParameters()
        each.updateGradInput(inputs[-1], gradient)
        each.accGradParameters(inputs[-1], gradient)
    np.testing.assert_allclose(network.get(1).gradInput, other.get(1).gradInput, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(layer.gradWeight, other.get(1).gradWeight, rtol=1e-4, atol=1e-6)
    network.remember("both")  # now the state after the last step goes on
    other.remember("both")
    for input in inputs[::-1]:
        np.testing.assert_allclose(network.forward(input), other.forward(input), rtol=1e-4, atol=1e-6)


def test_errors_say_what_was_given():
    network = nn.SeqLSTM(SIZE, 2)
    for length in (2, 3):
        network.forward(tensors(length))
    with pytest.raises(ValueError, match=r"\(5, 2, 4\)"):
        network.forward(torch.randn(5, 2, 4))
