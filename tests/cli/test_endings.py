"""How commands end where something goes wrong on the way: signals, pipes, disks, files with more in them."""

import os
import signal
import subprocess
import sys
from functools import partial

import numpy as np
import pytest

import functorch7_cli.train
from functorch7 import recipes
from functorch7.interop import caffe, safetensors, t7, writing
from functorch7.legacy import hdf5, image, matio, npy4th
from functorch7.training import Callback
from functorch7_cli import stopping
from tests.interop.test_t7 import FOLDER
from tests.training.test_interruptions import files_of_at_most

from .test_commands import called

MLP = FOLDER / "mlp_float.t7"


@pytest.mark.parametrize("ended, code", [("SIGINT", 130), ("SIGTERM", 143), ("all epochs", 0)])
def test_training_that_was_stopped_ends_with_the_shells_code(monkeypatch, ended, code):
    outcome = {"ended": ended, "epochs": 1, "folder": "runs/digits", "test": {}}
    monkeypatch.setattr(functorch7_cli.train, "train", lambda *args, **options: outcome)
    called("train", "digits", "--no-tuning", code=code)


class Ending(Callback):
    """Sends a signal to the process after the first step."""

    def on_step(self, step, numbers):
        if step == 1:  # a second signal would end the process
            signal.raise_signal(signal.SIGTERM)


@pytest.mark.slow
def test_training_that_is_stopped_before_it_has_any_records_is_no_error_of_the_curves(monkeypatch, tmp_path):
    monkeypatch.setattr(recipes, "run", partial(recipes.run, callbacks=[Ending()]))
    settings = [part for each in ("width=1", "batch_size=500") for part in ("--set", each)]
    called("train", "digits", "--no-tuning", "--folder", tmp_path / "run", *settings, code=143)
    assert sorted(path.name for path in (tmp_path / "run").glob("[cr]*")) == ["checkpoints", "recipe.json"]


def test_control_c_anywhere_ends_with_130(monkeypatch):
    def interrupted(*args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(functorch7_cli.train, "train", interrupted)
    assert "interrupted" in called("train", "digits", "--no-tuning", code=130)


def test_control_c_ends_what_hears_of_no_signal():
    """Here a function in C that takes hours; the program's own answer to Ctrl-C comes after it."""
    program = """
import hashlib, os, signal, threading
from functorch7_cli import stopping
stopping.PATIENCE = 0.05
threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
with stopping.stoppable():
    hashlib.pbkdf2_hmac("sha1", b"", b"", 1 << 30)
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stderr) == (130, "interrupted\n")


@pytest.fixture
def python_hears_of_control_c():
    """Which it does not where a shell has started the tests in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_control_c_is_what_it_was_where_python_hears_of_it(python_hears_of_control_c):
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt), stopping.stoppable():
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_pipes_and_devices_are_refused_by_name(tmp_path):
    pipe = tmp_path / "pipe.t7"
    os.mkfifo(pipe)
    assert "pipe.t7" in called("inspect", pipe, code=1) and "this is a pipe" in called("inspect", pipe, code=1)
    assert "this is a pipe" in called("run", MLP, "--input", pipe, code=1)
    assert "this is a device" in called("inspect", "/dev/null", code=1)
    assert "this is a device" in called("convert", MLP, "/dev/null", "--to", "t7", code=1)
    for read in (t7.read, caffe.load, safetensors.read_metadata, image.load, hdf5.open, matio.load, npy4th.loadnpy):
        with pytest.raises(OSError, match="this is a pipe"):
            read(pipe)
    with pytest.raises(OSError, match="this is a device"), writing.replacing("/dev/null"):
        pass
    with pytest.raises(FileNotFoundError, match="''"), writing.replacing(""):  # and not the working directory
        pass


@pytest.mark.parametrize(
    "arguments", [("convert", MLP, "{}/out.orbax"), ("convert", MLP, "{}/out.t7"),
                  ("convert", MLP, "{}/out.safetensors"), ("run", MLP, "--input", "{}/x.npy", "--output", "{}/y.npy"),
                  ("run", MLP, "--input", "{}/x.npy", "--output", "{}/y.npz")], ids=lambda each: each[-1][3:],
)  # fmt: skip
def test_a_full_disk_leaves_nothing_behind_and_one_sentence(tmp_path, arguments, caplog):
    module = t7.read(MLP)
    first = next(each for each in module.fields["modules"] if "weight" in each.fields)
    np.save(tmp_path / "x.npy", np.ones((200, first.fields["weight"].shape[1]), np.float32))
    arguments = [each.format(tmp_path) if isinstance(each, str) else each for each in arguments]
    with files_of_at_most(100):
        message = called(*arguments, code=1)
    assert "too large" in message or "write" in message.lower()
    assert [path.name for path in tmp_path.iterdir()] == ["x.npy"] and not caplog.records


def test_what_follows_the_first_object_is_not_left_out_silently(tmp_path):
    path = tmp_path / "two.t7"
    path.write_bytes(t7.serialize({"a": 1}) + t7.serialize("more"))
    assert "16 bytes follow this object" in called("inspect", path) or "bytes follow this object" in called(
        "inspect", path
    )
    assert "would be left out" in called("convert", path, tmp_path / "one.t7", code=1)
