"""safetensors files: what is written, what comes back, and what is refused."""

import json
import struct

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import functorch7 as f7
from functorch7.interop import safetensors

from .helpers import made

pytest.importorskip("safetensors")

NETWORK = f7.Sequential(f7.Linear(3, 4), f7.BatchNormalization(4), f7.FastLSTM(4, 2))


def test_a_network_comes_back_with_its_dtypes(tmp_path):
    params, _ = made(NETWORK)
    params[0] = jax.tree.map(lambda a: a.astype(jnp.bfloat16), params[0])
    _, used = NETWORK.apply(*made(NETWORK), jnp.ones((2, 3)), train=True)
    safetensors.save(tmp_path / "net.safetensors", NETWORK, params, used)
    found = safetensors.load(tmp_path / "net.safetensors", NETWORK)
    expected = f7.Variables(params, f7.forget(NETWORK, used))
    assert jax.tree.structure(found) == jax.tree.structure(expected)
    jax.tree.map(np.testing.assert_array_equal, found, expected)
    assert found.params[0]["weight"].dtype == jnp.bfloat16
    cast = safetensors.load(tmp_path / "net.safetensors", NETWORK, made(NETWORK))
    assert cast.params[0]["weight"].dtype == jnp.float32


def test_the_file_is_the_published_format(tmp_path):
    """8 bytes of length, a JSON header, then the arrays in row-major order."""
    weight = np.arange(6, dtype=np.float32).reshape(3, 2).T  # not contiguous
    path = tmp_path / "linear.safetensors"
    safetensors.save(path, f7.Linear(3, 2, bias=False), {"weight": weight}, {}, {"made by": "a test"})
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    assert header["weight"] == {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}
    assert header["__metadata__"] == safetensors.read_metadata(path) == {"made by": "a test"}
    np.testing.assert_array_equal(np.frombuffer(data[8 + length :], "<f4").reshape(2, 3), weight)


def test_what_does_not_fit_is_listed(tmp_path):
    path = tmp_path / "net.safetensors"
    safetensors.save(path, NETWORK, *made(NETWORK))
    other = f7.Sequential(f7.Linear(5, 4), f7.BatchNormalization(4, affine=False), f7.Linear(2, 2))
    with pytest.raises(ValueError) as caught:
        safetensors.load(path, other)
    for part in (str(path), "missing 2.weight", "unexpected 1.bias", "0.weight: expected shape (4, 5), got (4, 3)"):
        assert part in str(caught.value)


@pytest.mark.parametrize("kind", ["float8_e4m3fn", "float8_e5m2"])
def test_numbers_of_8_bits_come_back(kind, tmp_path):
    layer, path = f7.Linear(3, 2), tmp_path / "small.safetensors"
    params, _ = jax.tree.map(lambda array: array.astype(kind), made(layer))
    safetensors.save(path, layer, params, {})
    found = safetensors.load(path, layer).params
    jax.tree.map(np.testing.assert_array_equal, found, params)
    assert {array.dtype for array in found.values()} == {jnp.dtype(kind)}


def test_types_that_jax_has_not_are_refused(tmp_path):
    header = json.dumps({"weight": {"dtype": "F8_E8M0", "shape": [2, 3], "data_offsets": [0, 6]}}).encode()
    (tmp_path / "other.safetensors").write_bytes(struct.pack("<Q", len(header)) + header + bytes(6))
    with pytest.raises(ValueError, match=r"other.safetensors: has arrays of a type that cannot be read: .*float8_e8m0"):
        safetensors.load(tmp_path / "other.safetensors", f7.Linear(3, 2, bias=False))


def test_double_precision_is_kept_or_refused(tmp_path):
    path = tmp_path / "linear.safetensors"
    safetensors.save(path, f7.Linear(3, 2, bias=False), {"weight": np.ones((2, 3))}, {})
    with pytest.raises(ValueError, match="weight is float64, which needs"):
        safetensors.load(path, f7.Linear(3, 2, bias=False))
    with jax.enable_x64(True):
        assert safetensors.load(path, f7.Linear(3, 2, bias=False)).params["weight"].dtype == np.float64


def test_a_save_that_fails_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "net.safetensors"
    safetensors.save(path, NETWORK, *made(NETWORK))
    before = path.read_bytes()

    def disk_is_full(arrays, draft, metadata):
        draft.write_bytes(b"half of it")
        raise OSError("No space left on device")

    monkeypatch.setattr("safetensors.numpy.save_file", disk_is_full)
    with pytest.raises(OSError, match="No space"):
        safetensors.save(path, NETWORK, *made(NETWORK))
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]


def test_damaged_files_and_wrong_metadata_are_refused(tmp_path):
    path = tmp_path / "net.safetensors"
    safetensors.save(path, NETWORK, *made(NETWORK))
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(ValueError, match=r"net\.safetensors: no whole safetensors file"):
        safetensors.load(path, NETWORK)
    with pytest.raises(FileNotFoundError):
        safetensors.load(tmp_path / "none", NETWORK)
    for wrong in (b"net.safetensors", 3, None):
        for use in (lambda p: safetensors.load(p, NETWORK), lambda p: safetensors.save(p, NETWORK, *made(NETWORK))):
            with pytest.raises(TypeError, match="expected the path of a file, got"):
                use(wrong)
    with pytest.raises(TypeError, match="expected texts as metadata, got others at 'epoch'"):
        safetensors.save(path, NETWORK, *made(NETWORK), {"epoch": 3})
