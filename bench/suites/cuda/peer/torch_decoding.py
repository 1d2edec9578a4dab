#!/usr/bin/env python3
"""The decoding models in PyTorch on the same device: what our tokens a second are compared with.

    torch_decoding.py --seconds 240
    torch_decoding.py --models llama/bf16,mixtral/i8 --samples 5 --tuned
    torch_decoding.py --device cpu --dim small --layers 2 --compile none     # that it runs at all

Shapes, prompt and number of new tokens are decoding_model.hpp's; weights are random and made on the device. A step of
one token, its sampling included, is compiled as a whole and replayed as a graph (mode "reduce-overhead"), over a cache
of keys and values of fixed size, as the published figures were made. The prompt's tokens are fed one by one through the
same step, as ours are. 8-bit weights have a scale in bf16 a row; they are widened, multiplied and added up in one
expression, which the compiler makes one kernel of.

--compile layer: one layer is compiled, for all of them, and the step is captured in a graph: for when compiling all
layers as one takes too long. --tuned: let the compiler try variants of its reductions (coordinate descent), as the
published figures did, which takes a minute or more.

One line of JSON for each model, as soon as it is measured. A model begins no later than --seconds; put a time-out
around it all the same, because compiling cannot be bounded from within.
"""

import argparse
import dataclasses
import gc
import importlib
import json
import statistics
import sys
import time

import torch

from peer_timing import Power, driver_version

functional = torch.nn.functional

PROMPT = (1, 15043, 29892, 590, 1024, 338)
NEW_TOKENS = 200
POSITIONS = 208  # of the cache
TOP_TOKENS, TEMPERATURE = 200, 0.8
HEAD_SIZE = 128


@dataclasses.dataclass
class Shape:
    layers: int
    dim: int
    heads: int
    kv_heads: int
    hidden: int
    vocab: int
    experts: int = 0
    active: int = 1
    rotary_base: float = 10000.0


SHAPES = {
    "llama": Shape(32, 4096, 32, 32, 11008, 32000),
    "mixtral": Shape(16, 4096, 32, 8, 14336, 32000, 8, 2, 1e6),
}
SMALL = {
    "llama": Shape(2, 512, 4, 2, 1296, 1000),
    "mixtral": Shape(2, 512, 4, 1, 1040, 1000, 4, 2, 1e6),
}
MODELS = ("llama/bf16", "llama/i8", "mixtral/i8")


@dataclasses.dataclass
class Form:
    shape: Shape
    is_whole: bool
    device: str


class Matrix(torch.nn.Module):
    """Rows of weights, or a stack of such matrices, each times one vector."""

    def __init__(self, form, rows, columns, stacked=0, is_router=False):
        super().__init__()
        extent = (stacked, rows, columns) if stacked else (rows, columns)
        limit = (3 / columns) ** 0.5
        self.is_whole = form.is_whole and not is_router
        if self.is_whole:
            weight = torch.randint(-127, 128, extent, dtype=torch.int8, device=form.device)
            scale = torch.empty(extent[:-1], device=form.device).uniform_(0.75, 1.25) * (limit / 127)
            self.register_buffer("scale", scale.to(torch.bfloat16))
        else:
            weight = torch.empty(extent, dtype=torch.bfloat16, device=form.device).uniform_(-limit, limit)
        self.register_buffer("weight", weight)

    def forward(self, x):
        """x: 1 x columns, to 1 x rows."""
        if not self.is_whole:
            return functional.linear(x, self.weight)
        return (self.weight.to(x.dtype) * x).sum(-1).unsqueeze(0) * self.scale

    def of_chosen(self, chosen, x):
        """The chosen matrices of the stack, times x: 1 x columns, or one row for each of them."""
        products = (self.weight[chosen].to(x.dtype) * x.unsqueeze(1)).sum(-1)
        return products * self.scale[chosen] if self.is_whole else products


