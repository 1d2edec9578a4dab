// The operating-system user that the embedded server runs as. PostgreSQL refuses to run as root, and its initdb refuses
// a user without an entry in the password database.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

#include "bench/model/result.hpp"

namespace steelyard {

struct ServerAccount {
  uid_t user = 0;
  gid_t group = 0;
  std::string name;
  bool must_switch = false;  // we are root and it is not
};

// The user we are, whether or not a server could run as it.
ServerAccount current_account();
// Ourselves, or where we are root an unprivileged user that exists: postgres, else nobody. None is created.
Result<ServerAccount> account_for_server();
// The one that owns `folder`, of a cluster that exists already.
Result<ServerAccount> account_of(const std::filesystem::path& folder);

// Whether the account may pass through `folder` and every folder above it. Access lists are not looked at.
bool can_reach(const ServerAccount& account, const std::filesystem::path& folder);

}  // namespace steelyard
