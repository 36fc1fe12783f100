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
    """Runs the command that comes first, with the other arguments."""
    if not arguments or arguments[0] not in COMMANDS:
        sys.exit(f"usage: {__doc__}")
    COMMANDS[arguments[0]](arguments[1:])


if __name__ == "__main__":
    main(sys.argv[1:])
