#!/usr/bin/env python3
"""One toggled benchmark of one thread, counted again and again: how many values come out? Prints a Markdown table.

    cmake --build --preset check --target count_values counting_counted
    tests/studies/count_exactness.py [--collections 50] [--benchmark paused]

Left alone, with the other cores loaded, with 4 KB more in the caller's environment, from a working directory and a TMPDIR
with long names, and with the program built again in another folder. Every value is the difference of two collections. The
figures do not depend on the load.
"""
import argparse
import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = ROOT / "build" / "check" / "bin"


def count(program, options, environment=None, folder=None):
    command = [BIN / "count_values", program, str(options.collections), options.benchmark]
    done = subprocess.run(command, env={**os.environ, **(environment or {})}, cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{program}: {done.stdout}{done.stderr}")
    _, scope, jitter, values, _ = done.stdout.rstrip("\n").split("\t")
    return scope, jitter, values


@contextlib.contextmanager
def loaded_cores():
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(max(1, os.cpu_count() - 1))]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def rebuilt(folder):
    """The program compiled again from a copy of its source under another path."""
    source = pathlib.Path(folder) / "a folder with a longer name" / "counted_program.cpp"
    source.parent.mkdir(parents=True)
    shutil.copy(ROOT / "tests" / "bench" / "counting" / "counted_program.cpp", source)
    program = source.with_name("counted_again")
    subprocess.run(["g++", "-O2", "-g", "-std=c++17", "-fno-align-loops", "-fno-align-jumps", source, "-o", program,
                    "-lbenchmark", "-lpthread"], check=True)
    return program


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--collections", type=int, default=50)
    parser.add_argument("--benchmark", default="paused")
    options = parser.parse_args()
    program = BIN / "counting_counted"
    rows = [("left alone", count(program, options))]
    with loaded_cores():
        rows.append(("other cores loaded", count(program, options)))
    rows.append(("4 KB more in the environment", count(program, options, {"STEELYARD_LARGE": "x" * 4096})))
    with tempfile.TemporaryDirectory() as folder:
        long = pathlib.Path(folder) / ("directory" * 12)
        long.mkdir()
        rows.append(("long working directory", count(program, options, folder=long)))
        rows.append(("long TMPDIR", count(program, options, {"TMPDIR": str(long)})))
        rows.append(("built again in another folder", count(rebuilt(folder), options)))
    print(f"`{options.benchmark}`, {options.collections} values each:\n")
    print("| condition | counted over | jitter | value x times |")
    print("|---|---|---|---|")
    for name, (scope, jitter, values) in rows:
        print(f"| {name} | {scope} | {jitter} | {values} |")
    same = {values for _, (_, _, values) in rows}
    sys.exit(0 if len(same) == 1 and "," not in same.pop() else 1)


main()
