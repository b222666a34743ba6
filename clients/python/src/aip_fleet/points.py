"""Which public keys of Ed25519 may be trusted (docs/protocol/signing.md)."""

from __future__ import annotations

from functools import lru_cache

_P = 2**255 - 19
_ORDER = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, -1, _P) % _P
_ROOT_OF_MINUS_ONE = pow(2, (_P - 1) // 4, _P)

# A point in extended coordinates: x = X/Z, y = Y/Z, T = XY/Z.
_Point = tuple[int, int, int, int]
_NEUTRAL: _Point = (0, 1, 1, 0)


@lru_cache(maxsize=1024)
def is_usable_key(raw: bytes) -> bool:
    """Whether 32 bytes are the canonical form of a curve point without a torsion component.

    No honest key has such a component, under one of small order anybody can forge, and implementations disagree about the
    rest.
    """
    point = _point_of(raw)
    return point is not None and not _is_neutral(_times(8, point)) and _is_neutral(_times(_ORDER, point))


def _point_of(raw: bytes) -> _Point | None:
    encoded = int.from_bytes(raw, "little")
    sign, y = encoded >> 255, encoded & (2**255 - 1)
    if len(raw) != 32 or y >= _P:
        return None
    square = (y * y - 1) * pow(_D * y * y + 1, -1, _P) % _P
    x = pow(square, (_P + 3) // 8, _P)
    if x * x % _P != square:
        x = x * _ROOT_OF_MINUS_ONE % _P
    if x * x % _P != square or (x == 0 and sign == 1):
        return None
    if x & 1 != sign:
        x = _P - x
    return (x, y, 1, x * y % _P)


def _plus(a: _Point, b: _Point) -> _Point:
    low = (a[1] - a[0]) * (b[1] - b[0]) % _P
    high = (a[1] + a[0]) * (b[1] + b[0]) % _P
    product = 2 * a[3] * b[3] * _D % _P
    scale = 2 * a[2] * b[2] % _P
    e, f, g, h = high - low, scale - product, scale + product, high + low
    return (e * f % _P, g * h % _P, f * g % _P, e * h % _P)


def _times(factor: int, point: _Point) -> _Point:
    total = _NEUTRAL
    while factor > 0:
        if factor & 1:
            total = _plus(total, point)
        point = _plus(point, point)
        factor >>= 1
    return total


def _is_neutral(point: _Point) -> bool:
    return point[0] % _P == 0 and (point[1] - point[2]) % _P == 0
