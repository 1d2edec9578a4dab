#include "tests/studies/judging/study_arguments.hpp"

#include <algorithm>
#include <charconv>

namespace steelyard::judging {

std::string StudyArguments::text(std::string_view option) const {
  const auto at = values.find(option);
  return at == values.end() ? "" : at->second;
}

int StudyArguments::number(std::string_view option, int otherwise) const {
  const auto at = values.find(option);
  if (at == values.end()) return otherwise;
  int value = 0;
  const char* const end = at->second.data() + at->second.size();
  const auto [read, code] = std::from_chars(at->second.data(), end, value);
  return code == std::errc() && read == end && value > 0 ? value : 0;
}

std::optional<StudyArguments> read_study_arguments(std::span<const char* const> arguments,
                                                   std::span<const std::string_view> known) {
  if (arguments.size() % 2 == 0) return std::nullopt;
  StudyArguments given;
  given.folder = arguments.front();
  for (std::size_t i = 1; i < arguments.size(); i += 2) {
    if (std::find(known.begin(), known.end(), arguments[i]) == known.end()) return std::nullopt;
    given.values[arguments[i]] = arguments[i + 1];
  }
  return given;
}

}  // namespace steelyard::judging
