"""The check of job scripts: what is refused, what is regretted, and the line to write instead."""

import time
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mlhpc import cluster, lint
from mlhpc.lint import Finding

ROOT = Path(__file__).resolve().parents[1]
BOX = cluster.load(str(ROOT / "tests" / "slurm" / "box.toml"))
SAGEHEN = cluster.load("sagehen")
RULES = lint.rules()


def job(*directives: str, body: str = "python train.py\n", mem: str = "--mem=16G") -> str:
    lines = [*directives, mem, "--time=1:00:00"] if mem else list(directives)
    return "#!/bin/bash\n" + "".join(f"#SBATCH {line}\n" for line in lines) + body


def found(text: str, where: cluster.Cluster = BOX, folder: Path | None = None) -> list[Finding]:
    return list(lint.check(text, where, folder))


def serious(text: str, where: cluster.Cluster = BOX) -> list[str]:
    return [one.rule for one in found(text, where) if one.severity != "note"]


def only(text: str, rule: str, where: cluster.Cluster = BOX) -> Finding:
    hits = [one for one in found(text, where) if one.rule == rule]
    assert len(hits) == 1, found(text, where)
    return hits[0]


# Every rule has a bad and a good example, and both are as they say


@pytest.mark.parametrize("name", RULES)
def test_the_bad_example_of_a_rule_breaks_it_and_the_good_one_breaks_none(
    name: str, tmp_path: Path
) -> None:
    rule = RULES[name]
    folder = tmp_path if name == "log-folder" else None
    hits = [
        (where, one)
        for where in (BOX, SAGEHEN)
        for one in found(rule.bad, where, folder)
        if one.rule == name
    ]
    assert hits, f"{name} finds nothing in its bad example"
    where, hit = hits[0]
    assert hit.severity == rule.severity
    good = found(rule.good, where, folder)
    assert [one for one in good if one.rule == name or one.severity != "note"] == []


def test_every_rule_that_the_check_can_name_is_described() -> None:
    source = "".join(p.read_text() for p in (ROOT / "code/mlhpc/lint").glob("*.py"))
    for name in RULES:
        assert f'"{name}"' in source, name
    assert len(RULES) >= 45


@pytest.mark.parametrize("name", [n for n, rule in RULES.items() if rule.severity != "note"])
def test_the_line_to_write_instead_is_better(name: str, tmp_path: Path) -> None:
    """Put in the place of the line that was found, it leaves that finding out."""
    text = RULES[name].bad
    folder = tmp_path if name == "log-folder" else None
    hits = [one for one in found(text, BOX, folder) if one.rule == name and one.fix]
    for hit in hits[:1]:
        if name in ("shebang", "empty"):  # goes before the first line
            repaired = f"{hit.fix}\n{text}"
        else:
            lines = text.split("\n")
            lines[hit.line - 1] = hit.fix
            repaired = "\n".join(lines)
        again = [one for one in found(repaired, BOX, folder) if one.rule == name]
        assert again == [] or name == "dos-lines"


# Reading


@pytest.mark.parametrize(
    "spelled",
    ["--partition=gpu", "--partition gpu", "-p gpu", "-pgpu", "--part=gpu", "--partition='gpu'",
     "-Hp gpu", "--hold -p gpu # remark", '--job-name="a b" -p gpu'],
)  # fmt: skip
def test_all_spellings_of_an_option_are_read_alike(spelled: str) -> None:
    assert "no-gpu-asked" in serious(job(spelled))


def test_a_value_may_stand_on_the_next_directive() -> None:
    assert "no-gpu-asked" in serious("#!/bin/bash\n#SBATCH -p\n#SBATCH gpu\n")


def test_a_misspelled_option_is_told_the_right_one() -> None:
    hit = only(job("--cpu-per-task=4"), "unknown-option")
    assert hit.fix == "#SBATCH --cpus-per-task=4"
    assert (hit.line, hit.column) == (2, 9)


def test_a_long_hyphen_of_a_word_processor_is_put_right() -> None:
    rules = {one.rule: one for one in found(job("–mem=16G", mem=""))}
    assert rules["odd-character"].fix == "#SBATCH --mem=16G"
    assert rules["stray-word"].severity == "error"


# Errors on what the cluster has, and only there


