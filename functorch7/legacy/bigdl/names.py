"""Names of modules."""

from __future__ import annotations

import uuid
from typing import Any, Self

from ..objects.described import Described


class Names(Described):
    """Module's methods for names, which are `named`'s in the description, and in files."""

    _own_name: str | None

    def setName(self, name: str) -> Self:
        """Names the module. Raises TypeError for anything but a text that is not empty."""
        if self._spec is None:
            if not isinstance(name, str) or not name:
                raise TypeError(f"{self.typename()}: expected a name, got {name!r}")
            self.__dict__["_own_name"] = name
        else:
            self._respecify(self._spec.named(name))
        return self

    def _given_name(self) -> str | None:
        """The name that it was given, if any."""
        fields = self.__dict__  # users' classes keep it there
        return fields["_own_name"] if "_own_name" in fields else getattr(self._spec, "own_name", None)

    def getName(self) -> str:
        """The given name, or one such as Linear@3f2a51c8, which no other module has, not even a copy."""
        given = self._given_name()
        if given is not None:
            return given
        kind = self.typename().rpartition(".")[2]
        return self.__dict__.setdefault("_default_name", f"{kind}@{uuid.uuid4().hex[:8]}")

    def setLine(self, line: str) -> Self:
        """Sets what stands between the lines when it is printed, "\\n" by default."""
        if not isinstance(line, str):
            raise TypeError(f"{self.typename()}: expected text between lines, got {line!r}")
        self.__dict__["_line"] = line
        return self

    def find(self, name: str) -> Described | None:
        """The module of this name, itself or inside; None if there is none. Raises ValueError if there are several."""
        found = {id(module): module for module in self._members() if name in module._names()}
        if len(found) > 1:
            raise ValueError(f"{self.title()}: find multiple modules with same name {name!r}")
        return next(iter(found.values()), None)

    def _names(self) -> tuple:
        given = self._given_name()
        return (self.__dict__.get("_default_name"),) if given is None else (given,)

    def _called_so(self, name: str) -> Any:
        """`model["conv1"]`: as `find`, but an unknown name raises KeyError."""
        if not isinstance(name, str):
            raise TypeError(f"{self.title()}: expected a name in brackets, got {name!r}; get(i) takes positions")
        found = self.find(name)
        if found is None:
            given = [its for each in self._members() if (its := each._given_name()) is not None]
            there = f"; there are {', '.join(given)}" if given else ""
            raise KeyError(f"{self.title()}: no module inside is named {name!r}{there}")
        return found

    def _modules_by_name(self) -> dict[str, Any]:
        """Every module that has parameters of its own, by name. Raises ValueError if two have the same."""
        found: dict[str, Any] = {}
        for module in self._members():
            if module.own_parameters() and found.setdefault(module.getName(), module) is not module:
                raise ValueError(f"{self.title()}: find multiple modules with same name {module.getName()!r}")
        return found
