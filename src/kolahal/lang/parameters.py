"""The parameters of a program: what is private, which budget it claims, and its public arguments."""

from __future__ import annotations

from enum import Enum
from fractions import Fraction

from kolahal.lang.pretty import print_number
from kolahal.lang.records.table import Table
from kolahal.nouns import dataclass


class Role(Enum):
    PRIVATE = "Private"
    EPSILON = "Epsilon"
    RHO = "Rho"
    MU = "Mu"
    DELTA = "Delta"
    ARGUMENT = "argument"


class Variant(Enum):
    """What a program claims; the value is how results name it. Everything that assumes one of them must ask."""

    PURE = "eps"
    ZCDP = "rho"
    GDP = "mu"
    APPROXIMATE = "eps,delta"

    @property
    def words(self) -> str:
        return {"eps": "ε-DP", "rho": "ρ-zCDP", "mu": "μ-GDP"}.get(self.value, "(ε, δ)-DP")

    @property
    def symbol(self) -> str:
        return {"rho": "ρ", "mu": "μ"}.get(self.value, "ε")


BUDGETS = {Role.EPSILON: Variant.PURE, Role.RHO: Variant.ZCDP, Role.MU: Variant.GDP}


NO_BELLS = "declare rho: Rho, mu: Mu, or delta: Delta beside eps"


class Type(Enum):
    """The declared type of a parameter."""

    VECTOR = "list"
    INT = "int"
    FLOAT = "float"
    BOOL = "bool"


@dataclass(frozen=True, slots=True)
class Parameter:
    """`whole`, `bits` (then they are whole, too) and `count` are for the private one: what its answers are, and how many."""

    name: str
    role: Role
    type: Type
    default: Fraction | bool | None = None
    whole: bool = False
    count: int | None = None
    table: Table | None = None  # where the answers are aggregates of records
    bits: bool = False
    usual: Fraction | bool | None = None  # the value of an argument of aggregates at which examples look at records
    counts: bool = False  # whether an argument is the number of aggregates: programs see it as the length of their list

    @property
    def length_name(self) -> str:
        """What scales call the number of private answers: the argument that says how many aggregates there are, if one does."""
        bins = self.table.bins if self.table is not None else None
        return f"len({self.name})" if bins is None or bins.size.isdigit() else bins.size

    @property
    def called(self) -> str:
        """The name that a caller knows."""
        return self.name if self.table is None else self.table.rows

    def __str__(self) -> str:
        if self.table is not None:
            return f"{self.table.rows}: {self.table.row}"
        kind = self.role.value if self.role is not Role.ARGUMENT else self.type.value
        declared = [*(["bool"] if self.bits else ["int"] if self.whole else []), *([str(self.count)] if self.count is not None else [])]
        if declared:
            kind += f"[{', '.join(declared)}]"
        if self.default is None:
            return f"{self.name}: {kind}"
        shown = print_number(self.default) if isinstance(self.default, Fraction) else str(self.default)
        return f"{self.name}: {kind} = {shown}"
