#!/usr/bin/env python3
"""perceptron.py FOLDER: two steps of a perceptron, as PyTorch's own profiler has them on a device, and its sums.

Writes trace.json (operations with shapes, memory and FLOPs; forward, backward, optimizer) and averages.json.
"""
import json
import sys

import torch
from torch.profiler import ProfilerActivity, profile, record_function, schedule

FIELDS = ("key", "count", "device_type", "self_cpu_time_total", "cpu_time_total", "self_device_time_total",
          "device_time_total", "self_cpu_memory_usage", "cpu_memory_usage", "self_device_memory_usage",
          "device_memory_usage", "flops", "is_user_annotation")


def main(folder):
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.GELU(), torch.nn.Linear(128, 64)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    batch = torch.randn(32, 64)

    def step():
        x = batch.cuda()
        with record_function("forward"):
            loss = model(x).square().mean()
        with record_function("backward"):
            loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    def ready(profiler):
        profiler.export_chrome_trace(folder + "/trace.json")
        rows = [{name: str(getattr(row, name)) if name == "device_type" else getattr(row, name) for name in FIELDS}
                for row in profiler.key_averages()]
        with open(folder + "/averages.json", "w") as file:
            json.dump(rows, file, indent=0)

    step()
    torch.cuda.synchronize()
    kinds = [ProfilerActivity.CPU, ProfilerActivity.CUDA]
    with profile(activities=kinds, record_shapes=True, profile_memory=True, with_flops=True, on_trace_ready=ready,
                 schedule=schedule(wait=0, warmup=1, active=2, repeat=1)) as profiler:
        for _ in range(3):
            step()
            torch.cuda.synchronize()
            profiler.step()


if __name__ == "__main__":
    main(sys.argv[1])
