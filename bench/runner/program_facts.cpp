#include "bench/runner/program_facts.hpp"

#include <string>

#include "bench/environment/binary_facts.hpp"
#include "bench/environment/mapped_file.hpp"
#include "bench/model/sha256.hpp"

namespace steelyard {

void add_program_facts(const std::filesystem::path& executable, Environment& environment) {
  const Result<MappedFile> file = MappedFile::open(executable);
  if (!file || file->bytes().empty()) return;
  environment.set("program.bytes", std::to_string(file->bytes().size()), false);
  environment.set("program.sha256", sha256_hex(file->bytes()), false);
  // A script has no such facts; that is no error.
  if (const Result<BinaryFacts> facts = read_binary(file->bytes())) add_binary_facts(*facts, environment);
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
