"""The filter of NVFlare, over its own messages: needs `pip install nvflare`, and is skipped without it."""

from __future__ import annotations

import json
import tempfile
import unittest
from pathlib import Path

import numpy as np

try:
    from nvflare.apis.dxo import DXO, DataKind
    from nvflare.apis.event_type import EventType
    from nvflare.apis.fl_constant import FilterKey, FLContextKey, ReservedKey, ReturnCode
    from nvflare.apis.fl_context import FLContextManager
    from nvflare.apis.shareable import Shareable, make_reply
    from nvflare.app_common.app_constant import AppConstants

    from overhear.nvflare import RecordingFilter
except ImportError:
    RecordingFilter = None  # type: ignore[assignment, misc]

START = {"w": np.ones((1, 2)), "b": np.zeros(1)}


@unittest.skipIf(RecordingFilter is None, "nvflare is not installed")
class Nvflare(unittest.TestCase):
    def setUp(self) -> None:
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name) / "t"
        # As a job's configuration makes them: one for tasks, one for results.
        self.out, self.back = (RecordingFilter(str(self.folder), model={"kind": "linear"}) for _ in range(2))

    def context(self, client: str, direction: str):  # type: ignore[no-untyped-def]
        peer = FLContextManager(identity_name=client).new_context()
        own = FLContextManager(identity_name="server").new_context()
        own.set_prop(FLContextKey.FILTER_DIRECTION, direction, private=True, sticky=False)
        own.set_prop(ReservedKey.PEER_CTX, peer, private=True, sticky=False) if hasattr(ReservedKey, "PEER_CTX") else own.set_peer_context(peer)
        return own

    def ask(self, client: str, number: int, data=START, kind=None):  # type: ignore[no-untyped-def]
        task = DXO(kind or DataKind.WEIGHTS, data={name: np.array(value) for name, value in data.items()}).to_shareable()
        task.set_header(AppConstants.CURRENT_ROUND, number)
        self.assertIs(self.out.process(task, self.context(client, FilterKey.OUT)), task)

    def answer(self, client: str, shareable: Shareable) -> None:
        self.assertIs(self.back.process(shareable, self.context(client, FilterKey.IN)), shareable)

    def lines(self) -> list[dict]:
        self.out.handle_event(EventType.END_RUN, self.context("server", FilterKey.OUT))
        return [json.loads(line) for line in (self.folder / "rounds.jsonl").read_text().splitlines()]

    def reply(self, factor: float, kind=None, **said) -> Shareable:  # type: ignore[no-untyped-def]
        return DXO(kind or DataKind.WEIGHTS, data={name: factor * value for name, value in START.items()}, meta=said).to_shareable()

    def test_rounds_replies_and_failures(self) -> None:
        self.ask("a", 0)
        self.answer("a", self.reply(2, num_samples=7))  # before the next one asks
        self.ask("b", 0)
        self.answer("b", make_reply(ReturnCode.EXECUTION_EXCEPTION))
        self.ask("c", 0, {"w": np.zeros((1, 2)), "b": np.zeros(1)})
        self.answer("c", self.reply(3))
        self.ask("a", 1)
        self.answer("a", self.reply(4, num_samples=7))
        first, second = self.lines()
        self.assertEqual((first["participants"], first["dropped"], first["tampered"]), (["a", "c"], ["b"], ["c"]))
        self.assertEqual((second["participants"], second["dropped"]), (["a"], []))
        manifest = json.loads((self.folder / "transcript.json").read_text())
        self.assertEqual(manifest["clients"], [{"id": "a", "samples": 7}, {"id": "b", "samples": None}, {"id": "c", "samples": None}])
        self.assertEqual((manifest["protocol"]["share"], manifest["model"]["inputs"]), ("parameters", 2))

    def test_differences_are_told(self) -> None:
        self.ask("a", 0)
        self.answer("a", self.reply(0.1, DataKind.WEIGHT_DIFF))
        self.lines()
        self.assertEqual(json.loads((self.folder / "transcript.json").read_text())["protocol"]["share"], "delta")

    def test_whatever_else_is_passed_on(self) -> None:
        self.ask("a", 0, {"loss": np.ones(1)}, DataKind.METRICS)  # evaluation: no round begins
        self.answer("a", Shareable())
        self.assertFalse((self.folder / "rounds.jsonl").exists())
        self.ask("a", 0)
        self.answer("a", self.reply(2))
        self.assertEqual(len(self.lines()), 1)

    def test_an_existing_folder_is_refused_and_the_run_goes_on(self) -> None:
        self.folder.mkdir()
        with self.assertLogs("overhear", "WARNING"):
            self.ask("a", 0)
            self.answer("a", self.reply(2))
        self.assertFalse((self.folder / "rounds.jsonl").exists())


if __name__ == "__main__":
    unittest.main()
