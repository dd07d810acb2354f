"""The options of sbatch: how each is spelled, and whether it takes a value.

The list is that of Slurm 22.05 (sbatch(1)); later versions add to it. ``level`` says how much is
checked: 'full' its value and what the cluster has; 'value' its form only; 'none' nothing.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Option:
    """One option. ``takes`` is 'value', 'none' or 'maybe' (a value only after '=')."""

    name: str
    short: str = ""
    takes: str = "value"
    level: str = "none"


def _options(level: str, takes: str, words: str) -> list[Option]:
    """Options from 'name/s name/s ...', where s is the short letter."""
    pairs = [word.partition("/") for word in words.split()]
    return [Option(name, short, takes, level) for name, _, short in pairs]


ALL = (
    *_options(
        "full",
        "value",
        "partition/p time/t nodes/N ntasks/n cpus-per-task/c mem mem-per-cpu mem-per-gpu gres "
        "gpus/G gpus-per-node gpus-per-task cpus-per-gpu ntasks-per-node tasks-per-node array/a "
        "constraint/C nodelist/w exclude/x mincpus time-min signal dependency/d mail-type "
        "open-mode",
    ),
    *_options("full", "maybe", "exclusive"),
    *_options(
        "value",
        "value",
        "job-name/J output/o error/e input/i account/A qos/q comment chdir/D export mail-user "
        "begin/b hint distribution/m threads-per-core ntasks-per-gpu wckey kill-on-invalid-dep "
        "wait-all-nodes",
    ),
    *_options("value", "maybe", "nice no-kill/k propagate get-user-env"),
    *_options(
        "value",
        "none",
        "requeue no-requeue hold/H overcommit/O oversubscribe/s contiguous wait/W verbose/v "
        "quiet/Q parsable test-only use-min-nodes spread-job",
    ),
    *_options("none", "none", "help/h usage version/V ignore-pbs reboot"),
    *_options(
        "none",
        "value",
        "acctg-freq batch bb bbf cluster clusters/M cluster-constraint container context "
        "core-spec/S cores-per-socket cpu-freq deadline delay-boot export-file extra-node-info/B "
        "gid gpu-bind gpu-freq gpus-per-socket gres-flags licenses/L mcs-label mem-bind network "
        "nodefile/F ntasks-per-core ntasks-per-socket ntasks-per-tres power prefer priority "
        "profile reservation sockets-per-node switches thread-spec tmp uid wrap",
    ),
)
BY_NAME = {option.name: option for option in ALL}
BY_SHORT = {option.short: option for option in ALL if option.short}
SAME = {"tasks-per-node": "ntasks-per-node", "cluster": "clusters"}  # two names of one option


def candidates(prefix: str) -> list[str]:
    """The long options that a prefix may stand for; one exact name leaves no other."""
    return [prefix] if prefix in BY_NAME else [name for name in BY_NAME if name.startswith(prefix)]
