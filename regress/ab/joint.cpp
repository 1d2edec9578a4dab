#include "regress/ab/joint.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "bench/model/random.hpp"
#include "regress/ab/steady_digits.hpp"

namespace steelyard::regress {
namespace {

// Two sums of the same numbers in another order differ by less than this part of them.
constexpr double kJointRounding = 1e-9;
constexpr std::size_t kViews = 2;  // levels and scores
using Views = std::array<double, kViews>;

class LabelDraws {
 public:
  explicit LabelDraws(std::uint64_t seed) : state_(seed) {}
  // From 0 to below `end`: the high half of a product, with a bias below end / 2^32.
  std::size_t below(std::size_t end) {
    return static_cast<std::size_t>(((next_split_mix(state_) >> 32U) * end) >> 32U);
  }

 private:
  std::uint64_t state_;
};

// With R^2 the part of a row's squares that lies between its labels, t^2 / v is R^2 / (1 - R^2), and z^2 is -log(1 -
// R^2) times a factor of v. A row's values are brought to mean 0 (but for exchanged sides, whose t is of the mean) and
// to squares of 1, so that R^2 depends on the labels through the sum of the marked values and their number alone.
struct StandardRow {
  bool is_of_use = false;
  double n = 0;
  double scale = 0;           // z^2 over -log(1 - R^2)
  std::vector<Views> values;  // by round; all 0 in a view without spread
  Views sum{};                // 0 but for exchanged sides
};

StandardRow standard_row(const JointRow& row, bool exchange_sides) {
  constexpr double kMinSpread = 1e-11;  // of a round: less is the rounding of sums, which no clock tells
  StandardRow standard;
  const auto second = static_cast<std::size_t>(std::count_if(
      row.rounds.begin(), row.rounds.end(), [](const JointRound& round) { return round.candidate_second; }));
  const std::size_t n = row.rounds.size();
  standard.is_of_use = exchange_sides ? n >= 2 : second >= 2 && n - second >= 2;
  if (!standard.is_of_use) return standard;
  standard.n = static_cast<double>(n);
  for (const JointRound& round : row.rounds) standard.values.push_back({round.level, round.score});
  for (std::size_t view = 0; view < kViews; ++view) {
    double mean = 0;
    for (const Views& values : standard.values) mean += exchange_sides ? 0 : values[view] / standard.n;
    double squares = 0;
    for (const Views& values : standard.values) squares += (values[view] - mean) * (values[view] - mean);
    const double factor = squares > standard.n * kMinSpread * kMinSpread ? 1 / std::sqrt(squares) : 0;
    for (Views& values : standard.values) {
      values[view] = (values[view] - mean) * factor;
      if (exchange_sides) standard.sum[view] += values[view];
    }
  }
  const double degrees = standard.n - (exchange_sides ? 1 : 2);
  const double root = (8 * degrees + 1) / (8 * degrees + 3);
  standard.scale = root * root * degrees;
  return standard;
}

double z_squared(double scale, double part) { return -scale * steady_log(std::max(1 - part, kJointRounding)); }

// The rounds that are permuted. In what follows a round is its place among them.
class PermutedRounds {
 public:
  PermutedRounds(std::span<const JointRow> rows, bool every_number) {
    for (const JointRow& row : rows) {
      for (const JointRound& round : row.rounds) numbers_.push_back(round.round);
    }
    std::sort(numbers_.begin(), numbers_.end());
    numbers_.erase(std::unique(numbers_.begin(), numbers_.end()), numbers_.end());
    if (!every_number || numbers_.empty()) return;
    numbers_.resize(static_cast<std::size_t>(numbers_.back()) + 1);
    std::iota(numbers_.begin(), numbers_.end(), 0);
  }

