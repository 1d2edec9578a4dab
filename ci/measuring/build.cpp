#include "ci/measuring/build.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "bench/doctor/diagnose.hpp"
#include "bench/environment/binary_facts.hpp"
#include "bench/environment/cgroup_limits.hpp"
#include "bench/environment/elf_file.hpp"
#include "bench/environment/system_file.hpp"
#include "bench/model/text.hpp"
#include "bench/runner/child_process.hpp"
#include "bench/runner/confinement.hpp"
#include "bench/runner/core_choice.hpp"
#include "bench/runner/secrets.hpp"
#include "ci/config/written_value.hpp"
#include "ci/git/repository.hpp"
#include "ci/measuring/command_programs.hpp"
#include "ci/report/warning_text.hpp"

namespace steelyard::ci {
namespace {

constexpr const char* kCompilersOfCmake = "CMAKE_BUILD_PARALLEL_LEVEL";
constexpr int kShownLines = 40;  // a compiler's error and where it comes from fit; a whole log would bury them

std::string last_lines(const std::string& text, int count) {
  std::size_t at = text.find_last_not_of('\n');
  if (at == std::string::npos) return "";
  const std::size_t end = at + 1;
  for (int line = 0; line < count && at != std::string::npos; ++line) {
    at = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
  }
  const std::size_t begin = at == std::string::npos ? 0 : at + 1;
  return text.substr(begin, end - begin);
}

std::string names_text(const std::vector<std::string>& names) { return some_joined(names, 8, ", ", " and "); }

// A build that needs a variable which was withheld fails in its own words; here is why.
std::string withheld_text(const std::vector<std::string>& names) {
  if (names.empty()) return "";
  return "it was not given " + names_text(names) + " (STEELYARD_BUILD_ENVIRONMENT names what builds need); ";
}

// A build that needs a socket which was hidden, as one that starts containers does, fails in its own words, too.
std::string hidden_text(const bench::SharedConfinement& confinement) {
  if (!confinement) return "";
  const std::vector<std::filesystem::path>& hidden = confinement->hidden;
  std::vector<std::string> names;
  for (const std::filesystem::path& socket : bench::sockets_that_lead_out(caller_environment())) {
    if (std::find(hidden.begin(), hidden.end(), socket) != hidden.end()) names.push_back(socket.string());
  }
  if (names.empty()) return "";
  return "it did not see " + names_text(names) + " (STEELYARD_CONFINE=no shows builds all that is hidden); ";
}

std::vector<bench::Finding> severe_findings(const bench::Program& program) {
  if (program.command) return {};
  const Result<bench::MappedFile> file = bench::MappedFile::open(program.executable);
  if (!file || file->bytes().empty()) return {};
  const Result<bench::BinaryFacts> read = bench::read_binary(file->bytes());
  if (!read) return {};
  Environment facts;  // not with its hash, which takes its time and is of the measurement
  bench::add_binary_facts(*read, facts);
  std::vector<bench::Finding> findings = bench::diagnose(facts, std::nullopt).findings;
  std::erase_if(findings, [](const bench::Finding& one) { return one.severity != bench::Severity::severe; });
  return findings;
}

}  // namespace

Result<LeftProcesses::Count> build(const BuildRequest& request, const std::atomic<bool>* cancelled) {
  if (request.command.empty()) return LeftProcesses::Count{};
  BuildRequest told = request;
  told.side = "build of " + request.side;
  told.left_by_interruption = "nothing of that is kept";
  if (!caller_environment().contains(kCompilersOfCmake)) {
    told.variables.emplace(kCompilersOfCmake, std::to_string(compilers_of_a_build(request.builds_at_once)));
  }
  Result<LeftProcesses::Count> done = run_shell(told, cancelled);
  if (done) return done;
  Error error = done.error();
  if (!error.wanted.empty()) error.wanted = "a build that succeeds";
  return error;
}

Result<LeftProcesses::Count> run_shell(const BuildRequest& request, const std::atomic<bool>* cancelled) {
  bench::ChildCommand shell;
  shell.executable = "/bin/sh";
  // One stream keeps the order of lines; of stderr it is the end that is kept.
  shell.arguments = {"-c", "exec 1>&2 </dev/null; eval \"$1\"", "sh", request.command};
  shell.environment = caller_environment();
  const std::vector<std::string> withheld = bench::withhold_secrets(shell.environment);
  for (const auto& [name, value] : request.variables) shell.environment[name] = value;
  if (!request.tree.empty()) shell.environment["PWD"] = request.tree.string();
  shell.working_directory = request.tree;
  shell.confinement = request.confinement;
  shell.timeout = request.timeout;
  STEELYARD_TRY(const bench::ChildResult child, bench::run_child(shell, cancelled));
  if (child.succeeded()) return LeftProcesses::Count{child.left_ended, child.left_running};
  if (child.end == bench::ChildEnd::cancelled) {
    return program_error(request.side, "interrupted", "", request.left_by_interruption);
  }
  bench::ChildResult without_output = child;
  without_output.error_output.clear();
  const std::string output = last_lines(child.error_output, kShownLines);
  return program_error(request.side, '"' + request.command + "\" " + without_output.describe(),
                       "a command that succeeds",
                       withheld_text(withheld) + hidden_text(request.confinement) +
                           (output.empty() ? "" : "its last lines:\n" + output));
}

std::int64_t compilers_of_a_build(int builds_at_once, const std::filesystem::path& root) {
  auto cores = static_cast<std::int64_t>(bench::read_allowed_cores(root).size());
  const bench::CgroupLimits limits = bench::read_cgroup_limits(root);
  if (limits.cores && *limits.cores < static_cast<double>(cores)) {
    cores = static_cast<std::int64_t>(std::ceil(*limits.cores));
  }
  return std::max<std::int64_t>(1, cores / builds_at_once);
}

bool has_room_for_two_builds(const std::filesystem::path& root) {
  constexpr std::int64_t kBytesOfACompiler = std::int64_t{1} << 30;
  const auto cores = static_cast<std::int64_t>(bench::read_allowed_cores(root).size());
  std::int64_t memory = bench::memory_info_bytes(root, "MemAvailable").value_or(0);
  const bench::CgroupLimits limits = bench::read_cgroup_limits(root);
  if (limits.memory_bytes) memory = std::min(memory, *limits.memory_bytes);
  rlimit own{};
  if (getrlimit(RLIMIT_AS, &own) == 0 && own.rlim_cur < static_cast<rlim_t>(memory)) return false;
  return compilers_of_a_build(1, root) > 1 && memory >= 2 * cores * kBytesOfACompiler;
}

Result<bench::Program> program_in_tree(const ConfiguredProgram& configured, const std::filesystem::path& tree,
                                       const std::vector<std::string>& arguments, bool with_suite) {
  const std::string where = configured.name.empty() ? "--bench" : "[[program]] \"" + configured.name + '"';
  if (!configured.how.format.empty()) {
    STEELYARD_TRY(bench::Program program, command_program(configured, tree, where));
    program.arguments.insert(program.arguments.end(), arguments.begin(), arguments.end());
    // Measured from outside it is one benchmark, which has the name itself.
    if (with_suite && program.command->format != nullptr) program.suite = configured.name;
    return program;
  }
  STEELYARD_TRY(std::vector<std::string> words, command_words(configured.command, where));
  const std::filesystem::path path(words.front());
  if (path.is_absolute()) {
    return input_error(where, '"' + words.front() + '"', "a path relative to the work tree",
                       "both commits would run the same file");
  }
  bench::Program program;
  program.executable = tree / path;
  program.arguments.assign(words.begin() + 1, words.end());
  program.arguments.insert(program.arguments.end(), arguments.begin(), arguments.end());
  program.working_directory = tree;
  if (with_suite) program.suite = configured.name;
  return program;
}

std::vector<std::string> warnings_of_build(const bench::Program* baseline, const bench::Program& candidate) {
  std::vector<std::string> warnings;
  const std::string name = candidate.executable.filename().string();
  const std::vector<bench::Finding> own = severe_findings(candidate);
  const std::vector<bench::Finding> before =
      baseline == nullptr ? std::vector<bench::Finding>() : severe_findings(*baseline);
  const auto has = [](const std::vector<bench::Finding>& findings, const bench::Finding& one) {
    return std::find(findings.begin(), findings.end(), one) != findings.end();
  };
  for (const bench::Finding& one : own) {
    warnings.push_back(
        warning::severe_build({name, one.found, one.cost, one.fix, has(before, one), baseline != nullptr}));
  }
  for (const bench::Finding& one : before) {
    if (!has(own, one)) warnings.push_back(warning::severe_build({name, one.found, one.cost, one.fix, true, false}));
  }
  return warnings;
}

}  // namespace steelyard::ci
