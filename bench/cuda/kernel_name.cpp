#include "bench/cuda/kernel_name.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "bench/environment/readable_symbol.hpp"
#include "bench/model/text.hpp"

namespace steelyard::bench {
namespace {

// The words of which kernel names are made (kernel_name.hpp): what a part between two underscores means. Each returns
// nothing where the word is of another kind.

// At "_"; those that a function's argument list or namespaces follow are cut there.
std::vector<std::string> words_of(std::string_view name);

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
// cuBLAS's own letters, as seen in kernels whose operands are known.
constexpr std::array<Pair, 4> kNvjetLetters{{{"h", "f16"}, {"t", "bf16"}, {"s", "f32"}, {"q", "e4m3"}}};

bool is_decimal(char letter) { return letter >= '0' && letter <= '9'; }

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

bool is_number(std::string_view word) { return !word.empty() && std::all_of(word.begin(), word.end(), is_decimal); }

bool is_size(std::string_view word) {
  const std::size_t cross = word.find('x');
  if (cross == std::string_view::npos || !is_number(word.substr(0, cross))) return false;
  const std::string_view rest = word.substr(cross + 1);
  return is_number(rest) || is_size(rest);
}

bool is_layout(std::string_view word) {
  constexpr std::size_t kMaxOperands = 4;
  return !word.empty() && word.size() <= kMaxOperands &&
         (word.find_first_not_of("tn") == std::string_view::npos ||
          word.find_first_not_of("TN") == std::string_view::npos);
}

std::string arch_of(std::string_view word) {
  if (word.starts_with("sm") && word.size() >= 4 && word.size() <= 6 && is_decimal(word[2]) && is_decimal(word[3])) {
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
  if (!word.empty() && !is_decimal(word.front())) word.remove_prefix(1);
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

using Words = std::vector<std::string>;

// The compiler names such a namespace after the file and its content, and a demangler by these words.
std::string without_anonymous_namespaces(std::string name) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  for (std::size_t at = name.find(kAnonymous); at != std::string::npos; at = name.find(kAnonymous)) {
    name.erase(at, kAnonymous.size());
  }
  return name;
}

// What tells two kernels apart. Our own by what is known of them: their text has namespaces and parameters too.
std::string identity_of(const KernelName& name) { return name.family == "steelyard" ? short_text(name) : name.text; }

// The arguments between the brackets at `open`, split at the outer commas.
Words template_arguments(std::string_view name, std::size_t open) {
  Words arguments(1);
  int depth = 0;
  for (std::size_t i = open; i < name.size(); ++i) {
    const char letter = name[i];
    if (letter == '<' || letter == '(') ++depth;
    if (letter == '>' || letter == ')') --depth;
    if (depth == 0) break;
    if (depth == 1 && letter == ',') {
      arguments.emplace_back();
    } else if (!(depth == 1 && letter == '<') && !(letter == ' ' && arguments.back().empty())) {
      arguments.back() += letter;
    }
  }
  return arguments;
}

// "void steelyard::cuda_suite::layer_norm<float, 8>(float const*)": kernel layer_norm, operands float and 8.
KernelName own_kernel(KernelName name, std::string_view readable) {
  std::size_t begin = readable.find("steelyard::");
  const std::size_t open = readable.find_first_of("<(", begin);
  const std::size_t colons = readable.substr(0, open).rfind("::");
  begin = colons == std::string_view::npos ? begin : colons + 2;
  name.family = "steelyard";
  name.kernel = readable.substr(begin, open == std::string_view::npos ? open : open - begin);
  if (open != std::string_view::npos && readable[open] == '<') {
    name.operands = template_arguments(readable, open);
    for (std::string& operand : name.operands) operand = one_spelling(operand);
  }
  return name;
}

// The family's name is a part of the longer names of its kernels, so that the longest is asked for first.
std::string family_of(const Words& words) {
  const auto has = [&](auto is) { return std::find_if(words.begin(), words.end(), is) != words.end(); };
  if (words.front() == "nvjet") return "nvjet";
  if (words.front() == "cutlass3x") return "cutlass3x";
  if (words.front() == "cutlass") return "cutlass";
  if (has([](const std::string& word) { return word == "xmma"; })) return "xmma";
  if (!arch_of(words.front()).empty() && has([](const std::string& word) { return !instruction_of(word).empty(); })) {
    return "cublas";
  }
  return {};
}

// Where sizes without a word of their own stand in the order of each family's names.
struct SizeOrder {
  std::string_view family;
  std::array<std::string_view, 3> fields;
};
constexpr std::array<SizeOrder, 4> kSizeOrders{
    SizeOrder{"cublas", {"tile", "", ""}},
    SizeOrder{"cutlass", {"tile", "depth", ""}},
    SizeOrder{"cutlass3x", {"tile", "cluster", ""}},
    SizeOrder{"nvjet", {"tile", "depth", "cluster"}},
};

void take_size(KernelName& name, std::string_view field, const std::string& size) {
  if (field == "tile") {
    name.tile = size;
  } else if (field == "cluster") {
    name.cluster = size;
  } else if (field == "depth") {  // "64x4": the tile's depth and the stages
    const std::size_t cross = size.find('x');
    name.tile += "x" + size.substr(0, cross);
    name.stages = size.substr(cross + 1);
  } else {
    name.options.push_back(size);
  }
}

// One that says what it is: "tilesize32x32x16", "stage3", "warpsize2x2x1", "tensor16x8x16", "sliced1x2".
bool take_named(KernelName& name, const std::string& word) {
  const auto named = [&](std::string_view prefix, std::string& field) {
    if (!word.starts_with(prefix) || word.size() == prefix.size()) return false;
    const std::string rest = word.substr(prefix.size());
    if (rest.find_first_not_of("0123456789x") != std::string::npos) return false;
    field = rest;
    return true;
  };
  return named("tilesize", name.tile) || named("stage", name.stages) || named("warpsize", name.warps) ||
         named("warpgroupsize", name.warps) || named("cgasize", name.cluster) || named("tensor", name.instruction);
}

bool take_type_or_layout(KernelName& name, const std::string& word) {
  if (const Words types = types_of(word); !types.empty()) {
    name.operands.insert(name.operands.end(), types.begin(), types.end());
    return true;
  }
  if (!is_layout(word)) return false;
  name.layouts += (name.layouts.empty() ? "" : " ") + lower_case(word);
  return true;
}

KernelName library_kernel(KernelName name, const Words& words) {
  name.kernel = "gemm";
  const auto* order = std::find_if(kSizeOrders.begin(), kSizeOrders.end(),
                                   [&](const SizeOrder& one) { return one.family == name.family; });
  std::size_t sizes = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == name.family || word == "gemm" || word == "tensorop" || word.empty()) continue;
    if (name.arch.empty() && !arch_of(word).empty()) {
      name.arch = arch_of(word);
    } else if (name.family == "nvjet" && name.operands.empty() && !nvjet_types(word).empty()) {
      name.operands = nvjet_types(word);
    } else if (!instruction_of(word).empty()) {
      name.instruction = instruction_of(word);
    } else if (word == "stages" && i + 1 < words.size() && is_size(words[i + 1])) {
      take_size(name, "depth", words[++i]);
    } else if (is_size(word)) {
      take_size(name, order == kSizeOrders.end() || sizes >= 3 ? "" : order->fields[sizes], word);
      ++sizes;
    } else if (name.family == "cutlass3x" && name.stages.empty() && !name.cluster.empty() && is_number(word)) {
      name.stages = word == "0" ? "automatic" : word;
    } else if (!take_named(name, word) && !take_type_or_layout(name, word)) {
      name.options.push_back(word);
    }
  }
  return name;
}

// Each field in words, for what differs.
struct Field {
  std::string_view word;
  std::string value;
};
std::vector<Field> fields_of(const KernelName& name) {
  return {{"family", name.family},
          {"architecture", name.arch},
          {"kernel", name.kernel},
          {"types", joined_text(name.operands, ", ")},
          {"instruction", name.instruction},
          {"layouts", name.layouts},
          {"tile", name.tile},
          {"stages", name.stages},
          {"warps", name.warps},
          {"cluster", name.cluster},
          {"options", joined_text(name.options, ", ")}};
}

std::string count_text(std::size_t count) { return std::to_string(count) + (count == 1 ? " launch" : " launches"); }

}  // namespace

