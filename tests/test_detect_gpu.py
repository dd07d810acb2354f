"""Which GPUs a process may use, and without one, why and what to type."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.machines import HUNG, RECORDED, Machine

from mlhpc.detect import Gpu, Outcome, Report
from mlhpc.detect.visible import choose

QUERY = "nvidia-smi --query-gpu"
FIRST = "GPU-5c89852c-d268-c3f3-1b07-005d5ae1dc3f"
SLICE = "MIG-feb88891-0321-5fef-9c87-d4af3b54259e"


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine of which only the GPUs matter."""
    return Machine(tmp_path)


@pytest.fixture
def four_a100(machine: Machine) -> Machine:
    """A node with four A100, all listed by nvidia-smi."""
    return machine.cards(4).command(QUERY, "nvidia-smi/four-a100.csv")


@pytest.fixture
def seven_slices(machine: Machine) -> Machine:
    """A node with one A100 in seven slices."""
    machine.cards(1).command(QUERY, "nvidia-smi/insufficient-permissions.csv")
    machine.command("nvidia-smi -q -x", "nvidia-smi/seven-slices.xml")
    return machine.command("nvidia-smi -L", "nvidia-smi/seven-slices-list.txt")


def codes(report: Report) -> list[str]:
    """The codes of the report's problems, in order."""
    return [problem.code for problem in report.problems]


# --- what is listed -------------------------------------------------------------------------


def test_gpus_are_listed_with_name_uuid_memory_and_driver(four_a100: Machine) -> None:
    report = four_a100.detect()
    assert report.gpu_status == "ok"
    assert [gpu.index for gpu in report.gpus] == [0, 1, 2, 3]
    first = report.gpus[0]
    assert (first.name, first.uuid) == ("NVIDIA A100 80GB PCIe", FIRST)
    assert (first.memory_gib, first.driver, first.mig) == (80.0, "550.54.15", None)
    assert first.unknown == {}
    assert report.problems == ()


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        ("[N/A]", "nvidia-smi answers [N/A]"),
        ("[Not Supported]", "nvidia-smi answers [Not Supported]"),
        ("[Insufficient Permissions]", "nvidia-smi answers [Insufficient Permissions]"),
        ("[Unknown Error]", "nvidia-smi answers [Unknown Error]"),
        ("ERR!", "nvidia-smi answers ERR!"),
        ("", "nvidia-smi answers nothing"),
    ],
)
@pytest.mark.parametrize("field", ["index", "name", "uuid", "memory_gib", "driver"])
def test_any_field_can_be_unknown_with_its_reason_and_is_never_0(
    machine: Machine, field: str, cell: str, reason: str
) -> None:
    cells = {"index": "0", "name": "NVIDIA A100", "uuid": FIRST, "memory_gib": "81920",
             "driver": "550.54.15", "mig": "Disabled"}  # fmt: skip
    cells[field] = cell
    machine.command(QUERY, Outcome(0, ", ".join(cells.values()) + "\n"))
    report = machine.detect()
    assert report.gpu_status == "ok"
    assert getattr(report.gpus[0], field) is None
    assert report.gpus[0].unknown == {field: reason}


@pytest.mark.parametrize("cell", ["0", "lots", "-5", "81920 MiB"])
def test_a_memory_that_is_no_positive_number_is_unknown(machine: Machine, cell: str) -> None:
    machine.command(QUERY, Outcome(0, f"0, NVIDIA A100, {FIRST}, {cell}, 550, Disabled\n"))
    gpu = machine.detect().gpus[0]
    assert gpu.memory_gib is None
    assert gpu.unknown["memory_gib"] == f"nvidia-smi answers {cell}"


def test_unified_memory_is_unknown_and_the_gpu_is_still_there(machine: Machine) -> None:
    report = machine.command(QUERY, "nvidia-smi/gb10.csv").detect()
    assert (report.gpu_status, report.gpus[0].name) == ("ok", "NVIDIA GB10")
    assert report.gpus[0].memory_gib is None


def test_a_field_that_is_not_supported_leaves_the_others(machine: Machine) -> None:
    gpu = machine.command(QUERY, "nvidia-smi/not-supported.csv").detect().gpus[0]
    assert (gpu.name, gpu.memory_gib) == ("GeForce GTX 660", 1.96)
    assert sorted(gpu.unknown) == ["driver", "uuid"]


