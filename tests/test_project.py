"""What the repository promises of itself: pins, rights of workflows, a README that is true."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parent.parent
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def jobs() -> list[tuple[str, str, dict]]:
    found = [
        (path.name, name, job)
        for path in WORKFLOWS
        for name, job in yaml.safe_load(path.read_text())["jobs"].items()
    ]
    assert len(found) >= 4
    return found


def steps() -> list[tuple[str, dict]]:
    found = [(file, step) for file, _, job in jobs() for step in job["steps"]]
    assert len(found) >= 10
    return found


def test_every_action_is_pinned_by_commit_with_its_version_beside_it() -> None:
    lines = [
        line for path in WORKFLOWS for line in path.read_text().splitlines() if "uses:" in line
    ]
    assert len(lines) >= 5
    for line in lines:
        assert re.search(r"uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$", line), line


def test_no_workflow_gives_a_fork_more_than_reading() -> None:
    for path in WORKFLOWS:
        workflow = yaml.safe_load(path.read_text())
        # YAML reads the key 'on' as true
        triggers = workflow[True]
        assert "pull_request_target" not in triggers
        assert "workflow_run" not in triggers
        if "pull_request" in triggers:
            assert workflow["permissions"] == {"contents": "read"}
            assert "secrets." not in path.read_text()


def test_only_the_publishing_job_may_write_and_it_checks_nothing_out() -> None:
    writers = []
    for file, name, job in jobs():
        permissions = job.get("permissions", {})
        if "write" in permissions.values():
            writers.append(name)
            assert file == "publish.yml"
            assert not any("checkout" in step.get("uses", "") for step in job["steps"])
    assert writers == ["publish"]


def test_no_job_runs_on_a_machine_of_the_centre_or_without_a_time_limit() -> None:
    for _, name, job in jobs():
        assert job["runs-on"] == "ubuntu-24.04", name
        assert 0 < job["timeout-minutes"] <= 90, name


def test_no_workflow_reaches_the_cluster_or_refreshes_its_figures() -> None:
    for path in WORKFLOWS:
        text = path.read_text()
        for word in ("ssh", "sbatch", "refresh", "submit", "self-hosted", "secrets."):
            assert word not in text, f"{path.name}: {word}"


def test_a_checkout_keeps_no_credentials() -> None:
    checkouts = [step for _, step in steps() if "actions/checkout" in step.get("uses", "")]
    assert len(checkouts) >= 3
    assert all(step["with"]["persist-credentials"] is False for step in checkouts)


def test_what_a_workflow_runs_holds_no_expression_that_could_be_typed_by_a_stranger() -> None:
    for file, step in steps():
        assert "${{" not in step.get("run", ""), f"{file}: {step['run']}"


def pins() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    found = dict(line.split("==") for line in lines if line and not line.startswith("#"))
    return {normal(name): version for name, version in found.items()}


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_everything_that_is_asked_for_is_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [name for extra in project["optional-dependencies"].values() for name in extra]
    assert len(wanted) > 15
    own = {normal(name) for name in wanted if name.startswith("mlhpc[")}
    assert {normal(name) for name in wanted} - own <= set(pins())


def test_the_core_asks_for_nothing() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["dependencies"] == []


def test_what_is_installed_is_what_is_pinned() -> None:
    command = [sys.executable, "-m", "pip", "freeze", "--exclude-editable"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    installed = [line.split("==") for line in done.stdout.splitlines() if "==" in line]
    assert len(installed) > 50
    # a build for one kind of machine names itself after a plus sign
    wrong = [
        f"{name}: {version}, pinned {pins().get(normal(name))}"
        for name, version in installed
        if pins().get(normal(name)) != version.partition("+")[0]
    ]
    assert wrong == []


def test_the_readme_names_only_files_and_targets_that_are_there() -> None:
    readme = (ROOT / "README.md").read_text()
    tree = re.search(r"```text\n(.+?)```", readme, re.S)
    assert tree, "the annotated tree is missing"
    paths = [line.split("  ")[0].strip() for line in tree[1].splitlines() if line.strip()]
    assert len(paths) > 15
    missing = [path for path in paths if not list(ROOT.glob(path))]
    assert missing == []


@pytest.mark.parametrize("target", ["serve", "test", "site", "check", "figures", "bench", "clean"])
def test_a_make_target_of_the_readme_exists(target: str) -> None:
    assert f"make {target}" in (ROOT / "README.md").read_text()
    command = ["make", "--dry-run", target]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
