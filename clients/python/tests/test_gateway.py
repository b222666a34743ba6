import asyncio
import os
from pathlib import Path

import pytest

from aip_fleet import AipError, AsyncClient, Client, Signer, new_id, parse_json, verify_receipts
from aip_fleet.requests import check_answer


def test_sync_async_and_streaming_submits(client: Client) -> None:
    assert client.submit("cap:demo:echo", {"text": "hello", "none": None}).output()["echo"]["text"] == "hello"
    queued = client.submit("cap:demo:report", {"seconds": 0}, mode="async")
    assert queued.ack is not None and queued.ack["status"] == "queued"
    assert [item.kind for item in client.follow(queued.action_id)][-1] == "terminal"
    assert client.get(queued.action_id, result=True)["result"]["output"]["title"] == "report"
    streamed = client.submit("cap:demo:count", {"n": 3}, mode="streaming")
    assert streamed.output() == {"count": 3}
    assert [chunk["kind"] for chunk in client.get(streamed.action_id, chunks=True)["chunks"]] == ["data"] * 3 + ["done"]


def test_result_and_its_error_before_the_end(client: Client) -> None:
    running = client.submit("cap:demo:report", {"seconds": 600}, mode="async").action_id
    with pytest.raises(AipError) as caught:
        client.result(running)
    assert (caught.value.code, caught.value.status) == ("action.result_not_ready", 503)
    assert caught.value.category == "temporary" and caught.value.retryable
    assert client.cancel(running, "enough")["status"] == "cancelled"
    assert [item.kind for item in client.follow(running)][-1] == "terminal"
    assert client.get(running)["state"] == "cancelled"


def test_a_large_result_goes_to_a_file(client: Client, tmp_path: Path) -> None:
    text = "é" * 300_000
    done = client.submit("cap:demo:echo", {"text": text})
    file = tmp_path / "result.json"
    assert client.result_to_file(done.action_id, file) == file.stat().st_size > 600_000
    assert parse_json(file.read_bytes())["output"]["echo"]["text"] == text
    assert file.stat().st_mode & 0o777 == 0o600
    with pytest.raises(AipError) as caught:
        client.result_to_file(new_id("action"), tmp_path / "none.json")
    assert caught.value.code == "action.not_found" or caught.value.code == "resource.not_found"
    assert [path.name for path in tmp_path.iterdir()] == ["result.json"]


def test_the_same_action_again_is_the_same_action(client: Client) -> None:
    action_id = new_id("action")
    first = client.submit("cap:demo:echo", {"text": "once"}, action_id=action_id)
    again = client.submit("cap:demo:echo", {"text": "once"}, action_id=action_id)
    assert first.result == again.result
    with pytest.raises(AipError) as caught:
        client.submit("cap:demo:echo", {"text": "other"}, action_id=action_id)
    assert caught.value.code == "action.id_conflict" and caught.value.action_id == action_id


def test_a_repeated_key_names_the_first_action(client: Client) -> None:
    key = new_id("message")
    first = client.submit("cap:demo:report", {"seconds": 0}, idempotency_key=key)
    again = client.submit("cap:demo:report", {"seconds": 0}, idempotency_key=key)
    assert again.action_id == first.action_id and client.get(again.action_id)["state"] == "completed"


def test_an_action_runs_in_the_named_tenant_or_not_at_all(url: str, token: str) -> None:
    with Client(url, token=token, tenant_id="demo") as own:
        assert own.submit("cap:demo:echo", {"text": "x"}).output()["echo"]["text"] == "x"
    with Client(url, token=token, tenant_id="tenant-of-nobody") as other, pytest.raises(AipError) as caught:
        other.submit("cap:demo:echo", {"text": "x"})
    assert caught.value.code == "auth.tenant_mismatch"


def test_pages_come_to_their_end_without_repeats(client: Client) -> None:
    made = {client.submit("cap:demo:echo", {}).action_id for _ in range(5)}
    pages = list(client.pages(client.list, capability_id="cap:demo:echo", limit=2))
    found = [action["action_id"] for page in pages for action in page["actions"]]
    assert made <= set(found) and len(found) == len(set(found))
    assert all(len(page["actions"]) <= 2 for page in pages)
    action_id = found[0]
    kinds = [event["kind"] for page in client.pages(client.events, action_id, limit=1) for event in page["events"]]
    assert "aip.action.result" in kinds
    listed = [entry for page in client.pages(client.capabilities, limit=2) for entry in page["capabilities"]]
    assert {"cap:demo:echo", "cap:demo:count"} <= {entry["capability"]["id"] for entry in listed}
    assert client.events(limit=1)["events"]
    assert client.manifest()["capabilities"]


def test_errors_of_ids_tokens_and_addresses(client: Client, url: str) -> None:
    with pytest.raises(AipError) as caught:
        client.get("nothing")
    assert caught.value.code == "client.id_invalid" and caught.value.status is None
    with pytest.raises(AipError) as caught, Client(url, token="wrong") as wrong:
        wrong.list()
    assert (caught.value.code, caught.value.category, caught.value.status) == (
        "auth.native_http_unauthorized",
        "auth",
        401,
    )
    with pytest.raises(AipError) as caught, Client("http://127.0.0.1:1", token="t") as nowhere:
        nowhere.submit("cap:demo:echo", {})
    assert caught.value.code == "client.unreachable" and caught.value.retryable
    failed = client.submit("cap:demo:count", {"n": "many"})
    with pytest.raises(AipError) as caught:
        failed.output()
    assert caught.value.code == "action.input_schema_invalid" and caught.value.action_id == failed.action_id


