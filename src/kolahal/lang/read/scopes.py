"""What the names of a file mean where a sketch stands, by Python's rules of scope; nothing is run.

A sketch is judged by its names: `Lap` is our noise, and `max` is Python's. So every place that binds a name which the
sketch can see is looked up, and all of them have to mean the same.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import field
from functools import cache
from itertools import islice

from kolahal.lang.adjacency import RELATIONS
from kolahal.lang.noise import BY_NAME
from kolahal.lang.records.moves import RECORD_RELATIONS
from kolahal.lang.templates import (
    BELLS,
    FINITE,
    MEASUREMENT,
    NORMAL_LAW,
    NORMALS,
    ONLINE,
    ROWS,
    RUNTIME,
    names_in,
    read_template,
)
from kolahal.nouns import dataclass

OURS = frozenset(BY_NAME) | frozenset({**RELATIONS, **RECORD_RELATIONS}) | {
    "Pick",
    "hole",
    "sketch",
    "Private",
    "Epsilon",
    "Rho",
    "Mu",
    "Delta",
    "gdp",
    "Records",
    "Between",
    "clip",
}
OUR_MODULES = ("kolahal", "kolahal.lang.read.front")  # that our names are imported from

ABOVE = "_above"  # what emitted programs round a root in a scale up with, so that it is a fraction

# A meaning is a name of ours, where something else is imported from, or anything at all. Names that nobody binds:
ANYTHING = ""
PYTHONS = ("len", "range", "max", "min", "abs", "int", "float", "bool") + (
    "sum", "any", "all", "enumerate", "zip", "reversed", "sorted", "list"
)
USUAL = {
    **{name: name for name in OURS | {"kolahal"}},
    **{name: f"builtins.{name}" for name in PYTHONS},
    "Fraction": "fractions.Fraction",  # as emitted programs write numbers
    ABOVE: ABOVE,
    "sqrt": "math.sqrt",  # in scales
    "math": "module math",  # whose `sqrt` it is
}
MEANT = frozenset(USUAL.values())  # by sketches
HIDDEN = ("exec", "eval", "globals", "__builtins__")  # can bind any name, and no reader sees which
MOST = 5  # places that are pointed at for one name
CHANGES = ("setattr", "delattr", "vars", "__setattr__", "__delattr__")  # where they are given a module
SPACES = ("__globals__", "f_globals", "f_locals", "f_builtins")  # the names of a module, by way of a function or a frame

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class NameBinding:
    """A place that gives a name a meaning; `kind` is import, star, del, or name for all other ways."""

    node: ast.AST
    meaning: str = ANYTHING
    kind: str = "name"
    always: bool = False  # it stands at the top level of the file, under no condition

    @property
    def at(self) -> tuple[int, int]:
        return getattr(self.node, "lineno", 0), getattr(self.node, "col_offset", 0)


@dataclass(eq=False, slots=True)
class Scope:
    """A module, function, class or comprehension, and what is bound in it."""

    kind: str
    parent: Scope | None = None
    bound: dict[str, list[NameBinding]] = field(default_factory=dict)
    declared: dict[str, str] = field(default_factory=dict)  # name → global or nonlocal

    def bind(self, name: str, binding: NameBinding) -> None:
        self.bound.setdefault(name, []).append(binding)


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a sketch takes a name for, or None; and the bindings by which it would be something else."""

    name: str | None
    against: tuple[NameBinding, ...] = ()


