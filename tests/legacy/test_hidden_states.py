"""Hidden states and their gradients by step, of steps, sequences and chains."""

import numpy as np
import pytest

from functorch7.legacy import nn

from .helpers import same
from .test_recurrent import GS, XS, B, D, H, backward_through_time


@pytest.mark.parametrize("make", [nn.LSTM, nn.GRU], ids=lambda make: make.__name__)
def test_without_a_first_state_it_is_zeros_and_so_is_the_gradient_there(make):
    """Step by step and in one call, against the same from zeros that were given."""
    cell = make(D, H).double()
    given = cell.clone()
    zeros = [np.zeros((B, H))] * 2 if make is nn.LSTM else np.zeros((B, H))
    given.setHiddenState(0, zeros)
    backward_through_time(given, XS, GS)
    wanted = given.getGradHiddenState(0)
    backward_through_time(cell, XS, GS)
    same(cell.getHiddenState(0), zeros)
    same(cell.getGradHiddenState(0), wanted)
    sequencer = nn.Sequencer(make(D, H).double())
    for mine, theirs in zip(sequencer.parameters()[0], cell.parameters()[0], strict=True):
        mine.copy(theirs)
    sequencer.forward(XS)
    sequencer.backward(XS, GS)
    same(sequencer.getHiddenState(0), [zeros])
    same(sequencer.getGradHiddenState(0), [wanted])
    before = sequencer.gradInput
    for step in range(1, len(XS) + 1):
        same(sequencer.getHiddenState(step), [cell.getHiddenState(step)])
        same(sequencer.getGradHiddenState(step), [cell.getGradHiddenState(step)])
    assert sequencer.gradInput is before
    with pytest.raises(ValueError, match="no state is kept for step 9"):
        sequencer.getHiddenState(9)


def test_states_of_a_chain_are_in_the_places_of_its_modules():
    network = nn.Sequential().add(nn.Dropout(0)).add(nn.GRU(D, H)).add(nn.Linear(H, H)).add(nn.GRU(H, 2)).add(nn.Tanh())
    network.forward(XS[0])
    state = network.getHiddenState(1)
    assert [each is None for each in state] == [True, False, True, False]
    copied, _ = nn.utils.recursiveCopy(None, state)
    wanted = np.array(network.forward(XS[1]))
    for given in (state, copied):
        network.forget()
        network.setHiddenState(0, given)
        same(network.forward(XS[1]), wanted)
