import base64
import json
import os
from pathlib import Path

import pytest

from aip_fleet import (
    AipError,
    Signer,
    SigningKey,
    canonical_bytes,
    canonical_json,
    normal_form,
    normal_time,
    parse_json,
    sign_envelope,
    verify_envelope,
    verify_receipts,
)
from aip_fleet.canonical import sha256_hex
from aip_fleet.signing import did_of_public_key, public_key_of_did, verify_signature

VECTORS = Path(os.environ["AIP_VECTORS"])
SIGNED = json.loads((VECTORS / "signed.json").read_text("utf-8"))
SPECCHECK = json.loads((VECTORS / "ed25519-speccheck.json").read_text("utf-8"))
ENVELOPES = [pytest.param(vector, id=vector["name"]) for vector in SIGNED["envelopes"]]


def unsigned(envelope: dict) -> dict:
    security = {name: item for name, item in envelope["security"].items() if name != "signature"}
    return {**envelope, "security": security}


@pytest.mark.parametrize("vector", ENVELOPES)
def test_canonical_bytes_are_those_of_the_vector(vector: dict) -> None:
    data = canonical_bytes(unsigned(parse_json(vector["text"])))
    assert (len(data), sha256_hex(data)) == (vector["bytes"], vector["sha256"])


@pytest.mark.parametrize("vector", ENVELOPES)
def test_vectors_verify_and_are_in_normal_form(vector: dict) -> None:
    envelope = parse_json(vector["text"])
    assert verify_envelope(envelope) == envelope["security"]["did"]
    assert normal_form("Envelope", envelope) == envelope


@pytest.mark.parametrize("vector", ENVELOPES)
def test_signing_again_gives_the_same_signature(vector: dict) -> None:
    envelope = parse_json(vector["text"])
    key = SigningKey.from_seed(SIGNED["seeds"][envelope["security"]["did"]])
    sender = {name: item for name, item in envelope["from"].items() if name != "did"}
    assert sign_envelope(envelope, Signer(key, sender)) == envelope


@pytest.mark.parametrize("vector", ENVELOPES)
def test_every_changed_member_breaks_the_signature(vector: dict) -> None:
    envelope = parse_json(vector["text"])
    for name in ("message_id", "sent_at", "body", "from"):
        with pytest.raises(AipError) as caught:
            verify_envelope({**envelope, name: {"other": True} if name in ("body", "from") else "other"})
        assert caught.value.code == "client.signature_invalid"


@pytest.mark.parametrize("vector", [pytest.param(v, id=v["name"]) for v in SIGNED["lifecycle"]])
def test_lifecycle_vectors_have_their_canonical_bytes(vector: dict) -> None:
    value = parse_json(vector["text"])
    member = next(name for name in ("request", "response") if name in value)
    data = canonical_bytes(value[member])
    assert (len(data), sha256_hex(data)) == (vector["bytes"], vector["sha256"])


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("1", "1"),
        ("1.0", "1.0"),
        ("-0", "-0.0"),
        ("-0.0", "-0.0"),
        ("1e3", "1000.0"),
        ("0.1", "0.1"),
        ("1e16", "1e+16"),
        ("123456789012345680", "123456789012345680"),
        ("1.5e300", "1.5e+300"),
        ("0.00001", "0.00001"),
        ("0.000001", "1e-6"),
        ("1234.5", "1234.5"),
        ("-1.25e-7", "-1.25e-7"),
        ("9007199254740993.0", "9007199254740992.0"),
        ("18446744073709551615", "18446744073709551615"),
        ("18446744073709551616", "1.8446744073709552e+19"),
        ('{"😀":1,"｡":2,"é":3,"a":4,"B":5,"":6}', '{"":6,"B":5,"a":4,"é":3,"｡":2,"😀":1}'),
        ('"\\u00e9\\u002F\\u0001\\u007f"', '"é/\\u0001\x7f"'),
    ],
)
def test_canonical_forms(text: str, canonical: str) -> None:
    assert canonical_json(parse_json(text)) == canonical


