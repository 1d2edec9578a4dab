"""Times calls of PyTorch on a device as steelyard_cuda_suite times its kernels: the same order of flush, hold, events
and clock readings, the same warm-up by time, and no more idleness between two samples than queueing takes.

A device at its power limit clocks by how much of the time it works: held for half a millisecond before each call it
would run a large product faster than beside a program that holds it for twenty microseconds.
"""

import ctypes
import re
import statistics
import time

LEAST_SAMPLES = 15
MOST_SAMPLES = 200
SECONDS_A_ROW = 0.5
WARM_UP_SECONDS = 0.5  # of the call itself, as ours
MOST_LATE = 40  # samples that a row may lose
HOT_BELOW_NS = 20e3  # where launching is much of a time, calls back to back are timed as well
HOT_BATCH_NS = 20e6
MOST_HOT_CALLS = 1000
HOT_BATCHES = 7

HOLD_SHARE, HOLD_EXTRA_SECONDS, MOST_HOLD_SECONDS = 1.5, 20e-6, 50e-3
SLEEP_HZ = 2e9  # cycles of _sleep for a second: at a lower clock it only holds longer


def hold_seconds(queueing):
    """How long the stream is held, so that a call is queued before the device comes to it."""
    return min(HOLD_SHARE * queueing + HOLD_EXTRA_SECONDS, MOST_HOLD_SECONDS)


STAMPS = r"""
extern "C" __global__ void read_stamps(unsigned long long* stamps) {
  unsigned id;
  unsigned long long now;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  stamps[2 * id] = (unsigned long long)clock64();
  stamps[2 * id + 1] = now;
}
"""


class SmClock:
    """The clock of the multiprocessors over each sample: their cycle counters against the device's timer, before and
    after. Compiled by CuPy, or by PyTorch itself where it can; without either the clock is unknown, and `how` says so.
    Nothing waits for the device while samples are taken: the stamps are read back once, for all of them."""

    def __init__(self, torch):
        self.torch = torch
        self.multiprocessors = torch.cuda.get_device_properties(0).multi_processor_count
        self.launch, self.how = None, ""
        for name, make in (("CuPy", self.by_cupy), ("PyTorch", self.by_torch)):
            try:
                self.launch = make()
                self.restart(1)
                self.stamp(0, 0)
                self.stamp(0, 1)
                if self.hz(0) is None:
                    raise RuntimeError("its stamps do not advance")
                self.how += f"read by a kernel that {name} compiled"
                return
            except Exception as error:  # an older package, no compiler at run time: the clock is a witness, no more
                self.launch = None
                self.how += f"not by {name}: {type(error).__name__}: {error}"[:200] + "; "

    def by_cupy(self):
        import cupy

        kernel = cupy.RawKernel(STAMPS, "read_stamps")
        return lambda address: kernel((2 * self.multiprocessors,), (1,), (cupy.uint64(address),))

    def by_torch(self):
        kernel = self.torch.cuda._compile_kernel(STAMPS, "read_stamps")

        def launch(stamps):
            kernel((2 * self.multiprocessors, 1, 1), (1, 1, 1), (stamps,))

        launch.takes_tensor = True
        return launch

    def restart(self, samples):
        shape = (samples, 2, self.multiprocessors * 2)
        self.stamps = self.torch.zeros(shape, dtype=self.torch.int64, device="cuda")
        self.host = None

    def stamp(self, sample, which):
        if self.launch is None:
            return
        place = self.stamps[sample, which]
        self.launch(place if hasattr(self.launch, "takes_tensor") else place.data_ptr())

    def hz(self, sample):
        if self.launch is None:
            return None
        if self.host is None:
            self.torch.cuda.synchronize()
            self.host = self.stamps.cpu().tolist()
        return clock_between(*self.host[sample])


def clock_between(begin, end):
    """Of pairs of cycles and nanoseconds, one a multiprocessor; 0: it was not met. None: it cannot be told."""
    cycles = nanoseconds = 0
    for at in range(0, len(begin), 2):
        if begin[at + 1] and end[at + 1] > begin[at + 1] and end[at] > begin[at]:
            cycles += end[at] - begin[at]
            nanoseconds += end[at + 1] - begin[at + 1]
    return cycles / nanoseconds * 1e9 if nanoseconds else None


