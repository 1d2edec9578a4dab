#include "tests/fuzz/fuzz_target.hpp"

#include <algorithm>
#include <vector>

#include "bench/formats/import_formats.hpp"
#include "tests/fuzz/claims.hpp"

namespace steelyard::testkit {
namespace {

FuzzTarget import_target(const bench::ImportFormat& format) {
  constexpr std::size_t kLongestImport = 8192;
  constexpr int kMaxImportMutants = 250;  // 5,000 of all formats
  const auto broken_claim = [&format](const std::string& input) { return broken_claim_about_import(format, input); };
  return {name_of_import_target(format.name), "what `steelyard import` takes as " + std::string(format.name),
          broken_claim, kLongestImport, kMaxImportMutants};
}

std::vector<FuzzTarget> all_targets() {
  std::vector<FuzzTarget> targets{
      FuzzTarget{"run_payload", "runs in .syrun files, past the checksum", broken_claim_about_run_payload},
      FuzzTarget{"measurement_payload", "measurements in .syrun files, past the checksum",
                 broken_claim_about_measurement_payload},
      FuzzTarget{"container", "the frame of .syrun files, with and without a true checksum",
                 broken_claim_about_container},
      FuzzTarget{"measurement_archive", "measurements as text or XML", broken_claim_about_measurement_archive, 8192},
      FuzzTarget{"comparison", "comparisons as JSON, also those in the spool", broken_claim_about_comparison, 16384},
      FuzzTarget{"calibration", "calibrations as JSON", broken_claim_about_calibration},
      FuzzTarget{"judged_history", "the history of a comparison", broken_claim_about_judged_history},
      FuzzTarget{"backup_manifest", "manifests of backups", broken_claim_about_backup_manifest},
      FuzzTarget{"cursor", "where a page of a list begins", broken_claim_about_cursor},
      FuzzTarget{"git_output", "trailers of commits and diffs, as git prints them", broken_claim_about_git_output},
      FuzzTarget{"system_file", "files under /proc and /sys", broken_claim_about_system_file},
      FuzzTarget{"service", "what GitHub and GitLab answer, and the event of a job", broken_claim_about_service},
      FuzzTarget{"store_answer", "what a service in a store's place answers", broken_claim_about_store_answer},
      FuzzTarget{"store_question", "what such a service is asked, and its store's answers",
                 broken_claim_about_store_question},
      FuzzTarget{"submitted_json", "commits and verdicts on targets that a service is sent",
                 broken_claim_about_submitted_json},
      FuzzTarget{"api_request", "paths and parameters of requests to the service", broken_claim_about_api_request,
                 1024},
      FuzzTarget{"web_request", "what comes to the service's port", broken_claim_about_web_request, 2048},
      FuzzTarget{"job_token", "tokens of CI jobs, and their issuers' keys", broken_claim_about_job_token},
      FuzzTarget{"accepted_file", "what was accepted on a request, as a job hands it on",
                 broken_claim_about_accepted_file},
      FuzzTarget{"google_benchmark", "JSON of Google Benchmark and its log", broken_claim_about_google_benchmark, 8192},
      FuzzTarget{"program_output", "what measured programs and their tools write", broken_claim_about_program_output},
      FuzzTarget{"configuration", "steelyard.toml", broken_claim_about_configuration, 8192},
      FuzzTarget{"written_words", "patterns, targets, durations, commands, addresses", broken_claim_about_written_words,
                 1024},
      FuzzTarget{"program_file", "ELF, DWARF and machine code", broken_claim_about_program_file, 32768},
      FuzzTarget{"symbol_name", "mangled names of functions", broken_claim_about_symbol_name, 1100},
      FuzzTarget{"callgrind_reader", "profiles of Callgrind", broken_claim_about_callgrind, 8192},
      FuzzTarget{"packed_samples", "samples as the store packs them", broken_claim_about_packed_samples},
      FuzzTarget{"series_reader", "plain series as JSON", broken_claim_about_series, 8192},
      FuzzTarget{"chrome_trace", "Chrome traces, such as PyTorch's, packed or not", broken_claim_about_chrome_trace,
                 8192},
      FuzzTarget{"spans", "files of recorded spans and stacks", broken_claim_about_spans, 7200},
  };
  for (const bench::ImportFormat& format : bench::import_formats()) targets.push_back(import_target(format));
  return targets;
}

}  // namespace

std::string name_of_import_target(std::string_view format) {
  std::string name = "import_" + std::string(format);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::span<const FuzzTarget> fuzz_targets() {
  static const std::vector<FuzzTarget> kTargets = all_targets();
  return kTargets;
}

}  // namespace steelyard::testkit
