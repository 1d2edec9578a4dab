// The rows that verbs have in common: options that set a plain field, those of steelyard.toml's keys, and the common
// ones.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ci/grammar/verb.hpp"

namespace steelyard {

inline constexpr const char* kGeneralGroup = "General";
inline constexpr const char* kBuildingGroup = "Building";

VerbOption flag_option(std::string name, bool& target, std::string help);
VerbOption text_option(std::string name, std::string value, std::string& target, std::string help,
                       std::string group = kGeneralGroup);
VerbOption path_option(std::string name, std::string value, std::filesystem::path& target, std::string help);
// The words between the commas.
VerbOption list_option(std::string name, std::string value, std::vector<std::string>& target, std::string help);
// One text each time it is given; commas are part of it.
VerbOption repeated_option(std::string name, std::string value, std::vector<std::string>& target, std::string help);
VerbOption number_option(std::string name, int& target, std::string help);  // from 1 to 100,000
VerbOption explain_option(std::string& target);                             // of the verbs that judge
VerbOption seed_option(std::optional<std::uint64_t>& target);

// --svg-dir, --pictures.
void add_picture_options(Verb& verb, PictureOptions& pictures);

// --json, --quiet, --color.
void add_common_options(Verb& verb, CommonOptions& common);

// The options of every key of these tables of steelyard.toml, as overrides of the file; `without` names options.
struct KeyChoice {
  std::vector<std::string_view> sections;
  std::vector<std::string_view> without;
};
void add_key_options(Verb& verb, CommonOptions& common, const KeyChoice& choice);

}  // namespace steelyard
