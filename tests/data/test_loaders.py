"""Loaders of arrays and of sequences: what they give, and how their iterators count."""

import jax
import numpy as np
import pytest

from functorch7.data import (
    DataLoader,
    MultiSequence,
    Ragged,
    SequenceLoader,
    TensorLoader,
    recursive_batch_size,
    recursive_index,
    recursive_sub,
)


class Squares(DataLoader):
    def size(self):
        return 10

    def index(self, indices):
        return indices, indices**2


def counted(batches):
    return [(k, inputs.tolist()) for k, inputs, *_ in batches]


@pytest.fixture
def five():
    return TensorLoader(np.arange(1.0, 6), np.arange(1.0, 6))


def test_subiter_splits_the_batch_at_the_last_sample_as_documented(five):
    batches = list(five.subiter(2, 6))
    assert counted(batches) == [(2, [1, 2]), (4, [3, 4]), (5, [5]), (6, [1])]
    assert all((inputs == targets).all() for _, inputs, targets in batches)


def test_subiter_goes_on_where_the_last_one_stopped(five):
    list(five.subiter(2, 6))
    assert counted(five.subiter(3)) == [(3, [2, 3, 4]), (4, [5]), (5, [1])]
    five.reset()
    assert counted(five.subiter(5, 5)) == [(5, [1, 2, 3, 4, 5])]


def test_subiter_resumes_from_a_saved_state(five):
    batches = five.subiter(2)
    next(batches)
    state = five.get_state()
    rest = counted(batches)
    five.set_state(state)
    assert counted(five.subiter(2, 3)) == [(k - 2, inputs) for k, inputs in rest]
    five.set_state({"start": 6})  # of a larger data set
    with pytest.raises(ValueError, match="TensorLoader: expected to go on at one of 5 samples, got 6"):
        next(five.subiter(2))


def test_sampleiter_gives_three_batches_of_two_as_documented(five):
    batches = list(five.sampleiter(2, 6, seed=0))
    assert [(k, len(inputs)) for k, inputs, _ in batches] == [(2, 2), (4, 2), (6, 2)]
    assert all((inputs == targets).all() and set(inputs) <= {1, 2, 3, 4, 5} for _, inputs, targets in batches)
    assert [len(inputs) for _, inputs, _ in five.sampleiter(4, 6, seed=0)] == [4, 2]


def test_samples_are_uniform_with_replacement_and_reproducible(five):
    drawn = five.sample(5000, seed=1)[0]
    counts = np.unique(drawn, return_counts=True)[1]
    assert (abs(counts - 1000) < 5 * np.sqrt(5000 * 0.2 * 0.8)).all()
    np.testing.assert_array_equal(drawn, five.sample(5000, seed=1)[0])
    with pytest.raises(ValueError, match=r"TensorLoader.sample: draws random numbers; pass seed="):
        five.sample(2, None)


def test_a_loader_of_ones_own_needs_size_and_index():
    loader = Squares()
    assert counted(loader.subiter(4)) == [(4, [1, 2, 3, 4]), (8, [5, 6, 7, 8]), (10, [9, 10])]
    assert (loader.isize(), loader.tsize(False)) == ([], [10])
    inputs, targets = loader.sample(3, seed=0)
    np.testing.assert_array_equal(inputs**2, targets)


@pytest.mark.parametrize("call", [lambda d: d.size(), lambda d: d.index([1]), lambda d: d.shuffle(1),
                                  lambda d: d.split(0.5), lambda d: d.isize(), lambda d: d.tsize()])  # fmt: skip
def test_the_base_has_nothing_of_its_own(call):
    with pytest.raises(NotImplementedError, match="Not Implemented"):
        call(DataLoader())


def nested():
    random = np.random.default_rng(0)
    images, places = random.normal(size=(10, 3, 8, 8)).astype(np.float32), random.normal(size=(10, 2))
    return TensorLoader([images, places], {"kind": random.integers(1, 11, 10), "area": random.integers(1, 8, 10)})


