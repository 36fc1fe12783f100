"""What commands found, as text for people."""

from __future__ import annotations

from typing import Any

from .command import printable

Described = dict[str, Any]


def shown(contents: Described) -> str:
    """A file's contents: a line about the file, then its value."""
    encoding = contents.get("encoding")
    about = [contents["form"], *([encoding] if encoding else []), size(contents["bytes"])]
    if contents.get("long_size") == 4:
        about.insert(2, "from a 32-bit machine")
    rest = contents.get("bytes_after")
    after = ["", f"{rest} bytes follow this object; load_t7(path, all=True) reads them, too"] if rest else []
    return printable("\n".join([f"{contents['file']}: {', '.join(about)}", "", *_value(contents["value"]), *after]))


def size(count: int) -> str:
    """Bytes in the greatest unit that gives at least 1."""
    amount, unit = float(count), "B"
    for larger in ("kB", "MB", "GB", "TB"):
        if round(amount, 1) < 1000:
            break
        amount, unit = amount / 1000, larger
    return f"{count} B" if unit == "B" else f"{amount:.1f} {unit}"


def _value(value: Described) -> list[str]:
    """The lines of a value; those of what is inside follow, indented."""
    kind = value["kind"]
    if kind == "network":
        return _network(value)
    if kind == "arrays":
        texts = [f"{name}: {_plain(text)}" for name, text in value["metadata"].items()]
        total = _total("number", value["count"], value["dtypes"], value["array_bytes"])
        return [*_arrays("arrays", value["arrays"]), total, *texts]
    if kind == "program":
        given, result = (", ".join(map(_tensors, value[name])) for name in ("inputs", "outputs"))
        return [f"compiled program for {', '.join(value['platforms'])}: {given} -> {result}"]
    if kind == "object":
        return [f"{value['class']}, version {value['version']}: {value['problem']}", *_entries(value["fields"])]
    if kind == "table":
        hidden = value["length"] - len(value["entries"])
        more = [f"  ... {hidden} more"] if hidden else []
        return [f"table, {_counted(value['length'], 'entry', 'entries')}", *_entries(value["entries"]), *more]
    if kind in ("tensor", "storage"):
        return [f"{kind} {_shape(value)} {value['dtype']}"]
    if kind == "function":
        return [f"Lua function, {value['bytes']} bytes, never run"]
    return [{"seen": "(see above)", "deeper": "..."}.get(kind) or _plain(value["value"])]


def _plain(value: Any) -> str:
    text = "nil" if value is None else str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _entries(entries: Described) -> list[str]:
    lines = []
    for key, value in entries.items():
        first, *rest = _value(value)
        lines += [f"  {key}: {first}", *(f"  {line}" if line else "" for line in rest)]
    return lines


def _network(network: Described) -> list[str]:
    lines = [*network["tree"].splitlines(), ""]
    for graph in network["graphs"]:
        where = f" at {graph['layer']}" if graph["layer"] else ""
        lines += [f"graph{where}:", *(f"  {line}" for line in graph["wiring"]), ""]
    lines += _arrays("parameters", network["parameters"]) + _arrays("buffers", network["buffers"])
    about = _total("parameter", *(network[name] for name in ("parameter_count", "dtypes", "parameter_bytes")))
    lines.append(about + (f"; buffers {size(network['buffer_bytes'])}" if network["buffers"] else ""))
    for unknown in network["unknown"]:
        lines += ["", f"{unknown['class']} at {unknown['layer'] or 'the top'}: functorch7 has no such class"]
        lines += _entries(unknown["fields"])
    return lines


def _total(what: str, count: int, dtypes: list[str], total: int) -> str:
    return ", ".join([_counted(count, what), *([" and ".join(dtypes)] if dtypes else []), size(total)])


def _arrays(title: str, arrays: list[Described]) -> list[str]:
    if not arrays:
        return []
    notes = [f"  the same as {each['tied_to']}" if "tied_to" in each else "" for each in arrays]
    rows = [(each["name"], _shape(each), each["dtype"]) for each in arrays]
    name, shape, dtype = (max(map(len, column)) for column in zip(*rows, strict=True))
    lines = [
        f"  {n:{name}}  {s:>{shape}}  {d:{dtype}}{note}".rstrip() for (n, s, d), note in zip(rows, notes, strict=True)
    ]
    return [f"{title}:", *lines, ""]


