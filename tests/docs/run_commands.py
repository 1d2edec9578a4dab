#!/usr/bin/env python3
"""Runs the commands that the pages show, in the order in which they stand there, in a project made for that.

    tests/docs/run_commands.py STEELYARD FOLDER_OF_FIXTURES SOURCES [--page TEXT] [--verbose]

Each begins in the project's folder, with the files that the pages speak of (old/bench, today.syrun, ...) and a store
of its own; what several pages show runs once. A command that ends by a wrong usage, an unreadable input, a store that
fails or a defect (status 3, 5, 70), that is killed or takes longer than two minutes, is a fault. A word in the page
may stand for one of this project (SAYS), and what cannot run here is named with its reason (CANNOT_RUN); a line of
either table that no command uses is a fault too.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

MAX_SECONDS = 120

# Of the page, of the project here. In this order.
SAYS = [
    (r"build/check/bin/steelyard ", "steelyard "),
    (r"build/check/bin/\$program", "build/bench"),
    (r"build/check/bin/", "{bin}/"),
    (r"\bbuild/steelyard_cpu_suite\b", "{bin}/steelyard_cpu_suite"),
    (r"(old|new|OLD|SNAPPY)/(snappy_benchmark|build/snappy_benchmark)", r"\1/bench"),
    (r"\$program\b", "build/bench"),
    (r"build/my_bench\b", "build/bench"),
    (r"\b3f9c2a81d0b7\b", "{alert}"),
    (r"\bBASE_SHA\b", "{base}"),
    (r"\bHEAD_SHA\b|\bSHA\b", "{head}"),
    (r"\b0315afd\b", "{base}"),
    (r"\b44cae43\b", "{head}"),
    (r"--archives FOLDER", "--archives history"),
    (r"\bcallgrind F\b", "callgrind callgrind.out.4711"),
    (r"BM_sort/1024|BM_work|BM_sort|BM_lookup<[^']*", "BM_varied"),
    (r"\b(history|changes) Sort\b", r"\1 varied"),
    (r"\^\(allocates\|keep_running\)\$|\^around_the_loop\$", "varied"),
    (r"tests/golden", "{sources}/tests/golden"),
    (r"docs/guide/flame_graph.svg", "flame_graph.svg"),
    (r"--gates 40 --budget 30m", "--gates 3 --budget 10s"),
    (r"calibrate --output ci/runner.json", "calibrate --output runner.json --gates 3 --budget 10s"),
    (r"/backup/steelyard/monday", "{work}/backup/monday"),
    (r"/backup/state", "{work}/state"),
    (r"FOLDER/targets", "today"),
    (r"--as-gate (.*) \"\$GITHUB_SHA\"", r"--as-gate \1 {head}"),
    (r"v1\.2\.\.HEAD", "{base}..HEAD"),
    (r"targets ceilings(?: --only f64)?$", "targets ceilings --only L2 --quick"),
    (r"--steelyard_large --benchmark_filter=mlp_training", "--benchmark_filter=add"),
    (r"\./tool --check data", "sleep 0.01"),
    (r'--build "make" ', ""),
    (r"\./suite --benchmark_out", "./bench --benchmark_min_time=0.001 --benchmark_out"),
    (r"--output run\.syrun", "--budget 60s --output run.syrun"),
    (r"run -- (\S+)steelyard_cpu_suite$", r"run --rounds 2 -- \1steelyard_cpu_suite --benchmark_filter=add"),
]

CANNOT_RUN = [
    (r"calibrate \./build/bench\b(?! --gates)", "ten gates take minutes; the command with fewer is run"),
    (r"publish (github|gitlab) ", "there is no such service here; tests/ci/publish runs both against one of its own"),
    (r"db distribute", "needs Citus; tests/ci/verbs/distribute_verb_test.cpp"),
    (r"--store https://", "there is no such service; tests/ci/service/service_as_store_test.cpp"),
    (r"--store postgresql://host/empty", "there is no such server; tests/storage/postgres restores into another one"),
    (r"db grant", "rights are for people who log in to a server of their own; tests/storage/postgres/access"),
    (r"serve( --listen 0.0.0.0.*)?$", "it serves until it is told to end; tests/ci/service/serve_test.cpp"),
    (r"serve (token|tokens|revoke|rotate)", "tokens are for programs that there are none of; tests/ci/service/serve_test.cpp"),
    (r"sweep .*--over", "its sweeps are of suites that take minutes; tests/ci/verbs/sweep_verb_test.cpp"),
    (r"targets ceilings --from today", "needs a device's results; tests/ci/verbs/targets_verb_test.cpp"),
    (r"targets roofline today", "needs rates of operations and bytes; tests/ci/verbs/targets_verb_test.cpp"),
    (r"--relink ", "needs object files to link; tests/ci/measuring/relink_test.cpp"),
    (r"--format (pytest-benchmark|catch2|doctest|nanobench)",
     "needs a suite of that tool; tests/ci/verbs/suites_of_other_tools_test.py"),
    (r"db prune --run", "no run here is a wrong one; tests/storage/postgres/upkeep/prune_test.cpp"),
    (r"alerts notify", "there is nobody to tell; tests/ci/publish/notice_test.cpp"),
]


def shell(command, cwd, environment, seconds=MAX_SECONDS):
    return subprocess.run(["bash", "-c", command], cwd=cwd, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds, text=True)


def commands_of(page):
    """(line, command) of the program in the page's indented and fenced blocks, continued lines joined."""
    lines = page.read_text().splitlines()
    fenced = False
    index = 0
    while index < len(lines):
        number, line = index + 1, lines[index]
        index += 1
        if line.lstrip().startswith("```"):
            fenced = not fenced
            continue
        if not fenced and not line.startswith("    "):
            continue
        while line.rstrip().endswith("\\") and index < len(lines):
            line = line.rstrip()[:-1] + " " + lines[index].strip()
            index += 1
        found = re.match(r"\s*(?:\$ )?((?:build/check/bin/)?steelyard [a-z].*)", line)
        if found and not found.group(1).startswith("steelyard = "):
            yield number, re.sub(r"\s+#.*", "", found.group(1)).rstrip()


