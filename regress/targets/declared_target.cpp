#include "regress/targets/declared_target.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <vector>

#include "bench/model/dtype.hpp"
#include "bench/model/text.hpp"
#include "regress/policy/pattern_policy.hpp"

namespace steelyard::regress {

bool is_for_device(const Target& target, const std::vector<std::string>& device_names) {
  if (target.device.empty()) return true;
  const std::string pattern = lower_case(target.device);
  return std::any_of(device_names.begin(), device_names.end(),
                     [&](const std::string& name) { return matches_whole(pattern, lower_case(name)); });
}

std::vector<Target> targets_of(std::string_view benchmark, const std::vector<DeclaredTarget>& configured,
                               const std::vector<DeclaredTarget>& of_program,
                               const std::vector<std::string>& device_names) {
  std::vector<Target> targets;
  const auto take = [&](const Target& one) {
    const bool has_kind = std::any_of(targets.begin(), targets.end(), [&](const Target& target) {
      return target.of == one.of && target.metric == one.metric;
    });
    if (!has_kind) targets.push_back(one);
  };
  for (const DeclaredTarget& one : configured) {
    if (matches_pattern(one.benchmark, benchmark) && is_for_device(one.target, device_names)) take(one.target);
  }
  for (const DeclaredTarget& one : of_program) {
    if (one.benchmark == benchmark) take(one.target);
  }
  return targets;
}

namespace {

constexpr std::string_view kForms =
    "a share of a ceiling (\"0.6 of bandwidth\", \"60 % of flops\", \"0.5 of roofline\", \"0.6 of L2 bandwidth\") or "
    "a rate (\"at least 12 GB/s\", \"40 Gflop/s\")";
constexpr std::array<std::string_view, 4> kLevels{"L1", "L2", "L3", "DRAM"};
constexpr std::array<std::string_view, 7> kAccesses{"read",     "write",   "copy",    "triad",
                                                    "write-nt", "copy-nt", "triad-nt"};
constexpr std::array<std::string_view, 2> kSources{"datasheet", "measured"};
constexpr int kMaxThreads = 4096;

struct RateUnit {
  std::string_view word;
  double base_units;
  std::string_view metric;
};
constexpr std::array kRateUnits{
    RateUnit{"B/s", 1, "bandwidth"},        RateUnit{"bytes/s", 1, "bandwidth"},
    RateUnit{"kB/s", 1e3, "bandwidth"},     RateUnit{"MB/s", 1e6, "bandwidth"},
    RateUnit{"GB/s", 1e9, "bandwidth"},     RateUnit{"TB/s", 1e12, "bandwidth"},
    RateUnit{"KiB/s", 0x1p10, "bandwidth"}, RateUnit{"MiB/s", 0x1p20, "bandwidth"},
    RateUnit{"GiB/s", 0x1p30, "bandwidth"}, RateUnit{"TiB/s", 0x1p40, "bandwidth"},
    RateUnit{"flop/s", 1, "flops"},         RateUnit{"kflop/s", 1e3, "flops"},
    RateUnit{"Mflop/s", 1e6, "flops"},      RateUnit{"Gflop/s", 1e9, "flops"},
    RateUnit{"Tflop/s", 1e12, "flops"},     RateUnit{"Pflop/s", 1e15, "flops"},
};

bool same(std::string_view a, std::string_view b) { return lower_case(a) == lower_case(b); }

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (text = trimmed(text); !text.empty(); text = trimmed(text)) {
    const std::size_t end = std::min(text.find_first_of(" \t\r\n"), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return words;
}

Error refusal(std::string_view text, const std::string& where, std::string fix = "") {
  return input_error(where, '"' + std::string(text) + '"', std::string(kForms), std::move(fix));
}

// What stands behind the number: "%", "of", "GB/s".
struct Number {
  double value = 0;
  std::string_view rest;
};
std::optional<Number> leading_number(std::string_view text) {
  Number number;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number.value);
  if (code != std::errc() || !std::isfinite(number.value)) return std::nullopt;
  number.rest = trimmed(text.substr(static_cast<std::size_t>(end - text.data())));
  return number;
}

// "[datasheet|measured] [LEVEL|DTYPE] [ACCESS] bandwidth|flops|roofline".
Result<void> read_ceiling(const std::vector<std::string_view>& words, std::string_view text, const std::string& where,
                          Target& target) {
  if (words.empty()) return refusal(text, where, "say of which ceiling");
  const std::string_view what = words.back();
  if (same(what, "bandwidth")) {
    target.of = Target::Of::bandwidth;
    target.metric = "bandwidth";
  } else if (same(what, "flops")) {
    target.of = Target::Of::flops;
    target.metric = "flops";
  } else if (same(what, "roofline")) {
    target.of = Target::Of::roofline;
  } else {
    return refusal(text, where, "end it with bandwidth, flops or roofline");
  }
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const auto level = std::find_if(kLevels.begin(), kLevels.end(), [&](auto known) { return same(known, words[i]); });
    const std::optional<std::string> dtype = dtype_named(words[i]);
    const auto source =
        std::find_if(kSources.begin(), kSources.end(), [&](auto known) { return same(known, words[i]); });
    const auto access =
        std::find_if(kAccesses.begin(), kAccesses.end(), [&](auto known) { return same(known, words[i]); });
    if (source != kSources.end() && target.source.empty()) {
      target.source = *source;
    } else if (access != kAccesses.end() && target.of != Target::Of::flops && target.access.empty()) {
      target.access = *access;
    } else if (level != kLevels.end() && target.of != Target::Of::flops && target.level.empty()) {
      target.level = *level;
    } else if (dtype && target.of != Target::Of::bandwidth && target.dtype.empty()) {
      target.dtype = *dtype;
    } else {
      return refusal(text, where, "\"" + std::string(words[i]) + "\" names no ceiling of " + lower_case(what));
    }
  }
  return {};
}

Result<Target> parse_share(const Number& number, std::string_view text, const std::string& where) {
  Target target;
  std::string_view rest = number.rest;
  target.least = number.value;
  if (rest.starts_with('%')) {
    target.least /= 100;
    rest = trimmed(rest.substr(1));
  }
  std::vector<std::string_view> words = words_of(rest);
  if (words.empty() || !same(words.front(), "of")) return refusal(text, where, "say of which ceiling");
  words.erase(words.begin());
  STEELYARD_CHECK(read_ceiling(words, text, where, target));
  if (target.least > 0 && target.least <= 1) return target;
  const bool is_percent = target.least > 1 && target.least <= 100 && !number.rest.starts_with('%');
  return input_error(where, '"' + std::string(text) + '"', "a share above 0 and at most 1 (100 %)",
                     is_percent         ? "write a % sign if per cent is meant"
                     : target.least > 1 ? "no kernel passes its ceiling"
                                        : "every kernel reaches more");
}

// A small b would be bits; "Gflops" is how many write Gflop/s.
bool is_written_as(std::string_view text, const RateUnit& unit) {
  if (unit.metric == "bandwidth") return text == unit.word || (text == "KB/s" && unit.word == "kB/s");
  return same(text, unit.word) || same(text, std::string(unit.word.substr(0, unit.word.size() - 2)) + 's');
}

Result<Target> parse_rate(const Number& number, std::string_view text, const std::string& where) {
  for (const RateUnit& unit : kRateUnits) {
    if (!is_written_as(number.rest, unit)) continue;
    Target target;
    target.of = Target::Of::rate;
    target.metric = unit.metric;
    target.least = number.value * unit.base_units;
    if (target.least > 0 && std::isfinite(target.least)) return target;
    return input_error(where, '"' + std::string(text) + '"', "a rate above 0");
  }
  for (const RateUnit& unit : kRateUnits) {
    if (same(number.rest, unit.word)) return refusal(text, where, "write " + std::string(unit.word) + ": b means bits");
  }
  return refusal(text, where, number.rest.empty() ? "a number needs its ceiling or its unit" : "");
}

}  // namespace

