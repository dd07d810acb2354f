"""How much memory the work needs: main memory of a run, and memory of a GPU."""

from mlhpc import units
from mlhpc.plan.desk import Desk, gib, size

FEWEST_GIB = 8  # of main memory: Python, its libraries and room to work
FOR_A_GPU_GIB = 32  # of main memory beside each GPU, for the loader's processes
PARTS_GIB = 64  # for a program that reads in parts
# FP32 weights, gradients and the two moments of Adam: four numbers for each parameter
STATES = 4
ACTIVATIONS_SHARE = 0.25  # of room on top of them where activations are not known


def main_gib(desk: Desk, most_gib: int | None) -> int | None:
    """Main memory for one run on CPU cores; None where no node has it. ``most_gib``: a node's."""
    project = desk.project
    if project.memory is not None:
        wanted = max(-(-project.memory // units.GIB), 1)
        return wanted if most_gib is None or wanted <= most_gib else None
    if project.data_size is None:
        desk.assume(f"{gib(PARTS_GIB)} of memory are enough: how large the data are is not known")
        return _at_most(PARTS_GIB, most_gib)
    if not desk.family.loaded and desk.family.kind == "network":
        return _at_most(FOR_A_GPU_GIB, most_gib)
    return _for_table(desk, project.data_size / units.GIB, most_gib)


def _for_table(desk: Desk, data_gib: float, most_gib: int | None) -> int | None:
    """Several times the data; less where a node has less but still holds them; else in parts."""
    data = size(desk.project.data_size or 0)
    low, high = (_rounded(data_gib * times) for times in desk.rules.span("pandas-memory"))
    if most_gib is None or low <= most_gib:
        wanted = _at_most(high, most_gib)
        desk.why("memory-table", memory=gib(wanted), data=data)
        return wanted
    if desk.family.loaded and data_gib * 2 <= most_gib:
        desk.assume(f"loaded as plain arrays and not as a table of pandas: {data} stay {data}")
        return most_gib
    if desk.family.loaded:
        return None
    desk.why("memory-parts", data=data)
    return _at_most(PARTS_GIB, most_gib)


def _rounded(wanted_gib: float) -> int:
    """Up to a multiple of 8 GiB."""
    return max(FEWEST_GIB, int(-(-wanted_gib // 8)) * 8)


def _at_most(wanted_gib: int, most_gib: int | None) -> int:
    return wanted_gib if most_gib is None else min(wanted_gib, most_gib)


def gpu_gib(desk: Desk) -> float:
    """Memory of the GPU, in GiB: what the project says, else by the kind of model."""
    project, rules = desk.project, desk.rules
    if project.gpu_memory is not None:
        return project.gpu_memory / units.GIB
    if desk.family.name == "resnet50":
        batch = project.batch or round(rules.number("resnet50-batch"))
        if project.batch is None:
            desk.assume(f"batches of {batch}, in mixed precision")
        each = rules.number("resnet50-memory-per-image") * batch
        return (rules.number("resnet50-memory-base") + each) / units.GIB
    return _by_parameters(desk)


def _by_parameters(desk: Desk) -> float:
    parameters = desk.parameters
    if parameters is None:
        if desk.family.kind == "network":
            desk.assume("the batch is made small enough for the GPU")
        return 0
    states = parameters * STATES * desk.rules.number("bytes-per-parameter") / units.GIB
    desk.assume(
        "weights, gradients and two moments of Adam in FP32, a quarter more for activations;"
        " the batch is made small enough for that"
    )
    return states * (1 + ACTIVATIONS_SHARE)