def test_nested_tables_are_gathered_part_by_part():
    loader = nested()
    at = np.array([7, 2, 7])
    (images, places), targets = loader.index(at)
    np.testing.assert_array_equal(images, loader.inputs[0][at - 1])
    np.testing.assert_array_equal(places, loader.inputs[1][at - 1])
    np.testing.assert_array_equal(targets["area"], loader.targets["area"][at - 1])
    assert (images.dtype, places.dtype) == (np.float32, np.float64)
    assert loader.isize() == [[3, 8, 8], [2]] and loader.tsize() == {"kind": [], "area": []}
    assert loader.isize(False) == [[10, 3, 8, 8], [10, 2]] and loader.isize(2) == [[10, 8, 8], [10]]


def test_shuffle_permutes_inputs_and_targets_together():
    loader, before = nested(), nested()
    same, order = loader.shuffle(seed=3)
    assert same is loader and sorted(order) == list(range(1, 11)) and list(order) != sorted(order)
    np.testing.assert_array_equal(loader.inputs[0], before.inputs[0][order - 1])
    np.testing.assert_array_equal(loader.targets["kind"], before.targets["kind"][order - 1])


def test_split_gives_views_of_both_parts(five):
    first, rest = five.split(0.5)
    assert (first.inputs.tolist(), rest.targets.tolist()) == ([1, 2], [3, 4, 5])
    assert np.shares_memory(first.inputs, five.inputs)
    with pytest.raises(ValueError, match="Expecting 0 < arg < 1, got 1"):
        five.split(1)
    for given in ([0.8, 0.2], "a", None):
        with pytest.raises(TypeError, match=r"TensorLoader.split: expected a number between 0 and 1, got "):
            five.split(given)


def test_a_clone_shares_only_what_is_named(five):
    clone = five.clone("inputs")
    assert clone.inputs is five.inputs and not np.shares_memory(clone.targets, five.targets)


