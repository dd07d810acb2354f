"""What every program of ``code/jobs`` ends with: its main, with errors told in one line."""

import sys
from collections.abc import Callable

from mlhpc.errors import InputError, ToolError


def run(main: Callable[[], None]) -> int:
    """Run ``main``; exit code 2 for bad input, 3 for a tool that is missing, as everywhere here."""
    try:
        main()
    except (InputError, ToolError) as error:
        print(f"mlhpc: {error}", file=sys.stderr)
        return error.exit_code
    except ModuleNotFoundError as error:
        print(f"mlhpc: {error.name} is not installed: pip install 'mlhpc[jobs]'", file=sys.stderr)
        return ToolError.exit_code
    return 0
