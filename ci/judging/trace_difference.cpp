#include "ci/judging/trace_difference.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "bench/model/quantile.hpp"
#include "bench/profile/trace_repeats.hpp"
#include "regress/ab/steady_digits.hpp"

namespace steelyard::ci {
namespace {

using bench::RepeatedGroup;

constexpr double kMinLikeness = 0.75;
constexpr std::size_t kMaxCompared = 300;  // groups of one side alone, those that take longest

struct RecordedProcess {
  std::int64_t start_unix_ns = 0;
  bench::TraceRepeats repeats;
};

std::vector<RecordedProcess> processes_of(const TraceSide& side) {
  std::vector<const bench::Trace*> traces;
  for (const bench::Trace& trace : side.traces) traces.push_back(&trace);
  std::stable_sort(traces.begin(), traces.end(),
                   [](const bench::Trace* a, const bench::Trace* b) { return a->start_unix_ns < b->start_unix_ns; });
  std::vector<RecordedProcess> processes;
  std::map<std::pair<std::string, std::uint64_t>, std::size_t> known;
  for (const bench::Trace* trace : traces) {
    bench::TraceRepeats repeats = bench::repeats_of(*trace);
    const bool is_known = !trace->host.empty() && !trace->tracks.empty();
    if (is_known) {
      const auto [place, is_new] = known.try_emplace({trace->host, trace->tracks.front().process}, processes.size());
      if (!is_new) {
        bench::append_repeats(processes[place->second].repeats, std::move(repeats));
        continue;
      }
    }
    processes.push_back({trace->start_unix_ns, std::move(repeats)});
  }
  return processes;
}

using GroupKey = std::tuple<std::string, std::string, std::string, bool>;  // name, shapes, within, on a device

// One group's on one side: of each process, or null.
struct GroupOnSides {
  std::array<std::vector<const RepeatedGroup*>, 2> of;
};

class TraceMatching {
 public:
  TraceMatching(const TraceSide& baseline, const TraceSide& candidate, const regress::RecordingQuestion& question)
      : sides_{processes_of(baseline), processes_of(candidate)} {
    difference_.sides = {baseline.name, candidate.name};
    difference_.question = question;
    for (const TraceSide* side : {&baseline, &candidate}) note_losses(*side);
    for (std::size_t side = 0; side < 2; ++side) collect(side);
  }

  TraceDifference find();

 private:
  void note_losses(const TraceSide& side);
  void collect(std::size_t side);
  std::uint32_t repeats_in(std::size_t side, std::size_t process, const std::string& within) const;
  std::optional<TraceSideCost> cost_of(const GroupKey& key, const GroupOnSides& groups, std::size_t side) const;
  CallsChange calls_change(const GroupKey& key, const GroupOnSides& groups) const;
  std::optional<std::vector<double>> logs_of(const RepeatedGroup* group, std::uint32_t repeats) const;
  std::optional<regress::RecordedTimes> times_of(const GroupKey& key, const GroupOnSides& groups) const;
  void judge();
  void propose_names();
  std::string parent_of(const TraceRowDifference& row) const;

