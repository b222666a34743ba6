"""Client of AIP fleet gateways, sync and async."""

from .async_client import AsyncClient
from .canonical import canonical_bytes, canonical_json, digest_of, parse_json
from .client import Client
from .envelopes import check_id, new_envelope, new_id
from .errors import AipError
from .following import Followed
from .normal_form import format_time, normal_form, normal_time
from .receipts import verify_receipts
from .requests import Submitted
from .signing import Signer, SigningKey, sign_envelope, verify_envelope
from .types import TERMINAL_STATES, Principal

__all__ = [
    "TERMINAL_STATES",
    "AipError",
    "AsyncClient",
    "Client",
    "Followed",
    "Principal",
    "Signer",
    "SigningKey",
    "Submitted",
    "canonical_bytes",
    "canonical_json",
    "check_id",
    "digest_of",
    "format_time",
    "new_envelope",
    "new_id",
    "normal_form",
    "normal_time",
    "parse_json",
    "sign_envelope",
    "verify_envelope",
    "verify_receipts",
]
