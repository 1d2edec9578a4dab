#include "storage/embedded/upgrade.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <system_error>
#include <vector>

#include "storage/embedded/cluster_layout.hpp"
#include "storage/embedded/server_control.hpp"
#include "storage/embedded/server_process.hpp"
#include "storage/postgres/session/session.hpp"
#include "storage/postgres/upkeep/table_contents.hpp"

namespace steelyard::storage {
namespace {

namespace fs = std::filesystem;
using Contents = std::vector<TableContent>;

// A dump of hundreds of millions of rows.
constexpr std::chrono::minutes kLongestCopy = std::chrono::hours(12);
constexpr std::chrono::hours kRefusalHolds{24};
constexpr const char* kPrivateSocket = "private";

fs::path origin_note(const fs::path& home, int major) { return home / (std::to_string(major) + ".from"); }
fs::path refusal_note(const fs::path& home, int major) { return home / (std::to_string(major) + ".refused"); }

std::string version(int major) { return "PostgreSQL " + std::to_string(major); }

Error cannot(const fs::path& where, const std::string& what, const std::string& fix) {
  return store_error("embedded store " + where.string(), what, "", fix);
}

// Both clusters, on sockets that no command looks at: what it wrote to the old one after the dump would be lost.
class Move {
 public:
  explicit Move(const Upgrade& upgrade)
      : upgrade_(upgrade), old_{upgrade.home, upgrade.from.major}, fresh_{upgrade.home, upgrade.to.major} {
    old_.socket_name = fresh_.socket_name = kPrivateSocket;
    fresh_.data_name = kUnfinished;
  }
  Move(const Move&) = delete;
  Move& operator=(const Move&) = delete;
  ~Move() { clean_up(); }

  Result<void> run() {
    STEELYARD_CHECK(check_programs());
    // What an upgrade that was killed has left running, or a server that somebody is ending.
    clean_up();
    STEELYARD_CHECK(check_room());
    for (const fs::path& folder : {fresh_.folder(), old_.socket_folder(), fresh_.socket_folder()}) {
      STEELYARD_CHECK(make_private(folder, upgrade_.account));
    }
    // The keepers end nothing meanwhile: we hold their lock. But where we are killed, they end the servers.
    note_use(old_, kUsualIdleTime);
    note_use(fresh_, kUsualIdleTime);
    STEELYARD_TRY(const Contents before, take_out());
    STEELYARD_TRY(const Contents after, put_in());
    const std::vector<std::string> found = differences(after, before);
    if (!found.empty()) {
      return cannot(fresh_.data(), "what was restored is not what was dumped: " + found.front(), "please report this");
    }
    STEELYARD_CHECK(stop_server(fresh_));
    return take_place();
  }

 private:
  Result<void> check_programs() const {
    for (const char* program : {"pg_dump", "pg_dumpall", "pg_restore", "psql"}) {
      const fs::path path = upgrade_.to.folder / program;
      if (access(path.c_str(), X_OK) == 0) continue;
      return cannot(path, "a program that is not there", "install postgresql-client-" + std::to_string(fresh_.major));
    }
    return {};
  }

  // A dump and a second cluster.
  Result<void> check_room() const {
    std::uintmax_t needed = 0;
    std::error_code trouble;
    for (fs::recursive_directory_iterator entry(old_.data(), trouble), end; !trouble && entry != end;
         entry.increment(trouble)) {
      std::error_code own;
      const std::uintmax_t size = entry->is_regular_file(own) ? entry->file_size(own) : 0;
      if (!own) needed += 2 * size;
    }
    const fs::space_info disk = fs::space(old_.data(), trouble);
    if (trouble || disk.available >= needed) return {};
    return cannot(old_.data(), std::to_string(disk.available >> 20U) + " MiB free on its disk",
                  "the upgrade needs " + std::to_string(needed >> 20U) + " MiB for a while: make room");
  }

  fs::path roles() const { return fresh_.folder() / "upgrade.roles"; }
  fs::path dump() const { return fresh_.folder() / "upgrade.dump"; }

