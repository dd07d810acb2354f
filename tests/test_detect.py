"""What detection says of cores, memory and places, on machines made for it and on this one."""

import json
import os
import re
import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.machines import RECORDED, SITUATIONS, Machine, clean_environ, recorded_machine

import mlhpc
from mlhpc.cli import main
from mlhpc.cli.detect import text
from mlhpc.detect import Outcome
from mlhpc.detect.seam import run_command

GIB = 1024**3
V2_MOUNT = "31 24 0:27 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate"
V1_MEMORY = "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory"
V1_CPU = "36 31 0:33 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct"


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """128 cores, 512 GiB, nothing else."""
    return Machine(tmp_path).files({
        "sys/devices/system/cpu/online": "0-127",
        "proc/meminfo": f"MemTotal:       {512 * 1024 * 1024} kB\nMemFree: 1 kB",
    })  # fmt: skip


# --- cores ---------------------------------------------------------------------------------


def test_a_machine_without_limits_gives_all_its_cores(machine: Machine) -> None:
    cpus = machine.detect().cpus
    assert (cpus.usable, cpus.machine, cpus.source) == (128, 128, "all cores of the machine")


def test_a_four_core_job_on_a_192_core_node_has_four(machine: Machine) -> None:
    machine.files({"sys/devices/system/cpu/online": "0-191"})
    machine.variables(SLURM_JOB_ID="1", SLURMD_NODENAME="n", SLURM_CPUS_PER_TASK="4")
    cpus = machine.detect().cpus
    assert (cpus.usable, cpus.machine, cpus.source) == (4, 192, "SLURM_CPUS_PER_TASK=4")


@pytest.mark.parametrize(
    ("text", "node", "cores"),
    [
        ("24(x2)", "0", 24),
        ("24(x2)", "1", 24),
        ("16,24(x2)", "0", 16),
        ("16,24(x2)", "1", 24),
        ("16,24(x2)", "2", 24),
        ("3,1(x2)", None, 1),
        ("16,24(x2)", "7", 16),
        ("16,24(x2)", "x", 16),
        ("64", None, 64),
        ("24(x1000000000000)", "5", 24),
    ],
)
def test_counts_a_node_are_read_in_slurms_own_format(
    machine: Machine, text: str, node: str | None, cores: int
) -> None:
    machine.variables(SLURM_JOB_ID="1", SLURM_JOB_CPUS_PER_NODE=text)
    if node is not None:
        machine.variables(SLURM_NODEID=node)
    assert machine.detect().cpus.usable == cores


@pytest.mark.parametrize("text", ["abc", "24(x", "-4", "4.5", "24(2)", ",", "٤"])
def test_a_count_that_is_not_understood_is_named_and_does_not_count(
    machine: Machine, text: str
) -> None:
    machine.variables(SLURM_JOB_ID="1", SLURM_CPUS_PER_TASK=text)
    cpus = machine.detect().cpus
    assert cpus.usable == 128
    assert f"SLURM_CPUS_PER_TASK={text!r} was not understood" in cpus.source


@pytest.mark.parametrize(
    ("name", "cores", "source"),
    [
        ("sbatch-one-gpu.env", 8, "SLURM_CPUS_PER_TASK=8"),
        ("sbatch-two-equal-nodes.env", 24, "SLURM_CPUS_PER_TASK=24"),
        ("sbatch-three-nodes.env", 3, "SLURM_CPUS_ON_NODE=3"),
        ("sbatch-array-task.env", 2, "SLURM_CPUS_PER_TASK=2"),
        ("sbatch-whole-node.env", 128, "SLURM_CPUS_ON_NODE=128"),
        ("srun-two-gpus.env", 4, "SLURM_CPUS_PER_TASK=4"),
    ],
)
def test_cores_of_real_jobs(machine: Machine, name: str, cores: int, source: str) -> None:
    cpus = machine.slurm(name).detect().cpus
    assert (cpus.usable, cpus.source) == (cores, source)


def test_a_job_never_has_more_cores_than_the_machine(machine: Machine) -> None:
    machine.files({"sys/devices/system/cpu/online": "0-1"})
    machine.variables(SLURM_JOB_ID="1", SLURM_CPUS_PER_TASK="64")
    assert machine.detect().cpus.usable == 2


def test_affinity_counts_where_it_is_the_smallest(machine: Machine) -> None:
    machine.cores_bound = 6
    machine.variables(SLURM_JOB_ID="1", SLURM_CPUS_ON_NODE="32")
    cpus = machine.detect().cpus
    assert cpus.usable == 6
    assert "affinity" in cpus.source


