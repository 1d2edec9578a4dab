// steelyard import: results of other tools into the store.
#include <algorithm>
#include <filesystem>
#include <list>
#include <memory>
#include <ostream>

#include "bench/formats/import_formats.hpp"
#include "ci/app/keeping.hpp"
#include "ci/app/settings.hpp"
#include "ci/git/repository.hpp"
#include "ci/grammar/verb.hpp"
#include "storage/archive/archive.hpp"

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
  std::string run;  // id
  std::size_t measurements = 0;
  std::size_t failures = 0;
  std::size_t skips = 0;  // of them
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

// A commit that the file itself names stands where no option names another.
Result<std::vector<Run>> load(const std::string& path, const bench::ImportFormat& format, const ImportOptions& options,
                              const std::string& project, std::vector<std::string>& warnings) {
  bench::ImportReading reading{.keeps_readable = options.keep_readable};
  STEELYARD_TRY(std::vector<Run> runs, bench::load_imported(format, path, reading));
  warnings = std::move(reading.warnings);
  if (runs.size() > 1 && !options.commit.empty()) {
    return input_error("--commit", "one commit for the " + std::to_string(runs.size()) + " runs of " + path,
                       "a file of one run", "leave it out: the history names its commits");
  }
  STEELYARD_TRY(const Commit commit, commit_named(options));
  for (Run& run : runs) {
    // Nothing of the moment goes in: the same file for the same commit is the same run, whenever it is imported.
    run.header.project = project;
    if (!options.commit.empty()) run.header.commit = commit;
    if (!options.branch.empty()) run.header.commit.branch = options.branch;
    storage::seal(run);
  }
  return runs;
}

// What is spoilt is in the archive as failures; said even where quiet is asked for, since a gate will not pass it.
void print_bad_records(const std::string& path, const Run& run, const App& app) {
  const auto count = std::count_if(run.failures.begin(), run.failures.end(),
                                   [](const Failure& failure) { return failure.kind == FailureKind::bad_record; });
  if (count == 0) return;
  app.warn(path + ": " + std::to_string(count) + (count == 1 ? " bad record" : " bad records") +
           " kept as failed; a gate does not pass with " + (count == 1 ? "it" : "them"));
}

std::string json_imports(const std::vector<TakenRun>& runs) {
  std::string text = "{\n  \"schema\": \"steelyard.import/1\",\n  \"runs\": [";
  for (const TakenRun& run : runs) {
    text += (&run == runs.data() ? "\n    {\"path\": " : ",\n    {\"path\": ") + quoted_for_toml(run.path) +
            ", \"format\": " + quoted_for_toml(run.format) + ", \"run\": " + quoted_for_toml(run.run) +
            ", \"measurements\": " + std::to_string(run.measurements) +
            ", \"failures\": " + std::to_string(run.failures) + ", \"skipped\": " + std::to_string(run.skips) +
            ", \"warnings\": " + to_text(WrittenValue{run.warnings, false}) + '}';
  }
  return text + "]\n}\n";
}

void print_imports(const std::vector<TakenRun>& imported, const App& app) {
  if (app.common.json) return app.print(json_imports(imported));
  for (const TakenRun& run : imported) {
    app.print("run:" + run.run.substr(0, 12) + "  " + run.path + ": " + std::to_string(run.measurements) +
              " measurements" +
              (run.failures > run.skips ? ", " + std::to_string(run.failures - run.skips) + " failed" : "") +
              (run.skips > 0 ? ", " + std::to_string(run.skips) + " skipped" : "") + '\n');
    for (const std::string& warning : run.warnings) app.note("  " + warning);
  }
}

// Of one import command: what was read, and how that went.
struct Imports {
  ExitCode code = ExitCode::success;
  std::vector<TakenRun> taken;
  std::list<Run> runs;
};

void take_file(const std::string& path, const ImportOptions& options, const std::string& project, const App& app,
               Imports& imports) {
  const auto load_file = [&](std::vector<std::string>& warnings, std::string_view& name) -> Result<std::vector<Run>> {
    STEELYARD_TRY(const bench::ImportFormat* format, named_format(options));
    if (format == nullptr) {
      STEELYARD_TRY(format, bench::recognise_format(path));
    }
    name = format->name;
    return load(path, *format, options, project, warnings);
  };
  std::vector<std::string> warnings;
  std::string_view format;
  Result<std::vector<Run>> runs = load_file(warnings, format);
  if (!runs) {
    imports.code = worse(imports.code, app.report(runs.error()));
    return;
  }
  for (Run& run : *runs) {
    print_bad_records(path, run, app);
    const auto skips = std::count_if(run.failures.begin(), run.failures.end(),
                                     [](const Failure& failure) { return is_skip(failure.kind); });
    imports.taken.push_back({path, format, run.header.id, run.measurements.size(), run.failures.size(),
                             static_cast<std::size_t>(skips), std::exchange(warnings, {})});
    imports.runs.push_back(std::move(run));
  }
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
  Imports imports;
  // A bad file costs itself, not those beside it.
  for (const std::string& path : options.paths) {
    take_file(path, options, project_name(configuration), app, imports);
  }
  if (!options.output.empty() && imports.runs.size() > 1) {
    return input_error("--output", std::to_string(imports.runs.size()) + " runs", "one run, which an archive holds",
                       "import into the store, or one file at a time");
  }
  if (!options.no_store) {
    for (const Run& run : imports.runs) imports.code = worse(imports.code, keep_in_spool({&run}, app));
  }
  if (!options.output.empty() && !imports.runs.empty()) {
    const Result<void> written = storage::write_archive(options.output, imports.runs.front());
    if (!written) imports.code = worse(imports.code, app.report(written.error()));
  }
  print_imports(imports.taken, app);
  if (imports.runs.empty() || options.no_store) return imports.code;
  std::vector<const Run*> kept;
  for (const Run& run : imports.runs) kept.push_back(&run);
  return worse(imports.code, deliver_to_store(configuration, nullptr, app, kept));
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
  verb.add(path_option("--output", "FILE.syrun", options->output, "write the archive of the one run there as well"));
  verb.add(flag_option("--keep-readable", options->keep_readable,
                       "of a file that is cut or damaged what can be read, with a failure that says where it ends; "
                       "else nothing of it is kept"));
  verb.add(flag_option("--no-store", options->no_store, "keep nothing but --output"));
  add_key_options(verb, {{"store", "project"}});
  add_common_options(verb);
  return verb;
}

}  // namespace steelyard::ci
