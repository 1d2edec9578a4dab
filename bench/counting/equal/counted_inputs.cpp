#include "bench/counting/equal/counted_inputs.hpp"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <set>
#include <system_error>

#include "bench/environment/elf_file.hpp"
#include "bench/model/sha256.hpp"
#include "bench/runner/program_facts.hpp"

namespace steelyard::bench {
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
  STEELYARD_TRY(
      const std::vector<LoadedLibrary> libraries,
      libraries_of(program.executable, environment, program.working_directory, cancelled, program.confinement));
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

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxInputFiles = 256;
constexpr std::size_t kMaxInputBytes = std::size_t{256} << 20;
constexpr std::string_view kOrigin = "$ORIGIN/";

// Where a path means the same thing, or nothing that a build can change.
constexpr std::array<std::string_view, 6> kExcluded = {
    "/proc/", "/sys/", "/dev/", "/usr/libexec/valgrind/", "/usr/lib/valgrind/", "/etc/ld.so.cache"};

// What makes the trace of opened files less than all that the program takes in.
struct Escape {
  std::string_view call;
  std::string_view meaning;
};
constexpr std::array<Escape, 6> kEscapes = {{{" sys_fork ", "it starts other processes"},
                                             {" sys_vfork ", "it starts other processes"},
                                             {" sys_execve ", "it starts other programs"},
                                             {" sys_chdir ", "it changes its folder"},
                                             {" sys_fchdir ", "it changes its folder"},
                                             {" sys_connect ", "it talks to a socket"}}};

std::optional<std::uint64_t> leading_number(std::string_view text, int base) {
  std::uint64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (code != std::errc() || end == text.data()) return std::nullopt;
  return value;
}

// A clone that is no thread is a process; its system calls are not in the log.
bool starts_process(std::string_view log) {
  constexpr std::string_view kCall = " sys_clone ( ";
  constexpr std::uint64_t kThread = 0x10000;  // CLONE_THREAD
  for (std::size_t at = log.find(kCall); at != std::string_view::npos; at = log.find(kCall, at)) {
    at += kCall.size();
    const auto flags = leading_number(log.substr(at, 16), 16);
    if (!flags || (*flags & kThread) == 0) return true;
  }
  return log.find(" sys_clone3 ") != std::string_view::npos;
}

struct OpenedFile {
  std::string path;
  std::uint64_t flags = 0;
};

// "0x4034bb0(/etc/hosts), 524288 ) --> ..."; absent where it is not of this form.
std::optional<OpenedFile> read_opened(std::string_view arguments) {
  constexpr std::size_t kLongest = 4096 + 64;  // PATH_MAX, the address and the flags
  arguments = arguments.substr(0, kLongest);
  const std::size_t open = arguments.find('(');
  const std::size_t close = arguments.find("), ");
  if (!arguments.starts_with("0x") || open == std::string_view::npos || close == std::string_view::npos) return {};
  const auto flags = leading_number(arguments.substr(close + 3), 10);
  if (!flags || close <= open) return {};
  return OpenedFile{std::string(arguments.substr(open + 1, close - open - 1)), *flags};
}

fs::path working_folder(const Program& program) {
  std::error_code ignored;
  return program.working_directory.empty() ? fs::current_path(ignored) : program.working_directory;
}

fs::path program_folder(const Program& program) {
  std::error_code ignored;
  const fs::path real = fs::canonical(program.executable, ignored);
  return (real.empty() ? program.executable : real).parent_path();
}

// What is left of `path` below `folder`; empty where it does not lie there.
std::string path_below_folder(const std::string& path, const fs::path& folder) {
  const std::string start = folder.lexically_normal().string();
  if (start.size() < 2 || path.size() <= start.size() + 1 || !path.starts_with(start)) return "";
  return path[start.size()] == '/' ? path.substr(start.size() + 1) : "";
}

std::string name_of(const std::string& path, const Program& program) {
  if (path.front() != '/') return fs::path(path).lexically_normal().string();
  const std::string normal = fs::path(path).lexically_normal().string();
  const fs::path working = working_folder(program);
  if (std::string rest = path_below_folder(normal, working); !rest.empty()) return rest;
  std::error_code ignored;  // what getcwd() says, where the way there has symbolic links
  if (std::string rest = path_below_folder(normal, fs::canonical(working, ignored)); !rest.empty()) return rest;
  if (std::string rest = path_below_folder(normal, program_folder(program)); !rest.empty())
    return std::string(kOrigin) + rest;
  return normal;
}

fs::path path_of(const std::string& name, const Program& program) {
  if (name.starts_with(kOrigin)) return program_folder(program) / name.substr(kOrigin.size());
  return name.starts_with('/') ? fs::path(name) : working_folder(program) / name;
}

bool is_excluded(const std::string& path, const fs::path& own_folder) {
  if (!path_below_folder(path, own_folder).empty()) return true;
  return std::any_of(kExcluded.begin(), kExcluded.end(),
                     [&](std::string_view start) { return path.starts_with(start); });
}

struct NamedFiles {
  std::set<std::string> read, written;
};

// Adds what one call opens; the reason why that cannot be known, or nothing.
std::string add_opened(std::string_view arguments, bool has_folder, const Program& program, const fs::path& own_folder,
                       NamedFiles& files) {
  std::string_view folder;
  if (has_folder) {
    const std::size_t comma = std::min(arguments.find(", "), arguments.size());
    folder = arguments.substr(0, comma);
    arguments.remove_prefix(std::min(comma + 2, arguments.size()));
  }
  const std::optional<OpenedFile> opened = read_opened(arguments);
  // A name with a line break could not be kept in a list of lines.
  if (!opened || opened->path.empty() || opened->path.find('\n') != std::string::npos)
    return "it opens a file whose name Valgrind does not tell";
  if (is_excluded(opened->path, own_folder)) return "";
  constexpr std::string_view kCurrentFolder = "4294967196";  // AT_FDCWD as Valgrind prints it
  if (has_folder && folder != kCurrentFolder && opened->path.front() != '/') return "it opens files below a folder";
  if ((opened->flags & O_DIRECTORY) != 0) return "it lists the folder " + opened->path;
  const std::string name = name_of(opened->path, program);
  const std::uint64_t access = opened->flags & O_ACCMODE;
  if (access != O_WRONLY) files.read.insert(name);
  if (access != O_RDONLY) files.written.insert(name);
  return "";
}

}  // namespace

