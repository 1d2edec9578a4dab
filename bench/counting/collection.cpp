#include "bench/counting/collection.hpp"

#include <optional>
#include <utility>

#include "bench/counting/collection_failure.hpp"
#include "bench/counting/collection_files.hpp"
#include "bench/counting/counters/cache_model.hpp"
#include "bench/counting/counting_environment.hpp"
#include "bench/counting/net_profile.hpp"
#include "bench/runner/benchmark_listing.hpp"
#include "bench/runner/child_process.hpp"

namespace steelyard {
namespace {

std::vector<std::string> program_arguments(const CollectionOrder& order) {
  std::vector<std::string> arguments = {"--benchmark_filter=" + exact_filter({order.benchmark})};
  // One pass is enough for the program as well; 0 is a plain number, as 1.5 to 1.7 want it, and later ones take it.
  arguments.push_back("--benchmark_min_time=0");
  arguments.push_back("--benchmark_repetitions=1");
  // A file that the user's own arguments name must not be overwritten; a program with a reporter for it wants one.
  arguments.push_back("--benchmark_out=/dev/null");
  return arguments;
}

Error no_count(std::string why, std::string mend = "") {
  return program_error("", std::move(why), "", std::move(mend));
}

Result<CallgrindPart> read_profile(const CollectionFiles& files, const ShimReport& report) {
  STEELYARD_TRY(std::vector<CallgrindPart> parts,
                read_callgrind(files.profile(std::to_string(report.process)), {.keep_positions = true}));
  if (parts.size() != 1 || parts.front().events.empty()) return no_count("Callgrind left no profile");
  remove_shim(parts.front());
  if (parts.front().totals.front() <= 0) return no_count("no instruction was collected inside the timed loop");
  return std::move(parts.front());
}

}  // namespace

ChildCommand callgrind_command(const CollectionPlace& place, const CollectionFiles& files, const CallgrindCall& call) {
  std::vector<std::string> program = {place.link.string()};
  program.insert(program.end(), place.program->arguments.begin(), place.program->arguments.end());
  program.insert(program.end(), call.program_arguments.begin(), call.program_arguments.end());

  ChildCommand command;
  command.executable = place.tools->valgrind;
  command.arguments = {"--tool=callgrind",
                       "--separate-recs=1",  // f called by f is f; the reader knows cycles
                       "--fair-sched=yes",   // of several threads: fewer different counts
                       "--vgdb=no",          // no pipes in /tmp
                       "--child-silent-after-fork=yes",
                       "--log-file=" + files.log().string(),
                       "--callgrind-out-file=" + files.profile("%p")};
  command.arguments.insert(command.arguments.end(), call.options.begin(), call.options.end());
  const std::vector<std::string> simulation = simulation_options(place.counters);
  command.arguments.insert(command.arguments.end(), simulation.begin(), simulation.end());
  command.arguments.insert(command.arguments.end(), program.begin(), program.end());
  command.environment = counting_environment(*place.program, call.environment, program);
  command.working_directory = place.program->working_directory;
  command.randomize_addresses = false;
  command.timeout = call.timeout;
  return command;
}

Result<Collection> collect(const CollectionPlace& place, const CollectionOrder& order) {
  const CollectionFiles files(place.folder, order.number);
  CallgrindCall call;
  call.options = {"--collect-atstart=no",
                  "--dump-instr=yes"};  // costs by address, from which inlined functions are known
  if (order.trace_files) call.options.emplace_back("--trace-syscalls=yes");
  call.program_arguments = program_arguments(order);
  call.environment = {place.shim_link, files.report(), order.iterations};
  call.timeout = order.timeout;
  STEELYARD_TRY(const ChildResult child, run_child(callgrind_command(place, files, call), place.cancelled));
  if (!child.succeeded()) {
    return explain_end(child, without_trace(read_ending(files.log())), place.tools->valgrind_version);
  }
  const std::string log = order.trace_files ? read_beginning(files.log()) : "";

  Collection collection;
  const std::optional<ShimReport> report = parse_shim_report(read_beginning(files.report()));
  if (!report) {
    collection.nothing_wrapped =
        no_count("the counting library could not be loaded into the program",
                 "a statically linked program cannot be counted exactly: link libc dynamically, or "
                 "steelyard::bench_main");
    return collection;
  }
  collection.report = *report;
  const std::string output = child.output + child.error_output;
  std::string wrong = what_is_wrong(*report, output);
  if (hides_its_clock(*report, output)) {
    collection.nothing_wrapped = no_count(std::move(wrong));
    return collection;
  }
  if (!wrong.empty()) return no_count(std::move(wrong));
  STEELYARD_TRY(collection.part, read_profile(files, *report));
  collection.openblas_core = openblas_core_of(child.error_output);
  if (order.trace_files) {
    collection.inputs = parse_opened_files(log, *place.program, place.folder);
    if (log.size() >= kMaximumTextBytes) collection.inputs.unknown = "it makes more system calls than are looked at";
  }
  collection.started_at_unix_ns = child.started_at_unix_ns;
  collection.duration_ns = child.duration_ns;
  return collection;
}

std::string openblas_core_of(std::string_view error_output) {
  constexpr std::string_view kMark = "Core: ";
  const std::size_t start =
      error_output.starts_with(kMark) ? 0 : error_output.find(std::string("\n") + std::string(kMark));
  if (start == std::string_view::npos) return "";
  std::string_view core = error_output.substr(error_output.find(kMark, start) + kMark.size());
  core = core.substr(0, core.find_first_of("\r\n \t"));
  constexpr std::size_t kLongestCore = 40;  // names of CPU families
  return std::string(core.substr(0, kLongestCore));
}

}  // namespace steelyard
