"""Batches into JAX: every sample once, in an order that can be repeated, shared and taken up again; grain's sources."""

import json
from collections import Counter

import grain
import jax
import numpy as np
import pytest
from jax.sharding import NamedSharding, PartitionSpec

from functorch7.data import DataLoader, MultiSequence, SequenceLoader, Source, TensorLoader
from functorch7.legacy import torch
from functorch7.training.feed import validation_batches

DATA = TensorLoader({"x": np.arange(22.0).reshape(11, 2)}, np.arange(1, 12))
SEQUENCES = [np.arange(2, 9), np.arange(10, 13), np.arange(20, 31), np.arange(40, 44)]


class Noise(DataLoader):
    """Inputs that are drawn."""

    draws = True

    def size(self):
        return 6

    def index(self, indices, *, seed=None):
        return np.random.default_rng(seed).normal(size=len(indices)), np.asarray(indices)


def targets_of(batches):
    return [np.asarray(targets).tolist() for _, targets in batches]


def test_an_epoch_has_every_sample_once_on_the_device():
    batches = list(DATA.batches(4, seed=0))
    inputs = np.concatenate([batch["x"] for batch, _ in batches])
    targets = np.concatenate([targets for _, targets in batches])
    assert all(isinstance(leaf, jax.Array) for leaf in jax.tree.leaves(batches))
    assert [len(targets) for _, targets in batches] == [4, 4, 3] and sorted(targets) == list(range(1, 12))
    assert list(targets) != sorted(targets)
    np.testing.assert_array_equal(inputs, DATA.inputs["x"][targets - 1])


def test_without_a_seed_the_order_is_that_of_the_samples():
    assert targets_of(DATA.batches(4)) == [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11]]
    assert targets_of(DATA.batches(4, drop_last=True)) == [[1, 2, 3, 4], [5, 6, 7, 8]]


def test_the_order_depends_on_seed_and_epoch_only():
    first = targets_of(DATA.batches(4, 2, seed=5))
    assert first == targets_of(DATA.batches(4, 2, seed=5, workers=3, prefetch=0))
    assert first[:3] != first[3:] and first != targets_of(DATA.batches(4, 2, seed=6))
    noise = [np.asarray(inputs) for inputs, _ in Noise().batches(3, 2, seed=5)]
    for ours, theirs in zip(noise, Noise().batches(3, 2, seed=5, workers=3), strict=True):
        np.testing.assert_array_equal(ours, theirs[0])
    assert len(np.unique(np.concatenate(noise))) == 12


def test_iteration_is_taken_up_in_the_middle_of_an_epoch():
    whole = targets_of(DATA.batches(4, 3, seed=5))
    batches = DATA.batches(4, 3, seed=5, prefetch=3)
    for _ in range(4):
        next(batches)
    state = json.loads(json.dumps(batches.state))
    batches.close()
    assert targets_of(DATA.batches(4, 3, seed=5, state=state)) == whole[4:]
    with pytest.raises(ValueError, match="a state of seed 6 and batch_size 4, got one of seed 5"):
        DATA.batches(4, 3, seed=6, state=state)
    for wrong in ({"position": 3}, 3):
        with pytest.raises(
            TypeError, match="a state of batches, a dict of seed, batch_size, samples, epoch, batch, loader, got"
        ):
            DATA.batches(4, state=wrong)
    for wrong in ({"batch": -1}, {"epoch": -1}, {"epoch": 0.5}, {"batch": "1"}):
        with pytest.raises((TypeError, ValueError), match=f"batches: a state: expected .*{next(iter(wrong))}"):
            DATA.batches(4, 3, seed=5, state=state | wrong)
    with pytest.raises(ValueError, match="a state within an epoch of 3 batches, got .*'batch': 3"):
        DATA.batches(4, 3, seed=5, state=state | {"batch": 3})  # of more data
    with pytest.raises(AttributeError, match="state"):
        batches.state = state  # which would change nothing: what comes next is being made


def test_the_order_of_a_state_is_that_of_as_many_samples():
    """In the middle of an epoch others would come twice, or never; from one epoch to the next there may be more."""
    batches = DATA.batches(4, 3, seed=5)
    next(batches)
    fewer = TensorLoader(DATA.inputs["x"][:9], DATA.targets[:9])
    for other, options in ((fewer, {}), (DATA, {"process_index": 0, "process_count": 2})):
        with pytest.raises(
            ValueError, match=r"a state within an epoch of \d samples, got one of 11; only from one epoch"
        ):
            other.batches(4, 3, seed=5, state=batches.state, **options)
    next(batches), next(batches)
    assert targets_of(fewer.batches(4, 2, seed=5, state=batches.state)) == targets_of(fewer.batches(4, 2, seed=5))[3:]


def test_states_are_plain_where_numbers_are_numpys():
    json.dumps(DATA.batches(np.int64(4), seed=np.uint32(3)).state)


