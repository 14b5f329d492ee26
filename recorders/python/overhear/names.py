"""Names for clients that a recording calls by their node ids, which nobody knows before the run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .disk import append_line, flush_file, flush_folder, write_flushed, write_whole
from .rounds import client_id

_OWNED = ("client", "sent")


def renamed(source: str | Path, target: str | Path, names: Mapping[Any, str]) -> None:
    """
    Copies a finished recording to a new folder in which clients are called as `names` says, by the ids they have; others keep theirs.
    The numbers are copied as they are. The manifest is written last: a copy that was interrupted is no transcript.
    """
    old, new = Path(source), Path(target)
    manifest = json.loads((old / "transcript.json").read_text())
    ids = [str(one["id"]) for one in manifest["clients"]]
    to = {str(key): client_id(name) for key, name in names.items()}
    strange = [one for one in to if one not in ids]
    if strange:
        raise ValueError(f"no client {strange[0]!r}; there are {', '.join(ids)}")
    called = [to.get(one, one) for one in ids]
    twice = [one for one in called if called.count(one) > 1]
    if twice:
        raise ValueError(f"two clients would be called {twice[0]!r}")
    new.mkdir(parents=True, exist_ok=False)
    (new / "rounds").mkdir()
    text = (old / manifest["rounds"]).read_text()
    for line in (json.loads(one) for one in text.split("\n")[:-1]):  # the last one ends without a newline where the run died
        parts = _file_renamed((old / line["file"]).read_bytes(), to)
        lists = {key: [to.get(one, one) for one in line.get(key, [])] for key in ("participants", "dropped", "tampered")}
        digest = write_flushed(new / line["file"], parts)
        append_line(new / manifest["rounds"], json.dumps({**line, **lists, "sha256": digest}))
    flush_file(new / manifest["rounds"])
    flush_folder(new / "rounds")
    clients = [{**one, "id": name} for one, name in zip(manifest["clients"], called, strict=True)]
    write_whole(new / "transcript.json", [json.dumps({**manifest, "clients": clients}, indent=1).encode()])


def _file_renamed(data: bytes, to: Mapping[str, str]) -> list[bytes | memoryview]:
    """A round's file with another header: owners are in the names of tensors."""
    length = int.from_bytes(data[:8], "little")
    header = {_renamed(name, to): entry for name, entry in json.loads(data[8 : 8 + length]).items()}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return [len(text).to_bytes(8, "little"), text, memoryview(data)[8 + length :]]


def _renamed(tensor: str, to: Mapping[str, str]) -> str:
    kind, _, rest = tensor.partition("/")
    owner, slash, name = rest.partition("/")
    return f"{kind}/{to.get(owner, owner)}{slash}{name}" if kind in _OWNED and slash else tensor
