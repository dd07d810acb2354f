"""Computing a claim: the registry of derivations, and the values that they may ask for."""

from collections.abc import Callable
from typing import Any

from mlhpc.claims.claim import Claim
from mlhpc.claims.form import near
from mlhpc.claims.ledger import Ledger
from mlhpc.cluster import Cluster, Fact
from mlhpc.errors import InputError

Span = tuple[float, float]
Derivation = Callable[["Facts"], float | Span]

REGISTRY: dict[str, Derivation] = {}


def derivation(function: Derivation) -> Derivation:
    """Register a function under its name, by which a claim's ``check`` calls it."""
    name = getattr(function, "__name__", "")
    if name in REGISTRY:
        raise ValueError(f"two derivations are named {name}")
    REGISTRY[name] = function
    return function


class Facts:
    """What derivations ask for: values of other claims, exact where those are computed too.

    ``inputs`` says which claims each computed one asked for. Every lookup raises InputError for
    what is not there, and for claims that depend on themselves.
    """

    def __init__(self, ledger: Ledger, cluster: Cluster) -> None:
        self._ledger, self._cluster = ledger, cluster
        self._computed: dict[str, Span] = {}
        self._open: list[str] = []
        self.inputs: dict[str, list[str]] = {}

    def __getitem__(self, claim_id: str) -> float:
        """The one number of a claim."""
        low, high = self.range(claim_id)
        if low != high:
            raise self._error(f"'{claim_id}' is a range; ask for its range")
        return low

    def range(self, claim_id: str) -> Span:
        """Both ends of a claim's value, equal for a single number."""
        if self._open:
            self.inputs[self._open[-1]].append(claim_id)
        return self.computed(claim_id) if self._ledger[claim_id].check else self._read(claim_id)

    def cluster(self, path: str) -> float:
        """A number of the cluster file."""
        value = self._cluster.fact(path).value
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self._error(f"the cluster fact '{path}' is no number: {value}")
        return float(value)

    def of_cluster(self, path: str) -> Fact:
        """A fact of the cluster file, whole."""
        return self._cluster.fact(path)

    def shown(self, claim_id: str) -> str:
        """A claim as a page prints it."""
        return self._ledger[claim_id].shown()

    def computed(self, claim_id: str) -> Span:
        """A claim computed by its ``check``, not rounded."""
        if claim_id in self._open:
            chain = " -> ".join([*self._open, claim_id])
            raise self._error(f"claims depend on themselves: {chain}")
        if claim_id not in self._computed:
            function = self._function(self._ledger[claim_id])
            self._open.append(claim_id)
            self.inputs[claim_id] = []
            try:
                self._computed[claim_id] = _span(function(self))
            finally:
                self._open.pop()
        return self._computed[claim_id]

    def _read(self, claim_id: str) -> Span:
        claim = self._ledger[claim_id]
        if claim.low is None or claim.high is None:
            raise self._error(f"'{claim_id}' has no value to compute with")
        return float(claim.low), float(claim.high)

    def _function(self, claim: Claim) -> Derivation:
        if claim.check not in REGISTRY:
            choices = ", ".join(near(claim.check, REGISTRY))
            raise InputError(
                f"{self._ledger.origin}: claim '{claim.id}': check = '{claim.check}': "
                f"no such derivation; valid choices: {choices}"
            )
        return REGISTRY[claim.check]

    def _error(self, what: str) -> InputError:
        asking = f"claim '{self._open[-1]}': " if self._open else ""
        return InputError(f"{self._ledger.origin}: {asking}{what}")


def ratio(top: Any, bottom: Any) -> Span:
    """A range divided by a range: the smallest and the largest result."""
    (low, high), (least, most) = _span(top), _span(bottom)
    return low / most, high / least


def _span(value: Any) -> Span:
    return (float(value[0]), float(value[1])) if isinstance(value, tuple) else (value, value)
