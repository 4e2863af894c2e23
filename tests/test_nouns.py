"""Data classes whose methods are made when they are needed do what Python's own do."""

import copy
import dataclasses
import importlib
import inspect
import pickle
import pkgutil
from collections.abc import Iterator
from dataclasses import MISSING, field, fields, replace
from typing import Any, ClassVar, Generic, TypeVar

import pytest

import kolahal
from kolahal import nouns

T = TypeVar("T")


def nouns_of(dataclass: Any) -> dict[str, type]:
    @dataclass(frozen=True, slots=True)
    class Point:
        x: int
        y: int = 2
        rest: tuple = field(default=(), compare=False)
        known: ClassVar[int] = 5

    @dataclass(frozen=True, slots=True)
    class Named(Point):
        name: str = ""
        made: list = field(default_factory=list, init=False, repr=False, compare=False)

        def __post_init__(self):
            object.__setattr__(self, "name", self.name or "nobody")

    @dataclass(frozen=True, slots=True, kw_only=True)
    class Placed:
        place: int = field(default=0, compare=False)

    @dataclass(frozen=True, slots=True)
    class One(Placed, Generic[T]):
        value: T

    @dataclass(frozen=True, slots=True)
    class Nothing:
        pass

    @dataclass(slots=True)
    class Loose:
        items: list = field(default_factory=list)
        size: int = field(default=1, hash=False)

    @dataclass(frozen=True)
    class Open:
        a: int
        b: float = 1.5

        def __eq__(self, other: object) -> bool:
            return True

    @dataclass(frozen=True)
    class Own:
        a: int

        def __hash__(self) -> int:
            return 7

        def __repr__(self) -> str:
            return "own"

    @dataclass(frozen=True, slots=True, eq=False)
    class Apart:
        a: int

    @dataclass(eq=False)
    class Failure(ValueError):
        words: str

    return {name: made for name, made in locals().items() if isinstance(made, type)}


def attempts(of: dict[str, type]) -> Iterator[Any]:
    """What may be asked of the classes."""
    Point, Named, One, Loose, Open, Own, Apart = (of[n] for n in ("Point", "Named", "One", "Loose", "Open", "Own", "Apart"))
    yield lambda: (Point(1), Point(1, 3), Point(1, y=4, rest=(1,)), Named(1), Named(1, name="a"), of["Nothing"](), Open(1))
    yield lambda: [getattr(Point(1, 2, (3,)), part) for part in ("x", "y", "rest", "known")]
    yield lambda: (One(3), One(value=3, place=9), One(3, place=9).place, One(3) == One(3, place=9), hash(One(3)))
    yield lambda: One(3, 4)
    yield lambda: (Point(1) == Point(1, 2, (5,)), Point(1) == Point(2), Point(1) == Named(1), Named(1) == Named(1), Point(1) == 1)
    yield lambda: (hash(Point(1)), hash(of["Nothing"]()), hash(Named(1)), {Named(1), Named(1)} == {Named(1)})
    yield lambda: (replace(Named(1), x=7, name="b"), replace(One(3, place=2), value=4).place)
    yield lambda: replace(Named(1), made=[])
    yield lambda: setattr(Named(1), "name", "")
    yield lambda: delattr(Named(1), "x")
    yield lambda: setattr(Open(1), "a", 2)
    yield lambda: (copy.copy(Point(4)), copy.deepcopy(Loose([1])), copy.deepcopy(Named(1)))
    yield lambda: (Loose().items is Loose().items, Loose([2]), Loose([2]) == Loose([2], 1), Loose.__hash__)
    yield lambda: hash(Loose())
    yield lambda: (Open(1) == 5, hash(Open(1)), Open(1).b, hash(Own(1)), Own(1), Own(1) == Own(1), Own(1) == Own(2))
    yield lambda: (Apart(1) == Apart(1), hash(Apart(1)) == hash(Apart(1)), Apart(1).a)
    yield lambda: [(part.name, part.init, part.kw_only) for part in fields(Named)]
    yield lambda: (Named.__match_args__, One.__match_args__, Named.__slots__, Named.__qualname__)
    yield lambda: super(Named, Named(1)).__repr__()
    yield lambda: str(of["Failure"]("no"))
    yield lambda: float("nan") == float("nan") or (One(n := float("nan")) == One(n), One(float("nan")) == One(float("nan")))


def said(work: Any) -> str:
    try:
        return repr(work())
    except Exception as error:
        return type(error).__name__


def test_they_answer_as_pythons_own():
    ours, own = nouns_of(nouns.dataclass), nouns_of(dataclasses.dataclass)
    for _ in range(2):  # when methods are made, and afterwards
        for one, other in zip(attempts(ours), attempts(own), strict=True):
            assert said(one) == said(other)


def all_nouns() -> list[type]:
    """The data classes of the package."""
    found: dict[str, type] = {}
    for module in pkgutil.walk_packages(kolahal.__path__, "kolahal."):
        if "templates" not in module.name and not module.name.endswith(("__main__", "editor.server", "editor.agents", "pytest_plugin")):
            for made in vars(importlib.import_module(module.name)).values():
                ours = isinstance(made, type) and made.__module__.startswith("kolahal") and "__dataclass_fields__" in vars(made)
                if ours and not inspect.isabstract(made):
                    found[f"{made.__module__}.{made.__qualname__}"] = made
    return list(found.values())


def test_every_noun_is_made_as_python_would_make_it():
    """Its parameters, which of them have defaults and which are named only."""
    made = all_nouns()
    assert len(made) > 300
    for noun in made:
        given = [part for part in fields(noun) if part.init]  # type: ignore[arg-type]
        given.sort(key=lambda part: part.kw_only)
        parts, parameters = {part.name: part for part in given}, dict(inspect.signature(init_of(noun)).parameters)
        assert list(parameters) == ["self", *parts], noun
        for name, parameter in parameters.items():
            if name != "self":
                optional = parts[name].default is not MISSING or parts[name].default_factory is not MISSING
                assert (parameter.default is not inspect.Parameter.empty) == optional, (noun, name)
                assert (parameter.kind is inspect.Parameter.KEYWORD_ONLY) == parts[name].kw_only, (noun, name)


def init_of(noun: type) -> Any:
    with pytest.raises(TypeError):
        noun(*range(1000))  # too many: no such object is made, but its method is
    return vars(noun)["__init__"]


def test_they_go_to_other_processes_and_back():
    from kolahal.lang.ir import Const, Var
    from kolahal.lang.scale import parse_scale

    for noun in (Const(True), Var("x"), parse_scale("2/eps")):
        assert pickle.loads(pickle.dumps(noun)) == noun
