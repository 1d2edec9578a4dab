#include "ci/report/row_text.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>
#include <vector>

#include "bench/model/number_text.hpp"
#include "regress/policy/pattern_policy.hpp"

namespace steelyard::ci {
namespace {

namespace ungated = regress::ungated;

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
  std::string operator()(const ungated::BelowCountedMinimum& below) const {
    return "it is below the minimum effect of counts, " + share_text(below.minimum);
  }
  std::string operator()(const ungated::LevelAccepted& accepted) const {
    constexpr std::size_t kShownDigits = 9;
    return "commit " + accepted.commit.substr(0, kShownDigits) + " accepted this level";
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
  std::string operator()(const ungated::StepsNotConfirmed&) const {
    return "the policy wants both signals, and time cannot tell of single steps";
  }
};

std::string gating_text(const std::vector<std::string>& metrics) {
  std::string text;
  for (const std::string& metric : metrics) text += (text.empty() ? "" : " and ") + metric;
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
  std::string text = "over " + plural_text(*noise.code_layouts, "code layout") + " " + range_text(over) + " (" +
                     share_text(row.confidence) + "), standard deviation between them " +
                     share_text(*noise.code_layout) + "; ";
  const bool is_changed = row.verdict == Verdict::regression || row.verdict == Verdict::improvement;
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

}  // namespace steelyard::ci
