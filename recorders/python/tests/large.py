"""A large run, recorded: python large.py OUT [CLIENTS] [ROUNDS]

CLIENTS (100) clients return a LeNet's 62,006 parameters (CIFAR's, float32, by the names that PyTorch has for them) in each of ROUNDS (50)
rounds, as `rec.round` takes them from any framework. What they return is drawn around the global model, not trained: size, time and
memory do not depend on that. Prints megabytes on the disk, seconds by the clock and of the processor, and the most memory.
"""

from __future__ import annotations

import resource
import sys
import time
from pathlib import Path

import numpy as np

from overhear import Recorder

SHAPES = {
    "conv1.weight": (6, 3, 5, 5),
    "conv1.bias": (6,),
    "conv2.weight": (16, 6, 5, 5),
    "conv2.bias": (16,),
    "fc1.weight": (120, 400),
    "fc1.bias": (120,),
    "fc2.weight": (84, 120),
    "fc2.bias": (84,),
    "fc3.weight": (10, 84),
    "fc3.bias": (10,),
}


def drawn(draws: np.random.Generator, around: dict[str, np.ndarray] | None = None) -> dict[str, np.ndarray]:
    step = {name: 0.01 * draws.standard_normal(shape, dtype=np.float32) for name, shape in SHAPES.items()}
    return step if around is None else {name: around[name] + step[name] for name in step}


def main(out: Path, clients: int, rounds: int) -> None:
    draws = np.random.default_rng(1)
    names = [f"client-{i}" for i in range(clients)]
    made = 0.0
    began, worked = time.perf_counter(), time.process_time()
    with Recorder(out, loss="cross-entropy", protocol={"learningRate": 0.01, "batchSize": 32}) as rec:
        for number in range(rounds):
            before = time.thread_time()
            model = drawn(draws)
            replies = [drawn(draws, model) for _ in names]
            made += time.thread_time() - before
            with rec.round(number, model, selected=names) as heard:
                for name, arrays in zip(names, replies, strict=True):
                    heard.reply(name, arrays, samples=500)
    if rec.stopped is not None:
        sys.exit(rec.stopped)
    clock, processor = time.perf_counter() - began, time.process_time() - worked - made
    size = sum(file.stat().st_size for file in out.rglob("*") if file.is_file()) / 1e6
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    count = sum(int(np.prod(shape)) for shape in SHAPES.values())
    print(f"{clients} clients, {rounds} rounds, {count} parameters: {size:.0f} MB on the disk")
    print(f"{clock:.1f} s by the clock with the draws, {processor:.1f} s of the processor for recording alone, {memory:.0f} MB of memory at most")


if __name__ == "__main__":
    sizes = [int(one) for one in sys.argv[2:4]]
    main(Path(sys.argv[1]), *(sizes + [100, 50][len(sizes) :]))