  std::array<std::vector<RecordedProcess>, 2> sides_;
  std::map<GroupKey, GroupOnSides> groups_;
  std::map<std::string, std::size_t> withins_;  // places in the difference's repeats
  TraceDifference difference_;
  std::vector<bool> candidate_second_;  // by round, of recordings that alternate
};

void TraceMatching::note_losses(const TraceSide& side) {
  for (const bench::Trace& trace : side.traces) {
    difference_.dropped += trace.dropped + trace.backwards + trace.unreadable;
    difference_.unfinished += trace.is_finished && !trace.is_cut ? 0 : 1;
  }
}

void TraceMatching::collect(std::size_t side) {
  difference_.processes.at(side) = sides_.at(side).size();
  std::map<std::string, std::uint64_t> repeats;
  for (std::size_t i = 0; i < sides_.at(side).size(); ++i) {
    const bench::TraceRepeats& found = sides_.at(side)[i].repeats;
    difference_.excluded_loops += found.excluded_loops;
    for (const auto& [within, count] : found.repeats) repeats[within] += count;
    for (const RepeatedGroup& group : found.groups) {
      GroupOnSides& groups = groups_[{group.name, group.shapes, group.within, group.is_on_device}];
      groups.of.at(side).resize(sides_.at(side).size(), nullptr);
      groups.of.at(side)[i] = &group;
    }
  }
  for (const auto& [within, count] : repeats) {
    const auto [known, is_new] = withins_.try_emplace(within, difference_.repeats.size());
    if (is_new) difference_.repeats.push_back({within, {}});
    difference_.repeats[known->second].repeats.at(side) = count;
  }
}

std::uint32_t TraceMatching::repeats_in(std::size_t side, std::size_t process, const std::string& within) const {
  const std::map<std::string, std::uint32_t>& repeats = sides_.at(side)[process].repeats.repeats;
  const auto known = repeats.find(within);
  return known == repeats.end() ? 0 : known->second;
}

std::optional<TraceSideCost> TraceMatching::cost_of(const GroupKey& key, const GroupOnSides& groups,
                                                    std::size_t side) const {
  if (groups.of.at(side).empty()) return std::nullopt;
  TraceSideCost sum;
  double repeats = 0;
  std::vector<double> totals, selfs;
  for (std::size_t i = 0; i < sides_.at(side).size(); ++i) {
    repeats += repeats_in(side, i, std::get<2>(key));
    if (groups.of.at(side)[i] == nullptr) continue;
    for (const bench::RepeatCost& cost : groups.of.at(side)[i]->costs) {
      sum.calls += cost.calls;
      sum.total_ns += cost.total_ns;
      sum.self_ns += cost.self_ns;
      totals.push_back(cost.total_ns);
      selfs.push_back(cost.self_ns);
    }
  }
  if (sum.calls > 0) sum.call_ns = sum.total_ns / sum.calls;
  sum.calls /= repeats;
  const bool ran_in_each = static_cast<double>(totals.size()) == repeats;
  sum.total_ns = ran_in_each ? median(std::move(totals)) : sum.total_ns / repeats;
  sum.self_ns = ran_in_each ? median(std::move(selfs)) : sum.self_ns / repeats;
  return sum;
}

// Sums of 1 / iterations differ by their rounding.
bool is_same_count(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b)); }

CallsChange TraceMatching::calls_change(const GroupKey& key, const GroupOnSides& groups) const {
  std::array<double, 2> calls{};
  for (std::size_t side = 0; side < 2; ++side) {
    bool is_first = true;
    for (std::size_t i = 0; i < sides_.at(side).size(); ++i) {
      const RepeatedGroup* const group = groups.of.at(side).empty() ? nullptr : groups.of.at(side)[i];
      const std::uint32_t repeats = repeats_in(side, i, std::get<2>(key));
      if (repeats == 0) continue;
      if ((group == nullptr ? 0 : group->costs.size()) != repeats) return CallsChange::varies;
      for (const bench::RepeatCost& cost : group->costs) {
        if (std::exchange(is_first, false)) calls.at(side) = cost.calls;
        if (!is_same_count(cost.calls, calls.at(side))) return CallsChange::varies;
      }
    }
  }
  return is_same_count(calls[0], calls[1]) ? CallsChange::same : CallsChange::changed;
}

// Of each repeat where it ran in every one, else of the mean alone. Absent: it took no time.
std::optional<std::vector<double>> TraceMatching::logs_of(const RepeatedGroup* group, std::uint32_t repeats) const {
  if (group == nullptr || repeats == 0) return std::nullopt;
  std::vector<double> totals = group->totals(repeats);
  double sum = 0;
  for (const double total : totals) sum += total;
  if (sum <= 0) return std::nullopt;
  if (std::any_of(totals.begin(), totals.end(), [](double total) { return total <= 0; })) {
    totals = {sum / static_cast<double>(repeats)};
  }
  for (double& total : totals) total = regress::steady_log(total);
  return totals;
}

