#include "bench/counting/equal/loaded_program.hpp"

#include <cstdlib>
#include <system_error>

#include "bench/environment/loaded_sections.hpp"
#include "bench/environment/mapped_file.hpp"
#include "bench/environment/system_file.hpp"
#include "bench/model/sha256.hpp"
#include "bench/runner/child_process.hpp"

namespace steelyard {
namespace {

constexpr Nanoseconds kLoaderTimeout = seconds(20);  // a loaded machine included
constexpr std::size_t kMostLibraries = 4096;

Result<LoadedSections> read_object(const std::filesystem::path& path) {
  STEELYARD_TRY(const MappedFile file, MappedFile::open(path));
  Result<LoadedSections> loaded = read_loaded_sections(file.bytes());
  if (loaded) return loaded;
  Error error = loaded.error();
  error.where = path.string();
  return error;
}

// The loader itself is run, and never the program: one that is static, or whose loader does not know the variable
// LD_TRACE_LOADED_OBJECTS, would run all its benchmarks.
Result<std::vector<std::filesystem::path>> ask_loader(const std::string& loader, const Program& program,
                                                      const std::atomic<bool>* cancelled) {
  std::error_code failure;
  const std::filesystem::path executable = std::filesystem::canonical(program.executable, failure);
  if (failure) return input_error(program.executable.string(), failure.message(), "a program");
  ChildCommand command;
  command.executable = loader;
  command.arguments = {"--list", executable.string()};
  if (const char* path = std::getenv("LD_LIBRARY_PATH")) command.environment["LD_LIBRARY_PATH"] = path;
  for (const auto& [name, value] : program.environment) command.environment[name] = value;
  command.working_directory = program.working_directory;
  command.timeout = kLoaderTimeout;
  STEELYARD_TRY(const ChildResult child, run_child(command, cancelled));
  if (!child.succeeded()) return program_error(loader + " --list " + executable.string(), child.describe());
  if (child.output_truncated) return program_error(loader + " --list", "more output than libraries can give");
  return parse_loader_list(child.output);
}

}  // namespace

Result<std::vector<std::filesystem::path>> parse_loader_list(std::string_view text) {
  std::vector<std::filesystem::path> paths;
  for (std::string_view line : lines_of(text)) {
    line = trimmed(line);
    if (line.ends_with("not found")) {
      return input_error("", "a library that the loader does not find: " + std::string(line));
    }
    constexpr std::string_view kArrow = " => ";
    const std::size_t arrow = line.find(kArrow);
    if (arrow != std::string_view::npos) line.remove_prefix(arrow + kArrow.size());
    const std::size_t address = line.rfind(" (0x");
    if (address != std::string_view::npos) line = line.substr(0, address);
    // What the kernel brings (linux-vdso.so.1) has no file, and Valgrind hides it from the program.
    if (!line.starts_with('/')) continue;
    if (paths.size() == kMostLibraries) return input_error("", "more than 4096 libraries");
    paths.emplace_back(line);
  }
  return paths;
}

Result<LoadedProgram> read_loaded_program(const Program& program, const std::atomic<bool>* cancelled) {
  LoadedProgram loaded;
  STEELYARD_TRY(const LoadedSections own, read_object(program.executable));
  loaded.objects.push_back({program.executable, own.sha256});
  Sha256 hash;
  hash.add(own.sha256);
  if (!own.interpreter.empty()) {
    STEELYARD_TRY(const std::vector<std::filesystem::path> paths, ask_loader(own.interpreter, program, cancelled));
    for (const std::filesystem::path& path : paths) {
      STEELYARD_TRY(const LoadedSections library, read_object(path));
      // Their folders may differ: each build may have libraries of its own.
      hash.add('\n' + path.filename().string() + ' ' + library.sha256);
      loaded.objects.push_back({path, library.sha256});
    }
  }
  loaded.sha256 = hash.hex();
  return loaded;
}

}  // namespace steelyard
