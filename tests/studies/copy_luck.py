#!/usr/bin/env python3
"""What a copy is worth: how far do byte-identical copies of one Google Benchmark program lie apart? Prints a Markdown
table; docs/method/fresh_copies.md says what it is for.

    tests/studies/copy_luck.py PROGRAM [--filter REGEX] [--copies 8] [--rounds 14] [--min-time 5ms] [--cwd DIR]
        Copies with names of equal length, the pages of each written in random order. In every round each benchmark runs
        once in each copy, one process right after the other in random order, on one core. Each round is a block: of its
        logarithms of time their median is taken away, so that what moves all processes of a round is no difference of
        copies. For each benchmark, with k copies of n processes each, copy i with the median m_i:
            within^2  = (1.4826 median |x_ij - m_i|)^2 k / (k - 1)
            between^2 = max(0, variance of the m_i - pi / 2 within^2 / n)
        (the median of n normal values has the variance pi / 2 within^2 / n; a block's median takes one of k degrees of
        freedom). `largest` is the largest m_i over the smallest; p is of Friedman's test (1937: sums of ranks within
        blocks) by 500 permutations, the seen one among them. Where no copy matters p is at most .05 for one benchmark
        in twenty.

    tests/studies/copy_luck.py PROGRAM --reread 8 [--rounds 14] [...]
        Two copies. Eight times the pages of one are dropped from the page cache and read anew in random order (the
        file's bytes and name stay); the other is never touched. As many pairs of processes as --rounds follow, one of
        each copy, whose ratio is what counts: two halves, between which nothing is done. The step from half to half
        where pages were read anew, against the step where nothing was done, as medians of their sizes.

Without end there is --limit: what would take longer than that ends after the last whole round. Needs python3 and
nothing else. TMPDIR says where the copies lie: a disk, for a file system in memory (tmpfs) keeps its pages. Leave the
machine alone while it runs.
"""
import argparse
import json
import math
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time

from machine import machine
from program_copy import MOST_LEFT, reread, write_copy

NANOSECONDS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
DRAWS = 500


def seconds_of(text):
    found = re.fullmatch(r"([0-9.]+)(ms|s|m)", text)
    if not found:
        raise argparse.ArgumentTypeError(f'found "{text}", wanted a duration with its unit (ms s m)')
    return float(found[1]) * {"ms": 1e-3, "s": 1, "m": 60}[found[2]]


def time_text(nanoseconds):
    unit = next((unit for unit in ("s", "ms", "us") if nanoseconds >= NANOSECONDS[unit]), "ns")
    return f"{nanoseconds / NANOSECONDS[unit]:.4g} {unit}"


def change(log_ratio):
    return f"{100 * math.expm1(log_ratio):+.2f}"


def min_time_argument(program, options):
    """--benchmark_min_time with "s", which Google Benchmark takes since 1.8 and wants, or without."""
    value = f"--benchmark_min_time={options.min_time:g}"
    tried = subprocess.run([program, "--benchmark_list_tests=true", value + "s"], cwd=options.cwd, capture_output=True,
                           text=True)
    return value + "s" if tried.returncode == 0 and "expected to be a" not in tried.stderr else value


def on_core(core):
    return lambda: os.sched_setaffinity(0, {core})


def benchmarks_of(program, options):
    """Those that the filter names, in the program's order."""
    done = subprocess.run([program, "--benchmark_list_tests=true", f"--benchmark_filter={options.filter}"],
                          cwd=options.cwd, capture_output=True, text=True, timeout=options.limit)
    if done.returncode != 0:
        sys.exit(f"{program} left with {done.returncode}; does it run from another place?\n{done.stderr}")
    return [line for line in done.stdout.splitlines() if line and not line.startswith("Failed to match")]


def measure(program, benchmark, options, min_time):
    """One process: the logarithm of its median time in ns; None where it has none."""
    command = [program, f"--benchmark_filter=^{re.escape(benchmark)}$", min_time, "--benchmark_format=json"]
    done = subprocess.run(command, cwd=options.cwd, capture_output=True, text=True, timeout=options.limit,
                          preexec_fn=on_core(options.core))
    if done.returncode != 0 or not done.stdout:
        sys.exit(f"{command} left with {done.returncode}; does it run from another place?\n{done.stderr}")
    times = [row["real_time"] * NANOSECONDS[row["time_unit"]]
             for row in json.loads(done.stdout[done.stdout.index("{"):])["benchmarks"]
             if row.get("run_type", "iteration") == "iteration" and not row.get("error_occurred")
             and row["real_time"] > 0]
    return math.log(statistics.median(times)) if times else None


