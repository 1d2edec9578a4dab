// Reads the "context" of a Google Benchmark file: what it says of its machine, its date, and the keys by which a runner
// tells how its processes were laid out. Internal to bench/formats.
//
//     ./bench --benchmark_context=steelyard_layout=interleaved,steelyard_round=3,steelyard_order=AB
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "bench/formats/google_benchmark.hpp"
#include "bench/formats/google_benchmark_records.hpp"

namespace steelyard::bench {

// Reads the date and time that benchmark programs print: ISO 8601, to the second or finer, with or without an offset
// from UTC. Not a general date parser: no week dates, no month names.
//
//     parse_timestamp("2026-11-21T08:51:57+00:00")  // 1795251117000000000

// Nanoseconds since 1970-01-01T00:00:00Z. The date and the time may be parted by 'T' or a blank (Google Benchmark
// before 1.5.1 wrote "2019-08-23 11:12:13"); without an offset the text is taken as UTC. Digits beyond the ninth of a
// fraction are dropped. Absent where the text is anything else, names no real day, or lies outside of 1970 to 2261.
std::optional<std::int64_t> parse_timestamp(std::string_view text);
// For messages.
inline constexpr const char* kWantedTimestamp = "a time from 1970 to 2261, as \"2026-11-21T08:51:57+00:00\"";

// What the context of a file says of the device that was measured, laid over its benchmarks. Internal to bench/formats.

// Where the context has "gpu.device": sets BenchmarkId::device of all that the file holds, by which labels are found
// too, and makes the launches and the device memory of an iteration counts: they hold for that device, whichever
// libraries were called.
void take_device(GoogleBenchmarkFile& file);

// Facts are named "google." and the context's key. Decisive are only num_cpus and the sizes of the caches: the rest
// changes from one process to the next (mhz_per_cpu, load_avg), from one container to the next (host_name) or is not
// the machine's. Keys that begin with "gpu." are facts under their own names (bench/environment/gpu_facts.hpp). The
// three keys of ours fill their own fields:
//   steelyard_layout  interleaved, duet, sequential or separate
//   steelyard_round   a number from 0
//   steelyard_order   0 or first, 1 or second: this process among the two of its round; or AB (baseline first), BA
void read_google_benchmark_context(const nlohmann::json& context, GoogleBenchmarkFile& file, BadRecordList& bad);

}  // namespace steelyard::bench
