"""`python -m functorch7.viz` draws transfer functions."""

from .command import main

if __name__ == "__main__":
    main()
