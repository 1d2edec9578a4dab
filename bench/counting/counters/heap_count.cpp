#include "bench/counting/counters/heap_count.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "bench/counting/benchmark_count.hpp"
#include "bench/counting/collection.hpp"
#include "bench/model/benchmark_id.hpp"
#include "bench/runner/benchmark_listing.hpp"
#include "bench/runner/child_process.hpp"

namespace steelyard::bench {
namespace {

Error no_heap(std::string why, std::string fix = "") { return program_error("", std::move(why), "", std::move(fix)); }

Result<ChildCommand> command_for(const CollectionPlace& place, const CollectionRequest& request,
                                 const CollectionFiles& files) {
  std::vector<std::string> program = {place.link.string()};
  program.insert(program.end(), place.program->arguments.begin(), place.program->arguments.end());
  for (const char* option : {"--benchmark_min_time=0", "--benchmark_repetitions=1", "--benchmark_out=/dev/null"}) {
    program.emplace_back(option);
  }
  program.push_back("--benchmark_filter=" + exact_filter({request.benchmark}));
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
  command.environment = counting_environment(watched, {place.shim_link, files.report(), request.iterations}, program);
  command.working_directory = place.program->working_directory;
  command.confinement = place.program->confinement;
  command.randomize_addresses = false;
  STEELYARD_TRY(command.timeout, place.limits.time_for_one());
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

Result<HeapCollection> collect_heap(const CollectionPlace& place, const CollectionRequest& request) {
  const CollectionFiles files(place.folder, request.number);
  STEELYARD_TRY(const ChildCommand command, command_for(place, request, files));
  STEELYARD_TRY(const ChildResult child, run_child(command, place.limits.cancelled));
  if (!child.succeeded()) return explain_end(child, read_beginning(files.log()), place.tools->valgrind_version);
  const std::optional<ShimReport> report = parse_shim_report(read_beginning(files.report()));
  const std::optional<HeapRecord> record = parse_heap_record(read_beginning(files.results()));
  if (!report || !record) {
    return why_not_loaded(place, "the library that counts allocations",
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

namespace {

// One repeat shows that they are equal; several threads have more to show.
constexpr int kMinRepeats = 2;
constexpr std::string_view kKeepsMemory = "count.keeps_memory";

class HeapCounting {
 public:
  HeapCounting(const CollectionPlace& place, const std::string& benchmark, std::int64_t iterations,
               const BenchmarkCountOptions& options)
      : place_(place), benchmark_(benchmark), iterations_(iterations), options_(options) {}

  Result<HeapCount> run() {
    const int repeats = std::max(options_.repeats, options_.threads > 1 ? kLearningRepeats : kMinRepeats);
    HeapCount count;
    for (int repeat = 0; repeat < repeats; ++repeat) {
      STEELYARD_TRY(const HeapCollection smaller, collect(iterations_));
      STEELYARD_TRY(const HeapCollection larger, collect(2 * iterations_));
      STEELYARD_CHECK(add_pair(smaller, larger, count));
    }
    return count;
  }

 private:
  Result<HeapCollection> collect(std::int64_t iterations) {
    CollectionRequest request;
    request.benchmark = benchmark_;
    request.iterations = iterations;
    request.number = options_.next_number();
    Result<HeapCollection> collection = collect_heap(place_, request);
    if (!collection) return place_.limits.unless_late(collection.error());
    return collection;
  }

  const CollectionPlace& place_;
  const std::string& benchmark_;
  std::int64_t iterations_;
  const BenchmarkCountOptions& options_;
};

void add_metric(std::string_view name, const std::vector<double>& values, std::int64_t iterations,
                const Measurement& instructions, std::uint32_t invocation, Run& run) {
  Measurement measurement;
  measurement.benchmark = instructions.benchmark;
  measurement.metric = *well_known_metric(name);
  measurement.count_key = instructions.count_key;
  measurement.count_basis =
      basis_of_repeats({CountScope::timed_region, instructions.benchmark.threads.value_or(1), values});
  measurement.invocations.push_back({invocation, values, std::vector<std::int64_t>(values.size(), iterations)});
  run.measurements.push_back(std::move(measurement));
}

}  // namespace

Result<void> add_pair(const HeapCollection& smaller, const HeapCollection& larger, HeapCount& count) {
  const std::int64_t iterations = larger.iterations - smaller.iterations;
  if (iterations <= 0) return no_heap("twice the iterations were not more of them");
  if (larger.record.allocations < smaller.record.allocations || larger.record.bytes < smaller.record.bytes) {
    return no_heap("twice the iterations allocated less", "let every iteration do the same work");
  }
  const auto each = [&](std::uint64_t more, std::uint64_t less) {
    return static_cast<double>(more - less) / static_cast<double>(iterations);
  };
  if (count.allocations.empty()) count.started_at_unix_ns = smaller.started_at_unix_ns;
  count.duration_ns += smaller.duration_ns + larger.duration_ns;
  count.allocations.push_back(each(larger.record.allocations, smaller.record.allocations));
  count.bytes.push_back(each(larger.record.bytes, smaller.record.bytes));
  count.peak_bytes.push_back(static_cast<double>(smaller.record.peak_bytes));
  count.iterations = iterations;
  count.peak_iterations = smaller.iterations;
  count.keeps_memory = count.keeps_memory || larger.record.peak_bytes > smaller.record.peak_bytes;
  return {};
}

Result<HeapCount> count_heap(const CollectionPlace& place, const std::string& benchmark, std::int64_t iterations,
                             const BenchmarkCountOptions& options) {
  return HeapCounting(place, benchmark, iterations, options).run();
}

void add_heap(const Result<HeapCount>& count, const Measurement& instructions, Run& run) {
  if (!count) {
    const Error& error = count.error();
    const std::string reason = error.found + (error.fix.empty() ? "" : "; " + error.fix);
    run.failures.push_back({instructions.benchmark, "heap_allocations", -1, reason, failure_kind_of(error)});
    return;
  }
  Invocation invocation;
  invocation.started_at_unix_ns = count->started_at_unix_ns;
  invocation.duration_ns = count->duration_ns;
  const auto index = static_cast<std::uint32_t>(run.invocations.size());
  run.invocations.push_back(invocation);
  add_metric("heap_allocations", count->allocations, count->iterations, instructions, index, run);
  add_metric("heap_bytes", count->bytes, count->iterations, instructions, index, run);
  add_metric("heap_peak_bytes", count->peak_bytes, count->peak_iterations, instructions, index, run);
  if (!count->keeps_memory) return;
  const std::string* others = run.environment.find(std::string(kKeepsMemory));
  const std::string note =
      name_as_given(instructions.benchmark.canonical()) + " holds more the more iterations it makes";
  run.environment.set(std::string(kKeepsMemory), others == nullptr ? note : *others + "; " + note, false);
}

}  // namespace steelyard::bench
