"""Compiled programs: how many a process keeps, and which ones it frees.

Every program that JAX has compiled holds memory (some MiB), and maps of memory, of which a process may have 65,530 on
Linux; with too many it is killed. So all functions that this package compiles count their programs, one for each shape
(and type) of their arguments. When there are too many programs, or the process has too many maps or too much memory,
the functions that were called longest ago forget theirs. A program that is needed again is compiled again.

JAX itself keeps, without limit, the tracing of each function that another calls (such as `jnp.where`), for each shape:
hundreds of kilobytes for a program, which are freed every now and then. It also keeps the text of each program, another
megabyte, which saves compiling the same again for a call that differs a little (NumPy's arrays in place of JAX's). The
texts are freed together with programs. The programs of single operations (a `+` outside of `jit`, one for each shape)
and of users' own functions belong to JAX, which can only forget all of them; this is done when there are too many.
"""

import contextlib
import ctypes
import gc
import itertools
import os
import weakref
from collections import OrderedDict
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import jax
from jax._src import pjit  # the caches of tracings have no public names
from jax._src.interpreters import partial_eval

from .ended import closing

KEYS = 512
"""How many functions of one kind are kept; a freed function lives on as long as something uses it."""
LOOK_EVERY = 32
"""After this many compilations, JAX's tracings are freed, and the process's memory and maps are checked."""


class CacheInfo(NamedTuple):
    """The cache's state: programs, their functions; how often a function was emptied; the process's use; limits.

    Memory is that of the whole process, in bytes, including its arrays.
    """

    programs: int
    functions: int
    evictions: int
    maps: int
    memory: int
    max_programs: int
    max_maps: int
    max_memory: int


class _State:
    """The limits, and the counts so far."""

    max_programs = 512
    max_maps = 0
    max_memory = 0
    compilations = 0
    evictions = 0
    at_most = 0  # an upper bound of the number of programs: functions that were deleted have taken theirs with them


_turns = itertools.count(1)
_functions: weakref.WeakSet["Compiled"] = weakref.WeakSet()
_kept: list[OrderedDict] = []


class Compiled:
    """A jitted function whose programs are counted; it is called like the function."""

    __slots__ = ("__weakref__", "_function", "programs", "used")

    def __init__(self, function: Any):
        self._function = function
        self.programs = self.used = 0
        _functions.add(self)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.used = next(_turns)
        result = closing(self._function, args, kwargs)
        # Not a method that is kept: Python's garbage collector does not see what it belongs to.
        if self._function._cache_size() != self.programs:
            self._counted()
        return result

    def _counted(self) -> None:
        before, self.programs = self.programs, self._function._cache_size()
        if self.programs > before:
            _State.compilations += 1
            _State.at_most += self.programs - before
            _make_room()

    def eval_shape(self, *args: object) -> object:
        """The shapes of the result."""
        return closing(self._function.eval_shape, args, {})

    def forget(self) -> None:
        """Frees all its programs."""
        self._function.clear_cache()
        self.programs = 0

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._function, name)


def kept(make: Callable[..., Any]) -> Callable[..., Any]:
    """`make`, whose results, functions for hashable arguments, are cached as by `functools.lru_cache`."""
    found: OrderedDict = OrderedDict()
    _kept.append(found)

    @wraps(make)
    def function_for(*key: Any) -> Any:
        function = found.get(key)
        if function is not None:
            found.move_to_end(key)
            return function
        function = found[key] = make(*key)
        if len(found) > KEYS:
            found.popitem(last=False)
        return function

    function_for.cache_clear = found.clear  # type: ignore[attr-defined]
    return function_for