@pytest.mark.parametrize(
    ("quota", "cores", "source"),
    [
        ("150000 100000", 1, "a quota of 1.5 cores (cgroup cpu.max), taken as 1"),
        ("400000 100000", 4, "a quota of 4 cores (cgroup cpu.max)"),
        ("50000 100000", 1, "a quota of 0.5 cores (cgroup cpu.max), taken as 1"),
        ("max 100000", 128, "all cores of the machine"),
        ("nonsense", 128, "all cores of the machine"),
        ("", 128, "all cores of the machine"),
    ],
)
def test_a_version_2_quota_can_be_a_fraction(
    machine: Machine, quota: str, cores: int, source: str
) -> None:
    machine.files({
        "proc/self/cgroup": "0::/job/task",
        "proc/self/mountinfo": V2_MOUNT,
        "sys/fs/cgroup/job/cpu.max": quota,
        "sys/fs/cgroup/job/task/cpu.max": "max 100000",
    })  # fmt: skip
    cpus = machine.detect().cpus
    assert (cpus.usable, cpus.source) == (cores, source)


@pytest.mark.parametrize(("quota", "cores"), [("250000", 2), ("-1", 128), ("100000", 1)])
def test_a_version_1_quota_counts(machine: Machine, quota: str, cores: int) -> None:
    machine.files({
        "proc/self/cgroup": "4:cpu,cpuacct:/docker/abc\n0::/",
        "proc/self/mountinfo": V1_CPU,
        "sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_quota_us": quota,
        "sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_period_us": "100000",
    })  # fmt: skip
    assert machine.detect().cpus.usable == cores


def test_a_system_that_says_nothing_has_an_unknown_number_of_cores(tmp_path: Path) -> None:
    report = Machine(tmp_path).detect()
    assert (report.cpus.usable, report.cpus.machine) == (None, None)
    assert (report.memory_gib.usable, report.memory_gib.machine) == (None, None)
    assert "does not say" in report.cpus.source
    assert "unknown: the system does not say" in text(report)


def test_cores_are_counted_in_cpuinfo_where_the_kernel_lists_none_online(tmp_path: Path) -> None:
    machine = Machine(tmp_path).files({"proc/cpuinfo": "processor\t: 0\n\nprocessor\t: 1\n"})
    assert machine.detect().cpus.machine == 2


# --- memory --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "gib", "source"),
    [
        ("sbatch-one-gpu.env", 64, "SLURM_MEM_PER_NODE=65536"),
        ("sbatch-three-nodes.env", 6, "SLURM_MEM_PER_CPU=2048 x 3 cores"),
        ("sbatch-two-equal-nodes.env", 48, "SLURM_MEM_PER_CPU=2048 x 24 cores"),
        ("srun-task-gpu-each.env", 32, "SLURM_MEM_PER_GPU=16384 x 2 GPUs"),
        ("sbatch-whole-node.env", 512, "all memory of the machine"),
    ],
)
def test_memory_of_real_jobs_is_in_mib(
    machine: Machine, name: str, gib: float, source: str
) -> None:
    memory = machine.slurm(name).detect().memory_gib
    assert (memory.usable, memory.machine, memory.source) == (gib, 512, source)


@pytest.mark.parametrize(
    "variables",
    [
        {"SLURM_MEM_PER_NODE": "0"},
        {"SLURM_MEM_PER_NODE": "plenty"},
        {"SLURM_MEM_PER_CPU": "2048"},
        {"SLURM_MEM_PER_GPU": "2048"},
        {"SLURM_MEM_PER_NODE": "999999999"},
    ],
)
def test_memory_that_slurm_does_not_limit_is_the_machines(
    machine: Machine, variables: dict[str, str]
) -> None:
    machine.variables(SLURM_JOB_ID="1", **variables)
    assert machine.detect().memory_gib.usable == 512


def test_the_smallest_limit_along_the_path_counts(machine: Machine) -> None:
    group = "system.slice/slurmstepd.scope/job_4749"
    machine.files({
        "proc/self/cgroup": f"0::/{group}/step_0/user/task_0",
        "proc/self/mountinfo": V2_MOUNT,
        f"sys/fs/cgroup/{group}/memory.max": 8 * GIB,
        f"sys/fs/cgroup/{group}/step_0/memory.max": 4 * GIB,
        f"sys/fs/cgroup/{group}/step_0/user/memory.max": "max",
        f"sys/fs/cgroup/{group}/step_0/user/task_0/memory.max": "max",
    })  # fmt: skip
    memory = machine.detect().memory_gib
    assert (memory.usable, memory.source) == (4, "cgroup memory.max")


