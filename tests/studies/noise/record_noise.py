#!/usr/bin/env python3
"""Records the noise of this machine: one unchanged program against itself, process by process.

    tests/studies/noise/record_noise.py PROGRAM OUT --layout duet|interleaved [--rounds 80] [--repetitions 10]
                                     [--copies none|side|round] [--neighbour] [--seed 1] [--note TEXT]
                                     [--filter REGEX] [--cwd DIR]

In every round each benchmark of PROGRAM (those that --filter names; it runs in --cwd) gets two processes, "a" and "b": one after the other on one core
(interleaved), or at once on the first two cores (duet). Which of them comes first, or has the first core, is drawn in
balanced pairs of rounds from the seed; the benchmarks of a round are shuffled. With --neighbour a load is switched on
and off beside them all the while: PROGRAM's own benchmarks, one at a time on any core, for 0.2 to 4 s each with
breaks of the same length, drawn from the seed.

With --copies none both sides run PROGRAM itself; with side each runs a copy that stays the same in all rounds; with
round each runs another copy in every round. The pages of a copy are written in random order. What that is worth:
docs/method/fresh_copies.md.

OUT gets a file for each benchmark:

    # noise 1, benchmark pointer_chase, layout duet, seed 1, Intel ..., 2026-11-22, copies none
    round side slot core started_unix_s values of real_time in ns, in the order in which they were taken

Needs python3 and nothing else.
"""
import argparse
import datetime
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from program_copy import write_copy


def benchmarks_of(options):
    listed = subprocess.run([options.program, "--benchmark_list_tests=true", f"--benchmark_filter={options.filter}"],
                            capture_output=True, text=True, check=True, cwd=options.cwd)
    return listed.stdout.split()


def start(program, benchmark, options, core):
    command = [program, f"--benchmark_filter=^{benchmark}$", f"--benchmark_repetitions={options.repetitions}",
               f"--benchmark_min_time={options.min_time}", "--benchmark_format=json"]
    pin = {core} if core is not None else None
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                            cwd=options.cwd, preexec_fn=lambda: pin and os.sched_setaffinity(0, pin))


def values_of(process):
    output, _ = process.communicate(timeout=120)
    if process.returncode != 0:
        sys.exit(f"{process.args} left with {process.returncode}")
    nanoseconds = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
    return [row["real_time"] * nanoseconds[row["time_unit"]] for row in json.loads(output)["benchmarks"]
            if row["run_type"] == "iteration"]


class Copies:
    """What each side runs: the program itself, or a copy of it."""

    def __init__(self, program, kind, folder, seed):
        self.program, self.kind, self.draw = program, kind, random.Random(f"copies {seed}")
        self.sides = {side: program if kind == "none" else os.path.join(folder, side) for side in "ab"}
        # A process that is started while a copy is written holds that file open for a moment, and then it cannot run.
        self.writing = threading.Lock()

    def renew(self, round_number):
        if self.kind == "round" or (self.kind == "side" and round_number == 0):
            with self.writing:
                for side in self.draw.sample("ab", 2):
                    write_copy(self.program, self.sides[side], self.draw)


class Neighbour:
    """A load that comes and goes: busy for a while, quiet for a while, both drawn from the seed."""

    def __init__(self, options, names, writing):
        self.program, self.cwd, self.names = options.program, options.cwd, names
        self.draw = random.Random(f"neighbour {options.seed}")
        self.writing = writing
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.come_and_go)

    def __enter__(self):
        self.thread.start()

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()

    def come_and_go(self):
        while not self.ended.is_set():
            name, busy_s, quiet_s = self.draw.choice(self.names), self.draw.uniform(0.2, 4), self.draw.uniform(0.2, 4)
            with self.writing:
                load = subprocess.Popen([self.program, f"--benchmark_filter=^{name}$", "--benchmark_min_time=60"],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.cwd)
            self.ended.wait(busy_s)
            load.kill()
            load.wait()
            self.ended.wait(quiet_s)


def processor():
    with open("/proc/cpuinfo") as info:
        return next((line.split(":", 1)[1].strip() for line in info if line.startswith("model name")), "unknown CPU")


def record(options, names, cores, copies):
    draw = random.Random(options.seed)
    os.makedirs(options.out, exist_ok=True)
    files = {}
    remarks = f", copies {options.copies}"
    remarks += ", neighbour switched on and off" if options.neighbour else ""
    remarks += f", {options.note}" if options.note else ""
    for name in names:
        files[name] = open(os.path.join(options.out, name.replace("/", "-") + ".txt"), "w")
        files[name].write(f"# noise 1, benchmark {name}, layout {options.layout}, seed {options.seed}, {processor()}, "
                          f"{datetime.date.today()}{remarks}\n")
    first_side = {}
    for round_number in range(options.rounds):
        copies.renew(round_number)
        order = names[:]
        draw.shuffle(order)
        for name in order:
            if round_number % 2 == 0:
                first_side[name] = draw.randrange(2)
            else:
                first_side[name] = 1 - first_side[name]
            sides = "ab" if first_side[name] == 0 else "ba"
            at_once = options.layout == "duet" and "threads" not in name
            started, processes, values = [], [], []
            for slot in range(2):
                threads = "threads" in name
                core = None if threads else cores[slot] if at_once else cores[(round_number // 2) % len(cores)]
                started.append((core, time.time()))
                processes.append(start(copies.sides[sides[slot]], name, options, core))
                if not at_once:
                    values.append(values_of(processes[-1]))
            if at_once:
                values = [values_of(process) for process in processes]
            for slot in range(2):
                core, at = started[slot]
                core = -1 if core is None else core
                text = " ".join(f"{value:.6g}" for value in values[slot])
                files[name].write(f"{round_number} {sides[slot]} {slot} {core} {at:.1f} {text}\n")
                files[name].flush()
        if sys.stderr.isatty():
            sys.stderr.write(f"\r{options.layout}: round {round_number + 1} of {options.rounds}")
    if sys.stderr.isatty():
        sys.stderr.write("\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("out")
    parser.add_argument("--layout", choices=["duet", "interleaved"], required=True)
    parser.add_argument("--rounds", type=int, default=80)
    parser.add_argument("--repetitions", type=int, default=10)
    parser.add_argument("--min-time", default="0.01")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--copies", choices=["none", "side", "round"], default="none")
    parser.add_argument("--neighbour", action="store_true", help="switch a load on and off beside the recording")
    parser.add_argument("--filter", default=".", help="regular expression of the benchmarks that are recorded")
    parser.add_argument("--cwd", help="where the program runs; default: here")
    parser.add_argument("--note", default="", help="what else went on, for the first line of each file")
    options = parser.parse_args()
    if options.rounds < 2 or options.rounds % 2:
        parser.error(f"--rounds: found {options.rounds}, wanted an even number above 0")
    cores = sorted(os.sched_getaffinity(0))
    if options.layout == "duet" and len(cores) < 2:
        parser.error("--layout duet needs two cores")

    options.program = os.path.abspath(options.program)
    names = benchmarks_of(options)
    if not names:
        sys.exit(f"{options.program} has no benchmark that {options.filter} names")
    with tempfile.TemporaryDirectory(prefix="steelyard-noise.") as folder:
        copies = Copies(options.program, options.copies, folder, options.seed)
        if options.neighbour:
            with Neighbour(options, names, copies.writing):
                record(options, names, cores, copies)
        else:
            record(options, names, cores, copies)


if __name__ == "__main__":
    main()
