"""npy4th, matio, mattorch and display, beside NumPy, SciPy and Pillow."""

import numpy as np
import pytest
from scipy.io import loadmat, savemat

from functorch7.legacy import display, matio, mattorch, npy4th, torch

from .helpers import same

KINDS = {"Byte": "u1", "Short": "i2", "Int": "i4", "Long": "i8", "Float": "f4", "Double": "f8"}
NUMBERS = np.arange(6).reshape(2, 3)


@pytest.mark.parametrize("kind", KINDS)
def test_numpys_files(kind, tmp_path):
    path, x = tmp_path / "x.npy", getattr(torch, f"{kind}Tensor")(NUMBERS)
    npy4th.savenpy(path, x)
    assert np.load(path).dtype == KINDS[kind] and np.array_equal(np.load(path), NUMBERS)
    npy4th.savenpy(path, x.narrow(1, 2, 1), "a")
    found = npy4th.loadnpy(path)
    assert found.type() == x.type() and found.totable() == [[0, 1, 2], [3, 4, 5], [3, 4, 5]]
    np.savez(tmp_path / "x.npz", a=np.asfortranarray(NUMBERS.astype(KINDS[kind])), b=NUMBERS.astype(f">{KINDS[kind]}"))
    both = npy4th.loadnpz(tmp_path / "x.npz")
    assert sorted(both) == ["a", "b"] and all(each.type() == x.type() for each in both.values())
    same([both["a"], both["b"]], [NUMBERS, NUMBERS])


def test_types_that_torch_has_not(tmp_path):
    path = tmp_path / "x.npy"
    for array, kind, wanted in (
        (np.array([True, False]), "Byte", [1, 0]),
        (np.array([1, 2**16 - 1], np.uint16), "Short", [1, -1]),
        (np.array(3.5), "Double", [3.5]),
    ):
        np.save(path, array)
        found = npy4th.loadnpy(path)
        assert (found.type(), found.totable()) == (f"torch.{kind}Tensor", wanted)
    np.save(path, np.array([1j]))
    with pytest.raises(TypeError, match="npy4th.loadnpy: Torch has no tensors of complex128"):
        npy4th.loadnpy(path)
    np.save(path, NUMBERS)
    before = path.read_bytes()
    with pytest.raises(ValueError, match=r"expected slices as in .*x.npy, int64 \(3,\), got float32 \(2,\)"):
        npy4th.savenpy(path, torch.zeros(1, 2), "a")
    with pytest.raises(ValueError, match="expected the mode w or a, got 'x'"):
        npy4th.savenpy(path, torch.zeros(1, 2), "x")
    assert path.read_bytes() == before
    np.save(path, np.array([{}], object), allow_pickle=True)
    with pytest.raises(ValueError, match="allow_pickle"):
        npy4th.loadnpy(path)


@pytest.mark.parametrize("read", [npy4th.loadnpy, npy4th.loadnpz], ids=["npy", "npz"])
def test_what_is_no_file_of_numpys_is_named(read, tmp_path):
    files = {npy4th.loadnpy: tmp_path / "x.npy", npy4th.loadnpz: tmp_path / "x.npz"}
    np.save(files[npy4th.loadnpy], NUMBERS)
    np.savez(files[npy4th.loadnpz], a=NUMBERS)
    path, own = tmp_path / "wrong", files.pop(read)
    (other,) = files.values()
    for data in (b"", b"a text", own.read_bytes()[:-1], other.read_bytes()):
        path.write_bytes(data)
        with pytest.raises(ValueError, match="wrong: no arrays? as NumPy saves"):
            read(path)


