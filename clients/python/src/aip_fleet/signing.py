"""Keys, signed envelopes and their verification (docs/protocol/signing.md)."""

from __future__ import annotations

import base64
import binascii
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Mapping

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from .canonical import canonical_bytes
from .errors import AipError
from .normal_form import normal_form
from .points import is_usable_key
from .types import Principal

_ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_DID = re.compile(r"^did:key:z([1-9A-HJ-NP-Za-km-z]{1,48})$", re.ASCII)
_SIGNATURE = re.compile(r"^[A-Za-z0-9+/]{86}==$", re.ASCII)
_ED25519 = b"\xed\x01"


def did_of_public_key(raw: bytes) -> str:
    """``did:key:z6Mk…`` of a raw 32-byte Ed25519 public key."""
    if len(raw) != 32:
        raise AipError("client.key_invalid", "An Ed25519 public key has 32 bytes.")
    number, text = int.from_bytes(_ED25519 + raw, "big"), ""
    while number > 0:
        number, digit = divmod(number, 58)
        text = _ALPHABET[digit] + text
    return f"did:key:z{text}"


def public_key_of_did(did: str) -> bytes:
    """The raw 32-byte key of a did:key. Raises AipError ``client.did_invalid`` for every other text, and for a key that nobody may trust."""
    match = _DID.match(did)
    number = 0
    for letter in match.group(1) if match else "":
        number = number * 58 + _ALPHABET.index(letter)
    raw = number.to_bytes(34, "big") if 0 < number < 2**272 else b""
    if raw[:2] != _ED25519 or did_of_public_key(raw[2:]) != did:
        raise AipError("client.did_invalid", f"{did[:80]!r} is not a did:key of an Ed25519 public key.")
    if not is_usable_key(raw[2:]):
        raise AipError("client.did_invalid", f"The public key of {did} is not a usable Ed25519 point.")
    return raw[2:]


@dataclass(frozen=True)
class SigningKey:
    """An Ed25519 key that signs."""

    did: str
    _key: Ed25519PrivateKey

    @classmethod
    def from_seed(cls, seed_hex: str) -> "SigningKey":
        """The key of a 32-byte seed, written as 64 hex digits."""
        if not re.fullmatch(r"[0-9a-fA-F]{64}", seed_hex):
            raise AipError("client.key_invalid", "A signing seed must be 64 hex digits.")
        key = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(seed_hex))
        return cls(did_of_public_key(key.public_key().public_bytes_raw()), key)

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> "SigningKey":
        """The key of a seed file that only its owner can read."""
        file = Path(path)
        if os.name == "posix" and file.stat().st_mode & 0o077:
            raise AipError("client.key_invalid", f"{file} can be read by others; run chmod 600 {file}.")
        return cls.from_seed(file.read_text("ascii").strip())

    @classmethod
    def generate(cls) -> "SigningKey":
        """A new random key; see ``seed_hex`` to keep it."""
        return cls.from_seed(os.urandom(32).hex())

    @property
    def seed_hex(self) -> str:
        """The seed as 64 hex digits. Whoever has it can sign as you."""
        return self._key.private_bytes_raw().hex()

    def sign(self, data: bytes) -> str:
        """Signature of the bytes in standard base64, 88 characters."""
        return base64.b64encode(self._key.sign(data)).decode("ascii")


@dataclass(frozen=True)
class Signer:
    """Who signs, and with which key. The gateway must trust the DID for this principal."""

    key: SigningKey
    principal: Principal


def verify_signature(did: str, data: bytes, signature: str) -> bool:
    """Whether the text is the strict base64 of the DID's signature over the bytes."""
    if not _SIGNATURE.match(signature):
        return False
    try:
        raw = base64.b64decode(signature, validate=True)
    except binascii.Error:
        return False
    if base64.b64encode(raw).decode("ascii") != signature:
        return False
    try:
        Ed25519PublicKey.from_public_bytes(public_key_of_did(did)).verify(raw, data)
    except (InvalidSignature, ValueError):
        return False
    return True


def sign_envelope(envelope: Mapping[str, Any], signer: Signer) -> dict[str, Any]:
    """The envelope in normal form, signed by the signer; ``from`` becomes its principal."""
    security = {name: item for name, item in (envelope.get("security") or {}).items() if name != "signature"}
    unsigned = normal_form(
        "Envelope",
        {
            **envelope,
            "from": {**signer.principal, "did": signer.key.did},
            "security": {**security, "did": signer.key.did},
        },
    )
    signature = signer.key.sign(canonical_bytes(unsigned))
    signed: dict[str, Any] = {**unsigned, "security": {**unsigned["security"], "signature": signature}}
    return signed


def verify_envelope(envelope: Mapping[str, Any]) -> str:
    """The DID that signed the envelope as it was received. A valid signature alone grants nothing: compare the DID.

    Raises AipError ``client.signature_invalid``.
    """
    security = envelope.get("security")
    sender = envelope.get("from")
    if not isinstance(security, dict) or not isinstance(security.get("signature"), str):
        raise AipError("client.signature_invalid", "The envelope is not signed.", "auth")
    did = security.get("did") or (sender.get("did") if isinstance(sender, dict) else None)
    rest = {name: item for name, item in security.items() if name != "signature"}
    data = canonical_bytes({**envelope, "security": rest})
    if not isinstance(did, str) or not verify_signature(did, data, security["signature"]):
        raise AipError("client.signature_invalid", f"The signature is not one of {did} over this envelope.", "auth")
    return did
