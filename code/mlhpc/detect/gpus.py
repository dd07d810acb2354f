"""The GPUs of this machine and the ones that this process may use."""

from collections.abc import Mapping
from dataclasses import dataclass

from mlhpc.detect import amd, apple, nvidia, slurm, visible
from mlhpc.detect.listing import Listing
from mlhpc.detect.seam import System
from mlhpc.detect.values import Gpu, Job, Place

MASKS = ("CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES")


@dataclass(frozen=True)
class Facts:
    """Everything that bears on which GPU is usable and why not; causes.py draws conclusions.

    ``held_job``: a job of this user whose allocation this shell is not in (``salloc``).
    ``granted``: the variable that shows that Slurm gave the job GPUs, None where none does.
    ``asked``: whether the job asked for GPUs; None outside a job and where nothing says.
    ``masks``: the variables that are set and can hide GPUs.
    ``nvidia_cards``, ``amd_cards``: on the PCI bus; None where it cannot be read.
    """

    where: Place
    partition: str | None
    listing: Listing
    usable: tuple[Gpu, ...]
    held_job: str | None = None
    granted: str | None = None
    asked: bool | None = None
    masks: Mapping[str, str] | None = None
    order_unsure: bool = False
    nvidia_cards: int | None = None
    kernel_driver: str | None = None
    amd_cards: int | None = None
    amd_driver: bool = False


def find(system: System, mac: Mapping[str, str], where: Place, job: Job | None) -> Facts:
    """Ask NVIDIA's tool first, then AMD's, then macOS."""
    listing, usable, unsure = _listed(system, mac)
    granted = slurm.gpu_grant(system.environ) if job else None
    in_job = where in {"job", "ondemand"} and "SLURM_JOB_ID" in system.environ
    settled = bool(usable) and listing.tool == "sysctl"
    return Facts(
        where=where,
        partition=job.partition if job else None,
        listing=listing,
        usable=usable,
        held_job=job.job_id if job and where == "login" else None,
        granted=granted,
        asked=granted is not None if in_job else None,
        masks={name: system.environ[name] for name in MASKS if name in system.environ},
        order_unsure=unsure,
        nvidia_cards=None if settled else nvidia.hardware_count(system),
        kernel_driver=nvidia.kernel_driver(system),
        amd_cards=None if settled else amd.hardware_count(system),
        amd_driver=amd.has_compute_driver(system),
    )


def _listed(system: System, mac: Mapping[str, str]) -> tuple[Listing, tuple[Gpu, ...], bool]:
    """The listing that counts, the GPUs in it that are usable, and whether their order is sure."""
    if chip := apple.gpu(mac):
        return Listing("sysctl", (chip,)), (chip,), False
    listing = nvidia.ask(system)
    if listing.gpus:
        return _with_cuda_mask(listing, system.environ)
    if amd.has_compute_driver(system) and (other := amd.ask(system)).symptom != "missing":
        return other, visible.choose_amd(other.gpus, system.environ), False
    return listing, (), False


def _with_cuda_mask(
    listing: Listing, environ: Mapping[str, str]
) -> tuple[Listing, tuple[Gpu, ...], bool]:
    value = environ.get("CUDA_VISIBLE_DEVICES")
    usable = visible.choose(listing.gpus, value)
    order = environ.get("CUDA_DEVICE_ORDER")
    hidden_some = len(usable) < len(listing.gpus)
    if usable and hidden_some and visible.order_is_unsure(listing.gpus, value, order):
        return listing, visible.anonymous(usable), True
    return listing, usable, False
