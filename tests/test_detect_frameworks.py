"""What detection learns from frameworks, each asked in a child process with a time limit."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.machines import HUNG, RECORDED, Machine, clean_environ

from mlhpc.cli.detect import has_gpu, text
from mlhpc.detect import Outcome, Report, detect
from mlhpc.detect.frameworks import HOW_TO_BUILD, has_kernels
from mlhpc.detect.probe import PROBES

PROBE = f"{sys.executable} -m mlhpc.detect.probe"
SM_TO_90 = ["sm_50", "sm_60", "sm_70", "sm_75", "sm_80", "sm_86", "sm_90"]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine with one RTX PRO 6000 and nothing installed."""
    machine = Machine(tmp_path).cards(1).command("nvidia-smi", "nvidia-smi/one-rtx-pro-6000.csv")
    return install(machine)


def install(machine: Machine, **facts: dict[str, object] | Outcome) -> Machine:
    """Let the machine's Python have these frameworks, which answer so."""
    for name, answer in facts.items():
        spoken = answer if isinstance(answer, Outcome) else None
        outcome = spoken or Outcome(0, f"chatter\n{json.dumps(answer)}\n")
        machine.commands[f"{PROBE} {name}"] = outcome
    # the longer commands come first: a probe without a name starts like one with
    listing = Outcome(0, json.dumps(list(facts)) + "\n")
    machine.commands = {key: value for key, value in machine.commands.items() if key != PROBE}
    machine.commands[PROBE] = listing
    return machine


def recorded(name: str) -> str:
    """What a framework wrote."""
    return (RECORDED / "frameworks" / name).read_text()


def codes(report: Report) -> list[str]:
    """The codes of the report's problems, in order."""
    return [problem.code for problem in report.problems]


def test_nothing_is_asked_of_frameworks_unless_wanted(machine: Machine) -> None:
    report = machine.detect()
    assert report.frameworks == ()
    assert not any("probe" in command for command in machine.asked)


def test_every_known_framework_is_reported_installed_or_not(machine: Machine) -> None:
    report = machine.detect(with_frameworks=True)
    assert [framework.name for framework in report.frameworks] == list(HOW_TO_BUILD)
    assert {framework.note for framework in report.frameworks} == {"not installed"}
    assert {framework.version for framework in report.frameworks} == {None}
    assert "none of torch, tensorflow, jax, xgboost, lightgbm, cupy is installed" in " ".join(
        text(report).split()
    )


def test_a_framework_that_computes_on_the_gpu_is_fine(machine: Machine) -> None:
    install(machine, torch={"version": "2.9.0", "build": "CUDA 12.8", "sees_gpu": True,
                            "archs": ["sm_120"], "capability": [12, 0]})  # fmt: skip
    report = machine.detect(with_frameworks=True)
    torch = report.frameworks[0]
    assert (torch.version, torch.build, torch.sees_gpu) == ("2.9.0", "CUDA 12.8", True)
    assert report.problems == ()
    assert has_gpu(report)


def test_a_gpu_that_no_framework_sees_is_not_enough(machine: Machine) -> None:
    install(machine, jax={"version": "0.6.1", "build": "CUDA 12", "sees_gpu": False})
    report = machine.detect(with_frameworks=True)
    assert report.gpu_status == "ok"
    assert not has_gpu(report)


