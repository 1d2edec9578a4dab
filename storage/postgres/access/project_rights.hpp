// Gives logins the roles of a store, and lets some of them see some projects only: by row-level security, through
// tables, views and counts alike. Policies are made when the first project is granted; stores that never do that have
// none. Readers and writers of every project bypass them.
#pragma once

#include <vector>

#include "bench/model/result.hpp"
#include "storage/model/access.hpp"
#include "storage/postgres/access/roles.hpp"

namespace steelyard::storage {

// Gives it, or says (error, input) why that cannot be. False where the login had it.
Result<bool> grant_access(Session& session, const Login& login, const AccessGrant& grant);
// False where the login did not have it.
Result<bool> revoke_access(Session& session, const AccessGrant& grant);
// By login.
Result<std::vector<AccessGrant>> list_access(Session& session, const Login& login);

// For who limits a session of every project to one (Session::see_only): the policies, and a row for the project. Part
// of issuing a token of one project. Error (input): the server has none.
Result<void> prepare_limits_to(Session& session, const std::string& project);
// Whether such a session may take on a role of projects. Error (store): it may not, or nothing would limit it.
Result<void> check_limits(Session& session);

// After migrations, where projects are limited: for the tables that are new. Part of apply_privileges().
Result<void> renew_project_limits(Transaction& transaction);

}  // namespace steelyard::storage
