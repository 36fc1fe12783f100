"""Recipes from TOML and YAML files: shipped ones by name, others by path."""

import os
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import NoneType
from typing import Any, Literal, get_args, get_origin

import msgspec

from ..core.types import Value
from ..interop.writing import refuse_special
from .attention import Attention
from .billion_words import BillionWords
from .cart_pole import Balancing
from .contrastive import Contrastive
from .images import Images
from .language import Language
from .recipe import Recipe
from .sentiment import Sentiment
from .sequences import Translation

KINDS = Images | Language | BillionWords | Attention | Sentiment | Balancing | Translation | Contrastive
SHIPPED = Path(__file__).parent / "configs"


def shipped() -> dict[str, str]:
    """The names of the shipped recipes, with the first line of each, its description."""
    files = sorted(SHIPPED.glob("*.toml"), key=lambda path: path.stem)
    return {path.stem: path.read_text(encoding="utf-8").splitlines()[0].lstrip("# ") for path in files}


def load(name: str | os.PathLike, changes: Mapping[str, object] | None = None) -> Recipe:
    """The recipe in a file (.toml, .yaml, .yml), or a shipped one by its name, with some settings changed.

    Raises: FileNotFoundError that lists the shipped recipes; ValueError, naming the file and the setting, for files
    that cannot be read, unknown settings, and values of a wrong type or out of range; as `changed`.
    """
    path = Path(name)
    if not path.suffix:
        path = SHIPPED / f"{name}.toml"
    if not path.is_file():
        raise FileNotFoundError(f"{name}: no file of settings, and no shipped recipe; these are {', '.join(shipped())}")
    settings = _read(path)
    if not isinstance(settings, dict):
        raise ValueError(f"{path}: expected settings by name, got {type(settings).__name__}")
    try:
        found = made(settings)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    return changed(found, changes) if changes else found


def changed(recipe: Recipe, changes: Mapping[str, object]) -> Recipe:
    """The recipe with some of its settings changed. Raises: ValueError, naming the setting, as `load` does."""
    return made(msgspec.to_builtins(recipe, str_keys=True) | dict(changes))


def made(settings: dict) -> Recipe:
    """The recipe of these settings, such as those of a run's recipe.json.

    Raises: ValueError for unknown settings and wrong values.
    """
    kinds = {str(kind.__struct_config__.tag): kind for kind in get_args(KINDS)}
    tag = settings.get("recipe")
    if not isinstance(tag, str) or tag not in kinds:
        raise ValueError(f"expected recipe = {_any_of(kinds)}, got {tag!r}")
    types = {field.name: field.type for field in msgspec.structs.fields(kinds[tag])}
    unknown = [str(name) for name in settings if name not in types and name != "recipe"]
    if unknown:
        raise ValueError(f"{tag} has no setting {', '.join(unknown)}; it has {', '.join(sorted(types))}")
    return kinds[tag](**{name: _value(name, types[name], settings[name]) for name in settings if name != "recipe"})


def _value(name: str, type: Value, given: Value) -> Any:
    known = [each for part in (type, *get_args(type)) if get_origin(part) is Literal for each in get_args(part)]
    if known and given not in known and not (given is None and NoneType in get_args(type)):
        raise ValueError(f"{name}: expected {_any_of(known)}, got {given!r}")
    try:
        return msgspec.convert(given, type, str_keys=True)
    except msgspec.ValidationError as error:
        raise ValueError(f"{name} = {given!r}: {error}") from error


def _any_of(names: Iterable[str]) -> str:
    return " or ".join(repr(name) for name in names)


def change(text: str) -> tuple[str, object]:
    """("epochs", 3) from "epochs=3": a setting's name and its value in TOML; plain words need no quotes.

    Raises: ValueError for a text without a name and "=", for a list, a table or a quoted text that is not TOML, and for
    several lines, of which the first would count.
    """
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise ValueError(f"expected a setting as name=value, got {text!r}")
    if "\n" in value.strip():
        raise ValueError(f"{name.strip()}: expected one value on one line, got {value!r}")
    try:
        return name.strip(), tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError as error:
        if value.strip()[:1] in {"[", "{", '"', "'"}:
            raise ValueError(f"{name.strip()}: expected TOML, such as [1, 2] or {{1 = 0.5}}, got {value}") from error
        return name.strip(), value.strip()


def _read(path: Path) -> Any:
    refuse_special(path)
    text = path.read_bytes()
    try:
        return msgspec.yaml.decode(text) if path.suffix in (".yaml", ".yml") else msgspec.toml.decode(text)
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: {error}; settings are TOML (.toml) or YAML (.yaml, .yml), in UTF-8") from error
    except msgspec.DecodeError as error:
        raise ValueError(f"{path}: {error}") from error
