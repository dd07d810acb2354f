"""What mkdocs calls while it builds: thin, so that each step is also a function without mkdocs.

The steps: list the executed examples in the navigation, leave Material's own styles and scripts
out, finish each page's HTML, say to search engines what the page teaches, and set its policy.
"""

import datetime
import subprocess
from pathlib import Path
from typing import Any

from mlhpc.lesson import describe, finish, policy, wheel

EXAMPLES = "Examples"
# where 'edit this page' leads when nothing says where this copy of the lesson lives
REPOSITORY = "https://github.com/OWNER/mlhpc"
# Material's own look and behaviour are not used: the theme folder has both
UNUSED = ("assets/javascripts/", "assets/stylesheets/main", "assets/stylesheets/palette",
          "assets/images/favicon.png", "partials/")  # fmt: skip
OURS = ("mlhpc.js", "dialog.js", "receipt.js", "search.js", "worker.js", "python.js", "make.js",
        "quiz.js", "check.js", "planner.js", "cells.js")  # fmt: skip

_state: dict[str, Any] = {"serving": False, "dates": {}}


def on_startup(command: str, **_: Any) -> None:
    """``mkdocs serve`` adds a script of its own to each page, which the policy would stop."""
    _state["serving"] = command == "serve"


def on_config(config: Any, **_: Any) -> Any:
    """Add the examples to the navigation, what the first page counts, and where edits go."""
    docs = Path(config["docs_dir"])
    examples = [f"gallery/{path.name}" for path in sorted((docs / "gallery").glob("plot_*.md"))]
    for item in config["nav"]:
        if EXAMPLES in item:
            item[EXAMPLES] = item[EXAMPLES] + examples
    config["extra"]["counts"] = describe.counts(docs, len(examples))
    config["extra"]["wheel"] = f"wheels/{wheel.NAME}"
    config["repo_url"] = config["repo_url"] or REPOSITORY
    _state["dates"] = git_dates(docs)
    return config


def on_files(files: Any, **_: Any) -> Any:
    """Leave out what the pages do not use."""
    for file in list(files):
        if file.src_uri.startswith(UNUSED) and not file.src_uri.endswith(OURS):
            files.remove(file)
    return files


def on_page_content(html: str, **_: Any) -> str:
    """Finish the text of a page."""
    return finish.finish(html)


def on_page_context(context: Any, page: Any, config: Any, **_: Any) -> Any:
    """Date and description of the page, for people and for search engines."""
    updated = _state["dates"].get(page.file.src_uri)
    if updated:
        page.meta["updated"] = updated.isoformat()
        page.meta["updated_text"] = f"{updated.day} {updated:%B %Y}"
    page.edit_url = edit_url(page.edit_url, page.file.src_uri)
    page.meta["json_ld"] = describe.learning_resource(page, config)
    return context


def on_post_page(output: str, **_: Any) -> str:
    """Set the policy of the page."""
    return output if _state["serving"] else policy.add_policy(output)


def on_post_template(output_content: str, template_name: str, **_: Any) -> str:
    """Set the policy of the page for unknown addresses."""
    served = _state["serving"] or not template_name.endswith(".html")
    return output_content if served else policy.add_policy(output_content)


def edit_url(url: str | None, page: str) -> str | None:
    """Where a page is edited: the page of an example is made from its script."""
    if not url or not page.startswith("gallery/"):
        return url
    if page == "gallery/index.md":
        return None
    script = page.removeprefix("gallery/").removesuffix(".md")
    return url.replace(f"episodes/{page}", f"code/examples/{script}.py")


def git_dates(docs: Path) -> dict[str, datetime.date]:
    """The day of the last commit of each page; empty outside a repository."""
    command = ["git", "log", "--format=%cs", "--name-only", "--relative", "--", "."]
    try:
        done = subprocess.run(
            command, cwd=docs, capture_output=True, text=True, check=True, timeout=30
        )
    except (OSError, subprocess.SubprocessError):
        return {}
    return newest_dates(done.stdout)


def newest_dates(log: str) -> dict[str, datetime.date]:
    """The log, newest first, to the first date under which each file stands."""
    dates: dict[str, datetime.date] = {}
    day: datetime.date | None = None
    for line in filter(None, log.splitlines()):
        try:
            day = datetime.date.fromisoformat(line)
        except ValueError:
            if day:
                dates.setdefault(line, day)
    return dates
