"""What can go wrong in ways that a person can mend, with the exit code for each."""


class InputError(Exception):
    """Bad input: one line that names input, place and valid choices."""

    exit_code = 2


class ToolError(Exception):
    """A needed program is missing, or failed: the message says which and what to do."""

    exit_code = 3
