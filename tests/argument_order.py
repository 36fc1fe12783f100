"""The order in which pytest collects what its command line names."""

import os


def by_depth(arguments):
    """Those in outer folders first; otherwise in their order.

    pytest 9.1 gives the fixtures of a conftest.py to the folder as it is when it is collected first, and a file that is
    named in the folder around it collects it anew, without them: `pytest tests/lua/a.py tests/b.py tests/lua/c.py`.
    """
    return sorted(arguments, key=lambda argument: os.path.abspath(argument.split("::")[0]).count(os.sep))
