"""Training on several devices and in several processes. Both need processes of their own: this one has one device."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import jax
import numpy as np
import pytest

from functorch7.training import Trainer, data_parallel, distributed, init_state, make_train_step
from functorch7.training.sharding import Sharding

from .networks import MLP, OPTIMIZER, STEPS, losses_of_one_device

pytestmark = pytest.mark.slow
HERE = Path(__file__).parent
ROOT = HERE.parents[1]


def environment(devices: int) -> dict[str, str]:
    flags = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count={devices}"
    return os.environ | {"XLA_FLAGS": flags, "JAX_PLATFORMS": "cpu", "PYTHONPATH": str(ROOT)}


def test_with_eight_devices():
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        HERE / "eight_devices.py",
        HERE / "explicit_axes.py",
    ]
    done = subprocess.run(command, env=environment(8), cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]


def found_by_two_processes(program: str, folder: Path, errors: tuple[str, str] | None = None) -> list:
    """What each of two processes of a program, python -m tests.devices.PROGRAM, wrote into its file.

    They end well, or, where `errors` are given, with 1, saying these.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", f"tests.devices.{program}", f"127.0.0.1:{port}", str(folder)]
    processes = [
        subprocess.Popen([*command, str(i)], env=environment(2), cwd=ROOT, stderr=subprocess.PIPE, text=True)
        for i in range(2)
    ]
    try:
        for process, expected in zip(processes, errors or ("", ""), strict=True):
            _, said = process.communicate(timeout=300)
            assert process.returncode == (1 if errors else 0) and expected in said, said[-4000:]
    finally:
        for process in processes:
            process.kill()
    return [json.loads((folder / f"{i}.json").read_text()) for i in range(2)]


def test_two_processes_compute_the_same_and_write_one_checkpoint(tmp_path):
    found = found_by_two_processes("process", tmp_path)
    run = found[0].pop("run")
    assert found[1].pop("run") is None and found[0] == found[1]
    trainer = Trainer(MLP.module, MLP.criterion, OPTIMIZER, verbose=False)
    alone = trainer.fit([MLP.batch(i) for i in range(STEPS)], 2, validation=[MLP.batch(0)])
    np.testing.assert_allclose(run, [alone.epochs[-1][name] for name in ("loss", "Loss")], rtol=1e-5)
    state_bytes = found[0].pop("bytes")
    assert set(found[0]) == {"mlp sharded", "convolutions", "language sharded"}
    for name, values in found[0].items():
        np.testing.assert_allclose(values, losses_of_one_device(name.split()[0]), rtol=1e-5, err_msg=name)
    written = sum(file.stat().st_size for file in tmp_path.glob("large/*/ocdbt.process_*/d/*"))
    assert 0.75 * state_bytes < written < 1.25 * state_bytes  # compressed, and with an index; each array once


def test_a_signal_to_one_process_ends_both_after_the_same_step(tmp_path):
    """Then one fails, while the other waits for it; it says so, and ends at once."""
    errors = ("functorch7: process 1 failed: ValueError: the end", "ValueError: the end of this test")
    one, other = found_by_two_processes("interrupted", tmp_path, errors)
    assert one == other
    (first, *stopped), (second, *validating), (third, *ended), (fourth, *undisturbed) = one
    assert (first, second, third, fourth) == ("SIGINT", "SIGTERM", "all epochs", "all epochs")
    assert 3 <= stopped[0] < 8 and stopped[1] == [stopped[0]]  # in the first epoch, with one checkpoint
    assert validating[:2] == [8, [stopped[0], 8]]  # after the first epoch's last step
    assert ended == undisturbed and ended[0] == 16
    records = [
        [{k: v for k, v in json.loads(line).items() if k != "examples_per_second"} for line in text.splitlines()]
        for text in [(tmp_path / run / "metrics.jsonl").read_text() for run in ("interrupted", "run")]
    ]
    assert records[0] == records[1] and len(records[0]) == 16 + 2


def test_one_device_is_a_mesh_too():
    sharding = Sharding(jax.make_mesh((1, 1), ("data", "shard"), devices=jax.devices()[:1]))
    step = make_train_step(MLP.module, MLP.criterion, OPTIMIZER, sharding=sharding)
    state = sharding.place(MLP.module, init_state(MLP.module, OPTIMIZER, jax.random.key(0)))
    state, _ = step(state, sharding.place_batch(MLP.batch(0)), jax.random.key(0))
    assert int(state.step) == 1


def test_arguments_that_make_no_sense():
    mesh = jax.make_mesh((1,), ("rows",), devices=jax.devices()[:1])
    with pytest.raises(ValueError, match=r"a mesh with the axes \('data', 'shard'\), got \('rows',\)"):
        Sharding(mesh)
    with pytest.raises(ValueError, match="statistics global or local, got 'none'"):
        data_parallel(jax.devices()[:1], statistics="none")
    with pytest.raises(ValueError, match="batch_dim from 1, got 0"):
        data_parallel(jax.devices()[:1], batch_dim=0)
    with pytest.raises(ValueError, match="all of coordinator, processes and process, or none"):
        distributed.initialize("127.0.0.1:1", 2)


def test_a_single_process_agrees_with_itself():
    distributed.check_agreement("the key", jax.random.key(0))
    assert distributed.is_first()
    distributed.raise_together(None)
    with pytest.raises(OSError, match="a full disk"):
        distributed.raise_together(OSError("a full disk"))