class Scopes:
    """Every scope of a file, with its bindings."""

    def __init__(self, module: ast.Module):
        self.module = Scope("module")
        self.around: dict[ast.AST, Scope] = {}  # function → the scope that it stands in
        self.stars: list[NameBinding] = []  # `from elsewhere import *`
        self.support = support_in(module)
        self._scopes = [self.module]
        self._meanings: dict[tuple[Scope, str, bool, Function | None], Meaning] = {}
        self._top = set(map(id, module.body))
        self._read(module)
        self._settle()
        self._module = module

    # ---- what a name means

    def meaning(self, function: Function, name: str, header: bool) -> Meaning:
        """What `name` means in the header, or else in the body, of a function of this file."""
        # Sketches in one scope see the same; only its own name is bound behind a function's header.
        key = self.around[function], name, header, function if function.name == name else None
        if key not in self._meanings:
            visible = [b for b in self._visible(function, name, header) if b.node is not function]
            self._meanings[key] = _agree(name, sorted(visible, key=lambda b: b.at))
        return self._meanings[key]

    def only_binding(self, function: Function, name: str) -> NameBinding | None:
        """The one place that binds a name which the body of a function sees; None where there is none, or several."""
        visible = self._visible(function, name, header=False)
        return visible[0] if len(visible) == 1 else None

    def is_bound(self, function: Function, name: str) -> bool:
        """Whether any place binds a name which the body of a function sees."""
        return bool(self._visible(function, name, header=False))

    def rebindings(self, function: Function) -> list[NameBinding]:
        """Where the function's own name gets another meaning: below it, or whenever some other scope is run."""
        own = self.around[function].bound.get(function.name, [])
        here = function.lineno, function.col_offset
        others = [b for b in own if b.node is not function and not (isinstance(b.node, Function) and b.node.decorator_list)]
        functions = [node for node in self._module.body if isinstance(node, Function)]

        def is_inside(binding: NameBinding) -> bool:  # of a function that says `global`, whenever that is called
            line = binding.at[0]
            return any(f.lineno < line <= (f.end_lineno or line) and f is not binding.node for f in functions)

        return [b for b in others if b.at > here or is_inside(b)]

    def _visible(self, function: Function, name: str, header: bool) -> list[NameBinding]:
        """The bindings of the scope that Python would look the name up in."""
        found: list[NameBinding] = []
        scope: Scope | None = self.around[function]
        while scope is not None:
            seen = header or scope.kind != "class"  # the body of a method does not see the names of its class
            if seen and scope.declared.get(name) == "global":
                scope = self.module
            if seen:
                found += scope.bound.get(name, [])
            if scope.kind == "module":
                found += self._from_stars(name)
            elif found and scope.kind != "class":  # a class that has not bound a name yet looks further out
                break
            header = False
            scope = scope.parent
        return found

    def _from_stars(self, name: str) -> list[NameBinding]:
        """The star imports that may bind `name` for good: no import of it stands below them."""
        imports = [b.at for b in self.module.bound.get(name, []) if b.kind == "import" and b.always]
        last = max(imports, default=(0, 0))
        return [star for star in self.stars if star.at > last]

    def changes_of_support(self) -> list[tuple[str, NameBinding]]:
        """Where an emitted program binds a name again that its support code relies on."""
        found = []
        names = frozenset[str]().union(*map(names_in, self.support.files))
        for name in sorted(names & self.module.bound.keys()):
            inside = {b.meaning for b in self.module.bound[name] if b.node in self.support}
            for binding in self.module.bound[name]:
                same = binding.kind == "import" and binding.meaning in inside
                if binding.node not in self.support and not same:
                    found.append((name, binding))
        return found

    # ---- reading

    def _read(self, module: ast.Module) -> None:
        waiting: list[tuple[ast.AST, Scope]] = [(module, self.module)]
        while waiting:
            node, scope = waiting.pop()
            match node:
                case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                    inner = self._function(node, scope)
                case ast.ClassDef():
                    inner = self._class(node, scope)
                case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                    own = self._open("comprehension", scope)
                    inner = [(part, own) for part in ast.iter_child_nodes(node)]
                case ast.NamedExpr(target, value):
                    outer = scope
                    while outer.kind == "comprehension" and outer.parent is not None:
                        outer = outer.parent
                    inner = [(target, outer), (value, scope)]
                case _:
                    self._bind(node, scope)
                    inner = [(part, scope) for part in ast.iter_child_nodes(node)]
            waiting += reversed(inner)

    def _open(self, kind: str, parent: Scope) -> Scope:
        self._scopes.append(Scope(kind, parent))
        return self._scopes[-1]

    def _function(self, node: Function | ast.Lambda, scope: Scope) -> list[tuple[ast.AST, Scope]]:
        own, args = self._open("function", scope), node.args
        every = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
        for arg in every:
            if arg is not None:
                own.bind(arg.arg, NameBinding(arg))
        outside: list[ast.AST | None] = [*args.defaults, *args.kw_defaults]
        if isinstance(node, ast.Lambda):
            return [*((part, scope) for part in outside if part is not None), (node.body, own)]
        self.around[node] = scope
        self._bind_definition(node, scope, own)
        outside += [*node.decorator_list, node.returns, *(arg.annotation for arg in every if arg is not None)]
        return [*((part, scope) for part in outside if part is not None), *((part, own) for part in node.body)]

    def _class(self, node: ast.ClassDef, scope: Scope) -> list[tuple[ast.AST, Scope]]:
        own = self._open("class", scope)
        self._bind_definition(node, scope, own)
        outside = [*node.decorator_list, *node.bases, *node.keywords]
        return [*((part, scope) for part in outside), *((part, own) for part in node.body)]

    def _bind_definition(self, node: Function | ast.ClassDef, scope: Scope, own: Scope) -> None:
        scope.bind(node.name, NameBinding(node, self._supported(node, node.name)))
        for parameter in getattr(node, "type_params", ()):  # def f[T](…), from Python 3.12 on
            own.bind(parameter.name, NameBinding(parameter))

    def _bind(self, node: ast.AST, scope: Scope) -> None:
        """Bind what a node binds by itself."""
        match node:
            case ast.Name(name, ast.Store()):
                scope.bind(name, NameBinding(node, self._supported(node, name)))
            case ast.Name(name, ast.Del()):
                scope.bind(name, NameBinding(node, kind="del"))
            case ast.Import(names):
                for item in names:
                    full = item.name if item.asname else item.name.partition(".")[0]
                    meaning = full if full == "kolahal" else f"module {full}"
                    self._import(node, item, item.asname or full, meaning, scope)
            case ast.ImportFrom(_, names):
                for item in names:
                    self._import_from(node, item, scope)
            case ast.ExceptHandler(_, str() as name) | ast.MatchAs(_, str() as name) | ast.MatchStar(str() as name):
                scope.bind(name, NameBinding(node))
            case ast.MatchMapping(rest=str() as name):
                scope.bind(name, NameBinding(node))
            case ast.Global(names):
                scope.declared |= dict.fromkeys(names, "global")
            case ast.Nonlocal(names):
                scope.declared |= dict.fromkeys(names, "nonlocal")

    def _import_from(self, node: ast.ImportFrom, item: ast.alias, scope: Scope) -> None:
        module = "." * node.level + (node.module or "")
        ours = module in OUR_MODULES
        if item.name != "*":
            meaning = item.name if ours and item.name in OURS else f"{module}.{item.name}"
            meaning = USUAL["sqrt"] if ours and item.name == "sqrt" else meaning  # which we hand on
            self._import(node, item, item.asname or item.name, meaning, scope)
        elif ours:
            for name in sorted(OURS):
                self._import(node, item, name, name, scope)
        else:
            self.stars.append(NameBinding(item, f"module {module}", "star"))

    def _import(self, node: ast.AST, item: ast.alias, local: str, meaning: str, scope: Scope) -> None:
        scope.bind(local, NameBinding(item, meaning, "import", always=id(node) in self._top))

    def _supported(self, node: ast.AST, name: str) -> str:
        return USUAL.get(name, ANYTHING) if node in self.support else ANYTHING

    def _settle(self) -> None:
        """Move what is bound by a name that is declared `global` or `nonlocal` to where it is bound."""
        for scope in self._scopes:
            for name, kind in scope.declared.items():
                home = self.module
                if kind == "nonlocal":
                    outer = scope.parent
                    while outer and (outer.kind != "function" or name in outer.declared or name not in outer.bound):
                        outer = outer.parent
                    home = outer or home
                if home is not scope:
                    for binding in scope.bound.pop(name, []):
                        home.bind(name, binding)

    # ---- what cannot be read

    def escapes(self) -> list[ast.AST]:
        """Places that may bind names behind a reader's back: `exec(…)`, `globals()`, or a change of our module or Python's."""
        meanings: dict[str, set[str]] = {}
        for scope in self._scopes:
            for name, bindings in scope.bound.items():
                meanings.setdefault(name, set()).update(b.meaning for b in bindings)
        hidden = {n for n in HIDDEN if meanings.get(n) and not meanings[n] & {ANYTHING, f"builtins.{n}"}} | {
            n for n in HIDDEN if any(isinstance(b.node, ast.FunctionDef) for b in self.module.bound.get(n, ()))
        }
        modules = self._modules(meanings)
        called = {id(node.func) for node in ast.walk(self._module) if isinstance(node, ast.Call)}

        def is_module(node: ast.AST) -> bool:
            while isinstance(node, ast.Attribute):
                node = node.value
            match node:
                case ast.Name(name):
                    return name in modules
                case ast.Call(ast.Name(name) | ast.Attribute(_, name), [ast.Constant(str() as target), *_]):
                    loads = name in ("import_module", "__import__")
                    return loads and target.partition(".")[0] in ("kolahal", "builtins", "math")
                case _:
                    return False

        def escapes(node: ast.AST) -> bool:
            match node:
                case ast.Name(name, ast.Load()) if name in CHANGES and name not in meanings and id(node) not in called:
                    return True  # it goes on under another name
                case ast.Name(name, ast.Load()):
                    return (name in HIDDEN and name not in hidden) or "sys.modules" in meanings.get(name, ())
                case ast.alias(name):
                    return f"builtins.{name}" in meanings.get(node.asname or name, ()) and name in (*HIDDEN, *CHANGES)
                case ast.Call(ast.Name("vars" | "locals"), []):
                    return True
                case ast.Call(ast.Name(name) | ast.Attribute(_, name), [of, *rest]) if name in CHANGES:
                    other = rest and isinstance(rest[0], ast.Constant) and rest[0].value not in USUAL
                    return not other and is_module(of)
                case ast.Call(ast.Name("getattr"), [of, name, *_]):
                    plain = isinstance(name, ast.Constant) and name.value not in (*HIDDEN, *CHANGES, "__dict__")
                    return not plain and is_module(of)
                case ast.Attribute(_, name) if name in SPACES:
                    return True
                case ast.Attribute(of, name, ast.Load()) if name in (*HIDDEN, *CHANGES, "__dict__"):
                    return is_module(of)
                case ast.Attribute(of, name, ast.Store() | ast.Del()):
                    return name in USUAL and is_module(of)
                case ast.Attribute(ast.Name(of), "modules"):
                    return "module sys" in meanings.get(of, ())
                case _:
                    return False

        found = (node for node in ast.walk(self._module) if node not in self.support and escapes(node))
        return list(islice(found, MOST))

    def _modules(self, meanings: dict[str, set[str]]) -> set[str]:
        """The names that stand for our module, a part of it, or Python's own names somewhere in the file."""
        wanted = {"kolahal", "kolahal.lang", "kolahal.lang.read.front", "module builtins", USUAL["math"]}
        wanted |= {f"module {name}" for name in ("kolahal.lang", *OUR_MODULES)}
        found = {"kolahal"} | {name for name, means in meanings.items() if means & wanted}
        copies: dict[str, list[str]] = {}
        for node in ast.walk(self._module):
            for target, value in _copied(node):
                if isinstance(target, ast.Name) and isinstance(value, ast.Name):
                    copies.setdefault(value.id, []).append(target.id)
        waiting = list(found)
        while waiting:
            for name in copies.pop(waiting.pop(), ()):
                found.add(name)
                waiting.append(name)
        return found


