"""Commands of the operating system, which nothing here runs unless the program has said that it may."""

import subprocess


class _Permission:
    given = False


def allow_commands(allowed: bool = True) -> None:
    """Lets `sys.execute`, `sys.fexecute` and `torch.PipeFile` run commands, or forbids it again."""
    _Permission.given = allowed


def check_permission(who: str, command: str) -> None:
    """Raises PermissionError, naming who asked, unless `allow_commands` was called."""
    if not _Permission.given:
        raise PermissionError(f"{who} would run {command!r}; functorch7.legacy.sys.allow_commands() lets it")


def output_of(who: str, command: str) -> str:
    """What a command prints, errors too, without white space around it. Raises PermissionError if that is closed."""
    check_permission(who, command)
    done = subprocess.run(command, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.stdout.strip()
