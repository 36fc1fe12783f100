"""Prints modules as Torch does, with the texts of users' classes."""

from __future__ import annotations

from ... import core
from .described import Described, overridden_in

OWN = ("__tostring__", "__repr__")
"""Methods with which a user's class defines its text."""


class Printed(Described):
    """A module with Torch's text."""

    def title(self) -> str:
        """The module in one line."""
        return core.title(self)

    def __tostring__(self) -> str:
        """The printed text: a method that Torch's classes define, and call on the class above."""
        return self.typename() if self._is_named_alone() else self._around_shown().printed()

    def _is_named_alone(self) -> bool:
        """Whether its class is a user's directly below nn.Module or nn.Container: Torch prints only its name."""
        return type(self._spec) in (type(None), core.Container)

    def _around_shown(self) -> core.Module:
        """The description with the modules inside as they are printed."""
        return self.described_with([each._shown() for each in self.children()])

    def _shown(self) -> core.Module:
        """The description with the texts of users' objects that define them."""
        spec = self.description() if self._spec is None else self._around_shown()
        if any(overridden_in(type(self), name) for name in OWN) or type(self._spec) is core.Container:
            spec = spec.replace()
            spec._set(own_text=repr(self))
        return spec

    def __repr__(self) -> str:
        return str(type(self).__tostring__(self)).replace("\n", self.__dict__.get("_line", "\n"))

    def _repr_html_(self) -> str:
        return self._shown()._repr_html_()
