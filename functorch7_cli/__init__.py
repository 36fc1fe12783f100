"""The command line `functorch7`: a program on top of the package functorch7 (docs/command-line.md).

It stands beside that package, so that `functorch7 --help` answers without importing JAX.
"""

from .commands import main as main
