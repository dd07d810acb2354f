"""How much faster one machine is than another."""

from mlhpc.claims.derivations.imagenet import a100_rates
from mlhpc.claims.derive import Facts, Span, derivation, ratio


@derivation
def tiny_network_parameters(facts: Facts) -> float:  # noqa: ARG001
    """Weights and biases of a dense network with 784 inputs, 128 and 10 units (its definition)."""
    return 784 * 128 + 128 + 128 * 10 + 10


@derivation
def tiny_network_speedup(facts: Facts) -> float:
    """Seconds on the CPU over seconds on the GPU."""
    return facts["tiny-network-cpu"] / facts["tiny-network-gpu"]


@derivation
def resnet50_32_modern_cores(facts: Facts) -> float:
    """The share of the cores in the rate of the whole server."""
    return facts["resnet50-112-cores"] * facts["baseline-cores"] / facts["cores-of-server"]


@derivation
def resnet50_speedup_1_a100(facts: Facts) -> Span:
    """One A100 over 32 modern cores: the slower PyTorch program, and a tuned one (MLPerf)."""
    rates = a100_rates(facts)[0], facts["resnet50-a100-sxm-mlperf"]
    return ratio(rates, facts["resnet50-32-modern-cores"])


@derivation
def resnet50_speedup_4_a100(facts: Facts) -> Span:
    """Four A100s over 32 modern cores: the slower PyTorch program, and a tuned one (MLPerf)."""
    rates = facts["resnet50-4-a100-amp"], 4 * facts["resnet50-a100-sxm-mlperf"]
    return ratio(rates, facts["resnet50-32-modern-cores"])


@derivation
def resnet50_speedup_older_cpu(facts: Facts) -> Span:
    """One A100 in AMP (two programs) over 32 cores of 2018 in FP32."""
    return ratio(a100_rates(facts), facts["resnet50-32-older-cores"])


@derivation
def resnet50_speedup_112_cores(facts: Facts) -> Span:
    """One A100 over the whole server: the slower PyTorch program, and a tuned one (MLPerf)."""
    rates = a100_rates(facts)[0], facts["resnet50-a100-sxm-mlperf"]
    return ratio(rates, facts["resnet50-112-cores"])


@derivation
def gpu_speedup_range(facts: Facts) -> Span:
    """From the tiny network to the upper end of ResNet-50."""
    return facts["tiny-network-speedup"], facts.range("resnet50-speedup-1-a100")[1]


@derivation
def l40s_vs_a100_percent(facts: Facts) -> Span:
    """Rate of an L40S over that of an A100 PCIe, slowest over fastest and the reverse."""
    low, high = ratio(facts.range("resnet50-l40s-mlperf"), facts.range("resnet50-a100-mlperf"))
    return 100 * low, 100 * high


@derivation
def loader_gain(facts: Facts) -> float:
    """Rate with the faster loader over that with the slower."""
    return facts["loader-fast"] / facts["loader-slow"]


def _trees(facts: Facts, library: str, rows: str) -> Span:
    """Seconds on CPUs over seconds on a GPU."""
    name = f"{library}-{rows}"
    return ratio(facts.range(f"{name}-cpu-seconds"), facts[f"{name}-gpu-seconds"])


@derivation
def xgboost_gpu_100k(facts: Facts) -> Span:
    """XGBoost on 100,000 rows: seconds on CPUs over seconds on a GPU."""
    return _trees(facts, "xgboost", "100k")


@derivation
def xgboost_gpu_1m(facts: Facts) -> Span:
    """XGBoost on a million rows: seconds on CPUs over seconds on a GPU."""
    return _trees(facts, "xgboost", "1m")


@derivation
def xgboost_gpu_10m(facts: Facts) -> Span:
    """XGBoost on ten million rows: seconds on CPUs over seconds on a GPU."""
    return _trees(facts, "xgboost", "10m")


@derivation
def lightgbm_gpu_10m(facts: Facts) -> Span:
    """LightGBM on ten million rows: seconds on CPUs over seconds on a GPU."""
    return _trees(facts, "lightgbm", "10m")


@derivation
def xgboost_8_v100(facts: Facts) -> Span:
    """Seconds on the CPU over seconds on eight GPUs, for both data sets."""
    airline = facts["xgboost-airline-cpu-seconds"] / facts["xgboost-airline-gpu-seconds"]
    higgs = facts["xgboost-higgs-cpu-seconds"] / facts["xgboost-higgs-gpu-seconds"]
    return min(airline, higgs), max(airline, higgs)
