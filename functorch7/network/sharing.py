"""Parameters that several places of one network share."""

from typing import Any

from ..checks.errors import expected, title
from ..core.module import Children, Module, Variables
from ..core.tree import Path, found_at, with_at
from ..core.types import Array, Key, Tree
from .fitting import check_module

EXAMPLE = '(((0, "weight"), (2, "weight")), ...)'


class Shared(Module):
    """y = module(x), with tied parameters: each tie (owner, alias) makes the alias read the owner's array.

    The params tree has None at the alias; the owner's gradient is the sum over all its places. An owner may be
    the alias of another tie: then all read the first one's.

    Shape: as `module`.  Parameters and buffers: those of `module`, one level down.
    Raises: ValueError unless ties are pairs of paths, for an alias of two owners or of itself, for a path without a
    parameter, and if a tie's arrays differ in shape.
    Source: nn/doc/module.md, `share`; the overview chapter, "Sharing Parameters".

    >>> import functorch7 as f7
    >>> net = f7.Sequential(f7.Linear(3, 3), f7.Tanh(), f7.Linear(3, 3))
    >>> tied = f7.Shared(net, (((0, "weight"), (2, "weight")),))
    >>> f7.output_shape(tied, (8, 3))
    (8, 3)
    """

    module: Module
    ties: tuple[tuple[Path, Path], ...]

    def __post_init__(self) -> None:
        check_module("nn.Shared", self.module)
        if not isinstance(self.ties, (tuple, list)):
            raise expected(self, f"ties {EXAMPLE}", self.ties)
        owners: dict[Path, Path] = {}  # by alias; ties may form a chain, of which the first owns what all read
        for owner, alias in map(self._tie, self.ties):
            owner = owners.get(owner, owner)
            if alias in owners or alias == owner:
                raise expected(self, "ties of each alias to one other owner", alias)
            owners = {each: owner if of == alias else of for each, of in owners.items()} | {alias: owner}
        self._set(ties=tuple((owner, alias) for alias, owner in owners.items()))

    def _tie(self, given: Any) -> tuple[Path, Path]:
        """A tie as hashable tuples. Raises ValueError for anything but two paths of positions and names."""
        paths = tuple(given) if isinstance(given, (tuple, list)) else ()
        if len(paths) != 2 or not all(isinstance(path, (tuple, list)) and path for path in paths):
            raise expected(self, f"ties {EXAMPLE}, pairs of paths", given)
        owner, alias = map(tuple, paths)
        return owner, alias

    def _array_at(self, params: Tree, path: Path) -> Array:
        try:
            return found_at(params, path)
        except (LookupError, TypeError):
            raise ValueError(f"{title(self)}: there is no parameter at {path}") from None

    def children(self) -> Children:
        return (self.module,)

    @property
    def takes_table(self) -> bool:
        return self.module.traits.takes_table

    def init(self, key: Array, stdv: float | None = None) -> Variables:
        (params,), buffers = super().init(key, stdv)
        for owner, alias in self.ties:
            owned, aliased = self._array_at(params, owner), self._array_at(params, alias)
            if owned.shape != aliased.shape:
                raise ValueError(
                    f"{title(self)}: cannot tie {alias} of shape {aliased.shape} to {owner} of {owned.shape}"
                )
            params = with_at(params, alias, None)
        return Variables([params], buffers)

    def forward(self, params: Tree, buffers: Tree, input: Array, *, key: Key, train: bool) -> tuple[Array, Tree]:
        (inner,) = params
        for owner, alias in self.ties:
            inner = with_at(inner, alias, found_at(inner, owner))
        output, buffer = self.call(0, [inner], buffers, input, key=key, train=train)
        return output, [buffer]

    def printed(self) -> str:
        return f"{self.type_name()} @ {self.module}"
