"""A superlink and supernodes on loopback, as people deploy them, recorded by the server app.

python superlink.py OUT [NODES] [ROUNDS] [HIDDEN]
python superlink.py OUT --world FROM

Makes a Flower app in OUT/app (linear model in numpy, or a network of HIDDEN units, full batches; the same clients as tests/federation.py),
starts one superlink and
NODES supernodes (5) from the Python that runs this, runs the app for ROUNDS rounds (20), and stops what it started. OUT/transcript is
what the server app recorded, OUT/truth what each client trained on, by its node id. Nothing leaves loopback; minutes, as every message starts
a process, so it is not part of the tests. At the end every recorded message is played over, and compared. Then:
overhear attack lmra-ols --transcript OUT/transcript --truth OUT/truth

With --world the clients, their records, the first model, the rounds and the settings are those of a simulation in FROM, full batches, and
all clients take part in each round. OUT/named is the transcript with the simulation's names for node ids. Then, and the same of
FROM/transcript: overhear attack aia-model --transcript OUT/named --knowledge FROM/knowledge.json --truth FROM/truth --observer server
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from overhear import renamed

TESTS = Path(__file__).resolve().parent

PROJECT = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "hospitals"
version = "1.0.0"
description = "linear models in numpy"
license = { file = "LICENSE" }
dependencies = ["flwr>=1.41.0"]

[tool.flwr.app]
publisher = "overhear"
fab-format-version = 1
flwr-version-target = "1.41.0"

[tool.flwr.app.components]
serverapp = "hospitals.server:app"
clientapp = "hospitals.client:app"

[tool.flwr.app.config]
rounds = 20
out = ""
hidden = 0
world = ""
"""

CLIENT = """
from pathlib import Path

from federation import people, turn
from flwr.app import Array, ArrayRecord, Message, MetricRecord, RecordDict
from flwr.clientapp import ClientApp
from same_world import world

app = ClientApp()


@app.train()
def train(message, context):
    part = int(context.node_config["partition-id"])
    source = context.run_config["world"]
    x, y = world(Path(source))[3][part] if source else people(40 + part, 3, part)
    arrays, config = message.content["arrays"], message.content["config"]
    ends = turn([one.astype(float) for one in arrays.to_numpy_ndarrays()], x, y, int(config["local-epochs"]), float(config["lr"]))
    reply = ArrayRecord({name: Array(end) for name, end in zip(arrays, ends, strict=True)})
    metrics = MetricRecord({"num-examples": len(y), "partition-id": part})
    return Message(RecordDict({"arrays": reply, "metrics": metrics}), reply_to=message)
"""

SERVER = """
import json
from pathlib import Path

import overhear
from federation import arrays_of, people, start_layers, train_config
from flwr.serverapp import ServerApp
from flwr.serverapp.strategy import FedAvg
from same_world import said, world

app = ServerApp()


@app.main()
def main(grid, context):
    out, rounds = context.run_config["out"], int(context.run_config["rounds"])
    hidden = int(context.run_config["hidden"])
    model, ids, share = ({"kind": "mlp", "activation": "relu"} if hidden else "linear"), [], 0.6
    start, rate, epochs = start_layers([3, hidden, 1] if hidden else [3, 1], 1), 0.05, 3
    if context.run_config["world"]:
        manifest, start, ids, _ = world(Path(context.run_config["world"]))
        model, share = said(manifest["model"]), 1.0
        rate, epochs = manifest["protocol"]["learningRate"], manifest["protocol"]["localEpochs"]
    rec = overhear.Recorder(f"{out}/transcript", model=model, loss="mse", protocol={"batchSize": None, "optimizer": {"name": "sgd"}})
    seen = {}

    class Telling(FedAvg):
        def aggregate_train(self, server_round, replies):
            replies = list(replies)
            for one in replies:
                seen[one.metadata.src_node_id] = int(one.content["metrics"]["partition-id"])
            return super().aggregate_train(server_round, replies)

    nodes = int(context.run_config["nodes"])
    # How many are asked is a share of those who are there at that moment: a node that is late would make a round smaller.
    Telling(fraction_train=share, fraction_evaluate=0.0, min_train_nodes=max(1, round(share * nodes)), min_available_nodes=nodes).start(
        grid=rec.flower_grid(grid), initial_arrays=arrays_of(start), num_rounds=rounds, train_config=train_config(rate, epochs)
    )
    rec.close()
    for node, part in seen.items() if not ids else ():
        x, y = people(40 + part, 3, part)
        overhear.truth(f"{out}/truth", client=node, trained={**{f"x{j}": x[:, j] for j in range(3)}, "y": y}, label="y")
    Path(out, "nodes.json").write_text(json.dumps({str(node): ids[part] if ids else str(part) for node, part in seen.items()}))
"""


def free_ports(count: int) -> list[int]:
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports


def wait_for(port: int, seconds: float = 180) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(1)
    raise TimeoutError(f"nobody listens on port {port}: see superlink.log")


