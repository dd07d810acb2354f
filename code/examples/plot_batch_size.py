"""
Batch size against throughput and memory
========================================

What a larger batch gives you in images a second, and what it costs in memory.

gpu: better
exclusive: yes
"""

# %% [markdown]
# A training step has a price that does not depend on the batch: every layer is called, every
# weight is updated. A larger batch shares that price among more images. But all layers keep their
# outputs until the backward pass has used them, and that is memory *for each image*.
#
# **Predict.** The batch grows from 1 to 256. Does the throughput grow for as long as the batch
# does? Does the memory?

# %%
import joblib
import matplotlib.pyplot as plt
import torch
from torch import nn
from torch.autograd.graph import saved_tensors_hooks
from torch.utils.benchmark import Timer

device = "cuda" if torch.cuda.is_available() else "cpu"
batches = [1, 4, 16, 64, 256]
torch.manual_seed(0)
network = nn.Sequential(
    nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
    nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
    nn.Flatten(), nn.Linear(32 * 8 * 8, 10),
).to(device)  # fmt: skip
optimizer = torch.optim.SGD(network.parameters(), lr=0.01, momentum=0.9)

# %% [markdown]
# First the throughput. `Timer` warms up, repeats, takes the median, and waits for a GPU to finish.


# %%
def step(images, labels):
    optimizer.zero_grad()
    nn.functional.cross_entropy(network(images), labels).backward()
    optimizer.step()


def images_per_second(batch):
    images = torch.randn(batch, 3, 32, 32, device=device)
    labels = torch.randint(10, (batch,), device=device)
    work = {"step": step, "images": images, "labels": labels}
    timer = Timer("step(images, labels)", globals=work, num_threads=joblib.cpu_count())
    return batch / timer.blocked_autorange(min_run_time=0.3).median


throughput = {batch: images_per_second(batch) for batch in batches}

# %% [markdown]
# Now the memory. A step holds the weights, their gradients and the optimiser's momentum, whatever
# the batch is; and it holds every tensor that PyTorch keeps for the backward pass. PyTorch can
# call a function of yours for each of those: you count them, once each.


# %%
def kept_mib(batch):
    """MiB that PyTorch keeps from the forward pass for the backward pass."""
    kept = {}

    def count(tensor):
        storage = tensor.untyped_storage()
        kept[storage.data_ptr()] = storage.nbytes()
        return tensor

    with saved_tensors_hooks(count, lambda tensor: tensor):
        network(torch.randn(batch, 3, 32, 32, device=device)).sum()
    weights = {weight.untyped_storage().data_ptr() for weight in network.parameters()}
    return sum(size for place, size in kept.items() if place not in weights) / 2**20


weights_mib = sum(weight.nbytes for weight in network.parameters()) / 2**20
fixed_mib = 3 * weights_mib  # weights, gradients, momentum
memory = {batch: fixed_mib + kept_mib(batch) for batch in batches}
for batch in batches:
    print(f"batch {batch:3}: {throughput[batch]:6.0f} images/s, {memory[batch]:6.2f} MiB")

# %% [markdown]
# **What to look for.** On the left, the place where the line bends: from there on a larger batch
# buys little. On the right, whether it bends at all. A real step needs somewhat more than this
# count (scratch space of the layers, gradients on their way back); on a GPU the program prints the true peak
# beside it. Where the batch no longer fits, the run ends with *out of memory*, so
# choose a batch past the bend and well below that.

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.6), layout="constrained")
left.plot(batches, list(throughput.values()), marker="o")
right.plot(batches, list(memory.values()), marker="s", linestyle="--")
left.set(
    xlabel="batch (images)", ylabel=f"throughput on the {device.upper()} (images/s)", ylim=(0, None)
)
right.set(xlabel="batch (images)", ylabel="memory a step holds (MiB)", ylim=(0, None))

gain = throughput[256] / throughput[1]
last_gain = throughput[256] / throughput[64]
per_image_mib = (memory[256] - memory[1]) / 255
print(
    f"Batch 256 has {gain:.1f} x the throughput of batch 1; its last fourfold step gave {last_gain:.2f} x."
)
print(
    f"Each image holds {per_image_mib:.2f} MiB; weights, gradients and momentum {fixed_mib:.2f} MiB."
)
if device == "cuda":
    torch.cuda.reset_peak_memory_stats()
    step(torch.randn(256, 3, 32, 32, device=device), torch.randint(10, (256,), device=device))
    print(f"True peak at batch 256: {torch.cuda.max_memory_allocated() / 2**20:.1f} MiB")
figure.set_label(
    f"Two line charts against batch size, 1 to 256. Throughput on the {device.upper()}: from "
    f"{throughput[1]:.0f} to {throughput[256]:.0f} images a second, {last_gain:.2f} times from batch "
    f"64 to 256. Memory a step holds: a straight line from {memory[1]:.1f} to {memory[256]:.1f} MiB."
)
measured = {
    "throughput_1": (throughput[1], "images/s"),
    "throughput_256": (throughput[256], "images/s"),
    "gain": (gain, "×"),
    "per_image": (per_image_mib, "MiB"),
    "fixed": (fixed_mib, "MiB"),
}
plt.show()
