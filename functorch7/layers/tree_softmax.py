"""Hierarchical softmax: the log-probability of a leaf is that of its path from the root."""

from functools import lru_cache
from itertools import pairwise
from typing import ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from ..checks.errors import in_dtype_of
from ..core import Const, Module, check_positive, check_values, expected, gather, title
from ..core.arrays import Numbers
from ..core.types import Array, Key, State, Table, Tree, Value
from .containers import ConcatTable, Sequential
from .decorators import Decorator
from .initializers import weight_and_bias
from .linear import Linear
from .selection import MixtureTable, SelectTable
from .table import check_table
from .transfer import SoftMax, Tanh


class Paths(NamedTuple):
    """Every node's path up to the root, as arrays. A family is the children of one parent, counted from 0."""

    families: np.ndarray
    """Node x level: the family of the choice, -1 above the root; level 0 is the node's own family."""
    choices: np.ndarray
    """Node x level: the chosen member of the family, from 0."""
    starts: np.ndarray
    """The first row of each family in the weight."""
    sizes: np.ndarray
    """How many children each family has."""


def edges(name: str, hierarchy: Value) -> Const:
    """A hierarchy as rows (parent, child), by parents; it is a table from parents to their children, or such rows."""
    if isinstance(hierarchy, Const):
        return hierarchy
    if isinstance(hierarchy, (list, tuple)):
        hierarchy = dict(enumerate(hierarchy, 1))
    if not isinstance(hierarchy, dict) or not hierarchy:
        raise TypeError(f"{name}: expected a table from parents to their children at arg 2, got {hierarchy!r}")
    families = {int(parent): np.asarray(children) for parent, children in sorted(hierarchy.items())}
    if any(f.ndim != 1 or not f.size or not np.issubdtype(f.dtype, np.integer) for f in families.values()):
        raise ValueError(f"{name}: expected a table of 1D tensors of node ids at arg 2, got {hierarchy!r}")
    rows = np.concatenate([np.stack([np.full_like(f, p), f], 1) for p, f in families.items()])
    if rows.min() < 1:
        raise ValueError(f"{name}: node ids must be positive, got {rows.min()}")
    if len(np.unique(rows[:, 1])) < len(rows):
        raise ValueError(f"{name}: expected a tree, got a node with two parents")
    return Const(rows.astype(np.int32))


@lru_cache(64)
def paths(name: str, hierarchy: Const, root: int) -> Paths:
    """The paths of a hierarchy's nodes. Raises ValueError if the root is not a parent, or a path has no end."""
    parents, children = hierarchy.value.T
    ids, starts, sizes = np.unique(parents, return_index=True, return_counts=True)
    if root not in ids:
        raise ValueError(f"{name}: expected a root that has children, got {root}")
    of_node = np.zeros((3, hierarchy.value.max() + 1), np.int32)  # the family, the place in it, the parent
    of_node[:, children] = [
        np.repeat(np.arange(len(ids)), sizes),
        np.arange(len(parents)) - starts.repeat(sizes),
        parents,
    ]
    here = np.arange(of_node.shape[1])
    levels = []
    while (inside := (here != root) & (of_node[2, here] > 0)).any():
        if len(levels) > len(ids):
            raise ValueError(f"{name}: expected a tree, got a node that is above itself")
        levels.append(np.where(inside, of_node[:2, here], [[-1], [0]]))
        here = np.where(inside, of_node[2, here], here)
    families, choices = np.stack(levels, -1)
    families[here != root] = -1  # nodes of another tree
    return Paths(families, choices, starts.astype(np.int32), sizes.astype(np.int32))


