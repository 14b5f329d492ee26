"""Listens to Flower: to the grid of the message interface, and to strategies of the older one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from .arrays import Later, Named, from_npy, named
from .recorder import Recorder, Round

try:
    from flwr.serverapp import Grid
except ImportError:  # before 1.21
    from flwr.server import Grid

#: Names under which settings travel, as examples and templates of Flower have them.
_SETTINGS = {
    "learningRate": ("lr", "learning-rate", "learning_rate", "local-lr", "eta"),
    "localEpochs": ("local-epochs", "local_epochs", "epochs", "num-epochs", "num_epochs"),
    "localSteps": ("local-steps", "local_steps"),
    "batchSize": ("batch-size", "batch_size"),
    "momentum": ("momentum",),
    "weightDecay": ("weight-decay", "weight_decay"),
    "proxMu": ("proximal-mu", "proximal_mu"),
    "dropout": ("dropout",),
}
_SAMPLES = ("num-examples", "num_examples")
_SECURE = "secaggplus_configs"


def _settings(config: Any) -> dict[str, Any]:
    found = {}
    for setting, keys in _SETTINGS.items():
        value = next((config[key] for key in keys if key in config), None)
        if isinstance(value, int | float) and not isinstance(value, bool):
            found[setting] = value
    return found


def _decode(kind: str, data: bytes, array: Any) -> np.ndarray:
    return from_npy(data) if kind == "numpy.ndarray" else array.numpy()


def _arrays(recorder: Recorder, content: Any) -> Later | None:
    """The arrays of a message; their bytes are kept as they are and decoded when they are written."""
    records = list(content.array_records.items())
    if not records:
        return None
    record = dict(records).get("arrays", records[0][1])
    kept = [(name, array.stype, array.data, array) for name, array in record.items()]
    names = recorder._names

    def later() -> Named:
        return named({name: _decode(kind, data, array) for name, kind, data, array in kept}, names, copy=False)

    return later


def _same(a: Any, b: Any) -> bool:
    """Whether two messages carry the same arrays, by their bytes."""
    first = [list(record.items()) for record in a.array_records.values()]
    second = [list(record.items()) for record in b.array_records.values()]
    return a is b or (
        [[name for name, _ in record] for record in first] == [[name for name, _ in record] for record in second]
        and all(x.data == y.data for p, q in zip(first, second, strict=True) for (_, x), (_, y) in zip(p, q, strict=True))
    )


def _is_training(message: Any) -> bool:
    """Evaluation carries the model too; the steps of secure aggregation are told by the strategy, not by the grid."""
    kind = message.metadata.message_type
    if kind != "train" and not kind.startswith("train."):
        return False
    return message.has_content() and _SECURE not in message.content.config_records and bool(message.content.array_records)


class _Listening:
    """One round on the grid: what was sent, and the replies as they come."""

    def __init__(self, recorder: Recorder, messages: list[Any]):
        first = messages[0].content
        selected = [one.metadata.dst_node_id for one in messages]
        self.round: Round = recorder.round(None, _arrays(recorder, first), selected)
        self.waiting = set(selected)
        self._recorder = recorder
        for record in first.config_records.values():
            found = _settings(record)
            recorder.settings_heard(found)
            if "learningRate" in found:
                self.round._heard.learning_rate = float(found["learningRate"])
        for message in messages[1:]:
            if not _same(first, message.content):
                self.round.sent(message.metadata.dst_node_id, _arrays(recorder, message.content))

    def heard(self, reply: Any) -> None:
        client = reply.metadata.src_node_id
        if client not in self.waiting:
            return
        self.waiting.discard(client)
        arrays = None if reply.has_error() else _arrays(self._recorder, reply.content)
        if arrays is None:
            self.round.failed(client)
            return
        metrics = [record[key] for record in reply.content.metric_records.values() for key in _SAMPLES if key in record]
        self.round.reply(client, arrays, samples=int(metrics[0]) if metrics else None)

    def finish(self) -> None:
        self.round.__exit__(None, None, None)


def recording_grid(recorder: Recorder, grid: Any, strategy: Any = None) -> Any:
    """A grid that passes everything on and keeps what trains."""
    tell_noise(recorder, strategy)

    class RecordingGrid(Grid):  # type: ignore[misc, valid-type]
        def __init__(self) -> None:
            self._open: _Listening | None = None
            self._ids: set[str] = set()

        def send_and_receive(self, messages: Iterable[Any], *, timeout: float | None = None) -> Iterable[Any]:
            messages = list(messages)
            self._begin(messages)
            replies = list(grid.send_and_receive(messages, timeout=timeout))
            self._hear(replies)
            self._end()
            return replies

        def push_messages(self, messages: Iterable[Any]) -> Iterable[str]:
            messages = list(messages)
            self._begin(messages)
            return grid.push_messages(messages)

        def pull_messages(self, message_ids: Iterable[str]) -> Iterable[Any]:
            replies = list(grid.pull_messages(message_ids))
            self._hear(replies)
            if self._open is not None and not self._open.waiting:
                self._end()
            return replies

        def _begin(self, messages: list[Any]) -> None:
            training = [one for one in messages if _is_training(one)]
            if not training:
                return
            self._end()  # replies of an earlier round that never came
            with recorder._guarded("messages to clients"):
                self._open = _Listening(recorder, training)

        def _hear(self, replies: list[Any]) -> None:
            with recorder._guarded("replies of clients"):
                for reply in replies if self._open is not None else ():
                    self._open.heard(reply)

        def _end(self) -> None:
            if self._open is not None:
                self._open.finish()
                self._open = None

    own = {"send_and_receive", "push_messages", "pull_messages"}
    for name in dir(Grid):
        if not name.startswith("_") and name not in own:
            setattr(RecordingGrid, name, property(lambda _, name=name: getattr(grid, name)))
    RecordingGrid.__abstractmethods__ = frozenset()
    return RecordingGrid()


def _noise(strategy: Any) -> dict[str, Any] | None:
    """
    What Flower's strategies for differential privacy promise. Whoever clips, it is the server that adds the noise, to what it has
    aggregated: it protects from everybody but the server. Of adaptive clipping neither number is told: the norm is another one in each
    round, and part of the noise is spent on counting how many were clipped.
    """
    kind = type(strategy).__name__
    if not kind.startswith("DifferentialPrivacy"):
        return None
    found: dict[str, Any] = {"mechanism": "central-dp", "unit": "client"}
    for key, name in (("clipping_norm", "maxNorm"), ("noise_multiplier", "noiseMultiplier")):
        value = getattr(strategy, key, None)
        if isinstance(value, int | float) and "Adaptive" not in kind:
            found[name] = value
    return found


def tell_noise(recorder: Recorder, strategy: Any) -> None:
    """Says what the strategy promises, unless the user said something else."""
    private = _noise(strategy)
    if private is not None:
        recorder._stated.setdefault("differentialPrivacy", private)


def recording_strategy(recorder: Recorder, strategy: Any) -> Any:
    """A strategy of the older interface that passes everything on and keeps what is fitted."""
    from flwr.common import parameters_to_ndarrays
    from flwr.server.strategy import Strategy

    tell_noise(recorder, strategy)

    def arrays(parameters: Any) -> Later:
        tensors, names = list(parameters.tensors), recorder._names

        def later() -> Named:
            return named([from_npy(one) for one in tensors], names, copy=False)

        return later if parameters.tensor_type == "numpy.ndarray" else recorder._later(parameters_to_ndarrays(parameters))

    class RecordingStrategy(Strategy):  # type: ignore[misc]
        def __init__(self) -> None:
            self._round: Round | None = None

        def configure_fit(self, server_round: int, parameters: Any, client_manager: Any) -> Any:
            asked = strategy.configure_fit(server_round, parameters, client_manager)
            with recorder._guarded("instructions to clients"):
                selected = [proxy.cid for proxy, _ in asked]
                self._round = recorder.round(None, arrays(asked[0][1].parameters if asked else parameters), selected)
                for proxy, instructions in asked:
                    found = _settings(instructions.config)
                    recorder.settings_heard(found)
                    if "learningRate" in found:
                        self._round._heard.learning_rate = float(found["learningRate"])
                    if instructions.parameters.tensors != asked[0][1].parameters.tensors:
                        self._round.sent(proxy.cid, arrays(instructions.parameters))
            return asked

        def aggregate_fit(self, server_round: int, results: Any, failures: Any) -> Any:
            with recorder._guarded("results of clients"):
                if self._round is not None:
                    self._hear(results, failures)
            return strategy.aggregate_fit(server_round, results, failures)

        def _hear(self, results: Any, failures: Any) -> None:
            heard, self._round = self._round, None
            assert heard is not None
            # Under secure aggregation every result holds the very same mean; counts stay in the clear.
            if len(results) > 1 and all(one.parameters is results[0][1].parameters for _, one in results):
                heard.mean(arrays(results[0][1].parameters), {proxy.cid: one.num_examples for proxy, one in results})
            else:
                for proxy, one in results:
                    heard.reply(proxy.cid, arrays(one.parameters), samples=one.num_examples)
            for one in failures:
                if isinstance(one, tuple):
                    heard.failed(one[0].cid)
            heard.__exit__(None, None, None)

    own = {"configure_fit", "aggregate_fit"}
    for name in {*dir(Strategy), *dir(strategy)}:
        if not name.startswith("_") and name not in own:
            setattr(RecordingStrategy, name, property(lambda _, name=name: getattr(strategy, name)))
    RecordingStrategy.__abstractmethods__ = frozenset()
    return RecordingStrategy()
