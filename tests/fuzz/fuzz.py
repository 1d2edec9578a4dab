#!/usr/bin/env python3
"""Fuzzes every reader that strangers' bytes reach, under AddressSanitizer and UndefinedBehaviorSanitizer.

    tests/fuzz/fuzz.py [--seconds 600] [--target NAME ...] [--jobs 1] [--seed 1] [--no-build]
    tests/fuzz/fuzz.py --target 'import_*'

Builds the preset `fuzz` (Clang; ci/install_dependencies.sh build fuzz) and runs each target of tests/fuzz/fuzz_target.cpp
for so many seconds. What a target finds ends its run, is made smaller and put into tests/fuzz/corpus/NAME, where every
test run replays it: mend the reader, and commit both. Inputs that reach new code are kept in build/fuzz/corpus and are
where the next run begins. Prints executions, time and the commit by target as a Markdown table; leaves with 1 where
anything was found.
"""
import argparse
import concurrent.futures
import fnmatch
import hashlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORPUS = ROOT / "tests/fuzz/corpus"
BUILD = ROOT / "build/fuzz"
PROGRAM = BUILD / "bin/readers_fuzz"
SECONDS_TO_SHRINK = 30


class Progress:
    """One line on a terminal; in a pipe a line for each target that ended."""

    def __init__(self, targets, seconds, jobs):
        self.total = seconds * -(-len(targets) // jobs)
        self.begun = time.monotonic()
        self.executions = {}
        self.ended = 0
        self.count = len(targets)
        self.is_terminal = sys.stderr.isatty()
        self.lock = threading.Lock()

    def show(self, name, executions):
        with self.lock:
            self.executions[name] = executions
            if not self.is_terminal:
                return
            share = min(1.0, (time.monotonic() - self.begun) / self.total)
            bar = ("#" * round(30 * share)).ljust(30)
            text = f"[{bar}] {self.ended} of {self.count} targets, {sum(self.executions.values()):,} executions, {name}"
            print(f"\r\x1b[K{text[:118]}", end="", file=sys.stderr, flush=True)

    def end(self, result):
        with self.lock:
            self.ended += 1
            line = (f"{result['name']}: {result['executions']:,} executions in {result['seconds']:.0f} s"
                    + (f"; FOUND {result['found']}: {result['why']}" if result["found"] else ""))
            print(("\r\x1b[K" if self.is_terminal else "") + line, file=sys.stderr, flush=True)


def build():
    for command in (["cmake", "--preset", "fuzz"], ["cmake", "--build", "--preset", "fuzz"]):
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            sys.exit(f"{done.stdout[-4000:]}\nfuzz.py: `{' '.join(command)}` failed (above); Clang comes with "
                     "ci/install_dependencies.sh build fuzz")


def targets_of(program):
    lines = subprocess.run([program, "--list"], check=True, capture_output=True, text=True).stdout.splitlines()
    return [dict(zip(("name", "longest", "reads"), line.split("\t"))) for line in lines]


def reason_in(log):
    """Why a run ended: the claim that was broken, else what the sanitizer or libFuzzer says."""
    for pattern in (r"does not hold: (.*)", r"runtime error: (.*)", r"SUMMARY: (.*)", r"ERROR: (.*)"):
        found = re.search(pattern, log)
        if found:
            return found.group(1)[:160]
    return "it ended with an error"


def shrunk(name, artifact, folder):
    """A smaller input that is found as well; the same one where there is none, or where it takes too much."""
    smaller = folder / "smaller"
    if artifact.name.startswith("crash-"):
        command = [PROGRAM, f"--target={name}", "-minimize_crash=1", f"-max_total_time={SECONDS_TO_SHRINK}",
                   f"-exact_artifact_path={smaller}", artifact]
        # Its limit is that of each of the processes it starts, and it starts another as long as it gets on.
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              start_new_session=True) as run:
            try:
                run.wait(2 * SECONDS_TO_SHRINK)
            except subprocess.TimeoutExpired:
                os.killpg(run.pid, signal.SIGKILL)
    return smaller if smaller.exists() else artifact


def keep(name, artifact, folder):
    content = shrunk(name, artifact, folder).read_bytes()
    kept = CORPUS / name / f"found_{hashlib.sha1(content).hexdigest()[:12]}"
    kept.write_bytes(content)
    return kept.relative_to(ROOT)


def commit():
    """What is fuzzed; with a "+" where the tree is not that of the commit."""
    asked = subprocess.run(["git", "describe", "--always", "--exclude=*", "--abbrev=8", "--dirty=+"], cwd=ROOT,
                           capture_output=True, text=True)
    return asked.stdout.strip() or "unknown"


def fuzz(target, options, progress):
    name = target["name"]
    work = BUILD / "corpus" / name
    work.mkdir(parents=True, exist_ok=True)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="steelyard_fuzz_"))
    words = ROOT / f"tests/fuzz/{name}.dict"
    command = [PROGRAM, f"--target={name}", f"-max_total_time={options.seconds}", f"-seed={options.seed}",
               "-print_final_stats=1", f"-artifact_prefix={folder}/",
               *([f"-dict={words}"] if words.exists() else []), work, CORPUS / name]
    result = {**target, "executions": 0, "found": None, "why": ""}
    begun = time.monotonic()
    tail = []
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace") as run:
        for line in run.stderr:
            tail = (tail + [line])[-400:]
            executed = re.match(r"#(\d+)\s|stat::number_of_executed_units:\s*(\d+)", line)
            if executed:
                result["executions"] = int(executed.group(1) or executed.group(2))
                progress.show(name, result["executions"])
    result["seconds"] = time.monotonic() - begun
    artifacts = [path for path in folder.iterdir() if not path.name.startswith("slow-unit-")]
    if run.returncode != 0:
        result["why"] = reason_in("".join(tail))
        result["found"] = keep(name, artifacts[0], folder) if artifacts else "(no input)"
    shutil.rmtree(folder)
    progress.end(result)
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=600, help="for each target")
    parser.add_argument("--target", action="append", help="one of them, or a pattern; all without")
    parser.add_argument("--jobs", type=int, default=1, help="targets at once")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-build", action="store_true", help="run what is built")
    options = parser.parse_args()
    tried = commit()
    if not options.no_build:
        build()
    targets = targets_of(PROGRAM)
    known = [target["name"] for target in targets]
    for name in options.target or []:
        if not fnmatch.filter(known, name):
            parser.error(f"found the target {name}, wanted one of {', '.join(known)}")
    targets = [target for target in targets
               if any(fnmatch.fnmatchcase(target["name"], name) for name in options.target or ["*"])]
    progress = Progress(targets, options.seconds, options.jobs)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda target: fuzz(target, options, progress), targets))
    print("| target | reads | executions | seconds | commit | found |\n|---|---|---:|---:|---|---|")
    for result in results:
        print(f"| `{result['name']}` | {result['reads']} | {result['executions']:,} | {result['seconds']:.0f} | "
              f"{tried} | {result['found'] or 'nothing'} |")
    total = sum(result["executions"] for result in results)
    print(f"| all | | {total:,} | {sum(result['seconds'] for result in results):.0f} | | "
          f"{sum(1 for result in results if result['found'])} |")
    sys.exit(1 if any(result["found"] for result in results) else 0)


if __name__ == "__main__":
    main()
