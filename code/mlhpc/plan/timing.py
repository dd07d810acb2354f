"""How long one run takes, as a range, and the time limit that this asks for."""

import math

from mlhpc.plan.desk import Desk, hours, size
from mlhpc.plan.values import Hours

MARGIN = 1.5
LAPTOP_CORES = 8
LONGEST_H = 365 * 24  # of one job where no limit is known: a year cannot be meant
NOT_KNOWN_H = 24  # asked for where nothing tells the time
LIMITS_H = (0.5, 1, 2, 3, 4, 6, 8, 12, 16, 20, 24, 36, 48, 72, 96, 120, 168, 240, 336, 480, 720)
SEQUENCE_BYTES = ("bert-bytes-per-token", "bert-sequence")


def on_cpus(desk: Desk, cores: int) -> Hours | None:
    """Hours of one run on so many cores: from no gain at all to one for each core."""
    laptop_h = desk.project.laptop_hours
    if laptop_h is None:
        return None
    own = desk.project.laptop_cores
    if own is None:
        desk.assume(f"the laptop has {LAPTOP_CORES} cores")
    return laptop_h / max(cores / (own or LAPTOP_CORES), 1), laptop_h


def on_gpus(desk: Desk, gpu: str, gpus: int = 1) -> Hours | None:
    """Hours of one run on some GPUs of a type, in mixed precision; None where nothing tells."""
    one = _on_an_a100(desk)
    if one is None:
        return None
    slow, fast = _share(desk, gpu)
    few, many = _scaling(desk, gpus)
    return one[0] / (fast * many), one[1] / (slow * few)


def _on_an_a100(desk: Desk) -> Hours | None:
    project, rules = desk.project, desk.rules
    if project.laptop_hours is None:
        return _by_rate(desk)
    if project.laptop_gpu:
        low, high = rules.span("resnet50-laptop-speedup")
        desk.assume("the work gains from a larger GPU as much as ResNet-50 does")
    else:
        low = min(rules.span(claim)[0] for claim in desk.family.gain)
        high = max(rules.span(claim)[1] for claim in desk.family.gain)
        desk.assume("the laptop's CPU is no faster than the cores of the public measurements")
    return project.laptop_hours / high, project.laptop_hours / low


def _by_rate(desk: Desk) -> Hours | None:
    """From the rates of public measurements, for the models that have them."""
    project, rules = desk.project, desk.rules
    if desk.family.name == "resnet50" and project.samples:
        epochs = project.epochs or round(rules.number("resnet50-epochs"))
        if project.epochs is None:
            desk.assume(f"{epochs} epochs")
        images = project.samples * epochs
        slow = rules.number("resnet50-a100-amp-other")
        return images / rules.number("resnet50-a100-amp") / 3600, images / slow / 3600
    if desk.family.name == "bert" and project.data_size:
        low, high = whole_pass(desk)
        epochs = project.epochs or 1
        return low * epochs, high * epochs
    return None


def whole_pass(desk: Desk) -> Hours:
    """Hours of one pass of BERT-base over all of the text, on one A100."""
    bytes_per_token, tokens = (desk.rules.number(claim) for claim in SEQUENCE_BYTES)
    sequences = (desk.project.data_size or 0) / bytes_per_token / tokens
    slow, fast = desk.rules.span("bert-base-a100")
    return sequences / fast / 3600, sequences / slow / 3600


def tell_of_subset(desk: Desk) -> None:
    """Say so where the laptop's time cannot be for all of the text."""
    project = desk.project
    if desk.family.name != "bert" or not project.data_size or project.laptop_hours is None:
        return
    whole, own = whole_pass(desk), _on_an_a100(desk)
    if own is not None and own[1] < whole[0]:
        desk.why(
            "subset",
            own=hours(project.laptop_hours),
            data=size(project.data_size),
            whole=f"{whole[0]:.1f} to {whole[1]:.1f} hours",
        )


def _share(desk: Desk, gpu: str) -> Hours:
    """The speed of a type of GPU as a share of an A100's."""
    if gpu == "a100":
        return 1, 1
    slow, fast = desk.rules.span("l40s-vs-a100")
    if gpu == "l40s":
        return slow, fast
    desk.assume(f"{gpu} is as fast as something between an L40S and an A100: not measured")
    return slow, 1


def _scaling(desk: Desk, gpus: int) -> Hours:
    """What several GPUs gain over one."""
    if gpus == 1:
        return 1, 1
    low, high = desk.rules.span("resnet50-8-gpu-efficiency")
    return gpus * low, gpus * high


def limit_h(longest_h: float | None, most_h: float | None) -> tuple[float, int]:
    """The time limit with its margin, and how many jobs of it the run takes."""
    wanted = NOT_KNOWN_H if longest_h is None else longest_h * MARGIN
    most = LONGEST_H if most_h is None else min(most_h, LONGEST_H)
    rounded = next((one for one in LIMITS_H if one >= wanted), math.ceil(wanted / 24) * 24)
    if rounded <= most:
        return rounded, 1
    return most, max(math.ceil(wanted / most), 1)