KernelName parse_kernel_name(std::string_view text) {
  KernelName name;
  name.text = text;
  if (text.empty() || text.size() > kLongestKernelName) return name;
  const std::string readable = without_anonymous_namespaces(readable_symbol(text));
  const std::size_t arguments = readable.find_first_of("<(");
  if (readable.substr(0, arguments).find("steelyard::") != std::string::npos) return own_kernel(name, readable);
  // "void cutlass::Kernel2<cutlass_80_tensorop_...>(...)": the name is the first argument.
  const bool is_wrapped =
      readable.find("cutlass::") != std::string::npos && arguments != std::string::npos && readable[arguments] == '<';
  const Words words = words_of(is_wrapped ? template_arguments(readable, arguments).front() : readable);
  if (words.empty()) return name;
  name.family = family_of(words);
  return name.is_known() ? library_kernel(std::move(name), words) : name;
}

std::string short_text(const KernelName& name) {
  constexpr std::size_t kLongest = 120;
  std::string text = name.text;
  if (name.family == "steelyard") {
    text = name.kernel + (name.operands.empty() ? "" : "<" + joined_text(name.operands, ", ") + ">");
  } else if (text.starts_with("_Z")) {
    text = readable_symbol(text);
  }
  return text.size() <= kLongest ? text : text.substr(0, kLongest - 3) + "...";
}

