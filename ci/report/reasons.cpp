#include "ci/report/reasons.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "bench/model/number_text.hpp"
#include "regress/ab/verdict.hpp"

namespace steelyard::ci {

std::string detectable_line(const std::vector<const ComparisonRow*>& rows) {
  double least = HUGE_VAL;
  double most = 0;
  for (const ComparisonRow* row : rows) {
    if (!row->minimum_detectable_effect || row->test == "history") continue;
    least = std::min(least, *row->minimum_detectable_effect);
    most = std::max(most, *row->minimum_detectable_effect);
  }
  if (most == 0) return "";
  const std::string from = share_text(least);
  const std::string to = share_text(most);
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

// Of an unchanged row only that it was not measured has to be said.
bool wants_reason(const ComparisonRow& row) {
  if (row.verdict == Verdict::unchanged) return row.notes.has(RowNote::not_timed);
  const bool is_answered = row.verdict == Verdict::regression || row.verdict == Verdict::improvement;
  const bool is_plainly_new = row.verdict == Verdict::fresh && !row.notes.has(RowNote::skipped_by_baseline);
  return !is_answered && !is_plainly_new && !row.reason.empty();
}

// What makes two reasons one: the cause and what differs by kind and not by degree; else the sentence.
std::string reason_key(const ComparisonRow& row) {
  const std::optional<RowNote> cause = cause_of(row);
  if (!cause || *cause == RowNote::not_timed) return row.reason;
  const bool stopped_early = row.notes.has(RowNote::first_look_only);
  return std::string(to_text(*cause)) + '\n' + std::string(to_text(row.layout)) + '\n' + row.metric.name +
         (stopped_early ? "\nfirst look" : "");
}

std::vector<std::string> reason_keys(const RowGroup& group) {
  std::vector<std::string> keys;
  for (const ComparisonRow* row : group.rows) {
    if (!wants_reason(*row)) continue;
    const std::string key = reason_key(*row);
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

// "; about 48 to 96 rounds would tell"; of those that need very many no figure.
std::string rounds_text(const std::vector<const ComparisonRow*>& rows) {
  std::int32_t least = regress::kMaxRoundsNamed;
  std::int32_t most = 0;
  std::int64_t hopeless = 0;
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
    text += "; of " + std::to_string(hopeless) + " of them even " + count_text(regress::kMaxRoundsNamed) +
            " rounds of this noise may not tell";
  }
  return text;
}

// One sentence for rows of one cause, layout and metric. Precondition: at least two.
std::string text_of_cause(RowNote cause, const std::vector<const ComparisonRow*>& rows, const Comparison& comparison) {
  const ComparisonRow& first = *rows.front();
  if (cause == RowNote::too_noisy) {
    const bool one_margin =
        std::all_of(rows.begin(), rows.end(), [&](const ComparisonRow* row) { return row->margin == first.margin; });
    return "too noisy: each interval holds no change and reaches beyond " +
           (one_margin ? "the margin of " + share_text(first.margin) : std::string("its margin")) + rounds_text(rows) +
           (first.notes.has(RowNote::first_look_only) ? "; " + std::string(to_text(RowNote::first_look_only)) : "");
  }
  const auto drift = std::find_if(comparison.drifts.begin(), comparison.drifts.end(),
                                  [&](const SharedDrift& one) { return one.metric == first.metric.name; });
  const bool was_removed = drift != comparison.drifts.end() && drift->removed;
  return std::string(to_text(cause)) + (was_removed ? "what is left of each change (" : "each change (") +
         changes_text(rows) +
         (was_removed ? ", the common movement of " + change_text(drift->ratio) + " taken off)" : ")") +
         (first.layout == Layout::separate ? "; the sides were measured on different occasions"
                                           : "; all of one side was measured before the other") +
         "; measure both builds together with `steelyard ab`";
}

std::vector<std::string> texts_of(const std::vector<RowGroup>& groups, const Comparison& comparison) {
  std::vector<std::string> texts;
  for (const std::string& key : reason_keys(groups.front())) {
    std::vector<const ComparisonRow*> rows;
    for (const RowGroup& group : groups) {
      for (const ComparisonRow* row : group.rows) {
        if (wants_reason(*row) && reason_key(*row) == key) rows.push_back(row);
      }
    }
    const std::optional<RowNote> cause = cause_of(*rows.front());
    const bool is_one = rows.size() == 1 || !cause || *cause == RowNote::not_timed;
    texts.push_back(is_one ? rows.front()->reason : text_of_cause(*cause, rows, comparison));
  }
  return texts;
}

}  // namespace

std::vector<const ComparisonRow*> rows_of(const SharedReason& shared) {
  std::vector<const ComparisonRow*> rows;
  for (const RowGroup& group : shared.groups) rows.insert(rows.end(), group.rows.begin(), group.rows.end());
  return rows;
}

std::vector<SharedReason> groups_by_reason(const Comparison& comparison) {
  std::vector<SharedReason> shared;
  std::map<std::pair<Verdict, std::vector<std::string>>, std::size_t> place_of;
  for (RowGroup& group : worst_first(comparison)) {
    std::vector<std::string> keys = reason_keys(group);
    std::size_t place = shared.size();
    if (!keys.empty()) place = place_of.try_emplace({group.verdict, std::move(keys)}, place).first->second;
    if (place == shared.size()) shared.emplace_back();
    shared[place].groups.push_back(std::move(group));
  }
  for (SharedReason& reason : shared) reason.texts = texts_of(reason.groups, comparison);
  return shared;
}

}  // namespace steelyard::ci
