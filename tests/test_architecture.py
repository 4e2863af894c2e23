"""The picture of who may import whom, and what no module may do, as tests."""

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import kolahal
from kolahal.later import LATER

PACKAGE = Path(kolahal.__file__).parent
GALLERY = {path for path in (PACKAGE / "sketches").glob("*.py") if path.stem not in ("__init__", "gallery")}
SOURCES = sorted(set(PACKAGE.rglob("*.py")) - GALLERY)

# Imports point down: a module sees lower rooms and its own. A room is a folder, or a file at the top; what stands in a
# folder of its own inside one, such as `proof.trusted`, is a room of its own.
BELOW = {"errors", "lang", "lang.read", "model", "verdicts", "results", "settings", "losses"}
RUNS = BELOW | {"logic", "engine", "paths", "inputs"}
MEASURES = RUNS | {"exact", "tester"}
PROOFS = MEASURES | {"law", "proof", "proof.trusted", "proof.find", "proof.refute"}
MAY_IMPORT = {
    "early": set(),
    "errors": set(),
    "nouns": set(),
    "beta": set(),
    "later": set(),
    "lang": {"errors"},
    "lang.templates": {"logic"},
    "lang.read": {"errors", "lang", "lang.templates"},
    "lang.patch": {"errors", "lang", "lang.read"},
    "lang.plain": {"errors", "lang", "lang.read", "lang.patch"},
    "model": {"errors", "lang", "settings"},
    "settings": {"errors", "lang"},
    "verdicts": {"errors", "lang", "model"},
    "results": {"errors", "lang", "model", "settings", "verdicts"},
    "losses": {"beta", "model"},
    "sketches": {"errors", "lang", "lang.read"},
    "report": BELOW | {"inputs", "proof.trusted"},  # how certificates number conditions
    "logic": set(),
    "engine": BELOW,
    "paths": BELOW | {"engine", "logic"},
    "inputs": BELOW | {"logic"},
    "exact": RUNS,
    "tester": BELOW | {"beta", "engine", "inputs"},
    "proof.trusted": BELOW | {"logic", "engine", "paths"},
    "law": RUNS | {"proof.trusted"},
    "proof.find": RUNS | {"law", "proof.trusted"},
    "proof.refute": RUNS | {"exact", "law", "proof.trusted"},
    "proof": PROOFS,
    "search": MEASURES,
    "roads": PROOFS | {"search", "lang.plain"},
    "checking": PROOFS | {"verification"},
    "verification": PROOFS,
    "pictures": PROOFS | {"report"},
    "emission": BELOW | {"lang.templates", "checking", "lang.patch", "proof", "proof.trusted"},
    "opendp": BELOW | {"checking", "emission", "report"},
    "limits": set(),
    "workers": {"early", "errors", "limits"},
    "batch": PROOFS | {"limits", "later", "__version__", "checking", "roads", "report", "sketches", "workers"},
    "editor": PROOFS | {"limits", "later", "checking", "lang.patch", "report", "roads", "workers"},
    "evaluation": PROOFS | {"search", "roads", "sketches", "report"},
    "figures": PROOFS | {"search", "roads", "sketches", "report"},
}
ROADS = {"roads", "evaluation", "figures"}  # only these name two steps
DOORS = {"__init__", "__main__", "cli", "display", "pytest_plugin"}  # they import what they need when they need it
STEPS = {"arguments", "examples", "region", "completions", "ranking"}  # of `search`; its other files are their tools

# Who may import a library that not every user needs, or that others should reach through one door.
KEEPERS = {
    "z3": {"logic/solver.py", "logic/spacer.py"},
    "cvc5": {"logic/solver.py"},
    "distributed": {"workers.py"},
    "numba": {"engine/jit.py"},
    "flint": {"exact/", "proof/refute/"},
    "click": {"cli/"},
    "rich": {"cli/", "report/", "display.py"},
    "jinja2": {"report/"},
    "pygls": {"editor/server.py"},
    "lsprotocol": {"editor/server.py"},
    "mcp": {"editor/agents.py"},
}
EXECUTORS = {
    "lang/sketch.py",
    "emission/program.py",
    "engine/jit.py",
    "nouns.py",
}  # they execute what they themselves printed, never a user's text


HANDED_OUT = ("lang/templates/runtime.py", "lang/templates/finite.py", "lang/templates/rows.py", "lang/templates/normals.py")  # copied into the programs that we write, which talk to whoever runs them
ASKERS = {"early.py", "engine/jit.py", "workers.py"}  # of the environment: one thread; where compiled programs are kept; what workers inherit


