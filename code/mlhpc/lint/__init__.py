"""A job script beside the cluster file: what Slurm would refuse, and what you would regret.

>>> from mlhpc import cluster
>>> found = check("#!/bin/bash\\n#SBATCH --partition=gpuu\\n", cluster.load("sagehen"))
>>> found[0].rule, found[0].severity, found[0].fix
('partition', 'error', '#SBATCH --partition=gpu')

Errors are what ``sbatch`` refuses, as far as the cluster file knows it; where it does not know, a
note says which command tells. Warnings are what Slurm takes and the writer regrets. ``RULES``
describes each rule, with a bad and a good example.

``reading`` takes a script apart as sbatch does, by the table in ``options``; ``values`` reads what
the options are given; ``request`` puts them together; ``resources`` holds that against the cluster
(``shapes``, ``constraint``); ``text``, ``habits`` and ``body`` (``commands``) find the rest.
"""

from pathlib import Path

from mlhpc.cluster import Cluster
from mlhpc.lint import body, habits, reading, request, resources, text
from mlhpc.lint.findings import SEVERITIES, Finding, in_order
from mlhpc.lint.markdown import Block, scripts
from mlhpc.lint.rules import Rule, rules

__all__ = ["SEVERITIES", "Block", "Finding", "Rule", "check", "rules", "scripts"]


def check(script_text: str, cluster: Cluster, folder: Path | None = None) -> tuple[Finding, ...]:
    """The findings on a script, by line. ``folder`` is where it would be submitted: with it, the
    folders of logs are looked for."""
    script = reading.read(script_text)
    asked = request.of(script)
    found = [*text.before_all(script_text), *script.findings]
    if script.parts == 1:
        found += resources.check(script, asked, cluster)
        found += habits.check(script, asked, cluster, folder)
        found += body.check(script, asked, cluster)
    else:
        message = "a job of several parts (hetjob): only its words are checked"
        found.append(Finding(1, 1, "several-parts", "note", message))
    found += [*resources.unchecked(script), *text.directives(script)]
    return in_order(found)
