#include "ci/app/sides.hpp"

#include <algorithm>
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
#include "bench/model/quantity.hpp"
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
constexpr std::string_view kArchiveMagic = "SYRUN";  // the first bytes of every .syrun

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
    return input_error(side, "no such file",
                       "a .syrun archive, a file or folder of results that steelyard import takes, "
                       "run:ID or commit:SHA (or what git calls it, commit:HEAD)");
  }
  std::string start(kArchiveMagic.size(), '\0');
  stream.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<std::size_t>(stream.gcount()));
  // An archive whose first bytes are damaged is still called one, so that its reader says what is wrong.
  const bool named_archive = std::filesystem::path(side).extension() == ".syrun";
  return start == kArchiveMagic || named_archive ? SideKind::archive : kind_of_results(side);
}

// Of the newest runs of both commits, the pair that was measured together is worth more than two newer strangers.
std::string best_run(const std::vector<RunHeader>& runs, const std::vector<RunHeader>& others) {
  for (const RunHeader& run : runs) {
    for (const RunHeader& other : others) {
      if (!run.session.empty() && run.session == other.session && run.id != other.id) return run.id;
    }
  }
  return runs.front().id;
}

// What git does not know, or knows as a commit that was not measured, may be the beginning of another repository's.
Result<std::vector<RunHeader>> headers_of_name(storage::Store& store, const std::string& name) {
  const std::string sha = commit_named_here(name);
  STEELYARD_TRY(std::vector<RunHeader> headers, storage::RunStore(store).of_commit(sha));
  const bool is_hash = name.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!headers.empty() || sha == name) return headers;
  if (is_hash) return storage::RunStore(store).of_commit(name);
  return input_error(std::string(kCommitPrefix) + name, "no run of " + sha.substr(0, 12) + ", which it means here",
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

Result<Run> load_stored(const StoreReader& reader, const std::string& side, const std::vector<RunHeader>& others) {
  if (side.starts_with(kAncestorPrefix)) {
    return input_error(side, "no candidate whose ancestor it would be", "it as the baseline of a candidate",
                       "steelyard compare ancestor: CANDIDATE");
  }
  if (side.starts_with(kRunPrefix)) return stored_run(reader.store, side.substr(kRunPrefix.size()), reader.app);
  STEELYARD_TRY(const std::vector<RunHeader> headers, headers_of(reader, side));
  return stored_run(reader.store, best_run(headers, others), reader.app);
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
    return input_error(
        where, "no ancestor of " + candidate.header.commit.sha.substr(0, 9) + " that was measured on its machine",
        "one in the store", "measure it, or name the baseline itself");
  }
  warnings.push_back("the baseline is of " + place_text(*found));
  return stored_run(reader.store, found->run, reader.app);
}

}  // namespace

bool names_stored_run(const std::string& side) {
  return side.starts_with(kRunPrefix) || side.starts_with(kCommitPrefix);
}

std::string run_of(const std::string& commit) {
  return commit.empty() ? "a run without a commit" : "commit " + commit.substr(0, 7);
}

std::string place_text(const storage::FoundBaseline& found) {
  const std::string who = run_of(found.commit);
  if (!found.is_ancestor) {
    return who +
           ", the newest older one on this machine; of the candidate's ancestors none is known to be measured on it";
  }
  return who + ", " + std::to_string(found.distance) + " commit" + (found.distance == 1 ? "" : "s") +
         " before the candidate";
}

Result<Run> load_side(const std::string& side, const Configuration& configuration, const App& app,
                      std::vector<std::string>& warnings) {
  STEELYARD_TRY(const SideKind kind, kind_of(side));
  if (!is_stored(kind)) return load_file(side, kind, warnings);
  STEELYARD_TRY(storage::Store store, open_store(configuration, app));
  return load_stored({store, configuration, app}, side, {});
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
    STEELYARD_TRY(sides.candidate, is_stored(candidate_kind) ? load_stored(reader, candidate, {})
                                                             : load_file(candidate, candidate_kind, sides.warnings));
    STEELYARD_TRY(sides.baseline,
                  load_ancestor(reader, baseline.substr(kAncestorPrefix.size()), sides.candidate, sides.warnings));
    return sides;
  }
  if (is_stored(baseline_kind) || is_stored(candidate_kind)) {
    STEELYARD_TRY(store, open_store(configuration, app));
  }
  const auto load = [&](const std::string& side, SideKind kind, const std::string& other) -> Result<Run> {
    if (!is_stored(kind)) return load_file(side, kind, sides.warnings);
    const StoreReader reader{*store, configuration, app};
    STEELYARD_TRY(const std::vector<RunHeader> others, headers_of(reader, other));
    return load_stored(reader, side, others);
  };
  STEELYARD_TRY(sides.baseline, load(baseline, baseline_kind, candidate));
  STEELYARD_TRY(sides.candidate, load(candidate, candidate_kind, baseline));
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
  if (!opening.starts_with("SYRUN")) return false;
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
