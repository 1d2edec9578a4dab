#include "regress/ab/counted.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "bench/model/quantile.hpp"

namespace steelyard::regress {
namespace {

const double* first_bad(std::span<const double> values) {
  const auto at = std::find_if(values.begin(), values.end(), [](double v) { return !std::isfinite(v) || v < 0; });
  return at == values.end() ? nullptr : &*at;
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

std::vector<std::string> parts_lacking_in(std::string_view key, std::string_view other) {
  const auto others = parts_of(other);
  std::vector<std::string> lacking;
  for (const std::string_view part : parts_of(key)) {
    if (std::find(others.begin(), others.end(), part) == others.end()) lacking.emplace_back(part);
  }
  return lacking;
}

double range_of_repeats(std::span<const double> values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return *high - *low;
}

// What values are relative to: their median, and where that is 0 the other side's.
double scale_of(double middle, double other, Rules rules) {
  return middle > 0 || rules < Rules::rounds_7 ? middle : other;
}

// Nothing where the repeats differ, and nothing is there that they could be relative to.
std::optional<double> jitter_of(const CountedSide& side, double scale, Rules rules) {
  const double stated = side.basis.jitter.value_or(0);
  const double range = range_of_repeats(side.values);
  if (range > 0 && scale <= 0 && rules >= Rules::rounds_7) return std::nullopt;
  const double seen = scale > 0 ? range / scale : 0;
  return std::isfinite(stated) ? std::max(stated, seen) : seen;
}

// Nothing is lacking: each value is a count, and there is one.
std::optional<why::WithoutCount> lack_of(std::span<const double> values, WhichSide side) {
  if (values.empty()) return why::WithoutCount{side};
  const double* bad = first_bad(values);
  return bad ? std::optional(why::WithoutCount{side, *bad}) : std::nullopt;
}

// Precondition: the row has its levels, and its jitter if it has one.
why::CountAnswer decide_counted(Rules rules, ComparisonRow& row) {
  const double b = *row.baseline, c = *row.candidate;
  // From 0 everything is beyond any share of it.
  const bool is_beyond_zero = rules < Rules::rounds_7 && b == 0 && c != 0;
  if (is_beyond_zero || (row.jitter && std::fabs(c - b) > *row.jitter * scale_of(b, c, rules))) {
    row.verdict = (c > b) == (row.metric.better == Better::lower) ? Verdict::regression : Verdict::improvement;
    return why::CountAnswer::changed;
  }
  const bool is_deterministic = row.jitter && *row.jitter <= row.margin;
  row.verdict = is_deterministic ? Verdict::unchanged : Verdict::inconclusive;
  return is_deterministic ? why::CountAnswer::unchanged : why::CountAnswer::not_deterministic;
}

}  // namespace

double relative_jitter(std::span<const double> values) {
  if (values.empty()) return 0;
  const double middle = median({values.begin(), values.end()});
  return middle > 0 ? range_of_repeats(values) / middle : 0;
}

RowFacts judge_counted(const CountedSide& baseline, const CountedSide& candidate, ComparisonRow& row, Rules rules) {
  RowFacts facts;
  row.test = TestKind::exact;
  row.count_scope = candidate.basis.scope;
  auto lack = lack_of(baseline.values, WhichSide::baseline);
  if (!lack) lack = lack_of(candidate.values, WhichSide::candidate);
  if (lack) {
    row.verdict = Verdict::failed;
    facts.reason = *lack;
    return facts;
  }
  if (baseline.basis.scope != candidate.basis.scope) {
    row.verdict = Verdict::incomparable;
    row.test = TestKind::none;
    facts.reason = why::ScopesDiffer{baseline.basis.scope, candidate.basis.scope};
    return facts;
  }
  const double b = median(baseline.values);
  const double c = median(candidate.values);
  const std::optional<double> of_baseline = jitter_of(baseline, scale_of(b, c, rules), rules);
  const std::optional<double> of_candidate = jitter_of(candidate, scale_of(c, b, rules), rules);
  row.baseline = b;
  row.candidate = c;
  if (of_baseline && of_candidate) row.jitter = std::max(*of_baseline, *of_candidate);
  row.rounds = static_cast<std::int32_t>(std::min(baseline.values.size(), candidate.values.size()));
  if (b > 0) {
    const double ratio = c / b;
    const double tolerance = 1 + row.jitter.value_or(0);
    row.ratio = ratio;
    row.interval = Interval{ratio / tolerance, ratio * tolerance};
  }
  facts.reason = why::Counted{decide_counted(rules, row)};
  if (!candidate.basis.proof.empty()) {
    facts.proof = CountProof{WhichSide::candidate, candidate.basis.proof};
    if (candidate.basis.origin == CountOrigin::equal_program) row.notes.add(RowNote::equal_program);
  } else if (!baseline.basis.proof.empty()) {
    facts.proof = CountProof{WhichSide::baseline, baseline.basis.proof};
  }
  return facts;
}

why::CountKeysDiffer count_key_difference(std::string_view baseline, std::string_view candidate) {
  return {parts_lacking_in(baseline, candidate), parts_lacking_in(candidate, baseline)};
}

}  // namespace steelyard::regress
