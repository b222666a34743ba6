"""What follows need beside the connection: the frames of a stream, what came already, how long to pause."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any, Iterator, Literal, Optional

from .canonical import parse_json
from .errors import AipError
from .types import Event, StreamChunk

#: Longest line of a stream in bytes: an event page has at most 4 MiB.
MAX_LINE = 8 * 1024 * 1024
#: Ids of events that are remembered to recognize repeats.
REMEMBERED = 10_000
#: Connections in a row without a frame before a follow gives up.
MAX_FAILURES = 30
#: Seconds of silence after which a stream counts as broken: three keep-alives.
SILENCE_S = 45.0


@dataclass(frozen=True)
class Followed:
    """One item of a follow. ``reconnecting`` has ``after_ms`` and ``reason``; ``terminal`` is the last of an action."""

    kind: Literal["event", "chunk", "reconnecting", "terminal"]
    event: Optional[Event] = None
    chunk: Optional[StreamChunk] = None
    #: What to give as ``last_event_id`` to continue behind this item in another process.
    last_event_id: Optional[str] = None
    after_ms: int = 0
    reason: str = ""


@dataclass
class Frame:
    """One server-sent event; a comment, which keeps the connection alive, has no data."""

    event: str = "message"
    data: Optional[str] = None
    id: Optional[str] = None


class FrameReader:
    """Makes frames of the bytes of a text/event-stream, however they are cut."""

    def __init__(self) -> None:
        self._rest = b""
        self._frame = Frame()

    def feed(self, data: bytes) -> Iterator[Frame]:
        """The frames that these bytes complete. Raises AipError for a line without end."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > MAX_LINE:
            raise AipError("client.answer_invalid", "The event stream has a line without end.")
        for line in lines:
            text = line.rstrip(b"\r").decode("utf-8", "replace")
            if text.startswith(":"):
                yield Frame()
            elif text == "":
                if self._frame.data is not None:
                    yield self._frame
                self._frame = Frame()
            else:
                self._take(text)

    def _take(self, text: str) -> None:
        name, _, value = text.partition(":")
        value = value[1:] if value.startswith(" ") else value
        frame = self._frame
        if name == "event":
            frame.event = value
        elif name == "id":
            frame.id = value
        elif name == "data":
            frame.data = value if frame.data is None else f"{frame.data}\n{value}"


@dataclass
class FollowState:
    """Where a follow is: what it sends to resume, what it handed on already, how often it failed in a row."""

    last_event_id: Optional[str]
    cursor: Optional[str]
    failures: int = 0
    ended: bool = False
    _seen: "OrderedDict[str, None]" = field(default_factory=OrderedDict)
    _sequence: int = -1

    def request(self) -> tuple[dict[str, Any], dict[str, str]]:
        """Query and headers of the next connection. A cursor in the query would win, so it is sent once at most."""
        if self.last_event_id is not None:
            return {}, {"last-event-id": self.last_event_id}
        return {"cursor": self.cursor}, {}

    def take(self, frame: Frame) -> Optional[Followed]:
        """The item of a frame; None for what carries none or came before. Raises AipError for an error frame."""
        self.failures = 0
        if frame.data is None:
            return None
        data = parse_json(frame.data)
        if frame.event == "aip.error":
            raise AipError.of(data["error"], 200)
        if frame.id is not None:
            self.last_event_id = frame.id
        if frame.event == "aip.stream.terminal":
            self.ended = True
            return Followed("terminal", last_event_id=self.last_event_id)
        if "event" in data and self._is_new(data["event"]["id"]):
            return Followed("event", event=data["event"], last_event_id=self.last_event_id)
        if "chunk" in data and data["chunk"]["sequence"] > self._sequence:
            self._sequence = data["chunk"]["sequence"]
            return Followed("chunk", chunk=data["chunk"], last_event_id=self.last_event_id)
        return None

    def failed(self, error: AipError) -> Followed:
        """The pause before the next connection. Raises the error when it permits none or too many failed in a row."""
        unanswered = error.code in ("client.unreachable", "client.stream_ended")
        self.failures += 1
        if not (unanswered or error.may_retry) or self.failures >= MAX_FAILURES:
            raise error
        pause = min(10_000, 250 * 2 ** min(self.failures - 1, 10))
        return Followed("reconnecting", after_ms=max(pause, error.retry_after_ms or 0), reason=error.message)

    def _is_new(self, identity: str) -> bool:
        if identity in self._seen:
            return False
        self._seen[identity] = None
        if len(self._seen) > REMEMBERED:
            self._seen.popitem(last=False)
        return True
