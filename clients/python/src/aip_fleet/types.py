"""Records as they come from the gateway. Members are left out when they have no value (schemas/ has all of them)."""

from __future__ import annotations

from typing import Any, Literal, Optional, TypedDict

ActionMode = Literal["sync", "async", "streaming"]
ActionState = Literal[
    "unknown",
    "accepted",
    "queued",
    "running",
    "streaming",
    "pending_approval",
    "cancelling",
    "cancelled",
    "completed",
    "failed",
    "expired",
    "dead_lettered",
]

#: States in which an action stays.
TERMINAL_STATES = frozenset({"completed", "failed", "cancelled", "expired", "dead_lettered"})


class _Named(TypedDict):
    id: str
    kind: str


class Principal(_Named, total=False):
    """Who acts; ``kind`` is human, agent, service, tenant, customer, contact or system."""

    display_name: str
    trust_domain: str
    did: str


class ProtocolError(TypedDict, total=False):
    code: str
    message: str
    category: str
    retryable: bool
    retry_after_ms: int
    details: Any


class Ack(TypedDict, total=False):
    action_id: str
    status: str
    reason: str
    retry_after_ms: int


class ActionResult(TypedDict, total=False):
    action_id: str
    status: str
    output: Any
    receipt: dict[str, str]
    error: ProtocolError


class StreamChunk(TypedDict, total=False):
    action_id: str
    sequence: int
    kind: str
    data: Any


class Event(TypedDict, total=False):
    id: str
    kind: str
    occurred_at: str
    session_id: str
    action_id: str
    correlation_id: str
    actor: Principal
    data: Any


class Receipt(TypedDict, total=False):
    id: str
    receipt_type: str
    actor: Principal
    occurred_at: str
    correlation_id: str
    data: Any
    previous_hash: str
    hash: str


class ReceiptChain(TypedDict, total=False):
    chain_id: str
    receipts: list[Receipt]
    root_hash: str


class ActionStatus(TypedDict, total=False):
    action_id: str
    capability_id: str
    session_id: str
    state: ActionState
    result_status: str
    approval_id: str
    transaction_id: str
    started_at: str
    updated_at: str
    completed_at: str
    result: ActionResult
    receipt_chain: ReceiptChain
    chunks: list[StreamChunk]


class ActionList(TypedDict, total=False):
    actions: list[ActionStatus]
    total_size: int
    cursor: str


class ActionEvents(TypedDict, total=False):
    action_id: str
    events: list[Event]
    chunks: list[StreamChunk]
    cursor: str
    terminal: bool


class EventStream(TypedDict, total=False):
    events: list[Event]
    next_cursor: str


class CapabilityPage(TypedDict):
    catalog_revision: int
    capabilities: list[dict[str, Any]]
    next_cursor: Optional[str]
    total: int


class Approval(TypedDict, total=False):
    request: dict[str, Any]
    decision: dict[str, Any]
    status: str
    action_status: ActionStatus
    receipt_chain: ReceiptChain
    evidence_payload: dict[str, Any]
    created_at: str
    updated_at: str


class ApprovalList(TypedDict, total=False):
    approvals: list[Approval]
    cursor: str


class Session(TypedDict, total=False):
    session_id: str
    status: str
    principal: Principal
    peer: Principal
    created_at: str
    updated_at: str
    expires_at: str
    active_action_count: int


class SessionList(TypedDict, total=False):
    sessions: list[Session]
    cursor: str


class HandshakeResponse(TypedDict, total=False):
    status: str
    session_id: str
    resume_token: str
    server: Principal
    agreed_profiles: list[str]
    agreed_capabilities: list[str]


class SessionResume(TypedDict, total=False):
    session: Session
    replayed_events: list[Event]
    next_cursor: str
    resume_token: str


class Transaction(TypedDict, total=False):
    transaction_id: str
    action_id: str
    capability_id: str
    transaction: dict[str, Any]
    status: str
    plan: dict[str, Any]
    result: ActionResult
    receipt_chain: ReceiptChain
    created_at: str
    updated_at: str


class Delivery(TypedDict, total=False):
    delivery_id: str
    status: str


class DeliveryList(TypedDict, total=False):
    deliveries: list[Delivery]
    cursor: str


class AuditPage(TypedDict, total=False):
    events: list[dict[str, Any]]
    receipt_chains: list[ReceiptChain]
    cursor: str


class ResourceList(TypedDict, total=False):
    resources: list[dict[str, Any]]
    cursor: str


class ResourceContent(TypedDict, total=False):
    resource: dict[str, Any]
    content: list[dict[str, Any]]
    etag: str
    expires_at: str
