"""`kolahal lsp`, `watch` and `mcp`: where people and agents work."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kolahal import __version__
from kolahal.cli.base import cli, complete_target, finish, limits
from kolahal.errors import UsageError, harmless
from kolahal.sketches.gallery import find

if TYPE_CHECKING:
    from kolahal.limits import Limits


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


@cli.command()
@click.argument("target", metavar="FILE.py", shell_complete=complete_target)
@limits(seconds=60, memory=4096)
def watch(target: str, limit: Limits) -> None:
    """Say what is known of a file, again each time that it changes, until Ctrl-C: faults, verdicts, costs, remedies."""
    import asyncio

    from kolahal.editor.desk import Desk
    from kolahal.editor.terminal import watch_file

    path = find(target)

    async def tell() -> None:
        async for text in watch_file(path, desk):
            click.echo(f"{harmless(text)}\n")

    desk = Desk(limit)
    desk.warm()
    try:
        asyncio.run(tell())
    finally:
        desk.close()


@cli.command("mcp")
@limits(seconds=60, memory=4096)
def mcp_command(limit: Limits) -> None:
    """The checker as tools for coding agents (check, synth, test, explain), over the Model Context Protocol on standard input and output."""
    try:
        from kolahal.editor.agents import serve_agents
    except ImportError:
        raise UsageError("`kolahal mcp` needs the MCP SDK: pip install 'kolahal[mcp]'") from None
    serve_agents(limit, __version__)
