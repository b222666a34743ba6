"""The client of a gateway. Made from async_client.py by make_sync.py; change that file."""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from typing import Any, Callable, Iterator, Mapping, Optional, Sequence, cast

import httpx

from . import types as t
from .canonical import canonical_json
from .envelopes import check_id, new_envelope, new_id
from .errors import AipError
from .following import SILENCE_S, Followed, FollowState, FrameReader
from .normal_form import format_time
from .requests import (
    MAX_ANSWER,
    Submitted,
    action_path,
    check_answer,
    query_of,
    read_answer,
    segment,
    unreachable,
    with_tenant,
)
from .signing import Signer, sign_envelope


class Client:
    """One gateway and who calls it.

    Envelopes are signed when there is a ``signer``, and sent with the bearer ``token`` otherwise; all other routes take
    the token. With ``gateway_did`` the answers to envelopes must be signed by it. Nothing is repeated on its own except
    a follow. A caller of several tenants names one with ``tenant_id``: ids and lists are then those of this tenant.
    ``timeout`` holds for every request but submits, which stay open up to ``submit_timeout`` seconds.
    """

    def __init__(
        self,
        url: str,
        *,
        token: Optional[str] = None,
        tenant_id: Optional[str] = None,
        signer: Optional[Signer] = None,
        gateway_did: Optional[str] = None,
        timeout: float = 30.0,
        submit_timeout: float = 600.0,
        verify: Any = True,
        http: Optional[httpx.Client] = None,
    ) -> None:
        self.url = url.rstrip("/")
        self._token = token
        self._tenant_id = tenant_id
        self._signer = signer
        self._gateway_did = gateway_did
        self._timeout = timeout
        self._submit_timeout = submit_timeout
        self._http = http or httpx.Client(verify=verify, follow_redirects=False)

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connections."""
        self._http.close()

    # Envelopes

    def send(
        self, body: Mapping[str, Any], *, session_id: Optional[str] = None, timeout: Optional[float] = None
    ) -> dict[str, Any]:
        """Sends any body as an envelope, for example ``{"action_status_request": {…}}``, and gives the answer's body."""
        envelope = new_envelope(body, session_id)
        headers = {"content-type": "application/json"}
        if self._signer is not None:
            envelope = sign_envelope(envelope, self._signer)
        elif self._token is not None:
            headers["authorization"] = f"Bearer {self._token}"
        answer = self._exchange(
            "POST",
            "/aip/v1/messages",
            content=canonical_json(envelope).encode("utf-8"),
            headers=headers,
            timeout=timeout,
        )
        if self._gateway_did is not None:
            check_answer(envelope, answer, self._gateway_did)
        return cast("dict[str, Any]", answer["body"])

    def submit(
        self,
        capability_id: str,
        input: Any,
        *,
        mode: t.ActionMode = "sync",
        action_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        timeout_ms: Optional[int] = None,
        session_id: Optional[str] = None,
        transaction: Optional[Mapping[str, Any]] = None,
        approval: Optional[Mapping[str, Any]] = None,
        callback: Optional[Mapping[str, Any]] = None,
    ) -> Submitted:
        """Submits an action. ``sync`` and ``streaming`` answer at its end, ``async`` immediately.

        Sends once. Every AipError has the ``action_id``: after ``client.unreachable`` with ``retryable`` False, read the
        action with ``get`` before anything is repeated.
        """
        action_id = new_id("action") if action_id is None else check_id("action", action_id)
        action = {
            "id": action_id,
            "capability_id": capability_id,
            "input": input,
            "mode": mode,
            "idempotency_key": idempotency_key,
            "timeout_ms": timeout_ms,
            "transaction": transaction,
            "approval": approval,
            "callback": callback,
            # The gateway refuses it where the token is of another tenant.
            "identity": None if self._tenant_id is None else {"tenant": {"id": self._tenant_id}},
        }
        try:
            body = self.send({"action": action}, session_id=session_id, timeout=self._submit_timeout)
        except AipError as error:
            error.action_id = action_id
            raise
        result = body.get("action_result")
        # A repeat of an idempotency key is answered with the first action.
        return Submitted(action_id if result is None else result["action_id"], body.get("ack"), result)

    # Actions

    def get(
        self, action_id: str, *, result: bool = False, receipts: bool = False, chunks: bool = False
    ) -> t.ActionStatus:
        """The current view of an action; an id without an action has state ``unknown``."""
        query = {"include_result": result, "include_receipts": receipts, "include_chunks": chunks}
        return cast(t.ActionStatus, self._get(action_path(action_id), query))

    def result(self, action_id: str) -> t.ActionResult:
        """The result. Raises AipError ``action.result_not_ready`` until the action has ended."""
        return cast(t.ActionResult, self._get(action_path(action_id, "/result"), {}))

    def result_to_file(self, action_id: str, path: str | os.PathLike[str]) -> int:
        """Writes the result as JSON to a file, never holding it whole, and gives its bytes.

        The file appears when it is complete; only its owner can read it.
        """
        partial = f"{os.fspath(path)}.part"
        written = 0
        try:
            with self._open("GET", action_path(action_id, "/result"), timeout=self._timeout) as response:
                if not response.is_success:
                    read_answer(response.status_code, self._body(response), self.url)
                with open(partial, "wb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
                    for data in response.iter_bytes():
                        written += file.write(data)
            os.replace(partial, path)
        finally:
            if os.path.exists(partial):
                os.remove(partial)
        return written

    def cancel(self, action_id: str, reason: Optional[str] = None) -> t.ActionResult:
        """Cancels an action. Its success does not prove that an effect at the provider was undone."""
        body = {} if reason is None else {"reason": reason}
        return cast(t.ActionResult, self._post(action_path(action_id, "/cancel"), body))

    def list(self, **filters: Any) -> t.ActionList:
        """One page of actions. Filters: state, capability_id, session_id, cursor, limit, include_results, …"""
        return cast(t.ActionList, self._get("/aip/v1/actions", filters))

    def events(self, action_id: Optional[str] = None, **filters: Any) -> dict[str, Any]:
        """One page of the events of an action, or of all that you may see. Filters: cursor, limit, kinds, include_chunks."""
        path = "/aip/v1/events" if action_id is None else action_path(action_id, "/events")
        return cast("dict[str, Any]", self._get(path, filters))

    def pages(self, read: Callable[..., Any], *args: Any, **filters: Any) -> Iterator[Any]:
        """The pages of a list up to its end: ``pages(client.list, state="failed")``."""
        cursor = filters.pop("cursor", None)
        while True:
            page = read(*args, **filters, cursor=cursor)
            yield page
            cursor = page.get("next_cursor") or page.get("cursor")
            if cursor is None or not any(isinstance(rows, list) and rows for rows in page.values()):
                return

    def follow(
        self,
        action_id: Optional[str] = None,
        *,
        cursor: Optional[str] = None,
        last_event_id: Optional[str] = None,
        kinds: Optional[Sequence[str]] = None,
        chunks: bool = True,
    ) -> Iterator[Followed]:
        """Follows an action to its end, or all events that you may see until you stop.

        A broken stream is resumed behind the last frame, and every event and chunk is handed on once. Raises AipError for
        an error that permits no further connection. The last item of an action is ``terminal``; read the action for its state.
        """
        path = "/aip/v1/events" if action_id is None else action_path(action_id, "/events")
        state = FollowState(last_event_id, cursor)
        filters = {"follow": True, "kinds": kinds, "include_chunks": None if action_id is None else chunks}
        while True:
            query, headers = state.request()
            frames = FrameReader()
            problem = AipError("client.stream_ended", "The stream ended before the action did.", "transport", True)
            try:
                stream = self._open(
                    "GET",
                    path,
                    query={**filters, **query},
                    headers={"accept": "text/event-stream", **headers},
                    timeout=SILENCE_S,
                )
                with stream as response:
                    if not response.headers.get("content-type", "").startswith("text/event-stream"):
                        read_answer(response.status_code, self._body(response), self.url)
                        raise AipError("client.answer_invalid", f"{self.url} answered without an event stream.")
                    for data in response.iter_bytes():
                        for frame in frames.feed(data):
                            item = state.take(frame)
                            if item is not None:
                                yield item
                            if state.ended:
                                return
            except AipError as error:
                problem = error
            waiting = state.failed(problem)
            yield waiting
            time.sleep(waiting.after_ms / 1000)

    # Capabilities

    def capabilities(self, **filters: Any) -> t.CapabilityPage:
        """One page of what the tenant may call. Filters: capability_id, text, profile, cursor, limit (at most 200)."""
        return cast(t.CapabilityPage, self._get("/aip/v1/capabilities", filters))

    def manifest(self, **filters: Any) -> dict[str, Any]:
        """The gateway's own manifest."""
        return cast("dict[str, Any]", self._get("/aip/v1/manifest", filters))

    # Approvals

    def approvals(self, **filters: Any) -> t.ApprovalList:
        """One page of approvals. Filters: status, approver, requester, cursor, limit, include_action_status, …"""
        return cast(t.ApprovalList, self._get("/aip/v1/approvals", filters))

    def approval(self, approval_id: str, **include: Any) -> t.Approval:
        """One approval. Include: include_action_status, include_receipts, include_evidence_payload."""
        path = f"/aip/v1/approvals/{segment(check_id('approval', approval_id))}"
        return cast(t.Approval, self._get(path, include))

    def decide(
        self,
        approval_id: str,
        decision: str,
        *,
        policy_hash: str,
        approver: Optional[t.Principal] = None,
        decision_id: Optional[str] = None,
        reason: Optional[str] = None,
        **members: Any,
    ) -> dict[str, Any]:
        """Decides an approval: ``approved``, ``denied`` or ``revoked``. Gives the body of the answer.

        ``policy_hash`` is that of the request which you checked. The approver is the authenticated caller: the signer, or
        the principal of your token. Repeat a decision with its ``decision_id`` only. Members: constraints, evidence, …
        """
        if approver is None:
            if self._signer is None:
                raise AipError("client.approver_missing", "A token does not name its principal: give approver.")
            approver = self._signer.principal
        record = {
            "approval_id": check_id("approval", approval_id),
            "decision": decision,
            "approver": {"id": approver["id"], "kind": approver["kind"]},
            "decided_at": format_time(),
            "decision_id": decision_id or new_id("message"),
            "policy_hash": policy_hash,
            "reason": reason,
            **members,
        }
        return self.send({"approval_decision": record})

    # Sessions

    def handshake(
        self,
        purpose: str,
        *,
        client: Optional[t.Principal] = None,
        profiles: Sequence[str] = ("aip.native.http.v1",),
        requested_capabilities: Sequence[str] = (),
    ) -> t.HandshakeResponse:
        """Opens a session. Keep ``session_id`` and ``resume_token``. Raises AipError when the gateway rejects it."""
        if client is None:
            if self._signer is None:
                raise AipError("client.principal_missing", "A token does not name its principal: give client.")
            client = self._signer.principal
        record = {
            "client": dict(client),
            "purpose": purpose,
            "profiles": [*profiles],
            "requested_capabilities": [*requested_capabilities],
        }
        answer = (self.send({"handshake": record}))["handshake_response"]
        if answer["status"] == "rejected":
            raise AipError.of(answer.get("rejection_reason") or {"code": "client.handshake_rejected"})
        return cast(t.HandshakeResponse, answer)

    def sessions(self, **filters: Any) -> t.SessionList:
        """One page of sessions. Filters: principal_id, status, cursor, limit."""
        return cast(t.SessionList, self._get("/aip/v1/sessions", filters))

    def session(self, session_id: str) -> t.Session:
        """One session."""
        return cast(t.Session, self._get(self._session_path(session_id), {}))

    def close_session(self, session_id: str, reason: Optional[str] = None) -> t.Session:
        """Closes a session; its actions continue."""
        body = {} if reason is None else {"reason": reason}
        return cast(t.Session, self._post(self._session_path(session_id, "/close"), body))

    def resume_session(
        self, session_id: str, resume_token: str, last_event_cursor: Optional[str] = None
    ) -> t.SessionResume:
        """Resumes a session. The answer's ``resume_token`` replaces the one given, which is used up."""
        body = {"resume_token": resume_token}
        if last_event_cursor is not None:
            body["last_event_cursor"] = last_event_cursor
        return cast(t.SessionResume, self._post(self._session_path(session_id, "/resume"), body))

    # Transactions, deliveries, receipts, audit, resources

    def transaction(
        self,
        transaction_id: Optional[str] = None,
        *,
        plan_id: Optional[str] = None,
        action_id: Optional[str] = None,
        **include: Any,
    ) -> t.Transaction:
        """A transaction by its own id, its plan's or its action's. Include: include_result, include_receipts."""
        given = [("", transaction_id), ("by-plan/", plan_id), ("by-action/", action_id)]
        named = [place + segment(name) for place, name in given if name is not None]
        if len(named) != 1:
            raise AipError("client.query_invalid", "Give one of transaction_id, plan_id and action_id.")
        return cast(t.Transaction, self._get(f"/aip/v1/transactions/{named[0]}", include))

    def deliveries(self, **filters: Any) -> t.DeliveryList:
        """One page of callback deliveries. Filters: action_id, status, profile, target, cursor, limit, include_receipts."""
        return cast(t.DeliveryList, self._get("/aip/v1/callback-deliveries", filters))

    def delivery(self, delivery_id: str, **include: Any) -> t.Delivery:
        """One callback delivery."""
        return cast(t.Delivery, self._get(f"/aip/v1/callback-deliveries/{segment(delivery_id)}", include))

    def receipts(self, chain_id: Optional[str] = None, *, receipt_id: Optional[str] = None) -> t.ReceiptChain:
        """A receipt chain by its id, like ``action:act_…``, or by one of its receipts. See ``verify_receipts``."""
        if (chain_id is None) == (receipt_id is None):
            raise AipError("client.query_invalid", "Give one of chain_id and receipt_id.")
        if self._tenant_id is not None and chain_id is not None and chain_id.startswith("action:"):
            # The receipt routes take no tenant.
            chain = (self.get(chain_id.removeprefix("action:"), receipts=True)).get("receipt_chain")
            if chain is not None:
                return chain
        place = segment(chain_id) if chain_id is not None else f"by-receipt/{segment(receipt_id or '')}"
        return cast(t.ReceiptChain, self._get(f"/aip/v1/receipts/{place}", {}))

    def audit(self, *, since: Optional[str] = None, until: Optional[str] = None, **filters: Any) -> t.AuditPage:
        """One page of audit events. ``since`` and ``until`` are RFC 3339. Filters: action_id, export, include_receipts, …"""
        return cast(t.AuditPage, self._get("/aip/v1/audit/events", {"from": since, "to": until, **filters}))

    def resources(self, **filters: Any) -> t.ResourceList:
        """One page of resources. Filters: capability_id, kind, cursor, limit."""
        return cast(t.ResourceList, self._get("/aip/v1/resources", filters))

    def resource(
        self, resource_id: str, *, version: Optional[str] = None, accept: Optional[Sequence[str]] = None
    ) -> t.ResourceContent:
        """One resource with its content."""
        query = {"version": version, "accept": accept}
        return cast(t.ResourceContent, self._get(f"/aip/v1/resources/{segment(resource_id)}", query))

    # Transport

    @staticmethod
    def _session_path(session_id: str, rest: str = "") -> str:
        return f"/aip/v1/sessions/{segment(check_id('session', session_id))}{rest}"

    def _get(self, path: str, query: Mapping[str, Any]) -> Any:
        return self._exchange("GET", path, query=query, headers=self._bearer())

    def _post(self, path: str, body: Mapping[str, Any]) -> Any:
        headers = {"content-type": "application/json", **self._bearer()}
        return self._exchange("POST", path, content=canonical_json(body).encode("utf-8"), headers=headers)

    def _bearer(self) -> dict[str, str]:
        return {} if self._token is None else {"authorization": f"Bearer {self._token}"}

    def _exchange(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] = {},
        content: Optional[bytes] = None,
        headers: Mapping[str, str],
        timeout: Optional[float] = None,
    ) -> Any:
        stream = self._send(method, path, query, content, headers, timeout or self._timeout)
        with stream as response:
            return read_answer(response.status_code, self._body(response), self.url)

    @contextmanager
    def _open(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] = {},
        headers: Mapping[str, str] = {},
        timeout: float,
    ) -> Iterator[httpx.Response]:
        with self._send(method, path, query, None, {**self._bearer(), **headers}, timeout) as response:
            yield response

    @contextmanager
    def _send(
        self,
        method: str,
        path: str,
        query: Mapping[str, Any],
        content: Optional[bytes],
        headers: Mapping[str, str],
        timeout: float,
    ) -> Iterator[httpx.Response]:
        try:
            with self._http.stream(
                method,
                self.url + path,
                params=query_of(with_tenant(method, path, query, self._tenant_id)),
                content=content,
                headers={"accept": "application/json", **headers},
                timeout=httpx.Timeout(timeout, connect=min(timeout, 10.0)),
            ) as response:
                yield response
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            raise unreachable(self.url, error, False) from error
        except httpx.TransportError as error:
            raise unreachable(self.url, error, method != "GET") from error

    def _body(self, response: httpx.Response) -> bytes:
        parts, size = [], 0
        for part in response.iter_bytes():
            size += len(part)
            if size > MAX_ANSWER:
                raise AipError(
                    "client.answer_too_large",
                    f"The answer has more than {MAX_ANSWER} bytes: read it with result_to_file.",
                )
            parts.append(part)
        return b"".join(parts)
