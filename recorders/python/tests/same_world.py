"""Trains the clients of a simulated world by Flower, and records it: python same_world.py FROM TO [SHARE]

FROM is the folder of a simulation (transcript and truth); TO gets a transcript of the same clients, records, first model and
settings, trained by numpy under Flower's FedAvg on a grid inside this process. SHARE of the clients are drawn for each round (1: all).
Full batches, linear models and networks with relu.
"""

from __future__ import annotations

import csv
import json
import random
import struct
import sys
from pathlib import Path

import numpy as np
from federation import LocalGrid, arrays_of, client, train_config
from flwr.serverapp.strategy import FedAvg

from overhear import Recorder


def flat_model(path: Path) -> np.ndarray:
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    one = json.loads(data[8 : 8 + length])["global/*"]
    return np.frombuffer(data[8 + length :][slice(*one["data_offsets"])], "<f8" if one["dtype"] == "F64" else "<f4").astype(float)


def table(path: Path, label: str, inputs: int) -> tuple[np.ndarray, np.ndarray]:
    with open(path) as file:
        rows = list(csv.DictReader(file))
    columns = [name for name in rows[0] if name != label][:inputs]
    return np.array([[float(row[name]) for name in columns] for row in rows]), np.array([float(row[label]) for row in rows])


def world(source: Path) -> tuple[dict, dict[str, np.ndarray], list[str], list[tuple[np.ndarray, np.ndarray]]]:
    """Of a simulation: its manifest, the first model, the clients and what each of them trained on."""
    manifest = json.loads((source / "transcript/transcript.json").read_text())
    truth = json.loads((source / "truth/truth.json").read_text())
    model = manifest["model"]
    sizes = [model["inputs"], *model.get("hidden", []), model["outputs"]]
    theta, start, at = flat_model(source / "transcript/rounds/000000.safetensors"), {}, 0
    for k, (below, above) in enumerate(zip(sizes, sizes[1:], strict=False)):
        start[f"net.{2 * k}.weight"] = theta[at : at + below * above].reshape(above, below)
        start[f"net.{2 * k}.bias"] = theta[at + below * above : at + (below + 1) * above]
        at += (below + 1) * above
    records = [table(source / "truth" / one["file"], one["label"], model["inputs"]) for one in truth["clients"].values()]
    return manifest, start, list(truth["clients"]), records


def said(model: dict) -> dict:
    """What a recorder is told of the model."""
    return {"kind": model["kind"], **({"activation": model["activation"]} if "activation" in model else {})}


def main(source: Path, target: Path, share: float) -> None:
    random.seed(1)  # Flower draws clients from it
    manifest, start, ids, records = world(source)
    model, protocol = manifest["model"], manifest["protocol"]
    nodes = {7_000_000_000_000_000_001 + 13 * i: client(x, y) for i, (x, y) in enumerate(records)}
    rounds = sum(1 for line in (source / "transcript/rounds.jsonl").read_text().splitlines() if line.strip())
    aliases = dict(zip(nodes, ids, strict=True))
    with Recorder(target, model=said(model), loss="mse", protocol={"batchSize": None, "optimizer": {"name": "sgd"}}, aliases=aliases) as rec:
        strategy = FedAvg(fraction_train=share, fraction_evaluate=0.0)
        strategy.start(
            grid=rec.flower_grid(LocalGrid(nodes)),
            initial_arrays=arrays_of(start),
            num_rounds=rounds,
            train_config=train_config(protocol["learningRate"], protocol["localEpochs"]),
        )
    if rec.stopped is not None:
        sys.exit(rec.stopped)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3]) if len(sys.argv) > 3 else 1.0)
