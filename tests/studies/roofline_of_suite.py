#!/usr/bin/env python3
"""Measures this machine's ceilings and a part of the CPU suite, and writes the roofline into docs/guide/targets.md.

usage: tests/studies/roofline_of_suite.py BIN_FOLDER [--print]

About two minutes, on a machine that does nothing else. State and archives go to a temporary folder; nothing is kept in
the store. With --print the document stays as it is.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

BEGINS, ENDS = "<!-- roofline begins -->", "<!-- roofline ends -->"
# One of each kind of kernel, each at a size of its own, so that the plot stays readable.
FILTER = "^(matmul|gemv|softmax|layer_norm|gelu_passes|gelu_fused|batched_dot_gemm|mlp)/f32/"


def main():
    if len(sys.argv) < 2 or not pathlib.Path(sys.argv[1], "steelyard").is_file():
        sys.exit(__doc__)
    programs = pathlib.Path(sys.argv[1]).resolve()
    document = pathlib.Path(__file__).resolve().parents[2] / "docs" / "guide" / "targets.md"
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "STEELYARD_STATE": folder, "LC_ALL": "C.UTF-8", "COLUMNS": "100", "NO_COLOR": "1"}

        def steelyard(*words):
            return subprocess.run([programs / "steelyard", *words], cwd=folder, env=environment, check=True,
                                  stdout=subprocess.PIPE, text=True).stdout

        steelyard("targets", "ceilings", "--no-store", "--output", "ceilings.syrun")
        steelyard("run", "--no-store", "--counts", "never", "--rounds", "8", "--filter", FILTER, "--output", "suite.syrun",
                  "--", str(programs / "steelyard_cpu_suite"))
        plot = steelyard("targets", "roofline", "suite.syrun", "--ceilings", "ceilings.syrun", "--quiet")
    plot = plot.replace(str(programs) + "/", "")
    if "--print" in sys.argv:
        print(plot)
        return
    text = document.read_text()
    block = f"{BEGINS}\n```\n{plot}```\n{ENDS}"
    document.write_text(re.sub(f"{BEGINS}.*?{ENDS}", lambda _: block, text, flags=re.S))
    print(f"{document}: the block was written")


if __name__ == "__main__":
    main()