class Norm(torch.nn.Module):
    def __init__(self, form):
        super().__init__()
        weight = torch.empty(form.shape.dim, device=form.device).uniform_(0.75, 1.25)
        self.register_buffer("weight", weight.to(torch.bfloat16))

    def forward(self, x):
        wide = x.float()
        scaled = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-5)
        return scaled.to(x.dtype) * self.weight


def rotated(heads, turn):
    """Pairs of neighbours as complex numbers, times the position's turn."""
    pairs = heads.float().view(*heads.shape[:-1], HEAD_SIZE // 2, 2)
    cos, sin = turn[..., 0], turn[..., 1]
    turned = (pairs[..., 0] * cos - pairs[..., 1] * sin, pairs[..., 1] * cos + pairs[..., 0] * sin)
    return torch.stack(turned, dim=-1).flatten(-2).to(heads.dtype)


class Attention(torch.nn.Module):
    def __init__(self, form):
        super().__init__()
        shape = form.shape
        self.heads, self.kv_heads = shape.heads, shape.kv_heads
        self.qkv = Matrix(form, (shape.heads + 2 * shape.kv_heads) * HEAD_SIZE, shape.dim)
        self.output = Matrix(form, shape.dim, shape.dim)
        cache = torch.zeros(shape.kv_heads, POSITIONS, HEAD_SIZE, dtype=torch.bfloat16, device=form.device)
        self.register_buffer("keys", cache)
        self.register_buffer("values", cache.clone())

    def forward(self, x, position, turn, is_past):
        kv, of_group = self.kv_heads, self.heads // self.kv_heads
        heads = self.qkv(x).view(self.heads + 2 * kv, 1, HEAD_SIZE)
        queries, keys, values = heads.split((self.heads, kv, kv))
        self.keys[:, position] = rotated(keys, turn)
        self.values[:, position] = values
        # Products and sums, not a library's attention: for one query the compiler makes few kernels of them.
        grouped = rotated(queries, turn).float().view(kv, of_group, 1, HEAD_SIZE)
        scores = (grouped * self.keys.unsqueeze(1)).sum(-1) * HEAD_SIZE**-0.5
        weights = functional.softmax(scores.masked_fill(~is_past, -float("inf")), dim=-1)
        mixed = (weights.unsqueeze(-1) * self.values.unsqueeze(1)).sum(-2)
        return self.output(mixed.to(x.dtype).view(x.shape))


class Perceptron(torch.nn.Module):
    def __init__(self, form):
        super().__init__()
        self.gate = Matrix(form, form.shape.hidden, form.shape.dim)
        self.up = Matrix(form, form.shape.hidden, form.shape.dim)
        self.down = Matrix(form, form.shape.dim, form.shape.hidden)

    def forward(self, x):
        return self.down(functional.silu(self.gate(x)) * self.up(x))


class Experts(torch.nn.Module):
    def __init__(self, form):
        super().__init__()
        shape = form.shape
        self.active = shape.active
        self.router = Matrix(form, shape.experts, shape.dim, is_router=True)
        self.gate = Matrix(form, shape.hidden, shape.dim, stacked=shape.experts)
        self.up = Matrix(form, shape.hidden, shape.dim, stacked=shape.experts)
        self.down = Matrix(form, shape.dim, shape.hidden, stacked=shape.experts)

    def forward(self, x):
        best, chosen = torch.topk(self.router(x).float()[0], self.active)
        weights = functional.softmax(best, dim=-1).to(x.dtype)
        hidden = functional.silu(self.gate.of_chosen(chosen, x)) * self.up.of_chosen(chosen, x)
        return (self.down.of_chosen(chosen, hidden) * weights.unsqueeze(1)).sum(0, keepdim=True)


class Layer(torch.nn.Module):
    def __init__(self, form):
        super().__init__()
        self.attention_norm, self.attention = Norm(form), Attention(form)
        self.mlp_norm, self.mlp = Norm(form), Experts(form) if form.shape.experts else Perceptron(form)

    def forward(self, x, position, turn, is_past):
        x = x + self.attention(self.attention_norm(x), position, turn, is_past)
        return x + self.mlp(self.mlp_norm(x))


class Decoder(torch.nn.Module):
    """Its forward is one step: token and position, tensors of one integer each, to the next token."""

    def __init__(self, form):
        super().__init__()
        shape, device = form.shape, form.device
        embedding = torch.empty(shape.vocab, shape.dim, dtype=torch.bfloat16, device=device).uniform_(-1, 1)
        self.register_buffer("embedding", embedding)
        self.layers = torch.nn.ModuleList(Layer(form) for _ in range(shape.layers))
        self.norm = Norm(form)
        self.head = Matrix(form, shape.vocab, shape.dim)
        pairs = torch.arange(0, HEAD_SIZE, 2, device=device) / HEAD_SIZE
        places = torch.arange(POSITIONS, device=device)
        angles = torch.outer(places, shape.rotary_base**-pairs)
        self.register_buffer("places", places)
        self.register_buffer("turns", torch.stack((angles.cos(), angles.sin()), dim=-1))

    def forward(self, token, position):
        x = self.embedding[token]
        turn, is_past = self.turns[position], self.places <= position
        for layer in self.layers:
            x = layer(x, position, turn, is_past)
        return drawn(self.head(self.norm(x))[0].float())


def drawn(logits):
    largest = torch.topk(logits, min(TOP_TOKENS, logits.shape[0]))[0]
    kept = (logits / TEMPERATURE).masked_fill(logits < largest[-1], -float("inf"))
    weights = functional.softmax(kept, dim=-1)
    return torch.argmax(weights / torch.empty_like(weights).exponential_(1), dim=-1, keepdim=True)


def token_bytes(decoder, shape):
    """What a new token reads by the published definition: weights and scales without the embedding and idle experts."""
    counted = 0
    for name, buffer in decoder.named_buffers():
        if name in ("embedding", "turns", "places") or name.endswith((".keys", ".values")):
            continue
        is_of_expert = shape.experts and ".mlp." in name and ".router." not in name
        of_token = shape.active / shape.experts if is_of_expert else 1
        counted += buffer.numel() * buffer.element_size() * of_token
    return round(counted)


class Generation:
    """Feeds the prompt and generates; `step` is the decoder, compiled or not."""

    def __init__(self, step, shape, device):
        self.step, self.device = step, device
        self.prompt = [torch.tensor([token % shape.vocab], device=device) for token in PROMPT]

    def run(self):
        """The new tokens, as a tensor that is on its way."""
        position = torch.zeros(1, dtype=torch.int64, device=self.device)
        tokens = []
        for number in range(len(self.prompt) + NEW_TOKENS - 1):
            token = self.prompt[number] if number < len(self.prompt) else tokens[-1]
            following = self.step(token, position).clone()  # the graph's own memory is written by the next step
            position = position + 1
            if number >= len(self.prompt) - 1:
                tokens.append(following)
        return torch.cat(tokens)


def captured(decoder, device):
    """The decoder's step as one graph over memory of its own."""
    token = torch.zeros(1, dtype=torch.int64, device=device)
    position = torch.zeros(1, dtype=torch.int64, device=device)
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            decoder(token, position)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        following = decoder(token, position)

    def step(new_token, new_position):
        token.copy_(new_token)
        position.copy_(new_position)
        graph.replay()
        return following

    return step


def compiled(decoder, how, device):
    if how == "step":
        return torch.compile(decoder, mode="reduce-overhead", fullgraph=True, dynamic=False)
    if how == "layer":
        for layer in decoder.layers:  # the first call compiles, the others find it compiled
            layer.compile(fullgraph=True, dynamic=False)
        return captured(decoder, device)
    return decoder


def graphs_not_made():
    """How often the compiler gave up on a graph and launches kernels one by one: not 0 explains a slow row."""
    counters = getattr(torch._dynamo.utils, "counters", {})
    return counters["inductor"]["cudagraph_skips"] if "inductor" in counters else None


def measure(name, options, until):
    """What is known of one model; samples end with the time, but there is at least one."""
    kind, _, dtype = name.partition("/")
    shape = dataclasses.replace((SMALL if options.dim == "small" else SHAPES)[kind])
    shape.layers = options.layers or shape.layers

    def synchronize():
        if options.device == "cuda":
            torch.cuda.synchronize()

    began = time.monotonic()
    decoder = Decoder(Form(shape, dtype == "i8", options.device))
    synchronize()
    filled = time.monotonic()
    step = compiled(decoder, options.compile, options.device)
    generation = Generation(step, shape, options.device)
    first = generation.run().tolist()  # compiles and records
    prepared = time.monotonic()
    seconds = []
    while len(seconds) < options.samples and (not seconds or time.monotonic() < until):
        synchronize()
        start = time.perf_counter()
        tokens = generation.run()
        synchronize()
        seconds.append(time.perf_counter() - start)
    rates = [NEW_TOKENS / elapsed for elapsed in seconds]
    bytes_of_token = token_bytes(decoder, shape)
    return {
        "layers": shape.layers,
        "dim": shape.dim,
        "tokens_per_second": statistics.median(rates),
        "generation_ns": NEW_TOKENS * 1e9 / statistics.median(rates),
        "is_whole": options.layers == 0 and options.dim == "model",
        "samples": rates,
        "token_bytes": bytes_of_token,
        "gigabytes_per_second": statistics.median(rates) * bytes_of_token / 1e9,
        "fill_seconds": filled - began,
        "compile_seconds": prepared - filled,  # and the first generation
        "different_tokens": len(set(tokens.tolist()) | set(first)),  # of 400: few would be a model that has collapsed
        "graphs_not_made": graphs_not_made() if options.compile == "step" else None,
        "watts": Power().watts(),
    }


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default=",".join(MODELS), help="of %(default)s, and mixtral/bf16, in this order")
    parser.add_argument("--seconds", type=float, default=240, help="after which no model and no sample begins")
    parser.add_argument("--samples", type=int, default=5, help="generations that are timed, after the first")
    parser.add_argument("--compile", choices=("step", "layer", "none"), default="step", help="what is compiled as one")
    parser.add_argument("--tuned", action="store_true", help="by coordinate descent")
    parser.add_argument("--layers", type=int, default=0, help="fewer layers; 0: the model's")
    parser.add_argument("--dim", choices=("model", "small"), default="model", help="of the tiny models, to try it out")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    options = parser.parse_args(arguments)
    names = options.models.split(",")
    for name in names:
        kind, _, dtype = name.partition("/")
        if kind not in SHAPES or dtype not in ("bf16", "i8"):
            parser.error(f'--models: found "{name}", wanted llama or mixtral, a slash, and bf16 or i8')
    until = time.monotonic() + options.seconds

    torch.manual_seed(1234)
    if options.tuned:
        inductor = importlib.import_module("torch._inductor.config")
        inductor.coordinate_descent_tuning = True
    about = {"schema": "steelyard.torch_decoding/1", "torch": torch.__version__, "cuda": torch.version.cuda}
    about["device"] = torch.cuda.get_device_name() if options.device == "cuda" else "cpu"
    about |= {"driver": driver_version(), "compiled": options.compile, "tuned": options.tuned}
    failed = 0
    for name in names:
        row = {**about, "model": name}
        if time.monotonic() >= until:
            row["error"] = "not reached in time"
        else:
            try:
                with torch.no_grad():
                    row |= measure(name, options, until)
            except Exception as error:  # one that fails must not cost the others
                row["error"] = f"{type(error).__name__}: {error}"[:2000]
        failed += "error" in row
        print(json.dumps(row), flush=True)
        if options.compile != "none":
            torch._dynamo.reset()
        gc.collect()
        if options.device == "cuda":
            torch.cuda.empty_cache()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
