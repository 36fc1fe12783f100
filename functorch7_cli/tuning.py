"""What makes training on a CPU fast and has to be set before the process starts.

Large pages of memory: XLA frees and takes its temporaries at every call, and touching fresh pages of 4 KiB is what most
of a large step waits for. Compiled programs are kept on disk, so that the second run of a script does not compile.
"""

from __future__ import annotations

import os
import platform
import sys
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


def settings(environment: dict[str, str]) -> list[Setting]:
    """What is not set yet and can be on this machine. What the user has set stays."""
    found = []
    tunables = environment.get("GLIBC_TUNABLES", "")
    if "glibc.malloc.hugetlb" not in tunables and _has_huge_pages():
        found.append(Setting("GLIBC_TUNABLES", ":".join(filter(None, [tunables, HUGE_PAGES])), "huge pages"))
    if "JAX_COMPILATION_CACHE_DIR" not in environment:
        folder = cache_folder(environment)
        found.append(Setting("JAX_COMPILATION_CACHE_DIR", str(folder), f"compiled programs kept in {folder}"))
    return found


def cache_folder(environment: dict[str, str]) -> Path:
    """Where compiled programs are kept: functorch7/compiled in the user's folder of caches."""
    base = environment.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base, "functorch7", "compiled")


def start_tuned() -> None:
    """Starts this very program again with what is missing; returns, with nothing done, where nothing is."""
    if TUNED not in os.environ and settings(dict(os.environ)):
        replace_process([sys.executable, *sys.orig_argv[1:]])


def replace_process(command: list[str]) -> None:
    """Puts a program, with what is missing, in the place of this one; says in one line on stderr what that is."""
    missing = settings(dict(os.environ))
    if missing:
        effects = "; ".join(each.effect for each in missing)
        print(f"tuned for training: {effects} (--no-tuning leaves this out)", file=sys.stderr, flush=True)
    os.execve(command[0], command, os.environ | {each.variable: each.value for each in missing} | {TUNED: "1"})


def _has_huge_pages() -> bool:
    """Whether glibc can ask for them (2.35), and the kernel gives them to who asks."""
    library, version = platform.libc_ver()
    if library != "glibc" or tuple(map(int, version.split(".")[:2])) < (2, 35):
        return False
    try:
        return "[madvise]" in Path("/sys/kernel/mm/transparent_hugepage/enabled").read_text()
    except OSError:
        return False
