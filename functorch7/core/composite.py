"""Modules with modules as fields: the shortest way to write a network of one's own."""

from collections import Counter
from functools import partial
from typing import Any

import jax

from ..checks.tables import entries
from .emitted import both, is_emitted
from .keys import folded
from .module import Module
from .types import Array, Key, Output, Tree, Value


class Composite(Module, abstract=True):
    """A module whose fields hold modules (or lists of them): write `f(run, input)`, which calls `run.name(input)`.

    Children have their fields' names, those in a list "name.0", "name.1", ...; `run` carries their arrays, buffers
    and random keys. Own arrays, if `init_params` or `init_buffers` makes any, are `run.params[name]` and
    `run.buffers[name]`, which may be set; `run.train` is the mode, and `run.key` the key for what the module draws
    itself, if its `draws(train)` says that it does. A module may be called several times.
    Raises: AttributeError for a name that is no field with modules; TypeError for modules in dicts or nested lists;
    ValueError, from `init`, for an array that is called as a module or another array.

    >>> import functorch7 as f7, jax
    >>> class Residual(f7.Composite):
    ...     body: f7.Module
    ...     def f(self, run, input):
    ...         return input + run.body(input)
    >>> network = Residual(f7.Linear(3, 3))
    >>> f7.output_shape(network, (8, 3)), list(network.children())
    ((8, 3), ['body'])
    """

    def __post_init__(self) -> None:
        for name, value in self._named_values():
            if isinstance(value, list) and any(isinstance(each, Module) for each in value):
                self._set(**{name: tuple(value)})
            inner = value if isinstance(value, (list, tuple)) else () if isinstance(value, Module) else [value]
            if any(map(_hides_modules, inner)):
                raise TypeError(
                    f"{self.torch_name()}: the modules in its field {name!r} would get no parameters, because they are "
                    "in a dict or in nested lists; give a list of modules, or a field to each module"
                )
        taken = {"params", "buffers", "train", "key"} & {name.split(".")[0] for name in self.children()}
        if taken:
            raise ValueError(
                f"{self.torch_name()}: a module cannot be named {taken.pop()!r}, a name that `run` uses itself"
            )

    def children(self) -> dict[str, Module]:
        found = {}
        for name, value in self._named_values():
            if isinstance(value, Module):
                found[name] = value
            elif isinstance(value, tuple):
                found |= {f"{name}.{i}": each for i, each in enumerate(value) if isinstance(each, Module)}
        return found

    def f(self, run: "Run", input: Value, /) -> Output:
        """The output: what an author writes. Raises NotImplementedError in a class without it."""
        raise NotImplementedError(f"{self.torch_name()} must define f(run, input)")

    def forward(self, params: Tree, buffers: Tree, input: Value, *, key: Key, train: bool) -> tuple[Output, Tree]:
        run = Run(self, params, buffers, key, train)
        return self.f(run, input), run.buffers

    def printed(self) -> str:
        lines = [f"  ({name}): {child}".replace("\n", "\n  ") for name, child in self.children().items()]
        return "\n".join([f"{self.type_name()} {{", *lines, "}"]) if lines else self.type_name()


def _hides_modules(value: Any) -> bool:
    """Whether there are modules inside of a table."""
    return any(isinstance(each, Module) or _hides_modules(each) for each in entries(value))


class Run:
    """One call of a Composite: its arrays, and its modules as functions of their inputs."""

    def __init__(self, module: Composite, params: Tree, buffers: Tree, key: Key, train: bool):
        self._module, self._key = module, key
        self.params, self.buffers, self.train = params, dict(buffers), train
        self._calls: Counter[str] = Counter()

    @property
    def key(self) -> Array:
        """The random key of the module itself, which no module inside has: None in a mode in which nothing draws."""
        return folded(self._key, len(self._module.children()) + 1)  # type: ignore[return-value]  # where a class draws

    def __getattr__(self, name: str) -> Any:
        children = self._module.children()
        if name in children:
            return partial(self._call, name)
        inner = [each for each in children if each.startswith(f"{name}.")]
        if not inner:
            who = self._module.torch_name()
            raise AttributeError(f"{who}: expected one of its modules {list(children)}, got {name!r}")
        return [partial(self._call, each) for each in inner]

    def _call(self, name: str, input: Value) -> Any:
        key = key_of_call(self._module, self._key, self._calls[name])
        old = self.buffers[name]
        output, new = self._module.call(name, self.params, self.buffers, input, key=key, train=self.train)
        if self._calls[name]:
            new = jax.tree.map(both, old, new, is_leaf=is_emitted)
        self._calls[name] += 1
        self.buffers[name] = new
        return output


def key_beside(module: Module, key: Key, count: int) -> Key:
    """The key for running a module that is no child of `module`, after `count` other such modules."""
    return folded(folded(key, len(module.children()) + 2), count)


def key_of_call(module: Module, key: Key, count: int) -> Key:
    """The key for a module that has been called `count` times before by `module`; the first has that of any child."""
    if key is None or count == 0:
        return key
    return jax.random.fold_in(jax.random.fold_in(key, len(module.children())), count)
