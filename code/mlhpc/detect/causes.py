"""From what was seen to a verdict: is there a usable GPU, and if not, why, and what to type.

Each rule looks at the facts and answers, or passes; the first that answers decides. A rule says
'unknown' where the facts allow more than one reading.
"""

from collections.abc import Callable

from mlhpc.detect.gpus import Facts
from mlhpc.detect.values import Problem, Status

Verdict = tuple[Status, Problem | None]
Rule = Callable[[Facts], Verdict | None]

TELL = "tell the people who run the machine, and quote the line above"
ELSEWHERE = (
    "on your own machine, restart it; in a job, tell the people who run the cluster, and submit "
    "to the other nodes: `sbatch --exclude=$SLURMD_NODENAME YOUR_SCRIPT`"
)


def judge(facts: Facts) -> tuple[Status, tuple[Problem, ...]]:
    """The status of GPUs, and the problems: the cause first, then remarks."""
    status, cause = next(verdict for rule in RULES if (verdict := rule(facts)))
    remarks = (remark(facts) for remark in REMARKS) if status == "ok" else ()
    problems = [problem for problem in (cause, *remarks) if problem]
    return status, tuple(problems)


# --- rules, in order -----------------------------------------------------------------------


def _job_without_request(facts: Facts) -> Verdict | None:
    """A job on a GPU node that asked for no GPU, whether or not the GPUs can be reached."""
    no_cards = facts.nvidia_cards == 0 and not facts.amd_cards
    if facts.asked is not False or no_cards:
        return None
    seen = ["Slurm names no GPU for this job (SLURM_GPUS_ON_NODE is not set)", _cards(facts)]
    if facts.listing.said:
        seen.append(f"{facts.listing.tool} says '{facts.listing.said}'")
    evidence = "; ".join(part for part in seen if part)
    partition = facts.partition or "gpu"
    if facts.where == "ondemand":
        fix = "end the session and start it anew with a GPU chosen in its form"
    else:
        fix = (
            "add this line to the script and submit it again: `#SBATCH --gres=gpu:1` "
            f"or, for a shell: `srun --partition={partition} --gres=gpu:1 --pty bash`"
        )
    return "none", Problem("no_gpu_requested", evidence, fix)


def _usable(facts: Facts) -> Verdict | None:
    return ("ok", None) if facts.usable else None


def _hidden(facts: Facts) -> Verdict | None:
    if not facts.listing.gpus:
        return None
    masks = ", ".join(f"{name}={value or '(empty)'}" for name, value in (facts.masks or {}).items())
    evidence = f"{masks}, and {facts.listing.tool} lists {_listed(facts)}"
    name = next(iter(facts.masks or {"CUDA_VISIBLE_DEVICES": ""}))
    if facts.granted:
        fix = (
            f"Slurm sets {name} itself: remove what changes it, and start the job again; "
            f"to find it: `grep -n {name} YOUR_SCRIPT ~/.bashrc`"
        )
    else:
        fix = f"`unset {name}`"
    return "none", Problem("hidden_by_environment", evidence, fix)


def _hangs(facts: Facts) -> Verdict | None:
    if facts.listing.symptom != "hangs":
        return None
    evidence = f"{facts.listing.tool} gave no answer in its time and was stopped"
    return "unknown", Problem("tool_hangs", evidence, ELSEWHERE)


def _mismatch(facts: Facts) -> Verdict | None:
    if facts.listing.symptom != "mismatch":
        return None
    kernel = f"; the driver in the kernel is {facts.kernel_driver}" if facts.kernel_driver else ""
    evidence = f"nvidia-smi says '{facts.listing.said}'{kernel}"
    return "none", Problem("driver_library_mismatch", evidence, ELSEWHERE)


def _lost(facts: Facts) -> Verdict | None:
    """A GPU fell off the bus: others of the node may still work, or not."""
    if facts.listing.symptom != "lost":
        return None
    return "unknown", Problem("driver_silent", f"nvidia-smi says '{facts.listing.said}'", ELSEWHERE)


def _no_card(facts: Facts) -> Verdict | None:
    """No GPU that can compute is in the machine, by the PCI bus."""
    if facts.nvidia_cards != 0 or facts.amd_driver or facts.granted:
        return None
    evidence = "no NVIDIA GPU on the PCI bus"
    if facts.amd_cards:
        evidence += ", and the AMD one has no ROCm driver (/dev/kfd)"
    elif facts.listing.symptom == "missing":
        evidence += ", and no nvidia-smi"
    return "none", Problem("node_without_gpu", evidence, _go_where_gpus_are(facts))


