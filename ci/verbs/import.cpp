// steelyard import: results of other tools into the store.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <list>
#include <memory>
#include <optional>

#include "bench/formats/google_benchmark_context.hpp"
#include "bench/formats/import_formats.hpp"
#include "bench/model/text.hpp"
#include "ci/app/keeping.hpp"
#include "ci/app/settings.hpp"
#include "ci/git/repository.hpp"
#include "ci/grammar/verb.hpp"
#include "ci/report/exports.hpp"
#include "storage/archive/archive.hpp"
#include "storage/place/files.hpp"
#include "storage/spool/spool.hpp"

namespace steelyard::ci {
namespace {

struct ImportOptions {
  std::string format;  // the name of one of import_formats(); empty: told by each file
  std::vector<std::string> paths;
  std::string commit;
  std::string branch;
  std::string date;
  std::filesystem::path output;  // .syrun; empty: none beside the spool's
  bool no_store = false;
  bool keep_readable = false;  // of damaged files
};

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const bench::ImportFormat& format : bench::import_formats()) names.emplace_back(format.name);
  return names;
}

struct NamedCommit {
  Commit commit;
  bool is_unknown = false;  // to git here
  bool is_head = false;
};

// What git knows of the commit where we stand in its repository. Which branch it lies on is known of HEAD alone: an
// older commit lies on others as well, and what is checked out need not be its own. Error (input): git does not know
// it here, and it is no full hash.
Result<NamedCommit> commit_named(const ImportOptions& options) {
  NamedCommit named;
  if (options.commit.empty()) return named;
  const Result<GitRepository> repository = GitRepository::find(std::filesystem::current_path());
  const Result<std::string> sha = repository ? repository->resolve(options.commit) : repository.error();
  if (!sha) {
    if (!is_full_commit_hash(options.commit)) {
      return input_error("--commit", options.commit + ", which no git repository here knows",
                         "a commit that git knows here, or a whole hash",
                         "name it by all digits of its hash, or import where its repository is");
    }
    named.commit.sha = options.commit;
    named.is_unknown = true;
    return named;
  }
  named.commit.sha = *sha;
  if (Result<Commit> described = repository->describe(*sha)) named.commit = std::move(described).value();
  const Result<std::string> head = repository->resolve("HEAD");
  named.is_head = head && *head == *sha;
  if (!named.is_head) named.commit.branch.clear();
  return named;
}

// What --date says; absent where it is not given.
Result<std::optional<std::int64_t>> date_given(const ImportOptions& options) {
  if (options.date.empty()) return std::optional<std::int64_t>();
  const std::optional<std::int64_t> time = bench::parse_timestamp(options.date);
  if (time && *time > 0) return time;
  return input_error("--date", '"' + options.date + '"', "a time from 1970 to 2261", "write 2026-11-21T08:51:57Z");
}

// A run without a date would stand before every other for ever.
DateFrom date_run(RunHeader& run, const std::optional<std::int64_t>& given) {
  constexpr std::int64_t kNanosecondsASecond = 1'000'000'000;
  if (given) {
    run.created_at_unix_ns = *given;
    return DateFrom::option;
  }
  if (run.created_at_unix_ns > 0) return DateFrom::file;
  const std::int64_t committed = run.commit.committed_at_unix_s;
  if (committed <= 0 || committed > INT64_MAX / kNanosecondsASecond) return DateFrom::nobody;
  run.created_at_unix_ns = committed * kNanosecondsASecond;
  return DateFrom::commit;
}

// Null: told by each file.
Result<const bench::ImportFormat*> named_format(const ImportOptions& options) {
  if (options.format.empty()) return static_cast<const bench::ImportFormat*>(nullptr);
  STEELYARD_TRY(const std::size_t index, read_word(WrittenValue{options.format, true}, "--format", format_names()));
  return &bench::import_formats()[index];
}

void print_imports(const ImportOutcome& imported, const App& app) {
  if (app.common.json) {
    app.print(json_imports(imported));
  } else {
    for (const TakenRun& run : imported.runs) {
      app.print(terminal_import(run, imported));
      for (const std::string& warning : run.warnings) app.note("  " + warning);
    }
  }
  for (const std::string& warning : import_warnings(imported)) app.warn(warning);
}

// Of one file, or of all files of a command: what was read, and what of it is to be kept. One run is at hand, and those
// before it wait as drafts, so that a history of any length takes the memory of one of its runs.
struct Imports {
  std::vector<TakenRun> taken;
  std::list<Run> at_hand;
  std::vector<storage::SpoolDraft> drafts;
  std::vector<RunHeader> drafted;

  void add(Imports other) {
    std::move(other.taken.begin(), other.taken.end(), std::back_inserter(taken));
    at_hand.splice(at_hand.end(), other.at_hand);
    std::move(other.drafts.begin(), other.drafts.end(), std::back_inserter(drafts));
    std::move(other.drafted.begin(), other.drafted.end(), std::back_inserter(drafted));
  }
};

