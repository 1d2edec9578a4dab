#include "ci/verbs/command_options.hpp"

#include "bench/model/text.hpp"
#include "ci/config/written_value.hpp"
#include "ci/measuring/command_programs.hpp"

namespace steelyard::ci {

void add_command_options(Verb& verb, CommandOptions& options) {
  constexpr const char* kMeasuring = "Measuring";
  const std::string formats = joined_text(command_formats(), ", ");
  VerbOption command = repeated_option("--command", "CMD", options.commands,
                                       "a command of any kind in place of a Google Benchmark program; words are split "
                                       "as a shell does, and no shell runs");
  command.group = kMeasuring;
  verb.add(std::move(command));
  verb.add(text_option("--format", "FORMAT", options.how.format,
                       "process: the command's time, CPU time, peak memory and instructions, seen from outside; else "
                       "what it writes, to its output or to the file that {output} stands for (default: process). One "
                       "of " +
                           formats,
                       kMeasuring));
  verb.add(text_option("--name", "NAME", options.name, "of the command's benchmark (default: follows from the command)",
                       kMeasuring));
  verb.add(text_option("--prepare", "CMD", options.how.prepare,
                       "line for /bin/sh before each process of a command, not timed", kMeasuring));
  VerbOption warmup = number_option("--warmup", options.how.warmup,
                                    "processes of each command before the first that counts (default: 1)");
  warmup.group = kMeasuring;
  verb.add(std::move(warmup));
  VerbOption shell = flag_option("--shell", options.how.shell,
                                 "run each command by /bin/sh, whose own start is then part of its time");
  shell.group = kMeasuring;
  verb.add(std::move(shell));
  VerbOption ignore = flag_option("--ignore-failure", options.how.ignore_failure,
                                  "measure a command also where it exits with another status than 0");
  ignore.group = kMeasuring;
  verb.add(std::move(ignore));
}

Result<void> check_commands(const CommandOptions& options) {
  const std::string& format = options.how.format;
  if (!format.empty()) STEELYARD_CHECK(read_word(WrittenValue{format, true}, "--format", command_formats()));
  if (!options.commands.empty() || (options.name.empty() && options.how == CommandChoice())) return {};
  return input_error("--format, --name, --prepare, --warmup, --shell, --ignore-failure", "no --command",
                     "the command that they are of", "add --command \"PROGRAM ARGUMENTS\"");
}

ConfiguredProgram configured_command(const CommandOptions& options, const std::string& command) {
  ConfiguredProgram configured{options.name, command, options.how};
  if (configured.how.format.empty()) configured.how.format = kProcessFormat;
  return configured;
}

Result<bench::Program> program_of_command(const CommandOptions& options, const std::string& command,
                                          const std::filesystem::path& folder) {
  return command_program(configured_command(options, command), folder, "--command");
}

}  // namespace steelyard::ci
