"""The claims: what the lesson says that is neither a fact of the cluster nor a measurement.

``ledger`` reads and validates ``claims.toml``; ``derivations`` computes what can be computed, over
the values that ``derive`` hands out; ``scan`` finds where pages print a claim; ``verify`` says what
does not hold together.
"""

from mlhpc.claims.claim import KINDS, VERDICTS, Claim
from mlhpc.claims.ledger import Ledger, load
from mlhpc.claims.scan import Use, uses
from mlhpc.claims.verify import Problem, check

__all__ = ["KINDS", "VERDICTS", "Claim", "Ledger", "Problem", "Use", "check", "load", "uses"]