def _shape(array: Described) -> str:
    return "x".join(map(str, array["shape"])) or "number"


def _counted(count: int, one: str, many: str | None = None) -> str:
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def shown_output(found: Described) -> str:
    """What `run` found."""
    return "\n".join([f"input  {_tensors(found['input'])}", *_outputs(found["output"], "output")])


def _tensors(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return f"{{{', '.join(map(_tensors, value))}}}"
    return f"{_shape(value)} {value['dtype']}"


def _outputs(value: Any, title: str) -> list[str]:
    if isinstance(value, (list, tuple)):
        return [line for i, each in enumerate(value, 1) for line in _outputs(each, f"{title}[{i}]")]
    lines = [f"{title} {_tensors(value)}"]
    if "min" in value:
        lines.append("  " + ", ".join(f"{name} {value[name]:.6g}" for name in ("min", "max", "mean", "std")))
    for i, row in enumerate(value.get("top", []), 1):
        lines.append(f"  example {i}" if value["examples"] > 1 else "  greatest")
        lines += [f"    class {each['class']:>5}  {each['value']:.6g}" for each in row]
    hidden = value.get("examples", 0) - len(value.get("top", []))
    return [*lines, *([f"  ... {_counted(hidden, 'more example')}"] if hidden else [])]


def shown_times(found: Described) -> str:
    """What `bench` found."""
    about = f"input {_tensors(found['input'])}, {_counted(found['parameter_count'], 'parameter')}, {found['device']}"
    rows = [["", "compile", "first call", "later calls", "first/later"]]
    for title, name in (("forward", "forward"), ("forward and backward", "forward_backward")):
        times = found[name]
        durations = [_duration(times[each]) for each in ("compile", "first", "later")]
        rows.append([title, *durations, f"{times['ratio']:,.0f}"])
    return "\n".join([about, *("  ".join([f"{row[0]:20}", *(f"{cell:>11}" for cell in row[1:])]) for row in rows)])


def _duration(seconds: float) -> str:
    for unit, scale in (("s", 1), ("ms", 1e3)):
        if seconds * scale >= 0.9995:  # which three digits show as 1
            return f"{seconds * scale:.3g} {unit}"
    return f"{seconds * 1e6:.3g} us"


def shown_training(found: dict[str, Any]) -> str:
    """How a run ended, and what its network is worth."""
    lines = [f"{found['ended']} after epoch {found['epochs']}; {found['folder']} has the run"]
    return "\n".join([*lines, *(f"test {name}: {value:.4g}" for name, value in found["test"].items())])


def shown_health(found: Described) -> str:
    """What `doctor` found."""
    memory, cache = found["memory"], found["cache"]
    lines = [
        "versions: " + ", ".join(f"{name} {version}" for name, version in found["versions"].items()),
        "devices: " + (", ".join(found["devices"]) or "none, JAX does not start"),
        "flags: " + (", ".join(f"{name}={value}" for name, value in found["flags"].items()) or "none"),
        f"huge pages: {'asked for' if memory['asked'] else 'not asked for'}; the kernel: {memory['allowed']}",
        f"compiled programs: {cache['folder'] or 'not kept'}",
        *(f"fault {each['name']} ({each['seen']}): {_state(each['present'])}" for each in found["faults"]),
        *(f"gradients on {each['device']} by {each['way']}: {_verdict(each)}" for each in found["gradients"]),
    ]
    for title in ("notes", "problems"):
        for each in found[title]:
            lines += ["", f"{title.removesuffix('s')}: {each['what']}", f"  {each['advice']}"]
    return "\n".join(
        [*lines, "", "functorch7 is well here" if not found["problems"] else "functorch7 is not well here"]
    )


def _state(present: bool) -> str:
    return "here, too" if present else "not here"


def _verdict(check: Described) -> str:
    return f"{'right' if check['right'] else 'wrong'}, off by {check['off']:.1g}"
