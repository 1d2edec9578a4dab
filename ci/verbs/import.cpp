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
};

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const bench::ImportFormat& format : bench::import_formats()) names.emplace_back(format.name);
  return names;
}

// The first word is a format where it names one, or where it is no file and others follow.
ImportOptions told_apart(ImportOptions options, std::vector<std::string> words) {
  const std::vector<std::string> formats = format_names();
  std::error_code code;
  const bool is_format = std::find(formats.begin(), formats.end(), words[0]) != formats.end();
  if (is_format || (words.size() > 1 && !std::filesystem::exists(words[0], code))) {
    options.format = words[0];
    words.erase(words.begin());
  }
  options.paths = std::move(words);
  return options;
}

struct ImportedRun {
  std::string path;
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
  STEELYARD_TRY(const std::size_t index,
                read_word(WrittenValue{options.format, true}, "steelyard import", format_names()));
  return &bench::import_formats()[index];
}

Result<Run> load(const std::string& path, const bench::ImportFormat* format, const ImportOptions& options,
                 const std::string& project, std::vector<std::string>& warnings) {
  if (format == nullptr) {
    STEELYARD_TRY(format, bench::recognise_format(path));
  }
  STEELYARD_TRY(Run run, format->load(path, warnings));
  // Nothing of the moment goes in: the same file for the same commit is the same run, whenever it is imported.
  run.header.project = project;
  STEELYARD_TRY(run.header.commit, commit_named(options));
  storage::seal(run);
  return run;
}

// What is spoilt is in the archive as failures; said even where quiet is asked for, since a gate will not pass it.
void print_bad_records(const std::string& path, const Run& run, const App& app) {
  const auto count = std::count_if(run.failures.begin(), run.failures.end(),
                                   [](const Failure& failure) { return failure.kind == FailureKind::bad_record; });
  if (count == 0) return;
  app.warn(path + ": " + std::to_string(count) + (count == 1 ? " bad record" : " bad records") +
           " kept as failed; a gate does not pass with " + (count == 1 ? "it" : "them"));
}

std::string json_imports(const std::vector<ImportedRun>& runs) {
  std::string text = "{\n  \"schema\": \"steelyard.import/1\",\n  \"runs\": [";
  for (const ImportedRun& run : runs) {
    text += (&run == runs.data() ? "\n    {\"path\": " : ",\n    {\"path\": ") + quoted_for_toml(run.path) +
            ", \"run\": " + quoted_for_toml(run.run) + ", \"measurements\": " + std::to_string(run.measurements) +
            ", \"failures\": " + std::to_string(run.failures) + ", \"skipped\": " + std::to_string(run.skips) +
            ", \"warnings\": " + to_text(WrittenValue{run.warnings, false}) + '}';
  }
  return text + "]\n}\n";
}

void print_imports(const std::vector<ImportedRun>& imported, const App& app) {
  if (app.common.json) return app.print(json_imports(imported));
  for (const ImportedRun& run : imported) {
    app.print("run:" + run.run.substr(0, 12) + "  " + run.path + ": " + std::to_string(run.measurements) +
              " measurements" +
              (run.failures > run.skips ? ", " + std::to_string(run.failures - run.skips) + " failed" : "") +
              (run.skips > 0 ? ", " + std::to_string(run.skips) + " skipped" : "") + '\n');
    for (const std::string& warning : run.warnings) app.note("  " + warning);
  }
}

Result<ExitCode> run_import(const ImportOptions& options, const App& app) {
  STEELYARD_TRY(const bench::ImportFormat* const format, named_format(options));
  STEELYARD_TRY(const Configuration configuration, effective_configuration(app));
  STEELYARD_CHECK(store_address(configuration));
  STEELYARD_CHECK(check_project_to_write(configuration));
  const std::string project = project_name(configuration);
  ExitCode code = ExitCode::success;
  std::vector<ImportedRun> imported;
  std::list<Run> runs;
  std::vector<const Run*> kept;
  // A bad file costs itself, not those beside it.
  for (const std::string& path : options.paths) {
    std::vector<std::string> warnings;
    Result<Run> run = load(path, format, options, project, warnings);
    if (!run) {
      code = worse(code, app.report(run.error()));
      continue;
    }
    code = worse(code, keep_in_spool({&*run}, app));
    print_bad_records(path, *run, app);
    const auto skips = std::count_if(run->failures.begin(), run->failures.end(),
                                     [](const Failure& failure) { return is_skip(failure.kind); });
    imported.push_back({path, run->header.id, run->measurements.size(), run->failures.size(),
                        static_cast<std::size_t>(skips), std::move(warnings)});
    kept.push_back(&runs.emplace_back(std::move(run).value()));
  }
  print_imports(imported, app);
  if (imported.empty()) return code;
  return worse(code, deliver_to_store(configuration, nullptr, app, kept));
}

}  // namespace

Verb import_verb() {
  const auto options = std::make_shared<ImportOptions>();
  std::string formats;
  for (const bench::ImportFormat& format : bench::import_formats()) {
    formats += (formats.empty() ? "" : ", ") + std::string(format.name) + " (" + std::string(format.what) + ')';
  }
  Verb verb = make_verb(options, run_import, "import",
                        "Brings results of other tools into the store. FORMAT, where a file does not tell it itself: " +
                            formats + ". Importing the same twice is importing it once.",
                        "  steelyard import results.json --commit HEAD --branch main\n"
                        "  steelyard import google-benchmark folder-with-a-file-for-each-process");
  verb.names = {"[FORMAT]", "FILE|FOLDER..."};
  verb.min_names = 1;
  verb.take = [options](Words words) -> Result<void> {
    *options = told_apart(std::move(*options), std::move(words.names));
    if (!options->paths.empty()) return {};
    return input_error("steelyard import", "no file", "FILE or FOLDER behind " + options->format);
  };
  verb.add(text_option("--commit", "COMMIT", options->commit, "that was measured: a hash, or what git calls it here"));
  verb.add(text_option("--branch", "NAME", options->branch, "that the commit lies on"));
  add_key_options(verb, {{"store", "project"}});
  add_common_options(verb);
  return verb;
}

}  // namespace steelyard::ci
