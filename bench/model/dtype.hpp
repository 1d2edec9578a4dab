// The names of arithmetic types. A ceiling bears one of ours ("f32"); programs write what their language calls it
// ("float", "fp32", "float32"). Where a benchmark names none, none is assumed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/benchmark_id.hpp"

namespace steelyard {

// "float", "fp32" -> "f32"; whatever the case. Absent for what is no arithmetic type.
std::optional<std::string> dtype_named(std::string_view word);
// Ours: "f64", "f32", "tf32", "bf16", "f16", "f8", "i8", and the tensor cores' own ways (ceiling.hpp).
std::vector<std::string> known_dtypes();

// The declared dtype; else that of a parameter (`gemv/f32/512`, `gemv/dtype:bf16`), else of a template argument
// (`BM_gemv<float>`). Absent where there is none, or several that differ.
std::optional<std::string> dtype_of(const BenchmarkId& id);

}  // namespace steelyard