// Whether its archive is read back within the memory that is usually allowed for that: a larger run stays at hand.
bool is_small(const Run& run) {
  constexpr std::size_t kMaxDraftedSamples = 4'000'000;
  constexpr std::size_t kMaxDraftedMeasurements = 250'000;
  if (run.measurements.size() > kMaxDraftedMeasurements) return false;
  std::size_t samples = 0;
  for (const Measurement& measurement : run.measurements) {
    for (const InvocationSamples& one : measurement.invocations) samples += one.values.size();
  }
  return samples <= kMaxDraftedSamples;
}

// What came last need not be held any longer. Where there is no place for a draft it is: what is wrong there is told
// when the run is to be kept.
void draft_last(Imports& imports, storage::Spool& spool) {
  if (imports.at_hand.empty() || !is_small(imports.at_hand.back())) return;
  Result<storage::SpoolDraft> draft = spool.draft(imports.at_hand.back());
  if (!draft) return;
  imports.drafts.push_back(std::move(draft).value());
  imports.drafted.push_back(imports.at_hand.back().header);
  imports.at_hand.pop_back();
}

TakenRun taken_run(const std::string& path, const bench::ImportFormat& format, const Run& run) {
  const auto count_of = [&run](auto is_it) {
    return static_cast<std::size_t>(
        std::count_if(run.failures.begin(), run.failures.end(), [&](const Failure& one) { return is_it(one.kind); }));
  };
  return {path,
          format.name,
          run.header,
          run.measurements.size(),
          run.failures.size(),
          count_of([](FailureKind kind) { return is_skip(kind); }),
          count_of([](FailureKind kind) { return kind == FailureKind::bad_record; })};
}

// What options and the place say of each run.
struct RunFacts {
  std::string project;
  NamedCommit commit;
  std::optional<std::int64_t> date;
};

// A commit or date that the file itself names stands where no option names another. Of several runs none fits one
// archive, one commit or one date: they are counted, and no more than the first is held.
Result<Imports> load(const std::string& path, const ImportOptions& options, const RunFacts& facts,
                     storage::Spool& spool) {
  STEELYARD_TRY(const bench::ImportFormat* format, named_format(options));
  if (format == nullptr) {
    STEELYARD_TRY(format, bench::recognise_format(path));
  }
  const bool wants_one = !options.output.empty() || !options.commit.empty() || facts.date;
  Imports imports;
  const auto take = [&](Run&& run) -> Result<void> {
    // Nothing of the moment goes in: the same file for the same commit is the same run, whenever it is imported.
    run.header.project = facts.project;
    if (!options.commit.empty()) run.header.commit = facts.commit.commit;
    if (!options.branch.empty()) run.header.commit.branch = options.branch;
    const DateFrom date = date_run(run.header, facts.date);
    storage::seal(run);
    imports.taken.push_back(taken_run(path, *format, run));
    imports.taken.back().date = date;
    if (wants_one && imports.taken.size() > 1) return {};
    draft_last(imports, spool);
    imports.at_hand.push_back(std::move(run));
    return {};
  };
  bench::ImportReading reading{.keeps_readable = options.keep_readable};
  STEELYARD_CHECK(bench::take_imported(*format, path, reading, take));
  if (imports.taken.size() > 1 && (!options.commit.empty() || facts.date)) {
    const bool is_commit = !options.commit.empty();
    return input_error(is_commit ? "--commit" : "--date",
                       std::string(is_commit ? "one commit" : "one date") + " for the " +
                           std::to_string(imports.taken.size()) + " runs of " + path,
                       "a file of one run", "leave it out: the history names its commits and their dates");
  }
  std::stable_sort(imports.taken.begin(), imports.taken.end(), [](const TakenRun& one, const TakenRun& other) {
    return one.header.created_at_unix_ns < other.header.created_at_unix_ns;
  });
  if (!imports.taken.empty()) imports.taken.front().warnings = std::move(reading.warnings);
  return imports;
}

// Into the spool, for the store.
ExitCode keep_all(Imports& imports, storage::Spool& spool, const Configuration& configuration, const App& app) {
  ExitCode code = ExitCode::success;
  for (storage::SpoolDraft& draft : imports.drafts) {
    const Result<void> kept = spool.keep(std::move(draft));
    if (!kept) code = worse(code, (app.report(kept.error()), ExitCode::store_away));
  }
  for (const Run& run : imports.at_hand) keep_in_spool(configuration, {&run}, app);
  return code;
}

