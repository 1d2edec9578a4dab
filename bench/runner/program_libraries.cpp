#include "bench/runner/program_libraries.hpp"

#include <system_error>

#include "bench/environment/elf_file.hpp"
#include "bench/environment/system_file.hpp"
#include "bench/runner/child_process.hpp"

namespace steelyard {
namespace {

constexpr Nanoseconds kLoaderTimeout = seconds(20);  // a loaded machine included
constexpr std::size_t kMostLibraries = 4096;
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
    if (libraries.size() == kMostLibraries) return input_error("", "more than 4096 libraries");
    libraries.push_back(std::move(library));
  }
  return libraries;
}

Result<std::vector<LoadedLibrary>> libraries_of(const std::filesystem::path& executable,
                                                const std::map<std::string, std::string>& environment,
                                                const std::filesystem::path& working_directory,
                                                const std::atomic<bool>* cancelled) {
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
  command.timeout = kLoaderTimeout;
  STEELYARD_TRY(const ChildResult child, run_child(command, cancelled));
  const std::string where = command.executable.string() + " --list " + program.string();
  if (!child.succeeded()) return program_error(where, child.describe());
  if (child.output_truncated) return program_error(where, "more output than libraries can give");
  return parse_loader_list(child.output);
}

}  // namespace steelyard
