#include "ci/verbs/profile_diff.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <system_error>
#include <utility>

#include "bench/profile/spans/span_file.hpp"
#include "bench/profile/trace_repeats.hpp"
#include "ci/judging/trace_difference.hpp"
#include "ci/report/flame/flame_graph.hpp"
#include "ci/report/flame/trace_stacks.hpp"
#include "ci/verbs/profile_trace.hpp"

namespace steelyard::ci {
namespace {

constexpr std::size_t kMaxRecordings = 1000;  // of a side

TraceFormat trace_format_of(const ProfileDiffOptions& options, const std::string& file) {
  if (!options.format.empty()) return options.format == "spans" ? TraceFormat::spans : TraceFormat::chrome;
  std::array<char, kSpanMagic.size()> beginning{};
  std::ifstream(file, std::ios::binary).read(beginning.data(), beginning.size());
  return beginning == kSpanMagic ? TraceFormat::spans : TraceFormat::chrome;
}

// A folder's files by name, which is by time where ProfiledSpans named them.
Result<std::vector<std::string>> trace_files_of(const std::vector<std::string>& names) {
  std::vector<std::string> files;
  for (const std::string& name : names) {
    std::error_code error;
    if (!std::filesystem::is_directory(name, error)) {
      files.push_back(name);
      continue;
    }
    std::vector<std::string> inside;
    for (const auto& entry : std::filesystem::directory_iterator(name, error)) {
      const std::string extension = entry.path().extension().string();
      const bool is_trace = extension == ".spans" || extension == ".json" || extension == ".gz";
      if (is_trace && entry.is_regular_file()) inside.push_back(entry.path().string());
    }
    if (inside.empty()) return input_error(name, "a folder without traces", "files that end in .spans or .json");
    std::sort(inside.begin(), inside.end());
    files.insert(files.end(), inside.begin(), inside.end());
  }
  if (files.size() > kMaxRecordings) {
    return input_error("steelyard profile diff", std::to_string(files.size()) + " traces of a side",
                       "at most " + std::to_string(kMaxRecordings));
  }
  return files;
}

Result<TraceSide> load_trace_side(const std::vector<std::string>& names, const ProfileDiffOptions& options) {
  STEELYARD_TRY(const std::vector<std::string> files, trace_files_of(names));
  TraceSide side;
  bench::TraceSums sums;
  side.name = names.front() + (names.size() == 1 ? "" : " and " + std::to_string(names.size() - 1) + " more");
  for (const std::string& file : files) {
    STEELYARD_TRY(bench::Trace trace, load_trace(trace_format_of(options, file), file));
    if (!sums.add(trace)) return input_error(file, "events of decades with those before it", "what processes took");
    side.traces.push_back(std::move(trace));
  }
  return side;
}

bench::Trace whole_trace_of(const TraceSide& side) {
  std::vector<const bench::Trace*> traces;
  for (const bench::Trace& trace : side.traces) traces.push_back(&trace);
  return bench::joined_traces(traces);
}

Result<void> write_time_flame(const TraceSide& baseline, const TraceSide& candidate,
                              const std::filesystem::path& file) {
  const bench::Trace before = whole_trace_of(baseline), after = whole_trace_of(candidate);
  const TraceStacks stacks = trace_stacks(&before, after, StackLimits{});
  const FlameCaption caption{after.program.empty() ? candidate.name : after.program, baseline.name, candidate.name};
  return write_text_file(file,
                         file.extension() == ".svg" ? svg_flame_graph(stacks.profile, stacks.tree, caption)
                                                    : html_flame_graph(stacks.profile, stacks.tree, caption),
                         LinkInPlace::followed);
}

}  // namespace

void add_diff_options(Verb& verb, ProfileDiffOptions& options) {
  verb.add(
      repeated_option("--base", "TRACE", options.base, "of profile diff: a recording of the baseline, or a folder"));
  verb.add(repeated_option("--head", "TRACE", options.head, "of profile diff: one of the candidate"));
}

Result<void> take_sides(ProfileDiffOptions& options, std::vector<std::string> names) {
  options.is_wanted = true;
  const bool has_options = !options.base.empty() || !options.head.empty();
  if (names.size() == 2 && !has_options) {
    options.base = {std::move(names[0])};
    options.head = {std::move(names[1])};
    return {};
  }
  if (names.empty() && !options.base.empty() && !options.head.empty()) return {};
  return input_error("steelyard profile diff",
                     std::to_string(names.size()) + " names, " + std::to_string(options.base.size()) + " --base and " +
                         std::to_string(options.head.size()) + " --head",
                     "two names, or one --base and one --head for each recording");
}

Result<ExitCode> run_profile_diff(const ProfileDiffOptions& options, const App& app) {
  STEELYARD_TRY(const TraceSide baseline, load_trace_side(options.base, options));
  STEELYARD_TRY(const TraceSide candidate, load_trace_side(options.head, options));
  if (!options.flame.empty()) {
    STEELYARD_CHECK(write_time_flame(baseline, candidate, options.flame));
    app.note("wrote " + options.flame.string());
  }
  const TraceDifference difference = difference_of_traces(baseline, candidate, {});
  if (app.common.json) {
    app.print(json_trace_difference(difference));
  } else if (options.table_format == "csv") {
    app.print(csv_trace_difference(difference));
  } else {
    app.print(options.table_format == "markdown" ? markdown_trace_difference(difference, options.rows)
                                                 : terminal_trace_difference(difference, options.rows));
  }
  return ExitCode::success;
}

}  // namespace steelyard::ci
