#include "ci/judging/evidence.hpp"

#include <system_error>
#include <utility>

#include "ci/app/messages.hpp"
#include "ci/report/report.hpp"
#include "storage/archive/archive.hpp"

namespace steelyard {

ExitCode copy_archives(const Run& baseline, const Run& candidate, const std::filesystem::path& folder,
                       Streams& streams) {
  if (folder.empty()) return ExitCode::success;
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (code) return report_error(input_error(folder.string(), code.message(), "a folder for archives"), streams);
  ExitCode status = ExitCode::success;
  for (const auto& [name, run] : {std::pair("baseline.syrun", &baseline), {"candidate.syrun", &candidate}}) {
    if (run->header.id.empty()) continue;
    const Result<void> written = write_archive(folder / name, *run);
    if (!written) status = worse(status, report_error(written.error(), streams));
  }
  return status;
}

ExitCode keep_comparison(const Comparison& comparison, const TargetReport& targets, const std::filesystem::path& folder,
                         Streams& streams) {
  if (folder.empty()) return ExitCode::success;
  const Result<void> written = write_text_file(folder / "comparison.json", json_report(comparison, targets));
  return written ? ExitCode::success : report_error(written.error(), streams);
}

}  // namespace steelyard
