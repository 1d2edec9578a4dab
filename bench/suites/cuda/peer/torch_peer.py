#!/usr/bin/env python3
"""The same shapes in PyTorch, eager and compiled, on the same device: what our kernels are compared with.

    torch_peer.py --names names.txt --out peer.json --seconds 200
    torch_peer.py --names names.txt --plan      # what would be run, in order; needs no torch
    torch_peer.py --trace trace.json            # a profiler's trace of a perceptron's steps

names.txt: one benchmark name of steelyard_cuda_suite a line. First all of them as PyTorch runs them by itself, by
importance (benchmark_names.py), which takes seconds; then those that compiling may change, again by importance, each of
which takes up to twenty. A name that PyTorch has no counterpart of is left out. What was not reached is said in the
file.

A further call goes on where the file ends: rows that are there are kept, what failed is tried again, and what ended the
process twice is not. The file is written aside and renamed after each row.

Timing: peer_timing.py. The figure is the median.
"""

import argparse
import json
import os
import sys
import time

from benchmark_names import Name, importance
from peer_timing import HOT_BELOW_NS, Power, SmClock, Stopwatch, cublas_lt_version, driver_version, rotated

MOST_ATTEMPTS = 2
COMPILE_SECONDS = 15  # that compiling one is expected to take at most, until one took longer


