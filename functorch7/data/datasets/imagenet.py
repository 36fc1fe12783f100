"""ImageNet: 1.3 million photographs of a thousand kinds of things (ILSVRC, 2012 to 2014)."""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...core.types import ArrayLike
from ..asynchronous import AsyncIterator
from ..image_class import ImageClass
from .torch_files import load

N_VIEWS = 10


class ImageNet(AsyncIterator):
    """An AsyncIterator over an ImageClass, with `classinfo`: what is known of each class, or None."""

    classinfo: dict[int, Any] | None = None


def load_imagenet(
    datapath: str | os.PathLike,
    nthread: int = 2,
    loadsize: Sequence[int] = (3, 256, 256),
    samplesize: Sequence[int] = (3, 224, 224),
    verbose: bool = True,
) -> tuple[ImageNet, ImageNet]:
    """ImageNet's (train, valid), read from image files by nthread workers each when they are asked for.

    datapath holds what downloadimagenet and harmonizeimagenet have prepared: the folders ILSVRC2012_img_train and
    ILSVRC2012_img_val with a folder class[id] for each class, and metadata. Images are loaded with their smallest side
    min(H, W) of loadsize. Training images are random parts of samplesize, mirrored half the time (iterate with a seed);
    each validation image gives ten parts: centre and corners, and their mirror images (see average_views).
    Shape: inputs N x samplesize (validation: 10 N), float32 from 0 to 1; targets likewise, int64, the class's id.
    `classinfo`, from metadata/classInfo.th7: [wnid, words, gloss, number of children, children] by id.
    Raises: OSError if datapath or one of the folders does not exist; ValueError naming folders without a number or
    without images. Source: dataload/README.md#loadImageNet; Krizhevsky et al., 2012.
    """
    folder = Path(datapath)
    if not folder.is_dir():
        raise OSError(f"load_imagenet: Expecting path to ILSVRC2012 data at arg one, got {folder}")
    info = folder / "metadata" / "classInfo.th7"
    classinfo = _by_id(load(info)) if info.is_file() else None
    if classinfo is None and verbose:
        print(f"ImageNet: skipping {info}\nTo avoid this message, run harmonizeimagenet with the metadata's path")
    loaders = []
    for name, sample_function in (("ILSVRC2012_img_train", "sample_train"), ("ILSVRC2012_img_val", "sample_test")):
        if not (folder / name).is_dir():
            raise OSError(f"load_imagenet: there is no folder {folder / name}")
        images = ImageClass(folder / name, loadsize, samplesize, sample_function, sort_function=_class_id)
        loader = ImageNet(images, nthread)
        loader.classinfo = classinfo
        loaders.append(loader)
    return loaders[0], loaders[1]


def average_views(predictions: ArrayLike, n_views: int = N_VIEWS) -> np.ndarray:
    """The mean prediction for each image, of those for its views, which follow each other.

    Shape: (N n_views) x ... -> N x .... The targets are targets[::n_views].
    Raises: ValueError if the number of rows is no multiple of n_views. Source: dataload/README.md#loadImageNet.
    """
    rows = np.asarray(predictions)
    if not rows.ndim or n_views < 1 or len(rows) % n_views:
        raise ValueError(f"average_views: expected a multiple of {n_views} predictions, got shape {rows.shape}")
    return rows.reshape(-1, n_views, *rows.shape[1:]).mean(1)


def _by_id(table: list | dict) -> dict[int, Any]:
    return table if isinstance(table, dict) else dict(enumerate(table, 1))


def _class_id(name: str) -> int:
    number = re.search("[0-9]+", name)
    if number is None:
        raise ValueError(f"load_imagenet: expected folders class1, class2, ..., got {name}")
    return int(number[0])
