"""Torch's `trackers`: each column's sequence and the next one, as a table for files."""

from ...core.types import Value
from ...data.streams import Columns
from ...interop.t7.values import Fields


def trackers_of(columns: Columns) -> Fields:
    """{nextseq, and {seqid, idx} for each column that has begun}, all from 1; without seqid, a mask step comes next."""
    state = columns.get_state()
    found: dict = {"nextseq": state["following"] + 1}
    for i, (sequence, step) in enumerate(zip(state["sequence"], state["step"], strict=True), 1):
        if sequence is not None:
            found[i] = {"seqid": sequence + 1, "idx": step + 1}
    return found


def follow_trackers(columns: Columns, trackers: Value) -> None:
    """Goes on from such a table in a file."""
    state = columns.get_state()
    state["following"] = trackers.get("nextseq", 1) - 1
    for i in range(len(state["sequence"])):
        tracker = trackers.get(i + 1) or {}
        if "seqid" in tracker:
            state["sequence"][i], state["step"][i] = tracker["seqid"] - 1, tracker["idx"] - 1
    columns.set_state(state)