class SoftMaxTree(Module):
    """y = log p(target | x): the sum, along the path from the root, of log softmax(W x + b) over each node's siblings.

    Shape: [x (B, input_size), target (B)] -> (B). `hierarchy` is a table from parents to 1-D tensors of their
    children, a tree whose nodes are numbered from 1; targets are leaves (or nodes inside). Only nodes on the targets'
    paths are computed: O(B x depth x largest family). The mean of the negative output is the loss.
    Parameters: weight (nodes but the root, input_size), bias; families in the order of their parents' numbers. Uniform
    on +-1/sqrt(nodes * input_size), or +-stdv * sqrt(3). No gradient reaches the target.
    Buffers: families, choices, starts, sizes: the paths.
    `root_id` -1 is the only parent without a parent. `acc_update`, `static` and `verbose` are accepted: gradients are
    kept in any case (`training.make_sgd_step` computes and updates the rows on the paths only).
    Raises: TypeError if the hierarchy is not a table; ValueError if it is not a tree, for other shapes, and for targets
    outside of it if these are concrete; under jit such a target gives NaN.
    Source: nnx, SoftMaxTree.lua; Morin & Bengio, 2005.

    >>> import functorch7 as f7, jax, jax.numpy as jnp
    >>> tree = {1: [2, 3], 2: [4, 5], 3: [6, 7]}  # parents and children: four words
    >>> words = jax.ShapeDtypeStruct((8,), jnp.int32)
    >>> f7.output_shape(f7.SoftMaxTree(3, tree), [jax.ShapeDtypeStruct((8, 3), jnp.float32), words])
    (8,)
    """

    checks_values: ClassVar[bool] = True

    input_size: int
    hierarchy: Numbers
    root_id: int = -1
    acc_update: bool = False
    static: bool = True
    verbose: bool = False

    def __post_init__(self) -> None:
        check_positive(self, input_size=self.input_size)
        self._set(hierarchy=edges(self.torch_name(), self.hierarchy))
        if self.root_id == -1:
            roots = np.setdiff1d(*self.hierarchy.value.T)
            if len(roots) != 1:
                raise ValueError(f"{self.torch_name()}: expected a tree with one root, got {len(roots)}; give root_id")
            self._set(root_id=int(roots[0]))
        self.paths()

    def paths(self) -> Paths:
        """The nodes' paths to the root."""
        return paths(self.torch_name(), self.hierarchy, self.root_id)

    @property
    def row_parameters(self) -> tuple[str, ...]:
        return "weight", "bias"

    def init_params(self, key: Array, stdv: float | None = None) -> dict[str, Array]:
        rows = len(self.hierarchy.value)
        return weight_and_bias(key, (rows, self.input_size), rows * self.input_size, True, stdv)

    def init_buffers(self) -> State:
        return {name: jnp.asarray(value) for name, value in self.paths()._asdict().items()}

    def family(self, parent: int) -> slice:
        """The rows of the weight for the children of a node. Raises ValueError if it has none."""
        rows = np.flatnonzero(self.hierarchy.value[:, 0] == parent)
        if not rows.size:
            raise ValueError(f"{self.torch_name()}: expected a node that has children, got {parent}")
        return slice(int(rows[0]), int(rows[-1]) + 1)

    def forward(self, params: Tree, buffers: Tree, input: Table, *, key: Key, train: bool) -> tuple[Array, Tree]:
        x, target = check_table(self, input, 2)[:2]
        if x.ndim != 2 or x.shape[1] != self.input_size or target.shape != x.shape[:1]:
            raise expected(self, f"[B x {self.input_size}, B targets]", input)
        x, target = in_dtype_of(self, x, params["weight"]), target.astype(jnp.int32)
        families = jnp.asarray(buffers["families"]).at[target].get(mode="fill", fill_value=-1)
        known = (families[:, 0] >= 0) & (target > 0)
        message = f"{title(self)}: expected nodes below the root, got {{value}} at position {{position}}"
        check_values(target, ~known, message)
        choices = jnp.asarray(buffers["choices"])[target]
        total = jnp.where(known, jnp.zeros_like(x, shape=known.shape), jnp.nan)
        for level, on_level in enumerate(self.paths().families.T):
            largest = int(self.paths().sizes[on_level[on_level >= 0]].max())
            at = jnp.maximum(families[:, level], 0)
            scores = self.scores(params, buffers, x, at, largest)
            chosen = jnp.take_along_axis(jax.nn.log_softmax(scores, 1), choices[:, level, None], 1)[:, 0]
            total = total + jnp.where(families[:, level] >= 0, chosen, 0)
        return total, buffers

    def scores(self, params: Tree, buffers: Tree, x: Array, family: Array, largest: int) -> Array:
        """B x largest: W x + b of the members of one family for each example, -inf if it has fewer."""
        numbers = jnp.arange(largest, dtype=jnp.int32)[None]
        present = numbers < jnp.asarray(buffers["sizes"])[family][:, None]
        rows = jnp.asarray(buffers["starts"])[family][:, None] + jnp.where(present, numbers, 0)
        product = jnp.einsum("bi,bfi->bf", x, gather(params["weight"], rows))
        return jnp.where(present, product + gather(params["bias"], rows), -jnp.inf)


class SoftMaxForest(Decorator):
    """sum_t g_t(x) SoftMaxTree_t(x, target): trees mixed by the softmax of a network that sees only x.

    Shape: [x (B, input_size), target (B)] -> (B). The gater is Linear and `gater_act` (Tanh) for every size in
    `gater_size`, then Linear and SoftMax over the trees.
    Parameters: those of the gater, then of the trees.
    Raises: as SoftMaxTree; ValueError unless there is one root_id per tree.
    Source: dpnn, SoftMaxForest.lua (whose constructor fails).

    >>> import functorch7 as f7, jax, jax.numpy as jnp
    >>> tree = {1: [2, 3], 2: [4, 5], 3: [6, 7]}
    >>> given = [jax.ShapeDtypeStruct((8, 3), jnp.float32), jax.ShapeDtypeStruct((8,), jnp.int32)]
    >>> f7.output_shape(f7.SoftMaxForest(3, [tree, tree], [1, 1]), given)
    (8,)
    """

    def __init__(
        self, input_size: int, trees: Table, root_ids: Table, gater_size: Table = (), gater_act: Module | None = None,
        acc_update: bool = False,
    ):  # fmt: skip
        trees, roots = list(trees), [int(root) for root in root_ids]
        if not trees or len(trees) != len(roots):
            raise ValueError(f"nn.SoftMaxForest: expected one root per tree, got {len(trees)} and {len(roots)}")
        experts = [SoftMaxTree(input_size, tree, root, acc_update) for tree, root in zip(trees, roots, strict=True)]
        sizes = [input_size, *(int(size) for size in gater_size)]
        hidden = [
            module
            for inputs, outputs in pairwise(sizes)
            for module in (Linear(inputs, outputs), Tanh() if gater_act is None else gater_act)
        ]
        gater = Sequential(SelectTable(1), *hidden, Linear(sizes[-1], len(experts)), SoftMax())
        super().__init__(Sequential(ConcatTable(gater, ConcatTable(*experts)), MixtureTable()))

    def printed(self) -> str:
        return self.type_name()
