#!/usr/bin/env python3
"""What a gate adds to a CI job beside building and measuring, and how long until it measures; prints a Markdown table.

    tests/studies/job_cost.py BIN [--tarball FILE] [--runs 3]

BIN: the folder with steelyard and ci_service. The third commit of the demo is gated against the second as the GitHub
action does it: the program is provided (from FILE, a released tarball, fetched and then out of the cache), what was
accepted on the request is read, both commits are built and measured, and comment and check are written to a service on
this machine. A build is from its command's begin to its end, a process of the benchmark program from its start to its
exit, as an object says that the build links into it; the rest of the time is the gate's own. Then a commit is gated
that changes README.md alone, and one that changes a comment, so that both build the same program. Leave the machine
alone while it runs.
"""
import argparse
import hashlib
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from machine import machine

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CLOCK = r"""
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static void tell(const char* what, double at) {
  char line[100];
  const int length = snprintf(line, sizeof line, "%s %.3f %d\n", what, at, (int)getpid());
  const int file = open(LOG, O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file < 0) return;
  if (write(file, line, length) != length) _exit(99);
  close(file);
}
__attribute__((constructor)) static void begin(void) {
  unsigned long long ticks = 0;
  FILE* const stat = fopen("/proc/self/stat", "r");
  for (int field = 1; stat && field < 22; ++field) {
    if (fscanf(stat, "%*s") != 0) break;
  }
  if (stat && fscanf(stat, "%llu", &ticks) == 1) tell("process", (double)ticks / sysconf(_SC_CLK_TCK));
  if (stat) fclose(stat);
}
__attribute__((destructor)) static void end(void) {
  struct timespec now;
  clock_gettime(CLOCK_BOOTTIME, &now);
  tell("exit", now.tv_sec + now.tv_nsec / 1e9);
}
"""