def _make_room() -> None:
    if _State.at_most > _State.max_programs:
        programs = _programs()
        if programs > _State.max_programs:
            _let_go(programs - 3 * _State.max_programs // 4)
    if not _State.compilations or _State.compilations % LOOK_EVERY:
        return  # asking for JAX's programs before anything is compiled would start JAX
    programs = _programs()
    _forget_tracings()
    too_many_maps = _has_too_many_maps()  # counting them makes a list of them
    if too_many_maps or _memory() > _most_memory():
        _let_go(programs // 2)
        gc.collect()
        too_many_maps = _has_too_many_maps()
    if too_many_maps or _has_too_many_others():
        _let_go(programs)
        jax.clear_caches()
        gc.collect()


def _programs() -> int:
    """How many there are. With thousands of functions this takes a millisecond, too long for each compilation."""
    _State.at_most = sum(function.programs for function in _functions)
    return _State.at_most


def _has_too_many_others() -> bool:
    """Whether single operations and users' functions have more programs than the limit of this package."""
    if _others() <= _State.max_programs:
        return False
    gc.collect()  # some may be garbage already
    return _others() > _State.max_programs


def _others() -> int:
    return len(jax.devices()[0].client.live_executables()) - _programs()


def _has_too_many_maps() -> bool:
    return _maps() > _most_maps()


def _let_go(number: int) -> None:
    """Frees at least this many programs, starting with the functions that were called longest ago."""
    for function in sorted(_functions, key=lambda function: function.used):
        if number <= 0:
            break
        if function.programs:
            number -= function.programs
            function.forget()
            _State.evictions += 1
    _forget_tracings()
    _forget_texts()
    _give_back()


def _give_back() -> None:
    """Returns freed memory to the system, which glibc would keep."""
    with contextlib.suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


def _forget_tracings() -> None:
    """Frees JAX's tracings of functions inside others; programs stay."""
    _clear(partial_eval, "trace_to_jaxpr")


def _forget_texts() -> None:
    """Frees the texts of programs; programs stay."""
    _clear(pjit, "_infer_params_cached")


def _clear(module: ModuleType, name: str) -> None:
    """Empties a cache of JAX; versions of JAX in which it has another name keep it."""
    if hasattr(module, name):
        getattr(module, name).cache_clear()


def _maps() -> int:
    """How many maps of memory the process has; 0 if the system does not say."""
    try:
        with open("/proc/self/maps", "rb") as lines:
            return sum(1 for _ in lines)
    except OSError:
        return 0


def _most_maps() -> int:
    """Half of the maps that a process may have, which leaves the rest for other compilers."""
    if not _State.max_maps:
        _State.max_maps = _number_in("/proc/sys/vm/max_map_count", 64_000) // 2
    return _State.max_maps


def _memory() -> int:
    """How many bytes of memory the process has; 0 if the system does not say."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 0


def _most_memory() -> int:
    """Half of the memory that is available to the process."""
    if not _State.max_memory:
        machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 2**62
        _State.max_memory = min(machine, _number_in("/sys/fs/cgroup/memory.max", machine)) // 2
    return _State.max_memory


def _number_in(path: str, otherwise: int) -> int:
    try:
        return int(Path(path).read_text())
    except (OSError, ValueError):
        return otherwise


def cache_limit(programs: int | None = None, maps: int | None = None, memory: int | None = None) -> None:
    """Sets the limits of compiled programs, of the process's maps of memory, and of its bytes.

    The defaults are 512, half of the maps that the system allows, and half of its memory. A process with more maps or
    bytes frees half of its programs, at every 32nd compilation; a process with more than `programs` programs that are
    not functorch7's frees all of those. None leaves a limit unchanged.
    Raises: ValueError unless they are whole numbers above 0.
    """
    for name, value in (("programs", programs), ("maps", maps), ("memory", memory)):
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
            raise ValueError(f"cache_limit: expected {name} >= 1, got {value!r}")
    _State.max_programs = programs or _State.max_programs
    _State.max_maps = maps or _State.max_maps
    _State.max_memory = memory or _State.max_memory
    _make_room()


def cache_info() -> CacheInfo:
    """How many compiled programs are kept, for how many functions, and the limits."""
    counts = [function.programs for function in _functions if function.programs]
    limits = (_State.max_programs, _most_maps(), _most_memory())
    return CacheInfo(sum(counts), len(counts), _State.evictions, _maps(), _memory(), *limits)


def clear_cache() -> None:
    """Frees all compiled programs; functions that are called later are compiled again."""
    for function in list(_functions):
        function.forget()
    for found in _kept:
        found.clear()
    _forget_tracings()
    _forget_texts()
