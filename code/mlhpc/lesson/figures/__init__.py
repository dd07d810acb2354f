"""Figures of the lesson: their look (``style``), and those that are made from records.

``tables`` makes rows of records, ``charts`` draws them, ``write`` puts the files where the pages
find them; ``python -m mlhpc.lesson.figures`` is all of that.
"""

from mlhpc.lesson.figures.style import (
    DARK_GROUND,
    DARK_INK,
    DARK_TWINS,
    GROUND,
    SERIES,
    Drawing,
    darken,
    draw,
    use_style,
)

__all__ = [
    "DARK_GROUND",
    "DARK_INK",
    "DARK_TWINS",
    "GROUND",
    "SERIES",
    "Drawing",
    "darken",
    "draw",
    "use_style",
]
