#include "storage/embedded/cluster.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <sstream>
#include <utility>

#include "storage/embedded/cluster_layout.hpp"
#include "storage/embedded/server_control.hpp"
#include "storage/embedded/server_process.hpp"
#include "storage/embedded/upgrade.hpp"
#include "storage/place/files.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard::storage {
namespace {

namespace fs = std::filesystem;

// Longer than one start with recovery and one initdb take: whoever holds the lock is doing these.
constexpr std::chrono::minutes kStartPatience{4};

Error no_programs() {
  return store_error("embedded store", "no PostgreSQL server on this machine (initdb and postgres)",
                     "one in /usr/lib/postgresql or PATH",
                     "install the package postgresql, or set STEELYARD_STORE to a postgresql:// address");
}

struct Choice {
  ServerPrograms programs;
  std::optional<ServerPrograms> upgrade_from;
};

// The newest version that has data here and programs; in its place a newer one that the system came with. One that is
// only in someone's search path may be gone for the next command, and the store would be two. Where no version has
// both, the newest that has programs.
std::optional<Choice> choose(const std::vector<ServerPrograms>& programs, const fs::path& home) {
  const std::vector<int> majors = existing_majors(home);
  const auto has_data = [&](const ServerPrograms& candidate) {
    return std::find(majors.begin(), majors.end(), candidate.major) != majors.end();
  };
  const auto current = std::find_if(programs.begin(), programs.end(), has_data);
  if (current == programs.end()) {
    return programs.empty() ? std::nullopt : std::optional(Choice{programs.front(), std::nullopt});
  }
  const auto is_packaged = [](const ServerPrograms& candidate) { return candidate.packaged; };
  const auto newer = std::find_if(programs.begin(), current, is_packaged);
  if (newer == current || refused_upgrade(home, newer->major)) return Choice{*current, std::nullopt};
  return Choice{*newer, *current};
}

Result<EmbeddedServer> described(const ClusterLayout& layout, const fs::path& state) {
  STEELYARD_TRY(const std::string url, layout.url());
  STEELYARD_TRY(const std::string daily_url, layout.daily_url());
  EmbeddedServer server{url, daily_url, layout.home, layout.data(), layout.major};
  for (const int major : existing_majors(layout.home)) {
    if (major != layout.major) server.old_clusters.push_back(major);
  }
  for (const fs::path& folder : replaced_clusters(layout.home)) {
    server.notes.push_back("a cluster that was replaced is kept in " + folder.string() +
                           "; remove it when nothing of it is missed");
  }
  for (const int major : refused_majors(layout.home)) {
    if (major <= layout.major) continue;
    server.notes.push_back("PostgreSQL " + std::to_string(major) + " is here, and the store stays with " +
                           std::to_string(layout.major) + ": " + refused_upgrade(layout.home, major).value_or(""));
  }
  if (layout.home.parent_path() != fs::absolute(state)) {
    server.notes.push_back("the server cannot reach " + fs::absolute(state).string() + "; its files are in " +
                           layout.home.string());
  }
  if (!open_keeper_program()) {
    server.notes.push_back(
        "the server does not end by itself: steelyard_keeper is not in ../lib/steelyard beside the "
        "program; steelyard db stop ends it");
  }
  return server;
}

// Under the lock. Afterwards layout.major is the version to start; what was done is in the news.
Result<std::vector<std::string>> settle_version(ClusterLayout& layout, const Choice& choice,
                                                const ServerAccount& account) {
  std::vector<std::string> news;
  STEELYARD_TRY(const std::optional<std::string> finished, finish_upgrade(layout.home, choice.programs.major));
  if (finished) news.push_back(*finished);
  std::error_code trouble;
  // Another process may have done it while we waited for the lock.
  if (!choice.upgrade_from || fs::exists(layout.data(), trouble)) return news;
  if (refused_upgrade(layout.home, layout.major)) {
    layout.major = choice.upgrade_from->major;
    return news;
  }
  const Result<std::string> upgraded = upgrade_cluster({layout.home, *choice.upgrade_from, choice.programs, account});
  if (upgraded) {
    news.push_back(*upgraded);
  } else {
    note_refused_upgrade(layout.home, layout.major, upgraded.error());
    news.push_back("the embedded store could not move to PostgreSQL " + std::to_string(layout.major) +
                   " and stays as it is: " + upgraded.error().text());
    layout.major = choice.upgrade_from->major;
  }
  return news;
}

Result<EmbeddedServer> start_chosen(const fs::path& state, ClusterLayout layout, const Choice& choice,
                                    const ServerAccount& account, std::chrono::milliseconds allowed) {
  STEELYARD_TRY(const auto lock, FileLock::take(layout.start_lock(), kStartPatience));
  if (!lock) {
    return store_error("embedded store " + layout.home.string(), "another steelyard that has been starting it for long",
                       "the lock on " + layout.start_lock().string(), "end that process and try again");
  }
  for (const int major : existing_majors(layout.home)) {
    const ClusterLayout running{layout.home, major};
    note_use(running, allowed);
    if (!answers_daily_work(running) && !answers(running)) continue;
    // One that an older version has started.
    STEELYARD_CHECK(make_daily_login(running));
    return described(running, state);
  }
  STEELYARD_TRY(std::vector<std::string> news, settle_version(layout, choice, account));
  const ServerPrograms& programs =
      layout.major == choice.programs.major ? choice.programs : choice.upgrade_from.value_or(choice.programs);
  note_use(layout, allowed);
  STEELYARD_CHECK(make_private(layout.folder(), account));
  STEELYARD_CHECK(make_private(layout.socket_folder(), account));
  std::error_code trouble;
  if (!fs::exists(layout.data(), trouble)) STEELYARD_CHECK(create_cluster(layout, programs, account));
  STEELYARD_CHECK(start_server(layout, programs, account));
  STEELYARD_CHECK(make_database(layout));
  STEELYARD_CHECK(close_superuser(layout, account));
  STEELYARD_CHECK(make_daily_login(layout));
  STEELYARD_TRY(EmbeddedServer server, described(layout, state));
  server.news = std::move(news);
  return server;
}

}  // namespace

