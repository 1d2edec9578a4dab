#include "bench/counting/unwrapped_collection.hpp"

#include <numeric>
#include <optional>
#include <utility>

#include "bench/counting/collection_failure.hpp"
#include "bench/formats/google_benchmark.hpp"
#include "bench/runner/benchmark_listing.hpp"

namespace steelyard {
namespace {

constexpr Nanoseconds kProbeTimeout = seconds(30);
// Does nothing, under every Linux.
constexpr const char* kEmptyProgram = "/bin/true";

// What Google Benchmark 1.5 to 1.9 calls a benchmark through, whatever form it was registered in. Virtual, so they are
// there in every program that has symbols. Callgrind turns collection on where one is entered and off where it is left.
constexpr const char* kRunsABenchmark[] = {"benchmark::internal::FunctionBenchmark::Run(benchmark::State&)",
                                           "benchmark::internal::LambdaBenchmark<*>::Run(benchmark::State&)",
                                           "benchmark::Fixture::Run(benchmark::State&)"};

Error no_count(std::string why) { return program_error("", std::move(why), "", ""); }

CallgrindCall call_for(const UnwrappedOrder& order, const CollectionFiles& files) {
  CallgrindCall call;
  if (order.scope == CountScope::whole_functions) {
    call.options.emplace_back("--collect-atstart=no");
    for (const char* function : kRunsABenchmark) call.options.push_back(std::string("--toggle-collect=") + function);
  }
  call.program_arguments = {"--benchmark_filter=" + exact_filter({order.benchmark}),
                            "--benchmark_min_time=" + order.min_time,
                            "--benchmark_repetitions=" + std::to_string(order.repetitions),
                            "--benchmark_out=" + files.results().string(), "--benchmark_out_format=json"};
  call.timeout = order.timeout;
  return call;
}

Result<std::int64_t> read_iterations(const CollectionFiles& files) {
  const std::string text = read_beginning(files.results());
  if (text.empty()) return no_count("the program wrote no results");
  STEELYARD_TRY(const GoogleBenchmarkFile results, parse_google_benchmark(text, "the program's results"));
  if (!results.failures.empty()) return no_count(results.failures.front().reason);
  for (const Measurement& measurement : results.measurements) {
    if (measurement.metric.name != kRealTime || measurement.invocations.empty()) continue;
    const std::vector<std::int64_t>& iterations = measurement.invocations.front().iterations;
    return std::accumulate(iterations.begin(), iterations.end(), std::int64_t{0});
  }
  return no_count("the program's results hold no benchmark of that name");
}

// "==123== Callgrind, ..." -> "123"
std::string process_of(const std::string& log) {
  constexpr std::string_view kMark = "==";
  if (!log.starts_with(kMark)) return "";
  const std::size_t end = log.find_first_not_of("0123456789", kMark.size());
  return end == std::string::npos ? "" : log.substr(kMark.size(), end - kMark.size());
}

}  // namespace

Result<UnwrappedCollection> collect_unwrapped(const CollectionPlace& place, const UnwrappedOrder& order) {
  const CollectionFiles files(place.folder, order.number);
  STEELYARD_TRY(const ChildResult child,
                run_child(callgrind_command(place, files, call_for(order, files)), place.cancelled));
  const std::string log = read_beginning(files.log());
  if (!child.succeeded()) return explain_end(child, log, place.tools->valgrind_version);
  UnwrappedCollection collection;
  STEELYARD_TRY(collection.iterations, read_iterations(files));
  STEELYARD_TRY(std::vector<CallgrindPart> parts, read_callgrind(files.profile(process_of(log))));
  if (parts.size() != 1 || parts.front().events.empty()) return no_count("Callgrind left no profile");
  collection.part = std::move(parts.front());
  collection.openblas_core = openblas_core_of(child.error_output);
  collection.started_at_unix_ns = child.started_at_unix_ns;
  collection.duration_ns = child.duration_ns;
  return collection;
}

ShimReport conditions_outside(const CollectionPlace& place, int number) {
  const CollectionFiles files(place.folder, number);
  ChildCommand command;
  command.executable = place.tools->valgrind;
  command.arguments = {"--tool=none", "--vgdb=no", "--log-file=" + files.log().string(), kEmptyProgram};
  command.environment = counting_environment({}, {place.shim_link, files.report(), 1}, {kEmptyProgram});
  command.timeout = kProbeTimeout;
  const Result<ChildResult> child = run_child(command, place.cancelled);
  ShimReport conditions;
  if (!child || !child->succeeded()) return conditions;
  const std::optional<ShimReport> report = parse_shim_report(read_beginning(files.report()));
  if (report) conditions.cpu = report->cpu;  // libc and malloc are those of the empty program
  return conditions;
}

}  // namespace steelyard
