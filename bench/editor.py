"""What an editor waits: `kolahal lsp` over the wire, from a text that is sent to what is to be said of it.

Opened: a sketch of the gallery, to its verdict. Known: a keystroke in a comment, to the same verdict. Faulty: a keystroke that
is a mistake, to the mistake. Each keystroke has the server's pause for more keystrokes in it.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

from kolahal.report.text import table
from kolahal.sketches.gallery import FOLDER, NAMES

SLOW = True  # of use on a quiet machine alone
LOOK = 0.01  # seconds between two looks at what has come
PATIENCE = 120.0  # seconds


def main() -> None:
    print(table(["sketch", "opened s", "known s", "faulty s"], asyncio.run(waits())))


async def waits() -> list[list[str]]:
    client = LanguageClient("bench", "1")
    faults: dict[str, list[str]] = {}

    @client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    def told(params: lsp.PublishDiagnosticsParams) -> None:
        faults[params.uri] = [str(note.code) for note in params.diagnostics]

    await client.start_io(sys.executable, "-m", "kolahal", "lsp")
    await client.initialize_async(lsp.InitializeParams(capabilities=lsp.ClientCapabilities()))
    client.initialized(lsp.InitializedParams())
    await _File(client, "first", faults).opened(FOLDER / "randomized_response.py")  # until the server's workers have loaded
    rows = []
    for name in NAMES:
        file = _File(client, name, faults)
        opened = await file.opened(FOLDER / f"{name}.py")
        rows.append([name, f"{opened:.2f}", f"{await file.known():.2f}", f"{await file.faulty():.2f}"])
    await client.shutdown_async(None)
    client.exit(None)
    await client.stop()
    return rows


class _File:
    """One open file and its seconds."""

    def __init__(self, client: LanguageClient, name: str, faults: dict[str, list[str]]) -> None:
        self.client, self.uri, self.faults, self.text = client, f"file:///bench/{name}.py", faults, ""
        self.version = 1

    async def opened(self, path: Path) -> float:
        self.text = path.read_text(encoding="utf-8")
        document = lsp.TextDocumentItem(self.uri, "python", self.version, self.text)
        self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(document))
        return await self.wait_for(self.is_judged)

    async def known(self) -> float:
        self.change(f"#\n{self.text}")
        return await self.wait_for(self.is_judged)

    async def faulty(self) -> float:
        self.change(f"{self.text}\n    return (\n")
        return await self.wait_for(self.is_faulty)

    def change(self, text: str) -> None:
        self.version += 1
        document = lsp.VersionedTextDocumentIdentifier(self.version, self.uri)
        whole = [lsp.TextDocumentContentChangeWholeDocument(text)]
        self.client.text_document_did_change(lsp.DidChangeTextDocumentParams(document, whole))

    async def wait_for(self, holds: Callable[[], Awaitable[bool]]) -> float:
        start = time.perf_counter()
        while not await holds():
            assert time.perf_counter() - start < PATIENCE, f"nothing was said of {self.uri}"
            await asyncio.sleep(LOOK)
        return time.perf_counter() - start

    async def is_judged(self) -> bool:
        found = await self.client.text_document_code_lens_async(lsp.CodeLensParams(lsp.TextDocumentIdentifier(self.uri)))
        words = [lens.command.title for lens in found or [] if lens.command]
        return bool(words) and not any("checking" in word for word in words)

    async def is_faulty(self) -> bool:
        return any(code.startswith("K") for code in self.faults.get(self.uri, ()))


if __name__ == "__main__":
    main()
