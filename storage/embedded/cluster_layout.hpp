// Where an embedded cluster's files are. Each PostgreSQL major version has a folder of its own, since one cannot read
// the other's: STATE/postgres/15/{data,log,socket}. Where the server's account cannot reach the state folder (root's
// home, a private temporary folder), the cluster lies in /var/lib/steelyard/postgres-HASH instead, and
// STATE/postgres.location says so.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "storage/embedded/server_process.hpp"
#include "storage/place/files.hpp"

namespace steelyard::storage {

// What data is called until it is complete.
inline constexpr const char* kUnfinished = "data.new";

struct ClusterLayout {
  std::filesystem::path home;  // STATE/postgres or its replacement; ours, not the server's
  int major = 0;
  std::string data_name = "data";
  std::string socket_name = "socket";  // another one where no command is to find the server
  std::filesystem::path folder() const {
    return home / std::to_string(major);
  }  // the server account's, closed to others
  std::filesystem::path data() const { return folder() / data_name; }
  std::filesystem::path log() const { return folder() / "log"; }
  std::filesystem::path server_lock() const { return home / (std::to_string(major) + ".lock"); }  // held while it lives
  std::filesystem::path start_lock() const {
    return home / "lock";
  }  // held by whoever creates, starts or ends a server
  // Written by every command that uses the server; see server_control.hpp.
  std::filesystem::path use_note() const { return home / (std::to_string(major) + ".used"); }
  // folder()/socket, or a folder below /tmp where that is too long for a socket's address.
  std::filesystem::path socket_folder() const;
  bool has_sockets_outside() const { return socket_folder().parent_path() != folder(); }
  // The password of the superuser "steelyard", as libpq reads it (passfile); one for all clusters of the home.
  std::filesystem::path password_file() const { return home / "superuser.pgpass"; }
  // The password of the login for daily work, in the same way.
  std::filesystem::path daily_password_file() const { return home / "daily.pgpass"; }
  // Who may connect, and as whom; written at each start.
  std::filesystem::path access_rules() const { return home / (std::to_string(major) + ".hba.conf"); }
  // Says of which cluster the superuser has that password.
  std::filesystem::path password_note() const { return home / (std::to_string(major) + ".password"); }
  // The superuser's: postgresql://steelyard@/DATABASE?host=...; names the password's file and holds no password, and
  // who must answer (requirepeer): the owner of folder(). Error (store): it is nobody's that may run the server.
  Result<std::string> url(const std::string& database = "steelyard") const;
  // The address of kDailyLogin and the store's database.
  Result<std::string> daily_url() const;
};

// The home that this state folder's clusters are in; not created.
std::filesystem::path cluster_home(const std::filesystem::path& state, const ServerAccount& account);
// Creates the folder if needed and, where it is not STATE/postgres, STATE/postgres.location.
Result<void> make_home(const std::filesystem::path& state, const std::filesystem::path& home,
                       const ServerAccount& account);
// What a cluster's folder is called after another has taken its place; a number follows where that is taken, too.
inline constexpr const char* kReplaced = ".replaced";
// The clusters in the home that were replaced, by name.
std::vector<std::filesystem::path> replaced_clusters(const std::filesystem::path& home);
// The major versions that have data in the home, newest first.
std::vector<int> existing_majors(const std::filesystem::path& home);

// Making the files of a cluster, and setting those of a replaced one aside.

// A folder of the account, closed to others. One that exists is used only if it is exactly that: below /tmp anyone
// could have put it there.
Result<void> make_private(const std::filesystem::path& folder, const ServerAccount& account);

// Where the folder of the socket lies outside of the cluster's own: it is not removed while what is returned lives,
// which is closed where it is not there, or cannot be made. `makes`: where it is not there.
FileDescriptor hold_socket_folder(const ClusterLayout& layout, const ServerAccount& account, bool makes);
// After a server's end: that folder, where it lies outside, is empty and held by nobody. Precondition: nobody starts a
// server meanwhile.
void remove_socket_folder(const ClusterLayout& layout);

// An empty cluster in layout.data(), in place of anything that was there; not flushed to the disk yet.
Result<void> initialise_data(const ClusterLayout& layout, const ServerPrograms& programs, const ServerAccount& account);

// Flushes everything that is not on the disk yet of the file system that the folder is on.
Result<void> flush_disk_of(const std::filesystem::path& folder);

// An empty cluster under its final name, there only when it is complete and on the disk.
Result<void> create_cluster(const ClusterLayout& layout, const ServerPrograms& programs, const ServerAccount& account);

// Renames the cluster's folder (15 to 15.replaced) and gives its new path; empty where there is no such cluster, or its
// server still runs. Nothing of it is changed or removed.
Result<std::filesystem::path> set_cluster_aside(const std::filesystem::path& home, int major);

}  // namespace steelyard::storage
