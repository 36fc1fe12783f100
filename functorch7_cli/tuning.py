"""What makes training on a CPU fast and has to be set before the process starts.

Large pages of memory: XLA frees and takes its temporaries at every call, and touching fresh pages of 4 KiB is what most
of a large step waits for. Compiled programs are kept on disk, so that the second run of a script does not compile.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

TUNED = "FUNCTORCH7_TUNED"
"""Set in the process that was started again, so that it is not started a third time."""

HUGE_PAGES = "glibc.malloc.hugetlb=1"


class Setting(NamedTuple):
    """An environment variable, its value, and what it does in a few words."""

    variable: str
    value: str
    effect: str


def settings(environment: Mapping[str, str]) -> list[Setting]:
    """What is not set yet and can be on this machine. What the user has set stays."""
    return [*huge_pages(environment), *kept_programs(environment)]


def huge_pages(environment: Mapping[str, str]) -> list[Setting]:
    """That glibc asks for them, unless the user has said whether it should."""
    tunables = environment.get("GLIBC_TUNABLES", "")
    if "glibc.malloc.hugetlb" in tunables or not _has_huge_pages():
        return []
    return [Setting("GLIBC_TUNABLES", ":".join(filter(None, [tunables, HUGE_PAGES])), "huge pages")]


def kept_programs(environment: Mapping[str, str]) -> list[Setting]:
    """The folder of compiled programs, unless there is one, and that all are kept, however short their compilation."""
    folder, all_of_them = "JAX_COMPILATION_CACHE_DIR", "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS"
    if folder in environment:
        return []
    path = cache_folder(environment)
    return [
        Setting(folder, str(path), f"compiled programs kept in {path}"),
        *([] if all_of_them in environment else [Setting(all_of_them, "0", "")]),
    ]


def cache_folder(environment: Mapping[str, str]) -> Path:
    """Where compiled programs are kept: functorch7/compiled in the user's folder of caches."""
    base = environment.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base, "functorch7", "compiled")


def keep_programs() -> None:
    """Keeps what this process compiles in the folder of compiled programs, unless the user has chosen one."""
    import jax

    if kept_programs(os.environ):
        jax.config.update("jax_compilation_cache_dir", str(cache_folder(os.environ)))
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)


def start_tuned(verbose: bool = False) -> None:
    """Starts this very program again with what is missing; returns, with nothing done, where nothing is."""
    if TUNED not in os.environ and settings(os.environ):
        replace_process([sys.executable, *sys.orig_argv[1:]], verbose)


def start_with_huge_pages() -> None:
    """Starts this very program again with huge pages, if it can have them, without a word: its output is its user's."""
    missing = huge_pages(os.environ)
    if missing:
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], os.environ | _as_variables(missing))


def replace_process(command: list[str], verbose: bool = False) -> None:
    """Puts a program, with what is missing, in the place of this one.

    Says on stderr what that is, in one line, or, verbose, in a line for each variable.
    """
    missing = settings(os.environ)
    if missing:
        effects = "; ".join(each.effect for each in missing if each.effect)
        print(f"tuned for training: {effects} (--no-tuning leaves this out)", file=sys.stderr, flush=True)
    for each in missing if verbose else []:
        print(f"  {each.variable}={each.value}", file=sys.stderr, flush=True)
    os.execve(command[0], command, os.environ | _as_variables(missing) | {TUNED: "1"})


def _as_variables(found: list[Setting]) -> dict[str, str]:
    return {each.variable: each.value for each in found}


def _has_huge_pages() -> bool:
    """Whether glibc can ask for them (2.35), and the kernel gives them to who asks."""
    library, version = platform.libc_ver()
    if library != "glibc" or tuple(map(int, version.split(".")[:2])) < (2, 35):
        return False
    try:
        return "[madvise]" in Path("/sys/kernel/mm/transparent_hugepage/enabled").read_text()
    except OSError:
        return False
