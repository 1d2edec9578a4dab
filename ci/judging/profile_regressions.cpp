#include "ci/judging/profile_regressions.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "bench/model/benchmark_id.hpp"
#include "bench/model/elapsed.hpp"
#include "bench/profile/read_spans.hpp"
#include "bench/profile/trace_repeats.hpp"
#include "bench/runner/benchmark_listing.hpp"
#include "bench/runner/child_process.hpp"
#include "bench/runner/run_folder.hpp"
#include "ci/app/app.hpp"
#include "ci/judging/pictures.hpp"
#include "ci/judging/trace_difference.hpp"
#include "ci/report/comparison_text.hpp"
#include "ci/report/flame/flame_graph.hpp"
#include "ci/report/flame/trace_stacks.hpp"

namespace steelyard::ci {
namespace {

constexpr const char* kRecordedSeconds = "0.02";    // of each process; without a unit, as every version takes it
constexpr std::size_t kMaxRecordedSpans = 500'000;  // of each process: all of a benchmark's are held at once
constexpr std::uint64_t kMaxRecordingBytes = std::uint64_t{1} << 30;  // as a program of ours leaves at most
constexpr Nanoseconds kLongestProcess = seconds(30);
constexpr std::size_t kMaxRows = 100;  // of a table

bool is_time_regression(const ComparisonRow& row) {
  return row.verdict == Verdict::regression && (row.metric.name == kRealTime || row.metric.name == kCpuTime);
}

// One benchmark's recordings, and what became of them.
class RegressionRecording {
 public:
  RegressionRecording(const ProgramPair& programs, std::string name, const RegressionProfiling& how)
      : programs_(programs), name_(std::move(name)), how_(how) {}

  // In turns, A B B A. Profiled where the outcome says so.
  TimeProfile record(const std::filesystem::path& folder, std::chrono::steady_clock::time_point start);
  const TraceSide& side(std::size_t of) const { return sides_.at(of); }

 private:
  std::optional<TimeProfile> run(std::size_t side, const std::filesystem::path& file);

