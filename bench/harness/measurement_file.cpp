// The files that measurement archives lie in.
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "bench/harness/measurement_archive.hpp"

namespace steelyard {

Result<void> write_measurements(const std::filesystem::path& path, const std::vector<TaskMeasurement>& measurements,
                                MeasurementFormat format) {
  STEELYARD_TRY(const std::string bytes, encode_measurements(measurements, format));
  std::filesystem::path part = path;
  part += '.' + std::to_string(getpid()) + ".part";
  errno = 0;
  std::ofstream out(part, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  std::error_code code;
  if (out) std::filesystem::rename(part, path, code);
  if (out && !code) return {};
  const std::string why = code ? code.message() : std::strerror(errno);
  std::filesystem::remove(part, code);
  return input_error(path.string(), "\"" + why + "\" on writing", "a place to write to");
}

Result<std::vector<TaskMeasurement>> read_measurements(const std::filesystem::path& path,
                                                       const MeasurementLimits& limits) {
  std::error_code code;
  if (!std::filesystem::is_regular_file(path, code)) {
    return input_error(path.string(), code ? '"' + code.message() + '"' : "no regular file", "a file of measurements");
  }
  // One byte past the limit is enough to refuse; the file may grow while it is read.
  std::ifstream in(path, std::ios::binary);
  std::string bytes;
  char chunk[65536];
  while (in && bytes.size() <= static_cast<std::uint64_t>(limits.file_bytes)) {
    in.read(chunk, sizeof chunk);
    bytes.append(chunk, static_cast<std::size_t>(in.gcount()));
  }
  if (!in.eof() && bytes.size() <= static_cast<std::uint64_t>(limits.file_bytes)) {
    return input_error(path.string(), "a file that cannot be read", "a file of measurements");
  }
  return decode_measurements(bytes, path.string(), limits);
}

}  // namespace steelyard
