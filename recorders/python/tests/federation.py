"""A small Flower app on a grid inside this process: linear models and networks in numpy, full batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from flwr.app import ArrayRecord, ConfigRecord, Error, Message, MetricRecord, RecordDict
from flwr.serverapp import Grid

try:  # messages belong to a run; outside of Flower's own processes nobody has said which
    from flwr.supercore.task_identity import TaskIdentity

    if TaskIdentity._run_id is None:
        TaskIdentity.task_id = 1
        TaskIdentity.run_id = 1
        TaskIdentity.node_id = 0
except (ImportError, AttributeError):
    pass

Layers = list[np.ndarray]  # weight, bias, weight, bias, ...


def turn(layers: Layers, x: np.ndarray, y: np.ndarray, epochs: int, rate: float) -> Layers:
    """So many steps of gradient descent on the mean squared error, relu between the layers."""
    layers = [one.copy() for one in layers]
    for _ in range(epochs):
        inputs, value = [], x
        for at in range(0, len(layers), 2):
            inputs.append(value)
            value = value @ layers[at].T + layers[at + 1]
            if at + 2 < len(layers):
                value = np.maximum(value, 0)
        slope = (2 / len(y)) * (value - y.reshape(len(y), -1))
        for at in reversed(range(0, len(layers), 2)):
            below = slope @ layers[at]
            layers[at] -= rate * slope.T @ inputs[at // 2]
            layers[at + 1] -= rate * slope.sum(0)
            if at > 0:
                slope = below * (inputs[at // 2] > 0)
    return layers


class LocalGrid(Grid):
    """Nodes are functions from a message's content to the content of a reply; None is a failure."""

    def __init__(self, nodes: dict[int, Callable[[RecordDict], RecordDict | None]]):
        self.nodes = nodes
        self._waiting: dict[str, Message] = {}

    def set_run(self, run: Any) -> None:
        pass

    @property
    def run(self) -> Any:
        return "a run"

    def create_message(self, content: RecordDict, message_type: str, dst_node_id: int, group_id: str, ttl: float | None = None) -> Message:
        return Message(content=content, message_type=message_type, dst_node_id=dst_node_id, group_id=group_id, ttl=ttl)

    def get_node_ids(self) -> Iterable[int]:
        return list(self.nodes)

    def _answer(self, message: Message) -> Message:
        content = self.nodes[message.metadata.dst_node_id](message.content)
        if content is None:
            return Message(Error(code=1, reason="gone"), reply_to=message)
        return Message(content, reply_to=message)

    def push_messages(self, messages: Iterable[Message]) -> Iterable[str]:
        ids = []
        for message in messages:
            ids.append(f"m{len(self._waiting)}")
            self._waiting[ids[-1]] = message
        return ids

    def pull_messages(self, message_ids: Iterable[str]) -> Iterable[Message]:
        return [self._answer(self._waiting.pop(one)) for one in message_ids if one in self._waiting]

    def send_and_receive(self, messages: Iterable[Message], *, timeout: float | None = None) -> Iterable[Message]:
        return [self._answer(message) for message in messages]


def client(x: np.ndarray, y: np.ndarray, fails: Callable[[int], bool] = lambda _: False) -> Callable[[RecordDict], RecordDict | None]:
    def answer(content: RecordDict) -> RecordDict | None:
        arrays, config = content["arrays"], content["config"]
        if fails(int(config["server-round"])):
            return None
        layers = [one.astype(np.float64) for one in arrays.to_numpy_ndarrays()]
        if "lr" in config:  # a message that trains; evaluation has none
            layers = turn(layers, x, y, int(config["local-epochs"]), float(config["lr"]))
        reply = ArrayRecord({name: _array(layers[i], old) for i, (name, old) in enumerate(arrays.items())})
        return RecordDict({"arrays": reply, "metrics": MetricRecord({"num-examples": len(y), "loss": 0.0})})

    return answer


def _array(value: np.ndarray, like: Any) -> Any:
    from flwr.app import Array

    return Array(value.astype(like.dtype))


def start_layers(sizes: list[int], seed: int) -> dict[str, np.ndarray]:
    draws = np.random.default_rng(seed)
    layers: dict[str, np.ndarray] = {}
    for at, (below, above) in enumerate(zip(sizes, sizes[1:], strict=False)):
        layers[f"fc{at}.weight"] = draws.normal(0, 1 / np.sqrt(below), (above, below))
        layers[f"fc{at}.bias"] = np.zeros(above)
    return layers


def people(n: int, inputs: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    draws = np.random.default_rng(seed)
    x = draws.normal(size=(n, inputs))
    return x, x @ np.linspace(-1, 1, inputs) + 0.5 + 0.1 * draws.normal(size=n)


def arrays_of(layers: dict[str, np.ndarray]) -> ArrayRecord:
    from flwr.app import Array

    return ArrayRecord({name: Array(value) for name, value in layers.items()})


def train_config(rate: float, epochs: int) -> ConfigRecord:
    return ConfigRecord({"lr": rate, "local-epochs": epochs})
