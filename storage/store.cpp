#include "storage/store.hpp"

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "bench/model/result.hpp"
#include "storage/access_store.hpp"
#include "storage/alert_store.hpp"
#include "storage/catalog_store.hpp"
#include "storage/comparison_store.hpp"
#include "storage/delivery.hpp"
#include "storage/embedded/cluster.hpp"
#include "storage/embedded/cluster_layout.hpp"
#include "storage/history_store.hpp"
#include "storage/place/files.hpp"
#include "storage/postgres/access/project_rights.hpp"
#include "storage/postgres/access/roles.hpp"
#include "storage/postgres/access/tokens.hpp"
#include "storage/postgres/alerts/accepted_rows.hpp"
#include "storage/postgres/alerts/alert_rows.hpp"
#include "storage/postgres/alerts/notice_rows.hpp"
#include "storage/postgres/catalog/catalog_reader.hpp"
#include "storage/postgres/comparisons/comparison_reader.hpp"
#include "storage/postgres/comparisons/comparison_writer.hpp"
#include "storage/postgres/distributed/distribute.hpp"
#include "storage/postgres/history/change_point_rows.hpp"
#include "storage/postgres/history/commit_graph.hpp"
#include "storage/postgres/history/history_reader.hpp"
#include "storage/postgres/history/ranges.hpp"
#include "storage/postgres/runs/partitions.hpp"
#include "storage/postgres/runs/run_reader.hpp"
#include "storage/postgres/runs/run_writer.hpp"
#include "storage/postgres/runs/target_rows.hpp"
#include "storage/postgres/session/session.hpp"
#include "storage/postgres/sql/migrations.hpp"
#include "storage/postgres/upkeep/derivations.hpp"
#include "storage/postgres/upkeep/prune.hpp"
#include "storage/postgres/upkeep/upkeep_reader.hpp"
#include "storage/run_store.hpp"
#include "storage/spool/rebuild.hpp"
#include "storage/spool/spool.hpp"
#include "storage/upkeep.hpp"