@pytest.mark.parametrize("text", ['{"a":1,"a":2}', "NaN", "1e999", '"\\ud800"', "[" * 128 + "]" * 128, "9" * 5000])
def test_what_json_cannot_carry_is_refused(text: str) -> None:
    with pytest.raises(AipError) as caught:
        canonical_json(parse_json(text))
    assert caught.value.code == "client.json_invalid"


def test_bodies_of_all_types_are_in_normal_form_except_for_defaults() -> None:
    for body in json.loads((VECTORS / "bodies.json").read_text("utf-8")):
        found = normal_form("Body", body)
        assert normal_form("Body", found) == found
        (name,) = body
        assert {**found[name], **body[name]} == found[name]


def test_normal_form_drops_what_is_absent_and_keeps_what_is_opaque() -> None:
    action = {"id": "act_1", "capability_id": "c", "input": {"a": None, "b": []}, "timeout_ms": None}
    assert normal_form("Action", {**action, "delegation_chain": []}) == {
        "id": "act_1",
        "capability_id": "c",
        "input": {"a": None, "b": []},
    } | {name: item for name, item in normal_form("Action", action).items() if name == "mode"}
    flags = normal_form("Body", {"action_status_request": {"action_id": "act_1"}})["action_status_request"]
    assert flags == {
        "action_id": "act_1",
        "include_result": False,
        "include_receipts": False,
        "include_chunks": False,
    }


def test_times_have_one_form() -> None:
    assert normal_time("2026-07-09t00:00:00.250z") == "2026-07-09T00:00:00.25Z"
    assert normal_time("2026-07-09T00:00:00.000+00:00") == "2026-07-09T00:00:00Z"


def test_a_chain_that_was_changed_is_found() -> None:
    with pytest.raises(AipError) as caught:
        verify_receipts({"chain_id": "c", "receipts": [{"id": "rcpt_1", "hash": "00"}], "root_hash": "00"})
    assert "rcpt_1" in str(caught.value)


def test_signatures_are_strict_base64() -> None:
    key = SigningKey.generate()
    signature = key.sign(b"text")
    assert verify_signature(key.did, b"text", signature)
    assert not verify_signature(key.did, b"text", signature[:-2])
    assert not verify_signature(key.did, b"other", signature)
    with pytest.raises(AipError):
        verify_signature(key.did + "1", b"text", signature)


# The cases of https://github.com/novifinancial/ed25519-speccheck, none of which the TypeScript side accepts.
@pytest.mark.parametrize("number", range(len(SPECCHECK)))
def test_speccheck_case_is_refused(number: int) -> None:
    case = SPECCHECK[number]
    did = did_of_public_key(bytes.fromhex(case["publicKey"]))
    signature = base64.b64encode(bytes.fromhex(case["signature"])).decode("ascii")
    try:
        accepted = verify_signature(did, bytes.fromhex(case["message"]), signature)
    except AipError as error:
        assert error.code == "client.did_invalid"
    else:
        assert not accepted


SMALL_ORDER = ["01" + "00" * 31, "ec" + "ff" * 30 + "7f", "00" * 32, "00" * 31 + "80"]
NO_POINT = ["02" + "00" * 31, "ee" + "ff" * 30 + "7f", "01" + "00" * 30 + "80"]


@pytest.mark.parametrize("key", SMALL_ORDER + NO_POINT)
def test_keys_of_small_order_and_bytes_that_are_no_point_are_refused(key: str) -> None:
    with pytest.raises(AipError) as caught:
        public_key_of_did(did_of_public_key(bytes.fromhex(key)))
    assert caught.value.code == "client.did_invalid"


def test_keys_with_a_torsion_component_are_refused() -> None:
    mixed = [case["publicKey"] for case in SPECCHECK[2:6]]
    for key in mixed:
        with pytest.raises(AipError):
            public_key_of_did(did_of_public_key(bytes.fromhex(key)))


def test_honest_keys_are_usable() -> None:
    for _ in range(20):
        key = SigningKey.generate()
        assert did_of_public_key(public_key_of_did(key.did)) == key.did
