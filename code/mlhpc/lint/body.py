"""What the commands of a script do with what its directives asked for."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from mlhpc import units
from mlhpc.cluster import Cluster
from mlhpc.lint import commands, habits
from mlhpc.lint.commands import Command
from mlhpc.lint.findings import Finding
from mlhpc.lint.reading import Script
from mlhpc.lint.request import Request

SHELLS = ("bash", "sh", "zsh", "ksh", "dash")
PYTHON = re.compile(r"python[\d.]*|ipython\d?")
LAUNCHERS = {"srun", "mpirun", "mpiexec", "horovodrun", "torchrun", "accelerate", "deepspeed",
             "parallel"}  # fmt: skip
COPIES = {"cp", "rsync", "mv", "tar", "rclone", "scp"}
OUTPUT = re.compile(
    r"--?(?:out|output|save|result|checkpoint|ckpt|log|model|work)[\w-]*?(?:=(?P<value>.*))?"
)
WORKERS = re.compile(r"--?(?:num[_-])?workers|--?dataloader[_-]num[_-]workers|-j")
PROCESSES = re.compile(r"--nproc[_-]per[_-]node(?:=(?P<value>.*))?")
TRAINING = re.compile(r"train|fit|finetune|fine_tune|pretrain", re.IGNORECASE)
CAREFUL = re.compile(r"checkpoint|ckpt|resume|restart|requeue", re.IGNORECASE)
LONG_H = 24


@dataclass(frozen=True)
class Body:
    """The commands of one script, with what they are looked at beside."""

    script: Script
    request: Request
    cluster: Cluster

    @cached_property
    def commands(self) -> list[Command]:
        """All commands, in order."""
        return commands.read(self.script.lines, self.script.body)

    @cached_property
    def text(self) -> str:
        """The whole script."""
        return "\n".join(self.script.lines)

    @cached_property
    def programs(self) -> list[Command]:
        """Commands that run Python, directly or by a launcher."""
        return [one for one in self.commands if runs_python(one)]

    @cached_property
    def scratch(self) -> re.Pattern[str] | None:
        """What a word holds that is on storage which dies with the job; None without such."""
        roots = [
            re.escape(tier.path.split("$")[0].rstrip("/"))
            for tier in self.cluster.storage.values()
            if tier.path and tier.lifetime == "job"
        ]
        if not roots:
            return None
        pattern = re.compile(rf"(?:^|=|\"|')(?:{'|'.join(roots)})(?:/|$|\s)|\$\{{?SCRATCH\b")
        names = self._held_by(pattern)
        more = rf"|\$\{{?(?:{'|'.join(names)})\b" if names else ""
        return re.compile(pattern.pattern + more)

    def _held_by(self, pattern: re.Pattern[str]) -> list[str]:
        """Variables whose value is on that storage, also by way of one another."""
        names: list[str] = []
        for one in self.commands:
            for word in one.assigned:
                name, _, value = word.partition("=")
                known = rf"\$\{{?(?:{'|'.join(names)})\b" if names else r"(?!)"
                if pattern.search(value) or re.search(known, value):
                    names.append(re.escape(name))
        return names


def runs_python(one: Command) -> bool:
    """Whether a command runs a Python program."""
    if one.name in ("torchrun", "accelerate", "deepspeed"):
        return True
    names = [word.rpartition("/")[2] for word in one.words[:12] if "python" in word]
    return any(PYTHON.fullmatch(name) for name in names)


def check(script: Script, request: Request, cluster: Cluster) -> Iterator[Finding]:
    """All findings on the commands; nothing where the script is no shell's."""
    interpreter = script.lines[0].removeprefix("#!").replace("/usr/bin/env", "").strip()
    if interpreter.split(" ")[0].rpartition("/")[2] not in SHELLS:
        return
    body = Body(script, request, cluster)
    yield from _visible_devices(body)
    yield from _scratch_results(body)
    yield from _processes(body)
    yield from _workers(body)
    yield from _tasks(body)
    yield from _signal(body)
    yield from _checkpoint(body)


def _warn(one: Command, rule: str, message: str, fix: str = "") -> Finding:
    return Finding(one.line, 1, rule, "warning", message, fix)


def _visible_devices(body: Body) -> Iterator[Finding]:
    for one in body.commands:
        for word in one.assigned:
            name, _, value = word.partition("=")
            if name == "CUDA_VISIBLE_DEVICES" and value:
                message = (
                    "Slurm sets CUDA_VISIBLE_DEVICES to the job's own GPUs; by hand you may name"
                    " somebody else's, or none: leave this line out"
                )
                yield _warn(one, "visible-devices", message)


def _scratch_results(body: Body) -> Iterator[Finding]:
    scratch = body.scratch
    if scratch is None:
        return
    if any(_brings_back(one, scratch) for one in body.commands):
        return
    inside = None
    for one in body.commands:
        if one.name == "cd" and len(one.words) > 1:
            inside = one if scratch.search(one.words[1]) else None
        writes = _output(one, scratch) or (inside is not None and one in body.programs)
        if one in body.programs and writes:
            message = (
                "results are written to storage that is deleted when the job ends, and nothing"
                " copies them away"
            )
            fix = ""
            yield _warn(
                one, "scratch-results", f"{message}: end with cp -r RESULTS a place that stays", fix
            )
            return


def _brings_back(one: Command, scratch: re.Pattern[str]) -> bool:
    """Whether a command copies from there to elsewhere."""
    if one.name not in COPIES:
        return False
    words = [word for word in one.words[1:] if not word.startswith("-")]
    if one.name == "tar":
        return any(scratch.search(word) for word in words)
    return (
        len(words) > 1
        and not scratch.search(words[-1])
        and any(scratch.search(word) for word in words[:-1])
    )


