#include "ci/verbs/config_init.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "bench/model/number_text.hpp"
#include "bench/model/text.hpp"
#include "bench/runner/benchmark_listing.hpp"
#include "bench/runner/child_process.hpp"
#include "ci/app/settings.hpp"
#include "ci/config/configuration.hpp"
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
constexpr std::size_t kMaxEntries = 100'000;  // of the repository, that are looked at for scripts
constexpr std::size_t kMaxScripts = 1000;
constexpr std::uintmax_t kMaxScriptBytes = std::uintmax_t{1} << 20;
constexpr std::size_t kMaxRules = 100;

struct FoundTarget {
  std::string rule;       // what the build tool is asked for
  std::string name;       // the program's, in the file
  std::string command;    // relative to the repository's root
  std::string arguments;  // that a script of the repository gives it
  std::string place;      // of that script, "bench/run.sh:12"
};

enum class BuildTool { cmake, make };

// One repository while it is looked at.
struct Project {
  fs::path root;
  BuildTool tool = BuildTool::cmake;
  std::vector<std::string> options = {};  // "-DX_BUILD_BENCHMARKS=ON"
  fs::path replies() const { return root / kBuildFolder / ".cmake/api/v1/reply"; }
  // With debugging information: without it no function has a line, and no note a place.
  std::string configure_command() const {
    std::string command = std::string("cmake -S . -B ") + kBuildFolder + " -DCMAKE_BUILD_TYPE=RelWithDebInfo";
    for (const std::string& option : options) command += ' ' + option;
    return command;
  }
  std::string build_command(const std::vector<FoundTarget>& targets) const {
    std::string command =
        tool == BuildTool::make ? "make" : configure_command() + " && cmake --build " + kBuildFolder + " --target";
    for (const FoundTarget& target : targets) {
      if (!target.rule.empty()) command += ' ' + target.rule;
    }
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
      const std::string name = target.at("name").text();
      found.push_back({name, name, (fs::path(kBuildFolder) / artifacts.front().at("path").text()).string(), "", ""});
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
  // What an earlier try switched on, and no command in the file would, is remembered there.
  std::error_code ignored;
  fs::remove(project.root / kBuildFolder / "CMakeCache.txt", ignored);
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

// A line of a script that starts a program.
struct ScriptCall {
  std::string place;      // "bench/run.sh:12"
  std::string program;    // as the script names it
  std::string arguments;  // but for Google Benchmark's own; none where they are known to the script alone
};

bool is_script_of_project(const fs::path& file) {
  static constexpr std::array kNames{"Makefile", "makefile",    "GNUmakefile",
                                     "justfile", "Jenkinsfile", ".gitlab-ci.yml"};
  const std::string name = file.filename().string();
  const std::string ending = file.extension().string();
  if (std::find(kNames.begin(), kNames.end(), name) != kNames.end()) return true;
  const bool is_yaml = ending == ".yml" || ending == ".yaml";
  return ending == ".sh" || ending == ".bash" || ending == ".mk" ||
         (is_yaml && file.parent_path().filename() == "workflows");
}

// By path, which is relative to the root.
std::vector<fs::path> scripts_of(const fs::path& root) {
  std::vector<fs::path> found;
  std::error_code code;
  fs::recursive_directory_iterator entries(root, fs::directory_options::skip_permission_denied, code);
  for (std::size_t seen = 0; !code && entries != fs::recursive_directory_iterator() && seen < kMaxEntries;
       ++seen, entries.increment(code)) {
    const fs::path path = entries->path().lexically_relative(root);
    const std::string name = path.filename().string();
    std::error_code ignored;
    if (entries->is_directory(ignored) && !entries->is_symlink(ignored)) {
      const bool is_hidden = name.starts_with('.') && name != ".github" && name != ".ci";
      if (is_hidden || name.starts_with("build") || is_of_others(path)) entries.disable_recursion_pending();
    } else if (is_script_of_project(path) && entries->is_regular_file(ignored) &&
               entries->file_size(ignored) <= kMaxScriptBytes) {
      found.push_back(path);
    }
  }
  std::sort(found.begin(), found.end());
  if (found.size() > kMaxScripts) found.resize(kMaxScripts);
  return found;
}

// Whether a word behind this one is a command: "run: ./bench", "time ./bench", "THREADS=1 ./bench".
bool stands_before_a_command(std::string_view word) {
  static constexpr std::array<std::string_view, 13> kWords{"&&", "||",   ";",    "|",    "-",    "{",      "(",
                                                           "do", "then", "run:", "time", "exec", "script:"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end() || word.ends_with(';') ||
         (word.find('=') != std::string_view::npos && !word.starts_with('-'));
}

// Up to the end of the command.
std::string arguments_behind(const std::vector<std::string>& words, std::size_t at) {
  std::string arguments;
  for (++at; at < words.size(); ++at) {
    std::string word = words[at];
    const bool is_last = word.ends_with(';');
    if (is_last) word.pop_back();
    const bool is_end = word.find_first_of("|<>&;#") != std::string::npos;
    if (is_end) break;
    if (word.find_first_of("$`\"'(){}*?\\") != std::string::npos) return "";
    if (!word.empty() && !word.starts_with("--benchmark_")) arguments += ' ' + word;
    if (is_last) break;
  }
  return arguments.substr(std::min<std::size_t>(1, arguments.size()));
}

// What of the line may be a command: of a Makefile's rule what stands behind its names, which may be paths of programs;
// nothing of an assignment.
std::string commands_in(const fs::path& script, const std::string& line) {
  const bool is_make = lower_case(script.filename().string()).ends_with("makefile") || script.extension() == ".mk";
  const std::size_t colon = line.find(':');
  if (!is_make || line.starts_with('\t') || colon == std::string::npos) return line;
  const std::size_t semicolon = line.find(';', colon);
  const bool has_recipe = semicolon != std::string::npos && line.find_first_of("=#") > semicolon;
  return has_recipe ? line.substr(semicolon + 1) : "";
}

// Of programs that are named by a path: `make x_bench` starts none.
template <typename IsWanted>
std::vector<ScriptCall> calls_in_scripts(const fs::path& root, IsWanted is_wanted) {
  std::vector<ScriptCall> calls;
  for (const fs::path& script : scripts_of(root)) {
    std::ifstream stream(root / script, std::ios::binary);
    std::size_t number = 0;
    for (std::string line; std::getline(stream, line);) {
      ++number;
      std::istringstream text(commands_in(script, line));
      const std::vector<std::string> words{std::istream_iterator<std::string>(text), {}};
      for (std::size_t i = 0; i < words.size() && !words[i].starts_with('#'); ++i) {
        const std::string word = words[i].substr(words[i].find_first_not_of("@-") == 1 ? 1 : 0);
        const bool is_path = word.find('/') != std::string::npos && !word.ends_with('/');
        if (!is_path || !is_wanted(fs::path(word).filename().string())) continue;
        if (i > 0 && !stands_before_a_command(words[i - 1])) continue;
        calls.push_back({script.string() + ':' + std::to_string(number), word, arguments_behind(words, i)});
      }
    }
  }
  return calls;
}

// The arguments by which the repository's own scripts run each of them.
void add_arguments(const fs::path& root, std::vector<FoundTarget>& targets) {
  const auto file_of = [](const FoundTarget& target) { return fs::path(target.command).filename().string(); };
  std::set<std::string> files;
  for (const FoundTarget& target : targets) files.insert(file_of(target));
  const auto is_one = [&files](const std::string& name) { return files.contains(name); };
  std::map<std::string, std::vector<ScriptCall>> calls;
  for (ScriptCall& call : calls_in_scripts(root, is_one)) {
    calls[fs::path(call.program).filename().string()].push_back(std::move(call));
  }
  for (FoundTarget& target : targets) {
    for (const ScriptCall& call : calls[file_of(target)]) {
      if (!target.place.empty() && target.arguments.size() >= call.arguments.size()) continue;
      target.arguments = call.arguments;
      target.place = call.place;
    }
  }
}

bool names_a_benchmark(const std::string& file) {
  return lower_case(file).find("bench") != std::string::npos && fs::path(file).extension().empty();
}

// Rules of the Makefile whose target is named as a benchmark program is, and is a file.
std::vector<std::string> benchmark_rules(const fs::path& makefile) {
  std::vector<std::string> rules;
  std::set<std::string> phony;
  std::ifstream stream(makefile, std::ios::binary);
  for (std::string line; std::getline(stream, line) && rules.size() < kMaxRules;) {
    const std::size_t colon = line.find(':');
    const std::size_t equals = line.find('=');
    if (colon == std::string::npos || line.starts_with('\t')) continue;
    // An assignment: NAME = a:b, NAME := a, NAME ::= a, NAME :::= a.
    if (equals < colon || (equals != std::string::npos && equals == line.find_first_not_of(':', colon))) continue;
    std::istringstream names(line.starts_with(".PHONY") ? line.substr(colon + 1) : line.substr(0, colon));
    for (std::string name; names >> name;) {
      if (line.starts_with(".PHONY")) phony.insert(name);
      const bool is_plain = name.find_first_of("%$=#(){}*\\\"'") == std::string::npos;
      if (!line.starts_with(".") && is_plain && names_a_benchmark(fs::path(name).filename().string())) {
        rules.push_back(name);
      }
    }
  }
  std::erase_if(rules, [&phony](const std::string& rule) { return phony.contains(rule); });
  return rules;
}

// Of a project without CMake: what its Makefile makes, and what its scripts start.
Result<std::vector<FoundTarget>> targets_of_makefile(const Project& project) {
  std::vector<FoundTarget> found;
  const auto add = [&found](const std::string& rule, const std::string& path) {
    const std::string command = fs::path(path).lexically_normal().string();
    const auto is_same = [&command](const FoundTarget& other) { return other.command == command; };
    if (command.starts_with('/') || command.starts_with("..")) return;
    if (std::any_of(found.begin(), found.end(), is_same)) return;
    found.push_back({rule, fs::path(path).filename().string(), command, "", ""});
  };
  for (const std::string& rule : benchmark_rules(project.root / "Makefile")) add(rule, rule);
  for (const ScriptCall& call : calls_in_scripts(project.root, names_a_benchmark)) {
    if (call.program.find_first_of("$`\"'(){}*?") == std::string::npos) add("", call.program);
  }
  if (!found.empty()) return found;
  return input_error((project.root / "Makefile").string(),
                     "no rule that makes a benchmark program, and no script that starts one",
                     "one: my_bench: my_bench.cpp", "or write steelyard.toml by hand: docs/reference/configuration.md");
}

// What a script is called says little of what it does: only what was built is started.
bool is_built(const fs::path& file) {
  constexpr std::string_view kMagic =
      "\x7f"
      "ELF";
  std::string head(kMagic.size(), '\0');
  std::ifstream(file, std::ios::binary).read(head.data(), static_cast<std::streamsize>(head.size()));
  return head == kMagic;
}

// What a program has, or why it is no part of the file.
Result<std::size_t> try_program(const ConfiguredProgram& configured, const fs::path& root,
                                const std::atomic<bool>* cancelled) {
  STEELYARD_TRY(const bench::Program program, program_in_tree(configured, root, {}, false));
  if (!is_built(program.executable)) {
    return program_error(configured.command, "no program that was built", "one, which a script is not");
  }
  STEELYARD_TRY(const bench::ListedProgram listed, bench::list_benchmarks(program, {}, cancelled));
  if (listed.trouble) return *listed.trouble;
  if (listed.benchmarks().empty()) return program_error(configured.command, "no benchmarks", "at least one");
  bench::ChildCommand once;
  once.executable = program.executable;
  once.arguments = program.arguments;
  once.arguments.push_back("--benchmark_filter=" + bench::exact_filter({listed.benchmarks().front().name}));
  once.arguments.push_back("--benchmark_min_time=0");
  once.environment = bench::child_environment(program);
  once.working_directory = root;
  once.timeout = kRunTimeout;
  STEELYARD_TRY(const bench::ChildResult child, bench::run_child(once, cancelled));
  if (child.succeeded()) return listed.benchmarks().size();
  return program_error(configured.command, listed.benchmarks().front().name + ' ' + child.describe(),
                       "a benchmark that runs");
}

// What goes into the file.
struct KeptPrograms {
  std::vector<FoundTarget> targets;
  std::vector<ConfiguredProgram> programs;
  std::string told;
};

// Each as a script of the repository starts it, else without arguments.
Result<KeptPrograms> try_programs(const std::vector<FoundTarget>& targets, const fs::path& root, const App& app,
                                  const std::atomic<bool>* cancelled) {
  KeptPrograms kept;
  for (const FoundTarget& target : targets) {
    const bool has_blank = target.command.find(' ') != std::string::npos;
    const std::string alone = has_blank ? '\'' + target.command + '\'' : target.command;
    ConfiguredProgram program{target.name, alone};
    if (!target.arguments.empty()) program.command += ' ' + target.arguments;
    Result<std::size_t> benchmarks = try_program(program, root, cancelled);
    if (!benchmarks && !target.arguments.empty()) {
      app.note(target.place + ": its arguments are excluded: " + benchmarks.error().text());
      program.command = alone;
      benchmarks = try_program(program, root, cancelled);
    }
    if (!benchmarks) {
      app.warn("excluded: " + benchmarks.error().text());
      continue;
    }
    kept.targets.push_back(target);
    kept.programs.push_back(program);
    kept.told += "  " + program.command + ": " + plural_text(*benchmarks, "benchmark") +
                 (program.command == alone ? "" : ", as " + target.place + " runs it") + '\n';
  }
  if (!kept.programs.empty()) return kept;
  return program_error(root.string(), "no program that lists benchmarks and runs one", "at least one");
}

fs::path root_of_project() {
  const fs::path here = fs::current_path();
  const Result<GitRepository> repository = GitRepository::find(here);
  return repository ? repository->root() : here;
}

// In a repository whose ignored files do not have what CMake leaves.
bool git_would_take_build(const fs::path& root) {
  if (!GitRepository::find(root)) return false;
  const std::string left = std::string(kBuildFolder) + "/CMakeCache.txt";
  const Result<GitAnswer> ignored = run_git(root, {"check-ignore", "--quiet", "--", left});
  return ignored && !ignored->succeeded;
}

}  // namespace

Result<ExitCode> write_first_configuration(const App& app) {
  Project project{root_of_project()};
  const fs::path file = project.root / kConfigurationFile;
  std::error_code code;
  if (fs::exists(file, code)) {
    return input_error(file.string(), "is there already", "a project without one",
                       "look at it by: steelyard config show");
  }
  if (!fs::exists(project.root / "CMakeLists.txt", code)) {
    if (!fs::exists(project.root / "Makefile", code)) {
      return input_error(project.root.string(), "no CMakeLists.txt and no Makefile", "a project of CMake or make",
                         "write steelyard.toml by hand: docs/reference/configuration.md");
    }
    project.tool = BuildTool::make;
  }
  Cancellation cancellation;
  STEELYARD_TRY(std::vector<FoundTarget> targets, project.tool == BuildTool::make
                                                      ? targets_of_makefile(project)
                                                      : find_targets(project, app, cancellation.flag()));
  add_arguments(project.root, targets);
  Configuration written;
  written.build_command = project.build_command(targets);
  app.note(written.build_command);
  STEELYARD_CHECK(
      build({project.root, written.build_command, written.build_timeout, "the work tree"}, cancellation.flag()));
  STEELYARD_TRY(const KeptPrograms kept, try_programs(targets, project.root, app, cancellation.flag()));
  written.build_command = project.build_command(kept.targets);
  written.programs = kept.programs;
  // As it is called where nothing names it: what keeps results of another job wants it said.
  std::string text;
  if (const std::string name = project_name(written); name != kEveryProject) {
    text = "[project]\nname = " + quoted_for_toml(name) + "\n\n";
  }
  text += "[build]\ncommand = " + quoted_for_toml(written.build_command) + '\n';
  for (const ConfiguredProgram& program : written.programs) {
    text += "\n[[program]]\nname = " + quoted_for_toml(program.name) +
            "\ncommand = " + quoted_for_toml(program.command) + '\n';
  }
  STEELYARD_CHECK(parse_configuration(text, file.string()));
  STEELYARD_CHECK(write_text_file(file, text));
  if (project.tool == BuildTool::cmake && git_would_take_build(project.root)) {
    app.warn(
        std::string("build/ is not ignored by git: a commit would take what was built there, after which no gate's "
                    "build can configure; add a line build/ to .gitignore"));
  }
  app.print("wrote " + file.string() + "\n" + kept.told +
            "next: git add steelyard.toml, commit, and: steelyard gate\n");
  return ExitCode::success;
}

}  // namespace steelyard::ci