CountedInputs parse_opened_files(std::string_view log, const Program& program, const fs::path& own_folder) {
  CountedInputs inputs;
  inputs.unknown.clear();
  for (const Escape& escape : kEscapes) {
    if (log.find(escape.call) != std::string_view::npos) inputs.unknown = escape.meaning;
  }
  if (starts_process(log)) inputs.unknown = "it starts other processes";
  NamedFiles files;
  for (const auto& [call, has_folder] : {std::pair<std::string_view, bool>(" sys_openat ( ", true),
                                         {" sys_openat2 ( ", true},
                                         {" sys_open ( ", false}}) {
    for (std::size_t at = log.find(call); at != std::string_view::npos; at = log.find(call, at)) {
      at += call.size();
      std::string reason = add_opened(log.substr(at), has_folder, program, own_folder, files);
      if (!reason.empty()) inputs.unknown = std::move(reason);
    }
  }
  // A file that is written is hashed after the count, and would be known by what the count left behind.
  const auto is_written = [&](const std::string& name) { return files.written.count(name) > 0; };
  const auto changed = std::find_if(files.read.begin(), files.read.end(), is_written);
  if (changed != files.read.end()) inputs.unknown = "it reads and writes " + *changed;
  inputs.files.assign(files.read.begin(), files.read.end());
  return inputs;
}

std::string without_trace(std::string_view log) {
  std::string text;
  while (!log.empty()) {
    const std::size_t end = std::min(log.find('\n'), log.size());
    const std::string_view line = log.substr(0, end);
    log.remove_prefix(std::min(end + 1, log.size()));
    const bool is_trace = line.find("SYSCALL[") != std::string_view::npos || line.starts_with(" --> ");
    if (!is_trace) text.append(line).append("\n");
  }
  return text;
}

Result<InputHashes> hash_inputs(const CountedInputs& inputs, const Program& program, const LoadedProgram& loaded) {
  if (!inputs.unknown.empty()) return input_error("", "what the program reads is not known: " + inputs.unknown);
  std::set<std::string> libraries;
  for (const LoadedObject& object : loaded.objects) libraries.insert(name_of(object.path.string(), program));
  InputHashes hashes;
  std::size_t left = kMaxInputBytes;
  for (const std::string& name : inputs.files) {
    if (libraries.count(name) > 0) continue;
    if (hashes.size() == kMaxInputFiles) return input_error("", "the program reads more than 256 files");
    const fs::path path = path_of(name, program);
    std::error_code failure;
    const fs::file_status status = fs::status(path, failure);
    if (status.type() == fs::file_type::not_found) {
      hashes[name] = kAbsentFile;
      continue;
    }
    STEELYARD_TRY(const MappedFile file, MappedFile::open(path));
    if (file.bytes().size() > left) return input_error("", "the program reads more than 256 MiB of files");
    left -= file.bytes().size();
    hashes[name] = sha256_hex(file.bytes());
  }
  return hashes;
}

}  // namespace steelyard::bench
