"""What is sent and how answers are read; no I/O."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any, Mapping, Optional
from urllib.parse import quote

from .canonical import parse_json
from .envelopes import check_id
from .errors import AipError
from .signing import verify_envelope
from .types import Ack, ActionResult

#: Bytes of an answer that is held in memory; a larger result goes to a file.
MAX_ANSWER = 16 * 1024 * 1024
#: How far ``sent_at`` of a signed answer may be from this machine's clock.
FRESHNESS = timedelta(minutes=5)


@dataclass(frozen=True)
class Submitted:
    """The answer to a submit: ``ack`` of an async action, ``result`` of the others."""

    action_id: str
    ack: Optional[Ack] = None
    result: Optional[ActionResult] = None

    def output(self) -> Any:
        """The output of a completed action. Raises AipError with the action's own error when it did not complete."""
        if self.result is None:
            raise AipError(
                "client.not_completed", "The action has no result yet: follow it.", action_id=self.action_id
            )
        if self.result.get("status") != "completed":
            error = dict(self.result.get("error") or {})
            error.setdefault("code", f"client.{self.result.get('status')}")
            found = AipError.of(error)
            found.action_id = self.action_id
            raise found
        return self.result.get("output")


def segment(text: str) -> str:
    """An id as one segment of a path."""
    return quote(text, safe=":")


def action_path(action_id: str, rest: str = "") -> str:
    return f"/aip/v1/actions/{segment(check_id('action', action_id))}{rest}"


#: Routes that take ``tenant_id``; of those that change something, cancel alone.
TENANT_ROUTES = re.compile(
    r"/aip/v1/(?:actions|approvals|transactions|callback-deliveries|audit/events|resources)(?:/|$)"
)


def with_tenant(method: str, path: str, query: Mapping[str, Any], tenant_id: Optional[str]) -> Mapping[str, Any]:
    """The query of a request, with the client's tenant where the route takes one and the query has none."""
    takes = TENANT_ROUTES.match(path) is not None and (method == "GET" or path.endswith("/cancel"))
    return {"tenant_id": tenant_id, **query} if takes and tenant_id is not None else query


def query_of(members: Mapping[str, Any]) -> dict[str, str]:
    """Query members as text; those without a value are left out, lists are joined by commas."""
    found = {}
    for name, value in members.items():
        if value is None:
            continue
        if isinstance(value, bool):
            found[name] = "true" if value else "false"
        elif isinstance(value, (list, tuple)):
            found[name] = ",".join(map(str, value))
        else:
            found[name] = str(value)
    return found


def read_answer(status: int, data: bytes, url: str) -> Any:
    """The body of an answer. Raises AipError with the gateway's error, or ``client.answer_invalid``."""
    try:
        value = parse_json(data)
    except AipError:
        value = None
    error = error_in(value)
    if error is not None:
        raise AipError.of(error, status)
    if not 200 <= status < 300 or value is None:
        raise AipError(
            "client.answer_invalid", f"{url} answered {status} with a body that is not AIP: check the address.",
            status=status,
        )
    return value


def error_in(value: Any) -> Optional[Mapping[str, Any]]:
    """The error of an envelope, or the direct error object of the capability catalog."""
    if not isinstance(value, dict):
        return None
    body = value.get("body")
    inner = body.get("error") if isinstance(body, dict) else None
    error = inner.get("error") if isinstance(inner, dict) else value.get("error")
    return error if isinstance(error, dict) and isinstance(error.get("code"), str) else None


def check_answer(request: Mapping[str, Any], answer: Mapping[str, Any], gateway_did: str) -> None:
    """Checks that an envelope is the gateway's own answer to the request. Raises AipError ``client.answer_untrusted``."""
    try:
        did = verify_envelope(answer)
        sent_at = datetime.fromisoformat(str(answer.get("sent_at"))[:19] + "+00:00")
    except (AipError, ValueError) as error:
        raise _untrusted(str(error)) from error
    if did != gateway_did:
        raise _untrusted(f"it is signed by {did}, expected {gateway_did}")
    if answer.get("in_response_to") != request["message_id"]:
        raise _untrusted("it answers another message")
    if abs(datetime.now(timezone.utc) - sent_at) > FRESHNESS:
        raise _untrusted(f"its sent_at {answer.get('sent_at')} is more than 5 minutes from this machine's clock")


def _untrusted(problem: str) -> AipError:
    return AipError("client.answer_untrusted", f"The answer is not trusted: {problem}.", "auth")


def unreachable(url: str, cause: Exception, may_have_arrived: bool) -> AipError:
    """No answer came. What may have arrived is not to be repeated: read it first."""
    return AipError(
        "client.unreachable",
        f"No answer from {url}: {cause or type(cause).__name__}.",
        "transport",
        retryable=not may_have_arrived,
    )
