"""Wrong values, which only the program sees that runs: the call that is given them says so, and changes nothing."""

import jax
import numpy as np
import pytest

from functorch7.legacy import nn, torch

from .helpers import values


def indices(*given):
    return torch.LongTensor(list(given))


def tree():
    return nn.SoftMaxTree(3, {1: indices(2, 3), 2: indices(4, 5)}, 1)


def recurrence():
    step = nn.Sequential().add(nn.ParallelTable().add(nn.LookupTable(5, 3)).add(nn.Linear(3, 3))).add(nn.CAddTable())
    return nn.Sequencer(nn.Recurrence(step, 3, 0))


WRONG = {
    "a probability": (nn.ReinforceBernoulli, torch.Tensor([0.5, 1.5]),
                      "nn.ReinforceBernoulli: expected probabilities from 0 to 1, got 1.5 at position 2"),
    "not a number": (nn.ReinforceBernoulli, torch.Tensor([np.nan]), "nn.ReinforceBernoulli: .*, got nan at position 1"),
    "a deviation": (nn.ReinforceNormal, [torch.zeros(2), torch.Tensor([1, -1])], "nn.ReinforceNormal: .*, got -1"),
    "index 0": (lambda: nn.LookupTable(5, 3), indices(1, 0),
                "nn.LookupTable: expected indices from 1 to 5, got 0 at position 2"),
    "a masked index": (lambda: nn.TrimZero(nn.LookupTableMaskZero(5, 3), 1), indices(1, 0, 6),
                       "nn.LookupTableMaskZero: expected indices from 0 to 5, got 6 at position 3"),
    "in double precision": (lambda: nn.LookupTable(5, 3).double(), indices(7), "nn.LookupTable: .*, got 7 at"),
    "a class": (lambda: nn.NCEModule(3, 7, 2, torch.ones(7)), [values(2, 3), indices(1, 8)],
                r"nn.NCEModule\(3 -> 7\): expected indices from 1 to 7, got 8 at position 2"),
    "no leaf": (tree, [values(2, 3), indices(4, 9)], "nn.SoftMaxTree: expected nodes below the root, got 9 at"),
    "the root": (tree, [values(2, 3), indices(1, 4)], "nn.SoftMaxTree: expected nodes below the root, got 1 at"),
    "in a recurrence": (recurrence, [indices(1, 2), indices(3, 9)], "nn.LookupTable: .*, got 9 at position 2"),
    "a word": (lambda: nn.Bigrams({1: {"index": indices(2), "prob": torch.ones(1)}}, 2), indices(1, 2),
               "nn.Bigrams: expected words up to 1 with bigrams, got 2 at position 2"),
    "a column": (lambda: nn.SparseLinear(5, 2), torch.Tensor([[1, 1], [7, 2]]), "nn.SparseLinear.*: .*, got 7 at"),
    "a target": (lambda: nn.CriterionTable(nn.ClassNLLCriterion()), [values(2, 3), indices(1, 4)],
                 "nn.ClassNLLCriterion: target 4 at position 2; classes count from 1 to 3"),
}  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_values_are_refused(wrong):
    make, input, message = WRONG[wrong]
    module = make()
    with pytest.raises(ValueError, match=message):
        module.forward(input)
    if wrong == "index 0":
        with pytest.raises(ValueError, match=message):
            module.evaluate().forward(input)


def test_wrong_values_are_refused_where_jax_looks_for_nan():
    """A wrong index gives nan, which JAX sees before the check's result; other nans are still JAX's to report."""
    with jax.debug_nans(True):
        for mode in ("training", "evaluate"):
            with pytest.raises(ValueError, match=r"nn.LookupTable: .*, got 7 at position 2"):
                getattr(nn.LookupTable(5, 3), mode)().forward(indices(1, 7))
        with pytest.raises(FloatingPointError):
            nn.Sqrt().forward(torch.Tensor([-1]))


def test_a_refused_call_changes_nothing_and_the_next_one_works():
    net = nn.Sequential().add(nn.LookupTable(5, 3)).add(nn.BatchNormalization(3)).add(nn.FastLSTM(3, 4))
    net.forward(indices(1, 2))
    state, kept = net.get(3).getHiddenState(1), net.get(2).running_mean.clone()
    with pytest.raises(ValueError, match=r"nn.LookupTable: .*, got 6 at position 2") as caught:
        net.forward(indices(5, 6))
    assert caught.value.__notes__[0] == "In 1 module of nn.Sequential:"
    np.testing.assert_array_equal(net.get(2).running_mean, kept)
    np.testing.assert_array_equal(net.get(3).getHiddenState(1)[0], state[0])
    assert net.forward(indices(5, 5)).size() == [2, 4]


def test_what_is_compiled_inside_a_network_that_is_not():
    net = nn.Sequential().add(nn.Mul()).add(nn.ReinforceBernoulli()).add(nn.NaN(nn.Identity()))
    with pytest.raises(ValueError, match=r"nn.ReinforceBernoulli: expected probabilities") as caught:
        net.forward(torch.Tensor([np.inf]))
    assert [note for note in caught.value.__notes__ if "JAX" not in note] == ["In 2 module of nn.Sequential:"]


def test_programs_without_checks_are_what_they_were():
    """One array for each output: nothing is reported where nothing can be wrong."""
    net = nn.Sequential().add(nn.Linear(2, 3)).add(nn.Tanh())
    net.forward(values(2))
    call = net._call
    (_, (buffers, error), _) = call.plan.differentiate(*call.arguments)
    assert error is None and buffers == []
