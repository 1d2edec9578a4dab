#include "bench/counting/algebra/callgrind_stats.hpp"

#include <algorithm>
#include <iterator>
#include <system_error>
#include <utility>

#include "bench/counting/reader/callgrind_reader.hpp"
#include "bench/model/text.hpp"

namespace steelyard::bench {
namespace {

using Costs = std::vector<std::int64_t>;

bool is_empty(const CallgrindPart& part) { return is_zero(part.totals); }

Result<Costs> sum_without_noise(const FunctionCounts& counts, const LearnedNoise* noise) {
  if (!noise) return counts.sum();
  STEELYARD_TRY(const FunctionCounts steady, steady_functions(counts, *noise));
  return steady.sum();
}

}  // namespace

Result<CallgrindStats> CallgrindStats::of(const std::vector<CallgrindPart>& parts,
                                          const CallgrindStatsOptions& options) {
  if (options.number_per_run < 1) {
    return input_error("number_per_run", std::to_string(options.number_per_run), "1 or more");
  }
  std::size_t count = parts.size();
  while (count > 0 && is_empty(parts[count - 1])) --count;
  const std::size_t least = options.has_baseline ? 2 : 1;
  if (count < least) {
    return input_error("callgrind parts", std::to_string(count) + " that are not empty",
                       options.has_baseline ? "a repeat and the baseline" : "a repeat",
                       "toggle collection around the loop and dump after it");
  }
  CallgrindStats stats;
  stats.number_per_run_ = options.number_per_run;
  for (std::size_t i = 0; i < count; ++i) {
    if (is_empty(parts[i])) {
      return input_error("callgrind part " + std::to_string(i + 1), "no cost", "a repeat or the baseline");
    }
    if (parts[i].events != parts[0].events) {
      return input_error("callgrind part " + std::to_string(i + 1), "other events than in part 1", "the same");
    }
    STEELYARD_TRY(FunctionCounts self, FunctionCounts::of(parts[i], CountKind::self));
    STEELYARD_TRY(FunctionCounts inclusive, FunctionCounts::of(parts[i], CountKind::inclusive));
    const bool is_baseline = options.has_baseline && i + 1 == count;
    if (is_baseline) {
      stats.baseline_self_ = std::move(self);
      stats.baseline_inclusive_ = std::move(inclusive);
    } else {
      stats.self_.push_back(std::move(self));
      stats.inclusive_.push_back(std::move(inclusive));
    }
  }
  return stats;
}

const FunctionCounts& CallgrindStats::first_stats(CountKind kind) const {
  return (kind == CountKind::self ? self_ : inclusive_).front();
}

const FunctionCounts& CallgrindStats::stats(CountKind kind) const {
  return (kind == CountKind::self ? self_ : inclusive_).back();
}

const FunctionCounts* CallgrindStats::baseline_stats(CountKind kind) const {
  const auto& baseline = kind == CountKind::self ? baseline_self_ : baseline_inclusive_;
  return baseline ? &*baseline : nullptr;
}

Result<FunctionCounts> CallgrindStats::stats_net_of_baseline(CountKind kind) const {
  const FunctionCounts* baseline = baseline_stats(kind);
  if (!baseline) return input_error("counts", "no baseline was collected", "one, or counts with_baseline");
  return stats(kind).minus(*baseline);
}

Result<Costs> CallgrindStats::counts_with_baseline(const LearnedNoise* noise) const {
  return sum_without_noise(stats(), noise);
}

Result<Costs> CallgrindStats::counts_net_of_baseline(const LearnedNoise* noise) const {
  STEELYARD_TRY(const FunctionCounts net, stats_net_of_baseline());
  return sum_without_noise(net, noise);
}

Result<PassCost> CallgrindStats::cost_of_a_pass() const {
  PassCost cost;
  const std::size_t first = self_.size() > 1 ? 1 : 0;
  for (std::size_t i = first; i < self_.size(); ++i) {
    FunctionCounts net = self_[i];
    if (baseline_self_) {
      STEELYARD_TRY(net, net.minus(*baseline_self_));
    }
    STEELYARD_TRY(const Costs sum, net.sum());
    cost.least.resize(sum.size());
    cost.most.resize(sum.size());
    for (std::size_t event = 0; event < sum.size(); ++event) {
      const double value = static_cast<double>(sum[event]) / static_cast<double>(number_per_run_);
      cost.least[event] = i == first ? value : std::min(cost.least[event], value);
      cost.most[event] = i == first ? value : std::max(cost.most[event], value);
    }
  }
  return cost;
}

Result<LearnedNoise> CallgrindStats::learned_noise() const {
  if (self_.size() < 3) {
    return input_error("noise", std::to_string(self_.size()) + " repeats", "at least 3: two after the first");
  }
  return learn_noise({self_.begin() + 1, self_.end()});
}

Result<FunctionCounts> CallgrindStats::delta(const CallgrindStats& other, CountKind kind) const {
  if (number_per_run_ != other.number_per_run_) {
    return input_error(
        "delta", std::to_string(number_per_run_) + " and " + std::to_string(other.number_per_run_) + " passes a repeat",
        "the same number", "collect both with one number");
  }
  return stats(kind).minus(other.stats(kind));
}

Result<CallgrindStats> CallgrindStats::as_standardized(const StandardNames& names) const {
  CallgrindStats result = *this;
  for (std::vector<FunctionCounts>* all : {&result.self_, &result.inclusive_}) {
    for (FunctionCounts& counts : *all) {
      STEELYARD_TRY(counts, steelyard::bench::as_standardized(counts, names));
    }
  }
  for (std::optional<FunctionCounts>* baseline : {&result.baseline_self_, &result.baseline_inclusive_}) {
    if (!*baseline) continue;
    STEELYARD_TRY(*baseline, steelyard::bench::as_standardized(**baseline, names));
  }
  return result;
}

Result<CallgrindStats> read_callgrind_stats(const std::filesystem::path& file, const CallgrindStatsOptions& options) {
  std::vector<CallgrindPart> parts;
  std::error_code error;
  if (std::filesystem::exists(file, error)) {
    STEELYARD_TRY(parts, read_callgrind(file));
  }
  if (!std::all_of(parts.begin(), parts.end(), is_empty)) return CallgrindStats::of(parts, options);
  parts.clear();
  int number = 0;
  for (const CallgrindFile& dump : find_callgrind_files(file)) {
    if (dump.part == 0 || dump.thread != 0) continue;
    if (dump.part != ++number) {
      return input_error(file.string() + "." + std::to_string(number), "no such file, but " + dump.path.string(),
                         "every dump of the run: the last one is the baseline", "collect it again");
    }
    STEELYARD_TRY(std::vector<CallgrindPart> more, read_callgrind(dump.path));
    parts.insert(parts.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  }
  if (parts.empty()) {
    return input_error(file.string(), "no dump beside it", file.filename().string() + ".1 and so on",
                       "run the program under valgrind --tool=callgrind --callgrind-out-file=" + file.string());
  }
  return CallgrindStats::of(parts, options);
}

bool Linearity::is_linear() const {
  for (std::size_t event = 0; event < expected.size(); ++event) {
    std::int64_t once_only = 0;
    if (__builtin_sub_overflow(expected[event], found[event], &once_only)) return false;
    if (once_only >= passes || once_only <= -passes) return false;
  }
  return true;
}

Result<Linearity> check_linearity(const CallgrindStats& once, const CallgrindStats& twice) {
  if (twice.number_per_run() != 2 * once.number_per_run()) {
    return input_error("linearity", std::to_string(twice.number_per_run()) + " passes",
                       "twice " + std::to_string(once.number_per_run()));
  }
  if (once.has_baseline() != twice.has_baseline() || once.events() != twice.events()) {
    return input_error("linearity", "collections of two kinds", "baseline and events alike");
  }
  const auto net = [](const CallgrindStats& stats) {
    return stats.has_baseline() ? stats.counts_net_of_baseline() : stats.counts_with_baseline();
  };
  STEELYARD_TRY(Costs expected, net(once));
  STEELYARD_TRY(Costs found, net(twice));
  for (std::int64_t& cost : expected) {
    if (__builtin_mul_overflow(cost, 2, &cost)) return input_error("linearity", "counts beyond 63 bits");
  }
  return Linearity{std::move(expected), std::move(found), once.number_per_run()};
}

// Counts as a table for people; declared beside the counts themselves.

namespace {

std::string shown(const FunctionKey& key) {
  std::string text = key.file.empty() ? key.function : key.file + ":" + key.function;
  const std::string_view object = file_name(key.object);
  if (!object.empty()) text += " [" + std::string(object) + "]";
  return text;
}

// The middle of what is too long says least: the file is on the left, arguments and object on the right.
std::string shortened(std::string text, std::size_t width) {
  constexpr std::string_view kGap = " ... ";
  if (text.size() <= width) return text;
  const std::size_t right = (width - kGap.size()) / 2;
  const std::size_t left = width - kGap.size() - right;
  return text.substr(0, left) + std::string(kGap) + text.substr(text.size() - right);
}

}  // namespace

std::string text(const FunctionCounts& counts, const CountsTextOptions& options) {
  if (options.event >= counts.events().size()) return "";
  const std::vector<FunctionCount> rows = counts.sorted(options.event);
  const std::size_t width = std::max<std::size_t>(options.width, 40);
  std::size_t digits = 3;
  for (const FunctionCount& row : rows) digits = std::max(digits, std::to_string(row.counts[options.event]).size());
  const bool is_cut = options.max_rows != 0 && rows.size() > options.max_rows;
  const std::size_t head = is_cut ? (options.max_rows + 1) / 2 : rows.size();
  const std::size_t tail = is_cut ? options.max_rows / 2 : 0;
  std::string result;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i == head && is_cut) result += padded("...", digits, Align::right) + "\n";
    if (i >= head && i < rows.size() - tail) continue;
    result += padded(std::to_string(rows[i].counts[options.event]), digits, Align::right) + "  " +
              shortened(shown(rows[i].key), width - digits - 2) + "\n";
  }
  if (counts.nested_sums() > 0) {
    result += std::to_string(counts.nested_sums()) + " of these rows are sums of inclusive counts: at most\n";
  }
  if (counts.kind() == CountKind::inclusive) return result;
  const Result<std::vector<std::int64_t>> sum = counts.sum();
  return result + "Total: " + (sum ? std::to_string((*sum)[options.event]) : "more than 63 bits") + "\n";
}

}  // namespace steelyard::bench
