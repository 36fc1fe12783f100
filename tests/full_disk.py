"""What a full disk does to programs."""

import contextlib
import resource


@contextlib.contextmanager
def files_of_at_most(size):
    """A block in which writing more is an error, or, to who does not look, a file of that size."""
    allowed = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, allowed[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, allowed)
