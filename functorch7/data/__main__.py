"""python -m functorch7.data COMMAND: twokenize, downloadimagenet or harmonizeimagenet; each has a --help."""

import sys

from . import twokenize
from .datasets import download_imagenet, harmonize_imagenet

COMMANDS = {
    "twokenize": twokenize.main,
    "downloadimagenet": download_imagenet.main,
    "harmonizeimagenet": harmonize_imagenet.main,
}


def main(arguments: list[str]) -> None:
    """Runs the command that comes first, with the other arguments: exit codes as argparse's, and 1 for files."""
    name, *others = arguments or [""]
    if name in ("-h", "--help"):
        return print(f"usage: {__doc__}")
    if name not in COMMANDS:
        print(f"usage: {__doc__}", file=sys.stderr)
        sys.exit(2)
    try:
        COMMANDS[name](others)
    except (ImportError, OSError, ValueError) as error:
        sys.exit(f"python -m functorch7.data {name}: {error}")


if __name__ == "__main__":
    main(sys.argv[1:])
