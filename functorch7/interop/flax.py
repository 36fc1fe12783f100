"""flax both ways: modules as `linen.Module` and `nnx.Module`, and both kinds inside functorch7's containers."""

import inspect
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
from flax import linen, nnx, serialization
from flax.core import meta
from flax.traverse_util import flatten_dict, unflatten_dict

from ..core import Module
from ..core.emitted import Emitted
from ..core.module import Variables
from ..core.tree import dotted
from ..core.types import Array, Key, Output, Params, State, Tree, Value
from ..network import check_variables, structure_of
from ..network.zero_mask import ZeroMask


def _as_state(node: Emitted | ZeroMask) -> dict[str, Value]:
    return {"value": serialization.to_state_dict(node.value)}


def _of_state(node: Value, state: Mapping[str, Value]) -> Value:
    return replace(node, value=serialization.from_state_dict(node.value, state["value"]))


for _node in (Emitted, ZeroMask):  # so that flax can save side outputs and masks among the buffers
    serialization.register_serialization_state(_node, _as_state, _of_state, override=True)


class AsLinen(linen.Module):
    """A module as a `linen.Module`: `AsLinen(network).init(key, input)`, `.apply(variables, input, train=True)`.

    Its collections are "params" and "buffers", with the names of `state_dict`; random numbers come from the stream
    "dropout". In training, a module whose buffers change needs mutable=["buffers"]; in evaluation changes are dropped
    unless buffers are mutable. Side outputs are in the buffers: `f7.penalty(updates["buffers"])`.
    Raises: the module's errors; flax's ModifyScopeVariableError and InvalidRngError.
    """

    module: Module

    @linen.compact
    def __call__(self, input: Value, train: bool = False) -> Output:
        if self.is_initializing():
            fresh = self.module.init(self.make_rng("params"))
            for collection, tree in zip(("params", "buffers"), fresh, strict=True):
                for name, value in _as_dicts(tree).items():
                    if not self.has_variable(collection, name):
                        self.put_variable(collection, name, value)
        structure = structure_of(self.module)
        params = _as_in(structure.params, self.variables.get("params", {}))
        buffers = _as_in(structure.buffers, self.variables.get("buffers", {}))
        key = self.make_rng("dropout") if self.module.traits.draws(train) else None
        output, new = self.module.apply(params, buffers, input, key=key, train=train)
        wanted = self.is_mutable_collection("buffers") or (train and _differ(buffers, new))
        if wanted and not self.is_initializing():
            for name, value in _as_dicts(new).items():
                self.put_variable("buffers", name, value)
        return output


def linen_variables(params: Params, buffers: Tree) -> dict[str, Tree]:
    """The variables for `AsLinen(module).apply` that correspond to `params` and `buffers`."""
    return {"params": _as_dicts(params), "buffers": _as_dicts(buffers)}


def from_linen_variables(module: Module, variables: Mapping[str, Tree]) -> Variables:
    """The inverse of `linen_variables`: (params, buffers) of `module` from the variables of `AsLinen(module)`.

    Raises: ValueError for arrays that are missing, of other shapes, or not the module's.
    """
    structure = structure_of(module)
    given = {kind: variables.get(kind, {}) for kind in ("params", "buffers")}
    made = Variables(*(_as_in(getattr(structure, kind), tree) for kind, tree in given.items()))
    check_variables("from_linen_variables", module, *made)
    left = flatten_dict(given, sep=".").keys() - flatten_dict(linen_variables(*made), sep=".").keys()
    if left:
        raise ValueError(f"from_linen_variables: {module.torch_name()} has no {', '.join(sorted(left))}")
    return made


def _as_dicts(tree: Value) -> Value:
    """Lists become dicts with the keys "0", "1", ...; empty branches are left out."""
    branches = dict(enumerate(tree)) if isinstance(tree, list) else tree
    if not isinstance(branches, dict):
        return tree
    inner = {str(name): _as_dicts(branch) for name, branch in branches.items()}
    return {name: branch for name, branch in inner.items() if not isinstance(branch, dict) or branch}


def _as_in(structure: object, tree: Value) -> Value:
    """The inverse of `_as_dicts`, with lists and empty branches as in `structure`."""
    if isinstance(structure, list):
        return [_as_in(branch, tree.get(str(i), {})) for i, branch in enumerate(structure)]
    if isinstance(structure, dict):
        return {name: _as_in(branch, tree.get(name, {})) for name, branch in structure.items()}
    return tree


