"""Strictness for all tests: no silent change of dtype, no silent broadcast between ranks. Programs compile fast."""

import gc
import os
from pathlib import Path

import argument_order
import choosing
import compiling
import jax
import program_files
import pytest

from functorch7_cli import tuning

os.environ["JAX_PLATFORMS"] = "cpu"  # for programs of their own that tests start, which are to see no GPU, either
jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_numpy_dtype_promotion", "strict")
jax.config.update("jax_numpy_rank_promotion", "raise")

compiling.compile_quickly()


def pytest_addoption(parser):
    parser.addoption("--sample", type=int, metavar="N", help="of a test with many cases, run N of them")
    parser.addoption("--fewer", action="store_true", help="of a test marked one_in(n), run one case in n, unless by -k")


def pytest_configure(config):
    config.args[:] = argument_order.by_depth(config.args)
    compiling.set_flags()
    if hasattr(config, "cache"):  # not with `-p no:cacheprovider`
        os.environ.setdefault(program_files.FOLDER, str(config.cache.mkdir("programs")))


def pytest_unconfigure(config):
    if program_files.FOLDER in os.environ and not hasattr(config, "workerinput"):
        program_files.make_room(Path(os.environ[program_files.FOLDER]))


def pytest_collection_modifyitems(config, items):
    fewer = config.getoption("fewer") and not config.getoption("keyword")
    left = choosing.chosen(items, config.getoption("sample"), fewer)
    if len(left) < len(items):
        config.hook.pytest_deselected(items=[*{*items} - {*left}])
        items[:] = left


@pytest.fixture(autouse=True)
def stays_as_it_is(monkeypatch):
    """Commands that run in the tests' own process neither keep programs nor start it again."""
    monkeypatch.setattr(tuning, "keep_programs", lambda: None)
    monkeypatch.setattr(tuning, "start_with_huge_pages", lambda: None)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """What is there then stays to the end: the garbage collector need not look at it again and again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.set_threshold(20_000, 20, 20)
        gc.enable()


def pytest_runtest_teardown():
    compiling.let_too_many_go()


@pytest.fixture
def little_to_collect():
    """The garbage collector looks at nothing that is there already: after other tests that takes it a second."""
    gc.freeze()


@pytest.fixture
def key():
    return jax.random.key(0)


@pytest.fixture
def hessian_enabled():
    """`nn.hessian.enable()`, for one test only."""
    from functorch7.legacy import nn

    kept = [(kind, kind.__bases__) for kind in (nn.Module, nn.Criterion)]
    nn.hessian.enable()
    added = [(kind, {*kind.__bases__} - {*bases}) for kind, bases in kept]
    yield
    for kind, additions in added:  # PyTorch's and BigDL's, which may have come meanwhile, stay
        kind.__bases__ = tuple(base for base in kind.__bases__ if base not in additions)
