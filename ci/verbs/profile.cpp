// steelyard profile: where counted instructions went, of one profile or of the difference between two; and where the
// time of spans and traces did (profile_trace.cpp).
#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

#include "bench/counting/algebra/function_counts.hpp"
#include "bench/counting/algebra/name_folding.hpp"
#include "bench/counting/algebra/profile_delta.hpp"
#include "bench/counting/algebra/profile_sum.hpp"
#include "bench/counting/reader/callgrind_reader.hpp"
#include "bench/model/benchmark_id.hpp"
#include "bench/model/extended_expression.hpp"
#include "bench/model/text.hpp"
#include "ci/grammar/verb.hpp"
#include "ci/report/flame/flame_graph.hpp"
#include "ci/report/flame/stack_files.hpp"
#include "ci/report/profile.hpp"
#include "ci/verbs/profile_diff.hpp"
#include "ci/verbs/profile_source.hpp"
#include "ci/verbs/profile_trace.hpp"

namespace steelyard::ci {
namespace {

struct ProfileOptions {
  std::string format;                // "callgrind", "spans" or "chrome": `files` are such; empty: `side` is a run
  std::vector<std::string> files;    // callgrind files
  std::string side;                  // as one side of compare
  std::string benchmark;             // of the run; empty: all in tables, the only one in pictures
  std::string against;               // the baseline of a difference: a side or a callgrind file; empty: none
  std::string event;                 // that tables, pictures and stacks show; empty: Ir, else the first
  bool inclusive = false;            // tables by inclusive cost
  bool lines = false;                // tables by source line
  std::string filter;                // an extended regular expression: functions of tables; empty: all
  std::string fold;                  // "recursion", "clones" or both with a comma; empty: none
  std::string standardize;           // folders, with commas between; empty: names stay
  std::string repeats;               // callgrind files of the baseline's program, with commas; empty: no noise is known
  int part = 0;                      // of the callgrind files, counted from 1; 0: all
  int rows = 0;                      // 0: as many as usual; -1: all
  std::filesystem::path flame;       // .html or .svg; empty: none
  std::filesystem::path folded;      // empty: none
  std::filesystem::path speedscope;  // empty: none
  TraceOptions trace;                // of spans and Chrome traces
  ProfileDiffOptions diff;           // of two sides' traces

