"""Where this process runs: in a job, on a login node, on a machine of one's own."""

from mlhpc.detect import slurm
from mlhpc.detect.seam import System
from mlhpc.detect.values import Job, Place

# /sys/class/dmi/id/chassis_type, from the DMTF's SMBIOS specification, table 17
OWN_CHASSIS = {"3", "4", "5", "6", "7", "8", "9", "10", "11", "13", "14", "15", "16", "30", "31",
               "32", "34", "35", "36"}  # fmt: skip
CONTAINER_FILES = (".dockerenv", "run/.containerenv")
CONTAINER_VARIABLES = ("APPTAINER_CONTAINER", "SINGULARITY_CONTAINER", "KUBERNETES_SERVICE_HOST")
SLURM_CONFIGURATION = ("etc/slurm/slurm.conf", "etc/slurm-llnl/slurm.conf", "run/slurm/conf")
SLURM_CLIENTS = ("bin/sbatch", "usr/bin/sbatch", "usr/local/bin/sbatch", "opt/slurm/bin/sbatch")
# what slurmd, the daemon of compute nodes, leaves while it runs
SLURMD_TRACES = ("run/slurmd.pid", "run/slurmd/slurmd.pid", "var/run/slurmd.pid")


def place(system: System, job: Job | None) -> tuple[Place, str]:
    """The kind of place, and what shows it (or why it cannot be told)."""
    if job and slurm.outside_its_allocation(system):
        return "login", f"job {job.job_id} is held from here, but this shell runs outside it"
    if job:
        return _kind_of_job(system, job)
    if "ONDEMAND_VERSION" in system.environ or "OOD_PORTAL" in system.environ:
        return "ondemand", "the variables of Open OnDemand's own server"
    if mac_or_windows := _personal_system(system):
        return "laptop", mac_or_windows
    if seen := _slurm_client(system):
        return _node_of_cluster(system, seen)
    return _outside_a_cluster(system)


def _kind_of_job(system: System, job: Job) -> tuple[Place, str]:
    name = system.environ.get("SLURM_JOB_NAME", "")
    folder = system.environ.get("SLURM_SUBMIT_DIR", "")
    # Open OnDemand names its sessions' jobs sys/dashboard/... and starts them in this folder
    if "sys/dashboard" in name or "/ondemand/data/" in folder:
        return "ondemand", f"job {job.job_id} was started by Open OnDemand"
    return "job", f"Slurm job {job.job_id}"


def _personal_system(system: System) -> str | None:
    if system.exists("System/Library/CoreServices/SystemVersion.plist"):
        return "macOS"
    return "Windows" if system.environ.get("OS") == "Windows_NT" else None


def _slurm_client(system: System) -> str | None:
    """What shows that Slurm's commands work from here."""
    if "SLURM_CONF" in system.environ:
        return "SLURM_CONF is set"
    paths = [*SLURM_CONFIGURATION, *SLURM_CLIENTS]
    paths += [
        f"{folder.strip('/')}/sbatch"
        for folder in system.environ.get("PATH", "").split(":")
        if folder.startswith("/")
    ]
    return next((f"/{path}" for path in paths if system.exists(path)), None)


def _node_of_cluster(system: System, seen: str) -> tuple[Place, str]:
    if trace := next((path for path in SLURMD_TRACES if system.exists(path)), None):
        return "unknown", f"a compute node (/{trace}), but outside any job"
    return "login", f"Slurm is here ({seen}), and this is no job"


def _outside_a_cluster(system: System) -> tuple[Place, str]:
    in_container = any(system.exists(path) for path in CONTAINER_FILES)
    if in_container or any(name in system.environ for name in CONTAINER_VARIABLES):
        return "unknown", "inside a container, which hides what is around it"
    if any(name.startswith("BAT") for name in system.names("sys/class/power_supply")):
        return "laptop", "it has a battery"
    chassis = (system.text("sys/class/dmi/id/chassis_type") or "").strip()
    if chassis in OWN_CHASSIS:
        return "laptop", "no Slurm, and the case of a laptop or desktop"
    return "unknown", "no Slurm, no battery, and not the case of a laptop or desktop"
