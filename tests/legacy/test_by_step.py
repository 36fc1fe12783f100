"""Torch's tables with an entry for each step: the same from a sequence and from steps, and by the formulas."""

import numpy as np
import pytest

from functorch7.legacy import nn, torch
from functorch7.programs import cache_info

T, B, D, H = 3, 2, 3, 2
TABLES = ("outputs", "cells", "gradInputs", "gradOutputs", "gradCells", "_gradOutputs")


def values(*shape, seed=0):
    return torch.Tensor(np.random.default_rng(seed).normal(size=shape)).double()


XS, GS = values(T, B, D), values(T, B, H, seed=1)

CELLS = {
    "FastLSTM": lambda: nn.FastLSTM(D, H),
    "Recurrent": lambda: nn.Recurrent(H, nn.Linear(D, H), nn.Linear(H, H)),
    "Recursor": lambda: nn.Recursor(nn.Linear(D, H)),
}


@pytest.mark.parametrize("name", CELLS)
def test_a_sequence_shows_the_tables_that_steps_show(name):
    cell = CELLS[name]().double()
    steps = cell.clone()
    sequencer = nn.Sequencer(cell)
    output = sequencer.forward(XS)
    sequencer.backward(XS, GS)
    for t in range(1, T + 1):
        steps.forward(XS[t])
    for t in range(T, 0, -1):
        steps.backward(XS[t], GS[t])
    assert cell.step == steps.step == T + 1
    for table in TABLES:
        mine, theirs = getattr(cell, table), getattr(steps, table)
        assert list(mine) == list(theirs)
        for t in mine:
            np.testing.assert_allclose(mine[t], theirs[t], rtol=1e-12, atol=1e-14, err_msg=f"{table}[{t}]")
    for t in range(1, T + 1):
        np.testing.assert_array_equal(cell.outputs[t], output[t])
    assert list(cell.cells) == ([1, 2, 3] if "LSTM" in name else [])


