"""`python -m functorch7` is the command `functorch7`."""

from functorch7_cli import main

if __name__ == "__main__":
    main(prog_name="functorch7")
