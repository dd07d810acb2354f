"""From a project and a cluster to a plan: where to run, what to ask for, and why.

>>> from mlhpc import cluster
>>> made = plan(read({"model": "ResNet-50", "data-size": "1 TB"}), cluster.load("sagehen"))
>>> made.place, made.full.gpu, made.storage.raw
('gpu', 'l40s', 'bigdata')

``project`` is what is known of the work and ``reading`` reads it; ``families.toml`` holds the
models, ``rules.toml`` the rules of the lesson with the claims of their figures. ``decide`` puts
together what ``place``, ``gpus``, ``memory``, ``timing``, ``arrays``, ``storage``, ``requests``
and ``ondemand`` decide, each with its reasons, on one ``desk``; ``capacity`` reads the cluster.
"""

from mlhpc.plan.decide import plan
from mlhpc.plan.project import Project, specs
from mlhpc.plan.reading import from_mapping, read
from mlhpc.plan.rules import Reason, Rule, Rules
from mlhpc.plan.rules import load as rules
from mlhpc.plan.values import Array, Plan, Request, Storage, Unknown

__all__ = [
    "Array",
    "Plan",
    "Project",
    "Reason",
    "Request",
    "Rule",
    "Rules",
    "Storage",
    "Unknown",
    "from_mapping",
    "plan",
    "read",
    "rules",
    "specs",
]
