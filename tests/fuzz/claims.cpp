#include "tests/fuzz/claims.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "storage/archive/archive.hpp"

namespace steelyard::testkit {

BrokenClaim broken_claim_about_error(const Error& error, const std::string& file) {
  if (error.kind != ErrorKind::input) return "an error is the input's: " + error.text();
  if (!error.where.starts_with(file)) return "an error says where: " + error.text();
  if (error.found.empty()) return "an error says what was found: " + error.text();
  return std::nullopt;
}

BrokenClaim broken_claim_about_run(Run run) {
  if (const Result<void> whole = storage::check_run(run, "file"); !whole) return "a whole run: " + whole.error().text();
  // What later reads texts of a run takes any.
  for (const Failure& failure : run.failures) to_text(failure);
  for (const Measurement& measurement : run.measurements) {
    is_first_look_only(run.header, measurement.benchmark.canonical());
  }
  stop_of(run.header);
  code_layouts_of(run.header);
  run.environment.fingerprint();
  const Run* const one = &run;
  to_text(summarize_disturbances({&one, 1}));

  storage::seal(run);
  const std::string bytes = storage::encode_run(run);
  const Result<Run> again = storage::decode_sealed_run(bytes, "file");
  if (!again) return "a run can be sealed, written and read: " + again.error().text();
  // By bytes: samples of an archive may be no numbers, which are not even equal to themselves.
  if (storage::encode_payload(*again) != storage::encode_payload(run)) return "a run is the same after it was written";
  return std::nullopt;
}

std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\0', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

MemoryFile::MemoryFile(const std::string& content) : descriptor_(::memfd_create("fuzz", MFD_CLOEXEC)) {
  std::size_t written = 0;
  while (written < content.size()) {
    const ssize_t now = ::write(descriptor_, content.data() + written, content.size() - written);
    if (now <= 0) {
      std::perror("memfd_create");
      std::abort();
    }
    written += static_cast<std::size_t>(now);
  }
}

MemoryFile::~MemoryFile() { ::close(descriptor_); }

std::filesystem::path MemoryFile::path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

}  // namespace steelyard::testkit
