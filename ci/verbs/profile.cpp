#include <optional>
#include <ostream>

#include "bench/counting/algebra/whole_profile.hpp"
#include "ci/app/messages.hpp"
#include "ci/app/terminal_text.hpp"
#include "ci/report/flame/flame_graph.hpp"
#include "ci/report/flame/folded_stacks.hpp"
#include "ci/report/flame/speedscope.hpp"
#include "ci/report/profile_report.hpp"
#include "ci/verbs/profile_source.hpp"
#include "ci/verbs/profile_view.hpp"
#include "ci/verbs/verbs.hpp"

namespace steelyard {
namespace {

struct Shown {
  ProfileSource source;
  std::optional<ProfileSource> against;
};

Result<void> keep_part(ProfileSource& source, int part) {
  if (part == 0 || source.parts.empty()) return {};
  const auto wanted = static_cast<std::size_t>(part);
  if (wanted > source.parts.size()) {
    return input_error("--part", std::to_string(part) + ", of " + source.name,
                       "a number from 1 to " + std::to_string(source.parts.size()));
  }
  CallgrindPart kept = std::move(source.parts[wanted - 1]);
  source.parts.clear();
  source.parts.push_back(std::move(kept));
  return {};
}

Result<Shown> load(const ProfileOptions& options, Streams& streams) {
  Shown shown;
  if (options.format.empty()) {
    STEELYARD_TRY(shown.source, load_run_profiles(options.side, options.benchmark, options.common, streams));
  } else {
    STEELYARD_TRY(shown.source, load_callgrind_files(options.files, {.keep_positions = options.lines}));
  }
  STEELYARD_CHECK(keep_part(shown.source, options.part));
  if (options.lines && !options.against.empty()) {
    return input_error("--lines", "--against " + options.against, "one profile",
                       "leave one of them out; steelyard compare names the line that changed most");
  }
  if (options.lines) {
    STEELYARD_CHECK(find_lines(options.files, shown.source));
    const std::string& unknown = shown.source.lines_unknown;
    if (!unknown.empty()) note("note: " + printable(unknown, true), options.common, streams);
  }
  STEELYARD_CHECK(rename_functions(options, shown.source));
  if (options.against.empty()) return shown;
  std::string benchmark = options.benchmark;
  if (shown.source.profiles.size() == 1) benchmark = shown.source.profiles.front().benchmark.canonical();
  STEELYARD_TRY(shown.against,
                load_against(options.against, !options.format.empty(), benchmark, options.common, streams));
  STEELYARD_CHECK(keep_part(*shown.against, options.part));
  STEELYARD_CHECK(rename_functions(options, *shown.against));
  return shown;
}

// What is drawn as one profile: all parts of the files, or one benchmark of the run.
Result<std::vector<CountedProfile>> drawn_profiles(ProfileSource source) {
  std::vector<CountedProfile> profiles = std::move(source.profiles);
  if (profiles.size() > 1) {
    std::string names;
    for (const CountedProfile& profile : profiles) {
      names += (names.empty() ? "" : ", ") + profile.benchmark.canonical();
      if (names.size() > 200) break;
    }
    return input_error("steelyard profile",
                       std::to_string(profiles.size()) + " profiles in " + source.name + ": " + names, "one of them",
                       "name it with --benchmark");
  }
  for (const CallgrindPart& part : source.parts) profiles.push_back(whole_profile(part));
  return profiles;
}

Result<JoinedProfile> join(const Shown& shown, const std::string& event) {
  STEELYARD_TRY(const std::vector<CountedProfile> candidate, drawn_profiles(shown.source));
  std::vector<CountedProfile> baseline;
  if (shown.against) {
    STEELYARD_TRY(baseline, drawn_profiles(*shown.against));
  }
  ProfileParts candidate_parts;
  ProfileParts baseline_parts;
  for (const CountedProfile& profile : candidate) candidate_parts.push_back(&profile);
  for (const CountedProfile& profile : baseline) baseline_parts.push_back(&profile);
  return join_profiles(baseline_parts, candidate_parts, event);
}

std::string title_of(const Shown& shown) {
  const std::vector<CountedProfile>& profiles = shown.source.profiles;
  return profiles.size() == 1 ? profiles.front().benchmark.canonical() : shown.source.name;
}

// More than pictures hold: who reads stacks has tools of their own to leave out what is small.
constexpr StackLimits kStacksForFiles{.most_frames = 100'000, .greatest_depth = 2'000, .least_share = 1e-7};

Result<void> write_stacks(const ProfileOptions& options, const JoinedProfile& joined, const std::string& title) {
  const StackTree tree = unfold(joined, kStacksForFiles);
  if (!options.folded.empty()) {
    STEELYARD_TRY(const std::string text, folded_stacks(joined, tree));
    STEELYARD_CHECK(write_text_file(options.folded, text));
  }
  if (options.speedscope.empty()) return {};
  return write_text_file(options.speedscope, speedscope_json(joined, tree, title));
}

Result<void> write_flame(const ProfileOptions& options, const JoinedProfile& joined, const Shown& shown) {
  const StackTree tree = unfold(joined, StackLimits{});
  const FlameCaption caption{title_of(shown), shown.against ? shown.against->name : "", shown.source.name};
  const bool is_svg = options.flame.extension() == ".svg";
  return write_text_file(options.flame,
                         is_svg ? svg_flame_graph(joined, tree, caption) : html_flame_graph(joined, tree, caption));
}

Result<void> write_files(const ProfileOptions& options, const Shown& shown, Streams& streams) {
  STEELYARD_TRY(const JoinedProfile joined, join(shown, options.event));
  if (!options.folded.empty() || !options.speedscope.empty()) {
    STEELYARD_CHECK(write_stacks(options, joined, title_of(shown)));
  }
  if (!options.flame.empty()) STEELYARD_CHECK(write_flame(options, joined, shown));
  for (const std::filesystem::path& file : {options.flame, options.folded, options.speedscope}) {
    if (!file.empty()) note("wrote " + file.string(), options.common, streams);
  }
  return {};
}

Result<std::string> table(const ProfileOptions& options, const Shown& shown) {
  if (shown.against) return difference_text(options, shown.source, *shown.against);
  STEELYARD_CHECK(check_event(options, shown.source));
  ProfileSource source = shown.source;
  STEELYARD_CHECK(keep_functions(options, source));
  if (options.lines) {
    return options.common.json ? json_lines(source.profiles) : terminal_lines(source.profiles, options.rows);
  }
  if (options.common.json) {
    return source.profiles.empty() ? json_profile(source.parts) : json_profile(source.profiles);
  }
  const ProfileTable table{.rows = options.rows, .by_inclusive = options.inclusive, .event = options.event};
  return source.profiles.empty() ? terminal_profile(source.parts, table) : terminal_profile(source.profiles, table);
}

}  // namespace

ExitCode do_profile(const ProfileOptions& options, Streams& streams) {
  const Result<Shown> shown = load(options, streams);
  if (!shown) return report_error(shown.error(), streams);
  const bool has_files = !options.flame.empty() || !options.folded.empty() || !options.speedscope.empty();
  if (has_files) {
    if (const Result<void> written = write_files(options, *shown, streams); !written) {
      return report_error(written.error(), streams);
    }
    if (!options.common.json) return ExitCode::success;
  }
  const Result<std::string> text = table(options, *shown);
  if (!text) return report_error(text.error(), streams);
  streams.out << *text << std::flush;
  return ExitCode::success;
}

}  // namespace steelyard
