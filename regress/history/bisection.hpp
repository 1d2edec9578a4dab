// The search for the commit that changed a benchmark: which commit to measure next, and what the answers come to. It
// knows commits as places on a line, 0 the good end and the last the bad one, and nothing of builds or noise: whoever
// asks it measures, and may answer that the data cannot tell or that a commit cannot be measured. Pure; the same
// answers give the same questions, so that a search goes on from the answers that were kept.
//
//     Bisection search(commits.size());
//     for (BisectionStep step = search.next(); step.probe; step = search.next()) search.answer(*step.probe,
//     measured()); search.next().conclusion
//
// Not for series that were measured already: change_points.hpp finds where these changed.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace steelyard::regress {

enum class ProbePurpose {
  ends,    // whether the bad end differs from the good one at all
  search,  // a commit against the good end
  check,   // the commit that was found against the last one without the change
  order,   // whether the line stayed where it was, before and behind what was found
};
std::span<const std::string_view> words_of(ProbePurpose);  // "ends", "search", "check", "order"

enum class ProbeAnswer {
  unchanged,    // as the one it was held against
  changed,      // as the bad end
  cannot_tell,  // the data lie between, or are too few
  skipped,      // it does not build, or lacks the benchmark
};
std::span<const std::string_view> words_of(ProbeAnswer);  // "unchanged", "changed", "cannot tell", "skipped"

struct BisectionProbe {
  ProbePurpose purpose = ProbePurpose::search;
  std::size_t baseline = 0;
  std::size_t candidate = 0;
  int attempt = 0;  // how often the same was asked before; with more rounds each time
  auto operator<=>(const BisectionProbe&) const = default;
};

enum class BisectionEnd {
  found,          // one commit, and it differs from the one before it
  range,          // the same of several, those between could not be measured or told
  not_confirmed,  // the last commit without the change and the first with it do not differ, or it cannot be told
  ends_alike,     // shown: there is nothing to find
  ends_cannot_tell,
  ends_skipped,  // one of them could not be measured
};
std::span<const std::string_view> words_of(BisectionEnd);  // "found", "range", "not confirmed", "ends alike", ...

struct BisectionConclusion {
  BisectionEnd end = BisectionEnd::found;
  std::size_t last_good = 0;
  std::size_t first_bad = 0;
  std::vector<std::size_t> between = {};  // commits behind last_good and before first_bad: any of these may be it, too
  // Commits behind first_bad that are as the good end, and before last_good that are as the bad one: the line went
  // there and back, and has more than one change.
  std::vector<std::size_t> contrary = {};
  bool operator==(const BisectionConclusion&) const = default;
};

// Either what to measure or what it came to.
struct BisectionStep {
  std::optional<BisectionProbe> probe;
  BisectionConclusion conclusion = {};
};

struct BisectionRules {
  int attempts = 3;      // at what cannot be told
  int untold = 3;        // commits that could not be told, of those that can be the cause; then it ends in their range
  int repeats = 1;       // of a search whose check contradicted it
  int order_probes = 0;  // commits more, to see whether the line stayed where it was
};

// A probe is the middle commit that can still be the cause; what cannot be told is asked `attempts` times and then left
// for the nearest neighbour, as are commits that cannot be measured; where several in a row cannot, for the middle of
// the longest run that nobody asked about. What was found is held against the commit before
// it at last. Where these two do not differ one of the answers was wrong: both are asked again, once.
//
// Questions: log2 of the commits, and two; each answer `skipped`, and each `attempts` times `cannot_tell`, costs up to
// one more. All that measured a commit are bounded, by what bisection_levels() shares its levels by: behind the last of
// them the answer is a range.
class Bisection {
 public:
  // `commits`: both ends counted, at least 2.
  explicit Bisection(std::size_t commits, BisectionRules rules = {});

  BisectionStep next() const;
  std::size_t open_commits() const;  // that can be the cause, as far as is known
  // Of what next() asked.
  void answer(const BisectionProbe& probe, ProbeAnswer answer);

 private:
  struct Place {
    std::optional<ProbeAnswer> answer;  // against the good end; absent: not known, or to be asked again
    int attempts = 0;
    bool again = false;  // first of all
  };
  struct Bracket {
    std::size_t last_good;
    std::size_t first_bad;
  };
  Bracket bracket() const;
  std::optional<BisectionProbe> within(const Bracket& bracket) const;
  std::optional<std::size_t> best_of(const Bracket& bracket) const;
  bool is_open(std::size_t place) const;
  std::optional<BisectionProbe> out_of_order() const;
  bool is_told(std::size_t place) const;
  BisectionConclusion concluded(BisectionEnd end, const Bracket& bracket) const;
  void ask_again(std::size_t place);

  BisectionRules rules_;
  std::vector<Place> places_;
  Place ends_;
  std::map<std::pair<std::size_t, std::size_t>, Place> checks_;
  int repeats_ = 0;
  int ordered_ = 0;
  int spent_ = 0;  // answers of commits that were measured: others cannot err
};

// What a search allows its probes, so that it can be said how seldom it names a commit without a change. For that a
// probe has to err, and then the check of the commit against the one before it, which is measured anew, has to err as
// well:
//
//     wrong_commit <= (sum of `probe` over all probes) * (sum of `check` over all checks)
//
// each tried `rules.attempts` times; there are no more probes than that, as a search that has spent them ends in a
// range. A probe errs by calling a commit changed that is as the good end: at most `probe`. It errs by calling one
// unchanged that is as the bad end only where the 90 % interval lies within half of the change though the change is
// there, which is 2 * 1.645 standard errors away: 0.0005 (tests/regress/history simulate it).
struct BisectionLevels {
  double probe = 0;  // false alarm rate of one attempt of one probe
  double check = 0;
  double wrong_commit = 0;  // of the whole search
};
inline constexpr double kProbesShare = 0.1;  // the chance that any probe errs by a false alarm
// `rate`: the chance that any check is a false alarm.
BisectionLevels bisection_levels(std::size_t commits, double rate, const BisectionRules& rules = {});

}  // namespace steelyard::regress
