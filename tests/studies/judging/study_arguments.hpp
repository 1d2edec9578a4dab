// The command line of a study: a folder of recordings, then options with a value each.
//
//     const auto given = read_study_arguments({arguments + 1, arguments + count}, {"--row", "--gates"});
//     given->number("--gates", 1000)
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace steelyard::judging {

class StudyArguments {
 public:
  std::string folder;
  std::map<std::string, std::string, std::less<>> values;  // by option

  std::string text(std::string_view option) const;           // empty: not given
  int number(std::string_view option, int otherwise) const;  // 0: given, and no whole number above 0
};

// Absent where there is no folder, an option that is none of `known`, or one without a value.
std::optional<StudyArguments> read_study_arguments(std::span<const char* const> arguments,
                                                   std::span<const std::string_view> known);

}  // namespace steelyard::judging
