"""Commands of the operating system; nothing here runs any unless the program has allowed it."""

import subprocess


class _Permission:
    given = False


def allow_commands(allowed: bool = True) -> None:
    """Allows `sys.execute`, `sys.fexecute` and `torch.PipeFile` to run commands, or forbids it again."""
    _Permission.given = allowed


def check_permission(who: str, command: str) -> None:
    """Raises PermissionError, naming who asked, unless `allow_commands` was called."""
    if not _Permission.given:
        raise PermissionError(f"{who} would run {command!r}; functorch7.legacy.sys.allow_commands() lets it")


def output_of(who: str, command: str) -> str:
    """A command's output, with errors, without surrounding white space. Raises PermissionError if not allowed."""
    check_permission(who, command)
    done = subprocess.run(command, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.stdout.strip()
