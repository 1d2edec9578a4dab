#include "regress/history/findings.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "regress/ab/steady_digits.hpp"
#include "regress/history/change_range.hpp"

namespace steelyard {
namespace {

constexpr double kSuspected = 0.5;  // what a suspected change weighs against a confirmed one
constexpr double kNoRatio = 1;      // as much as a factor of e, where the levels have no ratio

double size_of(const ChangePoint& change) {
  return change.ratio && *change.ratio > 0 ? std::abs(steady_log(*change.ratio)) : kNoRatio;
}

ChangeFinding make_finding(const std::vector<RangedChange>& group, std::span<const std::vector<ChangePoint>> changes) {
  ChangeFinding finding;
  for (const RangedChange& one : group) {
    const ChangePoint& change = changes[one.series][one.change];
    finding.members.push_back({one.series, one.change});
    ++(change.regression ? finding.regressions : finding.improvements);
    const bool is_confirmed = change.status == ChangeStatus::confirmed;
    if (is_confirmed) finding.status = ChangeStatus::confirmed;
    finding.importance += size_of(change) * (is_confirmed ? 1 : kSuspected);
    finding.shared = std::max(finding.shared, change.shared);
  }
  std::stable_sort(finding.members.begin(), finding.members.end(), [&](FindingMember a, FindingMember b) {
    const ChangePoint& one = changes[a.series][a.change];
    const ChangePoint& other = changes[b.series][b.change];
    if (one.regression != other.regression) return one.regression;
    return size_of(one) > size_of(other);
  });
  return finding;
}

void locate(ChangeFinding& finding, const std::vector<RangedChange>& group, const CommitOrder& order) {
  std::size_t first = 0;
  std::size_t last = order.size() - 1;
  std::map<std::size_t, std::size_t> votes;
  for (const RangedChange& one : group) {
    first = std::max(first, one.range.first);
    last = std::min(last, one.range.last);
    ++votes[one.range.likely];
  }
  std::size_t likely = last;
  std::size_t most = 0;
  for (const auto& [place, count] : votes) {
    if (place < first || place > last || count <= most) continue;
    likely = place;
    most = count;
  }
  finding.commit = order.commit(likely);
  finding.newest = order.commit(last);
  if (first > 0) finding.last_good = order.commit(first - 1);
}

int rank(const ChangeFinding& finding) {
  if (!finding.machine.empty() || finding.shared > 0) return 3;
  if (finding.regressions == 0) return 2;
  return finding.status == ChangeStatus::confirmed ? 0 : 1;
}

}  // namespace

std::vector<ChangeFinding> group_changes(std::span<const Series> series,
                                         std::span<const std::vector<ChangePoint>> changes, const CommitOrder& order) {
  std::vector<RangedChange> single;
  std::map<std::string, std::vector<RangedChange>> shared;  // by machine
  std::vector<ChangeFinding> findings;
  for (std::size_t i = 0; i < series.size(); ++i) {
    for (std::size_t k = 0; k < changes[i].size(); ++k) {
      const ChangePoint& change = changes[i][k];
      const auto range = range_of(series[i], change, order);
      if (!range) {
        findings.push_back(make_finding({{i, k, {}}}, changes));
      } else if (change.shared > 0) {
        shared[series[i].points[change.index].machine].push_back({i, k, *range});
      } else {
        single.push_back({i, k, *range});
      }
    }
  }
  for (const auto& group : explained_together(std::move(single))) {
    findings.push_back(make_finding(group, changes));
    locate(findings.back(), group, order);
  }
  for (auto& [machine, of_machine] : shared) {
    for (const auto& group : explained_together(std::move(of_machine))) {
      findings.push_back(make_finding(group, changes));
      findings.back().machine = machine;
      locate(findings.back(), group, order);
    }
  }
  std::stable_sort(findings.begin(), findings.end(), [](const ChangeFinding& a, const ChangeFinding& b) {
    return std::tuple(rank(a), -a.importance) < std::tuple(rank(b), -b.importance);
  });
  return findings;
}

}  // namespace steelyard
