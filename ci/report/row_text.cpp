#include "ci/report/row_text.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>
#include <vector>

#include "bench/model/number_text.hpp"
#include "bench/model/text.hpp"
#include "regress/ab/confirmation.hpp"
#include "regress/policy/pattern_policy.hpp"

namespace steelyard::ci {
namespace {

namespace ungated = regress::ungated;
using regress::AloneAnswer;

std::string standing_text(Verdict verdict) {
  return verdict == Verdict::improvement ? "better" : std::string(to_text(verdict));
}

struct GateNoteWords {
  const ComparisonRow& row;

  std::string operator()(std::monostate) const { return ""; }
  std::string operator()(const ungated::MetricNotAsked& not_asked) const {
    return row.metric.name + " is not among the metrics that gate" +
           (not_asked.table.empty() ? "" : " by the policy of " + not_asked.table);
  }
  std::string operator()(const ungated::ChangeAccepted& accepted) const {
    return "accepted by " +
           (accepted.commit.empty() ? accepted.by : "commit " + shown_sha(accepted.commit) + " (" + accepted.by + ")") +
           (accepted.until.empty() ? "" : ", until " + accepted.until) + ": " + accepted.reason;
  }
  std::string operator()(const ungated::BelowCountedMinimum& below) const {
    return "it is below the minimum effect of counts, " + share_text(below.minimum);
  }
  std::string operator()(const ungated::LevelAccepted& accepted) const {
    return "commit " + shown_sha(accepted.commit) + " accepted this level";
  }
  std::string operator()(const ungated::OtherSignalDecides& other) const {
    return "the policy lets " + std::string(to_text(other.witness)) + " alone decide";
  }
  std::string operator()(const ungated::TimeDecides& decides) const {
    return "time decides where it is decided, and it is " +
           (decides.time == Verdict::unchanged ? "shown " : std::string()) + standing_text(decides.time);
  }
  std::string operator()(const ungated::NotConfirmed& not_confirmed) const {
    return std::string("the policy wants both signals, and ") +
           (not_confirmed.by_count ? "the count is " : "the time is ") + standing_text(not_confirmed.other);
  }
  std::string operator()(const ungated::CountsNotAsked&) const {
    return "nobody asked for counts, and neither side has one";
  }
  std::string operator()(const ungated::StepsNotConfirmed&) const {
    return "the policy wants both signals, and time cannot tell of single steps";
  }
};

std::string gating_text(const std::vector<std::string>& metrics) {
  const std::string text = joined_text(metrics, " and ");
  return text.empty() ? "nothing gates" : text + (metrics.size() == 1 ? " gates" : " gate");
}

}  // namespace

std::string gate_note_text(const ComparisonRow& row, const regress::GateNote& note) {
  return std::visit(GateNoteWords{row}, note);
}

std::string policy_text(const ComparisonPolicy& policy, const ComparisonRow& row) {
  const std::string& benchmark = row.benchmark;
  const MetricKind kind = row.metric.kind;
  std::vector<std::pair<const PatternPolicy*, std::string>> parts;  // null: what holds for all
  const auto add = [&parts](const PatternPolicy* table, const std::string& what) {
    const auto same = std::find_if(parts.begin(), parts.end(), [&](const auto& part) { return part.first == table; });
    same == parts.end() ? void(parts.emplace_back(table, what)) : void(same->second += ", " + what);
  };
  add(regress::effect_table(policy, benchmark, kind),
      "minimum effect " + small_share_text(regress::minimum_effect_of(policy, benchmark, kind)));
  add(regress::table_for(policy, benchmark, &PatternPolicy::margin),
      "margin " + small_share_text(regress::margin_of(policy, benchmark)));
  if (const PatternPolicy* table = regress::table_for(policy, benchmark, &PatternPolicy::gates)) {
    add(table, gating_text(*table->gates));
  }
  const PatternPolicy* budget = regress::table_for(policy, benchmark, &PatternPolicy::budget_ns);
  if (budget && kind == MetricKind::noisy) {
    add(budget, "budget " + level_text(static_cast<double>(*budget->budget_ns), "ns"));
  }
  if (std::none_of(parts.begin(), parts.end(), [](const auto& part) { return part.first != nullptr; })) return "";
  std::string text;
  for (const auto& [table, what] : parts) {
    text +=
        (text.empty() ? "" : "; ") + what + (table ? " by the policy of " + regress::to_text(*table) : " as for all");
  }
  return text;
}

std::string code_layout_text(const ComparisonRow& row) {
  const NoiseParts& noise = row.noise;
  if (!noise.code_layout || !noise.code_layouts || !noise.over_code_layouts || !row.ratio) return "";
  const Interval& over = *noise.over_code_layouts;
  std::string text = "over " + plural_text(*noise.code_layouts, "code layout") + " " + range_text(over, *row.ratio) +
                     " (" + share_text(row.confidence) + "), standard deviation between them " +
                     share_text(*noise.code_layout) + "; ";
  const bool is_changed = is_change(row.verdict);
  if (is_changed && over.low <= 1 && over.high >= 1) return text + "layout could explain all of it";
  // Half of the interval, as a ratio: rounds have their part in it, so it is the most that layouts can have.
  return text + "layout could explain up to " + share_text(std::sqrt(over.high / over.low) - 1) +
         (is_changed ? " of it" : "");
}

std::string detectable_text(double effect) {
  constexpr double kMaxTold = 10;
  return effect > kMaxTold ? "over 1,000 %" : share_text(effect);
}

std::string exactness_text(CountScope scope, double jitter) {
  if (scope == CountScope::timed_region) return jitter > 0 ? "exact to " + small_share_text(jitter) : "exact";
  return std::string(to_text(scope)) + (jitter > 0 ? ", to " + small_share_text(jitter) : "");
}

std::string note_text(RowNote note) {
  switch (note) {
    case RowNote::equal_program:
      return std::string(kEqualProgramText);
    case RowNote::equal_code:
      return "the code it executes is equal in both builds; data may differ";
    case RowNote::other_dispatch:
      return "library dispatch: ";
    case RowNote::not_timed:
      return "not timed, as the policy says (skip_time): ";
    case RowNote::not_confirmed_alone:
      return "not confirmed alone";
    case RowNote::skipped_by_baseline:
      return "the baseline skipped it";
    case RowNote::contradicted_alone:
      return "contradicted alone: ";
    case RowNote::drift_explains:
      return "drift between the sides could explain ";
    case RowNote::scatter_explains:
      return "the scatter of invocations could explain ";
    case RowNote::both_explain:
      return "drift and the scatter of invocations together could explain ";
    case RowNote::too_noisy:
      return "too noisy: in ";
    case RowNote::equal_counts:
      return "each of its functions costs the same; what sets it up may differ";
    case RowNote::first_look_only:
      return "no rounds beyond the first look: counting has shown both builds to be equal here";
    case RowNote::not_asked_for:
      return "";
  }
  return "";
}

std::string equal_program_text(const EqualProgram& equal) {
  constexpr std::size_t kShownDigits = 12;
  std::string text(kEqualProgramText);
  if (equal.files_read == 1) text += ", and so is the file it reads";
  if (equal.files_read > 1) text += ", and so are the " + std::to_string(equal.files_read) + " files it reads";
  return text + " (sha256 " + equal.sha256.substr(0, kShownDigits) + ')';
}

std::string untimed_text(UntimedBy by, const std::optional<EqualProgram>& program) {
  std::string text;
  switch (by) {
    case UntimedBy::policy:
      text = note_text(RowNote::not_timed);
      break;
    case UntimedBy::one_build:
      text = "not timed: the candidate's build is the baseline's, as only documentation changed; ";
      break;
    case UntimedBy::equal_builds:
      text = "not timed: both commits build the same program; ";
      break;
  }
  return text + (program ? equal_program_text(*program)
                         : note_text(RowNote::equal_code) + "; " + note_text(RowNote::equal_counts));
}

std::string change_figure(double ratio, Figures figures) {
  return figures == Figures::kept ? plain_change_text(ratio) : change_text(ratio);
}

std::string range_figure(const Interval& ratios, double ratio, Figures figures) {
  return figures == Figures::kept ? plain_range_text(ratios) : range_text(ratios, ratio);
}

std::string solo_change_text(const SoloCheck& solo, Figures figures) {
  return change_figure(solo.ratio, figures) + " (" +
         (solo.interval ? range_figure(*solo.interval, solo.ratio, figures) : "no interval") + ")";
}

std::string alone_lead(const ComparisonRow& row, Figures figures) {
  const bool is_open = figures == Figures::shown && !row.solo->agrees;
  return (is_open ? note_text(RowNote::not_confirmed_alone) : "alone") + ": ";
}

namespace {

std::string agreement_text(regress::Agreement agreement, bool before_rounds_4) {
  using regress::Agreement;
  if (agreement == Agreement::too_wide) return "too wide to tell";
  if (agreement == Agreement::contradicts) return "which contradicts it";
  if (agreement == Agreement::agrees || before_rounds_4) return "which agrees";
  return std::string("a change as well, and surely a ") + (agreement == Agreement::smaller ? "smaller" : "larger") +
         " one";
}

std::string alone_text(const ComparisonRow& row, bool before_rounds_4, Figures figures) {
  return alone_lead(row, figures) + solo_change_text(*row.solo, figures) + ", " +
         agreement_text(regress::agreement(row), before_rounds_4);
}

std::string alone_text_of_rounds_2(const SoloCheck& solo) {
  if (solo.agrees != false) {
    return "alone: " + solo_change_text(solo, Figures::kept) + (solo.agrees ? "" : ", which does not tell");
  }
  return "alone it is less than the minimum effect (" + plain_change_text(solo.ratio) + ", " +
         (solo.interval ? plain_range_text(*solo.interval) : "no interval") +
         "): it is an effect of running beside another process";
}

}  // namespace

std::string with_alone(const std::string& reason, const ComparisonRow& row, const regress::AloneFact& alone) {
  const std::string not_confirmed = reason + "; " + note_text(RowNote::not_confirmed_alone);
  const std::string contradicted = note_text(RowNote::contradicted_alone) +
                                   (row.solo ? solo_change_text(*row.solo, Figures::kept) : std::string()) +
                                   " with nothing beside it, which ";
  const std::string in_duet = "; measure in turns to tell (--layout interleaved); side by side: " + reason;
  switch (alone.answer) {
    case AloneAnswer::told:
      break;
    case AloneAnswer::told_by_rounds_2:
      return reason + "; " + alone_text_of_rounds_2(*row.solo);
    case AloneAnswer::not_measured:
      return not_confirmed + ": nothing was measured of it alone";
    case AloneAnswer::too_seldom:
      return not_confirmed + ": it ran too seldom alone to be compared";
    case AloneAnswer::not_reached:
      return not_confirmed + ": the budget was spent";
    case AloneAnswer::opposite:
      return contradicted + "is the opposite" + in_duet;
    case AloneAnswer::below_minimum:
      return contradicted + "leaves less than the minimum effect of " + share_text(row.minimum_effect) + in_duet;
    case AloneAnswer::excludes_all:
      return contradicted + "excludes all of " + plain_range_text(*row.interval) + " side by side" + in_duet;
  }
  return reason + "; " + alone_text(row, alone.before_rounds_4, Figures::kept);
}

std::string solo_text(const ComparisonRow& row) {
  if (row.notes.has(RowNote::contradicted_alone)) return "";
  if (row.solo) return alone_text(row, false, Figures::shown);
  if (!row.notes.has(RowNote::not_confirmed_alone)) return "";
  return note_text(RowNote::not_confirmed_alone) + ": " + std::string(kNotHeldAlone);
}

}  // namespace steelyard::ci
