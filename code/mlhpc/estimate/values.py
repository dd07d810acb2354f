"""What an estimate is: a range with its method and that method's known error."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Estimate:
    """A range, never a single number.

    ``known_error`` says how far the method has been from measurements, in words; ``source`` where
    the method or its constants come from; ``notes`` what the range does not hold.
    """

    low: float
    likely: float
    high: float
    unit: str
    method: str
    known_error: str
    source: str = ""
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a range that is upside down: a defect of the method, not of the input."""
        if not self.low <= self.likely <= self.high:
            raise ValueError(f"no range: {self.low}, {self.likely}, {self.high} {self.unit}")

    def times(self, factor: float, unit: str = "") -> "Estimate":
        """The same in another amount or unit; ``factor`` is not negative."""
        values = {**asdict(self), "unit": unit or self.unit, "notes": self.notes}
        for name in ("low", "likely", "high"):
            values[name] *= factor
        return Estimate(**values)

    def document(self) -> dict[str, object]:
        """For JSON."""
        return {**asdict(self), "notes": list(self.notes)}


def total(
    parts: Iterable[Estimate], known_error: str, method: str = "sum of the parts"
) -> Estimate:
    """The sum of estimates of one unit."""
    parts = list(parts)
    low, likely, high = (
        sum(getattr(one, end) for one in parts) for end in ("low", "likely", "high")
    )
    return Estimate(low, likely, high, parts[0].unit, method, known_error)
