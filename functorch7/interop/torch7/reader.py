"""Converts objects of a file to nodes: descriptions with arrays."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from ... import core
from ...checks.tables import entries
from ...core.types import Key, Output, Tree, Value
from ...layers import SpatialMaxUnpooling, VolumetricMaxUnpooling
from ...layers.pooling import Record as PoolingRecord
from ...losses import Criterion
from ...recurrent import AbstractRecurrent, Recursor, Repeater, Sequencer
from ..by_identity import ByIdentity
from ..t7 import T7FormatError, T7Object
from ..t7.values import Fields, LuaFunction
from .extent import DEEPEST, Extent, Extents
from .names import REPLICAS, known_name, upgraded
from .node import Node
from .record import Record, records_in
from .schema import Schema
from .table import schema_of

UNPOOLINGS = tuple(each.torch_name() for each in (SpatialMaxUnpooling, VolumetricMaxUnpooling))
METHODS = ("updateOutput", "updateGradInput", "accGradParameters", "parameters")
"""Methods that objects replace by functions of their own when they compute something else."""
PARTS = {"input_module": "inputModule", "target_module": "targetModule"}

ADVICE = """\
import the Python modules that define them first, or give functorch7.load_t7(path, lua=files) the Lua files that do;
allow_unknown=True loads what is around them"""


class UnknownClassError(T7FormatError):
    """Raised for a file with objects of unknown classes; `classes` lists (name, place, fields) of each."""

    def __init__(self, classes: list[tuple[str, str, list[str]]], offset: int):
        lines = [f"  {name} at {place}, with {_listed(fields)}" for name, place, fields in classes]
        super().__init__("\n".join(["no module stands for these Torch classes:", *lines, ADVICE]), offset)
        self.classes = classes


def _listed(fields: list[str]) -> str:
    return f"the fields {', '.join(fields)}" if fields else "no fields"


class Unknown(core.Module, abstract=True):
    """Stands for an object of an unknown class; it cannot be run, only replaced."""

    object: Value

    def forward(self, params: Tree, buffers: Tree, input: Value, *, key: Key, train: bool) -> tuple[Output, Tree]:
        raise NotImplementedError(f"{self.object.class_name}: functorch7 has no such class; put a module in its place")

    def printed(self) -> str:
        return f"{self.object.class_name} (unknown)"


class UnknownCriterion(Unknown, Criterion, abstract=True):
    """The same for criterions."""


class Adopted(Unknown, abstract=True):
    """Stands for an object that is not a module but has a module's methods, which Torch's graphs accept."""

    def printed(self) -> str:
        return str(self.object)


readers: dict[str, Callable[[Reader, Record], Node]] = {}
"""How to read objects of classes that no schema can describe, by the name in the file: from a record to a node."""


def _nothing(_: object) -> None:
    """What is known of a name or an object where nobody has classes of their own."""


class Reader:
    """Makes nodes from objects; one object becomes one node, wherever it occurs."""

    def __init__(
        self,
        allow_unknown: bool | Collection[str] = False,
        users: Callable[[str], type | None] = _nothing,
        parent_of: Callable[[str], str | None] = _nothing,
        adopted: Callable[[Value], Value] = _nothing,
        rewritten: Callable[[str], type | None] = _nothing,
    ):
        self.allow_unknown = allow_unknown
        self.users_class = users  # the class of a name that the user has written
        self.parent_of = parent_of  # the class of Torch from which a user has derived one
        self.adopted = adopted  # the object, no module, that a graph may hold for a value; or None
        self.rewritten = rewritten  # the class that a program has put in the place of Torch's
        self.users: list[tuple[T7Object, str]] = []
        self.owned: list[tuple[dict[str, Any], str]] = []  # fields that programs have added
        self.unknown: list[tuple[str, str, list[str]]] = []
        self.first_unknown = 0
        self.methods: list[str] = []  # functions that objects have in place of methods
        self.nodes: ByIdentity[Value, Node] = ByIdentity()
        self.open: set[int] = set()  # objects whose nodes are being made
        self.extents = Extents()
        self.pooled: dict[T7Object, PoolingRecord] = {}
        self.searched: set[int] = set()

    def is_module(self, value: Value) -> bool:
        """Whether a value in a graph's node stands for a module."""
        return isinstance(value, T7Object) or self.adopted(value) is not None

    def read(self, object: T7Object, path: str = "the top") -> Node:
        """The node of an object. Raises UnknownClassError, and T7ModuleError for fields that do not make a module."""
        node = self.noted(object, path)
        self.check()
        return node

    def noted(self, object: T7Object, path: str) -> Node:
        """The same, but UnknownClassError is only raised by `check`."""
        try:
            self._find_unpoolings(object)
            return self.node(object, path)
        except RecursionError:
            raise T7FormatError("modules are nested too deeply", 0) from None

    def know(self, object: T7Object, node: Node) -> None:
        """Uses a node for an object, which is then not described."""
        self.nodes[object] = node
        self.extents.known[node] = Extent(1, 1, 0)

    def check(self) -> None:
        """Raises UnknownClassError if objects were found that are not allowed."""
        allowed = self.allow_unknown
        refused = [] if allowed is True else [each for each in self.unknown if not allowed or each[0] not in allowed]
        if refused:
            raise UnknownClassError(refused, self.first_unknown)

    def node(self, object: T7Object, path: str) -> Node:
        """The node of an object; unknown classes are noted.

        Raises: T7ModuleError for an object that is inside itself, and for one too large or too deep for its file.
        """
        if object in self.nodes:
            return self.nodes[object]
        if id(object) in self.open:
            raise _about(object, path).error("a module inside itself")
        if len(self.open) == DEEPEST:
            raise _about(object, path).error(f"modules are nested more than {DEEPEST} deep")
        self.open.add(id(object))
        try:
            node = self._made(object, path)
            problem = self.extents.problem(node)
        except (T7FormatError, RecursionError):
            raise
        except Exception as error:  # any error that a description raises for the file's values
            raise _about(object, path).error(_said(error)) from error
        finally:
            self.open.discard(id(object))
        if problem:
            raise _about(object, path).error(problem)
        self.nodes[object] = node
        return node

    def _made(self, object: T7Object, path: str) -> Node:
        if not isinstance(object, T7Object):
            return self._foreign(object, path)
        if object.class_name in REPLICAS:
            replicas = records_in(upgraded(object).get("modules"))
            if replicas:
                return self.node(replicas[0], f"{path}.modules[1]")
        name = known_name(object.class_name)
        own_reader = readers.get(object.class_name)
        if name is None and own_reader is None:
            parent = self.parent_of(object.class_name)
            return self._foreign(object, path) if parent is None else self._derived(object, parent, path)
        if self.rewritten(object.class_name) is not None:
            return self._foreign(object, path)
        fields = upgraded(object)
        if object in self.pooled:
            fields = fields | {"record": self.pooled[object]}
        record = Record(object, name or object.class_name, fields, path)
        node = self.described(record) if own_reader is None else own_reader(self, record)
        self.methods += [
            f"{object.class_name} at {path}: {name}" for name in METHODS if isinstance(fields.get(name), LuaFunction)
        ]
        node.own = record.own_fields()
        if node.own:
            self.owned.append((node.own, path))
        return node

    def _derived(self, object: T7Object, parent: str, path: str) -> Node:
        """The node of an object whose class a user has derived from one of Torch's, which determines its fields."""
        node = self._made(T7Object(parent, object.version, object.fields, offset=object.offset), path)
        node.user_class = object.class_name
        return node

    def _foreign(self, object: T7Object, path: str) -> Node:
        """The place of an object of a user's class, of another that has a module's methods, or of an unknown one."""
        adopted = self.adopted(object)
        if adopted is not None:
            fields = object.fields if isinstance(object, T7Object) else object
            if isinstance(fields, dict):
                self.owned.append((fields, path))
            return Node(Adopted(adopted))
        if self.users_class(object.class_name) is not None:
            if not isinstance(object.fields, dict):
                kind = type(object.fields).__name__
                raise T7FormatError(f"{object.class_name} at {path}: expected fields, got {kind}", object.offset)
            self.users.append((object, path))
        else:
            fields = sorted(map(str, object.fields)) if isinstance(object.fields, dict) else []
            self.first_unknown = self.first_unknown or object.offset
            self.unknown.append((object.class_name, path, fields))
        return Node(Unknown(object))

    def described(self, record: Record) -> Node:
        """The node of an object whose class a schema describes."""
        schema = schema_of(core.registry[record.class_name])
        children = self._children(record, schema)
        parts = {name: self._part(record, name) for name in schema.parts}
        described = {name: _spec_of(part) for name, part in parts.items()}
        spec = schema.named(schema.describe(record, tuple(child.spec for child in children), described), record)
        children = _of_spec(record, spec, children, parts)
        parameters, gradients = schema.arrays(record, spec)
        buffers = {name: array for name in schema.buffers if (array := record.array(name)) is not None}
        if isinstance(record.fields.get("module"), T7Object) and "criterion" in parts:
            parts["module"] = self.node(record.fields["module"], f"{record.path}.module")
        output, grad_input = (record.fields.get(name) for name in ("output", "gradInput"))
        node = Node(spec, parameters, gradients, buffers, children, parts, record.settings(), output, grad_input)
        node.state = schema.state.read(record)
        try:
            schema.write(node)
        except (LookupError, AttributeError, TypeError, ValueError) as error:
            raise record.error(f"what is inside is not what Torch composes {record.class_name} of") from error
        return node

    def _children(self, record: Record, schema: Schema) -> list[Node]:
        """The nodes of the modules that a schema finds inside an object."""
        inside = schema.children(record)
        if schema.inside not in (None, len(inside)):
            raise record.error(f"expected {schema.inside} modules inside, got {len(inside)}")
        children = [self.node(each, f"{record.path}.modules[{i}]") for i, each in enumerate(inside, 1)]
        return [_as_step(child) for child in children] if schema.spec_class in (Sequencer, Repeater) else children

    def _part(self, record: Record, name: str) -> Value:
        torch = PARTS.get(name, name)
        value = record.get(torch)
        if torch == "module" and value is None:
            value = next(iter(records_in(record.get("modules"))), None)
        if isinstance(value, T7Object):
            return self._fitting(record, name, value, f"{record.path}.{torch}")
        if name == "criterions":
            found = enumerate(records_in(value), 1)
            return [self._fitting(record, name, each, f"{record.path}.{torch}[{i}]") for i, each in found]
        return None

    def _fitting(self, record: Record, name: str, object: T7Object, path: str) -> Node:
        """The object's node; in the place of a criterion it has to be a criterion, or unknown."""
        node = self.node(object, path)
        if not name.startswith("criterion") or isinstance(node.spec, Criterion):
            return node
        if not isinstance(node.spec, Unknown):
            raise record.error(f"expected a criterion, got {node.spec.torch_name()}")
        node = self.nodes[object] = Node(UnknownCriterion(object))
        return node

    def _find_unpoolings(self, root: T7Object) -> None:
        """Poolings that belong to an unpooling get a record that both share."""
        waiting, seen = [root], self.searched
        while waiting:
            value = waiting.pop()
            if id(value) in seen or not isinstance(value, (T7Object, dict, list)):
                continue
            seen.add(id(value))
            if isinstance(value, T7Object):
                fields = value.fields if isinstance(value.fields, dict) else {}
                pooling = fields.get("pooling")
                if value.class_name in UNPOOLINGS and isinstance(pooling, T7Object):
                    self.pooled.setdefault(pooling, PoolingRecord())
                value = fields
            waiting += entries(value)


