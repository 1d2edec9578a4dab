// What is measured: suite, name, parameters, threads, device, dtype. Two results belong together exactly if their
// canonical texts are equal. Nothing here depends on the order in which benchmarks were registered.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace steelyard {

struct Parameter {
  std::string name;  // empty for a positional parameter
  std::string value;
  auto operator<=>(const Parameter&) const = default;
};

struct BenchmarkId {
  std::string name;                   // "BM_sort"
  std::vector<Parameter> parameters;  // in the order of the program's own name
  std::optional<int> threads;         // absent: the program does not say, so one
  std::string suite;                  // the project's name for the program; empty for a plain file
  std::string device;                 // empty: the CPU
  std::string dtype;                  // empty: not declared

  // "BM_sort/1024", "BM_copy/size:64/threads:2", "BM_gemm/512 [suite=cpu,dtype=f32]". Injective.
  std::string canonical() const;
  auto operator<=>(const BenchmarkId&) const = default;
};

// Takes a Google Benchmark run name apart: "BM_x<a/b>/8/rows:64/real_time/threads:2". A slash inside <>, () or quotes
// belongs to the name. canonical() of the result is the name it was given.
BenchmarkId parse_google_benchmark_name(std::string_view run_name);

}  // namespace steelyard
