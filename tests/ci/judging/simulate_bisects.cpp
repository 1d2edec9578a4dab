// What searches for a commit come to, over many made up histories: simulate_bisects [SEARCHES] [COMMITS]. Per change
// and noise of processes: how many named the right commit, a wrong one, a range with it, none; builds and comparisons
// each.
#include <cstdio>
#include <cstdlib>

#include "tests/ci/judging/made_commits.hpp"

namespace steelyard::ci {
namespace {

struct Tally {
  int right = 0;
  int wrong = 0;
  int range = 0;  // that holds the right one
  int none = 0;
  std::size_t builds = 0;
  std::size_t timed = 0;
};

Tally searches(int tries, std::size_t commits, double ratio, double noise) {
  Tally tally;
  for (int i = 0; i < tries; ++i) {
    const auto seed = static_cast<std::uint64_t>(i) + 1;
    const std::size_t place = 1 + (seed * 2'654'435'761U) % (commits - 1);
    MadeWorld made(slower_from(commits, place, ratio), seed, noise);
    KeptBisect kept;
    const Result<BisectReport> report = bisect(question_of(commits), made.world(), kept);
    if (!report) std::abort();
    const bool is_it = report->culprit && report->culprit->sha == commit_at(place);
    const bool is_near = report->culprit && report->before && report->before->sha < commit_at(place) &&
                         report->culprit->sha >= commit_at(place);
    if (report->end == regress::BisectionEnd::found) {
      (is_it ? tally.right : tally.wrong) += 1;
    } else if (report->end == regress::BisectionEnd::range) {
      (is_near ? tally.range : tally.wrong) += 1;
    } else {
      ++tally.none;
    }
    tally.builds += made.builds();
    tally.timed += made.timed();
  }
  return tally;
}

}  // namespace
}  // namespace steelyard::ci

int main(int argc, char** argv) {
  const int tries = argc > 1 ? std::atoi(argv[1]) : 200;
  const std::size_t commits = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 65;
  if (tries < 1 || commits < 2) return 3;
  std::printf("%d searches each over %zu commits\n\n", tries, commits - 1);
  std::printf("| change | noise | right | wrong | range | none | builds | comparisons |\n");
  std::printf("|---:|---:|---:|---:|---:|---:|---:|---:|\n");
  int wrong = 0;
  for (const double ratio : {1.01, 1.03, 1.10}) {
    for (const double noise : {0.005, 0.012, 0.03}) {
      const steelyard::ci::Tally tally = steelyard::ci::searches(tries, commits, ratio, noise);
      std::printf("| %.0f %% | %.1f %% | %d | %d | %d | %d | %.1f | %.1f |\n", 100 * (ratio - 1), 100 * noise,
                  tally.right, tally.wrong, tally.range, tally.none, static_cast<double>(tally.builds) / tries,
                  static_cast<double>(tally.timed) / tries);
      wrong += tally.wrong;
    }
  }
  // A hundredth of all would be twice what is promised; of few searches none is to be seen.
  return wrong * 100 > 9 * tries ? 1 : 0;
}
