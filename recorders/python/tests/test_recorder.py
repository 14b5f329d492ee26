"""The recorder without any framework: what it writes, what it refuses, what survives."""

from __future__ import annotations

import hashlib
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

import numpy as np
from test_flower import read, rounds_of

from overhear import Recorder, knowledge, renamed, truth
from overhear.arrays import from_npy
from overhear.models import describe
from overhear.safetensors import encode

ARRAYS = {"a.weight": np.ones((2, 3), np.float32), "a.bias": np.zeros(2, np.float32)}


class Folder(unittest.TestCase):
    def setUp(self) -> None:
        self.place = tempfile.TemporaryDirectory()
        self.root = Path(self.place.name)

    def tearDown(self) -> None:
        self.place.cleanup()


class Rounds(Folder):
    def test_any_framework(self) -> None:
        with Recorder(self.root / "t", model={"kind": "mlp", "activation": "tanh"}, protocol={"learningRate": 0.1}) as rec:
            for i in range(3):
                arrays = {"0.weight": np.full((4, 3), i, np.float64), "0.bias": np.zeros(4), "2.weight": np.ones((1, 4)), "2.bias": np.zeros(1)}
                with rec.round(i, arrays, selected=["x", "y"]) as r:
                    arrays["0.weight"] += 5  # the run goes on with its own arrays: what was sent is kept
                    r.reply("x", arrays, samples=30)
                    r.failed("y")
        manifest = json.loads((self.root / "t/transcript.json").read_text())
        self.assertEqual(manifest["model"], {"inputs": 3, "outputs": 1, "hidden": [4], "kind": "mlp", "activation": "tanh"})
        self.assertEqual(manifest["clients"], [{"id": "x", "samples": 30}, {"id": "y", "samples": None}])
        lines = rounds_of(self.root / "t")
        self.assertEqual([(line["participants"], line["dropped"]) for line in lines], [(["x"], ["y"])] * 3)
        tensors = read(self.root / "t" / lines[2]["file"])
        np.testing.assert_array_equal(tensors["global/0.weight"], np.full((4, 3), 2.0))
        np.testing.assert_array_equal(tensors["client/x/0.weight"], np.full((4, 3), 7.0))

    def test_a_round_that_was_interrupted_is_not_written(self) -> None:
        rec = Recorder(self.root / "t")
        with self.assertRaises(KeyError), rec.round(0, ARRAYS, ["x"]):
            raise KeyError("the run's own error")
        with rec.round(0, ARRAYS, ["x"]) as r:
            r.reply("x", ARRAYS)
        rec.close()
        self.assertEqual([line["round"] for line in rounds_of(self.root / "t")], [0])

    def test_what_is_wrong_ends_the_recording_and_not_the_run(self) -> None:
        for wrong in ("id", "names", "text"):
            rec = Recorder(self.root / wrong, names=["one"] if wrong == "names" else None)
            with self.assertLogs("overhear", "WARNING") as told:
                for _ in range(2):
                    with rec.round(None, [np.ones(2), np.ones(3)], ["x"]) as r:
                        r.reply("not allowed!" if wrong == "id" else "x", "text" if wrong == "text" else [np.ones(2), np.ones(3)])
                rec.close()
            self.assertEqual(len(told.output), 1)
            self.assertIsNotNone(rec.stopped)
            self.assertFalse((self.root / wrong / "rounds.jsonl").exists())

    def test_a_full_disk_ends_the_recording(self) -> None:
        rec = Recorder(self.root / "t")
        os.rmdir(self.root / "t/rounds")
        with self.assertLogs("overhear", "WARNING"):
            with rec.round(0, ARRAYS, ["x"]) as r:
                r.reply("x", ARRAYS)
            rec.close()
        self.assertIn("round 0", rec.stopped or "")

    def test_a_disk_that_hangs_does_not_hold_the_run(self) -> None:
        rec = Recorder(self.root / "t", patience=0.2)
        free = threading.Event()
        rec._write = lambda heard: free.wait()  # type: ignore[method-assign]
        began = time.monotonic()
        with self.assertLogs("overhear", "WARNING") as told:
            for _ in range(12):
                with rec.round(None, ARRAYS, ["x"]) as r:
                    r.reply("x", ARRAYS)
            rec.close()
        self.assertLess(time.monotonic() - began, 5)
        self.assertEqual(len(told.output), 1)
        self.assertIn("the disk took no round for 0.2 s", rec.stopped or "")
        free.set()
        rec._thread.join(5)

    def test_a_disk_that_hangs_at_the_end_is_given_up(self) -> None:
        rec = Recorder(self.root / "t", patience=0.2)
        free = threading.Event()
        rec._write = lambda heard: free.wait()  # type: ignore[method-assign]
        with self.assertLogs("overhear", "WARNING"):
            with rec.round(None, ARRAYS, ["x"]) as r:
                r.reply("x", ARRAYS)
            rec.close()
        self.assertIn("at the end", rec.stopped or "")
        free.set()
        rec._thread.join(5)

    def test_the_door(self) -> None:
        (self.root / "there").mkdir()
        with self.assertRaises(FileExistsError):
            Recorder(self.root / "there")
        with self.assertRaisesRegex(ValueError, "loss is 'hinge'; allowed are mse"):
            Recorder(self.root / "t", loss="hinge")
        with self.assertRaisesRegex(ValueError, "client id 'a b'"):
            Recorder(self.root / "u", aliases={1: "a b"})

    def test_killed(self) -> None:
        """Whatever is listed is whole, whenever the process dies."""
        program = f"""
import numpy as np
from overhear import Recorder
rec = Recorder({str(self.root / 't')!r})
for i in range(10**6):
    with rec.round(i, [np.full((64, 64), float(i))], ["x"]) as r:
        r.reply("x", [np.full((64, 64), -float(i))])
    print(i, flush=True)
"""
        own = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
        process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, env=own)
        assert process.stdout is not None
        while int(process.stdout.readline()) < 20:
            pass
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        text = (self.root / "t/rounds.jsonl").read_text()
        whole = [json.loads(line) for line in text.split("\n")[:-1]]
        self.assertGreater(len(whole), 5)
        for i, line in enumerate(whole):
            self.assertEqual(line["round"], i)
            self.assertEqual(read(self.root / "t" / line["file"])["client/x/0"][0, 0], -i)
        self.assertEqual(json.loads((self.root / "t/transcript.json").read_text())["clients"], [{"id": "x", "samples": None}])


