"""Where tensors lie: as views of the storages behind them."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ..tensors.devices import has_others
from ..tensors.storage import Storage
from ..tensors.storages import arrays_of, given_up, hold, noted_of
from ..tensors.strides import contiguous_stride
from ..tensors.tensor import Tensor
from .compiled import Target
from .storage_parts import Cutter, cutter, given_up_in_parts, hold_in_parts
from .views import View, elements_of, is_whole

SMALL = 2**15
"""So many elements are copied in less time than it takes to hand a part of them over to a program."""

LARGE = 2**20
"""With as many elements, what is added to storages that hold several tensors stays in parts: fewer stay in a cache."""


class Layout:
    """A list of tensors as views of the storages behind them."""

    def __init__(self, tensors: list[Tensor]):
        self.tensors = tensors
        self.storages: list[Storage] = []
        numbers: dict[int, int] = {}
        for tensor in tensors:
            if numbers.setdefault(id(tensor.storage_), len(self.storages)) == len(self.storages):
                self.storages.append(tensor.storage_)
        self.views = tuple(View(numbers[id(t.storage_)], t.offset, t.shape, t.strides_) for t in tensors)

    @cached_property
    def places(self) -> tuple[View, ...]:
        """Where the elements lie, each place once."""
        return tuple(dict.fromkeys(self.views))

    @cached_property
    def views_of_arrays(self) -> tuple[View, ...]:
        """The tensors as views of what `arrays` gives."""
        if self.are_taken_whole:
            return self.views
        number = {place: i for i, place in enumerate(self.places)}
        return tuple(View(number[view], 0, view.shape, contiguous_stride(view.shape)) for view in self.views)

    @cached_property
    def is_whole(self) -> bool:
        """Whether each place is a storage."""
        return self.covers and len(self.places) == len(self.storages)

    @cached_property
    def are_taken_whole(self) -> bool:
        """Whether programs take the storages: each is one place, or they are small, and quickest cut up in there."""
        return self.is_whole or sum(map(len, self.storages)) <= SMALL

    def arrays(self) -> list:
        """The elements that programs take: of the storages or, if these are not `are_taken_whole`, of each place.

        Those of a storage with several places are cut out once for all networks that ask.
        """
        if self.are_taken_whole:
            return arrays_of(self.storages)
        return self._placed([[storage.ready] if cut is None else cut.of(storage) for storage, _, cut in self._cuts])

    def _placed(self, parts: list[list]) -> list:
        """What was cut out of each storage, in the order of the places."""
        found: list = [None] * len(self.places)
        for (_, numbers, _), arrays in zip(self._cuts, parts, strict=True):
            for number, array in zip(numbers, arrays, strict=True):
                found[number] = array
        return found

    @cached_property
    def _cuts(self) -> list[tuple[Storage, list[int], Cutter | None]]:
        """Each storage, the numbers of its places, and what cuts them out, unless it is one place."""
        numbers: list[list[int]] = [[] for _ in self.storages]
        for i, place in enumerate(self.places):
            numbers[place.storage].append(i)
        found = []
        for storage, mine in zip(self.storages, numbers, strict=True):
            views = tuple(self.places[i]._replace(storage=0) for i in mine)
            alone = len(views) == 1 and is_whole(storage, views[0])
            found.append((storage, mine, None if alone else cutter(views)))
        return found

    @property
    def versions(self) -> list:
        """An object for each storage that changes whenever its elements do."""
        return [storage.version for storage in self.storages]

    def taken(self, is_noted: bool) -> tuple[list, list]:
        """`noted` or `arrays`, and the `versions` of which they are: where storages are taken whole the very same."""
        found = self.noted() if is_noted else self.arrays()
        return found, found if self.are_taken_whole else self.versions

    def noted(self) -> list:
        """As `arrays`, with what is noted of those on an accelerator."""
        if self.are_taken_whole:
            return noted_of(self.storages)
        return self._placed([[storage.noted] if cut is None else cut.noted(storage) for storage, _, cut in self._cuts])

    def stored(self) -> list:
        """The elements of each storage."""
        return arrays_of(self.storages)

    def store(self, arrays: list) -> None:
        """Gives the storages these elements."""
        hold(self.storages, arrays)

    @property
    def held(self) -> list[Tensor | Storage]:
        """What the layout depends on."""
        return [*self.tensors, *self.storages]

    @cached_property
    def covers(self) -> bool:
        """Whether the views, taken once each, are the storages: without gaps, and without overlaps."""
        filled = [0] * len(self.storages)
        for view in sorted(set(self.views)):
            if not view.contiguous or view.offset != filled[view.storage]:
                return False
            filled[view.storage] += int(np.prod(view.shape))
        return all(size == len(storage) for size, storage in zip(filled, self.storages, strict=True))

    @cached_property
    def target(self) -> Target:
        """Where a compiled call adds what belongs to these tensors."""
        return Target(self.views, tuple(storage.shape for storage in self.storages) if self.covers else None)

    @cached_property
    def in_parts(self) -> bool:
        """Whether what backward adds stays in parts, until somebody asks for a storage."""
        return self.covers and not self.is_whole and not has_others() and sum(map(len, self.storages)) >= LARGE

    @cached_property
    def accumulated(self) -> Target:
        """Where backward adds: the `target`, or arrays that hold one place each."""
        if self.in_parts:
            return Target(self.views_of_arrays, tuple(place.shape for place in self.places))
        return self.target

    def given_up(self, once: bool) -> tuple[list, list]:
        """What backward adds to, and what it may write over: as `given_up`, of what `accumulated` names."""
        if not self.in_parts:
            return given_up(self.storages, once, or_zero=self.covers)
        pairs = [
            given_up([storage], once, or_zero=True) if cut is None else given_up_in_parts(storage, cut, once)
            for storage, _, cut in self._cuts
        ]
        return self._placed([kept for kept, _ in pairs]), self._placed([over for _, over in pairs])

    def keep(self, arrays: list) -> None:
        """Keeps what backward gave for `accumulated`, which nobody else has seen."""
        if not self.in_parts:
            return hold(self.storages, arrays, owned=True)
        for storage, numbers, cut in self._cuts:
            mine = [arrays[number] for number in numbers]
            if cut is None:
                hold([storage], mine, owned=True)
            else:
                hold_in_parts(storage, cut, mine)

    def arrays_as(self, other: Layout) -> list | None:
        """The elements of these tensors as `other.arrays` has those of its own.

        None where types or sizes differ, or where tensors share elements there that they do not share here.
        """
        kinds = [[(tensor.shape, tensor.dtype) for tensor in layout.tensors] for layout in (self, other)]
        if kinds[0] != kinds[1]:
            return None
        arrays = [np.array(array) for array in other.arrays()]
        places = [elements_of(arrays, view) for view in other.views_of_arrays]
        pairs = list(zip(places, (tensor.array for tensor in self.tensors), strict=True))
        for elements, values in pairs:
            elements[...] = values
        return arrays if all(np.array_equal(*pair, equal_nan=True) for pair in pairs) else None

    def lies_as(self, other: Layout) -> bool:
        """Whether these tensors lie in their storages as others do in theirs, of the same types and shapes."""
        if self is other:
            return True
        return (
            self.target == other.target
            and self.in_parts == other.in_parts
            and [(each.dtype, each.shape) for each in self.storages]
            == [(each.dtype, each.shape) for each in other.storages]
        )
