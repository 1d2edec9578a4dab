#include "ci/app/person.hpp"

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>

namespace steelyard {

std::string person_or_login(const std::string& named) {
  if (!named.empty()) return named;
  for (const char* variable : {"GITHUB_ACTOR", "GITLAB_USER_LOGIN"}) {
    if (const char* user = std::getenv(variable); user != nullptr && *user != '\0') return user;
  }
  const passwd* const entry = getpwuid(geteuid());
  return entry == nullptr ? "user " + std::to_string(geteuid()) : entry->pw_name;
}

}  // namespace steelyard
