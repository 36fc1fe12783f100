"""Classes that Torch names as they are called here."""


class Named:
    """The base of classes of the package `torch` itself."""

    __slots__ = ()

    @classmethod
    def typename(cls) -> str:
        """Torch's name of the class, such as "torch.Timer"."""
        return f"torch.{cls.__name__}"

    def __repr__(self) -> str:
        return self.typename()
