// What searches for a commit come to, over many made up histories: simulate_bisects [SEARCHES] [COMMITS]. Per change
// and noise of processes: how many named the right commit, a wrong one, a range with it, none; builds and comparisons
// each. Then changes of counts alone, and two changes: how many of those that named one of them said that there may be
// another.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#include "tests/ci/judging/made_commits.hpp"

namespace steelyard::ci {
namespace {

struct Tally {
  int right = 0;
  int wrong = 0;
  int range = 0;  // that holds a right one
  int none = 0;
  int told = 0;  // of those that are right: another one may be there
  std::size_t builds = 0;
  std::size_t timed = 0;

  void add(const BisectReport& report, const std::vector<std::size_t>& places) {
    const auto is_any = [&](const auto& is_it) { return std::any_of(places.begin(), places.end(), is_it); };
    const bool is_right =
        report.culprit && is_any([&](std::size_t at) { return report.culprit->sha == commit_at(at); });
    const bool is_near = report.culprit && report.before && is_any([&](std::size_t at) {
                           return report.before->sha < commit_at(at) && report.culprit->sha >= commit_at(at);
                         });
    if (report.end == regress::BisectionEnd::found) {
      (is_right ? right : wrong) += 1;
      told += is_right && report.others != OtherChanges::none ? 1 : 0;
    } else if (report.end == regress::BisectionEnd::range) {
      (is_near ? range : wrong) += 1;
    } else {
      ++none;
    }
  }
};

struct MadeHistory {
  std::vector<MadeCommit> commits;
  std::vector<std::size_t> places;  // of the commits that changed something
};

std::size_t drawn_place(std::uint64_t seed, std::size_t commits) { return 1 + (seed * 2'654'435'761U) % (commits - 1); }

Tally searches(int tries, const BisectQuestion& question, double noise,
               const std::function<MadeHistory(std::uint64_t seed)>& history) {
  Tally tally;
  for (int i = 0; i < tries; ++i) {
    const auto seed = static_cast<std::uint64_t>(i) + 1;
    const MadeHistory one = history(seed);
    MadeWorld made(one.commits, seed, noise);
    KeptBisect kept;
    const Result<BisectReport> report = bisect(question, made.world(), kept);
    if (!report) std::abort();
    tally.add(*report, one.places);
    tally.builds += made.builds();
    tally.timed += made.timed();
  }
  return tally;
}

Tally searches_of_time(int tries, std::size_t commits, double ratio, double noise) {
  return searches(tries, question_of(commits), noise, [&](std::uint64_t seed) {
    const std::size_t place = drawn_place(seed, commits);
    return MadeHistory{slower_from(commits, place, ratio), {place}};
  });
}

Tally searches_of_counts(int tries, std::size_t commits, double ratio) {
  return searches(tries, question_of(commits, kInstructions), 0.012, [&](std::uint64_t seed) {
    const std::size_t place = drawn_place(seed, commits);
    MadeHistory made{std::vector<MadeCommit>(commits), {place}};
    for (std::size_t i = place; i < commits; ++i) made.commits[i].count *= ratio;
    return made;
  });
}

Tally searches_of_two(int tries, std::size_t commits, double ratio, double noise) {
  return searches(tries, question_of(commits), noise, [&](std::uint64_t seed) {
    const std::size_t one = drawn_place(seed, commits);
    const std::size_t other = 1 + (one - 1 + drawn_place(seed + 7, commits - 1)) % (commits - 1);  // never the same
    MadeHistory made{slower_from(commits, one, ratio), {one, other}};
    for (std::size_t i = other; i < commits; ++i) made.commits[i].time *= ratio;
    return made;
  });
}

// True: as few wrong ones as a hundredth of all, twice what is promised; of few searches none is to be seen.
bool print_times(int tries, std::size_t commits) {
  std::printf("| change | noise | right | wrong | range | none | builds | comparisons |\n");
  std::printf("|---:|---:|---:|---:|---:|---:|---:|---:|\n");
  int wrong = 0;
  for (const double ratio : {1.01, 1.03, 1.10}) {
    for (const double noise : {0.005, 0.012, 0.03}) {
      const Tally tally = searches_of_time(tries, commits, ratio, noise);
      std::printf("| %.0f %% | %.1f %% | %d | %d | %d | %d | %.1f | %.1f |\n", 100 * (ratio - 1), 100 * noise,
                  tally.right, tally.wrong, tally.range, tally.none, static_cast<double>(tally.builds) / tries,
                  static_cast<double>(tally.timed) / tries);
      wrong += tally.wrong;
    }
  }
  return wrong * 100 <= 9 * tries;
}

// True: counts are exact and nothing is timed for them; of two changes as few wrong ones are named as of one, nearly
// always one of the two is, and each time it is said that there may be another.
bool print_others(int tries, std::size_t commits) {
  std::printf("\n| changes | noise | right | another told | wrong | range | none | builds | comparisons |\n");
  std::printf("|---|---:|---:|---:|---:|---:|---:|---:|---:|\n");
  const auto print = [&](const char* changes, const char* noise, const Tally& tally) {
    std::printf("| %s | %s | %d | %d | %d | %d | %d | %.1f | %.1f |\n", changes, noise, tally.right, tally.told,
                tally.wrong, tally.range, tally.none, static_cast<double>(tally.builds) / tries,
                static_cast<double>(tally.timed) / tries);
  };
  const Tally counts = searches_of_counts(tries, commits, 1.001);
  print("one of counts alone, 0.1 %", "none", counts);
  int wrong = 0;
  bool is_told = true;
  for (const auto& [noise, written] : {std::pair(0.005, "0.5 %"), std::pair(0.012, "1.2 %")}) {
    const Tally two = searches_of_two(tries, commits, 1.04, noise);
    print("two of time, 4 % each", written, two);
    wrong += two.wrong;
    is_told = is_told && two.told == two.right && two.right * 100 >= 95 * tries;
  }
  return counts.right == tries && counts.timed == 0 && wrong * 100 <= 2 * tries && is_told;
}

}  // namespace
}  // namespace steelyard::ci

int main(int argc, char** argv) {
  const int tries = argc > 1 ? std::atoi(argv[1]) : 200;
  const std::size_t commits = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 65;
  if (tries < 1 || commits < 3) return 3;
  std::printf("%d searches each over %zu commits\n\n", tries, commits - 1);
  const bool are_times_right = steelyard::ci::print_times(tries, commits);
  const bool are_others_right = steelyard::ci::print_others(tries, commits);
  return are_times_right && are_others_right ? 0 : 1;
}
