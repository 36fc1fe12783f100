"""Checkpoints and records that were damaged on the disk."""

import json
import shutil
import warnings

import jax
import numpy as np
import optax
import pytest

import functorch7 as f7
from functorch7.training import Trainer, whole

pytestmark = pytest.mark.slow
RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(8, 3)).astype(np.float32)
BATCHES = [(X[:4], X[:4].sum(1, keepdims=True)), (X[4:], X[4:].sum(1, keepdims=True))]
NET = f7.Sequential(f7.Linear(3, 1))


def trainer(folder, **options):
    return Trainer(NET, f7.MSECriterion(), optax.sgd(0.1, momentum=0.9), folder, log_every=1, verbose=False, **options)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    trainer(folder, keep_last=3).fit(BATCHES, 3)
    return folder


@pytest.fixture
def copied(run, tmp_path):
    return shutil.copytree(run, tmp_path / "copied")


def emptied(path):
    path.write_bytes(b"")


def cut(path):
    path.write_bytes(path.read_bytes()[:-1])


def changed(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def files_of(run):
    return sorted(path.relative_to(run) for path in (run / "checkpoints" / "6").rglob("*") if path.is_file())


@pytest.mark.parametrize("damage", [emptied, cut, changed, lambda path: path.unlink()])
def test_whatever_is_damaged_is_named(copied, damage):
    """All files but those that are empty anyway; the list itself, too."""
    checkpoint = copied / "checkpoints" / "6"
    assert whole.problem(checkpoint) is None
    for name in files_of(copied):
        before = (copied / name).read_bytes()
        if not before:
            continue
        damage(copied / name)
        problem = whole.problem(checkpoint)
        assert problem and (name.name in problem or name.name == whole.LIST), (name, problem)
        (copied / name).write_bytes(before)
    assert whole.problem(checkpoint) is None


def test_a_run_goes_on_from_the_newest_whole_checkpoint_and_ends_as_it_would_have(run, copied):
    last = copied / "checkpoints" / "6"
    for damaged in (last / "variables" / "_METADATA", copied / "checkpoints" / "4" / whole.LIST):
        cut(damaged)
    kept = {path.name: path.read_bytes() for path in last.rglob("*") if path.is_file()}
    text = r"step 6 is damaged \(variables/_METADATA has .* step 4 is damaged .* from the checkpoint of step 2"
    with pytest.warns(UserWarning, match=text):
        result = trainer(copied).fit(BATCHES, 3)
    assert result.ended == "all epochs" and trainer(copied).last_step() == 6
    jax.tree.map(np.testing.assert_array_equal, result.state.params, trainer(run).load().params)
    aside = copied / "checkpoints" / "6.damaged"
    assert {path.name: path.read_bytes() for path in aside.rglob("*") if path.is_file()} == kept


def test_a_setting_refuses_and_changes_nothing(copied):
    changed(copied / "checkpoints" / "6" / "_CHECKPOINT_METADATA")
    strict = trainer(copied, on_damaged="raise")
    with pytest.raises(ValueError, match=r"step 6 is damaged \(_CHECKPOINT_METADATA has changed\).*step 4"):
        strict.fit(BATCHES, 4)
    with pytest.raises(ValueError, match="step 6 is damaged"):
        strict.load()
    assert sorted(path.name for path in (copied / "checkpoints").iterdir()) == ["2", "4", "6"]
    with pytest.warns(UserWarning, match="step 6 is damaged.*loading that of step 4"):
        assert trainer(copied).load().step == 4
    with pytest.raises(ValueError, match="expected on_damaged"):
        trainer(copied, on_damaged="ask")


def test_a_run_without_a_whole_checkpoint_is_not_begun_again_in_its_place(copied):
    for step in ("2", "4", "6"):
        emptied(copied / "checkpoints" / step / whole.LIST)
    with pytest.raises(ValueError, match="no other is whole, and another run needs another folder"):
        trainer(copied).fit(BATCHES, 3)
    assert sorted(path.name for path in (copied / "checkpoints").iterdir()) == ["2", "4", "6"]


def test_what_a_killed_program_left_is_no_checkpoint(copied):
    """One that was being written, and one that was being deleted."""
    checkpoints = copied / "checkpoints"
    shutil.copytree(checkpoints / "6", checkpoints / "8.unfinished")
    (checkpoints / "2").rename(checkpoints / "2.removed")
    (checkpoints / "2.removed" / whole.LIST).unlink()
    assert trainer(copied).last_step() == 6
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert trainer(copied, keep_last=3).fit(BATCHES, 4).state.step == 8
    assert sorted(path.name for path in checkpoints.iterdir()) == ["4", "6", "8"]


@pytest.mark.parametrize("line", [b'{"kind": "tra', b"[1]\n", b"\xff\n"])
def test_damaged_records_are_reported_with_their_line_and_cut(copied, line):
    file = copied / "metrics.jsonl"
    first, second, *rest = file.read_bytes().splitlines(keepends=True)
    damaged = b"".join([first, line + b"\n" * (not line.endswith(b"\n")), second, *rest])
    file.write_bytes(damaged)
    with pytest.warns(UserWarning, match=r"metrics.jsonl: line 2 is damaged.*kept in .*metrics.jsonl.damaged"):
        trainer(copied).fit(BATCHES, 4)
    lines = file.read_bytes().splitlines(keepends=True)
    assert lines[0] == first and [json.loads(each)["step"] for each in lines[1:]] == [7, 8, 8]
    kept = (copied / "metrics.jsonl.damaged").read_bytes()
    assert damaged.startswith(kept) and kept.startswith(first + line[:5])


def test_records_that_are_gone_are_missed(copied):
    """Deleted or cut at a line's end: nothing in the file says so, but the checkpoint knows how long it was."""
    lines = (copied / "metrics.jsonl").read_bytes().splitlines(keepends=True)
    (copied / "metrics.jsonl").write_bytes(b"".join(lines[:2]))
    with pytest.warns(UserWarning, match=r"metrics.jsonl has \d+ bytes, and had \d+: the records of earlier epochs"):
        result = trainer(copied).fit(BATCHES, 4)
    assert int(result.state.step) == 8 and [epoch["epoch"] for epoch in result.epochs] == [4]


def test_what_somebody_has_put_beside_checkpoints_is_no_checkpoint(copied):
    others = [copied / "checkpoints" / name for name in ("9", "2.unfinished", "notes.txt")]
    for file in others:
        file.write_text("mine")
    (copied / "checkpoints" / "\u0667").mkdir()  # a seven of Arabic's, which Python takes for a number
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert int(trainer(copied).fit(BATCHES, 4).state.step) == 8 and trainer(copied).last_step() == 8
    assert [file.read_text() for file in others] == ["mine"] * 3
