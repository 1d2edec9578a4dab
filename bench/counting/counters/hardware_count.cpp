#include "bench/counting/counters/hardware_count.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "bench/model/elapsed.hpp"
#include "bench/runner/fresh_copy.hpp"
#include "bench/runner/measured_side.hpp"

namespace steelyard::bench {
namespace {

// Up to this level a program may count itself in user mode (Documentation/admin-guide/sysctl/kernel.rst); Debian knows
// 3, which forbids that too.
constexpr int kMaxParanoid = 2;

}  // namespace

int try_event(const HardwareEvent& event) {
  const int descriptor = open_event(event);
  if (descriptor < 0) return errno;
  close(descriptor);
  return 0;
}

HardwareProbe probe_hardware(EventSource source, std::optional<int> paranoid) {
  HardwareProbe probe;
  std::map<std::string, std::string> refused;  // metrics by reason
  for (const HardwareEvent& event : kHardwareEvents) {
    const int error = source(event);
    if (error == 0) {
      probe.available.emplace_back(event.metric);
    } else {
      std::string& metrics = refused[explain_refusal(error, paranoid)];
      metrics += (metrics.empty() ? "" : ", ") + std::string(event.metric);
    }
  }
  for (const auto& [reason, metrics] : refused) probe.refusals.push_back(metrics + ": " + reason);
  return probe;
}

std::optional<int> perf_event_paranoid() {
  std::ifstream file("/proc/sys/kernel/perf_event_paranoid");
  int level = 0;
  if (file >> level) return level;
  return std::nullopt;
}

std::string explain_refusal(int error, std::optional<int> paranoid) {
  switch (error) {
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
      return "the machine shows no such counter; a virtual one has them only where its host passes them on";
    case EACCES:
    case EPERM:
      if (paranoid && *paranoid > kMaxParanoid) {
        return "the kernel refuses it, kernel.perf_event_paranoid is " + std::to_string(*paranoid) +
               "; sysctl kernel.perf_event_paranoid=2, or CAP_PERFMON";
      }
      return "the kernel refuses it; a container's seccomp profile may forbid perf_event_open";
    case ENOSYS:
      return "this kernel has no perf events";
    default:
      return "perf_event_open: " + std::generic_category().message(error);
  }
}

namespace {

constexpr std::size_t kMaxPasses = 100'000;  // repetitions times threads: nobody has more
// Beyond it the counter ran for too little of the time to speak of the rest.
constexpr double kMinShare = 1e-6;

template <class Number>
bool read_number(std::string_view& line, Number& number) {
  while (!line.empty() && line.front() == ' ') line.remove_prefix(1);
  const auto [end, code] = std::from_chars(line.data(), line.data() + line.size(), number);
  if (code != std::errc()) return false;
  line.remove_prefix(static_cast<std::size_t>(end - line.data()));
  return true;
}

bool read_reading(std::string_view line, HardwarePass& pass) {
  const std::size_t blank = line.find(' ');
  if (blank == std::string_view::npos || blank == 0) return false;
  const std::string metric(line.substr(0, blank));
  line.remove_prefix(blank);
  HardwareReading reading = {};
  if (!read_number(line, reading.value) || !read_number(line, reading.enabled_ns) ||
      !read_number(line, reading.running_ns) || !line.empty()) {
    return false;
  }
  return pass.readings.try_emplace(metric, reading).second;
}

}  // namespace

std::optional<std::vector<HardwarePass>> parse_hardware_report(std::string_view text) {
  constexpr std::string_view kPass = "pass";
  std::vector<HardwarePass> passes;
  bool is_inside = false;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (!is_inside) {
      if (!line.starts_with(kPass) || passes.size() >= kMaxPasses) return std::nullopt;
      line.remove_prefix(kPass.size());
      if (!read_number(line, passes.emplace_back().iterations) || !line.empty()) return std::nullopt;
      is_inside = true;
    } else if (line == "end") {
      is_inside = false;
    } else if (!read_reading(line, passes.back())) {
      return std::nullopt;
    }
  }
  if (is_inside) return std::nullopt;
  return passes;
}

std::optional<double> scaled(const HardwareReading& reading) {
  const auto value = static_cast<double>(reading.value);
  if (reading.enabled_ns == 0 || reading.running_ns >= reading.enabled_ns) return value;
  const double share = static_cast<double>(reading.running_ns) / static_cast<double>(reading.enabled_ns);
  if (share < kMinShare) return std::nullopt;
  return value / share;
}

std::map<std::string, HardwareValue> per_iteration(const std::vector<HardwarePass>& passes) {
  std::int64_t most = 0;
  for (const HardwarePass& pass : passes) most = std::max(most, pass.iterations);
  struct Sum {
    double count = 0;
    double iterations = 0;
    double enabled = 0;
    double running = 0;
    bool is_whole = true;
  };
  std::map<std::string, Sum> sums;
  for (const HardwarePass& pass : passes) {
    if (most == 0 || pass.iterations != most) continue;
    for (const auto& [metric, reading] : pass.readings) {
      Sum& sum = sums[metric];
      const std::optional<double> count = scaled(reading);
      sum.is_whole = sum.is_whole && count;
      sum.count += count.value_or(0);
      sum.iterations += static_cast<double>(pass.iterations);
      sum.enabled += static_cast<double>(reading.enabled_ns);
      sum.running += static_cast<double>(std::min(reading.running_ns, reading.enabled_ns));
    }
  }
  std::map<std::string, HardwareValue> values;
  for (const auto& [metric, sum] : sums) {
    if (!sum.is_whole) continue;
    values[metric] = {sum.count / sum.iterations, sum.enabled > 0 ? sum.running / sum.enabled : 1};
  }
  return values;
}

namespace {

constexpr std::size_t kMaxReportBytes = std::size_t{16} << 20;
using Clock = std::chrono::steady_clock;

std::filesystem::path default_library() {
  std::error_code ignored;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", ignored);
  return self.parent_path().parent_path() / "lib" / "steelyard" / kHardwareLibrary;
}

std::string take_report(const std::filesystem::path& file) {
  const Result<std::string> text = read_left_file(file, kMaxReportBytes);
  std::error_code ignored;
  std::filesystem::remove(file, ignored);
  return text ? *text : "";
}

// One side while it is being counted.
struct Counted {
  CountSide side;
  MeasuredSide measured;
  std::filesystem::path report;
  std::map<std::pair<std::string, std::string>, std::size_t> measurement_at;  // by benchmark and metric
  std::map<std::string, bool> has_failed;                                     // by benchmark
  std::map<std::string, double> min_share;                                    // by metric: counted of the time wanted
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
  bool must_stop() const { return limits_.is_cancelled() || since(begun_) >= limits_.budget; }

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
      double& share = side.min_share.try_emplace(metric, 1).first->second;
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
  for (const auto& [metric, share] : side.min_share) {
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

}  // namespace steelyard::bench
