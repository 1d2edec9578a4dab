#include "bench/counting/counters/hardware_count.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "bench/counting/counters/hardware_probe.hpp"
#include "bench/runner/fresh_copy.hpp"
#include "bench/runner/measured_side.hpp"

namespace steelyard {
namespace {

constexpr std::size_t kMostReportBytes = std::size_t{16} << 20;
using Clock = std::chrono::steady_clock;

std::filesystem::path default_library() {
  std::error_code ignored;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", ignored);
  return self.parent_path().parent_path() / "lib" / "steelyard" / kHardwareLibrary;
}

std::string take_report(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string text(kMostReportBytes, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  std::error_code ignored;
  std::filesystem::remove(file, ignored);
  return text;
}

// One side while it is being counted.
struct Counted {
  CountSide side;
  MeasuredSide measured;
  std::filesystem::path report;
  std::map<std::pair<std::string, std::string>, std::size_t> measurement_at;  // by benchmark and metric
  std::map<std::string, bool> has_failed;                                     // by benchmark
  std::map<std::string, double> least_share;                                  // by metric: counted of the time wanted
};

class HardwareCounting {
 public:
  HardwareCounting(std::vector<Counted>& sides, const HardwareProbe& probe, const MeasuringSettings& settings,
                   const Limits& limits, const HardwareOptions& options)
      : sides_(sides), probe_(probe), limits_(limits), options_(options) {
    if (settings.min_time && settings.min_time->count() > 0) min_time_ = *settings.min_time;
  }

  void run() {
    std::vector<ListedBenchmark> all;
    for (const Counted& side : sides_) {
      for (const ListedBenchmark& benchmark : side.measured.benchmarks()) {
        if (std::find(all.begin(), all.end(), benchmark) == all.end()) all.push_back(benchmark);
      }
    }
    double done = 0;
    for (const ListedBenchmark& benchmark : all) {
      for (int round = 0; round < options_.rounds && !must_stop(); ++round) {
        if (options_.progress) {
          options_.progress(benchmark.name,
                            done / static_cast<double>(all.size() * static_cast<std::size_t>(options_.rounds)));
        }
        count_round(benchmark, round);
        ++done;
      }
    }
  }

 private:
  bool must_stop() const {
    const std::chrono::duration<double, std::nano> spent = Clock::now() - begun_;
    return limits_.is_cancelled() || spent.count() >= limits_.budget.count();
  }

  // Baseline first in even rounds, candidate first in odd ones.
  void count_round(const ListedBenchmark& benchmark, int round) {
    for (std::size_t slot = 0; slot < sides_.size(); ++slot) {
      Counted& side = sides_[round % 2 == 0 ? slot : sides_.size() - 1 - slot];
      if (!side.measured.has(benchmark) || side.has_failed[benchmark.name]) continue;
      count_one(side, benchmark, round, static_cast<int>(slot));
    }
  }

  void count_one(Counted& side, const ListedBenchmark& benchmark, int round, int slot) {
    side.measured.copy().renew(0, round);
    ChildCommand command = side.measured.command({benchmark}, {0, 1, min_time_}, std::nullopt);
    command.environment["STEELYARD_HARDWARE_REPORT"] = side.report.string();
    Result<ChildResult> child = run_child(command, limits_.cancelled);
    if (!side.measured.yielded(child) && side.measured.runs_only_in_place(command, child, limits_.cancelled)) {
      side.measured.copy().run_in_place(kOnlyInPlace);
      command.executable = side.measured.copy().executable();
      child = run_child(command, limits_.cancelled);
    }
    const std::string text = take_report(side.report);
    if (!child) return fail(side, benchmark, child.error().text());
    if (child->end == ChildEnd::cancelled) return;
    if (!child->succeeded()) return fail(side, benchmark, "the program " + child->describe());
    const auto passes = parse_hardware_report(text);
    if (!passes || passes->empty()) {
      return fail(side, benchmark,
                  "its timed loop was not seen: the clock of a program with Google Benchmark linked into it cannot be "
                  "followed at full speed; link libbenchmark as a shared library");
    }
    add(side, benchmark, per_iteration(*passes), *child, round, slot);
  }

  void fail(Counted& side, const ListedBenchmark& benchmark, std::string reason) {
    side.has_failed[benchmark.name] = true;
    side.side.run->failures.push_back({benchmark.id, probe_.available.front(), -1, std::move(reason)});
  }

  void add(Counted& side, const ListedBenchmark& benchmark, const std::map<std::string, HardwareValue>& values,
           const ChildResult& child, int round, int slot) {
    Run& run = *side.side.run;
    Invocation invocation;
    invocation.round = round;
    invocation.slot = slot;
    invocation.started_at_unix_ns = child.started_at_unix_ns;
    invocation.duration_ns = child.duration_ns;
    const auto index = static_cast<std::uint32_t>(run.invocations.size());
    run.invocations.push_back(invocation);
    for (const auto& [metric, value] : values) {
      const auto known = well_known_metric(metric);
      if (!known) continue;
      const auto [at, is_new] = side.measurement_at.try_emplace({benchmark.name, metric}, run.measurements.size());
      if (is_new) {
        Measurement measurement;
        measurement.benchmark = benchmark.id;
        measurement.metric = *known;
        run.measurements.push_back(std::move(measurement));
      }
      run.measurements[at->second].invocations.push_back({index, {value.per_iteration}, {}});
      double& share = side.least_share.try_emplace(metric, 1).first->second;
      share = std::min(share, value.share_counted);
    }
  }

  std::vector<Counted>& sides_;
  const HardwareProbe& probe_;
  const Limits& limits_;
  const HardwareOptions& options_;
  Nanoseconds min_time_ = SampleSize().min_time;
  Clock::time_point begun_ = Clock::now();
};

// "user mode, of the timed loop; hardware_cycles counted 62 % of the time and scaled; not: ...".
std::string record_text(const Counted& side, const HardwareProbe& probe) {
  std::string text = "perf events in user mode, of the timed loop";
  for (const auto& [metric, share] : side.least_share) {
    if (share >= 1) continue;
    text += "; " + metric + " counted at least " + std::to_string(static_cast<int>(share * 100)) +
            " % of the time and scaled up";
  }
  for (const std::string& refusal : probe.refusals) text += "; not " + refusal;
  return text;
}

Result<Counted> prepare(const CountSide& side, Side which, const std::filesystem::path& library,
                        const PrivateFolder& folder, Nanoseconds timeout, const std::atomic<bool>* cancelled) {
  const std::filesystem::path own = folder.output_file(which).parent_path();
  const std::filesystem::path link = own / kHardwareLibrary;
  std::error_code failure;
  std::filesystem::create_symlink(library, link, failure);
  if (failure) return input_error(link.string(), failure.message(), "a link to " + library.string());
  ListedProgram program = *side.program;
  std::string& preload = program.program.environment["LD_PRELOAD"];
  preload = link.string() + (preload.empty() ? "" : ":" + preload);
  STEELYARD_TRY(MeasuredSide measured, MeasuredSide::prepare(which, program, nullptr, timeout, cancelled, folder));
  return Counted{side, std::move(measured), own / "hardware", {}, {}, {}};
}

}  // namespace

Result<void> count_hardware(const std::vector<CountSide>& sides, const MeasuringSettings& settings,
                            const Limits& limits, const HardwareOptions& options, std::vector<std::string>& warnings) {
  const HardwareProbe probe = probe_hardware(try_event, perf_event_paranoid());
  for (const std::string& refusal : probe.refusals) warnings.push_back("not counted: " + refusal);
  const std::filesystem::path library = options.library.empty() ? default_library() : options.library;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(library, ignored)) {
    warnings.push_back("hardware counters were not read: " + library.string() + " is missing");
    return {};
  }
  if (probe.available.empty()) return {};
  STEELYARD_TRY(const PrivateFolder folder, PrivateFolder::create());
  std::vector<Counted> counted;
  for (const CountSide& side : sides) {
    const Side which = counted.empty() ? Side::baseline : Side::candidate;
    STEELYARD_TRY(Counted ready, prepare(side, which, library, folder, settings.timeout, limits.cancelled));
    counted.push_back(std::move(ready));
  }
  HardwareCounting(counted, probe, settings, limits, options).run();
  for (const Counted& side : counted) side.side.run->header.settings["counting.hardware"] = record_text(side, probe);
  return {};
}

}  // namespace steelyard
