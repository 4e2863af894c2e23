"""`kolahal lsp`: where people work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kolahal import __version__
from kolahal.cli.base import cli, finish, limits
from kolahal.errors import UsageError

if TYPE_CHECKING:
    from kolahal.workers import Limits


@cli.command("lsp")
@limits(seconds=60, memory=4096)
def lsp_command(limit: Limits) -> None:
    """A language server on standard input and output: verdicts, costs and remedies while you type.

    Settings for VS Code, Neovim and Emacs are in docs/how-to/editor.md.
    """
    from kolahal.editor.desk import Desk

    desk = Desk(limit)
    desk.warm()
    try:
        from kolahal.editor.server import serve
    except ImportError:
        desk.close()
        raise UsageError("`kolahal lsp` needs pygls: pip install 'kolahal[lsp]'") from None
    serve(desk, __version__)
    finish(0)