def test_a_gpu_that_no_tool_lists_is_proven_by_computing_on_it(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    assert machine.detect().gpu_status == "unknown"
    install(machine, torch={"version": "2.9.0", "build": "CUDA 12.8", "sees_gpu": True})
    report = machine.detect(with_frameworks=True)
    assert (report.gpu_status, report.problems) == ("ok", ())
    assert report.gpus[0].name is None
    assert report.gpus[0].unknown["name"] == "known only by torch's computing on it"
    assert "known only by torch" in text(report)
    assert has_gpu(report)


def test_computing_on_gpus_that_belong_to_others_does_not_make_them_ones_own(
    tmp_path: Path,
) -> None:
    machine = Machine(tmp_path).cards(4).command("nvidia-smi", "nvidia-smi/four-a100.csv")
    machine.slurm("sbatch-gpu-node-no-gres.env")
    install(machine, torch={"version": "2.9.0", "build": "CUDA 12.8", "sees_gpu": True})
    report = machine.detect(with_frameworks=True)
    assert (report.gpu_status, codes(report)) == ("none", ["no_gpu_requested"])


def test_a_build_without_gpu_support_is_told_how_to_get_one_with(machine: Machine) -> None:
    install(machine, torch={"version": "2.9.0+cpu", "build": "CPU only", "sees_gpu": False})
    report = machine.detect(with_frameworks=True)
    assert codes(report) == ["cpu_only_build"]
    assert report.problems[0].evidence == "torch 2.9.0+cpu is a build without GPU support"
    assert "pytorch.org/get-started" in report.problems[0].fix


def test_where_there_is_no_gpu_a_build_without_support_is_no_problem(tmp_path: Path) -> None:
    machine = Machine(tmp_path).cards(0)
    install(machine, torch={"version": "2.9.0+cpu", "build": "CPU only", "sees_gpu": False})
    assert codes(machine.detect(with_frameworks=True)) == ["node_without_gpu"]


def test_a_jax_without_its_plugin_is_a_build_without_gpu_support(machine: Machine) -> None:
    answer = json.dumps({"version": "0.6.1", "build": "CPU only", "sees_gpu": False})
    install(machine, jax=Outcome(0, answer, recorded("jax-without-cuda.txt")))
    report = machine.detect(with_frameworks=True)
    assert codes(report) == ["cpu_only_build"]
    assert "`pip install -U 'jax[cuda12]'`" in report.problems[0].fix


def test_a_driver_too_old_for_the_build_is_told_with_both_versions(machine: Machine) -> None:
    error = recorded("torch-driver-too-old.txt").strip()
    install(machine, torch={"version": "2.9.0", "build": "CUDA 12.8", "sees_gpu": False,
                            "error": error})  # fmt: skip
    report = machine.detect(with_frameworks=True)
    assert codes(report) == ["driver_too_old"]
    assert report.problems[0].evidence == (
        "torch was built for CUDA 12.8, the driver goes up to CUDA 11.4"
    )


def test_a_driver_too_old_is_known_from_any_frameworks_words(machine: Machine) -> None:
    error = "CudaError: CUDA driver version is insufficient for CUDA runtime version"
    install(machine, cupy={"version": "14.0", "build": "CUDA 12.9", "sees_gpu": False,
                           "error": error})  # fmt: skip
    report = machine.detect(with_frameworks=True)
    assert codes(report) == ["driver_too_old"]
    assert "an older CUDA" in report.problems[0].evidence


def test_a_build_without_kernels_for_the_gpu_is_told_which_it_has(machine: Machine) -> None:
    answer = {"version": "2.5.1", "build": "CUDA 12.1", "sees_gpu": False, "archs": SM_TO_90,
              "capability": [12, 0], "error": "AcceleratorError: CUDA error: no kernel image is "
              "available for execution on the device"}  # fmt: skip
    install(machine, torch=Outcome(0, json.dumps(answer), recorded("torch-sm120.txt")))
    report = machine.detect(with_frameworks=True)
    assert codes(report) == ["no_kernels_for_gpu"]
    assert "torch 2.5.1 was not built for sm_120" in report.problems[0].evidence
    assert "sm_86 sm_90" in report.problems[0].evidence
    assert "CUDA 12.8 or newer" in report.problems[0].fix


def test_the_warning_alone_is_enough(machine: Machine) -> None:
    answer = json.dumps({"version": "2.5.1", "build": "CUDA 12.1", "sees_gpu": False})
    install(machine, torch=Outcome(0, answer, recorded("torch-sm120.txt")))
    assert codes(machine.detect(with_frameworks=True)) == ["no_kernels_for_gpu"]


def test_a_framework_that_hangs_is_unknown(machine: Machine) -> None:
    report = install(machine, torch=HUNG).detect(with_frameworks=True)
    torch = report.frameworks[0]
    assert (torch.sees_gpu, torch.build) == (None, None)
    assert "did not finish within" in torch.note


def test_a_framework_that_crashes_is_unknown_and_quoted(machine: Machine) -> None:
    crash = Outcome(-11, "chatter", "line\nFatal Python error: Segmentation fault\n")
    torch = install(machine, torch=crash).detect(with_frameworks=True).frameworks[0]
    assert torch.sees_gpu is None
    assert torch.note.endswith("Fatal Python error: Segmentation fault")


def test_a_framework_that_cannot_be_imported_is_unknown(machine: Machine) -> None:
    error = "ImportError: libcudart.so.12: cannot open shared object file"
    install(machine, torch={"error": error, "sees_gpu": None})
    torch = machine.detect(with_frameworks=True).frameworks[0]
    assert (torch.sees_gpu, torch.note) == (None, error)


def test_a_python_that_does_not_answer_leaves_all_unknown(machine: Machine) -> None:
    del machine.commands[PROBE]
    report = machine.detect(with_frameworks=True)
    assert len(report.frameworks) == len(HOW_TO_BUILD)
    assert all("unknown" in framework.note for framework in report.frameworks)


@pytest.mark.parametrize(
    ("capability", "archs", "fits"),
    [
        ([12, 0], SM_TO_90, False),
        ([12, 0], [*SM_TO_90, "sm_100", "sm_120"], True),
        ([8, 9], ["sm_80"], True),
        ([8, 0], ["sm_86"], False),
        ([9, 0], ["sm_80"], False),
        ([9, 0], ["sm_90a"], True),
        ([10, 0], ["sm_90a"], False),
        ([12, 0], ["sm_90", "compute_90"], True),
        ([7, 0], ["compute_80"], False),
        ([12, 0], ["gfx1100", "nonsense"], False),
        ([12, 0], [], False),
    ],
)
def test_kernels_fit_by_the_rules_of_binary_compatibility(
    capability: list[int], archs: list[str], fits: bool
) -> None:
    assert has_kernels(capability, archs) is fits


# --- the probe itself, run for real ----------------------------------------------------------


def probe(*words: str, code: str = "") -> str:
    """Run the probe, or ``code`` and then the probe's main, in a Python of its own."""
    program = f"{code}\nfrom mlhpc.detect.probe import main\nmain({list(words)!r})"
    child = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                           check=True, env=clean_environ())  # fmt: skip
    return child.stdout.strip().splitlines()[-1]


