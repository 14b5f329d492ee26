"""What recording adds to a round: python overhead.py [pairs of runs]

Ten clients with 500 records each train a network of 62,021 parameters (100 inputs, 608 hidden) for two full-batch epochs on a grid
inside this process, with and without the recorder in turns; the median seconds of a round either way, and their ratio.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path

from federation import LocalGrid, arrays_of, client, people, start_layers, train_config
from flwr.serverapp.strategy import FedAvg

from overhear import Recorder

ROUNDS = 6


def seconds(record: bool) -> float:
    grid = LocalGrid({i: client(*people(500, 100, i)) for i in range(1, 11)})
    start = arrays_of(start_layers([100, 608, 1], 1))
    with tempfile.TemporaryDirectory() as place:
        rec = Recorder(Path(place) / "t", model={"kind": "mlp", "activation": "relu"}) if record else None
        used = rec.flower_grid(grid) if rec is not None else grid
        began = time.perf_counter()
        FedAvg(fraction_evaluate=0.0).start(grid=used, initial_arrays=start, num_rounds=ROUNDS, train_config=train_config(1e-3, 2))
        if rec is not None:
            rec.close()  # all of it on the disk
            assert rec.stopped is None
        return (time.perf_counter() - began) / ROUNDS


if __name__ == "__main__":
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    seconds(True)
    plain, recorded = zip(*[(seconds(False), seconds(True)) for _ in range(pairs)], strict=True)
    a, b = statistics.median(plain), statistics.median(recorded)
    print(f"a round: {a:.4f} s without, {b:.4f} s recorded, ratio of medians {b / a:.3f}, of minima {min(recorded) / min(plain):.3f}")
