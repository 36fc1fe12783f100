"""md5: checksums of texts."""

from __future__ import annotations

import hashlib


def sumhexa(text: str) -> str:
    """The MD5 sum of a text's bytes, in 32 hexadecimal digits.

    >>> sumhexa("functorch7")[:6]
    '9b8954'
    """
    return hashlib.md5(text.encode("utf-8", "surrogateescape"), usedforsecurity=False).hexdigest()


__all__ = ["sumhexa"]