def test_a_driver_that_knows_no_mig_is_asked_again_without_it(machine: Machine) -> None:
    machine.command(f"{QUERY}=index,name,uuid,memory.total,driver_version,mig",
                    "nvidia-smi/old-driver-field.txt", 2)  # fmt: skip
    machine.command(f"{QUERY}=index,name,uuid,memory.total,driver_version ",
                    "nvidia-smi/old-driver.csv")  # fmt: skip
    gpu = machine.detect().gpus[0]
    assert (gpu.name, gpu.memory_gib, gpu.driver) == ("GeForce GTX 1660 Ti", 5.8, "430.64")


def test_a_name_with_a_comma_is_one_name(machine: Machine) -> None:
    machine.command(QUERY, Outcome(0, f"0, GPU, the second, {FIRST}, 1024, 550, Disabled\n"))
    gpu = machine.detect().gpus[0]
    assert (gpu.name, gpu.memory_gib) == ("GPU,the second", 1.0)


# --- MIG ------------------------------------------------------------------------------------


def test_a_gpu_in_mig_mode_is_listed_as_its_slices(seven_slices: Machine) -> None:
    report = seven_slices.detect()
    assert len(report.gpus) == 7
    assert {gpu.mig for gpu in report.gpus} == {"1g.10gb"}
    assert {gpu.memory_gib for gpu in report.gpus} == {9.5}
    assert report.gpus[0].uuid == SLICE
    assert report.gpus[0].name == "NVIDIA A100-SXM4-80GB"
    assert codes(report) == ["one_mig_slice"]


def test_a_slice_named_by_slurm_is_the_one_that_is_usable(seven_slices: Machine) -> None:
    report = seven_slices.variables(CUDA_VISIBLE_DEVICES=SLICE).detect()
    assert (report.gpu_status, [gpu.uuid for gpu in report.gpus]) == ("ok", [SLICE])
    assert report.problems == ()


def test_a_slice_of_unknown_size_says_its_profile(seven_slices: Machine) -> None:
    seven_slices.command("nvidia-smi -q -x", Outcome(1, "Insufficient Permissions"))
    gpu = seven_slices.detect().gpus[0]
    assert gpu.memory_gib is None
    assert "1g.10gb" in gpu.unknown["memory_gib"]


def test_the_older_names_of_slices_are_understood(machine: Machine) -> None:
    machine.command(QUERY, "nvidia-smi/old-slices.csv")
    machine.command("nvidia-smi -L", "nvidia-smi/old-slices-list.txt")
    machine.variables(CUDA_VISIBLE_DEVICES=f"MIG-{FIRST}/8/0")
    report = machine.detect()
    assert [(gpu.mig, gpu.uuid) for gpu in report.gpus] == [("1g.5gb", f"MIG-{FIRST}/8/0")]


def test_mig_mode_without_a_slice_is_no_usable_gpu(machine: Machine) -> None:
    machine.cards(1).command(QUERY, "nvidia-smi/insufficient-permissions.csv")
    machine.command("nvidia-smi -L", Outcome(0, "GPU 0: NVIDIA A100 (UUID: GPU-7fdaf0a5)\n"))
    report = machine.detect()
    assert (report.gpu_status, codes(report)) == ("none", ["driver_silent"])
    assert "no slice" in report.problems[0].evidence


# --- what the environment hides -------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "indices"),
    [
        ("0", [0]),
        ("2,0", [2, 0]),
        ("0, 1", [0, 1]),
        ("0,-1,2", [0]),
        ("1,9,2", [1]),
        ("3,NoDevFiles", [3]),
        (FIRST, [0]),
        ("GPU-ec845691", [1]),
        ("gpu-EC845691", [1]),
        (f"1,{FIRST}", [1, 0]),
    ],
)
def test_the_list_is_read_as_cuda_reads_it(
    four_a100: Machine, value: str, indices: list[int]
) -> None:
    report = four_a100.variables(CUDA_VISIBLE_DEVICES=value).detect()
    assert [gpu.index for gpu in report.gpus] == indices
    assert report.gpu_status == "ok"


