"""Arrays as people have them (lists, dictionaries, state dicts of torch), as named numpy arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

Named = list[tuple[str, np.ndarray]]
#: Arrays that are decoded when they are written, not while the run waits.
Later = Callable[[], Named]


def _numpy(value: Any) -> np.ndarray:
    if hasattr(value, "detach"):  # a tensor of torch
        value = value.detach().cpu()
        if str(value.dtype) == "torch.bfloat16":
            value = value.float()
        value = value.numpy()
    return np.array(value)  # a copy: the run goes on with its own


def named(arrays: Any, names: Iterable[str] | None = None) -> Named:
    """Floating-point arrays with their names, in order. Counters and the like (integers, truth values) are left out."""
    if isinstance(arrays, Mapping):
        pairs = [(str(name), _numpy(value)) for name, value in arrays.items()]
        if names is not None:
            pairs = _renamed(pairs, list(names))
    else:
        values = [_numpy(value) for value in arrays]
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
