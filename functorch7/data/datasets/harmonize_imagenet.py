"""Gives ImageNet's sets a folder class[id] for each class: python -m functorch7.data harmonizeimagenet --forReal."""

import argparse
import os
from pathlib import Path
from typing import Any

import numpy as np

from ...interop import t7
from ...interop.packages import package
from .. import folders
from .torch_files import load

N_CLASSES = 1000
DEVKITS = {  # the folders' names, and their files: of the classes, and of the validation images' classes
    "ILSVRC2014_devkit": ("meta_clsloc.mat", "ILSVRC2014_clsloc_validation_ground_truth.txt"),
    "ILSVRC2012_devkit_t12": ("meta.mat", "ILSVRC2012_validation_ground_truth.txt"),
}


def harmonizeimagenet(
    data_path: str | os.PathLike,
    meta_path: str | os.PathLike | None = None,
    train_path: str | os.PathLike | None = None,
    valid_path: str | os.PathLike | None = None,
    devkit_path: str | os.PathLike | None = None,
    for_real: bool = False,
    progress: bool = False,
) -> dict[int, list]:
    """Renames training folders (n01440764) and moves validation images, sorted by name, into folders class[id].

    The id, from 1 to 1000, is the challenge's, by the devkit's file of ground truth. Paths default to the folders
    metadata, ILSVRC2012_img_train, ILSVRC2012_img_val, and ILSVRC2014_devkit or ILSVRC2012_devkit_t12 in data_path.
    What is known of the classes is read from metadata/json.th7, or, if that is not there, from the devkit (with
    SciPy), is returned as {id: [wnid, words, gloss, number of children, children]}, and saved as
    metadata/classInfo.th7. Without for_real it is only reported what would be done. Running it again is fine.
    Raises: OSError for a folder that does not exist, or exists where one is to be moved; ValueError if there are not as
    many validation images as lines of ground truth, or ids outside 1 to 1000. Nothing has been moved then.
    Source: dataload, scripts/harmonizeimagenet.lua.
    """
    base = Path(data_path)
    metadata = _folder(meta_path or base / "metadata")
    train = _folder(train_path or base / "ILSVRC2012_img_train")
    valid = _folder(valid_path or base / "ILSVRC2012_img_val")
    devkit = _folder(
        devkit_path or next((base / name for name in DEVKITS if (base / name).is_dir()), base / "ILSVRC2014_devkit")
    )
    classes = _classes(metadata, devkit)
    moves = [*_validation_moves(valid, devkit), *_training_moves(train, classes)]
    for source, target in moves:
        if target.exists():
            raise OSError(f"harmonizeimagenet: {target} already exists; {source} cannot be renamed to it")
    if not for_real:
        print(f"would move {len(moves)} files and folders, such as {moves[0]}" if moves else "nothing is to be moved")
        return classes
    for source, target in _seen(moves, progress):
        target.parent.mkdir(exist_ok=True)
        source.rename(target)
    t7.write(metadata / "classInfo.th7", classes)
    return classes


def _folder(path: str | os.PathLike) -> Path:
    if not Path(path).is_dir():
        raise OSError(f"harmonizeimagenet: there is no folder {path}")
    return Path(path)


def _data_file(devkit: Path, which: int) -> Path:
    """The devkit's file of the classes (0) or of the ground truth (1)."""
    candidates = [devkit / "data" / names[which] for names in DEVKITS.values()]
    found = next((path for path in candidates if path.is_file()), None)
    if found is None:
        raise OSError(f"harmonizeimagenet: there is no file {' or '.join(map(str, candidates))}")
    return found


def _classes(metadata: Path, devkit: Path) -> dict[int, list]:
    if (metadata / "json.th7").is_file():
        return _classes_of_json(metadata / "json.th7")
    return _classes_of_matlab(_data_file(devkit, 0))


def _classes_of_json(path: Path) -> dict[int, list]:
    """json.th7 is the MATLAB file as nested tables, where each value is inside tables of one element."""
    classes = {}
    try:
        for number, wnid, words, gloss, n_children, children, *_ in load(path)["synsets"][0]:
            classes[int(number[0][0])] = [
                wnid[0],
                words[0],
                gloss[0],
                n_children[0][0],
                children[0] if children else [],
            ]
    except (TypeError, KeyError, IndexError, ValueError) as error:
        raise ValueError(f"{path}: expected the synsets of ImageNet's devkit: {error}") from error
    return classes


def _classes_of_matlab(path: Path) -> dict[int, list]:
    synsets: Any = package("scipy.io", "scipy", "harmonizeimagenet").loadmat(path, squeeze_me=True)["synsets"]
    return {
        int(number): [
            str(wnid),
            str(words),
            str(gloss),
            int(n_children),
            np.atleast_1d(children).astype(int).tolist(),
        ]
        for number, wnid, words, gloss, n_children, children, *_ in synsets.tolist()
    }


def _validation_moves(valid: Path, devkit: Path) -> list[tuple[Path, Path]]:
    files = sorted(path for path in valid.iterdir() if path.is_file())
    if not files:
        return []
    path = _data_file(devkit, 1)
    numbers = [int(line) for line in path.read_text().split()]
    if len(numbers) != len(files):
        raise ValueError(f"harmonizeimagenet: {path} has {len(numbers)} lines, but {valid} has {len(files)} images")
    outside = [number for number in numbers if not 0 < number <= N_CLASSES]
    if outside:
        raise ValueError(f"harmonizeimagenet: {path}: expected classes from 1 to {N_CLASSES}, got {outside[0]}")
    return [(file, valid / f"class{number}" / file.name) for file, number in zip(files, numbers, strict=True)]


def _training_moves(train: Path, classes: dict[int, list]) -> list[tuple[Path, Path]]:
    numbers = {wnid: number for number, (wnid, *_) in classes.items()}
    folders = sorted(path for path in train.iterdir() if path.is_dir() and path.name in numbers)
    return [(folder, train / f"class{numbers[folder.name]}") for folder in folders]


def _seen(moves: list[tuple[Path, Path]], progress: bool) -> Any:
    if not progress:
        return moves
    from tqdm import tqdm

    return tqdm(moves, desc="moving", unit="file")


def main(arguments: list[str] | None = None) -> None:
    """The command line: see the top of this file."""
    parser = argparse.ArgumentParser(
        prog="python -m functorch7.data harmonizeimagenet",
        description="Gives ImageNet's training and validation set a folder class[id] for each class.",
    )
    parser.add_argument(
        "--dataPath", type=Path, default=folders.data_path() / "ImageNet", help="the data (%(default)s)"
    )
    for name, default in (
        ("metaPath", "metadata"), ("trainPath", "ILSVRC2012_img_train"), ("validPath", "ILSVRC2012_img_val"),
        ("devkitPath", "ILSVRC2014_devkit or ILSVRC2012_devkit_t12"),
    ):  # fmt: skip
        parser.add_argument(f"--{name}", type=Path, help=f"instead of {default} in dataPath")
    parser.add_argument("--forReal", action="store_true", help="move everything; else it is only reported")
    parser.add_argument("--progress", action="store_true", help="show a progress bar")
    o = parser.parse_args(arguments)
    harmonizeimagenet(o.dataPath, o.metaPath, o.trainPath, o.validPath, o.devkitPath, o.forReal, o.progress)
