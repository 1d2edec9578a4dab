#include "ci/app/sides.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <system_error>

#include "bench/formats/google_benchmark.hpp"
#include "bench/formats/import_formats.hpp"
#include "bench/harness/measurement_archive.hpp"
#include "bench/harness/to_run.hpp"
#include "bench/model/number_text.hpp"
#include "bench/model/quantity.hpp"
#include "bench/model/text.hpp"
#include "ci/app/keeping.hpp"
#include "ci/app/settings.hpp"
#include "ci/git/repository.hpp"
#include "storage/archive/archive.hpp"
#include "storage/archive/measurement_file.hpp"
#include "storage/history_store.hpp"
#include "storage/run_store.hpp"

namespace steelyard::ci {
namespace {

constexpr std::string_view kRunPrefix = "run:";
constexpr std::string_view kCommitPrefix = "commit:";
constexpr std::string_view kAncestorPrefix = "ancestor:";

enum class SideKind { archive, google_benchmark, other_tool, stored_run, stored_commit, stored_ancestor };

// What is of no format that is known is left to the reader of Google Benchmark's files, which says what is wrong.
SideKind kind_of_results(const std::string& side) {
  const Result<const bench::ImportFormat*> format = bench::recognise_format(side);
  const bool is_other = format && (*format)->name != bench::import_formats().front().name;
  return is_other ? SideKind::other_tool : SideKind::google_benchmark;
}

Result<SideKind> kind_of(const std::string& side) {
  if (side.starts_with(kRunPrefix)) return SideKind::stored_run;
  if (side.starts_with(kCommitPrefix)) return SideKind::stored_commit;
  if (side.starts_with(kAncestorPrefix)) return SideKind::stored_ancestor;
  std::error_code code;
  if (std::filesystem::is_directory(side, code)) return kind_of_results(side);
  std::ifstream stream(side, std::ios::binary);
  if (!stream) {
    return input_error(side, unopened_text(errno),
                       "a .syrun archive, a file or folder of results that steelyard import takes, "
                       "run:ID or commit:SHA (or what git calls it, commit:HEAD)");
  }
  std::string start(bench::kArchiveBeginning.size(), '\0');
  stream.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<std::size_t>(stream.gcount()));
  // An archive whose first bytes are damaged is still called one, so that its reader says what is wrong.
  const bool named_archive = std::filesystem::path(side).extension() == ".syrun";
  return start == bench::kArchiveBeginning || named_archive ? SideKind::archive : kind_of_results(side);
}

// What git does not know, or knows as a commit that was not measured, may be the beginning of another repository's.
Result<std::vector<RunHeader>> headers_of_name(storage::Store& store, const std::string& name) {
  const std::string sha = commit_named_here(name);
  STEELYARD_TRY(std::vector<RunHeader> headers, storage::RunStore(store).of_commit(sha));
  if (!headers.empty() || sha == name) return headers;
  if (is_hex(name)) return storage::RunStore(store).of_commit(name);
  return input_error(std::string(kCommitPrefix) + name, "no run of " + shown_sha(sha) + ", which it means here",
                     "a commit that the store knows");
}

// The store as one command reads it.
struct StoreReader {
  storage::Store& store;
  const Configuration& configuration;
  const App& app;
};

// Newest first, of the project that is read. `side`: commit:NAME; none of any other.
Result<std::vector<RunHeader>> headers_of(const StoreReader& reader, const std::string& side) {
  if (!side.starts_with(kCommitPrefix)) return std::vector<RunHeader>{};
  STEELYARD_TRY(std::vector<RunHeader> headers, headers_of_name(reader.store, side.substr(kCommitPrefix.size())));
  if (headers.empty()) return input_error(side, "no run of this commit", "a commit that the store knows");
  std::vector<std::string> projects;
  for (const RunHeader& header : headers) {
    const bool is_told = std::find(projects.begin(), projects.end(), header.project) != projects.end();
    if (!is_told) projects.push_back(header.project);
  }
  STEELYARD_TRY(const std::string project, project_to_read(reader.configuration, projects, side + " in the store"));
  std::erase_if(headers, [&](const RunHeader& header) { return !project.empty() && header.project != project; });
  return headers;
}

constexpr std::size_t kMaxRunsLookedAt = 20;  // of one commit, the newest: each is read as a whole, with its samples
constexpr std::size_t kShownRunId = 12;

// A run that a side may mean, and what the choice goes by.
struct PossibleRun {
  Run run;
  std::set<std::string> benchmarks;
  std::string machine;
};
PossibleRun as_possible(Run run) {
  PossibleRun one{std::move(run), {}, {}};
  for (const Measurement& measurement : one.run.measurements) one.benchmarks.insert(measurement.benchmark.canonical());
  one.machine = one.run.environment.fingerprint();
  return one;
}

bool share_a_benchmark(const PossibleRun& a, const PossibleRun& b) {
  return std::any_of(a.benchmarks.begin(), a.benchmarks.end(),
                     [&](const std::string& benchmark) { return b.benchmarks.contains(benchmark); });
}

// Newest first; one where the side leaves no choice.
Result<std::vector<PossibleRun>> possible_runs(const StoreReader& reader, const std::string& side) {
  std::vector<PossibleRun> all;
  if (side.starts_with(kAncestorPrefix)) {
    return input_error(side, "no candidate whose ancestor it would be", "it as the baseline of a candidate",
                       "steelyard compare ancestor: CANDIDATE");
  }
  if (side.starts_with(kRunPrefix)) {
    STEELYARD_TRY(Run run, stored_run(reader.store, side.substr(kRunPrefix.size()), reader.app));
    all.push_back(as_possible(std::move(run)));
    return all;
  }
  STEELYARD_TRY(const std::vector<RunHeader> headers, headers_of(reader, side));
  for (std::size_t i = 0; i < std::min(headers.size(), kMaxRunsLookedAt); ++i) {
    STEELYARD_TRY(Run run, stored_run(reader.store, headers[i].id, reader.app));
    all.push_back(as_possible(std::move(run)));
  }
  return all;
}

// "run:1a2b3c4d5e6f (bench_sort, google-benchmark)"
std::string run_named(const RunHeader& header) {
  return std::string(kRunPrefix) + header.id.substr(0, kShownRunId) + " (" +
         (header.program.empty() ? "" : header.program + ", ") + header.tool + ')';
}

std::string runs_named(const std::vector<RunHeader>& all) {
  constexpr std::size_t kMaxRunsNamed = 10;
  return some_joined(all, kMaxRunsNamed, ", ", " and ", run_named);
}

std::vector<RunHeader> headers_in(const std::vector<PossibleRun>& all) {
  std::vector<RunHeader> headers;
  for (const PossibleRun& one : all) headers.push_back(one.run.header);
  return headers;
}

// What was chosen of several is said. are_all: the side has no others.
void say_choice(const std::string& side, std::vector<RunHeader> all, std::size_t chosen, bool are_all,
                std::vector<std::string>& warnings) {
  if (all.size() < 2) return;
  const std::string taken = run_named(all[chosen]);
  all.erase(all.begin() + static_cast<std::ptrdiff_t>(chosen));
  warnings.push_back(side + " has " + std::to_string(all.size() + 1) + (are_all ? "" : " or more") + " runs: " + taken +
                     " is taken, not " + runs_named(all));
}

// Of one suite: every two of them are joined by runs that share a benchmark each with the next.
bool are_one_suite(const std::vector<const PossibleRun*>& all) {
  std::vector<std::size_t> reached{0};
  for (std::size_t at = 0; at < reached.size(); ++at) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool is_waiting = std::find(reached.begin(), reached.end(), i) != reached.end();
      if (!is_waiting && share_a_benchmark(*all[reached[at]], *all[i])) reached.push_back(i);
    }
  }
  return reached.size() == all.size();
}

