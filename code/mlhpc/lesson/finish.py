"""The last touches on a page's HTML, each a pure function from HTML to HTML."""

import re

TABLE = re.compile(r"<table>.*?</table>", re.S)
TITLE = re.compile(
    r'(<p class="admonition-title">)(.*?)\s*\(([^()]*\bmin(?:utes)?(?:</span>)?)\)(</p>)', re.S
)
SCRIPT = re.compile(
    r'(<div class="language-bash highlight)("><pre>(?:<span></span>)?<code>'
    r'<span class="ch">#!)'
)
SBATCH = re.compile(r'<span class="c1">(#SBATCH)')
IMAGE = re.compile(r"<img (?![^>]*\bloading=)")


def finish(text: str) -> str:
    """All of them."""
    return lazy_images(exercise_times(scrolling_tables(full_headers(job_scripts(text)))))


def job_scripts(text: str) -> str:
    """A script is not typed at a terminal, and its lines for Slurm are more than comments."""
    return SBATCH.sub(r'<span class="c1 slurm">\1', SCRIPT.sub(r"\1 script\2", text))


def full_headers(text: str) -> str:
    """The corner of a table names nothing, so it is no header."""
    return text.replace("<th></th>", "<td></td>")


def scrolling_tables(text: str) -> str:
    """Each table that Markdown made, in a box that scrolls where the table is too wide."""
    box = '<div class="table" role="group" aria-label="Table" tabindex="0">{}</div>'
    return TABLE.sub(lambda match: box.format(match[0]), text)


def exercise_times(text: str) -> str:
    """'(10 min)' at the end of a block's title becomes a label of its own."""
    return TITLE.sub(r'\1\2 <span class="admonition-time">\3</span>\4', text)


def lazy_images(text: str) -> str:
    """Pictures are fetched when they come near, and the ones for the other colours not at all."""
    return IMAGE.sub('<img loading="lazy" ', text)
