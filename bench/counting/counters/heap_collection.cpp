#include "bench/counting/counters/heap_collection.hpp"

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "bench/counting/collection_failure.hpp"
#include "bench/counting/collection_files.hpp"
#include "bench/counting/counting_environment.hpp"
#include "bench/runner/benchmark_listing.hpp"
#include "bench/runner/child_process.hpp"

namespace steelyard {
namespace {

Error no_heap(std::string why, std::string mend = "") { return program_error("", std::move(why), "", std::move(mend)); }

ChildCommand command_for(const CollectionPlace& place, const CollectionOrder& order, const CollectionFiles& files) {
  std::vector<std::string> program = {place.link.string()};
  program.insert(program.end(), place.program->arguments.begin(), place.program->arguments.end());
  for (const char* option : {"--benchmark_min_time=0", "--benchmark_repetitions=1", "--benchmark_out=/dev/null"}) {
    program.emplace_back(option);
  }
  program.push_back("--benchmark_filter=" + exact_filter({order.benchmark}));
  Program watched = *place.program;
  std::string& preload = watched.environment["LD_PRELOAD"];
  preload = (place.folder / kHeapLibrary).string() + (preload.empty() ? "" : ":" + preload);
  // The place of the program's own results is free: they go to /dev/null.
  watched.environment["STEELYARD_HEAP_REPORT"] = files.results().string();

  ChildCommand command;
  command.executable = place.tools->valgrind;
  command.arguments = {"--tool=none", "--fair-sched=yes", "--vgdb=no", "--child-silent-after-fork=yes",
                       "--log-file=" + files.log().string()};
  command.arguments.insert(command.arguments.end(), program.begin(), program.end());
  command.environment = counting_environment(watched, {place.shim_link, files.report(), order.iterations}, program);
  command.working_directory = place.program->working_directory;
  command.randomize_addresses = false;
  command.timeout = order.timeout;
  return command;
}

}  // namespace

std::optional<HeapRecord> parse_heap_record(std::string_view bytes) {
  HeapRecord record = {};
  if (bytes.size() != sizeof record) return std::nullopt;
  std::memcpy(&record, bytes.data(), sizeof record);
  if (record.mark != kHeapRecordMark || record.live_bytes > record.peak_bytes) return std::nullopt;
  return record;
}

Result<HeapCollection> collect_heap(const CollectionPlace& place, const CollectionOrder& order) {
  const CollectionFiles files(place.folder, order.number);
  STEELYARD_TRY(const ChildResult child, run_child(command_for(place, order, files), place.cancelled));
  if (!child.succeeded()) return explain_end(child, read_beginning(files.log()), place.tools->valgrind_version);
  const std::optional<ShimReport> report = parse_shim_report(read_beginning(files.report()));
  const std::optional<HeapRecord> record = parse_heap_record(read_beginning(files.results()));
  if (!report || !record) {
    return no_heap("the library that counts allocations could not be loaded into the program",
                   "a statically linked program cannot be watched so: link libc dynamically");
  }
  std::string wrong = what_is_wrong(*report, child.output + child.error_output);
  if (!wrong.empty()) return no_heap(std::move(wrong));
  if (record->is_the_allocator == 0) {
    return no_heap("the program has a malloc of its own inside, which cannot be watched",
                   "link the allocator as a shared library, or none");
  }
  if (record->regions == 0) return no_heap("the clock of the benchmark was not seen to run");
  if (record->untracked > 0) return no_heap("there was no memory left to keep the sizes of its blocks");
  return HeapCollection{*record, report->iterations, child.started_at_unix_ns, child.duration_ns};
}

}  // namespace steelyard