def _output(one: Command, scratch: re.Pattern[str]) -> bool:
    """Whether a program is told to write there."""
    for at, word in enumerate(one.words):
        found = OUTPUT.fullmatch(word)
        if found:
            value = (
                found["value"] if found["value"] is not None else " ".join(one.words[at + 1 :][:1])
            )
            if scratch.search(value):
                return True
    return False


def _processes(body: Body) -> Iterator[Finding]:
    """torchrun starts one process for each GPU of its node."""
    held = habits.gpus_on_one_node(body.request)
    for one in body.programs:
        wanted = _number_after(one, PROCESSES)
        if wanted is None or held is None or held in (0, wanted):
            continue
        line = body.script.line(one.line)
        fix = re.sub(r"(--nproc[_-]per[_-]node[= ])\d+", rf"\g<1>{held}", line)
        message = f"{wanted} processes on a node with {held} GPU{'s' * (held > 1)} of the job"
        yield _warn(one, "processes", message, fix if fix != line else "")


def _workers(body: Body) -> Iterator[Finding]:
    """Workers of a data loader need a core each."""
    for one in body.programs:
        workers = _number_after(one, WORKERS)
        if workers is None:
            continue
        processes = _number_after(one, PROCESSES) or 1
        cores = body.request.cpus_per_task
        if workers * processes > cores and not _more_cores(body):
            each = f"{workers} workers" + (f" in each of {processes} processes" * (processes > 1))
            message = f"{each}, and {cores} core{'s' * (cores > 1)}: they wait for one another"
            first = body.request.first("cpus-per-task")
            fix = body.script.with_value(first, str(workers * processes)) if first else ""
            add = "" if fix else f"; add #SBATCH --cpus-per-task={workers * processes}"
            yield _warn(one, "workers", message + add, fix)


def _more_cores(body: Body) -> bool:
    """Whether cores come from elsewhere than --cpus-per-task."""
    return body.request.first("exclusive", "cpus-per-gpu", "ntasks", "ntasks-per-node") is not None


def _tasks(body: Body) -> Iterator[Finding]:
    """Only what srun or a launcher starts runs more than once."""
    request = body.request
    several = request.tasks > 1 or request.nodes[0] > 1
    if not several or not body.programs:
        return
    spread = [one for one in body.commands if one.name in LAUNCHERS or "mpirun" in one.words]
    if not spread:
        where = "nodes" if request.nodes[0] > 1 and request.tasks == request.nodes[0] else "tasks"
        message = (
            f"several {where} are asked for, and this program runs once, on the first node: use"
            " --cpus-per-task for more cores, or start it by srun"
        )
        yield _warn(body.programs[0], "one-of-many", message)
        return
    for one in body.programs:
        if one.name != "srun" or _knows_its_place(body, one):
            continue
        message = (
            f"srun starts {request.tasks} copies of one program that does not know of the others:"
            " use --ntasks=1 with --cpus-per-task, or torchrun"
        )
        yield _warn(one, "copies", message)
        return


def _knows_its_place(body: Body, one: Command) -> bool:
    """Whether the copies can tell which one they are, or start the workers of one node."""
    told = re.search(r"SLURM_PROCID|SLURM_LOCALID|MASTER_ADDR|OMPI_|mpi4py|--multi-prog", body.text)
    single = any(re.fullmatch(r"-n1?|--ntasks=1|-n1", word) for word in one.words)
    return (
        bool(told)
        or single
        or any(word.endswith("torchrun") for word in one.words)
        or ("torch.distributed.run" in one.words)
    )


def _signal(body: Body) -> Iterator[Finding]:
    setting = body.request.first("signal")
    wanted = body.request.get("signal")
    if setting is None or wanted is None:
        return
    name, shell_only, _ = wanted
    message = ""
    trapped = any(
        one.name == "trap" and any(w.upper().removeprefix("SIG") == name for w in one.words[2:])
        for one in body.commands
    )
    if shell_only and not trapped:
        message = f"{name} goes to this script alone, which has no trap for it and ends by it"
    elif shell_only and not _waits(body):
        message = (
            "the shell acts on a trap only when the program before it has ended: start the program"
            " with & and then wait"
        )
    elif not shell_only and not any(one.name == "srun" for one in body.commands):
        message = (
            f"without B: {name} goes only to what srun started, and nothing is started by srun"
        )
    if message:
        fix = ""
        if not shell_only:
            fix = body.script.with_value(setting, f"B:{setting.value}")
        yield Finding(setting.line, setting.column, "signal-unheard", "warning", message, fix)


def _waits(body: Body) -> bool:
    return any(one.background for one in body.commands) and any(
        one.name == "wait" for one in body.commands
    )


def _checkpoint(body: Body) -> Iterator[Finding]:
    limit_s = body.request.get("time")
    if not limit_s or limit_s <= LONG_H * units.HOUR_S or CAREFUL.search(body.text):
        return
    for one in body.programs:
        if any(TRAINING.search(word) for word in one.words):
            message = "a long training that saves no checkpoint starts from nothing when it is cut"
            yield Finding(one.line, 1, "no-checkpoint", "note", message)
            return


def _number_after(one: Command, option: re.Pattern[str]) -> int | None:
    """The whole number that follows an option, after '=' or as the next word."""
    for at, word in enumerate(one.words):
        name, equals, value = word.partition("=")
        if not option.fullmatch(word) and not (equals and option.fullmatch(name)):
            continue
        if not equals:
            value = " ".join(one.words[at + 1 :][:1])
        if value.isdigit():
            return int(value)
    return None
