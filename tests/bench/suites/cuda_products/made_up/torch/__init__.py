"""In the place of PyTorch: its calls take times that are made up. Each operation adds 10 us to a clock of a device that
stands still otherwise; a held stream holds nobody up. MADE_UP_TORCH_DIES: the shape of a tensor, "512x512", at whose
making the process ends as if it were killed."""

import os
import signal
import sys
import types

OPERATION_NS = 10_000
SM_HZ = 1.5e9
MULTIPROCESSORS = 2

__version__ = "0.0"
version = types.SimpleNamespace(cuda="0.0")
float32, float16, bfloat16, int8, int64, float8_e4m3fn = "f32", "f16", "bf16", "i8", "i64", "f8"
device_ns = 0
# Nothing here has a clock that would have to settle.
if "peer_timing" in sys.modules:
    sys.modules["peer_timing"].WARM_UP_SECONDS = 0.005
    sys.modules["peer_timing"].SECONDS_A_ROW = 0.005


def operation():
    global device_ns
    device_ns += OPERATION_NS


def nested(shape):
    return 0 if not shape else [nested(shape[1:]) for _ in range(shape[0])]


class Tensor:
    requires_grad = False

    def __init__(self, values=None):
        self.values = values

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)

        def call(*arguments, **options):
            operation()
            return self

        return call

    def numel(self):
        return 1 << 20

    def element_size(self):
        return 2

    def __getitem__(self, key):
        values = self.values
        for index in key if isinstance(key, tuple) and isinstance(values, list) else ():
            values = values[index]
        return Tensor(values)

    def cpu(self):
        return self

    def tolist(self):
        return self.values

    def uniform_(self, low, high):
        return self

    def to(self, *_):
        return self

    def requires_grad_(self, _):
        return self

    def clone(self):
        return self


def binary(self, other):
    operation()
    return self


for sign in ("add", "radd", "mul", "rmul", "matmul", "truediv"):
    setattr(Tensor, f"__{sign}__", binary)


def empty(*shape, **options):
    if os.environ.get("MADE_UP_TORCH_DIES") == "x".join(map(str, shape)):
        os.kill(os.getpid(), signal.SIGKILL)
    return Tensor()


def zeros(*shape, dtype=None, **options):
    return Tensor(nested(shape[0]) if dtype == int64 else None)


ones = randint = tensor = empty_like = lambda *arguments, **options: Tensor()
bmm = cdist = tanh = sum = _int_mm = _scaled_mm = lambda *arguments, **options: binary(Tensor(), None)
manual_seed = lambda seed: None


def compile(function, dynamic):
    if os.environ.get("MADE_UP_COMPILING") == "fails":
        raise RuntimeError("made-up fault of the compiler")
    return function


class Event:
    def __init__(self, enable_timing=False):
        self.ns = 0

    def record(self):
        self.ns = device_ns

    def synchronize(self):
        pass

    def elapsed_time(self, other):
        return (other.ns - self.ns) / 1e6


class Nothing:
    def __init__(self, *arguments, **options):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *arguments):
        return False

    def wait_stream(self, other):
        pass


class CUDAGraph:
    def replay(self):
        operation()


class Profile(Nothing):
    def export_chrome_trace(self, path):
        with open(path, "w") as file:
            file.write('{"traceEvents": []}')


def _compile_kernel(source, name):
    def launch(grid, block, arguments):
        global device_ns
        device_ns += 1000
        stamps = arguments[0].values
        for id in range(MULTIPROCESSORS):
            stamps[2 * id], stamps[2 * id + 1] = int(device_ns * SM_HZ * 1e-9) + 7, device_ns

    return launch


cuda = types.SimpleNamespace(
    Event=Event,
    Stream=Nothing,
    CUDAGraph=CUDAGraph,
    stream=Nothing,
    graph=Nothing,
    current_stream=Nothing,
    synchronize=lambda: None,
    empty_cache=lambda: None,
    _sleep=lambda cycles: None,
    _compile_kernel=_compile_kernel,
    get_device_properties=lambda index: types.SimpleNamespace(
        name="Made-up device", multi_processor_count=MULTIPROCESSORS, L2_cache_size=1 << 20
    ),
)
backends = types.SimpleNamespace(cuda=types.SimpleNamespace(matmul=types.SimpleNamespace(allow_tf32=False)))
functional = types.SimpleNamespace(
    **{
        name: lambda *arguments, **options: binary(Tensor(), None)
        for name in ("gelu", "softmax", "layer_norm", "rms_norm", "linear")
    }
)
nn = types.SimpleNamespace(functional=functional)
no_grad = Nothing
profiler = types.SimpleNamespace(ProfilerActivity=types.SimpleNamespace(CPU=0, CUDA=1), profile=Profile)
sys.modules["torch.profiler"] = profiler
