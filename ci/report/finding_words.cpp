// Findings as sentences.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "bench/model/benchmark_id.hpp"
#include "bench/model/number_text.hpp"
#include "bench/model/text.hpp"
#include "ci/report/findings.hpp"
#include "ci/report/function_lines.hpp"
#include "ci/report/reasons.hpp"
#include "ci/report/row_text.hpp"

namespace steelyard::ci {
namespace {

// "+13.1 to +19.3 %": the smaller change first, and the sign of a per cent once.
std::string ratios_text(const Interval& ratios) {
  const bool is_down = std::abs(std::log(ratios.low)) > std::abs(std::log(ratios.high));
  std::string from = change_text(is_down ? ratios.high : ratios.low);
  const std::string to = change_text(is_down ? ratios.low : ratios.high);
  if (from == to) return to;
  constexpr std::string_view kPercent = " %";
  if (from.ends_with(kPercent) && to.ends_with(kPercent)) from.resize(from.size() - kPercent.size());
  return from + " to " + to;
}

}  // namespace

std::string cause_title(const Finding& finding) {
  const bool is_function = finding.shared == SharedCause::culprit || finding.shared == SharedCause::profile;
  return is_function ? function_title(finding.cause) : finding.cause;
}

std::string ranges_text(const Finding& finding) {
  std::string text;
  for (const MetricRange& range : finding.ranges) {
    text += (text.empty() ? "" : ", ") + metric_label(range.worst->metric) + " " + ratios_text(range.ratios);
    if (range.benchmarks == finding.benchmarks.size()) continue;
    text += " in " + std::to_string(range.benchmarks) + " of " + std::to_string(finding.benchmarks.size());
  }
  return text;
}

FindingWords finding_words(const Finding& finding) {
  constexpr std::size_t kMaxNamed = 4;
  const auto count = static_cast<std::int64_t>(finding.benchmarks.size());
  if (finding.shared == SharedCause::reason) {
    return {named_benchmarks(finding.benchmarks, kMaxNamed), ": " + finding.cause, ""};
  }
  FindingWords words{cause_title(finding), "", ""};
  if (count == 1 && finding.shared != SharedCause::name) words.text = ", " + name_as_given(finding.benchmarks.front());
  if (count > 1) words.text = ", " + plural_text(count, "benchmark");
  if (!is_change(finding.kind)) {
    words.text += ": " + finding.rows.front()->reason;
    return words;
  }
  if (const std::string ranges = ranges_text(finding); !ranges.empty()) words.text += ": " + ranges;
  if (count > 1) words.worst = name_as_given(finding.worst->benchmark);
  return words;
}

std::string joined(const FindingWords& words) {
  return words.subject + words.text + (words.worst.empty() ? "" : ", worst " + words.worst);
}

std::string finding_line(const Finding& finding) { return joined(finding_words(finding)); }

namespace {

FindingWords words_of(const SharedReason& shared) {
  std::vector<std::string> benchmarks;
  for (const RowGroup& group : shared.groups) benchmarks.push_back(group.benchmark);
  FindingWords words{named_benchmarks(benchmarks, 2), "", ""};
  std::string separator = ": ";
  for (const std::string& text : shared.texts) words.text += std::exchange(separator, "; ") + text;
  const std::string detectable = detectable_line(rows_of(shared));
  if (!detectable.empty()) words.text += separator + detectable;
  return words;
}

}  // namespace

std::vector<ToldFinding> told_findings(const Comparison& comparison, const std::vector<Finding>& findings) {
  std::vector<ToldFinding> told, open;
  for (const SharedReason& shared : groups_by_reason(comparison)) {
    if (shared.groups.front().verdict != Verdict::inconclusive) continue;
    open.push_back({Verdict::inconclusive, shared.groups.size(), words_of(shared), nullptr});
  }
  for (const Verdict kind : kWorstFirst) {
    for (const Finding& finding : findings) {
      if (finding.kind != kind) continue;
      told.push_back({kind, finding.benchmarks.size(), finding_words(finding), &finding});
    }
    if (kind == Verdict::inconclusive) told.insert(told.end(), open.begin(), open.end());
  }
  return told;
}

std::string excluded_text(const std::vector<ToldFinding>& told, std::size_t first) {
  std::string text = "and " + plural_text(told.size() - first, "more finding");
  std::string separator = ": ";
  for (const Verdict kind : kWorstFirst) {
    std::int64_t count = 0;
    std::size_t benchmarks = 0;
    for (std::size_t i = first; i < told.size(); ++i) {
      if (told[i].kind != kind) continue;
      ++count;
      benchmarks += told[i].benchmarks;
    }
    if (count == 0) continue;
    text += std::exchange(separator, ", ") + std::to_string(count) + " " + std::string(to_text(kind)) + " (" +
            plural_text(benchmarks, "benchmark") + ")";
  }
  return text;
}

namespace {

// Sentences with how many times each was said, in the order of their first.
class Tally {
 public:
  void add(const std::string& sentence) {
    const auto at =
        std::find_if(counts_.begin(), counts_.end(), [&](const auto& one) { return one.first == sentence; });
    if (at == counts_.end()) {
      counts_.emplace_back(sentence, 1);
    } else {
      ++at->second;
    }
  }
  bool is_empty() const { return counts_.empty(); }
  // "real in 25, too little to show in the time in 4": without numbers where it holds for all of `of`.
  std::string text(std::size_t of, std::size_t most) const {
    return some_joined(counts_, most, "; ", "; and ", [of](const auto& counted) {
      const auto& [sentence, count] = counted;
      const bool is_in_all = static_cast<std::size_t>(count) >= of;
      return sentence + (is_in_all ? "" : " (" + std::to_string(count) + " of " + std::to_string(of) + ")");
    });
  }

