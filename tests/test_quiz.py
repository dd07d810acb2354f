"""The questions: right answers by hand, properties of the variants, and files that are no bank."""

from pathlib import Path
from typing import Any

import pytest

from mlhpc import content, lint, quiz
from mlhpc.errors import InputError
from mlhpc.quiz import bank, derivations, drawing, grading
from mlhpc.quiz.values import Drawn

BOOK = quiz.open_book()
SEEDS = 10_000

# The right answer to every question at the lesson's own numbers, worked out by hand, with the
# reason: the test that a computed key cannot fool.
BY_HAND: dict[str, tuple[Any, str]] = {
    "project-a": ("c", "8 h on CPU is over 4 h, and a transformer is what GPUs are for"),
    "project-b": ("b", "15 minutes is under 30, and scikit-learn uses no GPU"),
    "project-c": ("b", "no deadline: one GPU makes days of two weeks"),
    "worth-the-move": ("c", "2 h lies between 30 minutes and 4 h"),
    "forest-of-60-gb": ("a", "60 GB and 30 h need a node's memory and cores; no GPU takes part"),
    "trees-and-rows": ("b", "on 100,000 rows the GPU was slower: 0.3 to 0.6 of the CPU's speed"),
    "what-a-gpu-likes": ("b, d", "transformer and convolutions; not pandas, not 100 k weights"),
    "gpus-in-all": ("10", "4 A100 + 4 L40S + 2 RTX PRO 6000"),
    "which-gpu-holds-it": ("a, c", "60 GB is under 80 and 96, and over 48"),
    "satellite-storage": ("c", "1 TB is ten times /rhome, and /scratch ends with the job"),
    "satellite-gpu": ("b", "15 GiB fit into 48 GB: the smallest that holds it"),
    "satellite-time": ("100 h", "3 min x 100 x 20 = 6,000 min"),
    "files-that-stay": ("b, c", "/scratch is emptied when the job ends"),
    "backed-up": ("c", "/rhome alone is backed up"),
    "fast-copy": ("b", "NVMe in the node, for the time of the job"),
    "over-the-quota": ("10", "1,000 GB over 100 GB"),
    "results-place": ("b", "/scratch ends with the job; 150 GB is over /rhome's 100"),
    "grid-on-four-gpus": ("250 h", "100 / 4 = 25 rounds of 10 h"),
    "grid-serial": ("41.7 days", "1,000 h / 24"),
    "how-much-faster": ("10", "250 h at the same speed over 25 h"),
    "array-rounds": ("13", "100 / 8 = 12.5"),
    "amdahl": ("3.08", "1 / (0.1 + 0.9 / 4)"),
    "amdahl-limit": ("10", "1 / 0.1"),
    "efficiency": ("84.1", "16,621 / (8 x 2,470)"),
    "speed-up": ("3.84", "6,070 / 1,582"),
    "read-the-plot": ("c", "4: 1,200 / 4 = 300 of 400; 8: 163 of 400"),
    "days-at-a-rate": ("9.53 days", "1,281,167 x 90 / 140 / 86,400"),
    "memory-at-a-batch": ("15.1 GiB", "2.9 + 256 x 48.8 / 1,024"),
    "longest-job": ("30", "720 h / 24"),
    "five-phases": ("ceadb", "local, preprocess, train, evaluate, iterate"),
    "small-steps": ("cbda", "sample, time, test job, full job"),
    "login-node": ("b", "editing and submitting only"),
    "exploring": ("a", "a queue between you and each idea"),
    "slow-gpu": ("c", "an idle GPU waits for data"),
    "cut-short": ("a, c", "checkpoints that stay, and a signal that is heard"),
    "repair-the-gpu": (
        "#!/bin/bash\n#SBATCH --gres=gpu:l40s:1\n#SBATCH --partition=gpu\n#SBATCH --time=12:00:00\n"
        "#SBATCH --mem=32G\n#SBATCH --cpus-per-task=8\npython train.py --num-workers=8\n",
        "a directive has no blank; 12 is minutes, 32 is MiB",
    ),
    "repair-the-array": (
        "#!/bin/bash\n#SBATCH --partition=gpu\n#SBATCH --gres=gpu:1\n#SBATCH --array=0-99%4\n"
        "#SBATCH --time=10:00:00\n#SBATCH --mem=32G\n#SBATCH --cpus-per-task=4\n"
        'python train.py --trial="$SLURM_ARRAY_TASK_ID" --num-workers=4\n',
        "small letters, hours:minutes:seconds, four at once",
    ),
    "repair-the-results": (
        "#!/bin/bash\n#SBATCH --partition=gpu\n#SBATCH --gres=gpu:1\n#SBATCH --time=8:00:00\n"
        "#SBATCH --mem=32G\n#SBATCH --cpus-per-task=8\n"
        "python train.py --num-workers=8 --output-dir=/scratch/$USER/run\n"
        'cp -r "/scratch/$USER/run" "$SLURM_SUBMIT_DIR"\n',
        "a core for each worker, and a copy before the end",
    ),
}  # fmt: skip


