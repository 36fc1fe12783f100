"""Torch's package itorch: pictures in notebooks, or in files outside of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...core.display import in_notebook
from ...core.types import Value
from ...interop.writing import replacing
from .. import image as images
from ..image.display import show
from ..image.pillow import to_picture
from ..tensors.tensor import Tensor
from .plot import Plot as Plot


def image(img: str | Tensor | Sequence[Tensor], opts: Mapping[str, Value] | None = None) -> None:
    """Shows an image: a tensor, a list of them in a grid, or a file; outside of notebooks in itorch.image.png.

    A file may also be an SVG picture, as for `svg`.
    Options are those of `image.toDisplayTensor`; without any, 2 pixels of padding. Raises ImportError without Pillow.
    """
    if isinstance(img, str) and img.endswith(".svg"):
        return svg(img)
    found: Any = images.load(img, 3) if isinstance(img, str) else img
    options: dict[str, Any] = {"padding": 2} if opts is None else dict(opts)
    show(to_picture("itorch.image", images.toDisplayTensor(found, **options)), "itorch.image")


def html(html: str, name: str = "itorch") -> None:
    """Shows HTML; outside of notebooks in a file, itorch.html."""
    _show("HTML", html, f"{name}.html")


def svg(filename: str) -> None:
    """Shows an SVG picture, a file or its text; outside of notebooks in itorch.svg.

    Raises: OSError for a file that cannot be read.
    """
    text = filename
    if not filename.lstrip().startswith("<"):
        with open(filename, encoding="utf-8") as file:
            text = file.read()
    _show("SVG", text, "itorch.svg")


def audio(fname: str) -> None:
    """Plays a sound in a notebook: the name of an mp3, wav, ogg or aac file. Raises OSError without the file."""
    _play("Audio", fname, {"filename": fname})


def video(fname: str) -> None:
    """Shows a video in a notebook: the name of an mp4, ogg or webm file. Raises OSError without the file."""
    _play("Video", fname, {"filename": fname, "embed": True})


def lena() -> None:
    """Shows `image.lena()`. Raises ImportError without Pillow and matplotlib."""
    image(images.lena())


def _play(kind: str, name: str, options: dict[str, Any]) -> None:
    with open(name, "rb"):  # so that a name without a file is an error everywhere
        pass
    if not in_notebook():
        print(f"itorch: {name} is played in notebooks alone")
        return
    from IPython import display  # type: ignore[import-not-found]

    display.display(getattr(display, kind)(**options))


def _show(kind: str, text: str, name: str) -> None:
    if in_notebook():
        from IPython import display  # type: ignore[import-not-found]

        display.display(getattr(display, kind)(text))
        return
    with replacing(name) as draft:
        draft.write_text(text, encoding="utf-8")
    print(f"itorch: written to {name}")
