"""Torch's package hdf5, beside h5py."""

import numpy as np
import pytest

from functorch7.legacy import hdf5, torch

from .helpers import same, values

h5py = pytest.importorskip("h5py")


@pytest.mark.parametrize("kind", ["Byte", "Char", "Short", "Int", "Long", "Float", "Double"])
def test_what_is_written_is_read_by_others_and_by_itself(kind, tmp_path):
    path, x = tmp_path / "x.h5", getattr(torch, f"{kind}Tensor")([[1, 2, 3], [4, 5, 6]])
    with hdf5.open(str(path), "w") as file:
        file.write("/a/x", x)
        file.write("/", {"b": {"columns": x.t()}})
    with h5py.File(path) as file:
        np.testing.assert_array_equal(file["a/x"], x)
        np.testing.assert_array_equal(file["b/columns"], np.asarray(x).T)
        assert file["a/x"].dtype == x.dtype
    with hdf5.open(str(path), "r") as file:
        found = file.read("a/x")
        assert found.all().type() == x.type() and found.getTensorFactory() is getattr(torch, f"{kind}Tensor")
        assert found.dataspaceSize() == [2, 3] and str(found) == "[HDF5DataSet /a/x]"
        same(found.partial([1, 2], 3), [[3], [6]])
        everything = file.all()
        same([everything["a"]["x"], everything["b"]["columns"]], [x, x.t()])
        with pytest.raises(ValueError, match="expected 2 ranges, got 1"):
            found.partial([1, 2])
        for wrong in ([1, 4], [0, 1], [-1, 2], [3, 2], 4):  # of three columns
            with pytest.raises(ValueError, match="partial: expected a range within 1 to 3, got "):
                found.partial([1, 2], wrong)


def test_files_of_other_machines_and_types_that_torch_has_not(tmp_path):
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["big"], file["complex"] = np.arange(3, dtype=">f4"), np.zeros(2, complex)
        file["text"], file["unsigned"] = "a text", np.arange(3, dtype=np.uint16)
    with hdf5.open(str(tmp_path / "x.h5"), "r") as file:
        big = file.read("/big")
        assert big.all().type() == "torch.FloatTensor" and big.getTensorFactory() is torch.FloatTensor
        same(big.all(), [0, 1, 2])
        unsigned = file.read("unsigned")
        assert unsigned.all().type() == "torch.ShortTensor" and unsigned.getTensorFactory() is torch.ShortTensor
        for ask in (file.read("complex").getTensorFactory, file.read("complex").all):
            with pytest.raises(TypeError, match="Torch has no tensors of complex128"):
                ask()
        with pytest.raises(TypeError, match="Torch has no tensors of object"):
            file.read("text").all()
        with pytest.raises(KeyError):
            file.read("missing")


def test_data_in_chunks_are_compressed_and_grow(tmp_path):
    path, x = str(tmp_path / "x.h5"), torch.DoubleTensor(values(4, 3))
    options = hdf5.DataSetOptions().setChunked(32, 2).setDeflate()
    file = hdf5.open(path)
    file.write("x", x, options)
    file.append("x", x.narrow(1, 1, 2))
    with pytest.raises(ValueError, match="expected slices of size 3, got 2"):
        file.append("x", torch.ones(1, 2))
    with pytest.raises(ValueError, match="chunks of 1 dimensions, as the data, got"):
        file.write("y", torch.ones(2), options)
    assert file.filename() == path and path in str(file)
    file.close()
    with h5py.File(path) as inside:
        assert inside["x"].chunks == (4, 2) and inside["x"].compression == "gzip"
        same(inside["x"], np.concatenate([x, np.asarray(x)[:2]]))


def test_what_cannot_be_opened_or_written(tmp_path):
    with pytest.raises(ValueError, match="hdf5.open: expected a mode of a, r"):
        hdf5.open("x", "rw")
    with pytest.raises(OSError):
        hdf5.open(str(tmp_path / "none.h5"), "r")
    (tmp_path / "text.h5").write_text("no HDF5")
    for mode in ("a", "r+"):
        with pytest.raises(OSError, match=r"hdf5.open: .*text.h5 is not an HDF5 file, or is damaged: "):
            hdf5.open(str(tmp_path / "text.h5"), mode)
    with hdf5.open(str(tmp_path / "x.h5")) as file:
        for mode in ("a", "w", "r+"):
            with pytest.raises(BlockingIOError, match="another program has it open: .*x.h5"):
                hdf5.open(str(tmp_path / "x.h5"), mode)
        with pytest.raises(FileExistsError, match="x.h5"):
            hdf5.open(str(tmp_path / "x.h5"), "w-")
        for path, data in (("/", torch.ones(2)), ("x", 3), ("x", {"y": "text"})):
            with pytest.raises(TypeError, match="expected a tensor or a table of tensors"):
                file.write(path, data)
