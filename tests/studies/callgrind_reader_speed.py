#!/usr/bin/env python3
"""How fast the reader of callgrind.out files is beside callgrind_annotate, as a Markdown table.

    tests/studies/callgrind_reader_speed.py build/check/bin/callgrind_reader_speed [--profile FILE] [--repeats 5]

Without --profile the compiler proper of g++ (cc1plus) is run under Callgrind, on a source with heavy headers, with the
address of every instruction and functions told apart by their callers: some minutes. The part it writes is put into the file
--copies times, as the parts of one program that dumps into one file (--combine-dumps=yes); --keep FILE leaves it there. Times are CPU time, user and system, so that other programs on the machine matter little; the reader's are
the median of the repeats, annotate runs once. Memory is the peak of the resident set.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

from machine import machine

SOURCE = """
#include <algorithm>
#include <filesystem>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <random>
#include <regex>
#include <sstream>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>
int main(int argc, char** argv) {
  std::map<std::string, std::vector<int>> words;
  for (int i = 0; i < argc; ++i) words[argv[i]].push_back(i);
  std::regex pattern("([a-z]+)([0-9]*)");
  std::variant<int, std::string, std::vector<double>> v = 3;
  std::visit([](const auto& x) { std::cout << sizeof x; }, v);
  std::mt19937_64 bits(1);
  std::shuffle(words.begin()->second.begin(), words.begin()->second.end(), bits);
  for (const auto& [word, places] : words) std::cout << std::regex_match(word, pattern) << places.size();
}
"""


def make_profile(file, callers, copies):
    """One run of cc1plus under Callgrind, its part so many times."""
    compiler = subprocess.run(["g++", "-print-prog-name=cc1plus"], capture_output=True, text=True, check=True).stdout.strip()
    # What the driver g++ would pass: where headers are besides those that cc1plus knows itself.
    target = subprocess.run(["g++", "-print-multiarch"], capture_output=True, text=True, check=True).stdout.strip()
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "heavy.cpp"
        source.write_text(SOURCE)
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={file}", "--dump-instr=yes",
                   f"--separate-callers={callers}", compiler, "-quiet", "-O2", "-std=c++20", "-imultiarch", target,
                   "-D_GNU_SOURCE", str(source), "-o", "/dev/null"]
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} left with {done.returncode}:\n{done.stderr}")
    part = pathlib.Path(file).read_bytes()
    with open(file, "ab") as out:
        for number in range(2, copies + 1):
            out.write(b"\npart: %d\n" % number + part[part.index(b"\ndesc:"):])


def read_once(program, file, *options):
    done = subprocess.run([program, str(file), *options], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{program} left with {done.returncode}:\n{done.stderr}")
    return json.loads(done.stdout)


def annotate_once(file):
    """CPU seconds and peak memory of callgrind_annotate, which prints what it prints by default."""
    with open(os.devnull, "w") as nowhere:
        child = subprocess.Popen(["callgrind_annotate", str(file)], stdout=nowhere, stderr=nowhere)
        _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"callgrind_annotate left with {child.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="callgrind_reader_speed, as built")
    parser.add_argument("--profile", help="an existing profile in place of one that is made")
    parser.add_argument("--keep", help="where to leave the profile that is made")
    parser.add_argument("--callers", type=int, default=2, help="of a function's context (default 2)")
    parser.add_argument("--copies", type=int, default=3, help="of the part in the file (default 3: some 230 MB)")
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder:
        file = arguments.profile
        if file is None:
            file = arguments.keep or f"{folder}/callgrind.out"
            make_profile(file, arguments.callers, arguments.copies)
        size = os.path.getsize(file)
        plain = [read_once(arguments.program, file) for _ in range(arguments.repeats)]
        placed = [read_once(arguments.program, file, "--positions") for _ in range(arguments.repeats)]
        annotate_seconds, annotate_memory = annotate_once(file)

    def row(name, seconds, memory):
        factor = f"{annotate_seconds / seconds:.0f}x" if seconds != annotate_seconds else "1x"
        return (f"| {name} | {seconds:.2f} s | {size / seconds / 1e6:.{0 if seconds < 10 else 1}f} MB/s | {factor} "
                f"| {memory / 1e6:.0f} MB | {memory / size:.2f} |")

    print(f"{size / 1e6:.0f} MB, {plain[0]['functions']} functions, {plain[0]['arcs']} arcs, {plain[0]['parts']} part(s). "
          f"{machine()}.\n")
    print("| reader | CPU time | speed | against annotate | peak memory | of the file |\n|---|---|---|---|---|---|")
    for name, runs in (("Steelyard", plain), ("Steelyard, with every position", placed)):
        print(row(name, statistics.median(run["cpu_seconds"] for run in runs), max(run["peak_rss_bytes"] for run in runs)))
    print(row("callgrind_annotate", annotate_seconds, annotate_memory))


if __name__ == "__main__":
    main()