@cache
def name_of(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def room_of(parts: tuple[str, ...]) -> str:
    """The innermost room that a module, or a name in one, is in."""
    return ".".join(parts[:2]) if ".".join(parts[:2]) in MAY_IMPORT else parts[0]


@cache
def home(path: Path) -> str:
    return room_of(path.relative_to(PACKAGE).with_suffix("").parts)


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def imports(tree: ast.AST) -> Iterator[tuple[ast.stmt, str]]:
    """Every imported module or name, in full."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node, item.name) for item in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are written in full"
            yield from ((node, f"{node.module}.{item.name}") for item in node.names)


@cache
def called(node: ast.AST) -> str:
    return ast.unparse(node.func) if isinstance(node, ast.Call) else ""


TRUSTED = sorted((PACKAGE / "proof" / "trusted").rglob("*.py"))
SEARCHES = {"proof", "proof.find", "proof.refute", "law", "search", "tester", "exact", "roads"}
MOST_TRUSTED = {"trusted": 6_180, "restated": 3_700}  # lines; what a careful person can read in an afternoon does not grow by accident
TWINS = {"Private", "Epsilon", "Rho", "Mu", "Delta", "Noise", "Flip", "Geometric"}  # sketches and emitted programs have our own names in them


def modules() -> dict[str, Path]:
    dotted = {path: ".".join(("kolahal", *path.relative_to(PACKAGE).with_suffix("").parts)) for path in SOURCES}
    return {name.removesuffix(".__init__"): path for path, name in dotted.items()}


def test_nothing_that_must_be_right_rests_on_what_may_be_wrong():
    """The trusted folder, and all that it imports on the way down, know nothing of any search."""
    known = modules()
    todo, seen = [name for name in known if name.startswith("kolahal.proof.trusted")], set()
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        for _, full in imports(tree_of(known[name])):
            todo += [module for module in (full, full.rpartition(".")[0]) if module in known]
    assert len(seen) > len(TRUSTED), "it stands on the language and on logic"
    assert not {home(known[name]) for name in seen} & SEARCHES


def below(start: str) -> set[str]:
    """The rooms of a module and of all that it imports on the way down."""
    known = modules()
    todo, seen = [start], set()
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            found = [part for _, full in imports(tree_of(known[name])) for part in (full, full.rpartition(".")[0])]
            todo += [module for module in found if module in known]
    return {home(known[name]) for name in seen}


def test_the_papers_road_is_sampled_alone():
    """No integral, no law and no proof can be asked by what `--method paper` is made of."""
    rooms = below("kolahal.roads.paper")
    assert {"search", "tester", "engine"} <= rooms
    assert not {room for room in rooms if room.split(".")[0] in ("exact", "law", "proof", "logic", "paths")}
    assert {"exact", "law", "proof"} <= below("kolahal.roads.exact")


def test_the_trusted_folder_stays_small():
    for folder, most in MOST_TRUSTED.items():
        assert sum(len(path.read_text().splitlines()) for path in TRUSTED if path.parent.name == folder) <= most


def test_the_maps_name_what_is_there():
    """Every room and every trusted file is on its page, and every file and folder that the page of the house names is there."""
    house = (PACKAGE.parents[1] / "docs" / "architecture.md").read_text()
    assert {path.relative_to(PACKAGE).parts[0] for path in SOURCES} - {"__init__.py"} <= {
        name.rstrip("/").split("/")[0] for name in re.findall(r"`([\w/]+(?:/|\.py))`", house)
    }
    paths = [path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*")]
    named = set(re.findall(r"`((?:[\w]+/)+|(?:\w+/)*\w+\.py)(?=[`:])", house))
    assert len(named) > 60
    assert [name for name in named if not name.startswith("tests/") and not any(f"/{path}".endswith(f"/{name.rstrip('/')}") for path in paths)] == []
    trusted = (PACKAGE / "proof" / "trusted" / "README.md").read_text()
    assert [path.name for path in TRUSTED if path.name != "__init__.py" and f"`{path.name}`" not in trusted] == []


def test_the_walks_name_functions_that_are_there():
    """`module.function` of the page of the house: the module has something of that name."""
    known: dict[str, list[Path]] = {}
    for path in SOURCES:
        known.setdefault(path.stem, []).append(path)
    house = (PACKAGE.parents[1] / "docs" / "architecture.md").read_text()
    pairs = [(module, name) for module, name in re.findall(r"`(?:\w+/)*(\w+)\.([A-Za-z_]\w*)(?:\.\w+)?`", house) if name != "py" and module in known]
    assert len(pairs) > 20
    text = {module: "\n".join(path.read_text() for path in known[module]) for module, _ in pairs}
    assert [pair for pair in pairs if not re.search(rf"^(def|class) {pair[1]}\b", text[pair[0]], re.M)] == []


def of_each(paths):
    """A test of every path, as one: thousands of tests of a millisecond take longer to be counted than to be run."""

    def together(test):
        def run():
            for path in paths:
                try:
                    test(path)
                except AssertionError as error:
                    raise AssertionError(f"{name_of(path)}: {error}") from error

        run.__name__, run.__doc__ = test.__name__, test.__doc__
        return run

    return together


def test_no_import_goes_in_a_circle():
    known = modules()
    below: dict[str, set[str]] = {}
    for name, path in known.items():
        found = {module for _, full in imports(tree_of(path)) for module in (full, full.rpartition(".")[0])}
        below[name] = {module for module in found if module in known and module != name and module != "kolahal"}
    while free := [name for name, needs in below.items() if not needs]:
        for name in free:
            del below[name]
        below = {name: needs - set(free) for name, needs in below.items()}
    assert not below, "these modules wait for each other"


@of_each(SOURCES)
def test_modules_and_functions_have_an_end(path):
    assert len(path.read_text().splitlines()) <= 500
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno - node.lineno < 60, node.name


@of_each(SOURCES)
def test_what_a_module_keeps_to_itself_stays_there(path):
    if name_of(path) == "lang/templates/online.py":
        return  # it is copied behind the support code, and the two are one module there
    for node, full in imports(tree_of(path)):
        name = full.rpartition(".")[2]
        private = name.startswith("_") and not name.startswith("__")
        one_file = name_of(path) in HANDED_OUT and full.startswith("kolahal.lang.templates.")  # once they are handed out
        assert one_file or not private or not full.startswith("kolahal."), f"line {node.lineno}: {full}"


def types_of(tree: ast.Module) -> Iterator[str]:
    """What a module names as a type: classes, type variables, and aliases, whether or not they are annotated as such."""
    for node in tree.body:
        match node:
            case ast.ClassDef(name=name):
                yield name
            case ast.AnnAssign(target=ast.Name(id=name), annotation=ast.Name(id="TypeAlias")):
                yield name
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Subscript() | ast.BinOp() | ast.Call()) if re.fullmatch("_?[A-Z][a-z].*", name):
                yield name


def test_no_two_types_have_one_name():
    places: dict[str, list[str]] = {}
    for path in SOURCES:
        for name in types_of(tree_of(path)):
            places.setdefault(name, []).append(name_of(path))
    assert {name: where for name, where in places.items() if len(where) > 1 and name not in TWINS} == {}


# What a process keeps of what it computed: each is a function of what it is asked with, and forgetting it would only take time.
MEMOS = {
    "beta.py": {"functions"},  # SciPy's, once loaded
    "emission/program.py": {"_support", "_taken_names"},  # texts that emitted programs bring along
    "engine/jit.py": {"available"},  # whether Numba can be imported
    "engine/machine_code.py": {"_nothing", "_processor"},  # what machine code is for
    "engine/reach.py": {"_tape"},  # noise of a seed
    "exact/affine_errors.py": {"_grid"},
    "exact/counted.py": {"known_outcomes", "known_kernels"},  # all that a program can do at some arguments
    "exact/gaussian.py": {"gdp_ball"},
    "exact/laplace_sums.py": {"_tail_polynomial"},
    "inputs/regions.py": {"public_points"},
    "lang/accounting.py": {"gdp_of"},
    "lang/records/cells.py": {"_find_pieces"},  # of functions of one record
    "lang/move_sizes.py": {"move_sizes"},
    "lang/polynomial.py": {"is_at_most_one"},
    "lang/read/scopes.py": {"_support"},
    "lang/source.py": {"_split"},
    "lang/templates/__init__.py": {"read_template", "names_in"},
    "lang/templates/normals.py": {"gdp"},
    "law/linear_program.py": {"_find_front"},  # the cheapest shifts of a linear program, which many cases of a law share
    "nouns.py": {"_names"},  # of the fields of a type
    "proof/refute/questions.py": {"find_questions"},  # what is asked on the way to each answer, for whoever looks for an example and whoever believes it
    "tester/runs.py": {"cost_of_a_run"},
}


def test_what_a_process_remembers_is_known():
    """Results travel in values: a cache from which a later step takes what an earlier one left would be a wire that nobody sees."""
    found: dict[str, set[str]] = {}
    for path in SOURCES:
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.FunctionDef) and any(re.search(r"\b(lru_)?cache\b", ast.unparse(d)) for d in node.decorator_list):
                found.setdefault(name_of(path), set()).add(node.name)
    assert found == MEMOS


def test_what_make_installs_is_there():
    """Tests of what is optional for users are skipped where it is missing; here it must not be."""
    needed = ("numba", "opendp", "cvc5", "distributed", "playwright", "sympy", "pygls", "pytest_lsp", "mcp")
    assert [name for name in needed if find_spec(name) is None] == []


def test_every_module_has_a_place_in_the_picture():
    assert {home(path) for path in SOURCES} <= set(MAY_IMPORT) | DOORS


@of_each(SOURCES)
def test_imports_point_down(path):
    if home(path) in DOORS:
        return
    seen = {room_of(tuple(full.split(".")[1:])) for _, full in imports(tree_of(path)) if full.startswith("kolahal.")}
    assert seen - {home(path), "nouns"} <= MAY_IMPORT[home(path)]


@of_each(sorted((PACKAGE / "search").glob("*.py")))
def test_steps_of_the_search_do_not_know_each_other(path):
    names = [full.split(".") for _, full in imports(tree_of(path)) if full.startswith("kolahal.search.")]
    seen = {parts[2] for parts in names}
    if path.stem in STEPS:
        assert not seen & (STEPS - {path.stem})
    elif path.stem != "__init__":
        assert not seen & STEPS, "a tool does not know who uses it"


@of_each(SOURCES)
def test_libraries_come_in_through_their_door(path):
    for _, full in imports(tree_of(path)):
        library = full.split(".")[0]
        if library in KEEPERS:
            assert any(name_of(path).startswith(keeper) for keeper in KEEPERS[library]), full


@of_each([p for p in SOURCES if home(p).split(".")[0] in ("lang", "errors", "model", "settings", "sketches")])
def test_what_everyone_imports_needs_only_the_standard_library(path):
    for _, full in imports(tree_of(path)):
        assert full.split(".")[0] in sys.stdlib_module_names | {"kolahal"}, full


@of_each(SOURCES)
def test_imports_stand_at_the_top(path):
    """Except for what most commands end without, and in the doors, which load the rest only when it is asked for."""
    if home(path) in DOORS:
        return
    assert "TYPE_CHECKING" not in path.read_text()
    for function in ast.walk(tree_of(path)):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            inside = [full for _, full in imports(function) if full.startswith("kolahal.")]
            assert all(full.startswith(LATER) for full in inside), inside


@of_each(SOURCES)
def test_randomness_is_passed_in(path):
    """No global generator, no seed from the clock: a generator is made from a seed, or is the system's."""
    for node in ast.walk(tree_of(path)):
        name = called(node)
        if name.startswith("random."):
            assert name == "random.Random" or (name, name_of(path)) == ("random.SystemRandom", "lang/system_noise.py"), name
        for module in ("np.random.", "numpy.random."):
            if name.startswith(module):
                assert name.removeprefix(module) in {"Generator", "SeedSequence", "SFC64", "PCG64", "Philox"}, name
        assert not name.endswith("default_rng") or getattr(node, "args", None), "a generator without a seed"
    for _, full in imports(tree_of(path)):
        assert not (full.startswith("random.") and full not in ("random.Random", "random.SystemRandom")), full
        assert full.split(".")[0] != "secrets", full


@of_each(SOURCES)
def test_the_library_does_not_print_or_execute_or_ask_its_surroundings(path):
    for node in ast.walk(tree_of(path)):
        name = called(node)
        if home(path) not in DOORS and name_of(path) not in HANDED_OUT:
            assert name not in ("print", "input", "breakpoint", "sys.exit", "exit", "quit"), name
        if home(path) not in DOORS and name_of(path) not in ASKERS:
            assert name != "os.getenv", name
            asks = isinstance(node, ast.Attribute) and node.attr == "environ"
            assert not asks or ast.unparse(node) != "os.environ"
        assert name not in ("eval", "__import__", "os.system", "pickle.load", "pickle.loads"), name
        if name in ("exec", "compile"):
            assert name_of(path) in EXECUTORS


@of_each(SOURCES)
def test_every_module_says_what_it_is_for(path):
    tree = tree_of(path)
    assert ast.get_docstring(tree) or (path.stem == "__init__" and not tree.body)


def test_only_the_road_names_two_steps():
    for path in SOURCES:
        steps = {full.split(".")[2] for _, full in imports(tree_of(path)) if full.startswith("kolahal.search.")} & STEPS
        if home(path) not in DOORS | ROADS and path.parent.name != "search":
            assert not steps


def test_slow_tests_exist():
    """An entry that nothing bears would let a slow test back into `make test`, and one without a quick test of its kind hides it."""
    tests = Path(__file__).parent
    for entry in (tests / "slow.txt").read_text(encoding="utf-8").splitlines()[1:]:
        file, _, rest = entry.partition("::")
        assert f"def {rest.partition('[')[0]}(" in (tests.parent / file).read_text(encoding="utf-8"), entry
