// Keeps runs and comparisons in PostgreSQL, the embedded cluster or a server. No caller sees SQL or libpqxx.
//
//     STEELYARD_TRY(Store store, Store::open(parse_store_address("embedded"), state_folder()));
//     STEELYARD_TRY(bool is_new, store.put_run(run));
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/model/comparison.hpp"
#include "bench/model/result.hpp"
#include "bench/model/run.hpp"
#include "bench/model/target.hpp"
#include "storage/alerts/alert.hpp"
#include "storage/audit.hpp"
#include "storage/token.hpp"

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

struct HistoryQuery {
  std::string benchmark;  // canonical text or a part of it; empty: all
  std::string metric;     // empty: real_time and the counted ones
  std::string branch;     // empty: any
  std::string project;    // empty: any
  int limit = 200;        // newest points kept per series
};
struct HistoryPoint {
  std::string run;
  std::string commit;
  std::string subject;
  std::int64_t at_unix_ns = 0;
  double value = 0;  // median of the invocations' medians
  std::int64_t samples = 0;
  std::int64_t invocations = 0;
};
struct HistorySeries {
  std::string benchmark;
  Metric metric;
  std::string fingerprint;
  std::vector<HistoryPoint> points;  // oldest first
  std::string project{};
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
  // By id or an unambiguous prefix of at least 6 characters.
  Result<Run> get_run(const std::string& id);
  // Likewise. Of what a program before schema version 11 put it has the ids, commits and fingerprints of the runs.
  Result<Comparison> get_comparison(const std::string& id);
  // Newest first; sha or an unambiguous prefix.
  Result<std::vector<RunHeader>> runs_of_commit(const std::string& sha);
  Result<std::vector<HistorySeries>> history(const HistoryQuery& query);
  // Of one branch (empty: found over all of them) and project (empty: any), gone ones too.
  Result<std::vector<KeptChangePoint>> change_points(const std::string& project, const std::string& branch);
  // One transaction; false where the store knew all of it already.
  Result<bool> put_change_points(const std::vector<ChangePointEvent>& events);
  // Newest change of state first.
  Result<std::vector<Alert>> alerts(const AlertQuery& query);
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

 private:
  struct Connection;
  explicit Store(std::unique_ptr<Connection> connection);
  std::unique_ptr<Connection> connection_;
};

}  // namespace steelyard