class Clock:
    """Says how far a study is, and when another step would pass its limit."""

    def __init__(self, limit):
        self.limit, self.begun, self.last, self.longest = limit, time.monotonic(), time.monotonic(), 0

    def step(self, what, number, count):
        """After step `number` of `count`; false: another one would take too long."""
        now = time.monotonic()
        self.longest, self.last = max(self.longest, now - self.last), now
        if sys.stderr.isatty():
            left = (count - number) * (now - self.begun) / number
            sys.stderr.write(f"\r{what} {number} of {count}, {left:.0f} s left  " + ("\n" if number == count else ""))
        if number < count and now - self.begun + self.longest > self.limit:
            print(f"\nended after {what} {number} of {count}: another would pass --limit", file=sys.stderr)
            return False
        return True


def variance_components(groups):
    """Standard deviations (between groups, within one); groups of equal size, blocks' medians taken away."""
    k, n = len(groups), len(groups[0])
    medians = [statistics.median(group) for group in groups]
    away = statistics.median(abs(x - m) for group, m in zip(groups, medians) for x in group)
    within = 1.4826 * away * math.sqrt(k / (k - 1))
    return math.sqrt(max(0, statistics.variance(medians) - math.pi / 2 * within**2 / n)), within


def friedman_p(blocks, draw):
    """Share of permutations, the seen one included, in which the sums of the groups' ranks lie as far apart."""
    ranks = [[sum(y < x for y in block) + sum(y == x for y in block) / 2 for x in block] for block in blocks]

    def apart(values):
        return sum(sum(group)**2 for group in zip(*values))
    seen = apart(ranks) * (1 - 1e-12)
    return (1 + sum(apart([draw.sample(values, len(values)) for values in ranks]) >= seen
                    for _ in range(DRAWS - 1))) / DRAWS


def warm_up(program, options, min_time):
    """What the benchmarks need comes into memory; returns those that yield a time."""
    names = [name for name in benchmarks_of(program, options) if measure(program, name, options, min_time) is not None]
    if not names:
        sys.exit(f"{program}: no benchmark that matches {options.filter} yields a time")
    return names


def compare_copies(options, folder, draw):
    copies = [os.path.join(folder, f"copy{number:04}") for number in range(options.copies)]
    for copy in copies:
        write_copy(options.program, copy, draw)
    min_time = min_time_argument(copies[0], options)
    names = warm_up(copies[0], options, min_time)
    values, clock = {name: [] for name in names}, Clock(options.limit)  # by benchmark: a row of all copies for a round
    for number in range(1, options.rounds + 1):
        for name in names:
            order = draw.sample(copies, len(copies))
            taken = {copy: measure(copy, name, options, min_time) for copy in order}
            values[name].append([taken[copy] for copy in copies])
        if not clock.step("round", number, options.rounds):
            break
    rounds = len(values[names[0]])
    if rounds < 2:
        sys.exit("one round tells nothing of copies: raise --limit, or take fewer benchmarks")
    rows = []
    for name, blocks in values.items():
        level = statistics.median(x for block in blocks for x in block)
        groups = list(zip(*([x - statistics.median(block) for x in block] for block in blocks)))
        medians = [statistics.median(group) for group in groups]
        rows.append((name, level, medians, *variance_components(groups), friedman_p(blocks, draw)))
    return rounds, rows, values


def print_copies(options, rounds, rows):
    print(f"Machine: {machine()}. {options.copies} copies of `{os.path.basename(options.program)}` "
          f"({os.stat(options.program).st_size / 1024:.0f} KiB), {rounds} rounds on core {options.core}, samples of at "
          f"least {1e3 * options.min_time:g} ms, seed {options.seed}.\n")
    print("| benchmark | median | median of each copy, % from that | s.d. between copies | s.d. within a copy | "
          "largest | p |")
    print("|---|---|---|---|---|---|---|")
    for name, level, medians, between, within, p in sorted(rows, key=lambda row: row[-1]):
        centre = statistics.median(medians)
        print(f"| `{name}` | {time_text(math.exp(level))} | {' '.join(change(m - centre) for m in medians)} | "
              f"{100 * between:.2f} % | {100 * within:.2f} % | {change(max(medians) - min(medians))} % | {p:.3f} |")
    betweens = [row[3] for row in rows]
    withins = [row[4] for row in rows]
    print(f"\nOf {len(rows)} benchmarks the s.d. within a copy is {100 * statistics.median(withins):.2f} % in the median, "
          f"{100 * max(withins):.2f} % at most; between copies it is {100 * statistics.median(betweens):.2f} % in "
          f"the median, {100 * max(betweens):.2f} % at most, above .4 % in {sum(b > 0.004 for b in betweens)}; p is at "
          f"most .05 in {sum(row[5] <= 0.05 for row in rows)}, at most .002 in {sum(row[5] <= 0.002 for row in rows)}.")


