"""Arrays as people have them (lists, dictionaries, state dicts of torch), as named numpy arrays."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

Named = list[tuple[str, np.ndarray]]
#: Arrays that are decoded when they are written, not while the run waits.
Later = Callable[[], Named]


@lru_cache(maxsize=4096)
def _layout(header: bytes) -> tuple[tuple[int, ...], bool, np.dtype]:
    """What the header of a .npy file says: shape, whether by columns, type. Those of a run are few and alike."""
    file = io.BytesIO(header)
    version = np.lib.format.read_magic(file)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    return read(file)


def from_npy(data: bytes) -> np.ndarray:
    """The array of a .npy file in memory, without a copy; it cannot be written to. Objects are refused."""
    at = 10 + int.from_bytes(data[8:10], "little") if data[6:7] == b"\x01" else 12 + int.from_bytes(data[8:12], "little")
    shape, by_columns, dtype = _layout(data[:at])
    if dtype.hasobject:
        raise ValueError("an array of Python objects")
    count = math.prod(shape)
    if len(data) != at + count * dtype.itemsize:
        raise ValueError(f"an array of shape {shape} and type {dtype} in {len(data) - at} bytes")
    return np.frombuffer(data, dtype, count, at).reshape(shape, order="F" if by_columns else "C")


def _numpy(value: Any, copy: bool) -> np.ndarray:
    if hasattr(value, "detach"):  # a tensor of torch
        value = value.detach().cpu()
        if str(value.dtype) == "torch.bfloat16":
            value = value.float()
        value = value.numpy()
    return np.array(value) if copy else np.asarray(value)


def named(arrays: Any, names: Iterable[str] | None = None, copy: bool = True) -> Named:
    """
    Floating-point arrays with their names, in order. Counters and the like (integers, truth values) are left out. They are copied,
    since the run goes on with its own, unless nobody else will write to them.
    """
    if isinstance(arrays, Mapping):
        pairs = [(str(name), _numpy(value, copy)) for name, value in arrays.items()]
        if names is not None:
            pairs = _renamed(pairs, list(names))
    else:
        values = [_numpy(value, copy) for value in arrays]
        given = list(names) if names is not None else [str(i) for i in range(len(values))]
        if len(given) != len(values):
            raise ValueError(f"{len(given)} names for {len(values)} arrays")
        pairs = list(zip(given, values, strict=True))
    return [(name, array) for name, array in pairs if array.dtype.kind == "f"]


def _renamed(pairs: Named, names: list[str]) -> Named:
    """Names for arrays that came with none but their numbers."""
    if len(names) != len(pairs):
        raise ValueError(f"{len(names)} names for {len(pairs)} arrays")
    numbered = all(name.isdigit() for name, _ in pairs)
    return [(names[i], array) for i, (_, array) in enumerate(pairs)] if numbered else pairs


def check_alike(pairs: Named, shapes: Mapping[str, tuple[int, ...]], whose: str) -> None:
    found = {name: array.shape for name, array in pairs}
    if found != dict(shapes):
        missing = [name for name in shapes if name not in found]
        strange = [name for name in found if name not in shapes]
        other = [f"{name} {found[name]} for {shapes[name]}" for name in shapes if name in found and found[name] != shapes[name]]
        raise ValueError(f"{whose}: missing {missing}, unknown {strange}, other shapes {other}")
