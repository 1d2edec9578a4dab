// A service in place of a database: what a Store that stands on one asks of it, and how the service answers. Questions
// and answers are JSON, made of values that describe themselves (storage/model); runs are archives. Who carries them
// there and back is not this file's: ci/app/store_client is the one over HTTP, ci/service answers.
//
//     STEELYARD_TRY(Store store, Store::over(std::make_unique<StoreClient>(...)));
//     HistoryStore(store).page(query);                     // asks the service
//     Upkeep(store).status();                              // is refused in words: that takes the database
//
// An answer is bounded: of a history so many points, the rest by further questions. What is asked for beyond a bound is
// refused with it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/comparison.hpp"
#include "bench/model/result.hpp"
#include "bench/model/run.hpp"
#include "bench/model/target.hpp"
#include "storage/model/alert.hpp"
#include "storage/model/history.hpp"
#include "storage/store.hpp"

namespace steelyard::storage {

class StoreService {
 public:
  virtual ~StoreService() = default;
  // As people know it, without secrets.
  virtual std::string name() const = 0;
  // question: one of question_names(). Errors: of the store that answers; store, where no answer came or it was
  // refused.
  virtual Result<std::string> ask(const std::string& question, const std::string& text) = 0;
  virtual Result<std::string> archive_of(const std::string& run) = 0;
  enum class Piece { run, comparison, commits, targets };
  // bytes: an archive, a comparison_document(), or JSON as graph_document() and targets_document() have it. True: it is
  // new there. Putting what is there already changes nothing.
  virtual Result<bool> put(Piece piece, const std::string& bytes) = 0;
  // The alert by its whole id.
  virtual Result<void> act(const AlertAct& act) = 0;
  // Of the last put(): that one thing is not taken, and may be with another token, a newer service or a higher limit.
  virtual bool refused_login() const = 0;
};

// That what was asked for is none of a service's (by its name).
Error needs_database(const std::string& service);

// The questions that a store answers over a service.
const std::vector<std::string>& question_names();
// Error (input): no such question, or no such thing; one that is beyond a bound. Others: the store's.
Result<std::string> answer_question(Store& store, std::string_view question, std::string_view text);

// Points of one answer, and points of one that is of a single series.
inline constexpr int kMaxPointsOverService = 20'000;
inline constexpr int kMaxPointsOfOneOverService = 100'000;
inline constexpr int kMaxSeriesOverService = 1000;
inline constexpr int kMaxAlertsOverService = 10'000;
inline constexpr int kMaxStepsOverService = 20'000;
inline constexpr int kMaxItemsOverService = 50'000;  // of any other list
// Answers to one question that tells a list in parts; more are an error (store): who would never end is no store.
inline constexpr int kMaxAnswersOverService = 1000;

// What Store's classes ask over a service, as they ask a database.
Result<std::vector<std::string>> ask_projects(StoreService& service, const std::string& first);
Result<Page<HistorySeries>> ask_history(StoreService& service, const HistoryQuery& query);
Result<std::optional<FoundBaseline>> ask_baseline(StoreService& service, const BaselineQuery& query);
Result<RangeQuery> ask_complete_range(StoreService& service, const RangeQuery& query);
Result<Page<ChangedSeries>> ask_changed(StoreService& service, const RangeQuery& query);
Result<Page<Mover>> ask_movers(StoreService& service, const RangeQuery& query);
Result<std::vector<MeasuredStep>> ask_steps(StoreService& service, const StepQuery& query);
Result<std::vector<KeptChangePoint>> ask_change_points(StoreService& service, const std::string& project,
                                                       const std::string& branch);
Result<std::vector<Alert>> ask_alerts(StoreService& service, const AlertQuery& query);
Result<std::vector<AcceptedAlert>> ask_accepted(StoreService& service, const AcceptedQuery& query);
Result<std::vector<RunHeader>> ask_runs_of_commit(StoreService& service, const std::string& sha);
Result<Comparison> ask_comparison(StoreService& service, const std::string& id);
Result<Run> ask_run(StoreService& service, const std::string& id);
// The alert as it stands afterwards.
Result<Alert> act_over(StoreService& service, const AlertAct& act);

// What is put as JSON, and read back. Error (input): no such document.
std::string graph_document(const CommitGraph& graph);
Result<CommitGraph> read_graph(std::string_view text);
struct RunTargets {
  std::string run;  // id
  std::vector<TargetRow> rows;
};
// What is never kept of a verdict is not in it.
std::string targets_document(const RunTargets& targets);
Result<RunTargets> read_targets(std::string_view text);

}  // namespace steelyard::storage