def compare_readings(options, folder, draw):
    copy, untouched = (os.path.join(folder, f"copy{number:04}") for number in range(2))
    for path in (copy, untouched):
        write_copy(options.program, path, draw)
    min_time = min_time_argument(copy, options)
    for path in (untouched, copy):
        names = warm_up(path, options, min_time)
    values, pages, clock = {name: [] for name in names}, [], Clock(options.limit)  # by benchmark: halves of log ratios
    levels = {name: [] for name in names}
    for number in range(1, options.reread + 1):
        in_memory, left = reread(copy, draw)
        if left > MOST_LEFT * in_memory:
            sys.exit(f"{copy}: {left} of {in_memory} pages stayed in memory; set TMPDIR to a folder on a disk")
        pages.append((in_memory, left))
        for _ in range(2):
            for name in names:
                values[name].append([])
            for _ in range(options.rounds // 2):
                for name in names:
                    taken = {path: measure(path, name, options, min_time) for path in draw.sample((copy, untouched), 2)}
                    values[name][-1].append(taken[copy] - taken[untouched])
                    levels[name].append(taken[copy])
        if not clock.step("reading", number, options.reread):
            break
    if len(pages) < 2:
        sys.exit("one reading tells nothing: raise --limit, or take fewer benchmarks")
    rows = []
    for name, halves in values.items():
        readings = [statistics.median(first + second) for first, second in zip(halves[::2], halves[1::2])]
        steps = [abs(b - a) for a, b in zip(map(statistics.median, halves), map(statistics.median, halves[1:]))]
        rows.append((name, statistics.median(levels[name]), readings, statistics.median(steps[1::2]),
                     statistics.median(steps[::2])))
    return pages, rows, values


def print_readings(options, pages, rows):
    most_left = max(left for _, left in pages)
    print(f"Machine: {machine()}. Two copies of `{os.path.basename(options.program)}`, the pages of one read anew "
          f"{len(pages)} times, {options.rounds // 2 * 2} pairs of processes each on core {options.core}, samples of at least "
          f"{1e3 * options.min_time:g} ms, seed {options.seed}. Of {pages[0][0]} pages in memory {most_left} at most "
          "stayed when they were dropped (mincore).\n")
    print("| benchmark | median | after each reading, against the other copy, % from their median | largest | "
          "step where pages were read anew | step where nothing was done |")
    print("|---|---|---|---|---|---|")
    for name, level, readings, at_reading, at_nothing in sorted(rows, key=lambda row: row[4] - row[3]):
        centre = statistics.median(readings)
        print(f"| `{name}` | {time_text(math.exp(level))} | {' '.join(change(one - centre) for one in readings)} | "
              f"{change(max(readings) - min(readings))} % | {100 * at_reading:.2f} % | {100 * at_nothing:.2f} % |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--filter", default=".", help="only benchmarks whose name matches")
    parser.add_argument("--copies", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=14)
    parser.add_argument("--reread", type=int, default=0, metavar="TIMES", help="one file's pages read anew instead")
    parser.add_argument("--min-time", type=seconds_of, default="5ms", help="of a sample")
    parser.add_argument("--limit", type=seconds_of, default="30m", help="of the whole study")
    parser.add_argument("--cwd", help="where the program runs; default: here")
    parser.add_argument("--core", type=int, default=max(os.sched_getaffinity(0)))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", help="every value as JSON there as well")
    options = parser.parse_args()
    options.program = os.path.abspath(options.program)
    least = 4 if options.reread else 2  # processes: two halves with a median each
    if min(options.copies, options.reread or 2) < 2 or options.rounds < least:
        parser.error(f"wanted at least 2 copies, 2 readings and {least} rounds")
    draw = random.Random(options.seed)
    with tempfile.TemporaryDirectory(prefix="steelyard-copies.") as folder:
        study = compare_readings if options.reread else compare_copies
        told, rows, values = study(options, folder, draw)
    if options.out:
        with open(options.out, "w") as out:
            json.dump({"machine": machine(), **vars(options), "ns": values}, out)
    (print_readings if options.reread else print_copies)(options, told, rows)


if __name__ == "__main__":
    main()
