#!/usr/bin/env python3
"""In the place of steelyard_cuda_suite: answers with numbers that are made up. Nobody measured them; they are chosen so
that each line of the table can be worked out by hand. MADE_UP_ROW_SECONDS: that each benchmark takes; rows are kept as
they come, as the program does (FILE.partial)."""

import json
import os
import re
import signal
import sys
import time

# name: (cold times in ns, operations, bytes, label)
ROWS = {
    "ceiling/launch": ([2e3], 0, 0, ""),
    "ceiling/access:copy/level:DRAM": ([1e6, 2e6, 3e6], 0, 4e9, ""),  # 2000 GB/s in the middle
    "ceiling/access:read/level:DRAM": ([1e6], 0, 2.5e9, ""),
    "ceiling/dtype:bf16": ([1e6], 8e11, 4e8, ""),  # 800 Tflop/s
    "matmul/dtype:bf16/n:8192": ([1e6], 7.6e11, 4e8, "kernels: made_up_gemm; note: first of 8"),
    "matmul/dtype:f8/n:8192": ([1e6], 7.6e11, 2e8, ""),
    "matmul/dtype:bf16/n:4096": ([1e5], 7.6e10, 4e7, ""),
    "gelu/dtype:bf16/form:fused/n:67108864": ([1e5], 6e8, 1.9e8, "rates: of hot times"),  # 1900 GB/s, 95 % of copy
    "gelu/dtype:bf16/form:chain/n:67108864": ([9e5], 6e8, 2.9e9, ""),
    "layer_norm/columns:16384/dtype:bf16/form:fused/rows:4096": ([1e5], 4e8, 1.7e8, "target: 0.61 of bandwidth"),
    "gemv/dtype:i8/n:16384": ([1e5], 5e8, 2.4e8, ""),  # 2400 GB/s, 96 % of read
    "gemv/dtype:i8/n:1024": ([5e3], 2e6, 1e6, ""),  # less than five launches of nothing
    "mlp_layer_norm/batch:4096/dim:4096/dtype:bf16/hidden:14336": (
        [1e6],
        6.8e11,
        1e8,
        "target: 0.85 of measured flops",
    ),
    "add/dtype:bf16/n:67108864": None,  # fails
    "decoding/llama/dtype:bf16": ([1e9], 2e12, 2e12, "target: 0.85 of measured read bandwidth"),
}
SM_HZ = 1.5e9


def record(name, row):
    if row is None:
        return [{"name": name, "run_type": "iteration", "error_occurred": True, "error_message": "made-up fault"}]
    times, operations, traffic, label = row
    records = []
    for index, time in enumerate(times):
        one = {"name": name, "run_type": "iteration", "repetition_index": index, "real_time": time, "time_unit": "ns"}
        one["cpu_time"] = time
        one["repetitions"], one["hot_time"] = len(times), 0.8 * time
        one["sm_clock"], one["device_cycles"] = SM_HZ, SM_HZ * time * 1e-9
        if operations:
            one["flops"] = operations / (time * 1e-9)
        one["bandwidth"] = traffic / (time * 1e-9)
        if label and index == 0:
            one["label"] = label
        records.append(one)
    return records


def main(arguments):
    options = dict(argument.lstrip("-").partition("=")[::2] for argument in arguments if argument.startswith("--"))
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
    context = {"date": "2000-01-01T00:00:00+00:00", "gpu.device": "Made-up device", "gpu.driver": "0.0"}
    context["gpu.cublas"] = "13.0.0"
    for argument in arguments:
        if argument.startswith("--benchmark_context="):
            key, _, value = argument.partition("=")[2].partition("=")
            context[key] = value
    return measure(names, options["benchmark_out"], context)


def measure(names, out, context):
    """As the program does: each row is kept when it is whole, and asked to end it writes what it has."""
    ended = []
    signal.signal(signal.SIGTERM, lambda number, frame: ended.append(number))
    records = []
    with open(out + ".partial", "w") as partial:
        print(json.dumps(context), file=partial, flush=True)
        for name in names:
            time.sleep(float(os.environ.get("MADE_UP_ROW_SECONDS", 0)))
            if ended:
                break
            for one in record(name, ROWS[name]):
                one["measured_at"] = time.time_ns()
                records.append(one)
                print(json.dumps(one), file=partial)
            partial.flush()
    with open(out + ".part", "w") as file:
        json.dump({"context": context, "benchmarks": records}, file, indent=1)
    os.replace(out + ".part", out)
    os.remove(out + ".partial")
    return 128 + ended[0] if ended else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
