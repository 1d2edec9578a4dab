// Runs one child process, or several at once, and waits for the end of all: explicit environment, working directory,
// core, address randomization, time limit, bounded output. Every child leads a process group of its own; when the child
// ends, or its time is up, or the caller cancels or is killed, whatever it has started is ended too, also what left its
// group, and nothing stays behind: no process, no descriptor, no zombie (bench/runner/supervisor.hpp). Safe to call
// from several threads at once.
//
//     ChildCommand command;
//     command.executable = program.executable;
//     command.arguments = {"--benchmark_list_tests=true"};
//     command.environment = child_environment(program);
//     Result<ChildResult> child = run_child(command);
//     if (!child) return child.error();       // it could not be started
//     if (!child->succeeded()) ... child->describe() ...
//
// Not a shell, and no search through PATH: see find_in_path.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/quantity.hpp"
#include "bench/model/result.hpp"
#include "bench/runner/program.hpp"

namespace steelyard::bench {

struct ChildCommand {
  std::filesystem::path executable;  // relative to the caller's current folder, not to working_directory
  std::vector<std::string> arguments;
  std::map<std::string, std::string> environment;   // all of it; see child_environment
  std::filesystem::path working_directory;          // empty: the caller's
  std::optional<int> core;                          // pin to this core; refusal is no error, see ChildResult::core
  bool randomize_addresses = true;                  // ASLR: on for timing, off for counting
  Nanoseconds timeout = seconds(60);                // then SIGTERM to it and its group, SIGKILL after a grace
  std::optional<Nanoseconds> rest_of_budget = {};   // the limit where it is less than the timeout
  std::size_t output_limit = std::size_t{4} << 20;  // bytes kept of stdout (its beginning) and of stderr (its end)
  SharedConfinement confinement = {};               // of the program's code; null: it sees everything
  bool discards_output = false;                     // stdout is /dev/null, and nothing of it is kept
  bool ignore_failure = false;                      // whatever it exits with, it has succeeded
  // For run_invocations() alone: so many processes, one after the other, and before each of them, not timed, this line
  // for /bin/sh.
  int processes = 1;
  std::string prepare = {};
};

enum class ChildEnd {
  exited,
  signalled,
  timed_out,
  cancelled,
  not_run,  // of run_invocations() alone: what was to be prepared beside it was not
};

// What one process took.
struct ProcessUse {
  std::int64_t executed_ns = 0;  // from the moment that it replaced ours to its end
  Nanoseconds user_time;         // its own, and of what it waited for
  Nanoseconds system_time;
  std::int64_t peak_resident_bytes = 0;  // at least what we had when it was forked: see command_program.hpp
};

struct ChildResult {
  ChildEnd end = ChildEnd::exited;
  int exit_code = 0;         // where it exited
  int signal = 0;            // where a signal ended it
  std::string output;        // the beginning of stdout, up to output_limit
  std::string error_output;  // the end of stderr, up to output_limit
  bool output_truncated = false;
  int core = -1;                     // that it was pinned to; -1: not asked for, or refused by the system
  bool addresses_randomized = true;  // as asked for, unless the system refused
  std::int64_t started_at_unix_ns = 0;
  std::int64_t duration_ns = 0;               // from the fork to the end, by a monotonic clock
  Nanoseconds timeout;                        // its own limit
  std::optional<Nanoseconds> rest_of_budget;  // that it ran under instead; absent: its own was less
  std::int64_t voluntary_switches = 0;
  std::int64_t involuntary_switches = 0;
  std::int64_t minor_faults = 0;
  std::int64_t major_faults = 0;
  std::optional<std::int64_t> migrations;  // of its first thread; absent where the system does not tell
  ProcessUse use;
  std::vector<ProcessUse> uses;  // of each of several processes of one invocation; empty: there was one
  // Of what it started: lived on after its end and was ended by us (at least so many; 0 where we ended the child
  // itself), and could not be ended, as of another user's processes.
  int left_ended = 0;
  int left_running = 0;
  bool ignore_failure = false;  // of its command: whatever it exits with is a success

  bool succeeded() const { return end == ChildEnd::exited && (exit_code == 0 || ignore_failure); }
  // "exited with 3", "was ended by signal 11 (Segmentation fault)", "ran past its limit of 60 s", "ran past its limit
  // of 3 s, the rest of the budget; its own is 60 s"; with the last line of stderr where there is one: `exited with 3;
  // its last line of stderr: "no such table"`.
  std::string describe() const;
};

// Of the line in which OpenBLAS names its kernels, with OPENBLAS_VERBOSE=2: "Core: Haswell".
inline constexpr std::string_view kOpenBlasCoreMark = "Core: ";

// The last line that is not blank, without control characters, at most 300 bytes; empty where there is none.
std::string last_line(std::string_view text);

// The program's own executable with its arguments, environment, folder and confinement.
ChildCommand command_of(const Program& program);

// Error (input): the executable is missing, a folder, not executable, of a foreign format, its interpreter is missing;
// the working directory cannot be entered. Error (program): the system refused a process or a pipe.
// `cancelled` may be null; a child that was running when it turned true ends as ChildEnd::cancelled.
Result<ChildResult> run_child(const ChildCommand& command, const std::atomic<bool>* cancelled = nullptr);

// All at once, in this order of start; results in the same order. One that cannot be started does not stop the others.
std::vector<Result<ChildResult>> run_children(const std::vector<ChildCommand>& commands,
                                              const std::atomic<bool>* cancelled = nullptr);

// As run_children, with as many processes of each command as it asks for, all commands at once each time, and what each
// asks for before. Of several processes the result has the sum of durations and counts, and each one's use. One that
// does not succeed ends the invocation, as its result. Error (program): what comes before this command did not succeed;
// then the others end as ChildEnd::not_run. Cancelled while that ran, every command ends as ChildEnd::cancelled.
std::vector<Result<ChildResult>> run_invocations(const std::vector<ChildCommand>& commands,
                                                 const std::atomic<bool>* cancelled);

// What a child left at `file`: at most `most` bytes, of its beginning or its end. A program decides what lies there, so
// that a link is not followed, and a pipe or a device not read. Error (program): `found` says what was there instead.
enum class PartOfFile { beginning, end };
Result<std::string> read_left_file(const std::filesystem::path& file, std::size_t most,
                                   PartOfFile part = PartOfFile::beginning);

// Absolute path of an executable by the caller's PATH ("valgrind"); absent where there is none. A name with a slash is
// taken as a path.
std::optional<std::filesystem::path> find_in_path(std::string_view name);

// The environment variables a child process gets: an allow-list of the caller's, and what the Program names. A variable
// that nobody named must not decide a verdict (BENCHMARK_FILTER and LD_PRELOAD would), and the size of the environment
// moves the stack.
// The caller's PATH, HOME, LANG, LC_*, TMPDIR, LD_LIBRARY_PATH, TZ and thread counts, where set; then
// program.environment, which wins.
std::map<std::string, std::string> child_environment(const Program& program);

}  // namespace steelyard::bench
