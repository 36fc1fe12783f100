"""File locks, for one program at a time."""

import errno

try:
    import fcntl
except ImportError:  # Windows, where open files cannot be deleted anyway
    fcntl = None  # type: ignore[assignment]

WITHOUT_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP}
"""The errors of file systems that have no locks."""


def lock(file: int) -> None:
    """Locks an open file until it is closed.

    Raises: BlockingIOError if another program has the lock; OSError with one of `WITHOUT_LOCKS` if there are none.
    """
    if fcntl is None:
        raise OSError(errno.ENOSYS, "no locks")
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