// Which run of each side is meant. Two that were measured together are; else, of those that share a benchmark with one
// of the other side, the newest on a machine of both. Error (input): they are of several suites, and nothing says
// which.
struct ChosenRuns {
  std::size_t baseline = 0;
  std::size_t candidate = 0;
};
Result<ChosenRuns> choose_runs(const std::string& baseline_side, const std::vector<PossibleRun>& baselines,
                               const std::string& candidate_side, const std::vector<PossibleRun>& candidates) {
  std::optional<ChosenRuns> together, on_one_machine, sharing;
  std::vector<const PossibleRun*> judged;  // candidates that have a baseline
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    bool shares = false;
    for (std::size_t b = 0; b < baselines.size(); ++b) {
      const RunHeader& base = baselines[b].run.header;
      const RunHeader& head = candidates[c].run.header;
      if (base.id == head.id && !base.id.empty()) continue;
      if (!together && !base.session.empty() && base.session == head.session) together = {b, c};
      if (!share_a_benchmark(baselines[b], candidates[c])) continue;
      shares = true;
      if (!sharing) sharing = {b, c};
      if (!on_one_machine && baselines[b].machine == candidates[c].machine) on_one_machine = {b, c};
    }
    if (shares) judged.push_back(&candidates[c]);
  }
  if (together) return *together;
  if (judged.empty() || are_one_suite(judged)) {
    return on_one_machine ? *on_one_machine : sharing.value_or(ChosenRuns());
  }
  const bool is_candidate = candidates.size() > 1;
  const std::string& side = is_candidate ? candidate_side : baseline_side;
  return input_error(side, "runs of several suites", "one run of each side",
                     "name each by its id; of " + baseline_side + ": " + runs_named(headers_in(baselines)) + "; of " +
                         candidate_side + ": " + runs_named(headers_in(candidates)));
}

