// What the API does for a command line that has the service in place of a store (storage/store_service.hpp): its
// questions, and what it puts besides runs.
#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <string_view>

#include "bench/model/comparison.hpp"
#include "bench/model/text.hpp"
#include "ci/service/call.hpp"
#include "ci/service/sent_body.hpp"
#include "storage/comparison/comparison_document.hpp"
#include "storage/comparison/comparison_identity.hpp"
#include "storage/comparison_store.hpp"
#include "storage/document/json.hpp"
#include "storage/history_store.hpp"
#include "storage/run_store.hpp"
#include "storage/store_service.hpp"

namespace steelyard::ci {
namespace {

constexpr std::int64_t kMaxQuestionBytes = 512 * 1024;  // a line of 5000 commits, as backfill names it
// Answers of which one at a time is made.
constexpr std::array<std::string_view, 5> kLargeAnswers{"steps", "change-points", "accepted", "runs-of-commit",
                                                        "comparison"};
constexpr int kForbidden = 403;
constexpr int kNotAsWanted = 422;

bool is_whole_list(std::string_view question) {
  return std::find(kLargeAnswers.begin(), kLargeAnswers.end(), question) != kLargeAnswers.end();
}

Result<Reply> ask(const Call& call, std::mutex& large) {
  // No text of a database's holds one.
  if (call.request.body.find("\\u0000") != std::string::npos) {
    return input_error("body", "a text with a zero byte", "none");
  }
  const bool is_large = is_whole_list(call["question"]);
  const std::unique_lock<std::mutex> turn = turn_of(large, is_large);
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

storage::AuditEntry audit_note(const Call& call, const std::string& action, const std::string& subject,
                               const std::string& project) {
  return {call.caller.who(), action, subject, project};
}

// A job says nothing of what another branch's jobs sent, and one of a request nothing but of requests' runs.
std::optional<Reply> refused_origin(const Call& call, const storage::RunOrigin& origin) {
  const Caller& job = call.caller;
  const bool is_own = job.is_request ? origin.of_request : !origin.of_request && origin.branch == job.branch;
  if (job.kind != Caller::Kind::job || is_own) return std::nullopt;
  return Reply{std::string("of ") + (origin.of_request ? "a request's run" : "a run of branch " + origin.branch) +
                   ", where the job is of " + (job.is_request ? "a request" : "branch " + job.branch),
               "", kForbidden};
}

// A request's alerts are its own: none of its jobs speaks for another's.
std::optional<Reply> refused_request(const Call& call, const RunHeader& candidate) {
  constexpr std::size_t kMaxCharacters = 500;  // of what stands in the place of a branch
  const std::string alerts = storage::alert_branch(candidate, true);
  if (alerts.size() > kMaxCharacters) {
    return Reply{"the request's name has more than " + std::to_string(kMaxCharacters) + " characters", "",
                 kNotAsWanted};
  }
  const std::string& own = call.caller.request;
  // Under a branch's name, as where its own number is not said, it is none that a number names.
  const std::string name = alerts.substr(std::min(alerts.size(), storage::alert_branch_of_request("").size()));
  if (own.empty() || name == own || !(is_decimal(name) || candidate.settings.contains(storage::kRequestSetting)) ||
      name.empty()) {
    return std::nullopt;
  }
  return Reply{"of another request than " + own + ", which the job is of", "", kForbidden};
}

// Of a request's job the candidate must be a run that came as a request's: by that its comparison is known ever after.
Result<std::optional<Reply>> refused_candidate(const Call& call, const Comparison& comparison) {
  const RunHeader& candidate = comparison.candidate;
  if (call.caller.kind != Caller::Kind::job) return std::optional<Reply>();
  if (!call.caller.is_request) return refused_origin(call, {candidate.commit.branch, false});
  if (std::optional<Reply> refusal = refused_request(call, candidate)) return refusal;
  STEELYARD_TRY(const std::optional<storage::RunOrigin> origin, storage::RunStore(call.store).origin(candidate.id));
  if (origin) return refused_origin(call, *origin);
  return std::optional(Reply{"of run:" + candidate.id.substr(0, 12) + ", which is not in the store", "", kForbidden});
}

Result<Reply> submit_comparison(const Call& call, std::mutex& large) {
  const SentBody file(call.request.body_file);
  const std::unique_lock<std::mutex> turn = turn_of(large, file.bytes().size() > kLargeBody);
  Result<Comparison> read = storage::parse_comparison(file.bytes(), "submission");
  if (!read && storage::comparison_version(file.bytes()) > storage::kComparisonVersion) return not_here(read.error());
  STEELYARD_TRY(const Comparison comparison, std::move(read));
  for (const RunHeader* const side : {&comparison.baseline, &comparison.candidate}) {
    if (std::optional<Reply> refusal = refused_project(call, side->project)) return std::move(*refusal);
  }
  STEELYARD_TRY(std::optional<Reply> refusal, refused_candidate(call, comparison));
  if (refusal) return std::move(*refusal);
  const Caller& caller = call.caller;
  const storage::ComparisonSubmission submission{
      audit_note(call, "comparison submitted", "comparison:" + storage::comparison_id(comparison),
                 comparison.candidate.project),
      caller.is_request, caller.may("report")};
  STEELYARD_TRY(const bool is_new, storage::ComparisonStore(call.store).put(comparison, submission));
  return kept(is_new);
}

Result<Reply> submit_commits(const Call& call, std::mutex& large) {
  const SentBody file(call.request.body_file);
  const std::unique_lock<std::mutex> turn = turn_of(large, file.bytes().size() > kLargeBody);
  STEELYARD_TRY(const storage::CommitGraph graph, storage::read_graph(file.bytes()));
  if (std::optional<Reply> refusal = refused_project(call, graph.project)) return std::move(*refusal);
  if (call.caller.is_request) return kept(false);
  STEELYARD_TRY(const bool is_new,
                storage::HistoryStore(call.store)
                    .put_commit_graph(graph, audit_note(call, "commits submitted", "project", graph.project)));
  return kept(is_new);
}

Result<Reply> submit_targets(const Call& call, std::mutex& large) {
  const SentBody file(call.request.body_file);
  const std::unique_lock<std::mutex> turn = turn_of(large, file.bytes().size() > kLargeBody);
  STEELYARD_TRY(const storage::RunTargets targets, storage::read_targets(file.bytes()));
  storage::RunStore runs(call.store);
  STEELYARD_TRY(const std::optional<storage::RunOrigin> origin, runs.origin(targets.run));
  // It may be on its way: these wait for it.
  if (!origin) return not_here(input_error("run:" + targets.run, "a run that is not in the store", "one that is"));
  if (std::optional<Reply> refusal = refused_origin(call, *origin)) return std::move(*refusal);
  STEELYARD_TRY(const bool is_new,
                runs.put_target_verdicts(targets.run, targets.rows,
                                         audit_note(call, "targets submitted", "run:" + targets.run, "")));
  return kept(is_new);
}

}  // namespace

bool may_be_large(std::string_view question) { return question == "history" || is_whole_list(question); }

void add_store_answers(Operations& operations, const std::shared_ptr<std::mutex>& large) {
  const auto in_turn = [](auto act, const std::shared_ptr<std::mutex>& turn) {
    return [act, turn](const Call& call) { return act(call, *turn); };
  };
  // Of their own: no question waits until something large is put.
  const auto answers = std::make_shared<std::mutex>();
  operations["ask"] = {in_turn(ask, answers), kNotAsWanted, kMaxQuestionBytes};
  operations["submitComparison"] = {in_turn(submit_comparison, large), kNotAsWanted, kMaxSubmittedJsonBytes, 0, true};
  operations["submitCommits"] = {in_turn(submit_commits, large), kNotAsWanted, kMaxSubmittedJsonBytes, 0, true};
  operations["submitTargets"] = {in_turn(submit_targets, large), kNotAsWanted, kMaxSubmittedJsonBytes, 0, true};
}

}  // namespace steelyard::ci
