"""The cluster file: what is known of a Slurm cluster, each fact with its source and its date.

>>> cluster = load("sagehen")
>>> cluster.gpus["a100"].memory_gb, cluster.fact("partition.gpu.max_time_h").shown()
(80, '720 hours')

The format, TOML::

    schema = 1                            # of this format

    [cluster]                             # tables that come once: cluster, login, ondemand,
    source = "the centre's own pages"     #   software, limits
    checked = 2026-05-31                  # or a month in quotes: "2026-05"
    name = "Sagehen"

    [partition.gpu]                       # tables with a name: partition, node, gpu, storage
    source = "scontrol show partition"    # source and checked hold for every key of the table ...
    checked = 2026-05-31
    gpus = ["a100"]                       # names of [gpu.*] tables; nodes: of [node.*] tables
    max_time_h = 720                      # inf: no limit
    max_nodes = { value = 2, source = "the centre, by mail", checked = 2026-06-02, note = "why" }
                                          # ... unless the key gives its own
    [node.gpu]                            # nodes that are alike
    source = "scontrol show node"
    checked = 2026-05-31
    hosts = "gpu[01-03]"                  # as Slurm writes them
    cpus = 128                            # CPUs and memory as Slurm hands them out
    memory_mib = 512000
    gpus = { a100 = 4 }                   # in each node

    [gpu.a100]
    source = "the vendor's data sheet"
    checked = 2026-05-31
    count = 12
    memory_bandwidth_gbs = { low = 1935, high = 2039, note = "depends on the form factor" }

Every key is optional; which there are, with their units, is in ``tables``. A key that is absent is
unknown: never a guess and never 0. Its Fact then has the value None, and ``ask`` says which command
or question would tell. Whatever the format does not allow is refused with one line that names the
file, the table, the key, the value and the valid choices.

``place``, ``values``, ``parse`` and ``consistency`` read a file; ``model`` is what they make of it;
``slurm`` reads the output of sinfo and scontrol, ``compare`` sets the two side by side, ``render``
writes for people and for programs.
"""

from mlhpc.cluster.facts import Fact, Range
from mlhpc.cluster.model import Cluster, from_text, load, names
from mlhpc.cluster.tables import (
    About,
    Gpu,
    Limits,
    Login,
    NodeGroup,
    OnDemand,
    Partition,
    Software,
    Storage,
)

__all__ = [
    "About",
    "Cluster",
    "Fact",
    "Gpu",
    "Limits",
    "Login",
    "NodeGroup",
    "OnDemand",
    "Partition",
    "Range",
    "Software",
    "Storage",
    "from_text",
    "load",
    "names",
]