  int function_rows() const { return rows == 0 ? 30 : rows < 0 ? std::numeric_limits<int>::max() : rows; }
  bool is_trace() const { return format == "spans" || format == "chrome"; }
  bool has_files() const { return !flame.empty() || !folded.empty() || !speedscope.empty(); }
};

std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> words;
  std::istringstream stream(list);
  for (std::string word; std::getline(stream, word, ',');) {
    if (!word.empty()) words.push_back(std::move(word));
  }
  return words;
}

Result<bench::NameFolding> folding_of(const std::string& list) {
  bench::NameFolding folding{.recursion_levels = false, .clones = false};
  for (const std::string& word : words_of(list)) {
    if (word == "recursion") {
      folding.recursion_levels = true;
    } else if (word == "clones") {
      folding.clones = true;
    } else {
      return input_error("--fold", '"' + word + '"', "recursion, clones or both, with a comma between");
    }
  }
  return folding;
}

// Rows stay apart: two libraries may be of one name.
void standardize(const bench::StandardNames& names, std::vector<ProfiledFunction>& functions) {
  for (ProfiledFunction& function : functions) {
    function.object = std::string(bench::file_name(function.object));
    function.file = bench::standard_file(function.file, names);
  }
}

bool is_kept(const ExtendedExpression& filter, const ProfiledFunction& function) {
  return filter.finds_in(function.file + ":" + function.name + " [" + function.object + "]");
}

void keep(const ExtendedExpression& filter, std::vector<ProfiledFunction>& functions) {
  std::erase_if(functions, [&](const ProfiledFunction& function) { return !is_kept(filter, function); });
}

// The lines of those that ran in a function that stays.
void keep_lines(const ExtendedExpression& filter, CountedProfile& profile) {
  constexpr std::uint32_t kGone = UINT32_MAX;
  std::vector<std::uint32_t> index_of;
  std::uint32_t kept = 0;
  for (const ProfiledFunction& function : profile.functions) {
    index_of.push_back(is_kept(filter, function) ? kept++ : kGone);
  }
  std::erase_if(profile.sources, [&](const SourceCost& source) { return index_of[source.function] == kGone; });
  for (SourceCost& source : profile.sources) source.function = index_of[source.function];
}

Result<CountedProfile> one_profile(const ProfileSource& source) {
  if (source.profiles.size() > 1) {
    return input_error("steelyard profile", std::to_string(source.profiles.size()) + " profiles in " + source.name,
                       "one of them", "name it with --benchmark");
  }
  std::vector<CountedProfile> profiles = source.profiles;
  for (const bench::CallgrindPart& part : source.parts) profiles.push_back(bench::whole_profile(part));
  return bench::sum_of_profiles(profiles);
}

Result<std::size_t> chosen_event(const std::string& wanted, const std::vector<std::string>& events) {
  const std::string name = wanted.empty() ? "Ir" : wanted;
  const auto found = std::find(events.begin(), events.end(), name);
  if (found != events.end()) return static_cast<std::size_t>(found - events.begin());
  if (wanted.empty() && !events.empty()) return std::size_t{0};
  const std::string known = joined_text(events, ", ");
  return input_error("--event", '"' + name + '"', known.empty() ? "a profile with events" : "one of " + known);
}

// Names as asked for: folded, without the folders of a build. Error (input): a word that --fold does not know; sums
// beyond 63 bits.
Result<void> rename_functions(const ProfileOptions& options, ProfileSource& source) {
  STEELYARD_TRY(const bench::NameFolding folding, folding_of(options.fold));
  bench::StandardNames names;
  for (const std::string& folder : words_of(options.standardize)) names.folders.emplace_back(folder);
  for (bench::CallgrindPart& part : source.parts) {
    if (!options.standardize.empty()) standardize(names, part.functions);
    if (folding.recursion_levels || folding.clones) {
      STEELYARD_TRY(part, bench::fold_names(part, folding));
    }
  }
  for (CountedProfile& profile : source.profiles) {
    if (!options.standardize.empty()) standardize(names, profile.functions);
    STEELYARD_TRY(profile, bench::fold_names(profile, folding));
  }
  return {};
}

Result<bench::LearnedNoise> noise_of(const ProfileOptions& options) {
  std::vector<bench::FunctionCounts> repeats;
  for (const std::string& file : words_of(options.repeats)) {
    STEELYARD_TRY(ProfileSource source, load_callgrind_files({file}));
    STEELYARD_CHECK(rename_functions(options, source));
    STEELYARD_TRY(const CountedProfile profile, one_profile(source));
    STEELYARD_TRY(bench::FunctionCounts counts, bench::FunctionCounts::of(profile, bench::CountKind::self));
    repeats.push_back(std::move(counts));
  }
  return bench::learn_noise(repeats);
}

// Drops the functions that the filter does not want, and what ran in them. Totals stay those of the whole profile. For
// tables alone: what calls what is lost. Error (input): the filter is no regular expression.
Result<void> keep_functions(const ProfileOptions& options, ProfileSource& source) {
  if (options.filter.empty()) return {};
  STEELYARD_TRY(const ExtendedExpression filter, ExtendedExpression::compile(options.filter, "--filter"));
  for (bench::CallgrindPart& part : source.parts) {
    keep(filter, part.functions);
    part.arcs.clear();
    part.inlined.clear();
    part.position_costs.clear();
  }
  for (CountedProfile& profile : source.profiles) {
    keep_lines(filter, profile);
    keep(filter, profile.functions);
    profile.arcs.clear();
  }
  return {};
}

// What changed from `against` to `source`, function by function, with renamed ones matched: as a table, or with --json
// beside what json_profile() tells of `source`. Error (input): several benchmarks on a side, other events, an event
// that is not there, files of --repeats that cannot be read.
Result<std::string> difference_text(const ProfileOptions& options, const ProfileSource& source,
                                    const ProfileSource& against, const App& app) {
  STEELYARD_TRY(const CountedProfile candidate, one_profile(source));
  STEELYARD_TRY(const CountedProfile baseline, one_profile(against));
  STEELYARD_TRY(const std::size_t event, chosen_event(options.event, candidate.events));
  bench::ProfileDeltaOptions delta_options;
  bench::LearnedNoise noise;
  if (!options.repeats.empty()) {
    STEELYARD_TRY(noise, noise_of(options));
    delta_options.baseline_noise = &noise;
  }
  STEELYARD_TRY(const bench::ProfileDelta delta, bench::profile_delta(baseline, candidate, delta_options));
  std::function<bool(const bench::FunctionDelta&)> is_wanted;
  if (!options.filter.empty()) {
    STEELYARD_TRY(ExtendedExpression compiled, ExtendedExpression::compile(options.filter, "--filter"));
    const auto filter = std::make_shared<const ExtendedExpression>(std::move(compiled));
    const auto matches = [filter](const std::optional<bench::FunctionSide>& side) {
      return side && filter->finds_in(side->key.file + ":" + side->key.function + " [" + side->key.object + "]");
    };
    // The old name counts as well: who looks for it wants to see what became of it.
    is_wanted = [matches](const bench::FunctionDelta& function) {
      return matches(function.baseline) || matches(function.candidate);
    };
  }
  if (!app.common.json) {
    return terminal_profile_difference(
        delta, {.event = event, .rows = options.function_rows(), .by_inclusive = options.inclusive}, is_wanted);
  }
  ProfileSource kept = source;
  STEELYARD_CHECK(keep_functions(options, kept));
  const JsonDifference difference{against.name, delta, is_wanted};
  return kept.profiles.empty() ? json_profile(kept.parts, difference) : json_profile(kept.profiles, difference);
}

// Error (input): a part of `source` without the event that was asked for.
Result<void> check_event(const ProfileOptions& options, const ProfileSource& source) {
  if (options.event.empty()) return {};
  for (const bench::CallgrindPart& part : source.parts) {
    if (const auto event = chosen_event(options.event, part.events); !event) return event.error();
  }
  for (const CountedProfile& profile : source.profiles) {
    if (const auto event = chosen_event(options.event, profile.events); !event) return event.error();
  }
  return {};
}

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
  bench::CallgrindPart kept = std::move(source.parts[wanted - 1]);
  source.parts.clear();
  source.parts.push_back(std::move(kept));
  return {};
}

