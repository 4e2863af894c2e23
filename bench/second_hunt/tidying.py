"""What is left of a program without what nobody reads, and whether there is anything in it to judge."""

from __future__ import annotations

import ast


def tidy(lines: list[str]) -> list[str]:
    """The same statements without those that give a value to a name that nobody reads, and without empty blocks."""
    tree = ast.parse("\n".join(lines))
    while True:
        read = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        before = ast.dump(tree)
        tree.body = _keep(tree.body, read)
        if ast.dump(tree) == before:
            return ast.unparse(tree).split("\n")


def _keep(body: list[ast.stmt], read: set[str]) -> list[ast.stmt]:
    kept: list[ast.stmt] = []
    for node in body:
        match node:
            case ast.Assign() if (
                not {n.id for t in node.targets for n in ast.walk(t) if isinstance(n, ast.Name)} & read
            ):
                continue
            case ast.Assign([ast.Tuple(targets)], ast.Tuple(values)) if all(isinstance(v, ast.List) for v in values):
                pairs = zip(targets, values, strict=True)
                left = [(t, v) for t, v in pairs if isinstance(t, ast.Name) and t.id in read]
                kept += [
                    ast.parse(f"{ast.unparse(t)} = {ast.unparse(v)}").body[0] for t, v in left[:1] if len(left) == 1
                ]
                if len(left) == 1:
                    continue
            case ast.If():
                node.body, node.orelse = _keep(node.body, read), _keep(node.orelse, read)
                if not node.body and not node.orelse:
                    continue
                node.body = node.body or [ast.Pass()]
            case ast.For() | ast.While():
                node.body = _keep(node.body, read)
                if not node.body:
                    continue
        kept.append(node)
        if isinstance(node, ast.Return | ast.Break | ast.Continue):
            break
    return kept


def matters(text: str) -> bool:
    """Whether private answers reach an answer or decide about one, so that there is something to judge."""
    body = ast.parse(text).body[0].body  # type: ignore[attr-defined]
    reach: set[str] = set()
    decides = [n.test for part in body for n in ast.walk(part) if isinstance(n, ast.If | ast.While)]
    returns = [n.value for part in body for n in ast.walk(part) if isinstance(n, ast.Return) and n.value]
    if len({ast.dump(value) for value in returns}) > 1 or (len(decides) and len(returns) == 1):
        returns += decides
    for value in returns:
        reach |= {n.id for n in ast.walk(value) if isinstance(n, ast.Name)}
    changed = True
    while changed:
        before = len(reach)
        for part in body:
            for node in ast.walk(part):
                names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
                stored = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
                grown = isinstance(node, ast.Expr) and bool(names & reach)
                if (isinstance(node, ast.Assign | ast.AugAssign | ast.For) and stored & reach) or grown:
                    reach |= (
                        names
                        if not isinstance(node, ast.For)
                        else {n.id for n in ast.walk(node.iter) if isinstance(n, ast.Name)}
                    )
        changed = len(reach) > before
    return "q" in reach and len(body) > 1
