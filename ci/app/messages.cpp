#include "ci/app/messages.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <ostream>
#include <system_error>

namespace steelyard {

ExitCode report_error(const Error& error, Streams& streams) {
  streams.err << "steelyard: " << error.text() << '\n';
  return exit_code_of(error);
}

void note(const std::string& text, const CommonOptions& common, Streams& streams) {
  if (!common.quiet) streams.err << text << '\n' << std::flush;
}

Result<void> write_text_file(const std::filesystem::path& file, const std::string& text) {
  std::error_code code;
  // A pipe, a device or a link (/dev/stdout is all three, by turns) is written to, never replaced.
  const auto status = std::filesystem::symlink_status(file, code);
  const bool in_place = std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
  const std::filesystem::path target = in_place ? file : std::filesystem::path(file.string() + ".partial");
  errno = 0;
  std::ofstream stream(target, std::ios::binary | std::ios::trunc);
  stream << text;
  stream.close();
  const int trouble = errno;
  if (!stream) {
    if (!in_place) std::filesystem::remove(target, code);
    return input_error(file.string(), trouble == 0 ? "a file that cannot be written" : std::strerror(trouble),
                       "a place to write the report", "name another file or make room");
  }
  if (in_place) return {};
  std::filesystem::rename(target, file, code);
  if (code) return input_error(file.string(), code.message(), "a place to write the report");
  return {};
}

}  // namespace steelyard
