#include "ci/measuring/command_programs.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "bench/formats/import_formats.hpp"
#include "bench/runner/child_process.hpp"
#include "ci/config/written_value.hpp"

namespace steelyard::ci {
namespace {

// Error (input): no such format.
Result<const bench::ImportFormat*> format_of(const std::string& name, const std::string& where) {
  if (name == kProcessFormat) return static_cast<const bench::ImportFormat*>(nullptr);
  STEELYARD_CHECK(read_word(WrittenValue{name, true}, where, command_formats()));
  const std::span<const bench::ImportFormat> formats = bench::import_formats();
  return &*std::find_if(formats.begin(), formats.end(), [&](const auto& format) { return format.name == name; });
}

Result<std::filesystem::path> executable_of(const std::string& word, const std::filesystem::path& folder,
                                            const std::string& where) {
  const std::filesystem::path path(word);
  if (word.find('/') != std::string::npos) return path.is_absolute() || folder.empty() ? path : folder / path;
  if (const auto found = bench::find_in_path(word)) return *found;
  return input_error(where, "no command \"" + word + "\" in PATH", "a command, or a path with a slash",
                     "write ./" + word + " for a file of this folder, or --shell for what only a shell knows");
}

}  // namespace

Result<bench::Program> command_program(const ConfiguredProgram& named, const std::filesystem::path& folder,
                                       const std::string& where) {
  bench::MeasuredCommand command;
  STEELYARD_TRY(command.format, format_of(named.how.format, where));
  command.name = named.name.empty() ? name_of_commands(named.command, named.command) : named.name;
  command.prepare = named.how.prepare;
  command.warmup = named.how.warmup;
  command.ignore_failure = named.how.ignore_failure;
  bench::Program program;
  program.working_directory = folder;
  if (named.how.shell) {
    program.executable = "/bin/sh";
    program.arguments = {"-c", named.command};
  } else {
    STEELYARD_TRY(const std::vector<std::string> words, command_words(named.command, where));
    STEELYARD_TRY(program.executable, executable_of(words.front(), folder, where));
    program.arguments.assign(words.begin() + 1, words.end());
  }
  program.command = std::move(command);
  return program;
}

std::string name_of_commands(const std::string& baseline, const std::string& candidate) {
  constexpr std::size_t kLongestName = 200;
  if (baseline == candidate && baseline.size() <= kLongestName) {
    std::string name = baseline;
    std::replace_if(
        name.begin(), name.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
    return name;
  }
  const auto program = [](const std::string& text) -> std::string {
    const Result<std::vector<std::string>> words = command_words(text, "");
    return words ? std::filesystem::path(words->front()).filename().string() : "";
  };
  const std::string name = program(candidate);
  return !name.empty() && name == program(baseline) ? name : "command";
}

}  // namespace steelyard::ci
