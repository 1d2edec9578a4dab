#include "bench/runner/program_facts.hpp"

#include <string>
#include <system_error>

#include "bench/environment/binary_facts.hpp"
#include "bench/environment/elf_file.hpp"
#include "bench/environment/system_file.hpp"
#include "bench/model/sha256.hpp"
#include "bench/model/text.hpp"
#include "bench/runner/child_process.hpp"
#include "bench/runner/fresh_copy.hpp"

namespace steelyard::bench {

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

namespace {

constexpr Nanoseconds kLoaderTimeout = seconds(20);  // a loaded machine included
constexpr std::size_t kMaxLibrariesFound = 4096;
constexpr std::uint32_t kInterpreterSegment = 3;  // PT_INTERP

// The loader that the program names; empty: it is static, or no ELF program.
std::string loader_of(const std::filesystem::path& executable) {
  const Result<MappedFile> file = MappedFile::open(executable);
  if (!file) return "";
  const Result<ElfFile> elf = read_elf(file->bytes());
  if (!elf) return "";
  for (const ElfSegment& segment : elf->segments) {
    if (segment.type == kInterpreterSegment) return std::string(segment.content.substr(0, segment.content.find('\0')));
  }
  return "";
}

}  // namespace

Result<std::vector<LoadedLibrary>> parse_loader_list(std::string_view text) {
  std::vector<LoadedLibrary> libraries;
  for (std::string_view line : lines_of(text)) {
    line = trimmed(line);
    LoadedLibrary library;
    constexpr std::string_view kArrow = " => ";
    const std::size_t arrow = line.find(kArrow);
    const std::string_view path = arrow == std::string_view::npos ? line : line.substr(arrow + kArrow.size());
    library.name = line.substr(0, arrow == std::string_view::npos ? line.rfind(" (0x") : arrow);
    if (path != "not found") {
      if (!path.starts_with('/')) continue;
      library.path = path.substr(0, path.rfind(" (0x"));
    }
    if (libraries.size() == kMaxLibrariesFound) return input_error("", "more than 4096 libraries");
    libraries.push_back(std::move(library));
  }
  return libraries;
}

Result<std::vector<LoadedLibrary>> libraries_of(const std::filesystem::path& executable,
                                                const std::map<std::string, std::string>& environment,
                                                const std::filesystem::path& working_directory,
                                                const std::atomic<bool>* cancelled,
                                                const SharedConfinement& confinement) {
  std::error_code failure;
  // $ORIGIN is the folder of the file itself, not of a link to it.
  const std::filesystem::path program = std::filesystem::canonical(executable, failure);
  if (failure) return input_error(executable.string(), failure.message(), "a program");
  ChildCommand command;
  command.executable = loader_of(program);
  if (command.executable.empty()) return std::vector<LoadedLibrary>{};
  command.arguments = {"--list", program.string()};
  command.environment = environment;
  command.working_directory = working_directory;
  command.confinement = confinement;
  command.timeout = kLoaderTimeout;
  STEELYARD_TRY(const ChildResult child, run_child(command, cancelled));
  const std::string where = command.executable.string() + " --list " + program.string();
  if (!child.succeeded()) return program_error(where, child.describe());
  if (child.output_truncated) return program_error(where, "more output than libraries can give");
  return parse_loader_list(child.output);
}

}  // namespace steelyard::bench
