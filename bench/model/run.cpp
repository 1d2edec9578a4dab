#include "bench/model/run.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>
#include <utility>

#include "bench/model/kept_words.hpp"
#include "bench/model/number_text.hpp"
#include "bench/model/text.hpp"

namespace steelyard {
namespace {
constexpr std::array<std::string_view, 4> kLayoutTexts{"interleaved", "duet", "sequential", "separate"};

constexpr const char* kFirstLookOnlySetting = "timing.first_look_only";
constexpr const char* kStoppedSetting = "stopped";
constexpr const char* kStoppedAfterSetting = "stopped_after_rounds";
constexpr std::array<std::string_view, 3> kStopWords{"none", "budget spent", "interrupted"};

constexpr std::array<std::string_view, 5> kKindTexts{"failed", "not reached", "bad record", "skipped",
                                                     "skipped with an error"};
}  // namespace

// STEELYARD_VERSION is the project's version in CMakeLists.txt.
const char* const kToolName = "steelyard " STEELYARD_VERSION;

std::string_view to_text(Layout layout) { return kLayoutTexts.at(static_cast<std::size_t>(layout)); }

std::span<const std::string_view> words_of(Layout) { return kLayoutTexts; }

std::optional<Layout> parse_layout(std::string_view text) { return parse_word<Layout>(text); }

namespace {

// The commonest first.
std::string causes_text(const std::map<std::string, std::size_t>& by_cause) {
  std::vector<std::pair<std::string, std::size_t>> causes(by_cause.begin(), by_cause.end());
  std::stable_sort(causes.begin(), causes.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (const auto& [cause, count] : causes) text += (text.empty() ? "" : ", ") + std::to_string(count) + " by " + cause;
  return text;
}

}  // namespace

DisturbanceSummary summarize_disturbances(std::span<const Run* const> runs) {
  DisturbanceSummary summary;
  for (const Run* run : runs) {
    summary.invocations += run->invocations.size();
    for (const Invocation& invocation : run->invocations) {
      if (invocation.disturbed_by.empty()) continue;
      ++summary.disturbed;
      if (invocation.excluded) ++summary.excluded;
      for (const std::string& cause : invocation.disturbed_by) ++summary.by_cause[cause];
    }
  }
  return summary;
}

std::string to_text(const DisturbanceSummary& summary) {
  if (summary.disturbed == 0) return "";
  std::string text = std::to_string(summary.disturbed) + " of " + std::to_string(summary.invocations) +
                     (summary.disturbed == 1 ? " processes was" : " processes were") + " disturbed (" +
                     causes_text(summary.by_cause) + "): ";
  const std::size_t used = summary.disturbed - summary.excluded;
  if (summary.excluded > 0) {
    text += plural_text(summary.excluded, "is excluded, as its round was measured again",
                        "are excluded, as their rounds were measured again");
  }
  if (used == 0) return text;
  return text + (summary.excluded > 0 ? "; " : "") + plural_text(used, "is used", "are used");
}

std::optional<double> other_work_share(std::span<const Run* const> runs) {
  constexpr std::size_t kMinTelling = 4;
  constexpr double kTickNs = 10e6;                // as Linux tells the times of cores (USER_HZ)
  std::vector<std::pair<double, double>> shares;  // with durations
  double all_ns = 0;
  for (const Run* run : runs) {
    for (const Invocation& invocation : run->invocations) {
      const std::optional<std::int64_t>& other_ns = invocation.conditions.other_busy_ns;
      if (!other_ns || invocation.excluded || invocation.duration_ns <= 0) continue;
      const auto duration = static_cast<double>(invocation.duration_ns);
      shares.emplace_back(std::clamp((static_cast<double>(*other_ns) - kTickNs) / duration, 0.0, 1.0), duration);
      all_ns += duration;
    }
  }
  if (shares.size() < kMinTelling) return std::nullopt;
  std::sort(shares.begin(), shares.end());
  double before_ns = 0;
  for (const auto& [share, duration_ns] : shares) {
    before_ns += duration_ns;
    if (before_ns >= all_ns / 2) return share;
  }
  return shares.back().first;
}

std::span<const std::string_view> words_of(Stop) { return kStopWords; }

void keep_stop(Stop stop, int rounds, std::map<std::string, std::string>& settings) {
  if (stop == Stop::none) return;
  settings[kStoppedSetting] = word_of(stop);
  settings[kStoppedAfterSetting] = std::to_string(rounds);
}

Stop stop_of(const RunHeader& header) {
  const auto setting = header.settings.find(kStoppedSetting);
  if (setting == header.settings.end()) return Stop::none;
  return parse_word<Stop>(setting->second).value_or(read_stop(setting->second));
}

void keep_first_look_only(const std::set<std::string>& benchmarks, std::map<std::string, std::string>& settings) {
  std::string text = joined_text(benchmarks, "\n");
  if (!text.empty()) settings[kFirstLookOnlySetting] = std::move(text);
}

bool is_first_look_only(const RunHeader& header, std::string_view benchmark) {
  const auto setting = header.settings.find(kFirstLookOnlySetting);
  if (setting == header.settings.end()) return false;
  for (std::string_view left = setting->second; !left.empty();) {
    const std::string_view one = left.substr(0, left.find('\n'));
    if (one == benchmark) return true;
    left.remove_prefix(std::min(left.size(), one.size() + 1));
  }
  return false;
}

namespace {

constexpr const char* kLayoutSeedsSetting = "code_layout_seeds";
constexpr const char* kLayoutRoundsSetting = "code_layout_rounds";

template <class Number>
std::string list_text(const std::vector<Number>& numbers) {
  return joined_text(numbers, " ", [](Number number) { return std::to_string(number); });
}

}  // namespace

void keep_code_layouts(const std::vector<std::uint64_t>& seeds, const std::vector<std::int32_t>& of_round,
                       const std::string& suite, std::map<std::string, std::string>& settings) {
  if (seeds.empty()) return;
  settings[kLayoutSeedsSetting + (suite.empty() ? "" : '.' + suite)] = list_text(seeds);
  settings[kLayoutRoundsSetting] = list_text(of_round);
}

std::vector<std::int32_t> code_layouts_of(const RunHeader& header) {
  const auto setting = header.settings.find(kLayoutRoundsSetting);
  if (setting == header.settings.end()) return {};
  std::vector<std::int32_t> layouts;
  const std::string_view text = setting->second;
  for (std::size_t at = 0; at < text.size();) {
    std::int32_t layout = -1;
    const auto [end, failure] = std::from_chars(text.data() + at, text.data() + text.size(), layout);
    if (failure != std::errc() || layout < 0 || static_cast<std::size_t>(layout) >= kMaxCodeLayouts) return {};
    layouts.push_back(layout);
    at = static_cast<std::size_t>(end - text.data());
    if (at < text.size() && text[at++] != ' ') return {};
  }
  return layouts;
}

std::string_view to_text(FailureKind kind) { return kKindTexts.at(static_cast<std::size_t>(kind)); }

std::span<const std::string_view> words_of(FailureKind) { return kKindTexts; }

std::string to_text(const Failure& failure) {
  const auto skip = [&](const char* words) { return words + (failure.said.empty() ? "" : ": " + failure.said); };
  switch (failure.kind) {
    case FailureKind::failed:
      break;
    case FailureKind::not_reached:
      return "not reached: " + failure.said;
    case FailureKind::bad_record:
      return "bad record " + failure.said;
    case FailureKind::skipped:
      return skip("the benchmark was skipped");
    case FailureKind::reported_error:
      return skip("the benchmark skipped itself with an error");
  }
  return failure.said;
}

}  // namespace steelyard
