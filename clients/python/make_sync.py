"""Makes the sync client from the async one; with --check it only compares."""

import re
import sys
from pathlib import Path

FOLDER = Path(__file__).parent / "src" / "aip_fleet"
CHANGES = [
    (r"The client of a gateway for asyncio\. client\.py is made from this file by make_sync\.py\.",
     "The client of a gateway. Made from async_client.py by make_sync.py; change that file."),
    (r"import asyncio\nimport os\n", "import os\nimport time\n"),
    (r"asyncio\.sleep", "time.sleep"),
    (r"asynccontextmanager", "contextmanager"),
    (r"AsyncIterator, Awaitable, Callable, Mapping", "Callable, Iterator, Mapping"),
    (r"AsyncIterator", "Iterator"),
    (r"Awaitable\[Any\]", "Any"),
    (r"AsyncClient", "Client"),
    (r"__a(enter|exit)__", r"__\1__"),
    (r"\baclose\b", "close"),
    (r"aiter_bytes", "iter_bytes"),
    (r"\basync (def|with|for)\b", r"\1"),
    (r"\bawait ", ""),
]


def sync_source() -> str:
    text = (FOLDER / "async_client.py").read_text("utf-8")
    for pattern, replacement in CHANGES:
        text = re.sub(pattern, replacement, text)
    return text


if __name__ == "__main__":
    target = FOLDER / "client.py"
    if "--check" not in sys.argv:
        target.write_text(sync_source(), "utf-8")
    elif target.read_text("utf-8") != sync_source():
        sys.exit("client.py is out of date; run python3 make_sync.py")