// By itself: the newest of a commit's.
Result<Run> load_stored(const StoreReader& reader, const std::string& side, std::vector<std::string>& warnings) {
  if (side.starts_with(kCommitPrefix)) {
    STEELYARD_TRY(std::vector<RunHeader> headers, headers_of(reader, side));
    const std::string newest = headers.front().id;
    say_choice(side, std::move(headers), 0, true, warnings);
    return stored_run(reader.store, newest, reader.app);
  }
  STEELYARD_TRY(std::vector<PossibleRun> all, possible_runs(reader, side));
  return std::move(all.front().run);
}

bool is_stored(SideKind kind) {
  return kind == SideKind::stored_run || kind == SideKind::stored_commit || kind == SideKind::stored_ancestor;
}

Result<Run> load_file(const std::string& side, SideKind kind, std::vector<std::string>& warnings) {
  // It may come to be kept, or to be another's baseline: none passes for a run that it is not.
  if (kind == SideKind::archive) return storage::read_sealed_archive(side);
  if (kind == SideKind::google_benchmark) return bench::load_google_benchmark(side, warnings);
  return bench::load_one_imported(side, warnings);
}

Result<Run> load_ancestor(const StoreReader& reader, const std::string& branch, const Run& candidate,
                          std::vector<std::string>& warnings) {
  const std::string where = "ancestor:" + branch;
  if (candidate.header.commit.sha.empty()) {
    return input_error(where, "a candidate that names no commit", "one that does", "name the baseline itself");
  }
  storage::BaselineQuery query{candidate.header.project, candidate.environment.fingerprint(),
                               candidate.header.commit.sha, branch};
  query.only_branch = true;
  STEELYARD_TRY(const std::optional<storage::FoundBaseline> found,
                storage::HistoryStore(reader.store).latest_baseline(query));
  if (!found) {
    return input_error(where,
                       "no ancestor of " + shown_sha(candidate.header.commit.sha) + " that was measured on its machine",
                       "one in the store", "measure it, or name the baseline itself");
  }
  warnings.push_back("the baseline is of " + place_text(*found, candidate.header.commit));
  return stored_run(reader.store, found->run, reader.app);
}

}  // namespace

bool names_stored_run(const std::string& side) {
  return side.starts_with(kRunPrefix) || side.starts_with(kCommitPrefix);
}

std::string run_of(const std::string& commit) {
  return commit.empty() ? "a run without a commit" : "commit " + shown_sha(commit);
}

