"""The values of options, as sbatch takes them. Each reader raises ValueError with what is valid."""

import re
from collections.abc import Callable
from typing import Any

from mlhpc import units
from mlhpc.errors import InputError

MIB = 2**20
WHOLE = "a whole number such as 4"
# signal(7), in the order of their numbers; Slurm knows some of them by name
SIGNALS = ("HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV",
           "USR2", "PIPE", "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP")  # fmt: skip
NAMED_SIGNALS = {"HUP", "INT", "QUIT", "ABRT", "KILL", "ALRM", "TERM", "USR1", "USR2", "URG",
                 "CONT", "STOP", "XCPU"}  # fmt: skip
MAIL = {"NONE", "BEGIN", "END", "FAIL", "REQUEUE", "ALL", "INVALID_DEPEND", "STAGE_OUT",
        "TIME_LIMIT", "TIME_LIMIT_90", "TIME_LIMIT_80", "TIME_LIMIT_50", "ARRAY_TASKS"}  # fmt: skip
LARGEST_NICE = 2147483645
CLOCK = (
    r"(?:(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?"
    r"|(?:0?[1-9]|1[0-2]):[0-5]\d(?::[0-5]\d)?\s*[ap]m)"
)
DAY = r"today|tomorrow|\d{4}-\d\d?-\d\d?|\d\d?/\d\d?(?:/\d\d(?:\d\d)?)?|\d\d?\.\d\d?\.\d\d"
WORD = r"midnight|noon|elevenses|fika|teatime"
SPAN = r"(?:\+\d+\s*(?:(?:second|minute|hour|day|week)s?)?)?"
BEGIN = (
    rf"now{SPAN}",
    rf"(?:{DAY})",
    rf"(?:{CLOCK}|{WORD})",
    rf"(?:{DAY})(?:T|[ -])(?:{CLOCK}|{WORD})",
    rf"(?:{CLOCK}|{WORD})[ -](?:{DAY})",
)
DEPENDENCY = re.compile(
    r"singleton|(?:after|afterany|afterok|afternotok|aftercorr|afterburstbuffer)"
    r"(?::\d+(?:_(?:\d+|\*))?(?:\+\d+)?)+"
)


def time_s(text: str) -> float:
    """Seconds of a time limit; no limit is inf."""
    try:
        return units.parse_duration_s(text.strip(), "slurm")
    except InputError:
        forms = "30 (minutes), 30:00, 12:00:00, 2-12 (days-hours), 2-12:30:00"
        raise ValueError(f"is no time; valid are {forms}") from None


