"""ImageClass: images in one folder per class."""

from __future__ import annotations

import fnmatch
import os
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..checks.declared import whole_number
from ..checks.errors import describe
from ..checks.numbers import whole
from ..core.types import Indices, Value
from .images import ImageError, image_files, load_image, random_crop, resample, ten_crops
from .loader import DataLoader
from .nested import as_indices, with_size
from .seeds import Seed, generator, opened

if TYPE_CHECKING:
    from PIL.Image import Image

SampleFunction = Callable[["ImageClass", str, Any], np.ndarray]


class ImageClass(DataLoader):
    """Images for classification, [data_path]/[class]/.../[image].jpg, read when they are asked for.

    `data_path`: one folder or several; classes of the same name are merged. A link to a folder that contains
    data_path is no class. Classes count from 1, sorted by name, or by the key `sort_function`.
    `load_size` and `sample_size` are (C, H, W): an image is resized so that its smallest side is min(H, W) of
    load_size, grey if C is 1. Then `sample_function` makes a sample of it: "sample_default" resizes it to sample_size;
    "sample_train" crops it at a random place and mirrors it with probability 0.5; "sample_test" takes ten crops; or a
    function f(loader, path, random) returns an array C x H x W, or views x C x H x W. `exclude_file` and `exclude_dir`
    are patterns ("*_small.jpg"): files are left out whose name matches the first, or whose path matches the second.
    Shape: inputs N x C x H x W, float32 from 0 to 1; targets N, int64; and a list of N paths. The views of an image
    follow each other, its target is repeated for each.
    `sample` draws a class uniformly, then an image of it.
    With on_error="skip" unreadable images are left out of their batches, and classes without images are never drawn;
    each is counted in `skipped`, with a warning. A batch that would be empty gets the next readable image.
    Raises: ValueError, naming the file or the folder.
    Source: dataload/README.md#ImageClass.
    """

    draws = True
    sort_function: Callable[[str], Any] | None = None
    exclude_file: str | None = None
    exclude_dir: str | None = None

    def __init__(
        self,
        data_path: str | os.PathLike | Sequence,
        load_size: Sequence[int],
        sample_size: Sequence[int] | None = None,
        sample_function: str | SampleFunction = "sample_default",
        sort_function: Callable[[str], Any] | None = None,
        exclude_file: str | None = None,
        exclude_dir: str | None = None,
        on_error: str = "raise",
    ):
        if on_error not in ("raise", "skip"):
            raise ValueError(f'ImageClass: expected on_error "raise" or "skip", got {on_error!r}')
        self._take_options(data_path, load_size, sample_size, on_error)
        sampling(type(self), sample_function)
        self.sample_function, self.sort_function = sample_function, sort_function
        self.exclude_file, self.exclude_dir = exclude_file, exclude_dir
        self._find()

    def _take_options(
        self,
        data_path: str | os.PathLike | Sequence,
        load_size: Sequence[int],
        sample_size: Sequence[int] | None,
        on_error: str = "raise",
    ) -> None:
        folders = [data_path] if isinstance(data_path, (str, os.PathLike)) else list(data_path)
        self.data_path = [Path(folder) for folder in folders]
        self.load_size = checked_size("ImageClass", "load_size", load_size)
        self.sample_size = checked_size("ImageClass", "sample_size", load_size if sample_size is None else sample_size)
        self.sample_function: str | SampleFunction = "sample_default"
        self.on_error = on_error
        self.skipped: Counter[str] = Counter()  # one for all copies, so that it counts what workers meet

    def _find(self) -> None:
        """Lists classes and files."""
        for folder in self.data_path:
            if not folder.is_dir():
                raise ValueError(f"ImageClass: {folder} is not a folder")
        inside = [path for folder in self.data_path for path in folder.iterdir()]
        folders = [
            path for path in inside if path.is_dir() and not path.name.startswith(".") and not self._around(path)
        ]
        self.classes = sorted({path.name for path in folders}, key=self.sort_function)
        paths: list[bytes] = []
        counts = []
        for name in self.classes:
            found = [os.fsencode(f) for d in folders if d.name == name for f in image_files(d, self._excluded)]
            if not found:
                self._failed(f"ImageClass: Class has zero samples: no images in {self._places(name)}")
            paths += found
            counts.append(len(found))
        if not paths:
            where = ", ".join(map(str, self.data_path))
            raise ValueError(f"ImageClass: Could not find any image file in the given input paths: {where}")
        self._list(np.array(paths), np.repeat(np.arange(1, len(counts) + 1), counts))

    def _list(self, image_path: np.ndarray, image_class: np.ndarray) -> None:
        """Keeps the files, class by class, as bytes of one width (compact for millions of them), and their classes."""
        self.image_path, self.image_class = image_path, image_class
        self.class_index = {name: i for i, name in enumerate(self.classes, 1)}
        self._ends = np.cumsum(np.bincount(image_class - 1, minlength=len(self.classes)))

    @classmethod
    def of_files(
        cls, image_path: np.ndarray, image_class: np.ndarray, classes: Sequence[str], data_path: Sequence[str],
        load_size: Sequence[int], sample_size: Sequence[int],
    ) -> ImageClass:  # fmt: skip
        """A loader of files that are known already, class by class: their paths, as bytes, and their classes, from 1.

        Reads no folder. Raises: ValueError for classes that are not in ascending order, not one per file, or unknown.
        """
        in_order = len(image_path) == len(image_class) and not (np.diff(image_class) < 0).any()
        if not in_order or not ((image_class >= 1) & (image_class <= len(classes))).all():
            raise ValueError(f"ImageClass: expected a class of 1 to {len(classes)} for each file, in their order")
        made = cls.__new__(cls)
        made._take_options(data_path, load_size, sample_size)
        made.classes = list(classes)
        made._list(image_path, image_class)
        return made

    def _around(self, path: Path) -> bool:
        """Whether a folder is a link to one in which the classes themselves are."""
        return path.is_symlink() and any(each.resolve().is_relative_to(path.resolve()) for each in self.data_path)

    def _places(self, name: str) -> str:
        return ", ".join(str(folder / name) for folder in self.data_path)

    def _excluded(self, path: str) -> bool:
        by_folder = self.exclude_dir is not None and fnmatch.fnmatch(path, self.exclude_dir)
        return by_folder or (
            self.exclude_file is not None and fnmatch.fnmatch(os.path.basename(path), self.exclude_file)
        )

    def _failed(self, message: str, cause: BaseException | None = None) -> None:
        """Raises, or counts and warns."""
        if self.on_error == "raise":
            raise ValueError(message) from cause
        self.skipped[message] += 1
        warnings.warn(f"{message} (skipped; {self.skipped.total()} so far)", stacklevel=3)

    # Samples ---------------------------------------------------------------------------------------------------

    def size(self, cls: int | str | None = None) -> int:
        """The number of images, or of those of a class, given by its name or index."""
        return len(self.image_path) if cls is None else len(self.class_list(cls))

    def class_list(self, cls: int | str) -> range:
        """The indices of the images of a class, given by its name or index."""
        number = self.class_index.get(cls, 0) if isinstance(cls, str) else whole("ImageClass", "class", cls)
        if not 1 <= number <= len(self.classes):
            raise ValueError(f"ImageClass: no class {cls!r}; there are {len(self.classes)}: {self.classes[:5]} ...")
        first = self._ends[number - 2] if number > 1 else 0
        return range(int(first) + 1, int(self._ends[number - 1]) + 1)

    def isize(self, exclude_dim: int | bool = 1) -> list[int]:
        return with_size([0, *self.sample_size], self.size(), exclude_dim)

    def tsize(self, exclude_dim: int | bool = 1) -> list[int]:
        return with_size([0], self.size(), exclude_dim)

    def index(
        self, indices: Indices, *, seed: Seed = None, sample_function: str | SampleFunction | None = None
    ) -> tuple:
        """(inputs, targets, paths); sample functions that draw need a `seed`."""
        indices = as_indices("ImageClass.index", indices, self.size())
        function = sampling(type(self), sample_function or self.sample_function)
        random = None if seed is None else opened(seed, "ImageClass.index")
        read = list(self._read(indices - 1, function, random))
        if not read and self.on_error == "skip" and indices.size:
            following = (indices[-1] + np.arange(self.size())) % self.size()
            read = [*islice(self._read(following, function, random), 1)]
        if not read:
            why = "none of the images could be read" if indices.size else "expected at least one index, got none"
            raise ValueError(f"ImageClass: {why}")
        samples, kept, paths = map(list, zip(*read, strict=True))
        return *self._packed(samples, self.image_class[kept], paths), paths

    def _read(
        self, numbers: np.ndarray, function: SampleFunction, random: np.random.Generator | None
    ) -> Iterator[tuple[np.ndarray, int, str]]:
        """(sample, number, path) of each readable image among these numbers, counted from 0."""
        for number in numbers:
            path = os.fsdecode(bytes(self.image_path[number]))
            sample = self._sampled(function, path, random)
            if sample is not None:
                yield sample, number, path

    def draw(self, batch_size: int, random: np.random.Generator) -> np.ndarray:
        """The indices of images: each of a class drawn uniformly, and uniform in it."""
        counts = np.diff(self._ends, prepend=0)
        classes = random.choice(np.flatnonzero(counts), batch_size)
        within = random.integers(counts[classes])
        return self._ends[classes] - counts[classes] + within + 1

    def _sampled(self, function: SampleFunction, path: str, random: np.random.Generator | None) -> np.ndarray | None:
        try:
            sample = function(self, path, random)
        except (ImageError, FileNotFoundError) as error:
            named = str(error) if path in str(error) else f"{path}: {error}"
            return self._failed(f"ImageClass: {named}", error)
        except Exception as error:  # of a user's own function
            error.add_note(f"ImageClass: {path}")
            raise
        if np.ndim(sample) not in (3, 4):
            raise TypeError(
                f"ImageClass: expected an array C x H x W, or views x C x H x W, of the sample function for {path}, "
                f"got {describe(sample)}"
            )
        return np.asarray(sample)

    def _packed(self, samples: list[np.ndarray], targets: np.ndarray, paths: list[str]) -> tuple:
        for sample, path in zip(samples, paths, strict=True):
            if sample.shape != samples[0].shape:
                raise ValueError(
                    f"ImageClass: expected samples of one size, got {samples[0].shape} of {paths[0]}, "
                    f"but {sample.shape} of {path}"
                )
        if samples[0].ndim == 3:
            return np.stack(samples), targets
        return np.concatenate(samples), np.repeat(targets, len(samples[0]))

    # Sample functions ------------------------------------------------------------------------------------------

    def load_image(self, path: str) -> Image:
        """The image as Pillow has it, its smallest side min(H, W) of load_size."""
        return load_image(path, self.sample_size[0], min(self.load_size[1:]))

    def sample_default(self, path: str, random: np.random.Generator | None = None) -> np.ndarray:
        """The image, resized to sample_size; the aspect ratio is not kept."""
        return resample(self.load_image(path), self.sample_size)

    def sample_train(self, path: str, random: np.random.Generator) -> np.ndarray:
        """A part of sample_size at a random place, mirrored with probability 0.5."""
        drawing = generator(random, "ImageClass.sample_train")
        return random_crop(self.load_image(path), self.sample_size, drawing)

    def sample_test(self, path: str, random: np.random.Generator | None = None) -> np.ndarray:
        """Ten views: centre, top left, top right, bottom left, bottom right, each followed by its mirror image."""
        return ten_crops(self.load_image(path), self.sample_size)


def sampling(kind: type, chosen: str | Callable) -> Value:
    """The function that makes samples: that of a name, as loaders of a kind have them, or a user's own.

    Raises: ValueError for a name that none has; TypeError for anything else.
    """
    if callable(chosen):
        return chosen
    names = [name for name in dir(kind) if name.startswith("sample_")]
    if chosen not in names:
        wrong = ValueError if isinstance(chosen, str) else TypeError
        raise wrong(
            f"{kind.__name__}: expected a function, or one of {', '.join(names)}, as sample_function, got {chosen!r}"
        )
    return getattr(kind, chosen)


def checked_size(who: str, name: str, size: Sequence[int]) -> tuple[int, int, int]:
    """Refuses what is not (channels, height, width) with 1 or 3 channels."""
    sizes = [whole_number(n) or 0 for n in size] if isinstance(size, (Sequence, np.ndarray)) else []
    if len(sizes) != 3 or min(sizes) < 1 or sizes[0] not in (1, 3):
        raise ValueError(f"{who}: expected a {name} of (1 or 3 channels, height, width), got {size!r}")
    return sizes[0], sizes[1], sizes[2]