Result<Shown> load(const ProfileOptions& options, const App& app) {
  Shown shown;
  if (options.format.empty()) {
    STEELYARD_TRY(shown.source, load_run_profiles(options.side, options.benchmark, app));
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
    if (!unknown.empty()) app.note("note: " + printable(unknown, true));
  }
  STEELYARD_CHECK(rename_functions(options, shown.source));
  if (shown.source.has_shifted_lines) app.note(shifted_lines_note(shown.source.name));
  if (options.against.empty()) return shown;
  std::string benchmark = options.benchmark;
  if (shown.source.profiles.size() == 1) benchmark = shown.source.profiles.front().benchmark.canonical();
  STEELYARD_TRY(shown.against, load_against(options.against, !options.format.empty(), benchmark, app));
  STEELYARD_CHECK(keep_part(*shown.against, options.part));
  STEELYARD_CHECK(rename_functions(options, *shown.against));
  if (shown.against->has_shifted_lines) app.note(shifted_lines_note(shown.against->name));
  return shown;
}

// What is drawn as one profile: all parts of the files, or one benchmark of the run.
Result<std::vector<CountedProfile>> drawn_profiles(ProfileSource source) {
  std::vector<CountedProfile> profiles = std::move(source.profiles);
  if (profiles.size() > 1) {
    std::string names;
    for (const CountedProfile& profile : profiles) {
      names += (names.empty() ? "" : ", ") + name_as_given(profile.benchmark.canonical());
      if (names.size() > 200) break;
    }
    return input_error("steelyard profile",
                       std::to_string(profiles.size()) + " profiles in " + source.name + ": " + names, "one of them",
                       "name it with --benchmark");
  }
  for (const bench::CallgrindPart& part : source.parts) profiles.push_back(bench::whole_profile(part));
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
  const bool is_shifted = shown.source.has_shifted_lines || (shown.against && shown.against->has_shifted_lines);
  return join_profiles(baseline_parts, candidate_parts, event,
                       is_shifted ? KnownPlaces::functions : KnownPlaces::lines);
}