Result<EmbeddedServer> ensure_embedded_running(const fs::path& state,
                                               const std::optional<std::vector<ServerPrograms>>& programs) {
  STEELYARD_TRY(const std::chrono::milliseconds allowed, allowed_idle_time());
  STEELYARD_TRY(ServerAccount account, account_for_server());
  ClusterLayout layout{cluster_home(state, account), 0};
  // The usual case costs one connection and looks at nothing else.
  for (const int major : existing_majors(layout.home)) {
    layout.major = major;
    note_use(layout, allowed);
    if (answers_daily_work(layout)) return described(layout, state);
  }
  const auto choice = choose(programs ? *programs : find_server_programs(), layout.home);
  if (!choice) return no_programs();
  layout.major = choice->programs.major;
  STEELYARD_CHECK(make_home(state, layout.home, account));
  const ClusterLayout owned{layout.home, choice->upgrade_from.value_or(choice->programs).major};
  std::error_code trouble;
  if (fs::exists(owned.folder(), trouble)) {
    STEELYARD_TRY(account, account_of(owned.folder()));
  }
  if (account.must_switch && !can_reach(account, layout.home)) {
    return store_error("embedded store " + layout.home.string(), "a folder that user " + account.name + " cannot reach",
                       "one that the server's user may pass through",
                       "run chmod o+x on the folders above it, or set STEELYARD_STATE=/var/lib/steelyard");
  }
  return start_chosen(state, layout, *choice, account, allowed);
}

Result<bool> stop_embedded(const fs::path& state) {
  // Without an account there was no server either.
  ClusterLayout layout{cluster_home(state, account_for_server() ? *account_for_server() : current_account()), 0};
  bool any = false;
  for (const int major : existing_majors(layout.home)) {
    layout.major = major;
    STEELYARD_TRY(const bool ran, stop_server(layout));
    any = any || ran;
  }
  return any;
}

