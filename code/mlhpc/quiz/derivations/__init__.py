"""What the answers are worked out by: one named function each, over numbers, cluster and claims.

Each takes the World and the question's numbers, and returns the key of the right option, the keys
of all right ones, a number in the question's unit, the keys in order, or what a script must hold.
No figure stands here.
"""

from mlhpc.quiz.derivations import arithmetic, facts, projects
from mlhpc.quiz.derivations.base import REGISTRY, NotAsked, amount

__all__ = ["REGISTRY", "NotAsked", "amount", "arithmetic", "facts", "projects"]