@pytest.mark.parametrize(
    ("directives", "rule", "fix"),
    [
        ("--partition=gpuu --gres=gpu:1", "partition", "#SBATCH --partition=gpu --gres=gpu:1"),
        ("-p debug -t 2:00:00", "time", "#SBATCH -p debug -t 01:00:00"),
        ("-p gpu --gres=gpu:a100:5", "gpu-count", "#SBATCH -p gpu --gres=gpu:a100:4"),
        ("-p gpu --gres=gpu:l40s:1", "gpu-type", "#SBATCH -p gpu --gres=gpu:nvidia_l40s:1"),
        ("--gres=gpu:a100:1", "gpu-partition", ""),
        ("-p cpu --gres=gpu:1", "gpu-partition", "#SBATCH -p gpu --gres=gpu:1"),
        ("-c 200", "cores", "#SBATCH -c 128"),
        ("-p gpu --gres=gpu:1 --mem=2T", "memory", "#SBATCH -p gpu --gres=gpu:1 --mem=500G"),
        ("-N 9", "nodes", "#SBATCH -N 3"),
        ("--time=24h", "bad-value", "#SBATCH --time=1-00:00:00"),
        ("--time='2 days'", "bad-value", "#SBATCH --time='2-00:00:00'"),
        ("--mem=4.5G", "bad-value", "#SBATCH --mem=4608M"),
        ("--mem=16GiB", "bad-value", "#SBATCH --mem=16G"),
    ],
)  # fmt: skip
def test_what_slurm_refuses_is_an_error_with_the_line_to_write(
    directives: str, rule: str, fix: str
) -> None:
    hit = only(job(directives, mem=""), rule)
    assert hit.severity == "error"
    assert hit.fix == fix


def test_the_longest_time_is_the_partitions_own_and_not_a_second_more() -> None:
    assert "time" not in serious(job("-t 14-0", mem=""))
    assert "time" in serious(job("-t 14-00:00:01", mem=""))


@pytest.mark.parametrize(
    "directives",
    [
        "--partition=short --time=400:00:00",  # its longest time is not known
        "--partition=gpu --gres=gpu:a100:4",  # nor how many sit in one node
        "--partition=gpu --gres=gpu:1 --cpus-per-task=500",  # nor its cores
        "--array=0-9999999",
        "--constraint=whatever",
        "--nodes=50",
    ],
)
def test_what_the_cluster_file_does_not_say_is_never_an_error(directives: str) -> None:
    text = job(directives, mem="")
    assert [one for one in found(text, SAGEHEN) if one.severity == "error"] == []
    notes = [one.message for one in found(text, SAGEHEN) if one.severity == "note"]
    assert any("not known here" in note or "not described here" in note for note in notes), notes


@pytest.mark.parametrize(
    ("directives", "rule"),
    [
        ("--partition=amd --cpus-per-task=129", "cores"),
        ("--partition=amd --mem=700G", "memory"),
        ("--partition=gpu --gres=gpu:a100:5", "gpu-count"),
        ("--partition=gpu --gres=gpu:h100:1", "gpu-type"),
        ("--partition=gpu --gres=gpu:1 --time=800:00:00", "time"),
        ("--partition=cpu", "partition"),
    ],
)
def test_what_an_incomplete_file_does_say_is_held_against_the_script(
    directives: str, rule: str
) -> None:
    assert rule in [one.rule for one in found(job(directives, mem=""), SAGEHEN)]


def test_a_round_figure_of_memory_is_not_read_to_the_last_byte() -> None:
    """'512 GB' may be 512 GiB: what lies between them is no error."""
    assert "memory" not in serious(job("--partition=amd --mem=512G", mem=""), SAGEHEN)


# Warnings


@pytest.mark.parametrize(
    ("directives", "rule"),
    [("--time=24", "minutes"), ("--mem=16", "mebibytes"), ("--mem-per-cpu=4", "mebibytes")],
)
def test_a_bare_number_that_was_meant_otherwise(directives: str, rule: str) -> None:
    assert only(job(directives, mem=""), rule).severity == "warning"


@pytest.mark.parametrize("directives", ["--time=30", "--time=90", "--mem=16000", "--mem=0"])
def test_a_bare_number_that_may_be_meant_is_left_alone(directives: str) -> None:
    assert serious(job(directives, mem="")) == []


SCRATCH = "--output-dir=/scratch/$USER/run"