std::string title_of(const Shown& shown) {
  const std::vector<CountedProfile>& profiles = shown.source.profiles;
  return profiles.size() == 1 ? profiles.front().benchmark.canonical() : shown.source.name;
}

Result<void> write_stacks(const ProfileOptions& options, const JoinedProfile& joined, const std::string& title) {
  const StackTree tree = unfold(joined, kLimitsOfFiles);
  if (!options.folded.empty()) {
    STEELYARD_TRY(const std::string text, folded_stacks(joined, tree));
    STEELYARD_CHECK(write_text_file(options.folded, text, LinkInPlace::followed));
  }
  if (options.speedscope.empty()) return {};
  return write_text_file(options.speedscope, speedscope_json(joined, tree, title), LinkInPlace::followed);
}

Result<void> write_flame(const ProfileOptions& options, const JoinedProfile& joined, const Shown& shown) {
  const StackTree tree = unfold(joined, StackLimits{});
  const FlameCaption caption{title_of(shown), shown.against ? shown.against->name : "", shown.source.name};
  const bool is_svg = options.flame.extension() == ".svg";
  return write_text_file(options.flame,
                         is_svg ? svg_flame_graph(joined, tree, caption) : html_flame_graph(joined, tree, caption),
                         LinkInPlace::followed);
}

Result<void> write_files(const ProfileOptions& options, const Shown& shown, const App& app) {
  STEELYARD_TRY(const JoinedProfile joined, join(shown, options.event));
  if (!options.folded.empty() || !options.speedscope.empty()) {
    STEELYARD_CHECK(write_stacks(options, joined, title_of(shown)));
  }
  if (!options.flame.empty()) STEELYARD_CHECK(write_flame(options, joined, shown));
  for (const std::filesystem::path& file : {options.flame, options.folded, options.speedscope}) {
    if (!file.empty()) app.note("wrote " + file.string());
  }
  return {};
}

Result<std::string> table(const ProfileOptions& options, const Shown& shown, const App& app) {
  if (shown.against) return difference_text(options, shown.source, *shown.against, app);
  STEELYARD_CHECK(check_event(options, shown.source));
  ProfileSource source = shown.source;
  STEELYARD_CHECK(keep_functions(options, source));
  if (options.lines) {
    return app.common.json ? json_lines(source.profiles, source.has_shifted_lines)
                           : terminal_lines(source.profiles, options.function_rows());
  }
  if (app.common.json) {
    return source.profiles.empty() ? json_profile(source.parts) : json_profile(source.profiles);
  }
  const ProfileTable table{.rows = options.function_rows(), .by_inclusive = options.inclusive, .event = options.event};
  return source.profiles.empty() ? terminal_profile(source.parts, table) : terminal_profile(source.profiles, table);
}

Result<void> check_files(const ProfileOptions& options, const App& app) {
  if (!options.has_files() || app.common.json) return {};
  if (!options.inclusive && !options.lines && options.filter.empty() && options.rows == 0) return {};
  const char* option = options.inclusive         ? "--inclusive"
                       : options.lines           ? "--lines"
                       : !options.filter.empty() ? "--filter"
                                                 : "--rows";
  return input_error(option, "a flame graph or stacks to write", "a table",
                     "leave it out: pictures and stacks hold every function");
}

Result<ExitCode> run_profile(const ProfileOptions& options, const App& app) {
  if (options.diff.is_wanted) return run_profile_diff(options.diff, app);
  if (options.is_trace()) return run_trace(options.trace, app);
  STEELYARD_CHECK(check_files(options, app));
  STEELYARD_TRY(const Shown shown, load(options, app));
  if (options.has_files()) STEELYARD_CHECK(write_files(options, shown, app));
  if (options.has_files() && !app.common.json) return ExitCode::success;
  STEELYARD_TRY(const std::string text, table(options, shown, app));
  app.print(text);
  return ExitCode::success;
}

