"""Bare figures: a number with a unit in the text of a page that no receipt stands behind.

What counts as a figure: a number (digits, a range, or words: fifteen, twenty-five, a million) with
a unit of time, size, share, rate, a multiple (4x, 15-fold, fifteen times) or a count of something
that costs (GPUs, cores, images, epochs).

What does not: names (ResNet-50, A100, RTX PRO 6000, Python 3.11, Phase 3, Figure 2), dates,
ordinals, shapes (3D, 3×3), section numbers, vague amounts (a few, several, many weeks). 'One',
'a' and 'a single' are articles here: 'one GPU' is prose, '1 GPU' is a figure. Numbers in words
count only before units of time, size, share, before multiples and hardware: 'two weeks' and 'four
GPUs' are figures, 'two jobs' is prose, '2 jobs' is a figure.

Left out: code, scripts, navigation, and every element of a class in SKIPPED_CLASSES, that is,
figures that carry their receipt, the receipts, outputs of executed examples.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SKIPPED_TAGS = _words("code pre script style nav head template svg math kbd samp")
SKIPPED_CLASSES = _words(
    "fig receipt no-figures till history evidence example__table example__machine highlight "
    "jp-Notebook"
)
# These have no end tag.
VOID_TAGS = _words("area base br col embed hr img input link meta param source track wbr")
INLINE_TAGS = _words(
    "a abbr b bdi bdo cite data del dfn em i ins label mark q s small span strong sub sup time u "
    "var wbr"
)
# What stands for a skipped element, so that the words around it do not meet.
GAP = "\ufffc"

CONTEXT = 40


@dataclass(frozen=True)
class Bare:
    """One bare figure, and the words around it."""

    text: str
    context: str


def find_bare_figures(html: str) -> list[Bare]:
    """Every bare figure in the text of a page, in order."""
    return [found for block in blocks(html) for found in _in_block(block)]


def blocks(html: str) -> list[str]:
    """The text of a page that is looked at: one string a block, white space collapsed."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    lines = ("".join(reader.pieces)).split("\n")
    return [text for line in lines if (text := " ".join(line.split()))]


