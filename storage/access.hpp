// Who may use a store: logins of its server, as readers, writers or owners, of every project or of some.
// docs/operations/access.md says what each may do.
#pragma once

#include <string>

namespace steelyard {

enum class Access { reader, writer, owner };

struct AccessGrant {
  std::string login;  // a role of the server
  Access access = Access::reader;
  std::string project{};       // with some_projects: which
  bool some_projects = false;  // false: every project
  bool operator==(const AccessGrant&) const = default;
};

}  // namespace steelyard