@pytest.mark.parametrize(
    ("body", "regretted"),
    [
        (f"python train.py {SCRATCH}\n", True),
        ("cd /scratch/$USER\npython train.py\n", True),
        ("OUT=/scratch/$USER/run\npython train.py --out $OUT\n", True),
        ('WORK="/scratch/$USER"\nRUN="$WORK/run"\npython train.py --save-dir "$RUN"\n', True),
        (f"python train.py {SCRATCH}\ncp -r /scratch/$USER/run /bigdata/lab\n", False),
        ('OUT=/scratch/$USER/r\npython train.py --out $OUT\nrsync -a "$OUT/" ~/results/\n', False),
        ("python train.py --data /scratch/$USER/data --out /bigdata/lab/run\n", False),
        ("cp -r /bigdata/lab/data /scratch/$USER\npython train.py\n", False),
        (f"python train.py {SCRATCH}\ncp -r /bigdata/lab/x /scratch/$USER/run\n", True),
    ],
)
def test_results_on_storage_that_dies_with_the_job(body: str, regretted: bool) -> None:
    assert ("scratch-results" in serious(job("-p gpu --gres=gpu:1", body=body))) == regretted


@pytest.mark.parametrize(
    ("directives", "body", "rule"),
    [
        ("-p gpu --gres=gpu:2", "torchrun --nproc-per-node=4 train.py\n", "processes"),
        ("-p gpu --gres=gpu:2", "torchrun --nproc_per_node 1 train.py\n", "processes"),
        ("-p gpu --gres=gpu:2", "python -m torch.distributed.run --nproc-per-node=2 t.py\n", None),
        ("-p gpu --gres=gpu:2", "torchrun --nproc-per-node=gpu train.py\n", None),
        ("-p gpu --gres=gpu:1", "export CUDA_VISIBLE_DEVICES=0\npython t.py\n", "visible-devices"),
        ("-p gpu --gres=gpu:1", "CUDA_VISIBLE_DEVICES=1 python t.py\n", "visible-devices"),
        ("-p gpu --gres=gpu:1", "echo $CUDA_VISIBLE_DEVICES\n", None),
        ("-c 4", "python train.py --num_workers 8\n", "workers"),
        ("-c 8", "python train.py --num-workers=8\n", None),
        ("-c 8 -p gpu --gres=gpu:2", "torchrun --nproc-per-node=2 t.py --workers 8\n", "workers"),
        ("-n 4", "python train.py\n", "one-of-many"),
        ("-N 2", "python train.py\n", "one-of-many"),
        ("-n 4", "srun python train.py\n", "copies"),
        ("-n 4", "srun hostname\n", None),
        ("-n 4", "mpirun python solve.py\n", None),
        ("-n 4", "export MASTER_ADDR=$(hostname)\nsrun python train.py\n", None),
        ("--signal=B:USR1@60", "trap 'touch x' USR1\npython t.py &\nwait\n", None),
        ("--signal=B:USR1@60", "trap 'touch x' USR1\npython t.py\n", "signal-unheard"),
        ("--signal=B:USR1@60", "python t.py &\nwait\n", "signal-unheard"),
        ("--signal=USR1@60", "python t.py\n", "signal-unheard"),
        ("--signal=USR1@60", "srun python t.py\n", None),
    ],
)
def test_commands_that_do_not_match_what_was_asked_for(
    directives: str, body: str, rule: str | None
) -> None:
    assert serious(job(directives, body=body)) == ([rule] if rule else [])


def test_a_body_in_a_here_document_or_a_remark_is_not_taken_for_commands() -> None:
    body = "cat <<EOF > run.sh\nexport CUDA_VISIBLE_DEVICES=3\nEOF\n# CUDA_VISIBLE_DEVICES=1 x\n"
    assert serious(job("-p gpu --gres=gpu:1", body=body)) == []


def test_a_script_that_is_no_shells_is_checked_for_its_directives_only() -> None:
    text = "#!/usr/bin/env python3\n#SBATCH -n 4 --mem=1G --time=60\nprint('python x')\n"
    assert serious(text) == []


def test_a_log_folder_is_looked_for_where_the_script_is_submitted(tmp_path: Path) -> None:
    text = job("--output=logs/%j.out")
    assert [one.rule for one in found(text, BOX, tmp_path)] == ["log-folder"]
    (tmp_path / "logs").mkdir()
    assert found(text, BOX, tmp_path) == []


