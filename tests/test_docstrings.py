"""Docstrings say what the code does: what is computed, shapes, the arrays by name, errors, and the source.

What a class has to say is found in the class: its arrays by making them, its errors by the inputs that the rows of
tests/cases.py say it refuses, and by looking for `raise` in what it runs.
"""

import ast
import inspect
import re
import sys
import textwrap
from functools import cache

import jax
import pytest
from cases import MODULES
from criterion_cases import CRITERIONS

import functorch7 as f7
from functorch7 import core
from website.docstrings import parts
from website.public import below, modules
from website.reference import packages

pytestmark = pytest.mark.structure
OURS = modules()
SAMPLES = [*((case.module, case.bad is not None) for case in MODULES), *((row[0], False) for row in CRITERIONS)]
CORE = {*core.Module.__mro__, core.Map, core.Layer, core.Container, core.TableMap, f7.losses.Criterion}


def said(kind, about):
    """What a docstring says about shapes, parameters, ...; None if it says nothing."""
    labels = {label: text for label, text in parts(kind.__doc__ or "")[1].items() if about in label.lower()}
    return " ".join(labels.values()) if labels else None


@cache
def raises(function, depth=3):
    """Whether a function, or one of ours that it calls by name, has a `raise` that users can meet."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    found = [node.exc for node in ast.walk(tree) if isinstance(node, ast.Raise) and node.exc]
    if any("NotImplementedError" not in ast.unparse(error) for error in found):
        return True
    called = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    known = [vars(sys.modules[function.__module__]).get(name) for name in called]
    ours = [each for each in known if inspect.isfunction(each) and each.__module__.startswith("functorch7.")]
    return depth > 0 and any(raises(each, depth - 1) for each in ours)


def methods(kind):
    for base in kind.__mro__:
        if base not in CORE and base.__module__.startswith("functorch7."):
            for member in vars(base).values():
                is_written = inspect.isfunction(member) and inspect.unwrap(member).__code__.co_filename != "<string>"
                if is_written and member.__module__ == base.__module__:  # and not put there by dataclasses
                    yield member


@pytest.mark.parametrize("kind", OURS.values(), ids=OURS)
def test_a_class_says_what_it_computes_shapes_errors_and_source(kind):
    sentence = parts(kind.__doc__)[0].split("\n\n")[0]
    assert sentence.endswith((".", ":"))
    if kind is not core.Container:
        assert said(kind, "shape") and said(kind, "source")
        if any(map(raises, methods(kind))):
            assert said(kind, "raises") or said(kind, "errors")


def test_every_class_has_an_example_that_tests_of_pages_run():
    assert not [name for name, kind in OURS.items() if ">>> import functorch7 as f7" not in kind.__doc__]


def names_in(text, names):
    return all(re.search(rf"\b{name}\b", text) for name in names)


REFERS = re.compile(r"\bas (in )?[A-Z]|\bthe layer's\b")  # to another class, or to the one inside


def test_classes_name_their_parameters_buffers_and_refusals():
    missing = []
    for module, refuses in SAMPLES:
        kind = type(module)
        arrays = {"parameters": jax.eval_shape(module.init_params, jax.random.key(0)), "buffers": module.init_buffers()}
        for about, own in arrays.items():
            text = said(kind, about) or ""
            if own and not names_in(text, own) and not REFERS.search(text):
                missing.append(f"{kind.__name__}: {about} {list(own)}")
        if refuses and not (said(kind, "raises") or said(kind, "errors")):
            missing.append(f"{kind.__name__}: what it raises")
    assert not missing


PUBLIC = {name: value for package in packages() for name, value in below(package).items()}


def test_public_classes_and_functions_have_docstrings_that_begin_with_a_sentence():
    for name, value in PUBLIC.items():
        first = parts(inspect.getdoc(value) or "")[0].split("\n\n")[0]
        assert first.endswith((".", ":", ";")), name


def test_public_functions_say_what_they_raise():
    functions = {name: value for name, value in PUBLIC.items() if inspect.isfunction(value)}
    silent = [name for name, value in functions.items() if raises(value, 0) and "Error" not in (value.__doc__ or "")]
    assert not silent


def test_public_methods_have_docstrings_of_their_own_or_inherited():
    bare = []
    for name, value in PUBLIC.items():
        for method, member in vars(value).items() if inspect.isclass(value) else ():
            written = isinstance(member, property | staticmethod | classmethod) or inspect.isfunction(member)
            if written and not method.startswith("_") and not inspect.getdoc(getattr(value, method)):
                bare.append(f"{name}.{method}")
    assert not bare


def test_the_names_of_the_package_are_those_that_are_described():
    assert len(dir(f7)) == len({*dir(f7)})
    shown = {name: getattr(f7, name) for name in dir(f7) if not name.startswith("__")}
    described = {id(value) for value in PUBLIC.values()}
    modules = {name for name, value in shown.items() if inspect.ismodule(value)}
    assert {f"functorch7.{name}" for name in modules} <= {*packages(), "functorch7.pruning", "functorch7.testing"}
    assert not [name for name, value in shown.items() if name not in modules and id(value) not in described]
    assert {kind.__name__ for kind in OURS.values()} <= {*shown, "gModule", "JustTable", "JustElement"}
