"""MNIST and CIFAR-10, in each of the forms that they are published in."""

import gzip
import hashlib
import pickle
import struct

import numpy as np
import pytest

from functorch7 import data
from functorch7.data.datasets import cifar10, mnist
from functorch7.interop import t7
from functorch7.legacy import dl

from .conftest import names
from .test_archives import tar_bytes, zip_bytes

RANDOM = np.random.default_rng(0)


def idx_bytes(array, code=8):
    return struct.pack(f">HBB{array.ndim}I", 0, code, array.ndim, *array.shape) + array.tobytes()


IMAGES = {
    "train": RANDOM.integers(3, 200, (12, 28, 28), np.uint8),
    "t10k": RANDOM.integers(0, 99, (4, 28, 28), np.uint8),
}
LABELS = {"train": np.arange(12, dtype=np.uint8) % 10, "t10k": np.array([9, 0, 3, 3], np.uint8)}
IDX = {
    f"{split}-{kind}.gz": gzip.compress(idx_bytes(arrays[split]))
    for split in IMAGES
    for kind, arrays in (("images-idx3-ubyte", IMAGES), ("labels-idx1-ubyte", LABELS))
}
TORCH = {
    f"{name}.th7": t7.serialize([IMAGES[split][..., None].astype(np.float32), LABELS[split].astype(np.float64)], form)
    for name, split, form in (("train", "train", "binary"), ("test", "t10k", "ascii"))
}


def check_mnist(train, valid, test):
    """The first ten of twelve images are for training; each file is rescaled by its own range."""
    for loader, split, part in ((train, "train", slice(10)), (valid, "train", slice(10, 12)), (test, "t10k", slice(4))):
        pixels = IMAGES[split].astype(np.float64)
        expected = (pixels - pixels.min()) / (pixels.max() - pixels.min())
        assert loader.inputs.dtype == np.float32
        np.testing.assert_allclose(loader.inputs[:, 0], expected[part], atol=1e-6)
        np.testing.assert_array_equal(loader.targets, LABELS[split][part].astype(int) + 1)
        assert loader.classes == list(range(10))
        assert loader.isize() == [1, 28, 28]


def write(folder, files):
    folder.mkdir(parents=True, exist_ok=True)
    for name, body in files.items():
        (folder / name).write_bytes(body)


def test_mnist_is_downloaded_once_from_a_mirror(server, tmp_path, monkeypatch):
    monkeypatch.setenv("DEEP_DATA_PATH", str(tmp_path))
    server.files = {f"mirror/{name}": body for name, body in IDX.items()}
    check_mnist(*data.load_mnist(srcurl=server.url + "mirror"))
    server.files.clear()
    check_mnist(*data.load_mnist(srcurl=server.url + "mirror"))
    assert names(tmp_path) == sorted(f"mnist/{name}" for name in IDX)


def test_mnist_is_checked_where_it_comes_from_the_usual_place(server, tmp_path, monkeypatch):
    server.files = dict(IDX)
    monkeypatch.setattr(mnist, "SOURCE", server.url)
    with pytest.raises(OSError, match=r"train-images-idx3-ubyte\.gz.*does not match the known hash"):
        data.load_mnist(tmp_path)
    assert names(tmp_path) == []
    sums = {name: "md5:" + hashlib.md5(body).hexdigest() for name, body in IDX.items()}
    monkeypatch.setattr(mnist, "CHECKSUMS", sums)
    check_mnist(*data.load_mnist(tmp_path))


def test_mnist_in_unpacked_files_and_other_scales(tmp_path):
    write(tmp_path, {name.removesuffix(".gz"): gzip.decompress(body) for name, body in IDX.items()})
    check_mnist(*data.load_mnist(tmp_path))
    train, _, _ = data.load_mnist(tmp_path, scale=(-1, 1))
    assert (train.inputs.min(), train.inputs.max()) == (-1, 1)
    train, valid, _ = data.load_mnist(tmp_path, validratio=0.25, scale=False)
    np.testing.assert_array_equal(train.inputs[:, 0], IMAGES["train"][:9])
    assert (train.size(), valid.size()) == (9, 3)


def test_mnist_in_torchs_interface(tmp_path):
    write(tmp_path, TORCH)
    train, valid, test = dl.loadMNIST(str(tmp_path), 0.5, None)
    assert [loader.size() for loader in (train, valid, test)] == [6, 6, 4]
    inputs, targets = train.sub(1, 3)
    assert inputs.size() == [3, 1, 28, 28]
    assert [train.classes[int(target) - 1] for target in np.asarray(targets)] == [0, 1, 2]