  std::size_t count() const { return numbers_.size(); }
  std::int32_t number(std::size_t place) const { return numbers_[place]; }
  std::size_t count_below(std::int32_t number) const {
    return static_cast<std::size_t>(std::lower_bound(numbers_.begin(), numbers_.end(), number) - numbers_.begin());
  }
  // That of a round which a row has.
  std::size_t place_of(const JointRound& round) const { return count_below(round.round); }
  // That of the round with which it is a pair, of both orders; count(): no row has that one.
  std::size_t partner_of(std::size_t place) const {
    const std::int32_t other = numbers_[place] ^ 1;
    const std::size_t at = count_below(other);
    return at < count() && numbers_[at] == other ? at : count();
  }

 private:
  std::vector<std::int32_t> numbers_;  // ascending
};

// What a round that is lacking would have been: rounds come in pairs of both orders.
std::vector<char> filled_labels(const JointRow& row, const PermutedRounds& rounds) {
  constexpr char kUnknown = 2;
  std::vector<char> labels(rounds.count(), kUnknown);
  for (const JointRound& round : row.rounds) labels[rounds.place_of(round)] = round.candidate_second;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] != kUnknown) continue;
    const std::size_t other = rounds.partner_of(i);
    const bool is_told = other < labels.size() && labels[other] != kUnknown;
    labels[i] = is_told ? static_cast<char>(1 - labels[other]) : (rounds.number(i) & 1) != 0;
  }
  return labels;
}

// Compiled a second time for processors that take four doubles at once. Without fused multiplication: both give the
// same bits.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define STEELYARD_WITH_AVX2 __attribute__((target_clones("avx2", "default")))
#else
#define STEELYARD_WITH_AVX2
#endif

// A number of each of so many rows: the processor has as many in its registers, for both views and the labels.
constexpr std::size_t kLanes = 8;
using Lanes = std::array<double, kLanes>;
// A mark of each in one byte, which a file with rounds of high numbers needs many of, and what it is to reckon with.
using Marks = std::uint8_t;
constexpr Marks kAllMarked = 255;
constexpr std::array<Lanes, kAllMarked + 1> kLanesOfMarks = [] {
  std::array<Lanes, kAllMarked + 1> all{};
  for (std::size_t marks = 0; marks < all.size(); ++marks) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) all[marks][lane] = static_cast<double>((marks >> lane) & 1U);
  }
  return all;
}();

// Which rounds are marked. Every row has the label of the round that each takes, or one label is that of all rows.
struct RoundLabels {
  std::vector<std::size_t> taken;  // empty: `common`
  std::vector<char> common;        // by round
};

// Rows that have the same rounds, kLanes at most; what is lacking of so many is 0.
struct RowTile {
  std::vector<std::size_t> rows;  // their places among all
  std::vector<std::size_t> rounds;
  double n = 0;
  std::array<std::vector<Lanes>, kViews> values;  // by place in `rounds`
  std::array<Lanes, kViews> sums{};
  std::vector<Marks> marked;  // by round number, of rounds that the rows lack as well: where the candidate was second

  bool is_marked(std::size_t round, std::size_t lane) const { return ((marked[round] >> lane) & 1U) != 0; }
  const Lanes& labels_of(std::size_t round, const RoundLabels& labels) const {
    if (labels.taken.empty()) return kLanesOfMarks[labels.common[round] != 0 ? kAllMarked : 0];
    return kLanesOfMarks[marked[labels.taken[round]]];
  }

  // R^2 of the view that tells more.
  STEELYARD_WITH_AVX2 Lanes between(const RoundLabels& labels, bool exchange_sides) const {
    Lanes first{}, second{}, count{};
    for (std::size_t i = 0; i < rounds.size(); ++i) {
      const Lanes& label = labels_of(rounds[i], labels);
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        first[lane] += values[0][i][lane] * label[lane];
        second[lane] += values[1][i][lane] * label[lane];
        count[lane] += label[lane];
      }
    }
    Lanes part{};
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      if (exchange_sides) {
        first[lane] = 2 * first[lane] - sums[0][lane];
        second[lane] = 2 * second[lane] - sums[1][lane];
      }
      const double most = std::max(first[lane] * first[lane], second[lane] * second[lane]);
      const double others = n - count[lane];
      const bool has_both = count[lane] >= 1 && others >= 1;
      part[lane] = exchange_sides ? most / n : has_both ? most * n / (count[lane] * others) : 0;
    }
    return part;
  }
};