def now():
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def processor_seconds():
    """Of all that this process has started and waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def covered(spans, begin, end):
    """How much of begin..end the spans cover."""
    total, until = 0.0, begin
    for first, last in sorted(spans):
        first, last = max(first, until), min(last, end)
        if last > first:
            total += last - first
            until = last
    return total


def read_log(path):
    """The builds and the processes of the program, each as (begin, end)."""
    builds, processes, open_builds, open_processes = [], [], [], {}
    with open(path) as log:
        for line in log:
            what, at, who = line.split()
            if what == "build":
                open_builds.append(float(at))
            elif what == "built":
                builds.append((open_builds.pop(0), float(at)))
            elif what == "process":
                open_processes[who] = float(at)
            elif who in open_processes:
                processes.append((open_processes.pop(who), float(at)))
    return builds, processes


class Job:
    """One job, as the action runs it."""

    def __init__(self, arguments, work):
        self.bin, self.tarball, self.work = os.path.abspath(arguments.bin), arguments.tarball, work
        self.log = os.path.join(work, "log")
        self.repository = os.path.join(work, "textkit")
        subprocess.run([os.path.join(ROOT, "ci/demo/make_repository.sh"), self.repository], check=True)
        with open(os.path.join(work, "clock.c"), "w") as source:
            source.write(f'#define LOG "{self.log}"\n' + CLOCK)
        subprocess.run(["cc", "-O1", "-c", "clock.c", "-o", "clock.o"], cwd=work, check=True)
        with open(os.path.join(work, "build.sh"), "w") as script:
            script.write("set -e\n"
                         f"tell() {{ echo \"$1 $(cut -d' ' -f1 /proc/uptime) 0\" >>'{self.log}'; }}\n"
                         "tell build\n"
                         f"cmake -S . -B build -G Ninja -DCMAKE_EXE_LINKER_FLAGS='{work}/clock.o' >/dev/null\n"
                         "cmake --build build >/dev/null\ntell built\n")

    def step(self, script, **variables):
        begun = now()
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("GITHUB_", "CI_", "STEELYARD_"))}
        environment.update(RUNNER_TEMP=self.work, GITHUB_OUTPUT=os.path.join(self.work, "outputs"), **variables)
        status = subprocess.run([script], cwd=self.repository, env=environment, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL).returncode
        return status, now() - begun

    def provide(self):
        """Seconds with an empty cache, and with what that left there."""
        checkout = os.path.join(self.work, "steelyard")
        shutil.rmtree(checkout, ignore_errors=True)
        for folder in ("ci", "cmake", "bench", "regress", "storage"):
            os.makedirs(os.path.join(checkout, folder))
        name = os.path.basename(self.tarball)
        release = os.path.join(self.work, "releases", "v" + name.split("-")[1])
        os.makedirs(release, exist_ok=True)
        shutil.copy(self.tarball, release)
        shutil.copy(os.path.join(ROOT, "ci/provide_steelyard.sh"), os.path.join(checkout, "ci"))
        with open(self.tarball, "rb") as file, open(os.path.join(checkout, "ci/release.sha256"), "w") as line:
            line.write(f"{hashlib.sha256(file.read()).hexdigest()}  {name}\n")
        for file in ("CMakeLists.txt", "CMakePresets.json", "LICENSE"):
            open(os.path.join(checkout, file), "w").close()
        shutil.rmtree(os.path.join(self.work, "cache"), ignore_errors=True)
        seconds = []
        for _ in range(2):
            shutil.rmtree(os.path.join(checkout, "build"), ignore_errors=True)
            status, taken = self.step(os.path.join(checkout, "ci/provide_steelyard.sh"),
                                      STEELYARD_CACHE=os.path.join(self.work, "cache"),
                                      STEELYARD_RELEASES="file://" + os.path.join(self.work, "releases"),
                                      STEELYARD_ARGUMENTS="--counts never")
            if status != 0:
                sys.exit(f"provide_steelyard.sh left with {status}")
            seconds.append(taken)
        return seconds

    def run(self):
        open(self.log, "w").close()
        commits = subprocess.run(["git", "rev-list", "--reverse", "HEAD"], cwd=self.repository, check=True,
                                 capture_output=True, text=True).stdout.split()
        subprocess.run(["git", "checkout", "-q", commits[2]], cwd=self.repository, check=True)
        service = os.path.join(self.work, "service")
        shutil.rmtree(service, ignore_errors=True)
        os.mkdir(service)
        answering = subprocess.Popen([os.path.join(self.bin, "ci_service"), service, f"1={commits[2]}"],
                                     stdin=subprocess.PIPE)
        while not os.path.exists(os.path.join(service, "address")):
            time.sleep(0.01)
        with open(os.path.join(service, "address")) as file:
            address = file.read()
        event = os.path.join(self.work, "event.json")
        with open(event, "w") as file:
            file.write('{"pull_request":{"number":1,"head":{"sha":"%s","repo":{"full_name":"acme/shop"}}}}' %
                       commits[2])
        github = dict(STEELYARD_PROGRAM=os.path.join(self.bin, "steelyard"), GITHUB_ACTIONS="true",
                      GITHUB_API_URL=address, GITHUB_REPOSITORY="acme/shop", GITHUB_EVENT_PATH=event,
                      GITHUB_EVENT_NAME="pull_request", GITHUB_RUN_ID="5", GITHUB_RUN_ATTEMPT="1")
        begun = now()
        accepted = self.step(os.path.join(ROOT, "ci/github/accepted.sh"), GITHUB_TOKEN="a-secret-token", **github)[1]
        status, gate = self.step(os.path.join(ROOT, "ci/github/gate.sh"), STEELYARD_INPUT_BASE=commits[1],
                                 STEELYARD_INPUT_BUILD=f"bash {self.work}/build.sh", **github)
        if status != 1:
            sys.exit(f"the gate left with {status}, wanted 1")
        with open(os.path.join(self.work, "outputs")) as file:
            outputs = dict(line.strip().split("=", 1) for line in file)
        publish = self.step(os.path.join(ROOT, "ci/github/publish.sh"), GITHUB_TOKEN="a-secret-token",
                            STEELYARD_FOLDER=outputs["archives"], STEELYARD_REPORT=outputs["report"],
                            STEELYARD_STATUS="1", **github)[1]
        end = now()
        answering.communicate()
        documentation = self.unchanged(github, "README.md", "\nOne word more.\n", 1)
        comment = self.unchanged(github, "textkit/tokenize.cpp", "// One word more.\n", 2)
        builds, processes = read_log(self.log)
        building = covered(builds, begun, end)
        return {
            "whole": end - begun,
            "building": building,
            "measuring": covered(builds + processes, begun, end) - building,
            "first": min(first for first, _ in processes) - begun - covered(builds, begun, end),
            "accepted": accepted,
            "publish": publish,
            "own": end - begun - covered(builds + processes, begun, end),
            "processes": len(processes),
            "documentation": documentation[0],
            "documentation_processor": documentation[1],
            "comment": comment[0],
            "comment_processor": comment[1],
        }

    def unchanged(self, github, name, text, wanted):
        """Seconds of the whole gate of a file with a text more, and of processors; its builds and processes leave no
        line."""
        with open(os.path.join(self.repository, name), "a") as file:
            file.write(text)
        subprocess.run(["git", "-c", "user.name=Test", "-c", "user.email=test@example.invalid", "commit", "-q", "-a",
                        "-m", "Say more"], cwd=self.repository, check=True)
        with open(self.log) as log:
            before = log.read()
        used = processor_seconds()
        status, taken = self.step(os.path.join(ROOT, "ci/github/gate.sh"),
                                  STEELYARD_INPUT_BUILD=f"bash {self.work}/build.sh", **github)
        with open(self.log) as log:
            builds = log.read()[len(before):].split().count("built")
        if status != 0 or builds != wanted:
            sys.exit(f"a change of {name}: status {status}, wanted 0; {builds} builds, wanted {wanted}")
        with open(self.log, "w") as log:
            log.write(before)
        return taken, processor_seconds() - used


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bin")
    parser.add_argument("--tarball")
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="steelyard-job-cost.") as work:
        os.chmod(work, 0o711)
        job = Job(arguments, work)
        runs = [job.run() for _ in range(arguments.runs)]
        middle = {name: statistics.median(run[name] for run in runs) for name in runs[0]}
        print("| of a job | seconds |\n|---|---:|")
        if arguments.tarball:
            empty, kept = job.provide()
            print(f"| the program, fetched and unpacked | {empty:.2f} |\n| the same, out of the cache | {kept:.2f} |")
        print(f"| from the gate's begin to the first process of a benchmark, but for building | {middle['first']:.2f} |")
        print(f"| building both commits | {middle['building']:.1f} |")
        print(f"| measuring, {middle['processes']:.0f} processes | {middle['measuring']:.1f} |")
        print(f"| reading what was accepted | {middle['accepted']:.2f} |")
        print(f"| writing comment and check | {middle['publish']:.2f} |")
        print(f"| all but building and measuring, these two among it | {middle['own']:.2f} |")
        print(f"| its share of the whole, {middle['whole']:.1f} s | {100 * middle['own'] / middle['whole']:.1f} % |")
        for name, what in (("documentation", "documentation alone"), ("comment", "a comment, both builds among it")):
            print(f"| the whole gate of a change of {what} | {middle[name]:.1f} |")
            print(f"| its processor time | {middle[name + '_processor']:.1f} |")
        print(f"\n{machine()}; medians of {arguments.runs} jobs")


if __name__ == "__main__":
    main()
