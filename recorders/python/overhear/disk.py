"""Files that are whole or not there: written under another name, flushed to the disk, renamed."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path


def write_whole(path: Path, parts: Iterable[bytes]) -> str:
    """Writes the file and returns the SHA-256 of its contents."""
    digest = hashlib.sha256()
    beside = path.with_name(f".{path.name}.part")
    with open(beside, "wb") as file:
        for part in parts:
            file.write(part)
            digest.update(part)
        file.flush()
        os.fsync(file.fileno())
    os.replace(beside, path)
    _flush_folder(path.parent)
    return digest.hexdigest()


def append_line(path: Path, text: str) -> None:
    """One line more, on the disk when this returns."""
    with open(path, "ab") as file:
        file.write(text.encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())


def _flush_folder(folder: Path) -> None:
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:  # Windows cannot open folders; its rename is journalled
        return
    try:
        os.fsync(handle)
    except OSError:
        pass
    finally:
        os.close(handle)