 private:
  std::vector<std::pair<std::string, std::int64_t>> counts_;
};

// "2: BM_a +1.20 % (-0.50 % to +3.00 %), BM_b +0.90 % (-2.00 % to +4.00 %)": what rows are alone.
std::string alone_figures(const std::vector<const ComparisonRow*>& rows) {
  constexpr std::size_t kMaxNamed = 3;
  constexpr std::size_t kLongestName = 80;  // notes are cut, and the figures are what this one is for
  return std::to_string(rows.size()) + (rows.empty() ? "" : ": ") +
         some_joined(rows, kMaxNamed, ", ", " and ", [](const ComparisonRow* row) {
           return shortened(name_as_given(row->benchmark), kLongestName, false) + " " +
                  solo_change_text(*row->solo, Figures::shown);
         });
}

// What the changes that were found in a duet are alone.
std::string solo_note(const Finding& finding) {
  std::size_t checked = 0, agreeing = 0, unchecked = 0;
  std::vector<const ComparisonRow*> open, contradicted;
  for (const ComparisonRow* row : finding.rows) {
    if (row->notes.has(RowNote::not_confirmed_alone)) ++unchecked;
    if (!row->solo) continue;
    ++checked;
    if (row->solo->agrees == true) {
      ++agreeing;
    } else {
      (row->solo->agrees ? contradicted : open).push_back(row);
    }
  }
  std::string text;
  if (checked > 0) text = "measured alone it agrees in " + std::to_string(agreeing) + " of " + std::to_string(checked);
  if (!open.empty()) text += "; not confirmed, as too wide to tell, in " + alone_figures(open);
  if (!contradicted.empty()) text += "; contradicted in " + alone_figures(contradicted);
  if (unchecked > 0) {
    text += (text.empty() ? "" : "; ") + std::to_string(unchecked) + " not confirmed: " + std::string(kNotHeldAlone);
  }
  return text;
}

}  // namespace

std::vector<std::string> finding_notes(const Comparison& comparison, const RowIndex& index, const Finding& finding) {
  constexpr std::size_t kMaxTold = 2;
  std::vector<std::string> notes;
  const bool is_one = finding.benchmarks.size() == 1;
  const auto add = [&](const std::vector<std::string>& more) { notes.insert(notes.end(), more.begin(), more.end()); };
  const std::vector<const ComparisonRow*>& rows = finding.rows;
  if (is_change(finding.kind)) {
    Tally meanings;
    for (const std::string& benchmark : finding.benchmarks) {
      if (const std::string meaning = combined_meaning(index, benchmark); !meaning.empty()) meanings.add(meaning);
    }
    if (!meanings.is_empty()) {
      notes.push_back("time and instructions together: " + meanings.text(finding.benchmarks.size(), kMaxTold + 1));
    }
    if (finding.shared == SharedCause::profile) {
      notes.push_back("no one function of the project answers for it; largest is " + cause_title(finding));
    }
    if (is_one) add(solo_notes(rows));
    if (!is_one && !solo_note(finding).empty()) notes.push_back(solo_note(finding));
    if (is_one) add(code_layout_notes(rows));
  }
  Tally ungated;
  for (const ComparisonRow* row : rows) {
    for (const std::string& note : gate_notes({row})) ungated.add(note);
  }
  if (!ungated.is_empty()) notes.push_back(ungated.text(finding.benchmarks.size(), kMaxTold));
  if (finding.kind == Verdict::fresh) return notes;
  Tally policies;
  for (const std::string& note : policy_notes(comparison, rows)) policies.add(note);
  if (!policies.is_empty()) notes.push_back(policies.text(1, kMaxTold));
  return notes;
}

}  // namespace steelyard::ci
