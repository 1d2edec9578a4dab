#include "regress/ab/joint.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "regress/ab/effect.hpp"
#include "regress/ab/shift_test.hpp"
#include "regress/ab/steady_digits.hpp"

namespace steelyard::regress {
namespace {

// Two sums of the same numbers in another order differ by less than this part of them.
constexpr double kJointRounding = 1e-9;
constexpr std::size_t kViews = 2;  // levels and scores
using Views = std::array<double, kViews>;

// SplitMix64 (G. L. Steele, D. Lea and C. H. Flood, Fast splittable pseudorandom number generators, 2014, figure 14).
class LabelDraws {
 public:
  explicit LabelDraws(std::uint64_t seed) : state_(seed) {}
  // From 0 to below `end`: the high half of a product, with a bias below end / 2^32.
  std::size_t below(std::size_t end) { return static_cast<std::size_t>(((next() >> 32U) * end) >> 32U); }

 private:
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }
  std::uint64_t state_;
};

Views views_of(const JointRound& round) { return {round.level, round.score}; }

// What the statistic of a row needs beside the sums of its marked rounds (those in which the candidate was second, or
// whose sides are not exchanged): it depends on the labels through those sums and their number alone. With R^2 the part
// of the squares that lies between the labels, t^2 / v is R^2 / (1 - R^2), and z^2 is -log(1 - R^2) times a factor of
// v.
struct JointTotals {
  double n = 0;
  Views sum{};
  Views squares{};  // around the mean; around 0 where sides are exchanged
  bool exchange_sides = false;
  bool is_of_use = false;
  double scale = 0;  // z^2 over -log(1 - R^2)

  static constexpr double kMinSpread = 1e-11;  // of a round: less is the rounding of sums, which no clock tells

  // z^2
  double statistic(double marked, const double* sums_of_marked) const {
    double most = 0;  // R^2
    for (std::size_t view = 0; view < kViews; ++view) {
      if (squares[view] > 0) most = std::max(most, between(view, marked, sums_of_marked[view]) / squares[view]);
    }
    return -scale * std::log(std::max(1 - most, kJointRounding));
  }

 private:
  double between(std::size_t view, double marked, double sum_of_marked) const {
    if (exchange_sides) {
      const double total = 2 * sum_of_marked - sum[view];
      return total * total / n;
    }
    const double others = n - marked;
    if (marked < 1 || others < 1) return 0;
    const double difference = sum_of_marked / marked - (sum[view] - sum_of_marked) / others;
    return difference * difference * marked * others / n;
  }
};

JointTotals totals_of(const JointRow& row, bool exchange_sides) {
  JointTotals totals;
  totals.exchange_sides = exchange_sides;
  totals.n = static_cast<double>(row.rounds.size());
  std::size_t second = 0;
  for (const JointRound& round : row.rounds) {
    for (std::size_t view = 0; view < kViews; ++view) totals.sum[view] += views_of(round)[view];
    if (round.candidate_second) ++second;
  }
  totals.is_of_use = exchange_sides ? row.rounds.size() >= 2 : second >= 2 && row.rounds.size() - second >= 2;
  if (!totals.is_of_use) return totals;
  for (const JointRound& round : row.rounds) {
    for (std::size_t view = 0; view < kViews; ++view) {
      const double around = exchange_sides ? 0 : totals.sum[view] / totals.n;
      const double distance = views_of(round)[view] - around;
      totals.squares[view] += distance * distance;
    }
  }
  for (double& squares : totals.squares) {
    if (squares <= totals.n * JointTotals::kMinSpread * JointTotals::kMinSpread) squares = 0;
  }
  const double degrees = totals.n - (exchange_sides ? 1 : 2);
  const double root = (8 * degrees + 1) / (8 * degrees + 3);
  totals.scale = root * root * degrees;
  return totals;
}

// Rows that have the same rounds with the same labels: one permutation gives all of them one labelling.
struct SameLabels {
  std::vector<int> rounds;
  std::vector<char> marked;       // by round number, of rounds that it lacks as well
  std::vector<std::size_t> rows;  // their places among all
  std::vector<double> values;     // a round after the other, the views of all rows of it together
};

// What a round that is lacking would have been: rounds come in pairs of both orders.
std::vector<char> filled_labels(const JointRow& row, std::size_t rounds) {
  constexpr char kUnknown = 2;
  std::vector<char> labels(rounds, kUnknown);
  for (const JointRound& round : row.rounds) labels[static_cast<std::size_t>(round.round)] = round.candidate_second;
  for (std::size_t i = 0; i < rounds; ++i) {
    if (labels[i] != kUnknown) continue;
    const std::size_t other = i ^ 1U;
    labels[i] = other < rounds && labels[other] != kUnknown ? static_cast<char>(1 - labels[other]) : (i & 1U) != 0;
  }
  return labels;
}

std::vector<SameLabels> by_labels(std::span<const JointRow> rows, const std::vector<JointTotals>& totals,
                                  std::size_t all_rounds) {
  std::map<std::pair<std::vector<int>, std::vector<char>>, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!totals[i].is_of_use) continue;
    std::vector<int> rounds;
    for (const JointRound& round : rows[i].rounds) rounds.push_back(round.round);
    groups[{std::move(rounds), filled_labels(rows[i], all_rounds)}].push_back(i);
  }
  std::vector<SameLabels> result;
  for (auto& [key, members] : groups) {
    SameLabels group{key.first, key.second, members, {}};
    group.values.reserve(group.rounds.size() * group.rows.size() * kViews);
    for (std::size_t round = 0; round < group.rounds.size(); ++round) {
      for (const std::size_t row : group.rows) {
        for (const double value : views_of(rows[row].rounds[round])) group.values.push_back(value);
      }
    }
    result.push_back(std::move(group));
  }
  return result;
}

