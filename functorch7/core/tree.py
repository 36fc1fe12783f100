"""The tree of modules and the trees of arrays beside it: the one place that knows what forms they have.

A module's children are a tuple, and then a tree of its arrays is a list: a branch for each child in order, and after
them, if it has entries of its own, a dict of these. Or they are a dict, and then a tree is one, too, of its own entries
and of a branch for each child.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Protocol, TypeVar

from ..checks.entries import hint_of_pair
from ..checks.errors import describe, no_description, title
from .types import State, Tree, Value

Name = int | str
"""What a module is called in the one around it: its position, from 0, or its name."""
Path = tuple[Name, ...]

Children = tuple[Any, ...] | Mapping[str, Any]
Inner = TypeVar("Inner", covariant=True)


class Parent(Protocol[Inner]):
    """What has modules inside, of some kind."""

    def children(self) -> tuple[Inner, ...] | Mapping[str, Inner]: ...


def _children(module: Any) -> Children:
    """The modules inside. Raises: TypeError for anything but a description."""
    found = module.children() if hasattr(module, "children") else None
    if not isinstance(found, (tuple, Mapping)):
        raise TypeError(no_description(module))
    return found


def by_position(module: Parent[object]) -> bool:
    """Whether the modules inside have positions, and no names."""
    return isinstance(_children(module), tuple)


def named_children(module: Parent[Inner]) -> list[tuple[Name, Inner]]:
    """The modules directly inside, in order, each with its position or name."""
    children = _children(module)
    return list(enumerate(children) if isinstance(children, tuple) else children.items())


def child_names(module: Parent[object]) -> tuple[Name, ...]:
    """The positions or names of the modules directly inside, in order."""
    return tuple(name for name, _ in named_children(module))


def child_at(module: Parent[Inner], name: Name) -> tuple[int, Inner]:
    """(its position, the module) of this position or name."""
    children = _children(module)
    if isinstance(children, tuple):
        return int(name), children[int(name)]
    return list(children).index(str(name)), children[str(name)]


def places(module: Parent[Inner], path: Path = ()) -> Iterator[tuple[Path, Inner]]:
    """The module and all inside it, outer ones first, each with its path; positions count from 0.

    >>> import functorch7 as f7
    >>> dict(f7.core.places(f7.Sequential(f7.Linear(3, 2))))[(0,)]
    nn.Linear(3 -> 2)
    """
    here: Any = module
    yield path, here
    for name, child in named_children(here):
        yield from places(child, (*path, name))


def split(module: Parent[object], tree: Tree) -> tuple[State, list[Value]]:
    """(the module's own entries of a tree, a branch for each child, in order).

    Raises: ValueError, naming the module, for anything but a tree of its arrays.
    """
    return _split(module, _children(module), tree)


def _split(module: Parent[object], children: Children, tree: Value) -> tuple[dict[str, Any], list[Any]]:
    _check(module, children, tree)
    if isinstance(children, tuple):
        return dict(*tree[len(children) :]), tree[: len(children)]
    return {name: entry for name, entry in tree.items() if name not in children}, [tree[name] for name in children]


def _check(module: Parent[object], children: Children, tree: Any) -> None:
    is_pair = bool(hint_of_pair(tree))
    if isinstance(children, tuple):
        own = tree[len(children) :] if isinstance(tree, (list, tuple)) and len(tree) >= len(children) else [None]
        fits = len(own) < 2 and all(isinstance(each, Mapping) for each in own) and not is_pair
        form = f"a list of {len(children)} entries"
    else:
        fits = isinstance(tree, Mapping) and children.keys() <= tree.keys()
        form = f"a dict with {', '.join(children)}" if children else "a dict"
    if not fits:
        given = f"{type(tree).__name__}, which has params and buffers" if is_pair else describe(tree)
        raise ValueError(f"{title(module)}: expected a tree of its arrays, {form}, as init makes it, got {given}")


def join(module: Parent[object], own: Mapping[str, Value], branches: Iterable[Value]) -> Value:
    """The opposite of `split`."""
    return _join(_children(module), own, branches)


def _join(children: Children, own: Mapping[str, Any], branches: Iterable[Any]) -> Value:
    if isinstance(children, tuple):
        return [*branches, *([dict(own)] if own else [])]
    return {**own, **dict(zip(children, branches, strict=True))}


def rebuilt(module: Parent[Inner], change: Callable[[Inner], Inner]) -> tuple[Inner, ...] | dict[str, Inner]:
    """The modules inside, each changed, in the form that `children` gives them in."""
    children = _children(module)
    if isinstance(children, tuple):
        return tuple(map(change, children))
    return {name: change(child) for name, child in children.items()}


def mapped(module: Parent[object], change: Callable[..., Mapping[str, Value]], *trees: Value) -> Value:
    """The tree whose own entries are change(module, those of the first tree, those of the second, ...).

    It is called for each module that has entries of its own in one of the trees, outer ones first.
    """
    children = _children(module)
    parts = [_split(module, children, tree) for tree in trees]
    owned = [own for own, _ in parts]
    own = change(module, *owned) if any(owned) else {}
    modules = children if isinstance(children, tuple) else children.values()
    inner = zip(modules, *(branches for _, branches in parts), strict=True)
    return _join(children, own, [mapped(child, change, *below) for child, *below in inner])


def dotted(path: Path) -> str:
    """A path as text: (2, "weight") is "2.weight"."""
    return ".".join(map(str, path))


def path_of(name: str) -> Path:
    """The path that `dotted` names."""
    return tuple(int(each) if each.isdecimal() else each for each in name.split("."))


def found_at(tree: Tree, path: Path) -> Value:
    """What is at a path in a tree of lists and dicts."""
    for name in path:
        tree = tree[name]
    return tree


def with_at(tree: Value, path: Path, value: Value) -> Value:
    """The tree with another value at a path."""
    if not path:
        return value
    changed = with_at(tree[path[0]], path[1:], value)
    if isinstance(tree, list):
        return [changed if i == path[0] else branch for i, branch in enumerate(tree)]
    return {**tree, path[0]: changed}


def leaves_with_path(tree: Value, path: Path = ()) -> Iterator[tuple[Path, Value]]:
    """Everything in a tree of lists and dicts that is neither, with its path."""
    if not isinstance(tree, (dict, list)):
        yield path, tree
        return
    for name, branch in tree.items() if isinstance(tree, dict) else enumerate(tree):
        yield from leaves_with_path(branch, (*path, name))
