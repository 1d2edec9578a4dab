#!/usr/bin/env python3
"""From a job's start to the first sample, on a machine that has nothing installed; prints a Markdown table.

    tests/studies/job_start.py ROOT TARBALL BENCHMARK [--runs 3]

ROOT: a folder that debootstrap made (--variant=minbase --include=git,curl,ca-certificates), which stays as it is: each
job has a layer of its own upon it. TARBALL: a released one (ci/package.sh). BENCHMARK: what
tests/ci/package/build_benchmark.sh made. As root, with a network for Debian's packages. A job prints the cache's key,
provides the program, which installs Valgrind, and runs the benchmark; then again with what that left in the cache, and
Valgrind there. What a service itself takes to start a job is not in it, nor its network: the tarball lies on the disk.
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
STEPS = [("the cache's key", "ci/provide_steelyard.sh key"),
         ("the program", "STEELYARD_ARGUMENTS='--counts never' ci/provide_steelyard.sh"),
         ("Valgrind, where it is missing", "ci/provide_steelyard.sh"),
         ("two rounds of one benchmark, with its report",
          "build/release/bin/steelyard run --no-store --output first.syrun --rounds 2 --min-time 1ms -- ./bench/bench")]


def lay_checkout(folder, tarball, benchmark):
    """What the scripts ask of a checkout of Steelyard, and the release beside it."""
    for name in ("cmake", "bench", "regress", "storage", "ci"):
        os.makedirs(os.path.join(folder, name))
    for name in ("CMakeLists.txt", "CMakePresets.json", "LICENSE"):
        open(os.path.join(folder, name), "w").close()
    for name in ("ci/provide_steelyard.sh", "ci/install_dependencies.sh", "cmake/packages.txt"):
        shutil.copy(os.path.join(ROOT, name), os.path.join(folder, name))
    shutil.copytree(benchmark, os.path.join(folder, "bench"), dirs_exist_ok=True)
    name = os.path.basename(tarball)
    release = os.path.join(folder, "releases", "v" + name.split("-")[1])
    os.makedirs(release)
    shutil.copy(tarball, release)
    with open(tarball, "rb") as file, open(os.path.join(folder, "ci/release.sha256"), "w") as line:
        line.write(f"{hashlib.sha256(file.read()).hexdigest()}  {name}\n")


def seconds_of(script, root):
    """Of the clock, and of processors."""
    environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "STEELYARD_CACHE": "/cache",
                   "STEELYARD_RELEASES": "file:///job/releases"}
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(["chroot", root, "bash", "-c", "cd /job && " + script], env=environment, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    taken, after = time.monotonic() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"{script}: status {done.returncode}\n{done.stdout[-2000:]}")
    return taken, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def job(root, arguments):
    """The steps of the first job and of a second one; each as (seconds, of processors)."""
    with tempfile.TemporaryDirectory(prefix="steelyard-job-start.") as work:
        layer, merged = os.path.join(work, "layer"), os.path.join(work, "root")
        os.mkdir(layer)
        # Overlays lie on no overlay; and both are gone with this process's mounts, whatever ends it.
        subprocess.run(["mount", "-t", "tmpfs", "none", layer], check=True)
        for name in (merged, f"{layer}/upper", f"{layer}/work"):
            os.mkdir(name)
        try:
            subprocess.run(["mount", "-t", "overlay", "overlay", "-o",
                            f"lowerdir={root},upperdir={layer}/upper,workdir={layer}/work", merged], check=True)
            for name in ("proc", "dev"):
                subprocess.run(["mount", "--rbind", f"/{name}", f"{merged}/{name}"], check=True)
            if os.path.exists(f"{merged}/usr/bin/valgrind"):
                sys.exit(f"{root} has Valgrind: a root with nothing installed is wanted")
            shutil.copy("/etc/resolv.conf", f"{merged}/etc/resolv.conf")
            lay_checkout(f"{merged}/job", arguments.tarball, arguments.benchmark)
            first = [seconds_of(script, merged) for _, script in STEPS]
            shutil.rmtree(f"{merged}/job/build")
            return first, [seconds_of(script, merged) for _, script in STEPS]
        finally:
            subprocess.run(["umount", "--lazy", "--recursive", merged], check=False)
            subprocess.run(["umount", "--lazy", layer], check=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", type=os.path.abspath)
    parser.add_argument("tarball", type=os.path.abspath)
    parser.add_argument("benchmark", type=os.path.abspath)
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    if os.environ.get("STEELYARD_IN_NAMESPACE") != "yes":
        os.environ["STEELYARD_IN_NAMESPACE"] = "yes"
        os.execvp("unshare", ["unshare", "--mount", sys.executable, *sys.argv])
    load = os.getloadavg()[0]
    jobs = [job(arguments.root, arguments) for _ in range(arguments.runs)]
    print("| | first job, seconds | of processors | out of the cache | of processors |\n|---|---:|---:|---:|---:|")

    def row(what, pick):
        cells = [statistics.median(pick(one[again])[kind] for one in jobs) for again in (0, 1) for kind in (0, 1)]
        print(f"| {what} | " + " | ".join(f"{cell:.1f}" for cell in cells) + " |")

    for number, (what, _) in enumerate(STEPS):
        row(what, lambda steps, number=number: steps[number])
    row("all of it", lambda steps: tuple(sum(step[kind] for step in steps) for kind in (0, 1)))
    print(f"\n{machine()}; medians of {arguments.runs} jobs; load {load:.1f} when it began")


if __name__ == "__main__":
    main()
