// What the samples say of each round, as one bounded number: how far the candidate's lie above the baseline's when the
// candidate is lowered by a supposed shift. Two views, added:
//
// - pooled: all samples of all rounds and both sides are ranked together and get the score -1 / (u + 0.1) of their
//   relative rank u; an invocation's score is the mean of its samples'. Delays only add, so the low end is where
//   unchanged programs agree best, and there the score tells ranks apart ten times as well as at the high end; a
//   disturbed process can do no more than rank last. Rounds that are quiet together speak loudest.
// - in the round: how often a sample of the candidate lies above one of the baseline's, less how often below (H. B.
//   Mann and D. R. Whitney, 1947; added over blocks as by P. van Elteren, 1960). What both sides of a round share,
//   such as a slow drift of the machine, cancels.
//
// Each view is divided by its root of squares over the rounds, then the second counts half. docs/method/judgement.md
// has the measurements behind the score, 0.1 and the half. Everything is additions, divisions and roots: the same bits
// on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace steelyard::regress {

// Hodges-Lehmann: the median of the averages of all pairs, each value with itself included (J. L. Hodges and E. L.
// Lehmann, Estimates of location based on rank tests, 1963). Precondition: not empty. Cost O(n^2) up to 200
// values; above that the plain median.
double hodges_lehmann(std::span<const double> values);

// Sorting of few values without branches that depend on them: no processor can guess those, and each wrong guess costs
// as much as ten comparisons. The same result as any other sort, bit for bit.
//
//     sort_values(logs);                          samples of one invocation
//     merge_runs(entries, ends_of_sorted_runs);   those of all of them

// Ascending. Precondition: no NaN. Up to 16 values by counting, more by the library's sort.
void sort_values(std::vector<double>& values);

struct GroupedValue {
  double value = 0;
  std::uint32_t group = 0;
};

// Sorts by value, equal ones by run. Each run is sorted already; ends[i] is the index behind run i, ascending, and the
// last one values.size(). Precondition: no NaN. Cost O(n log runs).
void merge_runs(std::span<GroupedValue> values, std::vector<std::size_t> ends);

// On which side of the level disturbances lie: they raise a time and lower a rate.
enum class Disturbed { upwards, downwards };

// Scores of groups of values by their ranks among all values of all groups. Groups belong to lists; the values of a
// list move together. Sorted once; each call merges. Ties get the score of their mean rank.
class PooledScores {
 public:
  struct Group {
    std::span<const double> values;  // in any order, at least one, no NaN
    std::size_t list = 0;
  };
  // At most four lists.
  PooledScores(std::span<const Group> groups, Disturbed disturbed);

  // The mean score of each group's values when those of list k are lowered by lowered_by[k]. Cost O(values).
  std::vector<double> mean_scores(std::span<const double> lowered_by) const;

 private:
  double score_of_twice_rank(std::size_t twice) const;
  // A value as a whole number: those are ordered as the values are, and compared in a third of the time.
  struct Key {
    std::int64_t value;
    std::uint64_t group;
  };
  // Ascending; before them one that is below all others, and behind them one above all.
  class Keys {
   public:
    Keys() = default;
    explicit Keys(std::size_t count);
    std::size_t size() const { return size_; }
    Key* begin() { return all_.get() + 1; }
    const Key* begin() const { return all_.get() + 1; }

   private:
    std::unique_ptr<Key[]> all_;
    std::size_t size_ = 0;
  };
  static Keys keys_of(std::span<const GroupedValue> list, double lowered_by);
  static Keys merge(const Keys& a, const Keys& b);

  static constexpr std::size_t kLists = 4;
  std::vector<GroupedValue> lists_[kLists];  // ascending
  std::vector<double> inverse_counts_;       // of each group
  std::vector<double> by_rank_;              // score of a rank
  Disturbed disturbed_;
};

// The score of a relative rank in (0, 1).
double rank_score(double u, Disturbed disturbed);

// Share of pairs with the second value above, less share with it below; each side lowered first. Both ascending, at
// least one value each. Cost O(values).
struct LoweredValues {
  std::span<const double> ascending;
  double by = 0;
};
double preference(const LoweredValues& first, const LoweredValues& second);

// The two views added: see above. Same length; either may be all zero.
std::vector<double> add_views(std::span<const double> pooled, std::span<const double> in_round);

}  // namespace steelyard::regress