def _of_spec(record: Record, spec: core.Module, inside: list[Node], parts: Fields) -> list[Node]:
    """The nodes of a description's children: the modules inside, or a criterion's parts.

    There are none where Torch composes modules for what a description does at once.
    """
    wanted = len(spec.child_modules())
    if not wanted:
        return []
    found = inside or [node for part in parts.values() for node in (part if isinstance(part, list) else [part]) if node]
    if len(found) != wanted:
        raise record.error(f"expected {wanted} modules inside, got {len(found)}")
    for node, own in zip(found, spec.child_modules(), strict=True):
        if isinstance(own, type(node.spec)) and core.registry.get(own.torch_name()) is not type(own):
            node.spec = own  # of a class for which files have the name of the one above
    return found


def _about(object: T7Object, path: str) -> Record:
    return Record(object, object.class_name, {}, path)


def _said(error: Exception) -> str:
    """An error's message; messages of Python's own errors say little without the error's name."""
    return str(error) if type(error) in (ValueError, TypeError) else f"{type(error).__name__}: {error}"


def _spec_of(part: Value) -> Value:
    if isinstance(part, list):
        return tuple(each.spec for each in part)
    return None if part is None else part.spec


def _as_step(node: Node) -> Node:
    """The node as a step of a sequence; older files have no Recursor around modules that are not recurrent."""
    if isinstance(node.spec, AbstractRecurrent):
        return node
    return Node(Recursor(node.spec), children=[node], settings=dict(node.settings))
