"""A project: what somebody knows of the work that they want to do."""

from dataclasses import dataclass, field, fields
from typing import Any

SEARCHES = ("grid", "random", "bayes")


@dataclass(frozen=True)
class Spec:
    """How a field is written: its kind, what it means, and an example."""

    kind: str  # text, folder, model, size, hours, count, flag, choice
    about: str
    example: str
    choices: tuple[str, ...] = ()
    least: int = 0


def _field(default: Any, kind: str, about: str, example: str, **more: Any) -> Any:
    return field(default=default, metadata={"spec": Spec(kind, about, example, **more)})


@dataclass(frozen=True, kw_only=True)
class Project:
    """One project; None is 'not known'. Sizes are bytes, times are hours.

    ``laptop_hours`` is the time of one run on the laptop, one trial of a search; ``samples`` are
    images, sequences or rows.
    """

    name: str = _field("project", "text", "what you call it", "satellite")
    model: str = _field("network", "model", "the model or method", "resnet50")
    parameters: int | None = _field(None, "count", "parameters of the model", "110M", least=1)
    data_size: int | None = _field(None, "size", "size of the data", "1 TB")
    samples: int | None = _field(None, "count", "images, sequences or rows", "1.2 million", least=1)
    epochs: int | None = _field(None, "count", "passes over the data", "90", least=1)
    batch: int | None = _field(None, "count", "samples in one step", "256", least=1)
    laptop_hours: float | None = _field(None, "hours", "one run on your laptop", "8 h")
    laptop_cores: int | None = _field(None, "count", "cores of your laptop", "8", least=1)
    laptop_gpu: bool = _field(False, "flag", "that run uses a GPU of the laptop", "true")
    trials: int = _field(1, "count", "runs of a search", "100", least=1)
    search: str = _field("grid", "choice", "kind of search", "grid", choices=SEARCHES)
    deadline: float | None = _field(None, "hours", "when it must be done, from its start", "2 days")
    often: bool = _field(False, "flag", "you will run it many times", "true")
    team: int = _field(1, "count", "people who share data and results", "3", least=1)
    code_ready: bool = _field(True, "flag", "the code runs on a small sample", "true")
    checkpoints: bool = _field(True, "flag", "the program saves and resumes", "true")
    fp64: bool = _field(False, "flag", "needs double precision", "false")
    memory: int | None = _field(None, "size", "main memory that one run needs", "64 GB")
    gpu_memory: int | None = _field(None, "size", "GPU memory that one run needs", "24 GB")
    program: str = _field("train.py", "text", "the Python program", "train.py")
    environment: str = _field("", "text", "folder of a virtual environment", "~/envs/ml")
    lab: str = _field("", "folder", "folder of your lab on the shared storage", "smith")
    data_path: str = _field("", "text", "where the data will be on the cluster", "/bigdata/x")


def specs() -> dict[str, Spec]:
    """The fields, in order."""
    return {item.name: item.metadata["spec"] for item in fields(Project)}
