"""The safetensors container, written: header length, JSON header, data."""

from __future__ import annotations

import json
from collections.abc import Iterable

import numpy as np

_DTYPES = {"<f8": "F64", "<f4": "F32", "<f2": "F16"}


def encode(tensors: Iterable[tuple[str, np.ndarray]]) -> list[bytes | memoryview]:
    """The parts of a file with these tensors, in this order and not copied; float64, float32 and float16 only."""
    header: dict[str, object] = {}
    data: list[bytes | memoryview] = []
    at = 0
    for name, array in tensors:
        if name in header:
            raise ValueError(f"two tensors are called {name!r}")
        little = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False)
        dtype = _DTYPES.get(little.dtype.str)
        if dtype is None:
            raise ValueError(f"{name!r} has dtype {array.dtype}; allowed are float64, float32 and float16")
        part = little.reshape(-1).view(np.uint8).data
        header[name] = {"dtype": dtype, "shape": list(array.shape), "data_offsets": [at, at + len(part)]}
        data.append(part)
        at += len(part)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return [len(text).to_bytes(8, "little"), text, *data]
