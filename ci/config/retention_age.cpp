#include "ci/config/retention_age.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

namespace steelyard {
namespace {

constexpr double kMostDays = 36'525;

struct AgeUnit {
  std::string_view name;
  double days;
};
constexpr std::array<AgeUnit, 4> kUnits{{{"day", 1}, {"week", 7}, {"month", 365.25 / 12}, {"year", 365.25}}};

std::optional<double> days_of(std::string_view text) {
  double count = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (code != std::errc()) return std::nullopt;
  std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  while (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  if (unit.ends_with('s')) unit.remove_suffix(1);
  for (const AgeUnit& known : kUnits) {
    if (unit == known.name) return count * known.days;
  }
  return std::nullopt;
}

}  // namespace

Result<std::optional<int>> read_age(const WrittenValue& value, const std::string& where) {
  STEELYARD_TRY(const std::string text, read_text(value, where));
  if (text == "forever") return std::optional<int>();
  const std::optional<double> days = days_of(text);
  // Not "less than": a NaN is refused, too.
  if (!days || !(*days >= 1 && *days <= kMostDays)) {
    return input_error(where, '"' + text + '"', "how long to keep it: forever, or days, weeks, months or years",
                       "write \"6months\" or \"90days\"");
  }
  return std::optional(static_cast<int>(std::lround(*days)));
}

std::string age_text(const std::optional<int>& days) { return days ? std::to_string(*days) + "days" : "forever"; }

}  // namespace steelyard
