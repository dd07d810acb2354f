"""Durations, sizes and counts, in people's spelling and in Slurm's: one parser for all.

People's sizes are decimal unless they say otherwise (``1 TB`` is 1000**4 bytes, ``1 TiB`` is
1024**4); Slurm's are always binary, and a bare number is MiB. People name the unit of a duration
(``90 s``, ``2 h 30 min``); Slurm counts fields (``30`` is minutes, ``1-12`` is a day and a half).
What Slurm takes and refuses follows ``sbatch`` 22.05 itself (``src/common/parse_time.c`` and
``proc_args.c`` of github.com/SchedMD/slurm).

Arithmetic is exact (fractions), so that ``1.1 TB`` is 1,100,000,000,000 bytes and not one less.
Every parser raises InputError, one line that lists the valid forms.
"""

from mlhpc.units.reading import Style, parse_count, parse_duration_s, parse_size_bytes
from mlhpc.units.scales import (
    DAY_S,
    EIB,
    GIB,
    HOUR_S,
    KIB,
    LARGEST_S,
    LARGEST_SLURM_S,
    LARGEST_WHOLE,
    MIB,
    MINUTE_S,
    PIB,
    TIB,
    WEEK_S,
)
from mlhpc.units.writing import (
    format_count,
    format_duration,
    format_size,
    format_slurm_memory,
    format_slurm_time,
)

__all__ = [
    "DAY_S",
    "EIB",
    "GIB",
    "HOUR_S",
    "KIB",
    "LARGEST_S",
    "LARGEST_SLURM_S",
    "LARGEST_WHOLE",
    "MIB",
    "MINUTE_S",
    "PIB",
    "TIB",
    "WEEK_S",
    "Style",
    "format_count",
    "format_duration",
    "format_size",
    "format_slurm_memory",
    "format_slurm_time",
    "parse_count",
    "parse_duration_s",
    "parse_size_bytes",
]