namespace {

// An embedded server that was there when we looked may end before we connect: it is unused, or was stopped by hand.
Result<StoreLink> connect_embedded(const StoreAddress& address, const std::filesystem::path& state, StoreWork work) {
  constexpr int kTries = 3;
  for (int left = kTries;; --left) {
    STEELYARD_TRY(EmbeddedServer server, ensure_embedded_running(state));
    const std::string url = work == StoreWork::daily ? server.daily_url : server.url;
    Result<Session> session = Session::connect(url, address.safe_text());
    if (session) return StoreLink{std::move(session).value(), url, std::move(server)};
    if (left == 1) return std::move(session).error();
  }
}

}  // namespace

Result<StoreLink> link_to_store(const StoreAddress& address, const std::filesystem::path& state, StoreWork work) {
  if (address.embedded) return connect_embedded(address, state, work);
  STEELYARD_TRY(Session session, Session::connect(address.url, address.safe_text()));
  return StoreLink{std::move(session), address.url, {}};
}

namespace {

// Of each version that has data here or could be started.
std::vector<ClusterLayout> possible_clusters(const fs::path& home) {
  std::vector<int> majors = existing_majors(home);
  for (const ServerPrograms& programs : find_server_programs()) majors.push_back(programs.major);
  std::vector<ClusterLayout> layouts;
  for (const int major : majors) layouts.push_back({home, major});
  return layouts;
}

}  // namespace

std::vector<FileDescriptor> hold_folders_outside(const fs::path& state, bool makes) {
  std::vector<FileDescriptor> held;
  const Result<ServerAccount> account = account_for_server();
  const std::vector<ServerPrograms> programs = find_server_programs();
  if (!account || programs.empty()) return held;
  const fs::path home = cluster_home(state, *account);
  if (makes && !make_home(state, home, *account)) return held;
  for (const ClusterLayout& layout : possible_clusters(home)) {
    if (FileDescriptor one = hold_socket_folder(layout, *account, makes)) held.push_back(std::move(one));
  }
  return held;
}

std::vector<fs::path> paths_to_store(const StoreAddress& address, const fs::path& state) {
  std::vector<fs::path> paths{fs::absolute(state)};
  // By themselves, too: where the folder itself cannot be hidden, as it holds what a job works with, these can.
  for (const char* kept : {"postgres", "spool", "runs", "comparisons", "counts", "calibrations", "ceilings"}) {
    paths.push_back(fs::absolute(state) / kept);
  }
  const Result<ServerAccount> account = account_for_server();
  const fs::path clusters = cluster_home(state, account ? *account : current_account());
  paths.push_back(clusters);
  for (const ClusterLayout& layout : possible_clusters(clusters)) paths.push_back(layout.socket_folder());
  if (!address.embedded && !address.is_service()) {
    const ConnectionSettings settings = connection_settings(address.url);
    paths.emplace_back(settings.password_file);
    paths.emplace_back(settings.client_key);
    const char* const usual = std::getenv("PGHOST");
    // Where libpq looks for a socket when nothing is said, as Debian has it.
    std::istringstream hosts(!settings.host.empty() ? settings.host : usual != nullptr ? usual : "/run/postgresql");
    for (std::string host; std::getline(hosts, host, ',');) {
      if (host.starts_with('/')) paths.emplace_back(host);
    }
  }
  const auto add_file = [&paths](const char* variable, const char* usual) {
    const char* const named = std::getenv(variable);
    const char* const home = std::getenv("HOME");
    if (named != nullptr) paths.emplace_back(named);
    if (home != nullptr) paths.push_back(fs::path(home) / usual);
  };
  if (const char* const token = std::getenv("STEELYARD_TOKEN_FILE"); token != nullptr) paths.emplace_back(token);
  add_file("PGPASSFILE", ".pgpass");
  add_file("PGSERVICEFILE", ".pg_service.conf");
  add_file("PGSSLKEY", ".postgresql");
  return paths;
}

}  // namespace steelyard::storage
