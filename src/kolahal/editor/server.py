"""`kolahal lsp`: what a desk finds, in the words of the Language Server Protocol."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import field
from functools import partial
from typing import Any

from lsprotocol import types as lsp
from pygls.exceptions import PyglsError
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from kolahal.editor.desk import Desk
from kolahal.editor.findings import ERROR, INFORMATION, WARNING, Findings
from kolahal.editor.fixes import Edit, Place
from kolahal.lang.source import with_newlines
from kolahal.nouns import dataclass

PAUSE = 0.12  # seconds without a keystroke before a text is looked at
MARK = "kolahal"  # a file that does not name us has no sketch, and is none of our business
SEVERITY = {
    ERROR: lsp.DiagnosticSeverity.Error,
    WARNING: lsp.DiagnosticSeverity.Warning,
    INFORMATION: lsp.DiagnosticSeverity.Information,
}


@dataclass(slots=True)
class Document:
    """An open file: its text, what was found in it, and who looks at it now."""

    text: str
    version: int | None
    findings: Findings = field(default_factory=Findings)
    looking: asyncio.Task[None] | None = None


def serve(desk: Desk, version: str) -> None:
    """Talk to an editor on standard input and output until it ends."""
    server = LanguageServer("kolahal", version, text_document_sync_kind=lsp.TextDocumentSyncKind.Full)
    _Doors(server, desk).open()
    try:
        server.start_io()
    finally:
        desk.close()


class _Doors:
    """One method for each thing that an editor asks."""

    def __init__(self, server: LanguageServer, desk: Desk) -> None:
        self.server = server
        self.desk = desk
        self.documents: dict[str, Document] = {}

    def open(self) -> None:
        fixes = lsp.CodeActionOptions(code_action_kinds=[lsp.CodeActionKind.QuickFix])
        doors: list[tuple[str, Callable[..., Any], Any]] = [
            (lsp.TEXT_DOCUMENT_DID_OPEN, self.opened, None),
            (lsp.TEXT_DOCUMENT_DID_CHANGE, self.changed, None),
            (lsp.TEXT_DOCUMENT_DID_CLOSE, self.closed, None),
            (lsp.TEXT_DOCUMENT_CODE_LENS, self.lenses, None),
            (lsp.TEXT_DOCUMENT_INLAY_HINT, self.hints, None),
            (lsp.TEXT_DOCUMENT_HOVER, self.hover, None),
            (lsp.TEXT_DOCUMENT_CODE_ACTION, self.actions, fixes),
        ]
        for name, method, options in doors:
            self.server.feature(name, options)(partial(method))  # pygls writes on what it is given, and no method lets it

    # ---- texts that come and go

    async def opened(self, params: lsp.DidOpenTextDocumentParams) -> None:
        document = params.text_document
        self.look(document.uri, document.text, document.version, 0)

    async def changed(self, params: lsp.DidChangeTextDocumentParams) -> None:
        uri = params.text_document.uri
        text = self.server.workspace.get_text_document(uri).source
        self.look(uri, text, params.text_document.version, PAUSE)

    async def closed(self, params: lsp.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        document = self.documents.pop(uri, None)
        if document is not None and document.looking is not None:
            document.looking.cancel()
        self.publish(uri, Document("", None))

    def look(self, uri: str, text: str, version: int | None, pause: float) -> None:
        """Begin to look at a text; whoever looked at an older one stops."""
        before = self.documents.get(uri)
        if before is not None and before.looking is not None:
            before.looking.cancel()
        document = self.documents[uri] = Document(text, version)
        if before is not None:
            document.findings.notes = before.findings.notes  # until newer ones are there
        document.looking = asyncio.get_running_loop().create_task(self.follow(uri, document, pause))

    async def follow(self, uri: str, document: Document, pause: float) -> None:
        await asyncio.sleep(pause)
        if MARK not in document.text:
            self.show(uri, document, Findings())
            return
        path = to_fs_path(uri) or uri
        async for findings in self.desk.follow(document.text, path):
            self.show(uri, document, findings)

    def show(self, uri: str, document: Document, findings: Findings) -> None:
        if self.documents.get(uri) is not document:
            return
        document.findings = findings
        self.publish(uri, document)
        asks = self.server.client_capabilities.workspace
        if asks is not None and asks.code_lens is not None and asks.code_lens.refresh_support:
            self.server.workspace_code_lens_refresh(None)
        if asks is not None and asks.inlay_hint is not None and asks.inlay_hint.refresh_support:
            self.server.workspace_inlay_hint_refresh(None)

    def publish(self, uri: str, document: Document) -> None:
        place = self.places(document.text)
        notes = [
            lsp.Diagnostic(place(n.place), n.text, severity=SEVERITY[n.severity], code=n.code, source="kolahal")
            for n in document.findings.notes
        ]
        self.server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, notes, document.version))

    # ---- questions

    async def lenses(self, params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
        document = self.document(params.text_document.uri)
        return [
            lsp.CodeLens(self.places(document.text)(Place(lens.line, 0, lens.line, 0)), lsp.Command(lens.text, ""))
            for lens in document.findings.lenses
        ]

    async def hints(self, params: lsp.InlayHintParams) -> list[lsp.InlayHint]:
        document = self.document(params.text_document.uri)
        place = self.places(document.text)
        first, last = params.range.start.line, params.range.end.line
        return [
            lsp.InlayHint(place(Place(h.line, h.column, h.line, h.column)).start, h.text, padding_left=True)
            for h in document.findings.hints
            if first <= h.line <= last
        ]

    async def hover(self, params: lsp.HoverParams) -> lsp.Hover | None:
        document = self.document(params.text_document.uri)
        place = self.places(document.text)
        found = [(place(tip.place), tip.text) for tip in document.findings.tips]
        here = [(where, text) for where, text in found if where.start <= params.position <= where.end]
        if not here:
            return None
        text = "\n\n".join(text for _, text in here)
        return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, text), here[0][0])

    async def actions(self, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        uri = params.text_document.uri
        document = self.document(uri)
        place = self.places(document.text)
        found = []
        for fix in document.findings.fixes:
            where = [place(fix.place), *(place(edit.place) for edit in fix.edits)]
            if any(at.start.line <= params.range.end.line and params.range.start.line <= at.end.line for at in where):
                edit = lsp.WorkspaceEdit({uri: list(self.edits(document.text, fix.edits))})
                about = [d for d in params.context.diagnostics if d.source == "kolahal" and d.range == where[0]]
                kind = lsp.CodeActionKind.QuickFix
                found.append(lsp.CodeAction(fix.title, kind, about, is_preferred=True, edit=edit))
        return found

    def edits(self, text: str, edits: Iterable[Edit]) -> Iterable[lsp.TextEdit]:
        place = self.places(text)
        return [lsp.TextEdit(place(edit.place), edit.text) for edit in edits]

    def document(self, uri: str) -> Document:
        return self.documents.get(uri) or Document("", None)

    def places(self, text: str) -> EditorUnits:
        try:
            return EditorUnits(text, str(self.server.workspace.position_encoding))
        except (PyglsError, RuntimeError):  # nobody has said hello yet
            return EditorUnits(text, "utf-16")


class EditorUnits:
    """From characters of a text to the units of an editor, which are most often those of UTF-16."""

    def __init__(self, text: str, encoding: Any) -> None:
        self.lines = with_newlines(text).split("\n")
        self.mark = text.startswith("\ufeff")
        self.encoding = getattr(encoding, "value", encoding)

    def __call__(self, place: Place) -> lsp.Range:
        return lsp.Range(self.at(place.line, place.column), self.at(place.end_line, place.end_column))

    def at(self, line: int, column: int) -> lsp.Position:
        line = min(max(0, line), len(self.lines) - 1)
        before = self.lines[line][: max(0, column)]
        if line == 0 and self.mark:
            before = "\ufeff" + before
        match self.encoding:
            case "utf-32":
                units = len(before)
            case "utf-8":
                units = len(before.encode("utf-8", "surrogatepass"))
            case _:
                units = len(before.encode("utf-16-le", "surrogatepass")) // 2
        return lsp.Position(line, units)