def _differ(old: object, new: object) -> bool:
    leaves = jax.tree.leaves(old), jax.tree.leaves(new)
    return len(leaves[0]) != len(leaves[1]) or any(a is not b for a, b in zip(*leaves, strict=True))


class Buffer(nnx.Variable):
    """The buffers of an `AsNnx`, a tree in one variable."""


class AsNnx(nnx.Module):
    """A module as an `nnx.Module`: `AsNnx(network, rngs=nnx.Rngs(0))(input)`.

    `params` is the module's tree with an `nnx.Param` for each array; `buffers` is one variable with the whole tree.
    `train()` and `eval()` switch its mode, which starts as training; each call updates the buffers.
    Random numbers come from the stream "dropout".
    Raises: the module's errors.
    """

    def __init__(self, module: Module, *, rngs: nnx.Rngs):
        params, buffers = module.init(rngs.params())
        self.module = module
        self.params = nnx.data(jax.tree.map(nnx.Param, params))
        self.buffers = Buffer(buffers)
        self.deterministic = False
        self.rngs = (
            rngs["dropout"].fork() if module.traits.draws(True) or module.traits.draws(False) else nnx.data(None)
        )

    def __call__(self, input: Value) -> Output:
        train = not self.deterministic
        key = self.rngs() if self.rngs is not None and self.module.traits.draws(train) else None
        params = jax.tree.map(lambda variable: variable.get_value(), self.params, is_leaf=_is_variable)
        output, buffers = self.module.apply(params, self.buffers.get_value(), input, key=key, train=train)
        self.buffers.set_value(buffers)
        return output


def _is_variable(node: object) -> bool:
    return isinstance(node, nnx.Variable)


MODES = {"train": True, "training": True, "deterministic": False, "use_running_average": False}
"""The arguments by which linen modules receive their mode, with their values in training."""


# Abstract: only classes that are always there are in the registry, which must not depend on flax.
class FromLinen(Module, abstract=True):
    """A linen module as a layer: y = module(x), or module(x1, x2, ...) of a table.

    `input_shape` (or a tuple of shapes) and `dtype` describe an input to initialise it with. If its `__call__` has an
    argument train, training, deterministic or use_running_average, it receives the mode. `streams` names the random
    streams that it needs, such as ("dropout",). It can be pickled if the linen module can.
    Shape: as the module.
    Parameters: its collection "params", with names such as "Dense_0.kernel". Buffers: its other collections, with names
    such as "batch_stats.BatchNorm_0.mean", initialised with the key 0; sown values are dropped.
    Raises: TypeError unless given a linen module whose fields can be hashed; the module's errors.
    Source: flax, flax.linen.Module.
    """

    module: Value
    input_shape: tuple
    dtype: str = "float32"
    streams: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.module, linen.Module):
            raise TypeError(f"FromLinen: expected a linen.Module, got {self.module!r}")
        if not isinstance(self.input_shape, tuple):
            raise TypeError(
                f"FromLinen: expected a shape, or a tuple of shapes, as input_shape, got {self.input_shape!r}"
            )
        try:
            hash((self.module, self.input_shape, self.streams))
        except TypeError as error:
            raise TypeError(f"FromLinen: fields have to be hashable (tuples, no lists): {error}") from error

    def _initial(self, key: jax.Array) -> dict[str, Any]:
        table = bool(self.input_shape) and isinstance(self.input_shape[0], tuple)
        inputs = [jnp.zeros(shape, self.dtype) for shape in (self.input_shape if table else [self.input_shape])]
        keys = {name: jax.random.fold_in(key, i) for i, name in enumerate(("params", *self.streams))}
        return meta.unbox(self.module.init(keys, *inputs, **self._mode(False)))

    def _mode(self, train: bool) -> dict[str, bool]:
        taken = inspect.signature(type(self.module).__call__).parameters
        return {name: train == in_training for name, in_training in MODES.items() if name in taken}

    def init_params(self, key: jax.Array, stdv: float | None = None) -> dict[str, Array]:
        found: Any = flatten_dict(self._initial(key).get("params", {}), sep=".")
        return found

    def init_buffers(self) -> State:
        rest = {name: tree for name, tree in self._initial(jax.random.key(0)).items() if name != "params"}
        return {name: leaf for name, leaf in flatten_dict(rest, sep=".").items() if not isinstance(leaf, tuple)}

    def draws(self, train: bool) -> bool:
        return bool(self.streams) and (train or not self._mode(train))

    def forward(self, params: Tree, buffers: Tree, input: Value, *, key: Key, train: bool) -> tuple[Output, Tree]:
        inputs = input if isinstance(input, list) else [input]
        variables = {"params": unflatten_dict(params, sep="."), **unflatten_dict(buffers, sep=".")}
        keys = {} if key is None else {name: jax.random.fold_in(key, i) for i, name in enumerate(self.streams)}
        collections = sorted({name.split(".")[0] for name in buffers})
        output, new = self.module.apply(variables, *inputs, rngs=keys, mutable=collections, **self._mode(train))
        return output, flatten_dict(new, sep=".")

    def printed(self) -> str:
        return f"linen.{type(self.module).__name__}"


