"""What Flower's interfaces carry, recorded."""

from __future__ import annotations

import json
import struct
import tempfile
import unittest
from pathlib import Path

import numpy as np

from overhear import Recorder

try:
    import flwr  # noqa: F401

    missing = None
except ImportError as error:
    missing = str(error)

if missing is None:
    from federation import LocalGrid, arrays_of, client, people, start_layers, train_config, turn
    from flwr.app import ArrayRecord, ConfigRecord, Message, RecordDict
    from flwr.serverapp.strategy import FedAvg


def read(path: Path) -> dict[str, np.ndarray]:
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    dtypes = {"F64": "<f8", "F32": "<f4", "F16": "<f2"}
    return {
        name: np.frombuffer(data[8 + length :][slice(*one["data_offsets"])], dtypes[one["dtype"]]).reshape(one["shape"])
        for name, one in header.items()
    }


def rounds_of(folder: Path) -> list[dict]:
    return [json.loads(line) for line in (folder / "rounds.jsonl").read_text().splitlines()]


@unittest.skipIf(missing is not None, f"flwr is not there: {missing}")
class MessageInterface(unittest.TestCase):
    def setUp(self) -> None:
        self.place = tempfile.TemporaryDirectory()
        self.folder = Path(self.place.name) / "run" / "transcript"

    def tearDown(self) -> None:
        self.place.cleanup()

    def federation(self, seats: int = 5, fails=lambda _: False):
        data = {1000 + 7 * i: people(20 + i, 3, i) for i in range(seats)}
        nodes = {node: client(x, y, fails if node == 1000 else lambda _: False) for node, (x, y) in data.items()}
        return data, LocalGrid(nodes)

    def test_a_run_of_fedavg(self) -> None:
        data, grid = self.federation(fails=lambda number: number == 2)
        start = start_layers([3, 1], 1)
        rec = Recorder(self.folder, model="linear", aliases={"1007": "hospital-b"})
        strategy = FedAvg(fraction_train=1.0, fraction_evaluate=1.0)
        strategy.start(grid=rec.flower_grid(grid), initial_arrays=arrays_of(start), num_rounds=4, train_config=train_config(0.05, 3))
        rec.close()
        self.assertIsNone(rec.stopped)
        manifest = json.loads((self.folder / "transcript.json").read_text())
        self.assertEqual(manifest["model"], {"kind": "linear", "inputs": 3, "outputs": 1})
        self.assertEqual(manifest["protocol"], {"share": "parameters", "learningRate": 0.05, "localEpochs": 3})
        self.assertEqual(manifest["parameters"][0], {"name": "fc0.weight", "shape": [1, 3]})
        self.assertIn({"id": "hospital-b", "samples": 21}, manifest["clients"])
        lines = rounds_of(self.folder)
        # Evaluation sends the model too: four rounds, not eight.
        self.assertEqual([line["round"] for line in lines], [0, 1, 2, 3])
        self.assertEqual(lines[1]["dropped"], ["1000"])
        self.assertEqual(sorted(lines[1]["participants"]), ["1014", "1021", "1028", "hospital-b"])
        theta = list(start.values())
        for number, line in enumerate(lines):
            tensors = read(self.folder / line["file"])
            np.testing.assert_array_equal(tensors["global/fc0.weight"], theta[0])
            replies, weights = [], []
            for node, (x, y) in data.items():
                alias = "hospital-b" if node == 1007 else str(node)
                if number == 1 and node == 1000:
                    self.assertNotIn(f"client/{alias}/fc0.weight", tensors)
                    continue
                expected = turn(theta, x, y, 3, 0.05)
                np.testing.assert_array_equal(tensors[f"client/{alias}/fc0.weight"], expected[0])
                np.testing.assert_array_equal(tensors[f"client/{alias}/fc0.bias"], expected[1])
                replies.append(expected)
                weights.append(len(y))
            after = read(self.folder / lines[number + 1]["file"]) if number < 3 else None
            if after is not None:
                theta = [after["global/fc0.weight"], after["global/fc0.bias"]]
                mean = np.average([one[0] for one in replies], axis=0, weights=weights)
                np.testing.assert_allclose(theta[0], mean, atol=1e-12)

    def test_a_loop_of_ones_own_with_push_and_pull(self) -> None:
        _, grid = self.federation(3)
        rec = Recorder(self.folder)
        heard = rec.flower_grid(grid)
        content = RecordDict({"arrays": arrays_of(start_layers([3, 1], 1)), "config": ConfigRecord({"server-round": 1, **train_config(0.1, 1)})})
        other = RecordDict({"arrays": arrays_of(start_layers([3, 1], 2)), "config": content["config"]})
        for _ in range(2):
            messages = [Message(other if node == 1014 else content, node, "train") for node in heard.get_node_ids()]
            ids = list(heard.push_messages(messages))
            replies = [*heard.pull_messages(ids[:1]), *heard.pull_messages(ids[1:])]
            self.assertEqual(len(replies), 3)
        # One whose replies are never fetched: its clients are lost to the round.
        heard.push_messages([Message(content, 1000, "train")])
        heard.push_messages([Message(content, 1007, "train")])
        rec.close()
        self.assertIsNone(rec.stopped)
        lines = rounds_of(self.folder)
        self.assertEqual([len(line["participants"]) for line in lines], [3, 3, 0])
        self.assertEqual(lines[2]["dropped"], ["1000"])
        self.assertEqual(lines[0]["tampered"], ["1014"])
        self.assertIn("sent/1014/fc0.weight", read(self.folder / lines[0]["file"]))
        self.assertEqual(json.loads((self.folder / "transcript.json").read_text())["model"], {"kind": "opaque"})
        self.assertEqual(heard.run, "a run")

    def test_counters_are_left_out_and_the_run_never_fails(self) -> None:
        from flwr.app import Array

        def answer(content: RecordDict) -> RecordDict:
            arrays = dict(content["arrays"].items())
            if int(content["config"]["server-round"]) == 3:
                arrays["w"] = Array(np.zeros(5))  # another shape: the recorder stops, the run goes on
            return RecordDict({"arrays": ArrayRecord(arrays)})

        rec = Recorder(self.folder)
        grid = rec.flower_grid(LocalGrid({1: answer, 2: answer}))
        arrays = ArrayRecord({"w": Array(np.ones(2, np.float32)), "bn.num_batches_tracked": Array(np.array(3))})
        with self.assertLogs("overhear", "WARNING") as told:
            for number in range(1, 6):
                content = RecordDict({"arrays": arrays, "config": ConfigRecord({"server-round": number})})
                self.assertEqual(len(list(grid.send_and_receive([Message(content, node, "train") for node in (1, 2)]))), 2)
            rec.close()
        self.assertEqual(len(rounds_of(self.folder)), 2)
        self.assertEqual(list(read(self.folder / "rounds/000000.safetensors")), ["global/w", "client/1/w", "client/2/w"])
        self.assertEqual(len(told.output), 1)
        self.assertIn("recording stopped, the run goes on", told.output[0])
        self.assertIn("w (5,) for (2,)", told.output[0])


