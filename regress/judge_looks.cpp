#include "regress/judge_looks.hpp"

#include <algorithm>
#include <vector>

#include "regress/ab/calibrated.hpp"
#include "regress/ab/match.hpp"
#include "regress/ab/row.hpp"

namespace steelyard::regress {
namespace {

// The less decided, the louder: undecided keeps a benchmark going whatever its other metrics say.
int urgency(LookAnswer answer) {
  switch (answer) {
    case LookAnswer::undecided:
      return 2;
    case LookAnswer::futile:
      return 1;
    case LookAnswer::decided:
      break;
  }
  return 0;
}

}  // namespace

std::map<std::string, LookAnswer> judge_looks(const Run& baseline, const Run& candidate, const ComparisonPolicy& policy,
                                              std::int64_t comparisons, const Calibration* calibration) {
  const bool known = calibration != nullptr && calibration->fingerprint == candidate.environment.fingerprint() &&
                     why_not_used(*calibration).empty();
  const CalibratedNoise calibrated(known ? calibration : nullptr);
  const Layout layout = mutual_layout(baseline.header, candidate.header);
  const LookPlan plan = is_concurrent(layout) ? mutual_look_plan(baseline.header, candidate.header) : LookPlan{};
  const RowContext context{baseline, candidate, policy, layout, calibrated, "", plan};
  std::vector<std::string> warnings;
  std::map<std::string, LookAnswer> answers;
  for (const Matched& matched : match_runs(baseline, candidate, policy, warnings)) {
    const RowDraft draft = draft_row(matched, context);
    LookAnswer answer = LookAnswer::decided;
    if (draft.evidence && known && calibration->failed) {
      answer = LookAnswer::futile;
    } else if (draft.evidence && !draft.evidence->plan.empty()) {
      const Family family{policy.false_alarm_rate, comparisons};
      answer =
          answer_of(draft.evidence->looked, draft.evidence->plan, stop_question(*draft.evidence, family, draft.row));
    }
    const auto [at, is_new] = answers.emplace(matched.benchmark, answer);
    if (!is_new && urgency(answer) > urgency(at->second)) at->second = answer;
  }
  return answers;
}

}  // namespace steelyard::regress
