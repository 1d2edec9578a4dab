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

// canonical() as the program wrote the name: a " [" inside it is no longer written out of the way, nor what looks so.
// For people; never an identity.
std::string name_as_given(std::string_view canonical);
// Whether canonical text is of this suite; an empty one is that of benchmarks without.
bool is_of_suite(std::string_view canonical, std::string_view suite);
// The canonical text of what a person typed, with or without the suffix: "nice name [x] [suite=cpu]".
std::string canonical_as_typed(std::string_view typed);

// Takes a Google Benchmark run name apart: "BM_x<a/b>/8/rows:64/real_time/threads:2". A slash inside <>, () or quotes
// belongs to the name. canonical() of the result is the name it was given.
BenchmarkId parse_google_benchmark_name(std::string_view run_name);

// "/draw:2": the second input of a fuzzer that got the same name. A number, but no size.
inline constexpr std::string_view kRepeatedDraw = "draw";

// Letters, digits and _ . -, a letter or _ first, at most 100 bytes: "/name:value" is then one part of a name.
bool can_name_parameter(std::string_view name);
// A word that Google Benchmark itself appends to a name, in any version: "iterations", "real_time", "threads", ... It
// says how was measured, not what, so no parameter of ours bears it.
bool is_measuring_word(std::string_view name);

}  // namespace steelyard
