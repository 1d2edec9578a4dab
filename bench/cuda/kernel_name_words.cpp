#include "bench/cuda/kernel_name_words.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace steelyard {
namespace {

using Pair = std::pair<std::string_view, std::string_view>;

// Longer spellings first: "bf16" ends in "f16".
constexpr std::array<Pair, 22> kTypes{{
    {"bfloat16", "bf16"}, {"bf16", "bf16"},   {"tf32", "tf32"}, {"fp16", "f16"},  {"fp32", "f32"},  {"fp64", "f64"},
    {"fp8", "f8"},        {"f16", "f16"},     {"f32", "f32"},   {"f64", "f64"},   {"e4m3", "e4m3"}, {"e5m2", "e5m2"},
    {"e2m1", "e2m1"},     {"ue8m0", "ue8m0"}, {"int8", "s8"},   {"s32", "s32"},   {"i32", "s32"},   {"u8", "u8"},
    {"s8", "s8"},         {"i8", "s8"},       {"s4", "s4"},     {"void", "none"},
}};
constexpr std::array<Pair, 9> kArchitectures{{
    {"maxwell", "sm50"},
    {"pascal", "sm60"},
    {"volta", "sm70"},
    {"turing", "sm75"},
    {"ampere", "sm80"},
    {"ada", "sm89"},
    {"hopper", "sm90"},
    {"blackwell", "sm100"},
    {"80", "sm80"},
}};
constexpr std::array<Pair, 11> kCppTypes{{
    {"Bf16", "bf16"},
    {"F16", "f16"},
    {"E4m3", "e4m3"},
    {"__nv_bfloat16", "bf16"},
    {"nv_bfloat16", "bf16"},
    {"__half", "f16"},
    {"half", "f16"},
    {"float", "f32"},
    {"double", "f64"},
    {"signed char", "s8"},
    {"__nv_fp8_e4m3", "e4m3"},
}};
// As seen in kernels whose operands are known: cuBLAS's own letters.
constexpr std::array<Pair, 4> kNvjetLetters{{{"h", "f16"}, {"t", "bf16"}, {"s", "f32"}, {"q", "e4m3"}}};

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

template <std::size_t n>
std::string meaning(const std::array<Pair, n>& table, std::string_view word) {
  for (const auto& [spelling, one] : table) {
    if (spelling == word) return std::string(one);
  }
  return {};
}

// "16816" is 16 x 8 x 16, "1688" 16 x 8 x 8, "884" 8 x 8 x 4: m, n, k without a mark between, as the names of NVIDIA's
// mma instructions have it (PTX ISA, "Matrix multiply-accumulate instructions").
std::string split_instruction(std::string_view digits) {
  constexpr std::array<Pair, 8> kShapes{{{"16816", "16x8x16"},
                                         {"1688", "16x8x8"},
                                         {"884", "8x8x4"},
                                         {"16832", "16x8x32"},
                                         {"8816", "8x8x16"},
                                         {"8832", "8x8x32"},
                                         {"16864", "16x8x64"},
                                         {"161616", "16x16x16"}}};
  return meaning(kShapes, digits);
}

}  // namespace

std::vector<std::string> words_of(std::string_view name) {
  if (name.starts_with("void ")) name.remove_prefix(5);
  std::vector<std::string> words(1);
  for (const char letter : name) {
    if (letter == '(' || letter == '<' || letter == ' ') break;
    if (letter == '_') {
      words.emplace_back();
    } else {
      words.back() += letter;
    }
  }
  std::erase(words, std::string());
  return words;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  return lower;
}

bool is_number(std::string_view word) { return !word.empty() && std::all_of(word.begin(), word.end(), is_digit); }

bool is_size(std::string_view word) {
  const std::size_t cross = word.find('x');
  if (cross == std::string_view::npos || !is_number(word.substr(0, cross))) return false;
  const std::string_view rest = word.substr(cross + 1);
  return is_number(rest) || is_size(rest);
}

bool is_layout(std::string_view word) {
  constexpr std::size_t kMostOperands = 4;
  return !word.empty() && word.size() <= kMostOperands &&
         (word.find_first_not_of("tn") == std::string_view::npos ||
          word.find_first_not_of("TN") == std::string_view::npos);
}

std::string arch_of(std::string_view word) {
  if (word.starts_with("sm") && word.size() >= 4 && word.size() <= 6 && is_digit(word[2]) && is_digit(word[3])) {
    return std::string(word);
  }
  return meaning(kArchitectures, word);
}

std::vector<std::string> types_of(std::string_view word) {
  std::vector<std::string> types;
  while (!word.empty()) {
    const auto* found =
        std::find_if(kTypes.begin(), kTypes.end(), [&](const Pair& pair) { return word.starts_with(pair.first); });
    if (found == kTypes.end()) return {};
    types.emplace_back(found->second);
    word.remove_prefix(found->first.size());
  }
  return types;
}

std::vector<std::string> nvjet_types(std::string_view word) {
  if (word.size() < 3 || word.size() > 6) return {};
  std::vector<std::string> types;
  for (const char letter : word) {
    if (letter < 'a' || letter > 'z') return {};
    const std::string known = meaning(kNvjetLetters, std::string_view(&letter, 1));
    types.push_back(known.empty() ? std::string(1, letter) : known);
  }
  return types;
}

std::string instruction_of(std::string_view word) {
  if (!word.ends_with("gemm")) return {};
  word.remove_suffix(4);
  if (word == "s" || word == "d" || word == "h") return "scalar";
  if (!word.empty() && !is_digit(word.front())) word.remove_prefix(1);
  if (is_size(word)) return std::string(word);
  return split_instruction(word);
}

std::string one_spelling(std::string_view type) {
  // Numbers in template arguments carry their type in some demanglers: "(int)8".
  if (type.starts_with("(") && type.find(')') != std::string_view::npos) type.remove_prefix(type.find(')') + 1);
  for (const std::string_view ours : {"steelyard::cuda_suite::", "steelyard::cuda::"}) {
    if (type.starts_with(ours)) type.remove_prefix(ours.size());
  }
  const std::string known = meaning(kCppTypes, type);
  return known.empty() ? std::string(type) : known;
}

}  // namespace steelyard