@pytest.mark.parametrize("value", ["", "-1", "NoDevFiles", "9", "GPU-", "GPU-ffff", "none", "0,0"])
def test_a_list_that_hides_every_gpu_is_named(four_a100: Machine, value: str) -> None:
    report = four_a100.variables(CUDA_VISIBLE_DEVICES=value).detect()
    assert (report.gpu_status, report.gpus) == ("none", ())
    assert codes(report) == ["hidden_by_environment"]
    assert f"CUDA_VISIBLE_DEVICES={value or '(empty)'}" in report.problems[0].evidence
    assert "4 GPUs" in report.problems[0].evidence
    assert report.problems[0].fix == "`unset CUDA_VISIBLE_DEVICES`"


def test_in_a_gpu_job_what_changes_slurms_list_is_to_be_removed(four_a100: Machine) -> None:
    four_a100.slurm("sbatch-one-gpu.env").variables(CUDA_VISIBLE_DEVICES="-1")
    report = four_a100.detect()
    assert codes(report) == ["hidden_by_environment"]
    assert "`grep -n CUDA_VISIBLE_DEVICES YOUR_SCRIPT ~/.bashrc`" in report.problems[0].fix


def test_slurms_number_of_a_device_is_not_nvidia_smis(machine: Machine) -> None:
    """The job has /dev/nvidia6, which alone is visible: nvidia-smi and CUDA call it 0."""
    machine.command(QUERY, "nvidia-smi/one-a100.csv").cards(8)
    machine.slurm("sbatch-one-gpu.env").variables(SLURM_JOB_GPUS="6", CUDA_VISIBLE_DEVICES="0")
    report = machine.detect()
    assert [(gpu.index, gpu.uuid) for gpu in report.gpus] == [(0, FIRST)]


def test_among_unequal_gpus_a_number_does_not_say_which(machine: Machine) -> None:
    machine.command(QUERY, "nvidia-smi/p100-and-a5000.csv")
    report = machine.variables(CUDA_VISIBLE_DEVICES="0").detect()
    assert (report.gpu_status, codes(report)) == ("ok", ["device_order"])
    assert (report.gpus[0].name, report.gpus[0].memory_gib) == (None, None)
    assert "fastest" in report.gpus[0].unknown["name"]
    assert report.problems[0].fix == "`export CUDA_DEVICE_ORDER=PCI_BUS_ID`"


@pytest.mark.parametrize(
    "variables",
    [
        {"CUDA_VISIBLE_DEVICES": "1", "CUDA_DEVICE_ORDER": "PCI_BUS_ID"},
        {"CUDA_VISIBLE_DEVICES": "GPU-f8bf3ffc-96d2-bef8-d6c3-c49c6b112884"},
    ],
)
def test_in_bus_order_or_by_uuid_it_does(machine: Machine, variables: dict[str, str]) -> None:
    machine.command(QUERY, "nvidia-smi/p100-and-a5000.csv")
    report = machine.variables(**variables).detect()
    assert [gpu.name for gpu in report.gpus] == ["NVIDIA RTX A5000"]
    assert report.problems == ()


@given(st.text(max_size=30))
def test_any_list_leaves_some_of_the_gpus(value: str) -> None:
    gpus = [Gpu(number, "A100", f"GPU-{number}abc") for number in range(4)]
    chosen = choose(gpus, value)
    assert set(map(id, chosen)) <= set(map(id, gpus))
    assert len({gpu.uuid for gpu in chosen}) == len(chosen)


# --- why there is none ----------------------------------------------------------------------


def test_a_job_that_asked_for_no_gpu_is_told_to_ask_for_one(machine: Machine) -> None:
    machine.slurm("sbatch-gpu-node-no-gres.env").cards(4)
    report = machine.command(QUERY, "nvidia-smi/no-driver-answer.txt", 9).detect()
    assert (report.gpu_status, codes(report)) == ("none", ["no_gpu_requested"])
    assert "4 NVIDIA GPUs on the PCI bus" in report.problems[0].evidence
    assert "couldn't communicate" in report.problems[0].evidence
    assert "`#SBATCH --gres=gpu:1`" in report.problems[0].fix
    assert "`srun --partition=gpu --gres=gpu:1 --pty bash`" in report.problems[0].fix


