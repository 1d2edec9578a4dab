#include "bench/counting/unwrapped_count.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "bench/counting/benchmark_count.hpp"
#include "bench/counting/net_profile.hpp"
#include "bench/environment/elf_file.hpp"
#include "bench/runner/child_process.hpp"

namespace steelyard::bench {
namespace {

constexpr Nanoseconds kProbeTimeout = seconds(30);
// Does nothing, under every Linux.
constexpr const char* kEmptyProgram = "/bin/true";

// What Google Benchmark 1.5 to 1.9 calls a benchmark through, whatever form it was registered in. Virtual, so they are
// there in every program that has symbols. Callgrind turns collection on where one is entered and off where it is left.
constexpr const char* kRunsABenchmark[] = {"benchmark::internal::FunctionBenchmark::Run(benchmark::State&)",
                                           "benchmark::internal::LambdaBenchmark<*>::Run(benchmark::State&)",
                                           "benchmark::Fixture::Run(benchmark::State&)"};

// Of Google Benchmark, in mangled names.
constexpr std::string_view kNamespace = "9benchmark";

Error nothing_counted(std::string why) { return program_error("", std::move(why), "", ""); }

CallgrindCall call_for(const UnwrappedRequest& request, const CollectionFiles& files) {
  CallgrindCall call;
  if (request.scope == CountScope::whole_functions) {
    call.options.emplace_back("--collect-atstart=no");
    for (const char* function : kRunsABenchmark) call.options.push_back(std::string("--toggle-collect=") + function);
  }
  call.program_arguments = arguments_with_results(files, request.work);
  return call;
}

// "==123== Callgrind, ..." -> "123"
std::string process_of(const std::string& log) {
  constexpr std::string_view kMark = "==";
  if (!log.starts_with(kMark)) return "";
  const std::size_t end = log.find_first_not_of("0123456789", kMark.size());
  return end == std::string::npos ? "" : log.substr(kMark.size(), end - kMark.size());
}

}  // namespace

Result<UnwrappedCollection> collect_unwrapped(const CollectionPlace& place, const UnwrappedRequest& request) {
  const CollectionFiles files(place.folder, request.number);
  STEELYARD_TRY(const ChildCommand command, callgrind_command(place, files, call_for(request, files)));
  STEELYARD_TRY(const ChildResult child, run_child(command, place.limits.cancelled));
  const std::string log = read_beginning(files.log());
  if (!child.succeeded()) return explain_end(child, log, place.tools->valgrind_version);
  UnwrappedCollection collection;
  STEELYARD_TRY(const ReportedWork work, read_work(files, child.error_output));
  collection.iterations = work.iterations;
  STEELYARD_TRY(std::vector<CallgrindPart> parts, read_callgrind(files.profile(process_of(log)), {.is_left = true}));
  if (parts.size() != 1 || parts.front().events.empty()) return nothing_counted("Callgrind left no profile");
  collection.part = std::move(parts.front());
  collection.openblas_core = openblas_core_of(child.error_output);
  collection.started_at_unix_ns = child.started_at_unix_ns;
  collection.duration_ns = child.duration_ns;
  return collection;
}

bool has_no_names_of_google_benchmark(const Program& program) {
  const Result<MappedFile> file = MappedFile::open(program.executable);
  if (!file) return false;
  const Result<ElfFile> elf = read_elf(file->bytes());
  if (!elf) return false;
  const std::vector<ElfSymbol> symbols = elf->symbols();
  return std::none_of(symbols.begin(), symbols.end(),
                      [](const ElfSymbol& symbol) { return symbol.name.find(kNamespace) != std::string_view::npos; });
}

ShimReport conditions_outside(const CollectionPlace& place, int number) {
  const CollectionFiles files(place.folder, number);
  ChildCommand command;
  command.executable = place.tools->valgrind;
  command.arguments = {"--tool=none", "--vgdb=no", "--log-file=" + files.log().string(), kEmptyProgram};
  command.environment = counting_environment({}, {place.shim_link, files.report(), 1}, {kEmptyProgram});
  command.timeout = kProbeTimeout;
  const Result<ChildResult> child = run_child(command, place.limits.cancelled);
  ShimReport conditions;
  if (!child || !child->succeeded()) return conditions;
  const std::optional<ShimReport> report = parse_shim_report(read_beginning(files.report()));
  if (report) conditions.cpu = report->cpu;  // libc and malloc are those of the empty program
  return conditions;
}

ShimReport known_conditions_outside(const CollectionPlace& place, const BenchmarkCountOptions& options) {
  ProgramFindings* const findings = place.findings;
  if (findings != nullptr) {
    if (const auto known = findings->conditions_outside()) return *known;
  }
  ShimReport found = conditions_outside(place, options.next_number());
  if (findings != nullptr && !found.cpu.empty()) findings->set_conditions_outside(found);
  return found;
}

namespace {

// Two ways to make a program do its work once and twice.
struct Way {
  CountScope scope = CountScope::whole_functions;
  bool by_iterations = true;  // false: by repetitions of one iteration with its set-up
};

WorkRequest work_of(const std::string& benchmark, const Way& way, std::int64_t n, int times) {
  if (way.by_iterations) return {benchmark, std::to_string(n * times) + "x", 1};
  return {benchmark, "0", times};
}

class UnwrappedCounting {
 public:
  UnwrappedCounting(const CollectionPlace& place, const std::string& benchmark, const BenchmarkCountOptions& options)
      : place_(place), benchmark_(benchmark), options_(options) {}

