"""A large run of Flower, trained and recorded: python real_run.py OUT [CLIENTS] [ROUNDS]

CLIENTS (100) hospitals with 40 records each, half of them held back, train a network of 62,006 parameters (8 inputs, 365 and 160 hidden,
one output; float32) by full batches, all of them in each of ROUNDS (50) rounds under FedAvg on a grid inside this process. OUT gets the
transcript and table.csv. Prints megabytes on the disk, seconds by the clock and of the processor, and the most memory. Then:
overhear audit --transcript OUT/transcript --data OUT/table.csv --label cost --client-column hospital --trained-column trained --sensitive smoker
"""

from __future__ import annotations

import csv
import logging
import os
import resource
import sys
import time
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np  # noqa: E402
from federation import LocalGrid, arrays_of, client, start_layers, train_config  # noqa: E402
from flwr.serverapp.strategy import FedAvg  # noqa: E402

from overhear import Recorder  # noqa: E402

INPUTS, RECORDS = 8, 40
COLUMNS = ["smoker", *(f"x{j}" for j in range(1, INPUTS))]


def records(seed: int) -> tuple[np.ndarray, np.ndarray]:
    draws = np.random.default_rng(seed)
    x = draws.normal(size=(RECORDS, INPUTS))
    x[:, 0] = draws.integers(0, 2, RECORDS)
    return x, x @ np.linspace(1, -1, INPUTS) + 0.1 * (seed % 7) + 0.3 * draws.normal(size=RECORDS)


def main(out: Path, clients: int, rounds: int) -> None:
    logging.getLogger("flwr").setLevel(logging.ERROR)
    out.mkdir(parents=True)
    half, nodes = RECORDS // 2, {}
    with open(out / "table.csv", "w", newline="") as file:
        table = csv.writer(file)
        table.writerow([*COLUMNS, "cost", "hospital", "trained"])
        for i in range(clients):
            x, y = records(i)
            nodes[1000 + i] = client(x[:half], y[:half])
            table.writerows([*x[k], y[k], f"hospital-{i}", "yes" if k < half else "no"] for k in range(RECORDS))
    start = {name: value.astype(np.float32) for name, value in start_layers([INPUTS, 365, 160, 1], 1).items()}
    aliases = {1000 + i: f"hospital-{i}" for i in range(clients)}
    stated = {"optimizer": {"name": "sgd"}}
    rec = Recorder(out / "transcript", model={"kind": "mlp", "activation": "relu"}, protocol=stated, aliases=aliases)
    began, worked = time.perf_counter(), time.process_time()
    FedAvg(fraction_evaluate=0.0).start(
        grid=rec.flower_grid(LocalGrid(nodes)), initial_arrays=arrays_of(start), num_rounds=rounds, train_config=train_config(0.02, 1)
    )
    clock, own = time.perf_counter() - began, time.process_time() - worked
    while rec._jobs.unfinished_tasks:
        time.sleep(0.01)
    writing = time.clock_gettime(time.pthread_getcpuclockid(rec._thread.ident or 0))
    rec.close()
    if rec.stopped is not None:
        sys.exit(rec.stopped)
    size = sum(file.stat().st_size for file in out.rglob("*") if file.is_file()) / 1e6
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    count = sum(value.size for value in start.values())
    print(f"{clients} clients, {rounds} rounds, {count} parameters: {size:.0f} MB on the disk")
    print(f"{clock:.1f} s by the clock, {own:.1f} s of the processor, of which {writing:.1f} s wrote; {memory:.0f} MB of memory at most")


if __name__ == "__main__":
    sizes = [int(one) for one in sys.argv[2:4]]
    main(Path(sys.argv[1]), *(sizes + [100, 50][len(sizes) :]))