def test_mnist_in_torch_files_and_in_an_archive_of_them(server, tmp_path):
    write(tmp_path / "files", TORCH)
    check_mnist(*data.load_mnist(tmp_path / "files"))
    server.files["mnist4.zip"] = zip_bytes(TORCH)
    check_mnist(*data.load_mnist(tmp_path / "archive", srcurl=server.url + "mnist4.zip"))
    assert names(tmp_path / "archive") == ["mnist4.zip", "test.th7", "train.th7"]


def test_what_cannot_be_downloaded_is_named(server, tmp_path):
    with pytest.raises(OSError, match=r"load_mnist: .*t10k-labels-idx1-ubyte\.gz.*test\.th7, into .*srcurl"):
        data.load_mnist(tmp_path, srcurl=server.url)
    with pytest.raises(OSError, match=r"load_cifar10: .*test_batch.* into .*srcurl"):
        data.load_cifar10(tmp_path, srcurl=server.url + "cifar.tar.gz")


def test_a_damaged_archive_does_not_stay_unless_it_was_there(server, tmp_path):
    server.files["mnist4.zip"] = zip_bytes(TORCH)[:-200]
    for was_there in (False, True):
        if was_there:
            (tmp_path / "mnist4.zip").write_bytes(b"mine")
        with pytest.raises(ValueError, match=r"mnist4\.zip is damaged"):
            data.load_mnist(tmp_path, srcurl=server.url + "mnist4.zip")
        assert names(tmp_path) == ["mnist4.zip"] * was_there


IMAGES_FILE, LABELS_FILE = "train-images-idx3-ubyte", "train-labels-idx1-ubyte"
WHOLE = idx_bytes(IMAGES["train"])


@pytest.mark.parametrize(
    ("name", "body", "message"),
    [
        (IMAGES_FILE, idx_bytes(LABELS["train"]), "wrong magic number: expected 00 00 08 03, got 00 00 08 01"),
        (IMAGES_FILE, b"<html>", "wrong magic number: expected 00 00 08 03, got 3c 68 74 6d"),
        (IMAGES_FILE, b"", "wrong magic number: .*got nothing"),
        (IMAGES_FILE, WHOLE[:-1], rf"expected {len(WHOLE)} bytes for sizes \(12, 28, 28\), got {len(WHOLE) - 1}"),
        (IMAGES_FILE, WHOLE[:9], "expected a header of 16 bytes, got 9"),
        (IMAGES_FILE, gzip.compress(WHOLE)[:200], "damaged"),
        (IMAGES_FILE, idx_bytes(IMAGES["train"][:, :7]), r"expected images of 28 x 28, got sizes \(12, 7, 28\)"),
        (LABELS_FILE, idx_bytes(LABELS["train"][:5]), r"expected 12 labels, one for each image, got sizes \(5,\)"),
        ("test.th7", TORCH["test.th7"][:100], "no Torch file, or a damaged one"),
        ("test.th7", t7.serialize({"x": 1}), "expected a table of inputs and targets"),
    ],
    ids=range(10),
)
def test_damaged_files_of_mnist_are_named(name, body, message, tmp_path):
    write(tmp_path, {each.removesuffix(".gz"): gzip.decompress(packed) for each, packed in IDX.items()})
    if name == "test.th7":
        write(tmp_path, TORCH)
    write(tmp_path, {name: body})
    with pytest.raises(ValueError, match=rf"{name}.*: {message}"):
        data.load_mnist(tmp_path)


@pytest.mark.parametrize("load", [data.load_mnist, data.load_cifar10, data.load_sentiment140])
def test_parts_for_validation_are_looked_at_before_anything_is_read(load, tmp_path):
    for wrong, error in ((0, ValueError), (1, ValueError), ("0.1", TypeError)):
        with pytest.raises(error, match=f"{load.__name__}: expected .* ?validratio.*, got '?{wrong}"):
            load(datapath=tmp_path, validratio=wrong)


def test_labels_that_are_no_digits_are_refused(tmp_path):
    files = {each.removesuffix(".gz"): gzip.decompress(packed) for each, packed in IDX.items()}
    write(tmp_path, {**files, LABELS_FILE: idx_bytes(LABELS["train"] + np.uint8(3))})
    with pytest.raises(ValueError, match="load_mnist: expected labels from 0 to 9, got 10"):
        data.load_mnist(tmp_path)


