#!/usr/bin/env python3
"""What the compiler gives each kernel: registers, stack, and what it had to move from registers to memory.

    bench/suites/cuda/kernel_resources.py [--arch sm_90a] [--nvcc nvcc] [FILE.cu ...]

Compiles the files (without any: all .cu files beside this one's folders) for one architecture, prints a line a kernel,
those that spill first, and what the widest accesses of memory are: the number of 16-byte loads, asynchronous copies and
stores in the PTX. Needs the CUDA Toolkit, no device.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

ROOM = pathlib.Path(__file__).resolve().parent
ROOT = ROOM.parents[2]
ENTRY = re.compile(
    r"Compiling entry function '(\S+)'.*?(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads"
    r".*?Used (\d+) registers",
    re.S,
)
WIDE = {"loads": r"ld\.global\S*\.v4", "copies": r"cp\.async\.cg\S*", "stores": r"st\.global\S*\.v4"}


def compiled(nvcc, arch, source, folder):
    """The assembler's report, and the PTX."""
    base = [nvcc, "-std=c++20", "-O2", f"-arch={arch}", f"-I{ROOT}"]
    report = subprocess.run(
        base + ["-Xptxas", "-v", "-cubin", "-o", f"{folder}/out.cubin", source], capture_output=True, text=True
    )
    if report.returncode != 0:
        sys.exit(f"{source}: {report.stderr}")
    subprocess.run(base + ["-ptx", "-o", f"{folder}/out.ptx", source], check=True)
    return report.stdout + report.stderr, pathlib.Path(folder, "out.ptx").read_text()


def readable(symbol):
    name = subprocess.run(["c++filt", symbol], capture_output=True, text=True).stdout.strip()
    name = re.sub(r"steelyard::cuda_suite::|\(anonymous namespace\)::|^void ", "", name)
    return re.sub(r">\(.*", ">", re.sub(r"\((RowFit|RowMap|RowStatistic)\)", r"\1 ", name))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arch", default="sm_90a")
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    kernels = []
    for source in options.files or sorted(str(path) for path in ROOM.rglob("*.cu")):
        with tempfile.TemporaryDirectory() as folder:
            report, ptx = compiled(options.nvcc, options.arch, source, folder)
        wide = ", ".join(f"{len(re.findall(pattern, ptx))} {what}" for what, pattern in WIDE.items())
        print(f"{pathlib.Path(source).resolve().relative_to(ROOT)}: 16-byte {wide}")
        for symbol, stack, stored, loaded, registers in ENTRY.findall(report):
            kernels.append((int(stored) + int(loaded), int(stack), int(registers), readable(symbol)))
    print(f"\n{'spilled':>8} {'stack':>6} {'registers':>10}  kernel, {options.arch}")
    for spilled, stack, registers, name in sorted(kernels, key=lambda k: (-k[0], -k[2], k[3])):
        print(f"{spilled:>8} {stack:>6} {registers:>10}  {name}")


if __name__ == "__main__":
    main()
