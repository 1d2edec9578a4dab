#include "ci/report/reasons.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "bench/model/number_text.hpp"
#include "ci/report/reason_text.hpp"
#include "ci/report/row_text.hpp"
#include "regress/ab/calibrated.hpp"
#include "regress/ab/rules.hpp"
#include "regress/ab/verdict.hpp"

namespace steelyard::ci {

std::string detectable_line(const std::vector<const ComparisonRow*>& rows) {
  double least = HUGE_VAL;
  double most = 0;
  for (const ComparisonRow* row : rows) {
    if (!row->minimum_detectable_effect || row->test == TestKind::history) continue;
    least = std::min(least, *row->minimum_detectable_effect);
    most = std::max(most, *row->minimum_detectable_effect);
  }
  if (most == 0) return "";
  const std::string from = detectable_text(least);
  const std::string to = detectable_text(most);
  return "changes from " + from + " on" + (from == to ? "" : ", of the noisiest from " + to + " on,") +
         " are found in 4 of 5 tries by data like these";
}

namespace {

constexpr std::array kCauses{RowNote::drift_explains, RowNote::scatter_explains, RowNote::both_explain,
                             RowNote::too_noisy, RowNote::not_timed};

std::optional<RowNote> cause_of(const ComparisonRow& row) {
  const auto at = std::find_if(kCauses.begin(), kCauses.end(), [&](RowNote note) { return row.notes.has(note); });
  return at == kCauses.end() ? std::nullopt : std::optional(*at);
}

// With its calibration's benchmarks by name, found once for all rows.
struct CalibratedComparison {
  explicit CalibratedComparison(const Comparison& of)
      : comparison(of), calibrated(of.calibration ? &*of.calibration : nullptr, regress::rules_of(of.rule_version)) {}
  const Comparison& comparison;
  regress::CalibratedNoise calibrated;
};

// Causes that follow from the figures of a row measured in rounds, of which no note is kept.
enum class FigureCause { adjusted, below_minimum };

std::optional<FigureCause> figure_cause_of(const ComparisonRow& row, const CalibratedComparison& whole) {
  const bool is_open = row.verdict == Verdict::inconclusive && row.test == TestKind::rounds &&
                       is_concurrent(row.layout) && row.p && row.q && row.interval &&
                       !row.notes.has(RowNote::contradicted_alone) && !cause_of(row);
  if (!is_open) return std::nullopt;
  const bool is_refused = whole.comparison.calibration && whole.comparison.calibration->failed;
  if (is_refused || whole.calibrated.floor_beyond(row.benchmark, row.metric.name, row.margin)) return std::nullopt;
  const double level = whole.comparison.policy.false_alarm_rate;
  if (*row.q <= level) return FigureCause::below_minimum;
  return *row.p <= level ? std::optional(FigureCause::adjusted) : std::nullopt;
}

// Of an unchanged row only that it was not measured has to be said.
bool wants_reason(const ComparisonRow& row) {
  if (row.verdict == Verdict::unchanged) return row.notes.has(RowNote::not_timed);
  const bool is_plainly_new = row.verdict == Verdict::fresh && !row.notes.has(RowNote::skipped_by_baseline);
  return !is_change(row.verdict) && !is_plainly_new && !row.reason.empty();
}

// What makes two reasons one: the cause and what differs by kind and not by degree; else the sentence.
std::string reason_key(const ComparisonRow& row, const CalibratedComparison& whole) {
  const std::optional<RowNote> cause = cause_of(row);
  if (const auto figures = figure_cause_of(row, whole)) {
    const char* const name = *figures == FigureCause::adjusted ? "adjusted" : "below the minimum effect";
    return std::string(name) + '\n' + std::string(to_text(row.layout)) + '\n' + row.metric.name;
  }
  if (!cause || *cause == RowNote::not_timed) return row.reason;
  const bool stopped_early = row.notes.has(RowNote::first_look_only);
  return note_text(*cause) + '\n' + std::string(to_text(row.layout)) + '\n' + row.metric.name +
         (stopped_early ? "\nfirst look" : "");
}

std::vector<std::string> reason_keys(const RowGroup& group, const CalibratedComparison& whole) {
  std::vector<std::string> keys;
  for (const ComparisonRow* row : group.rows) {
    if (!wants_reason(*row)) continue;
    const std::string key = reason_key(*row, whole);
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  }
  return keys;
}

std::string changes_text(const std::vector<const ComparisonRow*>& rows) {
  double least = HUGE_VAL;
  double most = 0;
  for (const ComparisonRow* row : rows) {
    least = std::min(least, row->ratio.value_or(1));
    most = std::max(most, row->ratio.value_or(1));
  }
  return change_text(least) + " to " + change_text(most);
}

// "p = 0.031", "p = 0.004 to 0.031".
std::string range_of_p(const std::vector<const ComparisonRow*>& rows, std::optional<double> ComparisonRow::*value) {
  double least = 1;
  double most = 0;
  for (const ComparisonRow* row : rows) {
    least = std::min(least, *(row->*value));
    most = std::max(most, *(row->*value));
  }
  const std::string from = p_value_text(least);
  const std::string to = p_value_text(most);
  return from == to ? to : from + " to " + to;
}

// Precondition: at least two rows, each of that cause.
std::string text_of_figures(FigureCause cause, const std::vector<const ComparisonRow*>& rows,
                            const Comparison& comparison) {
  if (cause == FigureCause::below_minimum) {
    return "each change is significant but not shown to be more than the minimum effect, nor its interval within the "
           "margin" +
           rounds_text(rows);
  }
  const auto judged = std::count_if(comparison.rows.begin(), comparison.rows.end(),
                                    [](const ComparisonRow& row) { return row.q.has_value(); });
  return "p = " + range_of_p(rows, &ComparisonRow::p) + " alone, but " + range_of_p(rows, &ComparisonRow::q) +
         " among " + plural_text(judged, "comparison") + rounds_text(rows);
}

// One sentence for rows of one cause, layout and metric. Precondition: at least two.
std::string text_of_cause(RowNote cause, const std::vector<const ComparisonRow*>& rows, const Comparison& comparison) {
  const ComparisonRow& first = *rows.front();
  if (cause == RowNote::too_noisy) {
    const bool one_margin =
        std::all_of(rows.begin(), rows.end(), [&](const ComparisonRow* row) { return row->margin == first.margin; });
    return "too noisy: each interval includes 0 % and reaches beyond " +
           (one_margin ? "the margin of " + share_text(first.margin) : std::string("its margin")) + rounds_text(rows) +
           (first.notes.has(RowNote::first_look_only) ? "; " + note_text(RowNote::first_look_only) : "");
  }
  const auto drift = std::find_if(comparison.drifts.begin(), comparison.drifts.end(),
                                  [&](const SharedDrift& one) { return one.metric == first.metric.name; });
  const bool was_removed = drift != comparison.drifts.end() && drift->removed;
  return note_text(cause) + (was_removed ? "what is left of each change (" : "each change (") + changes_text(rows) +
         (was_removed ? ", the common movement of " + change_text(drift->ratio) + " taken off)" : ")") +
         (first.layout == Layout::separate ? "; the sides were measured on different occasions"
                                           : "; the sides count as measured one after the other") +
         "; measure both builds together with `steelyard ab`";
}

std::vector<std::string> texts_of(const std::vector<RowGroup>& groups, const CalibratedComparison& whole) {
  std::vector<std::string> texts;
  for (const std::string& key : reason_keys(groups.front(), whole)) {
    std::vector<const ComparisonRow*> rows;
    for (const RowGroup& group : groups) {
      for (const ComparisonRow* row : group.rows) {
        if (wants_reason(*row) && reason_key(*row, whole) == key) rows.push_back(row);
      }
    }
    if (const auto figures = figure_cause_of(*rows.front(), whole); figures && rows.size() > 1) {
      texts.push_back(text_of_figures(*figures, rows, whole.comparison));
      continue;
    }
    const std::optional<RowNote> cause = cause_of(*rows.front());
    const bool is_one = rows.size() == 1 || !cause || *cause == RowNote::not_timed;
    texts.push_back(is_one ? shown_reason(*rows.front()) : text_of_cause(*cause, rows, whole.comparison));
  }
  return texts;
}

}  // namespace

std::string rounds_text(const std::vector<const ComparisonRow*>& rows) {
  std::int32_t least = regress::kMaxRoundsNamed;
  std::int32_t most = 0;
  std::size_t hopeless = 0;
  for (const ComparisonRow* row : rows) {
    if (!row->rounds_wanted) continue;
    if (*row->rounds_wanted >= regress::kMaxRoundsNamed) {
      ++hopeless;
      continue;
    }
    least = std::min(least, *row->rounds_wanted);
    most = std::max(most, *row->rounds_wanted);
  }
  std::string text;
  if (most > 0) {
    text =
        "; about " + (least == most ? "" : std::to_string(least) + " to ") + plural_text(most, "round") + " would tell";
  }
  if (hopeless > 0) {
    text += "; " + (hopeless == rows.size() ? "" : "of " + std::to_string(hopeless) + " of them ") + "even " +
            count_text(regress::kMaxRoundsNamed) + " rounds of this noise may not tell";
  }
  return text;
}

std::vector<const ComparisonRow*> rows_of(const SharedReason& shared) {
  std::vector<const ComparisonRow*> rows;
  for (const RowGroup& group : shared.groups) rows.insert(rows.end(), group.rows.begin(), group.rows.end());
  return rows;
}

std::vector<SharedReason> groups_by_reason(const Comparison& comparison) {
  const CalibratedComparison whole(comparison);
  std::vector<SharedReason> shared;
  std::map<std::pair<Verdict, std::vector<std::string>>, std::size_t> place_of;
  for (RowGroup& group : worst_first(comparison)) {
    std::vector<std::string> keys = reason_keys(group, whole);
    std::size_t place = shared.size();
    if (!keys.empty()) place = place_of.try_emplace({group.verdict, std::move(keys)}, place).first->second;
    if (place == shared.size()) shared.emplace_back();
    shared[place].groups.push_back(std::move(group));
  }
  for (SharedReason& reason : shared) reason.texts = texts_of(reason.groups, whole);
  return shared;
}

}  // namespace steelyard::ci
