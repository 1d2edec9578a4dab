#include "ci/verbs/config_init.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "bench/model/number_text.hpp"
#include "bench/model/text.hpp"
#include "bench/runner/benchmark_listing.hpp"
#include "bench/runner/child_process.hpp"
#include "ci/app/settings.hpp"
#include "ci/config/configuration.hpp"
#include "ci/config/configuration_key.hpp"
#include "ci/git/repository.hpp"
#include "ci/measuring/build.hpp"
#include "storage/document/json.hpp"

namespace steelyard::ci {
namespace {

namespace fs = std::filesystem;

constexpr const char* kBuildFolder = "build/steelyard";
constexpr Nanoseconds kConfigureTimeout = seconds(600);
constexpr Nanoseconds kRunTimeout = seconds(60);
constexpr std::size_t kMaxTargets = 10'000;
constexpr std::uintmax_t kMaxReplyBytes = std::uintmax_t{16} << 20;

struct FoundTarget {
  std::string name;
  std::string command;  // relative to the repository's root
};

// One repository while it is looked at.
struct Project {
  fs::path root;
  std::vector<std::string> options;  // "-DX_BUILD_BENCHMARKS=ON"
  fs::path replies() const { return root / kBuildFolder / ".cmake/api/v1/reply"; }
  std::string configure_command() const {
    std::string command = std::string("cmake -S . -B ") + kBuildFolder + " -DCMAKE_BUILD_TYPE=Release";
    for (const std::string& option : options) command += ' ' + option;
    return command;
  }
  std::string build_command(const std::vector<FoundTarget>& targets) const {
    std::string command = configure_command() + " && cmake --build " + kBuildFolder + " --parallel --target";
    for (const FoundTarget& target : targets) command += ' ' + target.name;
    return command;
  }
};

Result<storage::JsonDocument> read_reply(const fs::path& file) {
  std::error_code code;
  const std::uintmax_t bytes = fs::file_size(file, code);
  if (code || bytes > kMaxReplyBytes) {
    return program_error(file.string(), code ? code.message() : std::to_string(bytes) + " bytes",
                         "an answer of CMake's file API");
  }
  std::ifstream stream(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  return storage::JsonDocument::parse(text, file.string(), "");
}

// The newest answer's list of targets.
Result<fs::path> codemodel_of(const fs::path& replies) {
  fs::path newest;
  std::error_code code;
  for (const fs::directory_entry& entry : fs::directory_iterator(replies, code)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("codemodel-v2-")) newest = std::max(newest, entry.path());
  }
  if (!newest.empty()) return newest;
  return program_error(replies.string(), "no answer of CMake's file API", "codemodel 2", "CMake 3.14 or newer has it");
}

// What others wrote and the project carries with it has benchmarks that are none of the project's.
bool is_of_others(const fs::path& source) {
  static constexpr std::array kFolders{"third_party", "third-party", "thirdparty", "external",   "extern",
                                       "vendor",      "deps",        "_deps",      "subprojects"};
  return std::any_of(source.begin(), source.end(), [](const fs::path& part) {
    return std::find(kFolders.begin(), kFolders.end(), part.string()) != kFolders.end();
  });
}

bool links_google_benchmark(const storage::JsonValue& target) {
  for (const storage::JsonValue& fragment : target.at("link").at("commandFragments").items(kMaxTargets)) {
    const std::string text = fragment.at("fragment").text();
    if (text.find("libbenchmark") != std::string::npos || text.find("-lbenchmark") != std::string::npos) return true;
  }
  return false;
}

// By name.
Result<std::vector<FoundTarget>> targets_of_project(const Project& project) {
  STEELYARD_TRY(const fs::path codemodel, codemodel_of(project.replies()));
  STEELYARD_TRY(const storage::JsonDocument document, read_reply(codemodel));
  std::vector<FoundTarget> found;
  for (const storage::JsonValue& configuration : document.root().at("configurations").items(1)) {
    for (const storage::JsonValue& one : configuration.at("targets").items(kMaxTargets)) {
      STEELYARD_TRY(const storage::JsonDocument reply, read_reply(project.replies() / one.at("jsonFile").text()));
      const storage::JsonValue target = reply.root();
      if (target.at("type").text() != "EXECUTABLE" || !links_google_benchmark(target)) continue;
      if (is_of_others(target.at("paths").at("source").text())) continue;
      const std::vector<storage::JsonValue> artifacts = target.at("artifacts").items(kMaxTargets);
      if (artifacts.empty()) continue;
      found.push_back(
          {target.at("name").text(), (fs::path(kBuildFolder) / artifacts.front().at("path").text()).string()});
      STEELYARD_CHECK(reply.check());
    }
  }
  STEELYARD_CHECK(document.check());
  std::sort(found.begin(), found.end(), [](const FoundTarget& a, const FoundTarget& b) { return a.name < b.name; });
  return found;
}

// Switches of the project's cache that are off and name benchmarks: "-DSNAPPY_BUILD_BENCHMARKS=ON".
std::vector<std::string> benchmark_switches(const fs::path& build_folder) {
  std::vector<std::string> switches;
  std::ifstream cache(build_folder / "CMakeCache.txt");
  for (std::string line; std::getline(cache, line);) {
    const std::size_t type = line.find(":BOOL=");
    if (type == std::string::npos || line.starts_with("//")) continue;
    const std::string name = line.substr(0, type);
    const std::string value = lower_case(line.substr(type + 6));
    const bool is_off = value == "off" || value == "no" || value == "false" || value == "0" || value.empty();
    // Options of Google Benchmark itself are for its own tests.
    if (!is_off || name.starts_with("BENCHMARK_") || lower_case(name).find("bench") == std::string::npos) continue;
    switches.push_back("-D" + name + "=ON");
  }
  return switches;
}

Result<void> configure(const Project& project, const App& app, const std::atomic<bool>* cancelled) {
  app.note(project.configure_command());
  std::error_code code;
  fs::create_directories(project.root / kBuildFolder / ".cmake/api/v1/query", code);
  std::ofstream query(project.root / kBuildFolder / ".cmake/api/v1/query/codemodel-v2");
  query.close();
  if (!query) {
    return input_error((project.root / kBuildFolder).string(), "cannot be written", "a folder to build in");
  }
  STEELYARD_CHECK(run_shell({project.root, project.configure_command(), kConfigureTimeout, "cmake"}, cancelled));
  return {};
}

Result<std::vector<FoundTarget>> find_targets(Project& project, const App& app, const std::atomic<bool>* cancelled) {
  STEELYARD_CHECK(configure(project, app, cancelled));
  STEELYARD_TRY(std::vector<FoundTarget> found, targets_of_project(project));
  if (!found.empty()) return found;
  project.options = benchmark_switches(project.root / kBuildFolder);
  if (!project.options.empty()) {
    STEELYARD_CHECK(configure(project, app, cancelled));
    STEELYARD_TRY(found, targets_of_project(project));
    if (!found.empty()) return found;
  }
  return input_error((project.root / "CMakeLists.txt").string(), "no executable that links Google Benchmark",
                     "one: add_executable(my_bench my_bench.cpp), target_link_libraries(my_bench benchmark::benchmark)",
                     "or write steelyard.toml by hand: docs/reference/configuration.md");
}

// What a program has, or why it is no part of the file.
Result<std::size_t> try_program(const ConfiguredProgram& configured, const fs::path& root,
                                const std::atomic<bool>* cancelled) {
  STEELYARD_TRY(const bench::Program program, program_in_tree(configured, root, {}, false));
  STEELYARD_TRY(const bench::ListedProgram listed, bench::list_benchmarks(program, {}, cancelled));
  if (listed.trouble) return *listed.trouble;
  if (listed.benchmarks().empty()) return program_error(configured.command, "no benchmarks", "at least one");
  bench::ChildCommand once;
  once.executable = program.executable;
  once.arguments = {"--benchmark_filter=" + bench::exact_filter({listed.benchmarks().front().name}),
                    "--benchmark_min_time=0"};
  once.environment = bench::child_environment(program);
  once.working_directory = root;
  once.timeout = kRunTimeout;
  STEELYARD_TRY(const bench::ChildResult child, bench::run_child(once, cancelled));
  if (child.succeeded()) return listed.benchmarks().size();
  return program_error(configured.command, listed.benchmarks().front().name + ' ' + child.describe(),
                       "a benchmark that runs");
}

fs::path root_of_project() {
  const fs::path here = fs::current_path();
  const Result<GitRepository> repository = GitRepository::find(here);
  return repository ? repository->root() : here;
}

}  // namespace

Result<ExitCode> write_first_configuration(const App& app) {
  Project project{root_of_project(), {}};
  const fs::path file = project.root / kConfigurationFile;
  std::error_code code;
  if (fs::exists(file, code)) {
    return input_error(file.string(), "is there already", "a project without one",
                       "look at it by: steelyard config show");
  }
  if (!fs::exists(project.root / "CMakeLists.txt", code)) {
    return input_error(project.root.string(), "no CMakeLists.txt", "a CMake project",
                       "write steelyard.toml by hand: docs/reference/configuration.md");
  }
  Cancellation cancellation;
  STEELYARD_TRY(const std::vector<FoundTarget> targets, find_targets(project, app, cancellation.flag()));
  Configuration written;
  written.build_command = project.build_command(targets);
  app.note(written.build_command);
  STEELYARD_CHECK(
      build({project.root, written.build_command, written.build_timeout, "the work tree"}, cancellation.flag()));
  std::vector<FoundTarget> kept;
  std::string told;
  for (const FoundTarget& target : targets) {
    const bool has_blank = target.command.find(' ') != std::string::npos;
    const ConfiguredProgram program{target.name, has_blank ? '\'' + target.command + '\'' : target.command};
    const Result<std::size_t> benchmarks = try_program(program, project.root, cancellation.flag());
    if (!benchmarks) {
      app.warn("excluded: " + benchmarks.error().text());
      continue;
    }
    kept.push_back(target);
    written.programs.push_back(program);
    told += "  " + program.command + ": " + plural_text(static_cast<std::int64_t>(*benchmarks), "benchmark") + '\n';
  }
  if (kept.empty()) {
    return program_error(project.root.string(), "no program that lists benchmarks and runs one", "at least one");
  }
  written.build_command = project.build_command(kept);
  std::string text = "[build]\ncommand = " + quoted_for_toml(written.build_command) + '\n';
  for (const ConfiguredProgram& program : written.programs) {
    text += "\n[[program]]\nname = " + quoted_for_toml(program.name) +
            "\ncommand = " + quoted_for_toml(program.command) + '\n';
  }
  STEELYARD_CHECK(parse_configuration(text, file.string()));
  STEELYARD_CHECK(write_text_file(file, text));
  app.print("wrote " + file.string() + "\n" + told + "next: git add steelyard.toml, commit, and: steelyard gate\n");
  return ExitCode::success;
}

}  // namespace steelyard::ci
