"""What torchx finds in tensors, where it is not what it takes."""

import numpy as np
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


@pytest.mark.parametrize("sizes", [[4], [2, 3], [3, 2, 2], [2, 1, 3]])
def test_the_leaf_of_a_tree_is_looked_for_from_the_root(sizes):
    leaves = np.random.default_rng(0).normal(size=int(np.prod(sizes))).astype(np.float32)
    below, place = leaves, 0
    for count in sizes:  # the child whose leaves have the largest mean
        parts = np.split(below, count)
        best = max(range(count), key=lambda i: parts[i].mean())
        place, below = place + best * len(parts[0]), parts[best]
    value, index = torch.treemax(torch.FloatTensor(leaves), sizes)
    assert index == place + 1 and value == pytest.approx(float(leaves[place]))
    with pytest.raises(ValueError, match="torch.treemax: expected a vector of"):
        torch.treemax(torch.FloatTensor(leaves), [*sizes, 2])


def test_a_tensor_becomes_others_one_after_the_other():
    parts = [torch.rand(2, 3), torch.rand(2, 1)]
    result = torch.Tensor()
    assert result.concat(parts, 2) is result
    np.testing.assert_array_equal(result, np.concatenate(parts, 1))
    np.testing.assert_array_equal(result.concat([parts[0], parts[0]]), np.concatenate([parts[0]] * 2))
