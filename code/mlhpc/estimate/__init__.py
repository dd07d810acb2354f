"""How much memory and how much time: arithmetic that gives ranges, each with its known error.

>>> from mlhpc.estimate import memory, models
>>> found = memory.training(models.resnet50(), batch=64, optimizer="momentum")
>>> f"{found.total.low:.1f} to {found.total.high:.1f} GiB"
'3.1 to 5.7 GiB'

``models`` knows what the lesson's models cost; ``memory`` adds up what is alive at once; ``sample``
carries a timed sample on to the full run; ``cost`` estimates the time from FLOPs and memory traffic
on a GPU; ``validate`` holds that against a table of measurements.
"""

from mlhpc.estimate.models import Cost, known
from mlhpc.estimate.values import Estimate, total

__all__ = ["Cost", "Estimate", "known", "total"]
