// Excludes a benchmark whose dtype this CPU cannot compute with, in words, instead of ending in an illegal instruction.
//
//     if (steelyard::skip_without_dtype(state, "bf16")) return;
#pragma once

#include <benchmark/benchmark.h>

#include <string>
#include <string_view>

namespace steelyard {

// Empty where the CPU described by the text of /proc/cpuinfo computes with the dtype, else a sentence that says what it
// lacks. "f64", "f32", "i8": every CPU. "f16", "bf16", "i8dot": those with the extension. Others: a sentence too.
std::string lacking_dtype(std::string_view dtype, std::string_view cpuinfo);

// True: the state was skipped with the sentence, which names this CPU's lack. An unreadable /proc/cpuinfo is a lack.
bool skip_without_dtype(benchmark::State& state, std::string_view dtype);

}  // namespace steelyard
