#include "ci/verbs/profile_source.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

#include "bench/counting/count.hpp"
#include "bench/counting/net_profile.hpp"
#include "bench/counting/reader/callgrind_reader.hpp"
#include "bench/model/benchmark_id.hpp"
#include "bench/model/text.hpp"
#include "ci/app/settings.hpp"
#include "ci/app/sides.hpp"

namespace steelyard::ci {
namespace {

std::string names_of(const std::vector<CountedProfile>& profiles) {
  return some_joined(profiles, 10, ", ", ", and ",
                     [](const CountedProfile& profile) { return name_as_given(profile.benchmark.canonical()); });
}

// The one of that name, else those that have it as a part of theirs.
std::vector<CountedProfile> named(std::vector<CountedProfile> profiles, const std::string& benchmark) {
  const auto exact = std::find_if(profiles.begin(), profiles.end(), [&](const CountedProfile& profile) {
    return profile.benchmark.canonical() == benchmark;
  });
  if (exact != profiles.end()) {
    std::vector<CountedProfile> one;
    one.push_back(std::move(*exact));
    return one;
  }
  std::erase_if(profiles, [&](const CountedProfile& profile) {
    return profile.benchmark.canonical().find(benchmark) == std::string::npos;
  });
  return profiles;
}

// Of `callgrind.out*` the shell makes the empty file and those of its threads: then each stands for itself.
bool is_sibling_named(const std::string& file, const std::vector<std::string>& files) {
  const std::vector<bench::CallgrindFile> siblings = bench::find_callgrind_files(file);
  return std::any_of(siblings.begin(), siblings.end(), [&](const bench::CallgrindFile& sibling) {
    return std::find(files.begin(), files.end(), sibling.path.string()) != files.end();
  });
}

// The object that the command line names; empty: unknown. Of libraries nobody expects lines.
std::string program_of(const bench::CallgrindPart& part) {
  const std::string name(bench::file_name(part.command.substr(0, part.command.find(' '))));
  for (const ProfiledFunction& function : part.functions) {
    if (!name.empty() && bench::file_name(function.object) == name) return function.object;
  }
  return "";
}

}  // namespace

Result<ProfileSource> load_callgrind_files(const std::vector<std::string>& files,
                                           const bench::CallgrindReadOptions& options) {
  ProfileSource source;
  for (const std::string& file : files) {
    STEELYARD_TRY(std::vector<bench::CallgrindPart> parts, is_sibling_named(file, files)
                                                               ? bench::read_callgrind(file, options)
                                                               : bench::read_callgrind_program(file, options));
    source.parts.insert(source.parts.end(), std::make_move_iterator(parts.begin()),
                        std::make_move_iterator(parts.end()));
    source.name += (source.name.empty() ? "" : ", ") + std::filesystem::path(file).filename().string();
  }
  return source;
}

Result<void> find_lines(const std::vector<std::string>& files, ProfileSource& source) {
  auto written = std::filesystem::file_time_type::max();
  for (const std::string& file : files) {
    std::error_code failure;
    const auto time = std::filesystem::last_write_time(file, failure);
    if (!failure) written = std::min(written, time);
  }
  bench::OriginResolver resolver(written);
  for (const bench::CallgrindPart& part : source.parts) {
    STEELYARD_TRY(CountedProfile profile, bench::profile_of(part, &resolver));
    profile.benchmark.name = source.name;
    if (source.parts.size() > 1) profile.benchmark.name += " part " + std::to_string(part.part);
    if (!part.thread.empty()) profile.benchmark.name += " thread " + part.thread;
    const std::string program = program_of(part);
    if (!program.empty()) source.lines_unknown = resolver.why_unknown(program);
    source.profiles.push_back(std::move(profile));
  }
  source.parts.clear();
  return {};
}

Result<ProfileSource> load_run_profiles(const std::string& side, const std::string& benchmark, const App& app) {
  STEELYARD_TRY(const Configuration configuration, effective_configuration(app));
  STEELYARD_TRY(Run run, load_side(side, configuration, app));
  if (run.profiles.empty()) {
    const auto lack = run.header.settings.find(bench::kCountLackSetting);
    const bool is_lacking = lack != run.header.settings.end();
    return input_error(side, "no counted profile",
                       "a run that was counted" + std::string(is_lacking ? "" : " (--counts always)"),
                       (is_lacking ? "where it was measured " + lack->second + "; " : "") +
                           "a callgrind file is read by steelyard profile --read callgrind FILE");
  }
  ProfileSource source;
  source.name = side;
  if (const auto unknown = run.header.settings.find(bench::kCountLinesSetting); unknown != run.header.settings.end()) {
    source.lines_unknown = unknown->second;
  }
  source.has_shifted_lines = bench::has_shifted_lines(run);
  if (benchmark.empty()) {
    source.profiles = std::move(run.profiles);
    return source;
  }
  const std::string known = names_of(run.profiles);
  source.profiles = named(std::move(run.profiles), canonical_as_typed(benchmark));
  if (source.profiles.empty()) {
    return input_error("--benchmark", '"' + benchmark + "\", which has no profile in " + side, "one of " + known);
  }
  if (source.profiles.size() > 1) {
    return input_error("--benchmark", '"' + benchmark + "\", a part of several names",
                       "one of " + names_of(source.profiles));
  }
  return source;
}

Result<ProfileSource> load_against(const std::string& name, bool is_callgrind, const std::string& benchmark,
                                   const App& app) {
  const bool looks_like_a_run =
      name.starts_with("run:") || name.starts_with("commit:") || std::filesystem::path(name).extension() == ".syrun";
  if (is_callgrind && !looks_like_a_run) return load_callgrind_files({name});
  return load_run_profiles(name, benchmark, app);
}

}  // namespace steelyard::ci
