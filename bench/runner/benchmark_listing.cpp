#include "bench/runner/benchmark_listing.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <set>
#include <string_view>

#include "bench/model/extended_expression.hpp"
#include "bench/runner/child_process.hpp"
#include "bench/runner/command_program.hpp"
#include "bench/runner/core_choice.hpp"

namespace steelyard::bench {
namespace {

// What every version from 1.5 on says where no benchmark matches. A program that says it is one of Google Benchmark's,
// and has taken every option before it. Asking for the listing alone proves nothing: echo would "list" our options.
constexpr std::string_view kNothingMatched = "Failed to match any benchmarks";
// What 1.5 to 1.7 say of "0.02s"; a main of the user's that lets unknown options pass goes on after it.
constexpr std::string_view kNoDouble = "is expected to be a double";
// What every version says of a filter that it cannot compile; it ends with 0 then, and lists nothing.
constexpr std::string_view kNoRegularExpression = "Could not compile benchmark re";
constexpr std::string_view kMatchesNothing = "^steelyard: no benchmark has this name$";
constexpr std::string_view kWanted = "a program built on Google Benchmark";
constexpr std::string_view kFix =
    "name a program whose main is Google Benchmark's, e.g. one linked with benchmark_main; any other is measured as it "
    "is by --command";

std::vector<std::string> output_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty()) lines.emplace_back(line);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

// Tells a benchmark program that cannot even start from a program of another kind.
bool mentions_google_benchmark(const std::filesystem::path& executable) {
  constexpr std::size_t kBlock = std::size_t{1} << 20;
  constexpr std::size_t kMaxBlocks = 1024;
  constexpr std::array<std::string_view, 2> kMarks = {"benchmark_list_tests", "libbenchmark"};
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(executable, ignored)) return false;  // a pipe would be waited for
  std::ifstream file(executable, std::ios::binary);
  std::string window;
  for (std::size_t block = 0; file && block < kMaxBlocks; ++block) {
    // The end of the last block is kept, so that a mark on the border is seen.
    window.erase(0, window.size() - std::min(window.size(), kMarks[0].size()));
    const std::size_t kept = window.size();
    window.resize(kept + kBlock);
    file.read(window.data() + kept, kBlock);
    window.resize(kept + static_cast<std::size_t>(file.gcount()));
    for (const std::string_view mark : kMarks) {
      if (window.find(mark) != std::string::npos) return true;
    }
  }
  return false;
}

Error listing_error(const ChildCommand& command, const ChildResult& child) {
  const std::string where = command.executable.string();
  const bool refused = child.end == ChildEnd::exited;
  if (!refused || (child.exit_code != 0 && mentions_google_benchmark(command.executable))) {
    return program_error(where, "when asked for its benchmarks it " + child.describe(), "their names",
                         "run it by hand with --benchmark_list_tests=true");
  }
  const std::string line = last_line(child.error_output.empty() ? child.output : child.error_output);
  std::string found = "a program that does not know Google Benchmark's options";
  if (child.exit_code != 0) found += " and exited with " + std::to_string(child.exit_code);
  if (!line.empty()) found += ", saying \"" + line + "\"";
  return input_error(where, found, std::string(kWanted), std::string(kFix));
}

Result<ChildResult> ask_names(ChildCommand command, const std::string& filter, const std::atomic<bool>* cancelled) {
  command.arguments.insert(command.arguments.end(), {"--benchmark_list_tests=true", "--benchmark_format=console"});
  if (!filter.empty()) command.arguments.push_back("--benchmark_filter=" + filter);
  return run_child(command, cancelled);
}

// The option's default, told by a variable: one that takes no unit says so and goes on, where the option would end it.
Result<ChildResult> ask_for_nothing(ChildCommand command, const std::atomic<bool>* cancelled) {
  command.environment["BENCHMARK_MIN_TIME"] = "0.02s";
  command.environment["OPENBLAS_VERBOSE"] = "2";
  return ask_names(std::move(command), std::string(kMatchesNothing), cancelled);
}

Result<ChildResult> ask_for_all(ChildCommand command, const std::string& filter, bool with_unit,
                                const std::atomic<bool>* cancelled) {
  command.arguments.push_back(std::string("--benchmark_min_time=0.02") + (with_unit ? "s" : ""));
  return ask_names(std::move(command), filter, cancelled);
}

// What a program that takes no unit ends with when the option has one: Google Benchmark's words, or those of a main
// that reads the option itself. One that ended for another reason said nothing of units.
bool refuses_unit(const ChildResult& child) {
  const auto says = [&child](std::string_view text) { return child.error_output.find(text) != std::string::npos; };
  return says(kNoDouble) || (child.end == ChildEnd::exited && child.exit_code != 0 && says("min_time"));
}

bool reported_no_match(const ChildResult& child) {
  return child.end == ChildEnd::exited && (child.error_output.find(kNothingMatched) != std::string::npos ||
                                           child.output.find(kNothingMatched) != std::string::npos);
}