Result<Target> parse_target(std::string_view written, const std::string& where) {
  const std::string_view text = trimmed(written);
  std::string_view rest = text;
  constexpr std::string_view kAtLeast = "at least";
  const bool at_least = lower_case(rest).starts_with(kAtLeast);
  if (at_least) rest = trimmed(rest.substr(kAtLeast.size()));
  const std::optional<Number> number = leading_number(rest);
  if (!number) return refusal(text, where);
  const std::vector<std::string_view> words = words_of(number->rest);
  const bool is_share = number->rest.starts_with('%') || (!words.empty() && same(words.front(), "of"));
  STEELYARD_TRY(Target target, is_share ? parse_share(*number, text, where) : parse_rate(*number, text, where));
  target.text = text;
  target.where = where;
  return target;
}

std::optional<Result<Target>> target_of_label(std::string_view label, const std::string& where) {
  constexpr std::string_view kKey = "target:";
  while (!label.empty()) {
    const std::size_t end = std::min(label.find(';'), label.size());
    const std::string_view part = trimmed(label.substr(0, end));
    if (lower_case(part).starts_with(kKey)) return parse_target(part.substr(kKey.size()), where);
    label.remove_prefix(std::min(end + 1, label.size()));
  }
  return std::nullopt;
}

Result<void> check_ceiling_choice(Target& target, const std::string& where) {
  const auto check = [&](std::string& word, const auto& known, const char* what) -> Result<void> {
    if (word.empty()) return {};
    const auto at = std::find_if(known.begin(), known.end(), [&](const auto& name) { return same(name, word); });
    if (at != known.end()) {
      word = std::string(*at);
      return {};
    }
    const std::string wanted = joined_text(known, ", ");
    return input_error(where + ' ' + what, '"' + word + '"', "one of " + wanted);
  };
  STEELYARD_CHECK(check(target.level, kLevels, "level"));
  STEELYARD_CHECK(check(target.access, kAccesses, "access"));
  STEELYARD_CHECK(check(target.source, kSources, "ceiling"));
  if (const auto dtype = dtype_named(target.dtype)) target.dtype = *dtype;
  STEELYARD_CHECK(check(target.dtype, known_dtypes(), "dtype"));
  if (target.threads && (*target.threads < 1 || *target.threads > kMaxThreads)) {
    return input_error(where + " threads", std::to_string(*target.threads),
                       "a whole number from 1 to " + std::to_string(kMaxThreads));
  }
  return {};
}

}  // namespace steelyard::regress
