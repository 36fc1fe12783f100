"""What JAX leaves open where a signal ends its work, as Ctrl-C does, is closed: what comes next is computed as ever.

JAX closes its blocks by functions of Python's, and a signal may raise KeyboardInterrupt when one of these begins. Then
the function that was being traced stays the current one, and whatever is computed afterwards becomes a part of it. And
what was on its way into a cache is on its way for ever: to ask for it is a RecursionError.
"""

from collections.abc import Callable, Mapping

from jax._src import core, util  # what is being traced, and the caches of tracings, have no public names


def current() -> core.Trace | None:
    """What is being traced now."""
    return core.trace_ctx.trace


def close(around: core.Trace | None) -> None:
    """Goes on in what was being traced when a block began."""
    if core.trace_ctx.trace is not around:
        if around is core.eval_trace:
            core.trace_ctx.reset()
        else:
            core.trace_ctx.set_trace(around)


def closing(function: Callable, args: tuple, options: Mapping[str, object]) -> object:
    """What a function of JAX's gives, which is asked again where caches still wait for what a signal has ended."""
    around = current()
    try:
        # JAX looks at names, even none, in Python's slow way.
        return function(*args, **options) if options else function(*args)
    except BaseException as error:
        close(around)
        if not (type(error) is RecursionError and str(error).startswith("Recursively calling")):
            raise
    util.clear_all_caches()
    return function(*args, **options)