Result<ExitCode> run_import(const ImportOptions& options, const App& app) {
  STEELYARD_CHECK(named_format(options));
  STEELYARD_TRY(const Configuration configuration, effective_configuration(app));
  if (!options.no_store) {
    STEELYARD_CHECK(store_address(configuration));
    STEELYARD_CHECK(check_project_to_write(configuration));
  } else if (options.output.empty()) {
    return input_error("--no-store", "no --output beside it", "a file for what is imported", "--output RUN.syrun");
  }
  STEELYARD_TRY(NamedCommit commit, commit_named(options));
  STEELYARD_TRY(const std::optional<std::int64_t> date, date_given(options));
  const RunFacts facts{project_name(configuration), std::move(commit), date};
  storage::Spool spool = spool_for(configuration);
  Imports imports;
  ExitCode code = ExitCode::success;
  // A bad file costs itself, not those beside it.
  for (const std::string& path : options.paths) {
    if (!options.no_store && options.output.empty()) draft_last(imports, spool);
    Result<Imports> of_file = load(path, options, facts, spool);
    if (!of_file) {
      code = worse(code, app.report(of_file.error()));
      continue;
    }
    // Said even where quiet is asked for, since a gate will not pass with them.
    for (const TakenRun& run : of_file->taken) {
      if (const std::string text = bad_records_text(run); !text.empty()) app.warn(text);
    }
    imports.add(std::move(of_file).value());
  }
  if (!options.output.empty() && imports.taken.size() > 1) {
    return input_error("--output", std::to_string(imports.taken.size()) + " runs", "one run, which an archive holds",
                       options.paths.size() > 1 ? "import into the store, or one file at a time"
                                                : "a history goes into the store: leave out --output and --no-store");
  }
  if (!options.no_store) code = worse(code, keep_all(imports, spool, configuration, app));
  if (!options.output.empty() && !imports.at_hand.empty()) {
    const Result<void> written =
        storage::write_named_archive(options.output, imports.at_hand.front(), LinkInPlace::replaced);
    if (!written) code = worse(code, app.report(written.error()));
  }
  NewRuns are_new;
  if (!imports.taken.empty() && !options.no_store) {
    std::vector<const Run*> at_hand;
    for (const Run& run : imports.at_hand) at_hand.push_back(&run);
    code = worse(code, deliver_to_store(configuration, nullptr, app, at_hand, imports.drafted, &are_new));
  }
  for (TakenRun& run : imports.taken) {
    if (const auto told = are_new.find(run.header.id); told != are_new.end()) run.is_new = told->second;
  }
  const NamedCommit& named = facts.commit;
  const bool is_older = !options.commit.empty() && !named.is_unknown && !named.is_head;
  print_imports({std::move(imports.taken), !options.no_store, named.is_unknown, is_older && options.branch.empty()},
                app);
  return code;
}

}  // namespace

Verb import_verb() {
  const auto options = std::make_shared<ImportOptions>();
  const std::string formats = joined_text(format_names(), ", ");
  Verb verb = make_verb(options, run_import, "import",
                        "Brings results of other tools into the store, of each file in the format that its content "
                        "shows: " +
                            formats +
                            ". A folder has a file for each process. Importing the same twice is importing "
                            "it once.",
                        "  steelyard import results.json --commit HEAD --branch main\n"
                        "  steelyard import bench.txt --format go --no-store --output today.syrun");
  verb.names = {"FILE|FOLDER..."};
  verb.min_names = 1;
  verb.take = [options](Words words) -> Result<void> {
    // As before there was an option: import google-benchmark FILE.
    const std::vector<std::string> known = format_names();
    std::error_code code;
    const bool names_format = words.names.size() > 1 && options->format.empty() &&
                              std::find(known.begin(), known.end(), words.names[0]) != known.end() &&
                              !std::filesystem::exists(words.names[0], code);
    if (names_format) {
      options->format = words.names[0];
      words.names.erase(words.names.begin());
    }
    options->paths = std::move(words.names);
    return {};
  };
  verb.add(text_option("--format", "FORMAT", options->format, "of all files, whatever they look like"));
  verb.add(text_option("--commit", "COMMIT", options->commit,
                       "that was measured: what git calls it here, or a whole hash; else the one that the file names"));
  verb.add(text_option("--branch", "NAME", options->branch,
                       "that the commit lies on; else the one that is checked out where --commit is its HEAD, or the "
                       "one that the file names"));
  verb.add(text_option("--date", "TIME", options->date,
                       "of the measurement, 2026-11-21T08:51:57Z; else the file's own, or where it has none the "
                       "commit's"));
  verb.add(output_option("--output", "FILE.syrun", options->output, "write the archive of the one run there as well"));
  verb.add(flag_option("--keep-readable", options->keep_readable,
                       "of a file that is cut or damaged what can be read, with a failure that says where it ends; "
                       "else nothing of it is kept"));
  verb.add(flag_option("--no-store", options->no_store, "keep nothing but --output"));
  add_key_options(verb, {{"store", "project"}});
  add_common_options(verb);
  return verb;
}

}  // namespace steelyard::ci