def test_every_question_has_its_answer_by_hand() -> None:
    assert set(BY_HAND) == set(BOOK.questions)
    assert len(BOOK.questions) >= 30


@pytest.mark.parametrize("name", BY_HAND)
def test_the_answer_by_hand_is_right(name: str) -> None:
    answer, reason = BY_HAND[name]
    found = BOOK.grade(name, answer)
    assert found.correct, (reason, found)
    assert found.credit == 1
    assert found.explain


@pytest.mark.parametrize("name", [n for n, q in BOOK.questions.items() if q.kind == "one"])
def test_every_other_choice_is_wrong_and_says_why(name: str) -> None:
    drawn = BOOK.draw(name)
    right, _ = BY_HAND[name]
    for letter, option in zip(grading.LETTERS, drawn.options, strict=False):
        found = BOOK.grade(name, letter)
        assert found.correct == (letter == right)
        if letter != right:
            assert option.feedback, f"{name}: '{option.text}' has no feedback"
            assert option.misconception, f"{name}: '{option.text}' names no misconception"
            assert option.feedback in found.feedback


@pytest.mark.parametrize("name", [n for n, q in BOOK.questions.items() if q.slips])
def test_a_known_mistake_is_told_from_others(name: str) -> None:
    drawn = BOOK.draw(name)
    for slip in drawn.question.slips:
        wrong = derivations.REGISTRY[slip.answer](BOOK.world, drawn.numbers)
        found = BOOK.grade(name, f"{wrong}")
        assert not found.correct
        assert found.feedback == (slip.feedback,)


@pytest.mark.parametrize("name", [n for n, q in BOOK.questions.items() if q.kind == "script"])
def test_the_script_to_repair_is_wrong_and_says_where(name: str) -> None:
    drawn = BOOK.draw(name)
    found = BOOK.grade(name, drawn.question.start)
    assert not found.correct
    assert found.credit < 1
    assert found.feedback


def test_at_most_four_questions_stand_in_an_episode() -> None:
    counts = {place: len(list(BOOK.of(place))) for place in ("01-why-hpc", "02-ml-workflow")}
    assert counts == {"01-why-hpc": 4, "02-ml-workflow": 4}
    assert len(list(BOOK.of(""))) == len(BOOK.questions) - 8


def test_a_question_for_the_page_does_not_hold_its_answer() -> None:
    for name in BOOK.questions:
        shown = BOOK.document(name)
        assert not {"answer", "key", "explain", "misconception"} & set(shown)
        for option in shown["options"]:  # type: ignore[attr-defined]
            assert set(option) == {"letter", "text"}


# Ten thousand variants