// The ends of the blocks in which `rounds` rounds are permuted.
std::vector<std::size_t> ends_of_blocks(const std::vector<int>& blocks, std::size_t rounds) {
  std::vector<std::size_t> ends;
  for (const int end : blocks) {
    const auto at = static_cast<std::size_t>(std::max(end, 0));
    if (at > (ends.empty() ? 0 : ends.back()) && at < rounds) ends.push_back(at);
  }
  ends.push_back(rounds);
  return ends;
}

// Labels of all rounds, one permutation after the other, the same for all rows: which round's label each round takes,
// or which rounds keep their sides.
class Labelling {
 public:
  Labelling(std::size_t rounds, const JointQuestion& question)
      : draws_(question.seed),
        exchange_sides_(question.exchange_sides),
        ends_(ends_of_blocks(question.blocks, rounds)),
        taken_(rounds),
        kept_(rounds, 1) {
    std::iota(taken_.begin(), taken_.end(), std::size_t{0});
  }

  void draw() {
    if (exchange_sides_) {
      for (char& kept : kept_) kept = static_cast<char>(draws_.below(2));
      return;
    }
    std::size_t begin = 0;
    for (const std::size_t end : ends_) {
      for (std::size_t i = end - 1; i > begin; --i) std::swap(taken_[i], taken_[begin + draws_.below(i - begin + 1)]);
      begin = end;
    }
  }

  char label(const SameLabels& group, std::size_t round) const {
    return exchange_sides_ ? kept_[round] : group.marked[taken_[round]];
  }

 private:
  LabelDraws draws_;
  bool exchange_sides_;
  std::vector<std::size_t> ends_;
  std::vector<std::size_t> taken_;
  std::vector<char> kept_;  // where sides are exchanged: 0 for those that are
};

// Every way to label the rounds, if there are at most `most`; else empty. One vector of all labels an entry.
std::vector<std::vector<char>> all_labels(const std::vector<char>& observed, const JointQuestion& question,
                                          std::size_t most) {
  const std::size_t rounds = observed.size();
  std::vector<std::size_t> ends = ends_of_blocks(question.blocks, rounds);
  std::vector<char> labels = observed;
  double count = 1;
  if (question.exchange_sides) {  // every round is a block of its own, with either label
    count = std::pow(2.0, static_cast<double>(rounds));
  } else {
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
      const auto at = labels.begin() + static_cast<std::ptrdiff_t>(begin);
      const auto to = labels.begin() + static_cast<std::ptrdiff_t>(end);
      const auto marked = static_cast<std::size_t>(std::count(at, to, char{1}));
      for (std::size_t i = 1; i <= marked; ++i) {
        count *= static_cast<double>(end - begin - marked + i) / static_cast<double>(i);
      }
      std::sort(at, to);
      begin = end;
    }
  }
  if (!(count <= static_cast<double>(most) + 0.5)) return {};
  std::vector<std::vector<char>> all;
  if (question.exchange_sides) {
    for (std::size_t bits = 0; bits < (std::size_t{1} << rounds); ++bits) {
      for (std::size_t i = 0; i < rounds; ++i) labels[i] = static_cast<char>((bits >> i) & 1U);
      all.push_back(labels);
    }
    return all;
  }
  const auto next = [&] {  // as an odometer whose wheels are the blocks
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
      const auto at = labels.begin() + static_cast<std::ptrdiff_t>(begin);
      if (std::next_permutation(at, labels.begin() + static_cast<std::ptrdiff_t>(end))) return true;
      begin = end;
    }
    return false;
  };
  do all.push_back(labels);
  while (next());
  return all;
}

