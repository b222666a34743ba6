"""JSON as signatures and digests need it (docs/protocol/signing.md#canonical-form)."""

from __future__ import annotations

import hashlib
import json
import math
from typing import Any

from .errors import AipError

#: Levels of nesting that a canonical value may have.
MAX_DEPTH = 127
#: Digits of a number token; a longer one has no 64-bit value and would be slow to read.
MAX_DIGITS = 400


def _invalid(problem: str) -> AipError:
    return AipError("client.json_invalid", f"The JSON is not valid: {problem}.")


def _integer(token: str) -> Any:
    if len(token) > MAX_DIGITS:
        raise _invalid("a number is outside the range of a 64-bit float")
    if token == "-0":
        return -0.0
    value = int(token)
    return value if -(2**63) <= value < 2**64 else _float(token)


def _float(token: str) -> float:
    value = float(token)
    if math.isinf(value):
        raise _invalid("a number is outside the range of a 64-bit float")
    return value


def _constant(token: str) -> Any:
    raise _invalid(f"{token} is not a JSON value")


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _invalid("an object has a member twice")
    return found


def parse_json(text: str | bytes) -> Any:
    """The value of a JSON text. Integers and floats stay apart, so that a signature over the text can be verified.

    Raises AipError ``client.json_invalid``, also for duplicate members and for bytes that are not UTF-8.
    """
    try:
        if isinstance(text, bytes):
            text = text.decode("utf-8")
        return json.loads(
            text, parse_int=_integer, parse_float=_float, parse_constant=_constant, object_pairs_hook=_members
        )
    except (ValueError, RecursionError) as error:
        raise _invalid(str(error)) from error


def canonical_json(value: Any) -> str:
    """The canonical text of a value: members sorted by code point, no white space, floats with their class.

    An ``int`` is written as digits and a ``float`` with ``.0`` when it is whole: they differ, as ``1`` and ``1.0`` do.
    """
    return _write(value, MAX_DEPTH)


def canonical_bytes(value: Any) -> bytes:
    """UTF-8 bytes of the canonical text."""
    return canonical_json(value).encode("utf-8")


def sha256_hex(value: str | bytes) -> str:
    """SHA-256 of a text or of bytes in lower-case hex."""
    return hashlib.sha256(value.encode("utf-8") if isinstance(value, str) else value).hexdigest()


def digest_of(value: Any) -> str:
    """``sha256:`` and the hash of the canonical value, as manifests and contracts are named."""
    return f"sha256:{sha256_hex(canonical_bytes(value))}"


def _write(value: Any, levels: int) -> str:
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, int):
        return str(value) if -(2**63) <= value < 2**64 else _float_text(_as_float(value))
    if isinstance(value, float):
        return _float_text(value)
    if levels == 0:
        raise _invalid(f"the value is nested deeper than {MAX_DEPTH} levels")
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(_write(item, levels - 1) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + ",".join(f"{_string(name)}:{_write(value[name], levels - 1)}" for name in _sorted(value)) + "}"
    raise _invalid(f"a value of type {type(value).__name__} has no JSON form")


def _sorted(value: dict[Any, Any]) -> list[str]:
    if not all(isinstance(name, str) for name in value):
        raise _invalid("the name of a member is not text")
    return sorted(value)


def _string(text: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise _invalid("a string holds a lone surrogate") from error
    return json.dumps(text, ensure_ascii=False)


def _as_float(value: int) -> float:
    try:
        return float(value)
    except OverflowError as error:
        raise _invalid("a number is outside the range of a 64-bit float") from error


def _float_text(value: float) -> str:
    if not math.isfinite(value):
        raise _invalid(f"{value} is not a JSON number")
    if value == 0:
        return "-0.0" if math.copysign(1, value) < 0 else "0.0"
    digits, _, exponent = repr(value).partition("e")
    sign = "-" if digits.startswith("-") else ""
    whole, _, fraction = digits.lstrip("-").partition(".")
    fraction = "" if fraction == "0" else fraction
    point = len(whole) + int(exponent or "0")
    significant = (whole + fraction).lstrip("0")
    point -= len(whole + fraction) - len(significant)
    significant = significant.rstrip("0")
    if 1e-5 <= abs(value) < 1e16:
        if point <= 0:
            return f"{sign}0.{'0' * -point}{significant}"
        if len(significant) <= point:
            return f"{sign}{significant.ljust(point, '0')}.0"
        return f"{sign}{significant[:point]}.{significant[point:]}"
    tail = f".{significant[1:]}" if len(significant) > 1 else ""
    return f"{sign}{significant[0]}{tail}e{point - 1:+d}"
