#include <algorithm>

#include "ci/report/changes_report.hpp"
#include "ci/report/number_text.hpp"

namespace steelyard {
namespace {

constexpr std::size_t kShownSha = 9;

bool is_sha(const std::string& commit) {
  return commit.size() >= kShownSha && commit.find_first_not_of("0123456789abcdef") == std::string::npos;
}

// Of what is no hash nobody knows which part tells it from others.
std::string shown(const std::string& commit) { return is_sha(commit) ? commit.substr(0, kShownSha) : commit; }

}  // namespace

std::size_t count_changes(const ChangesReport& report, ChangeStatus status, bool regression) {
  std::size_t count = 0;
  for (const std::vector<ChangePoint>& changes : report.changes) {
    count += static_cast<std::size_t>(std::count_if(changes.begin(), changes.end(), [&](const ChangePoint& change) {
      return change.status == status && change.regression == regression;
    }));
  }
  return count;
}

std::string status_text(const ChangePoint& change) {
  const std::string status = change.status == ChangeStatus::confirmed ? "confirmed" : "suspected";
  return status + (change.accepted_by.empty() ? "" : ", accepted by " + shown(change.accepted_by));
}

std::string place_text(const ChangeFinding& finding, const ChangesReport& report) {
  if (finding.commit.empty()) {
    const FindingMember& member = finding.members.front();
    return "index " + std::to_string(report.changes[member.series][member.change].index);
  }
  const std::string newest = finding.newest.empty() ? finding.commit : finding.newest;
  std::string text = shown(finding.commit);
  if (!finding.last_good.empty() || newest != finding.commit) {
    text += " (" + (finding.last_good.empty() ? std::string() : "after " + shown(finding.last_good));
    if (newest != finding.commit) {
      text += (finding.last_good.empty() ? "" : ", ") + std::string("by ") + shown(newest);
    }
    text += ")";
  }
  return text;
}

std::string shared_text(const ChangeFinding& finding) {
  if (!(finding.shared > 0)) return "";
  return percent_text(finding.shared) + " of the benchmarks of " +
         (finding.machine.empty() ? std::string("the machine") : "machine " + finding.machine.substr(0, 8)) +
         " moved alike: the machine, or a change that slows everything; measuring both commits side by side tells";
}

std::string next_step(const ChangeFinding& finding) {
  const bool is_doubtful = finding.status == ChangeStatus::suspected || finding.shared > 0;
  if (!is_doubtful || finding.last_good.empty() || finding.commit.empty()) return "";
  return "steelyard ab " + shown(finding.last_good) + ' ' + shown(finding.commit);
}

}  // namespace steelyard
