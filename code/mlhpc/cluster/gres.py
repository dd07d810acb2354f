"""GPUs as Slurm writes them: 'gpu:a100:4(S:0-1)' in Gres, 'gres/gpu:a100=4' in TRES."""

import re
from collections.abc import Iterable

MULTIPLES = {"": 1, "K": 1024, "M": 1024**2}


def gpus(gres: str) -> dict[str, int]:
    """GPUs by Slurm's name of the type, "" where it names none; other resources are left out.

    Reads ``gpu:a100:4(S:0-1)``, ``gpu:4``, ``gpu:a100:no_consume:2``, ``gpu:l40s:3,gpu:h200:1``,
    ``(null)`` and ``N/A``. Raises ValueError for a GPU entry that it cannot read.
    """
    found: dict[str, int] = {}
    # sockets and indices stand in brackets and may hold commas: (S:0,2)
    for entry in re.sub(r"\([^)]*\)", "", gres).split(","):
        words = [word for word in entry.strip().split(":") if word != "no_consume"]
        if words[0] != "gpu":
            continue
        kind, count = _kind_and_count(words[1:])
        found[kind] = found.get(kind, 0) + count
    return found


def tres_gpus(tres: str) -> dict[str, int]:
    """The same of ``cpu=128,mem=500G,gres/gpu=4,gres/gpu:a100=4``: types where there are any."""
    pairs = re.findall(r"gres/gpu(?::([^=,]+))?=(\d+)", tres)
    typed = {kind: int(count) for kind, count in pairs if kind}
    return typed or {kind: int(count) for kind, count in pairs}


def same_type(key: str, gres_type: str) -> bool:
    """Whether a key of the file means a type of Slurm's: a100, and nvidia_a100-sxm4-80gb.

    It does where it equals some of the type's words, joined: rtxpro6000 is rtx_pro_6000.
    """
    wanted = "".join(_words(key))
    words = _words(gres_type)
    ends = range(len(words) + 1)
    return any("".join(words[start:end]) == wanted for end in ends for start in range(end))


def match(gres_type: str, known: Iterable[tuple[str, str | None]]) -> str | None:
    """The key of a type of Slurm's among (key, gres name or None) pairs; None where none fits."""
    pairs = list(known)
    exact = [key for key, gres in pairs if gres == gres_type]
    alike = [key for key, _ in pairs if same_type(key, gres_type)]
    # of a100 and a100-80gb, the longer says more
    return next(iter(exact or sorted(alike, key=len, reverse=True)), None)


def _kind_and_count(words: list[str]) -> tuple[str, int]:
    """('a100', 4) of ['a100', '4'], ('', 4) of ['4'], ('a100', 1) of ['a100']."""
    count = re.fullmatch(r"(\d+)([KM]?)", words[-1]) if words else None
    kind = words[:-1] if count else words
    if len(kind) > 1:
        raise ValueError("is no list of GPUs such as gpu:a100:4")
    return "".join(kind), int(count[1]) * MULTIPLES[count[2]] if count else 1


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower())