// Options of programs that link steelyard::bench_main, and of our own suites (bench/profile/spans): what is recorded
// beside a time is in it. A command may hold them within a line for the shell.
Result<void> check_records_nothing(const Program& program) {
  for (const std::string& argument : program.arguments) {
    for (const std::string_view option : {"--steelyard_profile", "--steelyard_samples", "--steelyard_spans"}) {
      const std::size_t at = argument.find(option);
      if (at != 0 && (at == std::string::npos || !program.command)) continue;
      return input_error(program.executable.string(), std::string(option) + " among its arguments",
                         "a program that records nothing while it is measured",
                         "leave it out, and run the program with it by itself; ab and gate record what regressed with "
                         "--profile-on-regression FOLDER");
    }
  }
  return {};
}

// `command` holds the user's own arguments; ours follow and win. `filter` empty: the user's own, if any. Two short
// processes, three where one had to fail to show which min_time it takes; benchmarks have no suite. Error (input):
// cannot be executed, no Google Benchmark program; (program): it crashes or hangs.
Result<ProgramListing> list_program(const ChildCommand& command, const std::string& filter,
                                    const std::atomic<bool>* cancelled) {
  STEELYARD_TRY(const ChildResult nothing, ask_for_nothing(command, cancelled));
  if (!reported_no_match(nothing)) return listing_error(command, nothing);
  ProgramListing listing;
  listing.min_time_takes_unit = nothing.error_output.find(kNoDouble) == std::string::npos;
  listing.openblas_core = openblas_core_of(nothing.error_output);
  listing.core = nothing.core;
  listing.start = nanoseconds(static_cast<double>(nothing.duration_ns));

  STEELYARD_TRY(ChildResult listed, ask_for_all(command, filter, listing.min_time_takes_unit, cancelled));
  // It may read no variables.
  if (listing.min_time_takes_unit && refuses_unit(listed)) {
    listing.min_time_takes_unit = false;
    if (!listed.succeeded()) {
      STEELYARD_TRY(listed, ask_for_all(command, filter, false, cancelled));
    }
  }
  if (!filter.empty() && listed.error_output.find(kNoRegularExpression) != std::string::npos) {
    return input_error("--filter",
                       '"' + filter + "\", which is no regular expression (" + last_line(listed.error_output) + ')',
                       "one, as " + command.executable.string() + " takes it", fix_of_open(left_open(filter)));
  }
  if (!listed.succeeded() && !reported_no_match(listed)) return listing_error(command, listed);
  if (listed.output_truncated) {
    return input_error(command.executable.string(), "a list of benchmarks above " + to_text(Bytes(4 << 20)),
                       "a shorter one", "choose fewer with a filter");
  }
  // What the program prints of itself, whether or not it has anything to list, is no name.
  const std::vector<std::string> chatter = output_lines(nothing.output);
  std::set<std::string> seen(chatter.begin(), chatter.end());
  for (std::string& line : output_lines(listed.output)) {
    if (line.find(kNothingMatched) == std::string::npos && seen.insert(line).second) {
      listing.benchmarks.push_back(listed_benchmark(std::move(line), ""));
    }
  }
  return listing;
}

}  // namespace

std::string openblas_core_of(std::string_view error_output) {
  const std::size_t start =
      error_output.starts_with(kOpenBlasCoreMark) ? 0 : error_output.find("\n" + std::string(kOpenBlasCoreMark));
  if (start == std::string_view::npos) return "";
  std::string_view core = error_output.substr(error_output.find(kOpenBlasCoreMark, start) + kOpenBlasCoreMark.size());
  core = core.substr(0, core.find_first_of("\r\n \t"));
  constexpr std::size_t kLongestCore = 40;  // names of CPU families
  return std::string(core.substr(0, kLongestCore));
}

std::string exact_filter(const std::vector<std::string>& names) {
  // Not "]" and "}": alone they are ordinary, and POSIX dialects refuse them escaped.
  constexpr std::string_view kSpecial = "\\.^$|()[{*+?";
  std::string filter;
  for (const std::string& name : names) {
    filter += filter.empty() ? "^" : "|^";
    for (const char c : name) {
      if (kSpecial.find(c) != std::string_view::npos) filter += '\\';
      filter += c;
    }
    filter += '$';
  }
  return filter;
}

Result<ListedProgram> list_benchmarks(const Program& program, const MeasuringSettings& settings,
                                      const std::atomic<bool>* cancelled) {
  STEELYARD_CHECK(check_records_nothing(program));
  const std::optional<int> core = choose_cores(settings.layout).first();
  const auto list = [&]() -> Result<ProgramListing> {
    if (program.command) return list_command(program, core, settings, cancelled);
    ChildCommand command = command_of(program);
    command.timeout = settings.timeout;
    command.core = core;
    return list_program(command, settings.filter, cancelled);
  };
  ListedProgram listed{program};
  Result<ProgramListing> listing = list();
  if (listing) {
    listed.listing = std::move(listing).value();
    for (ListedBenchmark& benchmark : listed.listing.benchmarks) benchmark.id.suite = program.suite;
  } else if (listing.error().kind == ErrorKind::program) {
    listed.trouble = listing.error();
  } else {
    return listing.error();
  }
  return listed;
}

}  // namespace steelyard::bench
