"""Closes what JAX leaves open when a signal, such as Ctrl-C, interrupts it, so that later computations are correct.

JAX closes its blocks with Python functions, and a signal may raise KeyboardInterrupt when one of these begins. Then
the function that was being traced stays the current one, and later computations become a part of it. And a value that
was being put into a cache never arrives: asking for it raises a RecursionError.
"""

from collections.abc import Callable, Mapping

from jax._src import core, util  # the current trace, and the caches of tracings, have no public names

trace = core.trace_state_strong_ref
"""Its `value` is the current trace, which JAX's own property finds by two calls more."""


def is_outside() -> bool:
    """Whether nothing is being traced."""
    return trace.value is core.eval_trace and core.axis_env_state.value is core.top_axis_env


def close(around: core.Trace | None) -> None:
    """Returns to the trace that was current when a block began."""
    if trace.value is not around:
        if around is core.eval_trace:
            core.trace_ctx.reset()
        else:
            core.trace_ctx.set_trace(around)


def closing(function: Callable, args: tuple, options: Mapping[str, object]) -> object:
    """The result of a JAX function, called again if caches still wait for something that a signal interrupted."""
    around = trace.value
    try:
        # JAX looks up names, even missing ones, in Python's slow way.
        return function(*args, **options) if options else function(*args)
    except BaseException as error:
        close(around)
        if not (type(error) is RecursionError and str(error).startswith("Recursively calling")):
            raise
    util.clear_all_caches()
    return function(*args, **options)
