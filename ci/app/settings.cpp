#include "ci/app/settings.hpp"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "ci/git/repository.hpp"

namespace steelyard::ci {

Result<Configuration> with_overrides(Configuration configuration, const App& app) {
  if (const char* store = std::getenv("STEELYARD_STORE"); store != nullptr && *store != '\0') {
    configuration.store = store;
    configuration.store_where = "STEELYARD_STORE";
  }
  for (const Override& change : app.common.overrides) {
    STEELYARD_CHECK(
        change.key->assign(configuration, WrittenValue{change.text, true}, std::string(change.key->option)));
  }
  return configuration;
}

Result<Configuration> effective_configuration(const App& app) {
  std::error_code code;
  const std::filesystem::path here = std::filesystem::current_path(code);
  if (code) return input_error("current folder", code.message(), "a folder that exists");
  STEELYARD_TRY(Configuration configuration, find_configuration(here));
  return with_overrides(std::move(configuration), app);
}

// The only place where a result's entropy is drawn from: it carries the seed. Not by std::random_device, which
// in g++ 12's library is built on a call that C libraries before 2.36 lack.
Result<Configuration> measuring_configuration(const App& app, Nanoseconds usual,
                                              const std::optional<std::uint64_t>& seed) {
  STEELYARD_TRY(Configuration configuration, effective_configuration(app));
  STEELYARD_CHECK(check_project_to_write(configuration));
  if (!configuration.run.budget) configuration.run.budget = usual;
  if (seed) {
    configuration.run.seed = *seed;
  } else if (::getentropy(&configuration.run.seed, sizeof configuration.run.seed) != 0) {
    return input_error("the system's entropy", std::strerror(errno), "random bytes for a seed", "give one: --seed N");
  }
  return configuration;
}

std::string project_name(const Configuration& configuration) {
  if (!configuration.project.empty()) return configuration.project;
  std::error_code ignored;
  std::filesystem::path folder = std::filesystem::current_path(ignored);
  if (const Result<GitRepository> repository = GitRepository::find(folder)) folder = repository->root();
  return folder.filename().string();
}

Result<void> check_project_to_write(const Configuration& configuration) {
  if (configuration.project != kEveryProject) return {};
  return input_error("--project", '"' + std::string(kEveryProject) + "\", by which readers mean every project",
                     "the name of one", "--project NAME, or [project] name in " + std::string(kConfigurationFile));
}

Result<std::string> project_to_read(const Configuration& configuration, const std::vector<std::string>& known,
                                    const std::string& place) {
  if (configuration.project == kEveryProject) return std::string();
  std::string name = project_name(configuration);
  if (known.empty() || std::find(known.begin(), known.end(), name) != known.end()) return name;
  constexpr std::size_t kShown = 8;
  std::string others;
  for (std::size_t i = 0; i < std::min(known.size(), kShown); ++i) {
    others += (i == 0 ? "" : ", ") + (known[i].empty() ? "runs that name none" : '"' + known[i] + '"');
  }
  if (known.size() > kShown) others += ", ...";
  const std::string whose = configuration.project.empty() ? " (this folder's name)" : "";
  return input_error("--project", '"' + name + '"' + whose + ", of which " + place + " has nothing",
                     "one that it has (" + others + ')', "--project NAME, or --project all for every one");
}

std::string person_or_login(const std::string& named) {
  if (!named.empty()) return named;
  for (const char* variable : {"GITHUB_ACTOR", "GITLAB_USER_LOGIN"}) {
    if (const char* user = std::getenv(variable); user != nullptr && *user != '\0') return user;
  }
  const passwd* const entry = getpwuid(geteuid());
  return entry == nullptr ? "user " + std::to_string(geteuid()) : entry->pw_name;
}

}  // namespace steelyard::ci
