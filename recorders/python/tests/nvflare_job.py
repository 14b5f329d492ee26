"""A federation of NVFlare's simulator, recorded: python nvflare_job.py OUT [ROUNDS]

Five clients train linear models on numpy under NVFlare's own FedAvg, three of them drawn for each of ROUNDS (20) rounds. `overhear.nvflare.RecordingFilter` stands on the server, over tasks and results. OUT gets the transcript,
what an adversary knows and the truth. Needs `pip install nvflare`; set OVERHEAR_SHARE=DIFF to return differences.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
from nvflare.apis.dxo import DXO, DataKind, from_shareable
from nvflare.apis.executor import Executor

INPUTS, RECORDS, CLIENTS = 3, 40, 5


def records(client: int) -> tuple[np.ndarray, np.ndarray]:
    draws = np.random.default_rng(100 + client)
    x = draws.normal(size=(2 * RECORDS, INPUTS))
    return x, x @ np.linspace(-1, 1, INPUTS) + 0.3 * client + 0.1 * draws.normal(size=2 * RECORDS)


class Descent(Executor):
    """Three steps of gradient descent on the client's own records."""

    def __init__(self, share: str = "FULL"):
        super().__init__()
        self.share = share

    def execute(self, task_name, shareable, fl_ctx, abort_signal):  # type: ignore[no-untyped-def]
        number = int(fl_ctx.get_identity_name().rsplit("-", 1)[1])
        sent = from_shareable(shareable).data
        x, y = (half[:RECORDS] for half in records(number))
        weight, bias = np.array(sent["weight"]), np.array(sent["bias"])
        for _ in range(3):
            slope = (2 / len(y)) * (x @ weight[0] + bias[0] - y)
            weight = weight - 0.1 * slope @ x
            bias = bias - 0.1 * slope.sum()
        if self.share == "DIFF":
            data, kind = {"weight": weight - sent["weight"], "bias": bias - sent["bias"]}, DataKind.WEIGHT_DIFF
        else:
            data, kind = {"weight": weight, "bias": bias}, DataKind.WEIGHTS
        return DXO(kind, data=data, meta={"num_samples": len(y)}).to_shareable()


def main(out: Path, rounds: int) -> None:
    from nvflare import FedJob, FilterType
    from nvflare.app_common.workflows.fedavg import FedAvg

    from overhear import knowledge, truth
    from overhear.nvflare import RecordingFilter

    job = FedJob(name="descent", min_clients=CLIENTS)
    start = {"weight": [[0.5] * INPUTS], "bias": [0.0]}
    job.to_server(FedAvg(num_clients=3, num_rounds=rounds, model=start, save_filename=None))
    stated = {"learningRate": 0.1, "localSteps": 3, "optimizer": {"name": "sgd"}}
    listening = RecordingFilter(str((out / "transcript").absolute()), model={"kind": "linear"}, protocol=stated)
    job.to_server(listening, filter_type=FilterType.TASK_DATA, tasks=["train"])
    job.to_server(listening, filter_type=FilterType.TASK_RESULT, tasks=["train"])
    job.to_clients(Descent(os.environ.get("OVERHEAR_SHARE", "FULL")), tasks=["train"])
    job.simulator_run(str(out / "workspace"), n_clients=CLIENTS, threads=CLIENTS)
    for client in range(1, CLIENTS + 1):
        x, y = records(client)
        columns = [{**{f"x{j}": x[at, j] for j in range(INPUTS)}, "y": y[at]} for at in (slice(0, RECORDS), slice(RECORDS, None))]
        if client == 1:
            knowledge(out / "knowledge.json", table=columns[0], label="y", target="site-1")
        truth(out / "truth", client=f"site-{client}", trained=columns[0], held_back=columns[1])
    print(f"recorded in {out / 'transcript'}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 20)
