"""The other side of bench/linalg.mjs: times numpy on request, one JSON object a line in and out."""

import json
import sys
import time

import numpy as np


def libraries():
    """The BLAS and LAPACK files this process has loaded (Linux), as a plain list of names."""
    try:
        with open("/proc/self/maps", encoding="utf8") as maps:
            paths = {line.split()[-1] for line in maps if ".so" in line}
    except OSError:
        return []
    names = {path.rsplit("/", 1)[-1] for path in paths}
    return sorted(name for name in names if "blas" in name.lower() or "lapack" in name.lower())


def call(task, arrays):
    a = arrays[0]
    if task == "svd":
        return lambda: np.linalg.svd(a, full_matrices=False)
    if task == "singular-values":
        return lambda: np.linalg.svd(a, compute_uv=False)
    if task == "cond":
        return lambda: np.linalg.cond(a)
    if task == "lstsq":
        return lambda: np.linalg.lstsq(a, arrays[1], rcond=None)
    if task == "qr":
        return lambda: np.linalg.qr(a)
    if task == "eigh":
        return lambda: np.linalg.eigh(a)
    if task == "solve":
        return lambda: np.linalg.solve(a, arrays[1])
    if task == "cholesky":
        return lambda: np.linalg.cholesky(a)
    raise ValueError(f"unknown task: {task}")


def main():
    np.linalg.svd(np.eye(3))
    print(json.dumps({"numpy": np.__version__, "libraries": libraries()}), flush=True)
    prepared = {}
    for line in sys.stdin:
        request = json.loads(line)
        name = request["name"]
        if "arrays" in request:
            arrays = [np.fromfile(a["file"]).reshape(a["shape"]) for a in request["arrays"]]
            prepared[name] = call(request["task"], arrays)
            prepared[name]()
            print("{}", flush=True)
            continue
        run = prepared[name]
        inner = request["inner"]
        start = time.perf_counter()
        for _ in range(inner):
            run()
        print(json.dumps({"seconds": (time.perf_counter() - start) / inner}), flush=True)


main()
