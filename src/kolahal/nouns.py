"""Data classes whose methods are made when they are first needed.

`dataclasses.dataclass` compiles six methods of every class when it is defined, which takes half a millisecond; a command
loads three hundred classes and calls few of their methods. Here fields, slots and matching are its work still, and the
methods are these, which do the same: `tests/test_nouns.py` compares them with Python's own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, field, fields
from dataclasses import dataclass as declare
from functools import cache, wraps
from operator import attrgetter
from typing import Any, NoReturn, TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(field_specifiers=(field, Field))
def dataclass(
    *, frozen: bool = False, slots: bool = False, eq: bool = True, kw_only: bool = False
) -> Callable[[type[T]], type[T]]:
    """As `dataclasses.dataclass` does; what is frozen has a hash unless `eq` is false."""

    def finish(cls: type[T]) -> type[T]:
        own = set(cls.__dict__)
        if cls.__doc__ is None:
            cls.__doc__ = f"{cls.__name__}: a value of named parts."  # else its signature is looked for, which takes as long again
        made = declare(init=False, repr=False, eq=False, slots=slots, kw_only=kw_only)(cls)
        parts = fields(made)  # type: ignore[arg-type]
        methods: dict[str, Any] = {"__repr__": _representation([f.name for f in parts if f.repr])} if "__repr__" not in own else {}
        if eq:
            compared = _values([f.name for f in parts if f.compare])
            if "__eq__" not in own:
                methods["__eq__"] = _equality(compared)
            if "__hash__" not in own or ("__eq__" in own and made.__dict__["__hash__"] is None):
                hashed = _values([f.name for f in parts if (f.compare if f.hash is None else f.hash)])
                methods["__hash__"] = _hash(hashed) if frozen else None
        if frozen:
            methods |= {"__setattr__": _refuse_to_set, "__delattr__": _refuse_to_delete}
            if slots:
                methods |= {name: way for name, way in _PICKLING.items() if name not in own}
        for name, method in methods.items():
            setattr(made, name, method)
        _promise_init(made, parts, frozen, slots)
        return made

    return finish


def remembered(most: int) -> Callable[[Callable[..., T]], Callable[..., T]]:
    """What a function gave for the very same values, of which it keeps so many; they never change, and know no quick hash."""

    def decorate(function: Callable[..., T]) -> Callable[..., T]:
        known: dict[tuple[int, ...], tuple[tuple[Any, ...], T]] = {}  # by their addresses

        @wraps(function)
        def recall(*values: Any) -> T:
            found = known.get(key := tuple(map(id, values)))
            if found is None:
                if len(known) >= most:
                    known.clear()
                found = known[key] = values, function(*values)  # which keeps the values, and so their addresses
            return found[1]

        return recall

    return decorate


# ---------------------------------------------------------------- being made


def _promise_init(cls: type[Any], parts: tuple[Field[Any], ...], frozen: bool, slots: bool) -> None:
    """An `__init__` that makes the real one when it is called."""

    def __init__(self: Any, *values: Any, **named: Any) -> None:
        cls.__init__ = _init(cls, parts, frozen, slots)
        cls.__init__(self, *values, **named)

    cls.__init__ = __init__


def _init(cls: type[Any], parts: tuple[Field[Any], ...], frozen: bool, slots: bool) -> Any:
    """What `dataclasses` would compile; slots are set directly, which is the fastest way past `__setattr__`."""
    known: dict[str, Any] = {"MISSING": MISSING, "SET": object.__setattr__}
    given, lines = ["self"], list[str]()
    for part in sorted(parts, key=lambda part: bool(part.kw_only)):
        if part.kw_only and "*" not in given:
            given.append("*")
        name, value = part.name, part.name
        if part.default is not MISSING:
            known[f"default_{name}"] = part.default
            given += [f"{name}=default_{name}"] if part.init else []
            value = name if part.init else f"default_{name}"
        elif part.default_factory is not MISSING:
            known[f"make_{name}"] = part.default_factory
            given += [f"{name}=MISSING"] if part.init else []
            value = f"make_{name}() if {name} is MISSING else {name}" if part.init else f"make_{name}()"
        elif part.init:
            given.append(name)
        else:
            continue  # set by whoever made it so
        if slots:
            known[f"set_{name}"] = getattr(cls, name).__set__
            lines.append(f"set_{name}(self, {value})")
        else:
            lines.append(f"SET(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
    lines += ["self.__post_init__()"] if hasattr(cls, "__post_init__") else []
    exec(f"def __init__({', '.join(given)}):\n " + "\n ".join(lines or ["pass"]), known)
    init = known["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    return init


# ---------------------------------------------------------------- what values are asked


def _values(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    """The values of some fields, as a tuple."""
    if len(names) > 1:
        return attrgetter(*names)
    if not names:
        return lambda noun: ()
    only = attrgetter(names[0])
    return lambda noun: (only(noun),)


def _equality(values: Callable[[Any], tuple[Any, ...]]) -> Callable[[Any, Any], bool]:
    def __eq__(self: Any, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return values(self) == values(other)

    return __eq__


def _hash(values: Callable[[Any], tuple[Any, ...]]) -> Callable[[Any], int]:
    def __hash__(self: Any) -> int:
        return hash(values(self))

    return __hash__


def _representation(names: list[str]) -> Callable[[Any], str]:
    def __repr__(self: Any) -> str:
        shown = (f"{name}={getattr(self, name)!r}" for name in names)
        return f"{self.__class__.__qualname__}({', '.join(shown)})"

    return __repr__


def _refuse_to_set(self: Any, name: str, value: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: Any, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


@cache
def _names(noun: type) -> tuple[str, ...]:
    return tuple(f.name for f in fields(noun))


def _state(self: Any) -> list[Any]:
    return [getattr(self, name) for name in _names(self.__class__)]


def _restore(self: Any, state: list[Any]) -> None:
    for name, value in zip(_names(self.__class__), state, strict=True):
        object.__setattr__(self, name, value)


_PICKLING = {"__getstate__": _state, "__setstate__": _restore}
