#!/usr/bin/env python3
"""Are the measured ceilings right? Two checks, as Markdown tables.

1. Bandwidth: our triad beside that of STREAM (McCalpin), same threads, same cores, arrays as large, in turns.
2. Arithmetic: the f64 and f32 peaks beside units x lanes x 2 x the clock, read off a chain of dependent additions.

    tests/studies/ceilings_against_stream.py --fetch
    tests/studies/ceilings_against_stream.py --stream /path/to/stream.c --rounds 5

STREAM is compiled here and is no part of this repository: its source is given, or fetched with git.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

STREAM_REPOSITORY = "https://github.com/jeffhammond/STREAM"
STREAM_COMMIT = "6703f7504a38a8da96b353cadafa64d3c2d7a2d3"
WITHIN = 0.05  # what the figures have to keep to


def main():
    options = parse_options()
    with tempfile.TemporaryDirectory(prefix="steelyard-stream-") as folder:
        source = options.stream or fetch(folder)
        cores = one_thread_a_core()
        print(machine_line(len(cores)), flush=True)
        kept = []
        for threads in thread_counts(cores):
            used = cores[-threads:]
            elements = array_elements(used)
            peer = compile_stream(source, elements, options.compiler, folder)
            kept.append(compare_triad(options, peer, used, elements))
    kept.append(compare_peaks(options))
    return 0 if all(kept) else 1


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--stream", help="stream.c")
    source.add_argument("--fetch", action="store_true", help=f"from {STREAM_REPOSITORY} at {STREAM_COMMIT[:9]}")
    parser.add_argument("--steelyard", default="build/release/bin/steelyard")
    parser.add_argument("--rounds", type=int, default=5, help="turns of both programs (default: 5)")
    parser.add_argument("--compiler", default="cc", help="for STREAM; needs OpenMP (default: cc)")
    return parser.parse_args()


def fetch(folder):
    checkout = os.path.join(folder, "STREAM")
    subprocess.run(["git", "clone", "--quiet", STREAM_REPOSITORY, checkout], check=True)
    subprocess.run(["git", "-C", checkout, "checkout", "--quiet", STREAM_COMMIT], check=True)
    return os.path.join(checkout, "stream.c")


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().strip()
    except OSError:
        return ""


def one_thread_a_core():
    """The allowed hardware threads, the first of each core: those that the program measures on."""
    seen = {}
    for cpu in sorted(os.sched_getaffinity(0)):
        topology = f"/sys/devices/system/cpu/cpu{cpu}/topology/"
        core = (read(topology + "physical_package_id"), read(topology + "core_id") or str(cpu))
        seen.setdefault(core, cpu)
    return sorted(seen.values())


def thread_counts(cores):
    return [1] if len(cores) == 1 else [1, len(cores)]


def array_elements(cores):
    """STREAM's rule, an array four times the caches, up to the 4 GiB that the program takes at most."""
    return min(4 * last_level_bytes(cores), (4 << 30) // 3) // 8


def last_level_bytes(cores):
    """All last-level caches that these cores have, counted once each."""
    caches = {}
    for cpu in cores:
        folder = f"/sys/devices/system/cpu/cpu{cpu}/cache/"
        indexes = sorted(name for name in os.listdir(folder) if name.startswith("index")) if os.path.isdir(folder) else []
        for index in reversed(indexes):
            size = read(folder + index + "/size")
            if size.endswith("K"):
                caches[read(folder + index + "/shared_cpu_list")] = int(size[:-1]) * 1024
                break
    return sum(caches.values()) or 32 << 20


def machine_line(cores):
    model = next((line.split(":")[1].strip() for line in read("/proc/cpuinfo").splitlines()
                  if line.startswith("model name")), "unknown CPU")
    pages = re.search(r"\[(\w+)\]", read("/sys/kernel/mm/transparent_hugepage/enabled") or "[?]").group(1)
    return f"{model}, {cores} cores, transparent huge pages: {pages}, load {read('/proc/loadavg').split(' ')[0]}\n"


def compile_stream(source, elements, compiler, folder):
    program = os.path.join(folder, "stream")
    subprocess.run([compiler, "-O3", "-march=native", "-fopenmp", "-mcmodel=medium",
                    f"-DSTREAM_ARRAY_SIZE={elements}", "-DNTIMES=20", source, "-o", program], check=True)
    return program


def run_stream(program, cores):
    """Best and mean rate of its triad in GB/s."""
    environment = dict(os.environ, OMP_NUM_THREADS=str(len(cores)), OMP_PROC_BIND="true",
                       OMP_PLACES=",".join("{%d}" % core for core in cores))
    out = subprocess.run([program], env=environment, check=True, capture_output=True, text=True).stdout
    if "Solution Validates" not in out:
        sys.exit("STREAM's own check of its results failed")
    best, mean_time, least_time, _ = map(float, re.search(r"Triad:\s+(.*)", out).group(1).split())
    return best / 1e3, best / 1e3 * least_time / mean_time


def run_ours(options, only, *more):
    out = subprocess.run([options.steelyard, "targets", "ceilings", "--only", only, "--quick", "--json", "--quiet", *more],
                         check=True, capture_output=True, text=True).stdout
    return json.loads(out)["ceilings"]


def triad_of(ceilings, threads):
    found = next(c for c in ceilings if c["access"] == "triad" and c["threads"] == threads)
    return found["best"] / 1e9, found["value"] / 1e9


def compare_triad(options, peer, cores, elements):
    """Both with pages as the system gives them unasked, since STREAM asks for none; huge ones beside it."""
    threads = len(cores)
    print(f"Triad, {threads} thread{'s' if threads > 1 else ''}, three arrays of {elements * 8 >> 20} MiB, GB/s:\n")
    print("| round | STREAM best | ours best | ratio | STREAM mean | ours median | ours, huge pages, best |")
    print("|---|---|---|---|---|---|---|")
    rows = []
    for number in range(options.rounds):
        turns = [lambda: run_stream(peer, cores), lambda: triad_of(run_ours(options, "DRAM/triad", "--normal-pages"), threads)]
        results = [turn() for turn in turns] if number % 2 == 0 else [turn() for turn in reversed(turns)][::-1]
        (best, mean), (our_best, our_median) = results
        huge, _ = triad_of(run_ours(options, "DRAM/triad"), threads)
        rows.append((best, our_best, our_best / best, mean, our_median, huge))
        print(f"| {number + 1} | " + line_of(rows[-1]), flush=True)
    medians = [statistics.median(column) for column in zip(*rows)]
    print("| median | " + line_of(medians))
    keeps = abs(medians[2] - 1) <= WITHIN
    print(f"\nRatio of the best {medians[2]:.3f}: {'within' if keeps else 'NOT within'} {WITHIN:.0%}.\n", flush=True)
    return keeps


def line_of(row):
    best, our_best, ratio, mean, our_median, huge = row
    return f"{best:.1f} | {our_best:.1f} | {ratio:.3f} | {mean:.1f} | {our_median:.1f} | {huge:.1f} |"


def compare_peaks(options):
    print("Peak of multiply-adds against units x lanes x 2 x clock, medians:\n")
    print("| dtype | threads | measured Gflop/s | clock GHz | expected flop a cycle and core | measured / expected |")
    print("|---|---|---|---|---|---|")
    keeps = []
    for dtype in ("f64", "f32"):
        for ceiling in run_ours(options, dtype):
            expected = ceiling.get("expected_per_cycle")
            clock = ceiling.get("clock_hz")
            ratio = ratio_to_expected(ceiling) if expected and clock else None
            print(f"| {dtype} | {ceiling['threads']} | {ceiling['value'] / 1e9:.1f} | "
                  f"{f'{clock / 1e9:.3f}' if clock else '-'} | {expected or 'not known'} | "
                  f"{f'{ratio:.3f}' if ratio else '-'} |")
            keeps.append(ratio is not None and abs(ratio - 1) <= WITHIN)
    print(f"\n{'All within' if all(keeps) else 'NOT all within'} {WITHIN:.0%}.")
    return all(keeps)


def ratio_to_expected(ceiling):
    """Repetition by repetition, since the clock moves; their median."""
    per_hz = ceiling["expected_per_cycle"] * ceiling["threads"]
    return statistics.median(rate / (per_hz * clock)
                             for rate, clock in zip(ceiling["samples"], ceiling["clock_samples_hz"]))


if __name__ == "__main__":
    sys.exit(main())