def test_the_gradients_of_states_are_those_of_the_formula():
    """h' = tanh(W x + U h) by hand: what comes into h from later steps, and all of it."""
    feedback, given = nn.Linear(H, H), nn.Linear(D, H)
    cell = nn.Recurrent(nn.Identity(), given, feedback, nn.Tanh()).double()
    sequencer = nn.Sequencer(cell)
    sequencer.forward(XS)
    sequencer.backward(XS, GS)
    hidden = {t: np.array(cell.outputs[t]) for t in range(1, T + 1)}
    later, weight = np.zeros((B, H)), np.array(feedback.weight)
    for t in range(T, 0, -1):
        total = np.array(GS[t]) + later
        np.testing.assert_allclose(cell.gradOutputs[t], later, rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(cell._gradOutputs[t], total, rtol=1e-12)
        sums = total * (1 - hidden[t] ** 2)
        np.testing.assert_allclose(cell.gradInputs[t], sums @ np.array(given.weight), rtol=1e-12)
        later = sums @ weight


def test_remembered_steps_go_on_counting_until_they_are_forgotten():
    cell = nn.FastLSTM(D, H).double()
    sequencer = nn.Sequencer(cell).remember("both")
    assert list(cell.outputs) == [] and cell.step == 1
    first = np.array(sequencer.forward(XS))
    sequencer.forward(XS)
    sequencer.forward(XS.narrow(1, 1, 2))
    assert cell.step == 2 * T + 3 and list(cell.outputs) == [2 * T, 2 * T + 1, 2 * T + 2]
    with pytest.raises(KeyError, match=r"outputs\[1\]: this step is not kept; there are: 6 to 8"):
        cell.outputs[1]
    sequencer.forget()
    assert cell.step == 1 and len(cell.cells) == 0
    np.testing.assert_array_equal(sequencer.forward(XS), first)
    assert list(cell.outputs) == [1, 2, 3]


def test_whole_layers_show_where_they_start_and_all_their_cells():
    layer = nn.SeqLSTM(D, H).double()
    assert layer.h0.nElement() == 0 and layer.cell is None
    layer.forward(XS)
    assert layer.h0.norm() == 0 and layer.c0.size() == [B, H]
    steps = layer.toFastLSTM()
    sequencer = nn.Sequencer(steps)  # whose call it is that the steps show
    sequencer.forward(XS)
    np.testing.assert_allclose(layer.cell, [np.array(steps.cells[t]) for t in range(1, T + 1)], rtol=1e-12)
    layer.remember("both").forward(XS)
    after = np.array(layer.output[T])
    layer.forward(XS)
    np.testing.assert_array_equal(layer.h0, after)


def test_step_modules_show_what_their_step_has_left():
    sampler = nn.ReinforceNormal(0.1)
    recursor = nn.Recursor(nn.Sequential().add(nn.Tanh()).add(sampler))
    inputs = [values(B, D, seed=t).float() for t in range(T)]
    outputs = [np.array(recursor.forward(x)) for x in inputs]
    rewards = [torch.Tensor([t, 2 * t]) for t in range(T)]
    recursor.reinforce(rewards)
    for t in range(1, T + 1):
        step = recursor.getStepModule(t)
        assert isinstance(step, nn.Sequential) and step.size() == 2
        np.testing.assert_array_equal(step.output, outputs[t - 1])
        np.testing.assert_allclose(step.get(1).output, np.tanh(np.array(inputs[t - 1])), rtol=1e-6)
        np.testing.assert_array_equal(step.modules[1].reward, rewards[t - 1])
    assert list(recursor.sharedClones) == [1, 2, 3]


def test_backward_may_go_further_than_the_backward_before_it():
    """Variable-length training: k forwards, maxBPTTstep(k), k backwards."""
    cell, other = nn.FastLSTM(D, H, 4).double(), nn.FastLSTM(D, H).double()
    other.share(cell, "weight", "bias")
    inputs, gradient = [values(B, D, seed=t) for t in range(4)], values(B, H, seed=9)
    for k in (2, 4, 3):
        for each in (cell, other):
            each.forget()
            for x in inputs[:k]:
                each.forward(x)
        cell.maxBPTTstep(k)
        for x in inputs[k - 1 :: -1]:
            np.testing.assert_array_equal(cell.backward(x, gradient), other.backward(x, gradient))
    programs = cache_info().programs
    cell.maxBPTTstep(2)
    for x in [*inputs, *inputs]:  # but no more steps wait for a backward than it was made for
        cell.forward(x)
    assert list(cell._steps().calls) == [8, 9, 10, 11] and cache_info().programs == programs


def test_a_state_of_several_tensors_is_set_as_it_is_shown():
    step = nn.Sequential().add(nn.FlattenTable()).add(nn.LSTM(D, H).recurrentModule)
    network = nn.Sequential().add(nn.Recurrence(step, [[H], [H]], 1)).add(nn.SelectTable(1)).double()
    network.forward(XS[1])
    state = network.getHiddenState(1)
    wanted = np.array(network.forward(XS[2]))
    network.forget()
    network.setHiddenState(0, state)
    np.testing.assert_array_equal(network.forward(XS[2]), wanted)
    with pytest.raises(ValueError, match="expected a state of 1 tensors, got 6"):
        network.setHiddenState(1, [state, state, state])


@pytest.mark.parametrize("make", [nn.FastLSTM, nn.GRU, nn.LSTM], ids=lambda make: make.__name__)
def test_the_clones_of_a_cell_show_what_the_module_of_its_step_gives(make):
    cell = make(D, H).double()
    sequencer = nn.Sequencer(cell)
    sequencer.forward(XS)
    sequencer.backward(XS, GS)
    alone, has_cells = cell.recurrentModule.clone(), make is not nn.GRU
    for t in range(2, T + 1):
        state = [cell.outputs[t - 1], *([cell.cells[t - 1]] if has_cells else [])]
        gradient = [cell._gradOutputs[t], cell.gradCells.get(t, torch.zeros(B, H).double())]
        expected = alone.forward([XS[t], *state])
        of_inputs = alone.backward([XS[t], *state], gradient if has_cells else gradient[0])
        clone = cell.sharedClones[t]
        for mine, theirs in ((clone.output, expected), (clone.gradInput, of_inputs)):
            assert isinstance(mine, list) == isinstance(theirs, list)
            pairs = zip(mine, theirs, strict=True) if isinstance(mine, list) else [(mine, theirs)]
            for one, other in pairs:
                np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)
    assert cell.sharedClones[1].gradInput[1:] == [None] * (1 + has_cells)  # nobody gave a first state


def test_a_table_of_steps_says_that_it_takes_no_values():
    cell = nn.FastLSTM(D, H).double()
    cell.forward(XS[1])
    with pytest.raises(TypeError, match=r"outputs\[1\]: expected no value.*setHiddenState.*got Tensor"):
        cell.outputs[1] = GS[1]