@pytest.mark.parametrize("mask", [None, "NoDevFiles", "", "0"])
def test_gpus_that_the_job_did_not_ask_for_are_not_its_own(
    four_a100: Machine, mask: str | None
) -> None:
    four_a100.slurm("sbatch-gpu-node-no-gres.env")
    if mask is not None:
        four_a100.variables(CUDA_VISIBLE_DEVICES=mask)
    report = four_a100.detect()
    assert (report.gpu_status, report.gpus) == ("none", ())
    assert codes(report) == ["no_gpu_requested"]


@pytest.mark.parametrize("name", ["sbatch-one-gpu.env", "srun-two-gpus.env",
                                  "srun-task-gpu-each.env"])  # fmt: skip
def test_a_job_that_asked_gets_what_slurm_gave_it(four_a100: Machine, name: str) -> None:
    report = four_a100.slurm(name).detect()
    given = four_a100.environ["CUDA_VISIBLE_DEVICES"].split(",")
    assert [str(gpu.index) for gpu in report.gpus] == given
    assert report.gpu_status == "ok"


@pytest.mark.parametrize(
    "variables",
    [
        {"SLURM_TRES_PER_TASK": "cpu=4,gres/gpu=1"},
        {"SLURM_GPUS": "a100:1"},
        {"SLURM_JOB_GPUS": "0"},
        {"SLURM_STEP_GPUS": "0,1"},
    ],
)
def test_a_request_by_any_option_counts(four_a100: Machine, variables: dict[str, str]) -> None:
    four_a100.slurm("sbatch-gpu-node-no-gres.env").variables(**variables)
    assert four_a100.detect().gpu_status == "ok"


@pytest.mark.parametrize(
    "variables",
    [{"SLURM_GPUS_ON_NODE": "0"}, {"SLURM_JOB_GPUS": ""}, {"SLURM_TRES_PER_TASK": "cpu=4"}],
)
def test_a_count_of_0_or_an_empty_list_is_no_request(
    four_a100: Machine, variables: dict[str, str]
) -> None:
    four_a100.slurm("sbatch-gpu-node-no-gres.env").variables(**variables)
    assert codes(four_a100.detect()) == ["no_gpu_requested"]


def test_a_cpu_node_in_a_job_says_where_gpus_are(machine: Machine) -> None:
    report = machine.slurm("sbatch-three-nodes.env").cards(0).detect()
    assert (report.gpu_status, codes(report)) == ("none", ["node_without_gpu"])
    assert "`sbatch --partition=gpu --gres=gpu:1 YOUR_SCRIPT`" in report.problems[0].fix
    assert "`sinfo -o '%P %G'`" in report.problems[0].fix


def test_a_login_node_sends_to_a_job(machine: Machine) -> None:
    machine.files({"usr/bin/sbatch": ""}).cards(0)
    report = machine.command(QUERY, "nvidia-smi/no-driver-answer.txt", 9).detect()
    assert codes(report) == ["node_without_gpu"]
    assert "`srun --partition=gpu --gres=gpu:1 --pty bash`" in report.problems[0].fix


def test_a_laptop_without_a_gpu_has_nothing_to_mend(machine: Machine) -> None:
    machine.files({"sys/class/power_supply/BAT0/type": "Battery"}).cards(0)
    report = machine.detect()
    assert (report.gpu_status, codes(report)) == ("none", ["node_without_gpu"])
    assert "nothing to mend" in report.problems[0].fix


def test_a_driver_that_does_not_answer_is_silent(machine: Machine) -> None:
    report = machine.cards(2).command(QUERY, "nvidia-smi/no-driver-answer.txt", 9).detect()
    assert (report.gpu_status, codes(report)) == ("none", ["driver_silent"])
    assert "couldn't communicate" in report.problems[0].evidence
    assert "2 NVIDIA GPUs on the PCI bus" in report.problems[0].evidence


def test_a_driver_without_devices_is_silent(machine: Machine) -> None:
    machine.cards(1).slurm("sbatch-one-gpu.env")
    report = machine.command(QUERY, "nvidia-smi/no-devices.txt", 6).detect()
    assert (report.gpu_status, codes(report)) == ("none", ["driver_silent"])
    assert "`sbatch --exclude=$SLURMD_NODENAME YOUR_SCRIPT`" in report.problems[0].fix