std::string place_text(const storage::FoundBaseline& found, const Commit& candidate) {
  const std::string who = run_of(found.commit);
  // Of a candidate that is not in the store it alone knows the parent.
  const bool is_parent = !found.commit.empty() && found.commit == candidate.parent;
  if (!found.is_ancestor && !is_parent) {
    return who + ", the newest older one on this machine; whether the candidate comes of it is not known";
  }
  const std::int64_t distance = found.is_ancestor ? found.distance : 1;
  return who + ", " + plural_text(distance, "commit") + " before the candidate";
}

Result<Run> load_side(const std::string& side, const Configuration& configuration, const App& app,
                      std::vector<std::string>& warnings) {
  STEELYARD_TRY(const SideKind kind, kind_of(side));
  if (!is_stored(kind)) return load_file(side, kind, warnings);
  STEELYARD_TRY(storage::Store store, open_store(configuration, app));
  return load_stored({store, configuration, app}, side, warnings);
}

Result<Run> load_side(const std::string& side, const Configuration& configuration, const App& app) {
  std::vector<std::string> warnings;
  STEELYARD_TRY(Run run, load_side(side, configuration, app, warnings));
  app.notes(warnings);
  return run;
}

Result<Sides> load_sides(const std::string& baseline, const std::string& candidate, const Configuration& configuration,
                         const App& app) {
  STEELYARD_TRY(const SideKind baseline_kind, kind_of(baseline));
  STEELYARD_TRY(const SideKind candidate_kind, kind_of(candidate));
  if (baseline_kind == SideKind::google_benchmark && candidate_kind == SideKind::google_benchmark) {
    STEELYARD_TRY(bench::LoadedPair pair, bench::load_google_benchmark_pair(baseline, candidate));
    return Sides{std::move(pair.baseline), std::move(pair.candidate), std::move(pair.warnings)};
  }
  Sides sides;
  const auto is_results = [](SideKind kind) {
    return kind == SideKind::google_benchmark || kind == SideKind::other_tool;
  };
  if (is_results(baseline_kind) && is_results(candidate_kind)) {
    STEELYARD_TRY(bench::ImportedPair pair, bench::load_imported_pair(baseline, candidate, sides.warnings));
    sides.baseline = std::move(pair.baseline);
    sides.candidate = std::move(pair.candidate);
    return sides;
  }
  std::optional<storage::Store> store;
  if (baseline_kind == SideKind::stored_ancestor) {
    STEELYARD_TRY(store, open_store(configuration, app));
    const StoreReader reader{*store, configuration, app};
    STEELYARD_TRY(sides.candidate, is_stored(candidate_kind) ? load_stored(reader, candidate, sides.warnings)
                                                             : load_file(candidate, candidate_kind, sides.warnings));
    STEELYARD_TRY(sides.baseline,
                  load_ancestor(reader, baseline.substr(kAncestorPrefix.size()), sides.candidate, sides.warnings));
    return sides;
  }
  if (is_stored(baseline_kind) || is_stored(candidate_kind)) {
    STEELYARD_TRY(store, open_store(configuration, app));
  }
  const auto load = [&](const std::string& side, SideKind kind) -> Result<std::vector<PossibleRun>> {
    if (is_stored(kind)) return possible_runs({*store, configuration, app}, side);
    STEELYARD_TRY(Run run, load_file(side, kind, sides.warnings));
    std::vector<PossibleRun> one;
    one.push_back(as_possible(std::move(run)));
    return one;
  };
  STEELYARD_TRY(std::vector<PossibleRun> baselines, load(baseline, baseline_kind));
  STEELYARD_TRY(std::vector<PossibleRun> candidates, load(candidate, candidate_kind));
  STEELYARD_TRY(const ChosenRuns chosen, choose_runs(baseline, baselines, candidate, candidates));
  const auto are_all = [](const std::vector<PossibleRun>& runs) { return runs.size() < kMaxRunsLookedAt; };
  say_choice(baseline, headers_in(baselines), chosen.baseline, are_all(baselines), sides.warnings);
  say_choice(candidate, headers_in(candidates), chosen.candidate, are_all(candidates), sides.warnings);
  sides.baseline = std::move(baselines[chosen.baseline].run);
  sides.candidate = std::move(candidates[chosen.candidate].run);
  return sides;
}

