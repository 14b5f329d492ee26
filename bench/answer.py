"""What the peers share: the made-up numbers, equal to ours to the bit, and the loop that answers requests.

A request is one line of JSON, {"ask": "time" | "check", "workload": NAME, "way": WAY, "count": N}; the answer is one line
too: {"seconds": S, "processor": P} for N repetitions, {"numbers": [...]} to compare with ours, or {"error": TEXT}. The ways
in which a peer does each workload are among the facts that it tells first; without "way" the first of them is meant.
"""
import json
import signal
import sys
import time

import numpy as np


def made_up(count, salt):
    """Doubles in (-1, 1): a 32-bit hash of the place, as `madeUp` in src/node/bench/bench-data.ts."""
    h = np.arange(count, dtype=np.uint32) + np.uint32(salt * 0x9E3779B1 & 0xFFFFFFFF)
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        h ^= h >> np.uint32(shift)
        h *= np.uint32(factor)
    h ^= h >> np.uint32(16)
    return (h.astype(np.float64) + 0.5) / 2147483648.0 - 1.0


def loaded_blas():
    """The library that does the products, as the system's loader found it: its folder (which tells the make) and name."""
    try:
        with open("/proc/self/maps") as maps:
            paths = {line.split()[-1] for line in maps if "/" in line}
    except OSError:
        return None
    named = sorted(path for path in paths if any(name in path.lower() for name in ("blas", "mkl_", "blis")))
    return "/".join(named[0].split("/")[-2:]) if named else None


def product_rate(multiply, side=256):
    """GFLOP/s of a product of two square matrices, the best within a fifth of a second."""
    best, begin = float("inf"), time.perf_counter()
    while time.perf_counter() - begin < 0.2:
        start = time.perf_counter()
        multiply()
        best = min(best, time.perf_counter() - start)
    return 2 * side**3 / best / 1e9


def repeat(run):
    def many(count):
        for _ in range(count):
            run()

    return many


def serve(facts, workloads):
    """`workloads`: by name a function that makes a pair (run one repetition, numbers to compare), or several by their way.

    A function with the attribute `many` makes one whose first does as many repetitions as it is told.
    """
    by_way = {name: one if isinstance(one, dict) else {"plain": one} for name, one in workloads.items()}
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the command, which then closes our input
    print(json.dumps({**facts, "ways": {name: list(ways) for name, ways in by_way.items()}}), flush=True)
    made = {}
    for line in sys.stdin:
        request = json.loads(line)
        try:
            ways = by_way[request["workload"]]
            way = request.get("way") or next(iter(ways))
            name = (request["workload"], way)
            if request["ask"] == "check":
                answer = {"numbers": [float(x) for x in ways[way]()[1]()]}
            else:
                if name not in made:
                    for old in [one for one in made if one[0] != name[0]]:
                        del made[old]
                    run = ways[way]()[0]
                    made[name] = run if getattr(ways[way], "many", False) else repeat(run)
                    made[name](1)  # whatever is compiled is compiled before anything is timed
                run, count = made[name], request["count"]
                start, busy = time.perf_counter(), time.process_time()
                run(count)
                answer = {"seconds": time.perf_counter() - start, "processor": time.process_time() - busy}
        except Exception as error:  # the command decides what a failure means
            answer = {"error": f"{type(error).__name__}: {error}".splitlines()[0]}
        print(json.dumps(answer), flush=True)