namespace steelyard::storage {
namespace {

// Clusters of PostgreSQL versions whose programs this machine no longer has: nothing can read them, but the archives
// of their runs lie in the state folder. Their runs are brought into the cluster that now is the store, and they are
// set aside, unchanged.
//
//     STEELYARD_TRY(const auto news, import_old_clusters(session, server, state));  // the schema is up to date

namespace fs = std::filesystem;

// Thousands of archives take minutes.
constexpr std::chrono::minutes kLockPatience{30};

std::string count_text(std::int64_t count, const char* what) {
  return std::to_string(count) + what + (count == 1 ? "" : "s");
}

Result<Rebuild> refill(Session& session, const fs::path& state) {
  const Spool spool(state);
  Rebuild done;
  KeyCache keys;
  std::error_code trouble;  // no such folder: nothing was ever delivered
  if (fs::exists(spool.delivered_folder(), trouble)) {
    const auto put = [&](const Run& run) -> Result<bool> {
      STEELYARD_TRY(const bool is_new, write_run(session, run, keys));
      STEELYARD_CHECK(place_commit_of(session, run.header));
      return is_new;
    };
    STEELYARD_TRY(done, rebuild_from_archives(spool.delivered_folder(), put, {}));
  }
  if (fs::exists(spool.delivered_comparisons(), trouble)) {
    const auto put = [&session](const Comparison& comparison) { return write_comparison(session, comparison); };
    STEELYARD_CHECK(rebuild_comparisons(spool.delivered_comparisons(), put, done));
  }
  return done;
}

std::string what_was_done(int from, int to, const Rebuild& done, const fs::path& aside) {
  const std::string version = "PostgreSQL " + std::to_string(from);
  std::string text = "the embedded store has moved from " + version + " to PostgreSQL " + std::to_string(to) + ": " +
                     count_text(done.runs, " run") + " and " + count_text(done.comparisons, " comparison") +
                     " from their archives";
  if (!done.bad.empty()) {
    text += ", " + count_text(static_cast<std::int64_t>(done.bad.size()), " file") +
            " could not be read (steelyard db rebuild names them)";
  }
  if (!aside.empty()) {
    text += "; what has none is in the old cluster alone, kept in " + aside.string() + " and readable with " + version;
  }
  return text;
}

// What has been done, a line for each cluster; empty where there was none. Can be ended at any moment: the next call
// goes on. Another process that does it is waited for. Error (store): the store fails, or the other takes too long.
Result<std::vector<std::string>> import_old_clusters(Session& session, const EmbeddedServer& server,
                                                     const fs::path& state) {
  std::vector<std::string> news;
  if (server.old_clusters.empty()) return news;
  STEELYARD_TRY(const auto lock, FileLock::take(server.home / "refill.lock", kLockPatience));
  if (!lock) {
    return store_error("embedded store " + server.home.string(),
                       "another steelyard that has been filling it from the archives for long",
                       "the lock on " + (server.home / "refill.lock").string(), "try again when it is done");
  }
  std::optional<Rebuild> done;
  for (const int major : server.old_clusters) {
    std::error_code trouble;
    // Another process may have done it while we waited.
    if (!fs::exists(ClusterLayout{server.home, major}.data(), trouble)) continue;
    if (!done) {
      STEELYARD_TRY(done, refill(session, state));
    }
    STEELYARD_TRY(const fs::path aside, set_cluster_aside(server.home, major));
    if (!aside.empty()) news.push_back(what_was_done(major, server.major, *done, aside));
  }
  return news;
}

// A session that is ready for the store's work, and what is remembered for as long as it lasts.
struct OpenSession {
  StoreLink link;
  Login login;
  KeyCache keys{};
  RunOrderCache runs{};
};

Result<OpenSession> open_session(const StoreAddress& address, const std::filesystem::path& state, StoreWork work) {
  STEELYARD_TRY(StoreLink link, link_to_store(address, state, work));
  const bool is_limited = link.server && work == StoreWork::daily;
  if (is_limited) {
    STEELYARD_TRY(const Login daily, query_login(link.session));
    if (daily.rights_given_at < known_migrations().back().version) {
      STEELYARD_CHECK(open_session(address, state, StoreWork::upkeep));
    }
  }
  STEELYARD_TRY(Login login, prepare_session(link.session));
  STEELYARD_CHECK(ensure_derived(link.session));
  if (is_limited) {
    STEELYARD_TRY(const std::vector<std::string> news, import_old_clusters(link.session, *link.server, state));
    link.server->news.insert(link.server->news.end(), news.begin(), news.end());
  }
  return OpenSession{std::move(link), std::move(login)};
}

}  // namespace

class StoreConnection {
 public:
  StoreConnection(StoreAddress address, std::filesystem::path state, OpenSession open)
      : address_(std::move(address)), state_(std::move(state)), open_(std::move(open)) {}

  Session& session() { return open_.link.session; }
  const Login& login() const { return open_.login; }
  KeyCache& keys() { return open_.keys; }
  RunOrderCache& runs() { return open_.runs; }
  // Holds on the connections to come, too.
  Result<void> see_only(const std::string& project, bool may_write) {
    Limit wanted;
    if (!project.empty()) {
      const auto check = [](Session& session) { return check_limits(session); };
      if (!limit_.project.empty()) lift_limit();
      STEELYARD_CHECK(read(check));
      wanted = {project, std::string(may_write ? kProjectWriterRole : kProjectReaderRole)};
    } else if (limit_.project.empty()) {
      return {};
    }
    lift_limit();
    limit_ = std::move(wanted);
    apply_limit();
    return {};
  }
  // Holds on the connections to come, too.
  void limit_statements(std::chrono::milliseconds most) {
    most_ = most;
    session().limit_statements(most_);
  }
  // Absent where the server is someone else's.
  std::optional<EmbeddedServer>& server() { return open_.link.server; }
  const std::filesystem::path& state() const { return state_; }

