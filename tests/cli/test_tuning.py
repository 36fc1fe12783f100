"""What the launcher sets before JAX starts."""

import gc
import json
import subprocess
import sys

import pytest

from functorch7_cli import tuning
from functorch7_cli.lasting import lasting

PROGRAM = """
import json, os, sys
from functorch7_cli import tuning
tuning.{start}()
assert "jax" not in sys.modules
names = ("GLIBC_TUNABLES", "JAX_COMPILATION_CACHE_DIR")
print(json.dumps([{n: os.environ.get(n) for n in names}, sys.argv[1:], os.getpid()]))
"""


def started(tmp_path, environment, *arguments, start="start_tuned"):
    script = tmp_path / "program.py"
    script.write_text(PROGRAM.replace("{start}", start))
    kept = {"PATH": "/usr/bin", "PYTHONPATH": ":".join(sys.path), "XDG_CACHE_HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-W", "error", str(script), *arguments], capture_output=True, text=True,
                          env=kept | environment, check=True)  # fmt: skip
    return json.loads(done.stdout), done.stderr


def test_the_program_starts_again_with_what_is_missing_and_says_so_once(tmp_path):
    (found, arguments, _), said = started(tmp_path, {}, "--epochs", "2 or 3")
    assert found["JAX_COMPILATION_CACHE_DIR"] == str(tmp_path / "functorch7" / "compiled")
    assert arguments == ["--epochs", "2 or 3"]
    assert len(said.splitlines()) == 1 and "--no-tuning" in said


def test_what_the_user_has_set_stays(tmp_path):
    mine = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=0", "JAX_COMPILATION_CACHE_DIR": "elsewhere"}
    (found, _, _), said = started(tmp_path, mine)
    assert found == mine and not said


def test_a_program_gets_huge_pages_alone_without_a_word(tmp_path):
    (found, arguments, _), said = started(tmp_path, {}, "a b", start="start_with_huge_pages")
    assert found == {"JAX_COMPILATION_CACHE_DIR": None, "GLIBC_TUNABLES": tuning.HUGE_PAGES if has_them() else None}
    assert arguments == ["a b"] and not said


def has_them():
    """Whether this kernel, and its glibc, have huge pages for who asks."""
    return any(each.variable == "GLIBC_TUNABLES" for each in tuning.settings({}))


def test_other_tunables_are_kept_beside_huge_pages(monkeypatch):
    monkeypatch.setattr(tuning, "_has_huge_pages", lambda: True)
    found = {each.variable: each.value for each in tuning.settings({"GLIBC_TUNABLES": "glibc.malloc.check=1"})}
    assert found["GLIBC_TUNABLES"] == "glibc.malloc.check=1:glibc.malloc.hugetlb=1"


@pytest.mark.parametrize("library", [("", ""), ("glibc", "2.31")])
def test_where_there_are_no_huge_pages_none_are_asked_for(monkeypatch, library):
    monkeypatch.setattr(tuning.platform, "libc_ver", lambda: library)
    assert "GLIBC_TUNABLES" not in {each.variable for each in tuning.settings({})}


def test_programs_are_kept_unless_the_user_has_chosen(tmp_path):
    program = "from functorch7_cli import tuning; tuning.keep_programs(); import jax; jax.jit(lambda x: x + 1)(1.0)"

    def kept(environment):
        subprocess.run(
            [sys.executable, "-c", program], env={"PYTHONPATH": ":".join(sys.path)} | environment, check=True
        )
        return sorted(path.name[:11] for path in tmp_path.rglob("*-cache"))

    here = {"XDG_CACHE_HOME": str(tmp_path), "JAX_PLATFORMS": "cpu"}
    assert kept(here | {"JAX_COMPILATION_CACHE_DIR": ""}) == []
    assert kept(here) == ["jit__lambda"]


def test_what_lua_compiles_is_kept(tmp_path):
    script = tmp_path / "program.lua"
    script.write_text("require 'nn' nn.Linear(2, 1):forward(torch.ones(2))")
    environment = {"PYTHONPATH": ":".join(sys.path), "XDG_CACHE_HOME": str(tmp_path), "JAX_PLATFORMS": "cpu"}
    command = [sys.executable, "-c", "from functorch7_cli import main; main()", "lua", str(script)]
    subprocess.run(command, env=environment, check=True)
    assert list(tmp_path.glob("functorch7/compiled/jit_forward-*-cache"))


def test_imports_of_commands_are_left_alone_by_the_garbage_collector():
    program = """
import gc
from functorch7_cli.lasting import lasting
with lasting():
    assert not gc.isenabled()
assert gc.isenabled() and gc.get_freeze_count()
"""
    subprocess.run([sys.executable, "-c", program], env={"PYTHONPATH": ":".join(sys.path)}, check=True)
    frozen = gc.get_freeze_count()
    with lasting():  # functorch7 is there already: so is what others have made
        assert gc.isenabled()
    assert gc.get_freeze_count() == frozen


def test_launch_runs_a_script_with_its_own_options(tmp_path):
    script = tmp_path / "mine.py"
    script.write_text("import os, sys; print(sys.argv[1:], os.environ.get('JAX_COMPILATION_CACHE_DIR', ''))")
    environment = {"PATH": "/usr/bin", "PYTHONPATH": ":".join(sys.path), "XDG_CACHE_HOME": str(tmp_path)}

    def run(*arguments):
        command = [sys.executable, "-c", "from functorch7_cli import main; main()", "launch", *arguments]
        return subprocess.run(command, capture_output=True, text=True, env=environment, check=True)

    done = run(str(script), "--epochs", "3", "--no-tuning")
    assert done.stdout == f"['--epochs', '3', '--no-tuning'] {tmp_path}/functorch7/compiled\n"
    done = run("--verbose", str(script))
    assert f"\n  JAX_COMPILATION_CACHE_DIR={tmp_path}/functorch7/compiled\n" in done.stderr
    done = run("--no-tuning", str(script), "-v")
    assert (done.stdout, done.stderr) == ("['-v'] \n", "")