def _silent(facts: Facts) -> Verdict | None:
    """The driver does not answer, or answers without a GPU."""
    if facts.listing.symptom not in {"silent", "empty"}:
        return None
    seen = _cards(facts)
    evidence = f"{facts.listing.tool} says '{facts.listing.said}'" + (f"; {seen}" if seen else "")
    if facts.where == "login":
        return "none", Problem("driver_silent", evidence, _go_where_gpus_are(facts))
    fix = "install the NVIDIA driver, and restart" if facts.where == "laptop" else ELSEWHERE
    return "none", Problem("driver_silent", evidence, fix)


def _no_driver(facts: Facts) -> Verdict | None:
    """A card, and neither the tool nor the driver."""
    if facts.listing.symptom != "missing" or not facts.nvidia_cards or facts.kernel_driver:
        return None
    evidence = f"{_cards(facts)}, but no nvidia-smi and no driver in the kernel"
    fix = "install the NVIDIA driver" if facts.where == "laptop" else TELL
    return "none", Problem("driver_silent", evidence, fix)


def _cannot_tell(facts: Facts) -> Verdict:
    seen = [_cards(facts), f"{facts.granted} is set" if facts.granted else ""]
    if facts.kernel_driver:
        seen.append(f"the NVIDIA driver {facts.kernel_driver} is loaded")
    if facts.listing.symptom == "missing":
        seen.append("nvidia-smi is not installed here")
    else:
        seen.append(f"{facts.listing.tool} says '{facts.listing.said}'")
    evidence = "; ".join(part for part in seen if part)
    fix = "ask the frameworks themselves: `mlhpc detect --frameworks`"
    return "unknown", Problem("cannot_tell", evidence, fix)


RULES: tuple[Rule, ...] = (
    _job_without_request,
    _usable,
    _hidden,
    _hangs,
    _mismatch,
    _lost,
    _no_card,
    _silent,
    _no_driver,
    _cannot_tell,
)


# --- remarks on what is usable --------------------------------------------------------------


def _one_slice(facts: Facts) -> Problem | None:
    slices = sum(gpu.mig is not None for gpu in facts.usable)
    if slices < 2:
        return None
    evidence = f"{slices} MIG slices are visible, and one process can use one"
    return Problem("one_mig_slice", evidence, "`export CUDA_VISIBLE_DEVICES=UUID_OF_ONE_SLICE`")


def _order(facts: Facts) -> Problem | None:
    if not facts.order_unsure:
        return None
    evidence = "the GPUs differ, and CUDA_VISIBLE_DEVICES counts in another order than nvidia-smi"
    return Problem("device_order", evidence, "`export CUDA_DEVICE_ORDER=PCI_BUS_ID`")


def _one_is_lost(facts: Facts) -> Problem | None:
    if facts.listing.symptom != "lost":
        return None
    evidence = f"nvidia-smi also says '{facts.listing.said}'"
    return Problem("driver_silent", evidence, ELSEWHERE)


REMARKS: tuple[Callable[[Facts], Problem | None], ...] = (_one_slice, _order, _one_is_lost)


# --- words ----------------------------------------------------------------------------------


def _cards(facts: Facts) -> str:
    """What the PCI bus or the tool shows of NVIDIA's and AMD's cards; empty for none seen."""
    if facts.listing.gpus:
        return f"{facts.listing.tool} lists {_listed(facts)}"
    if facts.nvidia_cards:
        return f"{_number(facts.nvidia_cards, 'NVIDIA GPU')} on the PCI bus"
    if facts.amd_cards and facts.amd_driver:
        return f"{_number(facts.amd_cards, 'AMD GPU')} on the PCI bus"
    return ""


def _listed(facts: Facts) -> str:
    return _number(len(facts.listing.gpus), "GPU")


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _go_where_gpus_are(facts: Facts) -> str:
    """What to type to get from here to a GPU."""
    which = "which partitions have GPUs: `sinfo -o '%P %G'`"
    if facts.held_job:
        return f"go into the job that you hold: `srun --jobid={facts.held_job} --pty bash`"
    if facts.where == "login":
        shell = "`srun --partition=gpu --gres=gpu:1 --pty bash`"
        return f"login nodes prepare jobs; get a GPU in one: {shell} {which}"
    if facts.where == "job":
        submit = "`sbatch --partition=gpu --gres=gpu:1 YOUR_SCRIPT`"
        return f"submit to a partition with GPUs, and ask for one: {submit} {which}"
    if facts.where == "ondemand":
        return "end the session and start it anew with a GPU chosen in its form"
    return "nothing to mend: work on the CPU here, and on a cluster's GPUs in a job"
