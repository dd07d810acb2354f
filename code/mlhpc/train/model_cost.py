"""What a torch model costs: parameters, multiplications, activations of one sample.

Run as a program in a process of its own: ``python -m mlhpc.train.model_cost MODULE:FACTORY
--input 3x224x224``. The model is built on torch's meta device: no weights are made, and no memory
is taken. Prints one JSON document, or one line of error and exit code 2.
"""

import argparse
import importlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mlhpc.errors import InputError, ToolError

LIMIT_S = 300


def measure(target: str, shape: Sequence[int], tokens: bool = False) -> dict[str, Any]:
    """The cost of a model, counted in a child process.

    ``shape`` is one sample without the batch; ``tokens``: whole numbers go in, as to a language
    model. Raises InputError with the child's words, ToolError where torch is not installed.
    """
    command = [sys.executable, "-m", "mlhpc.train.model_cost", target]
    command += ["--input", "x".join(map(str, shape)), *(["--tokens"] if tokens else [])]
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path.cwd()), *sys.path])}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=LIMIT_S, env=environ, check=False
        )
    except subprocess.TimeoutExpired:
        raise ToolError(f"model: {target}: not counted within {LIMIT_S} s") from None
    if done.returncode == 3:
        raise ToolError(done.stderr.strip().splitlines()[-1])
    if done.returncode != 0:
        words = done.stderr.strip().splitlines() or [f"it ended with code {done.returncode}"]
        raise InputError(words[-1])
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def shape(text: str) -> list[int]:
    """[3, 224, 224] of '3x224x224'. Raises InputError with the valid form."""
    if not re.fullmatch(r"\d+([x,]\d+)*", text) or "0" in re.split("[x,]", text):
        raise InputError(f"input: '{text}' is no shape of a sample; valid: 3x224x224, 784")
    return [int(part) for part in re.split("[x,]", text)]


def build(target: str) -> Any:
    """The model that MODULE:FACTORY makes, on the meta device. Raises InputError."""
    import torch

    module_name, colon, name = target.partition(":")
    if not colon or not module_name or not name:
        raise InputError(f"model: '{target}' is no MODULE:FACTORY, such as mine.nets:unet")
    try:
        factory: Any = importlib.import_module(module_name)
        for part in name.split("."):
            factory = getattr(factory, part)
        with torch.device("meta"):
            model = factory()
    except Exception as error:  # whatever the factory does is told in one line
        raise InputError(f"model: {target}: {type(error).__name__}: {error}") from None
    if not isinstance(model, torch.nn.Module):
        raise InputError(f"model: {target}: made {type(model).__name__}, and no torch.nn.Module")
    return model.to("meta")


def count(model: Any, sample: Sequence[int], tokens: bool) -> dict[str, Any]:
    """Count one sample through a model on the meta device. Raises InputError."""
    import torch
    from torch.utils.flop_counter import FlopCounterMode

    put_out: list[int] = []
    saved: dict[int, int] = {}
    kinds = (torch.nn.Linear, torch.nn.modules.conv._ConvNd)
    for module in model.modules():
        if isinstance(module, kinds):
            module.register_forward_hook(lambda _m, _i, out: put_out.append(out.numel()))
    # by storage: a linear layer saves its weight transposed, which is another tensor of the same
    weights = {one.untyped_storage()._cdata for one in (*model.parameters(), *model.buffers())}

    def keep(tensor: Any) -> Any:
        storage = tensor.untyped_storage()
        if storage._cdata not in weights:
            saved[storage._cdata] = storage.nbytes() // tensor.element_size()
        kept.append(tensor)  # or another storage may get its place
        return tensor

    kept: list[Any] = []
    given = torch.empty((1, *sample), device="meta", dtype=torch.long if tokens else torch.float32)
    counter = FlopCounterMode(display=False)
    try:
        with counter, torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
            model(given)
    except Exception as error:
        words = str(error).strip().splitlines() or [""]
        raise InputError(
            f"model: a sample of {sample}: {type(error).__name__}: {words[0]}"
        ) from None
    return {
        "parameters": sum(weight.numel() for weight in model.parameters()),
        "macs": counter.get_total_flops() / 2,
        "activations": sum(put_out),
        "saved": sum(saved.values()),
        "largest": max(put_out, default=0),
    }


def main(argv: Sequence[str] | None = None) -> int:
    """The program: one JSON document, or one line and exit code 2 or 3."""
    parser = argparse.ArgumentParser(prog="mlhpc.train.model_cost")
    parser.add_argument("target")
    parser.add_argument("--input", required=True)
    parser.add_argument("--tokens", action="store_true")
    args = parser.parse_args(argv)
    try:
        importlib.import_module("torch")
    except ImportError:
        print("model: torch is not installed here: it counts the model", file=sys.stderr)
        return 3
    try:
        found = count(build(args.target), shape(args.input), args.tokens)
    except InputError as error:
        print(" ".join(str(error).split()), file=sys.stderr)
        return 2
    print(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
