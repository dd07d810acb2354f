"""What the lesson's pages must hold: all of both episodes, examples, times, words, pictures."""

import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

import mlhpc
from mlhpc import claims, content

LESSON = content.find()
ROOT = LESSON.root
EPISODES = ("01-why-hpc.md", "02-ml-workflow.md")
IMAGES = sorted((ROOT / "images").glob("*-light.svg"))

# What each page must say, in its own words where the words are free. A macro stands as '_'.
SAID = {
    "01-why-hpc.md": [
        "When do you need HPC for machine learning?",
        "What problems require cluster computing?",
        "What are the advantages and tradeoffs of HPC for machine learning?",
        "Understand when HPC is necessary for machine learning",
        "Identify the machine learning bottlenecks that HPC solves",
        "Evaluate whether a project benefits from HPC resources",
        # the bottlenecks
        "A neural network trains for _ instead of _",
        "A hyperparameter search would take _",
        "too large to fit in RAM",
        "Several members of a team need to train models at the same time",
        # the workflow and its note
        "collect and clean data, feature engineering, choose a model, train, evaluate",
        "Only training usually needs a GPU. The rest runs on the amd partition",
        # scenarios
        "Scenario 1: Are the data too large?",
        "Dask or Spark over several nodes",
        "Example: ImageNet, for image classification",
        "Scenario 2: Does training take too long?",
        "Simple models (under _), little data: minutes to hours. A laptop is fine",
        "Medium models, moderate data",
        "Large models (over _), large data: days to weeks on CPUs, hours to days on GPUs",
        "ResNet-50 on ImageNet",
        "Scenario 3: Do you train many models?",
        "Grid search: _ of _ are _ of work",
        "Bayesian optimisation: _",
        # cost and benefit
        "training takes more than _ on your laptop",
        "you have more than _ of data",
        "you need a hyperparameter sweep",
        "a team shares data and results",
        "the code is written",
        "training takes less than _",
        "you try out architectures by hand",
        "you are learning to program: a laptop answers faster",
        "it is one short experiment; a single long one is a yes",
        # the challenge
        "Project A: fine-tune a pre-trained BERT model",
        "Project B: a random forest with scikit-learn",
        "Project C: a 3D CNN for medical images",
        "does it benefit from HPC? Should you use GPU nodes or CPU nodes",
        "Project A: yes, one GPU",
        "Project B: no, use the laptop",
        "Project C: absolutely yes, one GPU",
        "Several GPUs pay only when there is a deadline",
        # key points
        "HPC becomes essential when training takes more than _ or data exceed _",
        "Runs side by side turn the weeks of a hyperparameter search into days",
        "Always test code on small data first, then in the short partition",
        "Not every machine learning project benefits from HPC",
    ],
    "02-ml-workflow.md": [
        "How do CPUs and GPUs compare for different machine learning workloads?",
        "What GPU options are available on Sagehen HPC?",
        "What does a typical machine learning workflow on HPC look like?",
        "Learn CPU and GPU tradeoffs for different workloads",
        "Know Sagehen’s machine learning capabilities and GPU options",
        "Plan machine learning workflows that use HPC effectively",
        # CPU and GPU
        "sequential logic, complex control flow, sparse operations",
        "preprocessing with pandas and scikit-learn",
        "tree-based models (random forests, XGBoost, LightGBM)",
        "sparse linear models",
        "feature engineering and data cleaning",
        "massive parallelism, dense matrix operations",
        "deep neural networks: CNNs, Transformers, and RNNs",
        "large matrix operations",
        "batch processing",
        "any framework with CUDA support (PyTorch, TensorFlow)",
        "GPUs excel at deep learning",
        "Size the problem before you assume that you need the cluster",
        # where to compute
        "Login nodes",
        "CPU nodes, partition amd",
        "GPU nodes, partition gpu",
        "Partition short",
        "sinfo -p short",
        "OnDemand",
        # the challenge
        "classify satellite images: a data set of _, with ResNet-50",
        "Which storage tier should you use for the raw data?",
        "Which GPU should you request for training on a single GPU?",
        "How would you estimate the training time without running the full data set?",
        "Storage: /bigdata for the raw data",
        "GPU: start with an L40S",
        "Time: from a sample",
        "Plan extra time for reading",
        # key points
        "GPUs accelerate deep learning",
        "Sagehen offers _ GPUs in total",
        "The storage tiers (/rhome, /bigdata, /scratch)",
        "combines local development with remote training",
        "Preprocess on CPU nodes and train on a GPU",
    ],
}
PHASES = ["Local development", "Preprocessing", "Training", "Evaluation", "Iteration"]


