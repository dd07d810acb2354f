"""Builds the gallery: runs what has changed, then writes what differs and removes what is gone."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mlhpc import content, record
from mlhpc.errors import InputError
from mlhpc.lesson import figures
from mlhpc.lesson.gallery import (
    machine,
    notebook,
    outcome,
    page,
    parse,
    results,
    run,
    sources,
)
from mlhpc.lesson.gallery.outcome import Failure, Outcome
from mlhpc.lesson.gallery.project import Project
from mlhpc.lesson.gallery.run import Task
from mlhpc.lesson.gallery.script import Script

Say = Callable[[str], None]


@dataclass(frozen=True)
class Report:
    """What a build did."""

    executed: tuple[Outcome, ...]
    reused: tuple[str, ...]
    pending: tuple[str, ...]  # neither asked for nor kept from before: not on a page
    failures: tuple[Failure, ...]
    written: int = 0
    removed: int = 0


def build(project: Project, names: tuple[str, ...], force: bool, jobs: int, say: Say) -> Report:
    """Run the examples in ``names`` (all, where there are none) that changed, and write the pages.

    Where an example fails nothing is written; what did run is kept. Raises InputError for an
    unknown name or a malformed example.
    """
    scripts = parse.read_all(project)
    chosen = _chosen(names, scripts)
    tasks = [_task(script, project) for script in scripts]
    kept = _kept(tasks, project)
    due = [task for task in tasks if _is_due(task, kept, chosen, force)]
    found = _run(due, project, jobs, say)
    executed = tuple(result for result in found if isinstance(result, Outcome))
    shown = kept | {result.name: result for result in executed}
    failures = tuple(result for result in found if isinstance(result, Failure))
    written, removed = (0, 0) if failures else _publish(scripts, shown, project)
    return Report(
        executed=executed,
        reused=tuple(name for name in shown if name not in {one.name for one in executed}),
        pending=tuple(script.name for script in scripts if script.name not in shown),
        failures=failures,
        written=written,
        removed=removed,
    )


def _chosen(names: tuple[str, ...], scripts: list[Script]) -> set[str]:
    known = [script.name for script in scripts]
    for name in names:
        if name not in known:
            choices = ", ".join(known)
            raise InputError(f"gallery: unknown example {name!r}; valid choices: {choices}")
    return set(names or known)


def _task(script: Script, project: Project) -> Task:
    found = sources.find(script, project)
    return Task(script, found, sources.digest(script, found, project))


def _kept(tasks: list[Task], project: Project) -> dict[str, Outcome]:
    """What earlier runs gave from the same sources."""
    found = (outcome.load(project.cache, task.script.name, task.hash) for task in tasks)
    return {result.name: result for result in found if result}


def _is_due(task: Task, kept: dict[str, Outcome], chosen: set[str], force: bool) -> bool:
    """True for an example to run: asked for, and new, forced, or able to use a GPU that is new."""
    name = task.script.name
    if name not in chosen:
        return False
    return force or name not in kept or _deserves_gpu(task.script, kept[name])


def _deserves_gpu(script: Script, kept: Outcome) -> bool:
    """True where a GPU is here now and was not where the kept outcome was made."""
    return script.needs.gpu != "no" and bool(machine.gpus()) and not kept.machine["gpus"]


def _run(due: list[Task], project: Project, jobs: int, say: Say) -> list[Outcome | Failure]:
    """Run what can run here; outcomes are kept as they come, so that a failure loses none."""
    results: list[Outcome | Failure] = []

    def done(result: Outcome | Failure) -> None:
        results.append(result)
        if isinstance(result, Outcome):
            outcome.save(result, project.cache)
        say(_progress(result, len(results), len(due)))

    able = [task for task in due if task.script.needs.gpu != "needed" or machine.gpus()]
    for task in due:
        if task not in able:
            done(_without_gpu(task, project))
    if able:
        say(f"gallery: {len(able)} to run; loading the libraries")
        run.run_all(able, project, jobs, done)
    return results


def _progress(result: Outcome | Failure, count: int, total: int) -> str:
    head = f"gallery: {count} of {total}: {result.name}"
    if isinstance(result, Failure):
        return f"{head} FAILED"
    # warnings stand on no page, so they are mentioned here
    complaints = "".join(output.stderr for output in result.outputs).count("\n")
    tail = f" (lines on stderr: {complaints})" if complaints else ""
    return f"{head} ran in {result.seconds:.1f} s{tail}"


def _without_gpu(task: Task, project: Project) -> Failure:
    place = f"{project.shown(task.script.path)}:1"
    message = "it needs a GPU and this machine has none: run it where there is one"
    return Failure(task.script.name, place, message)


def _publish(scripts: list[Script], shown: dict[str, Outcome], project: Project) -> tuple[int, int]:
    """Write what differs and remove what is gone; return how many files of each."""
    entries: dict[str, dict[str, Any]] = {}
    files: dict[str, str | bytes] = {}
    records = record.load_all(content.Lesson(project.episodes).measurements)
    for script in scripts:
        if script.name in shown:
            entries[script.name] = results.entry(script, shown[script.name])
            files |= _files(script, shown[script.name], entries[script.name], records)
    files["index.md"] = page.render_index(entries)
    # the last one: it says that the others are there
    files[results.RESULTS] = json.dumps(entries, indent=1, ensure_ascii=False) + "\n"
    removed = _remove_others(project.gallery, set(files))
    places = ((project.gallery / name, data) for name, data in files.items())
    written = sum(content.write_atomic(place, data) for place, data in places)
    outcome.prune(project.cache, {script.name for script in scripts})
    return written, removed


def _files(
    script: Script, found: Outcome, entry: dict[str, Any], records: list[record.Record]
) -> dict[str, str | bytes]:
    """Every file of one example, by its place in the gallery."""
    files: dict[str, str | bytes] = {
        f"{script.name}.md": page.render(script.name, entry, records),
        f"{page.FOLDER}/{script.path.name}": script.path.read_bytes(),
        f"{page.FOLDER}/{script.name}.ipynb": notebook.render(script, found),
    }
    for number, figure in enumerate(results.drawings(found), 1):
        files[results.figure_file(script.name, number, "light")] = figure.svg
        files[results.figure_file(script.name, number, "dark")] = figures.darken(figure.svg)
    return files


def _remove_others(folder: Path, names: set[str]) -> int:
    """Remove every file that no example of now has made; return how many."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    gone = [path for path in files if path.relative_to(folder).as_posix() not in names]
    for path in gone:
        path.unlink()
    return len(gone)
