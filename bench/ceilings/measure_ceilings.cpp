#include "bench/ceilings/measure_ceilings.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "bench/ceilings/ceiling_bench.hpp"
#include "bench/model/elapsed.hpp"
#include "bench/model/text.hpp"

namespace steelyard::bench {
namespace {

constexpr double kOutside = 0.05;

// The largest rank r, 1-based, for which the r-th smallest and the r-th largest of n enclose the median; 0: none does.
std::size_t enclosing_rank(std::size_t n) {
  // Beyond, one half to the power of n is soon no number any more; the normal approximation finds the same rank, or the
  // one outside it.
  constexpr std::size_t kMaxExact = 1000;
  if (n > kMaxExact) {
    const auto size = static_cast<double>(n);
    return static_cast<std::size_t>(0.5 * (size + 1) - 0.5 * 1.96 * std::sqrt(size));
  }
  // P(fewer than r of n lie below the median), summed term by term: binomial with one half.
  double term = std::pow(0.5, static_cast<double>(n));
  double below = term;
  std::size_t rank = 0;
  while (2 * below <= kOutside && rank < n / 2) {
    ++rank;
    term *= static_cast<double>(n - rank + 1) / static_cast<double>(rank);
    below += term;
  }
  return rank;
}

}  // namespace

std::optional<RepetitionSummary> summarize_repetitions(std::vector<double> samples) {
  if (samples.empty()) return std::nullopt;
  std::sort(samples.begin(), samples.end());
  const std::size_t n = samples.size();
  RepetitionSummary summary;
  summary.median = n % 2 == 1 ? samples[n / 2] : (samples[n / 2 - 1] + samples[n / 2]) / 2;
  summary.best = samples.back();
  if (const std::size_t rank = enclosing_rank(n); rank > 0) {
    summary.low = samples[rank - 1];
    summary.high = samples[n - rank];
  }
  return summary;
}

void settle(Ceiling& ceiling) {
  const std::optional<RepetitionSummary> summary = summarize_repetitions(ceiling.samples);
  if (!summary) return;
  ceiling.value = summary->median;
  ceiling.low = summary->low;
  ceiling.high = summary->high;
}

namespace {

constexpr int kWantedRounds = 9;  // the length of a repetition is chosen for as many
constexpr int kMinRounds = 7;     // six make an interval
constexpr int kMinRoundsLate = 3;
constexpr int kMaxCeilingRounds = 51;
constexpr Nanoseconds kShortest = milliseconds(2);
constexpr Nanoseconds kLongest = milliseconds(60);
constexpr double kOverhead = 1.5;        // warm-up, clock readings and waking threads
constexpr double kDisturbed = 0.98;      // a thread had its core for less of the time
constexpr double kDisturbedShare = 0.1;  // of repetitions: worth a note
constexpr double kBestAbove = 1.05;      // of the median: worth a note

class Stopwatch {
 public:
  Nanoseconds elapsed() const { return since(start_); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// "DRAM triad, 2 threads"
std::string title_of(const Ceiling& ceiling) {
  const std::string what =
      ceiling.kind == CeilingKind::arithmetic ? ceiling.dtype : ceiling.level + " " + ceiling.access;
  return what + (ceiling.threads == 1 ? ", 1 thread" : ", " + std::to_string(ceiling.threads) + " threads");
}

// How the repetitions went, over all items.
struct Course {
  int rounds = 0;
  int repetitions = 0;
  int disturbed = 0;
  double worst_on_core = 1;
};

bool is_cancelled(const CeilingOptions& options) { return options.cancelled != nullptr && options.cancelled->load(); }

Error cancelled_error() { return program_error("measuring ceilings", "interrupted", "", "nothing was kept"); }

bool is_enough(const Course& course, Nanoseconds elapsed, Nanoseconds budget) {
  if (course.rounds >= kMaxCeilingRounds) return true;
  if (elapsed >= budget && course.rounds >= kMinRounds) return true;
  return elapsed >= budget * 2 && course.rounds >= kMinRoundsLate;
}

// What `only` could mean of the absent: a dtype, or a level whose access it names ("L3/threads:2" for "L3/read").
bool concerns(const AbsentCeiling& absent, const std::string& only) {
  return is_meant(std::string_view(only).substr(0, only.find('/')), absent.what);
}

Error nothing_meant(const CeilingBench& bench, const std::string& only, const std::vector<AbsentCeiling>& absent) {
  const std::string known = joined_text(bench.names(), " ");
  std::string why;
  for (const AbsentCeiling& one : absent) {
    if (concerns(one, only)) why += (why.empty() ? "" : "; ") + one.what + ": " + one.reason;
  }
  return input_error("--only", '"' + only + '"', "one of these, or its part before or after the slash: " + known, why);
}

Result<Course> take_rounds(std::vector<CeilingItem>& items, const CeilingOptions& options) {
  const Stopwatch stopwatch;
  const double repetitions = static_cast<double>(items.size()) * kWantedRounds * kOverhead;
  const Nanoseconds repetition = std::clamp(options.budget * (1 / repetitions), kShortest, kLongest);
  Course course;
  while (!is_enough(course, stopwatch.elapsed(), options.budget)) {
    for (CeilingItem& item : items) {
      if (is_cancelled(options)) return cancelled_error();
      if (options.progress) options.progress(title_of(item.ceiling), stopwatch.elapsed() / options.budget);
      if (item.passes == 0) calibrate(item, repetition);
      const double on_core = repeat(item);
      ++course.repetitions;
      course.disturbed += on_core < kDisturbed ? 1 : 0;
      course.worst_on_core = std::min(course.worst_on_core, on_core);
    }
    ++course.rounds;
  }
  return course;
}

void note_disturbance(const Course& course, std::vector<std::string>& notes) {
  if (course.disturbed <= kDisturbedShare * course.repetitions) return;
  notes.push_back("in " + std::to_string(course.disturbed) + " of " + std::to_string(course.repetitions) +
                  " repetitions another program took a core away (at worst a thread had its own for " +
                  decimals_text(course.worst_on_core * 100, 0) + " %" +
                  " of the time): measure again when nothing else runs");
}

// A median well below the best says that half of the repetitions were held up, or that the clock moved.
void note_spread(const std::vector<Ceiling>& ceilings, std::vector<std::string>& notes) {
  std::vector<std::string> names;
  for (const Ceiling& ceiling : ceilings) {
    const auto summary = summarize_repetitions(ceiling.samples);
    if (!summary || summary->best <= summary->median * kBestAbove) continue;
    names.push_back(title_of(ceiling));
  }
  if (names.empty()) return;
  notes.push_back("the best repetition was more than 5 % above the median of: " +
                  some_joined(names, 3, "; ", "; and "));
}

}  // namespace

Result<DeviceCeilings> measure_ceilings(const CeilingOptions& options) {
  STEELYARD_TRY(const auto bench, CeilingBench::set_up(options));
  if (bench->items().empty()) return nothing_meant(*bench, options.only, bench->absent());
  STEELYARD_TRY(const Course course, take_rounds(bench->items(), options));
  DeviceCeilings device;
  device.device = "CPU";
  device.fingerprint = options.fingerprint;
  for (CeilingItem& item : bench->items()) {
    settle(item.ceiling);
    device.ceilings.push_back(std::move(item.ceiling));
  }
  device.absent = std::move(bench->absent());
  device.notes = std::move(bench->notes());
  std::erase_if(device.absent, [&](const AbsentCeiling& absent) { return !concerns(absent, options.only); });
  note_disturbance(course, device.notes);
  note_spread(device.ceilings, device.notes);
  return device;
}

}  // namespace steelyard::bench
