"""Listens to NVFlare: a filter on the server, over what tasks carry out and what results bring back."""

from __future__ import annotations

import atexit
import logging
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from nvflare.apis.dxo import DataKind, from_shareable
from nvflare.apis.event_type import EventType
from nvflare.apis.filter import Filter
from nvflare.apis.fl_constant import FilterKey, FLContextKey, ReturnCode
from nvflare.app_common.app_constant import AppConstants

from .recorder import Recorder
from .rounds import Round

_log = logging.getLogger("overhear")
_SHARES = {DataKind.WEIGHTS: "parameters", DataKind.WEIGHT_DIFF: "delta"}
#: Names under which a client may say on how many records it trained. NVFlare itself only counts steps.
_SAMPLES = ("num_samples", "num_examples", "num-examples", "samples")


def _weights(shareable: Any) -> tuple[str, dict[str, np.ndarray], dict[str, Any]] | None:
    """How weights are shared, the weights, and what is said beside them; None where it carries something else."""
    try:
        dxo = from_shareable(shareable)
    except Exception:  # no DXO: whatever it is, it is no model
        return None
    share = _SHARES.get(dxo.data_kind)
    if share is None or not isinstance(dxo.data, Mapping):
        return None
    return share, {str(name): value for name, value in dxo.data.items()}, dict(dxo.meta or {})


class _Run:
    """One recording: filters of the same folder share it, since tasks and results have a filter each."""

    def __init__(self, recorder: Recorder):
        self.recorder = recorder
        self._lock = threading.RLock()
        self._round: Round | None = None
        self._number: Any = None
        self._sent: dict[str, Any] = {}
        self._share: str | None = None

    def asked(self, client: str, number: Any, weights: dict[str, np.ndarray]) -> None:
        """A client fetches its task; clients of a round come one after the other."""
        with self._lock, self.recorder._guarded("a task for a client"):
            if self._round is None or number != self._number:
                self.finish()
                self._round = self.recorder.round(None, weights, [client])
                self._number, self._sent = number, {name: np.array(value) for name, value in weights.items()}
                return
            self._round.asked(client)
            if not _same(self._sent, weights):
                self._round.sent(client, weights)

    def heard(self, client: str, found: tuple[str, dict[str, np.ndarray], dict[str, Any]] | None) -> None:
        with self._lock, self.recorder._guarded("a client's result"):
            if self._round is None:
                return
            if found is None:
                self._round.failed(client)
                return
            share, weights, said = found
            if self._share not in (None, share):
                raise ValueError(f"clients returned {self._share} and now {share}")
            self._share = share
            self.recorder.settings_heard({"share": share})
            samples = next((said[key] for key in _SAMPLES if isinstance(said.get(key), int | float)), None)
            self._round.reply(client, weights, samples=None if samples is None else int(samples))

    def finish(self) -> None:
        with self._lock:
            if self._round is not None:
                self._round.__exit__(None, None, None)
                self._round = None

    def close(self) -> None:
        self.finish()
        self.recorder.close()


def _same(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
    return a.keys() == b.keys() and all(np.array_equal(a[name], b[name]) for name in a)


_runs: dict[str, _Run | None] = {}
_opening = threading.Lock()


class RecordingFilter(Filter):
    """
    Keeps what crosses the wire, and passes it on as it is. On the server, last among the filters of task data and first among
    those of task results, with the same folder: both write one transcript. Arguments as `overhear.Recorder` has them.
    """

    def __init__(
        self,
        folder: str,
        loss: str = "mse",
        model: dict | None = None,
        protocol: dict | None = None,
        aliases: dict | None = None,
    ):
        super().__init__()
        self.folder = folder
        self.loss = loss
        self.model = model
        self.protocol = protocol
        self.aliases = aliases

    def process(self, shareable: Any, fl_ctx: Any) -> Any:
        try:
            self._listen(shareable, fl_ctx)
        except Exception as error:  # whatever it is, the run goes on
            _log.warning("not recorded: %s", error)
        return shareable

    def handle_event(self, event_type: str, fl_ctx: Any) -> None:
        if event_type == EventType.END_RUN:
            run = _runs.get(self._key())
            if run is not None:
                run.close()

    def _listen(self, shareable: Any, fl_ctx: Any) -> None:
        run = self._run()
        peer = fl_ctx.get_peer_context()
        client = peer.get_identity_name() if peer is not None else ""
        if run is None or client == "":
            return
        found = _weights(shareable)
        if fl_ctx.get_prop(FLContextKey.FILTER_DIRECTION) == FilterKey.OUT:
            if found is not None:
                run.asked(client, shareable.get_header(AppConstants.CURRENT_ROUND), found[1])
            return
        run.heard(client, found if shareable.get_return_code() == ReturnCode.OK else None)

    def _key(self) -> str:
        return str(Path(self.folder).absolute())

    def _run(self) -> _Run | None:
        """Opened when the first message comes: whoever only describes the job makes no folder."""
        with _opening:
            if self._key() not in _runs:
                _runs[self._key()] = None
                run = _Run(Recorder(self.folder, loss=self.loss, model=self.model, protocol=self.protocol, aliases=self.aliases))
                _runs[self._key()] = run
                atexit.register(run.finish)
            return _runs[self._key()]
