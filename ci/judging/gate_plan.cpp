#include "ci/judging/gate_plan.hpp"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "bench/model/text.hpp"
#include "ci/config/renames.hpp"
#include "ci/judging/accepted.hpp"
#include "ci/judging/against_history.hpp"
#include "ci/judging/judge.hpp"
#include "ci/judging/replay.hpp"
#include "regress/compare_runs.hpp"

namespace steelyard::ci {

namespace {

// Whether what the CI system says was there before is taken; where not, why is added to why the other is.
bool takes_before(const GitRepository& repository, const std::string& head, BaseChoice& base) {
  CommitBefore& before = base.before;
  if (!before.sha.empty()) {
    const Result<bool> is_ancestor = is_ancestor_deepening(repository, before.sha, head);
    if (is_ancestor && *is_ancestor && before.sha != head) return true;
    before.trouble = before.what + ", " + shown_sha(before.sha) + ", " +
                     (!is_ancestor         ? "could not be looked up: " + is_ancestor.error().text()
                      : before.sha == head ? "is the commit itself"
                                           : "is no ancestor of it");
  }
  base.reason.not_before = before.trouble;
  return false;
}

// A branch that went on since the head left it is compared as it is now: changes of others count as well.
std::string aside_of_base(const GitRepository& repository, const std::string& base, const std::string& head) {
  if (repository.is_shallow() || repository.is_ancestor(base, head)) return "";
  const std::string common = repository.merge_base(base, head);
  if (common.empty() || common == head) return "";
  return "the baseline " + shown_sha(base) + " is no ancestor of " + shown_sha(head) +
         ", so that what it has alone is compared as well; where they part is " + shown_sha(common) +
         " (git merge-base), if that is meant";
}

}  // namespace

Result<GatePlan> plan_gate(const GateRequest& request) {
  STEELYARD_TRY(GitRepository repository, GitRepository::find(std::filesystem::current_path()));
  STEELYARD_TRY(std::string head, resolve_deepening(repository, request.head.empty() ? "HEAD" : request.head));
  BaseChoice base{request.base};
  if (request.base.empty()) {
    STEELYARD_TRY(const std::vector<std::string> parents, repository.parents(head));
    base = default_base(caller_environment(), request.head, parents.size());
  }
  if (!base.reason.left_branch.empty()) {
    STEELYARD_TRY(BranchPoint left, branch_point(repository, head, base.reason.left_branch));
    base.reason.not_fetched = left.stale;
    return GatePlan{std::move(repository), {std::move(left.sha), std::move(head)}, std::move(base.reason)};
  }
  if (takes_before(repository, head, base)) {
    return GatePlan{std::move(repository),
                    {std::move(base.before.sha), std::move(head)},
                    {note::BaselineBy::before, {}, {}, {}, std::move(base.before.what)}};
  }
  const bool is_parent = base.reason.by == note::BaselineBy::first_parent;
  const std::string parent = is_parent ? "parent of " + shown_sha(head) : "";
  Result<std::string> base_sha = resolve_deepening(repository, base.name, parent);
  if (!base_sha && is_parent && !repository.is_shallow()) {
    return input_error(repository.root().string(), "no " + parent + ", which is a first commit", "a baseline",
                       "name one with --base COMMIT");
  }
  if (!base_sha) return base_sha.error();
  std::string aside = request.base.empty() ? "" : aside_of_base(repository, *base_sha, head);
  return GatePlan{
      std::move(repository), {std::move(*base_sha), std::move(head)}, std::move(base.reason), std::move(aside)};
}

Result<void> take_accepted(const GateRequest& request, const Result<GatePlan>& plan, GateConfiguration& judged) {
  STEELYARD_TRY(AcceptedChanges accepted, accepted_by_options(request.accepted));
  if (plan && !judged.configuration.gate.no_accept_trailers) {
    AcceptedChanges more =
        accepted_by_commits(plan->repository, plan->commits.baseline + ".." + plan->commits.candidate);
    accepted.tables.insert(accepted.tables.end(), more.tables.begin(), more.tables.end());
    accepted.notes.insert(accepted.notes.end(), more.notes.begin(), more.notes.end());
  }
  // Options before commits, the newest commit before older ones, all before the request.
  if (!request.accepted_file.empty()) {
    STEELYARD_TRY(const AcceptedChanges on_request, accepted_in_file(request.accepted_file));
    accept(on_request, judged.configuration.policy, judged.notes);
  }
  accept(accepted, judged.configuration.policy, judged.notes);
  return {};
}

Result<OwnGate> own_gate(const GateRequest& request, const Configuration& candidate, const App& app) {
  const Result<GatePlan> planned = plan_gate(request);
  STEELYARD_TRY(const GatePlan plan, planned);
  const Nanoseconds usual = bench::Limits().budget;  // measures nothing
  STEELYARD_TRY(GateConfiguration judged, with_baseline_policy(candidate, plan.repository, plan.commits, usual, app));
  STEELYARD_CHECK(take_accepted(request, planned, judged));
  STEELYARD_TRY(Commit baseline, plan.repository.describe_baseline(plan.commits.baseline));
  STEELYARD_TRY(Commit head, plan.repository.describe(plan.commits.candidate));
  return OwnGate{std::move(baseline), std::move(head), std::move(judged.configuration)};
}

namespace {

// Those of the comparison's earlier names that only the candidate's file gives, which decide by which tables a
// benchmark is judged. Error (input): one that no file gives.
Result<EarlierNames> earlier_names_here(const std::vector<BenchmarkRename>& renames, const Comparison& kept) {
  std::vector<BenchmarkRename> of_baseline = renames;
  std::erase_if(of_baseline, [](const BenchmarkRename& rename) { return rename.is_of_candidate; });
  EarlierNames earlier;
  for (const auto& [before, today] : kept.earlier_names) {
    if (current_name(renames, before) != today) {
      return input_error("the comparison", "\"" + before + "\" as an earlier name of \"" + today + '"',
                         "what the lines of [rename] say");
    }
    if (current_name(of_baseline, before) != today) earlier.emplace(today, before);
  }
  return earlier;
}

}  // namespace

Result<Comparison> judged_by_own_gate(const OwnGate& gate, const Comparison& kept, const Run& baseline,
                                      const Run& candidate) {
  STEELYARD_TRY(const EarlierNames earlier, earlier_names_here(gate.configuration.renames, kept));
  STEELYARD_TRY(KnownCalibration calibrations, KnownCalibration::of(gate.configuration));
  std::vector<std::string> untold;
  const Calibration* const calibration = calibrations.find(baseline, candidate, untold);
  Comparison own = kept;
  own.policy = comparison_policy(with_earlier_names(gate.configuration, earlier).policy);
  own.policy.seed = kept.policy.seed;
  own.rule_version = regress::to_text(regress::kNewestRules);  // older ones would be the first job's choice
  own.calibration.reset();
  if (calibration != nullptr) own.calibration = *calibration;
  return judged_as(own, baseline, candidate);
}

}  // namespace steelyard::ci
