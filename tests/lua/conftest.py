"""One Lua for a whole file of tests: it takes a second to start, with what the first calls compile."""

import pytest

from functorch7.lua import Runtime


@pytest.fixture(scope="module")
def lua():
    runtime = Runtime()
    runtime.execute("require 'nn' require 'nngraph' require 'optim'")
    yield runtime
    runtime.close()


@pytest.fixture
def program(tmp_path):
    """Writes a program, whose path it gives."""

    def write(text, name="program.lua"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write