std::vector<RowTile> tiles_of(std::span<const JointRow> rows, const std::vector<StandardRow>& standard,
                              const PermutedRounds& permuted) {
  std::map<std::vector<std::size_t>, std::vector<std::size_t>> by_rounds;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (!standard[row].is_of_use) continue;
    std::vector<std::size_t> rounds;
    for (const JointRound& round : rows[row].rounds) rounds.push_back(permuted.place_of(round));
    by_rounds[std::move(rounds)].push_back(row);
  }
  std::vector<RowTile> tiles;
  for (const auto& [rounds, members] : by_rounds) {
    for (std::size_t at = 0; at < members.size(); ++at) {
      const std::size_t lane = at % kLanes;
      const std::size_t row = members[at];
      if (lane == 0) {
        RowTile& tile = tiles.emplace_back();
        tile.rounds = rounds;
        tile.n = standard[row].n;
        for (auto& view : tile.values) view.resize(rounds.size());
        tile.marked.resize(permuted.count());
      }
      RowTile& tile = tiles.back();
      tile.rows.push_back(row);
      for (std::size_t view = 0; view < kViews; ++view) {
        tile.sums[view][lane] = standard[row].sum[view];
        for (std::size_t i = 0; i < rounds.size(); ++i) tile.values[view][i][lane] = standard[row].values[i][view];
      }
      const std::vector<char> labels = filled_labels(rows[row], permuted);
      for (std::size_t round = 0; round < labels.size(); ++round) {
        if (labels[round] != 0) tile.marked[round] |= static_cast<Marks>(1U << lane);
      }
    }
  }
  return tiles;
}

// The ends of the blocks in which the rounds are permuted.
std::vector<std::size_t> ends_of_blocks(const std::vector<int>& blocks, const PermutedRounds& rounds) {
  std::vector<std::size_t> ends;
  for (const int end : blocks) {
    const std::size_t at = rounds.count_below(end);
    if (at > (ends.empty() ? 0 : ends.back()) && at < rounds.count()) ends.push_back(at);
  }
  ends.push_back(rounds.count());
  return ends;
}

// Permutations of the rounds, the same for all rows.
class LabelPermutations {
 public:
  LabelPermutations(const PermutedRounds& rounds, const JointQuestion& question)
      : draws_(question.seed),
        exchange_sides_(question.exchange_sides),
        ends_(ends_of_blocks(question.blocks, rounds)),
        drawn_(exchange_sides_ ? RoundLabels{{}, std::vector<char>(rounds.count(), 1)}
                               : RoundLabels{std::vector<std::size_t>(rounds.count()), {}}) {
    std::iota(drawn_.taken.begin(), drawn_.taken.end(), std::size_t{0});
  }

  // As observed, until one is drawn.
  const RoundLabels& last() const { return drawn_; }

  const RoundLabels& draw() {
    for (char& kept : drawn_.common) kept = static_cast<char>(draws_.below(2));
    if (exchange_sides_) return drawn_;
    std::size_t begin = 0;
    for (const std::size_t end : ends_) {
      auto& taken = drawn_.taken;
      for (std::size_t i = end - 1; i > begin; --i) std::swap(taken[i], taken[begin + draws_.below(i - begin + 1)]);
      begin = end;
    }
    return drawn_;
  }

 private:
  LabelDraws draws_;
  bool exchange_sides_;
  std::vector<std::size_t> ends_;
  RoundLabels drawn_;
};

