"""What a script's directives ask for, put together: the last of two settings counts."""

import re
from dataclasses import dataclass, field
from typing import Any

from mlhpc import units
from mlhpc.errors import InputError
from mlhpc.lint.findings import Finding
from mlhpc.lint.reading import Script, Setting
from mlhpc.lint.values import READERS

MEMORY = ("mem", "mem-per-cpu", "mem-per-gpu")
GPUS = ("gres", "gpus-per-node", "gpus", "gpus-per-task")
TASKS = ("ntasks", "ntasks-per-node", "nodes")  # any of them says how many tasks
# sbatch leaves these to the controller, which sees only the last of several
LATE = {*GPUS, "array", "dependency"}


@dataclass
class Request:
    """The settings by their long name, and the values of those that could be read."""

    settings: dict[str, Setting] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)

    def get(self, name: str, default: Any = None) -> Any:
        """The value of an option, or the default."""
        return self.values.get(name, default)

    def first(self, *names: str) -> Setting | None:
        """The setting of the first of these options that is there."""
        return next((self.settings[name] for name in names if name in self.settings), None)

    @property
    def gpus_per_node(self) -> dict[str, int]:
        """GPUs on each node, by type; '' is any type. --gres counts before --gpus-per-node."""
        return {**self.gpus("gpus-per-node"), **self.gpus("gres")}

    def gpus(self, name: str) -> dict[str, int]:
        """GPUs of --gpus or --gpus-per-task, by type."""
        return {kind: number for kind, number in self.get(name, {}).items() if number}

    @property
    def wants_gpus(self) -> bool:
        """Whether any GPU is asked for."""
        return bool(self.gpus_per_node or self.gpus("gpus") or self.gpus("gpus-per-task"))

    @property
    def nodes(self) -> tuple[int, int | None]:
        """Least and most nodes; the most is None where nothing says it."""
        low, high = self.get("nodes", (1, None))
        return max(low, 1), None if high is None else max(high, 1)

    @property
    def tasks(self) -> int:
        """Tasks in all, as far as they are said."""
        per_node = self.get("ntasks-per-node", 1)
        return int(self.get("ntasks", self.nodes[0] * per_node))

    @property
    def cpus_per_task(self) -> int:
        """Cores of each task; 1 where nothing says it."""
        return int(self.get("cpus-per-task", 1))


def of(script: Script) -> Request:
    """The request of a script; values that sbatch would refuse become its findings."""
    request = Request()
    for setting in script.settings:
        earlier = request.settings.get(setting.name)
        if earlier and earlier.value != setting.value:
            script.findings.append(_overridden(earlier, setting))
        request.settings[setting.name] = setting
        if setting.name not in LATE:
            _read(script, request, setting)
    for name in LATE & request.settings.keys():
        _read(script, request, request.settings[name])
    if script.parts == 1:
        _conflicts(script, request)
    return request


def _read(script: Script, request: Request, setting: Setting) -> None:
    reader = READERS.get(setting.name)
    if reader is None or setting.value is None:
        request.values[setting.name] = setting.value
        return
    request.values.pop(setting.name, None)
    if setting.name == "gpus" and not setting.value:
        return
    try:
        request.values[setting.name] = reader(setting.value)
    except ValueError as error:
        message = f"--{setting.name}: '{setting.value}' {error}"
        script.fault(setting, "bad-value", message, _repaired(script, setting))


def _repaired(script: Script, setting: Setting) -> str:
    """The line with a value that a slip made invalid put right, where the slip is clear."""
    value = repair(setting.name, setting.value or "")
    return script.with_value(setting, value) if value else ""


def repair(name: str, value: str) -> str:
    """'24:00:00' for --time=24h, '5G' for --mem=4.5G, and the like; '' where nothing is clear."""
    try:
        if name in ("time", "time-min"):
            return units.format_slurm_time(units.parse_duration_s(value))
        if name in MEMORY:
            cleaned = re.sub(
                r"(?<=[\d ])([KMGT])i?B?$", r"\1iB", value.strip(), flags=re.IGNORECASE
            )
            return units.format_slurm_memory(units.parse_size_bytes(cleaned))
    except InputError:  # no help is no fault
        return ""
    return ""


def _overridden(earlier: Setting, later: Setting) -> Finding:
    message = (
        f"--{later.name} is set again in line {later.line}: "
        f"{later.value or 'without a value'} counts, and this line does nothing"
    )
    return Finding(earlier.line, earlier.column, "overridden", "warning", message)


def _conflicts(script: Script, request: Request) -> None:
    """What sbatch refuses together."""
    memory = [name for name in MEMORY if name in request.settings]
    if len(memory) > 1:
        later = max((request.settings[name] for name in memory), key=lambda it: it.line)
        names = " and ".join(f"--{name}" for name in memory)
        script.fault(later, "conflict", f"{names} exclude each other: keep one")
    if {"cpus-per-gpu", "cpus-per-task"} <= request.settings.keys():
        where = request.settings["cpus-per-task"]
        script.fault(where, "conflict", "--cpus-per-gpu and --cpus-per-task exclude each other")
    if request.get("mem-per-gpu") and not request.wants_gpus:
        where = request.settings["mem-per-gpu"]
        script.fault(where, "conflict", "--mem-per-gpu without a GPU: ask for one, or use --mem")
    _gpu_arithmetic(script, request)
    _gpus_for_nodes(script, request)


def _gpus_for_nodes(script: Script, request: Request) -> None:
    total = sum(request.gpus("gpus").values())
    if 0 < total < request.get("nodes", (0, None))[0] and "ntasks" not in request.values:
        message = f"{total} GPUs for {request.nodes[0]} nodes: each node needs one at least"
        script.fault(request.settings["gpus"], "conflict", message)


def _gpu_arithmetic(script: Script, request: Request) -> None:
    kinds = {name: set(request.get(name) or {}) for name in GPUS if request.get(name)}
    named = set().union(*kinds.values())
    if "" in named and len(named) > 1:
        where = request.settings[list(kinds)[-1]]
        script.fault(
            where, "conflict", "GPUs with and without a type in one job: name it each time"
        )
        return
    total = sum(request.gpus("gpus").values())
    per_task = sum(request.gpus("gpus-per-task").values())
    per_node = sum(request.gpus_per_node.values())
    if per_task and not total and not request.first(*TASKS):
        where = request.settings["gpus-per-task"]
        script.fault(where, "conflict", "--gpus-per-task needs --ntasks or --gpus beside it")
    if per_task and total:
        tasks, rest = divmod(total, per_task)
        told = request.first(*TASKS)
        if rest or (told and request.tasks != tasks):
            message = f"{total} GPUs in all, {per_task} a task: that is not {request.tasks} tasks"
            script.fault(request.settings["gpus"], "conflict", message)
    if per_node and total:
        nodes, rest = divmod(total, per_node)
        low, high = request.nodes
        if rest or not low <= nodes <= (high or nodes):
            message = f"{total} GPUs in all, {per_node} a node: that does not fit the nodes asked"
            script.fault(request.settings["gpus"], "conflict", message)
