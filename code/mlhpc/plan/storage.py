"""Where the data live: raw data and results where they survive, a working copy with the job."""

from mlhpc import units
from mlhpc.cluster import Cluster
from mlhpc.cluster import Storage as Tier
from mlhpc.plan.desk import Desk, size
from mlhpc.plan.values import Storage

LAPTOP = "laptop"
ROOM = 1.1  # of the data's size, for a working copy


def choose(desk: Desk, on_cluster: bool) -> Storage:
    """The tiers for raw data, work and results, with the reasons."""
    if not on_cluster:
        return Storage(LAPTOP, LAPTOP, LAPTOP)
    raw, results = _raw(desk), shared(desk.cluster)
    work = brief(desk.cluster)
    staged = work is not None and _stages(desk, raw, work)
    if work is not None:
        desk.why("stage" if staged or not desk.project.data_size else "stream",
                 work=work.path or work.key, raw=raw.path or raw.key,
                 data=_data(desk))  # fmt: skip
    desk.why("results-kept", results=results.path or results.key)
    if raw.backed_up is False:
        desk.why("no-backup", raw=raw.path or raw.key)
    return Storage(raw.key, (work or results).key, results.key, staged)


def kept(cluster: Cluster) -> list[Tier]:
    """The tiers whose files outlive the job; all of them where the file says nothing."""
    tiers = list(cluster.storage.values())
    return [one for one in tiers if one.lifetime == "kept"] or [
        one for one in tiers if one.lifetime != "job"
    ]


def shared(cluster: Cluster) -> Tier:
    """The largest tier that stays."""
    return max(kept(cluster), key=room_bytes)


def home(cluster: Cluster) -> Tier:
    """The tier for code: the smallest that stays and belongs to one user."""
    own = [one for one in kept(cluster) if one.per == "user"] or kept(cluster)
    return min(own, key=room_bytes)


def brief(cluster: Cluster) -> Tier | None:
    """The tier that dies with the job; None where there is none."""
    found = [one for one in cluster.storage.values() if one.lifetime == "job"]
    return found[0] if found else None


def room_bytes(tier: Tier) -> float:
    """What a tier holds, at least; 0 where nothing is known."""
    if tier.quota_tb_min is not None:
        return tier.quota_tb_min * 10**12
    return (tier.quota_gb or tier.capacity_gb or 0) * 10**9


def _data(desk: Desk) -> str:
    data = desk.project.data_size
    return "the data" if data is None else size(data)


def _raw(desk: Desk) -> Tier:
    project, cluster = desk.project, desk.cluster
    small = desk.rules.number("data-small")
    own, large = home(cluster), shared(cluster)
    if project.data_size is not None and project.data_size <= small and project.team == 1:
        desk.why("raw-small", raw=own.path or own.key)
        return own
    desk.why("raw-kept", data=_data(desk), raw=large.path or large.key)
    if project.data_size is None:
        desk.asks("the size of the data", "du -sh FOLDER")
    elif large.quota_tb_min is not None and project.data_size >= room_bytes(large):
        quota = units.format_size(room_bytes(large))
        desk.why("room", data=_data(desk), raw=large.path or large.key, quota=quota)
        desk.asks(f"the quota of your folder on {large.path or large.key}", "ask the centre")
    return large


def too_large(desk: Desk) -> bool:
    """Whether the data are more than the largest tier surely holds and its quota is exact."""
    tier, data = shared(desk.cluster), desk.project.data_size
    if data is None or tier.quota_tb_min is not None:
        return False
    room = room_bytes(tier)
    return 0 < room < data


def _stages(desk: Desk, raw: Tier, work: Tier) -> bool:
    """Whether a job copies its data: they are read many times, and there may be room."""
    data = desk.project.data_size
    if data is None or raw.shared is False:
        return False
    if data >= desk.rules.number("data-over-1tb"):
        return False
    if work.capacity_gb is None:
        desk.needs(f"storage.{work.key}.capacity_gb")
        return True
    return data * ROOM <= work.capacity_gb * 10**9