std::optional<regress::RecordedTimes> TraceMatching::times_of(const GroupKey& key, const GroupOnSides& groups) const {
  regress::RecordedTimes times;
  for (std::size_t side = 0; side < 2; ++side) {
    for (std::size_t i = 0; i < groups.of.at(side).size(); ++i) {
      std::optional<std::vector<double>> logs = logs_of(groups.of.at(side)[i], repeats_in(side, i, std::get<2>(key)));
      if (!logs) return std::nullopt;
      (side == 0 ? times.baseline : times.candidate).push_back(std::move(*logs));
    }
  }
  return times.baseline.empty() || times.candidate.empty() ? std::nullopt : std::optional(std::move(times));
}

void TraceMatching::judge() {
  std::vector<std::pair<double, TraceRowDifference*>> both;
  for (TraceRowDifference& row : difference_.rows) {
    if (!row.baseline || !row.candidate) continue;
    both.emplace_back(-std::max(row.baseline->total_ns, row.candidate->total_ns), &row);
  }
  std::stable_sort(both.begin(), both.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<TraceRowDifference*> judged;
  std::vector<regress::RecordedTimes> times;
  for (const auto& [size, row] : both) {
    if (times.size() == kMaxJudgedTimes) {
      ++difference_.unjudged;
      continue;
    }
    const GroupKey key{row->name, row->shapes, row->within, row->is_on_device};
    if (std::optional<regress::RecordedTimes> found = times_of(key, groups_.at(key))) {
      judged.push_back(row);
      times.push_back(std::move(*found));
    }
  }
  const std::vector<regress::JudgedTime> verdicts =
      regress::judge_recordings(times, difference_.order, difference_.question, candidate_second_);
  for (std::size_t i = 0; i < judged.size(); ++i) {
    judged[i]->is_judged = true;
    judged[i]->time = verdicts[i];
  }
}

std::string TraceMatching::parent_of(const TraceRowDifference& row) const {
  const GroupOnSides& groups = groups_.at({row.name, row.shapes, row.within, row.is_on_device});
  for (const std::vector<const RepeatedGroup*>& side : groups.of) {
    for (const RepeatedGroup* group : side) {
      if (group != nullptr) return group->parent;
    }
  }
  return "";
}

// Each the other's best, by more than any third is.
void TraceMatching::propose_names() {
  std::array<std::vector<TraceRowDifference*>, 2> alone;
  for (TraceRowDifference& row : difference_.rows) {
    if (row.baseline && row.candidate) continue;
    std::vector<TraceRowDifference*>& side = alone.at(row.baseline ? 0 : 1);
    if (side.size() < kMaxCompared) side.push_back(&row);
  }
  const auto group_of = [&](const TraceRowDifference& row) {
    return LikelyGroup{row.name, row.shapes, parent_of(row), (row.baseline ? row.baseline : row.candidate)->calls};
  };
  struct Best {
    TraceRowDifference* row = nullptr;
    double likeness = 0;
    void offer(TraceRowDifference* other, double other_likeness) {
      if (other_likeness == likeness) row = nullptr;  // two that are equally good are not guessed at
      if (other_likeness > likeness) *this = {other, other_likeness};
    }
  };
  std::map<const TraceRowDifference*, Best> best;
  for (TraceRowDifference* gone : alone[0]) {
    const LikelyGroup before = group_of(*gone);
    for (TraceRowDifference* fresh : alone[1]) {
      if (gone->is_on_device != fresh->is_on_device || gone->within != fresh->within) continue;
      const double likeness = likeness_of(before, group_of(*fresh));
      if (likeness < kMinLikeness) continue;
      best[gone].offer(fresh, likeness);
      best[fresh].offer(gone, likeness);
    }
  }
  for (TraceRowDifference* gone : alone[0]) {
    const Best& there = best[gone];
    if (there.row == nullptr || best[there.row].row != gone) continue;
    gone->perhaps = LikelyName{there.row->name, there.row->shapes, there.likeness};
    there.row->perhaps = LikelyName{gone->name, gone->shapes, there.likeness};
  }
}

TraceDifference TraceMatching::find() {
  std::array<std::vector<std::int64_t>, 2> starts;
  for (std::size_t side = 0; side < 2; ++side) {
    for (const RecordedProcess& process : sides_.at(side)) starts.at(side).push_back(process.start_unix_ns);
  }
  difference_.order = regress::order_of_recordings(starts[0], starts[1]);
  candidate_second_ = regress::rounds_with_candidate_second(starts[0], starts[1]);
  for (const auto& [key, groups] : groups_) {
    TraceRowDifference& row = difference_.rows.emplace_back();
    std::tie(row.name, row.shapes, row.within, row.is_on_device) = key;
    row.baseline = cost_of(key, groups, 0);
    row.candidate = cost_of(key, groups, 1);
    if (row.baseline && row.candidate) row.calls = calls_change(key, groups);
    if (!row.baseline) row.time.verdict = Verdict::fresh;
    if (!row.candidate) row.time.verdict = Verdict::missing;
  }
  std::stable_sort(difference_.rows.begin(), difference_.rows.end(),
                   [](const TraceRowDifference& a, const TraceRowDifference& b) {
                     // What ran outside of all repeats, such as what is set up, last.
                     return std::pair(a.within.empty(), -std::abs(a.self_change_ns())) <
                            std::pair(b.within.empty(), -std::abs(b.self_change_ns()));
                   });
  judge();
  propose_names();
  if (difference_.repeats.size() > 1) {
    std::rotate(difference_.repeats.begin(), difference_.repeats.begin() + 1, difference_.repeats.end());
  }
  // "" is of use where something ran outside of all repeats.
  std::set<std::string_view> used;
  for (const TraceRowDifference& row : difference_.rows) used.insert(row.within);
  std::erase_if(difference_.repeats, [&](const RepeatedWithin& within) { return !used.contains(within.name); });
  return std::move(difference_);
}

std::vector<std::string_view> letter_pairs(const std::string& name) {
  constexpr std::size_t kCompared = 256;  // letters: a trace can have names of megabytes
  const std::string_view letters = std::string_view(name).substr(0, kCompared);
  std::vector<std::string_view> pairs;
  for (std::size_t i = 0; i + 1 < letters.size(); ++i) pairs.push_back(letters.substr(i, 2));
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

double name_likeness(const std::string& a, const std::string& b) {
  if (a == b) return 1;
  const std::vector<std::string_view> pairs_a = letter_pairs(a), pairs_b = letter_pairs(b);
  std::vector<std::string_view> shared;
  std::set_intersection(pairs_a.begin(), pairs_a.end(), pairs_b.begin(), pairs_b.end(), std::back_inserter(shared));
  const std::size_t all = pairs_a.size() + pairs_b.size();
  return all == 0 ? 0 : 2.0 * static_cast<double>(shared.size()) / static_cast<double>(all);
}

}  // namespace

double likeness_of(const LikelyGroup& a, const LikelyGroup& b) {
  constexpr double kName = 0.4, kShapes = 0.25, kCalls = 0.2, kParent = 0.15;
  double weights = kName + kCalls + kParent;
  double sum = kName * name_likeness(a.name, b.name) + kParent * (a.parent == b.parent ? 1 : 0);
  const double most = std::max(a.calls, b.calls);
  if (most > 0) sum += kCalls * std::min(a.calls, b.calls) / most;
  if (!a.shapes.empty() || !b.shapes.empty()) {
    weights += kShapes;
    sum += kShapes * (a.shapes == b.shapes ? 1 : 0);
  }
  return sum / weights;
}

TraceDifference difference_of_traces(const TraceSide& baseline, const TraceSide& candidate,
                                     const regress::RecordingQuestion& question) {
  return TraceMatching(baseline, candidate, question).find();
}

}  // namespace steelyard::ci