// Every way to label the rounds, if there are at most `most`; else empty. One vector of all labels an entry.
std::vector<std::vector<char>> all_labels(const std::vector<char>& observed, const PermutedRounds& permuted,
                                          const JointQuestion& question, std::size_t most) {
  const std::size_t rounds = observed.size();
  const std::vector<std::size_t> ends = ends_of_blocks(question.blocks, permuted);
  std::vector<char> labels = observed;
  double count = 1;
  if (question.exchange_sides) {               // every round is a block of its own, with either label
    constexpr std::size_t kMaxCounted = 1024;  // of more no double counts the ways
    count = std::ldexp(1.0, static_cast<int>(std::min(rounds, kMaxCounted)));
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

// How often the greatest of the rows up to each in ascending order reaches what was observed of it.
class StepDown {
 public:
  // `observed`: R^2 by row.
  StepDown(const std::vector<StandardRow>& rows, const std::vector<double>& observed)
      : observed_(rows.size()), ascending_(rows.size()), kinds_(rows.size()), reached_(rows.size(), 0) {
    for (std::size_t row = 0; row < rows.size(); ++row) {
      observed_[row] = z_squared(rows[row].scale, observed[row]);
      const auto kind = std::find(scales_.begin(), scales_.end(), rows[row].scale);
      kinds_[row] = static_cast<std::size_t>(kind - scales_.begin());
      if (kind == scales_.end()) scales_.push_back(rows[row].scale);
    }
    std::iota(ascending_.begin(), ascending_.end(), std::size_t{0});
    std::stable_sort(ascending_.begin(), ascending_.end(),
                     [&](std::size_t a, std::size_t b) { return observed_[a] < observed_[b]; });
  }

  // R^2 by row. Of rows with as many rounds the greater R^2 is the greater statistic, which spares most logarithms.
  void add(const double* parts) {
    double greatest = 0;
    most_.assign(scales_.size(), 0);
    for (const std::size_t row : ascending_) {
      double& most = most_[kinds_[row]];
      if (parts[row] > most) {
        most = parts[row];
        greatest = std::max(greatest, z_squared(scales_[kinds_[row]], most));
      }
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

  const std::vector<double>& observed() const { return observed_; }  // z^2

  std::vector<double> greatest() && {
    std::sort(greatest_.begin(), greatest_.end());
    return std::move(greatest_);
  }

 private:
  std::vector<double> observed_;
  std::vector<std::size_t> ascending_;
  std::vector<std::size_t> kinds_;  // places in scales_, by row
  std::vector<double> scales_;
  std::vector<double> most_;  // so far in one permutation, by scale
  std::vector<std::size_t> reached_;
  std::vector<double> greatest_;
};

// Takes permutations in batches, so that the values of a tile are read from memory once for many.
class Batches {
 public:
  Batches(const std::vector<RowTile>& tiles, std::size_t rows, bool exchange_sides)
      : tiles_(tiles),
        rows_(rows),
        exchange_sides_(exchange_sides),
        most_(std::clamp<std::size_t>(kMaxLabels / tiles.front().marked.size(), 1, kMax)),
        parts_(most_ * rows, 0) {}

  // R^2 by row of one.
  std::vector<double> of(const RoundLabels& labels) const {
    std::vector<double> parts(rows_, 0);
    for (const RowTile& tile : tiles_) put(tile, labels, parts.data());
    return parts;
  }

  void add(const RoundLabels& labels, StepDown& step_down) {
    batch_.push_back(labels);
    if (batch_.size() == most_) finish(step_down);
  }

  void finish(StepDown& step_down) {
    for (const RowTile& tile : tiles_) {
      for (std::size_t i = 0; i < batch_.size(); ++i) put(tile, batch_[i], parts_.data() + i * rows_);
    }
    for (std::size_t i = 0; i < batch_.size(); ++i) step_down.add(parts_.data() + i * rows_);
    batch_.clear();
  }

 private:
  static constexpr std::size_t kMax = 64;
  static constexpr std::size_t kMaxLabels = 65536;  // of all permutations of a batch together

  void put(const RowTile& tile, const RoundLabels& labels, double* parts) const {
    const Lanes between = tile.between(labels, exchange_sides_);
    for (std::size_t lane = 0; lane < tile.rows.size(); ++lane) parts[tile.rows[lane]] = between[lane];
  }

  const std::vector<RowTile>& tiles_;
  std::size_t rows_;
  bool exchange_sides_;
  std::size_t most_;
  std::vector<RoundLabels> batch_;
  std::vector<double> parts_;
};

// All values are read once a permutation: so many in all take seconds.
std::size_t affordable(std::size_t permutations, std::size_t values) {
  constexpr std::size_t kMaxReads = 4'000'000'000;
  constexpr std::size_t kMin = 999;
  return std::min(permutations, std::max(kMin, kMaxReads / std::max<std::size_t>(values, 1)));
}

// That of all rows, where it is one, or the opposite of it, which has the same statistics; else empty.
std::vector<char> common_labels(const std::vector<RowTile>& tiles) {
  std::vector<char> labels;
  for (std::size_t round = 0; round < tiles.front().marked.size(); ++round) {
    labels.push_back(tiles.front().is_marked(round, 0) ? 1 : 0);
  }
  for (const RowTile& tile : tiles) {
    for (std::size_t lane = 0; lane < tile.rows.size(); ++lane) {
      const bool is_opposite = tile.is_marked(0, lane) != (labels.front() != 0);
      for (std::size_t round = 0; round < labels.size(); ++round) {
        if (tile.is_marked(round, lane) != ((labels[round] != 0) != is_opposite)) return {};
      }
    }
  }
  return labels;
}

}  // namespace

JointResult joint_adjusted(std::span<const JointRow> rows, const JointQuestion& question) {
  std::vector<StandardRow> standard;
  std::size_t values = 0;
  for (const JointRow& row : rows) {
    standard.push_back(standard_row(row, question.exchange_sides));
    values += row.rounds.size() * kViews;
  }
  const PermutedRounds rounds(rows, question.every_number);
  const std::vector<RowTile> tiles = tiles_of(rows, standard, rounds);
  JointResult result;
  result.p.assign(rows.size(), 1);
  result.statistics.assign(rows.size(), 0);
  if (tiles.empty()) return result;

  const std::size_t permutations = affordable(question.permutations, values + rounds.count());
  Batches batches(tiles, rows.size(), question.exchange_sides);
  LabelPermutations drawn(rounds, question);
  const RoundLabels observed = drawn.last();
  StepDown step_down(standard, batches.of(observed));
  const std::vector<char> labels = question.exchange_sides ? observed.common : common_labels(tiles);
  const auto all =
      labels.empty() ? std::vector<std::vector<char>>() : all_labels(labels, rounds, question, permutations);
  for (const std::vector<char>& one : all) batches.add({{}, one}, step_down);
  if (all.empty()) {
    batches.add(observed, step_down);
    for (std::size_t i = 0; i < permutations; ++i) batches.add(drawn.draw(), step_down);
  }
  batches.finish(step_down);
  const std::vector<double> p = step_down.p();
  for (std::size_t row = 0; row < rows.size(); ++row) {
    result.statistics[row] = std::sqrt(step_down.observed()[row]);
    if (standard[row].is_of_use) result.p[row] = p[row];
  }
  result.greatest = std::move(step_down).greatest();
  return result;
}

double effective_comparisons(const JointResult& joint, double level, std::size_t rows) {
  const double most = std::max(1.0, static_cast<double>(rows));
  if (joint.greatest.empty()) return most;
  const auto at = static_cast<std::size_t>((1 - level) * static_cast<double>(joint.greatest.size()));
  const double critical = joint.greatest[std::min(at, joint.greatest.size() - 1)];
  const double alone = std::erfc(critical / std::sqrt(2.0));  // two-sided, of one normal statistic
  return alone > 0 ? steady(std::clamp(level / alone, 1.0, most)) : most;
}

}  // namespace steelyard::regress