std::vector<std::string> kernel_differences(const KernelName& before, const KernelName& after) {
  if (identity_of(before) == identity_of(after)) return {};
  Words differences;
  if (before.is_known() && after.is_known()) {
    const std::vector<Field> old_fields = fields_of(before);
    const std::vector<Field> new_fields = fields_of(after);
    for (std::size_t i = 0; i < old_fields.size(); ++i) {
      const std::string& old_value = old_fields[i].value;
      const std::string& new_value = new_fields[i].value;
      if (old_value == new_value) continue;
      differences.push_back(std::string(old_fields[i].word) + " " + (old_value.empty() ? "unsaid" : old_value) +
                            " became " + (new_value.empty() ? "unsaid" : new_value));
    }
  }
  if (differences.empty()) differences.push_back("kernel " + short_text(before) + " became " + short_text(after));
  return differences;
}

std::vector<std::string> kernel_changes(const std::vector<std::string>& before, const std::vector<std::string>& after) {
  std::map<std::string, std::size_t> old_counts;
  std::map<std::string, std::size_t> new_counts;
  std::map<std::string, KernelName> parsed;
  const auto count = [&](const Words& names, std::map<std::string, std::size_t>& counts) {
    Words identities;
    for (const std::string& text : names) {
      const KernelName name = parse_kernel_name(text);
      identities.push_back(identity_of(name));
      ++counts[identities.back()];
      parsed.emplace(identities.back(), name);
    }
    return identities;
  };
  const Words old_names = count(before, old_counts);
  const Words new_names = count(after, new_counts);
  const auto only_in = [](const Words& names, const std::map<std::string, std::size_t>& others) {
    Words only;
    for (const std::string& name : names) {
      if (!others.contains(name) && std::find(only.begin(), only.end(), name) == only.end()) only.push_back(name);
    }
    return only;
  };
  const Words gone = only_in(old_names, new_counts);
  const Words added = only_in(new_names, old_counts);
  Words changes;
  for (std::size_t i = 0; i < std::max(gone.size(), added.size()); ++i) {
    const KernelName* old_name = i < gone.size() ? &parsed.at(gone[i]) : nullptr;
    const KernelName* new_name = i < added.size() ? &parsed.at(added[i]) : nullptr;
    if (new_name == nullptr) {
      changes.push_back("kernel " + short_text(*old_name) + " is gone");
    } else if (old_name == nullptr) {
      changes.push_back("kernel " + short_text(*new_name) + " is new");
    } else {
      std::string change = "kernel " + short_text(*old_name) + " became " + short_text(*new_name);
      if (const Words what = kernel_differences(*old_name, *new_name); what.front() != change) {
        change += ": " + joined_text(what, ", ");
      }
      changes.push_back(change);
    }
  }
  for (const auto& [name, launches] : old_counts) {
    const auto now = new_counts.find(name);
    if (now == new_counts.end() || now->second == launches) continue;
    changes.push_back(count_text(launches) + " became " + std::to_string(now->second) + " of kernel " +
                      short_text(parsed.at(name)));
  }
  return changes;
}

}  // namespace steelyard::bench