def fake(module: str, body: str) -> str:
    """Code that puts a module of that name in the way."""
    return (
        "import sys, types\n"
        f"fake = types.ModuleType({module!r})\n"
        f"exec({body!r}, fake.__dict__)\n"
        f"sys.modules[{module!r}] = fake"
    )


def test_there_is_a_probe_for_every_framework() -> None:
    assert list(PROBES) == list(HOW_TO_BUILD)


def test_the_torch_of_this_environment_answers_for_itself() -> None:
    environ = clean_environ()
    report = detect(environ=environ, with_frameworks=True)
    torch = report.frameworks[0]
    import torch as library

    assert torch.version == library.__version__
    assert torch.sees_gpu is library.cuda.is_available()
    if library.version.cuda is None and library.version.hip is None:
        assert torch.build == "CPU only"


def test_the_list_of_installed_frameworks_is_right() -> None:
    assert "torch" in json.loads(probe())


def test_torch_is_believed_by_what_it_does_not_by_its_count_of_devices() -> None:
    """Under MIG ``device_count()`` was 0 while tensors worked (pytorch/pytorch#95784)."""
    body = """
from types import SimpleNamespace as N
__version__ = "2.0.0"
version = N(cuda="11.7", hip=None)
backends = N(mps=N(is_built=lambda: False))
class Tensor:
    def add_(self, other): return self
    def item(self): return 1.0
def zeros(count, device): return Tensor()
cuda = N(device_count=lambda: 0, is_available=lambda: False, get_arch_list=lambda: ["sm_80"],
         get_device_capability=lambda: (8, 0))
"""
    facts = json.loads(probe("torch", code=fake("torch", body)))
    assert facts == {"version": "2.0.0", "build": "CUDA 11.7", "sees_gpu": True,
                     "archs": ["sm_80"], "capability": [8, 0]}  # fmt: skip


def test_a_torch_whose_gpu_fails_gives_the_first_line_of_why() -> None:
    body = """
from types import SimpleNamespace as N
__version__ = "2.0.0"
version = N(cuda="11.7", hip=None)
backends = N()
def fail(*words, **named): raise RuntimeError("no driver\\nsecond line")
zeros = fail
cuda = N(get_arch_list=lambda: [], get_device_capability=fail)
"""
    facts = json.loads(probe("torch", code=fake("torch", body)))
    assert (facts["sees_gpu"], facts["error"]) == (False, "RuntimeError: no driver")
    assert (facts["archs"], facts["capability"]) == ([], None)