class FromNnx(Module, abstract=True):
    """An nnx module as a layer: y = module(x), or module(x1, x2, ...) of a table.

    `make(rngs=...)` returns the module: its class, or `functools.partial(nnx.Linear, 3, 4)`. `train()` and `eval()` put
    it into the network's mode; its random streams come from the network's key.
    Shape: as the module.
    Parameters: its nnx.Param, with names such as "layers.0.kernel". Buffers: its other variables, with names such as
    "norm.mean", made with the key 0. `from_nnx_variables(module)` returns those of an existing module.
    Raises: TypeError unless `make` can be hashed and returns an nnx.Module; the module's errors.
    Source: flax, flax.nnx.Module.
    """

    make: Value

    def __post_init__(self) -> None:
        made = nnx.eval_shape(lambda: self.make(rngs=nnx.Rngs(0))) if callable(self.make) else None
        if not isinstance(made, nnx.Module):
            raise TypeError(f"FromNnx: expected what gives an nnx.Module, got {self.make!r}")
        hash(self.make)

    def _made(self, key: jax.Array | int) -> nnx.Module:
        return self.make(rngs=nnx.Rngs(key))

    def _abstract(self) -> nnx.Module:
        """The module with shapes instead of arrays."""
        return nnx.eval_shape(lambda: self._made(0))

    def init_params(self, key: jax.Array, stdv: float | None = None) -> dict[str, Array]:
        return from_nnx_variables(self._made(key))[0]

    def init_buffers(self) -> State:
        return from_nnx_variables(self._made(0))[1]

    def draws(self, train: bool) -> bool:
        _, _, random, _ = _nnx_parts(self._abstract())
        return train and bool(nnx.to_flat_state(random))

    def forward(self, params: State, buffers: State, input: Value, *, key: Key, train: bool) -> tuple[Output, Tree]:
        graph, learned, random, rest = _nnx_parts(self._abstract())
        _fill_nnx(learned, params)
        _fill_nnx(rest, buffers)
        for i, (_, variable) in enumerate(nnx.to_flat_state(random)):
            fresh = jax.random.fold_in(jax.random.key(0) if key is None else key, i)
            variable.set_value(fresh if isinstance(variable, nnx.RngKey) else jnp.uint32(0))
        module = nnx.merge(graph, learned, random, rest)
        _ = module.train() if train else module.eval()
        output = module(*(input if isinstance(input, list) else [input]))  # type: ignore[operator]
        return output, from_nnx_variables(module)[1]

    def printed(self) -> str:
        return f"nnx.{type(self._abstract()).__name__}"


def from_nnx_variables(module: nnx.Module) -> tuple[dict[str, Array], State]:
    """The (params, buffers) that a `FromNnx` of such a module has, taken from an existing nnx module."""
    _, learned, _, rest = _nnx_parts(module)
    params, buffers = (
        {name: variable.get_value() for name, variable in _nnx_named(state).items()} for state in (learned, rest)
    )
    return params, buffers


def _nnx_named(state: Value) -> dict[str, Any]:
    """The variables of a state by dotted names."""
    found: Any = nnx.to_flat_state(state)
    return {dotted(path): variable for path, variable in found}


def _nnx_parts(module: object) -> Value:
    """(graph, parameters, state of the random streams, other variables) of a module."""
    return nnx.split(module, nnx.Param, nnx.RngState, ...)


def _fill_nnx(state: Value, arrays: State) -> None:
    for name, variable in _nnx_named(state).items():
        variable.set_value(arrays[name])
