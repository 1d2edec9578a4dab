// steelyard import: results of other tools into the store.
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <list>
#include <memory>
#include <ostream>

#include "bench/formats/import_formats.hpp"
#include "bench/model/number_text.hpp"
#include "ci/app/keeping.hpp"
#include "ci/app/settings.hpp"
#include "ci/git/repository.hpp"
#include "ci/grammar/verb.hpp"
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
  std::filesystem::path output;  // .syrun; empty: none beside the spool's
  bool no_store = false;
  bool keep_readable = false;  // of damaged files
};

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const bench::ImportFormat& format : bench::import_formats()) names.emplace_back(format.name);
  return names;
}

struct TakenRun {
  std::string path;
  std::string_view format;
  RunHeader header;
  std::size_t measurements = 0;
  std::size_t failures = 0;
  std::size_t skips = 0;        // of them
  std::size_t bad_records = 0;  // of them
  std::vector<std::string> warnings;
};

// "HEAD", "main~3": which commit that is only a repository says, and tomorrow it says another one.
bool is_relative(std::string_view name) {
  return name.starts_with("HEAD") || name.starts_with('@') || name.find_first_of("~^") != std::string_view::npos;
}

// What git knows of the commit where we stand in its repository; elsewhere the name is taken as it is. Error (input):
// it is none by itself.
Result<Commit> commit_named(const ImportOptions& options) {
  Commit commit;
  commit.sha = options.commit;
  if (!options.commit.empty()) {
    const Result<GitRepository> repository = GitRepository::find(std::filesystem::current_path());
    const Result<std::string> sha = repository ? repository->resolve(options.commit) : repository.error();
    if (sha) {
      if (Result<Commit> described = repository->describe(*sha)) commit = std::move(described).value();
    } else if (is_relative(options.commit)) {
      return input_error("--commit", options.commit + ", which no git repository here knows",
                         "the hash of the commit that was measured",
                         "name it by its hash, or import where its repository is");
    }
  }
  if (!options.branch.empty()) commit.branch = options.branch;
  return commit;
}

// Null: told by each file.
Result<const bench::ImportFormat*> named_format(const ImportOptions& options) {
  if (options.format.empty()) return static_cast<const bench::ImportFormat*>(nullptr);
  STEELYARD_TRY(const std::size_t index, read_word(WrittenValue{options.format, true}, "--format", format_names()));
  return &bench::import_formats()[index];
}

// What is spoilt is in the archive as failures; said even where quiet is asked for, since a gate will not pass it.
void print_bad_records(const TakenRun& run, const App& app) {
  if (run.bad_records == 0) return;
  app.warn(run.path + ": " + std::to_string(run.bad_records) + (run.bad_records == 1 ? " bad record" : " bad records") +
           " kept as failed; a gate does not pass with " + (run.bad_records == 1 ? "it" : "them"));
}

std::string json_imports(const std::vector<TakenRun>& runs) {
  std::string text = "{\n  \"schema\": \"steelyard.import/1\",\n  \"runs\": [";
  for (const TakenRun& run : runs) {
    text += (&run == runs.data() ? "\n    {\"path\": " : ",\n    {\"path\": ") + quoted_for_toml(run.path) +
            ", \"format\": " + quoted_for_toml(run.format) + ", \"run\": " + quoted_for_toml(run.header.id) +
            ", \"measurements\": " + std::to_string(run.measurements) +
            ", \"failures\": " + std::to_string(run.failures) + ", \"skipped\": " + std::to_string(run.skips) +
            ", \"warnings\": " + to_text(WrittenValue{run.warnings, false}) + '}';
  }
  return text + "]\n}\n";
}

void print_imports(const std::vector<TakenRun>& imported, const App& app) {
  if (app.common.json) return app.print(json_imports(imported));
  for (const TakenRun& run : imported) {
    app.print("run:" + run.header.id.substr(0, 12) + "  " + run.path + ": " +
              plural_text(static_cast<std::int64_t>(run.measurements), "measurement") +
              (run.failures > run.skips ? ", " + std::to_string(run.failures - run.skips) + " failed" : "") +
              (run.skips > 0 ? ", " + std::to_string(run.skips) + " skipped" : "") + '\n');
    for (const std::string& warning : run.warnings) app.note("  " + warning);
  }
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
          count_of([](FailureKind kind) { return kind == FailureKind::bad_record; }),
          {}};
}

// A commit that the file itself names stands where no option names another. Of several runs none fits one archive or
// one commit: they are counted, and no more than the first is held.
Result<Imports> load(const std::string& path, const ImportOptions& options, const std::string& project,
                     storage::Spool& spool) {
  STEELYARD_TRY(const bench::ImportFormat* format, named_format(options));
  if (format == nullptr) {
    STEELYARD_TRY(format, bench::recognise_format(path));
  }
  STEELYARD_TRY(const Commit commit, commit_named(options));
  const bool wants_one = !options.output.empty() || !options.commit.empty();
  Imports imports;
  const auto take = [&](Run&& run) -> Result<void> {
    // Nothing of the moment goes in: the same file for the same commit is the same run, whenever it is imported.
    run.header.project = project;
    if (!options.commit.empty()) run.header.commit = commit;
    if (!options.branch.empty()) run.header.commit.branch = options.branch;
    storage::seal(run);
    imports.taken.push_back(taken_run(path, *format, run));
    if (wants_one && imports.taken.size() > 1) return {};
    draft_last(imports, spool);
    imports.at_hand.push_back(std::move(run));
    return {};
  };
  bench::ImportReading reading{.keeps_readable = options.keep_readable};
  STEELYARD_CHECK(bench::take_imported(*format, path, reading, take));
  if (imports.taken.size() > 1 && !options.commit.empty()) {
    return input_error("--commit", "one commit for the " + std::to_string(imports.taken.size()) + " runs of " + path,
                       "a file of one run", "leave it out: the history names its commits");
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
  for (const Run& run : imports.at_hand) code = worse(code, keep_in_spool(configuration, {&run}, app));
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
  storage::Spool spool = spool_for(configuration);
  Imports imports;
  ExitCode code = ExitCode::success;
  // A bad file costs itself, not those beside it.
  for (const std::string& path : options.paths) {
    if (!options.no_store && options.output.empty()) draft_last(imports, spool);
    Result<Imports> of_file = load(path, options, project_name(configuration), spool);
    if (!of_file) {
      code = worse(code, app.report(of_file.error()));
      continue;
    }
    for (const TakenRun& run : of_file->taken) print_bad_records(run, app);
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
  print_imports(imports.taken, app);
  if (imports.taken.empty() || options.no_store) return code;
  std::vector<const Run*> at_hand;
  for (const Run& run : imports.at_hand) at_hand.push_back(&run);
  return worse(code, deliver_to_store(configuration, nullptr, app, at_hand, imports.drafted));
}

}  // namespace

Verb import_verb() {
  const auto options = std::make_shared<ImportOptions>();
  std::string formats;
  for (const std::string& name : format_names()) formats += (formats.empty() ? "" : ", ") + name;
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
                       "that was measured: a hash, or what git calls it here; else the one that the file names"));
  verb.add(text_option("--branch", "NAME", options->branch, "that the commit lies on"));
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