def check_variant(drawn: Drawn) -> None:
    kind, options = drawn.question.kind, drawn.options
    assert "{" not in drawn.text + drawn.explain + drawn.table
    keys = [option.key for option in options]
    if kind == "one":
        assert keys.count(drawn.key) == 1
        earned = [grading.grade(drawn, letter, BOOK.world).correct for letter, _ in lettered(drawn)]
        assert sum(earned) == 1
        assert earned.index(True) == keys.index(drawn.key)
    elif kind == "many":
        assert 1 <= len(drawn.key) <= len(options)
        right = [letter for letter, option in lettered(drawn) if option.key in drawn.key]
        assert grading.grade(drawn, right, BOOK.world).correct
        assert not grading.grade(drawn, [], BOOK.world).correct
    elif kind == "order":
        at = {option.key: letter for letter, option in lettered(drawn)}
        assert grading.grade(drawn, [at[key] for key in drawn.key], BOOK.world).correct
        assert not grading.grade(drawn, [at[key] for key in drawn.key[::-1]], BOOK.world).correct
    elif kind == "number":
        assert grading.grade(drawn, f"{drawn.key:.12g}", BOOK.world).correct
        for slip in drawn.question.slips:
            wrong = derivations.REGISTRY[slip.answer](BOOK.world, drawn.numbers)
            assert not grading.grade(drawn, f"{wrong:.12g}", BOOK.world).correct


def lettered(drawn: Drawn) -> list[tuple[str, Any]]:
    return list(zip(grading.LETTERS, drawn.options, strict=False))


def test_ten_thousand_variants_have_one_right_answer_and_no_mistake_is_right() -> None:
    names = list(BOOK.questions)
    varied: dict[str, set[str]] = {name: set() for name in names}
    for seed in range(SEEDS):
        drawn = BOOK.draw(names[seed % len(names)], seed)
        check_variant(drawn)
        varied[drawn.question.id].add(str(drawn.key))
    several = [name for name, keys in varied.items() if len(keys) > 1]
    assert len(several) >= 15, several


@pytest.mark.parametrize("name", BOOK.questions)
def test_a_seed_always_gives_the_same_and_the_lessons_own_order_stays(name: str) -> None:
    assert BOOK.draw(name, 7) == BOOK.draw(name, 7)
    own = [option.key for option in BOOK.draw(name).options]
    assert own == [option.key for option in BOOK[name].options]


def test_the_key_follows_the_plan_the_cluster_and_the_claims() -> None:
    """Half a terabyte still goes to /bigdata; at two GPUs the grid takes twice as long."""
    grid = BOOK["grid-on-four-gpus"]
    numbers = {"runs": 100, "hours_each": 10, "gpus": 2}
    assert derivations.REGISTRY[grid.answer](BOOK.world, numbers) == 500
    assert BOOK.world.ledger["grid-combinations"].numbers[0] == 100
    assert BOOK.draw("longest-job").key == BOOK.world.cluster.partitions["gpu"].max_time_h / 24  # type: ignore[operator]


# Answers


@pytest.mark.parametrize("answer", ["250", "250 h", "250 hours", "10 days 10 h", "2.5e2", " 250h "])
def test_a_number_may_be_written_in_any_usual_way(answer: str) -> None:
    assert BOOK.grade("grid-on-four-gpus", answer).correct


@pytest.mark.parametrize(("answer", "credit"), [("b, d", 1), ("b", 0.5), ("b a", 0), ("a", 0)])
def test_several_right_ones_earn_a_share_less_for_each_wrong_one(
    answer: str, credit: float
) -> None:
    assert BOOK.grade("what-a-gpu-likes", answer).credit == credit


def test_an_order_earns_the_share_of_pairs_that_are_right() -> None:
    """Local, preprocess, train, iterate, evaluate: nine of ten pairs."""
    assert BOOK.grade("five-phases", "ceabd").credit == pytest.approx(0.9)


@pytest.mark.parametrize(
    ("name", "answer", "words"),
    [
        ("project-a", "z", "'z' is no choice; valid: a, b, c, d"),
        ("project-a", "a b", "choose one"),
        ("project-a", None, "must be text or a number"),
        ("project-a", ["a", 3], "is no choice"),
        ("project-a", {"a": 1}, "must be text or a number"),
        ("five-phases", "ab", "put all 5 in order"),
        ("five-phases", "aabcd", "named twice"),
        ("grid-on-four-gpus", "many", "answer"),
        ("grid-on-four-gpus", "250 bananas", "answer"),
        ("grid-on-four-gpus", "nan", "answer"),
        ("grid-on-four-gpus", "9" * 200_000, "longer than"),
        ("gpus-in-all", "ten", "is no number; valid: 25 GPUs"),
        ("no-such-question", "a", "no question"),
    ],
)
def test_what_is_no_answer_is_refused_in_one_line(name: str, answer: Any, words: str) -> None:
    with pytest.raises(InputError) as caught:
        BOOK.grade(name, answer)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500


