"""The one exception of this package."""

from __future__ import annotations

from typing import Any, Mapping, Optional


class AipError(Exception):
    """A request that failed: refused by the gateway, not answered, or not sent.

    Decide by ``code``, ``category``, ``retryable`` and ``retry_after_ms``, not by ``status``. Codes that begin with
    ``client.`` are those of this package; all others are the gateway's (docs/protocol/errors.md).
    """

    def __init__(
        self,
        code: str,
        message: str,
        category: str = "permanent",
        retryable: bool = False,
        retry_after_ms: Optional[int] = None,
        details: Any = None,
        status: Optional[int] = None,
        action_id: Optional[str] = None,
    ) -> None:
        super().__init__(f"{message} ({code})")
        self.code = code
        self.message = message
        self.category = category
        self.retryable = retryable
        self.retry_after_ms = retry_after_ms
        self.details = details
        #: HTTP status of the answer; None when there was none.
        self.status = status
        #: The action that was submitted, so that its outcome can be read.
        self.action_id = action_id

    @classmethod
    def of(cls, error: Mapping[str, Any], status: Optional[int] = None) -> "AipError":
        """The exception of a protocol error as it was received."""
        return cls(
            code=str(error["code"]),
            message=str(error.get("message", error["code"])),
            category=str(error.get("category", "permanent")),
            retryable=error.get("retryable") is True,
            retry_after_ms=error.get("retry_after_ms"),
            details=error.get("details"),
            status=status,
        )

    @property
    def may_retry(self) -> bool:
        """Whether the error permits a repeat; the capability's contract must permit it too."""
        if self.code == "connector.outcome_unknown":
            return False
        return self.retryable and self.category in ("temporary", "transport", "connector")
