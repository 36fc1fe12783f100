"""Classes that Torch names as they are called here."""


class Named:
    """The base of classes of the package `torch` itself, or of another one that is neither nn's nor the user's."""

    __slots__ = ()
    _package = "torch"

    @classmethod
    def typename(cls) -> str:
        """Torch's name of the class, such as "torch.Timer"."""
        return f"{cls._package}.{cls.__name__}"

    def __repr__(self) -> str:
        return self.typename()
