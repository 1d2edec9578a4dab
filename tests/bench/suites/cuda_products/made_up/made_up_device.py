#!/usr/bin/env python3
"""In the place of steelyard_cuda_suite: answers with numbers that are made up. Nobody measured them; they are chosen so
that each line of the table can be worked out by hand."""

import json
import re
import sys

# name: (cold times in ns, operations, bytes, label)
ROWS = {
    "ceiling/access:copy/level:DRAM": ([1e6, 2e6, 3e6], 0, 4e9, ""),  # 2000 GB/s in the middle
    "ceiling/access:read/level:DRAM": ([1e6], 0, 2.5e9, ""),
    "ceiling/dtype:bf16": ([1e6], 8e11, 4e8, ""),  # 800 Tflop/s
    "matmul/dtype:bf16/n:8192": ([1e6], 7.6e11, 4e8, "kernels: made_up_gemm; note: first of 8"),
    "matmul/dtype:f8/n:8192": ([1e6], 7.6e11, 2e8, ""),
    "gelu/dtype:bf16/form:fused/n:67108864": ([1e5], 6e8, 1.9e8, ""),  # 1900 GB/s, 95 % of copy
    "gelu/dtype:bf16/form:chain/n:67108864": ([9e5], 6e8, 2.9e9, ""),
    "layer_norm/columns:16384/dtype:bf16/form:fused/rows:4096": ([1e5], 4e8, 1.7e8, "target: 0.61 of bandwidth"),
    "gemv/dtype:i8/n:16384": ([1e5], 5e8, 2.4e8, ""),  # 2400 GB/s, 96 % of read
    "gemv/dtype:i8/n:1024": ([5e3], 2e6, 1e6, ""),
    "mlp_layer_norm/batch:4096/dim:4096/dtype:bf16/hidden:14336": ([1e6], 6.8e11, 1e8, "target: 0.8 of flops"),
    "add/dtype:bf16/n:67108864": None,  # fails
}


def record(name, row):
    if row is None:
        return [{"name": name, "run_type": "iteration", "error_occurred": True, "error_message": "made-up fault"}]
    times, operations, traffic, label = row
    records = []
    for index, time in enumerate(times):
        one = {"name": name, "run_type": "iteration", "repetition_index": index, "real_time": time, "time_unit": "ns"}
        one["cpu_time"] = time
        if operations:
            one["flops"] = operations / (time * 1e-9)
        one["bandwidth"] = traffic / (time * 1e-9)
        if label and index == 0:
            one["label"] = label
        records.append(one)
    return records


def main(arguments):
    options = dict(argument.lstrip("-").partition("=")[::2] for argument in arguments)
    if "steelyard_list_devices" in options:
        print("0: Made-up device")
        return 0
    names = [name for name in ROWS if re.search(options.get("benchmark_filter", ""), name)]
    if "benchmark_list_tests" in options:
        print("\n".join(names))
        return 0
    if not names:
        print("Failed to match any benchmarks against the filter", file=sys.stderr)
        return 1
    records = [one for name in names for one in record(name, ROWS[name])]
    context = {"date": "2000-01-01T00:00:00+00:00", "gpu.device": "Made-up device", "gpu.driver": "0.0"}
    for argument in arguments:
        if argument.startswith("--benchmark_context="):
            key, _, value = argument.partition("=")[2].partition("=")
            context[key] = value
    with open(options["benchmark_out"], "w") as file:
        json.dump({"context": context, "benchmarks": records}, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
