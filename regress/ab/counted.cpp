#include "regress/ab/counted.hpp"

#include <algorithm>
#include <cmath>
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

double jitter_of(const CountedSide& side) {
  const double stated = side.basis.jitter.value_or(0);
  const double seen = relative_jitter(side.values);
  return std::isfinite(stated) ? std::max(stated, seen) : seen;
}

// Nothing is lacking: each value is a count, and there is one.
std::optional<why::WithoutCount> lack_of(std::span<const double> values, WhichSide side) {
  if (values.empty()) return why::WithoutCount{side};
  const double* bad = first_bad(values);
  return bad ? std::optional(why::WithoutCount{side, *bad}) : std::nullopt;
}

why::CountAnswer decide_counted(double b, double c, double jitter, ComparisonRow& row) {
  const bool beyond = b == 0 ? c != 0 : std::fabs(c - b) > jitter * b;
  if (beyond) {
    row.verdict = (c > b) == (row.metric.better == Better::lower) ? Verdict::regression : Verdict::improvement;
    return why::CountAnswer::changed;
  }
  row.verdict = jitter > row.margin ? Verdict::inconclusive : Verdict::unchanged;
  return jitter > row.margin ? why::CountAnswer::not_deterministic : why::CountAnswer::unchanged;
}

}  // namespace

double relative_jitter(std::span<const double> values) {
  if (values.empty()) return 0;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double middle = median({values.begin(), values.end()});
  return middle > 0 ? (*high - *low) / middle : 0;
}

RowFacts judge_counted(const CountedSide& baseline, const CountedSide& candidate, ComparisonRow& row) {
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
  facts.reason = why::Counted{decide_counted(b, c, jitter, row)};
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