class Project:
    """A repository of two commits, the second of which is slower, with a store and the files that the pages name."""

    def __init__(self, work, program, fixtures, sources):
        self.work, self.folder = work, work / "project"
        self.environment = {**os.environ, "PATH": f"{work}/path:{os.environ['PATH']}",
                            "STEELYARD_STATE": f"{work}/state", "STEELYARD_STORE": "embedded",
                            "GIT_CONFIG_GLOBAL": "/dev/null", "NO_COLOR": "1", "GITHUB_SHA": "today",
                            "status": "0", "old": "HEAD^", "new": "HEAD"}
        for name in ("GIT_DIR", "STEELYARD_BUILD_CACHE", "CI"):
            self.environment.pop(name, None)
        work.chmod(0o711)
        (work / "path").mkdir()
        (work / "path/steelyard").symlink_to(program)
        self.folder.mkdir()
        self.values = {"bin": fixtures, "sources": sources, "work": work}
        fast, slow = f"{fixtures}/ci_fixture_fast", f"{fixtures}/ci_fixture_slow"
        for side, bench in (("base", fast), ("head", slow)):
            (self.folder / "steelyard.toml").write_text(
                f'[project]\nname = "textkit"\n[build]\ncommand = "mkdir -p build && cp $(cat source) build/bench"\n'
                '[[program]]\nname = "bench"\ncommand = "build/bench"\n'
                '[run]\nrounds = 6\nmin_time = "1ms"\nbudget = "3s"\n')
            (self.folder / "source").write_text(bench)
            (self.folder / ".gitignore").write_text("*\n!steelyard.toml\n!.gitignore\n!source\n")
            self.run("git init -q -b main . && git add -A && git -c user.name=t -c user.email=t@example.invalid "
                     f"commit -q -m '{side}'")
            self.values[side] = self.run("git rev-parse HEAD").strip()
        self.run(f"git tag v1.0 {self.values['base']} && git tag v1.2 {self.values['base']}")
        self.run(f"mkdir -p build old new shards history today before reports && cp {fast} old/bench && "
                 f"cp {slow} new/bench && cp {slow} build/bench && cp {slow} bench && echo 'select 1' >question.sql && "
                 "seq 100000 >data && "
                 "mkdir -p ../history/$(date +%Y) ../backup && "
                 """echo '{"name": "parse", "values": [101.5, [103, 104, 102], null]}' >series.json""")
        measure = "steelyard run --quiet --no-store --budget 60s --rounds 6 --min-time 1ms --counts always"
        # Counting is slow: each benchmark of a side is measured once, and the whole is made of the parts.
        for name, bench in (("base", "old"), ("head", "new")):
            for part, pattern in ((1, "same"), (2, "varied")):
                self.run(f"{measure} --filter {pattern} --output {name}-{part}.syrun -- {bench}/bench")
            self.run(f"steelyard merge {name}-1.syrun {name}-2.syrun --output {name}.syrun")
        for name, of in (("run", "head"), ("old", "base"), ("new", "head"), ("before", "base"), ("today", "head"),
                         ("shard-1", "head-1"), ("shard-2", "head-2")):
            shutil.copy(self.folder / f"{of}.syrun", self.folder / f"{name}.syrun")
        for folder in ("before", "today"):
            for i in range(2):
                self.run("./bench --benchmark_min_time=0.001 --benchmark_repetitions=2 "
                         f"--benchmark_out={folder}/{i}.json --benchmark_out_format=json >/dev/null 2>&1")
        shutil.copy(self.folder / "today/0.json", self.folder / "gpu.json")
        whole = (self.folder / "today/1.json").read_bytes()
        (self.folder / "cut.json").write_bytes(whole[:len(whole) * 9 // 10])
        self.run(f"cp {sources}/tests/golden/callgrind/08_recursion/merged.callgrind.out callgrind.out.4711 && "
                 "for a in old.out new.out old.2.out old.3.out; do cp callgrind.out.4711 $a; done")
        suite = f"{fixtures}/main_counted --benchmark_filter=mix_in_range_for --benchmark_min_time=0.001"
        self.run("mkdir -p recorded/old recorded/new build-old build-new && cp old/bench build-old && "
                 "cp new/bench build-new")
        for name in ("step", "old", "new", "a1", "a2", "b1", "b2", "recorded/old/1", "recorded/new/1"):
            self.run(f"{suite} --steelyard_spans={name}.spans >/dev/null 2>&1")
        self.run("steelyard profile --read spans step.spans --chrome pytorch.pt.trace.json")
        self.run("cp base.syrun before.xml && cp head.syrun after.xml && cp base.syrun gcc && cp head.syrun clang && "
                 "cp head.syrun msvc")
        self.run("steelyard gate --budget 30s --archive-dir evidence", allowed=(1,))
        self.values["alert"] = json.loads(self.run("steelyard alerts --json"))["alerts"][0]["id"]

    def run(self, command, allowed=(0,)):
        done = shell(command, self.folder, self.environment)
        if done.returncode not in allowed:
            sys.exit(f"to make the project: status {done.returncode} of {command}\n{done.stdout}")
        return done.stdout

    def says(self, command, used):
        for row, (text, here) in enumerate(SAYS):
            replaced = re.sub(text, here, command)
            if replaced != command:
                used.add(row)
            command = replaced
        return command.format_map(Braces(self.values))


class Braces(dict):
    def __missing__(self, key):
        return "{" + key + "}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("fixtures")
    parser.add_argument("sources", type=pathlib.Path)
    parser.add_argument("--page", default="")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    pages = [arguments.sources / "README.md", arguments.sources / "CONTRIBUTING.md",
             *sorted((arguments.sources / "docs").glob("**/*.md"))]
    work = pathlib.Path(tempfile.mkdtemp(prefix="steelyard-docs-"))
    said, unable, faults, ran = set(), set(), [], set()
    project = Project(work, arguments.program, arguments.fixtures, arguments.sources)
    try:
        for page in pages:
            name = str(page.relative_to(arguments.sources))
            if arguments.page not in name or name.startswith("docs/measured/"):
                continue
            for number, shown in commands_of(page):
                reasons = [row for row, (text, _) in enumerate(CANNOT_RUN) if re.search(text, shown)]
                if reasons:
                    unable.update(reasons)
                    continue
                command = project.says(shown, said)
                if command in ran:
                    continue
                ran.add(command)
                begun = time.monotonic()
                try:
                    done = shell(command, project.folder, project.environment)
                    status, output = done.returncode, done.stdout
                except subprocess.TimeoutExpired as late:
                    status, output = "none in two minutes", str(late.stdout)
                if status in (0, 1, 2, 4):
                    print(f"{status} {time.monotonic() - begun:4.1f} s  {name}:{number}: {command}", flush=True)
                    if arguments.verbose:
                        print(output, flush=True)
                else:
                    faults.append(f"{name}:{number}: status {status}: {command}\n{output[-1500:]}")
                    print(faults[-1], flush=True)
        if not arguments.page:
            faults += [f"no command says {SAYS[row][0]}" for row in range(len(SAYS)) if row not in said]
            faults += [f"no command is like {text}" for row, (text, _) in enumerate(CANNOT_RUN) if row not in unable]
    finally:
        shell("steelyard db stop --quiet", project.folder, project.environment)
        shutil.rmtree(work, ignore_errors=True)
    print(f"{len(ran)} commands ran, {len(faults)} faults")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
