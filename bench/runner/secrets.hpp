// Secrets in the environment and the memory of our process. A build, and what it builds, may be a stranger's pull
// request; a CI job's tokens and the store's password are not its.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace steelyard::bench {

// Whether such a variable usually lets its bearer in somewhere. By its name: "PGPASSWORD", "GITHUB_TOKEN",
// "AWS_SECRET_ACCESS_KEY", STEELYARD_STORE; by what it says: an address with a user and a password (GitLab's
// CI_REPOSITORY_URL), a header that authorizes. A command file (below) as well: whoever writes to it gets at what the
// next steps are given.
bool is_secret(std::string_view name, std::string_view value);

// The files from which the job's CI service takes commands for its later steps ($GITHUB_ENV, $GITHUB_OUTPUT,
// $GITLAB_ENV, ...), and the folder of GitHub's runner for them where there is one; but for those that
// $STEELYARD_BUILD_ENVIRONMENT names. A file may not be there.
std::vector<std::filesystem::path> command_files(const std::map<std::string, std::string>& variables);

// Erases the secrets but for those that $STEELYARD_BUILD_ENVIRONMENT names, separated by blanks. Returns the names.
std::vector<std::string> withhold_secrets(std::map<std::string, std::string>& variables);

// Moves the secrets out of the block of memory that /proc/PID/environ shows, where every process of the same user could
// read them. Call first of all, while there is one thread. No boundary: our memory and our ancestors' block hold them.
void hide_own_secrets();

// Of a process that may not be dumped (PR_SET_DUMPABLE of prctl(2)) no other of its user may read the memory. Nothing
// under AddressSanitizer, whose leak checker reads its own.
void close_own_memory();

// Overwrites the text's memory and empties it.
void wipe(std::string& text);

// A text that is wiped when nobody needs it any more.
class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string text) : text_(std::move(text)) {}
  Secret(Secret&& other) noexcept;
  Secret& operator=(Secret&& other) noexcept;
  ~Secret() { wipe(text_); }

  bool empty() const { return text_.empty(); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// The variable's text behind `prefix`; the variable itself is wiped and gone, so that no child has it. Empty: it is not
// set.
Secret take_secret(const std::string& name, std::string_view prefix = "");

}  // namespace steelyard::bench
