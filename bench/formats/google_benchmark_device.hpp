// What the context of a file says of the device that was measured, laid over its benchmarks. Internal to bench/formats.
#pragma once

#include "bench/formats/google_benchmark.hpp"

namespace steelyard {

// Where the context has "gpu.device": sets BenchmarkId::device of all that the file holds, by which labels are found
// too, and makes the launches and the device memory of an iteration counts: they hold for that device, whichever
// libraries were called.
void take_device(GoogleBenchmarkFile& file);

}  // namespace steelyard
