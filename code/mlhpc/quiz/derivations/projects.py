"""Where a project belongs: the planner's answers."""

from mlhpc import plan as planning
from mlhpc.plan import Plan
from mlhpc.quiz.derivations.base import NotAsked, Numbers, derivation
from mlhpc.quiz.values import World


def planned(world: World, numbers: Numbers) -> Plan:
    """The plan for the project that the numbers named like its fields describe."""
    fields = planning.specs()
    given = {name: value for name, value in numbers.items() if name in fields}
    return planning.plan(planning.from_mapping(given, "quiz"), world.cluster)


@derivation
def place(world: World, numbers: Numbers) -> str:
    """laptop, either, cpu or gpu, as the planner says."""
    found = planned(world, numbers).place
    if found == "none":
        raise NotAsked("nothing fits")
    return found


@derivation
def worth_it(world: World, numbers: Numbers) -> str:
    """yes, no or either: whether the cluster pays."""
    return {"laptop": "no", "either": "either"}.get(place(world, numbers), "yes")


@derivation
def gpus_asked(world: World, numbers: Numbers) -> float:
    """How many GPUs the planner asks for."""
    full = planned(world, numbers).full
    if full is None or not full.gpu:
        raise NotAsked("no GPU")
    return full.gpus


@derivation
def one_or_several(world: World, numbers: Numbers) -> str:
    """one or several GPUs, as the planner asks."""
    return "one" if gpus_asked(world, numbers) == 1 else "several"


@derivation
def gpu_type(world: World, numbers: Numbers) -> str:
    """The key of the GPU that the planner asks for."""
    full = planned(world, numbers).full
    if full is None or not full.gpu:
        raise NotAsked("no GPU")
    return str(full.gpu)


@derivation
def raw_storage(world: World, numbers: Numbers) -> str:
    """The tier for raw data, as the planner says."""
    return str(planned(world, numbers).document()["storage"]["raw"])  # type: ignore[index]


@derivation
def results_storage(world: World, numbers: Numbers) -> str:
    """The tier for results, as the planner says."""
    return str(planned(world, numbers).document()["storage"]["results"])  # type: ignore[index]