def _copied(node: ast.AST) -> Iterable[tuple[ast.expr, ast.expr]]:
    match node:
        case ast.Assign(targets, value):
            return [(target, value) for target in targets]
        case ast.AnnAssign(target=target, value=ast.expr() as value) | ast.NamedExpr(target, value):
            return [(target, value)]
        case _:
            return []


def _agree(name: str, bindings: list[NameBinding]) -> Meaning:
    """What a name means by all its bindings together, in source order."""
    usual = USUAL.get(name)
    known = [b.meaning for b in bindings if b.meaning in MEANT]
    if usual is not None and "." in usual:
        meant: str | None = usual  # what is Python's keeps its name
    elif known:
        meant = known[0]
    elif bindings and name == "sketch" and all(b.kind == "import" for b in bindings):
        meant = None  # somebody else's decorator
    else:
        meant = usual
    return Meaning(meant, tuple(b for b in bindings if b.meaning != meant)[:MOST] if meant else ())


# ---------------------------------------------------------------- emitted programs


SUPPORT = (RUNTIME, FINITE, ROWS, BELLS, NORMAL_LAW, NORMALS, MEASUREMENT, ONLINE)  # in the order in which it stands in a file


@cache
def _support(file: str) -> tuple[tuple[str, ...], frozenset[str]]:
    """The statements that emitted programs bring along of a file of support code, and its imports, which they have at their top."""
    body = ast.parse(read_template(file)).body[1:]
    imports = [node for node in body if isinstance(node, ast.Import | ast.ImportFrom)]
    return tuple(ast.dump(node) for node in body if node not in imports), frozenset(map(ast.dump, imports))