// The statistics of all rows under one labelling, squared.
class Statistics {
 public:
  Statistics(const std::vector<SameLabels>& groups, const std::vector<JointTotals>& totals)
      : groups_(groups), totals_(totals), values_(totals.size(), 0) {}

  // label(group, round): not 0 for marked rounds.
  template <class Label>
  const std::vector<double>& of(const Label& label) {
    for (const SameLabels& group : groups_) {
      const std::size_t width = group.rows.size() * kViews;
      sums_.assign(width, 0);
      double marked = 0;
      for (std::size_t i = 0; i < group.rounds.size(); ++i) {
        if (label(group, static_cast<std::size_t>(group.rounds[i])) == 0) continue;
        marked += 1;
        const double* values = group.values.data() + i * width;
        for (std::size_t at = 0; at < width; ++at) sums_[at] += values[at];
      }
      for (std::size_t row = 0; row < group.rows.size(); ++row) {
        values_[group.rows[row]] = totals_[group.rows[row]].statistic(marked, sums_.data() + row * kViews);
      }
    }
    return values_;
  }

 private:
  const std::vector<SameLabels>& groups_;
  const std::vector<JointTotals>& totals_;
  std::vector<double> values_;
  std::vector<double> sums_;
};

std::size_t rounds_of_all(std::span<const JointRow> rows) {
  std::int32_t rounds = 0;
  for (const JointRow& row : rows) {
    if (!row.rounds.empty()) rounds = std::max(rounds, row.rounds.back().round + 1);
  }
  return static_cast<std::size_t>(rounds);
}

// How often the greatest of the rows up to each in ascending order reaches what was observed of it.
class StepDown {
 public:
  explicit StepDown(const std::vector<double>& observed)
      : observed_(observed), ascending_(observed.size()), reached_(observed.size(), 0) {
    std::iota(ascending_.begin(), ascending_.end(), std::size_t{0});
    std::stable_sort(ascending_.begin(), ascending_.end(),
                     [&](std::size_t a, std::size_t b) { return observed_[a] < observed_[b]; });
  }

  void add(const std::vector<double>& values) {
    double greatest = 0;
    for (const std::size_t row : ascending_) {
      greatest = std::max(greatest, values[row]);
      if (greatest >= observed_[row] * (1 - kJointRounding)) ++reached_[row];
    }
    greatest_.push_back(std::sqrt(greatest));
  }

  // A row is not rejected before those with a greater statistic.
  std::vector<double> p() const {
    std::vector<double> p(observed_.size(), 1);
    double above = 0;
    for (auto row = ascending_.rbegin(); row != ascending_.rend(); ++row) {
      above = std::max(above, static_cast<double>(reached_[*row]) / static_cast<double>(greatest_.size()));
      p[*row] = steady(above);
    }
    return p;
  }

  std::vector<double> greatest() && {
    std::sort(greatest_.begin(), greatest_.end());
    return std::move(greatest_);
  }

 private:
  const std::vector<double> observed_;
  std::vector<std::size_t> ascending_;
  std::vector<std::size_t> reached_;
  std::vector<double> greatest_;
};

// All values are read once a permutation: so many in all take seconds.
std::size_t affordable(std::size_t permutations, std::size_t values) {
  constexpr std::size_t kMaxReads = 4'000'000'000;
  constexpr std::size_t kMin = 999;
  return std::min(permutations, std::max(kMin, kMaxReads / std::max<std::size_t>(values, 1)));
}

// The labelling of all groups, where it is one, or the opposite of it, which has the same statistics; else empty.
std::vector<char> common_labels(const std::vector<SameLabels>& groups) {
  std::vector<char> labels = groups.front().marked;
  std::vector<char> opposite = labels;
  for (char& label : opposite) label = static_cast<char>(1 - label);
  for (const SameLabels& group : groups) {
    if (group.marked != labels && group.marked != opposite) return {};
  }
  return labels;
}

}  // namespace