def test_an_approval_is_decided_by_envelope(client: Client, approver: Client) -> None:
    waiting = client.submit("cap:demo:refund", {"order": "A-1", "amount_minor": 5}, idempotency_key=new_id("message"))
    assert waiting.result is not None and waiting.result["status"] == "pending_approval"
    approval_id = client.get(waiting.action_id)["approval_id"]
    approval = approver.approval(approval_id, include_evidence_payload=True)
    assert approval["evidence_payload"]["input"]["amount_minor"] == 5
    pending = [item["request"]["id"] for page in approver.pages(approver.approvals, status="pending") for item in page["approvals"]]
    assert approval_id in pending
    approver.decide(
        approval_id,
        "approved",
        policy_hash=approval["request"]["policy_hash"],
        approver={"id": "human:approver:demo", "kind": "human"},
        reason="receipt checked",
    )
    assert [item.kind for item in client.follow(waiting.action_id)][-1] == "terminal"
    assert client.result(waiting.action_id)["output"]["amount_minor"] == 5
    assert approver.approval(approval_id)["status"] == "approved"


def test_sessions_are_opened_resumed_and_closed(client: Client) -> None:
    me = {"id": "human:operator:demo", "kind": "human"}
    opened = client.handshake("tests", client=me)
    session_id = opened["session_id"]
    action_id = client.submit("cap:demo:echo", {}, session_id=session_id).action_id
    assert [action["action_id"] for action in client.list(session_id=session_id)["actions"]] == [action_id]
    resumed = client.resume_session(session_id, opened["resume_token"])
    assert resumed["resume_token"] != opened["resume_token"]
    with pytest.raises(AipError):
        client.resume_session(session_id, opened["resume_token"])
    assert session_id in [item["session_id"] for page in client.pages(client.sessions) for item in page["sessions"]]
    assert client.close_session(session_id, "done")["status"] == "cancelled"
    assert client.session(session_id)["status"] == "cancelled"


def test_receipts_are_verified_offline(client: Client, tmp_path: Path) -> None:
    done = client.submit("cap:demo:echo", {"one": 1.0, "big": 2**60})
    chain = client.receipts(f"action:{done.action_id}")
    verify_receipts(chain)
    receipt = chain["receipts"][0]
    assert client.receipts(receipt_id=receipt["id"])["chain_id"] == chain["chain_id"]
    with pytest.raises(AipError) as caught:
        verify_receipts({**chain, "receipts": [{**receipt, "occurred_at": "2000-01-01T00:00:00Z"}]})
    assert caught.value.code == "client.receipts_invalid"


def test_audit_resources_transactions_and_deliveries(client: Client) -> None:
    done = client.submit("cap:demo:echo", {})
    assert client.audit(action_id=done.action_id, since="2020-01-01T00:00:00Z")["events"]
    assert isinstance(client.resources()["resources"], list)
    assert client.deliveries()["deliveries"] == []
    for look_up in (
        lambda: client.transaction(new_id("transaction")),
        lambda: client.transaction(plan_id="plan:none"),
        lambda: client.transaction(action_id=done.action_id),
        lambda: client.resource("resource:none"),
        lambda: client.delivery("cb:none"),
    ):
        with pytest.raises(AipError) as caught:
            look_up()
        assert caught.value.code.endswith("not_found")


def test_signed_envelopes_and_signed_answers(signing: Client, signer: Signer, url: str) -> None:
    done = signing.submit("cap:demo:echo", {"text": "signed", "price": 1.0, "nothing": None})
    assert done.output()["echo"] == {"text": "signed", "price": 1.0, "nothing": None}
    view = signing.send({"action_status_request": {"action_id": done.action_id, "include_result": True}})
    assert view["action_status"]["state"] == "completed"
    opened = signing.handshake("signed session")
    assert opened["session_id"].startswith("sess_")
    with pytest.raises(AipError) as caught, Client(url, signer=signer, gateway_did=signer.key.did) as other:
        other.submit("cap:demo:echo", {})
    assert caught.value.code == "client.answer_untrusted"
    with pytest.raises(AipError):
        check_answer({"message_id": "msg_1"}, {"body": {}}, os.environ["AIP_GATEWAY_DID"])


def test_the_async_client_does_the_same(url: str, token: str) -> None:
    async def run() -> None:
        async with AsyncClient(url, token=token) as client:
            many = await asyncio.gather(*(client.submit("cap:demo:echo", {"text": str(n)}) for n in range(4)))
            assert [one.output()["echo"]["text"] for one in many] == ["0", "1", "2", "3"]
            queued = await client.submit("cap:demo:count", {"n": 3}, mode="streaming")
            kinds = [item.kind async for item in client.follow(queued.action_id)]
            assert kinds.count("chunk") == 4 and kinds[-1] == "terminal"
            pages = [page async for page in client.pages(client.list, limit=3)]
            assert len(pages[0]["actions"]) == 3
            verify_receipts(await client.receipts(f"action:{queued.action_id}"))
            with pytest.raises(AipError):
                await client.result(new_id("action"))

    asyncio.run(run())
