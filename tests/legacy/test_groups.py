"""What torchx finds in tensors, where it is not what it takes."""

import pytest

from functorch7.legacy import torch


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: torch.find([1, 2], 1), TypeError, r"torch.find: expected a tensor, got \[1, 2\]"),
        (
            lambda: torch.find(torch.ones(3), 1, 2),
            ValueError,
            "torch.find: expected dim = 2 of a matrix, got 2",
        ),
        (lambda: torch.find(torch.ones(3, 2), 1, 1), ValueError, "torch.find: expected dim = 2 of a matrix, got 1"),
        (lambda: torch.group(None), TypeError, "torch.group: expected a tensor, got None"),
        (lambda: torch.group(torch.ones(2, 3)), ValueError, "torch.group: expected a vector, got a tensor of size 2x3"),
        (lambda: torch.remap([torch.ones(1)], torch.ones(1), print), TypeError, "torch.remap: expected nested tensors"),
        (lambda: torch.remap(None, None, print), TypeError, "torch.remap: expected nested tensors or tables, got None"),
    ],
)
def test_what_does_not_fit_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_results_are_taken_by_the_tensors_that_are_given_for_them():
    values, places = torch.Tensor(1), torch.LongTensor(1)
    groups, sorted_values, sorted_places = torch.group(values, places, torch.Tensor([5, 3, 5]))
    assert sorted_values is values and sorted_places is places
    assert values.totable() == [3, 5, 5] and places[1] == 2
    assert sorted(groups) == [3, 5] and groups[5]["idx"].storage() is places.storage()
