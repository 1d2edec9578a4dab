#!/usr/bin/env python3
"""Suites of Catch2, doctest, nanobench and pytest-benchmark as measured programs, by ab and by gate.

    suites_of_other_tools_test.py STEELYARD

Each is linked (or written) twice, the second with ten times the work: equal ones stay quiet, the slower one is a
regression under its own name, and a gate of two commits says the same of a [[program]] with its format. The clock that
each tool reads goes on by the processor time of the work, so that ten times the work is ten times that on a loaded
machine as well. nanobench is one header and no package: $STEELYARD_NANOBENCH names the folder that has nanobench.h, and
without it a suite of our own that prints the layout of its template json() stands for it. A tool that is not here is
told, and where none is the test is skipped (77).
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

WORK = """
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>
#include <cstdint>
#include <ctime>
// In the place of the C library's clocks: what turn() used of the processor, and a step with every reading, so that a
// tool which waits for its clock to go on does not wait long: Catch2 reads it until 25 ms have gone by.
std::int64_t now_ns = 0;
static std::int64_t used_ns() {
  timespec used{};
  syscall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &used);
  return used.tv_sec * 1000000000LL + used.tv_nsec;
}
extern "C" int clock_gettime(clockid_t, timespec* now) noexcept {
  now_ns += 1000;
  *now = {now_ns / 1000000000, now_ns % 1000000000};
  return 0;
}
extern "C" int gettimeofday(timeval* now, void*) noexcept {
  timespec read{};
  clock_gettime(CLOCK_REALTIME, &read);
  *now = {read.tv_sec, read.tv_nsec / 1000};
  return 0;
}
std::uint64_t turn() {
  const std::int64_t begin = used_ns();
  std::uint64_t state = 88172645463325252ULL;
  for (int i = 0; i < FACTOR * 300000; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    asm volatile("" : "+r"(state));
  }
  now_ns += used_ns() - begin;
  return state;
}
"""
TURN = """
#include <cstdint>
extern std::int64_t now_ns;
std::uint64_t turn();
"""
CATCH2 = """
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#define CATCH_CONFIG_MAIN
#define CATCH_CONFIG_ENABLE_BENCHMARKING
#include <catch2/catch.hpp>
#endif
TEST_CASE("turning") {
  BENCHMARK("turn often") { return turn(); };
}
"""
DOCTEST = """
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
TEST_SUITE("turning") {
  TEST_CASE("turn often") { CHECK(turn() + turn() + turn() != 0); }
}
"""
NANOBENCH = """
#define ANKERL_NANOBENCH_IMPLEMENT
#include <nanobench.h>
#include <iostream>
int main() {
  ankerl::nanobench::Bench bench;
  bench.output(nullptr).title("turning").epochs(3).minEpochIterations(1);
  bench.run("turn often", [] { ankerl::nanobench::doNotOptimizeAway(turn()); });
  bench.render(ankerl::nanobench::templates::json(), std::cout);
}
"""
NANOBENCH_LAYOUT = """
#include <cstdio>
int main() {
  std::printf("{\\"results\\": [{\\"title\\": \\"turning\\", \\"name\\": \\"turn often\\", \\"unit\\": \\"op\\", "
              "\\"batch\\": 1, \\"epochs\\": 3, \\"measurements\\": [");
  for (int epoch = 0; epoch < 3; ++epoch) {
    const std::int64_t begin = now_ns;
    asm volatile("" : : "r"(turn()));
    std::printf("%s{\\"iterations\\": 1, \\"elapsed\\": %.9e, \\"pagefaults\\": 0, \\"instructions\\": 0}",
                epoch > 0 ? ", " : "", static_cast<double>(now_ns - begin) * 1e-9);
  }
  std::puts("]}]}");
}
"""
PYTEST = """
def turn():
    state = 0
    for i in range(FACTOR * 500):
        state ^= i
    return state

