"""One claim, and how its value is printed."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

KINDS = ("derived", "hardware", "measurable", "policy", "judgement", "given")
VERDICTS = (
    "holds",
    "holds if",
    "corrected",
    "not measured here",
    "stated by the centre",
    "judgement",
    "retired",
)
# printed right after the number, without a space
TIGHT_UNITS = ("×", "%")


@dataclass(frozen=True)
class Claim:
    """One statement of the lesson, its value and its evidence; absent texts are empty.

    A value is ``low`` and ``high``, the same for a single number, both None where the claim is
    words only. They are decimal, so that they print as they were written. The fields are
    described at the head of ``claims.toml``.
    """

    id: str
    text: str
    kind: str
    verdict: str
    rows: tuple[str, ...] = ()
    low: Decimal | None = None
    high: Decimal | None = None
    unit: str = ""
    prefix: str = ""
    digits: int | None = None
    condition: str = ""
    was: str = ""
    why: str = ""
    check: str = ""
    cluster: str = ""
    machine: str = ""
    source: str = ""
    checked: str = ""
    record: Mapping[str, object] | None = None

    @property
    def numbers(self) -> tuple[Decimal, ...]:
        """The printed numbers: none, one, or the two ends of a range."""
        if self.low is None or self.high is None:
            return ()
        return (self.low,) if self.low == self.high else (self.low, self.high)

    def decimals(self, number: Decimal) -> int:
        """To how many decimals a number of this claim is printed; -1 is to the nearest ten."""
        if self.digits is not None:
            return self.digits
        exponent = number.as_tuple().exponent
        return -exponent if isinstance(exponent, int) else 0

    def shown(self, unit: bool = True) -> str:
        """The value as a page prints it: '42 days', '16–23×', 'about 25 hours'; '' without one.

        A claim that is a fact of the cluster holds no value of its own: print the fact instead.
        """
        if not self.numbers:
            return ""
        number = "–".join(f"{number:,}" for number in self.numbers)
        if not unit:
            return number
        space = "" if self.unit in TIGHT_UNITS or not self.unit else " "
        return f"{self.prefix} {number}{space}{self.unit}".strip()

    def document(self) -> dict[str, object]:
        """The claim for programs: what is absent is left out, numbers are numbers."""
        named: dict[str, object] = {
            "id": self.id,
            "kind": self.kind,
            "verdict": self.verdict,
            "text": self.text,
            "rows": list(self.rows),
            "shown": self.shown(),
            **self._value(),
        }
        for name in ("unit", "condition", "was", "why", "check", "cluster", "machine", "source"):
            named[name] = getattr(self, name)
        named["checked"] = self.checked
        return {name: value for name, value in named.items() if value not in ("", [], None)}

    def _value(self) -> dict[str, object]:
        names = ("value",) if len(self.numbers) == 1 else ("low", "high")
        return {
            name: int(number) if number == number.to_integral_value() else float(number)
            for name, number in zip(names, self.numbers, strict=False)
        }