Result<storage::ArchivedHistory> history_of_archives(const std::filesystem::path& folder, storage::HistoryQuery query,
                                                     const Configuration& configuration, const App& app) {
  STEELYARD_TRY(query.project, project_to_read(configuration, {}, ""));
  ProgressLine progress = app.progress();
  Result<storage::ArchivedHistory> history = storage::read_archived_history(
      folder, query, [&progress](double done) { progress.show("archives", done, Nanoseconds()); });
  progress.clear();
  if (!history) return history;
  for (const Error& bad : history->bad) app.report(bad);
  STEELYARD_CHECK(project_to_read(configuration, history->projects, folder.string()));
  return history;
}

namespace {

constexpr std::size_t kOpening = 4096;  // bytes by which a file is recognised

std::string opening_of(const std::string& side) {
  std::error_code code;
  if (!std::filesystem::is_regular_file(side, code)) return "";
  std::ifstream stream(side, std::ios::binary);
  std::string bytes(kOpening, '\0');
  stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(stream.gcount()));
  return bytes;
}

bool is_measurement_archive(const std::string& side, const std::string& opening) {
  if (!opening.starts_with(bench::kArchiveBeginning)) return false;
  std::error_code code;
  const auto size = std::filesystem::file_size(side, code);
  if (code || size > static_cast<std::uintmax_t>(storage::ArchiveLimits{}.file_bytes)) return false;
  std::ifstream stream(side, std::ios::binary);
  return storage::holds_measurements(
      std::string((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>()));
}

}  // namespace

Result<std::optional<std::vector<TaskMeasurement>>> load_measurement_side(const std::string& side) {
  using Loaded = std::optional<std::vector<TaskMeasurement>>;
  const std::string opening = opening_of(side);
  if (opening.empty()) return Loaded();
  if (opens_like_measurements(opening)) {
    STEELYARD_TRY(std::vector<TaskMeasurement> measurements, read_measurements(side));
    return Loaded(std::move(measurements));
  }
  if (!is_measurement_archive(side, opening)) return Loaded();
  STEELYARD_TRY(std::vector<TaskMeasurement> measurements, storage::read_measurement_file(side));
  return Loaded(std::move(measurements));
}

JoinedMeasurements join_sides(std::vector<MeasurementSide> sides) {
  std::set<TaskSpec> seen;
  bool is_repeated = false;
  for (const MeasurementSide& side : sides) {
    std::set<TaskSpec> of_side;
    for (const TaskMeasurement& measurement : side.measurements) of_side.insert(measurement.task);
    for (const TaskSpec& task : of_side) is_repeated = !seen.insert(task).second || is_repeated;
  }
  JoinedMeasurements joined;
  if (is_repeated) joined.direction = TableDirection::rowwise;
  for (MeasurementSide& side : sides) {
    for (TaskMeasurement& measurement : side.measurements) {
      std::string& description = measurement.task.description;
      if (is_repeated) description = description.empty() ? side.name : description + " (" + side.name + ")";
      joined.measurements.push_back(std::move(measurement));
    }
  }
  return joined;
}

Result<Run> run_of_side(MeasurementSide side, const std::vector<Environment>& environments, bool any_machine) {
  const std::string machine = side.measurements.empty() ? "" : side.measurements.front().fingerprint;
  ToRunOptions options;
  const Environment* other = nullptr;  // of another machine
  for (const Environment& environment : environments) {
    const std::string fingerprint = environment.fingerprint();
    if (!machine.empty() && fingerprint == machine) options.environment = environment;
    if (!fingerprint.empty() && fingerprint != machine) other = &environment;
  }
  if (any_machine) {
    options.environment = {};
    for (TaskMeasurement& measurement : side.measurements) measurement.fingerprint.clear();
  } else if (!machine.empty() && options.environment.facts.empty() && other) {
    return input_error("steelyard compare --table",
                       side.name + " has times of machine " + machine + ", other sides are of " + other->fingerprint(),
                       "one machine", "--ignore-fact " + std::string(kFingerprintFact) + " ignores the difference");
  }
  Result<Run> run = to_run(side.measurements, options);
  if (run) return run;
  Error error = std::move(run).error();
  error.where = side.name + " beside runs: " + error.where;
  return error;
}

}  // namespace steelyard::ci
