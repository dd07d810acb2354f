"""Machines that do not exist, for the tests of detection: files, variables, commands, affinity.

Run as a program (``python -m tests.machines``) it writes the three recorded reports anew.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mlhpc.detect import Outcome, Report, detect

RECORDED = Path(__file__).parent / "recorded" / "detect"
SITUATIONS = ("gpu-job", "gpu-node-no-request", "login-node")
HUNG = Outcome(None, timed_out=True)
MISSING = Outcome(None, missing=True)


@dataclass
class Machine:
    """Everything that detection can see; what is not given is not there."""

    root: Path
    environ: dict[str, str] = field(default_factory=dict)
    commands: dict[str, Outcome] = field(default_factory=dict)
    cores_bound: int | None = None
    asked: list[str] = field(default_factory=list)

    def files(self, files: Mapping[str, object]) -> "Machine":
        """Add files, paths relative to the root."""
        for path, text in files.items():
            target = self.root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(f"{text}\n" if str(text) else "")
        return self

    def variables(self, **variables: str) -> "Machine":
        """Add variables of the environment."""
        self.environ |= variables
        return self

    def slurm(self, name: str) -> "Machine":
        """Add the variables that a real Slurm set, by the name of the recording."""
        lines = (RECORDED / "slurm" / name).read_text().splitlines()
        self.environ |= dict(line.split("=", 1) for line in lines)
        return self

    def command(self, start: str, outcome: Outcome | str, code: int = 0) -> "Machine":
        """Answer commands that start so, with an outcome or with a recorded file's text."""
        if isinstance(outcome, str):
            outcome = Outcome(code, (RECORDED / outcome).read_text())
        self.commands[start] = outcome
        return self

    def cards(self, count: int, vendor: str = "0x10de") -> "Machine":
        """Put GPUs on the PCI bus, beside a bridge that every machine has."""
        self.files({"sys/bus/pci/devices/bridge/vendor": "0x1022",
                    "sys/bus/pci/devices/bridge/class": "0x060000"})  # fmt: skip
        for number in range(count):
            folder = f"sys/bus/pci/devices/{vendor}-{number}"
            self.files({f"{folder}/vendor": vendor, f"{folder}/class": "0x030200"})
        return self

    def run(self, argv: Sequence[str], timeout_s: float) -> Outcome:
        """The seam's ``run``."""
        assert timeout_s > 0
        words = " ".join(argv)
        self.asked.append(words)
        return next((out for start, out in self.commands.items() if words.startswith(start)),
                    MISSING)  # fmt: skip

    def detect(self, with_frameworks: bool = False) -> Report:
        """What detection says of this machine."""
        return detect(self.root, self.environ, self.run, lambda: self.cores_bound, with_frameworks)


def recorded_machine(name: str, root: Path) -> Machine:
    """A machine from ``machines/NAME.machine``: sections ``=== PATH`` and ``=== @KIND``."""
    machine = Machine(root)
    sections = (RECORDED / "machines" / f"{name}.machine").read_text().split("=== ")[1:]
    for section in sections:
        head, _, body = section.partition("\n")
        kind, _, words = head.partition(" ")
        if kind == "@environ":
            machine.environ |= dict(line.split("=", 1) for line in body.splitlines())
        elif kind == "@affinity":
            machine.cores_bound = int(body)
        elif kind == "@run":
            command, code, path = words.rsplit(" ", 2)
            machine.command(command, path, int(code))
        else:
            machine.files({head: body.rstrip("\n")})
    return machine


def clean_environ() -> dict[str, str]:
    """The caller's environment without what detection reads in it."""
    prefixes = ("SLURM", "CUDA_", "ROCR_", "HIP_", "OOD_", "ONDEMAND_")
    return {name: value for name, value in os.environ.items() if not name.startswith(prefixes)}


def main() -> None:
    """Write what ``mlhpc detect`` prints in the three situations."""
    import tempfile

    from mlhpc.cli.detect import text

    for name in SITUATIONS:
        with tempfile.TemporaryDirectory() as folder:
            report = text(recorded_machine(name, Path(folder)).detect())
        (RECORDED / f"{name}.txt").write_text(report + "\n")


if __name__ == "__main__":
    main()