def memory_mib(text: str) -> int:
    """MiB of a size; 0 means all of the node's memory (for --mem) or no wish."""
    found = re.fullmatch(r"\s*\+?(\d+)(?:([KMGT])B?)?", text, re.IGNORECASE)
    if not found:
        raise ValueError(
            "is no size; valid are 512M, 16G, 1T (whole numbers; without a letter MiB)"
        )
    number, unit = int(found[1]), (found[2] or "M").upper()
    # a part of a MiB counts as one
    return -(-number // 1024) if unit == "K" else number * {"M": 1, "G": 1024, "T": 1024**2}[unit]


def count(text: str) -> int:
    """A whole number of at least 1."""
    if not re.fullmatch(r"\s*\+?\d+", text) or not 1 <= int(text) < 2**31:
        raise ValueError(f"is no count; valid is {WHOLE}")
    return int(text)


def nodes(text: str) -> tuple[int, int | None]:
    """Least and most nodes of '2' or '2-4'; the most is the least where it is not said."""
    found = re.fullmatch(r"\s*(\+?\d+k?)(?:-(\d+k?))?", text)
    if not found:
        raise ValueError("is no number of nodes; valid are 2 or 2-4")
    low, high = (_thousands(part) for part in found.groups())
    if high is not None and high < (low or 0):
        raise ValueError(f"asks for at least {low} and at most {high} nodes")
    return low or 0, high if high is not None else low


def _thousands(text: str | None) -> int | None:
    if text is None:
        return None
    return int(text[:-1]) * 1024 if text.endswith("k") else int(text)


def gpus(text: str) -> dict[str, int]:
    """GPUs by type, '' for any, of '4', 'a100:2', 'a100', 'a100:2,l40s:1'."""
    found: dict[str, int] = {}
    for part in text.split(","):
        kind, _, number = part.rpartition(":")
        if not re.fullmatch(r"\d+[kKmM]?", number):
            kind, number = (number, "1") if not kind else ("", number)
        if not re.fullmatch(r"\d+[kKmM]?", number) or ":" in kind:
            raise ValueError("is no number of GPUs; valid are 2, a100:2")
        found[kind] = found.get(kind, 0) + _multiple(number)
    return found


def gres(text: str) -> dict[str, int]:
    """GPUs by type of 'gpu:2', 'gpu:a100:2', 'gpu', 'none'; other resources are refused.

    ``{"": 0}`` is none at all.
    """
    if text.lower() == "none":
        return {}
    if not text:
        raise ValueError("names nothing; valid are gpu:2, gpu:a100:2, none")
    found: dict[str, int] = {}
    for part in text.split(","):
        word, _, rest = part.removeprefix("gres:").partition(":")
        if word != "gpu" or "=" in part or rest.count(":") > 1:
            raise ValueError("is no resource of Slurm's; valid are gpu:2, gpu:a100:2")
        kind, _, number = rest.rpartition(":")
        if not re.fullmatch(r"\d+[kKmM]?", number):
            if kind:
                raise ValueError("is no number of GPUs; valid are gpu:2, gpu:a100:2")
            kind, number = number, "1"
        found[kind] = found.get(kind, 0) + _multiple(number)
    return found


def _multiple(text: str) -> int:
    factor = {"k": 1024, "m": 1024**2}.get(text[-1].lower())
    return int(text[:-1]) * factor if factor else int(text)


def array(text: str) -> tuple[int, int]:
    """Number of tasks and the largest index of '0-9', '1,3,5', '0-20:5', '0-9%2'."""
    indices: set[int] = set()
    if not text:
        return 0, 0
    spans = re.fullmatch(r"\[?([\d,:-]+)\]?(?:%\d*)*", text)
    if not spans:
        raise ValueError("is no list of indices; valid are 0-9, 1,3,5, 0-20:5, 0-9%2")
    for span in spans[1].split(","):
        found = re.fullmatch(r"(\d+)(?:-(\d+)(?::(\d+))?)?", span)
        if not found:
            raise ValueError("is no list of indices; valid are 0-9, 1,3,5, 0-20:5, 0-9%2")
        low, high, step = int(found[1]), int(found[2] or found[1]), int(found[3] or 1)
        if high < low or step == 0:
            raise ValueError(f"has {span}, which counts to nothing")
        if high > 4_000_000:  # Slurm's own largest (MaxArraySize in slurm.conf(5))
            return high, high
        indices.update(range(low, high + 1, step))
    return len(indices), max(indices)


def signal(text: str) -> tuple[str, bool, int]:
    """Name, whether only for the batch shell, and seconds before the end, of 'B:USR1@300'."""
    found = re.fullmatch(r"([BRbr]{1,2}:)?(?:SIG)?(\w+)(?:@(\d+))?", text, re.IGNORECASE)
    name = found[2].upper() if found else ""
    if not found or not (name in NAMED_SIGNALS or (name.isdigit() and 0 < int(name) < 65)):
        raise ValueError("is no signal; valid are USR1@120, B:USR1@120")
    before_s = int(found[3] or 60)
    if before_s > 65535:
        raise ValueError("is too early; at most 65535 seconds before the end")
    if name.isdigit():
        name = SIGNALS[int(name) - 1] if int(name) <= len(SIGNALS) else name
    return name, "B" in (found[1] or "").upper(), before_s


def mail(text: str) -> str:
    """When to write, such as END,FAIL."""
    words = [word.strip().upper() for word in text.split(",") if word.strip()]
    if not words or not set(words) <= MAIL:
        raise ValueError("is no occasion; valid are BEGIN, END, FAIL, ALL, TIME_LIMIT_80")
    return text


def dependency(text: str) -> str:
    """After which jobs, such as afterok:123."""
    parts = re.split(r"[,?]", text) if text else []
    if not all(DEPENDENCY.fullmatch(part) for part in parts):
        raise ValueError("is no dependency; valid are afterok:123, afterany:123:124, singleton")
    return text


def begin(text: str) -> str:
    """When to start at the earliest: a day, a time, both, or now+1hour."""
    if not any(re.fullmatch(form, text.strip(), re.IGNORECASE) for form in BEGIN):
        raise ValueError("is no moment; valid are now+1hour, tomorrow, 16:00, 2030-01-20T12:34:00")
    return text


def distribution(text: str) -> str:
    """How tasks are spread over nodes, sockets and cores."""
    word = r"(?:block|cyclic|fcyclic|\*)"
    if not re.fullmatch(
        rf"(?:arbitrary|plane=\d+|{word}(?::{word}){{0,2}})(?:,(?:no)?pack)?", text, re.IGNORECASE
    ):
        raise ValueError("is no distribution; valid are block, cyclic, block:cyclic")
    return text


def nice(text: str) -> str:
    """A priority to give up; sbatch reads the digits in front and takes the rest."""
    found = re.match(r"[+-]?\d+", text)
    if found and abs(int(found[0])) > LARGEST_NICE:
        raise ValueError(f"is out of range; valid are -{LARGEST_NICE} to {LARGEST_NICE}")
    return text


def one_of(*words: str) -> Callable[[str], str]:
    """A reader of one of a few words."""

    def read(text: str) -> str:
        if text.lower() not in words:
            raise ValueError(f"is not valid; valid are {', '.join(words)}")
        return text.lower()

    return read


def anything(text: str) -> str:
    """A reader that takes all."""
    return text


READERS: dict[str, Callable[[str], Any]] = {
    "time": time_s,
    "time-min": time_s,
    "nodes": nodes,
    "ntasks": count,
    "cpus-per-task": count,
    "cpus-per-gpu": count,
    "mincpus": count,
    "ntasks-per-node": count,
    "ntasks-per-gpu": count,
    "threads-per-core": count,
    "mem": memory_mib,
    "mem-per-cpu": memory_mib,
    "mem-per-gpu": memory_mib,
    "gres": gres,
    "gpus": gpus,
    "gpus-per-node": gpus,
    "gpus-per-task": gpus,
    "array": array,
    "signal": signal,
    "mail-type": mail,
    "dependency": dependency,
    "open-mode": one_of("append", "truncate", "a", "t"),
    "exclusive": one_of("user", "mcs"),
    "kill-on-invalid-dep": one_of("yes", "no"),
    "begin": begin,
    "distribution": distribution,
    "hint": one_of("compute_bound", "memory_bound", "multithread", "nomultithread"),
    "nice": nice,
    "wait-all-nodes": one_of("0", "1"),
}
