"""Modules under the names that Torch's objects and files have for them, around the same layers and tensors."""

import dataclasses

import numpy as np
import pytest

import functorch7 as f7
from functorch7.legacy import nn, torch
from functorch7.legacy.objects.described import torch_spelling

D, H, B = 3, 2, 2


def values(*shape, seed=0):
    return torch.Tensor(np.random.default_rng(seed).normal(size=shape))


@pytest.mark.parametrize("make", [nn.FastLSTM, nn.GRU], ids=lambda make: make.__name__)
def test_the_module_of_a_cells_step_computes_what_the_cell_does(make):
    cell = make(D, H)
    step = cell.recurrentModule
    assert step is cell.recurrentModule
    assert all(any(mine is theirs for theirs in cell.parameters()[0]) for mine in step.parameters()[0])
    x, h, c = values(B, D), values(B, H, seed=1), values(B, H, seed=2)
    cell.setHiddenState(0, [h, c] if make is nn.FastLSTM else h)
    output = step.forward([x, h, c] if make is nn.FastLSTM else [x, h])
    np.testing.assert_allclose(cell.forward(x), output[0] if isinstance(output, list) else output, rtol=1e-5)


def test_a_masked_cell_has_its_step_in_a_mask():
    masked = nn.GRU(D, H)
    before = masked.recurrentModule
    assert masked.maskZero(1).recurrentModule.typename() == "nn.MaskZero"
    assert masked.recurrentModule.get(1) is not before  # it is made anew when the description changes
    assert nn.GRU(D, H).trimZero(1).recurrentModule.typename() == "nn.TrimZero"


def test_recurrents_first_step_has_a_module_of_its_own():
    start, given, feedback = nn.Add(H), nn.Linear(D, H), nn.Linear(H, H)
    cell = nn.Recurrent(start, given, feedback)
    assert cell.initialModule.get(2) is start and cell.initialModule.get(1).weight is given.weight
    assert cell.recurrentModule.get(1).modules == [given, feedback]
    assert cell.feedbackModule is feedback and cell.startModule is start


def test_sequencers_name_what_they_run():
    linear = nn.Linear(D, H)
    sequencer = nn.Sequencer(linear)
    assert sequencer.module.typename() == "nn.Recursor" and sequencer.module.recurrentModule is linear
    assert (sequencer._remember, sequencer.remember("both")._remember) == ("neither", "both")
    both = nn.BiSequencer(nn.FastLSTM(D, H), nn.FastLSTM(D, H))
    forwards, backwards = both.forwardModule, both.backwardModule
    assert both.fwdSeq.module is forwards is not backwards and both.module is both.get(1)
    attention = nn.RecurrentAttention(nn.GRU(D, H), nn.Linear(H, D), 2, [H])
    assert attention.rnn is attention.get(1) and attention.action is attention.get(2)
    lstm = nn.LSTM(D, H)
    assert lstm.cellLayer is lstm.recurrentModule.get(1, 2) and lstm.inputGate.get(1).size() == 3


def test_a_users_module_keeps_its_place():
    class Twice(nn.Module):
        def updateOutput(self, input):
            return input * 2

    twice = Twice()
    sequencer = nn.Sequencer(twice)
    assert sequencer.module.recurrentModule is twice


def test_partial_linear_is_a_network_over_the_same_tensors():
    partial = nn.PartialLinear(D, 4)
    table = partial.network.get(1).get(2)
    assert table.weight is partial.weight and table.gradWeight is partial.gradWeight
    flat, _ = partial.getParameters()
    flat.fill(2)
    assert table.weight.sum() == 2 * 4 * D


def test_what_no_object_has_is_an_error():
    for module in (nn.Linear(2, 2), nn.Sequencer(nn.GRU(D, H)), nn.PartialLinear(D, H)):
        with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
            _ = module.nothing


def test_each_field_has_one_name_of_torchs():
    """No two fields of a description are spelled alike, and a spelling that only looks similar is no name."""
    for spec_class in f7.core.registry.values():
        names = [field.name for field in dataclasses.fields(spec_class)]
        spelled = [torch_spelling(spec_class, name) for name in names]
        assert len(set(spelled)) == len(spelled), spec_class
        assert not {name for name in spelled if name in names and spelled[names.index(name)] != name}, spec_class
    linear = nn.Linear(2, 3)
    assert (linear.inputSize, linear.input_size) == (2, 2) and {"inputSize", "outputSize"} <= set(dir(linear))
    for wrong in ("o_u_t_p_u_t_size", "inputsize", "InputSize"):
        with pytest.raises(AttributeError):
            getattr(linear, wrong)


@pytest.mark.parametrize("field", ["usenngraph", "bn"])
def test_the_step_of_a_fast_lstm_may_be_a_graph(monkeypatch, field):
    monkeypatch.setattr(nn.FastLSTM, field, True)
    cell = nn.FastLSTM(3, 2).double()
    monkeypatch.undo()
    parameters, gradients = cell.getParameters()
    step = cell.recurrentModule
    assert step.typename() == "nn.gModule" and cell.recurrentModule is step
    assert cell.parameters()[0][0].storage() is parameters.storage()  # a graph around them leaves them where they are
    assert any(node.data.module is cell.i2g for node in step.forwardnodes)
    cell.evaluate()
    step.evaluate()
    x, h, c = (torch.DoubleTensor(np.random.default_rng(i).normal(size=(4, n))) for i, n in enumerate((3, 2, 2)))
    cell.setHiddenState(0, [h, c])
    expected = cell.forward(x)
    new_h, new_c = step.forward([x, h, c])
    np.testing.assert_allclose(new_h, expected, rtol=1e-12)
    np.testing.assert_allclose(new_c, cell.cells[1], rtol=1e-12)
    cell.zeroGradParameters()
    cell.backward(x, torch.ones(4, 2).double())
    found = np.array(gradients)
    cell.zeroGradParameters()
    of_x, _, of_c = step.backward([x, h, c], [torch.ones(4, 2).double(), torch.zeros(4, 2).double()])
    np.testing.assert_allclose(gradients, found, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(of_x, cell.gradInput, rtol=1e-9)
    np.testing.assert_allclose(of_c, cell.userGradPrevCell, rtol=1e-9)
    assert step.double().type() == "torch.DoubleTensor"


def test_a_fast_lstm_with_dropout_has_no_graph(monkeypatch):
    monkeypatch.setattr(nn.FastLSTM, "usenngraph", True)
    assert nn.FastLSTM(3, 2, None, None, None, None, 0.5).recurrentModule.typename() != "nn.gModule"
