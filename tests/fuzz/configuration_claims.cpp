#include <algorithm>
#include <vector>

#include "bench/harness/axes.hpp"
#include "bench/model/benchmark_id.hpp"
#include "bench/model/quantity.hpp"
#include "ci/config/configuration.hpp"
#include "ci/config/configuration_key.hpp"
#include "ci/config/written_value.hpp"
#include "regress/policy/pattern_policy.hpp"
#include "regress/targets/declared_target.hpp"
#include "storage/place/store_address.hpp"
#include "tests/fuzz/claims.hpp"

namespace steelyard::testkit {
namespace {

// By all ways to read the pattern's stars: slow, and by nothing of the matcher's.
bool matches_slowly(std::string_view pattern, std::string_view text) {
  std::vector<bool> reached(text.size() + 1, false);  // whether the pattern so far matches the text up to there
  reached[0] = true;
  for (const char p : pattern) {
    std::vector<bool> next(text.size() + 1, false);
    for (std::size_t i = 0; i <= text.size(); ++i) {
      if (p == '*') {
        next[i] = reached[i] || (i > 0 && next[i - 1]);
      } else {
        next[i] = i > 0 && reached[i - 1] && (p == '?' || p == text[i - 1]);
      }
    }
    reached = next;
  }
  return reached.back();
}

bool matches_name_slowly(std::string_view pattern, std::string_view name) {
  const std::size_t suffix = name.rfind(" [");
  const bool has_suffix = suffix != std::string_view::npos && name.ends_with(']');
  return matches_slowly(pattern, name) || (has_suffix && matches_slowly(pattern, name.substr(0, suffix)));
}

BrokenClaim broken_claim_about_target(const std::string& text) {
  const Result<Target> target = regress::parse_target(text, "file");
  if (!target) return broken_claim_about_error(target.error());
  const Result<Target> again = regress::parse_target(target->text, "file");
  if (!again || *again != *target) return "a target reads the same without blanks around it";
  return std::nullopt;
}

// Nothing of a password is shown, however odd the address.
BrokenClaim broken_claim_about_address(const std::string& text) {
  const auto address = storage::parse_store_address(text, "file");
  if (!address) return broken_claim_about_error(address.error());
  if (address->embedded) return std::nullopt;
  const std::string shown = address->safe_text();
  if (address->is_service()) {
    if (shown.find_first_of("@?#") != std::string::npos) return "the address of a service has no secrets";
    return std::nullopt;
  }
  if (storage::address_without_secrets(shown) != shown) return "an address without its secrets has none";
  storage::connection_settings(text);
  storage::with_option(text, "connect_timeout", "10");
  storage::one_line_without_secrets("no such host in " + text, text);
  const auto split = storage::split_password(text);
  if (!split || !split->password || split->password->empty()) return std::nullopt;
  const auto rest = storage::split_password(split->url);
  if (!rest || rest->password) return "an address without its password has none";
  return std::nullopt;
}

BrokenClaim broken_claim_about_name(const std::string& text) {
  const BenchmarkId id = parse_google_benchmark_name(text);
  const std::string canonical = id.canonical();
  if (name_as_given(canonical) != text) return "a name comes back from its canonical form: " + canonical;
  canonical_as_typed(text);
  return std::nullopt;
}

}  // namespace

BrokenClaim broken_claim_about_configuration(const std::string& text) {
  const Result<ci::Configuration> read = ci::parse_configuration(text, "file");
  if (!read) return broken_claim_about_error(read.error());
  const std::string written = ci::to_toml(*read);
  const Result<ci::Configuration> again = ci::parse_configuration(written, "file");
  if (!again) return "a configuration can be written and read: " + again.error().text() + "\n" + written;
  // Not field by field: each remembers the line that it stood on.
  if (ci::to_toml(*again) != written) return "a configuration says the same after it was written:\n" + written;
  const ComparisonPolicy policy = ci::comparison_policy(read->policy);
  if (!(policy.false_alarm_rate > 0 && policy.false_alarm_rate < 1)) return "a rate lies between 0 and 1";
  for (const ci::ConfiguredProgram& program : read->programs) {
    const auto words = ci::command_words(program.command, "file");
    if (words && words->empty()) return "a command has a word";
  }
  return std::nullopt;
}

BrokenClaim broken_claim_about_written_words(const std::string& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string pattern = text.substr(0, end);
  const std::string name = text.substr(std::min(end + 1, text.size()));
  if (regress::matches_pattern(pattern, name) != matches_name_slowly(pattern, name)) {
    return "a pattern matches what it says";
  }
  for (const std::string& words : {pattern, name}) {
    if (const auto broken = broken_claim_about_target(words)) return broken;
    if (const auto broken = broken_claim_about_address(words)) return broken;
    if (const auto broken = broken_claim_about_name(words)) return broken;
    if (const auto target = regress::target_of_label(words, "file"); target && !*target) {
      if (const auto broken = broken_claim_about_error(target->error())) return broken;
    }
    if (const auto duration = parse_duration(words, "file"); !duration) {
      if (const auto broken = broken_claim_about_error(duration.error())) return broken;
    } else if (!(duration->count() >= 0)) {
      return "no duration is below 0";
    }
    if (const auto command = ci::command_words(words, "file"); command && command->empty())
      return "a command has a word";
    if (const auto axis = parse_axis_override(words); axis && axis->axis.empty()) return "an axis has a name";
    ci::nearest_name(words, {"min_time", "rounds", pattern});
  }
  return std::nullopt;
}

}  // namespace steelyard::testkit
