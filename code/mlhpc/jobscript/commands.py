"""The commands of a script: environment, data, the program, and results that are brought back."""

from collections.abc import Iterator

from mlhpc.cluster import Storage as Tier
from mlhpc.jobscript import quoting
from mlhpc.jobscript.job import Job
from mlhpc.plan.storage import ROOM

KIB = 1024
EVERY_REQUEUE = 2  # a run may be queued again twice as often as it should need
ASK_FOR_LAB = "CHANGE ME to the folder of your lab: ls"


def lines(job: Job) -> Iterator[str]:
    """Everything after the directives."""
    yield from ("", "set -uo pipefail")
    yield from _environment(job)
    yield from _folders(job)
    yield from _saving(job)
    yield from _data(job)
    yield from _running(job)
    yield from _ending(job)


def _environment(job: Job) -> Iterator[str]:
    yield from ("", "# 1. The environment: which Python, how many threads")
    fact = job.cluster.fact("software.python")
    if job.project.environment:
        activate = quoting.path(job.project.environment.rstrip("/") + "/bin/activate")
        yield f"source {activate} || exit 1"
    elif job.cluster.software.python:
        yield job.cluster.software.python
    else:
        yield f"# CHANGE ME to the line that gives you your Python. What there is: {fact.ask}"
        yield 'source "$HOME/envs/mlhpc/bin/activate" || exit 1'
    threads = "$SLURM_CPUS_PER_TASK"
    if job.request.gpus > 1:
        threads = str(max(job.request.cpus // job.request.gpus, 1))
    yield f'export OMP_NUM_THREADS="{threads}"   # no more threads than cores'
    if job.request.gpu:
        yield 'nvidia-smi -L || { echo "This job sees no GPU: stop."; exit 1; }'


def _folders(job: Job) -> Iterator[str]:
    yield from ("", "# 2. Where things are: data and results where they stay, work with the job")
    if any("$LAB" in (tier.path or "") for tier in _tiers(job)):
        yield from _lab(job)
    results, work = _tier(job, job.plan.storage.results), _tier(job, job.plan.storage.work)
    name = quoting.slug(job.project.name)
    own = "" if "$USER" in results else "/$USER"
    run = "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID" if job.is_array else "$SLURM_JOB_ID"
    yield f'project="{results}{own}/{name}"'
    yield f"data={_data_path(job)}"
    yield f'results="$project/results/{run}"'
    own = "" if "$USER" in work else "/$USER"
    yield f'work="{work}{own}/job-$SLURM_JOB_ID"'
    yield 'mkdir -p "$results" "$work/results" || exit 1'
    if job.trains:
        yield 'checkpoints="$results/checkpoints"   # not on storage that ends with the job'
        yield 'mkdir -p "$checkpoints" || exit 1'


def _lab(job: Job) -> Iterator[str]:
    if job.project.lab:
        yield f"LAB={quoting.word(job.project.lab)}"
        return
    path = next(tier.path or "" for tier in _tiers(job) if "$LAB" in (tier.path or ""))
    yield f'LAB="${{LAB:-your-lab}}"   # {ASK_FOR_LAB} {path.split("$LAB")[0]}'


def _tiers(job: Job) -> list[Tier]:
    stored = job.plan.storage
    names = dict.fromkeys((stored.raw, stored.work, stored.results))
    return [job.cluster.storage[name] for name in names]


def _tier(job: Job, name: str) -> str:
    return (job.cluster.storage[name].path or f"/{name}").rstrip("/")


def _data_path(job: Job) -> str:
    if job.project.data_path:
        return quoting.path(job.project.data_path)
    raw = _tier(job, job.plan.storage.raw)
    own = "" if "$USER" in raw else "/$USER"
    return f'"{raw}{own}/{quoting.slug(job.project.name)}/data"'


def _saving(job: Job) -> Iterator[str]:
    yield from (
        "",
        "# 3. Results come back also when the job is cut short: Slurm sends USR1 before the time",
        "#    limit, and TERM when somebody cancels the job",
        "program=; cut=no; status=0",
        "save() {",
        '    cp -r "$work/results/." "$results/" || { echo "Results not saved!"; status=1; }',
        "}",
        "stop() {",
        '    [ "$cut" != no ] || cut=$1',
        '    [ -z "$program" ] || kill -TERM "$program" 2>/dev/null',
        "}",
        'trap "stop time" USR1',
        'trap "stop cancelled" TERM',
        "run() {   # in the background, with wait: only so is the signal heard at once",
        '    "$@" &',
        "    program=$!",
        '    [ "$cut" = no ] || kill -TERM "$program" 2>/dev/null',
        '    wait "$program"; status=$?',
        '    if [ "$cut" != no ]; then   # time to save, but no more than that',
        f'        ( sleep {job.patience_s}; kill -KILL "$program" 2>/dev/null ) &',
        "        guard=$!",
        '        while kill -0 "$program" 2>/dev/null; do',
        '            wait "$program"; status=$?',
        "        done",
        '        kill "$guard" 2>/dev/null',
        "    fi",
        "    program=",
        "    save",
        "}",
    )


def _data(job: Job) -> Iterator[str]:
    plan = job.plan
    if not plan.storage.staged:
        return
    needed_kib = int((job.project.data_size or 0) * ROOM / KIB) + 1
    yield from (
        "",
        "# 4. A copy of the data on the fast storage of this node, if there is room",
        f"needed_kib={needed_kib}",
        "free_kib=$(df -Pk \"$work\" | awk 'NR == 2 { print $4 }')",
        'if [ "${free_kib:-0}" -gt "$needed_kib" ] && mkdir -p "$work/data" \\',
        '    && cp -r "$data/." "$work/data/"; then',
        '    data="$work/data"',
        "else",
        '    echo "No copy of the data on $work: reading $data"',
        "fi",
        '[ "$cut" = no ] || exit 1',
    )


def _program(job: Job) -> str:
    launcher = "python"
    if job.request.gpus > 1:
        launcher = f"torchrun --standalone --nproc-per-node={job.request.gpus}"
    words = [f"{launcher} {quoting.word(job.project.program)}"]
    words += ['--data "$data"', '--output "$work/results"']
    if job.trains:
        words.append('--checkpoints "$checkpoints"')
    return " \\\n    ".join(words)


def _running(job: Job) -> Iterator[str]:
    number = 5 if job.plan.storage.staged else 4
    yield from ("", f"# {number}. The program. It should save and end when it gets TERM")
    if job.request.gpus > 1:
        yield "#    torchrun starts one process for each GPU of the job"
    array = job.plan.array
    if array is None:
        yield f"run {_program(job)}" + (" \\\n    --steps 20" if job.is_test else "")
    elif job.project.search == "bayes":
        trials = 1 if job.is_test else array.runs_each
        yield "#    All workers of the search share one study, in a file on storage that stays"
        yield f'run {_program(job)} \\\n    --study "$project/study.log" --trials {trials}'
    elif array.runs_each == 1 or job.is_test:
        yield f'run {_program(job)} \\\n    --trial "$SLURM_ARRAY_TASK_ID"'
    else:
        yield from _bundle(job, array.runs_each)


def _bundle(job: Job, runs_each: int) -> Iterator[str]:
    """Several runs in one task, one after the other; those that are done are not done again."""
    yield f"first=$((SLURM_ARRAY_TASK_ID * {runs_each}))"
    yield f"last=$((first + {runs_each - 1}))"
    yield f'[ "$last" -lt {job.project.trials} ] || last={job.project.trials - 1}'
    yield "failed=0"
    yield 'for trial in $(seq "$first" "$last"); do'
    yield '    [ "$cut" = no ] || break'
    yield '    [ ! -e "$results/trial-$trial.done" ] || continue'
    yield f'    run {_program(job)} \\\n        --trial "$trial"'
    yield '    if [ "$status" = 0 ]; then touch "$results/trial-$trial.done"; else failed=1; fi'
    yield "done"
    yield "status=$failed"


def _ending(job: Job) -> Iterator[str]:
    yield ""
    if job.segments > 1:
        most = job.segments * EVERY_REQUEUE
        yield "# 6. Cut short: into the queue again, to go on from the last checkpoint"
        yield f'if [ "$cut" = time ] && [ "${{SLURM_RESTART_COUNT:-0}}" -lt {most} ]; then'
        yield '    scontrol requeue "$SLURM_JOB_ID"'
        yield "fi"
    yield 'echo "Results: $results"'
    yield '[ "$cut" = no ] || exit 1'
    yield 'exit "$status"'