@pytest.mark.parametrize(
    ("body", "build", "sees"),
    [
        ("version = N(cuda=None, hip='6.2'); backends = N()", "ROCm 6.2", True),
        ("version = N(cuda=None); backends = N(mps=N(is_built=lambda: True))", "Metal", True),
        ("version = N(cuda=None); backends = N(mps=N(is_built=lambda: False))", "CPU only", False),
    ],
)
def test_torchs_builds_are_told_apart(body: str, build: str, sees: bool) -> None:
    common = """
from types import SimpleNamespace as N
__version__ = "2"
zeros = lambda count, device: N(add_=lambda other: N(item=lambda: 1.0))
cuda = N(get_arch_list=lambda: [], get_device_capability=lambda: None)
"""
    facts = json.loads(probe("torch", code=fake("torch", common + body)))
    assert (facts["build"], facts["sees_gpu"]) == (build, sees)


@pytest.mark.parametrize(
    ("body", "build", "sees"),
    [
        ("info = {'cuda_version': '12.5.1'}; found = ['GPU:0']", "CUDA 12.5.1", True),
        ("info = {'cuda_version': '12.5.1'}; found = []", "CUDA 12.5.1", False),
        ("info = {'is_cuda_build': False}; found = []", "CPU only", False),
        ("info = {'is_rocm_build': True}; found = ['GPU:0']", "ROCm", True),
    ],
)
def test_tensorflow_is_asked_for_its_list_and_a_sum(body: str, build: str, sees: bool) -> None:
    common = """
from types import SimpleNamespace as N
import contextlib
__version__ = "2.20.0"
sysconfig = N(get_build_info=lambda: info)
config = N(list_physical_devices=lambda kind: found)
device = lambda name: contextlib.nullcontext()
constant = float
"""
    facts = json.loads(probe("tensorflow", code=fake("tensorflow", body + common)))
    assert (facts["version"], facts["build"], facts["sees_gpu"]) == ("2.20.0", build, sees)


@pytest.mark.parametrize(("platform", "sees"), [("gpu", True), ("cpu", False)])
def test_jax_is_asked_for_the_kind_of_its_devices(platform: str, sees: bool) -> None:
    body = f"""
from types import SimpleNamespace as N
__version__ = "0.6.1"
devices = lambda: [N(platform={platform!r})]
"""
    facts = json.loads(probe("jax", code=fake("jax", body)))
    assert (facts["version"], facts["sees_gpu"]) == ("0.6.1", sees)


@pytest.mark.parametrize(
    ("device", "info", "build", "sees"),
    [
        ("cuda:0", {"USE_CUDA": True, "CUDA_VERSION": [12, 5]}, "CUDA 12.5", True),
        ("cpu", {"USE_CUDA": True, "CUDA_VERSION": [12, 5]}, "CUDA 12.5", False),
        ("cpu", {"USE_CUDA": False}, "CPU only", False),
    ],
)
def test_xgboost_is_asked_where_its_training_ended_up(
    device: str, info: dict[str, object], build: str, sees: bool
) -> None:
    config = json.dumps({"learner": {"generic_param": {"device": device}}})
    body = f"""
from types import SimpleNamespace as N
__version__ = "3.2.0"
build_info = lambda: {info!r}
DMatrix = lambda data, label: None
train = lambda params, data, num_boost_round: N(save_config=lambda: {config!r})
"""
    facts = json.loads(probe("xgboost", code=fake("xgboost", body)))
    assert (facts["build"], facts["sees_gpu"]) == (build, sees)


def test_lightgbm_that_refuses_the_gpu_is_a_build_without_it() -> None:
    body = """
__version__ = "4.7.0"
Dataset = lambda data, label: None
def train(params, data, rounds):
    raise RuntimeError("CUDA Tree Learner was not enabled in this build.\\nRecompile")
"""
    facts = json.loads(probe("lightgbm", code=fake("lightgbm", body)))
    assert (facts["build"], facts["sees_gpu"]) == ("CPU only", False)


def test_cupy_is_asked_for_a_sum() -> None:
    body = """
from types import SimpleNamespace as N
__version__ = "14.0"
cuda = N(runtime=N(get_build_version=lambda: 12090, is_hip=False))
arange = lambda count: N(sum=lambda: 3)
"""
    facts = json.loads(probe("cupy", code=fake("cupy", body)))
    assert facts == {"version": "14.0", "build": "CUDA 12.9", "sees_gpu": True}


def test_a_broken_installation_is_reported_and_not_raised() -> None:
    facts = json.loads(probe("cupy", code="import sys; sys.modules['cupy'] = None"))
    assert facts["sees_gpu"] is None
    assert facts["error"].startswith("ModuleNotFoundError")