class _Reader(HTMLParser):
    """Gathers text, with a line break for each block and a gap for each skipped element."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self._open: list[tuple[str, bool]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in INLINE_TAGS:
            self._add("\n")
        if tag in VOID_TAGS:
            return
        skipped = self._skipping or tag in SKIPPED_TAGS or _has_skipped_class(attrs)
        if skipped and not self._skipping:
            self.pieces.append(GAP)
        self._open.append((tag, skipped))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        # <path/> closes itself in SVG; elsewhere HTML ignores the slash, and so do we
        if tag in VOID_TAGS or not self._skipping:
            self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if any(name == tag for name, _ in self._open):
            while self._open.pop()[0] != tag:
                pass
        if tag not in INLINE_TAGS:
            self._add("\n")

    def handle_data(self, data: str) -> None:
        # a line break in the source is white space, not the end of a block
        self._add(re.sub(r"\s", " ", data))

    @property
    def _skipping(self) -> bool:
        return bool(self._open) and self._open[-1][1]

    def _add(self, text: str) -> None:
        if not self._skipping:
            self.pieces.append(text)


def _has_skipped_class(attrs: list[tuple[str, str | None]]) -> bool:
    names = next((value or "" for name, value in attrs if name == "class"), "").split()
    return not SKIPPED_CLASSES.isdisjoint(names)


def _in_block(text: str) -> Iterator[Bare]:
    searched = NAMES.sub(_blank, text)
    for found in FIGURE.finditer(searched):
        start, end = max(0, found.start() - CONTEXT), found.end() + CONTEXT
        yield Bare(text[found.start() : found.end()].strip(), text[start:end].strip())


def _blank(match: re.Match[str]) -> str:
    """A name as gaps of the same length, so that places in the text stay as they are."""
    return GAP * len(match[0])


def _any(words: str) -> str:
    """An alternative of the words, the longest first."""
    return "|".join(sorted(words.split(), key=len, reverse=True))


# Names that end in a number; what follows it is no unit of it.
_LABELS = _any(
    "phase figure fig table step section episode part chapter project exercise question scenario "
    "challenge page line version release level rule python cuda pytorch torch slurm tensorflow "
    "numpy pandas ubuntu debian rocky rhel pcie nvlink usb gen issue example cell listing note "
    "tier"
)
_MODELS = (
    r"RTX(?:\s(?:PRO|A|Ada|Quadro))?\s?\d+(?:\s(?:Ti|SUPER|Max-Q|Ada))?|Quadro\s\w+\s\d+|GTX\s\d+"
    r"|(?:EPYC|Xeon|Core|Ryzen)(?:\s\w+)?\s\d+\w*"
)
_MONTHS = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?"
    r"|Sep(?:tember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)"
)
NAMES = re.compile(
    rf"\b(?:{_LABELS})s?\s\d+(?:\.\d+)*\b"
    rf"|\b(?:{_MODELS})\b"
    rf"|\b\d{{1,2}}\s{_MONTHS}\s\d{{4}}\b|\b{_MONTHS}\s(?:\d{{1,2}},?\s)?\d{{4}}\b"
    r"|\b\d{4}-\d{2}(?:-\d{2})?\b(?!\s?[–-])",
    re.IGNORECASE,
)

_SMALL = _any(
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
)
_TENS = _any("twenty thirty forty fifty sixty seventy eighty ninety")
_WORD = rf"(?:(?:{_TENS})(?:-(?:one|{_SMALL}))?|{_SMALL}|(?:a|one)\sdozen)"
_SCALE = r"(?:hundred|thousand|million|billion|trillion)"
_WORDS = rf"(?:(?:{_WORD}|a|one)\s{_SCALE}(?:\s{_SCALE})?|{_WORD})"
_DIGITS = rf"(?:\d{{1,3}}(?:,\d{{3}})+|\d+)(?:\.\d+)?(?:[kKMB](?=\s)|\s{_SCALE})?\+?"
_TO = r"\s?(?:[–—-]|to|and|or)\s?"

_TIME = _any(
    "second seconds sec secs minute minutes min mins hour hours hr hrs day days week weeks month "
    "months year years ms millisecond milliseconds microsecond microseconds"
)
_SIZE = r"[kKMGTPE]i?B(?:/s|ps)?|[kMGT]bit/s|bytes?|(?:kilo|mega|giga|tera|peta)bytes?"
_SHARE = r"%|percent\b|per\scent\b"
_HARDWARE = (
    r"(?:(?:different|free|idle|total|whole|full|more|extra|modern|CPU|GPU|CUDA|NVIDIA|A100|L40S)"
    r"\s)?(?:GPUs|CPUs|cores|nodes|sockets|A100s|L40Ss|H100s)"
)
_COUNTS = _any(
    "images img tokens sequences samples rows columns parameters params epochs runs trials "
    "trainings combinations iterations candidates jobs tasks processes workers threads files lines "
    "models trees layers steps batches users people requests FLOP FLOPs FLOPS TFLOPS GFLOPS MFLOPS "
    "PFLOPS TFLOP/s GFLOP/s W kW watts kWh Hz kHz MHz GHz units volumes "
    "multiprocessors times"
)
# 'two-week', '32-core', '80-GB': what may follow a number and a hyphen
_COMPOUND = _any(
    "second minute hour day week month year core node gpu cpu image epoch row parameter token "
    "process worker thread way fold"
)

_UNIT_OF_WORDS = rf"\s(?:{_TIME}|{_HARDWARE}|times)\b|\s(?:{_SIZE})(?!\w)|\s?(?:{_SHARE})"
_UNIT_OF_DIGITS = (
    rf"{_UNIT_OF_WORDS}"
    rf"|(?:{_TIME}|h|{_SIZE})(?!\w)|\s(?:h|s|d)(?!\w|\.\w)"
    rf"|\s(?:{_COUNTS})(?:/\w+)?(?!\w)|(?<=\b1)\s(?:GPU|CPU|core|node)\b"
    # a multiple, but neither the first side of a shape nor a product
    r"|[x×](?![\w×])|\s[x×](?![\w×])(?!\s?\d)"
    # a count of things that are named: 4 × A100
    r"|\s×\s(?=[A-Z])"
)
_JOINED = rf"-(?:{_COMPOUND})\b|-(?:{_SIZE})(?!\w)|fold\b"

# Not within a word or a name: A100, ResNet-50, v2.1, 3.11, 1/2.
_BEFORE = r"(?<![\w.,/#])(?<![A-Za-z]-)(?<![A-Za-z][–])"
FIGURE = re.compile(
    rf"{_BEFORE}(?:"
    rf"(?:{_DIGITS})(?:[x×%]?{_TO}(?:{_DIGITS}))?(?:{_UNIT_OF_DIGITS}|{_JOINED})"
    rf"|(?:(?i:{_WORDS}))(?:{_TO}(?i:{_WORDS}))?(?:{_UNIT_OF_WORDS}|{_JOINED}|\sfold\b)"
    rf"|(?i:half\s(?:an?|one)\s(?:{_TIME}))\b"
    rf"|(?i:(?:a|one|{_WORD})\s{_SCALE})\s(?:{_COUNTS})\b"
    r")"
)
