// Reads the "context" of a Google Benchmark file: what it says of its machine, its date, and the keys by which a runner
// tells how its processes were laid out. Internal to bench/formats.
//
//     ./bench --benchmark_context=steelyard_layout=interleaved,steelyard_round=3,steelyard_order=AB
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "bench/formats/google_benchmark.hpp"
#include "bench/formats/google_benchmark_records.hpp"

namespace steelyard {

// Facts are named "google." and the context's key. Decisive are only num_cpus and the sizes of the caches: the rest
// changes from one process to the next (mhz_per_cpu, load_avg), from one container to the next (host_name) or is not
// the machine's. Keys that begin with "gpu." are facts under their own names (bench/environment/gpu_facts.hpp). The
// three keys of ours fill their own fields:
//   steelyard_layout  interleaved, duet, sequential or separate
//   steelyard_round   a number from 0
//   steelyard_order   0 or first, 1 or second: this process among the two of its round; or AB (baseline first), BA
void read_google_benchmark_context(const nlohmann::json& context, GoogleBenchmarkFile& file, BadRecordList& bad);

}  // namespace steelyard