# Any text at all


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=400))
@example("#!/bin/bash\n#SBATCH " + "[" * 50)
@example("#!/bin/bash\n#SBATCH --nodelist=a[1-99999999]")
@example("#!/bin/bash\n#SBATCH --array=0-4000000")
@example("#!/bin/bash\n#SBATCH -C ((((")
@example("#!/bin/bash\n'\\\n\\\n<<X\n")
def test_any_text_is_checked_and_findings_are_inside_it(text: str) -> None:
    check_any(text)


WORDS = ["--mem", "--time", "=", "-p", "gpu", "--gres", ":", "a100", "%", "1-", "\\", '"', "'",
         "--array", "[", "]", "0", "99999999999999999999", "--constraint", "&", "|", "(", ")",
         "--nodelist", "--signal", "@", "--gpus", "--nodes", ",", "hetjob", "--", "-", "\t", "$X",
         "“", "–", "\n#SBATCH ", "\ntrap x USR1", "\n<<EOF", "\npython x &", "#"]  # fmt: skip


@settings(max_examples=500, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=25), st.sampled_from(["", " "]))
def test_directives_of_any_words_are_checked(words: list[str], between: str) -> None:
    check_any("#!/bin/bash\n#SBATCH " + between.join(words))


def check_any(text: str) -> None:
    for where in (BOX, SAGEHEN):
        for one in found(text, where):
            assert one.rule in RULES
            assert RULES[one.rule].severity == one.severity
            lines = text.split("\n")
            assert 1 <= one.line <= max(1, len(lines))
            assert 1 <= one.column <= max(1, len(lines[one.line - 1]) + 1)
            assert "\n" not in one.fix


@pytest.mark.parametrize(
    "text",
    [
        "#!/bin/bash\n" + "#SBATCH --mem=1G\n" * 20_000,
        "#!/bin/bash\n#SBATCH --comment=" + "x" * 500_000,
        "#!/bin/bash\n#SBATCH --constraint=" + "(" * 200_000,
        "#!/bin/bash\n" + "echo '" * 100_000,
        "#!/bin/bash\n#SBATCH --array=" + ",".join("1" * 100_000),
        "#!/bin/bash\n" + "x\\\n" * 100_000,
        "#!/bin/bash\n#SBATCH " + "-H" * 100_000,
    ],
    ids=["lines", "value", "brackets", "quotes", "array", "continued", "words"],
)
def test_a_huge_script_does_not_freeze_the_check(text: str) -> None:
    begin = time.process_time()
    assert isinstance(found(text), list)
    assert time.process_time() - begin < 10  # a bound on growth, not a measurement


# Scripts in pages


PAGE = """
Text, then a block:

```bash
#!/bin/bash
#SBATCH --mem=1G
```

~~~ console
$ ls
~~~

- in a list
    ```
    #SBATCH --time=10
    ```
"""


def test_scripts_are_found_in_the_code_blocks_of_a_page_with_their_lines() -> None:
    blocks = list(lint.scripts(PAGE))
    assert [(block.line, block.whole) for block in blocks] == [(5, True), (15, False)]
    assert blocks[1].text == "#SBATCH --time=10\n"


def scripts_of_the_repository() -> list[tuple[str, str]]:
    found = []
    for path in sorted(ROOT.glob("**/*")):
        inside = path.relative_to(ROOT).parts
        if not path.is_file() or inside[0] in (".venv", ".git", "site", ".cache", "tests"):
            continue
        if "node_modules" in inside or "lesson_content" in inside:
            continue
        if path.suffix in (".sh", ".sbatch", ".slurm"):
            found.append((str(path.relative_to(ROOT)), path.read_text()))
        elif path.suffix == ".md":
            for block in lint.scripts(path.read_text()):
                text = block.text if block.whole else f"#!/bin/bash\n{block.text}"
                found.append((f"{path.relative_to(ROOT)}:{block.line}", text))
    return found


def test_every_job_script_and_directive_of_this_repository_is_good() -> None:
    scripts = scripts_of_the_repository()
    assert scripts, "no job script was found: the scan is broken"
    for place, text in scripts:
        if 'data-lint="bad"' in text:
            continue
        bad = [one for one in found(text, SAGEHEN) if one.severity != "note"]
        assert bad == [], f"{place}: {bad}"
