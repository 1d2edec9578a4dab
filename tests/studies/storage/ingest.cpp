// How fast runs are written, against a bare COPY of the same rows into the same tables, and by two writers at once.
//
//     build/check/bin/ingest [RUNS]        default 9; as root the server runs as user postgres
//
// An embedded store of its own below $TMPDIR (else /tmp), removed at the end. Runs have 10,000 measurements of 20
// samples. The bare COPY reads a file on the server's side: no client, no parsing of ours, the same constraints and
// indexes; its run's header is there already. Each run is followed by a bare COPY of its rows under another key, so
// that both grow with the tables.
#include <sys/resource.h>

#include <sys/resource.h>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/model/quantile.hpp"
#include "storage/run_store.hpp"
#include "tests/studies/storage/large_runs.hpp"
#include "tests/studies/storage/own_server.hpp"

namespace steelyard::storage_study {
namespace {

constexpr int kOtherWriter = 100'000;  // numbers of the second writer's runs begin here

double own_cpu_seconds() {
  struct rusage usage {};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

class Study {
 public:
  storage::Store open() const { return server_.open_store(); }

  // Copies the rows of the newest run once more, as those of a run of another id; how long the copying took.
  double copy_newest_again(int number) {
    storage::Session session = server_.open_session();
    storage::Transaction transaction = must(storage::Transaction::begin(session));
    const std::string key =
        must(transaction.run("insert into steelyard.runs (id, created_at_unix_ns, tool, project_key, program, "
                             "commit_key, branch, dirty, "
                             "session, layout, seed, settings, environment_key, measurements, samples) "
                             "select id || $1, created_at_unix_ns, tool, project_key, program, commit_key, branch, "
                             "dirty, session, layout, "
                             "seed, settings, environment_key, measurements, samples from steelyard.runs order by "
                             "run_key desc limit 1 "
                             "returning run_key",
                             storage::SqlValues().text("+" + std::to_string(number)), storage::kOneRow))
            .text(0, 0);
    const std::string newest =
        must(transaction.run("select max(run_key) from steelyard.measurements", {}, storage::kOneRow)).text(0, 0);
    // Beside the server's data, where its account may write.
    const std::string measurements = (server_.data() / "ingest_measurements.copy").string();
    const std::string invocations = (server_.data() / "ingest_invocations.copy").string();
    must(transaction.run("copy (select value, " + key +
                         ", series_key, position, samples, count_basis_key, packed from "
                         "steelyard.measurements where run_key = " +
                         newest + " order by position) to '" + measurements + "'"));
    must(transaction.run("copy (select " + key +
                         ", position, round, slot, core, started_at_unix_ns, duration_ns from "
                         "steelyard.invocations where run_key = " +
                         newest + " order by position) to '" + invocations + "'"));
    return seconds_of([&] {
      must(
          transaction.run("copy steelyard.invocations (run_key, position, round, slot, core, started_at_unix_ns, "
                          "duration_ns) from '" +
                          invocations + "'"));
      must(
          transaction.run("copy steelyard.measurements (value, run_key, series_key, position, samples, "
                          "count_basis_key, packed) from '" +
                          measurements + "'"));
      must(transaction.commit());
    });
  }

 private:
  OwnServer server_;
};

void put(storage::Store& store, const Run& run) {
  if (!must(storage::RunStore(store).put(run))) throw std::runtime_error("a run that was there already");
}

void measure(int runs) {
  Study study;
  const LargeRuns wanted;
  storage::Store store = study.open();
  const double first = seconds_of([&] { put(store, large_run(wanted, 0)); });
  std::vector<double> ours;
  std::vector<double> bare;
  double cpu = 0;
  for (int i = 1; i <= runs; ++i) {
    const Run run = large_run(wanted, i);
    const double before = own_cpu_seconds();
    ours.push_back(seconds_of([&] { put(store, run); }));
    cpu += own_cpu_seconds() - before;
    bare.push_back(study.copy_newest_again(i));
  }
  const double ours_s = median(ours);
  const double bare_s = median(bare);

  // One writer, then two, several times by turns.
  constexpr int kEach = 3;
  std::vector<double> one;
  std::vector<double> two;
  storage::Store other = study.open();
  put(other, large_run(wanted, kOtherWriter));
  for (int turn = 1; turn <= runs / 2 + 1; ++turn) {
    std::vector<Run> mine;
    std::vector<Run> others;
    for (int i = 0; i < 2 * kEach; ++i) mine.push_back(large_run(wanted, 1000 * turn + i));
    for (int i = 0; i < kEach; ++i) others.push_back(large_run(wanted, kOtherWriter + 1000 * turn + i));
    one.push_back(seconds_of([&] {
                    for (int i = 0; i < kEach; ++i) put(store, mine[static_cast<std::size_t>(i)]);
                  }) /
                  kEach);
    two.push_back(seconds_of([&] {
                    std::thread thread([&] {
                      for (const Run& run : others) put(other, run);
                    });
                    for (int i = kEach; i < 2 * kEach; ++i) put(store, mine[static_cast<std::size_t>(i)]);
                    thread.join();
                  }) /
                  kEach);
  }
  const double rows = wanted.measurements;
  std::printf("runs of %d measurements of %d samples\n", wanted.measurements,
              static_cast<int>(wanted.invocations) * wanted.samples_each);
  std::printf("first run, with every benchmark new  %8.0f rows/s  %6.3f s\n", rows / first, first);
  std::printf("a run                                %8.0f rows/s  %6.3f s, of it %.3f s processor time of the writer\n",
              rows / ours_s, ours_s, cpu / runs);
  std::printf("bare COPY of the same rows           %8.0f rows/s  %6.3f s\n", rows / bare_s, bare_s);
  std::printf("share of the bare COPY               %8.2f\n", bare_s / ours_s);
  const double one_s = median(one);
  const double two_s = median(two);
  std::printf("one writer                           %8.0f rows/s\n", rows / one_s);
  std::printf("two writers at once                  %8.0f rows/s  %.2f times one\n", 2 * rows / two_s,
              2 * one_s / two_s);
}

}  // namespace
}  // namespace steelyard::storage_study

int main(int argc, char** argv) {
  const int runs = argc > 1 ? std::atoi(argv[1]) : 9;
  if (runs < 1) {
    std::fprintf(stderr, "usage: ingest [RUNS]\n");
    return 3;
  }
  try {
    steelyard::storage_study::measure(runs);
  } catch (const std::exception& trouble) {
    std::fprintf(stderr, "ingest: %s\n", trouble.what());
    return 1;
  }
}
