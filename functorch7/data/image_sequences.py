"""MultiImageSequence: sequences of images, and of images as targets, in one folder each."""

from __future__ import annotations

import copy
import json
import math
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..checks.numbers import check_whole
from ..core.types import Value
from ..interop.writing import replacing
from .image_class import checked_size, sampling
from .images import as_array, crop, load_image, offset, resample
from .nested import with_size
from .seeds import Seed, generator, opened
from .sequences import StreamLoader

if TYPE_CHECKING:
    from PIL.Image import Image

SampleFunction = Callable[["MultiImageSequence", str, str, dict, Any], tuple[np.ndarray, np.ndarray]]


class MultiImageSequence(StreamLoader):
    """Sequences of images, [data_path]/[sequence]/input1.jpg, input2.jpg, ..., and their targets target1.jpg, ....

    Each column of a batch is an endless stream as in `MultiSequence`: a mask step of zeros, a sequence, and so on.
    `load_size`: (C, H, W) of inputs and of targets; an image is resized so that its smallest side is min(H, W).
    `sample_size`: (C, H, W) of the inputs; that of the targets is scaled alike. `sample_function` turns images into
    arrays: "sample_default" resizes them; "sample_train" crops input and target at the same relative place, drawn once
    per sequence; or a function f(loader, input_path, target_path, tracker, random) that returns both arrays, where
    `tracker` is a dict that is kept during a sequence and whose "step" counts its steps from 0.
    Shape: inputs and targets of `sub` are steps x batch_size x C x H x W, float32 from 0 to 1.
    Attributes to set: `crop_every_step` draws a place at every step; `vary_load_size` draws a load size between
    sample_size and load_size once per sequence, or at every step with `scale_every_step`; `randseq` draws each new
    sequence uniformly. These need a seed. `input_pattern` and `target_pattern` name the files; set them before the
    first use.
    Raises: ValueError, naming the file or the folder.
    Source: dataload/README.md#MultiImageSequence.
    Differs from Torch7: folders are read in the order of their names; sample_size may be omitted.
    """

    def __init__(
        self,
        data_path: str | os.PathLike,
        batch_size: int,
        load_size: Sequence[Sequence[int]],
        sample_size: Sequence[int] | None = None,
        sample_function: str | SampleFunction = "sample_default",
    ):
        check_whole("MultiImageSequence", 1, batch_size=batch_size)
        if len(load_size) != 2 or not all(isinstance(each, Sequence) for each in load_size):
            raise ValueError(f"MultiImageSequence: expected load sizes of inputs and of targets, got {load_size}")
        self.data_path, self.batch_size = Path(data_path), batch_size
        self.load_size = tuple(checked_size("MultiImageSequence", "load_size", each) for each in load_size)
        inputs = checked_size("MultiImageSequence", "sample_size", sample_size or load_size[0])
        if any(part > whole for part, whole in zip(inputs[1:], self.load_size[0][1:], strict=True)):
            raise ValueError(f"MultiImageSequence: sample_size {inputs} is larger than load_size {self.load_size[0]}")
        self.sample_size = (inputs, proportional(inputs, *self.load_size))
        sampling(type(self), sample_function)
        self.sample_function = sample_function
        self.crop_every_step = self.vary_load_size = self.scale_every_step = self.randseq = False
        self.input_pattern, self.target_pattern = "input%d.jpg", "target%d.jpg"
        self.sequences: list[tuple[str, int]] | None = None
        self.reset()

    # Files -----------------------------------------------------------------------------------------------------

    def build_index(self, cache_path: str | os.PathLike | None = None, overwrite: bool = False) -> None:
        """Counts the frames of each sequence, or reads the counts from the file `cache_path`, where they are kept."""
        cache = None if cache_path is None else Path(cache_path)
        if cache is not None and cache.is_file() and not overwrite:
            try:
                self.sequences = [(str(name), int(count)) for name, count in json.loads(cache.read_text())]
            except (ValueError, TypeError) as error:
                raise ValueError(f"MultiImageSequence: {cache} is no index that build_index kept: {error}") from error
            return
        if not self.data_path.is_dir():
            raise ValueError(f"MultiImageSequence: {self.data_path} is not a folder")
        names = sorted(path.name for path in self.data_path.iterdir() if path.is_dir())
        counted = [(name, self._count(name)) for name in names]
        self.sequences = [(name, count) for name, count in counted if count]
        if not self.sequences:
            raise ValueError(
                f"MultiImageSequence: no folder in {self.data_path} has {self.input_pattern % 1} and "
                f"{self.target_pattern % 1}"
            )
        if cache is not None:
            with replacing(cache) as unfinished:
                unfinished.write_text(json.dumps(self.sequences))

    def _count(self, name: str) -> int:
        frame = 0
        while all(os.path.isfile(path) for path in self._paths(name, frame)):
            frame += 1
        return frame

    def _paths(self, name: str, frame: int) -> tuple[str, str]:
        folder = self.data_path / name
        return str(folder / (self.input_pattern % (frame + 1))), str(folder / (self.target_pattern % (frame + 1)))

    def _indexed(self) -> list[tuple[str, int]]:
        if self.sequences is None:
            self.build_index()
        assert self.sequences is not None
        return self.sequences

    # Steps -----------------------------------------------------------------------------------------------------

    def reset(self) -> None:
        """Starts every column anew."""
        super().reset()
        self.trackers: list[dict] = [{} for _ in range(self.batch_size)]

    def size(self) -> int:
        sequences = self._indexed()
        return -(-(sum(count for _, count in sequences) + len(sequences)) // self.batch_size)

    def isize(self, exclude_dim: int | bool = 1) -> Value:
        return with_size([0, *self.sample_size[0]], self.size(), exclude_dim)

    def tsize(self, exclude_dim: int | bool = 1) -> Value:
        return with_size([0, *self.sample_size[1]], self.size(), exclude_dim)

    def sub(
        self, start: int, stop: int, *, seed: Seed = None, sample_function: str | SampleFunction | None = None
    ) -> tuple:
        """(inputs, targets) of the next stop - start + 1 steps of every column."""
        sequences, n_steps = self._indexed(), self._count_of_steps(start, stop)
        function = sampling(type(self), sample_function or self.sample_function)
        random = None if seed is None else opened(seed, "MultiImageSequence.sub")
        inputs, targets = (np.zeros((n_steps, self.batch_size, *size), np.float32) for size in self.sample_size)
        pieces = self.columns.advance(n_steps, len(sequences), lambda i: sequences[i][1], random, self.randseq)
        for piece in pieces:
            name = sequences[piece.sequence][0]
            for i in range(piece.count):
                step, place = piece.first + i, (piece.row + i, piece.column)
                tracker = self._tracked(piece.column, step, random)
                inputs[place], targets[place] = self._sampled(function, self._paths(name, step), tracker, random)
        return inputs, targets

    def n_records(self) -> int:
        return len(self._indexed())

    def record(self, number: int, seed: Seed = None) -> tuple[np.ndarray, np.ndarray]:
        """All frames of one sequence, without its mask step: T x C x H x W."""
        position = self._position(number)
        whole = self.shard(position, self.n_records())
        whole.batch_size = 1
        whole.reset()
        inputs, targets = whole.sub(1, self._indexed()[position][1] + 1, seed=seed)
        return inputs[1:, 0], targets[1:, 0]

    def _sampled(
        self, function: SampleFunction, paths: tuple[str, str], tracker: dict, random: np.random.Generator | None
    ) -> tuple:
        try:
            return function(self, *paths, tracker, random)
        except Exception as error:
            error.add_note(f"MultiImageSequence: {paths[0]} and {paths[1]}")
            raise

    def _tracked(self, column: int, step: int, random: np.random.Generator | None) -> dict:
        """The column's tracker at a step."""
        if step == 0:
            self.trackers[column] = {}
        tracker = self.trackers[column]
        tracker["step"] = step
        if self.vary_load_size and (step == 0 or self.scale_every_step):
            tracker["scale"] = generator(random, "MultiImageSequence.vary_load_size").uniform()
        return tracker

    def get_state(self) -> dict:
        return {**super().get_state(), "trackers": copy.deepcopy(self.trackers)}

    def set_state(self, state: dict) -> None:
        super().set_state(state)
        self.trackers = copy.deepcopy(state["trackers"])

    def shard(self, index: int, count: int) -> MultiImageSequence:
        """The sequences of process `index` (from 0) of `count`: neighbours in the order of their names."""
        part = copy.copy(self)
        part.sequences = self._indexed()[self._share(index, count)]
        part.reset()
        return part

    # Sample functions ------------------------------------------------------------------------------------------

    def load_image(self, path: str, part: int, tracker: dict) -> Image:
        """An input (part 0) or target (part 1) as an image of Pillow, resized to the tracker's load size."""
        whole, sample = self.load_size[part], self.sample_size[part]
        scale = tracker.get("scale", 1)
        height, width = (_rounded(s + scale * (w - s)) for s, w in zip(sample[1:], whole[1:], strict=True))
        return load_image(path, sample[0], min(height, width))

    def sample_default(
        self, input_path: str, target_path: str, tracker: dict, random: np.random.Generator | None = None
    ) -> tuple:
        """Both images, resized to their sample sizes; the aspect ratio is not kept."""
        images = (self.load_image(path, part, tracker) for part, path in enumerate((input_path, target_path)))
        first, second = (resample(image, size) for image, size in zip(images, self.sample_size, strict=True))
        return first, second

    def sample_train(self, input_path: str, target_path: str, tracker: dict, random: np.random.Generator) -> tuple:
        """A crop of each image, both at the same relative place."""
        if "crop" not in tracker or self.crop_every_step:
            tracker["crop"] = generator(random, "MultiImageSequence.sample_train").uniform(size=2).tolist()
        down, right = tracker["crop"]

        def cropped(path: str, part: int) -> np.ndarray:
            image, (_, height, width) = self.load_image(path, part, tracker), self.sample_size[part]
            top, left = offset(down, image.height, height), offset(right, image.width, width)
            return as_array(crop(image, top, left, height, width))

        return cropped(input_path, 0), cropped(target_path, 1)


def _rounded(number: float) -> int:
    return math.floor(number + 0.5)


def proportional(sample: Sequence[int], load: Sequence[int], target: Sequence[int]) -> tuple[int, int, int]:
    """The targets' sample size: their load size, scaled as the sample size scales the inputs' load size."""
    height, width = (min(target[i], max(1, _rounded(sample[i] * target[i] / load[i]))) for i in (1, 2))
    return target[0], height, width
