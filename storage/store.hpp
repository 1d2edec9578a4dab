// Keeps runs and comparisons in PostgreSQL, the embedded cluster or a server. No caller sees SQL or libpqxx.
//
//     STEELYARD_TRY(Store store, Store::open(parse_store_address("embedded"), state_folder()));
//     STEELYARD_TRY(bool is_new, store.put_run(run));
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/model/comparison.hpp"
#include "bench/model/result.hpp"
#include "bench/model/run.hpp"
#include "bench/model/target.hpp"
#include "storage/access.hpp"
#include "storage/alerts/alert.hpp"
#include "storage/audit.hpp"
#include "storage/derived.hpp"
#include "storage/distribution.hpp"
#include "storage/postgres/access/token.hpp"
#include "storage/prune.hpp"
#include "storage/upgrade_plan.hpp"
#include "storage/upkeep.hpp"

namespace steelyard {

struct StoreAddress {
  bool embedded = true;
  std::string url;  // postgresql://...; never printed with a password: see safe_text()
  std::string safe_text() const;
};
// "embedded" or a postgresql:// (postgres://) address; anything else is an input error that names `where`.
Result<StoreAddress> parse_store_address(const std::string& text, const std::string& where);

// $STEELYARD_STATE, else $XDG_STATE_HOME/steelyard, else ~/.local/state/steelyard; for root /var/lib/steelyard.
std::filesystem::path state_folder();

// A label may take 100 bytes and a run have a thousand: some 100 MB are looked through.
inline constexpr std::int64_t kMostLabelledRuns = 1000;
struct HistoryQuery {
  std::string benchmark;  // canonical text or a part of it; empty: all
  std::string metric;     // empty: real_time and the counted ones
  std::string branch;     // empty: any, by the commits' dates
  std::string project;    // empty: any
  int limit = 200;        // newest points kept per series; 0: the series alone
  std::string machine{};  // the beginning of a fingerprint, or NAME=TEXT: a fact that holds the text; empty: any
  std::vector<std::string> parameters{};  // NAME=VALUE, or VALUE alone where it has no name: each must be there
  // A part of what benchmarks say of themselves in the newest kMostLabelledRuns runs with labels of the project and
  // branch; empty: any. Where there are more, Page::notes says so.
  std::string label{};
  std::string after{};           // Page::next, or HistorySeries::older; empty: from the beginning
  int series_limit = 0;          // most series of one answer; 0: all
  bool off_branch = true;        // with commits that are off the branch, as after a force-push
  bool with_invocations = true;  // costs a look at every measurement; else they are 0
};
struct HistoryPoint {
  std::string run;
  std::string commit;
  std::string subject;
  std::int64_t at_unix_ns = 0;
  double value = 0;  // median of the invocations' medians
  std::int64_t samples = 0;
  std::int64_t invocations = 0;
  bool is_off_branch = false;  // measured on the branch that was asked for, and not on it any more
};
struct HistorySeries {
  std::string benchmark;
  Metric metric;
  std::string fingerprint;
  std::vector<HistoryPoint> points;  // oldest first
  std::string project{};
  std::string older{};  // its points before these, to be given as `after`; empty: there are none
};

// What one answer holds of a list, and where the next begins.
template <class Item>
struct Page {
  std::vector<Item> items;
  std::string next;                  // to be given as `after`, with all else as it was; empty: that was all
  std::vector<std::string> notes{};  // bounds that the answer reached, in words
};

// Where a baseline is looked for: on the same class of machine and project, among the ancestors of a commit.
struct BaselineQuery {
  std::string project;
  std::string fingerprint;
  std::string commit;        // full hash; its own runs are none, and no run of a changed tree is one
  std::string branch;        // where nothing is known of its ancestors: the newest run of this branch that is older
  bool only_branch = false;  // of its ancestors, too, runs of this branch alone (empty: of any)
};
struct FoundBaseline {
  std::string run;
  std::string commit;
  std::int64_t distance = 0;  // 1: a parent
  bool is_ancestor = true;    // false: only older, as far as is known
};

// Two runs beside what came before them on the baseline's branch, on its machine and in its project.
struct BesideHistoryQuery {
  std::string baseline;  // ids of runs, as get_run takes them
  std::string candidate;
  int runs = 100;  // of history: the newest up to the baseline
};
struct SeriesBesideHistory {
  std::string benchmark;
  Metric metric;
  std::optional<double> baseline{};  // absent: not measured, or not defined
  std::optional<double> candidate{};
  std::vector<double> history{};  // oldest first
};

// Commits after `from` up to `to`: full hashes, or unambiguous beginnings of commits that were measured.
struct RangeQuery {
  std::string from;
  std::string to;
  std::string project;  // empty: any
  std::string branch;   // empty: any
  std::string after;    // Page::next
  int limit = 50;       // most items of one answer
};
// A series whose level was found to change at a commit of the range, by `changes` or by a comparison.
struct ChangedSeries {
  std::string project;
  std::string benchmark;
  std::string metric;
  std::string fingerprint;
  std::string branch;
  std::string commit;
  std::optional<double> ratio{};  // after over before
  bool regression = false;        // else an improvement
  bool by_comparison = false;     // else a change point
};
// What moved most between two commits, judged or not: medians of the newest runs up to either commit on one machine.
struct Mover {
  std::string project;
  std::string benchmark;
  Metric metric;
  std::string fingerprint;
  double before = 0;
  double after = 0;
  double ratio = 1;
  std::int64_t runs_before = 0;  // that the median is of
  std::int64_t runs_after = 0;
};

// A confirmed change point of one series: benchmark, metric, machine and the branch that was looked at.
struct KeptChangePoint {
  std::string id;
  std::string project;
  std::string benchmark;
  std::string metric;
  std::string fingerprint;
  std::string branch;  // empty: all branches together
  std::string commit;
  std::string last_good;
  double before = 0;
  double after = 0;
  std::optional<double> ratio{};
  double p = 1;
  bool regression = false;  // else an improvement
  bool gone = false;        // later values spoke against it
};
struct ChangePointEvent {
  std::string event;  // "confirmed", "moved", "gone", "back"
  KeptChangePoint point;
  std::string from_commit;  // where it stood before; empty: nowhere
};

// One commit and all its parents, in git's order; none: a root.
struct CommitParents {
  std::string sha;
  std::vector<std::string> parents;
  bool operator==(const CommitParents&) const = default;
};
// A part of a project's history: as much as a clone knows. Parts may overlap and come in any order.
struct CommitGraph {
  std::string project;
  std::vector<CommitParents> commits;
};
inline constexpr std::size_t kMostGraphCommits = 20'000;
inline constexpr std::size_t kMostParents = 1'000;  // of one commit

struct StoreStatus {
  std::string address;  // safe to print
  std::string server_version;
  int schema_version = 0;
  int newest_known_version = 0;
  std::int64_t runs = 0;
  std::int64_t measurements = 0;
  std::int64_t samples = 0;
  std::int64_t comparisons = 0;
  std::int64_t bytes = 0;
  std::int64_t spooled = 0;          // runs and comparisons that wait in the spool
  std::vector<std::string> notes{};  // what else someone should know, e.g. that a cluster of an older version exists
};

// By which the store knows a comparison: SHA-256 over every field. The same for what was read back from its document
// (as_kept) or from the store.
std::string comparison_id(const Comparison& comparison);

class Store {
 public:
  // Connects, starting the embedded cluster when needed, and brings the schema up to date. Errors: kind store.
  static Result<Store> open(const StoreAddress& address, const std::filesystem::path& state);
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  // What opening has done that someone should know, such as an upgrade of the embedded cluster: a line each, once.
  std::vector<std::string> take_news();