@unittest.skipIf(missing is not None, f"flwr is not there: {missing}")
class OlderInterface(unittest.TestCase):
    def test_fit_and_secure_aggregation(self) -> None:
        from flwr.common import Code, FitIns, FitRes, Status, ndarrays_to_parameters
        from flwr.server.strategy import FedAvg as OldFedAvg

        class Proxy:
            def __init__(self, cid: str):
                self.cid = cid

        class Manager:
            def num_available(self) -> int:
                return 3

            def sample(self, num_clients: int, min_num_clients: int, criterion=None) -> list[Proxy]:
                return [Proxy(str(i)) for i in range(3)]

            def wait_for(self, *_: object) -> bool:
                return True

        base = [np.arange(6.0).reshape(2, 3), np.zeros(2)]
        fine = Status(Code.OK, "")
        with tempfile.TemporaryDirectory() as place:
            for secure in (False, True):
                folder = Path(place) / str(secure)
                rec = Recorder(folder, model={"kind": "linear"})
                strategy = rec.flower_strategy(OldFedAvg(on_fit_config_fn=lambda _: {"batch_size": 8}), names=["out.weight", "out.bias"])
                asked = strategy.configure_fit(1, ndarrays_to_parameters(base), Manager())
                self.assertIsInstance(asked[0][1], FitIns)
                one = ndarrays_to_parameters([base[0] + 1, base[1] + 2])
                results = [
                    (proxy, FitRes(fine, one if secure else ndarrays_to_parameters([base[0] + i, base[1]]), 10 * (i + 1), {}))
                    for i, (proxy, _) in enumerate(asked)
                ]
                parameters, _ = strategy.aggregate_fit(1, results if secure else results[:2], [] if secure else [(asked[2][0], results[2][1])])
                self.assertIsNotNone(parameters)
                rec.close()
                self.assertIsNone(rec.stopped)
                manifest = json.loads((folder / "transcript.json").read_text())
                self.assertEqual(manifest["protocol"]["batchSize"], 8)
                (line,) = rounds_of(folder)
                tensors = read(folder / line["file"])
                if secure:
                    self.assertEqual(manifest["recordedFor"], "secagg-server")
                    self.assertEqual(manifest["protocol"]["aggregateWeights"], "samples")
                    np.testing.assert_array_equal(tensors["aggregate/out.weight"], np.full((2, 3), 60.0))
                    np.testing.assert_array_equal(tensors["aggregate/out.bias"], np.full(2, 120.0))
                    self.assertEqual(line["participants"], ["0", "1", "2"])
                    self.assertFalse(any(name.startswith("client/") for name in tensors))
                else:
                    self.assertEqual((line["participants"], line["dropped"]), (["0", "1"], ["2"]))
                    np.testing.assert_array_equal(tensors["client/1/out.weight"], base[0] + 1)

    def test_secure_aggregation_by_flower_itself(self) -> None:
        import secure

        with tempfile.TemporaryDirectory() as place:
            secure.main(Path(place), 2)
            folder = Path(place) / "transcript"
            self.assertEqual(json.loads((folder / "transcript.json").read_text())["recordedFor"], "secagg-server")
            lines = rounds_of(folder)
            self.assertEqual([len(line["participants"]) for line in lines], [8, 8])
            for line in lines:
                tensors = read(folder / line["file"])
                self.assertFalse(any(name.startswith("client/") for name in tensors))
                start = [tensors["global/out.weight"].astype(float), tensors["global/out.bias"].astype(float)]
                expected = [np.zeros((1, secure.INPUTS)), np.zeros(1)]
                for one in line["participants"]:
                    x, y = people(40, secure.INPUTS, int(one) - 100)
                    sign = -1 if int(one) - 100 in secure.CULPRITS else 1
                    for total, a, b in zip(expected, start, turn(start, x, y, 2, 0.05), strict=True):
                        total += sign * 40 * (b - a)
                # Flower rounds parameters to 2^-18 of the clipping range, and averages by samples.
                np.testing.assert_allclose(tensors["aggregate/out.weight"], expected[0], atol=0.02)
                np.testing.assert_allclose(tensors["aggregate/out.bias"], expected[1], atol=0.02)

    def test_noise_is_told(self) -> None:
        """Of all four strategies and both interfaces: the server adds the noise, so it sees what clients send without it."""
        from flwr.server import strategy as older
        from flwr.serverapp import strategy as newer

        told = {"mechanism": "central-dp", "unit": "client", "maxNorm": 2.0, "noiseMultiplier": 1.1}
        for module, side, kind in [(m, s, k) for m in (older, newer) for s in ("Server", "Client") for k in ("Fixed", "Adaptive")]:
            with self.subTest(module=module.__name__, side=side, kind=kind), tempfile.TemporaryDirectory() as place:
                made = getattr(module, f"DifferentialPrivacy{side}Side{kind}Clipping")
                norm = {"clipping_norm": 2.0} if kind == "Fixed" else {"initial_clipping_norm": 2.0, "clipped_count_stddev": 5.0}
                private = made(module.FedAvg(), noise_multiplier=1.1, num_sampled_clients=10, **norm)
                rec = Recorder(Path(place) / "run")
                rec.flower_strategy(private) if module is older else rec.flower_grid(LocalGrid({}), strategy=private)
                expected = told if kind == "Fixed" else {key: told[key] for key in ("mechanism", "unit")}
                self.assertEqual(rec._stated["differentialPrivacy"], expected)
                rec.close()


if __name__ == "__main__":
    unittest.main()
