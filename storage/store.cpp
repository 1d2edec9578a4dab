#include "storage/store.hpp"

#include <optional>
#include <utility>

#include "storage/embedded/left_behind.hpp"
#include "storage/embedded/store_link.hpp"
#include "storage/postgres/access/audit_trail.hpp"
#include "storage/postgres/access/login.hpp"
#include "storage/postgres/access/project_rights.hpp"
#include "storage/postgres/access/token_rows.hpp"
#include "storage/postgres/alerts/alert_acts.hpp"
#include "storage/postgres/comparisons/comparison_reader.hpp"
#include "storage/postgres/comparisons/comparison_writer.hpp"
#include "storage/postgres/distributed/distribute.hpp"
#include "storage/postgres/history/baseline_reader.hpp"
#include "storage/postgres/history/change_point_rows.hpp"
#include "storage/postgres/history/commit_graph.hpp"
#include "storage/postgres/history/history_reader.hpp"
#include "storage/postgres/history/range_reader.hpp"
#include "storage/postgres/runs/partition_closing.hpp"
#include "storage/postgres/runs/run_reader.hpp"
#include "storage/postgres/runs/run_writer.hpp"
#include "storage/postgres/runs/target_rows.hpp"
#include "storage/postgres/session/session.hpp"
#include "storage/postgres/sql/migrations.hpp"
#include "storage/postgres/upkeep/derivations.hpp"
#include "storage/postgres/upkeep/prune.hpp"
#include "storage/postgres/upkeep/upgrade.hpp"
#include "storage/postgres/upkeep/upkeep_reader.hpp"

namespace steelyard {
namespace {

struct OpenStore {
  StoreLink link;
  Login login;
  KeyCache keys{};
  RunOrderCache runs{};
};

Result<OpenStore> open_session(const StoreAddress& address, const std::filesystem::path& state) {
  STEELYARD_TRY(StoreLink link, link_to_store(address, state));
  STEELYARD_TRY(Login login, make_ready(link.session));
  STEELYARD_CHECK(ensure_derived(link.session));
  if (link.server) {
    STEELYARD_TRY(const std::vector<std::string> news, bring_over(link.session, *link.server, state));
    link.server->news.insert(link.server->news.end(), news.begin(), news.end());
  }
  return OpenStore{std::move(link), std::move(login), {}};
}

std::int64_t files_in(const std::filesystem::path& folder) {
  std::int64_t count = 0;
  std::error_code trouble;  // no spool yet: nothing waits
  for (std::filesystem::directory_iterator entry(folder, trouble), end; !trouble && entry != end;
       entry.increment(trouble)) {
    const std::filesystem::path extension = entry->path().extension();
    if (extension == ".syrun" || extension == ".json") ++count;
  }
  return count;
}

}  // namespace

struct Store::Connection {
  StoreAddress address;
  std::filesystem::path state;
  OpenStore open;

