"""``mlhpc estimate memory|time|model|validate``: ranges, each with its method and known error."""

import argparse
import json
import math
from pathlib import Path

from mlhpc import cluster, units
from mlhpc.cli import Answer
from mlhpc.errors import InputError
from mlhpc.estimate import Cost, Estimate, cost, known, memory, sample, validate

HELP = "estimate memory and time, as ranges with their known error"
GIB_PER_GB = 1e9 / 2**30
LARGEST_BYTES = 50 * 2**20
SIZES = ("image", "side", "tokens", "layers", "width", "parameters", "vocabulary", "classes")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The four questions."""
    commands = parser.add_subparsers(
        dest="action", metavar="memory|time|model|validate", required=True
    )
    _memory_arguments(commands.add_parser("memory", help="GPU memory of training or inference"))
    _time_arguments(
        commands.add_parser("time", help="hours, from a timed sample or a model's cost")
    )
    model = commands.add_parser("model", help="count what a torch model costs")
    model.add_argument("target", metavar="MODULE:FACTORY", help="what makes the model")
    model.add_argument(
        "--input", default="3x224x224", metavar="SHAPE", help="one sample: 3x224x224"
    )
    model.add_argument(
        "--tokens", action="store_true", help="whole numbers go in, as to a language model"
    )
    table = commands.add_parser("validate", help="hold the estimate against measurements")
    table.add_argument("table", type=Path, metavar="TABLE.csv", help=_columns())


def run(args: argparse.Namespace) -> Answer:
    """Raises InputError, ToolError."""
    asked = {"memory": _memory, "time": _time, "model": _model, "validate": _validate}
    return asked[args.action](args)


def _memory_arguments(parser: argparse.ArgumentParser) -> None:
    _model_arguments(parser)
    parser.add_argument("--precision", default="amp", metavar="|".join(memory.PRECISIONS))
    parser.add_argument("--optimizer", default="adamw", metavar="|".join(memory.OPTIMIZERS))
    parser.add_argument("--gpus", type=int, default=1, metavar="N")
    parser.add_argument("--sharding", default="ddp", metavar="|".join(memory.SHARDING))
    parser.add_argument("--checkpointing", action="store_true", help="activation checkpointing")
    for name in ("rows", "features"):
        parser.add_argument(f"--{name}", metavar="N", help="of a table, for --model trees")
    parser.add_argument("--inference", action="store_true", help="no training")
    parser.add_argument("--libraries", default="lazy", metavar="|".join(memory.LIBRARIES))
    parser.add_argument("--cluster", default="sagehen", metavar="NAME|FILE")


TREES = ("trees", "random-forest", "xgboost", "lightgbm")


def _model_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--model", metavar="NAME", help="resnet50, bert-base, unet3d, mlp, gpt, trees"
    )
    parser.add_argument("--counted", type=Path, metavar="FILE", help="the JSON of 'estimate model'")
    parser.add_argument(
        "--batch", type=int, default=32, metavar="N", help="samples a step, each GPU"
    )
    for name in SIZES:
        parser.add_argument(f"--{name}", metavar="N", help="a size of the model")


def _time_arguments(parser: argparse.ArgumentParser) -> None:
    _model_arguments(parser)
    parser.add_argument(
        "--sample", metavar="FILE|S,S,...", help="seconds of each step that was timed"
    )
    parser.add_argument("--samples", metavar="N", help="samples in the data, such as 1.28M")
    parser.add_argument("--epochs", type=float, default=1, metavar="N")
    parser.add_argument("--steps", metavar="N", help="steps in all, instead of samples and epochs")
    parser.add_argument("--gpu", metavar="KEY", help="a GPU of the cluster file, such as a100")
    parser.add_argument("--gpus", type=int, default=1, metavar="N")
    parser.add_argument("--precision", default="amp", metavar="|".join(cost.PEAKS))
    parser.add_argument("--layout", default="nchw", metavar="|".join(cost.LAYOUTS))
    parser.add_argument("--checkpointing", action="store_true", help="activation checkpointing")
    parser.add_argument("--cluster", default="sagehen", metavar="NAME|FILE")


def _memory(args: argparse.Namespace) -> Answer:
    if args.model in TREES:
        return _trees(args)
    model = model_of(args)
    if args.inference:
        found = memory.inference(model, args.batch, args.precision, args.libraries)
    else:
        found = memory.training(
            model, args.batch, precision=args.precision, optimizer=args.optimizer, gpus=args.gpus,
            sharding=args.sharding, checkpointing=args.checkpointing, libraries=args.libraries,
        )  # fmt: skip
    fits = fitting(found.total, cluster.load(args.cluster))
    rows = [(name, part) for name, part in found.parts.items() if part.high > 0]
    shown = [f"{model.name}, batch {args.batch} of {model.sample} on each GPU", ""]
    shown += [f"  {name:12} {span(part)}  {part.method}" for name, part in rows]
    shown += [
        f"  {'in all':12} {span(found.total)}",
        "",
        f"Known error: {found.total.known_error}.",
    ]
    shown += [f"{name}: {verdict}" for name, verdict in fits.items()]
    document = {"parts": {name: part.document() for name, part in found.parts.items()},
                "total": found.total.document(), "fits": fits}  # fmt: skip
    return Answer({"model": model.name, **document}, "\n".join(shown))


def _trees(args: argparse.Namespace) -> Answer:
    if not args.rows or not args.features:
        raise InputError("memory: trees take the size of the table: --rows 10M --features 50")
    rows, features = (units.parse_count(getattr(args, name), name) for name in ("rows", "features"))
    for name, value in (("rows", rows), ("features", features)):
        if not value >= 1:
            raise InputError(f"{name}: {value:g} is no size of a table; valid is a number from 1")
    found = memory.trees(rows, features)
    text = f"{rows:,.0f} rows of {features:,.0f} numbers: {span(found).strip()} of main memory"
    return Answer({"model": args.model, "total": found.document()}, f"{text}\nby: {found.method}")


def fitting(need: Estimate, described: cluster.Cluster) -> dict[str, str]:
    """For each GPU of the cluster file, whether it fits: yes, no, maybe, unknown."""
    found = {}
    for key, gpu in described.gpus.items():
        if gpu.memory_gb is None:
            found[key] = "unknown"
            continue
        # makers call 80 GB what holds about 80 GiB less what the driver keeps
        room = gpu.memory_gb * GIB_PER_GB
        found[key] = (
            "fits" if need.high <= room else "does not fit" if need.low > room else "may fit"
        )
    return found


def span(found: Estimate, digits: int = 1) -> str:
    """'3.1 to 5.7 GiB'; one value where both ends are the same."""
    low, high = f"{found.low:.{digits}f}", f"{found.high:.{digits}f}"
    return (
        f"{low:>7} {found.unit}          " if low == high else f"{low:>7} to {high:>6} {found.unit}"
    )


def _time(args: argparse.Namespace) -> Answer:
    if bool(args.sample) == bool(args.model or args.counted):
        raise InputError(
            "time: from a timed sample (--sample 0.41,0.40,...) or from a model's cost"
            " (--model resnet50 --gpu a100)? Give one"
        )
    found = _by_sample(args) if args.sample else _by_cost(args)
    low, likely, high = (about(value) for value in (found.low, found.likely, found.high))
    lines = [f"{low} to {high}, likely {likely}", f"by: {found.method}",
             f"known error: {found.known_error}", *found.notes]  # fmt: skip
    return Answer({"estimate": found.document()}, "\n".join(lines))


def about(seconds: float) -> str:
    """A duration to its first two units: no estimate is good to the second."""
    step = (
        next((s for s in (units.DAY_S, units.HOUR_S, units.MINUTE_S) if seconds >= 2 * s), 60) / 60
    )
    step = step if seconds >= 2 * units.MINUTE_S else 0.1
    return units.format_duration(round(seconds / step) * step)


def _by_sample(args: argparse.Namespace) -> Estimate:
    step_s = times(args.sample)
    if args.steps:
        steps = units.parse_count(args.steps, "steps")
    elif args.samples:
        samples = units.parse_count(args.samples, "samples")
        steps = sample.steps_of(samples, args.batch, args.epochs, args.gpus)
    else:
        raise InputError("time: say --steps, or --samples with --batch and --epochs")
    return sample.full_run(step_s, steps)


def _by_cost(args: argparse.Namespace) -> Estimate:
    if not args.gpu or not args.samples:
        raise InputError("time: from a model's cost needs --gpu and --samples")
    on = cost.device(cluster.load(args.cluster), args.gpu, args.precision)
    work = cost.Work(args.batch, args.precision, args.layout, args.checkpointing, args.gpus)
    samples = units.parse_count(args.samples, "samples")
    if not 0 < args.epochs < math.inf:
        raise InputError(f"epochs: {args.epochs} is no count; valid is a number above 0")
    return cost.training_s(model_of(args), on, work).times(samples * args.epochs)


def times(text: str) -> list[float]:
    """Seconds of steps: numbers with commas, or a file of numbers. Raises InputError."""
    path = Path(text)
    if not any(char.isdigit() for char in text) or path.is_file():
        text = _text(path)
    words = text.replace(",", " ").split()
    try:
        return [float(word) for word in words]
    except ValueError as error:
        raise InputError(
            f"sample: {error}; valid: seconds such as 0.41,0.40, or a file of them"
        ) from None


def model_of(args: argparse.Namespace) -> Cost:
    """The model named by the arguments, or counted earlier. Raises InputError."""
    sizes = {name: getattr(args, name) for name in SIZES if getattr(args, name) is not None}
    if args.counted:
        return counted(args.counted)
    if not args.model:
        raise InputError("model: which one? --model resnet50, bert-base, unet3d, mlp or gpt")
    numbers = {name: units.parse_count(value, name) for name, value in sizes.items()}
    return known(args.model, **{k: v if k == "parameters" else int(v) for k, v in numbers.items()})


def counted(path: Path) -> Cost:
    """A model from the JSON that ``estimate model --json`` printed. Raises InputError."""
    try:
        found = json.loads(_text(path))["model"]
        model = Cost(**found)
        counts = (model.parameters, model.macs, model.activations, model.saved, model.largest)
        if not all(0 <= value < math.inf for value in counts):
            raise ValueError("a count is negative")
        return model
    except (ValueError, KeyError, TypeError):
        raise InputError(f"{path}: is no JSON of 'mlhpc estimate model --json'") from None


def _model(args: argparse.Namespace) -> Answer:
    from mlhpc.train import model_cost

    shape = model_cost.shape(args.input)
    found = model_cost.measure(args.target, shape, args.tokens)
    kind = "dense" if args.tokens or len(shape) < 3 else "vision"
    document = {"name": args.target, "kind": kind, "sample": args.input, **found,
                "source": "counted by torch on the meta device"}  # fmt: skip
    lines = [f"{args.target}, one sample of {args.input}"]
    lines += [f"  {name:12} {found[name]:>18,.0f}  {text}" for name, text in (
        ("parameters", "weights"), ("macs", "multiplications with addition, forward"),
        ("activations", "elements that convolutions and linear layers put out"),
        ("saved", "elements kept for the backward pass"),
        ("largest", "elements of the largest of them"))]  # fmt: skip
    return Answer({"model": document}, "\n".join(lines))


def _validate(args: argparse.Namespace) -> Answer:
    found = validate.run(args.table)
    return Answer(validate.document(found), validate.text(found))


def _columns() -> str:
    kinds = "; ".join(f"{kind}: {', '.join(names)}" for kind, names in validate.OF_KIND.items())
    always = ", ".join(validate.ALWAYS)
    return f"columns {always}; {kinds}; may hold {', '.join(validate.OPTIONAL)}"


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > LARGEST_BYTES:
            raise InputError(f"{path}: larger than {LARGEST_BYTES} bytes")
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise InputError(f"{path}: cannot be read: {reason}") from None