# CIFAR-10: six batches of two photographs each.
BATCHES = [*(f"data_batch_{i}" for i in range(1, 6)), "test_batch"]
PIXELS = RANDOM.integers(0, 256, (6, 2, 3072), np.uint8)
KINDS = RANDOM.integers(0, 10, (6, 2))
VERSIONS = {
    "cifar-10-batches-bin": {
        f"{name}.bin": b"".join(bytes([label]) + row.tobytes() for label, row in zip(KINDS[i], PIXELS[i], strict=True))
        for i, name in enumerate(BATCHES)
    },
    "cifar-10-batches-py": {
        name: pickle.dumps({b"data": PIXELS[i], b"labels": KINDS[i].tolist(), b"batch_label": b"one"}, protocol=2)
        for i, name in enumerate(BATCHES)
    },
    "cifar-10-batches-t7": {
        f"{name}.t7": t7.serialize({"data": PIXELS[i].T, "labels": KINDS[i : i + 1].astype(np.uint8)})
        for i, name in enumerate(BATCHES)
    },
}


def check_cifar10(train, valid, test):
    """Eight of the ten training images, in the order of the batches, are for training."""
    pixels, kinds = PIXELS[:5].reshape(10, 3, 32, 32) / 255, KINDS[:5].reshape(10)
    np.testing.assert_allclose(train.inputs, pixels[:8], atol=1e-6)
    np.testing.assert_allclose(valid.inputs, pixels[8:], atol=1e-6)
    np.testing.assert_allclose(test.inputs, PIXELS[5].reshape(2, 3, 32, 32) / 255, atol=1e-6)
    assert [*train.targets, *valid.targets, *test.targets] == [*(kinds + 1), *(KINDS[5] + 1)]
    assert test.classes[:3] == ["airplane", "automobile", "bird"]


@pytest.mark.parametrize("version", VERSIONS)
def test_cifar10_in_each_version_with_and_without_its_folder(version, tmp_path):
    write(tmp_path / version, VERSIONS[version])
    check_cifar10(*data.load_cifar10(tmp_path))
    check_cifar10(*data.load_cifar10(tmp_path / version))


def test_cifar10_is_looked_for_in_both_folders_and_downloaded_into_the_first(server, tmp_path, monkeypatch):
    monkeypatch.setenv("DEEP_DATA_PATH", str(tmp_path))
    write(tmp_path / "cifar-10-batches-t7", VERSIONS["cifar-10-batches-t7"])
    check_cifar10(*data.load_cifar10())
    monkeypatch.setenv("DEEP_DATA_PATH", str(tmp_path / "empty"))
    files = {f"cifar-10-batches-bin/{name}": body for name, body in VERSIONS["cifar-10-batches-bin"].items()}
    server.files["cifar.tar.gz"] = tar_bytes(files)
    check_cifar10(*data.load_cifar10(srcurl=server.url + "cifar.tar.gz"))
    assert names(tmp_path / "empty") == sorted(["cifar10/cifar.tar.gz", *(f"cifar10/{name}" for name in files)])


class Attack:
    def __reduce__(self):
        return print, ("it was run",)


@pytest.mark.parametrize(
    ("version", "name", "body", "message"),
    [
        (
            "cifar-10-batches-bin",
            "data_batch_2.bin",
            PIXELS[0].tobytes(),
            "expected records of 3073 bytes, got 6144 bytes",
        ),
        ("cifar-10-batches-bin", "test_batch.bin", b"", "expected records of 3073 bytes, got 0"),
        ("cifar-10-batches-py", "data_batch_3", pickle.dumps({"data": Attack()}), "print is no part of such a batch"),
        ("cifar-10-batches-py", "test_batch", VERSIONS["cifar-10-batches-py"]["test_batch"][:99], "a damaged one"),
        (
            "cifar-10-batches-t7",
            "test_batch.t7",
            t7.serialize({"data": PIXELS[0]}),
            "expected a table with data and labels",
        ),
        (
            "cifar-10-batches-t7",
            "test_batch.t7",
            t7.serialize({"data": PIXELS[0], "labels": KINDS[0]}),
            "expected N x 3072",
        ),
    ],
    ids=range(6),
)
def test_damaged_files_of_cifar10_are_named(version, name, body, message, tmp_path, capsys):
    write(tmp_path, {**VERSIONS[version], name: body})
    with pytest.raises(ValueError, match=rf"{name}.*{message}"):
        data.load_cifar10(tmp_path)
    assert capsys.readouterr().out == ""


def test_a_missing_batch_of_cifar10_is_named(tmp_path):
    write(tmp_path, VERSIONS["cifar-10-batches-bin"])
    (tmp_path / "data_batch_4.bin").unlink()
    with pytest.raises(OSError, match=r"data_batch_4\.bin is missing"):
        data.load_cifar10(tmp_path)


def test_the_usual_source_of_cifar10_has_a_checksum(server, tmp_path, monkeypatch):
    server.files["cifar.tar.gz"] = b"something else"
    monkeypatch.setattr(cifar10, "SOURCE", server.url + "cifar.tar.gz")
    with pytest.raises(OSError, match="does not match the known hash"):
        data.load_cifar10(tmp_path)
    assert names(tmp_path) == []
