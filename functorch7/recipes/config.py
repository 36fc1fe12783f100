"""Recipes from TOML and YAML files: the shipped ones by name, and anybody's by path."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from .attention import Attention
from .billion_words import BillionWords
from .images import Images
from .language import Language
from .recipe import Recipe
from .sentiment import Sentiment

KINDS = Images | Language | BillionWords | Attention | Sentiment
SHIPPED = Path(__file__).parent / "configs"


def shipped() -> dict[str, str]:
    """The names of the shipped recipes, and the first line of each, which says what it is."""
    return {path.stem: path.read_text().splitlines()[0].lstrip("# ") for path in sorted(SHIPPED.glob("*.toml"))}


def load(name: str, changes: Mapping[str, Any] | None = None) -> Recipe:
    """The recipe in a file (.toml, .yaml, .yml), or a shipped one, with some of its settings changed.

    Raises: FileNotFoundError that lists the shipped recipes; ValueError, naming the file and the setting, for files
    that cannot be read, unknown settings, and values of a wrong type or out of range.
    """
    path = Path(name)
    if not path.suffix:
        path = SHIPPED / f"{name}.toml"
    if not path.is_file():
        raise FileNotFoundError(f"{name}: no such file, and no shipped recipe; these are {', '.join(shipped())}")
    settings = _read(path)
    if not isinstance(settings, dict):
        raise ValueError(f"{path}: expected settings by name, got {type(settings).__name__}")
    try:
        return msgspec.convert(settings | dict(changes or {}), KINDS, str_keys=True)  # type: ignore[return-value]
    except msgspec.ValidationError as error:
        raise ValueError(f"{path}: {error}") from error


def change(text: str) -> tuple[str, Any]:
    """("epochs", 3) from "epochs=3": a setting's name and its value in TOML, where plain words need no quotes.

    Raises: ValueError for a text without a name and "=".
    """
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise ValueError(f"expected a setting as name=value, got {text!r}")
    try:
        return name.strip(), tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return name.strip(), value.strip()


def _read(path: Path) -> Any:
    text = path.read_bytes()
    try:
        return msgspec.yaml.decode(text) if path.suffix in (".yaml", ".yml") else msgspec.toml.decode(text)
    except msgspec.DecodeError as error:
        raise ValueError(f"{path}: {error}") from error
