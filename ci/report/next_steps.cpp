#include "ci/report/next_steps.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <string_view>
#include <utility>

#include "bench/counting/count.hpp"
#include "bench/model/benchmark_id.hpp"
#include "bench/model/number_text.hpp"
#include "bench/runner/benchmark_listing.hpp"
#include "bench/runner/run_header.hpp"
#include "ci/attribution/own_source.hpp"
#include "ci/config/renames.hpp"
#include "ci/config/written_value.hpp"
#include "ci/report/comparison_text.hpp"
#include "ci/report/function_lines.hpp"
#include "ci/report/markup.hpp"
#include "ci/report/reasons.hpp"
#include "regress/history/judge_history.hpp"

namespace steelyard::ci {
namespace {

std::int64_t count_of(const Comparison& comparison, Verdict verdict) {
  return comparison.count_by_verdict().at(static_cast<std::size_t>(verdict));
}

// Past this a gate takes hours; caring for less is the better advice.
constexpr int kMaxRounds = 400;

// The rounds that stand in the row's reason. Of a row that does not know them, those that would see a change of the
// margin's size: the spread of a mean falls with the root of the rounds, so the detectable effect does too. 0: unknown.
double rounds_wanted(const ComparisonRow& row) {
  if (row.rounds_wanted) return *row.rounds_wanted;
  if (!row.minimum_detectable_effect || !(row.margin > 0)) return 0;
  const double ratio = *row.minimum_detectable_effect / row.margin;
  return row.rounds * ratio * ratio;
}

double largest_detectable(const std::vector<const ComparisonRow*>& rows) {
  double largest = 0;
  for (const ComparisonRow* row : rows) largest = std::max(largest, row->minimum_detectable_effect.value_or(0));
  return largest;
}

// As their reasons have it; where none of them does, what was taken here for too many.
std::string rounds_of_noise_text(const std::vector<const ComparisonRow*>& rows) {
  const auto known = std::ranges::count_if(rows, [](const auto* row) { return row->rounds_wanted.has_value(); });
  if (known == 0) return " for " + std::to_string(kMaxRounds) + " rounds to tell";
  return static_cast<std::size_t>(known) == rows.size() ? rounds_text(rows) : "";
}

// Beyond a doubled time, of what could hide: too little was measured to say how much.
constexpr double kAnything = 1;
// What is measured where nobody asks for fewer: noise in which anything hides in so many rounds is the machine's.
constexpr std::int32_t kTellingRounds = 12;

// Who reads it.
struct Reader {
  SidesFrom from = SidesFrom::this_command;
  ReadAt at = ReadAt::terminal;
};

// A job measured, and whoever reads can change its options.
bool is_of_job(Reader reader) { return reader.at == ReadAt::comment && reader.from != SidesFrom::before; }

// What measures again with these options. In a comment an option by itself does not say where it goes.
NextStep measuring_step(Reader reader, const std::string& advice, const std::string& options) {
  if (is_of_job(reader)) return {advice + ", among the arguments of the gate's job or in steelyard.toml", options};
  const bool is_own = reader.from != SidesFrom::before && reader.from != SidesFrom::kept;
  return {advice, (is_own ? "" : "steelyard ab OLD NEW ") + options};
}

// What compares again with these.
std::string comparing_command(SidesFrom from, const std::string& options) {
  return (from == SidesFrom::kept ? "steelyard compare BASELINE CANDIDATE " : "") + options;
}

// `wanted` 0: nobody knows how many. More rounds than the budget had time for want more of it, too.
std::string rounds_options(const Comparison& comparison, std::int32_t wanted) {
  const bool is_spent = stop_of(comparison.candidate) == Stop::budget_spent;
  return "--rounds " + (wanted > 0 ? std::to_string(wanted) : "N") + (is_spent ? " --budget DURATION" : "");
}

enum class RowsAsked { all, gating };

// Rows without an answer that one step would decide.
struct UndecidedRows {
  std::int64_t rows = 0;
  std::string who;      // "48 inconclusive"; empty where the advice names them
  std::string between;  // stands between them and the advice
  NextStep step;        // that can be read without what stands before it
};

UndecidedRows inconclusive_rows(std::size_t rows, std::string between, NextStep step) {
  return {static_cast<std::int64_t>(rows), std::to_string(rows) + " inconclusive", std::move(between), std::move(step)};
}

// Rows that so many rounds as stand in their own reasons would decide; none knows how many: measure longer.
UndecidedRows advise_rounds(const Comparison& comparison, const std::vector<const ComparisonRow*>& rows,
                            Reader reader) {
  std::int32_t wanted = 0;
  for (const ComparisonRow* row : rows) wanted = std::max(wanted, row->rounds_wanted.value_or(0));
  std::string advice;
  const double detectable = largest_detectable(rows);
  if (detectable > kAnything) advice = "any change could hide; ";
  if (detectable > 0 && detectable <= kAnything) advice = "changes below " + share_text(detectable) + " could hide; ";
  return inconclusive_rows(rows.size(), "; ",
                           measuring_step(reader, advice + "measure longer", rounds_options(comparison, wanted)));
}

// Rows that no sensible number of rounds would decide: the way out.
UndecidedRows advise_hopeless(const Comparison& comparison, const std::vector<const ComparisonRow*>& rows,
                              Reader reader) {
  const auto advised = [&](NextStep step) { return inconclusive_rows(rows.size(), ", ", std::move(step)); };
  const double detectable = largest_detectable(rows);
  // So few rounds that anything could hide in them say nothing of the machine.
  const bool are_few =
      std::all_of(rows.begin(), rows.end(), [](const ComparisonRow* row) { return row->rounds < kTellingRounds; });
  if (detectable > kAnything && are_few) {
    return inconclusive_rows(rows.size(), ", of too few rounds to say more; ",
                             measuring_step(reader, "measure longer", rounds_options(comparison, 0)));
  }
  const std::string too_noisy = "too noisy" + rounds_of_noise_text(rows) + "; ";
  // A margin wider than any calibration may give would hide what people want to know.
  if (detectable > kMaxCalibratedMargin) {
    const char* const machine = reader.from == SidesFrom::kept ? "the machine that measured" : "this machine";
    return advised(reader.at == ReadAt::terminal
                       ? NextStep{too_noisy + "see what disturbs " + machine, "steelyard doctor"}
                       : NextStep{too_noisy + "use a quieter machine", ""});
  }
  const std::string care = too_noisy + "use a quieter machine or care for less";
  const std::string margin = "--margin " + decimal_text(std::ceil(detectable * 100), 0) + "%";
  return advised(detectable <= 0     ? NextStep{care, ""}
                 : is_of_job(reader) ? measuring_step(reader, care, margin)
                                     : NextStep{care, comparing_command(reader.from, margin)});
}

// How many rounds each row would need stands in its reason and decides here too. `of`: all rows, or those that gate.
std::vector<UndecidedRows> undecided_rows(const Comparison& comparison, Reader reader, RowsAsked of = RowsAsked::all) {
  std::int64_t apart = 0;
  std::int64_t contradicted = 0;
  std::int64_t uncounted = 0;
  std::vector<const ComparisonRow*> sensible;
  std::vector<const ComparisonRow*> hopeless;
  for (const ComparisonRow& row : comparison.rows) {
    if (row.verdict != Verdict::inconclusive || (of == RowsAsked::gating && !row.gates)) continue;
    if (row.metric.kind != MetricKind::noisy) {
      const bool was_counted = row.ratio || (row.baseline && row.candidate);
      uncounted += was_counted || row.notes.has(RowNote::skipped_by_baseline) ? 0 : 1;
    } else if (!row.interval && row.test == TestKind::none && row.rounds == 0) {
      // Nothing can be measured longer of a benchmark that skips itself; its reason says so.
    } else if (is_first_look_only(comparison.candidate, row.benchmark)) {
      // Counting showed that both builds do the same work: more rounds would be of no more use.
    } else if (row.notes.has(RowNote::contradicted_alone)) {
      ++contradicted;
    } else if (!is_concurrent(row.layout)) {
      ++apart;
    } else {
      (rounds_wanted(row) <= kMaxRounds ? sensible : hopeless).push_back(&row);
    }
  }
  std::vector<UndecidedRows> groups;
  if (apart > 0) {
    groups.push_back(inconclusive_rows(static_cast<std::size_t>(apart), ", measured apart; ",
                                       {"measure both sides together", "steelyard ab OLD NEW"}));
  }
  if (contradicted > 0) {
    groups.push_back({contradicted, std::to_string(contradicted) + " changed side by side and not alone", "; ",
                      measuring_step(reader, "measure in turns", "--layout interleaved")});
  }
  const bool is_interrupted = stop_of(comparison.candidate) == Stop::interrupted;
  if (uncounted > 0 && !is_interrupted) {
    const std::string unreached = plural_text(uncounted, "count was", "counts were");
    groups.push_back(
        {uncounted, "", "",
         measuring_step(reader, unreached + " not reached in time; allow more of it", "--budget DURATION")});
  }
  if (!sensible.empty()) groups.push_back(advise_rounds(comparison, sensible, reader));
  if (!hopeless.empty()) groups.push_back(advise_hopeless(comparison, hopeless, reader));
  return groups;
}

// What it was measured without; null: nobody said so.
const std::string* lack_of_counting(const RunHeader& run) {
  const auto lack = run.settings.find(bench::kCountLackSetting);
  return lack == run.settings.end() ? nullptr : &lack->second;
}

void advise_regression(const Comparison& comparison, Reader reader, std::vector<NextStep>& steps) {
  std::set<std::string> named;
  std::string first;
  bool lacks_functions = false;
  for (const RowGroup& group : worst_first(comparison)) {
    if (group.verdict != Verdict::regression) continue;
    if (first.empty()) first = group.benchmark;
    const auto row =
        std::find_if(group.rows.begin(), group.rows.end(), [](const auto* r) { return !r->functions.empty(); });
    if (row == group.rows.end()) {
      lacks_functions = true;
      continue;
    }
    const FunctionChange& culprit = (*row)->functions.front();
    if (!culprit.own_source || is_bare_address(culprit.name) || named.size() == 2 || !named.insert(culprit.name).second)
      continue;
    const bool has_place = !culprit.file.empty() && culprit.file != "???";
    steps.push_back({"start at " + short_function_name(culprit.name),
                     !has_place         ? ""
                     : culprit.line > 0 ? culprit.file + ":" + std::to_string(culprit.line)
                                        : culprit.file});
  }
  const bool has_counts = std::any_of(comparison.rows.begin(), comparison.rows.end(),
                                      [](const auto& row) { return row.metric.kind == MetricKind::counted; });
  if (lacks_functions && !has_counts) {
    const std::string* const lack = lack_of_counting(comparison.candidate);
    steps.push_back(
        lack == nullptr
            ? measuring_step(reader, "count instructions to see which function did it", "--counts always")
            : NextStep{"counting instructions tells which function did it, but could not be done: " + *lack, ""});
  }
  if (reader.from != SidesFrom::this_command) return;
  // Whoever reads this may stand in a folder of another name.
  const std::string& project = comparison.candidate.project;
  steps.push_back({"see its past", "steelyard history " + in_shell_quotes(name_in_program(first)) +
                                       (project.empty() ? "" : " --project " + in_shell_quotes(project))});
}

// What heads a finding is the first function of a row.
void advise_symbols(const Comparison& comparison, std::vector<NextStep>& steps) {
  const bool any_bare = std::ranges::any_of(comparison.rows, [](const ComparisonRow& row) {
    return !row.functions.empty() && is_bare_address(row.functions.front().name);
  });
  if (!any_bare) return;
  steps.push_back({"functions without symbols are told by their addresses; for names keep them (no strip, no -s)", ""});
}

// Worst first; beyond the third the folder is enough.
void name_pictures(const Comparison& comparison, Reader reader, std::vector<NextStep>& steps) {
  constexpr std::size_t kMaxNamed = 3;
  std::vector<const ComparisonRow*> drawn;
  for (const RowGroup& group : worst_first(comparison)) {
    for (const ComparisonRow* row : group.rows) {
      if (!row->flame_graph.empty()) drawn.push_back(row);
    }
  }
  for (std::size_t i = 0; i < std::min(drawn.size(), kMaxNamed); ++i) {
    steps.push_back(
        {"see where the instructions of " + name_as_given(drawn[i]->benchmark) + " went", drawn[i]->flame_graph});
  }
  const bool could_draw = std::any_of(comparison.rows.begin(), comparison.rows.end(), [](const ComparisonRow& row) {
    return row.metric.name == kInstructions && row.verdict == Verdict::regression && !row.functions.empty();
  });
  // A job leaves its page, which has them.
  if (drawn.empty() && could_draw && reader.at == ReadAt::terminal) {
    steps.push_back(
        {"see which calls led there, as a flame graph", comparing_command(reader.from, "--flame-dir FOLDER")});
  }
  if (drawn.size() > kMaxNamed) {
    steps.push_back({"and " + std::to_string(drawn.size() - kMaxNamed) + " more flame graphs beside it", ""});
  }
}

// Of the regressions in time that counts do not explain.
void name_time_profiles(const Comparison& comparison, std::vector<NextStep>& steps) {
  std::size_t unreached = 0;
  bool has_no_spans = false;
  for (const RowGroup& group : worst_first(comparison)) {
    for (const ComparisonRow* row : group.rows) {
      if (!row->time_profile) continue;
      const TimeProfile& profile = *row->time_profile;
      const std::string name = name_as_given(row->benchmark);
      if (profile.outcome == TimeProfileOutcome::recorded) {
        const std::string where =
            profile.span.empty() || !profile.ratio
                ? "no span of " + name + " has a verdict of its own; see where its time went"
                : "the time of " + name + " went into " + profile.span + " (" + change_text(*profile.ratio) + ")";
        steps.push_back({where, profile.picture});
        steps.push_back({"its spans one by one", profile.table});
      } else if (profile.outcome == TimeProfileOutcome::failed) {
        steps.push_back({"where the time of " + name + " went could not be recorded: " + profile.failure, ""});
      }
      has_no_spans |= profile.outcome == TimeProfileOutcome::without_spans;
      unreached += profile.outcome == TimeProfileOutcome::out_of_time ? 1 : 0;
    }
  }
  if (has_no_spans) {
    steps.push_back(
        {"where the time went was not recorded, as the program makes no spans; link", "steelyard::bench_main"});
  }
  if (unreached > 0) {
    steps.push_back(
        {"of " + plural_text(unreached, "more regression") + " there was no time to record where theirs went", ""});
  }
}

// Characters that no shell takes for anything else, so that most paths need no quotes.
constexpr std::string_view kPlainCharacters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+=:@%,-";

// What a shell starts the program by: one that lies in the folder at hand is found by its path alone. A commit's has
// its arguments behind it, as the configuration has them; what two files were named by is a path.
std::string started_by(const RunHeader& run, SidesFrom from) {
  const bool is_measured_here = from == SidesFrom::this_command || from == SidesFrom::unkept;
  const bool is_path = is_measured_here && run.commit.sha.empty();
  const std::string& given = run.program;
  const std::string_view file = std::string_view(given).substr(0, is_path ? given.size() : given.find(' '));
  const std::string program = (file.find('/') == std::string_view::npos ? "./" : "") + given;
  const bool is_plain = given.find_first_not_of(kPlainCharacters) == std::string::npos;
  return is_plain || !is_path ? program : in_shell_quotes(program);
}

// Of the side that failed. A command is run as it is; what another tool wrote is no program, but that Google Benchmark
// says which wrote it. Another machine has the program elsewhere, and which side failed is not kept.
void advise_failed(const ComparisonRow& row, const Comparison& comparison, SidesFrom from,
                   std::vector<NextStep>& steps) {
  const RunHeader& run = row.only_baseline_failed ? comparison.baseline : comparison.candidate;
  const bool is_imported = run.settings.contains(kImportedFilesSetting);
  if (is_imported && run.tool != "google-benchmark") return;
  // A file's own name, where it did not say so, has no folder.
  const bool is_known = !run.program.empty() && (!is_imported || run.program.find('/') != std::string::npos);
  const bool is_command = run.settings.contains(std::string(bench::kCommandSetting));
  const bool is_sure =
      from != SidesFrom::kept || (is_command && comparison.baseline.program == comparison.candidate.program);
  std::string command = !is_known || !is_sure ? (is_command ? "COMMAND" : "PROGRAM")
                        : is_command          ? run.program
                                              : started_by(run, from);
  if (!is_command) {
    command += " --benchmark_filter=" + in_shell_quotes(bench::exact_filter({name_in_program(row.benchmark)}));
  }
  steps.push_back({"run what failed alone", std::move(command)});
}

// The line of steelyard.toml that confirms it, without its table's.
std::string rename_line(const RenameProposal& proposal) {
  return quoted_for_toml(as_pattern(proposal.from)) + " = " + quoted_for_toml(as_pattern(proposal.to));
}

// Why it is proposed: "names alike by 62 %, 100 % of their functions, instructions +1.00 %, time +0.40 %".
std::string likeness_text(const RenameProposal& proposal) {
  std::string text = "names alike by " + share_text(proposal.names);
  if (proposal.functions) text += ", " + share_text(*proposal.functions) + " of their functions";
  if (proposal.counts_ratio) text += ", instructions " + change_text(*proposal.counts_ratio);
  if (proposal.time_ratio) text += ", time " + change_text(*proposal.time_ratio);
  return text;
}

void advise_renames(const std::vector<RenameProposal>& proposals, std::vector<NextStep>& steps) {
  constexpr std::size_t kMaxNamed = 3;
  for (std::size_t i = 0; i < std::min(proposals.size(), kMaxNamed); ++i) {
    steps.push_back({"if " + name_as_given(proposals[i].from) + " was renamed (" + likeness_text(proposals[i]) +
                         "), a line below [rename] in steelyard.toml keeps its history",
                     rename_line(proposals[i])});
  }
  if (proposals.size() <= kMaxNamed) return;
  const auto more = static_cast<std::int64_t>(proposals.size() - kMaxNamed);
  steps.push_back({plural_text(more, "more benchmark") + " may have been renamed: rename_proposals of --json", ""});
}

}  // namespace

std::vector<NextStep> next_steps(const Comparison& comparison, SidesFrom from, ReadAt at) {
  std::vector<NextStep> steps;
  const Reader reader{from, at};
  if (count_of(comparison, Verdict::regression) > 0) advise_regression(comparison, reader, steps);
  advise_symbols(comparison, steps);
  name_pictures(comparison, reader, steps);
  name_time_profiles(comparison, steps);
  const auto failed = std::ranges::find_if(
      comparison.rows, [](const ComparisonRow& row) { return row.verdict == Verdict::failed && !is_told_only(row); });
  if (failed != comparison.rows.end()) advise_failed(*failed, comparison, from, steps);
  const auto is_gone = [](const ComparisonRow& row) {
    return row.verdict == Verdict::missing && row.benchmark != kAllBenchmarks;
  };
  if (std::ranges::any_of(comparison.rows, is_gone)) {
    const std::string occasions = std::to_string(regress::kRecentOccasions);
    steps.push_back({comparison.history
                         ? "a benchmark that is missing on purpose is missing until the " + occasions +
                               " newest occasions lack it; if it was renamed, [rename] of steelyard.toml says so"
                         : "a benchmark that is missing on purpose is missing once: the next baseline lacks it too",
                     ""});
  }
  advise_renames(comparison.rename_proposals, steps);
  if (count_of(comparison, Verdict::incomparable) > 0) {
    steps.push_back({"measure both sides on one machine", "steelyard ab OLD NEW"});
    std::string facts;  // all of them: with one still decisive nothing is compared
    std::size_t count = 0;
    for (const FactDifference& fact : comparison.environment_differences) {
      const std::vector<std::string>& ignored = comparison.policy.ignored_facts;
      if (!fact.decisive || std::find(ignored.begin(), ignored.end(), fact.name) != ignored.end()) continue;
      facts += (++count == 1 ? "" : ",") + fact.name;
    }
    if (count > 0) {
      const std::string what = count == 1 ? "or say that the difference does not matter"
                                          : "or say that the " + std::to_string(count) + " differences do not matter";
      const std::string options = "--ignore-fact " + facts;
      steps.push_back(is_of_job(reader)         ? measuring_step(reader, what, options)
                      : from == SidesFrom::kept ? NextStep{what, comparing_command(from, options)}
                                                : NextStep{what + ": the same command with", options});
    }
  }
  for (const UndecidedRows& group : undecided_rows(comparison, reader)) {
    steps.push_back({group.who + group.between + group.step.advice, group.step.command});
  }
  return steps;
}

std::optional<NextStep> deciding_step(const Comparison& comparison, SidesFrom from, ReadAt at) {
  const bool any_gates = std::ranges::any_of(
      comparison.rows, [](const ComparisonRow& row) { return row.verdict == Verdict::inconclusive && row.gates; });
  std::vector<UndecidedRows> groups =
      undecided_rows(comparison, {from, at}, any_gates ? RowsAsked::gating : RowsAsked::all);
  const auto most = std::ranges::max_element(groups, {}, &UndecidedRows::rows);
  return most == groups.end() ? std::nullopt : std::optional(std::move(most->step));
}

std::string deciding_text(const std::optional<NextStep>& step) {
  if (!step) return "";
  return "; " + step->advice + (step->command.empty() ? "" : ": " + step->command);
}

std::string renames_need_counts(const RunHeader& candidate) {
  const std::string* const lack = lack_of_counting(candidate);
  return "no rename is proposed for the benchmarks that are gone and new: one that is not alike by name and time is "
         "told by its instructions, which were not counted on both sides: " +
         (lack == nullptr ? std::string("measure with --counts always,") : *lack + ';') +
         " or write the line of [rename] yourself";
}

}  // namespace steelyard::ci
