"""ImageClass and MultiImageSequence with Torch's calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cmp_to_key
from typing import Any

import numpy as np

from ... import data
from ...core.types import Value
from ...interop.t7.values import Fields
from ..tensors.random import generator
from ..tensors.tensor import Tensor
from ..tensors.values import unwrapped, wrapped
from .loader import DescribedLoader, forwarded
from .trackers import follow_trackers, trackers_of

NAMES = {"sampleDefault": "sample_default", "sampleTrain": "sample_train", "sampleTest": "sample_test"}


def _key(precedes: Callable[[str, str], Any] | None) -> Callable[[str], Any] | None:
    """A key to sort by, from Torch's comparison f(a, b): true if a comes before b."""
    if precedes is None:
        return None
    return cmp_to_key(lambda a, b: -1 if precedes(a, b) else int(bool(precedes(b, a))))


class _Images(DescribedLoader):
    """Both image loaders' treatment of sample functions, the last argument of their methods."""

    _sampling: Value = None

    @property
    def samplefunc(self) -> Any:
        """The name of a method, or a function, that makes samples."""
        return self._sampling

    @samplefunc.setter
    def samplefunc(self, function: Any) -> None:
        self._sampling = function
        self._loader.sample_function = self._function(function)

    def _function(self, function: Any) -> Any:
        """functorch7.data's sample function for one of Torch's."""
        if isinstance(function, str):
            if function not in NAMES and not hasattr(self, function):
                raise ValueError(
                    f"{type(self).__name__}: no sample function {function!r}; there are {', '.join(NAMES)}"
                )
            return NAMES.get(function) or self._adapted(getattr(type(self), function))
        return self._adapted(function)

    def _adapted(self, function: Callable) -> Callable:
        raise NotImplementedError

    def take_saved(self) -> None:
        function = vars(self).pop("samplefunc", "sampleDefault")
        super().take_saved()
        self.samplefunc = function

    def getImageBuffer(self, i: int) -> Tensor:
        """A float tensor for the i-th image of a batch, from 1, for sample functions to fill; the same every time."""
        return self.__dict__.setdefault("_buffers", {}).setdefault(i, Tensor())

    def reset(self) -> None:
        """Starts from the first sample, and drops the buffers."""
        super().reset()
        self.__dict__.pop("_buffers", None)

    def _named(self, extra: tuple) -> dict[str, Any]:
        return {"sample_function": self._function(extra[0])} if extra and extra[0] is not None else {}


class ImageClass(_Images):
    """Images in one folder per class; see `functorch7.data.ImageClass`.

    `samplefunc`: "sampleDefault", "sampleTrain", "sampleTest", another method's name, or f(self, dst, path), which
    returns a tensor. `sortfunc`: a comparison f(a, b), true if a comes before b.
    Source: dataload/README.md#ImageClass.
    """

    datapath = forwarded("data_path")
    loadsize = forwarded("load_size")
    samplesize = forwarded("sample_size")
    classes = forwarded("classes")
    iclasses = forwarded("class_index")
    _computed_fields = ("samplefunc", "nsample", "imagePath", "imageClass", "classList")

    def __init__(
        self,
        datapath: str | Sequence[str],
        loadsize: Sequence,
        samplesize: Sequence[int] | None = None,
        samplefunc: str | Callable | None = None,
        sortfunc: Callable[[str, str], object] | None = None,
        verbose: bool | None = None,
        excludeFile: str | None = None,
        excludeDir: str | None = None,
    ):
        super().__init__(
            data.ImageClass(
                datapath,
                loadsize,
                samplesize,
                sort_function=_key(sortfunc),
                exclude_file=excludeFile,
                exclude_dir=excludeDir,
            )
        )
        self.samplefunc, self.sortfunc = samplefunc or "sampleDefault", sortfunc
        self.verbose = verbose is None or verbose
        if self.verbose:
            print(f"found {len(self.classes)} classes, {self.nsample} images")

    def _loader_of(self, fields: Fields) -> Value:
        letters, classes = np.asarray(fields.pop("imagePath")).astype(np.int8), fields.pop("classes")
        paths = np.ascontiguousarray(letters).view(f"S{letters.shape[1]}").reshape(-1)
        loader = data.ImageClass.of_files(
            paths, np.asarray(fields.pop("imageClass")), classes, fields.pop("datapath"), fields.pop("loadsize"),
            fields.pop("samplesize"),
        )  # fmt: skip
        for name in ("iclasses", "nsample", "classList", "classListSample"):
            fields.pop(name, None)
        return loader

    def _adapted(self, function: Callable) -> Callable:
        return lambda loader, path, random: np.asarray(unwrapped(function(self, Tensor(), path)))

    @property
    def nsample(self) -> int:
        """The number of images."""
        return self.size()

    @property
    def imagePath(self) -> Tensor:
        """The paths: a char tensor with one row each, padded with zeros, at least one, as C's texts are."""
        paths = self._loader.image_path
        return Tensor.of(np.pad(paths.view(np.int8).reshape(len(paths), -1), ((0, 0), (0, 1))))

    @property
    def imageClass(self) -> Tensor:
        """The class of each image, from 1."""
        return Tensor.of(self._loader.image_class)

    @property
    def classList(self) -> list[Tensor]:
        """The indices of the images of each class."""
        return [Tensor.of(np.array(self._loader.class_list(i + 1))) for i in range(len(self.classes))]

    def loadImage(self, path: str) -> Tensor:
        """The image as Pillow's, its smallest side min(H, W) of loadsize."""
        return self._loader.load_image(path)

    def _sampled(self, name: str, args: tuple) -> Tensor:
        dst, path = args if len(args) == 2 else (None, args[0])
        made = getattr(self._loader, NAMES[name])(path, generator().numpy)
        return wrapped(made) if dst is None else dst.resize(*made.shape).copy(made)

    def sampleDefault(self, *args: Tensor | str) -> Tensor:
        """sampleDefault([dst,] path): the image, resized to samplesize."""
        return self._sampled("sampleDefault", args)

    def sampleTrain(self, *args: Tensor | str) -> Tensor:
        """sampleTrain([dst,] path): a part at a random place, every other mirrored."""
        return self._sampled("sampleTrain", args)

    def sampleTest(self, *args: Tensor | str) -> Tensor:
        """sampleTest([dst,] path): ten views, 10 x C x H x W."""
        return self._sampled("sampleTest", args)

    def tableToTensor(self, inputTable: list, targetTable: list, inputTensor: Tensor, targetTensor: Tensor) -> tuple:
        """Fills (inputTensor, targetTensor) with samples, one view (3-D) or several (4-D), and their classes."""
        samples = np.stack([np.asarray(each) for each in inputTable])
        views = 1 if samples.ndim == 4 else samples.shape[1]
        samples = samples.reshape(-1, *samples.shape[-3:])
        inputTensor.resize(*samples.shape).copy(samples)
        targets = np.repeat(targetTable, views)
        return inputTensor, targetTensor.resize(*targets.shape).copy(targets)