def test_a_card_without_driver_is_silent(machine: Machine) -> None:
    machine.cards(1).files({"sys/class/power_supply/BAT0/type": "Battery"})
    report = machine.detect()
    assert (report.gpu_status, codes(report)) == ("none", ["driver_silent"])
    assert report.problems[0].fix == "install the NVIDIA driver"


@pytest.mark.parametrize(
    ("file", "version"),
    [("kernel-driver.txt", "580.173.02"), ("kernel-driver-open.txt", "565.57.01")],
)
def test_a_driver_of_another_version_than_its_library_is_named(
    machine: Machine, file: str, version: str
) -> None:
    kernel = (RECORDED / "nvidia-smi" / file).read_text()
    machine.cards(1).files({"proc/driver/nvidia/version": kernel})
    report = machine.command(QUERY, "nvidia-smi/version-mismatch.txt", 18).detect()
    assert (report.gpu_status, codes(report)) == ("none", ["driver_library_mismatch"])
    assert f"the driver in the kernel is {version}" in report.problems[0].evidence


def test_a_tool_that_hangs_leaves_the_gpu_unknown(machine: Machine) -> None:
    report = machine.cards(1).command(QUERY, HUNG).detect()
    assert (report.gpu_status, codes(report)) == ("unknown", ["tool_hangs"])
    assert report.gpus == ()


def test_a_gpu_that_fell_off_the_bus_leaves_the_others_unknown(machine: Machine) -> None:
    report = machine.cards(4).command(QUERY, "nvidia-smi/device-handle.txt", 255).detect()
    assert (report.gpu_status, codes(report)) == ("unknown", ["driver_silent"])


def test_a_lost_gpu_beside_a_listed_one_is_a_remark(machine: Machine) -> None:
    row = (RECORDED / "nvidia-smi" / "one-a100.csv").read_text()
    lost = (RECORDED / "nvidia-smi" / "device-handle.txt").read_text()
    report = machine.command(QUERY, Outcome(255, lost + row)).detect()
    assert (report.gpu_status, codes(report)) == ("ok", ["driver_silent"])
    assert len(report.gpus) == 1


@pytest.mark.parametrize(
    ("outcome", "evidence"),
    [
        (Outcome(3, "", "segmentation fault"), "nvidia-smi says 'segmentation fault'"),
        (Outcome(0, ""), "nvidia-smi says 'nothing'"),
        (Outcome(0, "hello\n"), "nvidia-smi says 'hello'"),
    ],
)
def test_what_nobody_has_seen_before_is_unknown_and_quoted(
    machine: Machine, outcome: Outcome, evidence: str
) -> None:
    report = machine.cards(1).command(QUERY, outcome).detect()
    assert (report.gpu_status, codes(report)) == ("unknown", ["cannot_tell"])
    assert evidence in report.problems[0].evidence


def test_without_a_bus_to_look_at_a_missing_tool_proves_nothing(machine: Machine) -> None:
    report = machine.detect()
    assert (report.gpu_status, codes(report)) == ("unknown", ["cannot_tell"])


def test_a_driver_without_its_tool_proves_nothing(machine: Machine) -> None:
    kernel = (RECORDED / "nvidia-smi" / "kernel-driver.txt").read_text()
    report = machine.cards(1).files({"proc/driver/nvidia/version": kernel}).detect()
    assert (report.gpu_status, codes(report)) == ("unknown", ["cannot_tell"])
    assert "580.173.02 is loaded" in report.problems[0].evidence


def test_a_granted_gpu_that_nothing_shows_is_unknown(machine: Machine) -> None:
    report = machine.slurm("sbatch-one-gpu.env").cards(0).detect()
    assert (report.gpu_status, codes(report)) == ("unknown", ["cannot_tell"])
    assert "SLURM_JOB_GPUS=0 is set" in report.problems[0].evidence


# --- AMD ------------------------------------------------------------------------------------


@pytest.fixture
def rocm(machine: Machine) -> Machine:
    """A machine with ROCm's driver and two cards, of which one is part of the processor."""
    machine.cards(2, "0x1002").files({"dev/kfd": ""})
    return machine.command("rocm-smi", "amd/rocm-smi-7900xt.json")


