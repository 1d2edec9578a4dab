#include "bench/runner/program_facts.hpp"

#include <string>

#include "bench/environment/binary_facts.hpp"
#include "bench/environment/elf_file.hpp"
#include "bench/model/sha256.hpp"
#include "bench/runner/fresh_copy.hpp"

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

void add_copy_facts(const Program* program, Environment& environment) {
  const Result<CopyPlace> place = find_copy_place();
  if (!place) {
    environment.set("copies.obstacle", place.error().where + ": " + place.error().found, false);
    return;
  }
  environment.set("copies.folder", place->folder.string(), false);
  environment.set("copies.execution", place->may_execute ? "allowed" : "forbidden", false);
  if (program == nullptr) return;
  const Result<PageRenewal> renewal = try_renewal(*program);
  if (!renewal) return;
  environment.set("program.pages", std::string(to_text(renewal->pages)), false);
  if (renewal->pages == PagesOf::copied) {
    environment.set("program.copy", to_text(renewal->size), false);
  } else {
    environment.set("program.pages_reason", renewal->why, false);
  }
  if (renewal->pages != PagesOf::kept) environment.set("program.renewal", to_text(renewal->took), false);
}

}  // namespace steelyard