// What an option that is about counts alone says; empty: none was given.
std::string option_of_counts(const ProfileOptions& profile) {
  if (!profile.benchmark.empty()) return "--benchmark";
  if (!profile.event.empty()) return "--event";
  if (profile.part != 0) return "--part";
  if (profile.inclusive) return "--inclusive";
  if (profile.lines) return "--lines";
  if (!profile.filter.empty()) return "--filter";
  if (!profile.fold.empty()) return "--fold";
  if (!profile.standardize.empty()) return "--standardize";
  return profile.repeats.empty() ? "" : "--repeats";
}

Result<void> take_trace(ProfileOptions& profile, std::vector<std::string> given) {
  if (given.size() != 1) {
    return input_error("steelyard profile --read " + profile.format, std::to_string(given.size()) + " files", "one");
  }
  if (const std::string option = option_of_counts(profile); !option.empty()) {
    return input_error(option, "--read " + profile.format, "counted profiles", "leave one of them out");
  }
  TraceOptions& trace = profile.trace;
  if (!profile.against.empty() && profile.flame.empty() && profile.folded.empty() && profile.speedscope.empty()) {
    return input_error("--against", "a table of one trace", "--flame, --folded or --speedscope",
                       "name a picture to write");
  }
  trace.format = profile.format == "spans" ? TraceFormat::spans : TraceFormat::chrome;
  trace.file = std::move(given.front());
  trace.against = profile.against;
  if (profile.rows != 0) {
    trace.rows = profile.rows;
    trace.has_rows = true;
  }
  trace.flame = profile.flame;
  trace.folded = profile.folded;
  trace.speedscope = profile.speedscope;
  return {};
}

// What `profile diff` has no use for; empty: none was given.
std::string option_beside_diff(const ProfileOptions& profile) {
  if (!profile.against.empty()) return "--against";
  if (!profile.folded.empty()) return "--folded";
  if (!profile.speedscope.empty()) return "--speedscope";
  TraceOptions trace = profile.trace;
  trace.table_format = "text";
  const std::string of_traces = given_trace_option(trace);
  return of_traces.empty() ? option_of_counts(profile) : of_traces;
}

Result<void> take_diff(ProfileOptions& profile, std::vector<std::string> given) {
  if (!profile.format.empty() && !profile.is_trace()) {
    return input_error("--read", '"' + profile.format + '"', "spans or chrome",
                       "of counted profiles: steelyard profile NEW --against OLD");
  }
  if (const std::string option = option_beside_diff(profile); !option.empty()) {
    return input_error(option, "steelyard profile diff", "one of them");
  }
  profile.diff.format = profile.format;
  if (profile.rows != 0) profile.diff.rows = profile.rows;
  profile.diff.table_format = profile.trace.table_format;
  profile.diff.flame = profile.flame;
  given.erase(given.begin());
  return take_sides(profile.diff, std::move(given));
}

Result<void> take_names(ProfileOptions& profile, std::vector<std::string> given) {
  const std::string extension = profile.flame.extension().string();
  if (!profile.flame.empty() && extension != ".html" && extension != ".svg") {
    return input_error("--flame", '"' + profile.flame.string() + '"', "a name that ends in .html or .svg");
  }
  if (given.front() == "diff") return take_diff(profile, std::move(given));
  if (!profile.diff.base.empty() || !profile.diff.head.empty()) {
    return input_error("--base and --head", "no diff", "steelyard profile diff --base OLD --head NEW");
  }
  if (profile.is_trace()) return take_trace(profile, std::move(given));
  if (const std::string option = given_trace_option(profile.trace); !option.empty()) {
    return input_error(option, "no trace", "--read spans or --read chrome with a file");
  }
  if (profile.format.empty()) {
    if (given.size() != 1) {
      return input_error("steelyard profile", std::to_string(given.size()) + " names", "one run",
                         "callgrind files are read by steelyard profile --read callgrind FILE...");
    }
    if (profile.part != 0) return input_error("--part", "a run", "callgrind files", "name the --benchmark");
    if (!profile.repeats.empty()) return input_error("--repeats", "a run", "callgrind files, with --read callgrind");
    profile.side = std::move(given.front());
    return {};
  }
  if (profile.format != "callgrind") {
    return input_error("--read", '"' + profile.format + '"', "callgrind, spans or chrome",
                       "steelyard profile --read callgrind FILE...");
  }
  if (!profile.repeats.empty() && profile.against.empty()) {
    return input_error("--repeats", "no --against", "the baseline whose repeats these are");
  }
  profile.files = std::move(given);
  return {};
}