  // One transaction; false where the run was there already. The run must be sealed.
  Result<bool> put_run(const Run& run);
  Result<bool> put_comparison(const Comparison& comparison);
  // Of the last error of these two: this login, of some projects, may not write that one, and another may.
  bool refused_login() const;
  // By id or an unambiguous prefix of at least 6 characters.
  Result<Run> get_run(const std::string& id);
  // Likewise. Of what a program before schema version 11 put it has the ids, commits and fingerprints of the runs.
  Result<Comparison> get_comparison(const std::string& id);
  // Newest first; sha or an unambiguous prefix.
  Result<std::vector<RunHeader>> runs_of_commit(const std::string& sha);
  Result<std::vector<HistorySeries>> history(const HistoryQuery& query);
  // The same, and where the next page begins. By benchmark, project, metric, machine. With HistorySeries::older as
  // `after`: that series alone, with points that stand before those.
  Result<Page<HistorySeries>> history_page(const HistoryQuery& query);
  // The nearest run; absent: none.
  Result<std::optional<FoundBaseline>> latest_baseline(const BaselineQuery& query);
  // Series of either run, by benchmark and metric. Runs of two projects or machines are refused.
  Result<std::vector<SeriesBesideHistory>> beside_history(const BesideHistoryQuery& query);
  // The same range with full hashes and its project. Where neither end is named: of the branch (empty: the one whose
  // end is newest) the last ten commits that were measured and are on it. Error (input): an end that is not known, or
  // fewer than two such commits.
  Result<RangeQuery> complete_range(const RangeQuery& query);
  Result<Page<ChangedSeries>> changed_in(const RangeQuery& query);
  // Largest first, whichever way it went.
  Result<Page<Mover>> top_movers(const RangeQuery& query);
  // Who descends from whom. False: all of it was known. The order of the branches follows from it and from the runs;
  // put_run gives each commit its place.
  Result<bool> put_commit_graph(const CommitGraph& graph);
  // Computes that order anew from what is stored, to the same rows. Returns how many branches there are.
  Result<std::int64_t> rebuild_commit_order();
  // Of one branch (empty: found over all of them) and project (empty: any), gone ones too.
  Result<std::vector<KeptChangePoint>> change_points(const std::string& project, const std::string& branch);
  // One transaction; false where the store knew all of it already.
  Result<bool> put_change_points(const std::vector<ChangePointEvent>& events);
  // Newest change of state first.
  Result<std::vector<Alert>> alerts(const AlertQuery& query);
  // Of a project (empty: any). Newest last.
  Result<std::vector<AcceptedAlert>> accepted_alerts(const std::string& project);
  // The alert as it stands afterwards. Error (input): no such alert, or it is in no state for that.
  Result<Alert> act_on_alert(const AlertAct& act);
  // How a run that is in the store came out against its targets. False where verdicts of it were kept before.
  Result<bool> put_target_verdicts(const std::string& run, const std::vector<TargetRow>& rows);
  // The token itself is in the answer and nowhere else.
  Result<IssuedToken> issue_token(const TokenRequest& request);
  // Absent where what was sent is no token, or one that is unknown, expired or revoked.
  Result<std::optional<Token>> find_token(const std::string& text);
  // By its public id; false where it was revoked before.
  Result<bool> revoke_token(const std::string& id, const std::string& who);
  Result<std::vector<Token>> tokens();
  // Newest first.
  Result<std::vector<AuditEntry>> audit_trail(int limit);
  Result<StoreStatus> status();
  // Makes partitions ahead where they are missing and the login may.
  Result<StoreUpkeep> upkeep();
  // Makes the partitions that get no more rows as small as they can be, beside readers and writers. For a login that is
  // not the schema's owner: nothing. progress: told the part that is done, from 0 to 1; may be empty.
  Result<ClosedPartitions> close_partitions(const std::function<void(double)>& progress);
  // As the schema's owner. Can be ended at any moment: the next call goes on. Closes partitions as well.
  Result<Pruned> prune(const PruneOptions& options);
  // Derived data again from what is stored, in place: to the same bytes.
  Result<Derived> rebuild_derived();
  // Logins and what they may do (storage/access.hpp). False where nothing had to be changed.
  Result<bool> grant(const AccessGrant& wanted);
  Result<bool> revoke(const AccessGrant& unwanted);
  Result<std::vector<AccessGrant>> grants();
  // What open() would do to a store of an older version. Touches nothing, but starts the embedded server.
  static Result<UpgradePlan> plan_upgrade(const StoreAddress& address, const std::filesystem::path& state);
  // Which table goes where when the store is distributed, and what is there already. Touches nothing.
  Result<DistributionPlan> distribution_plan();
  // See storage/distribution.hpp. Running it again does what is left to do. Error (input): the server cannot.
  Result<void> distribute(const DistributeOptions& options, const DistributeProgress& progress);

 private:
  struct Connection;
  explicit Store(std::unique_ptr<Connection> connection);
  std::unique_ptr<Connection> connection_;
};

}  // namespace steelyard
