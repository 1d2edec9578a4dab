#include "bench/runner/secrets.hpp"

#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>
#include <system_error>

namespace steelyard::bench {
namespace {

constexpr std::array<std::string_view, 17> kParts{
    "TOKEN",      "SECRET",      "PASSWORD",       "PASSWD", "PASSPHRASE", "SSHPASS",
    "CREDENTIAL", "ACCESS_KEY",  "API_KEY",        "APIKEY", "SSH_KEY",    "PRIVATE_KEY",
    "DEPLOY_KEY", "SIGNING_KEY", "ENCRYPTION_KEY", "_JWT",   "WEBHOOK"};
constexpr std::array<std::string_view, 4> kEnds{"_PAT", "_PASS", "_PWD", "_AUTH"};
// Where else libpq finds a password or a key, and what opens other doors.
constexpr std::array<std::string_view, 8> kNames{"STEELYARD_STORE", "PGPASSFILE",        "PGSERVICE",
                                                 "PGSERVICEFILE",   "PGSSLKEY",          "SSH_AUTH_SOCK",
                                                 "GPG_AGENT_INFO",  "DOCKER_AUTH_CONFIG"};

// Of GitHub's runner and of those that are made after it (Gitea's, Forgejo's).
constexpr std::array<std::string_view, 3> kRunners{"GITHUB_", "GITEA_", "FORGEJO_"};
constexpr std::array<std::string_view, 5> kRunnerFiles{"ENV", "OUTPUT", "PATH", "STATE", "STEP_SUMMARY"};
constexpr std::array<std::string_view, 6> kCommandFiles{"GITLAB_ENV",   "BUILDKITE_ENV_FILE",
                                                        "CIRRUS_ENV",   "DRONE_ENV",
                                                        "DRONE_OUTPUT", "BITBUCKET_PIPELINES_VARIABLES_PATH"};

bool names_command_file(std::string_view name, std::string_view value) {
  if (std::find(kCommandFiles.begin(), kCommandFiles.end(), name) != kCommandFiles.end()) return true;
  // CircleCI's; elsewhere it is what shells need.
  if (name == "BASH_ENV") return value.find("/.bash_env-") != std::string_view::npos;
  return std::any_of(kRunners.begin(), kRunners.end(), [&](std::string_view runner) {
    return name.starts_with(runner) &&
           std::find(kRunnerFiles.begin(), kRunnerFiles.end(), name.substr(runner.size())) != kRunnerFiles.end();
  });
}

// What the user says that builds need.
std::vector<std::string> names_needed(const std::map<std::string, std::string>& variables) {
  std::vector<std::string> needed;
  if (const auto named = variables.find("STEELYARD_BUILD_ENVIRONMENT"); named != variables.end()) {
    std::istringstream words(named->second);
    for (std::string word; words >> word;) needed.push_back(word);
  }
  return needed;
}

std::string upper_case(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return upper;
}

// "ssh://user:password@host/..." anywhere in the text; over HTTP a user alone is a token
// ("https://ghp_...@github.com").
bool holds_address_with_password(std::string_view text) {
  constexpr std::string_view kSign = "://";
  for (std::size_t at = text.find(kSign); at != std::string_view::npos; at = text.find(kSign, at)) {
    const std::string_view before = text.substr(0, at);
    const bool is_http = before.ends_with("http") || before.ends_with("https");
    at += kSign.size();
    const std::string_view authority = text.substr(at, text.find_first_of("/?# \n", at) - at);
    const std::size_t user = authority.rfind('@');
    if (user == std::string_view::npos) continue;
    if (is_http || authority.substr(0, user).find(':') != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

bool is_secret(std::string_view name, std::string_view value) {
  const std::string upper = upper_case(name);
  return std::find(kNames.begin(), kNames.end(), upper) != kNames.end() ||
         std::any_of(kParts.begin(), kParts.end(), [&](auto part) { return upper.find(part) != std::string::npos; }) ||
         std::any_of(kEnds.begin(), kEnds.end(), [&](auto end) { return upper.ends_with(end); }) ||
         names_command_file(name, value) || holds_address_with_password(value) ||
         upper_case(value).find("AUTHORIZATION:") != std::string::npos;
}

std::vector<std::string> withhold_secrets(std::map<std::string, std::string>& variables) {
  const std::vector<std::string> needed = names_needed(variables);
  std::vector<std::string> withheld;
  std::erase_if(variables, [&](const auto& variable) {
    const bool is_needed = std::find(needed.begin(), needed.end(), variable.first) != needed.end();
    if (is_needed || !is_secret(variable.first, variable.second)) return false;
    withheld.push_back(variable.first);
    return true;
  });
  return withheld;
}

std::vector<std::filesystem::path> command_files(const std::map<std::string, std::string>& variables) {
  const std::vector<std::string> needed = names_needed(variables);
  std::vector<std::filesystem::path> files;
  bool is_any_needed = false;
  for (const auto& [name, value] : variables) {
    if (value.empty() || !names_command_file(name, value)) continue;
    const bool is_needed = std::find(needed.begin(), needed.end(), name) != needed.end();
    is_any_needed = is_any_needed || is_needed;
    if (!is_needed) files.emplace_back(value);
  }
  // The folder of these files is hidden also where the step did not hand on their names.
  const auto temporary = variables.find("RUNNER_TEMP");
  if (temporary != variables.end() && !is_any_needed) {
    const std::filesystem::path folder = std::filesystem::path(temporary->second) / "_runner_file_commands";
    std::error_code trouble;
    if (std::filesystem::is_directory(folder, trouble)) files.push_back(folder);
  }
  return files;
}

void hide_own_secrets() {
  std::vector<char*> secrets;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0) continue;
    if (is_secret(text.substr(0, equals), text.substr(equals + 1))) secrets.push_back(*entry);
  }
  for (char* const entry : secrets) {
    const std::string text(entry);
    const std::size_t equals = text.find('=');
    // setenv() copies; what it replaces stays where the kernel put it.
    if (::setenv(text.substr(0, equals).c_str(), text.substr(equals + 1).c_str(), 1) != 0) continue;
    ::explicit_bzero(entry + equals + 1, text.size() - equals - 1);
  }
}

void close_own_memory() {
#ifndef __SANITIZE_ADDRESS__
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#endif
}

void wipe(std::string& text) {
  ::explicit_bzero(text.data(), text.size());
  text.clear();
}

Secret::Secret(Secret&& other) noexcept : text_(other.text_) { wipe(other.text_); }

Secret& Secret::operator=(Secret&& other) noexcept {
  if (this == &other) return *this;
  wipe(text_);
  text_ = other.text_;
  wipe(other.text_);
  return *this;
}

Secret take_secret(const std::string& name, std::string_view prefix) {
  char* const value = std::getenv(name.c_str());
  if (value == nullptr || *value == '\0') return {};
  std::string text;
  text.reserve(prefix.size() + ::strlen(value));
  text.append(prefix).append(value);
  ::explicit_bzero(value, ::strlen(value));
  ::unsetenv(name.c_str());
  Secret secret(text);
  wipe(text);
  return secret;
}

}  // namespace steelyard::bench
