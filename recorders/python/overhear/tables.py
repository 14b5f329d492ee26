"""What an audit needs besides the transcript, written from tables: knowledge.json and truth/truth.json."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .disk import write_whole

Table = Any  # a data frame, a dictionary of columns, or a list of dictionaries
_FEW = 20


def _columns(table: Table) -> dict[str, list[Any]]:
    if hasattr(table, "columns") and hasattr(table, "__getitem__"):  # pandas, polars
        return {str(name): list(table[name]) for name in table.columns}
    if isinstance(table, Mapping):
        return {str(name): list(values) for name, values in table.items()}
    rows = list(table)
    names = list(rows[0]) if rows else []
    return {str(name): [row[name] for row in rows] for name in names}


def _checked(columns: dict[str, list[Any]], needed: Sequence[str], what: str) -> dict[str, list[Any]]:
    lengths = {len(values) for values in columns.values()}
    if len(lengths) > 1:
        raise ValueError(f"{what}: columns of different lengths {sorted(lengths)}")
    missing = [name for name in needed if name not in columns]
    if missing:
        raise ValueError(f"{what}: no column {missing}; there are {list(columns)}")
    return columns


def _text(value: Any) -> str:
    if isinstance(value, bool) or type(value).__name__ == "bool_":
        return str(int(value))
    return repr(float(value)) if isinstance(value, float) or hasattr(value, "dtype") else str(value)


def _csv(columns: Mapping[str, Sequence[Any]], empty: Sequence[str] = ()) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    rows = len(next(iter(columns.values()), []))
    for i in range(rows):
        writer.writerow(["" if name in empty else _text(values[i]) for name, values in columns.items()])
    return out.getvalue().encode()


def _sensitive(name: str, values: Sequence[Any]) -> dict[str, Any]:
    distinct = sorted({float(value) for value in values})
    if len(distinct) > _FEW:
        return {"name": name, "columns": [name], "kind": "continuous", "values": [distinct[0], distinct[-1]]}
    kind = "binary" if len(distinct) == 2 else "categorical"
    return {"name": name, "columns": [name], "kind": kind, "values": [[value] for value in distinct]}


def knowledge(
    path: str | Path,
    *,
    table: Table,
    label: str,
    sensitive: Sequence[str] = (),
    target: Any = None,
    id: str | None = None,
    auxiliary: Table | None = None,
    candidates: Table | None = None,
) -> None:
    """
    Writes knowledge.json and its tables. `table`: the target's records, encoded as the model sees them, label and sensitive
    columns included; the sensitive ones are written empty. `auxiliary`: people like the clients', none of them theirs.
    """
    file = Path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    columns = _checked(_columns(table), [label, *sensitive], "table")
    if id is not None:
        columns.pop(id, None)
    document: dict[str, Any] = {"format": "overhear-knowledge/1"}
    if target is not None:
        document["target"] = str(target)
    write_whole(file.with_name("records.csv"), [_csv(columns, empty=sensitive)])
    document["records"] = {"file": "records.csv", "label": label}
    if sensitive:
        document["sensitive"] = [_sensitive(name, columns[name]) for name in sensitive]
    for key, more in (("auxiliary", auxiliary), ("candidates", candidates)):
        if more is None:
            continue
        own = _checked(_columns(more), list(columns), key)
        write_whole(file.with_name(f"{key}.csv"), [_csv({name: own[name] for name in columns})])
        document[key] = {"file": f"{key}.csv", "label": label}
    write_whole(file, [json.dumps(document, indent=1).encode()])


def truth(
    folder: str | Path,
    *,
    client: Any,
    trained: Table,
    held_back: Table | None = None,
    label: str | None = None,
    id: str | None = None,
) -> None:
    """
    Adds a client to truth/truth.json: the records that it trained on, and those of its own that were kept out of the
    training at random. `label` is that of knowledge.json beside the folder unless told.
    """
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    file = place / "truth.json"
    document = json.loads(file.read_text()) if file.exists() else {"format": "overhear-truth/1"}
    name = str(client)
    known = label or _known_label(place.parent / "knowledge.json")
    columns = _checked(_columns(trained), [known, *([id] if id else [])], "trained")
    entry: dict[str, Any] = {"file": f"{name}.csv", "label": known}
    write_whole(place / f"{name}.csv", [_csv(columns)])
    if held_back is not None:
        kept = _checked(_columns(held_back), list(columns), "held_back")
        entry["heldBack"] = f"{name}-held-back.csv"
        write_whole(place / f"{name}-held-back.csv", [_csv({one: kept[one] for one in columns})])
    if id is not None:
        entry["id"] = id
    document.setdefault("clients", {})[name] = entry
    write_whole(file, [json.dumps(document, indent=1).encode()])


def _known_label(path: Path) -> str:
    if not path.exists():
        raise ValueError(f"give label=...: {path} is not there to tell it")
    return str(json.loads(path.read_text())["records"]["label"])