  // Does something that may be done twice; once more on a new connection where the link was lost.
  template <class Action>
  auto read(Action action) -> decltype(action(session())) {
    bool unanswered = false;
    return attempt(open_, StoreWork::daily, action, unanswered);
  }
  // Puts something that is put once, and tells whether it was new.
  template <class Action>
  Result<bool> write(Action action) {
    bool unanswered = false;
    Result<bool> is_new = attempt(open_, StoreWork::daily, action, unanswered);
    // What was to be put is there already: the answer that got lost was a yes.
    if (is_new && unanswered) return true;
    return is_new;
  }
  // read() of what only an owner may. The embedded store's superuser is logged in for this one action.
  template <class Action>
  auto read_as_owner(Action action) -> decltype(action(session(), login())) {
    bool unanswered = false;
    return attempt_as_owner(action, unanswered);
  }
  // write() of what only an owner may.
  template <class Action>
  Result<bool> write_as_owner(Action action) {
    bool unanswered = false;
    Result<bool> is_new = attempt_as_owner(action, unanswered);
    if (is_new && unanswered) return true;
    return is_new;
  }

 private:
  template <class Action>
  auto attempt_as_owner(Action action, bool& unanswered) -> decltype(action(session(), login())) {
    const auto act_in = [&](OpenSession& open) {
      const auto with_login = [&](Session& session) { return action(session, open.login); };
      return attempt(open, StoreWork::upkeep, with_login, unanswered);
    };
    if (!server()) return act_in(open_);
    STEELYARD_TRY(OpenSession superuser, open_session(address_, state_, StoreWork::upkeep));
    return act_in(superuser);
  }
  // `unanswered`: the first try's commit may have arrived.
  template <class Action>
  auto attempt(OpenSession& open, StoreWork work, Action action, bool& unanswered) -> decltype(action(session())) {
    auto first = action(open.link.session);
    unanswered = open.link.session.link() == Session::Link::commit_unanswered;
    if (first || open.link.session.link() == Session::Link::up) return first;
    STEELYARD_TRY(open, open_session(address_, state_, work));
    if (&open == &open_) apply_limit();
    return action(open.link.session);
  }

  struct Limit {
    std::string project;  // empty: none
    std::string role;
  };
  void apply_limit() {
    session().limit_statements(most_);
    if (limit_.project.empty()) return;
    session().act_as(limit_.role);
    session().see_only(limit_.project);
    open_.runs = {};
  }
  void lift_limit() {
    limit_ = {};
    session().act_as(login().is_distributed ? "" : role_for_work(login().roles));
    session().see_only("");
    open_.runs = {};
  }