  Result<BenchmarkCount> run(const Error& why, const ShimReport& seen) {
    STEELYARD_TRY(const Way way, choose_way());
    while (static_cast<int>(count_.values.size()) < std::max(kUnwrappedRepeats, options_.repeats)) {
      STEELYARD_CHECK(add_repeat(way));
    }
    count_.basis = basis_of_repeats({way.scope, options_.threads, differences(), count_.values.size()});
    if (!way.by_iterations) count_.basis.jitter_from += "; with the set-up of each repetition";
    if (!why.fix.empty())
      count_.basis.jitter_from += "; " + why.found + ": " + why.fix;
    else
      count_.basis.jitter_from += "; " + why.found;
    Collection conditions;
    conditions.report = seen.libc.empty() ? known_conditions_outside(place_, options_) : seen;
    conditions.openblas_core = count_.openblas_core;
    count_.count_key = count_key(place_.tools->valgrind_version, conditions, place_.link);
    return std::move(count_);
  }

 private:
  // By what the program does when it is told to do its work once and twice. Where that is what is repeated, it serves
  // as the first repeat.
  Result<Way> choose_way() {
    Way way;
    way.by_iterations = place_.takes_iterations;
    if (place_.findings != nullptr && place_.findings->has_no_named_function()) way.scope = CountScope::whole_program;
    for (;;) {
      STEELYARD_TRY(const UnwrappedCollection once, collect_amount(way, 1, 1));
      if (count_.started_at_unix_ns == 0) count_.started_at_unix_ns = once.started_at_unix_ns;
      if (once.instructions() <= 0 && way.scope == CountScope::whole_functions) {
        way.scope = CountScope::whole_program;
        if (place_.findings != nullptr && has_no_names_of_google_benchmark(*place_.program)) {
          place_.findings->set_no_named_function();
        }
        continue;
      }
      STEELYARD_TRY(const UnwrappedCollection twice, collect_amount(way, 1, 2));
      if (once.iterations > 0 && twice.iterations == 2 * once.iterations) {
        if (way.by_iterations) n_ = choose_iterations(twice.instructions() - once.instructions());
        if (n_ == 1) STEELYARD_CHECK(add_repeat(once, twice));
        return way;
      }
      if (!way.by_iterations) {
        return program_error("", "neither the iterations of the benchmark nor its repetitions can be set from outside",
                             "", "leave Repetitions out of its definition");
      }
      way.by_iterations = false;
    }
  }

  Result<UnwrappedCollection> collect_amount(const Way& way, std::int64_t n, int times) {
    const UnwrappedRequest request{work_of(benchmark_, way, n, times), way.scope, options_.next_number()};
    Result<UnwrappedCollection> collection = collect_unwrapped(place_, request);
    if (!collection) return place_.limits.unless_late(collection.error());
    count_.duration_ns += collection->duration_ns;
    count_.openblas_core = collection->openblas_core;
    return collection;
  }

  Result<void> add_repeat(const Way& way) {
    STEELYARD_TRY(const UnwrappedCollection smaller, collect_amount(way, n_, 1));
    STEELYARD_TRY(const UnwrappedCollection larger, collect_amount(way, n_, 2));
    return add_repeat(smaller, larger);
  }

  Result<void> add_repeat(const UnwrappedCollection& smaller, const UnwrappedCollection& larger) {
    const CountedPair pair{smaller.iterations, smaller.instructions(), larger.iterations, larger.instructions()};
    if (pair.more_iterations <= pair.iterations || pair.more_instructions <= pair.instructions) {
      return program_error("", "twice the work did not cost more instructions", "",
                           "let every iteration do the same work");
    }
    count_.values.push_back(instructions_per_iteration(pair));
    pairs_.push_back(pair);
    count_.net_totals.push_back(net_totals(larger.part, smaller.part));
    if (count_.values.size() > 1) return {};
    count_.iterations = pair.more_iterations - pair.iterations;
    STEELYARD_TRY(count_.profile, subtract(larger.part, smaller.part));
    count_.profile.iterations = count_.iterations;
    return {};
  }

  // Of every smaller collection to every larger one: which two were made one after the other says nothing.
  std::vector<double> differences() const {
    std::vector<double> values;
    for (const CountedPair& a : pairs_) {
      for (const CountedPair& b : pairs_) {
        values.push_back(
            instructions_per_iteration({a.iterations, a.instructions, b.more_iterations, b.more_instructions}));
      }
    }
    return values;
  }

  const CollectionPlace& place_;
  const std::string& benchmark_;
  const BenchmarkCountOptions& options_;
  std::int64_t n_ = 1;
  std::vector<CountedPair> pairs_;
  BenchmarkCount count_;
};

}  // namespace

Result<BenchmarkCount> count_unwrapped(const CollectionPlace& place, const std::string& benchmark,
                                       const BenchmarkCountOptions& options, const Error& why, const ShimReport& seen) {
  Result<BenchmarkCount> count = UnwrappedCounting(place, benchmark, options).run(why, seen);
  if (count) return count;
  const Error& error = count.error();
  if (error.kind == ErrorKind::budget) return error;
  const std::string both = why.fix.empty() || error.fix.empty() ? "" : "; or ";
  return program_error("", why.found + "; and not as a whole either: " + error.found, "", why.fix + both + error.fix);
}

}  // namespace steelyard::bench
