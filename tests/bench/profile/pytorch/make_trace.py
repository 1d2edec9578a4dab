#!/usr/bin/env python3
"""Makes the fixture beside it: a trace by PyTorch's own profiler, and what PyTorch itself adds up of it.

    apt-get install python3-torch    # Debian 12: PyTorch 1.13, built without Kineto
    /usr/bin/python3 make_trace.py   # writes cpu.pt.trace.json and key_averages.tsv into this folder
"""
import pathlib

import torch
from torch.profiler import ProfilerActivity, profile, record_function


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10))
    batch = torch.randn(32, 64)
    with profile(activities=[ProfilerActivity.CPU]) as profiler:
        for _ in range(3):
            with record_function("forward and backward"):
                model(batch).sum().backward()
            profiler.step()
    folder = pathlib.Path(__file__).resolve().parent
    profiler.export_chrome_trace(str(folder / "cpu.pt.trace.json"))
    rows = sorted((row.key, row.count, row.self_cpu_time_total, row.cpu_time_total) for row in profiler.key_averages())
    lines = ["name\tcalls\tself_us\ttotal_us"] + ["\t".join(map(str, row)) for row in rows]
    (folder / "key_averages.tsv").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