class Given(DataLoader):
    """Whatever a test wants a loader to give."""

    def __init__(self, batch):
        self.batch = batch

    def size(self):
        return 2

    def index(self, indices):
        return self.batch


@pytest.mark.parametrize(
    "batch, message",
    [
        (np.arange(2), r"Given: expected a batch \(inputs, targets\), got shape \(2,\)"),
        ((np.arange(2),), r"Given: expected a batch \(inputs, targets\), got a table of 1"),
        ((np.arange(2), np.array(["a", "b"])), r"Given: expected arrays of numbers, got <U1 of shape \(2,\)"),
        ((np.arange(2), ["a", "b"]), "Given: expected arrays of numbers, got 'a'"),
        ((np.array([None, 1]), np.arange(2)), "Given: expected arrays of numbers, got object of shape"),
        ((torch.ones(2), np.arange(2)), "got a functorch7.Tensor; numpy.asarray makes an array of it"),
        (
            (np.arange(2.0).astype(">f4"), np.arange(2)),
            "expected numbers in this machine's order of bytes, got >f4",
        ),
        (
            ([{"ids": np.array([5, 2**32 + 1])}], np.arange(2)),
            "Given: 4294967297 is beyond int32, which JAX makes of int64",
        ),
        ((np.arange(2), np.array([0, -(2**31) - 1])), "Given: -2147483649 is beyond int32"),
        (
            (np.array([1, 2**32], np.uint64), np.arange(2)),
            "Given: 4294967296 is beyond uint32, which JAX makes of uint64",
        ),
    ],
)
def test_what_a_device_would_not_take_as_it_is_is_refused(batch, message):
    for workers in (0, 1):
        with Given(batch).batches(2, workers=workers) as batches, pytest.raises((TypeError, ValueError), match=message):
            next(batches)


def test_whole_numbers_of_64_bits_are_kept_where_jax_has_them():
    with jax.enable_x64(True):
        (numbers, _) = next(Given((np.array([1, 2**40]), np.arange(2))).batches(2))
        assert numbers.tolist() == [1, 2**40]


def test_epochs_may_be_endless():
    batches = DATA.batches(11, None, seed=0)
    seen = [tuple(targets_of([next(batches)])[0]) for _ in range(5)]
    assert len(set(seen)) == 5 and batches.state["epoch"] == 5
    batches.close()
    assert list(batches) == []


def test_processes_get_disjoint_samples_and_equally_many():
    parts = [targets_of(DATA.batches(2, seed=5, process_index=i, process_count=3)) for i in range(3)]
    assert [[len(batch) for batch in part] for part in parts] == [[2, 1]] * 3
    samples = [sample for part in parts for batch in part for sample in batch]
    assert len(set(samples)) == 9  # of 11; the other 2 are in the next epoch's order again
    noise = [next(Noise().batches(3, seed=5, process_index=i, process_count=2))[0] for i in range(2)]
    assert not np.isin(*map(np.asarray, noise)).any()


def test_several_processes_validate_by_all_samples_each(monkeypatch):
    """Otherwise each would find other results, and another best epoch."""
    for count in (1, 2):
        monkeypatch.setattr(jax, "process_count", lambda count=count: count)
        monkeypatch.setattr(jax, "process_index", lambda count=count: count - 1)
        batches = DATA.batches(4)
        next(batches)
        assert targets_of(validation_batches(batches, None)) == targets_of(validation_batches(DATA, 4))
        assert sum(map(len, targets_of(batches.restarted(epochs=1)))) == 11 // count


def test_batches_are_placed_by_a_sharding():
    mesh = jax.make_mesh((1,), ("batch",))
    sharding = NamedSharding(mesh, PartitionSpec("batch"))
    inputs, targets = next(DATA.batches(4, sharding=sharding))
    assert inputs["x"].sharding == targets.sharding == sharding
    np.testing.assert_array_equal(inputs["x"], DATA.inputs["x"][:4])


def test_steps_come_in_order_in_every_epoch():
    loader = SequenceLoader(np.arange(1, 24), 4)
    assert targets_of(loader.batches(3, 2)) == [np.asarray(loader.sub(*window)[1]).tolist()
                                                for window in ((1, 3), (4, 4), (1, 3), (4, 4))]  # fmt: skip
    parts = [np.asarray(next(loader.batches(4, process_index=i, process_count=2))[0]) for i in range(2)]
    np.testing.assert_array_equal(np.concatenate(parts, 1), loader.sub(1, 4)[0])
    with pytest.raises(ValueError, match="a batch of 4 cannot be shared by 3 processes"):
        loader.batches(4, process_index=0, process_count=3)


