#include "bench/counting/equal/loaded_program.hpp"

#include <cstdlib>
#include <system_error>

#include "bench/environment/loaded_sections.hpp"
#include "bench/environment/mapped_file.hpp"
#include "bench/model/sha256.hpp"
#include "bench/runner/program_facts.hpp"

namespace steelyard {
namespace {

Result<LoadedSections> read_object(const std::filesystem::path& path) {
  STEELYARD_TRY(const MappedFile file, MappedFile::open(path));
  Result<LoadedSections> loaded = read_loaded_sections(file.bytes());
  if (loaded) return loaded;
  Error error = loaded.error();
  error.where = path.string();
  return error;
}

// In the environment that the program is counted in. Error (input): one of them was not found.
Result<std::vector<std::filesystem::path>> library_paths(const Program& program, const std::atomic<bool>* cancelled) {
  std::map<std::string, std::string> environment = program.environment;
  if (const char* path = std::getenv("LD_LIBRARY_PATH")) environment.emplace("LD_LIBRARY_PATH", path);
  STEELYARD_TRY(const std::vector<LoadedLibrary> libraries,
                libraries_of(program.executable, environment, program.working_directory, cancelled));
  std::vector<std::filesystem::path> paths;
  for (const LoadedLibrary& library : libraries) {
    if (library.path.empty()) {
      return input_error(program.executable.string(), "a library that the loader does not find: " + library.name);
    }
    paths.push_back(library.path);
  }
  return paths;
}

}  // namespace

Result<LoadedProgram> read_loaded_program(const Program& program, const std::atomic<bool>* cancelled) {
  LoadedProgram loaded;
  STEELYARD_TRY(const LoadedSections own, read_object(program.executable));
  loaded.objects.push_back({program.executable, own.sha256});
  Sha256 hash;
  hash.add(own.sha256);
  STEELYARD_TRY(const std::vector<std::filesystem::path> paths, library_paths(program, cancelled));
  for (const std::filesystem::path& path : paths) {
    STEELYARD_TRY(const LoadedSections library, read_object(path));
    // Their folders may differ: each build may have libraries of its own.
    hash.add('\n' + path.filename().string() + ' ' + library.sha256);
    loaded.objects.push_back({path, library.sha256});
  }
  loaded.sha256 = hash.hex();
  return loaded;
}

}  // namespace steelyard