JointResult joint_adjusted(std::span<const JointRow> rows, const JointQuestion& question) {
  std::vector<JointTotals> totals;
  std::size_t values = 0;
  for (const JointRow& row : rows) {
    totals.push_back(totals_of(row, question.exchange_sides));
    values += row.rounds.size() * kViews;
  }
  const std::size_t rounds = rounds_of_all(rows);
  const std::vector<SameLabels> groups = by_labels(rows, totals, rounds);
  JointResult result;
  result.p.assign(rows.size(), 1);
  result.statistics.assign(rows.size(), 0);
  if (groups.empty()) return result;

  const std::size_t permutations = affordable(question.permutations, values + rounds);
  Statistics statistics(groups, totals);
  const auto as_observed = [&](const SameLabels& group, std::size_t round) {
    return question.exchange_sides ? char{1} : group.marked[round];
  };
  const std::vector<double> observed = statistics.of(as_observed);
  StepDown step_down(observed);
  const std::vector<char> labels = question.exchange_sides ? std::vector<char>(rounds, 1) : common_labels(groups);
  const auto all = labels.empty() ? std::vector<std::vector<char>>() : all_labels(labels, question, permutations);
  for (const std::vector<char>& one : all) {
    step_down.add(statistics.of([&](const SameLabels&, std::size_t round) { return one[round]; }));
  }
  if (all.empty()) {
    step_down.add(observed);
    Labelling labelling(rounds, question);
    for (std::size_t drawn = 0; drawn < permutations; ++drawn) {
      labelling.draw();
      step_down.add(
          statistics.of([&](const SameLabels& group, std::size_t round) { return labelling.label(group, round); }));
    }
  }
  const std::vector<double> p = step_down.p();
  for (std::size_t row = 0; row < rows.size(); ++row) {
    result.statistics[row] = std::sqrt(observed[row]);
    if (totals[row].is_of_use) result.p[row] = p[row];
  }
  result.greatest = std::move(step_down).greatest();
  return result;
}

double joint_statistic(const JointRow& row, bool exchange_sides) {
  const JointTotals totals = totals_of(row, exchange_sides);
  if (!totals.is_of_use) return 0;
  double marked = 0;
  Views sums{};
  for (const JointRound& round : row.rounds) {
    if (!exchange_sides && !round.candidate_second) continue;
    marked += 1;
    for (std::size_t view = 0; view < kViews; ++view) sums[view] += views_of(round)[view];
  }
  return std::sqrt(totals.statistic(marked, sums.data()));
}

double effective_comparisons(const JointResult& joint, double level, std::size_t rows) {
  const double most = std::max(1.0, static_cast<double>(rows));
  if (joint.greatest.empty()) return most;
  const auto at = static_cast<std::size_t>((1 - level) * static_cast<double>(joint.greatest.size()));
  const double critical = joint.greatest[std::min(at, joint.greatest.size() - 1)];
  const double alone = std::erfc(critical / std::sqrt(2.0));  // two-sided, of one normal statistic
  return alone > 0 ? steady(std::clamp(level / alone, 1.0, most)) : most;
}

namespace {

// Delays only add: the mean of the half of the samples that was disturbed least finds more than the median does
// (docs/method/judgement.md).
double quiet_level(const LogInvocation& invocation, Disturbed disturbed) {
  std::vector<double> logs = invocation.logs;
  sort_values(logs);
  if (disturbed == Disturbed::downwards) std::reverse(logs.begin(), logs.end());
  const std::size_t half = (logs.size() + 1) / 2;
  double sum = 0;
  for (std::size_t i = 0; i < half; ++i) sum += logs[i];
  return sum / static_cast<double>(half);
}

JointSeen seen_by(const Look& look, PairedRounds paired, Disturbed disturbed) {
  JointSeen seen{look, {}, {}};
  if (look.rounds < std::numeric_limits<int>::max()) {
    std::erase_if(paired.rounds, [&](const PairedRound& round) { return round.baseline.round >= look.rounds; });
  }
  if (paired.rounds.size() < static_cast<std::size_t>(kMinRounds)) return seen;
  const RoundsTest test(paired.rounds, disturbed);
  const std::vector<double> by_slot = test.scores_of_equal_sides(true);
  const std::vector<double> by_side = test.scores_of_equal_sides(false);
  for (std::size_t r = 0; r < paired.rounds.size(); ++r) {
    const PairedRound& round = paired.rounds[r];
    const bool second = round.candidate.slot > round.baseline.slot;
    const double sign = second ? 1 : -1;
    const double level = quiet_level(round.candidate, disturbed) - quiet_level(round.baseline, disturbed);
    seen.by_side.rounds.push_back({round.baseline.round, second, level, by_side[r]});
    if (test.knows_slots()) {
      seen.by_slot.rounds.push_back({round.baseline.round, second, sign * level, sign * by_slot[r]});
    }
  }
  return seen;
}

}  // namespace

