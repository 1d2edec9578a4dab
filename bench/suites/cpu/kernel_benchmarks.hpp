// The suite's benchmarks: which kernels, at which sizes, on which inputs.
#pragma once

namespace steelyard::cpu_suite {

// Registers all of them with Google Benchmark. Call once, before benchmark::RunSpecifiedBenchmarks.
void register_kernel_benchmarks();

}  // namespace steelyard::cpu_suite
