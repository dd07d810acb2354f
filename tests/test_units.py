"""Durations, sizes and counts: what each spelling means, and what nonsense is told."""

import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlhpc.errors import InputError
from mlhpc.units import (
    GIB,
    LARGEST_SLURM_S,
    LARGEST_WHOLE,
    MIB,
    TIB,
    format_count,
    format_duration,
    format_size,
    format_slurm_memory,
    format_slurm_time,
    parse_count,
    parse_duration_s,
    parse_size_bytes,
)

RECORDED = Path(__file__).parent / "recorded" / "units" / "sbatch-spellings.tsv"


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90 s", 90),
        ("90s", 90),
        ("45 min", 2700),
        ("1.5 h", 5400),
        ("2 h 30 min", 9000),
        ("2h30m", 9000),
        ("2 hours and 30 minutes", 9000),
        ("2 hours, 30 minutes", 9000),
        ("1 day 6 hours", 108000),
        ("3 weeks", 1814400),
        ("0.25 s", 0.25),
        ("250 ms", 0.25),
        ("10 µs", 1e-5),
        ("1,000 s", 1000),
        ("1e3 s", 1000),
        (".5 h", 1800),
        ("  2\u00a0h ", 7200),
        ("12:30:00", 45000),
        ("2-12:00:00", 216000),
        ("0 s", 0),
    ],
)
def test_people_say_durations_with_units(text: str, seconds: float) -> None:
    assert parse_duration_s(text) == seconds


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("30", 1800),
        ("30:15", 1815),
        ("1:30:15", 5415),
        ("90:00", 5400),
        ("1:90:00", 9000),
        ("720:00:00", 2592000),
        ("1-12", 129600),
        ("2-12:30", 217800),
        ("2-12:30:15", 217815),
        ("1-", 86400),
        ("30-00:00:00", 2592000),
        ("0", 0),
        ("UNLIMITED", math.inf),
        ("infinite", math.inf),
        ("-1", math.inf),
    ],
)
def test_slurm_counts_the_fields_of_a_time(text: str, seconds: float) -> None:
    assert parse_duration_s(text, style="slurm") == seconds


@pytest.mark.parametrize(
    ("text", "size_bytes"),
    [
        ("1 TB", 10**12),
        ("1TB", 10**12),
        ("1tb", 10**12),
        ("1 terabyte", 10**12),
        ("1TiB", 2**40),
        ("1e12", 10**12),
        ("1.1 TB", 1_100_000_000_000),
        ("16G", 16 * 10**9),
        ("16 GiB", 16 * 2**30),
        ("500 MB", 500 * 10**6),
        ("150 GB", 150 * 10**9),
        ("0.5 kB", 500),
        ("0.3 KiB", 307),
        ("1,281,167 bytes", 1281167),
        ("0", 0),
        ("8 EB", 8 * 10**18),
    ],
)
def test_peoples_sizes_are_decimal_unless_they_say_ib(text: str, size_bytes: int) -> None:
    assert parse_size_bytes(text) == size_bytes


@pytest.mark.parametrize(
    ("text", "size_bytes"),
    [
        ("16", 16 * MIB),
        ("16M", 16 * MIB),
        ("16G", 16 * GIB),
        ("16GB", 16 * GIB),
        ("16g", 16 * GIB),
        ("1T", TIB),
        ("2048K", 2 * MIB),
        ("1K", MIB),
        ("0", 0),
    ],
)
def test_slurms_sizes_are_binary_and_bare_numbers_are_mib(text: str, size_bytes: int) -> None:
    assert parse_size_bytes(text, style="slurm") == size_bytes


def test_the_same_text_differs_between_people_and_slurm() -> None:
    assert parse_size_bytes("16G") == 16_000_000_000
    assert parse_size_bytes("16G", style="slurm") == 17_179_869_184


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("100", 100),
        ("1,281,167", 1281167),
        ("1.5M", 1_500_000),
        ("25.6 million", 25_600_000),
        ("7B", 7 * 10**9),
        ("3k", 3000),
        ("1e6", 10**6),
        ("1.2e3", 1200),
        ("2 trillion", 2 * 10**12),
        ("0", 0),
    ],
)
def test_counts_are_exact_whole_numbers(text: str, count: int) -> None:
    assert parse_count(text) == count
    assert isinstance(parse_count(text), int)


def slurm_time(text: str) -> float:
    return parse_duration_s(text, style="slurm")


def slurm_size(text: str) -> float:
    return parse_size_bytes(text, style="slurm")


