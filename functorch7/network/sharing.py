"""Arrays that several places of one network share."""

from collections.abc import Sequence
from typing import Any

from ..checks.errors import expected, title
from ..core.module import Children, Module, Variables
from ..core.tied import tying
from ..core.tree import Path, found_at, path_of, with_at
from ..core.types import Array, Key, Tree
from .fitting import check_module

EXAMPLE = '(("0.weight", "2.weight"), ...)'
Ties = Sequence[Sequence[str | Path]]
"""Pairs of places, as they may be given: by name, or by path."""


def _is_listed(given: Any) -> bool:
    return isinstance(given, (tuple, list))


class Shared(Module):
    """y = module(x), with tied parameters: each tie (owner, alias) makes the alias read the owner's array.

    Owner and alias are names, as in `state_dict`, or paths: "0.weight" is (0, "weight").
    The params tree has None at the alias; the owner's gradient is the sum over all its places. An owner may be
    the alias of another tie: then all read the first one's. What a call changes, such as running statistics, is shared
    by `tied_buffers`, pairs of places likewise: each place starts from what the one before it has left, and the new
    buffers have what the last one has left at all of them.

    Shape: as `module`.  Parameters and buffers: those of `module`, one level down.
    Raises: ValueError unless ties are pairs of names or paths, for an alias of two owners or of itself, for a path
    without an array, and if a tie's arrays differ in shape.
    Source: nn/doc/module.md, `share`; the overview chapter, "Sharing Parameters".

    >>> import functorch7 as f7
    >>> net = f7.Sequential(f7.Linear(3, 3), f7.Tanh(), f7.Linear(3, 3))
    >>> tied = f7.Shared(net, (("0.weight", "2.weight"),))
    >>> f7.output_shape(tied, (8, 3))
    (8, 3)
    """

    module: Module
    ties: tuple[tuple[Path, Path], ...]
    tied_buffers: tuple[tuple[Path, Path], ...] = ()

    def __init__(self, module: Module, ties: Ties, tied_buffers: Ties = ()):
        self._set(module=module, ties=ties, tied_buffers=tied_buffers)
        self.__post_init__()

    def __post_init__(self) -> None:
        check_module("nn.Shared", self.module)
        self._set(ties=self._ties(self.ties), tied_buffers=self._ties(self.tied_buffers))

    def _ties(self, given: Any) -> tuple[tuple[Path, Path], ...]:
        """Ties in which each alias has the first owner of its chain."""
        if not _is_listed(given):
            raise expected(self, f"ties {EXAMPLE}", given)
        owners: dict[Path, Path] = {}  # by alias
        for owner, alias in map(self._tie, given):
            owner = owners.get(owner, owner)
            if alias in owners or alias == owner:
                raise expected(self, "ties of each alias to one other owner", alias)
            owners = {each: owner if of == alias else of for each, of in owners.items()} | {alias: owner}
        return tuple((owner, alias) for alias, owner in owners.items())

    def _tie(self, given: Any) -> tuple[Path, Path]:
        """A tie as hashable tuples. Raises ValueError for anything but two names, or paths of positions and names."""
        paths = [path_of(each) if isinstance(each, str) else each for each in given] if _is_listed(given) else []
        if len(paths) != 2 or not all(_is_listed(path) and path for path in paths):
            raise expected(self, f"ties {EXAMPLE}, pairs of names or paths", given)
        owner, alias = map(tuple, paths)
        return owner, alias

    def _array_at(self, tree: Tree, path: Path, kind: str) -> Array:
        try:
            found: Any = found_at(tree, path)
        except (LookupError, TypeError):
            found = None
        if not hasattr(found, "shape"):
            raise ValueError(f"{title(self)}: there is no {kind} at {path}")
        return found

    def _check_tie(self, tree: Tree, owner: Path, alias: Path, kind: str) -> None:
        owned, aliased = self._array_at(tree, owner, kind), self._array_at(tree, alias, kind)
        if owned.shape != aliased.shape:
            raise ValueError(f"{title(self)}: cannot tie {alias} of shape {aliased.shape} to {owner} of {owned.shape}")

    def children(self) -> Children:
        return (self.module,)

    @property
    def takes_table(self) -> bool:
        return self.module.traits.takes_table

    def init(self, key: Array, stdv: float | None = None) -> Variables:
        (params,), buffers = super().init(key, stdv)
        for owner, alias in self.tied_buffers:
            self._check_tie(buffers[0], owner, alias, "buffer")
        for owner, alias in self.ties:
            self._check_tie(params, owner, alias, "parameter")
            params = with_at(params, alias, None)
        return Variables([params], buffers)

    def filled(self, params: Tree, buffers: Tree) -> tuple[Tree, Tree]:
        """The arrays of the module inside, with the owner's in the place of each alias."""
        (inner,), (given,) = params, buffers
        for owner, alias in self.ties:
            inner = with_at(inner, alias, found_at(inner, owner))
        for owner, alias in self.tied_buffers:
            given = with_at(given, alias, found_at(given, owner))
        return inner, given

    def forward(self, params: Tree, buffers: Tree, input: Array, *, key: Key, train: bool) -> tuple[Array, Tree]:
        inner, given = self.filled(params, buffers)
        last = dict(self.tied_buffers)  # each owner's last alias
        with tying([found_at(given, owner) for owner in last]):
            output, left = self.call(0, [inner], [given], input, key=key, train=train)
        for owner, alias in self.tied_buffers:
            for place in (owner, alias):
                left = with_at(left, place, found_at(left, last[owner]))
        return output, [left]

    def printed(self) -> str:
        return f"{self.type_name()} @ {self.module}"