def plan(name):
    """What the counterpart is, in words; None: there is none."""
    kind = name.benchmark
    if kind == "ceiling":
        kind = "matmul" if name.get("dtype") else f"memory {name.get('access')}"
    counterparts = {
        "matmul": {"f8": "torch._scaled_mm", "i8": "torch._int_mm"}.get(name.get("dtype"), "x @ w.t()"),
        "memory copy": "copy_",
        "memory read": "sum",
        "memory write": "fill_",
        "batched_dot": "torch.bmm" if name.get("form") == "library" else "(x * y).sum(-1)",
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
        if name["form"] == "library":
            return lambda x, y: self.torch.bmm(x.unsqueeze(1), y.unsqueeze(2)), (x, y)
        return lambda x, y: (x * y).sum(-1), (x, y)

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
        x = self.random(n, dtype="f32" if dtype == "f32" else "bf16")
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


class Kept:
    """The file of the rows: what an earlier call left in it, and what this one adds."""

    def __init__(self, path, about):
        self.path, self.rows, self.attempts = path, {}, {}
        self.document = {"schema": "steelyard.torch_peer/2", **about}
        try:
            with open(path) as file:
                earlier = json.load(file)
        except (OSError, ValueError):
            return
        if any(earlier.get(key) != about[key] for key in ("device", "torch")):
            os.replace(path, path + ".other")  # of another device, not to be mixed with this one's
            return
        self.attempts = earlier.get("attempts", {})
        for row in earlier.get("rows", []):
            self.rows[row["name"]] = row

    def wants(self, name, kind):
        is_there = f"{kind}_ns" in self.rows.get(name.text, {})
        return not is_there and self.attempts.get(self.key(name, kind), 0) < MOST_ATTEMPTS

    @staticmethod
    def key(name, kind):
        return f"{kind} {name.text}"

    def begin(self, name, kind):
        """Known before it runs: what ends the process is told by that this is still there."""
        key = self.key(name, kind)
        self.attempts[key] = self.attempts.get(key, 0) + 1
        self.write()

    def end(self, name, kind, found):
        row = self.rows.setdefault(name.text, {"name": name.text, "counterpart": plan(name)})
        if f"{kind}_error" not in found:
            self.attempts.pop(self.key(name, kind), None)
            row.pop(f"{kind}_error", None)
        row.update(found)
        self.write()

    def write(self, not_reached=()):
        document = {**self.document, "attempts": self.attempts, "rows": list(self.rows.values())}
        if not_reached:
            document["not_reached"] = list(not_reached)
        with open(self.path + ".part", "w") as file:
            json.dump(document, file, indent=1)
        os.replace(self.path + ".part", self.path)


class Peer:
    def __init__(self, torch):
        self.torch, self.calls, self.power = torch, Calls(torch), Power()
        self.clock = SmClock(torch)
        self.stopwatch = Stopwatch(torch, self.clock)
        self.compile_seconds = COMPILE_SECONDS

    def about(self):
        torch = self.torch
        small = torch.ones(64, 64, device="cuda", dtype=torch.bfloat16)
        small @ small  # loads the library
        return {
            "device": torch.cuda.get_device_properties(0).name,
            "torch": torch.__version__,
            "cuda": torch.version.cuda,
            "driver": driver_version(),
            "cublas_lt": cublas_lt_version(),
            "clock": self.clock.how,
        }

    def time(self, name, kind):
        found = {}
        try:
            function, arguments = self.calls.of(name)
            if kind == "compiled":
                function = self.compiled(function, arguments, found)
            part = self.stopwatch.measure(lambda: function(*arguments))
            found |= {f"{kind}_{key}": value for key, value in part.items()}
            found[f"{kind}_watts"] = self.power.watts()
            if part["ns"] < HOT_BELOW_NS and (calls := rotated(function, arguments, self.stopwatch.l2_bytes)):
                found[f"{kind}_hot_ns"] = self.stopwatch.hot(calls, part["ns"])
        except Exception as error:  # one that fails must not cost the others
            found[f"{kind}_error"] = f"{type(error).__name__}: {error}"[:400]
        self.torch.cuda.empty_cache()
        return found

    def compiled(self, function, arguments, found):
        begin = time.monotonic()
        compiled = getattr(function, "compiled", lambda: self.torch.compile(function, dynamic=False))()
        compiled(*arguments)
        self.torch.cuda.synchronize()
        found["compile_seconds"] = time.monotonic() - begin
        self.compile_seconds = max(self.compile_seconds, found["compile_seconds"])
        return compiled


def tasks_of(names):
    """What is to be done, in order: (name, kind)."""
    eager = [(name, "eager") for name in names]
    return eager + [(name, "compiled") for name in names if name.benchmark not in NOT_COMPILED]


def import_torch():
    import torch
    import torch._dynamo
    import torch._inductor.config

    torch.manual_seed(1)
    torch._inductor.config.coordinate_descent_tuning = True
    return torch


def run(names, out, seconds):
    until = time.monotonic() + seconds
    torch = import_torch()
    peer = Peer(torch)
    kept = Kept(out, peer.about())
    pending = [task for task in tasks_of(names) if kept.wants(*task)]
    while pending:
        name, kind = pending[0]
        if until - time.monotonic() < (peer.compile_seconds if kind == "compiled" else 2):
            break
        pending.pop(0)
        kept.begin(name, kind)
        kept.end(name, kind, peer.time(name, kind))
        torch._dynamo.reset()
        print(json.dumps(kept.rows[name.text]), flush=True)
    kept.write([Kept.key(name, kind) for name, kind in pending])


def trace(out):
    """Kernels, copies and a graph of a perceptron's steps, as torch.profiler has them."""
    torch = import_torch()
    calls = Calls(torch)
    function, arguments = calls.of(Name("mlp_training/batch:128/dim:128/dtype:bf16/form:fused/layers:4/steps:2"))
    forward, inputs = calls.of(Name("mlp_forward/batch:256/dim:256/dtype:bf16/form:fused"))
    function(*arguments), forward(*inputs)
    graph = torch.cuda.CUDAGraph()
    with torch.no_grad(), torch.cuda.graph(graph):
        forward(*inputs)
    kinds = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    with torch.profiler.profile(activities=kinds, record_shapes=True) as profiler:
        for _ in range(3):
            function(*arguments)
        graph.replay()
        inputs[0].cpu()
        torch.cuda.synchronize()
    profiler.export_chrome_trace(out + ".part")
    os.replace(out + ".part", out)


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--names", help="a file with one benchmark name a line")
    parser.add_argument("--out", help="a file for the result as JSON")
    parser.add_argument("--seconds", type=float, default=200, help="after which nothing else begins")
    parser.add_argument("--plan", action="store_true", help="print what would be run, and why not")
    parser.add_argument("--trace", help="a file for a profiler's trace; nothing else is done")
    options = parser.parse_args(arguments)
    if options.trace:
        trace(options.trace)
        return 0
    if not options.names:
        parser.error("--names is missing: a file with one benchmark name a line")
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
