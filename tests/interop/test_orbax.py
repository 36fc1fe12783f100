"""Checkpoints by orbax: what comes back, and what is refused."""

import shutil

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import functorch7 as f7
from functorch7.interop import orbax

from .helpers import made

pytest.importorskip("orbax.checkpoint")

NETWORK = f7.Sequential(f7.Linear(3, 4), f7.BatchNormalization(4), f7.FastLSTM(4, 2))
ADAM = optax.adam(0.1)


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    """The path of a checkpoint, and what is in it: all arrays differ, weights are bfloat16."""
    path = tmp_path_factory.mktemp("orbax") / "step-1"
    params, buffers = made(NETWORK)
    params[0] = jax.tree.map(lambda a: a.astype(jnp.bfloat16), params[0])
    buffers[1] = jax.tree.map(lambda a: a + 0.5, buffers[1])
    buffers[2] |= {"output": jnp.ones((1, 2)), "cell": jnp.ones((1, 2))}
    state = jax.tree.map(lambda a: a + 1, ADAM.init(params))
    orbax.save(path, NETWORK, params, buffers, state)
    return path, (params, f7.forget(NETWORK, buffers), state)


def same(got, expected):
    assert jax.tree.structure(got) == jax.tree.structure(expected)
    jax.tree.map(np.testing.assert_array_equal, got, expected)
    assert jax.tree.map(lambda a: a.dtype, got) == jax.tree.map(lambda a: a.dtype, expected)


def test_arrays_and_the_optimizers_state_come_back_in_their_structure(checkpoint):
    path, (params, buffers, state) = checkpoint
    found = orbax.load(path, NETWORK, ADAM)
    same(tuple(found), (params, buffers, state))
    same(tuple(orbax.load(path, NETWORK)), (params, buffers, None))


def test_what_does_not_fit_is_listed(checkpoint):
    path, _ = checkpoint
    other = f7.Sequential(f7.Linear(5, 4), f7.BatchNormalization(4, affine=False), f7.FastLSTM(4, 2), f7.Mul())
    with pytest.raises(ValueError) as caught:
        orbax.load(path, other)
    for part in ("missing 3.weight", "unexpected 1.bias", "0.weight: expected shape (4, 5), got (4, 3)"):
        assert part in str(caught.value)
    with pytest.raises(ValueError, match=r"state of the optimizer does not fit: missing 0\.trace\.0\.bias"):
        orbax.load(path, NETWORK, optax.sgd(0.1, momentum=0.9))


def test_other_paths_are_refused(checkpoint, tmp_path):
    path, _ = checkpoint
    with pytest.raises(FileExistsError, match="step-1 is there already"):
        orbax.save(path, NETWORK, *made(NETWORK))
    with pytest.raises(FileNotFoundError, match="none"):
        orbax.load(tmp_path / "none", NETWORK)
    with pytest.raises(ValueError, match=r"is no checkpoint that orbax\.save wrote"):
        orbax.load(tmp_path, NETWORK)
    with pytest.raises(ValueError, match=r"nn\.Tanh has no arrays"):
        orbax.save(tmp_path / "new", f7.Tanh(), {}, {})


def test_damaged_checkpoints_are_refused_in_one_sentence(checkpoint, tmp_path):
    copy = shutil.copytree(checkpoint[0], tmp_path / "copy")
    for path in copy.rglob("_METADATA"):  # damaged arrays end likewise, but orbax's threads complain at their end
        path.write_bytes(b"")
    with pytest.raises(ValueError, match=f"orbax.load: {copy} is damaged: ") as caught:
        orbax.load(copy, NETWORK)
    assert "\n" not in str(caught.value)
    (tmp_path / "file").touch()
    with pytest.raises(ValueError, match="is no checkpoint that orbax.save wrote, but a file"):
        orbax.load(tmp_path / "file", NETWORK)


def test_double_precision_is_kept_or_refused(tmp_path):
    layer = f7.Linear(3, 2, bias=False)
    with jax.enable_x64(True):
        orbax.save(tmp_path / "wide", layer, {"weight": jnp.ones((2, 3), jnp.float64)}, {})
        assert orbax.load(tmp_path / "wide", layer).params["weight"].dtype == np.float64
    with pytest.raises(ValueError, match="weight is float64, which needs"):
        orbax.load(tmp_path / "wide", layer)
