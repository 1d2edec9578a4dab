#include <iterator>
#include <ostream>

#include "bench/counting/callgrind_reader.hpp"
#include "ci/cli/messages.hpp"
#include "ci/cli/verbs.hpp"
#include "ci/report/profile_report.hpp"

namespace steelyard {

ExitCode do_profile(const ProfileOptions& options, Streams& streams) {
  std::vector<CallgrindPart> parts;
  // Sums over half of the files would be wrong without looking it: one bad file stops all.
  for (const std::string& file : options.files) {
    Result<std::vector<CallgrindPart>> read = read_callgrind(file);
    if (!read) return report_error(read.error(), streams);
    parts.insert(parts.end(), std::make_move_iterator(read->begin()), std::make_move_iterator(read->end()));
  }
  streams.out << (options.common.json ? json_profile(parts) : terminal_profile(parts, options.rows)) << std::flush;
  return ExitCode::success;
}

}  // namespace steelyard
