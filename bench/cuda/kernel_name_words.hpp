// The words of which kernel names are made (kernel_name.hpp): what a part between two underscores means. Each returns
// nothing where the word is of another kind.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace steelyard {

// At "_"; those that a function's argument list or namespaces follow are cut there.
std::vector<std::string> words_of(std::string_view name);
std::string joined(const std::vector<std::string>& words);  // by ", "
std::string in_lower_case(std::string_view text);

// "128x256", "128x256x64".
bool is_size(std::string_view word);
bool is_number(std::string_view word);
// "tn", "n", "TNT": only these letters, at most four.
bool is_layout(std::string_view word);

// "sm80" of "sm80", "80" or "ampere".
std::string arch_of(std::string_view word);
// Of "f16f32" both. "fp16" and "float16" read "f16".
std::vector<std::string> types_of(std::string_view word);
// Of "hsh", "qqtst": a letter an operand. A letter that is not known stays itself.
std::vector<std::string> nvjet_types(std::string_view word);
// "16x8x16" of "s16816gemm" and of "i16816gemm", "64x256x16" of "s64x256x16gemm"; of "sgemm" and "dgemm", which use no
// tensor cores, "scalar".
std::string instruction_of(std::string_view word);

// A C++ type as the types of a library are spelled: "bf16" of "__nv_bfloat16", "f32" of "float"; others as they are.
std::string one_spelling(std::string_view type);

}  // namespace steelyard
