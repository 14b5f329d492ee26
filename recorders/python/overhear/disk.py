"""Files that are whole or not there, and files that are whole once they are listed."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path


def write_flushed(path: Path, parts: Iterable[bytes | memoryview]) -> str:
    """Writes a file that nobody reads before it is listed, and returns the SHA-256 of its contents. On the disk when this returns."""
    digest = hashlib.sha256()
    with open(path, "wb") as file:
        for part in parts:
            file.write(part)
            digest.update(part)
        file.flush()
        os.fsync(file.fileno())
    return digest.hexdigest()


def write_whole(path: Path, parts: Iterable[bytes]) -> None:
    """Writes a file that others may be reading: under another name, flushed to the disk, renamed."""
    beside = path.with_name(f".{path.name}.part")
    write_flushed(beside, parts)
    os.replace(beside, path)
    flush_folder(path.parent)


def append_line(path: Path, text: str) -> None:
    """One line more, in one write, which outlives the process but not a power cut."""
    with open(path, "ab", buffering=0) as file:
        file.write(text.encode() + b"\n")


def flush_file(path: Path) -> None:
    with open(path, "rb+") as file:
        os.fsync(file.fileno())


def flush_folder(folder: Path) -> None:
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
