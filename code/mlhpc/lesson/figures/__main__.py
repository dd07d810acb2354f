"""``python -m mlhpc.lesson.figures``: draw the lesson's figures from its records."""

import argparse
import sys
from collections.abc import Sequence

from mlhpc import cluster, content
from mlhpc.errors import InputError
from mlhpc.lesson.figures.write import write


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw, and say in one line what changed."""
    parser = argparse.ArgumentParser(prog="mlhpc.lesson.figures")
    parser.add_argument("--lesson", metavar="DIR", help="the lesson's folder")
    parser.add_argument("--cluster", default="sagehen", metavar="NAME|FILE")
    options = parser.parse_args(arguments)
    try:
        written, removed = write(content.find(options.lesson), cluster.load(options.cluster))
    except (InputError, ValueError) as error:
        print(f"mlhpc: figures: {error}", file=sys.stderr)
        return InputError.exit_code
    print(f"figures: {len(written)} files written, {len(removed)} removed", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