  StoreAddress address_;
  std::filesystem::path state_;
  OpenSession open_;
  Limit limit_;
  std::chrono::milliseconds most_{0};
};

Store::Store(std::unique_ptr<StoreConnection> connection) : connection_(std::move(connection)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

Result<Store> Store::open(const StoreAddress& address, const std::filesystem::path& state) {
  STEELYARD_TRY(OpenSession session, open_session(address, state, StoreWork::daily));
  return Store(std::make_unique<StoreConnection>(address, state, std::move(session)));
}

std::vector<std::string> Store::take_notices() {
  std::optional<EmbeddedServer>& server = connection_->server();
  return server ? std::exchange(server->news, {}) : std::vector<std::string>();
}

void Store::limit_statements(std::chrono::milliseconds most) { connection_->limit_statements(most); }

Result<void> Store::see_only(const std::string& project, bool may_write) {
  return connection_->see_only(project, may_write);
}

bool Store::refused_login() const { return connection_->session().refused_login(); }

// Runs and comparisons.

Result<bool> RunStore::put(const Run& run) {
  return connection_.write([&](Session& session) -> Result<bool> {
    STEELYARD_TRY(const bool is_new, write_run(session, run, connection_.keys()));
    // Done for a run that was there as well: the writer before may have been cut off between the two.
    STEELYARD_CHECK(place_commit_of(session, run.header));
    return is_new;
  });
}

Result<bool> RunStore::put(const Run& run, const Submission& submission) {
  return connection_.write([&](Session& session) -> Result<bool> {
    const auto beside = [&](Transaction& transaction) -> Result<void> {
      if (submission.of_request) STEELYARD_CHECK(mark_request(transaction, run.header.id));
      return write_audit(transaction, submission.note);
    };
    STEELYARD_TRY(const bool is_new, write_run(session, run, connection_.keys(), beside));
    // Parents and branches are only ever added to, so that nothing takes back what a request's run would say of them.
    if (!submission.of_request) STEELYARD_CHECK(place_commit_of(session, run.header));
    return is_new;
  });
}

Result<Run> RunStore::get(const std::string& id) {
  return connection_.read([&](Session& session) { return read_run(session, id); });
}

Result<std::vector<RunHeader>> RunStore::of_commit(const std::string& sha) {
  return connection_.read([&](Session& session) { return read_headers_of_commit(session, sha); });
}

Result<bool> RunStore::put_target_verdicts(const std::string& run, const std::vector<TargetRow>& rows) {
  return connection_.write([&](Session& session) { return write_target_verdicts(session, run, rows); });
}

Result<bool> ComparisonStore::put(const Comparison& comparison) {
  return connection_.write([&](Session& session) { return write_comparison(session, comparison); });
}

Result<Comparison> ComparisonStore::get(const std::string& id) {
  return connection_.read([&](Session& session) { return read_comparison_row(session, id); });
}

Spool::Destination destination(Store& store) {
  return {[&store](const Run& run) { return RunStore(store).put(run); },
          [&store](const Comparison& comparison) { return ComparisonStore(store).put(comparison); },
          [&store] { return store.refused_login(); }};
}

// History.

Result<std::vector<std::string>> HistoryStore::projects(const std::string& first) {
  return connection_.read([&](Session& session) { return read_projects(session, first); });
}

Result<Page<HistorySeries>> HistoryStore::page(const HistoryQuery& query) {
  return connection_.read([&](Session& session) { return read_history(session, query, connection_.runs()); });
}

Result<std::vector<HistorySeries>> HistoryStore::series(const HistoryQuery& query) {
  STEELYARD_TRY(Page<HistorySeries> all, page(query));
  return std::move(all.items);
}

Result<std::optional<FoundBaseline>> HistoryStore::latest_baseline(const BaselineQuery& query) {
  return connection_.read([&](Session& session) { return read_latest_baseline(session, query); });
}

Result<std::vector<SeriesBesideHistory>> HistoryStore::beside(const BesideHistoryQuery& query) {
  return connection_.read([&](Session& session) { return read_beside_history(session, query); });
}

Result<RangeQuery> HistoryStore::complete_range(const RangeQuery& query) {
  return connection_.read([&](Session& session) { return read_complete_range(session, query); });
}

Result<Page<ChangedSeries>> HistoryStore::changed_in(const RangeQuery& query) {
  return connection_.read([&](Session& session) { return read_changed_in(session, query); });
}

Result<Page<Mover>> HistoryStore::top_movers(const RangeQuery& query) {
  return connection_.read([&](Session& session) { return read_top_movers(session, query); });
}

Result<std::vector<MeasuredStep>> HistoryStore::steps(const StepQuery& query) {
  return connection_.read([&](Session& session) { return read_steps(session, query); });
}

Result<std::vector<KeptChangePoint>> HistoryStore::change_points(const std::string& project,
                                                                 const std::string& branch) {
  return connection_.read([&](Session& session) { return read_change_points(session, project, branch); });
}

Result<bool> HistoryStore::put_change_points(const std::vector<ChangePointEvent>& events) {
  return connection_.write([&](Session& session) { return write_change_points(session, events); });
}

Result<bool> HistoryStore::put_commit_graph(const CommitGraph& graph) {
  return connection_.write([&](Session& session) { return write_commit_graph(session, graph); });
}

// Alerts.

Result<std::vector<Alert>> AlertStore::list(const AlertQuery& query) {
  return connection_.read([&](Session& session) { return read_alerts(session, query); });
}

Result<std::vector<AcceptedAlert>> AlertStore::accepted(const AcceptedQuery& query) {
  return connection_.read([&](Session& session) { return read_accepted_alerts(session, query); });
}

Result<Alert> AlertStore::act(const AlertAct& act) {
  return connection_.read([&](Session& session) { return act_on_alert(session, act); });
}

Result<std::int64_t> AlertStore::end_accepted(const std::string& project, const std::string& day,
                                              std::int64_t at_unix_ns) {
  return connection_.read([&](Session& session) { return end_accepted_alerts(session, project, day, at_unix_ns); });
}

Result<std::vector<AlertNotice>> AlertStore::claim(const std::vector<AlertNotice>& wanted, const NoticeClaim& claim) {
  return connection_.read([&](Session& session) { return claim_notices(session, wanted, claim); });
}

Result<void> AlertStore::settle(const std::vector<AlertNotice>& claimed, bool is_told, const NoticeClaim& claim) {
  return connection_.read([&](Session& session) { return settle_notices(session, claimed, is_told, claim); });
}

// A look through it.

Result<Page<ProjectEntry>> CatalogStore::projects(const ListQuery& query) {
  return connection_.read([&](Session& session) { return read_project_list(session, query); });
}

Result<Page<RunEntry>> CatalogStore::runs(const ListQuery& query) {
  return connection_.read([&](Session& session) { return read_run_list(session, query); });
}

Result<Page<ComparisonEntry>> CatalogStore::comparisons(const ListQuery& query) {
  return connection_.read([&](Session& session) { return read_comparison_list(session, query); });
}

Result<Page<MachineEntry>> CatalogStore::machines(const ListQuery& query) {
  return connection_.read([&](Session& session) { return read_machine_list(session, query); });
}

Result<Page<TargetEntry>> CatalogStore::targets(const ListQuery& query) {
  return connection_.read([&](Session& session) { return read_target_list(session, query); });
}

Result<std::vector<KeptChangePoint>> CatalogStore::change_points(const std::string& project) {
  return connection_.read([&](Session& session) { return read_all_change_points(session, project); });
}

Result<std::vector<FoundEntry>> CatalogStore::search(const std::string& text, const ListQuery& query) {
  return connection_.read([&](Session& session) { return read_found(session, text, query); });
}

Result<std::map<std::string, PointSpread>> CatalogStore::spreads(const SpreadQuery& query) {
  return connection_.read([&](Session& session) { return read_spreads(session, query); });
}

Result<NewsMarks> CatalogStore::newest() {
  return connection_.read([](Session& session) { return read_news_marks(session); });
}

Result<std::vector<NewsEntry>> CatalogStore::news(NewsMarks& marks) {
  return connection_.read([&](Session& session) { return read_news(session, marks); });
}

Result<int> CatalogStore::schema_version() {
  return connection_.read([](Session& session) { return read_schema_version(session); });
}

Result<std::string> CatalogStore::version() {
  return connection_.read([](Session& session) { return read_store_version(session); });
}

// Access.

Result<bool> AccessStore::grant(const AccessGrant& wanted) {
  return connection_.read_as_owner(
      [&](Session& session, const Login& login) { return grant_access(session, login, wanted); });
}

Result<bool> AccessStore::revoke(const AccessGrant& unwanted) {
  return connection_.read_as_owner([&](Session& session, const Login&) { return revoke_access(session, unwanted); });
}

Result<std::vector<AccessGrant>> AccessStore::grants() {
  return connection_.read_as_owner([](Session& session, const Login& login) { return list_access(session, login); });
}

Result<void> AccessStore::prepare_limits(const std::string& project) {
  return connection_.read_as_owner([&](Session& session, const Login&) { return prepare_limits_to(session, project); });
}

Result<bool> AccessStore::may_issue_tokens() {
  return connection_.read_as_owner([](Session& session, const Login& login) {
    const AsOwner owner(session, login);
    return storage::may_issue_tokens(session);
  });
}

Result<IssuedToken> AccessStore::issue_token(const TokenRequest& request) {
  STEELYARD_TRY(const std::string secret, random_token());
  STEELYARD_CHECK(check_request(request));
  STEELYARD_TRY(Token token, connection_.read_as_owner([&](Session& session, const Login& login) -> Result<Token> {
    if (!request.project.empty()) STEELYARD_CHECK(prepare_limits_to(session, request.project));
    const AsOwner owner(session, login);
    return storage::issue_token(session, request, secret);
  }));
  return IssuedToken{std::move(token), secret};
}

Result<std::optional<Token>> AccessStore::find_token(const std::string& text) {
  return connection_.read([&](Session& session) { return storage::find_token(session, text); });
}

Result<bool> AccessStore::note_use(const std::string& id) {
  return connection_.read([&](Session& session) { return note_token_use(session, id); });
}

Result<bool> AccessStore::revoke_token(const std::string& id, const std::string& who) {
  return connection_.write_as_owner([&](Session& session, const Login& login) {
    const AsOwner owner(session, login);
    return storage::revoke_token(session, id, who);
  });
}

Result<std::vector<Token>> AccessStore::tokens() {
  return connection_.read([&](Session& session) { return read_tokens(session); });
}

Result<std::vector<AuditEntry>> AccessStore::audit_trail(int limit) {
  return connection_.read([&](Session& session) { return read_audit(session, limit); });
}

// Upkeep.

Result<StoreStatus> Upkeep::status() {
  STEELYARD_TRY(StoreStatus status, connection_.read([](Session& session) { return read_status(session); }));
  const Spool::Count waiting = Spool(connection_.state()).count_waiting();
  status.spooled = static_cast<std::int64_t>(waiting.runs + waiting.comparisons);
  if (connection_.server()) status.notes = connection_.server()->notes;
  return status;
}

Result<StoreUpkeep> Upkeep::report() {
  return connection_.read([](Session& session) { return read_upkeep(session); });
}

Result<ClosedPartitions> Upkeep::close_partitions(const std::function<void(double)>& progress) {
  return connection_.read_as_owner([&](Session& session, const Login& login) -> Result<ClosedPartitions> {
    if (!login.may_migrate) return ClosedPartitions{};
    const AsOwner owner(session, login);
    return storage::close_partitions(session, progress);
  });
}

Result<Pruned> Upkeep::prune(const PruneOptions& options) {
  return connection_.read_as_owner([&](Session& session, const Login& login) -> Result<Pruned> {
    const AsOwner owner(session, login);
    STEELYARD_TRY(Pruned pruned, storage::prune(session, options));
    if (!options.dry_run) {
      STEELYARD_TRY(pruned.closed, storage::close_partitions(session, {}));
    }
    return pruned;
  });
}

Result<Derived> Upkeep::rebuild_derived() {
  return connection_.read_as_owner([](Session& session, const Login& login) {
    const AsOwner owner(session, login);
    return storage::rebuild_derived(session);
  });
}

Result<std::int64_t> Upkeep::rebuild_commit_order() {
  return connection_.read([](Session& session) { return storage::rebuild_commit_order(session); });
}

Result<UpgradePlan> Upkeep::plan_upgrade(const StoreAddress& address, const std::filesystem::path& state) {
  STEELYARD_TRY(StoreLink link, link_to_store(address, state, StoreWork::upkeep));
  return storage::plan_upgrade(link.session);
}

Result<DistributionPlan> Upkeep::distribution_plan() {
  return connection_.read([](Session& session) { return plan_distribution(session); });
}

// Not tried again by itself: who lost the link meanwhile shall look first.
Result<void> Upkeep::distribute(const DistributeOptions& options, const DistributeProgress& progress) {
  return storage::distribute(connection_.session(), options, progress);
}

}  // namespace steelyard::storage