  const ProgramPair& programs_;
  std::string name_;  // today's
  const RegressionProfiling& how_;
  std::array<TraceSide, 2> sides_{TraceSide{"baseline", {}}, TraceSide{"candidate", {}}};
};

// No profile: the spans were added to the side.
std::optional<TimeProfile> RegressionRecording::run(std::size_t side, const std::filesystem::path& file) {
  const bench::Program& program = side == 0 ? programs_.baseline : programs_.candidate;
  if (program.command)
    return TimeProfile{.outcome = TimeProfileOutcome::without_spans};  // it does not know our options
  bench::ChildCommand command = bench::command_of(program);
  // After the user's own, so that these win.
  command.arguments.insert(command.arguments.end(),
                           {"--benchmark_filter=" + bench::exact_filter({program.own_name(name_)}),
                            std::string("--benchmark_min_time=") + kRecordedSeconds, "--benchmark_repetitions=1",
                            "--steelyard_spans=" + file.string()});
  command.timeout = kLongestProcess;
  command.output_limit = std::size_t{64} << 10;
  const Result<bench::ChildResult> child = bench::run_child(command, how_.cancelled);
  if (!child) return TimeProfile{.outcome = TimeProfileOutcome::failed, .failure = child.error().text()};
  std::error_code error;
  // The program may be a stranger's: a link in place of its file leads elsewhere.
  const bool has_file = std::filesystem::is_regular_file(std::filesystem::symlink_status(file, error));
  if (child->end == bench::ChildEnd::cancelled) return TimeProfile{.outcome = TimeProfileOutcome::out_of_time};
  if (!has_file && child->end == bench::ChildEnd::exited) {
    return TimeProfile{.outcome = TimeProfileOutcome::without_spans};
  }
  if (!child->succeeded()) return TimeProfile{.outcome = TimeProfileOutcome::failed, .failure = child->describe()};
  Result<bench::Trace> trace =
      bench::read_spans(file, {.max_events = kMaxRecordedSpans, .max_bytes = kMaxRecordingBytes});
  std::filesystem::remove(file, error);
  if (!trace) return TimeProfile{.outcome = TimeProfileOutcome::failed, .failure = trace.error().text()};
  if (trace->events.empty()) return TimeProfile{.outcome = TimeProfileOutcome::without_spans};
  sides_.at(side).traces.push_back(std::move(*trace));
  return std::nullopt;
}

TimeProfile RegressionRecording::record(const std::filesystem::path& folder,
                                        std::chrono::steady_clock::time_point start) {
  for (int round = 0; round < how_.rounds; ++round) {
    // Whole rounds only: a side without its partner tells nothing. Two show what changed, if not how surely.
    if (since(start) > how_.budget) {
      return {.outcome = round < 2 ? TimeProfileOutcome::out_of_time : TimeProfileOutcome::recorded};
    }
    for (const std::size_t turn : {0U, 1U}) {
      const std::size_t side = round % 2 == 0 ? turn : 1 - turn;
      if (std::optional<TimeProfile> stopped = run(side, folder / "it.spans")) return std::move(*stopped);
    }
  }
  return {};
}

// The one inside the benchmark whose own time changed most; the whole loop only where no other has a verdict.
void name_span(const TraceDifference& difference, TimeProfile& profile) {
  const TraceRowDifference* found = nullptr;
  for (const TraceRowDifference& row : difference.rows) {
    if (row.time.verdict != Verdict::regression) continue;
    if (found == nullptr || (found->name == found->within && row.name != row.within)) found = &row;
  }
  if (found == nullptr) return;
  profile.span = found->name;
  profile.ratio = found->ratio();
}

bench::Trace all_of(const TraceSide& side) {
  std::vector<const bench::Trace*> traces;
  for (const bench::Trace& trace : side.traces) traces.push_back(&trace);
  return bench::joined_traces(traces);
}

Result<void> write_difference(const RegressionRecording& recording, const ComparisonRow& row,
                              const Comparison& comparison, const std::filesystem::path& stem, TimeProfile& profile) {
  const TraceDifference difference = difference_of_traces(recording.side(0), recording.side(1),
                                                          {.minimum_effect = row.minimum_effect, .margin = row.margin});
  name_span(difference, profile);
  const bench::Trace baseline = all_of(recording.side(0)), candidate = all_of(recording.side(1));
  const TraceStacks stacks = trace_stacks(&baseline, candidate, StackLimits{});
  const FlameCaption caption = change_caption(row.benchmark, comparison.baseline, comparison.candidate);
  profile.picture = stem.string() + ".html";
  profile.table = stem.string() + ".md";
  STEELYARD_CHECK(write_text_file(profile.picture, html_flame_graph(stacks.profile, stacks.tree, caption)));
  return write_text_file(profile.table, markdown_trace_difference(difference, kMaxRows));
}

// The pair whose suite the benchmark is of; null: none is left, as of a program that the baseline does not have.
const ProgramPair* program_of_row(const std::vector<ProgramPair>& programs, const BenchmarkId& benchmark) {
  for (const ProgramPair& pair : programs) {
    if (pair.candidate.suite == benchmark.suite) return &pair;
  }
  return nullptr;
}

const BenchmarkId* id_of_row(const Run& candidate, const ComparisonRow& row) {
  for (const Measurement& measurement : candidate.measurements) {
    if (measurement.benchmark.canonical() == row.benchmark) return &measurement.benchmark;
  }
  return nullptr;
}

}  // namespace

std::vector<ComparisonRow*> regressions_without_cause(Comparison& comparison) {
  std::set<std::string> explained;
  for (const ComparisonRow& row : comparison.rows) {
    if (row.metric.name == kInstructions && row.verdict == Verdict::regression) explained.insert(row.benchmark);
  }
  std::vector<ComparisonRow*> found;
  for (const RowGroup& group : worst_first(comparison)) {
    for (const ComparisonRow* row : group.rows) {
      if (!is_time_regression(*row) || !explained.insert(row->benchmark).second) continue;
      found.push_back(&comparison.rows[static_cast<std::size_t>(row - comparison.rows.data())]);
    }
  }
  return found;
}

Result<void> profile_regressions(const std::vector<ProgramPair>& programs, const Run& candidate, Comparison& comparison,
                                 const RegressionProfiling& how) {
  const std::vector<ComparisonRow*> rows = regressions_without_cause(comparison);
  if (rows.empty()) return {};
  std::error_code error;
  std::filesystem::create_directories(how.folder, error);
  if (error) return input_error(how.folder.string(), error.message(), "a folder for what changed in time");
  STEELYARD_TRY(const bench::RunFolder recordings, bench::RunFolder::create());
  const auto start = std::chrono::steady_clock::now();
  std::set<std::string> stems;
  std::size_t recorded = 0;
  for (ComparisonRow* row : rows) {
    row->time_profile = TimeProfile{.outcome = TimeProfileOutcome::out_of_time};
    const BenchmarkId* const id = id_of_row(candidate, *row);
    const ProgramPair* const pair = id == nullptr ? nullptr : program_of_row(programs, *id);
    const bool is_cancelled = how.cancelled != nullptr && how.cancelled->load();
    if (pair == nullptr || is_cancelled || recorded == how.benchmarks) continue;
    ++recorded;
    const std::string name = name_as_given(row->benchmark.substr(0, row->benchmark.find(" [")));
    RegressionRecording recording(*pair, name, how);
    row->time_profile = recording.record(recordings.path(), start);
    if (row->time_profile->outcome != TimeProfileOutcome::recorded) continue;
    std::string stem = file_stem(row->benchmark);
    for (int number = 2; !stems.insert(stem).second; ++number) {
      stem = file_stem(row->benchmark) + "-" + std::to_string(number);
    }
    STEELYARD_CHECK(write_difference(recording, *row, comparison, how.folder / stem, *row->time_profile));
  }
  return {};
}

}  // namespace steelyard::ci