@pytest.mark.parametrize(
    ("limit", "gib"),
    [
        (9223372036854771712, 512),
        (9223372036854775807, 512),
        (2**60 + 1, 512),
        (600 * GIB, 512),
        (16 * GIB, 16),
        ("garbage", 512),
        (0, 512),
    ],
)
def test_a_version_1_limit_near_the_largest_number_is_none(
    machine: Machine, limit: object, gib: float
) -> None:
    machine.files({
        "proc/self/cgroup": "8:memory:/slurm/uid_1000/job_7/step_batch/task_0",
        "proc/self/mountinfo": V1_MEMORY,
        "sys/fs/cgroup/memory/slurm/uid_1000/job_7/memory.limit_in_bytes": limit,
        "sys/fs/cgroup/memory/memory.limit_in_bytes": 9223372036854771712,
    })  # fmt: skip
    assert machine.detect().memory_gib.usable == gib


def test_a_sentinel_is_no_memory_where_the_machines_is_unknown(tmp_path: Path) -> None:
    machine = Machine(tmp_path).files({
        "proc/self/cgroup": "8:memory:/",
        "proc/self/mountinfo": V1_MEMORY,
        "sys/fs/cgroup/memory/memory.limit_in_bytes": 9223372036854771712,
    })  # fmt: skip
    assert machine.detect().memory_gib.usable is None


def test_in_a_container_the_mounted_group_is_the_top(machine: Machine) -> None:
    mount = V2_MOUNT.replace(" / /sys", " /docker/abc /sys")
    machine.files({
        "proc/self/cgroup": "0::/docker/abc",
        "proc/self/mountinfo": mount,
        "sys/fs/cgroup/memory.max": 2 * GIB,
    })  # fmt: skip
    assert machine.detect().memory_gib.usable == 2


def test_a_group_outside_of_what_is_mounted_leaves_the_top(machine: Machine) -> None:
    machine.files({
        "proc/self/cgroup": "0::/../other",
        "proc/self/mountinfo": V2_MOUNT,
        "sys/fs/cgroup/memory.max": 3 * GIB,
        "sys/fs/other/memory.max": GIB,
    })  # fmt: skip
    assert machine.detect().memory_gib.usable == 3


def test_limits_are_found_where_there_is_no_mountinfo(machine: Machine) -> None:
    machine.files({"sys/fs/cgroup/memory.max": 5 * GIB, "sys/fs/cgroup/cpu.max": "300000 100000"})
    report = machine.detect()
    assert (report.memory_gib.usable, report.cpus.usable) == (5, 3)


# --- where ---------------------------------------------------------------------------------


def test_a_job_is_told_with_its_id_node_and_partition(machine: Machine) -> None:
    report = machine.slurm("sbatch-one-gpu.env").detect()
    assert report.where == "job"
    assert report.slurm is not None
    assert report.slurm.document() == {
        "job_id": "13", "node": "gpu01", "partition": "gpu", "nodes": 1, "tasks": None,
        "gpus_on_node": 1, "array_task": None,
    }  # fmt: skip


def test_a_task_of_an_array_knows_its_number(machine: Machine) -> None:
    job = machine.slurm("sbatch-array-task.env").detect().slurm
    assert job is not None
    assert job.array_task == "4"


@pytest.mark.parametrize(
    "group",
    [
        "0::/system.slice/slurmstepd.scope/job_4749/step_extern/user/task_0",
        "0::/system.slice/node7_slurmstepd.scope/job_4749/step_0/user/task_0",
        "8:memory:/slurm/uid_1000/job_4749/step_extern/task_0",
        "8:memory:/slurm_node7/uid_1000/job_4749/step_0/task_0",
    ],
)
def test_a_login_by_ssh_into_a_job_is_in_the_job(machine: Machine, group: str) -> None:
    report = machine.files({"proc/self/cgroup": group}).detect()
    assert report.where == "job"
    assert report.slurm is not None
    assert report.slurm.job_id == "4749"
    assert [problem.code for problem in report.problems] != ["no_gpu_requested"]


def test_the_shell_of_salloc_is_not_in_its_job(machine: Machine) -> None:
    machine.slurm("salloc-shell.env").variables(SLURM_SUBMIT_HOST="login1.example.org")
    machine.files({"proc/sys/kernel/hostname": "login1"}).cards(0)
    report = machine.detect()
    assert report.where == "login"
    assert report.cpus.usable == 128
    assert "`srun --jobid=18 --pty bash`" in report.problems[0].fix


