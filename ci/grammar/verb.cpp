#include "ci/grammar/verb.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

#include "bench/model/parse_number.hpp"

namespace steelyard::ci {
namespace {

std::string group_of(std::string_view section) {
  if (section == "run") return "Measuring";
  if (section == "policy" || section == "gate") return kJudgingGroup;
  return section == "build" ? kBuildingGroup : kGeneralGroup;
}

bool is_listed(const std::vector<std::string_view>& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

}  // namespace

VerbOption flag_option(std::string name, bool& target, std::string help) {
  const auto set = [&target](const std::string&) -> Result<void> { return target = true, Result<void>(); };
  return {std::move(name), "", std::move(help), kGeneralGroup, false, set};
}

VerbOption text_option(std::string name, std::string value, std::string& target, std::string help, std::string group) {
  const auto set = [&target](const std::string& text) -> Result<void> { return target = text, Result<void>(); };
  return {std::move(name), std::move(value), std::move(help), std::move(group), false, set};
}

VerbOption path_option(std::string name, std::string value, std::filesystem::path& target, std::string help) {
  const auto set = [&target](const std::string& text) -> Result<void> { return target = text, Result<void>(); };
  return {std::move(name), std::move(value), std::move(help), kGeneralGroup, false, set};
}

VerbOption output_option(std::string name, std::string value, std::filesystem::path& target, std::string help,
                         Writes writes) {
  VerbOption option = path_option(std::move(name), std::move(value), target, std::move(help));
  option.writes = writes;
  return option;
}

VerbOption list_option(std::string name, std::string value, std::vector<std::string>& target, std::string help) {
  const auto set = [&target](const std::string& text) -> Result<void> {
    std::istringstream words(text);
    for (std::string word; std::getline(words, word, ',');) target.push_back(word);
    return {};
  };
  return {std::move(name), std::move(value), std::move(help), kGeneralGroup, true, set};
}

VerbOption repeated_option(std::string name, std::string value, std::vector<std::string>& target, std::string help) {
  const auto set = [&target](const std::string& text) -> Result<void> {
    return target.push_back(text), Result<void>();
  };
  VerbOption option{std::move(name), std::move(value), std::move(help), kGeneralGroup, false, set};
  option.is_repeated = true;
  return option;
}

VerbOption number_option(std::string name, int& target, std::string help, CountRange range) {
  const auto set = [&target, name, range](const std::string& text) -> Result<void> {
    STEELYARD_TRY(const std::int64_t number, read_count(WrittenValue{text, true}, name, range));
    target = static_cast<int>(number);
    return {};
  };
  return {name, "N", std::move(help), kGeneralGroup, false, set};
}

VerbOption seed_option(std::optional<std::uint64_t>& target) {
  const auto set = [&target](const std::string& text) -> Result<void> {
    const auto seed = parse_as<std::uint64_t>(text);
    if (!seed) {
      return input_error("--seed", '"' + text + '"', "a whole number from 0 to 18446744073709551615");
    }
    target = seed;
    return {};
  };
  return {"--seed", "N", "of everything random; drawn and recorded where it is not given", kGeneralGroup, false, set};
}

void add_common_options(Verb& verb) {
  CommonOptions& common = *verb.common;
  verb.add(flag_option("--json", common.json, "print the result as JSON"));
  verb.add(flag_option("--quiet", common.quiet, "no progress and no notes: results and errors only"));
  const auto set_color = [&common](const std::string& text) -> Result<void> {
    STEELYARD_TRY(const std::size_t word, read_word(WrittenValue{text, true}, "--color", {"auto", "always", "never"}));
    common.color = static_cast<ColorChoice>(word);
    return {};
  };
  verb.add(
      {"--color", "auto|always|never", "auto: on a terminal, unless NO_COLOR is set", kGeneralGroup, false, set_color});
}

void add_key_options(Verb& verb, const KeyChoice& choice) {
  CommonOptions& common = *verb.common;
  for (const ConfigurationKey& key : configuration_keys()) {
    if (!is_listed(choice.sections, key.section) || is_listed(choice.without, key.option)) continue;
    if (!choice.only.empty() && !is_listed(choice.only, key.option)) continue;
    const ConfigurationKey* known = &key;
    const auto set = [&common, known](const std::string& text) -> Result<void> {
      common.overrides.push_back({known, text});
      return {};
    };
    const bool is_list = key.value.find(",...") != std::string_view::npos;
    verb.add(
        {std::string(key.option), std::string(key.value), std::string(key.help), group_of(key.section), is_list, set});
  }
}

}  // namespace steelyard::ci
