"""MNIST: handwritten digits."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import numpy as np

from ..archives import is_archive
from ..fetch import fetch, fetch_archive
from ..folders import data_path
from ..tensors import check_part
from .classified import ClassifiedTensors, Split, classified, existing
from .idx import read_idx
from .torch_files import load

SOURCE = "https://ossci-datasets.s3.amazonaws.com/mnist/"
CHECKSUMS = {
    "train-images-idx3-ubyte.gz": "md5:f68b3c2dcbeaaa9fbdd348bbdeb94873",
    "train-labels-idx1-ubyte.gz": "md5:d53e105ee54ea40749a09fcbcd1e9432",
    "t10k-images-idx3-ubyte.gz": "md5:9fb629c4189551a2d022fa330f9573f3",
    "t10k-labels-idx1-ubyte.gz": "md5:ec29112dd5afa0611ce80d1b7f02629c",
}
WANTED = f"{', '.join(CHECKSUMS)} (packed or not), or Torch's train.th7 and test.th7,"
CLASSES = list(range(10))


def load_mnist(
    datapath: str | os.PathLike | None = None,
    validratio: float = 1 / 6,
    scale: Sequence[float] | Literal[False] = (0, 1),
    srcurl: str | None = None,
) -> tuple[ClassifiedTensors, ClassifiedTensors, ClassifiedTensors]:
    """MNIST's (train, valid, test): 50,000, 10,000 and 10,000 images of digits, in the files' order.

    Shape: inputs N x 1 x 28 x 28, float32, rescaled from the range of their file to `scale` (False: as they are);
    targets N, int64, 1 for the digit 0 to 10 for 9; `classes` are the digits. valid is the last part, `validratio`, of
    the 60,000 images for training.
    Files are read from datapath (data_path()/mnist): Torch's train.th7 and test.th7, else the four IDX files, which are
    downloaded if they are not there, and checked. srcurl is a mirror: the folder of IDX files, or an archive of Torch's
    (mnist4.zip), whose checksums are not known.
    Raises: OSError that says which files are wanted; ValueError naming a file that is damaged.
    Differs from Torch7: the source is IDX files, and not an archive of Torch's. Targets are integers.
    Source: dataload/README.md#loadMNIST; LeCun et al., 1998.
    """
    check_part("load_mnist", "validratio", validratio)
    folder = data_path() / "mnist" if datapath is None else Path(datapath)
    mirror = SOURCE if srcurl is None else srcurl
    if is_archive(urlsplit(mirror).path) and not existing(folder, ["test.th7", *CHECKSUMS, *map(_unpacked, CHECKSUMS)]):
        fetch_archive("load_mnist", mirror, folder, known_hash=None, wanted=WANTED)
    if existing(folder, ["test.th7"]):
        train, test = (_read_torch(folder / f"{split}.th7") for split in ("train", "test"))
    else:
        train, test = (_read_idx(folder, split, mirror) for split in ("train", "t10k"))
    return classified("load_mnist", train, test, CLASSES, validratio, scale)


def _read_torch(path: Path) -> Split:
    table = load(path)
    if not isinstance(table, list) or len(table) != 2:
        raise ValueError(f"{path}: expected a table of inputs and targets, got {type(table).__name__}")
    inputs, targets = _images(path, np.asarray(table[0])), np.asarray(table[1])
    return Split(inputs, _labels(path, targets, len(inputs)))


def _read_idx(folder: Path, split: str, mirror: str) -> Split:
    images, labels = (_found(folder, name, mirror) for name in CHECKSUMS if name.startswith(split))
    pixels = _images(images, read_idx(images, 3))
    return Split(pixels, _labels(labels, read_idx(labels, 1), len(pixels)))


def _found(folder: Path, name: str, mirror: str) -> Path:
    known_hash = CHECKSUMS[name] if mirror == SOURCE else None
    return existing(folder, [_unpacked(name), name]) or fetch(
        "load_mnist", f"{mirror.rstrip('/')}/{name}", folder, known_hash=known_hash, wanted=WANTED
    )


def _unpacked(name: str) -> str:
    return name.removesuffix(".gz")


def _images(path: Path, values: np.ndarray) -> np.ndarray:
    if values[:1].size != 28 * 28:
        raise ValueError(f"{path}: expected images of 28 x 28, got sizes {values.shape}")
    return values.reshape(len(values), 1, 28, 28)


def _labels(path: Path, values: np.ndarray, count: int) -> np.ndarray:
    if values.shape != (count,):
        raise ValueError(f"{path}: expected {count} labels, one for each image, got sizes {values.shape}")
    return values
