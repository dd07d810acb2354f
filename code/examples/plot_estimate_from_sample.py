"""
Estimate a full run from a timed sample
=======================================

You time a few steps, predict the whole run with a range, and then run it to see whether you were right.

gpu: better
exclusive: yes
"""

# %% [markdown]
# Slurm wants to know how long your job will take before it has run. You can find out from a
# *sample*: a few steps, timed well, and multiplied. Three things spoil such an estimate. The first steps
# are slower than the rest. A run is more than its training steps: there is an evaluation after every epoch, there are
# checkpoints. And one number hides how sure you are.
#
# **Predict.** Somebody times the first 3 steps, multiplies, and forgets the evaluation. Will their
# estimate be too long or too short?

# %%
import statistics
import time

import matplotlib.pyplot as plt
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

EPOCHS, STEPS, BATCH = 4, 100, 64
device = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
images, labels = torch.randn(STEPS * BATCH, 3, 16, 16), torch.randint(10, (STEPS * BATCH,))
loader = DataLoader(TensorDataset(images, labels), batch_size=BATCH, shuffle=True)
network = nn.Sequential(
    nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 16, 3, padding=1), nn.ReLU(),
    nn.MaxPool2d(4), nn.Flatten(), nn.Linear(16 * 4 * 4, 10),
).to(device)  # fmt: skip
optimizer = torch.optim.SGD(network.parameters(), lr=0.01)


# %% [markdown]
# This is the program whose time you want to know. It keeps the time of each step; before a GPU's
# clock is read, the GPU has to be done.


# %%
def now():
    if device == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter()


def train(steps):
    """Take that many steps of one epoch; return the seconds of each."""
    times, start = [], now()
    for _, (inputs, targets) in zip(range(steps), loader, strict=False):
        optimizer.zero_grad()
        nn.functional.cross_entropy(network(inputs.to(device)), targets.to(device)).backward()
        optimizer.step()
        end = now()
        times.append(end - start)
        start = end
    return times


@torch.no_grad()
def evaluate():
    start = now()
    sum((network(inputs.to(device)).argmax(1).cpu() == targets).sum() for inputs, targets in loader)
    return now() - start


# %% [markdown]
# The sample: 30 steps and one evaluation. You drop the first 10 steps, and cut the rest into 4
# blocks. Every block gives an estimate; the middle is your answer and the extremes are its range.
# A sample of seconds cannot see how the machine changes over minutes, so you widen the range by a
# tenth on each side.

# %%
first = train(30)
evaluation = evaluate()
sample = first[10:]
blocks = [statistics.mean(sample[at : at + 5]) for at in range(0, len(sample), 5)]


def whole_run(step_seconds):
    return EPOCHS * (STEPS * step_seconds + evaluation)


low, middle, high = (whole_run(pick(blocks)) for pick in (min, statistics.median, max))
low, high = 0.9 * low, 1.1 * high
careless = EPOCHS * STEPS * statistics.mean(first[:3])
print(f"Careful estimate: {middle:.1f} s, range {low:.1f} to {high:.1f} s")
print(f"Careless estimate, from the first 3 steps alone: {careless:.1f} s")

# %% [markdown]
# Now the truth: the full run, which on a real project you would not have.

# %%
start = now()
for _ in range(EPOCHS):
    train(STEPS)
    evaluate()
truth = now() - start

inside = low <= truth <= high
print(f"The full run took {truth:.1f} s: {'inside' if inside else 'OUTSIDE'} the range.")
print(
    f"Careful: {100 * (middle / truth - 1):+.0f}%. Careless: {100 * (careless / truth - 1):+.0f}%."
)

# %% [markdown]
# **What to look for.** Is the true run inside the range? When it is outside, the machine was busier or
# quieter during the sample than later: a sample of a second cannot know that. A sample that is spread over
# more time, on the node type that you will use, tells more.
#
# Ask Slurm for the top of your range and a margin. A job that is killed at its limit has cost you
# everything since its last checkpoint; one that ends early has cost you nothing.

# %%
figure, axes = plt.subplots(figsize=(7, 2.6), layout="constrained")
axes.errorbar(middle, 1, xerr=[[middle - low], [high - middle]], marker="o", capsize=5)
axes.plot(careless, 0, marker="s", linestyle="none")
axes.axvline(truth, color="gray", linestyle="--")
axes.annotate(
    f"full run: {truth:.1f} s",
    (truth, 1.55),
    xytext=(6, 0),
    textcoords="offset points",
    color="gray",
)
axes.set_yticks([1, 0], ["careful: warm-up dropped,\nwith evaluation", "careless: first 3 steps"])
axes.set(
    xlabel=f"seconds for {EPOCHS} epochs",
    xlim=(0, 1.15 * max(high, careless, truth)),
    ylim=(-0.6, 2),
)
figure.set_label(
    f"Estimates of a run's time against the truth, {truth:.1f} seconds. Careful: {middle:.1f} seconds, "
    f"range {low:.1f} to {high:.1f}. Careless, from the first 3 steps: {careless:.1f} seconds."
)
measured = {
    "estimate": (middle, "s"),
    "low": (low, "s"),
    "high": (high, "s"),
    "truth": (truth, "s"),
    "careless": (careless, "s"),
    "error": (100 * abs(middle / truth - 1), "%"),
}
plt.show()
