"""The form in which a writer signs (docs/protocol/signing.md#normal-form)."""

from __future__ import annotations

import json
import re
from datetime import datetime, timezone
from importlib.resources import files
from typing import Any

from .errors import AipError

_TABLE = json.loads((files(__package__) / "marks.json").read_text("utf-8"))
_RECORDS: dict[str, Any] = _TABLE["records"]

#: Message type of each body, by the name of the body's one member.
MESSAGE_TYPES: dict[str, str] = _TABLE["message_types"]

_TIME = re.compile(r"^(\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2})(?:\.(\d+))?([Zz]|[+-]\d{2}:\d{2})$", re.ASCII)


def normal_time(text: str) -> str:
    """A time in its one form: upper-case T, Z for UTC, a fraction without trailing zeros."""
    match = _TIME.match(text)
    if match is None:
        raise AipError("client.time_invalid", f"{text!r} is not an RFC 3339 time, like 2026-07-09T00:00:00.25Z.")
    local, fraction, zone = match.groups()
    fraction = (fraction or "")[:9].rstrip("0")
    zone = "Z" if zone in ("Z", "z", "+00:00", "-00:00") else zone
    return f"{local.upper()}{'.' + fraction if fraction else ''}{zone}"


def format_time(time: datetime | None = None) -> str:
    """A time as the protocol writes it; without one the current time, in milliseconds."""
    if time is None:
        now = datetime.now(timezone.utc)
        time = now.replace(microsecond=now.microsecond // 1000 * 1000)
    if time.tzinfo is None:
        raise AipError("client.time_invalid", "The time has no time zone; use datetime.now(timezone.utc).")
    return normal_time(time.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ"))


def normal_form(record: str, value: Any) -> Any:
    """The normal form of a record by name, like ``Envelope``: absent members left out, defaults written, times normal.

    Opaque values stay as they are. The value given is not changed.
    """
    return _visit({"ref": record}, value)


def _visit(how: Any, value: Any) -> Any:
    if how is None or value is None:
        return value
    if how == "time":
        return normal_time(value) if isinstance(value, str) else value
    if "list" in how:
        return [_visit(how["list"], item) for item in value] if isinstance(value, (list, tuple)) else value
    record = _RECORDS[how["ref"]]
    if not isinstance(value, dict):
        return value
    members = record["variants"].get(value.get(record["tag"])) if "tag" in record else record["members"]
    return value if members is None else _object(members, value)


def _object(members: dict[str, Any], value: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, item in value.items():
        mark, how, *_ = members.get(name, ("R", None))
        if (item is None and mark == "O") or (mark == "L" and item in ([], {}, ())):
            continue
        found[name] = _visit(how, item)
    for name, (mark, how, *absent) in members.items():
        if mark == "D" and name not in found:
            found[name] = _visit(how, absent[0])
    return found