# Question files are data

GOOD = """
[a-question]
kind = "number"
title = "T"
text = "{n} things"
explain = "E"
answer = "all_runs"
[a-question.numbers]
runs = { lesson = 3 }
n = { lesson = 3 }
"""


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("all_runs", "__import__"), "there is no derivation '__import__'"),
        (('"number"', '"riddle"'), "kind: 'riddle' is unknown; valid: one, many"),
        (('title = "T"', 'titel = "T"'), "titel: is no key; valid:"),
        (('title = "T"', ""), "title: is missing"),
        (("[a-question]", "[A_Question]"), "A_Question"),
        (("{n} things", "{m} things"), "there is no number 'm'"),
        (('text = "{n} things"', "text = 3"), "text: must be text"),
        (('text = "{n} things"', f'text = "{"x" * 5000}"'), "at most 4000 characters"),
        (("lesson = 3 }\nn", 'claim = "nowhere" }\nn'), "there is no claim 'nowhere'"),
        (
            ("lesson = 3 }\nn", "lesson = 3, low = 1, high = 1e9, step = 1 }\nn"),
            "no list of at most",
        ),
        (("lesson = 3 }\nn", "lesson = nan }\nn"), "must be a number"),
        (("lesson = 3 }\nn", "}\nn"), "needs either lesson"),
        (("lesson = 3 }\nn", "lesson = [1] }\nn"), "must be a number"),
        (('explain = "E"', 'explain = "E"\nclaims = ["nowhere"]'), "there is no claim 'nowhere'"),
        (('explain = "E"', 'explain = "E"\noptions = [1]'), "each holds only"),
        (('explain = "E"', 'explain = "E"\nslips = [{ answer = "x" }]'), "each needs"),
        (("kind", "kind = ["), "not valid TOML"),
    ],
)
def test_a_bad_question_file_is_refused_with_file_question_and_key(
    change: tuple[str, str], words: str
) -> None:
    assert len(bank.from_text(GOOD, "x.toml", BOOK.world.ledger)) == 1
    with pytest.raises(InputError) as caught:
        bank.from_text(GOOD.replace(*change, 1), "x.toml", BOOK.world.ledger)
    assert words in str(caught.value), str(caught.value)
    assert str(caught.value).startswith("x.toml")
    assert "\n" not in str(caught.value)


def test_markup_and_templates_in_a_question_stay_text() -> None:
    text = GOOD.replace("{n} things", "<script>x</script> {n.__class__} {{n}}")
    (question,) = bank.from_text(text, "x.toml", BOOK.world.ledger).values()
    drawn = drawing.draw(question, BOOK.world)
    assert drawn.text == "<script>x</script> {n.__class__} {3}"


def test_a_folder_without_questions_or_with_a_huge_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no question file"):
        bank.load(tmp_path, BOOK.world.ledger)
    (tmp_path / "a.toml").write_text("#" * 600_000)
    with pytest.raises(InputError, match="larger than 500000 bytes"):
        bank.load(tmp_path, BOOK.world.ledger)
    (tmp_path / "a.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="not UTF-8"):
        bank.load(tmp_path, BOOK.world.ledger)


def test_every_misconception_is_one_of_a_known_few() -> None:
    """Instructors look for the same ones across questions: each is used, none is a typing slip."""
    names = [option.misconception for q in BOOK.questions.values() for option in q.options]
    names += [slip.misconception for q in BOOK.questions.values() for slip in q.slips]
    used = {name for name in names if name}
    assert len(used) <= 40
    assert all(name == name.lower() and " " not in name for name in used)


def test_every_claim_of_a_question_is_in_the_ledger_and_every_fact_in_the_cluster_file() -> None:
    for question in BOOK.questions.values():
        assert question.claims or question.facts or question.answer.startswith("amdahl")
        for name in question.facts:
            assert BOOK.world.cluster.fact(name).known


def test_the_questions_come_with_the_lesson() -> None:
    assert content.find().quizzes.is_dir()
    assert lint.check(BY_HAND["repair-the-gpu"][0], BOOK.world.cluster) is not None
