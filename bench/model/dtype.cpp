#include "bench/model/dtype.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "bench/model/text.hpp"

namespace steelyard {
namespace {

struct DtypeName {
  std::string_view ours;
  std::array<std::string_view, 4> others;
};
constexpr std::array kDtypes{DtypeName{"f64", {"fp64", "float64", "double", ""}},
                             DtypeName{"f32", {"fp32", "float32", "float", ""}},
                             DtypeName{"tf32", {"", "", "", ""}},
                             DtypeName{"bf16", {"bfloat16", "", "", ""}},
                             DtypeName{"f16", {"fp16", "float16", "half", ""}},
                             DtypeName{"f8", {"fp8", "float8", "", ""}},
                             DtypeName{"i8", {"int8", "int8_t", "", ""}},
                             DtypeName{"f64tc", {"", "", "", ""}},
                             DtypeName{"f16acc16", {"", "", "", ""}},
                             DtypeName{"f8acc16", {"", "", "", ""}}};

// The words of "BM_gemv<float, std::less<float>>" inside its brackets: "float", "std::less", "float".
std::vector<std::string_view> template_words(std::string_view name) {
  std::vector<std::string_view> words;
  const std::size_t open = name.find('<');
  if (open == std::string_view::npos) return words;
  std::size_t at = open;
  while (at < name.size()) {
    const std::size_t begin = name.find_first_not_of("<>,() ", at);
    if (begin == std::string_view::npos) break;
    at = std::min(name.find_first_of("<>,() ", begin), name.size());
    words.push_back(name.substr(begin, at - begin));
  }
  return words;
}

std::optional<std::string> only_one(const std::set<std::string>& dtypes) {
  return dtypes.size() == 1 ? std::optional(*dtypes.begin()) : std::nullopt;
}

}  // namespace

std::optional<std::string> dtype_named(std::string_view word) {
  const std::string name = lower_case(word);
  if (name.empty()) return std::nullopt;
  for (const DtypeName& dtype : kDtypes) {
    if (dtype.ours == name || std::find(dtype.others.begin(), dtype.others.end(), name) != dtype.others.end()) {
      return std::string(dtype.ours);
    }
  }
  return std::nullopt;
}

std::vector<std::string> known_dtypes() {
  std::vector<std::string> names;
  for (const DtypeName& dtype : kDtypes) names.emplace_back(dtype.ours);
  return names;
}

std::optional<std::string> dtype_of(const BenchmarkId& id) {
  // One that is declared and unknown to us stays as it is: no ceiling will have it.
  if (!id.dtype.empty()) return dtype_named(id.dtype).value_or(id.dtype);
  std::set<std::string> named;
  for (const Parameter& parameter : id.parameters) {
    if (const auto dtype = dtype_named(parameter.value)) named.insert(*dtype);
  }
  if (!named.empty()) return only_one(named);
  for (const std::string_view word : template_words(id.name)) {
    if (const auto dtype = dtype_named(word)) named.insert(*dtype);
  }
  return only_one(named);
}

}  // namespace steelyard
