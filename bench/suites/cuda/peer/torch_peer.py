#!/usr/bin/env python3
"""The same shapes in PyTorch, eager and compiled, on the same device: what our kernels are compared with.

    torch_peer.py --names names.txt --out peer.json --seconds 200
    torch_peer.py --names names.txt --plan      # what would be run; needs no torch

names.txt: one benchmark name of steelyard_cuda_suite a line. They are taken by importance (benchmark_names.py) until
the time is up; what was not reached is said in the file. A name that PyTorch has no counterpart of is left out.

Timing: device events around one call; before each call a buffer of twice the L2 cache is read, and the stream is held by a
spinning kernel until the call is queued, so that launching costs nothing, as in our own cold samples. It is read and not
written: what was written would go back to memory while the call is timed. The figure is the median.
"""

import argparse
import json
import statistics
import sys
import time

from benchmark_names import Name, importance

LEAST_SAMPLES = 15
MOST_SAMPLES = 200
SECONDS_A_ROW = 0.5


def plan(name):
    """What the counterpart is, in words; None: there is none."""
    kind = name.benchmark
    if kind == "ceiling":
        kind = "matmul" if name.get("dtype") else f"memory {name['access']}"
    counterparts = {
        "matmul": {"f8": "torch._scaled_mm", "i8": "torch._int_mm"}.get(name.get("dtype"), "x @ w.t()"),
        "memory copy": "copy_",
        "memory read": "sum",
        "memory write": "fill_",
        "batched_dot": "(x * y).sum(-1)" if name.get("form") == "chain" else "torch.bmm",
        "add": "x + y",
        "cdist": "torch.cdist",
        "gelu": "gelu by nine operators" if name.get("form") == "chain" else "F.gelu(approximate='tanh')",
        "softmax": "F.softmax",
        "layer_norm": "F.layer_norm",
        "rms_norm": "F.rms_norm",
        "gemv": "w.to(bf16) @ x" if name.get("dtype") == "i8" else "w @ x",
        "gather_gemv": "w[chosen].to(bf16) @ x",
        "mlp_layer_norm": "linear, layer_norm, linear, layer_norm",
        "mlp_forward": "linear and gelu, layer by layer",
        "mlp_training": "linear and gelu, layer by layer, and backward",
    }
    if kind == "matmul_fastest":
        kind = "matmul"
    return counterparts.get(kind)


# Products go to the library whether compiled or not, and compiling takes seconds each.
NOT_COMPILED = {"matmul", "matmul_fastest", "ceiling"}