// As PyTorch's row_limit has it, -1 is all.
VerbOption rows_option(int& rows) {
  VerbOption option =
      number_option("--rows", rows, "shown of each part or table (30 functions, 100 spans); -1: all of them");
  option.set = [&rows, set = option.set](const std::string& text) -> Result<void> {
    if (text != "-1") return set(text);
    return rows = -1, Result<void>();
  };
  return option;
}

}  // namespace

Verb profile_verb() {
  const auto options = std::make_shared<ProfileOptions>();
  Verb verb = make_verb(
      options, run_profile, "profile",
      "Shows where counted instructions went, as a table, a flame graph or stacks, of one profile or of the difference "
      "between two. SIDE: a run as compare takes it, with counted profiles; with --read, callgrind files. Or where "
      "time went: --read spans of a program's own, or --read chrome of a trace such as PyTorch's; and with diff what "
      "changed between the traces of two builds.",
      "  steelyard profile --read callgrind callgrind.out.4711 --json\n"
      "  steelyard profile new.syrun --benchmark BM_sort --against old.syrun --flame sort.html\n"
      "  steelyard profile --read spans step.spans --by-shapes --sort total\n"
      "  steelyard profile diff old.spans new.spans");
  verb.names = {"SIDE|FILE..."};
  verb.min_names = 1;
  verb.take = [options](Words words) { return take_names(*options, std::move(words.names)); };
  verb.add(text_option("--read", "callgrind|spans|chrome", options->format, "what the files are"));
  verb.add(text_option("--benchmark", "NAME", options->benchmark, "of the run: its name, or a part that only one has"));
  verb.add(text_option("--against", "SIDE|FILE", options->against, "the baseline: show what changed from it"));
  verb.add(output_option("--flame", "FILE", options->flame, "write a flame graph: .html or .svg",
                         Writes::file_through_links));
  verb.add(output_option("--folded", "FILE", options->folded, "write one line a stack, as flamegraph.pl reads them",
                         Writes::file_through_links));
  verb.add(output_option("--speedscope", "FILE", options->speedscope, "write stacks for speedscope.app",
                         Writes::file_through_links));
  verb.add(text_option("--event", "NAME", options->event, "that tables, flame graphs and stacks show (default: Ir)"));
  verb.add(number_option("--part", options->part, "of the callgrind files, from 1 (default: all)"));
  verb.add(rows_option(options->rows));
  verb.add(flag_option("--inclusive", options->inclusive, "tables by inclusive cost"));
  verb.add(flag_option("--lines", options->lines, "tables by source line, inlined ones with their origin"));
  verb.add(text_option("--filter", "REGEX", options->filter,
                       "tables of functions whose \"file:name [object]\" has it in it"));
  verb.add(text_option("--fold", "WHAT,...", options->fold,
                       "one row for the levels of a recursion (recursion), for a function's copies "
                       "by the compiler (clones)"));
  verb.add(text_option("--standardize", "FOLDER,...", options->standardize,
                       "cut these folders off source files, and every folder off objects"));
  verb.add(text_option("--repeats", "FILE,...", options->repeats,
                       "with --read and --against: repeats of the baseline's program; what they differ "
                       "in is noise"));
  add_trace_options(verb, options->trace);
  add_diff_options(verb, options->diff);
  add_key_options(verb, {{"store", "project"}});
  add_common_options(verb);
  return verb;
}

}  // namespace steelyard::ci
