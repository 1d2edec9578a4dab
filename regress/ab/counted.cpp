#include "regress/ab/counted.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "bench/model/number_text.hpp"
#include "bench/model/quantile.hpp"

namespace steelyard::regress {
namespace {

// A key is text of the counter's making; a sentence shows at most this much of one part.
constexpr std::size_t kMaxKeyText = 120;

const double* first_bad(std::span<const double> values) {
  const auto at = std::find_if(values.begin(), values.end(), [](double v) { return !std::isfinite(v) || v < 0; });
  return at == values.end() ? nullptr : &*at;
}

bool fails(std::span<const double> values, const char* side, ComparisonRow& row) {
  const double* bad = first_bad(values);
  if (!bad && !values.empty()) return false;
  row.verdict = Verdict::failed;
  row.reason = values.empty() ? std::string("the ") + side + " has no count"
                              : std::string("the ") + side + " has the count " + number_text(*bad, "");
  return true;
}

std::string counted_unit(const Metric& metric) {
  if (metric.name == kInstructions) return " instructions an iteration";
  return metric.unit.empty() || metric.unit == "count" ? " " + metric.name : " " + metric.unit;
}

std::vector<std::string_view> parts_of(std::string_view key) {
  std::vector<std::string_view> parts;
  while (!key.empty()) {
    const std::size_t end = std::min(key.find_first_of(";,\n"), key.size());
    if (end > 0) parts.push_back(key.substr(0, end));
    key.remove_prefix(std::min(end + 1, key.size()));
  }
  return parts;
}

std::string parts_lacking_in(std::string_view key, std::string_view other) {
  const auto others = parts_of(other);
  std::string text;
  for (const std::string_view part : parts_of(key)) {
    if (std::find(others.begin(), others.end(), part) != others.end()) continue;
    text += (text.empty() ? "" : ", ") + std::string(part);
  }
  if (text.empty()) return "nothing more";
  return text.size() <= kMaxKeyText ? text : text.substr(0, kMaxKeyText) + "...";
}

double jitter_of(const CountedSide& side) {
  const double stated = side.basis.jitter.value_or(0);
  const double seen = relative_jitter(side.values);
  return std::isfinite(stated) ? std::max(stated, seen) : seen;
}

void refuse_scopes(const CountBasis& baseline, const CountBasis& candidate, ComparisonRow& row) {
  row.verdict = Verdict::incomparable;
  row.test = "none";
  row.reason = "counted over different things: the " + std::string(to_text(baseline.scope)) + " in the baseline, the " +
               std::string(to_text(candidate.scope)) + " in the candidate";
}

// "counted exactly", "counted over whole functions with their set-up".
std::string manner_text(CountScope scope, double jitter) {
  if (scope == CountScope::whole_functions) return "counted over whole functions, set-up included";
  if (scope == CountScope::whole_program) return "counted over the whole program";
  return jitter > 0 ? "counted" : "counted exactly";
}

void decide_counted(double b, double c, double jitter, ComparisonRow& row) {
  const std::string counts = count_text(b) + " -> " + count_text(c) + counted_unit(row.metric);
  const std::string by = row.ratio && *row.ratio != 1 ? " (" + change_text(*row.ratio) + ")" : "";
  const std::string manner = manner_text(row.count_scope, jitter);
  const bool beyond = b == 0 ? c != 0 : std::fabs(c - b) > jitter * b;
  if (beyond) {
    row.verdict = (c > b) == (row.metric.better == Better::lower) ? Verdict::regression : Verdict::improvement;
    row.reason = manner + ": " + counts + by;
    if (jitter > 0) row.reason += ", beyond the jitter of " + small_share_text(jitter);
  } else if (jitter > row.margin) {
    row.verdict = Verdict::inconclusive;
    row.reason = "repeats of one build differ by " + small_share_text(jitter) + ", more than the margin of " +
                 share_text(row.margin) + ": this count is not deterministic, and " + counts + by + " is within that";
  } else {
    row.verdict = Verdict::unchanged;
    row.reason = b == c ? manner + ": " + count_text(b) + counted_unit(row.metric) + " on both sides"
                        : manner + ": " + counts + by + ", within the jitter of " + small_share_text(jitter);
  }
}

}  // namespace

double relative_jitter(std::span<const double> values) {
  if (values.empty()) return 0;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double middle = median({values.begin(), values.end()});
  return middle > 0 ? (*high - *low) / middle : 0;
}

void judge_counted(const CountedSide& baseline, const CountedSide& candidate, ComparisonRow& row) {
  row.test = "exact";
  row.count_scope = candidate.basis.scope;
  if (fails(baseline.values, "baseline", row) || fails(candidate.values, "candidate", row)) return;
  if (baseline.basis.scope != candidate.basis.scope) return refuse_scopes(baseline.basis, candidate.basis, row);
  const double b = median(baseline.values);
  const double c = median(candidate.values);
  const double jitter = std::max(jitter_of(baseline), jitter_of(candidate));
  row.baseline = b;
  row.candidate = c;
  row.jitter = jitter;
  row.rounds = static_cast<std::int32_t>(std::min(baseline.values.size(), candidate.values.size()));
  if (b > 0) {
    const double ratio = c / b;
    row.ratio = ratio;
    row.interval = Interval{ratio / (1 + jitter), ratio * (1 + jitter)};
  }
  decide_counted(b, c, jitter, row);
  if (!candidate.basis.proof.empty()) {
    row.reason += std::string(kNotCountedAgain) + candidate.basis.proof;
    if (candidate.basis.origin == CountOrigin::equal_program) row.notes.add(RowNote::equal_program);
  } else if (!baseline.basis.proof.empty()) {
    row.reason += "; the baseline was not counted again: " + baseline.basis.proof;
  }
}

std::string count_key_difference(std::string_view baseline, std::string_view candidate) {
  return "the baseline has " + parts_lacking_in(baseline, candidate) + ", the candidate has " +
         parts_lacking_in(candidate, baseline);
}

}  // namespace steelyard::regress
