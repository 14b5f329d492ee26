"""Runs Flower's own SecAgg+ inside this process and records it: python secure.py OUT [ROUNDS]

Sixteen clients with 40 records each and a linear model; half of them are drawn for a round. Three return the opposite of what
they learned (`inversion`). OUT gets a transcript with the sums and who is in them, knowledge.json with other people's records,
and the truth of who inverts.
"""

from __future__ import annotations

import copy
import json
import logging
import random
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from federation import people, turn
from flwr.app import Context, Message, RecordDict
from flwr.client import ClientApp, NumPyClient
from flwr.client.mod import secaggplus_mod
from flwr.common import ndarrays_to_parameters
from flwr.server import LegacyContext, ServerConfig
from flwr.server.strategy import FedAvg
from flwr.server.workflow import DefaultWorkflow, SecAggPlusWorkflow
from flwr.serverapp import Grid

from overhear import Recorder

CLIENTS, INPUTS, CULPRITS = 16, 3, (2, 7, 11)


class Learner(NumPyClient):
    def __init__(self, number: int):
        self.number = number

    def fit(self, parameters: list[np.ndarray], config: dict[str, Any]) -> tuple[list[np.ndarray], int, dict]:
        x, y = people(40, INPUTS, self.number)
        start = [np.asarray(one, float) for one in parameters]
        end = turn(start, x, y, int(config["local_epochs"]), float(config["lr"]))
        if self.number in CULPRITS:
            end = [a - (b - a) for a, b in zip(start, end, strict=True)]
        return end, len(y), {}


def app(number: int) -> ClientApp:
    def client_fn(context: Context) -> Any:
        return Learner(number).to_client()

    return ClientApp(client_fn, mods=[secaggplus_mod])


class AppGrid(Grid):
    """Whole client apps, with their modifiers, in this process; each keeps its state from message to message."""

    def __init__(self) -> None:
        self.apps = {100 + i: app(i) for i in range(CLIENTS)}
        self.contexts = {node: Context(1, node, {}, RecordDict(), {}) for node in self.apps}

    def set_run(self, run: Any) -> None:
        pass

    run = property(lambda _: SimpleNamespace(run_id=1))

    def create_message(self, *given: Any, **named: Any) -> Message:
        raise NotImplementedError("messages are made by the workflow")

    def get_node_ids(self) -> list[int]:
        return list(self.apps)

    def push_messages(self, messages: Any) -> list[str]:
        raise NotImplementedError("the workflow sends and receives")

    pull_messages = push_messages

    def send_and_receive(self, messages: Any, *, timeout: float | None = None) -> list[Message]:
        # On a wire everybody gets messages of its own; here some would share what others change.
        own = [copy.deepcopy(one) for one in messages]
        return [self.apps[one.metadata.dst_node_id](one, self.contexts[one.metadata.dst_node_id]) for one in own]


def main(out: Path, rounds: int) -> None:
    logging.getLogger("flwr").setLevel(logging.ERROR)
    random.seed(3)  # Flower draws clients from it
    start = [np.zeros((1, INPUTS)), np.zeros(1)]
    rec = Recorder(out / "transcript", model="linear", loss="mse", protocol={"batchSize": None, "optimizer": {"name": "sgd"}})
    strategy = FedAvg(
        fraction_fit=0.5,
        fraction_evaluate=0.0,
        on_fit_config_fn=lambda _: {"lr": 0.05, "local_epochs": 2},
        initial_parameters=ndarrays_to_parameters(start),
    )
    told = rec.flower_strategy(strategy, names=["out.weight", "out.bias"])
    context = LegacyContext(Context(1, 0, {}, RecordDict(), {}), ServerConfig(num_rounds=rounds), told)
    secure = SecAggPlusWorkflow(num_shares=5, reconstruction_threshold=3, clipping_range=8.0)
    DefaultWorkflow(fit_workflow=secure)(rec.flower_grid(AppGrid()), context)
    rec.close()
    if rec.stopped is not None:
        sys.exit(rec.stopped)
    x, y = people(200, INPUTS, 1000)
    table = "\n".join([",".join([*(f"x{j}" for j in range(INPUTS)), "y"]), *(",".join(map(repr, [*map(float, a), float(b)])) for a, b in zip(x, y, strict=True))])
    (out / "auxiliary.csv").write_text(table + "\n")
    known = {"format": "overhear-knowledge/1", "auxiliary": {"file": "auxiliary.csv", "label": "y"}, "property": {"name": "inversion"}}
    (out / "knowledge.json").write_text(json.dumps(known))
    (out / "truth").mkdir()
    having = [str(100 + i) for i in CULPRITS]
    (out / "truth/truth.json").write_text(json.dumps({"format": "overhear-truth/1", "properties": {"inversion": having}}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 40)
