"""The page of rules of the check of job scripts, made from the rules themselves."""

import re

from mlhpc import lint
from mlhpc.lint import Rule

HEADINGS = {
    "error": "Errors: Slurm refuses the job",
    "warning": "Warnings: Slurm takes it, and you regret it",
    "note": "Notes: advice, and what is not known of the cluster",
}


def page() -> str:
    """The rules by weight, each with a bad and a good example, as Markdown."""
    parts = []
    for severity, heading in HEADINGS.items():
        parts.append(f"## {heading} {{ #{severity}s }}\n")
        parts += [section(rule) for rule in lint.rules().values() if rule.severity == severity]
    # their numbers are those of examples, and stand for nothing
    return '<div class="no-figures rules" markdown>\n\n' + "\n".join(parts) + "\n</div>"


def section(rule: Rule) -> str:
    """One rule."""
    return (
        f"### {rule.title} {{ #{rule.name} }}\n\n"
        f"`{rule.name}`: {code(rule.about)}\n\n"
        f"Instead of\n\n{block(rule.bad)}\nwrite\n\n{block(rule.good)}\n"
    )


def code(text: str) -> str:
    """Text with its options and commands in the type of code."""
    return re.sub(r"(?<![\w`-])(--?[a-z][\w-]*(?:=[\w:@%]+)?|\$\w+|#SBATCH)", r"`\1`", text)


def block(script: str) -> str:
    """A script as a code block; what cannot be seen is named."""
    shown = script.lstrip("\n").replace("\r", "␍").replace("\0", "␀").rstrip("\n")
    return f"```bash\n{shown or '(nothing)'}\n```\n"
