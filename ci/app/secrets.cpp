#include "ci/app/secrets.hpp"

#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>

namespace steelyard::ci {
namespace {

constexpr std::array<std::string_view, 9> kParts{"TOKEN",      "SECRET",  "PASSWORD",    "PASSWD", "CREDENTIAL",
                                                 "ACCESS_KEY", "API_KEY", "PRIVATE_KEY", "_JWT"};
// Where else libpq finds a password, and what opens other doors.
constexpr std::array<std::string_view, 6> kNames{"STEELYARD_STORE", "PGPASSFILE",    "PGSERVICE",
                                                 "PGSERVICEFILE",   "SSH_AUTH_SOCK", "GPG_AGENT_INFO"};

std::string upper_case(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return upper;
}

}  // namespace

bool is_secret(std::string_view name) {
  const std::string upper = upper_case(name);
  return std::find(kNames.begin(), kNames.end(), upper) != kNames.end() ||
         std::any_of(kParts.begin(), kParts.end(),
                     [&](std::string_view part) { return upper.find(part) != std::string::npos; });
}

std::vector<std::string> withhold_secrets(std::map<std::string, std::string>& variables) {
  std::vector<std::string> needed;
  if (const auto named = variables.find("STEELYARD_BUILD_ENVIRONMENT"); named != variables.end()) {
    std::istringstream words(named->second);
    for (std::string word; words >> word;) needed.push_back(word);
  }
  std::vector<std::string> withheld;
  std::erase_if(variables, [&](const auto& variable) {
    const bool is_needed = std::find(needed.begin(), needed.end(), variable.first) != needed.end();
    if (is_needed || !is_secret(variable.first)) return false;
    withheld.push_back(variable.first);
    return true;
  });
  return withheld;
}

void hide_own_secrets() {
  std::vector<char*> secrets;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    if (is_secret(text.substr(0, text.find('=')))) secrets.push_back(*entry);
  }
  for (char* const entry : secrets) {
    const std::string text(entry);
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) continue;
    // setenv() copies; what it replaces stays where the kernel put it.
    if (::setenv(text.substr(0, equals).c_str(), text.substr(equals + 1).c_str(), 1) != 0) continue;
    ::explicit_bzero(entry + equals + 1, text.size() - equals - 1);
  }
}

}  // namespace steelyard::ci
