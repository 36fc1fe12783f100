"""Where an error comes from: a statement of this package's, what the interpreter could not do, or other code."""

import dis
import sys
from collections.abc import Iterator
from types import FrameType, TracebackType

OURS = __name__.split(".")[0]
LIBRARIES = {OURS, "jax", "jaxlib", "matplotlib", "numpy", "PIL", *sys.stdlib_module_names}
"""Whose code fails for arguments that a function does not take; errors of other code, such as a callback's, stay."""

Frames = list[tuple[FrameType, int]]


def frames_of(error: BaseException) -> Frames:
    """The frames of an error's traceback from the outside in, each with where it stood."""
    return [*_frames(error.__traceback__)]


def _frames(traceback: TracebackType | None) -> Iterator[tuple[FrameType, int]]:
    while traceback is not None:
        yield traceback.tb_frame, traceback.tb_lasti
        traceback = traceback.tb_next


def package_of(frame: FrameType) -> str:
    """The name of the package whose code a frame runs."""
    return str(frame.f_globals.get("__name__")).split(".")[0]


def is_of_libraries(frames: Frames) -> bool:
    """Whether no other code has a part in it than this package's and that of the libraries beneath."""
    return all(package_of(frame) in LIBRARIES for frame, _ in frames)


def is_raised_here(frames: Frames) -> bool:
    """Whether the error is raised by a statement of this package's, and not by what the interpreter could not do.

    What is asked of a tensor that it does not have (`no_method`) is of the second kind.
    """
    if not frames or frames[-1][0].f_code.co_name == "__getattr__":
        return False
    frame, at = frames[-1]
    return package_of(frame) == OURS and dis.opname[frame.f_code.co_code[at]] == "RAISE_VARARGS"