@pytest.mark.parametrize("randseq", [False, True])
def test_streams_are_taken_up_where_they_were(randseq):
    loader = MultiSequence(SEQUENCES, 2)
    loader.randseq = randseq
    whole = targets_of(loader.batches(5, 2, seed=3))
    batches = loader.batches(5, 2, seed=3)
    for _ in range(2):
        next(batches)
    state = json.loads(json.dumps(batches.state))
    assert targets_of(loader.batches(5, 2, seed=3, state=state)) == whole[2:]
    if not randseq:
        assert whole[:3] == [targets.tolist() for _, _, targets in loader.subiter(5)]


def test_processes_get_different_sequences_and_equally_many_steps():
    loader = MultiSequence(SEQUENCES, 1)
    parts = [targets_of(loader.batches(4, process_index=i, process_count=2)) for i in range(2)]
    assert [sum(map(len, part)) for part in parts] == [10, 10]
    tokens = [{token for batch in part for step in batch for token in step} - {1} for part in parts]
    assert not tokens[0] & tokens[1]


def test_errors_come_where_the_batch_would_have_come():
    class Broken(TensorLoader):
        def index(self, indices):
            if 6 in indices:
                raise ValueError("cannot read 6.jpg")
            return super().index(indices)

    batches = Broken(DATA.inputs, DATA.targets).batches(4, workers=2)
    next(batches)
    with pytest.raises(ValueError, match=r"cannot read 6.jpg"):
        next(batches)
    assert targets_of(batches) == [[9, 10, 11]]


@pytest.mark.parametrize("options", [{"batch_size": 0}, {"workers": -1}, {"process_index": 2, "process_count": 2},
                                     {"process_index": "0", "process_count": 2}, {"process_count": 1.5},
                                     {"timeout": "1"}, {"timeout": 0},
                                     {"batch_size": 2.5}, {"workers": 1.5}, {"epochs": -1}, {"seed": "a"},
                                     {"batch_size": 20, "drop_last": True}])  # fmt: skip
def test_what_makes_no_sense_is_refused(options):
    with pytest.raises((ValueError, TypeError), match="batches: "):
        DATA.batches(**{"batch_size": 4, **options})


# grain -------------------------------------------------------------------------------------------------------------


def test_a_loader_is_a_data_set_of_grain():
    dataset = DATA.to_grain()
    assert len(dataset) == 11
    inputs, target = dataset[3]
    assert inputs["x"].tolist() == [6, 7] and target == 4
    batches = iter(dataset.shuffle(seed=1).batch(4).to_iter_dataset())
    taken = [next(batches)[1].tolist() for _ in range(2)]
    state = batches.get_state()
    rest = next(batches)[1].tolist()
    batches.set_state(state)
    assert next(batches)[1].tolist() == rest and sorted(sum(taken, rest)) == list(range(1, 12))


def test_loaders_that_draw_draw_anew_in_every_epoch_of_grain():
    dataset = Noise().to_grain(seed=1)
    both = [dataset[i] for i in range(6)] + [dataset.repeat(2)[i] for i in range(6, 12)]
    assert [target for _, target in both] == [1, 2, 3, 4, 5, 6] * 2 and len({value for value, _ in both}) == 12
    assert dataset[2] == Noise().to_grain(seed=1)[2]


def test_grain_sees_whole_sequences():
    records = MultiSequence(SEQUENCES, 2).to_grain()
    assert len(records) == 4
    for (inputs, targets), sequence in zip(records, SEQUENCES, strict=True):
        np.testing.assert_array_equal(inputs, sequence[:-1])
        np.testing.assert_array_equal(targets, sequence[1:])
    steps = SequenceLoader(np.arange(1, 24), 4).to_grain()
    assert [part.tolist() for part in steps[1]] == [[2, 7, 12, 17], [3, 8, 13, 18]]


def test_grains_own_loader_samples_a_source():
    sampler = grain.samplers.IndexSampler(11, grain.sharding.ShardOptions(1, 2), shuffle=True, num_epochs=1, seed=2)
    loader = grain.DataLoader(data_source=Source(DATA), sampler=sampler)
    counts = Counter(int(target) for _, target in loader)
    assert set(counts.values()) == {1} and len(counts) in (5, 6)


def test_a_source_with_a_seed_draws_by_seed_and_index():
    drawn = [value for value, _ in map(Source(Noise(), seed=1).__getitem__, range(6))]
    assert len(set(drawn)) == 6 and drawn[4] == Source(Noise(), seed=1)[4][0] != Source(Noise(), seed=2)[4][0]
    sampler = grain.samplers.IndexSampler(6, shuffle=True, num_epochs=2, seed=3)
    loader = grain.DataLoader(data_source=Source(Noise(), seed=1), sampler=sampler)
    assert sorted(float(value) for value, _ in loader) == sorted(drawn * 2)
    with pytest.raises(TypeError, match="Source: expected a number of at least 0"):
        Source(Noise(), seed="1")
