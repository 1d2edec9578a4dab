// Tables of what happened in a range of commits. What moved is not judged: a level may move by its noise alone.
#include "ci/app/terminal_text.hpp"
#include "ci/report/number_text.hpp"
#include "ci/report/ranges_report.hpp"

namespace steelyard {
namespace {

constexpr std::size_t kCommitCharacters = 9;
constexpr std::size_t kMachineCharacters = 8;

std::string range_text(const RangeQuery& range) {
  return range.from.substr(0, kCommitCharacters) + ".." + range.to.substr(0, kCommitCharacters) +
         (range.branch.empty() ? "" : " on " + range.branch);
}

std::string plural(std::size_t count, const std::string& what) {
  return std::to_string(count) + ' ' + what + (count == 1 ? "" : "s");
}

std::string next_text(const std::string& next, const TerminalStyle& style) {
  return next.empty() ? "" : paint("more: --after " + next, Tone::dim, style.color) + '\n';
}

}  // namespace

std::string terminal_changed(const RangeQuery& range, const Page<ChangedSeries>& page, const TerminalStyle& style) {
  const std::string place = printable(range_text(range), style.unicode);
  if (page.items.empty()) {
    return "No change was found in " + place + ". What was found is what steelyard changes and the gate kept.\n";
  }
  std::vector<std::vector<std::string>> rows;
  for (const ChangedSeries& one : page.items) {
    rows.push_back({printable(one.benchmark, style.unicode), printable(one.metric, style.unicode),
                    one.ratio ? per_cent_text(*one.ratio) : "", one.regression ? "regression" : "improvement",
                    one.commit.substr(0, kCommitCharacters), printable(one.branch, style.unicode),
                    one.fingerprint.substr(0, kMachineCharacters), one.by_comparison ? "comparison" : "change point"});
  }
  const Align l = Align::left;
  return plural(page.items.size(), "change") + " in " + place + '\n' +
         aligned_rows(rows, {l, l, Align::right, l, l, l, l, l}, "  ") + next_text(page.next, style);
}

std::string terminal_movers(const RangeQuery& range, const Page<Mover>& page, const TerminalStyle& style) {
  const std::string place = printable(range_text(range), style.unicode);
  if (page.items.empty()) {
    return "Nothing moved in " + place + ", or no machine measured both ends. See: steelyard history\n";
  }
  std::vector<std::vector<std::string>> rows;
  for (const Mover& mover : page.items) {
    const bool is_worse = (mover.ratio > 1) == (mover.metric.better == Better::lower);
    const std::string way = mover.metric.better == Better::undeclared ? "" : is_worse ? "worse" : "better";
    const std::string runs =
        std::to_string(mover.runs_before) + " and " + plural(static_cast<std::size_t>(mover.runs_after), "run");
    rows.push_back({printable(mover.benchmark, style.unicode), printable(mover.metric.name, style.unicode),
                    per_cent_text(mover.ratio), way, level_text(mover.before, mover.metric.unit), "to",
                    level_text(mover.after, mover.metric.unit), "of " + runs,
                    mover.fingerprint.substr(0, kMachineCharacters)});
  }
  const Align l = Align::left;
  const Align r = Align::right;
  return "What moved most in " + place + ", medians on one machine, judged or not\n" +
         aligned_rows(rows, {l, l, r, l, r, l, r, l, l}, "  ") + next_text(page.next, style);
}

}  // namespace steelyard
