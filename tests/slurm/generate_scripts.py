"""Random job scripts for the box: each option by each class of value, in the spellings of Slurm.

The same seed gives the same scripts. About half of them are refused: that is asserted where they
are used.
"""

import random
from collections.abc import Callable

FINE = {
    "partition": ["cpu", "gpu", "debug", "cpu,debug", "gpu,debug"],
    "time": ["30", "45:00", "12:00:00", "1-0", "2-12:30", "0:10:00", "60", "14-0", "7-0:0:0"],
    "nodes": ["1", "2", "1-2", "3", "+1"],
    "ntasks": ["1", "2", "4", "16", "+3"],
    "cpus-per-task": ["1", "4", "16", "32", "64"],
    "mem": ["4G", "16g", "64GB", "250000", "0", "512K", "100G"],
    "mem-per-cpu": ["1G", "2000", "4g"],
    "ntasks-per-node": ["1", "2", "4"],
    "array": ["0-9", "1,3,5", "0-20:5", "1-100%4", "7", "0-1000"],
    "job-name": ["train", "a-b_c", '"two words"', "'x'"],
    "output": ["%x-%j.out", "/dev/null"],
    "error": ["%x-%j.err"],
    "constraint": ["milan", "ib", "milan&ib", "genoa|milan", '"[milan|genoa]"', "ada", "ampere"],
    "nodelist": ["thin01", "big01", "small[01-02]", "thin01,thin02"],
    "exclude": ["thin01", "big01", "small[01-02]"],
    "gres": ["gpu:1", "gpu:a100:1", "gpu:nvidia_l40s:2", "gpu:a100:4", "gpu", "none"],
    "gpus": ["1", "2", "a100:2", "nvidia_l40s:1", "4", "nvidia_l40s:4", "8"],
    "gpus-per-node": ["1", "a100:1", "nvidia_l40s:2"],
    "gpus-per-task": ["1", "a100:1"],
    "cpus-per-gpu": ["4", "8", "16"],
    "mem-per-gpu": ["16G", "60G"],
    "mincpus": ["4", "40"],
    "signal": ["USR1@60", "B:USR1@300", "SIGTERM@30", "B:TERM", "10@60"],
    "mail-type": ["END", "END,FAIL", "all", "TIME_LIMIT_80"],
    "dependency": ["singleton", "afterok:1", "afterany:1:2", "afterok:1,afternotok:2"],
    "open-mode": ["append", "truncate"],
    "time-min": ["5", "10:00"],
    "nice": [None, "=100"],
    "exclusive": [None, "=user"],
    "requeue": [None],
    "no-requeue": [None],
    "hold": [None],
    "account": ["lab"],
    "qos": ["normal"],
    "comment": ["x", '"a # b"'],
    "chdir": ["/tmp"],
    "export": ["ALL", "NONE", "ALL,A=1"],
    "begin": ["now+1hour", "tomorrow", "2030-01-20T12:34:00"],
    "hint": ["nomultithread", "compute_bound"],
    "distribution": ["block", "cyclic", "block:cyclic"],
    "overcommit": [None],
    "oversubscribe": [None],
    "contiguous": [None],
    "spread-job": [None],
    "use-min-nodes": [None],
    "mail-user": ["me@example.org"],
    "input": ["/dev/null"],
    "wait": [None],
    "threads-per-core": ["1"],
}
WRONG = {
    "partition": ["nowhere", "CPU", "gpu,nowhere", "=gpu"],
    "time": ["abc", "24h", "0", "1-2-3", "UNLIMITED", "15-0", "1:2:3:4", "400:00:00"],
    "nodes": ["5", "4-2", "x", "1.5", "8", "1,2"],
    "ntasks": ["0", "-1", "4k", "1.5", "500", "x"],
    "cpus-per-task": ["0", "129", "x", "2k", "200"],
    "mem": ["abc", "4.5G", "2T", "1P", "16GiB", "-4", "1000001"],
    "mem-per-cpu": ["x", "4.5", "2T"],
    "ntasks-per-node": ["0", "x", "200"],
    "array": ["1,2,a", "5-1", "0-1001", "0-10:0", "x", "1001"],
    "constraint": ["h100", "MILAN", '"milan ib"', "milan&ada"],
    "nodelist": ["nowhere", "thin[01-", "thin09"],
    "exclude": ["nowhere", "thin[01-03],fat01,big01,small[01-02]"],
    "gres": ["gpu:5", "gpu:a100:5", "gpus:1", "gpu:A100:1", "gpu:a100:x", "gpu:l40s:1", "gpu=1"],
    "gpus": ["9", "a100:5", "h100:1", "gpu:1", "nvidia_l40s:5"],
    "gpus-per-node": ["5", "nvidia_l40s:3", "h100:1"],
    "gpus-per-task": ["9", "h100:1"],
    "cpus-per-gpu": ["0", "x", "65"],
    "mem-per-gpu": ["x", "600G"],
    "mincpus": ["0", "129", "x"],
    "signal": ["B:XX@60", "USR1@99999", "B:@60", "@60"],
    "mail-type": ["WHENEVER", "END;FAIL"],
    "dependency": ["foo", "afterok", "afterok:a", "after:"],
    "open-mode": ["write", "x"],
    "time-min": ["x", "20-0"],
    "exclusive": ["=xx"],
    "no-such-option": ["1", None],
    "mem-per-node": ["4G"],
    "hold": ["=3"],
    "requeue": ["=1"],
}
SHORT = {"partition": "p", "time": "t", "nodes": "N", "ntasks": "n", "cpus-per-task": "c",
         "array": "a", "job-name": "J", "output": "o", "error": "e", "constraint": "C",
         "nodelist": "w", "exclude": "x", "gpus": "G", "dependency": "d", "account": "A",
         "qos": "q", "chdir": "D", "begin": "b", "distribution": "m", "hold": "H",
         "overcommit": "O", "oversubscribe": "s", "input": "i", "wait": "W"}  # fmt: skip
