#include "storage/store.hpp"

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "bench/model/number_text.hpp"
#include "bench/model/result.hpp"
#include "storage/embedded/cluster.hpp"
#include "storage/embedded/cluster_layout.hpp"
#include "storage/place/files.hpp"
#include "storage/postgres/access/roles.hpp"
#include "storage/postgres/comparisons/comparison_writer.hpp"
#include "storage/postgres/history/commit_graph.hpp"
#include "storage/postgres/runs/run_writer.hpp"
#include "storage/postgres/session/session.hpp"
#include "storage/postgres/sql/migrations.hpp"
#include "storage/postgres/upkeep/derivations.hpp"
#include "storage/spool/rebuild.hpp"
#include "storage/spool/spool.hpp"
#include "storage/store_connection.hpp"

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
                     plural_text(done.runs, "run") + " and " + plural_text(done.comparisons, "comparison") +
                     " from their archives";
  if (!done.bad.empty()) {
    text += ", " + plural_text(done.bad.size(), "file") + " could not be read (steelyard db rebuild names them)";
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

}  // namespace

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

Error needs_database(const std::string& service) {
  return input_error("store " + service, "a service", "the database itself for this",
                     "name it, --store postgresql://..., or do it where the service runs");
}

Store::Store(std::unique_ptr<StoreConnection> connection) : connection_(std::move(connection)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

Result<Store> Store::open(const StoreAddress& address, const std::filesystem::path& state) {
  if (address.is_service()) return needs_database(address.safe_text());
  STEELYARD_TRY(OpenSession session, open_session(address, state, StoreWork::daily));
  return Store(std::make_unique<StoreConnection>(address, state, std::move(session)));
}

Store Store::over(std::unique_ptr<StoreService> service, const std::filesystem::path& state) {
  return Store(std::make_unique<StoreConnection>(state, std::move(service)));
}

std::vector<std::string> Store::take_notices() {
  std::optional<EmbeddedServer>& server = connection_->server();
  return server ? std::exchange(server->news, {}) : std::vector<std::string>();
}

void Store::limit_statements(std::chrono::milliseconds most) { connection_->limit_statements(most); }
void Store::remember_values(std::size_t most_bytes) { connection_->remember_values(most_bytes); }

Result<void> Store::see_only(const std::string& project, bool may_write) {
  return connection_->see_only(project, may_write);
}

bool Store::refused_login() const {
  StoreService* const service = connection_->service();
  return service != nullptr ? service->refused_login() : connection_->session().refused_login();
}

}  // namespace steelyard::storage
