"""StochasticGradient: every field and hook."""

import numpy as np
import pytest

from functorch7.legacy import nn, torch

from .helpers import same, values

INPUTS, TARGETS = values(4, 2, seed=1), values(4, 1, seed=2)
DATASET = [[x, y] for x, y in zip(INPUTS, TARGETS, strict=True)]


def trainer_of_line(**fields):
    """A trainer of y = w x + b without bias, and the module."""
    module = nn.Linear(2, 1, False).double()
    trainer = nn.StochasticGradient(module, nn.MSECriterion().double())
    trainer.shuffleIndices = trainer.verbose = False
    for name, value in fields.items():
        setattr(trainer, name, value)
    return trainer, module


def by_hand(weight, passes, rate, decay=0.0, order=range(4)):
    """The weights, and the mean error of each pass, by the formula."""
    weight, errors, current = np.array(weight), [], rate
    for iteration in range(1, passes + 1):
        total = 0.0
        for i in order:
            residual = INPUTS[i] @ weight[0] - TARGETS[i, 0]
            total += residual**2
            weight = weight - current * 2 * residual * INPUTS[i]
        errors.append(total / 4)
        current = rate / (1 + (iteration + 1) * decay)
    return weight, errors


@pytest.mark.parametrize("decay", [0, 0.3])
def test_training_follows_the_formula(decay):
    trainer, module = trainer_of_line(learningRate=0.05, learningRateDecay=decay, maxIteration=5)
    start, errors = np.array(module.weight), []
    trainer.hookIteration = lambda self, iteration, error: errors.append(error)
    trainer.train(DATASET)
    weight, expected = by_hand(start, 5, 0.05, decay)
    same(module.weight, weight)
    same(errors, expected)


def test_defaults():
    trainer = nn.StochasticGradient(nn.Linear(2, 1), nn.MSECriterion())
    assert (trainer.learningRate, trainer.learningRateDecay, trainer.maxIteration) == (0.01, 0, 25)
    assert trainer.shuffleIndices is True and trainer.verbose is True


class Sized:
    """A dataset of a size that may be anything."""

    def __init__(self, size):
        self.size = size

    def __getitem__(self, index):
        return DATASET[0]


@pytest.mark.parametrize(("dataset", "said"), [
    ([], "at least one example, got a dataset of 0"),
    ({}, "at least one example, got a dataset of 0"),
    (Sized(lambda: 0), "at least one example, got a dataset of 0"),
    (Sized(4), r"size\(\), or len\(dataset\), to be the number of examples, got size = 4"),
    (Sized(lambda: None), r"size\(\) to be the number of examples, got None"),
    (torch.randn(2, 3), r"size\(\) to be the number of examples, got shape \(2,\)"),
    (None, r"a list, or an object with size\(\) and dataset\[i\], got None"),
    ([[1]], r"an example to be \[input, target\], got a table of 1"),
])  # fmt: skip
def test_what_is_no_dataset_is_told(dataset, said):
    trainer, _ = trainer_of_line(maxIteration=1)
    with pytest.raises((TypeError, ValueError), match=f"^nn.StochasticGradient: expected {said}"):
        trainer.train(dataset)


@pytest.mark.parametrize("form", ["list", "list with a size", "indexed from 1", "dict"])
def test_forms_of_a_dataset(form):
    class Listed(list):
        def size(self):
            return len(self)

    class Dataset:
        def size(self):
            return 4

        def __getitem__(self, index):
            return DATASET[index - 1]

    forms = {"list": DATASET, "list with a size": Listed(DATASET), "indexed from 1": Dataset()}
    forms["dict"] = dict(enumerate(DATASET, 1))
    trainer, module = trainer_of_line(maxIteration=2)
    start = np.array(module.weight)
    trainer.train(forms[form])
    same(module.weight, by_hand(start, 2, 0.01)[0])


def test_hooks_and_messages(capsys):
    trainer, _ = trainer_of_line(maxIteration=2, verbose=True)
    seen, iterations = [], []
    trainer.hookExample = lambda self, example: seen.append((self, example))
    trainer.hookIteration = lambda self, iteration, error: iterations.append(iteration)
    trainer.train(DATASET)
    assert iterations == [1, 2]
    assert len(seen) == 8 and seen[0][0] is trainer
    same(seen[0][1], DATASET[0])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "# StochasticGradient: training"
    assert [line.rsplit(" = ")[0] for line in lines[1:3]] == ["# current error"] * 2
    assert lines[3] == "# StochasticGradient: you have reached the maximum number of iterations"
    assert lines[4].startswith("# training error = ")


def test_shuffling_uses_one_random_order_for_all_passes():
    orders = []
    for _ in range(2):
        trainer, _ = trainer_of_line(maxIteration=3, shuffleIndices=True)
        visited = []
        trainer.hookExample = lambda self, example, v=visited: v.append(float(example[1][0]))
        trainer.train([[x, y] for x, y in zip(values(9, 2), np.arange(9)[:, None] / 9.0, strict=True)])
        assert visited[:9] == visited[9:18] == visited[18:]
        assert sorted(visited[:9]) == [i / 9 for i in range(9)]
        orders.append(visited)
    assert orders[0] != orders[1]


def test_a_hook_can_stop_training_that_has_no_end():
    class EnoughError(Exception):
        pass

    def stop(self, iteration, error):
        if iteration == 30:
            raise EnoughError

    trainer, module = trainer_of_line(maxIteration=0, hookIteration=stop)
    start = np.array(module.weight)
    with pytest.raises(EnoughError):
        trainer.train(DATASET)
    same(module.weight, by_hand(start, 30, 0.01)[0])
