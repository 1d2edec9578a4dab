// Secrets in the environment. A build, and what it builds, may be a stranger's pull request; a CI job's tokens and the
// store's password are not its.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace steelyard::ci {

// Whether a variable of this name usually lets its bearer in somewhere: "PGPASSWORD", "GITHUB_TOKEN",
// "AWS_SECRET_ACCESS_KEY", or is STEELYARD_STORE, whose address may hold a password.
bool is_secret(std::string_view name);

// Erases the secrets but for those that $STEELYARD_BUILD_ENVIRONMENT names, separated by blanks. Returns the names.
std::vector<std::string> withhold_secrets(std::map<std::string, std::string>& variables);

// Moves the secrets out of the block of memory that /proc/PID/environ shows, where every process of the same user could
// read them. Call first of all, while there is one thread. No boundary: our memory and our ancestors' block hold them.
void hide_own_secrets();

}  // namespace steelyard::ci
