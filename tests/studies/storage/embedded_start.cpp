// What the embedded store costs: how long a command waits for it, and what it holds while nobody uses it.
//
//     build/release/bin/embedded_start [TRIES]        default 5; as root the server runs as user postgres
//
// Each try uses a new state folder below $TMPDIR (else /tmp), so that its first start creates a cluster. A start is a
// whole Store::open: programs found, server started, database and tables made or checked.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/model/quantile.hpp"
#include "storage/archive/archive.hpp"
#include "storage/embedded/cluster.hpp"
#include "storage/history_store.hpp"
#include "storage/run_store.hpp"
#include "tests/must.hpp"
#include "tests/studies/storage/embedded_processes.hpp"

namespace steelyard::storage_study {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kRest{3};  // before memory is read: the server's processes have all come up
constexpr int kMeasurements = 10'000;     // of the run that is written to see what use leaves behind
constexpr int kSamples = 20;
constexpr double kKibPerMb = 1e6 / 1024;

using testkit::must;

double seconds_of(const std::function<void()>& action) {
  const auto begin = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

Run large_run() {
  Run run;
  run.header.created_at_unix_ns = 1'700'000'000'000'000'000;
  run.header.tool = "embedded_start";
  run.environment.facts = {{"cpu.model", "any", true}};
  for (int i = 0; i < kMeasurements; ++i) {
    Measurement measurement;
    measurement.benchmark.name = "BM_" + std::to_string(i);
    measurement.metric = *well_known_metric(kRealTime);
    measurement.invocations.push_back({0, {}, {}});
    for (int j = 0; j < kSamples; ++j) measurement.invocations[0].values.push_back(1000.0 + i + j);
    run.measurements.push_back(std::move(measurement));
  }
  run.invocations.push_back({0, 0, -1, run.header.created_at_unix_ns, 1'000'000});
  storage::seal(run);
  return run;
}

struct Figures {
  std::vector<double> first_start_s;
  std::vector<double> later_start_s;
  std::vector<double> running_s;
  std::vector<double> fresh_mb;
  std::vector<double> used_mb;
  std::vector<double> at_most_mb;
  std::vector<double> idle_ms_per_minute;
  int others = 0;
};

fs::path new_state_folder() {
  const char* const temporary = std::getenv("TMPDIR");
  std::string pattern = std::string(temporary == nullptr ? "/tmp" : temporary) + "/steelyard-start-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot create " + pattern);
  chmod(pattern.c_str(), S_IRWXU | S_IXGRP | S_IXOTH);  // the server's account passes through
  return pattern;
}

HeldMemory held_after_a_rest(const fs::path& data) {
  std::this_thread::sleep_for(kRest);
  return held_memory(server_processes(data));
}

double megabytes(std::int64_t kib) { return static_cast<double>(kib) / kKibPerMb; }

void measure(const fs::path& state, const Run& run, Figures& figures) {
  const auto open = [&] { must(storage::Store::open({}, state)); };
  figures.first_start_s.push_back(seconds_of(open));
  const fs::path data = must(storage::ensure_embedded_running(state)).data;
  figures.running_s.push_back(seconds_of(open));
  figures.fresh_mb.push_back(megabytes(held_after_a_rest(data).proportional));
  const auto processes = server_processes(data);
  const double before = static_cast<double>(processor_ms(processes));
  const double idle_s = seconds_of([] { std::this_thread::sleep_for(5 * kRest); });
  figures.idle_ms_per_minute.push_back((static_cast<double>(processor_ms(processes)) - before) * 60 / idle_s);
  {
    storage::Store store = must(storage::Store::open({}, state));
    must(storage::RunStore(store).put(run));
    must(storage::HistoryStore(store).series({}));
    must(storage::RunStore(store).get(run.header.id));
  }
  const HeldMemory used = held_after_a_rest(data);
  figures.used_mb.push_back(megabytes(used.proportional));
  figures.at_most_mb.push_back(megabytes(used.at_most));
  figures.others = std::max(figures.others, other_postgres(server_processes(data)));
  must(storage::stop_embedded(state));
  figures.later_start_s.push_back(seconds_of(open));
  must(storage::stop_embedded(state));
}

void print(const char* what, const std::vector<double>& values, const char* unit, const char* wanted) {
  std::printf("| %-58s | %8.3g %-3s | %8.3g %-3s | %-8s |\n", what, median(values), unit,
              *std::max_element(values.begin(), values.end()), unit, wanted);
}

void print(const Figures& figures) {
  std::printf("| %-58s | %12s | %12s | %-8s |\n|---|---:|---:|---|\n", "embedded store", "median", "worst", "wanted");
  print("first start: cluster, server, database, tables", figures.first_start_s, "s", "< 3 s");
  print("later start", figures.later_start_s, "s", "< 0.5 s");
  print("open while it runs", figures.running_s, "s", "");
  print("memory (PSS), idle after its first start", figures.fresh_mb, "MB", "< 60 MB");
  print("memory (PSS), idle after 10,000 x 20 samples in and out", figures.used_mb, "MB", "< 60 MB");
  print("memory at most: all shared buffers used, no other server", figures.at_most_mb, "MB", "< 60 MB");
  print("processor time of all its processes per idle minute", figures.idle_ms_per_minute, "ms", "");
  std::printf("\n%zu tries. Memory is that of the server, its children and its keeper", figures.fresh_mb.size());
  std::printf(figures.others > 0 ? "; %d processes of other servers share a part of the PSS.\n" : ".\n",
              figures.others);
}

}  // namespace
}  // namespace steelyard::storage_study

int main(int count, char** arguments) {
  using namespace steelyard;
  using namespace steelyard::storage_study;
  constexpr int kUsualTries = 5;
  const int tries = count > 1 ? std::atoi(arguments[1]) : kUsualTries;
  if (tries < 1) return std::fputs("usage: embedded_start [TRIES]\n", stderr), 3;
  const Run run = large_run();
  Figures figures;
  int status = 0;
  for (int i = 0; i < tries && status == 0; ++i) {
    const fs::path state = new_state_folder();
    try {
      measure(state, run, figures);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "embedded_start: %s\n", error.what());
      status = 1;
    }
    [[maybe_unused]] const auto stopped = storage::stop_embedded(state);
    std::error_code trouble;
    fs::remove_all(state, trouble);
  }
  if (status == 0) print(figures);
  return status;
}