def test_a_shell_that_salloc_started_on_the_node_is_in_its_job(machine: Machine) -> None:
    machine.slurm("salloc-shell.env").variables(SLURM_SUBMIT_HOST="login1")
    machine.files({"proc/sys/kernel/hostname": "gpu01"})
    assert machine.detect().where == "job"


@pytest.mark.parametrize(
    "variables",
    [
        {"SLURM_JOB_NAME": "sys/dashboard/sys/jupyter"},
        {"SLURM_SUBMIT_DIR": "/rhome/someone/ondemand/data/sys/dashboard/batch_connect/1"},
    ],
)
def test_a_session_of_open_ondemand_is_known_by_its_jobs_name_or_folder(
    machine: Machine, variables: dict[str, str]
) -> None:
    machine.slurm("sbatch-gpu-node-no-gres.env").variables(**variables).cards(4)
    report = machine.detect()
    assert report.where == "ondemand"
    assert report.problems[0].code == "no_gpu_requested"
    assert "in its form" in report.problems[0].fix


@pytest.mark.parametrize("path", ["usr/bin/sbatch", "etc/slurm/slurm.conf", "opt/tools/sbatch"])
def test_slurm_without_a_job_is_a_login_node(machine: Machine, path: str) -> None:
    machine.files({path: ""}).variables(PATH="/usr/bin:/opt/tools")
    report = machine.detect()
    assert report.where == "login"
    assert path in report.where_source


def test_a_compute_node_outside_a_job_is_unknown(machine: Machine) -> None:
    machine.files({"usr/bin/sbatch": "", "run/slurmd.pid": "77"})
    report = machine.detect()
    assert report.where == "unknown"
    assert "outside any job" in report.where_source


@pytest.mark.parametrize(
    ("files", "where"),
    [
        ({"sys/class/power_supply/BAT0/type": "Battery"}, "laptop"),
        ({"sys/class/dmi/id/chassis_type": 10}, "laptop"),
        ({"sys/class/dmi/id/chassis_type": 3}, "laptop"),
        ({"sys/class/dmi/id/chassis_type": 23}, "unknown"),
        ({".dockerenv": "", "sys/class/power_supply/BAT0/type": "Battery"}, "unknown"),
        ({}, "unknown"),
    ],
)
def test_a_laptop_is_told_by_its_battery_or_case_and_else_unknown(
    machine: Machine, files: dict[str, object], where: str
) -> None:
    report = machine.files(files).detect()
    assert report.where == where
    assert report.where_source


def test_a_mac_has_cores_memory_and_a_gpu_that_shares_it(tmp_path: Path) -> None:
    machine = Machine(tmp_path).files({"System/Library/CoreServices/SystemVersion.plist": ""})
    report = machine.command("sysctl", "apple/sysctl-m1-pro.txt").detect()
    assert (report.where, report.cpus.usable, report.memory_gib.usable) == ("laptop", 10, 16)
    assert report.gpu_status == "ok"
    assert report.gpus[0].name == "Apple M1 Pro GPU"
    assert report.gpus[0].memory_gib is None
    assert "shared" in report.gpus[0].unknown["memory_gib"]
    assert machine.asked == ["sysctl hw.memsize hw.logicalcpu hw.optional.arm64 "
                             "machdep.cpu.brand_string"]  # fmt: skip


def test_of_an_intel_macs_gpu_nothing_is_claimed(tmp_path: Path) -> None:
    machine = Machine(tmp_path).files({"System/Library/CoreServices/SystemVersion.plist": ""})
    report = machine.command("sysctl", "apple/sysctl-intel.txt").detect()
    assert (report.cpus.usable, report.memory_gib.usable) == (16, 32)
    assert (report.gpu_status, report.gpus) == ("unknown", ())


# --- the recorded situations ----------------------------------------------------------------


@pytest.mark.parametrize("name", SITUATIONS)
def test_the_recorded_reports_are_what_detection_says_now(name: str, tmp_path: Path) -> None:
    report = text(recorded_machine(name, tmp_path).detect())
    assert (RECORDED / f"{name}.txt").read_text() == report + "\n", (
        "run 'python -m tests.machines' and look at the difference"
    )


def test_the_three_situations_differ_in_what_matters(tmp_path: Path) -> None:
    reports = {name: recorded_machine(name, tmp_path / name).detect() for name in SITUATIONS}
    assert [reports[name].where for name in SITUATIONS] == ["job", "job", "login"]
    assert [reports[name].gpu_status for name in SITUATIONS] == ["ok", "none", "none"]
    codes = [[problem.code for problem in reports[name].problems] for name in SITUATIONS]
    assert codes == [[], ["no_gpu_requested"], ["node_without_gpu"]]