  Result<void> copy_with(const std::string& program, const std::vector<std::string>& arguments) const {
    std::vector<std::string> command{(upgrade_.to.folder / program).string()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    STEELYARD_TRY(const ProgramAnswer answer, run_program(upgrade_.account, command, {kLongestCopy}));
    if (answer.status == 0) return {};
    return cannot(fresh_.folder(), program + " failed: " + last_lines(answer.output), "fix that");
  }

  Result<Contents> contents_of(const ClusterLayout& layout) const {
    STEELYARD_TRY(const std::string url, layout.url());
    STEELYARD_TRY(Session session, Session::connect(url, "embedded"));
    STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
    return table_contents(transaction, {});
  }

  Result<Contents> take_out() const {
    STEELYARD_CHECK(start_server(old_, upgrade_.from, upgrade_.account));
    STEELYARD_TRY(const std::string whole, old_.url("postgres"));
    STEELYARD_TRY(const std::string store, old_.url());
    STEELYARD_CHECK(
        copy_with("pg_dumpall", {"--roles-only", "--no-password", "--file=" + roles().string(), "--dbname=" + whole}));
    STEELYARD_CHECK(copy_with("pg_dump", {"--format=custom", "--compress=1", "--create", "--no-password",
                                          "--file=" + dump().string(), "--dbname=" + store}));
    STEELYARD_TRY(Contents contents, contents_of(old_));
    STEELYARD_CHECK(stop_server(old_));
    return contents;
  }

  Result<Contents> put_in() const {
    STEELYARD_CHECK(initialise_data(fresh_, upgrade_.to, upgrade_.account));
    STEELYARD_CHECK(start_server(fresh_, upgrade_.to, upgrade_.account));
    STEELYARD_TRY(const std::string whole, fresh_.url("postgres"));
    // Without an end at the first error: the role that initdb made exists.
    STEELYARD_CHECK(copy_with(
        "psql", {"--no-psqlrc", "--quiet", "--no-password", "--file=" + roles().string(), "--dbname=" + whole}));
    STEELYARD_CHECK(copy_with("pg_restore",
                              {"--create", "--exit-on-error", "--no-password", "--dbname=" + whole, dump().string()}));
    return contents_of(fresh_);
  }

  // The rename is the moment at which the new cluster becomes the store. The note before it lets whoever comes after us
  // finish what is left.
  Result<void> take_place() const {
    STEELYARD_CHECK(flush_disk_of(fresh_.folder()));
    {
      std::ofstream note(origin_note(upgrade_.home, fresh_.major));
      note << old_.major << '\n';
      note.close();
      if (!note) return cannot(upgrade_.home, "cannot be written to", "make room on its disk");
    }
    std::error_code trouble;
    fs::rename(fresh_.data(), ClusterLayout{upgrade_.home, fresh_.major}.data(), trouble);
    if (trouble) return cannot(fresh_.data(), "cannot be renamed: " + trouble.message(), "fix that");
    return {};
  }

  void clean_up() const {
    std::error_code ignored;
    for (const ClusterLayout& layout : {old_, fresh_}) {
      [[maybe_unused]] const auto stopped = stop_server(layout);
      fs::remove_all(layout.socket_folder(), ignored);
    }
    fs::remove_all(fresh_.data(), ignored);
    fs::remove(roles(), ignored);
    fs::remove(dump(), ignored);
  }

  const Upgrade& upgrade_;
  ClusterLayout old_;
  ClusterLayout fresh_;
};

}  // namespace

Result<std::string> upgrade_cluster(const Upgrade& upgrade) {
  {
    Move move(upgrade);
    STEELYARD_CHECK(move.run());
  }
  STEELYARD_TRY(const std::optional<std::string> news, finish_upgrade(upgrade.home, upgrade.to.major));
  return news.value_or("the embedded store has moved to " + version(upgrade.to.major));
}

Result<std::optional<std::string>> finish_upgrade(const fs::path& home, int major) {
  std::error_code trouble;
  const fs::path note = origin_note(home, major);
  int from = 0;
  if (std::ifstream file(note); !(file >> from) || from <= 0) return std::optional<std::string>();
  if (!fs::exists(ClusterLayout{home, major}.data(), trouble)) {
    // Ended before that. A cluster that is made in another way is not to be taken for the one that was meant.
    fs::remove(note, trouble);
    return std::optional<std::string>();
  }
  STEELYARD_TRY(const fs::path aside, set_cluster_aside(home, from));
  fs::remove(note, trouble);
  fs::remove(refusal_note(home, major), trouble);
  return std::optional("the embedded store has moved from " + version(from) + " to " + version(major) +
                       (aside.empty() ? "" : "; the old cluster is kept in " + aside.string()));
}

std::optional<std::string> refused_upgrade(const fs::path& home, int major) {
  std::error_code trouble;
  const auto written = fs::last_write_time(refusal_note(home, major), trouble);
  if (trouble || fs::file_time_type::clock::now() - written > kRefusalHolds) return std::nullopt;
  std::ifstream file(refusal_note(home, major));
  std::string why;
  std::getline(file, why);
  return why;
}

std::vector<int> refused_majors(const fs::path& home) {
  std::vector<int> majors;
  std::error_code trouble;
  for (fs::directory_iterator entry(home, trouble), end; !trouble && entry != end; entry.increment(trouble)) {
    if (entry->path().extension() != ".refused") continue;
    const int major = std::atoi(entry->path().stem().c_str());
    if (major > 0 && refused_upgrade(home, major)) majors.push_back(major);
  }
  return majors;
}

void note_refused_upgrade(const fs::path& home, int major, const Error& why) {
  std::ofstream(refusal_note(home, major)) << why.text() << '\n';
}

}  // namespace steelyard::storage
