// What questions cost at the size that a store has: prints one line of the table in docs/measured/storage.md for each.
//
//     build/check/bin/growth postgresql://... [TRIES]        default 300; a store that `generate` filled
//
// By way of the Store, as every verb asks, over one connection: the answer is read, decoded and sorted. The first
// answer to each question is told apart: it may come from the disk. Each try asks about another series or commit.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "storage/history_store.hpp"
#include "storage/upkeep.hpp"
#include "tests/must.hpp"
#include "tests/studies/storage/grown_store.hpp"

namespace steelyard::storage_study {
namespace {

constexpr int kSeriesWithEveryCommit = 50;  // the smallest store's runs have so many results
constexpr int kHistoryRuns = 98;            // with the two that are compared: 100 runs of 3,500 results
constexpr int kLastCompared = 2;            // newest pairs that have so many before them

using testkit::must;

void expect(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error("not the store that generate fills: " + what);
}

// question(i) asks for the i-th time.
void measure(const char* name, int tries, const std::function<void(int)>& question) {
  std::vector<double> times_ms;
  for (int i = 0; i <= tries; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    question(i);
    times_ms.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }
  const double first = times_ms.front();
  times_ms.erase(times_ms.begin());
  std::sort(times_ms.begin(), times_ms.end());
  const auto at = [&](double part) {
    return times_ms[static_cast<std::size_t>(part * static_cast<double>(times_ms.size() - 1))];
  };
  std::printf("%-46s %9.2f %9.2f %9.2f %9.2f\n", name, first, at(0.5), at(0.99), times_ms.back());
  std::fflush(stdout);
}

class Growth {
 public:
  explicit Growth(storage::Store& store) : store_(store) {
    storage::HistoryQuery query = history_of(0);
    query.limit = 1;
    const auto series = must(storage::HistoryStore(store_).series(query));
    expect(series.size() == 1 && series[0].points.size() == 1, "no first series");
    fingerprint_ = series[0].fingerprint;
  }

  void print(int tries) {
    const storage::StoreStatus status = must(storage::Upkeep(store_).status());
    std::printf("%lld measurements, %.1f GB\n", static_cast<long long>(status.measurements),
                static_cast<double>(status.bytes) / 1e9);
    std::printf("%-46s %9s %9s %9s %9s\n", "ms", "first", "p50", "p99", "most");
    measure("history of one series, 10,000 points", tries, [&](int i) {
      const auto series = must(storage::HistoryStore(store_).series(history_of(i % kSeriesWithEveryCommit)));
      expect(series.size() == 1 && series[0].points.size() == kMainCommits, "a series without 10,000 points");
    });
    measure("history of one series, newest 200", tries, [&](int i) {
      storage::HistoryQuery query = history_of(i % kSeriesWithEveryCommit);
      query.limit = 200;
      expect(must(storage::HistoryStore(store_).series(query)).at(0).points.size() == 200,
             "a series without 200 points");
    });
    std::mt19937_64 random(1);
    measure("latest baseline of a commit", tries, [&](int) {
      const int commit = 2 + static_cast<int>(random() % (kMainCommits - 2));
      const auto found =
          must(storage::HistoryStore(store_).latest_baseline({kProject, fingerprint_, commit_number(commit), "main"}));
      expect(found && found->commit == commit_number(commit - 1), "no run of a parent");
    });
    measure("two runs of 3,500 results beside 100 commits", std::max(tries / 10, 1), [&](int i) {
      const int newest = kMainCommits - 1 - i % kLastCompared;
      const auto rows = must(storage::HistoryStore(store_).beside({run_of(newest - 1), run_of(newest), kHistoryRuns}));
      expect(rows.size() == kComparedResults && rows[7].history.size() == kHistoryRuns, "no 3,500 series");
    });
    measure("top movers over 1,000 commits", std::max(tries / 10, 1), [&](int i) {
      const int newest = kMainCommits - 200 - i * 7;
      storage::RangeQuery query{commit_number(newest - 1000), commit_number(newest), kProject, "main", "", 50};
      expect(!must(storage::HistoryStore(store_).top_movers(query)).items.empty(), "nothing moved");
    });
  }

 private:
  storage::HistoryQuery history_of(int number) const {
    storage::HistoryQuery query;
    query.benchmark = benchmark_number(number).canonical();
    query.metric = "real_time";
    query.branch = "main";
    query.project = kProject;
    query.machine = std::string("cpu.model=") + kMachine;
    query.limit = kMainCommits;
    query.with_invocations = false;
    return query;
  }

  // The baseline of the commit after it, so that machines are told apart.
  std::string run_of(int commit) {
    const auto found =
        must(storage::HistoryStore(store_).latest_baseline({kProject, fingerprint_, commit_number(commit + 1), ""}));
    expect(found && found->commit == commit_number(commit), "no run of commit " + std::to_string(commit));
    return found->run;
  }

  storage::Store& store_;
  std::string fingerprint_;
};

}  // namespace
}  // namespace steelyard::storage_study

int main(int count, char** arguments) {
  using namespace steelyard;
  using namespace steelyard::storage_study;
  if (count < 2 || count > 3) {
    std::fprintf(stderr, "growth postgresql://... [TRIES]\n");
    return 3;
  }
  try {
    storage::Store store =
        must(storage::Store::open(must(storage::parse_store_address(arguments[1], "growth")), storage::state_folder()));
    Growth(store).print(count > 2 ? std::max(std::atoi(arguments[2]), 1) : 300);
  } catch (const std::exception& trouble) {
    std::fprintf(stderr, "growth: %s\n", trouble.what());
    return 1;
  }
  return 0;
}
