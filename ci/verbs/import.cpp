// steelyard import: results of other tools into the store.
#include <algorithm>
#include <list>
#include <memory>
#include <ostream>

#include "bench/formats/import_formats.hpp"
#include "ci/app/keeping.hpp"
#include "ci/app/settings.hpp"
#include "ci/git/repository.hpp"
#include "ci/grammar/verb.hpp"
#include "storage/archive/archive.hpp"

namespace steelyard {
namespace {

struct ImportOptions {
  std::string format;  // the name of one of import_formats()
  std::vector<std::string> paths;
  std::string commit;
  std::string branch;
};

struct ImportedRun {
  std::string path;
  std::string run;  // id
  std::size_t measurements = 0;
  std::size_t failures = 0;
  std::size_t skips = 0;  // of them
  std::vector<std::string> warnings;
};

// What git knows of the commit where we stand in its repository; elsewhere the name is taken as it is.
Commit commit_named(const ImportOptions& options) {
  Commit commit;
  commit.sha = options.commit;
  if (!options.commit.empty()) {
    const Result<GitRepository> repository = GitRepository::find(std::filesystem::current_path());
    const Result<std::string> sha = repository ? repository->resolve(options.commit) : repository.error();
    if (sha) {
      if (Result<Commit> described = repository->describe(*sha)) commit = std::move(described).value();
    }
  }
  if (!options.branch.empty()) commit.branch = options.branch;
  return commit;
}

Result<Run> load(const std::string& path, const ImportFormat& format, const ImportOptions& options,
                 const std::string& project, std::vector<std::string>& warnings) {
  STEELYARD_TRY(Run run, format.load(path, warnings));
  // Nothing of the moment goes in: the same file for the same commit is the same run, whenever it is imported.
  run.header.project = project;
  run.header.commit = commit_named(options);
  seal(run);
  return run;
}

// What is spoilt is in the archive as failures; said even where quiet is asked for, since a gate will not pass it.
void print_bad_records(const std::string& path, const Run& run, const App& app) {
  const auto count = std::count_if(run.failures.begin(), run.failures.end(),
                                   [](const Failure& failure) { return failure.kind == FailureKind::bad_record; });
  if (count == 0) return;
  app.streams.err << "steelyard: " << path << ": " << count << (count == 1 ? " bad record" : " bad records")
                  << " kept as failed; a gate does not pass with " << (count == 1 ? "it" : "them") << '\n';
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
  std::vector<std::string> names;
  for (const ImportFormat& format : import_formats()) names.emplace_back(format.name);
  STEELYARD_TRY(const std::size_t index, read_word(WrittenValue{options.format, true}, "steelyard import", names));
  const ImportFormat& format = import_formats()[index];
  STEELYARD_TRY(const Configuration configuration, effective_configuration(app));
  STEELYARD_CHECK(store_address(configuration));
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
  for (const ImportFormat& format : import_formats()) {
    formats += (formats.empty() ? "" : ", ") + std::string(format.name) + " (" + std::string(format.what) + ')';
  }
  Verb verb =
      make_verb(options, run_import, "import",
                "Brings results of other tools into the store. FORMAT: " + formats +
                    ". Importing the same twice is importing it once.",
                "  steelyard import google-benchmark results.json --commit $(git rev-parse HEAD) --branch main");
  verb.names = {"FORMAT", "FILE|FOLDER..."};
  verb.min_names = 2;
  verb.take = [options](Words words) -> Result<void> {
    options->format = words.names[0];
    options->paths.assign(words.names.begin() + 1, words.names.end());
    return {};
  };
  verb.add(text_option("--commit", "SHA", options->commit, "that was measured"));
  verb.add(text_option("--branch", "NAME", options->branch, "that the commit lies on"));
  add_key_options(verb, {{"store", "project"}});
  add_common_options(verb);
  return verb;
}

}  // namespace steelyard
