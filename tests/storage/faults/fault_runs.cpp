#include "tests/storage/faults/fault_runs.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <sstream>
#include <thread>

#include "storage/archive/archive.hpp"
#include "storage/postgres/session/session.hpp"
#include "storage/run_store.hpp"

namespace steelyard::storage_test {

Run wide_run(int number, int benchmarks) {
  constexpr int kInvocations = 4;
  constexpr int kSamples = 5;
  Run run;
  run.header.created_at_unix_ns = 1'700'000'000'000'000'000 + number;
  run.header.tool = "steelyard 0.1.0";
  run.header.project = "demo";
  run.header.commit = {std::string(40, 'a'), "", "main", "the same commit", 1'699'999'999, false};
  run.environment.facts = {{"cpu.model", "one machine", true}};
  for (int i = 0; i < kInvocations; ++i) run.invocations.push_back({i, 0, 0, 1'700'000'000'000'000'000, 1000});
  for (int b = 0; b < benchmarks; ++b) {
    Measurement measurement;
    measurement.benchmark = {"BM_wide", {{"n", std::to_string(b)}}, std::nullopt, "", "", ""};
    measurement.metric = *well_known_metric(kRealTime);
    for (int i = 0; i < kInvocations; ++i) {
      InvocationSamples samples;
      samples.invocation = i;
      for (int k = 0; k < kSamples; ++k) {
        samples.values.push_back((100'000 + b * 1000 + number * 10 + i * 3 + k) / 1000.0);
        samples.iterations.push_back(1000);
      }
      measurement.invocations.push_back(std::move(samples));
    }
    run.measurements.push_back(std::move(measurement));
  }
  storage::seal(run);
  return run;
}

std::string wide_json(int number, int benchmarks) {
  std::ostringstream records;
  for (int b = 0; b < benchmarks; ++b) {
    for (int k = 0; k < 5; ++k) {
      const double time = 100 + b + number / 100.0 + k / 1000.0;
      records << (b == 0 && k == 0 ? "" : ",") << R"({"name":"BM_wide/)" << b << R"(","run_name":"BM_wide/)" << b
              << R"(","run_type":"iteration","repetitions":5,"repetition_index":)" << k
              << R"(,"threads":1,"iterations":1000,"real_time":)" << time << R"(,"cpu_time":)" << time
              << R"(,"time_unit":"ns"})";
    }
  }
  return R"({"context":{"date":"2026-01-02T03:04:05+00:00","host_name":"h","executable":"./b","num_cpus":2,)"
         R"("mhz_per_cpu":2000,"cpu_scaling_enabled":false,"caches":[],"load_avg":[0.1],)"
         R"("library_build_type":"release"},"benchmarks":[)" +
         records.str() + "]}\n";
}

namespace {

std::set<std::string> readable_runs(const storage::StoreAddress& address, bool hashed,
                                    const std::set<std::string>& known) {
  std::set<std::string> ids;
  auto store = storage::Store::open(address, "/nonexistent");
  EXPECT_TRUE(store) << store.error().text();
  auto session = storage::Session::connect(address.url, "test");
  EXPECT_TRUE(session) << session.error().text();
  if (!store || !session) return ids;
  auto transaction = storage::Transaction::begin(*session);
  const auto rows = transaction->run("select id from steelyard.runs");
  EXPECT_TRUE(rows) << rows.error().text();
  for (std::int64_t row = 0; rows && row < rows->size(); ++row) {
    const std::string id = rows->text(row, 0);
    EXPECT_TRUE(ids.insert(id).second) << id << " is there twice";
    if (known.contains(id)) continue;
    auto run = storage::RunStore(*store).get(id);
    EXPECT_TRUE(run) << run.error().text();
    if (!run || !hashed) continue;
    storage::seal(*run);
    EXPECT_EQ(run->header.id, id) << "its content is not what was sent";
  }
  // Nothing hangs about that belongs to no run.
  const auto orphans = transaction->run(
      "select count(*) from steelyard.measurements x where not exists "
      "(select 1 from steelyard.runs r where r.run_key = x.run_key)");
  EXPECT_TRUE(orphans) << orphans.error().text();
  EXPECT_EQ(orphans ? orphans->integer(0, 0) : -1, 0);
  return ids;
}

}  // namespace

std::set<std::string> whole_runs(const storage::StoreAddress& address, const std::set<std::string>& known) {
  return readable_runs(address, true, known);
}
std::set<std::string> whole_ids(const storage::StoreAddress& address) { return readable_runs(address, false, {}); }

int times(int few, int full) {
  const char* wanted = std::getenv("STEELYARD_FAULTS");
  return wanted != nullptr && std::string(wanted) == "full" ? full : few;
}

double moment(std::mt19937_64& engine, double longest_s) {
  constexpr double kTwoTo53 = 9007199254740992.0;
  return longest_s * static_cast<double>(engine() >> 11U) / kTwoTo53;
}

void sleep_for_seconds(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

double now_in_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace steelyard::storage_test