class Calls:
    """Makes the call of a name: a function without arguments, on inputs that are filled."""

    def __init__(self, torch):
        self.torch = torch
        self.F = torch.nn.functional
        self.dtypes = {"f32": torch.float32, "tf32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}

    def random(self, *shape, dtype="bf16", limit=1.0):
        values = self.torch.empty(*shape, device="cuda", dtype=self.torch.float32).uniform_(-limit, limit)
        return values.to(self.dtypes[dtype])

    def integers(self, *shape):
        return self.torch.randint(-127, 128, shape, device="cuda", dtype=self.torch.int8)

    def of(self, name):
        """The function and its arguments, so that it can be compiled."""
        dtype = name.get("dtype", "f32")
        self.torch.backends.cuda.matmul.allow_tf32 = dtype == "tf32"
        kind = name.benchmark
        if kind == "ceiling":
            return self.matmul(8192, dtype) if "dtype" in name.axes else self.memory(name["access"])
        if kind in ("matmul", "matmul_fastest"):
            return self.matmul(name["n"], dtype)
        return getattr(self, kind)(name, dtype)

    def memory(self, access):
        source = self.random(1 << 28, dtype="f32")
        if access == "read":
            return lambda x: x.sum(), (source,)
        target = self.torch.empty_like(source)
        if access == "write":
            return lambda y: y.fill_(1.0), (target,)
        return lambda y, x: y.copy_(x), (target, source)

    def matmul(self, n, dtype):
        torch = self.torch
        if dtype == "i8":
            return lambda x, w: torch._int_mm(x, w.t()), (self.integers(n, n), self.integers(n, n))
        if dtype == "f8":
            x, w = (self.random(n, n).to(torch.float8_e4m3fn) for _ in range(2))
            scales = [torch.tensor(scale, device="cuda") for scale in (0.5, 0.25)]
            return (
                lambda x, w: torch._scaled_mm(
                    x, w.t(), scale_a=scales[0], scale_b=scales[1], out_dtype=torch.bfloat16, use_fast_accum=True
                ),
                (x, w),
            )
        return lambda x, w: x @ w.t(), (self.random(n, n, dtype=dtype), self.random(n, n, dtype=dtype))

    def batched_dot(self, name, dtype):
        x, y = (self.random(name["batch"], name["length"], dtype=dtype) for _ in range(2))
        if name["form"] == "chain":
            return lambda x, y: (x * y).sum(-1), (x, y)
        return lambda x, y: self.torch.bmm(x.unsqueeze(1), y.unsqueeze(2)), (x, y)

    def add(self, name, dtype):
        return lambda x, y: x + y, tuple(self.random(name["n"], dtype=dtype) for _ in range(2))

    def cdist(self, name, dtype):
        points = tuple(self.random(name["n"], name["dim"], dtype=dtype) for _ in range(2))
        return lambda x, y: self.torch.cdist(x, y), points

    def gelu(self, name, dtype):
        x = self.random(name["n"], dtype=dtype)
        if name["form"] == "chain":
            return lambda x: 0.5 * x * (1 + self.torch.tanh(0.79788456 * (x + 0.044715 * x * x * x))), (x,)
        return lambda x: self.F.gelu(x, approximate="tanh"), (x,)

    def softmax(self, name, dtype):
        return lambda x: self.F.softmax(x, -1), (self.random(name["rows"], name["columns"], dtype=dtype),)

    def layer_norm(self, name, dtype):
        columns = name["columns"]
        # Eager PyTorch wants the parameters in the values' dtype.
        parameters = tuple(self.random(columns, dtype=dtype) for _ in range(2))
        return (
            lambda x, w, b: self.F.layer_norm(x, (columns,), w, b),
            (self.random(name["rows"], columns, dtype=dtype), *parameters),
        )

    def rms_norm(self, name, dtype):
        columns = name["columns"]
        return (
            lambda x, w: self.F.rms_norm(x, (columns,), w),
            (self.random(name["rows"], columns, dtype=dtype), self.random(columns, dtype=dtype)),
        )

    def weights(self, dtype, *shape):
        return self.integers(*shape) if dtype == "i8" else self.random(*shape, dtype=dtype)

    def gemv(self, name, dtype):
        n = name["n"]
        w = self.weights(dtype, n, n)
        x = self.random(n)
        if dtype == "i8":
            return lambda w, x: w.to(self.torch.bfloat16) @ x, (w, x)
        return lambda w, x: w @ x, (w, x)

    def gather_gemv(self, name, dtype):
        n = name["n"]
        chosen = self.torch.tensor([3, 5], device="cuda")
        return (
            lambda w, chosen, x: w[chosen].to(self.torch.bfloat16) @ x,
            (self.weights(dtype, 8, n, n), chosen, self.random(n)),
        )

    def mlp_layer_norm(self, name, dtype):
        rows, dim, hidden = name["batch"], name["dim"], name["hidden"]
        x = self.random(dim) if rows == 1 else self.random(rows, dim)
        expand, reduce = self.random(hidden, dim), self.random(dim, hidden)
        parameters = [self.random(size) for size in (hidden, hidden, dim, dim)]

        def block(x, expand, reduce, w1, b1, w2, b2):
            y = self.F.layer_norm(self.F.linear(x, expand), (hidden,), w1, b1)
            return self.F.layer_norm(self.F.linear(y, reduce), (dim,), w2, b2)

        return block, (x, expand, reduce, *parameters)

    def perceptron(self, name, dtype, layers):
        dim = name["dim"]
        x = self.random(name["batch"], dim, dtype=dtype)
        limit = (6 / dim) ** 0.5
        weights = [self.random(dim, dim, dtype=dtype, limit=limit) for _ in range(layers)]
        biases = [self.random(dim, dtype=dtype, limit=0.1) for _ in range(layers)]

        def forward(x, weights, biases):
            for w, b in zip(weights, biases):
                x = self.F.gelu(self.F.linear(x, w, b), approximate="tanh")
            return x

        return forward, (x, weights, biases)

    def mlp_forward(self, name, dtype):
        return self.perceptron(name, dtype, 4)

    def mlp_training(self, name, dtype):
        forward, (x, weights, biases) = self.perceptron(name, dtype, name["layers"])
        steps = name["steps"]
        for leaf in (x, *weights, *biases):
            leaf.requires_grad_(True)

        # Gradients add up over the steps of one call, and begin anew with the next.
        def training_by(way_forward):
            def training(x, weights, biases):
                for leaf in (x, *weights, *biases):
                    leaf.grad = None
                for _ in range(steps):
                    way_forward(x, weights, biases).sum().backward()

            return training

        training = training_by(forward)
        # Compiling the way forward compiles the way back with it.
        training.compiled = lambda: training_by(self.torch.compile(forward, dynamic=False))
        return training, (x, weights, biases)


class Stopwatch:
    def __init__(self, torch):
        self.torch = torch
        l2_bytes = getattr(torch.cuda.get_device_properties(0), "L2_cache_size", 0) or (128 << 20)
        self.flush = torch.zeros(2 * l2_bytes // 4, dtype=torch.float32, device="cuda")
        self.sum = torch.zeros((), dtype=torch.float32, device="cuda")

    def sample(self, call, held_cycles):
        begin, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
        self.torch.cuda.synchronize()
        self.torch.sum(self.flush, dim=0, out=self.sum)
        self.torch.cuda._sleep(held_cycles)
        begin.record()
        call()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) * 1e6

    def median(self, call):
        for _ in range(3):
            self.torch.cuda.synchronize()
            began = time.monotonic()
            call()
            queued = time.monotonic() - began
        # Half as long again as queueing takes, in cycles of 2 GHz; 0.5 ms at least and 50 ms at most.
        held_cycles = int(min(max(1.5 * queued * 2e9, 1e6), 1e8))
        samples = []
        until = time.monotonic() + SECONDS_A_ROW
        while len(samples) < LEAST_SAMPLES or (time.monotonic() < until and len(samples) < MOST_SAMPLES):
            samples.append(self.sample(call, held_cycles))
        return statistics.median(samples), len(samples)


def measured(torch, stopwatch, calls, name, may_compile):
    row = {"name": name.text, "counterpart": plan(name)}
    try:
        function, arguments = calls.of(name)
        row["eager_ns"], row["eager_samples"] = stopwatch.median(lambda: function(*arguments))
        if name.benchmark not in NOT_COMPILED and may_compile:
            begin = time.monotonic()
            compiled = getattr(function, "compiled", lambda: torch.compile(function, dynamic=False))()
            compiled(*arguments)
            torch.cuda.synchronize()
            row["compile_seconds"] = time.monotonic() - begin
            row["compiled_ns"], row["compiled_samples"] = stopwatch.median(lambda: compiled(*arguments))
    except Exception as error:  # one that fails must not cost the others
        row["error"] = f"{type(error).__name__}: {error}"[:400]
    torch.cuda.empty_cache()
    return row


def run(names, out, seconds):
    import torch
    import torch._dynamo
    import torch._inductor.config

    until = time.monotonic() + seconds
    torch.manual_seed(1)
    torch._inductor.config.coordinate_descent_tuning = True
    properties = torch.cuda.get_device_properties(0)
    result = {
        "device": properties.name,
        "torch": torch.__version__,
        "cuda": torch.version.cuda,
        "rows": [],
        "not_reached": [name.text for name in names],
    }
    stopwatch, calls = Stopwatch(torch), Calls(torch)
    for name in names:
        left = until - time.monotonic()
        if left < 1:
            break
        result["rows"].append(measured(torch, stopwatch, calls, name, left > 15))
        result["not_reached"].remove(name.text)
        torch._dynamo.reset()
        with open(out, "w") as file:  # after each: what is there survives being stopped
            json.dump(result, file, indent=1)
        print(json.dumps(result["rows"][-1]), flush=True)


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--names", required=True, help="a file with one benchmark name a line")
    parser.add_argument("--out", help="a file for the result as JSON")
    parser.add_argument("--seconds", type=float, default=200, help="after which no other row begins")
    parser.add_argument("--plan", action="store_true", help="print what would be run, and why not")
    options = parser.parse_args(arguments)
    with open(options.names) as file:
        names = sorted((line.strip() for line in file if line.strip()), key=importance)
    names = [Name(text) for text in names]
    if options.plan:
        for name in names:
            print(f"{name.text}: {plan(name) or 'no counterpart'}")
        return 0
    if not options.out:
        parser.error("--out is missing: a file for the result")
    run([name for name in names if plan(name)], options.out, options.seconds)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