class Names(Folder):
    def test_clients_get_their_names_afterwards(self) -> None:
        with Recorder(self.root / "t", model="linear") as rec:
            for i in range(3):
                with rec.round(i, ARRAYS, selected=["7001", "7002"]) as r:
                    r.reply("7001", {name: a + i for name, a in ARRAYS.items()}, samples=4)
                    r.failed("7002")
                    r.sent("7001", ARRAYS)
        renamed(self.root / "t", self.root / "n", {7001: "north", "7002": "south"})
        manifest = json.loads((self.root / "n/transcript.json").read_text())
        self.assertEqual(manifest["clients"], [{"id": "north", "samples": 4}, {"id": "south", "samples": None}])
        before, after = rounds_of(self.root / "t"), rounds_of(self.root / "n")
        for old, new in zip(before, after, strict=True):
            self.assertEqual([new[key] for key in ("participants", "dropped", "tampered")], [["north"], ["south"], ["north"]])
            data = (self.root / "n" / new["file"]).read_bytes()
            self.assertEqual(hashlib.sha256(data).hexdigest(), new["sha256"])
            a, b = read(self.root / "t" / old["file"]), read(self.root / "n" / new["file"])
            self.assertEqual([name.replace("7001", "north") for name in a], list(b))
            for x, y in zip(a.values(), b.values(), strict=True):
                np.testing.assert_array_equal(x, y)

    def test_names_that_cannot_be(self) -> None:
        with Recorder(self.root / "t") as rec:
            with rec.round(0, ARRAYS, selected=["a", "b"]) as r:
                r.reply("a", ARRAYS)
        wrong = (({"c": "x"}, "no client 'c'; there are a, b"), ({"a": "b"}, "two clients would be called 'b'"), ({"a": "x y"}, "client id 'x y'"))
        for names, why in wrong:
            with self.assertRaisesRegex(ValueError, why):
                renamed(self.root / "t", self.root / "n", names)
            self.assertFalse((self.root / "n").exists())
        (self.root / "n").mkdir()
        with self.assertRaises(FileExistsError):
            renamed(self.root / "t", self.root / "n", {"a": "x"})


class Models(unittest.TestCase):
    def test_torch_modules(self) -> None:
        class Leaf:
            def __init__(self, **more: object):
                self.__dict__.update(more)

            def children(self) -> list:
                return []

            def modules(self) -> list:
                return [self]

        class Linear(Leaf):
            pass

        class ReLU(Leaf):
            pass

        class Softplus(Leaf):
            pass

        class Sequential:
            def __init__(self, *parts: Leaf):
                self.parts = parts

            def children(self) -> tuple:
                return self.parts

            def modules(self) -> list:
                return [self, *self.parts]

        a, b = Linear(in_features=8, out_features=32, bias=1), Linear(in_features=32, out_features=1, bias=1)
        mlp = {"kind": "mlp", "inputs": 8, "hidden": [32], "outputs": 1, "activation": "relu"}
        self.assertEqual(describe(Sequential(a, ReLU(), b), "mse"), mlp)
        c = Linear(in_features=32, out_features=32, bias=1)
        self.assertEqual(describe(Sequential(a, ReLU(), c, ReLU(), b), "mse"), {**mlp, "hidden": [32, 32]})
        self.assertEqual(describe(a, "mse"), {"kind": "linear", "inputs": 8, "outputs": 32})
        self.assertEqual(describe(a, "cross-entropy"), {"kind": "softmax", "inputs": 8, "outputs": 32})
        plain = Linear(in_features=8, out_features=1, bias=None)
        self.assertEqual(describe(plain, "binary-cross-entropy"), {"kind": "logistic", "inputs": 8, "outputs": 1, "bias": False})
        for other in (Sequential(a, Softplus(), b), Sequential(a, ReLU()), Sequential(b, ReLU(), b), Sequential(a, b), Sequential(a, ReLU(), c, b), None):
            self.assertEqual(describe(other, "mse"), {"kind": "opaque"})