@dataclass(frozen=True, slots=True)
class Support:
    """The support code of an emitted program: which files of it, and the identities of all their nodes."""

    files: tuple[str, ...] = ()
    nodes: frozenset[int] = frozenset()

    def __contains__(self, node: ast.AST) -> bool:
        return id(node) in self.nodes


def support_in(module: ast.Module) -> Support:
    """The files of support code of which a module has all, word for word and in order; none without the first."""
    if not any(isinstance(node, ast.FunctionDef) and node.name == "sketch" for node in module.body):
        return Support()
    files: list[str] = []
    found: list[ast.stmt] = []
    body = [(node, _written(node)) for node in module.body]
    for file in SUPPORT:
        (wanted, imports), place = _support(file), 0
        ours: list[ast.stmt] = []
        for i, (node, written) in enumerate(body):
            if len(ours) < len(wanted) and written == wanted[len(ours)]:
                ours.append(node)
                place = i + 1
        if len(ours) == len(wanted):
            files.append(file)
            found += [*ours, *(node for node in module.body if isinstance(node, ast.Import | ast.ImportFrom) and ast.dump(node) in imports)]
            body = body[place:]
        elif file == RUNTIME:
            return Support()
    return Support(tuple(files), frozenset(id(part) for node in found for part in ast.walk(node)))


def _written(node: ast.stmt) -> str:
    with suppress(RecursionError):
        return ast.dump(node)
    return ""  # a statement nested so deeply is none of ours
