"""Locks of files, for one program at a time."""

import errno

try:
    import fcntl
except ImportError:  # not a Unix, and what is open cannot be deleted there
    fcntl = None  # type: ignore[assignment]

WITHOUT_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP}
"""What file systems answer that have no locks."""


def lock(file: int) -> None:
    """Locks an open file until it is closed.

    Raises: BlockingIOError if another has the lock; OSError of one of `WITHOUT_LOCKS` where there are none.
    """
    if fcntl is None:
        raise OSError(errno.ENOSYS, "no locks")
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