PARSERS = [parse_duration_s, slurm_time, parse_size_bytes, slurm_size, parse_count]
NONSENSE = ["", "   ", "-5", "−5 s", "-5 GB", "nan", "NaN s", "inf", "Infinity", "soon", "1..5 h",
            "1,5", "1e999", "1e31 GB", "99999999999999999999999", "9" * 5000, "5 parsecs", "5 Gbit",
            "٣ h", "16\x00", "1\n2", "--", ".", "e5", "1:2:3:4", "0x10"]  # fmt: skip


@pytest.mark.parametrize("parse", PARSERS)
@pytest.mark.parametrize("text", NONSENSE)
def test_nonsense_is_one_line_that_lists_the_valid_forms(
    parse: Callable[[str], float], text: str
) -> None:
    with pytest.raises(InputError) as refused:
        parse(text)
    message = str(refused.value)
    assert "valid forms: " in message
    assert "\n" not in message
    assert len(message) < 320


@pytest.mark.parametrize("parse", PARSERS)
@pytest.mark.parametrize("value", [None, 5, 1.5, True, b"5 s", ["5 s"], math.nan])
def test_what_is_not_text_is_refused_and_its_type_named(
    parse: Callable[[object], float], value: object
) -> None:
    with pytest.raises(InputError, match=type(value).__name__):
        parse(value)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("5", "no unit after 5"),
        ("2 h 30", "no unit after 30"),
        ("1:30", "h:min or min:s"),
        ("3 months", "unknown unit 'months'"),
        ("30 min 2 h", "out of order"),
        ("2 h 2 h", "out of order"),
        ("2e12 s", "more than 1,000,000,000,000"),
        ("tomorrow", "not a duration"),
    ],
)
def test_a_refused_duration_says_why(text: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        parse_duration_s(text)


def test_the_error_names_the_input_as_the_caller_does() -> None:
    with pytest.raises(InputError, match=r"^--laptop-hours: 'x' is not a duration"):
        parse_duration_s("x", name="--laptop-hours")
    with pytest.raises(InputError, match=r"^project\.toml: data-size: 'x' is not a number"):
        parse_size_bytes("x", name="project.toml: data-size")


def test_an_unknown_style_is_refused() -> None:
    with pytest.raises(InputError, match="valid choices: people, slurm"):
        parse_size_bytes("1 GB", style="pbs")  # type: ignore[arg-type]


def test_half_a_thing_is_not_a_count() -> None:
    with pytest.raises(InputError, match="not a whole number"):
        parse_count("1.5")


# taken by sbatch by accident of its parser, and never meant
ACCIDENTS = {("time", "-5"), ("mem", "+16")}


def test_slurm_spellings_are_taken_as_sbatch_takes_them() -> None:
    rows = [line.split("\t") for line in RECORDED.read_text().splitlines()[1:]]
    assert len(rows) > 40
    parsers = {"time": slurm_time, "mem": slurm_size}
    for option, text, taken in rows:
        try:
            parsers[option](text)
            ours = "yes"
        except InputError:
            ours = "no"
        expected = "no" if (option, text) in ACCIDENTS else taken
        assert ours == expected, f"--{option}={text}"


@pytest.mark.parametrize(
    ("seconds", "parts", "text"),
    [
        (9000, None, "2 h 30 min"),
        (93784, None, "1 d 2 h 3 min 4 s"),
        (93784, 2, "1 d 2 h"),
        (93784, 1, "1 d"),
        (86399, 1, "1 d"),
        (59.9996, None, "1 min"),
        (0.25, None, "0.25 s"),
        (0.25, 2, "0.25 s"),
        (0.00001, None, "1e-05 s"),
        (0, None, "0 s"),
        (math.inf, None, "unlimited"),
    ],
)
def test_durations_are_written_for_people(seconds: float, parts: int | None, text: str) -> None:
    assert format_duration(seconds, parts) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(90000, "1-01:00:00"), (3600, "01:00:00"), (0.1, "00:00:01"), (2592000, "30-00:00:00"),
     (360000, "4-04:00:00"), (math.inf, "UNLIMITED")],
)  # fmt: skip
def test_time_limits_are_written_as_slurm_writes_them(seconds: float, text: str) -> None:
    assert format_slurm_time(seconds) == text