@pytest.mark.parametrize(
    "call, message",
    [
        (
            lambda d: TensorLoader([np.ones(3), np.ones(4)], np.ones(3)),
            r"of samples, got shapes \(3,\), \(4,\)",
        ),
        (
            lambda d: TensorLoader([[1, 2], [3]], [1, 2]),
            r"TensorLoader: expected arrays, got 1; np.asarray\(...\) makes",
        ),
        (lambda d: TensorLoader(np.ones(3), None), "TensorLoader: expected arrays, got None; "),
        (
            lambda d: TensorLoader(np.ma.masked_array(np.ones(3)), np.ones(3)),
            "TensorLoader: expected an array, got a numpy.MaskedArray; its filled",
        ),
        (
            lambda d: TensorLoader(np.ones(3), jax.random.split(jax.random.key(0), 3)),
            r"TensorLoader: expected an array, got key<fry> of shape \(3,\): JAX array with PRNGKey",
        ),
        (lambda d: d.shuffle("a"), "TensorLoader.shuffle: expected a number of at least 0 or .* as seed, got 'a'"),
        (lambda d: d.sample(2, seed=-1), "TensorLoader.sample: expected a number of at least 0 or .* as seed, got -1"),
        (lambda d: next(d.subiter(2, "3")), "TensorLoader: expected a whole number as epoch_size, got '3'"),
        (
            lambda d: d.set_state({"begin": 1}),
            "TensorLoader: expected a state as get_state gives it, a dict of start, got",
        ),
        (lambda d: MultiSequence([np.arange(3)], 2).set_state({"start": 1}), "a dict of start, columns, got"),
        (
            lambda d: MultiSequence([np.arange(3)], 2).set_state({"start": 1, "columns": {}}),
            "expected the state of columns, a dict of sequence, step, following, got {}",
        ),
        (lambda d: recursive_index([np.ones(3)], [0]), "recursive_index: expected indices from 1 to 3, got 0"),
        (lambda d: recursive_sub([np.ones(3)], 0, 2), "recursive_sub: expected rows from 1 to 3, got 0 to 2"),
        (lambda d: recursive_batch_size([[], {}]), "recursive_batch_size: expected at least one array"),
        (lambda d: d.index([0]), "TensorLoader.index: expected indices from 1 to 5, got 0"),
        (lambda d: d.sub(4, 6), "from 1 to 5, got 6"),
        (lambda d: d.index([1.5]), "expected a list of whole numbers, got float64"),
        (lambda d: next(d.subiter(0)), "batch_size of at least 1, got 0"),
        (lambda d: next(d.subiter(2.5)), "TensorLoader: expected a whole number as batch_size, got 2.5"),
        (lambda d: d.sample(-1, seed=0), "TensorLoader.sample: expected batch_size of at least 0, got -1"),
        (lambda d: next(TensorLoader(np.ones(0), np.ones(0)).subiter()), "TensorLoader: has no samples"),
        (lambda d: TensorLoader(np.ones(0), np.ones(0)).sample(2, seed=0), "TensorLoader: has no samples"),
        (lambda d: MultiSequence([], 2), "Ragged: expected at least one sequence, got none"),
        (lambda d: MultiSequence(["text"], 2), "Ragged: expected sequences of steps, got .*'text'.* as one"),
        (
            lambda d: MultiSequence([np.arange(3)], 2).sub(3, 1),
            "expected at least one step, got 3 to 1",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(five, call, message):
    with pytest.raises((ValueError, IndexError, TypeError), match=message):
        call(five)


# Sequences ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def documented():
    """The sequence of the documentation's printed example, which is cut into 3 parts of 6 steps."""
    rows = [[36, 1516, 853, 94, 1376, 719], [3193, 433, 553, 805, 521, 27], [512, 434, 57, 1029, 1962, 49]]
    return np.array(rows), np.concatenate([*rows, [1, 2]])


def test_sequence_loader_prints_the_documented_examples(documented):
    rows, sequence = documented
    inputs, targets = SequenceLoader(sequence, 3).sub(1, 5)
    np.testing.assert_array_equal(inputs.T, rows[:, :5])
    np.testing.assert_array_equal(targets.T, rows[:, 1:])
    inputs, targets = SequenceLoader(sequence, 3, bidirectional=True).sub(1, 5)
    np.testing.assert_array_equal(inputs.T, rows[:, :5])
    np.testing.assert_array_equal(targets, inputs)


def test_sequence_loader_takes_steps_of_any_shape(documented):
    sequence = np.stack([documented[1], -documented[1]], 1)
    loader = SequenceLoader(sequence, 3)
    inputs, targets = loader.sub(2, 4)
    assert (loader.size(), loader.isize(), loader.tsize(False)) == (5, [3, 2], [5, 3, 2])
    np.testing.assert_array_equal(inputs[..., 0].T, documented[0][:, 1:4])
    np.testing.assert_array_equal(targets[..., 1].T, -documented[0][:, 2:5])
    np.testing.assert_array_equal(loader.index([2, 3, 4])[1], targets)


def test_sequence_loader_ends_its_windows_at_the_end_of_a_pass(documented):
    loader = SequenceLoader(documented[1], 3)
    assert [(k, len(inputs)) for k, inputs, _ in loader.subiter(3, 8)] == [(3, 3), (5, 2), (8, 3)]


def test_loaders_of_steps_cannot_be_sampled(documented):
    for loader in (SequenceLoader(documented[1], 3), MultiSequence([documented[1]], 2)):
        with pytest.raises(NotImplementedError, match="Not Implemented"):
            loader.sample()
        with pytest.raises(NotImplementedError, match=r"Not Implemented. Use subiter instead."):
            loader.sampleiter()


@pytest.mark.parametrize("bidirectional, stop", [(False, 6), (True, 7)])
def test_steps_after_the_end_are_refused(documented, bidirectional, stop):
    with pytest.raises(IndexError, match=f"expected steps from 1 to {stop - 1}, got 1 to {stop}"):
        SequenceLoader(documented[1], 3, bidirectional).sub(1, stop)


def letters(word):
    return np.array([ord(letter) for letter in word])


def test_multi_sequence_masks_as_documented():
    inputs, targets = MultiSequence([letters("HELLO"), letters("SCREEN")], 1).sub(1, 11)
    assert "".join("_" if i == 0 else chr(i) for i in inputs[:, 0]) == "_HELL_SCREE"
    assert "".join("_" if t == 1 else chr(t) for t in targets[:, 0]) == "_ELLO_CREEN"


def test_multi_sequence_of_vectors_masks_with_zeros():
    sequences = [np.ones((3, 2), np.float32), np.full((4, 2), 2, np.float32)]
    loader = MultiSequence(sequences, 2)
    inputs, targets = loader.sub(1, 3)
    assert (inputs.shape, loader.size(), loader.isize()) == ((3, 2, 2), 4, [2])
    np.testing.assert_array_equal(inputs[..., 0].T, [[0, 1, 1], [0, 2, 2]])
    np.testing.assert_array_equal(targets[..., 0].T, [[0, 1, 1], [0, 2, 2]])


def test_multi_sequence_of_single_steps_has_only_masks():
    inputs, targets = MultiSequence([np.array([7]), np.array([8])], 2).sub(1, 3)
    assert not inputs.any() and (targets == 1).all()


def test_random_sequences_are_drawn_from_the_seed():
    sequences = [np.full(3, i) for i in range(2, 10)]
    firsts = []
    for _ in range(2):
        loader = MultiSequence(sequences, 4)
        loader.randseq = True
        inputs = loader.sub(1, 300, seed=5)[0]
        np.testing.assert_array_equal(inputs[1::3], inputs[2::3])  # mask, x, x, mask, ...
        assert not inputs[::3].any()
        firsts.append(inputs[1::3])
    np.testing.assert_array_equal(*firsts)
    counts = np.unique(firsts[0], return_counts=True)[1]
    assert len(counts) == 8 and (abs(counts - 50) < 5 * np.sqrt(400 / 8 * 7 / 8)).all()
    with pytest.raises(ValueError, match="randseq: draws random numbers"):
        loader.sub(1, 3)


def test_multi_sequence_goes_on_from_a_saved_state():
    loader = MultiSequence([np.arange(2, 9), np.arange(10, 13), np.arange(20, 31)], 2)
    loader.sub(1, 5)
    state = loader.get_state()
    after = loader.sub(1, 9)[0]
    loader.reset()
    assert (loader.sub(1, 9)[0] != after).any()
    loader.set_state(state)
    np.testing.assert_array_equal(loader.sub(1, 9)[0], after)
    with pytest.raises(ValueError, match="the state of 3 columns, got 2"):
        MultiSequence([np.arange(4)] * 3, 3).set_state(state)


def test_ragged_sequences_need_no_copies():
    values = np.arange(1, 11)
    ragged = Ragged(values, np.array([0, 4, 10]))
    loader = MultiSequence(ragged, 1)
    assert loader.sequences is ragged and [each.tolist() for each in ragged] == [[1, 2, 3, 4], [5, 6, 7, 8, 9, 10]]
    assert loader.sub(1, 6)[0][:, 0].tolist() == [0, 1, 2, 3, 0, 5]


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: SequenceLoader(np.arange(3), 2), r"SequenceLoader: shape \(3,\) is too short for 2 parts"),
        (lambda: SequenceLoader(np.arange(9), 0), "SequenceLoader: expected batch_size of at least 1, got 0"),
        (
            lambda: MultiSequence([np.ones((2, 3)), np.ones((2, 4))], 2),
            r"got steps of shapes \(3,\), \(4,\)",
        ),
        (lambda: MultiSequence([np.ones(2), np.ones(0)], 2), "sequences of at least one step, got an empty one"),
        (
            lambda: Ragged(np.ones(5), [0, 3, 9]),
            r"Ragged: expected offsets that go from 0 up to 5 steps, got \[0, 3, 9\]",
        ),
        (lambda: Ragged(np.ones(5), [0, 3, 2, 5]), "Ragged: expected offsets that go from 0 up to 5 steps"),
        (lambda: Ragged(np.ones(5), []), "Ragged: expected offsets that go from 0 up to 5 steps"),
    ],
)
def test_sequences_that_make_no_sense_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
