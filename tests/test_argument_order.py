"""Tests find their fixtures in whatever order files are named to pytest."""

import itertools
import subprocess
import sys
from pathlib import Path

import pytest
from argument_order import by_depth

CONFTEST = """import argument_order
def pytest_configure(config):
    config.args[:] = argument_order.by_depth(config.args)
"""


def test_outer_folders_come_first_and_the_rest_stays():
    named = ["tests/lua/test_b.py::test_x", "tests/test_c.py", "./tests/lua/test_a.py", "tests"]
    expected = ["tests", "tests/test_c.py", "tests/lua/test_b.py::test_x", "./tests/lua/test_a.py"]
    assert by_depth(named) == expected and by_depth([]) == []
    assert all(by_depth(order)[:2] == expected[:2] for order in itertools.permutations(named))


@pytest.mark.parametrize("is_ordered", [True, False])
def test_a_conftests_fixtures_are_there_in_any_order(is_ordered, tmp_path):
    """As the suite's conftest.py does it. Without, pytest loses them; once it does not, all of this may go."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "conftest.py").write_text("import pytest\n@pytest.fixture\ndef thing(): return 1\n")
    (tmp_path / "conftest.py").write_text(CONFTEST if is_ordered else "")
    (tmp_path / "test_outer.py").write_text("def test_outer(): pass\n")
    for name in ("a", "b"):
        (tmp_path / "sub" / f"test_{name}.py").write_text("def test_inner(thing): assert thing\n")
    named = ["sub/test_a.py", "test_outer.py", "sub/test_b.py"]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "--rootdir", tmp_path, *named],
        cwd=tmp_path, env={"PYTHONPATH": str(Path(__file__).parent), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if is_ordered:
        assert run.returncode == 0 and "3 passed" in run.stdout, run.stdout
    elif pytest.version_tuple < (9, 1):
        pytest.skip("this pytest keeps fixtures in any order")
    else:
        assert "fixture 'thing' not found" in run.stdout
