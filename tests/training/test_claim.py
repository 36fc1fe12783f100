"""Two runs in one folder: the second is refused at once, one that is dead is in nobody's way."""

import errno
import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
import threading

import numpy as np
import optax
import pytest

import functorch7 as f7
from functorch7 import recipes
from functorch7.interop import locks
from functorch7.training import Trainer, claim

HOLDER = """
import fcntl, os, sys
file = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
fcntl.flock(file, fcntl.LOCK_EX)
print(flush=True)
sys.stdin.read()
"""


def trainer(folder):
    return Trainer(f7.Linear(2, 1), f7.MSECriterion(), optax.sgd(0.1), folder, verbose=False)


def data():
    return [(np.ones((2, 2), "f"), np.ones((2, 1), "f"))]


@pytest.fixture
def dead():
    """The number of a process that is no more."""
    with subprocess.Popen(["true"]) as process:
        process.wait()
    return process.pid


def said(folder, process, host=None, began=None):
    """What a run of that process says in its lock."""
    folder.mkdir(exist_ok=True)
    about = {"host": host or socket.gethostname(), "process": process, "began": began, "since": "2026-01-01 12:00:00"}
    (folder / claim.LOCK).write_text(json.dumps(about))


def test_a_run_in_a_folder_refuses_a_second_one_until_it_ends_or_is_killed(tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, folder / claim.LOCK], stdin=-1, stdout=-1, text=True)
    with holder:
        assert holder.stdout and holder.stdout.readline() == "\n"
        said(folder, holder.pid)
        for call in (
            lambda: trainer(folder).fit(data(), 1),
            lambda: recipes.run(recipes.load("digits"), folder, verbose=False),
        ):
            with pytest.raises(
                BlockingIOError, match=rf": process {holder.pid} on \S+ is training in .*run, since \d+-\d+-\d+"
            ):
                call()
        assert os.listdir(folder) == [claim.LOCK]
        holder.send_signal(signal.SIGKILL)
    assert trainer(folder).fit(data(), 1).ended == "all epochs"
    assert claim.LOCK not in os.listdir(folder)


def test_a_run_in_the_same_process_is_another_one_too(tmp_path):
    refused = []

    def validation(params, buffers):
        thread = threading.Thread(target=lambda: refused.append(_refusal(lambda: trainer(tmp_path).fit(data(), 2))))
        thread.start()
        thread.join()
        return {"a": 1.0}

    link = tmp_path.parent / f"{tmp_path.name}-link"
    link.symlink_to(tmp_path)  # the same folder
    assert trainer(link).fit(data(), 1, validation=validation).ended == "all epochs"
    assert refused and "this process is training in" in refused[0]


def _refusal(call):
    with pytest.raises(BlockingIOError) as caught:
        call()
    return str(caught.value)


def test_a_link_that_leads_nowhere_yet_and_a_file(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "disk" / "run")
    (tmp_path / "file").touch()
    trainer(tmp_path / "link").fit(data(), 1)
    assert "checkpoints" in os.listdir(tmp_path / "disk" / "run")
    with pytest.raises(FileExistsError, match="file is no folder, but a file"):
        trainer(tmp_path / "file").fit(data(), 1)


def test_a_run_that_fails_leaves_no_folder(tmp_path):
    with pytest.raises(FileNotFoundError):
        recipes.run(recipes.load("python-lstm", {"text": str(tmp_path / "none.txt")}), tmp_path / "run")
    assert not os.listdir(tmp_path)


def test_a_lock_of_another_host_that_holds_nothing_is_taken_over_and_said(tmp_path):
    said(tmp_path, 7, host="elsewhere")
    with pytest.warns(UserWarning, match="process 7 on elsewhere left its lock"):
        trainer(tmp_path).fit(data(), 1)


@pytest.mark.parametrize("alive, began, host, refused", [
    (True, "its own", None, "wait until it is over"), (True, "earlier", None, None), (False, "its own", None, None),
    (False, "its own", "elsewhere", "process .* on elsewhere .*if that process is no more, delete .*running.lock"),
])  # fmt: skip
def test_where_the_file_system_has_no_locks_the_process_is_looked_for(
    alive, began, host, refused, dead, tmp_path, monkeypatch
):
    def flock(file, operation):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", flock)
    number = os.getpid() if alive else dead
    said(tmp_path, number, host, claim._began(number) if began == "its own" else "1")
    if refused is None and host is None:
        assert trainer(tmp_path).fit(data(), 1).ended == "all epochs"
        assert claim.LOCK not in os.listdir(tmp_path)
    else:
        with pytest.raises(BlockingIOError, match=refused):
            trainer(tmp_path).fit(data(), 1)


def test_where_the_system_has_no_locks_an_open_file_need_not_be_deleted(tmp_path, monkeypatch):
    """As on Windows, which has no fcntl, nor reading at a place, and refuses to delete what is open."""
    opened, close, unlink = [], os.close, os.unlink

    def refusing(path, **more):
        if str(path).endswith(claim.LOCK) and opened[-1] not in closed:
            raise PermissionError(errno.EACCES, "in use")
        unlink(path, **more)

    closed = []
    acquired = claim._acquired
    monkeypatch.setattr(locks, "fcntl", None)
    monkeypatch.setattr(claim, "_acquired", lambda *given: opened.append(acquired(*given)) or opened[-1])
    monkeypatch.setattr(os, "close", lambda file: closed.append(file) or close(file))
    monkeypatch.setattr(os, "unlink", refusing)
    for name in ("pread", "pwrite"):
        monkeypatch.delattr(os, name)
    for _ in range(2):
        with claim.claimed("test", tmp_path), pytest.raises(BlockingIOError, match="this process is training in"):
            claim._acquired("test", tmp_path)
    assert claim.LOCK not in os.listdir(tmp_path)


@pytest.mark.parametrize("made", [(), ("runs",), ("runs", "digits")], ids=["nothing", "runs", "all"])
def test_what_has_come_to_nothing_leaves_what_was_there(made, tmp_path):
    """Of the folders on the way to its own, too."""
    there = tmp_path.joinpath(*made)
    there.mkdir(parents=True, exist_ok=True)
    with pytest.raises(ValueError, match="no text"), claim.claimed("a run", tmp_path / "runs" / "digits"):
        raise ValueError("no text")
    assert [*tmp_path.rglob("*")] == [tmp_path.joinpath(*made[: i + 1]) for i in range(len(made))]