def test_every_recording_says_where_it_comes_from() -> None:
    notes = (RECORDED / "README.md").read_text()
    files = [path for path in RECORDED.rglob("*") if path.is_file() and path.name != "README.md"]
    assert len(files) > 30
    for path in files:
        line = next(
            (line for line in notes.splitlines() if f"`{path.relative_to(RECORDED)}`" in line), ""
        )
        assert re.search(r"recorded on|rebuilt from|printed by", line), path


# --- the command ----------------------------------------------------------------------------


def test_the_document_has_the_keys_that_are_promised(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["detect", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert next(iter(document)) == "schema"
    assert document["schema"] == 1
    assert {"cpus", "memory_gib", "gpus", "gpu_status", "problems", "frameworks", "slurm",
            "where"} <= set(document)  # fmt: skip
    assert set(document["cpus"]) == {"usable", "machine", "source"}
    assert set(document["memory_gib"]) == {"usable", "machine", "source"}
    assert document["gpu_status"] in {"ok", "none", "unknown"}


def test_a_gpus_document_has_the_keys_that_are_promised(tmp_path: Path) -> None:
    gpu = recorded_machine("gpu-job", tmp_path).detect().document()["gpus"]
    assert isinstance(gpu, list)
    assert gpu[0] == {
        "index": 0, "name": "NVIDIA A100 80GB PCIe",
        "uuid": "GPU-5c89852c-d268-c3f3-1b07-005d5ae1dc3f", "memory_gib": 80.0, "mig": None,
        "driver": "550.54.15", "unknown": {},
    }  # fmt: skip


def test_this_machine_agrees_with_the_kernel(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in set(os.environ) - set(clean_environ()):
        monkeypatch.delenv(name)
    assert main(["detect", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert 1 <= document["cpus"]["usable"] <= len(os.sched_getaffinity(0))
    total_gib = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / GIB
    assert document["memory_gib"]["machine"] == pytest.approx(total_gib, rel=0.02)
    assert 0 < document["memory_gib"]["usable"] <= document["memory_gib"]["machine"]


def test_a_required_gpu_that_is_hidden_ends_with_1(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in set(os.environ) - set(clean_environ()):
        monkeypatch.delenv(name)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "-1")
    monkeypatch.setenv("PATH", "/nonexistent")
    assert main(["detect", "--require-gpu"]) == 1
    assert main(["detect"]) == 0


def test_rows_fit_a_terminal_and_commands_are_not_broken(tmp_path: Path) -> None:
    report = text(recorded_machine("login-node", tmp_path).detect())
    assert max(len(line) for line in report.splitlines()) <= 80
    assert "    srun --partition=gpu --gres=gpu:1 --pty bash\n" in report


def test_detection_imports_no_framework_and_nothing_but_the_standard_library() -> None:
    program = """
import sys
sys.path.insert(0, sys.argv[1])
import mlhpc.cli.detect, mlhpc.detect
mlhpc.cli.detect.text(mlhpc.detect.detect())
names = {name.split(".")[0] for name in sys.modules}
print(sorted(names - set(sys.stdlib_module_names) - {"__main__"}))
"""
    command = [sys.executable, "-I", "-S", "-c", program, str(Path(mlhpc.__file__).parents[1])]
    child = subprocess.run(
        command, check=False, capture_output=True, text=True, env=clean_environ()
    )
    assert child.stdout.strip() == "['mlhpc']", child.stderr


def test_detection_takes_less_than_a_fifth_of_a_second_of_cpu() -> None:
    def cpu_s() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-m", "mlhpc", "detect"], check=True,
                       capture_output=True, env=clean_environ())  # fmt: skip
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    assert min(cpu_s() for _ in range(5)) < 0.2


# --- running commands -----------------------------------------------------------------------


def test_a_command_that_hangs_is_stopped_with_all_that_it_started() -> None:
    started = time.monotonic()
    outcome = run_command(["sh", "-c", "sleep 60 & sleep 60"], 0.3)
    assert outcome == Outcome(None, timed_out=True)
    assert time.monotonic() - started < 5


def test_a_command_that_is_not_there_is_missing() -> None:
    assert run_command(["no-such-tool-anywhere"], 1).missing


def test_a_command_answers_with_its_code_and_both_outputs() -> None:
    outcome = run_command(["sh", "-c", "echo out; echo err >&2; exit 9"], 10)
    assert (outcome.code, outcome.out, outcome.err) == (9, "out\n", "err\n")
    assert outcome.said == "out"


def test_output_that_is_no_text_is_read_all_the_same() -> None:
    assert run_command(["printf", r"\377ok"], 10).out.endswith("ok")
