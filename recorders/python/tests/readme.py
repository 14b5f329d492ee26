"""Runs the programs of README.md as they stand, as a user with a Flower app would: python readme.py OUT

The app is five hospitals of tests/federation.py with linear models; OUT/run gets what the lines write. Prints the audit's command.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import numpy as np
from federation import LocalGrid, arrays_of, client, start_layers, train_config
from flwr.serverapp.strategy import FedAvg


def blocks(kind: str) -> list[str]:
    text = (Path(__file__).resolve().parents[1] / "README.md").read_text()
    return re.findall(rf"```{kind}\n(.*?)```", text, re.DOTALL)


def records(seed: int, count: int) -> dict[str, np.ndarray]:
    draws = np.random.default_rng(seed)
    smoker, age = draws.integers(0, 2, count).astype(float), draws.normal(size=count)
    return {"age": age, "smoker": smoker, "cost": 0.5 * age + (1 + 0.2 * seed) * smoker + 0.1 * draws.normal(size=count)}


def main(out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    os.chdir(out)
    held = [records(i, 60) for i in range(5)]
    trained_rows = [{name: column[:30] for name, column in one.items()} for one in held]
    nodes = {100 + i: client(np.c_[one["age"], one["smoker"]], one["cost"]) for i, one in enumerate(trained_rows)}
    record, *_ = (one for one in blocks("python") if "flower_grid" in one)
    tables, *_ = (one for one in blocks("python") if "overhear.truth" in one)
    names = {
        "net": {"kind": "linear"},
        "strategy": FedAvg(fraction_train=0.6, fraction_evaluate=0.0),
        "grid": LocalGrid(nodes),
        "arrays": arrays_of(start_layers([2, 1], 1)),
        "config": train_config(0.1, 3),
        "trained": trained_rows[0],
        "held_back": {name: column[30:] for name, column in held[0].items()},
    }
    exec(record, names)  # noqa: S102: our own page
    names["rec"].close()
    exec(tables.replace('"hospital-a"', '"100"'), names)  # noqa: S102
    print(next(line for one in blocks("sh") for line in one.splitlines() if line.startswith("overhear audit")))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