  // Does something that may be done twice; once more on a new connection where the link was lost. The flag tells that
  // the first try's commit may have arrived.
  template <class Action>
  auto attempt(Action action, bool& unanswered) -> decltype(action(open.link.session)) {
    auto first = action(open.link.session);
    unanswered = open.link.session.link() == Session::Link::commit_unanswered;
    if (first || open.link.session.link() == Session::Link::up) return first;
    STEELYARD_TRY(open, open_session(address, state));
    return action(open.link.session);
  }
  template <class Action>
  auto read(Action action) -> decltype(action(open.link.session)) {
    bool unanswered = false;
    return attempt(action, unanswered);
  }
  template <class Action>
  Result<bool> write(Action action) {
    bool unanswered = false;
    Result<bool> is_new = attempt(action, unanswered);
    // It is there although we were to put it: the answer that got lost was a yes.
    if (is_new && unanswered) return true;
    return is_new;
  }
};

Store::Store(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

Result<Store> Store::open(const StoreAddress& address, const std::filesystem::path& state) {
  STEELYARD_TRY(OpenStore session, open_session(address, state));
  return Store(std::make_unique<Connection>(Connection{address, state, std::move(session)}));
}

std::vector<std::string> Store::take_news() {
  std::optional<EmbeddedServer>& server = connection_->open.link.server;
  return server ? std::exchange(server->news, {}) : std::vector<std::string>();
}

Result<bool> Store::put_run(const Run& run) {
  return connection_->write([&](Session& session) -> Result<bool> {
    STEELYARD_TRY(const bool is_new, write_run(session, run, connection_->open.keys));
    // Done for one that was there as well: the writer before may have been cut off between the two.
    STEELYARD_CHECK(place_commit_of(session, run.header));
    return is_new;
  });
}

Result<bool> Store::put_comparison(const Comparison& comparison) {
  return connection_->write([&](Session& session) { return write_comparison(session, comparison); });
}

bool Store::refused_login() const { return connection_->open.link.session.refused_login(); }

Result<Run> Store::get_run(const std::string& id) {
  return connection_->read([&](Session& session) { return read_run(session, id); });
}

Result<Comparison> Store::get_comparison(const std::string& id) {
  return connection_->read([&](Session& session) { return read_comparison_row(session, id); });
}

Result<std::vector<RunHeader>> Store::runs_of_commit(const std::string& sha) {
  return connection_->read([&](Session& session) { return read_headers_of_commit(session, sha); });
}

Result<std::vector<HistorySeries>> Store::history(const HistoryQuery& query) {
  STEELYARD_TRY(Page<HistorySeries> page, history_page(query));
  return std::move(page.items);
}

Result<Page<HistorySeries>> Store::history_page(const HistoryQuery& query) {
  return connection_->read([&](Session& session) { return read_history(session, query, connection_->open.runs); });
}

Result<std::optional<FoundBaseline>> Store::latest_baseline(const BaselineQuery& query) {
  return connection_->read([&](Session& session) { return read_latest_baseline(session, query); });
}

Result<std::vector<SeriesBesideHistory>> Store::beside_history(const BesideHistoryQuery& query) {
  return connection_->read([&](Session& session) { return read_beside_history(session, query); });
}

Result<RangeQuery> Store::complete_range(const RangeQuery& query) {
  return connection_->read([&](Session& session) { return read_complete_range(session, query); });
}

Result<Page<ChangedSeries>> Store::changed_in(const RangeQuery& query) {
  return connection_->read([&](Session& session) { return read_changed_in(session, query); });
}

Result<Page<Mover>> Store::top_movers(const RangeQuery& query) {
  return connection_->read([&](Session& session) { return read_top_movers(session, query); });
}

Result<bool> Store::put_commit_graph(const CommitGraph& graph) {
  return connection_->write([&](Session& session) { return write_commit_graph(session, graph); });
}

Result<std::int64_t> Store::rebuild_commit_order() {
  return connection_->read([&](Session& session) { return steelyard::rebuild_commit_order(session); });
}

Result<std::vector<KeptChangePoint>> Store::change_points(const std::string& project, const std::string& branch) {
  return connection_->read([&](Session& session) { return read_change_points(session, project, branch); });
}

Result<bool> Store::put_change_points(const std::vector<ChangePointEvent>& events) {
  return connection_->write([&](Session& session) { return write_change_points(session, events); });
}

Result<std::vector<Alert>> Store::alerts(const AlertQuery& query) {
  return connection_->read([&](Session& session) { return read_alerts(session, query); });
}

Result<std::vector<AcceptedAlert>> Store::accepted_alerts(const std::string& project) {
  return connection_->read([&](Session& session) { return read_accepted_alerts(session, project); });
}

Result<Alert> Store::act_on_alert(const AlertAct& act) {
  return connection_->read([&](Session& session) { return steelyard::act_on_alert(session, act); });
}

Result<bool> Store::put_target_verdicts(const std::string& run, const std::vector<TargetRow>& rows) {
  return connection_->write([&](Session& session) { return write_target_verdicts(session, run, rows); });
}

Result<IssuedToken> Store::issue_token(const TokenRequest& request) {
  STEELYARD_TRY(const std::string secret, random_token());
  STEELYARD_TRY(Token token, connection_->read([&](Session& session) {
    const AsOwner owner(session, connection_->open.login);
    return steelyard::issue_token(session, request, secret);
  }));
  return IssuedToken{std::move(token), secret};
}

Result<std::optional<Token>> Store::find_token(const std::string& text) {
  return connection_->read([&](Session& session) { return steelyard::find_token(session, text); });
}

Result<bool> Store::revoke_token(const std::string& id, const std::string& who) {
  return connection_->write([&](Session& session) {
    const AsOwner owner(session, connection_->open.login);
    return steelyard::revoke_token(session, id, who);
  });
}

Result<std::vector<Token>> Store::tokens() {
  return connection_->read([&](Session& session) { return read_tokens(session); });
}

Result<std::vector<AuditEntry>> Store::audit_trail(int limit) {
  return connection_->read([&](Session& session) { return read_audit(session, limit); });
}

Result<StoreUpkeep> Store::upkeep() {
  return connection_->read([&](Session& session) { return read_upkeep(session); });
}

Result<Pruned> Store::prune(const PruneOptions& options) {
  return connection_->read([&](Session& session) -> Result<Pruned> {
    const AsOwner owner(session, connection_->open.login);
    STEELYARD_TRY(Pruned pruned, steelyard::prune(session, options));
    if (!options.dry_run) {
      STEELYARD_TRY(pruned.closed, steelyard::close_partitions(session, {}));
    }
    return pruned;
  });
}

Result<ClosedPartitions> Store::close_partitions(const std::function<void(double)>& progress) {
  return connection_->read([&](Session& session) -> Result<ClosedPartitions> {
    if (!connection_->open.login.may_migrate) return ClosedPartitions{};
    const AsOwner owner(session, connection_->open.login);
    return steelyard::close_partitions(session, progress);
  });
}

Result<Derived> Store::rebuild_derived() {
  return connection_->read([&](Session& session) {
    const AsOwner owner(session, connection_->open.login);
    return steelyard::rebuild_derived(session);
  });
}

Result<DistributionPlan> Store::distribution_plan() {
  return connection_->read([&](Session& session) { return plan_distribution(session); });
}

// Not tried again by itself: who lost the link meanwhile shall look first.
Result<void> Store::distribute(const DistributeOptions& options, const DistributeProgress& progress) {
  return steelyard::distribute(connection_->open.link.session, options, progress);
}

Result<StoreStatus> Store::status() {
  return connection_->read([&](Session& session) -> Result<StoreStatus> {
    STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
    STEELYARD_TRY(
        const Rows rows,
        transaction.run("select current_setting('server_version'), "
                        "(select max(version) from steelyard.schema_migrations), "
                        "count(*), coalesce(sum(measurements), 0)::bigint, coalesce(sum(samples), 0)::bigint, "
                        "(select count(*) from steelyard.comparisons), "
                        "(select sum(steelyard.bytes_of(c.oid, true))::bigint from pg_class c "
                        "where c.relnamespace = 'steelyard'::regnamespace and c.relkind = 'r') from steelyard.runs",
                        {}, kOneRow));
    StoreStatus status;
    status.address = session.name();
    status.server_version = rows.text(0, 0);
    status.schema_version = static_cast<int>(rows.integer(0, 1));
    status.newest_known_version = known_migrations().back().version;
    status.runs = rows.integer(0, 2);
    status.measurements = rows.integer(0, 3);
    status.samples = rows.integer(0, 4);
    status.comparisons = rows.integer(0, 5);
    status.bytes = rows.integer(0, 6);
    status.spooled = files_in(connection_->state / "spool");
    if (connection_->open.link.server) status.notes = connection_->open.link.server->notes;
    return status;
  });
}

Result<bool> Store::grant(const AccessGrant& wanted) {
  return connection_->read([&](Session& session) { return grant_access(session, connection_->open.login, wanted); });
}

Result<bool> Store::revoke(const AccessGrant& unwanted) {
  return connection_->read([&](Session& session) { return revoke_access(session, unwanted); });
}

Result<std::vector<AccessGrant>> Store::grants() {
  return connection_->read([&](Session& session) { return list_access(session, connection_->open.login); });
}

Result<UpgradePlan> Store::plan_upgrade(const StoreAddress& address, const std::filesystem::path& state) {
  STEELYARD_TRY(StoreLink link, link_to_store(address, state));
  return steelyard::plan_upgrade(link.session);
}

}  // namespace steelyard