class MultiImageSequence(_Images):
    """Sequences of images as endless streams in batchsize columns; see `functorch7.data.MultiImageSequence`.

    `samplefunc`: "sampleDefault", "sampleTrain", another method's name, or
    f(self, input, target, inputpath, targetpath, tracker), which returns both tensors or fills them.
    Source: dataload/README.md#MultiImageSequence.
    """

    datapath = forwarded("data_path")
    batchsize = forwarded("batch_size")
    loadsize = forwarded("load_size")
    samplesize = forwarded("sample_size")
    inputpattern = forwarded("input_pattern")
    targetpattern = forwarded("target_pattern")
    cropeverystep = forwarded("crop_every_step")
    varyloadsize = forwarded("vary_load_size")
    scaleeverystep = forwarded("scale_every_step")
    randseq = forwarded("randseq")
    seqdirs = forwarded("sequences")
    _computed_fields = ("samplefunc",)

    def __init__(
        self,
        datapath: str,
        batchsize: int,
        loadsize: Sequence,
        samplesize: Sequence[int] | None = None,
        samplefunc: str | Callable | None = None,
        verbose: bool | None = None,
    ):
        super().__init__(data.MultiImageSequence(datapath, batchsize, loadsize, samplesize))
        self.samplefunc = samplefunc or "sampleDefault"
        self.verbose = verbose is None or verbose

    def buildIndex(self, cachepath: str | None = None, overwrite: bool = False) -> None:
        """Counts the frames of each sequence; the file `cachepath` keeps them for the next time."""
        self._loader.build_index(cachepath, overwrite)
        if self.verbose:
            frames = sum(count for _, count in self.seqdirs)
            print(f"Found {len(self.seqdirs)} sequences with a total of {frames} frames")

    def _torch_fields(self) -> Fields:
        found = super()._torch_fields()
        if self.seqdirs is not None:
            found |= {"seqlen": self.size(), "nframe": sum(count for _, count in self.seqdirs)}
        return found | {"trackers": trackers_of(self._loader.columns)}

    def _loader_of(self, fields: Fields) -> Value:
        sizes = fields.pop("loadsize"), fields.pop("samplesize")[0]
        loader = data.MultiImageSequence(fields.pop("datapath"), fields.pop("batchsize"), *sizes)
        for name in ("cropeverystep", "varyloadsize", "scaleeverystep", "randseq", "inputpattern", "targetpattern"):
            setattr(loader, getattr(type(self), name).name, fields.pop(name))
        sequences = fields.pop("seqdirs", None)
        loader.sequences = None if sequences is None else [(name, count) for name, count in sequences]
        follow_trackers(loader.columns, fields.pop("trackers", {}))
        for name in ("seqlen", "nframe"):
            fields.pop(name, None)
        return loader

    def _adapted(self, function: Callable) -> Callable:
        def made(loader: Any, input_path: str, target_path: str, tracker: dict, random: Any) -> tuple:
            tensors = [Tensor(*size) for size in loader.sample_size]
            found = function(self, *tensors, input_path, target_path, tracker) or tensors
            first, second = (np.asarray(unwrapped(each)) for each in found)
            return first, second

        return made
