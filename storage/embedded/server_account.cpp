#include "storage/embedded/server_account.hpp"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <vector>

namespace steelyard {
namespace {

// Entries are a line of /etc/passwd or what a directory service makes of it.
constexpr std::size_t kLongestEntry = 64 * 1024;

template <class Find>
std::optional<ServerAccount> look_up(Find find) {
  passwd entry{};
  passwd* found = nullptr;
  std::vector<char> buffer(kLongestEntry);
  if (find(&entry, buffer.data(), buffer.size(), &found) != 0 || found == nullptr) return std::nullopt;
  return ServerAccount{entry.pw_uid, entry.pw_gid, entry.pw_name, geteuid() == 0 && entry.pw_uid != 0};
}

std::optional<ServerAccount> account_by_id(uid_t user) {
  return look_up([user](auto... rest) { return getpwuid_r(user, rest...); });
}
std::optional<ServerAccount> account_by_name(const char* name) {
  return look_up([name](auto... rest) { return getpwnam_r(name, rest...); });
}

Error no_entry(uid_t user) {
  return store_error("embedded store", "user id " + std::to_string(user) + " without an entry in the password database",
                     "a user that PostgreSQL's initdb accepts",
                     "add the user to /etc/passwd, or set STEELYARD_STORE to a postgresql:// address");
}

}  // namespace

ServerAccount current_account() {
  return account_by_id(geteuid()).value_or(ServerAccount{geteuid(), getegid(), std::to_string(geteuid()), false});
}

Result<ServerAccount> account_for_server() {
  if (geteuid() != 0) {
    const auto self = account_by_id(geteuid());
    if (!self) return no_entry(geteuid());
    return *self;
  }
  for (const char* name : {"postgres", "nobody"}) {
    const auto account = account_by_name(name);
    if (account && account->user != 0) return *account;
  }
  return store_error("embedded store", "neither a user \"postgres\" nor \"nobody\"",
                     "an unprivileged user to run PostgreSQL as",
                     "install the package postgresql, or run steelyard as another user than root");
}

Result<ServerAccount> account_of(const std::filesystem::path& folder) {
  struct stat status {};
  if (stat(folder.c_str(), &status) != 0) {
    return store_error("embedded store " + folder.string(), "a folder that cannot be read", "a PostgreSQL cluster");
  }
  const auto owner = account_by_id(status.st_uid);
  if (!owner) return no_entry(status.st_uid);
  if (owner->user == 0 || (geteuid() != 0 && owner->user != geteuid())) {
    return store_error("embedded store " + folder.string(), "a folder of user " + owner->name,
                       geteuid() == 0 ? "an unprivileged owner" : "a folder of your own",
                       "set STEELYARD_STATE to another folder");
  }
  return *owner;
}

bool can_reach(const ServerAccount& account, const std::filesystem::path& folder) {
  for (std::filesystem::path at = std::filesystem::absolute(folder);; at = at.parent_path()) {
    struct stat status {};
    // What does not exist yet will be made by us, open enough.
    if (stat(at.c_str(), &status) == 0) {
      const mode_t needed = status.st_uid == account.user    ? S_IXUSR
                            : status.st_gid == account.group ? S_IXGRP
                                                             : S_IXOTH;
      if ((status.st_mode & needed) == 0) return false;
    }
    if (at == at.root_path()) return true;
  }
}

}  // namespace steelyard
