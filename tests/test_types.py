"""Public signatures say what they take and give: Any stands where anything is meant."""

import ast
from functools import cache
from pathlib import Path

import pytest
import typed_users

pytestmark = pytest.mark.structure
PACKAGE = Path(__file__).parent.parent / "functorch7"

OF_PYTHON = {"__getattr__", "__getstate__", "__init_subclass__", "__new__"}
"""Methods that Python calls with anything, or for anything: any attribute, any field, any class's own arguments."""

ANYTHING = {
    "core/description.py Description.child_modules": "descriptions, and objects that stand for some",
    "core/probe.py opened": "the kind of probe is its key's",
    "core/types.py Tree.__getitem__": "what is at a place depends on the module",
    "core/types.py Tree.__iter__": "the same",
    "data/image_class.py ImageClass.__init__": "a key for sorting: whatever compares",
    "legacy/beside.py found": "a function or a class, by its name",
    "legacy/gnuplot/figures.py Plot.clear": "axes of two or three dimensions, whose methods differ",
    "legacy/image/results.py by_name": "a decorator",
    "legacy/modules/container.py Container.rethrowErrors": "what the method of that name gives",
    "legacy/nn.pyi Inception.__init__": "a table whose entries are each of a kind of their own",
    "legacy/program/classes.py class_": "a new class, or it and its parent",
    "legacy/program/classes.py setmetatable": "an object of a class by name",
    "legacy/program/equality.py equal": "compares any two values",
    "legacy/program/file.py File.readObject": "whatever was written",
    "legacy/program/files.py deserializeFromStorage": "whatever was written",
    "legacy/pytorch/custom.py Custom.call_with": "arguments of a user's forward",
    "legacy/pytorch/state.py State.get_extra_state": "a user's own state",
    "legacy/pytorch/state.py State.set_extra_state": "a user's own state",
    "legacy/tensors/notes.py Noting.__init__": "a function, or a module of such",
    "legacy/tensors/types.py Constructor.__call__": "a tensor, or a storage, by the constructor's name",
    "legacy/torch.py deserialize": "whatever was written",
    "legacy/torch.py load": "whatever was written",
    "legacy/torch.pyi deserialize": "whatever was written",
    "legacy/torch.pyi load": "whatever was written",
    "legacy/torchx.py Queue.get": "whatever was put in",
    "legacy/xlua.py require": "a module, by its name",
    "programs/cache.py Compiled.__call__": "what the compiled function gives",
    "programs/cache.py Compiled.__init__": "a function that was jitted, which JAX does not name",
    "programs/cache.py kept": "a decorator",
}
"""The functions in which Any is meant, and why."""

OPEN = {
    "core/arrays.py Numbers": "Const for who reads it, numbers of any kind for who gives them",
    "core/types.py Output": "an array unless the network gives tables",
    "core/types.py Params": "a tree, and what optax's apply_updates says that it gives",
    "core/types.py State": "arrays, tables, None, side outputs",
    "core/types.py Table": "arrays, and tables of them",
    "core/types.py Value": "what a module takes is its author's to say; what is given back is nested as what was given",
    "interop/t7/values.py Content": "what a file holds, to who reads it; what is written is an object",
    "interop/t7/values.py Fields": "the fields of an object of any class",
    "legacy/tensors/kinds.py Result": "a tensor or a number, by values",
    "legacy/tensors/values.py Output": "a tensor unless the network gives tables",
    "lua/kinds.py Crossing": "what Lua gives back, and what is looked into; what is handed on is an object",
    "training/records.py Record": "numbers and texts, by names that measures have",
}
"""Names of types that hold Any, and why: the only ones."""


def _is_any(annotation):
    return any(
        (isinstance(node, ast.Name) and node.id == "Any")
        or (isinstance(node, ast.Attribute) and node.attr == "Any")
        or (isinstance(node, ast.Constant) and isinstance(node.value, str) and "Any" in node.value)
        for node in ast.walk(annotation)
    )


def _is_public(name):
    return not name.startswith("_") or name.endswith("__")


def _functions(body, around=""):
    """(name, node) of the public functions and of public classes' methods."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _is_public(node.name):
            yield around + node.name, node
        elif isinstance(node, ast.ClassDef) and _is_public(node.name):
            yield from _functions(node.body, f"{around}{node.name}.")
        elif isinstance(node, ast.If | ast.Try):
            yield from _functions(node.body, around)


def _says_any(function):
    """Whether Any is among the arguments or the result; arguments that are handed on by * and ** may be anything."""
    given = function.args
    named = [each.annotation for each in [*given.posonlyargs, *given.args, *given.kwonlyargs] if each.annotation]
    return any(map(_is_any, named + [function.returns] * (function.returns is not None)))


@cache
def _trees():
    files = sorted([*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.pyi")])
    return {path.relative_to(PACKAGE).as_posix(): ast.parse(path.read_text()) for path in files}


def _public():
    """(place, node) of all public signatures."""
    for place, tree in _trees().items():
        yield from ((f"{place} {name}", node) for name, node in _functions(tree.body))


def test_public_signatures_say_any_where_anything_is_meant_alone():
    saying = {place for place, node in _public() if _says_any(node) and node.name not in OF_PYTHON}
    unsaid, gone = saying - {*ANYTHING}, {*ANYTHING} - saying
    assert not unsaid, "these are to say what they take and give (core/types.py has names), or why it is anything"
    assert not gone, "these are to be left out of the list"


def test_types_that_hold_any_are_few_and_say_why():
    found = {
        f"{place} {node.target.id}"
        for place, tree in _trees().items()
        for node in tree.body
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) == "TypeAlias" and _is_any(node.value)
    }
    assert found == {*OPEN}


def test_types_say_what_they_are():
    """By the text under each."""
    silent = []
    for place in OPEN:
        file, name = place.split()
        body = _trees()[file].body
        at = next(i for i, node in enumerate(body) if isinstance(node, ast.AnnAssign) and node.target.id == name)
        after = body[at + 1]
        silent += [] if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) else [place]
    assert not silent


def test_what_the_type_checker_is_shown_of_users_runs(tmp_path):
    typed_users.in_functions()
    typed_users.in_objects(tmp_path)