def source(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def said(page: str) -> str:
    """A page's words on one line: no front matter, no markup, ``_`` for a macro that prints."""
    text = source(page).split("---\n", 2)[2]
    text = re.sub(r"\s*\{\{ see\(.*?\) \}\}", "", text, flags=re.S)
    text = re.sub(r"\{\{.*?\}\}", "_", text, flags=re.S)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return " ".join(re.sub(r"[*`]", "", text).split())


def block(page: str, kind: str) -> str:
    """The indented text of the first block of a kind: objectives, keypoints, question."""
    found = re.search(rf'^!!! {kind} ".*"\n((?:    .*\n|\n)+)', source(page), re.M)
    assert found, f"{page} has no block {kind}"
    return str(found[1])


def items(text: str) -> list[str]:
    return re.findall(r"^    - (.*)", text, re.M)


def table(page: str, first_header: str) -> list[list[str]]:
    """The rows of the table whose first header is this one."""
    lines = source(page).splitlines()
    rows: list[list[str]] = []
    start = next(n for n, line in enumerate(lines) if line.startswith(f"| {first_header} |"))
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            return rows
        rows.append([cell.strip() for cell in line.strip("|").split(" | ")])
    return rows


def shell_blocks() -> Iterator[tuple[str, str]]:
    for page in LESSON.pages():
        text = page.read_text(encoding="utf-8")
        for found in re.finditer(r"^( *)```bash\n(.*?)^\1```$", text, re.M | re.S):
            lines = found[2].replace("\n" + found[1], "\n").removeprefix(found[1])
            yield page.name, re.sub(r"\{\{.*?\}\}", "", lines)


@pytest.mark.parametrize(
    ("page", "phrase"), [(page, phrase) for page, phrases in SAID.items() for phrase in phrases]
)
def test_an_episode_says_what_it_has_to_teach(page: str, phrase: str) -> None:
    assert phrase in said(page)


@pytest.mark.parametrize(("page", "points"), list(zip(EPISODES, (4, 5), strict=True)))
def test_an_episode_has_its_questions_objectives_and_key_points(page: str, points: int) -> None:
    assert len(items(block(page, "question"))) == 3
    assert len(items(block(page, "objectives"))) == 3
    assert len(items(block(page, "keypoints"))) == points


@pytest.mark.parametrize("page", EPISODES)
def test_each_exercise_with_an_answer_folds_it_away_right_below(page: str) -> None:
    text = source(page)
    assert len(re.findall(r"^!!! exercise", text, re.M)) == 2
    assert re.findall(r'^\?\?\? solution "(.*)"', text, re.M) == ["Show me the solution"]
    assert text.index("!!! exercise") < text.index("??? solution") < text.index("And yours?")


def test_data_sizes_go_from_a_laptop_to_a_stream() -> None:
    sizes = [row[0] for row in table("01-why-hpc.md", "Your data")]
    names = ("data-small", "data-medium", "data-large", "data-very-large", "data-over-1tb")
    assert sizes == [f'{{{{ claim("{name}") }}}}' for name in names]


def test_each_gpu_type_is_listed_with_its_memory_and_number_from_the_cluster_file() -> None:
    rows = table("02-ml-workflow.md", "GPU type")
    assert [row[0] for row in rows] == ["A100", "L40S", "RTX PRO 6000", "**Total**"]
    for row, key in zip(rows, ("a100", "l40s", "rtxpro6000"), strict=False):
        assert f'gpu("{key}").memory_gb' in row[1]
        assert row[3] == f'{{{{ gpu("{key}").count }}}}'
    assert 'fact("gpu.total")' in rows[-1][-1]


def test_each_cell_of_the_scaling_table_shows_its_evidence() -> None:
    rows = table("02-ml-workflow.md", "Workload")
    workloads = [row[0].split(",")[0] for row in rows]
    assert list(dict.fromkeys(workloads)) == [
        "Training ResNet-50", "Small dense network", "XGBoost", "Data loading",
    ]  # fmt: skip
    for row in rows:
        assert row[1] == "baseline"
        assert [cell.split('"')[0] for cell in row[2:]] == ["{{ evidence("] * 2


def test_all_storage_tiers_are_compared_and_only_bigdata_lives_between_jobs() -> None:
    page = source("02-ml-workflow.md")
    assert "| | `/rhome/$USER` | `/bigdata/$LAB` | `/scratch/$USER` |" in page
    for tier in ("rhome", "bigdata", "scratch"):
        for fact in ("speed", "backed_up", "shared", "lifetime"):
            assert f'storage("{tier}").{fact}' in page
    words = said("02-ml-workflow.md")
    assert "Whatever the next job needs lives on /bigdata between jobs" in words
    assert "Save the result to /bigdata; the training job stages it to /scratch" in words
    assert "Save the checkpoints and the final model to /bigdata" in words


def test_the_five_phases_come_in_order_and_the_last_leads_back() -> None:
    numbered = re.findall(r"^\d\. \*\*([^*]+)\*\* \((.*?)\)", source("02-ml-workflow.md"), re.M)
    assert [name for name, _ in numbered] == PHASES
    assert numbered[-1][1] == "back to phase 3, or to phase 2"
    drawn = re.findall(r">\d  (.*?)</text>", (ROOT / "images" / "phases-light.svg").read_text())
    assert drawn == PHASES


@pytest.mark.parametrize("page", EPISODES)
def test_an_episode_embeds_at_most_three_examples_and_links_others(page: str) -> None:
    embedded = re.findall(r"\{\{ example\(\"(\w+)\"", source(page))
    linked = re.findall(r"\{\{ example_link\(\"(\w+)\"", source(page))
    assert 1 <= len(embedded) <= 3
    assert len(set(embedded)) == len(embedded)
    assert linked
    assert not set(linked) & set(embedded)


@pytest.mark.parametrize("number", [1, 2])
def test_the_minutes_of_a_run_sheet_add_up_to_the_episodes_time(number: int) -> None:
    page = EPISODES[number - 1]
    rows = table(f"instructor/{page}", "Section")
    *sections, total = [[int(cell.strip("*")) for cell in row[1:]] for row in rows]
    assert len(sections) >= 5
    assert [sum(column) for column in zip(*sections, strict=True)] == total
    ledger = claims.load(LESSON.claims)
    parts = [ledger[f"episode-{number}-{part}"].low for part in ("teaching", "exercise")]
    assert total == parts
    assert sum(total) == ledger[f"episode-{number}-minutes"].low
    meta = yaml.safe_load(source(page).split("---\n")[1])
    assert [meta["teaching_min"], meta["exercises_min"]] == total
    assert "**Break:**" in source(f"instructor/{page}")


@pytest.mark.parametrize("page", EPISODES)
def test_a_run_sheet_holds_what_an_instructor_needs(page: str) -> None:
    headings = re.findall(r"^## (.*)", source(f"instructor/{page}"), re.M)
    assert headings == [
        "How do the minutes add up?",
        "What do you type, and what comes back?",
        "What if no GPU is free?",
        "What do learners get wrong?",
        "Which figures were once different?",
    ]


def test_every_corrected_figure_is_told_on_a_run_sheet() -> None:
    with LESSON.claims.open("rb") as file:
        ledger = tomllib.load(file)["claim"]
    changed = {name for name, claim in ledger.items() if claim.get("verdict") == "corrected"}
    sheets = "".join(source(f"instructor/{page}") for page in EPISODES)
    told = re.findall(r"\{\{ history\(\"([a-z0-9-]+)\"\) \}\}", sheets)
    assert len(changed) > 20
    assert changed <= set(told)
    assert len(told) == len(set(told))


def test_the_glossary_is_in_order_and_has_every_word_that_a_page_links_to() -> None:
    terms = re.findall(r"^(\S.*) \{ #([a-z0-9-]+) \}\n:   \S", source("reference.md"), re.M)
    names = [re.sub(r"[^a-z0-9 ]", "", name.lower().replace("-", " ")) for name, _ in terms]
    anchors = [anchor for _, anchor in terms]
    assert len(terms) >= 35
    assert names == sorted(names)
    assert len(set(anchors)) == len(anchors)
    linked = {
        anchor
        for page in LESSON.pages()
        for anchor in re.findall(r"reference\.md#([\w-]+)", page.read_text(encoding="utf-8"))
    } | set(re.findall(r"\]\(#([\w-]+)\)", source("reference.md")))
    assert linked
    assert linked <= set(anchors)


@pytest.mark.parametrize("image", IMAGES, ids=lambda path: path.stem)
def test_a_diagram_says_in_words_what_it_shows(image: Path) -> None:
    text = image.read_text(encoding="utf-8")
    title, desc = (
        re.search(r"<title.*?>(.+?)</title>", text),
        re.search(r"<desc.*?>(.+?)</desc>", text),
    )
    assert title and desc
    assert len(desc[1]) >= 100
    assert 'aria-labelledby="title desc"' in text


# Colours of the light diagrams, and what each becomes on the dark ground.
DARK = {
    "#56635c": "#a3b0a8", "#eef2ec": "#1f2823", "#fdf1e3": "#33261a",
    "#b34700": "#f0a860", "#1c2521": "#e4e9e5",
}  # fmt: skip


@pytest.mark.parametrize("image", IMAGES, ids=lambda path: path.stem)
def test_a_dark_diagram_is_the_light_one_in_other_colours(image: Path) -> None:
    light = image.read_text(encoding="utf-8")
    assert set(re.findall(r"#[0-9a-f]{6}\b", light)) <= set(DARK)
    dark = re.sub(r"#[0-9a-f]{6}\b", lambda found: DARK[found[0]], light)
    assert image.with_name(image.name.replace("-light", "-dark")).read_text("utf-8") == dark


def test_every_picture_has_alternative_text_both_colours_and_its_size() -> None:
    form = re.compile(
        r"!\[(.*?)\]\(images/([\w-]+?)-(light|dark)\.svg#only-(light|dark)\)"
        r"\{ width=\"(\d+)\" height=\"(\d+)\" \}"
    )
    shown: dict[str, set[str]] = {}
    for page in EPISODES:
        text = source(page)
        assert len(form.findall(text)) == text.count("![") > 0
        for alt, name, file, theme, width, height in form.findall(text):
            assert file == theme
            assert len(alt) >= 30
            shown.setdefault(f"{name}: {alt}", set()).add(theme)
            drawn = (ROOT / "images" / f"{name}-{file}.svg").read_text("utf-8")
            assert f'viewBox="0 0 {width} {height}"' in drawn
    assert len(shown) == len(IMAGES) == 3
    assert all(themes == {"light", "dark"} for themes in shown.values())


def test_every_command_line_of_the_pages_is_shell() -> None:
    found = list(shell_blocks())
    assert len(found) >= 15
    for page, text in found:
        done = subprocess.run(
            ["bash", "-n"], input=text, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{page}: {done.stderr}\n{text}"


def test_a_job_script_that_asks_for_a_gpu_names_the_partition_and_checks_what_it_got() -> None:
    scripts = [text for _, text in shell_blocks() if text.startswith("#!/bin/bash")]
    assert len(scripts) == 2
    for script in scripts:
        asked = set(re.findall(r"^#SBATCH --([\w-]+)=", script, re.M))
        assert asked >= {"partition", "gres", "cpus-per-task", "mem", "time", "output"}
        assert "#SBATCH --partition=gpu\n" in script
        assert "mlhpc detect --require-gpu" in script


def test_the_set_up_page_installs_the_wheel_of_this_version() -> None:
    page = source("setup.md")
    assert f"wheels/mlhpc-{mlhpc.__version__}-py3-none-any.whl" in page
    assert f"`mlhpc {mlhpc.__version__}`" in page
    assert "config.site_url" in page


def test_the_set_up_page_shows_what_detection_says_in_three_places() -> None:
    shown = re.findall(r"\{\{ recorded\(\"(.*?)\"\)", source("setup.md"))
    assert len(shown) == len(set(shown)) == 3
    for name in shown:
        assert (ROOT.parent / "tests" / "recorded" / name).is_file()


def test_every_page_has_a_title_and_a_description() -> None:
    pages = LESSON.pages()
    assert len(pages) >= 9
    descriptions = []
    for page in pages:
        meta = yaml.safe_load(page.read_text(encoding="utf-8").split("---\n")[1])
        assert meta["title"]
        assert 40 <= len(meta["description"]) <= 200
        descriptions.append(meta["description"])
    assert len(set(descriptions)) == len(descriptions)