PREFIX = {"partition": "part", "time": "time", "nodes": "nodes", "ntasks": "ntasks",
          "cpus-per-task": "cpus-per-t", "mem-per-cpu": "mem-per-c", "array": "arr",
          "job-name": "job", "output": "out", "constraint": "constr", "nodelist": "nodel",
          "exclude": "exclude", "signal": "sig", "dependency": "dep", "export": "export",
          "gres": "gres", "ambiguous": "mem-per", "cpus": "cpus", "gpus": "gpus",
          "exclusive": "exclus", "requeue": "req", "begin": "beg"}  # fmt: skip
BODIES = [
    "hostname\n",
    "srun hostname\n",
    "python train.py\n",
    "true\n#SBATCH --partition=nowhere\n",
]


def scripts(count: int, seed: int) -> list[str]:
    """``count`` job scripts."""
    draw = random.Random(seed)
    return [_script(draw) for _ in range(count)]


def _script(draw: random.Random) -> str:
    odd = draw.random()
    if odd < 0.06:
        return _odd(draw)
    wrong_share = 0.0 if odd < 0.45 else 0.3
    names = draw.sample(sorted(FINE), draw.randint(1, 5))
    if draw.random() < 0.35:  # GPUs where GPUs are
        names = ["partition", draw.choice(["gres", "gpus", "gpus-per-node"]), *names]
    words = [_setting(draw, name, wrong_share) for name in names]
    if draw.random() < wrong_share:
        name = draw.choice(sorted(WRONG))
        words.append(_spell(draw, name, draw.choice(WRONG[name])))
    return "#!/bin/bash\n" + _lines(draw, words) + draw.choice(BODIES)


def _setting(draw: random.Random, name: str, wrong_share: float) -> str:
    table = WRONG if draw.random() < wrong_share and name in WRONG else FINE
    values = table[name]
    if name == "partition" and table is FINE and draw.random() < 0.4:
        values = ["gpu"]
    return _spell(draw, name, draw.choice(values))


def _spell(draw: random.Random, name: str, value: str | None) -> str:
    """One of the ways to write a setting; values that begin with '=' are optional ones."""
    optional = value is None or value.startswith("=")
    if optional:
        return f"--{name}{value or ''}"
    ways: list[Callable[[], str]] = [lambda: f"--{name}={value}", lambda: f"--{name} {value}"]
    if name in SHORT:
        ways += [lambda: f"-{SHORT[name]} {value}", lambda: f"-{SHORT[name]}{value}"]
    if name in PREFIX:
        ways.append(lambda: f"--{PREFIX[name]}={value}")
    return draw.choice(ways)()


def _lines(draw: random.Random, words: list[str]) -> str:
    """Directives of one or two settings, some with a remark behind."""
    text = ""
    while words:
        count = 2 if len(words) > 1 and draw.random() < 0.2 else 1
        text += "#SBATCH" + draw.choice([" ", "  "]) + " ".join(words[:count])
        text += draw.choice(["", "", "", "  # as asked"]) + "\n"
        words = words[count:]
        text += draw.choice(["", "", "", "\n", "# a remark\n", "# SBATCH --partition=nowhere\n"])
    return text


def _odd(draw: random.Random) -> str:
    """Scripts that are odd as a whole."""
    return draw.choice(
        [
            "echo no shebang\n",
            "#!/bin/bash\r\n#SBATCH --partition=cpu\r\nhostname\r\n",
            "\n#!/bin/bash\nhostname\n",
            "#!/bin/bash\n#SBATCH foo\nhostname\n",
            '#!/bin/bash\n#SBATCH --job-name="a b\nhostname\n',
            "#!/bin/bash\n#SBATCH --partition\nhostname\n",
            "#!/bin/bash\n#SBATCH :p cpu\nhostname\n",
            "#!/bin/bash\n#SBATCH -Z\nhostname\n",
            "#!/bin/bash\n#SBATCH --mem=4G --mem-per-cpu=2G\nhostname\n",
            "#!/usr/bin/env python3\n#SBATCH --partition=debug\nprint(1)\n",
            "#!/bin/bash\n",
            "#!/bin/bash\n#SBATCH -p\n#SBATCH cpu\nhostname\n",
            "#!/bin/bash\n#SBATCH\nhostname\n",
            "#!/bin/bash\n#SBATCHES\nhostname\n",
        ]
    )