JointEvidence joint_evidence(const PairedRounds& paired, std::span<const Look> looks, Disturbed disturbed) {
  JointEvidence evidence;
  evidence.at_looks = !looks.empty();
  for (const Look& look : looks) evidence.seen.push_back(seen_by(look, paired, disturbed));
  if (looks.empty()) evidence.seen.push_back(seen_by({std::numeric_limits<int>::max(), 1, 1}, paired, disturbed));
  return evidence;
}

namespace {

// A look of the whole gate.
struct GateLook {
  int rounds = 0;
  double share = 1;
  std::vector<std::size_t> rows;  // that were looked at
};

// The planned looks that any row took part in, and the one of what the budget left.
std::vector<GateLook> looks_of(std::span<const JointEvidence* const> rows, const LookPlan& plan) {
  std::vector<GateLook> looks;
  for (const PlannedLook& planned : plan.looks) looks.push_back({planned.rounds, planned.share, {}});
  GateLook rest{std::numeric_limits<int>::max(), 1, {}};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const JointSeen& seen : rows[i]->seen) {
      const auto planned = std::find_if(looks.begin(), looks.end(), [&](const GateLook& one) {
        return rows[i]->at_looks && one.rounds == seen.look.rounds && one.share == seen.look.share;
      });
      (planned != looks.end() ? planned->rows : rest.rows).push_back(i);
    }
  }
  for (const GateLook& look : looks) {
    if (!look.rows.empty()) rest.share -= look.share;
  }
  // Where every planned look had its share, nothing is left for what is measured beyond them.
  if (rest.share > kJointRounding) looks.push_back(std::move(rest));
  std::erase_if(looks, [](const GateLook& look) { return look.rows.empty(); });
  return looks;
}

// What a row had by a look of the gate; null: nothing.
const JointSeen* seen_by_then(const JointEvidence& evidence, int rounds) {
  const JointSeen* last = nullptr;
  for (const JointSeen& seen : evidence.seen) {
    if (last == nullptr || seen.look.rounds <= rounds) last = &seen;
  }
  return last;
}

// As many permutations as it takes that the share of the level that a look has lies 20 of them above the least p.
std::size_t permutations_for(double level) {
  constexpr double kMin = 5000;
  constexpr double kMax = 20000;
  return static_cast<std::size_t>(std::clamp(20 / level, kMin, kMax));
}

// Of what the rows had at a look, by slot where that is known of all.
std::vector<JointRow> rows_at(std::span<const JointEvidence* const> rows, const GateLook& look, bool& exchange_sides) {
  std::vector<const JointSeen*> seen;
  std::size_t most = 0;
  exchange_sides = false;
  for (const JointEvidence* row : rows) {
    seen.push_back(seen_by_then(*row, look.rounds));
    if (seen.back() == nullptr || seen.back()->by_side.rounds.empty()) continue;
    exchange_sides = exchange_sides || seen.back()->by_slot.rounds.empty();
    most = std::max(most, seen.back()->by_side.rounds.size());
  }
  exchange_sides = exchange_sides || most < kRoundsForSlots;
  std::vector<JointRow> result;
  for (const JointSeen* row : seen) {
    result.push_back(row == nullptr ? JointRow{} : exchange_sides ? row->by_side : row->by_slot);
  }
  return result;
}

}  // namespace

JointAdjustment adjust_jointly(std::span<const JointEvidence* const> rows, const LookPlan& plan,
                               const JointLevel& level) {
  JointAdjustment adjustment;
  adjustment.q.assign(rows.size(), 1);
  JointQuestion question;
  question.seed = level.seed;
  for (const PlannedLook& look : plan.looks) question.blocks.push_back(look.rounds);
  for (const GateLook& look : looks_of(rows, plan)) {
    const std::vector<JointRow> seen = rows_at(rows, look, question.exchange_sides);
    question.permutations = permutations_for(level.level * look.share);
    const JointResult joint = joint_adjusted(seen, question);
    for (const std::size_t row : look.rows) {
      adjustment.q[row] = std::min(adjustment.q[row], joint.p[row] / look.share);
    }
    adjustment.independent = effective_comparisons(joint, level.level * look.share, rows.size());
  }
  return adjustment;
}

}  // namespace steelyard::regress