class Tables(Folder):
    def test_knowledge_and_truth(self) -> None:
        table = {"id": ["p1", "p2"], "age": [0.5, -1.0], "smoker": [1, 0], "cost": [10.0, 20.0]}
        more = [{"age": 0.1, "smoker": 1, "cost": 3.5}, {"age": 0.2, "smoker": 0, "cost": 4.5}]
        knowledge(self.root / "knowledge.json", table=table, id="id", label="cost", sensitive=["smoker"], target="a", auxiliary=more)
        known = json.loads((self.root / "knowledge.json").read_text())
        smoker = {"name": "smoker", "columns": ["smoker"], "kind": "binary", "values": [[0.0], [1.0]]}
        self.assertEqual(known["sensitive"], [smoker])
        self.assertEqual((self.root / "records.csv").read_text(), "age,smoker,cost\n0.5,,10.0\n-1.0,,20.0\n")
        self.assertEqual((self.root / "auxiliary.csv").read_text(), "age,smoker,cost\n0.1,1,3.5\n0.2,0,4.5\n")
        truth(self.root / "truth", client="a", trained=table, held_back=table, id="id")
        truth(self.root / "truth", client="b", trained=table, label="cost")
        told = json.loads((self.root / "truth/truth.json").read_text())
        self.assertEqual(told["clients"]["a"], {"file": "a.csv", "label": "cost", "heldBack": "a-held-back.csv", "id": "id"})
        self.assertEqual(told["clients"]["b"], {"file": "b.csv", "label": "cost"})

    def test_many_values_are_a_measure(self) -> None:
        table = {"x": list(range(30)), "y": [0.0] * 30}
        knowledge(self.root / "knowledge.json", table=table, label="y", sensitive=["x"])
        (one,) = json.loads((self.root / "knowledge.json").read_text())["sensitive"]
        self.assertEqual((one["kind"], one["values"]), ("continuous", [0.0, 29.0]))

    def test_wrong_tables(self) -> None:
        with self.assertRaisesRegex(ValueError, r"no column \['cost'\]; there are \['x'\]"):
            knowledge(self.root / "k.json", table={"x": [1]}, label="cost")
        with self.assertRaisesRegex(ValueError, "columns of different lengths"):
            knowledge(self.root / "k.json", table={"x": [1], "y": [1, 2]}, label="y")
        with self.assertRaisesRegex(ValueError, "give label="):
            truth(self.root / "nowhere/truth", client="a", trained={"x": [1]})


class Container(unittest.TestCase):
    def test_only_floats(self) -> None:
        with self.assertRaisesRegex(ValueError, "dtype int64"):
            encode([("a", np.array([1]))])
        with self.assertRaisesRegex(ValueError, "two tensors are called 'a'"):
            encode([("a", np.ones(1)), ("a", np.ones(1))])
        self.assertEqual(len(b"".join(encode([("a", np.ones(3, ">f4"))]))) % 4, 0)

    def test_arrays_are_read_where_they_lie(self) -> None:
        def saved(array: np.ndarray) -> bytes:
            file = io.BytesIO()
            np.save(file, array)
            return file.getvalue()

        odd = (np.arange(6.0).reshape(2, 3), np.asfortranarray(np.arange(6.0).reshape(2, 3)), np.float32(3), np.ones((0, 2)), np.ones(1, ">f8"))
        for array in odd:
            data = saved(np.asarray(array))
            read_back = from_npy(data)
            np.testing.assert_array_equal(read_back, array)
            self.assertEqual((read_back.shape, read_back.dtype), (np.shape(array), np.asarray(array).dtype))
            for wrong in (data[:-1] if np.size(array) else data[:20], data + b"0", b"", b"x" * 200, data.replace(b"NUMPY", b"DUMPY")):
                with self.assertRaises(ValueError):
                    from_npy(wrong)
        with self.assertRaisesRegex(ValueError, "Python objects"):
            from_npy(saved(np.array([{}], dtype=object)))


if __name__ == "__main__":
    unittest.main()
