"""What can be computed: one function a claim, named by the claim's ``check``.

Each takes a ``Facts`` and returns the value in the unit of its claim, a pair for a range. No
figure stands here: inputs are other claims and facts of the cluster.
"""

from mlhpc.claims.derivations import hardware, imagenet, projects, search, speedup, timetable
from mlhpc.claims.derive import REGISTRY

__all__ = ["REGISTRY", "hardware", "imagenet", "projects", "search", "speedup", "timetable"]