def played_over(out: Path, source: Path | None) -> tuple[int, float]:
    """How many turns were recorded, and how far their messages are from what the clients' own records give."""
    from federation import people, turn
    from same_world import world
    from test_flower import read, rounds_of

    names = json.loads((out / "nodes.json").read_text())
    if source is None:
        tables, rate, epochs = {part: people(40 + int(part), 3, int(part)) for part in names.values()}, 0.05, 3
    else:
        manifest, _, ids, records = world(source)
        tables = dict(zip(ids, records, strict=True))
        rate, epochs = manifest["protocol"]["learningRate"], manifest["protocol"]["localEpochs"]
    turns, apart = 0, 0.0
    for line in rounds_of(out / "transcript"):
        tensors = read(out / "transcript" / line["file"])
        sent = [value for name, value in tensors.items() if name.startswith("global/")]
        for client in line["participants"]:
            ends = turn(sent, *tables[names[client]], epochs, rate)
            got = [value for name, value in tensors.items() if name.startswith(f"client/{client}/")]
            apart = max(apart, *(float(np.abs(a - b).max()) for a, b in zip(ends, got, strict=True)))
            turns += 1
    return turns, apart


def main(out: Path, nodes: int, rounds: int, hidden: int, source: Path | None = None) -> int:
    out = out.resolve()
    app = out / "app/hospitals"
    app.mkdir(parents=True)
    for name, text in (("__init__.py", ""), ("client.py", CLIENT), ("server.py", SERVER)):
        (app / name).write_text(text)
    (out / "app/LICENSE").write_text("Apache-2.0\n")
    (out / "app/pyproject.toml").write_text(f"{PROJECT}nodes = {nodes}\n")
    link, *own = free_ports(nodes + 1)
    home = out / "home"
    home.mkdir()
    (home / "config.toml").write_text(f'[superlink]\ndefault = "here"\n\n[superlink.here]\naddress = "127.0.0.1:{link}"\ninsecure = true\n')
    tools = Path(sys.executable).parent
    found = os.pathsep.join([str(TESTS), str(TESTS.parent)])
    path = os.pathsep.join([str(tools), os.environ.get("PATH", "")])
    own_environment = {**os.environ, "PATH": path, "PYTHONPATH": found, "FLWR_HOME": str(home), "FLWR_TELEMETRY_ENABLED": "0"}
    started: list[subprocess.Popen[bytes]] = []
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # what was started is stopped all the same

    def start(name: str, *args: str) -> None:
        log = open(out / f"{name}.log", "wb")
        started.append(subprocess.Popen([str(tools / args[0]), *args[1:]], env=own_environment, stdout=log, stderr=subprocess.STDOUT))

    try:
        start("superlink", "flower-superlink", "--insecure", "--disable-runtime-dependency-installation", "--port", str(link))
        wait_for(link)
        for i, port in enumerate(own):
            node = ["flower-supernode", "--insecure", "--superlink", f"127.0.0.1:{link}", "--port", str(port)]
            start(f"supernode-{i}", *node, "--node-config", f"partition-id={i} num-partitions={nodes}")
        settings = f'rounds={rounds} hidden={hidden} out="{out}" world="{source or ""}"'
        ran = subprocess.run([str(tools / "flwr"), "run", str(out / "app"), "here", "--run-config", settings], env=own_environment, timeout=300)
        lines, until = out / "transcript/rounds.jsonl", time.monotonic() + 240 + 30 * nodes * rounds
        while ran.returncode == 0 and time.monotonic() < until and not (out / "nodes.json").exists():
            time.sleep(1)
        time.sleep(2)
        heard = len(lines.read_text().splitlines()) if lines.exists() else 0
        print(f"{heard} of {rounds} rounds recorded in {lines.parent}")
        if not (out / "nodes.json").exists():
            print("the app did not come to its end")
            return 1
        if source is not None:
            renamed(out / "transcript", out / "named", json.loads((out / "nodes.json").read_text()))
        apart = played_over(out, source)
        print(f"messages of {apart[0]} turns, played over with the clients' own records: {apart[1]:.1e} apart at most")
        return 0 if heard == rounds and apart[1] < 1e-9 else 1
    finally:
        for one in started:
            one.terminate()
        for one in started:
            one.wait(timeout=30)


def sizes_of(source: Path) -> tuple[int, int, int]:
    from same_world import world

    rounds = sum(1 for line in (source / "transcript/rounds.jsonl").read_text().splitlines() if line.strip())
    return len(world(source)[2]), rounds, 0


if __name__ == "__main__":
    if sys.argv[2:3] == ["--world"]:
        simulated = Path(sys.argv[3]).resolve()
        sys.exit(main(Path(sys.argv[1]), *sizes_of(simulated), simulated))
    sizes = [int(one) for one in sys.argv[2:5]]
    sys.exit(main(Path(sys.argv[1]), *(sizes + [5, 20, 0][len(sizes) :])))
