"""The planner's page: its form, the worked cases and the rules, made from the planner itself."""

import html
import re

from mlhpc import plan
from mlhpc.cluster import Cluster
from mlhpc.plan import Plan
from mlhpc.plan.project import Spec
from mlhpc.plan.rules import Rule

IN_SIGHT = ("model", "data_size", "laptop_hours", "trials", "deadline")
FOLDED = ("name", "parameters", "samples", "epochs", "batch", "laptop_gpu", "search", "often",
          "team", "fp64", "memory", "gpu_memory", "program", "lab")  # fmt: skip

# The projects of the lessons, and three more.
WORKED: dict[str, dict[str, str | int]] = {
    "Project A: fine-tune BERT": {"model": "bert", "data_size": "5 GB", "laptop_hours": "8 h"},
    "Project B: a random forest": {
        "model": "random_forest", "data_size": "2 GB", "laptop_hours": "15 min",
    },
    "Project C: a 3D network": {
        "model": "unet3d", "data_size": "50 GB", "laptop_hours": "2 weeks",
    },
    "Satellite images": {"model": "resnet50", "data_size": "1 TB", "laptop_hours": "20 days"},
    "A grid search": {"model": "cnn", "data_size": "5 GB", "laptop_hours": "10 h", "trials": 100},
    "A large forest": {
        "model": "random_forest", "data_size": "60 GB", "laptop_hours": "30 h",
    },
}  # fmt: skip
PLACES = {"laptop": "laptop", "either": "either will do", "cpu": "CPU node", "gpu": "GPU",
          "none": "nowhere"}  # fmt: skip


def form() -> str:
    """The form, of which the page's script makes the planner; hidden without it."""
    specs = plan.specs()
    seen = "\n".join(_field(name, specs[name]) for name in IN_SIGHT)
    folded = "\n".join(_field(name, specs[name]) for name in FOLDED)
    return (
        '<form class="no-figures" data-tool="planner" aria-label="Your project" novalidate'
        " hidden>\n"
        f'<div class="fields">\n{seen}\n</div>\n'
        f'<details><summary>More about it</summary>\n<div class="fields">\n{folded}\n</div>'
        '</details>\n<div class="actions">'
        '<button class="action action--main">Plan</button></div>\n</form>\n'
    )


def _field(name: str, spec: Spec) -> str:
    about = html.escape(f"{spec.about[:1].upper()}{spec.about[1:]}")
    example = html.escape(spec.example, quote=True)
    if spec.kind == "flag":
        return (
            f'<label class="choice"><input type="checkbox" name="{name}" value="yes">'
            f"<span>{about}</span></label>"
        )
    if spec.choices:
        options = "".join(f"<option>{html.escape(one)}</option>" for one in ("", *spec.choices))
        return f'<label class="field">{about}<select name="{name}">{options}</select></label>'
    return (
        f'<label class="field">{about}<input type="text" name="{name}" autocomplete="off"'
        f' placeholder="{example}"></label>'
    )


def worked(cluster: Cluster) -> str:
    """The worked cases as a table: what the planner says of each."""
    rows = ["| Project | Where | What it asks for | One run |", "|---|---|---|---|"]
    for title, given in WORKED.items():
        made = plan.plan(plan.from_mapping(given, title), cluster)
        told = ", ".join(f"{value}" for key, value in given.items())
        asks = f"{PLACES[made.place]} | {_asks(made, cluster)} | {_time(made)}"
        rows.append(f"| {title} ({told}) | {asks} |")
    return '<div class="no-figures" markdown>\n\n' + "\n".join(rows) + "\n\n</div>"


def _asks(made: Plan, cluster: Cluster) -> str:
    if made.full is None:
        return "nothing"
    gpu = cluster.gpus[made.full.gpu].name if made.full.gpu else None
    words = [f"{made.full.gpus} × {gpu}"] if gpu else []
    words += [f"{made.full.cpus} cores", f"{made.full.memory_gib} GiB"]
    if made.array:
        words.append(f"{made.array.tasks} tasks, {made.array.limit} at once")
    return ", ".join(words)


def _time(made: Plan) -> str:
    span = made.hours_per_task
    if span is None:
        return "time a sample first"
    low, high = (f"{value:.2g} h" if value < 48 else f"{value / 24:.2g} days" for value in span)
    return low if low == high else f"{low} to {high}"


def rules() -> list[tuple[str, str]]:
    """Each rule of the planner in words, with the claim that it stands on; what is filled in from
    a project stands in angle brackets."""
    return [(_words(rule), rule.claim) for rule in plan.rules().by_name.values()]


def _words(rule: Rule) -> str:
    text = rule.text.replace("{figure}", rule.figure)
    text = re.sub(r"\{(\w+)[^}]*\}", lambda found: f"‹{found[1].replace('_', ' ')}›", text)
    return f"{text[:1].upper()}{text[1:]}"
