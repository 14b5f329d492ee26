"""What recording adds to a round: python overhead.py [pairs of runs]

Ten clients with 500 records each train a network of 62,017 parameters (100 inputs, 608 hidden, float64) for two full-batch epochs on a
grid inside this process, with and without the recorder in turns. By the clock there are two questions, and both only mean something on
a machine that does nothing else: how long a round takes as the run sees it, from the first round's beginning to the last one's end; and
how long after that the rest is on the disk, which a run waits for once, however many rounds it has. The processor's time of the recorder is
counted by itself: while the run waits for it (copies, comparisons), and in the thread that writes, beside what the run's own thread takes for a
round. numpy has one thread.
"""

from __future__ import annotations

import logging
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from federation import LocalGrid, arrays_of, client, people, start_layers, train_config  # noqa: E402
from flwr.serverapp.strategy import FedAvg  # noqa: E402

from overhear import Recorder  # noqa: E402

ROUNDS = 10


def counted(grid: Any) -> list[float]:
    """The processor's seconds in what the recorder does while the run waits, one entry a call."""
    taken: list[float] = []

    def counting(inner: Any) -> Any:
        def call(*given: Any) -> None:
            began = time.thread_time()
            inner(*given)
            taken.append(time.thread_time() - began)

        return call

    for name in ("_begin", "_hear", "_end"):
        setattr(grid, name, counting(getattr(grid, name)))
    return taken


def seconds(record: bool) -> dict[str, float]:
    grid = LocalGrid({i: client(*people(500, 100, i)) for i in range(1, 11)})
    start = arrays_of(start_layers([100, 608, 1], 1))
    with tempfile.TemporaryDirectory() as place:
        rec = Recorder(Path(place) / "t", model={"kind": "mlp", "activation": "relu"}) if record else None
        used, waits = (grid, []) if rec is None else (rec.flower_grid(grid), [])
        if rec is not None:
            waits = counted(used)
        began, worked = time.perf_counter(), time.thread_time()
        FedAvg(fraction_evaluate=0.0).start(grid=used, initial_arrays=start, num_rounds=ROUNDS, train_config=train_config(1e-3, 2))
        seen = time.perf_counter() - began
        worked = time.thread_time() - worked
        written = 0.0
        if rec is not None:
            while rec._jobs.unfinished_tasks:
                time.sleep(0.001)
            written = time.clock_gettime(time.pthread_getcpuclockid(rec._thread.ident or 0))
            rec.close()
            assert rec.stopped is None
        end = time.perf_counter() - began - seen
    return {"seen": seen / ROUNDS, "end": end, "run": (worked - sum(waits)) / ROUNDS, "waits": sum(waits) / ROUNDS, "writes": written / ROUNDS}


if __name__ == "__main__":
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    logging.getLogger("flwr").setLevel(logging.ERROR)
    seconds(True)
    plain, recorded = zip(*[(seconds(False), seconds(True)) for _ in range(pairs)], strict=True)
    # Whatever else the machine does only ever adds to a time by the clock: the least of many is nearest to the run itself.
    a, b = (min(one["seen"] for one in runs) for runs in (plain, recorded))
    end = min(one["end"] for one in recorded)
    print(f"by the clock, the least of {pairs}: {a:.4f} s a round without, {b:.4f} s recorded as the run sees it, ratio {b / a:.3f}")
    print(f"once, at the end, {end:.4f} s until all is on the disk; shared among {ROUNDS} rounds, ratio {(b + end / ROUNDS) / a:.3f}")
    run, waits, writes = (statistics.median(one[key] for one in recorded) for key in ("run", "waits", "writes"))
    print(f"processor: {run:.4f} s a round by the run, of the recorder {waits:.5f} s while it waits and {writes:.5f} s in its own thread")
    print(f"added while the run waits {waits / run:.2%}, in all {(waits + writes) / run:.2%}")