class Stopwatch:
    def __init__(self, torch, clock, host=time):
        self.torch, self.clock, self.host = torch, clock, host
        l2_bytes = getattr(torch.cuda.get_device_properties(0), "L2_cache_size", 0) or (128 << 20)
        self.l2_bytes = l2_bytes
        self.flush = torch.zeros(2 * l2_bytes // 4, dtype=torch.float32, device="cuda")
        self.sum = torch.zeros((), dtype=torch.float32, device="cuda")
        self.most = MOST_SAMPLES + MOST_LATE

    def warm(self, call):
        """For half a second, so that clock and power are those of this call; returns how long queueing it took."""
        queueing = []
        until = self.host.monotonic() + WARM_UP_SECONDS
        while len(queueing) < 3 or self.host.monotonic() < until:
            self.torch.cuda.synchronize()
            began = self.host.perf_counter()
            call()
            queueing.append(self.host.perf_counter() - began)
            for _ in range(min(len(queueing), 16)):  # most of the time the device has work
                call()
        self.torch.cuda.synchronize()
        return statistics.median(queueing[1:])

    def sample(self, call, hold, number):
        """Device time in ns, and how long queueing took in seconds."""
        begin, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
        self.clock.stamp(number, 0)
        self.torch.sum(self.flush, dim=0, out=self.sum)
        self.torch.cuda._sleep(int(hold * SLEEP_HZ))
        began = self.host.perf_counter()
        begin.record()
        call()
        end.record()
        queueing = self.host.perf_counter() - began
        self.clock.stamp(number, 1)
        end.synchronize()
        return begin.elapsed_time(end) * 1e6, queueing

    def measure(self, call):
        """A row's part: medians of cold samples, the clock, cycles, and how much of the time the device worked."""
        hold = hold_seconds(self.warm(call))
        self.clock.restart(self.most)
        kept, late = [], 0
        began = self.host.monotonic()
        for number in range(self.most):
            elapsed = self.host.monotonic() - began
            if len(kept) == MOST_SAMPLES or (len(kept) >= LEAST_SAMPLES and elapsed >= SECONDS_A_ROW):
                break
            ns, queueing = self.sample(call, hold, number)
            # The device came to the call before it was queued: the host is in this time.
            if queueing > hold and late < MOST_LATE:
                late += 1
                hold = max(hold, hold_seconds(queueing))
                continue
            kept.append((number, ns))
        elapsed = self.host.monotonic() - began
        times = [ns for _, ns in kept]
        part = {"ns": statistics.median(times), "samples": len(times), "late": late, "hold_us": hold * 1e6}
        part["duty"] = sum(times) * 1e-9 / elapsed if elapsed > 0 else None
        clocks = [(self.clock.hz(number), ns) for number, ns in kept]
        known = [(hz, ns) for hz, ns in clocks if hz]
        if known:
            part["sm_clock"] = statistics.median(hz for hz, _ in known)
            part["cycles"] = statistics.median(hz * ns * 1e-9 for hz, ns in known)
        return part

    def hot(self, calls, cold_ns):
        """The time of one call among many that a graph launches back to back; `calls` are taken in turn, so that what
        one reads is not in the cache when its turn comes again."""
        torch = self.torch
        count = int(max(1, min(MOST_HOT_CALLS, HOT_BATCH_NS / cold_ns)))
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for call in calls:
                call()
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for number in range(count):
                calls[number % len(calls)]()
        graph.replay()
        times = []
        for _ in range(HOT_BATCHES):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            torch.cuda.synchronize()
            torch.cuda._sleep(int(hold_seconds(1e-3) * SLEEP_HZ))
            begin.record()
            graph.replay()
            end.record()
            end.synchronize()
            times.append(begin.elapsed_time(end) * 1e6 / count)
        return statistics.median(times)


def rotated(function, arguments, l2_bytes):
    """Calls on copies of the arguments, four times the cache in all; None where an argument is no plain tensor."""
    if not all(hasattr(one, "clone") and not getattr(one, "requires_grad", False) for one in arguments):
        return None
    bytes_of_call = sum(one.numel() * one.element_size() for one in arguments)
    count = max(1, min(256, -(-4 * l2_bytes // max(bytes_of_call, 1))))
    sets = [arguments] + [tuple(one.clone() for one in arguments) for _ in range(count - 1)]
    return [lambda chosen=chosen: function(*chosen) for chosen in sets]


def cublas_lt_version():
    """Of the library that this process has loaded: "13.0.2"; None: it has none."""
    try:
        with open("/proc/self/maps") as maps:
            paths = {line.split()[-1] for line in maps if "libcublasLt.so" in line}
        for path in sorted(paths):
            function = ctypes.CDLL(path).cublasLtGetVersion
            function.restype = ctypes.c_size_t
            version = function()
            return f"{version // 10000}.{version % 10000 // 100}.{version % 100}"
    except (OSError, AttributeError):
        pass
    return None


def driver_version():
    try:
        with open("/proc/driver/nvidia/version") as file:
            found = re.search(r"\b(\d+\.\d+(\.\d+)?)\b", file.read())
            return found[1] if found else None
    except OSError:
        return None


class Power:
    """Watts of the device by the driver's management library; None where it does not tell."""

    def __init__(self):
        try:
            self.library = ctypes.CDLL("libnvidia-ml.so.1")
            self.device = ctypes.c_void_p()
            if self.library.nvmlInit_v2() or self.library.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(self.device)):
                self.library = None
        except (OSError, AttributeError):
            self.library = None

    def watts(self):
        milliwatts = ctypes.c_uint()
        if self.library is None or self.library.nvmlDeviceGetPowerUsage(self.device, ctypes.byref(milliwatts)):
            return None
        return milliwatts.value / 1000
