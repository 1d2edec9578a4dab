#include "bench/runner/program_facts.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <string>
#include <string_view>

#include "bench/environment/binary_facts.hpp"
#include "bench/model/sha256.hpp"
#include "bench/runner/descriptor.hpp"

namespace steelyard {

void add_program_facts(const std::filesystem::path& executable, Environment& environment) {
  constexpr off_t kLargest = off_t{4} << 30;
  const Descriptor file(::open(executable.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status = {};
  if (!file.is_open() || ::fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode)) return;
  if (status.st_size <= 0 || status.st_size > kLargest) return;
  // Mapped, not read: a debug build may be larger than what memory has to spare.
  const auto size = static_cast<std::size_t>(status.st_size);
  void* const bytes = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number(), 0);
  if (bytes == MAP_FAILED) return;
  environment.set("program.bytes", std::to_string(size), false);
  const std::string_view content(static_cast<const char*>(bytes), size);
  environment.set("program.sha256", sha256_hex(content), false);
  // A script has no such facts; that is no error.
  if (const Result<BinaryFacts> facts = read_binary(content)) add_binary_facts(*facts, environment);
  ::munmap(bytes, size);
}

void add_program_facts(const Program& program, Environment& environment) {
  add_program_facts(program.executable, environment);
  const auto preload = program.environment.find("LD_PRELOAD");
  if (preload == program.environment.end() || preload->second.empty()) return;
  environment.set("program.preload", preload->second, false);
  const std::string allocator = allocator_of_library(preload->second);
  if (!allocator.empty()) environment.set("program.allocator", allocator, false);
}

}  // namespace steelyard
