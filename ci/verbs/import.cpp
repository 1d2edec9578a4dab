#include <algorithm>
#include <list>
#include <ostream>

#include "bench/formats/google_benchmark.hpp"
#include "ci/app/keeping.hpp"
#include "ci/app/messages.hpp"
#include "ci/app/settings.hpp"
#include "ci/git/repository.hpp"
#include "ci/verbs/json_output.hpp"
#include "ci/verbs/verbs.hpp"
#include "storage/archive/archive.hpp"

namespace steelyard {
namespace {

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

Result<Run> load(const std::string& path, const ImportOptions& options, const std::string& project,
                 std::vector<std::string>& warnings) {
  STEELYARD_TRY(Run run, load_google_benchmark(path, warnings));
  // Nothing of the moment goes in: the same file for the same commit is the same run, whenever it is imported.
  run.header.project = project;
  run.header.commit = commit_named(options);
  seal(run);
  return run;
}

// What is spoilt is in the archive as failures; said even where quiet is asked for, since a gate will not pass it.
void tell_bad_records(const std::string& path, const Run& run, Streams& streams) {
  const auto count = std::count_if(run.failures.begin(), run.failures.end(), is_bad_record);
  if (count == 0) return;
  streams.err << "steelyard: " << path << ": " << count << (count == 1 ? " bad record" : " bad records")
              << " kept as failed; a gate does not pass with " << (count == 1 ? "it" : "them") << '\n';
}

void print(const std::vector<ImportedRun>& imported, const CommonOptions& common, Streams& streams) {
  if (common.json) {
    streams.out << json_imports(imported) << std::flush;
    return;
  }
  for (const ImportedRun& run : imported) {
    streams.out << "run:" << run.run.substr(0, 12) << "  " << run.path << ": " << run.measurements << " measurements";
    if (run.failures > 0) streams.out << ", " << run.failures << " failed";
    streams.out << '\n';
    for (const std::string& warning : run.warnings) note("  " + warning, common, streams);
  }
  streams.out << std::flush;
}

}  // namespace

ExitCode do_import(const ImportOptions& options, Streams& streams) {
  const WrittenValue format{options.format, true};
  if (const auto known = read_word(format, "steelyard import", {"google-benchmark"}); !known) {
    return report_error(known.error(), streams);
  }
  const Result<Configuration> configuration = effective_configuration(options.common);
  if (!configuration) return report_error(configuration.error(), streams);
  if (const auto address = store_address(*configuration); !address) return report_error(address.error(), streams);
  const std::string project = project_name(*configuration);
  ExitCode code = ExitCode::success;
  std::vector<ImportedRun> imported;
  std::list<Run> runs;
  std::vector<const Run*> kept;
  // A bad file costs itself, not those beside it.
  for (const std::string& path : options.paths) {
    std::vector<std::string> warnings;
    Result<Run> run = load(path, options, project, warnings);
    if (!run) {
      code = worse(code, report_error(run.error(), streams));
      continue;
    }
    code = worse(code, keep_in_spool({&*run}, streams));
    tell_bad_records(path, *run, streams);
    imported.push_back({path, run->header.id, run->measurements.size(), run->failures.size(), std::move(warnings)});
    kept.push_back(&runs.emplace_back(std::move(run).value()));
  }
  print(imported, options.common, streams);
  if (imported.empty()) return code;
  return worse(code, deliver_to_store(*configuration, nullptr, options.common, streams, kept));
}

}  // namespace steelyard