def test_turn_often(benchmark):
    benchmark.pedantic(turn, rounds=50, iterations=1)
"""


def run(command, folder, **more):
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, **more)


def must(done, status, what):
    if done.returncode != status:
        sys.exit('%s: ended with %d, wanted %d\n%s%s' % (what, done.returncode, status, done.stdout, done.stderr))
    return done


def write(folder, name, text):
    with open(os.path.join(folder, name), 'w', encoding='utf-8') as out:
        out.write(text)


def options_of(header, folder):
    """What a compiler needs beside the source; None: the header, or a compiler, is not here."""
    compiler = os.environ.get('CXX', 'c++')
    if not shutil.which(compiler):
        return None
    named = os.environ.get('STEELYARD_NANOBENCH', '')
    options = ['-I', named] if header == 'nanobench.h' and named else []
    libraries = {'catch2/catch_all.hpp': ['-lCatch2Main', '-lCatch2']}.get(header, [])
    done = run([compiler, '-std=c++17', '-E', '-x', 'c++', *options, '-include', header, '-'], folder)
    return options + libraries if done.returncode == 0 else None


class Suite:
    """`stand_in`: the source of one that needs no header and prints the same; stands where the tool is not here."""

    def __init__(self, format_name, headers, source, command, benchmark, stand_in=None):
        self.format, self.headers, self.source = format_name, headers, source
        self.command, self.benchmark, self.stand_in = command, benchmark, stand_in
        self.options = None

    def is_here(self, folder):
        if not self.headers:
            return run([PYTHON, '-c', 'import pytest_benchmark'], folder).returncode == 0
        for header in self.headers:
            self.options = self.options or options_of(header, folder)
        return self.options is not None

    def make(self, folder, factor):
        os.makedirs(folder, exist_ok=True)
        if not self.headers:
            write(folder, 'test_turning.py', self.source.replace('FACTOR', str(factor)))
            # In the place of py-cpuinfo, which the tool asks for a description of the processor: that takes three
            # times as long as all else.
            write(folder, 'cpuinfo.py', 'def get_cpu_info(): return {}\n')
            return
        # Most of it is the tool itself, and the same for both.
        own = os.path.dirname(folder)
        if not os.path.exists(os.path.join(own, 'suite.o')):
            write(own, 'suite.cpp', TURN + self.source)
            self.compile(own, '-c', 'suite.cpp')
        write(folder, 'work.cpp', '#define FACTOR %d\n%s' % (factor, WORK))
        self.compile(folder, 'work.cpp', '../suite.o', '-o', 'suite')

    def compile(self, folder, *what):
        must(run([os.environ.get('CXX', 'c++'), '-std=c++17', '-O1', *what, *self.options], folder), 0,
             'compiling ' + self.format)


# That of the Debian package, where another one stands before it in PATH.
PYTHON = '/usr/bin/python3' if os.path.exists('/usr/bin/python3') else sys.executable
SUITES = [
    Suite('catch2', ['catch2/catch_all.hpp', 'catch2/catch.hpp'], CATCH2,
          './suite -r xml --benchmark-samples 3 --benchmark-resamples 1000 --benchmark-warmup-time 1',
          'turning/turn often'),
    Suite('doctest', ['doctest/doctest.h'], DOCTEST, './suite -r=xml -d', 'turning/turn often'),
    Suite('nanobench', ['nanobench.h'], NANOBENCH, './suite', 'turning::turn often', NANOBENCH_LAYOUT),
    Suite('pytest-benchmark', [], PYTEST,
          PYTHON + ' -m pytest -q -p no:cacheprovider --benchmark-timer=time.process_time --benchmark-json={output} '
          'test_turning.py',
          'test_turning.py::test_turn_often'),
]
FACTOR = 10  # more than any machine's noise
# The budget is what a loaded machine may need for its 12 rounds, not what they take.
QUICK = ['--no-store', '--rounds', '12', '--budget', '8m', '--counts', 'never', '--minimum-effect', '50%', '--margin',
         '90%', '--json']


def row_of(done, benchmark, what):
    rows = [row for row in json.loads(done.stdout)['comparisons'] if row['metric'] == 'real_time']
    names = sorted({row['benchmark'] for row in rows})
    if names != [benchmark]:
        sys.exit('%s: rows of %s, wanted %s alone' % (what, names, benchmark))
    return rows[0]


def by_ab(steelyard, suite, folder):
    command = ['--format', suite.format, '--command', suite.command]
    done = must(run([steelyard, 'ab', 'usual', 'again', *QUICK, *command], folder), 0, suite.format + ', equal ones')
    row = row_of(done, suite.benchmark, suite.format)
    if row['verdict'] in ('regression', 'improvement') or row['rounds'] != 12:
        sys.exit('%s, equal ones: wanted 12 quiet rounds: %s' % (suite.format, row))
    done = must(run([steelyard, 'ab', 'usual', 'slower', *QUICK, *command], folder), 1, suite.format + ' by ab')
    row = row_of(done, suite.benchmark, suite.format)
    if row['verdict'] != 'regression' or not FACTOR / 2 < row['ratio'] < FACTOR * 2:
        sys.exit('%s by ab: wanted a regression of about %d: %s' % (suite.format, FACTOR, row))


def by_gate(steelyard, suite, folder):
    repository = os.path.join(folder, 'repository')
    os.mkdir(repository)
    git = ['git', '-c', 'user.name=n', '-c', 'user.email=e@example.org', '-c', 'commit.gpgsign=false']
    must(run(git + ['init', '-q'], repository), 0, 'git init')
    for side in ('usual', 'slower'):
        for name in ('suite', 'test_turning.py'):
            if os.path.exists(os.path.join(folder, side, name)):
                shutil.copy(os.path.join(folder, side, name), repository)
        write(repository, 'steelyard.toml', '[[program]]\nname = "suite"\ncommand = %s\nformat = "%s"\n'
              % (json.dumps(suite.command), suite.format))
        must(run(git + ['add', '-A'], repository), 0, 'git add')
        must(run(git + ['commit', '-q', '-m', side], repository), 0, 'git commit')
    done = must(run([steelyard, 'gate', *QUICK], repository), 1, suite.format + ' by gate')
    row = row_of(done, suite.benchmark, suite.format)
    if row['verdict'] != 'regression':
        sys.exit('%s by gate: %s, wanted a regression: %s' % (suite.format, row['verdict'], row))


def main():
    steelyard = os.path.abspath(sys.argv[1])
    tried = 0
    with tempfile.TemporaryDirectory(prefix='steelyard-suites-') as folder:
        os.environ['STEELYARD_STATE'] = os.path.join(folder, 'state')
        for suite in SUITES:
            if not suite.is_here(folder):
                why = '%s: not here (%s)' % (suite.format, ' or '.join(suite.headers) or 'python3-pytest-benchmark')
                if suite.format in os.environ.get('STEELYARD_TESTS_PROMISED', '').split():
                    sys.exit('promised by ./check, and ' + why)
                print(why)
                if suite.stand_in is None or not shutil.which(os.environ.get('CXX', 'c++')):
                    continue
                suite.source, suite.options = suite.stand_in, []
            own = os.path.join(folder, suite.format)
            suite.make(os.path.join(own, 'usual'), 1)
            shutil.copytree(os.path.join(own, 'usual'), os.path.join(own, 'again'))
            suite.make(os.path.join(own, 'slower'), FACTOR)
            by_ab(steelyard, suite, own)
            if suite.headers:  # where an interpreter starts for each process, once is enough
                by_gate(steelyard, suite, own)
            print('%s: held%s' % (suite.format, ' of what prints its layout' if suite.source == suite.stand_in else ''))
            tried += 1
    if tried == 0:
        sys.exit(77)


if __name__ == '__main__':
    main()
