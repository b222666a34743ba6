import os
from typing import Iterator

import pytest

from aip_fleet import Client, Signer, SigningKey


@pytest.fixture
def url() -> str:
    """A real gateway with the demo connector; test/system/clients/python.test.ts starts one."""
    return os.environ["AIP_GATEWAY_URL"]


@pytest.fixture
def token() -> str:
    return os.environ["AIP_TOKEN"]


@pytest.fixture
def client(url: str, token: str) -> Iterator[Client]:
    with Client(url, token=token) as client:
        yield client


@pytest.fixture
def approver(url: str) -> Iterator[Client]:
    with Client(url, token=os.environ["AIP_APPROVER_TOKEN"]) as client:
        yield client


@pytest.fixture
def signer() -> Signer:
    key = SigningKey.from_file(os.environ["AIP_SIGNING_SEED_FILE"])
    return Signer(key, {"id": "agent:signer", "kind": "agent"})


@pytest.fixture
def signing(url: str, signer: Signer) -> Iterator[Client]:
    with Client(url, signer=signer, gateway_did=os.environ["AIP_GATEWAY_DID"]) as client:
        yield client
