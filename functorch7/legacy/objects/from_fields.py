"""Makes objects from fields, as from a file, but with the very tensors and modules in the fields."""

from __future__ import annotations

from ...core.types import Value
from ...interop.t7 import T7Object
from ...interop.t7.values import Fields
from .loaded import Loaded
from .saved import Saved


def with_fields(classname: str, fields: Fields) -> Value:
    """An object of a class of nn. Raises T7FormatError for fields that do not fit."""
    saved, loaded = Saved(), Loaded()
    record = T7Object(classname, 1, saved.value(dict(fields)))
    loaded.objects.take_tensors(saved.arrays)
    for object, node in saved.described:
        loaded.reader.know(saved.writer.objects[node], node)
        loaded.objects.objects[node] = object
    made = loaded.value(record)
    if isinstance(fields.get("_type"), str):  # a file's may be read where there is no GPU
        vars(made)["_type"] = fields["_type"]
    return made
