"""Ids and envelopes (docs/protocol/envelope.md)."""

from __future__ import annotations

import os
import time
from typing import Any, Mapping, Optional

from .errors import AipError
from .normal_form import MESSAGE_TYPES, format_time, normal_form

_PREFIXES = {
    "action": "act_",
    "approval": "appr_",
    "correlation": "corr_",
    "event": "evt_",
    "message": "msg_",
    "receipt": "rcpt_",
    "session": "sess_",
    "transaction": "txn_",
}
_MAX_BYTES = 256


def new_id(kind: str) -> str:
    """A new id of a kind, like ``action``: its prefix and a UUID version 7."""
    number = (int(time.time() * 1000) & (2**48 - 1)) << 80 | int.from_bytes(os.urandom(10), "big")
    number = number & ~(0xF << 76) | 0x7 << 76
    number = number & ~(0x3 << 62) | 0x2 << 62
    return f"{_PREFIXES[kind]}{number:032x}"


def check_id(kind: str, text: str) -> str:
    """The id unchanged when prefix and length are right; raises AipError ``client.id_invalid`` before it is sent."""
    prefix = _PREFIXES[kind]
    if not text.startswith(prefix) or len(text) == len(prefix):
        raise AipError("client.id_invalid", f"{text[:80]!r} is not the id of a {kind}: it must begin with {prefix}.")
    if len(text.encode("utf-8", "surrogatepass")) > _MAX_BYTES:
        raise AipError("client.id_invalid", f"The id of the {kind} is longer than {_MAX_BYTES} bytes.")
    return text


def new_envelope(body: Mapping[str, Any], session_id: Optional[str] = None) -> dict[str, Any]:
    """A new envelope in normal form around a body, which has one member, like ``{"action": {…}}``."""
    if len(body) != 1 or next(iter(body)) not in MESSAGE_TYPES:
        raise AipError("client.body_invalid", f"A body has one member that names its type; got {sorted(body)}.")
    envelope: dict[str, Any] = {
        "aip_version": "1.0",
        "message_type": MESSAGE_TYPES[next(iter(body))],
        "message_id": new_id("message"),
        "sent_at": format_time(),
        "body": body,
        "session_id": None if session_id is None else check_id("session", session_id),
    }
    found: dict[str, Any] = normal_form("Envelope", envelope)
    return found
