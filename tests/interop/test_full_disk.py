"""What a full disk does to files, of whatever form: an error that names the file, and the old one stays."""

import jax
import numpy as np
import pytest
from full_disk import files_of_at_most

import functorch7 as f7
from functorch7.data import TensorLoader, fit_image_normalize
from functorch7.interop import orbax, pytorch, safetensors
from functorch7.interop.onnx import save as save_onnx
from functorch7.interop.stablehlo import save_exported
from functorch7.legacy import hdf5, matio, npy4th, torch

from .helpers import made

# Threads of orbax's that could not write complain at their end, which may come in the next test.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

LINEAR = f7.Linear(40, 40)
VARIABLES = made(LINEAR)
NUMBERS = np.random.default_rng(0).normal(size=(4, 2000, 2))

WRITERS = {
    "x.safetensors": lambda path: safetensors.save(path, LINEAR, *VARIABLES),
    "theirs.safetensors": lambda path: pytorch.save(path, LINEAR, *VARIABLES),
    "x.onnx": lambda path: save_onnx(path, LINEAR, *VARIABLES, (1, 40)),
    "x.stablehlo": lambda path: save_exported(path, LINEAR, *VARIABLES, (1, 40)),
    "x.t7": lambda path: f7.save_model(path, LINEAR, *VARIABLES),
    "ascii.t7": lambda path: f7.save_model(path, LINEAR, *VARIABLES, "ascii"),
    "x.npy": lambda path: npy4th.savenpy(path, torch.ones(2000)),
    "x.mat": lambda path: matio.save(path, torch.DoubleTensor(NUMBERS[0])),
    "x.npz": lambda path: fit_image_normalize(TensorLoader(NUMBERS, np.ones(4)), 4, path, seed=0),
}


@pytest.mark.parametrize("name", WRITERS)
def test_the_file_is_named_and_the_old_one_stays(name, tmp_path):
    pytest.importorskip({".onnx": "onnx", ".stablehlo": "flatbuffers", ".safetensors": "safetensors"}.get(
        "." + name.rpartition(".")[2], "numpy"
    ))  # fmt: skip
    path = tmp_path / name
    if path.suffix != ".npz":  # which is read where it is there
        path.write_text("old")
    with files_of_at_most(1000), pytest.raises(OSError, match=str(path)):
        WRITERS[name](path)
    assert [each.read_text() for each in tmp_path.iterdir()] == ["old"] * (path.suffix != ".npz")


def test_a_checkpoint_that_cannot_be_written_is_named_and_leaves_nothing(tmp_path):
    pytest.importorskip("orbax.checkpoint")
    with files_of_at_most(300), pytest.raises(OSError, match=f"{tmp_path / 'step'}: could not be written: "):
        orbax.save(tmp_path / "step", LINEAR, *VARIABLES)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize("size", [100, 3000])
def test_hdf5_survives_what_it_cannot_write(size, chunked, tmp_path):
    """Its library ended the process, when the file was closed or the program was."""
    pytest.importorskip("h5py")
    options = hdf5.DataSetOptions().setChunked(20, 20).setDeflate() if chunked else None
    path = str(tmp_path / "x.h5")
    with pytest.raises(OSError, match=path), files_of_at_most(size), hdf5.open(path, "w") as file:
        file.write("x", torch.DoubleTensor(np.asarray(jax.random.normal(jax.random.key(0), (40, 40)))), options)
    with hdf5.open(path, "w") as file:  # and another time there is room
        file.write("x", torch.ones(40, 40))
    with hdf5.open(path, "r") as file:
        assert file.read("x").all().sum() == 1600
