"""A round as it is heard, and the guard that keeps an error of the recording away from the run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .arrays import Later

if TYPE_CHECKING:
    from .recorder import Recorder

_ID = re.compile(r"[A-Za-z0-9_.-]{1,128}")


@dataclass
class Heard:
    """One round as it was heard; arrays may still have to be decoded."""

    number: int
    broadcast: Later | None
    selected: list[str]
    sent: dict[str, Later] = field(default_factory=dict)
    replies: dict[str, Later] = field(default_factory=dict)
    samples: dict[str, int] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)
    mean: Later | None = None
    learning_rate: float | None = None


class Round:
    """A round that is being heard: `with rec.round(i, arrays, selected=ids) as r: r.reply(id, arrays, samples=n)`."""

    def __init__(self, recorder: Recorder, heard: Heard):
        self._recorder = recorder
        self._heard = heard

    def asked(self, client: Any) -> None:
        """One more client was asked, after the round had begun."""
        with self._recorder._guarded("a client that was asked"):
            name = client_id(client)
            if name not in self._heard.selected:
                self._heard.selected.append(name)

    def sent(self, client: Any, arrays: Any) -> None:
        """What this client was sent, where it is not what everybody was sent."""
        with self._recorder._guarded("what a client was sent"):
            self._heard.sent[client_id(client)] = self._recorder._later(arrays)

    def reply(self, client: Any, arrays: Any, samples: int | None = None) -> None:
        """What a client returned, and on how many records it trained."""
        with self._recorder._guarded("a client's reply"):
            name = client_id(client)
            self._heard.replies[name] = self._recorder._later(arrays)
            if samples is not None:
                self._heard.samples[name] = int(samples)

    def failed(self, client: Any) -> None:
        """The client was asked and gave no answer."""
        with self._recorder._guarded("a client's failure"):
            self._heard.failed.append(client_id(client))

    def mean(self, arrays: Any, samples: Mapping[Any, int]) -> None:
        """Under secure aggregation: the mean of all replies, weighted by samples, and whose replies are in it."""
        with self._recorder._guarded("the mean of a round"):
            self._heard.mean = self._recorder._later(arrays)
            self._heard.samples.update({client_id(client): int(n) for client, n in samples.items()})

    def __enter__(self) -> Round:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self._recorder._finish(self._heard)


def client_id(value: Any) -> str:
    name = str(value)
    if not _ID.fullmatch(name):
        raise ValueError(f"client id {name!r}; allowed are 1 to 128 letters, digits and _ . -")
    return name


class Guard:
    """Turns an error of the recording into one warning, and the end of the recording."""

    def __init__(self, recorder: Recorder, doing: str):
        self._recorder = recorder
        self._doing = doing

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, _: object) -> bool:
        if error is None or not isinstance(error, Exception):
            return False
        self._recorder._give_up(f"{self._doing}: {error}")
        return True
