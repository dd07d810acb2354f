"""Names of nodes as Slurm writes them: 'amd[01-03],gpu01' and the list of names it stands for."""

import itertools
import re
from collections.abc import Iterable

MOST = 100_000  # more than any cluster has; a slip like [1-999999999] must not fill the memory


def expand(text: str) -> list[str]:
    """The names that ``text`` stands for, in its order: 'gpu[01-02,4]' -> gpu01, gpu02, gpu4.

    Raises ValueError with what is wrong.
    """
    names = [name for part in _split(text) for name in _expand_one(part)]
    if not names:
        raise ValueError("names no node")
    return names


def compress(names: Iterable[str]) -> str:
    """Names in Slurm's short form: gpu01, gpu02 -> 'gpu[01-02]'. Equal names count once."""
    series: dict[tuple[str, int], set[int]] = {}
    plain: list[str] = []
    for name in names:
        found = re.fullmatch(r"(.*?)(\d+)", name)
        if found:
            series.setdefault((found[1], len(found[2])), set()).add(int(found[2]))
        elif name not in plain:
            plain.append(name)
    return ",".join([*plain, *(_short(*key, numbers) for key, numbers in series.items())])


def _short(prefix: str, width: int, numbers: set[int]) -> str:
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    spans = [
        f"{low:0{width}}" if low == high else f"{low:0{width}}-{high:0{width}}"
        for low, high in runs
    ]
    return f"{prefix}{spans[0]}" if len(numbers) == 1 else f"{prefix}[{','.join(spans)}]"


def _split(text: str) -> list[str]:
    """Parts between the commas that stand outside brackets."""
    if text.count("[") != text.count("]"):
        raise ValueError("has a bracket that is not closed")
    return [part.strip() for part in re.split(r",(?![^\[]*\])", text) if part.strip()]


def _expand_one(part: str) -> list[str]:
    pieces = re.split(r"\[([^\[\]]*)\]", part)
    # plain text and bracket contents alternate
    options = [_numbers(piece) if index % 2 else [piece] for index, piece in enumerate(pieces)]
    return ["".join(choice) for choice in itertools.product(*options)]


def _numbers(spans: str) -> list[str]:
    numbers: list[str] = []
    for span in spans.split(","):
        ends = re.fullmatch(r"\s*(\d+)(?:-(\d+))?\s*", span)
        if not ends:
            raise ValueError(f"has [{spans}], which is no range of numbers such as [01-03,7]")
        low, high = int(ends[1]), int(ends[2] or ends[1])
        if high < low or high - low >= MOST:
            raise ValueError(f"has [{spans}], which is no range of numbers such as [01-03,7]")
        numbers += [f"{number:0{len(ends[1])}}" for number in range(low, high + 1)]
    return numbers
