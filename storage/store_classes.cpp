// What the classes of questions (store.hpp) do: on the database, or where it says so over a service.
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/model/result.hpp"
#include "storage/access_store.hpp"
#include "storage/alert_store.hpp"
#include "storage/archive/archive.hpp"
#include "storage/catalog_store.hpp"
#include "storage/comparison/comparison_document.hpp"
#include "storage/comparison_store.hpp"
#include "storage/delivery.hpp"
#include "storage/history_store.hpp"
#include "storage/postgres/access/project_rights.hpp"
#include "storage/postgres/access/roles.hpp"
#include "storage/postgres/access/tokens.hpp"
#include "storage/postgres/alerts/accepted_rows.hpp"
#include "storage/postgres/alerts/alert_names.hpp"
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
#include "storage/postgres/sql/migrations.hpp"
#include "storage/postgres/upkeep/derivations.hpp"
#include "storage/postgres/upkeep/prune.hpp"
#include "storage/postgres/upkeep/upkeep_reader.hpp"
#include "storage/run_store.hpp"
#include "storage/spool/spool.hpp"
#include "storage/store.hpp"
#include "storage/store_connection.hpp"
#include "storage/upkeep.hpp"

namespace steelyard::storage {

// Runs and comparisons.

Result<bool> RunStore::put(const Run& run) {
  if (StoreService* const service = connection_.service())
    return service->put(StoreService::Piece::run, encode_run(run));
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
  if (StoreService* const service = connection_.service()) return ask_run(*service, id);
  return connection_.read([&](Session& session) { return read_run(session, id); });
}

Result<std::vector<RunHeader>> RunStore::of_commit(const std::string& sha) {
  if (StoreService* const service = connection_.service()) return ask_runs_of_commit(*service, sha);
  return connection_.read([&](Session& session) { return read_headers_of_commit(session, sha); });
}

Result<bool> RunStore::put_target_verdicts(const std::string& run, const std::vector<TargetRow>& rows) {
  if (StoreService* const service = connection_.service()) {
    return service->put(StoreService::Piece::targets, targets_document({run, rows}));
  }
  return connection_.write([&](Session& session) { return write_target_verdicts(session, run, rows); });
}

Result<bool> RunStore::put_target_verdicts(const std::string& run, const std::vector<TargetRow>& rows,
                                           const AuditEntry& note) {
  const auto beside = [&note](Transaction& transaction) { return write_audit(transaction, note); };
  return connection_.write([&](Session& session) { return write_target_verdicts(session, run, rows, beside); });
}

Result<std::optional<RunOrigin>> RunStore::origin(const std::string& id) {
  return connection_.read([&](Session& session) { return read_run_origin(session, id); });
}

Result<bool> ComparisonStore::put(const Comparison& comparison, const ComparisonSubmission& submission) {
  return connection_.write([&](Session& session) { return write_comparison(session, comparison, &submission); });
}

Result<bool> ComparisonStore::put(const Comparison& comparison) {
  if (StoreService* const service = connection_.service()) {
    return service->put(StoreService::Piece::comparison, comparison_object(comparison).one_line());
  }
  return connection_.write([&](Session& session) { return write_comparison(session, comparison); });
}

Result<Comparison> ComparisonStore::get(const std::string& id) {
  if (StoreService* const service = connection_.service()) return ask_comparison(*service, id);
  return connection_.read([&](Session& session) { return read_comparison_row(session, id); });
}

Spool::Destination destination(Store& store) {
  return {[&store](const Run& run) { return RunStore(store).put(run); },
          [&store](const Comparison& comparison) { return ComparisonStore(store).put(comparison); },
          [&store] { return store.refused_login(); }};
}

// History.

Result<std::vector<std::string>> HistoryStore::projects(const std::string& first) {
  if (StoreService* const service = connection_.service()) return ask_projects(*service, first);
  return connection_.read([&](Session& session) { return read_projects(session, first); });
}

Result<Page<HistorySeries>> HistoryStore::page(const HistoryQuery& query) {
  if (StoreService* const service = connection_.service()) return ask_history(*service, query);
  return connection_.read([&](Session& session) { return read_history(session, query, connection_.runs()); });
}

Result<Page<SeriesLine>> HistoryStore::lines(const HistoryQuery& query) {
  return connection_.read(
      [&](Session& session) { return read_lines(session, query, connection_.runs(), connection_.values()); });
}

Result<std::vector<HistorySeries>> HistoryStore::series(const HistoryQuery& query) {
  STEELYARD_TRY(Page<HistorySeries> all, page(query));
  return std::move(all.items);
}

Result<HostsByMachine> HistoryStore::hosts(const std::string& project, const std::string& branch,
                                           const std::vector<std::string>& machines) {
  if (connection_.service() != nullptr || machines.empty()) return HostsByMachine();
  return connection_.read([&](Session& session) { return read_hosts(session, project, branch, machines); });
}

Result<std::vector<RenamedBenchmark>> HistoryStore::renamed(const RenamedQuery& query) {
  return connection_.read([&](Session& session) { return read_renamed(session, query); });
}

Result<std::optional<FoundBaseline>> HistoryStore::latest_baseline(const BaselineQuery& query) {
  if (StoreService* const service = connection_.service()) return ask_baseline(*service, query);
  return connection_.read([&](Session& session) { return read_latest_baseline(session, query); });
}

Result<std::vector<SeriesBesideHistory>> HistoryStore::beside(const BesideHistoryQuery& query) {
  return connection_.read([&](Session& session) { return read_beside_history(session, query); });
}

Result<RangeQuery> HistoryStore::complete_range(const RangeQuery& query) {
  if (StoreService* const service = connection_.service()) return ask_complete_range(*service, query);
  return connection_.read([&](Session& session) { return read_complete_range(session, query); });
}

Result<Page<ChangedSeries>> HistoryStore::changed_in(const RangeQuery& query) {
  if (StoreService* const service = connection_.service()) return ask_changed(*service, query);
  return connection_.read([&](Session& session) { return read_changed_in(session, query); });
}

Result<Page<Mover>> HistoryStore::top_movers(const RangeQuery& query) {
  if (StoreService* const service = connection_.service()) return ask_movers(*service, query);
  return connection_.read([&](Session& session) { return read_top_movers(session, query); });
}

Result<std::vector<MeasuredStep>> HistoryStore::steps(const StepQuery& query) {
  if (StoreService* const service = connection_.service()) return ask_steps(*service, query);
  STEELYARD_TRY(Page<MeasuredStep> page, step_page(query));
  return std::move(page.items);
}

Result<Page<MeasuredStep>> HistoryStore::step_page(const StepQuery& query) {
  return connection_.read([&](Session& session) { return read_steps(session, query); });
}

Result<std::vector<KeptChangePoint>> HistoryStore::change_points(const std::string& project,
                                                                 const std::string& branch) {
  if (StoreService* const service = connection_.service()) return ask_change_points(*service, project, branch);
  return connection_.read([&](Session& session) { return read_change_points(session, project, branch); });
}

Result<bool> HistoryStore::put_change_points(const std::vector<ChangePointEvent>& events) {
  return connection_.write([&](Session& session) { return write_change_points(session, events); });
}

Result<bool> HistoryStore::put_commit_graph(const CommitGraph& graph) {
  if (StoreService* const service = connection_.service())
    return service->put(StoreService::Piece::commits, graph_document(graph));
  return connection_.write([&](Session& session) { return write_commit_graph(session, graph); });
}

Result<bool> HistoryStore::put_commit_graph(const CommitGraph& graph, const AuditEntry& note) {
  return connection_.write([&](Session& session) { return write_commit_graph(session, graph, &note); });
}

// Alerts.

Result<std::vector<Alert>> AlertStore::list(const AlertQuery& query) {
  if (StoreService* const service = connection_.service()) return ask_alerts(*service, query);
  return connection_.read([&](Session& session) { return read_alerts(session, query); });
}

Result<Page<Alert>> AlertStore::page(const AlertQuery& query) {
  return connection_.read([&](Session& session) { return read_alert_page(session, query); });
}

Result<std::vector<AcceptedAlert>> AlertStore::accepted(const AcceptedQuery& query) {
  if (StoreService* const service = connection_.service()) return ask_accepted(*service, query);
  return connection_.read([&](Session& session) { return read_accepted_alerts(session, query); });
}

Result<Alert> AlertStore::act(const AlertAct& act) {
  if (StoreService* const service = connection_.service()) return act_over(*service, act);
  return connection_.read([&](Session& session) { return act_on_alert(session, act); });
}

Result<std::int64_t> AlertStore::end_accepted(const std::string& project, const std::string& day,
                                              std::int64_t at_unix_ns) {
  // The service does that itself.
  if (connection_.service() != nullptr) return std::int64_t{0};
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

Result<Page<KeptChangePoint>> CatalogStore::change_points(const ChangePointQuery& query) {
  return connection_.read([&](Session& session) { return read_change_point_list(session, query); });
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

Result<IssuedToken> AccessStore::rotate_token(const TokenRotation& rotation) {
  STEELYARD_TRY(const std::string secret, random_token());
  return connection_.read_as_owner([&](Session& session, const Login& login) {
    const AsOwner owner(session, login);
    return storage::rotate_token(session, rotation, secret);
  });
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
  STEELYARD_TRY(Page<AuditEntry> page, audit_page(limit, ""));
  return std::move(page.items);
}

Result<Page<AuditEntry>> AccessStore::audit_page(int limit, const std::string& after) {
  return connection_.read([&](Session& session) { return read_audit(session, limit, after); });
}

// Upkeep.

Result<StoreStatus> Upkeep::status() {
  STEELYARD_TRY(StoreStatus status, connection_.read([](Session& session) { return read_status(session); }));
  const Spool spool(connection_.state());
  Spool::Count waiting = spool.count_waiting();
  for (const Spool::ForAnother& other : spool.waiting_for_others()) {
    waiting.runs += other.count.runs;
    waiting.comparisons += other.count.comparisons;
  }
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
  STEELYARD_CHECK(storage::distribute(connection_.session(), options, progress));
  // Rights to columns do not go with a table that is moved.
  STEELYARD_CHECK(apply_privileges(connection_.session()));
  return {};
}

}  // namespace steelyard::storage