def test_matlabs_files_are_read(tmp_path, monkeypatch):
    path = tmp_path / "x.mat"
    cells = np.empty((2, 2), object)
    cells[:] = [["a", np.ones((1, 2))], [np.int32([[7]]), "b"]]
    structs = np.zeros((2, 1), [("n", object)])
    structs["n"] = [[1.0], [2.0]]
    savemat(path, {
        "x": NUMBERS.astype("f4"), "volume": np.arange(24.0).reshape(2, 3, 4), "bytes": np.uint8([[1, 2]]),
        "struct": {"a": 1.0, "inner": {"b": "c"}}, "cells": cells, "structs": structs, "truth": np.array([[True]]),
        "text": "hello",
    })  # fmt: skip
    found = matio.load(path)
    assert found["x"].type() == "torch.FloatTensor" and found["bytes"].type() == "torch.ByteTensor"
    same([found["x"], found["volume"]], [NUMBERS, np.arange(24.0).reshape(2, 3, 4)])
    assert found["text"].type() == "torch.CharTensor" and bytes(found["text"].totable()[0]) == b"hello"
    assert found["struct"]["a"].totable() == [[1]] and found["truth"].totable() == [[1]]
    assert [row[0]["n"].totable() for row in found["structs"]] == [[[1]], [[2]]]
    assert sorted(matio.load(path, ["x", "text"])) == ["text", "x"] and matio.load(path, "none") is None
    texts = matio.load(path, texts=True)
    assert texts["text"] == "hello" and texts["struct"]["inner"]["b"] == "c"
    assert texts["cells"][0] == "a" and texts["cells"][3] == "b" and texts["cells"][1].totable() == [[7]]
    same(mattorch.load(path)["x"], NUMBERS.T)
    monkeypatch.setattr(matio, "use_lua_strings", True)
    assert matio.load(path, "text") == "hello" and mattorch.load(path)["text"].type() == "torch.CharTensor"
    with pytest.raises(OSError, match="none.mat"):
        matio.load(tmp_path / "none.mat")
    for no_file in (b"", b"x" * 300, path.read_bytes()[:200]):
        path.write_bytes(no_file)
        with pytest.raises(ValueError, match="matio.load: .*x.mat is not a MATLAB file"):
            matio.load(path)
    savemat(path, {"x": np.array([1j])})
    with pytest.raises(TypeError, match="matio.load: Torch has no tensors of complex128"):
        matio.load(path)


def test_matlabs_files_are_written(tmp_path):
    path = str(tmp_path / "x")
    matio.save(
        path, {"t": torch.LongTensor(NUMBERS), "v": torch.range(1, 3), "n": 9, "s": "hi", "b": False, "in": {"k": 2}}
    )
    found = loadmat(path, appendmat=False)
    assert found["t"].dtype == np.int64 and np.array_equal(found["t"], NUMBERS) and found["v"].shape == (3, 1)
    assert (found["n"].item(), found["s"].item(), found["b"].item(), found["in"]["k"].item().item()) == (9, "hi", 0, 2)
    matio.save(path, torch.ones(2, 2))
    assert loadmat(path, appendmat=False)["x"].sum() == 4
    with pytest.raises(TypeError, match="expected tensors, numbers, texts, booleans or tables of them, got list"):
        matio.save(path, {"x": [1]})
    assert loadmat(path, appendmat=False)["x"].sum() == 4  # the file of before
    mattorch.save(path, {"y": torch.DoubleTensor(NUMBERS)})
    assert np.array_equal(loadmat(path, appendmat=False)["y"], NUMBERS.T)
    same(mattorch.load(path)["y"], NUMBERS)
    with pytest.raises(TypeError, match="expected a table of tensors, y is a int"):
        mattorch.save(path, {"y": 3})


def test_windows_of_display_are_files(tmp_path, monkeypatch, capsys):
    pillow = pytest.importorskip("PIL.Image")
    monkeypatch.chdir(tmp_path)
    display.configure({"hostname": "0.0.0.0", "port": 8000})
    window = display.image(torch.range(0, 11).view(1, 3, 4), {"title": "one/two", "width": 8})
    picture = np.asarray(pillow.open("one_two.png"))
    assert picture.shape[:2] == (6, 8) and (picture.min(), picture.max()) == (0, 255)
    assert display.image(torch.zeros(2, 4), {"win": window}) == window  # in the file of before
    assert np.asarray(pillow.open("one_two.png")).shape[:2] == (2, 4)
    batch = torch.range(1, 5).view(5, 1, 1, 1).expand(5, 3, 2, 4)
    other = display.image(batch, {"title": "grid"})
    grid = np.asarray(pillow.open("grid.png"))
    assert other != window and grid.shape == (2 * 2, 3 * 4, 3) and grid[0, 0, 0] < grid[0, 11, 0] < grid[3, 4, 0]
    display.images([torch.zeros(2, 2), torch.ones(3, 1)], {"title": "row", "nperrow": 2})
    assert np.asarray(pillow.open("row.png")).shape[:2] == (3, 4)
    display.text("<b>text</b>", {"title": "note"})
    assert (tmp_path / "note.html").read_text() == "<b>text</b>"
    assert "grid: written to grid.png" in capsys.readouterr().out
    with pytest.raises(ValueError, match="expected one image or more"):
        display.images([])


def test_plots_of_display_are_files(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    pillow = pytest.importorskip("PIL.Image")
    monkeypatch.chdir(tmp_path)
    window = display.plot([[1, 2, 3], [2, 4, 2]], {"labels": ["epoch", "a", "b"], "title": "loss"})
    before = np.asarray(pillow.open("loss.png"))
    assert display.plot(torch.rand(3, 2), {"win": window}) == window
    assert not np.array_equal(np.asarray(pillow.open("loss.png")), before)
    with pytest.raises(ValueError, match="expected rows of x and one y or more"):
        display.plot([[1], [2]])
