// What a session's login is and may do in this database, and the steps from a connection to a session that is ready for
// the store's work: the right encoding, a schema of this program's version, and no more rights than the work needs.
#pragma once

#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard {

struct Login {
  std::string name;
  std::string database;
  std::vector<std::string> roles;  // of ours, that it may take on; sorted
  bool owned_by_role = false;      // the schema belongs to steelyard_owner
  bool may_migrate = false;        // it may change the schema, or create it where there is none
  bool is_distributed = false;     // the database has Citus
  int rights_given_at = 0;         // the version of the schema whose tables the roles have rights on; 0: none
  bool is_in(std::string_view role) const;
};

// Error (store): the database has another encoding than UTF8.
Result<Login> look_at_login(Session& session);

// Brings the schema up to date where it is not, as the owner, and takes on the role for daily work. Error (store): the
// login may not bring an older schema up to date.
Result<Login> make_ready(Session& session);

// For the length of a scope: the owner's role where the login has it, else the login itself. For what deletes facts or
// changes the schema.
class AsOwner : public ActingAs {
 public:
  AsOwner(Session& session, const Login& login);
};

}  // namespace steelyard
