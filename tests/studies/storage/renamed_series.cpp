// What questions about histories cost where many benchmarks were renamed: prints the table in docs/measured/storage.md.
//
//     build/check/bin/renamed_series [RUNS] [RENAMED]     default 100 runs of 10,000 benchmarks, 1,000 of them renamed
//                                                         in the middle; as root the server runs as user postgres
//
// Each question is asked before a comparison says what was renamed and after it, 21 times by way of the Store: median
// and slowest.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "bench/model/quantile.hpp"
#include "storage/archive/archive.hpp"
#include "storage/comparison_store.hpp"
#include "storage/history_store.hpp"
#include "storage/run_store.hpp"
#include "tests/studies/storage/large_runs.hpp"
#include "tests/studies/storage/own_server.hpp"

namespace steelyard::storage_study {
namespace {

constexpr int kTries = 21;
constexpr const char* kBefore = "before_";

std::string commit_of(int number) {
  std::string digits = std::to_string(number);
  return std::string(40 - digits.size(), '0') + digits;
}

// Of the first half the first `renamed` benchmarks have another name.
Run run_of(const LargeRuns& wanted, int number, int runs, int renamed) {
  Run run = large_run(wanted, number);
  run.header.commit.sha = commit_of(number);
  run.header.commit.branch = "main";
  run.header.commit.committed_at_unix_s = run.header.created_at_unix_ns / 1'000'000'000;
  for (int i = 0; i < renamed && number <= runs / 2; ++i) {
    BenchmarkId& id = run.measurements[static_cast<std::size_t>(i)].benchmark;
    id.name = kBefore + id.name;
  }
  storage::seal(run);
  return run;
}

Comparison comparison_of(const Run& baseline, const Run& candidate, int renamed) {
  Comparison comparison;
  comparison.baseline = baseline.header;
  comparison.candidate = candidate.header;
  comparison.baseline_fingerprint = comparison.candidate_fingerprint = candidate.environment.fingerprint();
  comparison.rule_version = "1";
  for (int i = 0; i < renamed; ++i) {
    const std::string earlier = baseline.measurements[static_cast<std::size_t>(i)].benchmark.canonical();
    comparison.earlier_names[earlier] = candidate.measurements[static_cast<std::size_t>(i)].benchmark.canonical();
  }
  return comparison;
}

struct Question {
  const char* name;
  std::function<void(storage::HistoryStore&)> ask;
};

// Median and slowest, in milliseconds.
std::pair<double, double> measure(storage::Store& store, const Question& question) {
  storage::HistoryStore history(store);
  std::vector<double> times_ms;
  for (int i = 0; i < kTries; ++i) times_ms.push_back(1e3 * seconds_of([&] { question.ask(history); }));
  return {median(times_ms), *std::max_element(times_ms.begin(), times_ms.end())};
}

std::vector<Question> questions_about(const Run& first, const Run& last) {
  storage::HistoryQuery all;
  all.project = last.header.project;
  all.branch = "main";
  all.by_todays_names = true;
  all.limit = 0;
  storage::HistoryQuery page = all;
  page.limit = 200;
  page.series_limit = 50;
  storage::HistoryQuery one = page;
  one.benchmark = first.measurements.front().benchmark.canonical();
  const storage::RangeQuery range{first.header.commit.sha, last.header.commit.sha, all.project, "main", "", 50};
  const storage::RenamedQuery renamed{all.project, "main"};
  return {{"names of all series", [all](auto& history) { must(history.page(all)); }},
          {"50 series with their points", [page](auto& history) { must(history.page(page)); }},
          {"one series, by its first name", [one](auto& history) { must(history.page(one)); }},
          {"the 50 that moved most", [range](auto& history) { must(history.top_movers(range)); }},
          {"what was renamed", [renamed](auto& history) { must(history.renamed(renamed)); }}};
}

int run_all(int argc, char** argv) {
  const int runs = argc > 1 ? std::atoi(argv[1]) : 100;
  const int renamed = argc > 2 ? std::atoi(argv[2]) : 1000;
  LargeRuns wanted;
  wanted.invocations = 2;
  wanted.samples_each = 1;
  if (runs < 2 || renamed < 1 || renamed > wanted.measurements) {
    std::fprintf(stderr, "usage: renamed_series [RUNS] [RENAMED]\n");
    return 3;
  }
  const OwnServer server;
  storage::Store store = server.open_store();
  for (int number = 1; number <= runs; ++number) {
    must(storage::RunStore(store).put(run_of(wanted, number, runs, renamed)));
  }
  const Run first = run_of(wanted, 1, runs, renamed);
  const Run last = run_of(wanted, runs, runs, renamed);
  const std::vector<Question> questions = questions_about(first, last);
  std::vector<std::pair<double, double>> before, after;
  for (const Question& question : questions) before.push_back(measure(store, question));
  std::vector<double> puts_ms;
  for (const int names : {0, renamed}) {
    const Comparison comparison = comparison_of(first, last, names);
    puts_ms.push_back(1e3 * seconds_of([&] { must(storage::ComparisonStore(store).put(comparison)); }));
  }
  for (const Question& question : questions) after.push_back(measure(store, question));
  std::printf("| %d runs of %d benchmarks | nothing was said | %d are known to be renamed |\n|---|---:|---:|\n", runs,
              wanted.measurements, renamed);
  for (std::size_t i = 0; i < questions.size(); ++i) {
    std::printf("| %s | %.0f ms (%.0f) | %.0f ms (%.0f) |\n", questions[i].name, before[i].first, before[i].second,
                after[i].first, after[i].second);
  }
  std::printf("| a comparison is put, without a row | %.0f ms | %.0f ms |\n", puts_ms[0], puts_ms[1]);
  return 0;
}

}  // namespace
}  // namespace steelyard::storage_study

int main(int argc, char** argv) {
  try {
    return steelyard::storage_study::run_all(argc, argv);
  } catch (const std::exception& trouble) {
    std::fprintf(stderr, "renamed_series: %s\n", trouble.what());
    return 1;
  }
}
