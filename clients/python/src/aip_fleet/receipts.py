"""Offline verification of receipt chains (docs/protocol/actions.md#receipts)."""

from __future__ import annotations

from typing import Any, Mapping

from .canonical import canonical_bytes, sha256_hex
from .errors import AipError


def receipt_hash(receipt: Mapping[str, Any]) -> str:
    """Hash of a receipt: SHA-256 of its canonical form without ``hash``, with ``previous_hash``."""
    return sha256_hex(canonical_bytes({name: item for name, item in receipt.items() if name != "hash"}))


def root_hash(receipts: list[Mapping[str, Any]]) -> str:
    """Root of a chain: SHA-256 of the joined hashes of its receipts."""
    return sha256_hex("".join(str(receipt.get("hash", "")) for receipt in receipts))


def verify_receipts(chain: Mapping[str, Any]) -> None:
    """Checks every hash, every link and the root of a chain. Needs no network.

    Raises AipError ``client.receipts_invalid`` that names the first receipt that is wrong. Read a chain from a file
    with ``parse_json``: other readers may lose the difference between ``1`` and ``1.0``.
    """
    previous = None
    receipts = chain.get("receipts")
    if not isinstance(receipts, list):
        raise AipError("client.receipts_invalid", "The chain has no list of receipts.")
    for index, receipt in enumerate(receipts):
        if receipt.get("previous_hash") != previous:
            raise _wrong(index, receipt, "does not follow the one before it")
        if receipt.get("hash") != receipt_hash(receipt):
            raise _wrong(index, receipt, "was changed: its hash is wrong")
        previous = receipt["hash"]
    if not receipts and "root_hash" not in chain:
        return
    if chain.get("root_hash") != root_hash(receipts):
        raise AipError("client.receipts_invalid", "The root hash of the chain is wrong.")


def _wrong(index: int, receipt: Mapping[str, Any], problem: str) -> AipError:
    return AipError("client.receipts_invalid", f"Receipt {index} ({receipt.get('id')}) {problem}.")
