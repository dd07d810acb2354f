"""
When a small network is slower on more hardware
===============================================

One core against all cores, and a GPU where there is one, for networks from narrow to wide.

gpu: better
exclusive: yes
"""

# %% [markdown]
# More hardware has a price: work must be handed out and results collected, for every layer of every
# step. A wide network has enough work to pay for that. Does a narrow one?
#
# **Predict.** You train a small network with one core and with all of them. At which width do more
# cores begin to pay? Is there a width at which they cost you time?

# %%
import joblib
import matplotlib.pyplot as plt
import torch
from torch import nn
from torch.utils.benchmark import Timer

cores = joblib.cpu_count()
widths = [16, 64, 256, 1024]
hardware = {"1 core": ("cpu", 1), f"{cores} cores": ("cpu", cores)}
if torch.cuda.is_available():
    hardware["GPU"] = ("cuda", 1)


# %%
def step(network, optimizer, rows, labels):
    optimizer.zero_grad()
    nn.functional.cross_entropy(network(rows), labels).backward()
    optimizer.step()


# %% [markdown]
# `Timer` warms up, repeats, takes the median, and waits for a GPU to finish.


# %%
def milliseconds(width, device, threads):
    torch.manual_seed(0)
    network = nn.Sequential(nn.Linear(64, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(),
                            nn.Linear(width, 10)).to(device)  # fmt: skip
    rows = torch.randn(256, 64, device=device)
    labels = torch.randint(10, (256,), device=device)
    optimizer = torch.optim.SGD(network.parameters(), lr=0.01)
    work = {"step": step, "args": (network, optimizer, rows, labels)}
    timer = Timer("step(*args)", globals=work, num_threads=threads)
    return 1000 * timer.blocked_autorange(min_run_time=0.3).median


# %%
time_ms = {(w, name): milliseconds(w, *where) for w in widths for name, where in hardware.items()}
speedup = {(w, name): time_ms[w, "1 core"] / time_ms[w, name] for w, name in time_ms}
for width in widths:
    others = [f"{name} {speedup[width, name]:.2f} x" for name in list(hardware)[1:]]
    print(f"width {width:4}: 1 core {time_ms[width, '1 core']:6.2f} ms; " + ", ".join(others))

# %% [markdown]
# **What to look for.** Below the dotted line the additional hardware made the training slower. Find
# the width at which your line crosses it, if it does; a second run may move it a little. That is the
# size from which the hardware is worth asking for.

# %%
figure, axes = plt.subplots(layout="constrained")
for name, marker, dash in zip(list(hardware)[1:], "os", ["-", "--"], strict=False):
    line = [speedup[width, name] for width in widths]
    (drawn,) = axes.plot(widths, line, marker=marker, linestyle=dash)
    axes.annotate(name, (widths[-1], line[-1]), xytext=(8, 0), va="center",
                  textcoords="offset points", color=drawn.get_color())  # fmt: skip
axes.axhline(1, color="gray", linestyle=":")
axes.annotate("as fast as 1 core", (widths[-1], 1), xytext=(0, -6), ha="right", va="top",
              textcoords="offset points", color="gray")  # fmt: skip
axes.set_xscale("log", base=2)
axes.set_xticks(widths, [str(width) for width in widths])
axes.set(
    xlabel="width of the network (units a layer)",
    ylabel="speed-up over one core (×)",
    ylim=(0, None),
)

last = list(hardware)[-1]
figure.set_label(
    f"Line chart of the speed-up over one core against the width of the network. {last}: "
    + ", ".join(f"{speedup[width, last]:.2f} times at width {width}" for width in widths)
    + "."
)
measured = {
    "cores": (cores, "cores"),
    "narrow": (speedup[widths[0], f"{cores} cores"], "×"),
    "wide": (speedup[widths[-1], f"{cores} cores"], "×"),
}
plt.show()
