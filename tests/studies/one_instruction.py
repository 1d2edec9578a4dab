#!/usr/bin/env python3
"""Is one instruction more found, on the right line, and is everything else left alone?

    tests/studies/one_instruction.py [--steelyard build/release/bin/steelyard] [--compiler g++] [--compiler clang++]
    tests/studies/one_instruction.py --keep FOLDER

Builds variants of a small benchmark, counts each with `steelyard run --counts always`, and prints a Markdown table: how
far the count of one iteration lies from that of the first variant, and on which lines what changed stands. Lines are
matched by their order and cost within each function, so that a line that only moved has not changed. The figures do
not depend on the machine's load. With --keep the first variant alone is built and counted, to look at the lines of its
FOLDER/variant/run.syrun. Needs Google Benchmark, Valgrind and the compilers.
"""
import argparse
import collections
import difflib
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

DRIVER = """#include <benchmark/benchmark.h>
unsigned work(const unsigned* values, unsigned count);
static void works(benchmark::State& state) {
  unsigned values[100];
  for (unsigned i = 0; i < 100; ++i) values[i] = i * 7919u;
  for (auto _ : state) benchmark::DoNotOptimize(work(values, 100));
}
BENCHMARK(works);
BENCHMARK_MAIN();
"""
HEADER = """#pragma once
inline unsigned stepped(unsigned value) {
  unsigned sum = value;
  for (unsigned i = 0; i < 5; ++i) {
    sum = (sum >> 3) ^ (sum + i);
    asm volatile("" : "+r"(sum));
  }
  return sum;
}
"""
UNRELATED = """unsigned unrelated(const unsigned* values, unsigned count) {
  unsigned most = 0;
  for (unsigned i = 0; i < count; ++i) most = values[i] > most ? values[i] : most;
  return most;
}
"""
WORK = """unsigned work(const unsigned* values, unsigned count) {
  unsigned sum = 0;
  for (unsigned i = 0; i < count; ++i) {
    sum += stepped(values[i]);
    asm volatile("" : "+r"(sum));
  }
  return sum;
}
"""
INCLUDE = '#include "stepped.hpp"\n'
ONE_MORE = "    sum = ~sum;\n"

Variant = collections.namedtuple("Variant", "name header source objects folder expected",
                                 defaults=[HEADER, INCLUDE + UNRELATED + WORK, "driver.o work.o", "variant", 0])
VARIANTS = [
    Variant("the same again"),
    Variant("one instruction more in the loop of `work`", expected=100,
            source=INCLUDE + UNRELATED + WORK.replace("    asm", ONE_MORE + "    asm")),
    Variant("one instruction more in the loop of the header's `stepped`, inlined", expected=500,
            header=HEADER.replace("    asm", ONE_MORE + "    asm")),
    Variant("comments, which move lines", header="// why\n\n" + HEADER,
            source="// why\n" + INCLUDE + UNRELATED + "\n// why\n" + WORK),
    Variant("functions in another order", source=INCLUDE + WORK + UNRELATED),
    Variant("objects linked in another order", objects="work.o driver.o"),
    Variant("built in another folder", folder="another/folder/of_a_longer_name"),
    Variant("another function renamed", source=INCLUDE + UNRELATED.replace("unrelated", "unrelated_by_another_name") + WORK),
    Variant("another function changed", source=INCLUDE + UNRELATED.replace("most = 0", "most = count * 77u ^ count") + WORK),
    Variant("one function more", source=INCLUDE + UNRELATED + UNRELATED.replace("unrelated", "one_more") + WORK),
]


def run(command, folder):
    done = subprocess.run(command, cwd=folder, shell=isinstance(command, str), capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{command} left with {done.returncode}:\n{done.stderr}")
    return done.stdout


def counted(options, compiler, flags, variant, top):
    """(instructions of an iteration, {function: [(line, origin, file, instructions of an iteration)]})"""
    folder = os.path.join(top, variant.folder)
    os.makedirs(folder, exist_ok=True)
    for name, text in (("driver.cpp", DRIVER), ("stepped.hpp", variant.header), ("work.cpp", variant.source)):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    run(f"{compiler} {flags} -c {folder}/driver.cpp {folder}/work.cpp", folder)
    run(f"{compiler} {variant.objects} -lbenchmark -lpthread -o bench", folder)
    archive = os.path.join(folder, "run.syrun")
    run([options.steelyard, "run", "--counts", "always", "--rounds", "2", "--repetitions", "1", "--min-time", "1ms",
         "--no-store", "--quiet", "--output", archive, "--", os.path.join(folder, "bench")], folder)
    part = json.loads(run([options.steelyard, "profile", archive, "--lines", "--json"], folder))["parts"][0]
    lines = collections.defaultdict(list)
    for line in part["lines"]:
        lines[line["function"]].append((os.path.basename(line["file"]), line["origin"] or "?", line["line"] or 0,
                            line["self"][0] / part["iterations"]))
    return part["totals"][0] / part["iterations"], {name: sorted(those) for name, those in lines.items()}


def changed_lines(before, after):
    """Lines of `after` that have no fellow in `before`, and gone ones, as texts."""
    texts = []
    for name in sorted(set(before) | set(after)):
        old, new = before.get(name, []), after.get(name, [])
        key = lambda line: (line[0], line[1], line[3])
        matcher = difflib.SequenceMatcher(None, [key(line) for line in old], [key(line) for line in new], False)
        for what, a, b, c, d in matcher.get_opcodes():
            if what == "equal":
                continue
            same_lines = b - a == d - c
            for i, (file, origin, number, cost) in enumerate(new[c:d]):
                change = cost - (old[a + i][3] if same_lines else 0)
                texts.append(f"{change:+g} {file}:{number}, `{origin.split('(')[0]}`")
            if not same_lines:
                texts += [f"{-cost:+g} {file}:{number} (before)" for file, origin, number, cost in old[a:b]]
    return texts


def table(options, compiler, flags):
    print(f"\n`{compiler} {flags}` ({run([compiler, '--version'], ROOT).splitlines()[0]}):\n")
    print("| change | instructions an iteration | expected | lines that changed |\n|---|---|---|---|")
    good = True
    with tempfile.TemporaryDirectory() as top:
        first, first_lines = counted(options, compiler, flags, Variant("first"), top)
        for variant in VARIANTS:
            total, lines = counted(options, compiler, flags, variant, top)
            good = good and total - first == variant.expected
            texts = changed_lines(first_lines, lines)
            print(f"| {variant.name} | {total - first:+g} of {first:g} | {variant.expected:+d} | "
                  f"{'; '.join(texts) if texts else 'none'} |", flush=True)
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steelyard", default=os.path.join(ROOT, "build", "release", "bin", "steelyard"))
    parser.add_argument("--compiler", action="append", help="may be given several times (default: g++)")
    parser.add_argument("--keep", metavar="FOLDER", help="build and count the first variant there, and no more")
    options = parser.parse_args()
    options.steelyard = os.path.abspath(options.steelyard)
    if options.keep:
        counted(options, (options.compiler or ["g++"])[0], "-O2 -g", Variant("first"), os.path.abspath(options.keep))
        return 0
    good = True
    for compiler in options.compiler or ["g++"]:
        # Valgrind 3.19 gives up on the DWARF 5 that clang 14 writes.
        of_clang = ["-O2 -gdwarf-4"]
        of_gcc = ["-O2 -g", "-O2 -g -fno-align-loops -fno-align-jumps"]
        for flags in of_clang if "clang" in compiler else of_gcc:
            good = table(options, compiler, flags) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
