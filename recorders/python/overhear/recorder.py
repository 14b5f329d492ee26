"""The recorder: rounds in, a transcript out. It never fails the run that it records."""

from __future__ import annotations

import atexit
import json
import logging
import queue
import threading
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from .arrays import Later, Named, check_alike, named
from .disk import append_line, flush_file, flush_folder, write_flushed, write_whole
from .models import describe, filled
from .rounds import Guard, Heard, Round, client_id
from .safetensors import encode

_log = logging.getLogger("overhear")
_LOSSES = ("mse", "cross-entropy", "binary-cross-entropy")


class Recorder:
    """
    Writes a transcript folder, round by round. The folder must not exist. `model`: a torch module, a description such as
    {"kind": "mlp", "activation": "relu"} (sizes are read off the arrays), or None for one that cannot be evaluated.
    `protocol`: what is known of the training, by the names of the transcript's `protocol`. `patience`: seconds after which a disk that
    takes nothing is given up.
    """

    def __init__(
        self,
        folder: str | Path,
        *,
        model: Any = None,
        loss: str = "mse",
        protocol: Mapping[str, Any] | None = None,
        names: Iterable[str] | None = None,
        aliases: Mapping[Any, str] | None = None,
        patience: float = 300.0,
    ):
        if loss not in _LOSSES:
            raise ValueError(f"loss is {loss!r}; allowed are {', '.join(_LOSSES)}")
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=False)
        (self.folder / "rounds").mkdir()
        self._model = describe(model, loss)
        self._loss = loss
        self._stated = dict(protocol or {})
        self._heard_settings: dict[str, Any] = {}
        self._names = list(names) if names is not None else None
        self._aliases = {str(key): client_id(value) for key, value in (aliases or {}).items()}
        self._clients: dict[str, int | None] = {}
        self._shapes: dict[str, tuple[int, ...]] | None = None
        self._patience = float(patience)
        self._secure = False
        self._next = 0
        self._manifest: dict[str, Any] = {}
        self.stopped: str | None = None
        self._jobs: queue.Queue[Heard | None] = queue.Queue(maxsize=4)
        self._thread = threading.Thread(target=self._work, name="overhear-recorder", daemon=True)
        self._thread.start()
        atexit.register(self.close)

    # -- what the run calls

    def round(self, number: int | None, arrays: Any, selected: Iterable[Any] = ()) -> Round:
        """A round begins: the model that everybody is sent, and who was asked. Rounds count from 0."""
        heard = Heard(self._next if number is None else int(number), None, [])
        with self._guarded("the beginning of a round"):
            heard.broadcast = None if arrays is None else self._later(arrays)
            heard.selected = [client_id(one) for one in selected]
        self._next = heard.number + 1
        return Round(self, heard)

    def flower_grid(self, grid: Any, strategy: Any = None) -> Any:
        """
        Flower's grid, listened to: `strategy.start(grid=rec.flower_grid(grid), ...)`. Of a strategy that adds noise, give it, too: it is
        not on the wire.
        """
        from .flower import recording_grid

        return recording_grid(self, grid, strategy)

    def flower_strategy(self, strategy: Any, names: Iterable[str] | None = None) -> Any:
        """A strategy of Flower's older interface, listened to. Its arrays have no names: give those of the state dict."""
        from .flower import recording_strategy

        if names is not None:
            self._names = list(names)
        return recording_strategy(self, strategy)

    def close(self) -> None:
        """Waits until all that was heard is on the disk, but not for ever. Called at the end of the program by itself."""
        if self._thread.is_alive():
            until = time.monotonic() + self._patience
            try:
                self._jobs.put(None, timeout=self._patience)
                self._thread.join(max(0.0, until - time.monotonic()))
            except queue.Full:
                pass
            if self._thread.is_alive():
                self._give_up(f"at the end the disk took nothing for {self._patience:g} s")
        atexit.unregister(self.close)

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- what the listeners of frameworks call

    def settings_heard(self, settings: Mapping[str, Any]) -> None:
        """Settings that were on the wire. What the user stated counts; another value is told."""
        for key, value in settings.items():
            if key in self._stated and self._stated[key] != value and key != "learningRate":
                self._warn(f"{key} was stated as {self._stated[key]!r}, and {value!r} was sent to clients")
            if key not in self._stated:
                self._heard_settings.setdefault(key, value)

    def _later(self, arrays: Any) -> Later:
        if callable(arrays):
            return arrays
        copied = named(arrays, self._names)
        return lambda: copied

    def _guarded(self, doing: str) -> Guard:
        return Guard(self, doing)

    def _finish(self, heard: Heard) -> None:
        if self.stopped is not None or not self._thread.is_alive():
            return
        try:
            self._jobs.put(heard, timeout=self._patience)
        except queue.Full:
            self._give_up(f"round {heard.number}: the disk took no round for {self._patience:g} s")

    def _give_up(self, why: str) -> None:
        if self.stopped is None:
            self.stopped = why
            self._warn(f"recording stopped, the run goes on; the transcript ends before this round ({why})")

    def _warn(self, text: str) -> None:
        _log.warning(text)  # not warnings.warn: a filter may turn that into an error

    # -- the thread that writes

    def _work(self) -> None:
        while (heard := self._jobs.get()) is not None:
            if self.stopped is None:
                with self._guarded(f"round {heard.number}"):
                    self._write(heard)
            self._jobs.task_done()
        with self._guarded("the end"):
            self._flush()

    def _write(self, heard: Heard) -> None:
        tensors: Named = []
        base = heard.broadcast() if heard.broadcast is not None else None
        self._learn_shapes(base, heard)
        if base is not None:
            tensors += [(f"global/{name}", array) for name, array in self._checked(base, "the global model")]
        for client, arrays in heard.sent.items():
            tensors += [(f"sent/{self._alias(client)}/{name}", a) for name, a in self._checked(arrays(), f"sent to {client}")]
        for client, arrays in heard.replies.items():
            tensors += [(f"client/{self._alias(client)}/{name}", a) for name, a in self._checked(arrays(), f"client {client}")]
        inside = list(heard.replies)
        if heard.mean is not None:
            if base is None:
                raise ValueError("a mean without the model that was sent")
            self._secure = True
            inside = list(heard.samples)
            total = float(sum(heard.samples.values()))
            sent = dict(base)
            mean = self._checked(heard.mean(), "the mean")
            tensors += [(f"aggregate/{name}", total * (a.astype("f8") - sent[name].astype("f8"))) for name, a in mean]
        for client in [*heard.selected, *inside, *heard.failed]:
            known = self._clients.setdefault(self._alias(client), None)
            self._clients[self._alias(client)] = heard.samples.get(client, known)
        file = f"rounds/{heard.number:06d}.safetensors"
        # The one wait for the disk of a round. Its line follows without one: a power cut may cost the last lines, and those that
        # are there name files that are whole, or not what their SHA-256 says.
        digest = write_flushed(self.folder / file, encode(tensors))
        self._write_manifest()
        dropped = [one for one in dict.fromkeys([*heard.selected, *heard.failed]) if one not in inside]
        line: dict[str, Any] = {
            "round": heard.number,
            "file": file,
            "participants": [self._alias(one) for one in inside],
            "dropped": [self._alias(one) for one in dropped],
            "tampered": [self._alias(one) for one in heard.sent],
            "sha256": digest,
        }
        if heard.learning_rate is not None and self._stated.get("learningRate") is None:
            line["learningRate"] = heard.learning_rate
        append_line(self.folder / "rounds.jsonl", json.dumps(line))

    def _flush(self) -> None:
        """The list of rounds and the folder's own, on the disk."""
        lines = self.folder / "rounds.jsonl"
        if lines.exists():
            flush_file(lines)
            flush_folder(self.folder / "rounds")
            flush_folder(self.folder)

    def _learn_shapes(self, base: Named | None, heard: Heard) -> None:
        if self._shapes is not None:
            return
        first = base if base is not None else next(iter(heard.replies.values()), list)()
        if not first:
            raise ValueError("no arrays of floating-point numbers were heard")
        self._shapes = {name: array.shape for name, array in first}
        self._model = filled(self._model, [array.shape for _, array in first])

    def _checked(self, pairs: Named, whose: str) -> Named:
        check_alike(pairs, self._shapes or {}, whose)
        return pairs

    def _alias(self, client: str) -> str:
        return self._aliases.get(client, client)

    def _write_manifest(self) -> None:
        """Written anew when somebody is heard of for the first time; a reader always finds a whole one."""
        heard = {**self._heard_settings, **self._stated}
        protocol: dict[str, Any] = {"share": "parameters", **heard}
        if "localSteps" not in protocol:
            protocol.setdefault("localEpochs", None)  # unknown; absent would be one
        if self._secure:
            protocol.update(secureAggregation=True, aggregateWeights="samples")
        manifest = {
            "format": "overhear-transcript/1",
            "source": {"tool": "overhear-recorder", "version": "0.1.0"},
            "recordedFor": "secagg-server" if self._secure else "server",
            "model": self._model,
            "loss": self._loss,
            "parameters": [{"name": name, "shape": list(shape)} for name, shape in (self._shapes or {}).items()],
            "protocol": protocol,
            "clients": [{"id": client, "samples": samples} for client, samples in self._clients.items()],
            "rounds": "rounds.jsonl",
        }
        if manifest != self._manifest:
            write_whole(self.folder / "transcript.json", [json.dumps(manifest, indent=1).encode()])
            self._manifest = manifest
