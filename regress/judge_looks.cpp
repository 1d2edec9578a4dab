#include "regress/judge_looks.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "regress/ab/calibrated.hpp"
#include "regress/ab/match.hpp"
#include "regress/ab/row.hpp"
#include "regress/policy/pattern_policy.hpp"

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

// What is known of the gate by now: q of each row, as if the comparisons that are not in these runs were as many more
// of the same kind.
Family adjust_within(std::vector<RowDraft>& drafts, const RowContext& context, std::int64_t comparisons) {
  Family family = adjust(drafts, context);
  const double others = std::max(1.0, static_cast<double>(comparisons) / static_cast<double>(family.comparisons));
  family.independent = family.shared_by() * others;
  family.comparisons = std::max(family.comparisons, comparisons);
  for (RowDraft& draft : drafts) {
    if (draft.row.q) draft.row.q = std::min(1.0, *draft.row.q * others);
  }
  return family;
}

}  // namespace

LookJudge::LookJudge(ComparisonPolicy policy, std::int64_t comparisons, Rules rules)
    : comparisons_(comparisons), rules_(rules) {
  std::vector<Caution> told_by_the_comparison;
  policy_ = within_range(std::move(policy), told_by_the_comparison);
}

std::map<std::string, LookAnswer> LookJudge::answers(const Run& baseline, const Run& candidate,
                                                     const Calibration* calibration) {
  const bool known = calibration != nullptr && calibration->fingerprint == candidate.environment.fingerprint() &&
                     is_used(*calibration);
  const CalibratedNoise calibrated(known ? calibration : nullptr);
  const Layout layout = mutual_layout(baseline.header, candidate.header);
  const LookPlan plan = is_concurrent(layout) ? mutual_look_plan(baseline.header, candidate.header) : LookPlan{};
  const ComparisonPolicy held = on_machine(policy_, machine_names(candidate.environment));
  const RowContext context{baseline, candidate, held, layout, calibrated, false, plan, rules_, &memory_};
  std::vector<std::string> undirected;
  std::map<std::string, LookAnswer> answers;
  std::vector<RowDraft> drafts;
  for (const Matched& matched : match_runs(baseline, candidate, held, undirected, rules_)) {
    drafts.push_back(draft_row(matched, context));
  }
  const Family family = adjust_within(drafts, context, comparisons_);
  for (const RowDraft& draft : drafts) {
    LookAnswer answer = LookAnswer::decided;
    if (draft.evidence && known && calibration->failed) {
      answer = LookAnswer::futile;
    } else if (draft.evidence && !draft.evidence->plan.empty()) {
      answer =
          answer_of(draft.evidence->looked, draft.evidence->plan, stop_question(*draft.evidence, family, draft.row));
    }
    const auto [at, is_new] = answers.emplace(draft.row.benchmark, answer);
    if (!is_new && urgency(answer) > urgency(at->second)) at->second = answer;
  }
  return answers;
}

}  // namespace steelyard::regress
