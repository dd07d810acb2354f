"""``mlhpc detect``: what this process may use, and without a GPU, why and what to do."""

import argparse
import textwrap

from mlhpc.cli import Answer
from mlhpc.detect import Amount, Framework, Gpu, Problem, Report, detect

HELP = "what this process may use: cores, memory, GPUs, and why not"
WIDTH = 79
LABEL_WIDTH = 9
PLACES = {
    "laptop": "a machine of your own",
    "login": "a login node",
    "job": "a job",
    "ondemand": "an Open OnDemand session",
    "unknown": "unknown",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """``--require-gpu`` and ``--frameworks``."""
    parser.add_argument(
        "--require-gpu",
        action="store_true",
        help="exit 1 unless a GPU is usable (with --frameworks: by one of them, too)",
    )
    parser.add_argument(
        "--frameworks",
        action="store_true",
        help="also start each installed framework (torch, tensorflow, jax, xgboost, lightgbm, "
        "cupy) in a child process and ask it for the GPU; takes seconds",
    )


def run(args: argparse.Namespace) -> Answer:
    """Detect, and answer 1 where a GPU was required and none is known to be usable."""
    report = detect(with_frameworks=args.frameworks)
    missing = args.require_gpu and not has_gpu(report)
    return Answer(report.document(), text(report), 1 if missing else 0)


def has_gpu(report: Report) -> bool:
    """Whether a GPU is usable, and by a framework where frameworks were asked."""
    seen = any(framework.sees_gpu for framework in report.frameworks)
    return report.gpu_status == "ok" and (seen or not report.frameworks)


def text(report: Report) -> str:
    """The report for people: a label and what it is a line, then each problem with its fix."""
    rows = [
        ("Where", _where(report)),
        ("Cores", _amount(report.cpus, "")),
        ("Memory", _amount(report.memory_gib, " GiB")),
        *_gpus(report),
        *(_framework(framework) for framework in report.frameworks if framework.version),
    ]
    if report.frameworks and not any(framework.version for framework in report.frameworks):
        names = ", ".join(framework.name for framework in report.frameworks)
        rows.append(("Software", f"none of {names} is installed beside mlhpc"))
    lines = [_row(label, words) for label, words in rows]
    return "\n".join([*lines, *(_problem(problem) for problem in report.problems)])


def _where(report: Report) -> str:
    place = PLACES[report.where]
    if report.where == "job" and report.slurm:
        partition = report.slurm.partition
        return f"Slurm job {report.slurm.job_id}" + (f", partition {partition}" * bool(partition))
    return f"{place}: {report.where_source}"


def _amount(amount: Amount, unit: str) -> str:
    if amount.usable is None:
        return f"unknown: {amount.source}"
    machine = "an unknown number" if amount.machine is None else f"{amount.machine:.4g}"
    return f"{amount.usable:.4g} of {machine}{unit} usable: {amount.source}"


def _gpus(report: Report) -> list[tuple[str, str]]:
    if report.gpu_status == "none":
        return [("GPU", "none usable")]
    if report.gpu_status == "unknown":
        return [("GPU", "unknown")]
    return [(f"GPU {'?' if gpu.index is None else gpu.index}", _gpu(gpu)) for gpu in report.gpus]


def _gpu(gpu: Gpu) -> str:
    """Name, slice, memory and driver; what is unknown with its reason."""
    known = {
        "name": gpu.name,
        "memory_gib": None if gpu.memory_gib is None else f"{gpu.memory_gib:.4g} GiB",
        "driver": None if gpu.driver is None else f"driver {gpu.driver}",
    }
    words = [value for value in known.values() if value]
    if gpu.mig:
        words.insert(1, f"slice {gpu.mig}")
    reasons: dict[str, list[str]] = {}
    for field, why in gpu.unknown.items():
        if field in known:
            reasons.setdefault(why, []).append(field.removesuffix("_gib"))
    words += [f"{' and '.join(fields)} unknown ({why})" for why, fields in reasons.items()]
    return ", ".join(words)


def _framework(framework: Framework) -> tuple[str, str]:
    build = framework.build or "build unknown"
    return framework.name, f"{framework.version}, {build}: {framework.note}"


def _problem(problem: Problem) -> str:
    head = f"\nProblem: {problem.code}"
    return "\n".join([head, _row("  seen", problem.evidence), *_fix(problem.fix)])


def _fix(words: str) -> list[str]:
    """What to do, each command on a line of its own: copied whole, and never wrapped."""
    lines: list[str] = []
    for place, part in enumerate(words.split("`")):
        if place % 2:
            lines.append(" " * (LABEL_WIDTH + 4) + part)
        elif part.strip():
            lines.append(_row("" if lines else "  do", part.strip()))
    if words.startswith("`"):
        lines[0] = "  do".ljust(LABEL_WIDTH) + lines[0].strip()
    return lines


def _row(label: str, words: str) -> str:
    """One row, wrapped under itself; a command is never broken at its hyphens."""
    indent = " " * (max(LABEL_WIDTH, len(label) + 2))
    return textwrap.fill(
        words,
        WIDTH,
        initial_indent=label.ljust(len(indent)),
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
