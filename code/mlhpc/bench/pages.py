"""Job script and short page beside each program; ``python -m mlhpc.bench.pages`` writes them.

Both say what the catalogue says: a test compares them with it.
"""

import ast
import sys
from pathlib import Path

from mlhpc import cluster as clusters
from mlhpc import content
from mlhpc.bench import catalogue, script
from mlhpc.bench.catalogue import Program
from mlhpc.cluster import Cluster
from mlhpc.errors import InputError

PRESET = "publish"
GPUS = 4  # at most, of a node whose number nobody has said


def target(program: Program, cluster: Cluster) -> script.Target:
    """What the script beside a program is for: the first GPU type where it uses one."""
    if program.device == "cpu" or not cluster.gpus:
        return script.Target(script.CPU)
    gpu = next(iter(cluster.gpus))
    return script.Target(gpu, script.gpus_of(program, cluster, gpu, GPUS))


def page(program: Program) -> str:
    """The page: title, what the program's own head says, how to run it."""
    text = program.path.read_text(encoding="utf-8")
    head = (ast.get_docstring(ast.parse(text)) or "").strip()
    lines = [
        f"# {program.title}",
        "",
        head,
        "",
        "```console",
        f"mlhpc bench run {program.name} --preset smoke     # does it work? seconds",
        f"mlhpc bench run {program.name}                    # a minute or some",
        f"mlhpc bench run {program.name} --preset publish   # as for the lesson's figures",
        f"sbatch code/jobs/{program.name}/job.sh",
        "```",
        "",
        f"It needs {', '.join(program.packages)}: `pip install 'mlhpc[jobs-cpu]'`, or `jobs-gpu`.",
        f"Records: {', '.join(f'`{name}`' for name in program.benchmarks)}.",
    ]
    return "\n".join(lines) + "\n"


def files(lesson: content.Lesson, cluster: Cluster) -> dict[Path, str]:
    """Every such file of the checkout with its text."""
    found = {}
    for program in catalogue.load(lesson).values():
        if not program.name.startswith(catalogue.EXAMPLE):
            folder = program.path.parent
            text = script.render(program, target(program, cluster), PRESET, cluster)
            found[folder / "job.sh"] = text
            found[folder / "README.md"] = page(program)
    return found


def main() -> int:
    """Write what differs."""
    try:
        changed = [
            content.write_atomic(path, text)
            for path, text in files(content.find(), clusters.load("sagehen")).items()
        ]
    except InputError as error:
        print(f"mlhpc: {error}", file=sys.stderr)
        return error.exit_code
    print(f"{sum(changed)} of {len(changed)} files changed", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
