"""
What am I running on?
=====================

Ask what this process may use, before you size anything.

gpu: better
exclusive: no
"""

# %% [markdown]
# The machine is not yours alone. On a cluster, Slurm gives your job some cores, some memory and
# perhaps a GPU; in a container, a control group does. Python's `os.cpu_count()` knows nothing of
# that: it counts the cores of the whole machine, and a program that starts as many workers makes
# itself slow.
#
# **Predict.** How many cores may this process use, and how much memory? Is there a GPU? Then look.

# %%
import matplotlib.pyplot as plt
import pandas as pd

from mlhpc.detect import detect

found = detect().document()
cpus, memory, gpus = found["cpus"], found["memory_gib"], found["gpus"]

# %% [markdown]
# Each answer comes with the place that gave it. What cannot be told is *unknown*, never 0.

# %%
gpu = ", ".join(one["name"] or "unknown model" for one in gpus) or found["gpu_status"]
pd.DataFrame(
    [
        ("cores", cpus["usable"], cpus["machine"], cpus["source"]),
        ("memory (GiB)", memory["usable"], memory["machine"], memory["source"]),
        ("GPU", gpu, "", "the driver's own tool"),
    ],
    columns=["what", "this process", "the machine", "who says so"],
).set_index("what").rename_axis(None)

# %% [markdown]
# Without a usable GPU there is a reason, the evidence for it, and something to type.

# %%
for problem in found["problems"]:
    print(f"{problem['code']}: {problem['evidence']}\n  {problem['fix']}")
if not found["problems"]:
    print("Nothing is wrong.")

# %% [markdown]
# **What to look for.** Run this on your laptop, on a login node and in a job. Where the second bar is
# longer than the first, a program that counts the machine's cores takes more than its share.

# %%
figure, axes = plt.subplots(figsize=(7, 2), layout="constrained")
bars = {"this process": cpus["usable"], "the machine": cpus["machine"]}
known = {name: count for name, count in bars.items() if count is not None}
drawn = axes.barh(list(known), list(known.values()), color=["C0", "C1"][: len(known)])
drawn.patches[0].set_hatch("//")
axes.bar_label(drawn, padding=4)
axes.set(xlabel="cores", xlim=(0, 1.15 * max(known.values())))
axes.invert_yaxis()
figure.set_label(
    "Two bars, cores that this process may use and cores of the machine: "
    + ", ".join(f"{name} {count}" for name, count in known.items())
    + "."
)
measured = {"cores": (cpus["usable"], "cores"), "machine_cores": (cpus["machine"], "cores")}
plt.show()