def test_amd_gpus_are_listed_by_rocm_smi(rocm: Machine) -> None:
    report = rocm.detect()
    assert report.gpu_status == "ok"
    first, second = report.gpus
    assert (first.name, first.memory_gib) == ("Radeon RX 7900 XT", 19.98)
    assert (first.uuid, first.driver) == ("GPU-9246a1b2c3d4e5f6", "6.8.5")
    assert (second.index, second.uuid, second.memory_gib) == (1, None, 0.06)
    assert second.unknown == {"uuid": "the tool does not say"}


def test_older_keys_and_a_warning_before_the_json_are_read(rocm: Machine) -> None:
    rocm.command("rocm-smi", "amd/rocm-smi-mi250.json")
    gpu = rocm.detect().gpus[0]
    assert (gpu.memory_gib, gpu.driver) == (63.98, "5.16.9.22.20")


@pytest.mark.parametrize(
    ("file", "name", "memory_gib", "driver"),
    [
        ("amd/amd-smi-mi300x.json", "AMD Instinct MI300X", 191.98, "6.19.14"),
        ("amd/amd-smi-list.json", "AMD Instinct MI210", 63.98, "6.7.0"),
    ],
)
def test_amd_smi_is_asked_where_rocm_smi_is_gone(
    rocm: Machine, file: str, name: str, memory_gib: float, driver: str
) -> None:
    del rocm.commands["rocm-smi"]
    gpu = rocm.command("amd-smi", file).detect().gpus[0]
    assert (gpu.name, gpu.memory_gib, gpu.driver) == (name, memory_gib, driver)
    assert gpu.unknown == {"uuid": "the tool does not say"}


def test_a_gpu_of_which_amd_smi_says_nothing_is_listed_as_unknown(rocm: Machine) -> None:
    del rocm.commands["rocm-smi"]
    gpu = rocm.command("amd-smi", "amd/amd-smi-mi300x.json").detect().gpus[1]
    assert (gpu.index, gpu.name, gpu.memory_gib) == (1, None, None)
    assert sorted(gpu.unknown) == ["driver", "memory_gib", "name", "uuid"]


@pytest.mark.parametrize(
    ("variables", "indices"),
    [
        ({"ROCR_VISIBLE_DEVICES": "1"}, [1]),
        ({"HIP_VISIBLE_DEVICES": "0"}, [0]),
        ({"ROCR_VISIBLE_DEVICES": "1", "HIP_VISIBLE_DEVICES": "0"}, [1]),
        ({"ROCR_VISIBLE_DEVICES": "GPU-9246a1b2c3d4e5f6"}, [0]),
        ({"CUDA_VISIBLE_DEVICES": "1"}, [1]),
    ],
)
def test_rocm_hides_first_and_hip_numbers_what_is_left(
    rocm: Machine, variables: dict[str, str], indices: list[int]
) -> None:
    report = rocm.variables(**variables).detect()
    assert [gpu.index for gpu in report.gpus] == indices


def test_hidden_amd_gpus_are_said_to_be_hidden(rocm: Machine) -> None:
    report = rocm.variables(HIP_VISIBLE_DEVICES="-1").detect()
    assert (report.gpu_status, codes(report)) == ("none", ["hidden_by_environment"])
    assert report.problems[0].fix == "`unset HIP_VISIBLE_DEVICES`"


@pytest.mark.parametrize(
    ("outcome", "status", "code"),
    [
        (HUNG, "unknown", "tool_hangs"),
        (Outcome(0, "WARNING: No JSON data to report\n"), "none", "driver_silent"),
        (Outcome(0, "{broken"), "none", "driver_silent"),
    ],
)
def test_amds_tool_can_fail_too(rocm: Machine, outcome: Outcome, status: str, code: str) -> None:
    report = rocm.command("rocm-smi", outcome).detect()
    assert (report.gpu_status, codes(report)) == (status, [code])


def test_graphics_without_rocms_driver_cannot_compute(machine: Machine) -> None:
    report = machine.cards(1, "0x1002").detect()
    assert (report.gpu_status, codes(report)) == ("none", ["node_without_gpu"])
    assert "/dev/kfd" in report.problems[0].evidence