@pytest.mark.parametrize(
    ("size_bytes", "options", "text"),
    [
        (1.5e12, {}, "1.5 TB"),
        (10**12, {}, "1 TB"),
        (1234567, {}, "1234567 B"),
        (1234567, {"digits": 3}, "1.23 MB"),
        (999999, {"digits": 3}, "1 MB"),
        (500, {"digits": 2}, "500 B"),
        (80 * GIB, {"binary": True}, "80 GiB"),
        (85899345920, {"digits": 3}, "85.9 GB"),
        (1020 * GIB, {"binary": True, "digits": 3}, "1020 GiB"),
        (1023.5 * GIB, {"binary": True, "digits": 3}, "1 TiB"),
        (0, {}, "0 B"),
    ],
)
def test_sizes_are_written_for_people(
    size_bytes: float, options: dict[str, int], text: str
) -> None:
    assert format_size(size_bytes, **options) == text  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("size_bytes", "text"),
    [(64 * GIB, "64G"), (1, "1M"), (1536 * MIB, "1536M"), (2 * TIB, "2T"), (GIB + 1, "1025M")],
)
def test_memory_is_written_for_slurm_and_never_rounded_down(size_bytes: int, text: str) -> None:
    assert format_slurm_memory(size_bytes) == text


def test_no_memory_is_never_written_since_slurm_takes_it_for_all() -> None:
    with pytest.raises(InputError, match="all memory"):
        format_slurm_memory(0)


@pytest.mark.parametrize(
    ("count", "digits", "text"),
    [(1_500_000, None, "1.5M"), (1281167, None, "1,281,167"), (25557032, 3, "25.6M"),
     (7 * 10**9, None, "7B"), (950, None, "950"), (0, None, "0")],
)  # fmt: skip
def test_counts_are_written_for_people(count: int, digits: int | None, text: str) -> None:
    assert format_count(count, digits) == text


@pytest.mark.parametrize("write", [format_duration, format_slurm_time, format_size,
                                   format_slurm_memory, format_count])  # fmt: skip
@pytest.mark.parametrize("value", [-1, math.nan, -math.inf])
def test_what_cannot_be_shown_is_refused(write: Callable[[float], str], value: float) -> None:
    with pytest.raises(InputError):
        write(value)


@pytest.mark.parametrize("write", [format_size, format_slurm_memory, format_count])
def test_an_unbounded_amount_is_refused(write: Callable[[float], str]) -> None:
    with pytest.raises(InputError):
        write(math.inf)


def test_a_limit_that_slurm_cannot_hold_is_refused() -> None:
    with pytest.raises(InputError, match="more than Slurm holds"):
        format_slurm_time(LARGEST_SLURM_S + 1)
    with pytest.raises(InputError, match="cannot be meant"):
        slurm_time("24856-00:00:00")


@given(st.integers(0, 10**12))
def test_whole_seconds_survive_people(seconds: int) -> None:
    assert parse_duration_s(format_duration(seconds)) == seconds


@given(st.integers(0, 10**9))
def test_milliseconds_survive_people(milliseconds: int) -> None:
    seconds = milliseconds / 1000
    assert parse_duration_s(format_duration(seconds)) == pytest.approx(seconds, abs=1e-9)


@given(st.integers(0, LARGEST_SLURM_S))
def test_whole_seconds_survive_slurm(seconds: int) -> None:
    assert slurm_time(format_slurm_time(seconds)) == seconds
    assert parse_duration_s(format_slurm_time(seconds)) == seconds


@given(st.integers(0, LARGEST_WHOLE), st.booleans())
def test_bytes_survive_people(size_bytes: int, binary: bool) -> None:
    assert parse_size_bytes(format_size(size_bytes, binary)) == size_bytes


@given(st.integers(1, LARGEST_WHOLE // 2), st.integers(1, 4), st.booleans())
def test_rounded_sizes_are_near(size_bytes: int, digits: int, binary: bool) -> None:
    shown = format_size(size_bytes, binary, digits)
    error = abs(Fraction(parse_size_bytes(shown)) - size_bytes) / size_bytes
    assert error <= Fraction(1, 2 * 10 ** (digits - 1))


@given(st.integers(1, LARGEST_WHOLE // MIB))
def test_mib_survive_slurm(size_mib: int) -> None:
    assert slurm_size(format_slurm_memory(size_mib * MIB)) == size_mib * MIB


@given(st.integers(1, LARGEST_WHOLE - MIB))
def test_slurm_memory_is_enough_and_less_than_a_mib_too_much(size_bytes: int) -> None:
    assert 0 <= slurm_size(format_slurm_memory(size_bytes)) - size_bytes < MIB


@given(st.integers(0, LARGEST_WHOLE))
def test_counts_survive(count: int) -> None:
    assert parse_count(format_count(count)) == count


@given(st.text(max_size=80))
def test_any_text_is_understood_or_refused(text: str) -> None:
    for parse in PARSERS:
        try:
            value = parse(text)
        except InputError as refused:
            assert "\n" not in str(refused)
        else:
            assert value >= 0
