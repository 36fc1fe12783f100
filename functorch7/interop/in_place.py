"""Files for libraries that write in place and would end the process on an error such as a full disk."""

import io
import os

from .locks import WITHOUT_LOCKS, lock

FLAGS = {"r+": 0, "a": os.O_CREAT, "w": os.O_CREAT, "w-": os.O_CREAT | os.O_EXCL}
"""The flags for HDF5's modes; a file opened with "w" is emptied only once it is locked."""


class InPlace(io.RawIOBase):
    """A file for a library to read and write, which keeps its first write error for `check` to raise.

    HDF5 crashes if it cannot write when a file is closed, so it never sees that error. `mode` is one of h5py's. Like
    HDF5's own files it is locked for one program at a time.
    Raises: OSError that names the file; BlockingIOError if another program has locked it.
    """

    def __init__(self, path: str, mode: str):
        self.path = path
        self.error: OSError | None = None
        file = os.open(path, os.O_RDWR | getattr(os, "O_BINARY", 0) | FLAGS[mode], 0o666)
        self._file = os.fdopen(file, "r+b", buffering=0)
        try:
            lock(file)
        except OSError as error:
            if error.errno not in WITHOUT_LOCKS:
                self._file.close()
                raise type(error)(error.errno, "another program has it open", path) from None
        if mode == "w":
            self._file.truncate(0)
        self.is_new = not os.fstat(file).st_size

    def check(self) -> None:
        """Raises the first write error, if there was one."""
        if self.error is not None:
            raise OSError(self.error.errno, self.error.strerror, self.path) from self.error

    # What the library calls --------------------------------------------------------------------------------------

    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        return self._file.readinto(buffer)

    def write(self, given: memoryview) -> int:  # type: ignore[override]
        rest = memoryview(given)
        try:
            while rest:
                rest = rest[self._file.write(rest) :]
        except OSError as error:
            self._keep(error)
        return len(given)

    def truncate(self, size: int | None = None) -> int:
        try:
            return self._file.truncate(size)
        except OSError as error:
            self._keep(error)
            return size or 0

    def close(self) -> None:
        if hasattr(self, "_file"):  # which is not there where it could not be opened
            self._file.close()
        super().close()

    def _keep(self, error: OSError) -> None:
        self.error = self.error or error
