"""The check and a real Slurm about the same scripts: an error exactly where sbatch refuses."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from mlhpc import lint
from mlhpc.cluster import Cluster
from mlhpc.slurm.box import Box

from .generate_scripts import FINE, WRONG, scripts

COUNT = int(os.environ.get("MLHPC_LINT_SCRIPTS", "200"))
SEED = int(os.environ.get("MLHPC_LINT_SEED", "1"))
CORPUS = Path(__file__).parent / "corpus.txt"
# what the check cannot know, with the reason; a script with it may disagree
KNOWN = {"--contiguous": "which nodes stand side by side is in no cluster file"}


def errors(text: str, cluster: Cluster) -> list[lint.Finding]:
    return [finding for finding in lint.check(text, cluster) if finding.severity == "error"]


def test_generated_scripts_are_refused_by_both_or_by_none(
    box: Box, box_cluster: Cluster, capsys: pytest.CaptureFixture[str]
) -> None:
    refused, excused, wrong = 0, [], []
    for text in scripts(COUNT, SEED):
        asked = box.test_only(text)
        found = errors(text, box_cluster)
        refused += not asked.accepted
        if bool(found) == asked.accepted:
            reasons = [why for word, why in KNOWN.items() if word in text]
            (excused if reasons else wrong).append((text, asked.message, found, reasons))
    agreed = COUNT - len(wrong) - len(excused)
    with capsys.disabled():  # the rate is of interest also where all is well
        print(f"\nlint and sbatch agree on {agreed} of {COUNT} scripts; {refused} are refused")
        for text, message, _, reasons in excused:
            print(f"they differ, since {reasons[0]}:\n{text}{message}\n")
    assert refused >= 0.4 * COUNT
    assert len(excused) <= 0.005 * COUNT + 1
    assert not wrong, "\n".join(f"{text}sbatch: {said}\nlint: {f}" for text, said, f, _ in wrong)


def test_the_generated_scripts_hold_every_option_by_every_class_of_value() -> None:
    text = "".join(scripts(2000, SEED))
    for name in {*FINE, *WRONG}:
        assert f"--{name}" in text, name


def cases() -> Iterator[tuple[str, str]]:
    """Directives by hand, with what Slurm says of them: 'ok' or 'no', then the directives."""
    for line in CORPUS.read_text().splitlines():
        if line and not line.startswith("#"):
            verdict, _, directives = line.partition(" ")
            yield verdict, directives


@pytest.mark.parametrize(("verdict", "directives"), list(cases()))
def test_directives_written_by_hand(
    box: Box, box_cluster: Cluster, verdict: str, directives: str
) -> None:
    lines = directives.encode().decode("unicode_escape")
    text = f"#!/bin/bash\n#SBATCH{lines}\nhostname\n"
    asked = box.test_only(text)
    assert asked.accepted == (verdict == "ok"), asked.message  # the table is as Slurm says
    assert bool(errors(text, box_cluster)) != asked.accepted, asked.message


@pytest.mark.parametrize(
    ("text", "accepted"),
    [
        ("echo nothing\n", False),
        ("", False),
        ("\n#!/bin/bash\necho\n", False),
        (" #!/bin/bash\necho\n", False),
        ("#! /bin/bash\n", True),
        ("#!/nowhere/x\necho\n", True),
        ("#!/bin/bash", True),
        ("#!/bin/bash\r\necho\r\n", False),
        ("#!/bin/bash\necho a\necho b\r\n", False),
        ("#!/bin/bash\necho 'a\rb'\n", True),
        ("#!/bin/bash\necho x\n#SBATCH --partition=nowhere\n", True),
        ("#!/bin/bash\n# SBATCH --partition=nowhere\n", True),
        ("#!/bin/bash\n #SBATCH --partition=nowhere\n", True),
        ("#!/bin/bash\n##SBATCH --partition=nowhere\n", True),
        ("#!/bin/bash\n#sbatch --partition=nowhere\n", True),
        ("#!/bin/bash\n#SLURM --partition=nowhere\n", False),
        ("#!/bin/bash\n#SBATCH--partition=nowhere\n", False),
        ("#!/bin/bash\n#SBATCHES\n", False),
        ("#!/bin/bash\n#SBATCH\n", True),
        ("#!/bin/bash\n#SBATCH -p\n#SBATCH gpu\n", True),
        ("#!/bin/bash\n\n  \n# hi\n#SBATCH --partition=nowhere\n", False),
        ("#!/usr/bin/env python3\n#SBATCH --partition=nowhere\nprint(1)\n", False),
    ],
)
def test_scripts_that_are_odd_as_a_whole(
    box: Box, box_cluster: Cluster, text: str, accepted: bool
) -> None:
    asked = box.test_only(text)
    assert asked.accepted == accepted, asked.message
    assert bool(errors(text, box_cluster)) != accepted
