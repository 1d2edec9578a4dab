// What the API does for a command line that has the service in place of a store (storage/store_service.hpp): its
// questions, and what it puts besides runs.
#include "bench/model/comparison.hpp"
#include "ci/service/call.hpp"
#include "ci/service/sent_body.hpp"
#include "storage/comparison/comparison_document.hpp"
#include "storage/comparison_store.hpp"
#include "storage/document/json.hpp"
#include "storage/history_store.hpp"
#include "storage/run_store.hpp"
#include "storage/store_service.hpp"

namespace steelyard::ci {
namespace {

constexpr std::int64_t kMaxQuestionBytes = 64 * 1024;
constexpr int kForbidden = 403;

Result<Reply> ask(const Call& call) {
  // No text of a database's holds one.
  if (call.request.body.find("\\u0000") != std::string::npos) {
    return input_error("body", "a text with a zero byte", "none");
  }
  STEELYARD_TRY(std::string text, storage::answer_question(call.store, call["question"], call.request.body));
  return Reply{std::move(text)};
}

Reply kept(bool is_new) {
  storage::JsonWriter writer;
  writer("is_new", is_new);
  return Reply{writer.one_line() + '\n', "application/json", is_new ? 201 : 200};
}

std::optional<Reply> refused_project(const Call& call, const std::string& project) {
  if (call.caller.project.empty() || call.caller.project == project) return std::nullopt;
  return Reply{"of another project than the token's", "", kForbidden};
}

// The order of commits and a comparison's branch are what a job of a request must have no say in.
std::optional<Reply> refused_branch(const Call& call, const std::string& branch) {
  if (call.caller.kind != Caller::Kind::job) return std::nullopt;
  const std::string& own = call.caller.is_request ? "" : call.caller.branch;
  if (branch == own || (own.empty() && !call.caller.is_request)) return std::nullopt;
  return Reply{"of branch " + branch + ", where the job is of " + (own.empty() ? "a request" : "branch " + own), "",
               kForbidden};
}

Result<Reply> submit_comparison(const Call& call) {
  const SentBody file(call.request.body_file);
  STEELYARD_TRY(const Comparison comparison, storage::parse_comparison(file.bytes(), "submission"));
  for (const RunHeader* const side : {&comparison.baseline, &comparison.candidate}) {
    if (std::optional<Reply> refusal = refused_project(call, side->project)) return std::move(*refusal);
  }
  if (std::optional<Reply> refusal = refused_branch(call, comparison.candidate.commit.branch)) {
    return std::move(*refusal);
  }
  STEELYARD_TRY(const bool is_new, storage::ComparisonStore(call.store).put(comparison));
  return kept(is_new);
}

Result<Reply> submit_commits(const Call& call) {
  const SentBody file(call.request.body_file);
  STEELYARD_TRY(const storage::CommitGraph graph, storage::read_graph(file.bytes()));
  if (std::optional<Reply> refusal = refused_project(call, graph.project)) return std::move(*refusal);
  if (call.caller.is_request) return kept(false);
  STEELYARD_TRY(const bool is_new, storage::HistoryStore(call.store).put_commit_graph(graph));
  return kept(is_new);
}

Result<Reply> submit_targets(const Call& call) {
  const SentBody file(call.request.body_file);
  STEELYARD_TRY(const storage::RunTargets targets, storage::read_targets(file.bytes()));
  STEELYARD_TRY(const bool is_new, storage::RunStore(call.store).put_target_verdicts(targets.run, targets.rows));
  return kept(is_new);
}

}  // namespace

void add_store_answers(Operations& operations) {
  constexpr int kNotAsWanted = 422;
  operations["ask"] = {ask, kNotAsWanted, kMaxQuestionBytes};
  operations["submitComparison"] = {submit_comparison, kNotAsWanted, kMaxSubmittedJsonBytes, 0, true};
  operations["submitCommits"] = {submit_commits, kNotAsWanted, kMaxSubmittedJsonBytes, 0, true};
  operations["submitTargets"] = {submit_targets, kNotAsWanted, kMaxSubmittedJsonBytes, 0, true};
}

}  // namespace steelyard::ci
