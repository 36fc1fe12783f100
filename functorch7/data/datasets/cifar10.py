"""CIFAR-10: small photographs of ten kinds of things."""

import codecs
import os
import pickle
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from ..fetch import fetch_archive
from ..folders import data_path
from ..tensors import check_part
from .classified import ClassifiedTensors, Split, classified
from .torch_files import load

SOURCE = "https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz"
CHECKSUM = "sha256:c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd"
CLASSES = ["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"]
WANTED = "data_batch_1 to data_batch_5 and test_batch of one version (binary, Python or Torch's)"
PIXELS = 3 * 32 * 32


def load_cifar10(
    datapath: str | os.PathLike | None = None,
    validratio: float = 1 / 6,
    scale: Sequence[float] | Literal[False] = (0, 1),
    srcurl: str | None = None,
) -> tuple[ClassifiedTensors, ClassifiedTensors, ClassifiedTensors]:
    """CIFAR-10's (train, valid, test): 41,666, 8,334 and 10,000 photographs, in the files' order.

    Shape: inputs N x 3 x 32 x 32 (red, green, blue), float32, rescaled from the range of all training or all test
    images to `scale` (False: as they are); targets N, int64, from 1; `classes` are their names.
    Files are read from datapath, or a folder in it named as the archives name it: the binary, the Python or Torch's
    version (data_batch_1 to 5 and test_batch, with the endings .bin, none, and .t7). The default for datapath is
    data_path()/cifar10, or data_path()/cifar-10-batches-t7 if that is where they are. If they are nowhere, the
    archive srcurl is downloaded: the binary version, which is checked, or a mirror's, of any version.
    Raises: OSError that says which files are wanted; ValueError naming a file that is damaged.
    Differs from Torch7: the source is the binary version; targets are integers.
    Source: dataload/README.md#loadCIFAR10; Krizhevsky, 2009.
    """
    check_part("load_cifar10", "validratio", validratio)
    if datapath is not None:
        folders = [Path(datapath)]
    else:
        folders = [data_path() / "cifar10", data_path() / "cifar-10-batches-t7"]
    found = _find(folders)
    if found is None:
        source = SOURCE if srcurl is None else srcurl
        _download(folders[0], source)
        found = _find(folders[:1])
        if found is None:
            raise OSError(f"load_cifar10: the archive {source} has no file test_batch of any version")
    folder, version = found
    train = Split(
        *map(np.concatenate, zip(*(version.split(folder, f"data_batch_{i}") for i in range(1, 6)), strict=True))
    )
    return classified("load_cifar10", train, version.split(folder, "test_batch"), CLASSES, validratio, scale)


class _Version(NamedTuple):
    """One of the forms that CIFAR-10 is published in."""

    folder: str
    ending: str
    read: Callable[[Path], tuple[np.ndarray, np.ndarray]]  # (N x 3072 pixels, N labels)

    def split(self, folder: Path, name: str) -> Split:
        path = folder / f"{name}{self.ending}"
        if not path.is_file():
            raise OSError(f"load_cifar10: {path} is missing; {WANTED}")
        pixels, labels = self.read(path)
        if pixels.ndim != 2 or pixels.shape[1] != PIXELS or labels.shape != pixels.shape[:1]:
            raise ValueError(
                f"{path}: expected N x {PIXELS} pixels and N labels, got sizes {pixels.shape} and {labels.shape}"
            )
        return Split(pixels.reshape(-1, 3, 32, 32), labels)


def _find(folders: Sequence[Path]) -> tuple[Path, _Version] | None:
    """The first place that has a test set, and its version."""
    places = [
        (place, version) for folder in folders for version in VERSIONS for place in (folder / version.folder, folder)
    ]
    return next((found for found in places if (found[0] / f"test_batch{found[1].ending}").is_file()), None)


def _download(folder: Path, srcurl: str) -> None:
    known_hash = CHECKSUM if srcurl == SOURCE else None
    fetch_archive("load_cifar10", srcurl, folder, known_hash=known_hash, wanted=WANTED)


def _read_binary(path: Path) -> tuple[np.ndarray, np.ndarray]:
    data = np.fromfile(path, np.uint8)
    if not data.size or data.size % (1 + PIXELS):
        raise ValueError(f"{path}: expected records of {1 + PIXELS} bytes, got {data.size} bytes")
    records = data.reshape(-1, 1 + PIXELS)
    return records[:, 1:], records[:, 0]


def _read_torch(path: Path) -> tuple[np.ndarray, np.ndarray]:
    batch = load(path)
    if not isinstance(batch, dict) or not {"data", "labels"} <= batch.keys():
        raise ValueError(f"{path}: expected a table with data and labels")
    return np.asarray(batch["data"]).T, np.asarray(batch["labels"]).reshape(-1)


def _read_python(path: Path) -> tuple[np.ndarray, np.ndarray]:
    try:
        with path.open("rb") as file:
            batch = _Arrays(file, encoding="bytes").load()
        return np.asarray(batch[b"data"]), np.asarray(batch[b"labels"])
    except (pickle.UnpicklingError, EOFError, KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise ValueError(f"{path}: no batch of CIFAR-10's Python version, or a damaged one: {error}") from error


class _Arrays(pickle.Unpickler):
    """Makes arrays and plain values only: a pickle may ask for any other function to be called."""

    ALLOWED = {
        ("multiarray", "_reconstruct"): np.empty(0).__reduce__()[0],
        ("numpy", "ndarray"): np.ndarray,
        ("numpy", "dtype"): np.dtype,
        ("_codecs", "encode"): codecs.encode,
    }

    def find_class(self, module_name: str, global_name: str) -> Any:
        # NumPy has moved the module more than once: numpy.core.multiarray in the published files.
        module = "multiarray" if module_name in ("numpy.core.multiarray", "numpy._core.multiarray") else module_name
        if (module, global_name) not in self.ALLOWED:
            raise pickle.UnpicklingError(f"{module_name}.{global_name} is no part of such a batch")
        return self.ALLOWED[module, global_name]


VERSIONS = (
    _Version("cifar-10-batches-t7", ".t7", _read_torch),
    _Version("cifar-10-batches-bin", ".bin", _read_binary),
    _Version("cifar-10-batches-py", "", _read_python),
)
