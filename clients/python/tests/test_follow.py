import asyncio
import socket
import threading
from contextlib import contextmanager
from typing import Iterator
from urllib.parse import urlsplit

import pytest

from aip_fleet import AipError, AsyncClient, Client
from aip_fleet.following import FollowState, Frame, FrameReader


@contextmanager
def cutting_proxy(url: str, cut_after: int) -> Iterator[tuple[str, list[bytes]]]:
    """A relay to the gateway that cuts each of the first four streams after some bytes; gives the requests it saw."""
    target = urlsplit(url)
    listener = socket.create_server(("127.0.0.1", 0))
    requests: list[bytes] = []

    def relay(inner: socket.socket, cut: bool) -> None:
        with inner, socket.create_connection((target.hostname, target.port)) as outer:
            request = inner.recv(65536)
            requests.append(request)
            outer.sendall(request)
            left = cut_after
            while data := outer.recv(256):
                inner.sendall(data)
                left -= len(data)
                if cut and left <= 0:
                    return

    def serve() -> None:
        while True:
            try:
                inner, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=relay, args=(inner, len(requests) < 4), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", requests
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()


def test_a_cut_stream_is_resumed_and_nothing_comes_twice(client: Client, url: str, token: str) -> None:
    action_id = client.submit("cap:demo:count", {"n": 60}, mode="streaming").action_id
    with cutting_proxy(url, 3000) as (through, requests), Client(through, token=token) as follower:
        items = list(follower.follow(action_id))
    chunks = [item.chunk for item in items if item.chunk is not None]
    assert [chunk["data"]["value"] for chunk in chunks if chunk["kind"] == "data"] == list(range(1, 61))
    ids = [item.event["id"] for item in items if item.event is not None]
    assert len(ids) == len(set(ids)) > 0
    assert items[-1].kind == "terminal"
    assert sum(item.kind == "reconnecting" for item in items) >= 2
    assert b"last-event-id" not in requests[0].lower()
    assert all(b"\r\nlast-event-id: " in request.lower() for request in requests[1:])


def test_the_async_follow_resumes_too(client: Client, url: str, token: str) -> None:
    action_id = client.submit("cap:demo:count", {"n": 60}, mode="streaming").action_id

    async def run(through: str) -> list[int]:
        async with AsyncClient(through, token=token) as follower:
            return [i.chunk["sequence"] async for i in follower.follow(action_id) if i.chunk is not None]

    with cutting_proxy(url, 3000) as (through, requests):
        sequences = asyncio.run(run(through))
    assert sequences == sorted(set(sequences)) and len(sequences) == 61
    assert len(requests) >= 3


def test_a_follow_continues_behind_an_item(client: Client) -> None:
    action_id = client.submit("cap:demo:count", {"n": 5}, mode="streaming").action_id
    items = list(client.follow(action_id))
    third = [item for item in items if item.chunk is not None][2]
    rest = [item.chunk["sequence"] for item in client.follow(action_id, last_event_id=third.last_event_id) if item.chunk]
    assert rest == [i.chunk["sequence"] for i in items if i.chunk and i.chunk["sequence"] > third.chunk["sequence"]]


def test_a_global_follow_gives_events_until_it_is_left(client: Client) -> None:
    done = client.submit("cap:demo:echo", {})
    for item in client.follow():
        if item.event is not None and item.event.get("action_id") == done.action_id:
            break
    assert item.event is not None


def test_a_follow_of_an_action_that_is_not_there_fails(client: Client) -> None:
    with pytest.raises(AipError) as caught:
        list(client.follow("act_none"))
    assert caught.value.code.endswith("not_found")


def test_frames_however_the_bytes_are_cut() -> None:
    data = ': alive\n\nid: 1\nevent: a\ndata: {"t":"\u2028é"}\n\ndata: x\r\ndata: y\r\n\r\n'.encode()
    reader = FrameReader()
    frames = [frame for byte in data for frame in reader.feed(bytes([byte]))]
    assert frames == [Frame(), Frame("a", '{"t":"\u2028é"}', "1"), Frame("message", "x\ny")]


def test_pauses_double_and_honor_the_server() -> None:
    state = FollowState(None, None)
    lost = AipError("client.unreachable", "lost", "transport", True)
    assert [state.failed(lost).after_ms for _ in range(3)] == [250, 500, 1000]
    busy = AipError("storage.unavailable", "busy", "temporary", True, retry_after_ms=7000)
    assert state.failed(busy).after_ms == 7000
    with pytest.raises(AipError):
        state.failed(AipError("query.invalid", "wrong"))
